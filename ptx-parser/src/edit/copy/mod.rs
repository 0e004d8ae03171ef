//! Statements written a second time: in another kernel, or elsewhere in their own.
//!
//! A [`Copier`] knows what each register, label and symbol of the kernel that is copied from is in the kernel that is copied into. What a copied
//! statement declares gets a name of its own there, and a new id; what it mentions is led to the copy. Braces are copied like any statement, so that
//! whoever leaves them out dissolves the scope: the copies of its names are names of their own.
//!
//! Instructions are copied by their ids. Declarations, lists of branch targets, prototypes and `.loc` have less in the representation than in their text
//! ([`tokens`](crate::print::tokens)); their copies are made of their tokens, with other names in the places of those that they declare.
//!
//! ```
//! use ptx_parser::{Copier, Module, Patch};
//!
//! let mut module = Module::parse(
//!     ".version 9.0\n.target sm_90\n.address_size 64\n\
//!      .func f()\n{\n.reg .b32 %r<4>;\nAGAIN:\nadd.u32 %r1, %r1, 1;\nbra AGAIN;\n}\n\
//!      .entry k()\n{\n\tret;\n}\n",
//! )?;
//! let function = module.kernels()[0].clone();
//! let kernel = &mut module.kernels_mut()[1];
//! let mut copier = Copier::of(&function);
//! copier.open_scope(kernel, 0..function.stmts().len(), "_once");
//! let copies = function.stmts().iter().map(|stmt| copier.copy(kernel, stmt)).collect::<Result<Vec<_>, _>>()?;
//! copier.close_scope();
//! let mut patch = Patch::new();
//! patch.insert_before(0, copies);
//! kernel.apply(patch)?;
//! let body = "\t.reg .b32 %r_once < 4 >;\n\nAGAIN_once:\n\tadd.u32 %r_once1, %r_once1, 1;\n\tbra AGAIN_once;\n\tret;\n}\n";
//! assert!(module.to_string().ends_with(body), "{module}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod declarations;
mod mentions;
mod positions;

use std::ops::Range;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::refused;
use crate::entities::{Inst, Label, Opcode, Reg, Symbol};
use crate::error::Error;
use crate::kernel::Kernel;
use crate::operand::Operand;
use crate::print::tokens;
use crate::stmt::{Origin, Stmt, StmtKind};
use crate::tables::{Guard, LabelData, Name};
use crate::types::Space;
use declarations::{Home, directive_name};

/// Copies statements of one kernel into another one, or within one.
///
/// The kernel that is copied into is given to each method, and must be the same one each time.
#[derive(Debug)]
pub struct Copier<'f> {
    from: &'f Kernel,
    /// True if it is copied within one kernel: what is not copied stays what it is.
    within: bool,
    regs: FxHashMap<Reg, Reg>,
    labels: FxHashMap<Label, Label>,
    symbols: FxHashMap<Symbol, Symbol>,
    opcodes: FxHashMap<Opcode, Opcode>,
    /// The declarations of registers that were copied.
    homes: FxHashMap<u64, Home>,
    /// The registers that each declaration has declared one by one, once one is copied.
    single: Option<FxHashMap<u64, Vec<Reg>>>,
    /// The scopes that are being copied, the innermost last.
    scopes: Vec<Scope>,
    /// The number of braces among the copies that are open.
    depth: usize,
}

/// A scope that is being copied.
#[derive(Debug, Default)]
struct Scope {
    /// The end of the names of what it declares.
    tag: String,
    /// Its prototypes and lists of functions. They are known by name: a directive has no symbol.
    named: FxHashMap<Box<str>, Symbol>,
}

