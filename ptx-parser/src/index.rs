//! All names of a kernel by their text, for edits: new names must not collide, and the text of a fragment refers to the
//! registers, labels and symbols of the kernel by name.
//!
//! The index is made by the first edit that needs it and grows with the kernel from then on, so that a thousand small
//! edits do not read all names a thousand times.

use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::entities::{Label, Opcode, Reg, Symbol};
use crate::kernel::{Kernel, RegFamily};
use crate::special::SpecialName;

/// Names, each with what it stands for: `None` where several scopes declare it, so that the name alone does not say.
type Table<T> = FxHashMap<Box<str>, Option<T>>;

#[derive(Clone, Debug, Default)]
pub(crate) struct NameIndex {
    regs: Table<Reg>,
    labels: Table<Label>,
    symbols: Table<Symbol>,
    opcodes: FxHashMap<Box<str>, Opcode>,
    parameters: FxHashSet<Box<str>>,
    /// The largest family of a prefix in any scope.
    families: FxHashMap<Box<str>, u64>,
    /// The families of the outermost scope, whose members a fragment may mention.
    outer_families: FxHashMap<Box<str>, RegFamily>,
    /// How many entries of the kernel's tables are in the index.
    seen: Seen,
    /// The number from which a name made from a stem is tried.
    next: FxHashMap<Box<str>, u64>,
}

#[derive(Clone, Debug, Default)]
struct Seen {
    regs: usize,
    labels: usize,
    symbols: usize,
    opcodes: usize,
    families: usize,
}

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

    /// The register of a name: `None` if there is none, `Some(None)` if there are several.
    pub(crate) fn reg(&self, name: &str) -> Option<Option<Reg>> {
        self.regs.get(name).copied()
    }

    /// As [`NameIndex::reg`], for labels.
    pub(crate) fn label(&self, name: &str) -> Option<Option<Label>> {
        self.labels.get(name).copied()
    }

    /// As [`NameIndex::reg`], for symbols.
    pub(crate) fn symbol(&self, name: &str) -> Option<Option<Symbol>> {
        self.symbols.get(name).copied()
    }

    pub(crate) fn opcode(&self, text: &str) -> Option<Opcode> {
        self.opcodes.get(text).copied()
    }

    /// The family of the outermost scope to which a name belongs that no text has mentioned so far.
    pub(crate) fn family_of(&self, name: &str) -> Option<&RegFamily> {
        splits(name).find_map(|(prefix, number)| self.outer_families.get(prefix).filter(|family| number < family.count))
    }

    pub(crate) fn has_family(&self, prefix: &str) -> bool {
        self.outer_families.contains_key(prefix)
    }

    /// A name that nothing in the kernel has: the stem, or the stem with a number.
    pub(crate) fn fresh(&mut self, stem: &str) -> Box<str> {
        let mut next = self.next.get(stem).copied().unwrap_or(0);
        let name = loop {
            let name = if next == 0 { stem.to_owned() } else { format!("{stem}_{next}") };
            next += 1;
            if !self.is_taken(&name) {
                break name;
            }
        };
        self.next.insert(stem.into(), next);
        name.into()
    }

    /// Takes in the new name of something that is in the index under its old one.
    pub(crate) fn take(&mut self, name: &str) {
        self.regs.entry(name.into()).or_insert(None);
    }

    /// Whether something has a name, in any scope.
    pub(crate) fn is_taken(&self, name: &str) -> bool {
        self.regs.contains_key(name)
            || self.labels.contains_key(name)
            || self.symbols.contains_key(name)
            || self.parameters.contains(name)
            || ["_", "%", "WARP_SZ"].contains(&name)
            || SpecialName::from_text(name).is_some()
            || splits(name).any(|(prefix, number)| self.families.get(prefix).is_some_and(|&count| number < count))
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

/// The ways to read a name as the member of a family: `%r12` is number 12 of `%r<…>` and number 2 of `%r1<…>`.
pub(crate) fn splits(name: &str) -> impl Iterator<Item = (&str, u64)> {
    let bytes = name.as_bytes();
    let digits = bytes.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    // The number of registers of a family has 32 bits, ten digits.
    (1..=digits.min(10)).filter_map(move |count| {
        let (prefix, number) = name.split_at(name.len() - count);
        let canonical = count == 1 || !number.starts_with('0');
        let number = number.parse().ok().filter(|_| canonical && !prefix.is_empty())?;
        Some((prefix, number))
    })
}

/// A stem as part of a name: what no name may hold becomes `_`.
pub(crate) fn clean(stem: &str) -> String {
    let word = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '$' { c } else { '_' };
    stem.trim_start_matches('%').chars().map(word).collect()
}
