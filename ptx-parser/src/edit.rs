//! The editing API.
//!
//! New instructions are written as PTX text, which reads like what comes out. Changes to the order of statements are collected in
//! a [`Patch`], whose positions all refer to the kernel as it was, and take effect together.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::entities::{Inst, Label, Reg, Symbol};
use crate::error::{Error, Lines};
use crate::index::{NameIndex, clean};
use crate::kernel::{HOME_TOP, Kernel, LabelData, Name, PerformanceDirective, RegData, Run};
use crate::operand::Operand;
use crate::stmt::{Origin, Stmt, StmtKind};
use crate::syntax::names::Names;
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
    /// All names of the kernel, once an edit needed them.
    index: Option<Box<NameIndex>>,
    /// How many declarations fragments have brought.
    pub(crate) homes: u64,
}

impl Edits {
    /// A number for the next declaration of a fragment, beyond all places of a source text.
    pub(crate) fn next_home(&self) -> u64 {
        (1 << 32) + self.homes
    }
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

    /// Inserts statements before the one at `index`, behind those that were inserted there earlier. An index that no statement
    /// has appends.
    pub fn insert_before(&mut self, index: usize, stmts: impl IntoIterator<Item = Stmt>) {
        self.before.entry(index).or_default().extend(stmts);
    }

    /// Inserts statements behind the one at `index`, behind those that were inserted there earlier. They stand before whatever is
    /// inserted before the next statement.
    pub fn insert_after(&mut self, index: usize, stmts: impl IntoIterator<Item = Stmt>) {
        self.after.entry(index).or_default().extend(stmts);
    }

    /// Removes the statement at `index`, with the comments before it and the one behind it on its line. To move a statement,
    /// remove it and insert a clone of it elsewhere: its comments go with it.
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
    ///
    /// The stem is the name without `%`; characters that no name may have become `_`. A type that registers cannot have
    /// (a packed or narrow float) is declared as untyped bits of its size.
    pub fn new_reg(&mut self, stem: &str, ty: Type) -> Reg {
        let name = self.fresh_name(&format!("%{}", clean(stem)));
        let ty = register_type(ty);
        let reg = self.regs.push(RegData { name: Name::Made(name), ty, lanes: 1, home: HOME_TOP });
        self.edits.regs.push(reg);
        self.edits.changed = true;
        reg
    }

    /// Makes a label with a name that nothing else has. It is defined where a [`Kernel::label_stmt`] is inserted.
    pub fn new_label(&mut self, stem: &str) -> Label {
        let name = self.fresh_name(&format!("${}", clean(stem)));
        self.edits.changed = true;
        self.labels.push(LabelData { name: Name::Made(name) })
    }

    /// Declares a `.shared` array of bytes at the top of the body. An alignment that is not a power of two is raised to the
    /// next one, and a size of 0, which PTX does not have, to 1.
    pub fn new_shared(&mut self, stem: &str, align: u32, bytes: u64) -> Symbol {
        let stem = clean(stem);
        let letter = stem.starts_with(|c: char| !c.is_ascii_digit());
        let name = self.fresh_name(&if letter { stem } else { format!("_{stem}") });
        let symbol = self.symbols.push(Name::Made(name.clone()));
        let variable = Variable {
            name,
            space: Space::Shared,
            align: align.checked_next_power_of_two().unwrap_or(1 << 31),
            ty: Type::B8,
            count: Some(bytes.max(1)),
            lanes: 1,
            external: false,
            init: None,
        };
        self.variables.insert(symbol, variable);
        self.edits.variables.push(symbol);
        self.edits.changed = true;
        symbol
    }

    fn fresh_name(&mut self, stem: &str) -> Box<str> {
        let mut index = self.take_index();
        let name = index.fresh(stem);
        self.edits.index = Some(index);
        name
    }

    /// The index of all names, brought up to date.
    fn take_index(&mut self) -> Box<NameIndex> {
        match self.edits.index.take() {
            Some(mut index) => {
                index.update(self);
                index
            }
            None => Box::new(NameIndex::of(self)),
        }
    }

    /// Adds a performance directive such as `.maxntid 256, 1, 1` to the header; the name is without its dot.
    pub fn add_directive(&mut self, name: &str, values: &[u32]) {
        let name = clean(name.trim_start_matches('.'));
        let list: Vec<String> = values.iter().map(u32::to_string).collect();
        self.edits.directives.push(format!(".{name} {}", list.join(", ")).trim_end().to_owned());
        self.directives.push(PerformanceDirective { name: name.into(), values: values.into() });
        self.edits.changed = true;
    }

