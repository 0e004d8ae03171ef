//! The named things that an edit adds: registers, labels, variables. Also the text of new instructions, which refers to names.

use std::sync::Arc;

use super::refused;
use crate::entities::{Label, Reg, Symbol};
use crate::error::Error;
use crate::index::{NameIndex, clean};
use crate::kernel::Kernel;
use crate::position::Lines;
use crate::print::array_text;
use crate::stmt::{Origin, Stmt, StmtKind};
use crate::syntax::header::DIRECTIVES;
use crate::syntax::names::Names;
use crate::syntax::{body, module};
use crate::tables::{HOME_TOP, LabelData, Name, PerformanceDirective, RegData};
use crate::types::{Space, Type};
use crate::variable::Variable;

impl Kernel {
    /// Returns true if anything was edited since the kernel was read.
    #[must_use]
    pub fn is_edited(&self) -> bool {
        self.edits.changed
    }

    /// Makes a register of a type, with a name that no other register has in any scope. It is declared at the top of the body.
    ///
    /// The stem is the name without `%`; characters that no name may have become `_`. A type that registers cannot have
    /// (a packed or narrow float) is declared as untyped bits of its size, of which a register has at most 128.
    pub fn new_reg(&mut self, stem: &str, ty: Type) -> Reg {
        let name = self.fresh_name(&format!("%{}", clean(stem)));
        let ty = register_type(ty);
        let reg = self.regs.push(RegData { name: Name::Made(Box::new(name)), ty, lanes: 1, home: HOME_TOP });
        self.edits.regs.push(reg);
        self.edits.changed = true;
        reg
    }

    /// Makes a label with a name that nothing else has. It is defined where a [`Kernel::label_stmt`] is inserted.
    pub fn new_label(&mut self, stem: &str) -> Label {
        let name = self.fresh_name(&format!("${}", clean(stem)));
        self.edits.changed = true;
        self.labels.push(LabelData { name: Name::Made(Box::new(name)) })
    }

    /// Declares a `.shared` array of bytes at the top of the body. An alignment that is not a power of two is raised to the
    /// next one, and a size of 0, which PTX does not have, to 1. A size is at most 2^32 - 1 bytes: that is as far as `ptxas` counts.
    pub fn new_shared(&mut self, stem: &str, align: u32, bytes: u64) -> Symbol {
        self.declare(Space::Shared, stem, align, bytes)
    }

    /// As [`Kernel::new_shared`], for a `.local` array: each thread has its own.
    pub fn new_local(&mut self, stem: &str, align: u32, bytes: u64) -> Symbol {
        self.declare(Space::Local, stem, align, bytes)
    }

    /// Makes a register as [`Kernel::new_reg`] does, with the statement that declares it, for a place of its own. The name is given with its `%`, if it
    /// is to have one.
    pub fn declare_reg(&mut self, name: &str, ty: Type) -> (Reg, Stmt) {
        let sign = if name.starts_with('%') { "%" } else { "" };
        let name = self.fresh_name(&format!("{sign}{}", clean(name)));
        let (ty, home) = (register_type(ty), self.edits.next_home());
        let stmt = self.text_stmt(StmtKind::Registers, format!(".reg {ty} {name};"));
        self.edits.changed = true;
        (self.regs.push(RegData { name: Name::Made(Box::new(name)), ty, lanes: 1, home }), stmt)
    }

    /// Makes a `.local` array as [`Kernel::new_local`] does, with the statement that declares it, for a place of its own.
    pub fn declare_local(&mut self, stem: &str, align: u32, bytes: u64) -> (Symbol, Stmt) {
        let (symbol, variable) = self.new_variable(Space::Local, stem, align, bytes);
        let text = array_text(&variable);
        self.variables.insert(symbol, variable);
        (symbol, self.text_stmt(StmtKind::Variables(Box::new([symbol].into_iter().collect())), text))
    }

    fn declare(&mut self, space: Space, stem: &str, align: u32, bytes: u64) -> Symbol {
        let (symbol, variable) = self.new_variable(space, stem, align, bytes);
        self.variables.insert(symbol, variable);
        self.edits.variables.push(symbol);
        symbol
    }

    /// A fresh symbol, and the array that the caller declares under it.
    fn new_variable(&mut self, space: Space, stem: &str, align: u32, bytes: u64) -> (Symbol, Variable) {
        let stem = clean(stem);
        let letter = stem.starts_with(|c: char| !c.is_ascii_digit());
        let name = self.fresh_name(&if letter { stem } else { format!("_{stem}") });
        let symbol = self.symbols.push(Name::Made(Box::new(name.clone())));
        let variable = Variable {
            name,
            space,
            align: align.checked_next_power_of_two().unwrap_or(1 << 31),
            ty: Type::B8,
            count: Some(bytes.clamp(1, u64::from(u32::MAX))),
            lanes: 1,
            dimensions: 1,
            external: false,
            init: None,
        };
        self.edits.changed = true;
        (symbol, variable)
    }

