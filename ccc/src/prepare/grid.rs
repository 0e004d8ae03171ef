//! Task repetition with a grid-stride loop (CCC paper, Section 3.1): a kernel of one item per thread gets the loop that collection needs.
//!
//! `#CCC grid` asks for it. The kernel alone is changed: the host launches the same grid, of which the first blocks stay and take the
//! others' place one after the other, while the rest return at once.
//!
//! ```text
//! before                         after
//!                                linear = this block's number in the grid;  total = blocks of the grid
//!                                stride = blocks(N), or what the device may hold
//!                                @(linear >= stride) ret;
//!                                LOOP:
//!     i = %ctaid.x * … ;             x, y, z = linear as an index of the grid
//!     @out ret;                      i = x * … ;
//!     …                              @out bra NEXT;
//!     ret;                           …
//!                                NEXT: linear += stride;  @(linear < total) bra LOOP;
//!                                ret;
//! ```
//!
//! # What it requires
//!
//! Blocks of a launch are independent of each other (CUDA guide, "Thread Hierarchy"), and lanes that run one block's thread after another's
//! have nothing left of the first: no register is read before it is written. Nothing in the kernel waits for other threads or has memory in
//! common with those of its block, because the threads of a block no longer begin the next one's work together: barriers, votes, shared
//! memory and calls are refused.
//!
//! # What it preserves
//!
//! Every block of the grid is run exactly once, with its own `%ctaid`; `%nctaid` is the host's. How many blocks stay decides about
//! speed only: where nobody says it, so many that each multiprocessor may have 2048 threads.

use analysis::{Cfg, Liveness};
use ptx_parser::{
    Code, Component, Error, Flow, Inst, Kernel, KernelKind, Label, Operand, Patch, Reg, Relation, Space, SpecialName,
    Stmt, StmtKind, Type,
};

use crate::markers::{self, MarkerKind, Parameter, parameters_text};
use crate::origin::Origin;
use crate::refusal::Refusal;
use crate::source_names::called;

/// The most threads that a multiprocessor of any chip holds (CUDA guide, "Technical Specifications per Compute Capability").
const THREADS: u32 = 2048;

/// A `#CCC grid` directive in a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct GridSite {
    /// Statement index of its marker.
    stmt: usize,
    /// Number of the directive in its file.
    pub(crate) id: u32,
    /// The user's line.
    pub(crate) line: u32,
    block: Option<u32>,
    blocks: Option<u32>,
    parameters: Vec<Parameter>,
}

/// The directives of a kernel; inlining may have made several of one.
pub(crate) fn sites(kernel: &Kernel) -> Vec<GridSite> {
    let of = |(stmt, statement): (usize, &Stmt)| match markers::of_stmt(kernel, statement)? {
        MarkerKind::Grid { id, line, block, blocks, parameters } => {
            Some(GridSite { stmt, id, line, block, blocks, parameters })
        }
        _ => None,
    };
    kernel.stmts().iter().enumerate().filter_map(of).collect()
}

/// Puts the kernel's work into a loop over blocks, marked as the loop of the directive's number. A refusal leaves the kernel as it was.
pub(crate) fn repeat(kernel: &mut Kernel, site: &GridSite) -> Result<(), Refusal> {
    check(kernel)?;
    let mut candidate = kernel.clone();
    rewrite(&mut candidate, site).map_err(|error| Refusal::Internal { what: error.to_string() })?;
    *kernel = candidate;
    Ok(())
}

