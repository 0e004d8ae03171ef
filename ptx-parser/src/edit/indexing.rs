//! Fills the index of names from a kernel.

use std::collections::hash_map::Entry;

use crate::index::{NameIndex, Seen, Table};
use crate::kernel::Kernel;

impl NameIndex {
    pub(crate) fn of(kernel: &Kernel) -> NameIndex {
        let parameters = kernel.params.iter().chain(&kernel.results).map(|parameter| parameter.name.clone()).collect();
        let mut index = NameIndex { parameters, ..NameIndex::default() };
        index.update(kernel);
        index
    }

    /// Takes in what was added to the kernel since the last time.
    pub(crate) fn update(&mut self, kernel: &Kernel) {
        // The carry flag has no name in the text.
        for reg in kernel.regs.keys().skip(self.seen.regs).filter(|&reg| Some(reg) != kernel.carry) {
            add(&mut self.regs, kernel.reg_name(reg), reg);
        }
        for label in kernel.labels.keys().skip(self.seen.labels) {
            add(&mut self.labels, kernel.label_name(label), label);
        }
        for symbol in kernel.symbols.keys().skip(self.seen.symbols) {
            add(&mut self.symbols, kernel.symbol_name(symbol), symbol);
        }
        for (opcode, data) in kernel.opcodes.iter().skip(self.seen.opcodes) {
            self.opcodes.entry(data.text().into()).or_insert(opcode);
        }
        for family in kernel.families.iter().skip(self.seen.families) {
            let prefix = kernel.resolve(&family.prefix);
            let count = self.families.entry(prefix.into()).or_default();
            *count = family.count.max(*count);
            if family.outermost {
                self.outer_families.insert(prefix.into(), family.clone());
            }
        }
        self.skip(kernel);
    }

    /// Leaves out what was added to the kernel since the last time: a fragment that failed.
    pub(crate) fn skip(&mut self, kernel: &Kernel) {
        self.seen = Seen {
            regs: kernel.regs.len(),
            labels: kernel.labels.len(),
            symbols: kernel.symbols.len(),
            opcodes: kernel.opcodes.len(),
            families: kernel.families.len(),
        };
    }
}

fn add<T: Copy + Eq>(table: &mut Table<T>, name: &str, id: T) {
    match table.entry(name.into()) {
        Entry::Vacant(entry) => {
            entry.insert(Some(id));
        }
        Entry::Occupied(mut entry) => {
            entry.insert(None);
        }
    }
}
