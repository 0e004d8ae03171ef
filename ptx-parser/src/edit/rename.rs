//! Other names for registers, labels and symbols of a kernel, with all of their mentions.
//!
//! Instructions hold ids, so that they only have to be printed anew. Declarations keep their text, in which the name is replaced as a
//! token. A new name must be one that nothing in any scope has; so it cannot hide anything, nor be hidden.

use super::refused;
use crate::entities::{Inst, Label, Reg, Symbol};
use crate::error::Error;
use crate::kernel::Kernel;
use crate::operand::Operand;
use crate::print::tokens;
use crate::stmt::{Origin, Stmt, StmtKind};
use crate::syntax::lexical;
use crate::tables::{HOME_TOP, Name};
use crate::variable::Variable;

impl Kernel {
    /// Gives a register another name, which begins with `%`. One that was declared as a member of a family `%r<8>` is then declared by itself, at the top of
    /// the body.
    ///
    /// Debug sections that name registers as bytes of a string keep the old name.
    ///
    /// # Errors
    /// [`Error::Edit`] if the name is none, or something in the kernel has it, or the register is not declared in the body.
    pub fn rename_reg(&mut self, reg: Reg, name: &str) -> Result<(), Error> {
        if !self.regs.is_valid(reg) || Some(reg) == self.carry {
            return Err(refused(
                format!("{reg} is no register of this kernel"),
                "ids hold for the kernel that gave them",
            ));
        }
        let old = self.reg_name(reg).to_owned();
        if old == name {
            return Ok(());
        }
        if !name.starts_with('%') {
            return Err(refused(
                format!("`{name}` is no name for a register"),
                "it begins with `%`, as no other name does",
            ));
        }
        self.check_name(name)?;
        let home = self.regs[reg].home;
        let declared = self.stmts.iter().position(|s| s.kind == StmtKind::Registers && s.origin.home() == home);
        match declared {
            Some(index) => {
                if !self.rename_in_stmt(index, &old, name) {
                    self.regs[reg].home = HOME_TOP;
                    self.edits.regs.push(reg);
                }
            }
            None if self.edits.regs.contains(&reg) => {}
            None if home == HOME_TOP => {
                self.check_header(&old)?;
                self.rename_in_header(&old, name);
            }
            None => {
                return Err(refused(format!("register `{old}` is not declared in the body"), "insert its declaration"));
            }
        }
        self.regs[reg].name = Name::Made(Box::new(name.into()));
        self.print_anew(|kernel, inst| {
            let mut found = false;
            kernel.visit(inst, |mentioned, _| found |= mentioned == reg);
            found
        });
        Ok(())
    }

    /// As [`Module::rename_label`](crate::Module::rename_label), for the kernel alone.
    pub(super) fn rename_label(&mut self, label: Label, name: &str) -> Result<(), Error> {
        let old = self.label_name(label).to_owned();
        check_symbol(name)?;
        self.check_name(name)?;
        let twins = self.labels.keys().filter(|&other| self.label_name(other) == old).count();
        if twins > 1 && self.stmts.iter().any(|stmt| matches!(stmt.kind, StmtKind::BranchTargets(..))) {
            return Err(refused(
                format!("several scopes have a label `{old}`"),
                "the name in `.branchtargets` would not say which",
            ));
        }
        self.rename_in_stmts(&old, name, |kind| match kind {
            StmtKind::Label(defined) => *defined == label,
            StmtKind::BranchTargets(_, labels) => labels.contains(&label),
            _ => false,
        });
        self.labels[label].name = Name::Made(Box::new(name.into()));
        self.print_anew(|kernel, inst| kernel.operands(inst).contains(&Operand::Label(label)));
        Ok(())
    }

    /// Renames what the body or the header declares: a variable, a parameter, a list of branch targets, a call prototype.
    pub(super) fn rename_local(&mut self, symbol: Symbol, name: &str) -> Result<(), Error> {
        let old = self.symbol_name(symbol).to_owned();
        check_symbol(name)?;
        self.check_name(name)?;
        if self.symbols.keys().filter(|&other| self.symbol_name(other) == old).count() > 1 {
            return Err(refused(
                format!("several scopes have a variable `{old}`"),
                "the name alone does not say which is meant",
            ));
        }
        let declares = |stmt: &&Stmt| matches!(&stmt.kind, StmtKind::Variables(symbols) if symbols.contains(&symbol));
        if self.stmts.iter().find(declares).is_some_and(|stmt| !self.declares_alone(stmt, &old)) {
            return Err(refused(
                format!("`{old}` is one of a family of variables"),
                "declare the members of the family one by one",
            ));
        }
        self.check_header(&old)?;
        self.rename_in_header(&old, name);
        self.rename_symbol(symbol, &old, name);
        Ok(())
    }

    /// Returns true if the text of a declaration has a name, rather than a family to which it belongs.
    fn declares_alone(&self, stmt: &Stmt, name: &str) -> bool {
        tokens::renamed(&self.own_text(stmt), name, name).is_some()
    }

    /// Renames a symbol in statements and instructions.
    pub(super) fn rename_symbol(&mut self, symbol: Symbol, old: &str, name: &str) {
        self.rename_in_declarations(old, name);
        if let Some(variable) = self.variables.get_mut(&symbol) {
            variable.name = name.into();
        }
        self.symbols[symbol] = Name::Made(Box::new(name.into()));
        self.print_anew(|kernel, inst| kernel.mentions(inst, symbol));
    }

