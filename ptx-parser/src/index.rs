//! All names of a kernel by their text, for edits: new names must not collide, and the text of a fragment refers to the
//! registers, labels and symbols of the kernel by name.
//!
//! The index is made by the first edit that needs it and grows with the kernel from then on, so that a thousand small
//! edits do not read all names a thousand times.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::entities::{Label, Opcode, Reg, Symbol};
use crate::special::SpecialName;
use crate::tables::RegFamily;

/// Names, each with what it stands for: `None` where several scopes declare it, so that the name alone does not say.
pub(crate) type Table<T> = FxHashMap<Box<str>, Option<T>>;

#[derive(Clone, Debug, Default)]
pub(crate) struct NameIndex {
    pub(crate) regs: Table<Reg>,
    pub(crate) labels: Table<Label>,
    pub(crate) symbols: Table<Symbol>,
    pub(crate) opcodes: FxHashMap<Box<str>, Opcode>,
    pub(crate) parameters: FxHashSet<Box<str>>,
    /// The largest family of a prefix in any scope.
    pub(crate) families: FxHashMap<Box<str>, u64>,
    /// The families of the outermost scope, whose members a fragment may mention.
    pub(crate) outer_families: FxHashMap<Box<str>, RegFamily>,
    /// The number of entries of the kernel's tables that are in the index.
    pub(crate) seen: Seen,
    /// The number from which a name made from a stem is tried.
    pub(crate) next: FxHashMap<Box<str>, u64>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    pub(crate) regs: usize,
    pub(crate) labels: usize,
    pub(crate) symbols: usize,
    pub(crate) opcodes: usize,
    pub(crate) families: usize,
}

impl NameIndex {
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

    /// Returns true if something has a name, in any scope.
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