impl<'f> Copier<'f> {
    /// Copies statements of a kernel into another one.
    #[must_use]
    pub fn of(from: &'f Kernel) -> Copier<'f> {
        let (regs, labels, symbols, opcodes, homes, scopes) = Default::default();
        Copier { from, within: false, regs, labels, symbols, opcodes, homes, single: None, scopes, depth: 0 }
    }

    /// Copies statements within a kernel. `from` is the kernel as it is before, so that what is not copied has the same id in both.
    #[must_use]
    pub fn within(from: &'f Kernel) -> Copier<'f> {
        Copier { within: true, ..Copier::of(from) }
    }

    /// Has a register of the kernel that is copied from mean one of the other kernel.
    pub fn set_reg(&mut self, from: Reg, to: Reg) {
        self.regs.insert(from, to);
    }

    /// Has a symbol of the kernel that is copied from mean one of the other kernel.
    pub fn set_symbol(&mut self, from: Symbol, to: Symbol) {
        self.symbols.insert(from, to);
    }

    /// Begins a scope, whose statements have these indices. The names of what it declares end with `tag` in the copy; if something has such a name already,
    /// a number follows. The prefix of a family `%r<4>` has no number: where it makes names that are taken, the patch is refused. Its labels and lists may be mentioned before they are declared, so that all of them are made here.
    pub fn open_scope(&mut self, into: &mut Kernel, stmts: Range<usize>, tag: &str) {
        let mut scope = Scope { tag: tag.to_owned(), ..Scope::default() };
        let mut depth = 0usize;
        for stmt in self.from.stmts().iter().take(stmts.end).skip(stmts.start) {
            match &stmt.kind {
                StmtKind::Open => depth += 1,
                StmtKind::Close => depth = depth.saturating_sub(1),
                StmtKind::Label(label) if depth == 0 => {
                    let name = into.fresh_name(&format!("{}{tag}", self.from.label_name(*label)));
                    self.labels.insert(*label, into.labels.push(LabelData { name: Name::Made(Box::new(name)) }));
                }
                StmtKind::BranchTargets(symbol, _) if depth == 0 => {
                    let copy = new_symbol(into, &format!("{}{tag}", self.from.symbol_name(*symbol)));
                    self.symbols.insert(*symbol, copy);
                }
                StmtKind::Directive if depth == 0 => {
                    if let Some(name) = directive_name(&self.from.own_text(stmt))
                        && !scope.named.contains_key(name)
                    {
                        scope.named.insert(name.into(), new_symbol(into, &format!("{name}{tag}")));
                    }
                }
                _ => {}
            }
        }
        self.scopes.push(scope);
        into.edits.changed = true;
    }

    /// Ends the scope that was begun last.
    pub fn close_scope(&mut self) {
        self.scopes.pop();
    }

    /// Copies a statement. The copy belongs to the other kernel but stands nowhere until a [`Patch`](crate::Patch) inserts it. An instruction has no
    /// source position until [`Kernel::place_locs`] gives it one.
    ///
    /// # Errors
    /// [`Error::Edit`] if it mentions something that is not declared outside of the kernel that is copied from and was not copied before, or a name that
    /// means something else in the other kernel, or if it declares a family of variables.
    pub fn copy(&mut self, into: &mut Kernel, stmt: &Stmt) -> Result<Stmt, Error> {
        into.edits.changed = true;
        let kind = match &stmt.kind {
            StmtKind::Inst(inst) => return self.copy_inst(into, *inst),
            StmtKind::Label(label) => StmtKind::Label(self.label(*label)?),
            StmtKind::Marker(marker) => StmtKind::Marker(into.new_marker(self.from.marker_text(*marker))),
            StmtKind::Open => {
                self.depth += 1;
                StmtKind::Open
            }
            StmtKind::Close => {
                self.depth = self.depth.saturating_sub(1);
                StmtKind::Close
            }
            StmtKind::Loc(position) => {
                let copy = StmtKind::Loc(into.locs.push(self.from.loc_of(*position)));
                return Ok(into.text_stmt(copy, tokens::bare(&self.from.own_text(stmt))));
            }
            StmtKind::Registers => return Ok(self.copied_registers(into, stmt)),
            StmtKind::Variables(_) => {
                let tag = self.tag().to_owned();
                return self.copy_variables(into, stmt, |name| format!("{name}{tag}"));
            }
            StmtKind::BranchTargets(symbol, labels) => return self.copied_table(into, stmt, *symbol, labels),
            StmtKind::Directive => return Ok(self.copied_directive(into, stmt)),
        };
        Ok(Stmt { kind, origin: Origin::Made })
    }

    /// Copies an instruction, as [`Copier::copy`] copies the statement.
    ///
    /// # Errors
    /// As [`Copier::copy`].
    pub fn copy_inst(&mut self, into: &mut Kernel, inst: Inst) -> Result<Stmt, Error> {
        let opcode = self.opcode(into, self.from.insts[inst].opcode);
        self.copied_inst(into, inst, opcode)
    }

    /// Copies an access to one state space as an access to another one.
    ///
    /// # Errors
    /// As [`Copier::copy`].
    pub fn copy_access(&mut self, into: &mut Kernel, inst: Inst, (one, other): (Space, Space)) -> Result<Stmt, Error> {
        let opcode = into.opcode_of(self.from.opcode(inst).in_space(one, other).text());
        self.copied_inst(into, inst, opcode)
    }

    fn copied_inst(&mut self, into: &mut Kernel, inst: Inst, opcode: Opcode) -> Result<Stmt, Error> {
        let from = self.from;
        let guard = self.guard(into, from.insts[inst].guard)?;
        let mut operands: SmallVec<[Operand; 5]> = SmallVec::new();
        for operand in from.operands(inst) {
            operands.push(self.operand(into, operand)?);
        }
        let properties = into.opcodes[opcode].properties();
        if properties.carry_in || properties.carry_out {
            into.make_carry_flag();
        }
        let copy = into.push_inst(guard, opcode, &operands, None);
        into.edits.changed = true;
        Ok(Stmt { kind: StmtKind::Inst(copy), origin: Origin::Made })
    }

    /// Returns what a guard is in the other kernel.
    ///
    /// # Errors
    /// As [`Copier::copy`].
    pub fn guard(&mut self, into: &mut Kernel, guard: Option<Guard>) -> Result<Option<Guard>, Error> {
        guard.map(|guard| Ok(Guard { reg: self.reg(into, guard.reg)?, ..guard })).transpose()
    }

    fn opcode(&mut self, into: &mut Kernel, opcode: Opcode) -> Opcode {
        if self.within {
            return opcode;
        }
        let from = self.from;
        *self.opcodes.entry(opcode).or_insert_with(|| into.opcode_of(from.opcodes[opcode].text()))
    }

    fn label(&self, label: Label) -> Result<Label, Error> {
        match self.labels.get(&label) {
            Some(copy) => Ok(*copy),
            None if self.within => Ok(label),
            None => Err(not_copied(&format!("label `{}`", self.from.label_name(label)))),
        }
    }

    /// The end of the names of what is declared where the copier stands.
    fn tag(&self) -> &str {
        self.scopes.last().map_or("", |scope| &scope.tag)
    }
}

/// Makes a symbol with a name that nothing else has.
fn new_symbol(into: &mut Kernel, name: &str) -> Symbol {
    let name = into.fresh_name(name);
    into.symbols.push(Name::Made(Box::new(name)))
}

fn not_copied(what: &str) -> Error {
    refused(format!("{what} of another kernel is mentioned, and its declaration was not copied"), "copy it before")
}