    /// Replaces a name in the text of variables, lists and prototypes.
    pub(super) fn rename_in_declarations(&mut self, old: &str, name: &str) {
        self.rename_in_stmts(old, name, |kind| {
            matches!(kind, StmtKind::Variables(_) | StmtKind::BranchTargets(..) | StmtKind::Directive)
        });
        self.variables.values_mut().for_each(|variable| variable.rename_addresses(old, name));
        self.edits.changed = true;
    }

    /// Returns true if an instruction mentions a symbol.
    pub(super) fn mentions(&self, inst: Inst, symbol: Symbol) -> bool {
        let mut found = false;
        self.visit_symbols(inst, |other| found |= other == symbol);
        found
    }

    /// Returns true if something in the kernel has a name, in any scope.
    pub(super) fn has_name(&mut self, name: &str) -> bool {
        let index = self.take_index();
        let taken = index.is_taken(name);
        self.edits.index = Some(index);
        taken
    }

    fn check_name(&mut self, name: &str) -> Result<(), Error> {
        check_word(name)?;
        match self.has_name(name) {
            true => {
                Err(refused(format!("something in `{}` is called `{name}` already", self.name), "take another name"))
            }
            false => Ok(()),
        }
    }

    /// Replaces a name in the texts of some statements, by their kinds.
    fn rename_in_stmts(&mut self, old: &str, name: &str, which: impl Fn(&StmtKind) -> bool) {
        let stmts = self.stmts.iter().enumerate().filter(|(_, stmt)| which(&stmt.kind));
        let renamed = |stmt: &Stmt| tokens::renamed(&self.own_text(stmt), old, name);
        let texts: Vec<(usize, String)> = stmts.filter_map(|(index, stmt)| Some((index, renamed(stmt)?))).collect();
        for (index, text) in texts {
            self.set_text(index, text);
        }
    }

    /// Replaces a name in the text of a statement; whether it was there.
    fn rename_in_stmt(&mut self, index: usize, old: &str, name: &str) -> bool {
        let text = self.stmts.get(index).and_then(|stmt| tokens::renamed(&self.own_text(stmt), old, name));
        text.is_some_and(|text| self.set_text(index, text))
    }

    /// Gives a statement that is not an instruction another text; the representation is brought up to date by the caller. Returns true if there is a
    /// statement of that index.
    pub(super) fn set_text(&mut self, index: usize, text: String) -> bool {
        let Some(stmt) = self.stmts.get_mut(index) else { return false };
        let number = match (&stmt.origin, &stmt.kind) {
            // By this number, registers know the statement.
            (Origin::Source(_) | Origin::Text(_), StmtKind::Registers) | (Origin::Text(_), _) => stmt.origin.home(),
            (Origin::Made, StmtKind::Label(_)) => return true,
            _ => {
                self.edits.homes += 1;
                self.edits.next_home() - 1
            }
        };
        stmt.origin = Origin::text(number, text);
        self.edits.remember(std::slice::from_ref(stmt));
        self.edits.changed = true;
        true
    }

    /// Refuses to rename a parameter or result whose name the kernel has as well: the text of the header does not say which is which.
    fn check_header(&self, old: &str) -> Result<(), Error> {
        match *self.name == *old && self.params.iter().chain(&self.results).any(|parameter| *parameter.name == *old) {
            true => Err(refused(format!("a parameter of `{old}` has its name"), "write the header anew")),
            false => Ok(()),
        }
    }

    /// Renames a parameter or result; a variable of the body is not in the header.
    fn rename_in_header(&mut self, old: &str, name: &str) {
        let mut found = false;
        for parameter in self.params.iter_mut().chain(&mut self.results).filter(|parameter| *parameter.name == *old) {
            parameter.name = name.into();
            found = true;
        }
        if found && let Some(header) = tokens::renamed(self.header_text(), old, name) {
            self.edits.header = Some(header.into());
            self.edits.changed = true;
        }
    }

    /// Has the instructions that mention something printed from their parts. What was removed or was never inserted may have the old name
    /// in its text, and cannot be inserted any more.
    pub(super) fn print_anew(&mut self, mentions: impl Fn(&Kernel, Inst) -> bool) {
        for inst in self.insts.keys() {
            if mentions(self, inst) {
                self.insts[inst].edited = true;
            }
        }
        self.edits.removed.retain(|_, stmt| matches!(stmt.kind, StmtKind::Inst(_) | StmtKind::Loc(_)));
        let placed = self.stmts.iter().map(|stmt| stmt.origin.home()).collect::<rustc_hash::FxHashSet<_>>();
        self.edits.texts.retain(|number, _| placed.contains(number));
        self.edits.index = None;
        self.edits.visible = None;
        self.edits.changed = true;
    }
}

impl Variable {
    /// Renames what the initial value refers to.
    pub(super) fn rename_addresses(&mut self, old: &str, name: &str) {
        let addresses = self.init.iter_mut().flat_map(|init| &mut init.addresses);
        addresses.filter(|address| *address.name == *old).for_each(|address| address.name = name.into());
    }
}

/// Checks that a text is a name that something other than a register can have.
pub(super) fn check_symbol(name: &str) -> Result<(), Error> {
    match name.starts_with('%') {
        true => Err(refused(format!("`{name}` is the name of a register"), "only registers have a `%` in front")),
        false => check_word(name),
    }
}

/// Checks that a text is one name.
fn check_word(name: &str) -> Result<(), Error> {
    match lexical::word(name) {
        Ok(("", _)) if !["_", "%", "WARP_SZ"].contains(&name) => Ok(()),
        _ => Err(refused(
            format!("`{name}` is no name"),
            "a name is a letter, `_`, `$` or `%`, and letters, digits, `_`, `$`",
        )),
    }
}
