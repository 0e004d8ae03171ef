//! What the names of variables, parameters, functions and tables stand for.

use super::lexical::broken;
use super::names::{Done, Meaning, Names, several};
use crate::entities::Symbol;

impl<'a> Names<'a> {
    /// A variable that the innermost scope declares; it hides one of the same name outside.
    pub(crate) fn declare_variable(&mut self, name: &'a str) -> Done<Symbol> {
        let depth = self.depth();
        if self.symbols.get(name).is_some_and(|meaning| meaning.depth == depth) {
            return Err(broken(name, format!("`{name}` is declared twice"), Some("rename one of the two")));
        }
        let text = self.name(name);
        let symbol = self.kernel.symbols.push(text);
        let before = self.symbols.insert(name, Meaning { depth, id: symbol });
        self.scope().symbols.push((name, before));
        Ok(symbol)
    }

    /// The name of a `.branchtargets` list or a prototype. One that was mentioned before is that of the mention; `again` says that
    /// it may have been declared before.
    pub(crate) fn declare_table(&mut self, name: &'a str, again: bool) -> Done<Symbol> {
        match self.symbols.get(name) {
            Some(meaning) if meaning.depth == 0 => Ok(meaning.id),
            // Compilers repeat a prototype in front of each call.
            Some(meaning) if again && meaning.depth == self.depth() => Ok(meaning.id),
            _ => self.declare_variable(name),
        }
    }

    /// The variable of a name, innermost scope first, or else a name of the module.
    pub(crate) fn symbol(&mut self, name: &'a str) -> Done<Symbol> {
        if let Some(meaning) = self.symbols.get(name) {
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

    /// Whether a variable was declared with this name, which may begin with `%`.
    pub(super) fn is_variable(&self, name: &str) -> bool {
        self.symbols.contains_key(name) || self.elements.contains_key(name)
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
