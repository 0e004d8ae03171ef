//! The lookup of the names of variables, parameters, functions and tables.

use cranelift_entity::EntityRef;

use super::declaration::Declared;
use super::lexical::{Fail, broken};
use super::names::Names;
use super::scope::{Done, Meaning, VariableFamily, several};
use crate::entities::Symbol;
use crate::index::splits;
use crate::tables::Name;

impl<'a> Names<'a> {
    /// A variable that the innermost scope declares; it hides one of the same name outside.
    pub(crate) fn declare_variable(&mut self, name: &'a str) -> Done<Symbol> {
        let depth = self.depth();
        if self.variable(name).is_some_and(|meaning| meaning.depth == depth) {
            return Err(twice(name));
        }
        let text = self.name(name);
        let symbol = self.kernel.symbols.push(text);
        let before = self.symbols.insert(name, Meaning { depth, id: symbol });
        self.scope().into_iter().for_each(|scope| scope.symbols.push((name, before)));
        Ok(symbol)
    }

    /// A family of variables that the innermost scope declares. All of its members are made here, so that whoever asks for the
    /// variables of the kernel finds them.
    pub(crate) fn declare_variables(&mut self, family: Declared<'a>) -> Done<Vec<Symbol>> {
        let (depth, prefix, count) = (self.depth(), family.name, family.family.unwrap_or(0));
        let member = |name: &str| splits(name).any(|(other, number)| other == prefix && number < u64::from(count));
        let taken = self.scope().is_some_and(|scope| scope.symbols.iter().any(|&(name, _)| member(name)));
        let again = self.variable_families.get(prefix).and_then(|families| families.last());
        if taken || again.is_some_and(|family| family.depth == depth) {
            return Err(twice(prefix));
        }
        let first = self.kernel.symbols.next_key();
        let members = family.members(&mut self.members)?.into_iter().map(|variable| {
            let symbol = self.kernel.symbols.push(Name::Made(Box::new(variable.name.clone())));
            self.kernel.variables.insert(symbol, variable);
            symbol
        });
        let members = members.collect();
        self.variable_families.entry(prefix).or_default().push(VariableFamily { depth, count, first });
        self.scope().into_iter().for_each(|scope| scope.variable_families.push(prefix));
        Ok(members)
    }

    /// A scope closes that declared families of variables.
    pub(super) fn close_families(&mut self, prefixes: &[&'a str]) {
        for prefix in prefixes {
            if let Some(families) = self.variable_families.get_mut(prefix) {
                families.pop();
            }
        }
    }

    /// Returns what a name means as that of a variable that was declared or mentioned before.
    fn variable(&self, name: &str) -> Option<Meaning<Symbol>> {
        let own = self.symbols.get(name).copied();
        if self.variable_families.is_empty() {
            return own;
        }
        let member = |(prefix, number)| {
            let families = self.variable_families.get(prefix)?.iter().rev();
            let family = families.clone().find(|family| number < u64::from(family.count))?;
            let id = Symbol::new(family.first.index() + usize::try_from(number).ok()?);
            Some(Meaning { depth: family.depth, id })
        };
        // The deepest one; of several there, what was declared by itself, then the longest prefix, which comes first.
        let all = own.into_iter().chain(splits(name).filter_map(member));
        all.reduce(|a, b| if b.depth > a.depth { b } else { a })
    }

    /// The name of a `.branchtargets` list or a prototype. One that was mentioned before is that of the mention; `again` says that
    /// it may have been declared before.
    pub(crate) fn declare_table(&mut self, name: &'a str, again: bool) -> Done<Symbol> {
        match self.variable(name) {
            Some(meaning) if meaning.depth == 0 => Ok(meaning.id),
            // Compilers repeat a prototype in front of each call.
            Some(meaning) if again && meaning.depth == self.depth() => Ok(meaning.id),
            _ => self.declare_variable(name),
        }
    }

    /// The variable of a name, innermost scope first, or else a name of the module.
    pub(crate) fn symbol(&mut self, name: &'a str) -> Done<Symbol> {
        if let Some(meaning) = self.variable(name) {
            return Ok(meaning.id);
        }
        match self.outer.and_then(|outer| outer.symbol(name)) {
            Some(Some(symbol)) => return Ok(symbol),
            Some(None) => return Err(several(name, "variable")),
            None => {}
        }
        let text = self.name(name);
        let symbol = self.kernel.symbols.push(text);
        // Names of the module are outside of all scopes.
        self.symbols.insert(name, Meaning { depth: 0, id: symbol });
        Ok(symbol)
    }

    /// Returns true if a variable was declared with this name, which may begin with `%`.
    pub(super) fn is_variable(&self, name: &str) -> bool {
        self.variable(name).is_some() || self.elements.contains_key(name)
    }

    /// The bytes of an element of a variable or parameter, where its declaration is known.
    pub(super) fn element_bytes(&self, symbol: Symbol) -> Option<u32> {
        if let Some(variable) = self.kernel.variables.get(&symbol) {
            return Some(variable.ty.bytes() * u32::from(variable.lanes));
        }
        let name = self.kernel.symbol_name(symbol);
        let mut params = self.kernel.params.iter().chain(&self.kernel.results);
        let param = params.find(|param| &*param.name == name).map(|param| param.ty.bytes());
        param.or_else(|| self.elements.get(name).copied())
    }
}

/// The failure that a scope declares a name again.
fn twice(name: &str) -> nom::Err<Fail> {
    broken(name, format!("`{name}` is declared twice"), Some("rename one of the two"))
}