fn check(kernel: &Kernel) -> Result<(), Refusal> {
    let refuse = |what: String, at: Origin| Err(Refusal::Grid { what, at });
    if kernel.kind() != KernelKind::Entry {
        return refuse("the directive is in a function that was not inlined".into(), Origin::default());
    }
    if sites(kernel).len() > 1 {
        return refuse("it has several `#CCC grid`".into(), Origin::default());
    }
    for inst in kernel.insts() {
        let (properties, opcode, at) = (kernel.properties(inst), kernel.opcode(inst), Origin::of(kernel, inst));
        if !properties.known {
            return refuse(format!("it is not known what `{opcode}` does"), at);
        }
        if properties.flow == Flow::Call {
            let callee =
                kernel.callee_name(inst).map_or_else(|| "a function".to_owned(), |name| format!("`{}`", called(name)));
            return refuse(format!("it calls {callee}, which may ask for its block"), at);
        }
        if properties.convergent {
            return refuse(format!("`{opcode}` waits for other threads"), at);
        }
        if properties.space == Some(Space::Shared) {
            return refuse(format!("`{opcode}` uses memory that the threads of a block have in common"), at);
        }
        let mut other = None;
        kernel.visit_operands(inst, |operand| {
            if let Operand::Special(special) = operand
                && !replaceable(special.name, special.component)
            {
                other = Some(special.to_string());
            }
        });
        if let Some(special) = other {
            return refuse(format!("it reads `{special}` as a whole or by its cluster"), at);
        }
    }
    let cfg = Cfg::of(kernel);
    let liveness = Liveness::of(kernel, &cfg);
    match liveness.live_in(cfg.entry()).first() {
        Some(&reg) => Err(Refusal::GridRegister { reg: kernel.reg_name(reg).to_owned() }),
        None => Ok(()),
    }
}

/// Returns true if a special register says the same whoever runs the work, or is one that [`rewrite`] replaces.
fn replaceable(name: SpecialName, component: Option<Component>) -> bool {
    use SpecialName::*;
    match name {
        Ctaid => matches!(component, Some(Component::X | Component::Y | Component::Z)),
        Clusterid | Nclusterid | ClusterCtaid | ClusterNctaid | ClusterCtarank | ClusterNctarank => false,
        _ => true,
    }
}

fn rewrite(kernel: &mut Kernel, site: &GridSite) -> Result<(), Error> {
    let first = kernel.stmts().iter().position(|stmt| matches!(stmt.kind, StmtKind::Inst(_) | StmtKind::Label(_)));
    let index =
        [Component::X, Component::Y, Component::Z].map(|component| (component, kernel.new_reg("ccc_grid", Type::B32)));
    let next = kernel.new_label("ccc_grid_next");
    let (head, tail) = code(kernel, site, index.map(|(_, reg)| reg), next);
    let mut patch = Patch::new();
    patch.remove(site.stmt);
    let returns: Vec<(usize, Inst)> = kernel
        .stmts()
        .iter()
        .enumerate()
        .filter_map(|(position, stmt)| match stmt.kind {
            StmtKind::Inst(inst) => Some((position, inst)),
            _ => None,
        })
        .filter(|(_, inst)| matches!(kernel.properties(*inst).flow, Flow::Return | Flow::Exit))
        .collect();
    for (position, inst) in returns {
        let mut code = Code::new();
        code.guarded(kernel.inst(inst).guard).bra(next);
        patch.replace(position..position + 1, kernel.build(code)?);
    }
    let all: Vec<Inst> = kernel.insts().collect();
    for inst in all {
        let block = |operand: &Operand| match operand {
            Operand::Special(special) if special.name == SpecialName::Ctaid => {
                index.iter().find(|(component, _)| special.component == Some(*component)).map(|(_, reg)| *reg)
            }
            _ => None,
        };
        let mut any = false;
        kernel.visit_operands(inst, |operand| any |= block(operand).is_some());
        if any {
            kernel.edit_operands(inst, |operand| {
                if let Some(reg) = block(operand) {
                    *operand = Operand::Reg(reg);
                }
            })?;
        }
    }
    patch.insert_before(first.unwrap_or(0), kernel.build(head)?);
    patch.append(kernel.build(tail)?);
    kernel.apply(patch)
}

