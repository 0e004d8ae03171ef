//! Copies of declarations. They are made of the tokens of their text, with other names.

use rustc_hash::FxHashMap;

use super::super::refused;
use super::{Copier, new_symbol};
use crate::entities::{Label, Reg, Symbol};
use crate::error::Error;
use crate::index::splits;
use crate::kernel::Kernel;
use crate::print::tokens::{self, Kind};
use crate::stmt::{Stmt, StmtKind};
use crate::syntax::lexical::past;
use crate::tables::{Name, RegData, RegFamily};

/// The copy of a declaration of registers.
#[derive(Clone, Debug)]
pub(super) struct Home {
    /// The number by which registers know it.
    pub(super) number: u64,
    /// The end of the prefixes of its families.
    tag: String,
}

impl Copier<'_> {
    /// Copies a declaration of registers. Members of families are made when they are mentioned first, as in a text that is read.
    pub(super) fn copied_registers(&mut self, into: &mut Kernel, stmt: &Stmt) -> Stmt {
        let (from, tag, home) = (self.from, self.tag().to_owned(), stmt.origin.home());
        let number = into.edits.next_home();
        let mut names: FxHashMap<&str, Box<str>> = FxHashMap::default();
        for reg in self.single().get(&home).cloned().unwrap_or_default() {
            let name = into.fresh_name(&format!("{}{tag}", from.reg_name(reg)));
            names.insert(from.reg_name(reg), name.clone());
            let RegData { ty, lanes, .. } = from.regs[reg];
            let copy = into.regs.push(RegData { name: Name::Made(Box::new(name)), ty, lanes, home: number });
            self.regs.insert(reg, copy);
        }
        for family in from.families.iter().filter(|family| family.home == home) {
            let prefix = from.resolve(&family.prefix);
            let copy: Box<str> = format!("{prefix}{tag}").into();
            names.insert(prefix, copy.clone());
            let (prefix, outermost) = (Name::Made(Box::new(copy)), self.depth == 0);
            into.families.push(RegFamily { prefix, home: number, outermost, ..family.clone() });
        }
        self.homes.insert(home, Home { number, tag });
        let text = tokens::bare_renamed(&from.own_text(stmt), |name| names.get(name).map(|name| &**name));
        into.text_stmt(StmtKind::Registers, text)
    }

    /// The registers that each declaration has declared one by one.
    fn single(&mut self) -> &FxHashMap<u64, Vec<Reg>> {
        let from = self.from;
        self.single.get_or_insert_with(|| {
            let mut families: FxHashMap<(u64, &str), u64> = FxHashMap::default();
            for family in &from.families {
                families.insert((family.home, from.resolve(&family.prefix)), family.count);
            }
            let mut single: FxHashMap<u64, Vec<Reg>> = FxHashMap::default();
            for (reg, data) in from.regs.iter().filter(|&(reg, _)| Some(reg) != from.carry) {
                let is_member = |(prefix, number)| families.get(&(data.home, prefix)).is_some_and(|&n| number < n);
                if !splits(from.reg_name(reg)).any(is_member) {
                    single.entry(data.home).or_default().push(reg);
                }
            }
            single
        })
    }

    /// Makes the copy of a member of a family that is mentioned for the first time.
    pub(super) fn new_member(&mut self, into: &mut Kernel, reg: Reg, home: &Home) -> Option<Reg> {
        let (from, data) = (self.from, &self.from.regs[reg]);
        let families = || from.families.iter().filter(|family| family.home == data.home);
        let mut splits = splits(from.reg_name(reg));
        let (prefix, number) = splits.find(|&(prefix, number)| {
            families().any(|family| from.resolve(&family.prefix) == prefix && number < family.count)
        })?;
        let name = Name::Made(Box::new(format!("{prefix}{}{number}", home.tag).into()));
        Some(into.regs.push(RegData { name, ty: data.ty, lanes: data.lanes, home: home.number }))
    }

    /// Copies a declaration of variables; `name` gives each a name, behind which a number follows if something has it already.
    ///
    /// # Errors
    /// [`Error::Edit`] if the statement declares a family of variables, or none, or the initial value of one names something that was copied.
    pub fn copy_variables(
        &mut self,
        into: &mut Kernel,
        stmt: &Stmt,
        name: impl Fn(&str) -> String,
    ) -> Result<Stmt, Error> {
        let from = self.from;
        let StmtKind::Variables(symbols) = &stmt.kind else {
            return Err(refused("the statement declares no variables", ""));
        };
        let text = from.own_text(stmt);
        if tokens::tokens(&text).any(|token| token.is("<")) {
            return Err(refused("a family of variables is declared", "declare the members of the family one by one"));
        }
        let declared = || symbols.iter().filter_map(|&symbol| Some((symbol, from.variable(symbol)?)));
        let addresses = declared().filter_map(|(_, variable)| variable.init.as_ref()).flat_map(|init| &init.addresses);
        for address in addresses {
            let is_copied = |&symbol: &Symbol| from.symbol_name(symbol) == &*address.name;
            if self.symbols.keys().any(is_copied) || symbols.iter().any(is_copied) {
                let what = format!("an initial value names `{}`, which is copied", address.name);
                return Err(refused(what, "store the address instead"));
            }
        }
        let mut names: FxHashMap<&str, Box<str>> = FxHashMap::default();
        let mut copies = smallvec::SmallVec::new();
        for (symbol, variable) in declared() {
            let copy = new_symbol(into, &name(&variable.name));
            let now: Box<str> = into.symbol_name(copy).into();
            names.insert(&variable.name, now.clone());
            into.variables.insert(copy, crate::variable::Variable { name: now, ..variable.clone() });
            self.symbols.insert(symbol, copy);
            copies.push(copy);
        }
        let text = tokens::bare_renamed(&text, |name| names.get(name).map(|name| &**name));
        into.edits.changed = true;
        Ok(into.text_stmt(StmtKind::Variables(Box::new(copies)), text))
    }

    /// Copies a list of branch targets.
    pub(super) fn copied_table(
        &mut self,
        into: &mut Kernel,
        stmt: &Stmt,
        symbol: Symbol,
        labels: &[Label],
    ) -> Result<Stmt, Error> {
        let from = self.from;
        let table = self.symbol(into, symbol)?;
        let copies = labels.iter().map(|&label| self.label(label)).collect::<Result<Box<[Label]>, Error>>()?;
        let mut names: FxHashMap<&str, &str> = FxHashMap::default();
        names.insert(from.symbol_name(symbol), into.symbol_name(table));
        names.extend(labels.iter().zip(&copies).map(|(&label, &copy)| (from.label_name(label), into.label_name(copy))));
        let text = tokens::bare_renamed(&from.own_text(stmt), |name| names.get(name).copied());
        Ok(into.text_stmt(StmtKind::BranchTargets(table, Box::new(copies)), text))
    }

    /// Copies a prototype, a list of functions, or a directive without a name.
    pub(super) fn copied_directive(&mut self, into: &mut Kernel, stmt: &Stmt) -> Stmt {
        let text = self.from.own_text(stmt);
        let name = directive_name(&text);
        let copy = name.and_then(|name| self.scopes.last()?.named.get(name));
        let text = match (name, copy) {
            (Some(name), Some(&copy)) => {
                let bare = tokens::bare(&text);
                format!("{}{}", into.symbol_name(copy), past(&bare, name.len()))
            }
            _ => tokens::bare(&text),
        };
        into.text_stmt(StmtKind::Directive, text)
    }
}

/// Returns the name in front of a directive: of `p` in `p: .callprototype _;`.
pub(super) fn directive_name(text: &str) -> Option<&str> {
    let mut tokens = tokens::tokens(text).filter(|token| !token.is_comment());
    let name = tokens.next().filter(|token| token.kind == Kind::Word)?;
    tokens.next().is_some_and(|token| token.is(":")).then_some(name.text)
}
