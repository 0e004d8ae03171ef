//! The editing API.
//!
//! New instructions are written as PTX text, which reads like what comes out. Changes to the order of statements are collected in
//! a [`Patch`], whose positions all refer to the kernel as it was, and take effect together.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use crate::entities::{Inst, Label, Reg, Symbol};
use crate::error::Error;
use crate::kernel::{Kernel, LabelData, Name, PerformanceDirective, RegData, Stmt, StmtKind};
use crate::operand::Operand;
use crate::syntax::names::{Known, Names};
use crate::syntax::{body, module};
use crate::types::{Space, Type};
use crate::variable::Variable;

/// What was added to a kernel and has to be declared when it is printed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Edits {
    pub(crate) regs: Vec<Reg>,
    pub(crate) variables: Vec<Symbol>,
    pub(crate) directives: Vec<String>,
    pub(crate) changed: bool,
}

/// Insertions and removals of statements; indices are those of [`Kernel::stmts`] before the patch.
#[derive(Clone, Debug, Default)]
pub struct Patch {
    before: BTreeMap<usize, Vec<Stmt>>,
    after: BTreeMap<usize, Vec<Stmt>>,
    removed: BTreeSet<usize>,
}

impl Patch {
    /// An empty patch.
    #[must_use]
    pub fn new() -> Patch {
        Patch::default()
    }

    /// Inserts statements before the one at `index`, behind those that were inserted there earlier. An index equal to the number
    /// of statements appends.
    pub fn insert_before(&mut self, index: usize, stmts: impl IntoIterator<Item = Stmt>) {
        self.before.entry(index).or_default().extend(stmts);
    }

    /// Inserts statements behind the one at `index`, behind those that were inserted there earlier. They stand before whatever is
    /// inserted before the next statement.
    pub fn insert_after(&mut self, index: usize, stmts: impl IntoIterator<Item = Stmt>) {
        self.after.entry(index).or_default().extend(stmts);
    }

    /// Removes the statement at `index`, with the blanks and comments before it.
    pub fn remove(&mut self, index: usize) {
        self.removed.insert(index);
    }
}

impl Kernel {
    /// Whether anything was edited since the kernel was read.
    #[must_use]
    pub fn is_edited(&self) -> bool {
        self.edits.changed
    }

    /// Makes a register of a type, with a name that no other register has in any scope. It is declared at the top of the body.
    pub fn new_reg(&mut self, stem: &str, ty: Type) -> Reg {
        let taken = self.names();
        let name = fresh(&format!("%{stem}"), &taken);
        let reg = self.regs.push(RegData { name: Name::Made(name), ty, lanes: 1 });
        self.edits.regs.push(reg);
        self.edits.changed = true;
        reg
    }

    /// Makes a label with a name that nothing else has. It is defined where a [`Kernel::label_stmt`] is inserted.
    pub fn new_label(&mut self, stem: &str) -> Label {
        let taken = self.names();
        let name = fresh(&format!("${stem}"), &taken);
        self.edits.changed = true;
        self.labels.push(LabelData { name: Name::Made(name) })
    }

    /// Declares a `.shared` array of bytes at the top of the body.
    pub fn new_shared(&mut self, stem: &str, align: u32, bytes: u64) -> Symbol {
        let taken = self.names();
        let name = fresh(stem, &taken);
        let symbol = self.symbols.push(Name::Made(name.clone()));
        let variable = Variable {
            name,
            space: Space::Shared,
            align,
            ty: Type::B8,
            count: Some(bytes),
            external: false,
            init: Vec::new(),
        };
        self.variables.insert(symbol, variable);
        self.edits.variables.push(symbol);
        self.edits.changed = true;
        symbol
    }

    /// Adds a performance directive such as `.maxntid 256, 1, 1` to the header.
    pub fn add_directive(&mut self, name: &str, values: &[u32]) {
        let list: Vec<String> = values.iter().map(u32::to_string).collect();
        self.edits.directives.push(format!(".{name} {}", list.join(", ")));
        self.directives.push(PerformanceDirective { name: name.into(), values: values.into() });
        self.edits.changed = true;
    }

