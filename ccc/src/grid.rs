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
    Component, Error, Flow, Guard, Inst, Kernel, KernelKind, Operand, Patch, Reg, Space, SpecialName, Stmt, StmtKind,
    Type,
};

use crate::dependence::called;
use crate::markers::{self, Marker, Parameter, parameters_text};
use crate::refusal::{Place, Refusal};

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
    let of = |(stmt, statement): (usize, &Stmt)| match markers::of_stmt(statement)? {
        Marker::Grid { id, line, block, blocks, parameters } => {
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
    let refuse = |what: String, at: Place| Err(Refusal::Grid { what, at });
    if kernel.kind() != KernelKind::Entry {
        return refuse("the directive is in a function that was not inlined".into(), Place::default());
    }
    if sites(kernel).len() > 1 {
        return refuse("it has several `#CCC grid`".into(), Place::default());
    }
    for inst in insts(kernel) {
        let (properties, opcode, at) = (kernel.properties(inst), kernel.opcode(inst), Place::of(kernel, inst));
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

/// Whether a special register says the same whoever runs the work, or is one that [`rewrite`] replaces.
fn replaceable(name: SpecialName, component: Option<Component>) -> bool {
    use SpecialName::*;
    match name {
        Ctaid => matches!(component, Some(Component::X | Component::Y | Component::Z)),
        Clusterid | Nclusterid | ClusterCtaid | ClusterNctaid | ClusterCtarank | ClusterNctarank => false,
        _ => true,
    }
}

fn insts(kernel: &Kernel) -> impl Iterator<Item = Inst> + '_ {
    kernel.stmts().iter().filter_map(|stmt| match stmt.kind {
        StmtKind::Inst(inst) => Some(inst),
        _ => None,
    })
}

fn rewrite(kernel: &mut Kernel, site: &GridSite) -> Result<(), Error> {
    let first = kernel.stmts().iter().position(|stmt| matches!(stmt.kind, StmtKind::Inst(_) | StmtKind::Label(_)));
    let index =
        [Component::X, Component::Y, Component::Z].map(|component| (component, kernel.new_reg("ccc_grid", Type::B32)));
    let next = kernel.new_label("ccc_grid_next");
    let next = kernel.label_name(next).to_owned();
    let (head, tail) = code(kernel, site, index.map(|(_, reg)| reg), &next);
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
        let guard = kernel.inst(inst).guard.map(|guard| guarded(kernel, guard)).unwrap_or_default();
        let stmts = kernel.fragment(&format!("{guard}bra {next};"))?;
        patch.replace(position..position + 1, stmts);
    }
    let all: Vec<Inst> = insts(kernel).collect();
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
    let head = kernel.fragment(&head)?;
    let tail = kernel.fragment(&tail)?;
    patch.insert_before(first.unwrap_or(0), head);
    patch.append(tail);
    kernel.apply(patch)
}

fn guarded(kernel: &Kernel, guard: Guard) -> String {
    format!("@{}{} ", if guard.negated { "!" } else { "" }, kernel.reg_name(guard.reg))
}

/// What stands before the kernel's own code, up to where the work of a block begins, and what stands behind it.
fn code(kernel: &mut Kernel, site: &GridSite, index: [Reg; 3], next: &str) -> (String, String) {
    let [x, y, z] = index.map(|reg| kernel.reg_name(reg).to_owned());
    let mut reg = |stem: &str, ty: Type| {
        let reg = kernel.new_reg(stem, ty);
        kernel.reg_name(reg).to_owned()
    };
    let [nx, ny, temp] = ["ccc_columns", "ccc_rows", "ccc_count"].map(|stem| reg(stem, Type::B32));
    let [linear, total, stride, long] =
        ["ccc_linear", "ccc_total", "ccc_stride", "ccc_wide"].map(|stem| reg(stem, Type::B64));
    let test = reg("ccc_more", Type::Pred);
    let mut label = |stem: &str| {
        let label = kernel.new_label(stem);
        kernel.label_name(label).to_owned()
    };
    let (begin, row, work) = (label("ccc_grid_block"), label("ccc_grid_row"), label("ccc_grid_work"));
    let resident = match site.blocks {
        Some(blocks) => format!("mov.u64 {stride}, {blocks};"),
        // A block of 33 threads takes the room of 64.
        None => format!(
            "mov.u32 {temp}, %ntid.x;
             mov.u32 {x}, %ntid.y;
             mul.lo.u32 {temp}, {temp}, {x};
             mov.u32 {x}, %ntid.z;
             mul.lo.u32 {temp}, {temp}, {x};
             add.u32 {temp}, {temp}, 31;
             and.b32 {temp}, {temp}, -32;
             div.u32 {temp}, {THREADS}, {temp};
             max.u32 {temp}, {temp}, 1;
             mov.u32 {x}, %nsmid;
             mul.wide.u32 {stride}, {temp}, {x};"
        ),
    };
    let block = site.block.map(|threads| format!(" block {threads}")).unwrap_or_default();
    let parameters = parameters_text(&site.parameters);
    let head = format!(
        "mov.u32 {nx}, %nctaid.x;
         mov.u32 {ny}, %nctaid.y;
         mov.u32 {temp}, %nctaid.z;
         mul.wide.u32 {total}, {nx}, {ny};
         cvt.u64.u32 {long}, {temp};
         mul.lo.u64 {total}, {total}, {long};
         mov.u32 {x}, %ctaid.x;
         mov.u32 {y}, %ctaid.y;
         mov.u32 {z}, %ctaid.z;
         cvt.u64.u32 {linear}, {z};
         cvt.u64.u32 {long}, {ny};
         mul.lo.u64 {linear}, {linear}, {long};
         cvt.u64.u32 {long}, {y};
         add.u64 {linear}, {linear}, {long};
         cvt.u64.u32 {long}, {nx};
         mul.lo.u64 {linear}, {linear}, {long};
         cvt.u64.u32 {long}, {x};
         add.u64 {linear}, {linear}, {long};
         {resident}
         setp.ge.u64 {test}, {linear}, {stride};
         @{test} ret;
         //#CCC for_begin {id}{block} line {line}{parameters}
         {begin}:
         cvt.u64.u32 {long}, {nx};
         setp.eq.u64 {test}, {long}, {total};
         @{test} bra {row};
         rem.u64 {long}, {linear}, {long};
         cvt.u32.u64 {x}, {long};
         cvt.u64.u32 {long}, {nx};
         div.u64 {long}, {linear}, {long};
         cvt.u32.u64 {temp}, {long};
         rem.u32 {y}, {temp}, {ny};
         div.u32 {z}, {temp}, {ny};
         bra {work};
         {row}:
         cvt.u32.u64 {x}, {linear};
         mov.u32 {y}, 0;
         mov.u32 {z}, 0;
         {work}:
         ",
        id = site.id,
        line = site.line,
    );
    let tail = format!(
        "{next}:
         add.u64 {linear}, {linear}, {stride};
         setp.lt.u64 {test}, {linear}, {total};
         @{test} bra {begin};
         //#CCC for_end {id}
         ret;
         ",
        id = site.id,
    );
    (head, tail)
}
