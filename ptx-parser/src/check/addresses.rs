//! The names in initial values, and the numbers of source files: each is declared before it is used, once.

use rustc_hash::{FxHashMap, FxHashSet};

use super::declarations::{Declarations, places};
use crate::module::{Item, ItemKind};
use crate::types::Space;

impl Declarations<'_> {
    /// Initial values name variables in `.global` and `.const`, kernels and functions, which stand in front of them.
    pub(super) fn initial_addresses(&mut self) {
        let module = self.module;
        if module.variables().iter().all(|variable| variable.init.as_ref().is_none_or(|init| init.addresses.is_empty()))
        {
            return;
        }
        let mut variables: FxHashMap<&str, Space> = FxHashMap::default();
        let mut functions: FxHashMap<&str, u32> = FxHashMap::default();
        for kernel in module.kernels() {
            functions.entry(kernel.name()).or_insert(kernel.header.start);
        }
        let mut looks = 200;
        for variable in module.variables() {
            let addresses = variable.init.iter().flat_map(|init| &init.addresses);
            let mut seen = FxHashSet::default();
            for address in addresses.filter(|address| seen.insert(&*address.name)) {
                if self.is_enough() {
                    return;
                }
                let name = &*address.name;
                let at = || places(module, &variable.name).next();
                let function = |looks: &mut u32| {
                    functions.get(name).is_some_and(|&header| {
                        // For so many functions it is looked where the variable stands.
                        let look = looks.checked_sub(1).inspect(|left| *looks = *left).and_then(|_| at());
                        look.is_none_or(|at| (header as usize) < at)
                    })
                };
                let wrong = match variables.get(name) {
                    Some(Space::Global | Space::Const | Space::Tex) => continue,
                    Some(space) => format!("is in {space}, whose addresses are no initial values"),
                    None if function(&mut looks) => continue,
                    None => "is not declared in front of it".to_owned(),
                };
                let message = format!("the initial value of `{}` names `{name}`, which {wrong}", variable.name);
                self.error(at(), message, None);
            }
            variables.entry(&variable.name).or_insert(variable.space);
        }
    }

    /// Each number stands for one file.
    pub(super) fn files(&mut self) {
        let mut known = FxHashSet::default();
        let twice = |item: &&Item| matches!(item.kind(), ItemKind::File(index, _) if !known.insert(*index));
        let again: Vec<&Item> = self.module.items.iter().filter(twice).collect();
        for item in again {
            if self.is_enough() {
                return;
            }
            let ItemKind::File(index, _) = item.kind() else { continue };
            let at = self.start(item);
            self.error(at, format!("`.file {index}` is given twice"), Some("give each file a number of its own"));
        }
    }
}