    /// Makes a statement that is printed as a text.
    pub(crate) fn text_stmt(&mut self, kind: StmtKind, text: String) -> Stmt {
        let stmt = Stmt { kind, origin: Origin::text(self.edits.next_home(), text) };
        self.edits.homes += 1;
        self.edits.remember(std::slice::from_ref(&stmt));
        self.edits.changed = true;
        stmt
    }

    pub(super) fn fresh_name(&mut self, stem: &str) -> Box<str> {
        let mut index = self.take_index();
        let name = index.fresh(stem);
        self.edits.index = Some(index);
        name
    }

    /// The index of all names, brought up to date.
    pub(crate) fn take_index(&mut self) -> Box<NameIndex> {
        match self.edits.index.take() {
            Some(mut index) => {
                index.update(self);
                index
            }
            None => Box::new(NameIndex::of(self)),
        }
    }

    /// Returns the symbol of a name that an instruction may mention: a variable of the kernel or the module, a parameter, a function.
    ///
    /// # Errors
    /// [`Error::Edit`] if several scopes declare the name, so that it does not say which is meant, or it is no name.
    pub fn symbol(&mut self, name: &str) -> Result<Symbol, Error> {
        let mut index = self.take_index();
        let known = index.symbol(name);
        let symbol = match known {
            Some(Some(symbol)) => Ok(symbol),
            Some(None) => Err(refused(format!("several scopes declare `{name}`"), "rename one of them first")),
            None if clean(name) != name || name.starts_with(|c: char| c.is_ascii_digit()) || name.is_empty() => {
                Err(refused(format!("`{name}` is no name"), "see the PTX manual, \"Identifiers\""))
            }
            None => {
                let symbol = self.symbols.push(Name::Made(Box::new(name.into())));
                index.update(self);
                Ok(symbol)
            }
        };
        self.edits.index = Some(index);
        symbol
    }

    /// Adds a performance directive such as `.maxntid 256, 1, 1` to the header, behind those that it has; the name is without its dot.
    ///
    /// # Errors
    /// [`Error::Edit`] if PTX has no such directive, or it takes another number of values.
    pub fn add_directive(&mut self, name: &str, values: &[u32]) -> Result<(), Error> {
        let name = name.trim_start_matches('.');
        let Some(&(_, least, most)) = DIRECTIVES.iter().find(|(known, ..)| *known == name) else {
            let known: Vec<&str> = DIRECTIVES.iter().map(|(known, ..)| *known).collect();
            return Err(refused(
                format!("`.{name}` is no performance directive"),
                &format!("one of {}", known.join(", ")),
            ));
        };
        if !(least..=most).contains(&values.len()) {
            let what = format!("`.{name}` takes {least} to {most} values, not {}", values.len());
            return Err(refused(what, "see the PTX manual, \"Performance-Tuning Directives\""));
        }
        let list: Vec<String> = values.iter().map(u32::to_string).collect();
        self.edits.directives.push(format!(".{name} {}", list.join(", ")).trim_end().to_owned());
        self.directives.push(PerformanceDirective { name: name.into(), values: values.into() });
        self.edits.changed = true;
        Ok(())
    }

    /// Reads statements written as PTX text, in which every register, label and symbol of this kernel is known by its name. The
    /// statements belong to the kernel but stand nowhere until a [`Patch`](crate::Patch) inserts them. Of the comments in the text,
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
        self.edits.remember(&made);
        self.edits.changed = true;
        Ok(made)
    }

    /// The statement that defines a label.
    #[must_use]
    pub fn label_stmt(&self, label: Label) -> Stmt {
        Stmt { kind: StmtKind::Label(label), origin: Origin::Made }
    }

    /// Moves the kernel out, leaving one without a body.
    fn take(&mut self) -> Kernel {
        let (source, lines) = (Arc::clone(&self.source), Arc::clone(&self.lines));
        let empty = Kernel::empty(source, lines, &self.name, self.kind);
        std::mem::replace(self, empty)
    }
}

/// The type as which a register that holds values of a type is declared: one of the fundamental types (PTX ISA, "Fundamental Types"),
/// for all others untyped bits of their size.
fn register_type(ty: Type) -> Type {
    use Type::*;
    match ty {
        Pred | B8 | B16 | B32 | B64 | B128 | U8 | U16 | U32 | U64 | S8 | S16 | S32 | S64 | F16 | F16x2 | F32 | F64 => {
            ty
        }
        other => match other.bits() {
            0..=8 => B8,
            9..=16 => B16,
            17..=32 => B32,
            33..=64 => B64,
            _ => B128,
        },
    }
}