    /// Reads statements written as PTX text, in which every register, label and symbol of this kernel is known by its name. The
    /// statements belong to the kernel but stand nowhere until a [`Patch`] inserts them. Of the comments in the text,
    /// markers `//#…` are kept.
    ///
    /// Declarations in the text hold for the `{ }` scope into which the statements are inserted, or in which they stand in
    /// the text.
    ///
    /// # Errors
    /// The text does not follow the grammar, or names a register or label that is not declared or that several scopes
    /// declare. The kernel's statements are then as they were.
    pub fn fragment(&mut self, text: &str) -> Result<Vec<Stmt>, Error> {
        let mut index = self.take_index();
        let families = self.families.len();
        let mut own = self.take();
        let stmts = std::mem::take(&mut own.stmts);
        let mut names = Names::resume(own, &index);
        if let Err(fail) = body::statements(text, text, &mut names) {
            names.fails.add(fail);
        }
        let first = names.fails.take().into_iter().next();
        let outcome = first.map_or(Ok(()), |fail| Err(module::located(text, &Lines::default(), fail)));
        *self = names.end();
        drop(names);
        let made = std::mem::replace(&mut self.stmts, stmts);
        if outcome.is_err() {
            // What the text declared before it failed stands nowhere and must not be found later.
            self.families.truncate(families);
            index.skip(self);
        }
        self.edits.index = Some(index);
        outcome?;
        self.edits.changed = true;
        Ok(made)
    }

    /// The statement that defines a label.
    #[must_use]
    pub fn label_stmt(&self, label: Label) -> Stmt {
        Stmt { kind: StmtKind::Label(label), origin: Origin::Made }
    }

    /// Changes operands of an instruction in place, guard not included. Vectors, tuples and brackets are given to `change`
    /// first, then their elements.
    pub fn edit_operands(&mut self, inst: Inst, mut change: impl FnMut(&mut Operand)) {
        let edited = self.edit_run(self.insts[inst].operands, &mut change, 0);
        self.insts[inst].edited |= edited;
        self.edits.changed |= edited;
    }

    fn edit_run(&mut self, run: Run, change: &mut impl FnMut(&mut Operand), depth: u8) -> bool {
        let mut edited = false;
        for index in run.indices() {
            let before = self.pool[index];
            let mut operand = before;
            change(&mut operand);
            edited |= operand != before;
            self.pool[index] = operand;
            // Coordinates in a bracket are the deepest that PTX has: `[texture, {x, y}]`.
            if let Some(list) = operand.list()
                && depth < 2
                && let Some(&elements) = self.lists.get(list)
            {
                edited |= self.edit_run(elements, change, depth + 1);
            }
        }
        edited
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
    ///
    /// # Panics
    /// In builds with debug assertions, if [`Kernel::verify`] fails afterwards: a statement was inserted twice, a label was
    /// removed to which a branch goes, or a register is used outside of the scope that declares it.
    pub fn apply(&mut self, patch: Patch) {
        let Patch { mut before, mut after, removed } = patch;
        if before.is_empty() && after.is_empty() && removed.is_empty() {
            return;
        }
        let old = std::mem::take(&mut self.stmts);
        for (index, stmt) in old.into_iter().enumerate() {
            self.stmts.extend(before.remove(&index).unwrap_or_default());
            if !removed.contains(&index) {
                self.stmts.push(stmt);
            }
            self.stmts.extend(after.remove(&index).unwrap_or_default());
        }
        // What is left refers to places behind the last statement.
        self.stmts.extend(before.into_values().chain(after.into_values()).flatten());
        self.collect_branch_tables();
        self.edits.changed = true;
        self.debug_verify();
    }

    /// Moves the kernel out, leaving one without a body.
    fn take(&mut self) -> Kernel {
        let (source, lines) = (Arc::clone(&self.source), Arc::clone(&self.lines));
        let empty = Kernel::empty(source, lines, &self.name, self.kind);
        std::mem::replace(self, empty)
    }
}

/// The type as which a register that holds values of a type is declared (PTX ISA, "Fundamental Types").
fn register_type(ty: Type) -> Type {
    use Type::*;
    match ty {
        U16x2 | S16x2 | Bf16x2 | Tf32 => B32,
        Bf16 | E4m3x2 | E5m2x2 => B16,
        E4m3 | E5m2 => B8,
        F32x2 => B64,
        fundamental => fundamental,
    }
}

impl Operand {
    /// Puts other registers in the place of those that the operand mentions itself; lists are not looked into.
    pub fn rename(&mut self, map: impl Fn(Reg) -> Reg) {
        use crate::operand::Base;
        match self {
            Operand::Reg(reg)
            | Operand::Not(reg)
            | Operand::Component(reg, _)
            | Operand::Selected(reg, _)
            | Operand::Sum(reg, _)
            | Operand::Address(Base::Reg(reg), _) => *reg = map(*reg),
            Operand::VectorPair(_, resident) => *resident = resident.map(map),
            Operand::Pair(first, second) => {
                *first = first.map(&map);
                *second = second.map(&map);
            }
            _ => {}
        }
    }
}