    /// Reads statements written as PTX text, in which every register, label and symbol of this kernel is known by its name. The
    /// statements belong to the kernel but stand nowhere until a [`Patch`] inserts them.
    ///
    /// # Errors
    /// The text does not follow the grammar, or names a register that is not declared or that several scopes declare.
    pub fn fragment(&mut self, text: &str) -> Result<Vec<Stmt>, Error> {
        let known = Known::of(self);
        let mut own = self.take();
        let stmts = std::mem::take(&mut own.stmts);
        let mut names = Names::resume(own, &known);
        let outcome = body::statements(text, &mut names, true).map(|_| ());
        *self = names.kernel;
        let made = std::mem::replace(&mut self.stmts, stmts);
        self.edits.changed = true;
        outcome.map(|()| made).map_err(|fail| module::located(text, fail))
    }

    /// The statement that defines a label.
    #[must_use]
    pub fn label_stmt(&self, label: Label) -> Stmt {
        Stmt { kind: StmtKind::Label(label), span: None }
    }

    /// Changes operands of an instruction in place, guard not included.
    pub fn edit_operands(&mut self, inst: Inst, mut change: impl FnMut(&mut Operand)) {
        let mut operands = std::mem::take(&mut self.insts[inst].operands);
        let before = operands.clone();
        operands.iter_mut().for_each(&mut change);
        let mut edited = operands != before;
        for operand in &operands {
            if let Operand::Vector(list) | Operand::Tuple(list) | Operand::Bracket(list) = *operand {
                let before = self.lists[list].clone();
                self.lists[list].iter_mut().for_each(&mut change);
                edited |= self.lists[list] != before;
            }
        }
        let data = &mut self.insts[inst];
        data.operands = operands;
        data.edited |= edited;
        self.edits.changed |= edited;
    }

    /// Puts other registers in the place of those that an instruction mentions, its guard included.
    pub fn rename(&mut self, inst: Inst, map: impl Fn(Reg) -> Reg) {
        if let Some(guard) = &mut self.insts[inst].guard {
            let renamed = map(guard.reg);
            if renamed != guard.reg {
                guard.reg = renamed;
                self.insts[inst].edited = true;
                self.edits.changed = true;
            }
        }
        self.edit_operands(inst, |operand| operand.rename(&map));
    }

    /// Lets a direct branch go to another label.
    pub fn retarget(&mut self, inst: Inst, target: Label) {
        self.edit_operands(inst, |operand| {
            if let Operand::Label(label) = operand {
                *label = target;
            }
        });
    }

    /// Applies a patch.
    pub fn apply(&mut self, patch: Patch) {
        let Patch { mut before, mut after, removed } = patch;
        if before.is_empty() && after.is_empty() && removed.is_empty() {
            return;
        }
        let old = std::mem::take(&mut self.stmts);
        let count = old.len();
        for (index, stmt) in old.into_iter().enumerate() {
            self.stmts.extend(before.remove(&index).unwrap_or_default());
            if !removed.contains(&index) {
                self.stmts.push(stmt);
            }
            self.stmts.extend(after.remove(&index).unwrap_or_default());
        }
        self.stmts.extend(before.remove(&count).unwrap_or_default());
        self.edits.changed = true;
        self.debug_verify();
    }

    /// Moves the kernel out, leaving one without a body.
    fn take(&mut self) -> Kernel {
        let empty = Kernel::empty(std::sync::Arc::clone(&self.source), &self.name, self.kind);
        std::mem::replace(self, empty)
    }

    /// Every name that stands in the kernel.
    fn names(&self) -> FxHashSet<&str> {
        let regs = self.regs.keys().map(|reg| self.reg_name(reg));
        let labels = self.labels.keys().map(|label| self.label_name(label));
        let symbols = self.symbols.keys().map(|symbol| self.symbol_name(symbol));
        let params = self.params.iter().chain(&self.results).map(|parameter| &*parameter.name);
        regs.chain(labels).chain(symbols).chain(params).collect()
    }
}

/// The first of `stem`, `stem_1`, `stem_2`, … that is not taken.
fn fresh(stem: &str, taken: &FxHashSet<&str>) -> Box<str> {
    let mut name = stem.to_owned();
    let mut number = 0u64;
    while taken.contains(name.as_str()) {
        number += 1;
        name = format!("{stem}_{number}");
    }
    name.into()
}

impl Operand {
    /// Puts other registers in the place of those that the operand mentions itself; lists are not looked into.
    pub fn rename(&mut self, map: impl Fn(Reg) -> Reg) {
        use crate::operand::Base;
        match self {
            Operand::Reg(reg)
            | Operand::Not(reg)
            | Operand::Component(reg, _)
            | Operand::Address(Base::Reg(reg), _) => *reg = map(*reg),
            Operand::Pair(first, second) => {
                *first = first.map(&map);
                *second = second.map(&map);
            }
            _ => {}
        }
    }
}