/// Builds what stands before the kernel's own code, up to where the work of a block begins, and what stands behind it.
fn code(kernel: &mut Kernel, site: &GridSite, [x, y, z]: [Reg; 3], next: Label) -> (Code, Code) {
    use SpecialName::{Ctaid, Nctaid};
    use Type::{B32, B64, Pred, U32, U64};
    let [nx, ny, temp] = ["ccc_columns", "ccc_rows", "ccc_count"].map(|stem| kernel.new_reg(stem, B32));
    let [linear, total, stride, long] =
        ["ccc_linear", "ccc_total", "ccc_stride", "ccc_wide"].map(|stem| kernel.new_reg(stem, B64));
    let test = kernel.new_reg("ccc_more", Pred);
    let [begin, row, work] = ["ccc_grid_block", "ccc_grid_row", "ccc_grid_work"].map(|stem| kernel.new_label(stem));
    let mut head = Code::new();
    head.ins().mov(U32, nx, Nctaid.component(Component::X));
    head.ins().mov(U32, ny, Nctaid.component(Component::Y));
    head.ins().mov(U32, temp, Nctaid.component(Component::Z));
    head.ins().mul_wide(U32, total, nx, ny);
    head.ins().cvt(U64, U32, long, temp);
    head.ins().mul_lo(U64, total, total, long);
    for (to, component) in [(x, Component::X), (y, Component::Y), (z, Component::Z)] {
        head.ins().mov(U32, to, Ctaid.component(component));
    }
    head.ins().cvt(U64, U32, linear, z);
    for (count, index) in [(ny, y), (nx, x)] {
        head.ins().cvt(U64, U32, long, count);
        head.ins().mul_lo(U64, linear, linear, long);
        head.ins().cvt(U64, U32, long, index);
        head.ins().add(U64, linear, linear, long);
    }
    resident(&mut head, site, stride, temp, x);
    head.ins().setp(Relation::GreaterOrEqual, U64, test, linear, stride);
    head.when(test).ret();
    head.marker(begin_marker(site));
    head.label(begin);
    head.ins().cvt(U64, U32, long, nx);
    head.ins().setp(Relation::Equal, U64, test, long, total);
    head.when(test).bra(row);
    head.ins().rem(U64, long, linear, long);
    head.ins().cvt(U32, U64, x, long);
    head.ins().cvt(U64, U32, long, nx);
    head.ins().div(U64, long, linear, long);
    head.ins().cvt(U32, U64, temp, long);
    head.ins().rem(U32, y, temp, ny);
    head.ins().div(U32, z, temp, ny);
    head.ins().bra(work);
    head.label(row);
    head.ins().cvt(U32, U64, x, linear);
    head.ins().mov(U32, y, 0);
    head.ins().mov(U32, z, 0);
    head.label(work);
    let mut tail = Code::new();
    tail.label(next);
    tail.ins().add(U64, linear, linear, stride);
    tail.ins().setp(Relation::Less, U64, test, linear, total);
    tail.when(test).bra(begin);
    tail.marker(format!("#CCC for_end {}", site.id));
    tail.ins().ret();
    (head, tail)
}

/// Computes how many blocks take part: what the directive says, or as many as may be resident, with `temp` and `other` overwritten.
fn resident(code: &mut Code, site: &GridSite, to: Reg, temp: Reg, other: Reg) {
    use SpecialName::{Nsmid, Ntid};
    use Type::{B32, U32, U64};
    if let Some(blocks) = site.blocks {
        code.ins().mov(U64, to, blocks);
        return;
    }
    code.ins().mov(U32, temp, Ntid.component(Component::X));
    for component in [Component::Y, Component::Z] {
        code.ins().mov(U32, other, Ntid.component(component));
        code.ins().mul_lo(U32, temp, temp, other);
    }
    // A block of 33 threads takes the room of 64.
    code.ins().add(U32, temp, temp, 31);
    code.ins().and(B32, temp, temp, -32);
    code.ins().div(U32, temp, THREADS, temp);
    code.ins().max(U32, temp, temp, 1);
    code.ins().mov(U32, other, Nsmid);
    code.ins().mul_wide(U32, to, temp, other);
}

/// The marker of the loop over blocks.
fn begin_marker(site: &GridSite) -> String {
    let block = site.block.map(|threads| format!(" block {threads}")).unwrap_or_default();
    let parameters = parameters_text(&site.parameters);
    format!("#CCC for_begin {}{block} line {}{parameters}", site.id, site.line)
}
