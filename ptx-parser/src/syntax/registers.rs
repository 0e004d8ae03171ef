//! The lookup of the register that a name stands for.
//!
//! Registers are declared one by one (`.reg .pred p;`) or as families (`.reg .b32 %r<28>;`), whose members are made when the text
//! first mentions them. Nearly all names are members of families, so that those are found without hashing: the number behind the
//! prefix is an index into a table of the family.

use cranelift_entity::packed_option::PackedOption;
use rustc_hash::FxHashMap;

use super::lexical::is_word;
use super::numeral::{decimal, first_digit, first_other};
use super::scope::{Hidden, Meaning, restore};
use crate::entities::Reg;
use crate::index::splits;
use crate::types::Type;

/// A declaration `%r<28>`: 28 registers `%r0` to `%r27`.
pub(super) struct Family<'a> {
    pub(super) prefix: &'a str,
    pub(super) depth: usize,
    pub(super) count: u64,
    pub(super) ty: Type,
    pub(super) lanes: u8,
    pub(super) home: u64,
    /// The members that were mentioned, by number.
    members: Vec<PackedOption<Reg>>,
    /// Those whose number is too large for the table.
    sparse: FxHashMap<u64, Reg>,
}

/// The meaning of a name.
pub(super) enum Found {
    /// A register.
    Reg(Reg),
    /// A member of a family, by the family's index, that no text has mentioned yet.
    Member(usize, u64),
}

/// Up to so many families, looking at each is faster than hashing.
const FEW: usize = 16;

/// The number of slots in the table by which a family is found.
const SLOTS: usize = 64;

/// The place of a key in that table.
#[inline]
fn slot(key: u64) -> usize {
    // The upper bits of the product depend on all of the key's.
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58) as usize
}

/// The registers in scope.
pub(super) struct Registers<'a> {
    /// Those that were declared one by one, and members that fragments mention.
    named: FxHashMap<&'a str, Meaning<Reg>>,
    /// For each scope, the names that it declares, with what they meant outside.
    hidden: Vec<Hidden<'a, Reg>>,
    /// The families, innermost last.
    families: Vec<Family<'a>>,
    /// The [`key`] and the count of each, side by side for a quick look.
    keys: Vec<(u64, u64)>,
    /// The position among the keys at which a search begins, by the [`slot`] of a key.
    slots: [u8; SLOTS],
    /// The same by prefix, for declarations, and for lookups once there are many.
    by_prefix: FxHashMap<&'a str, Vec<usize>>,
    /// True if the prefix of a family ends with a digit, so that a name can be split in several ways.
    digits: bool,
    /// The number of registers that were declared one by one and have names like the members of families that begin with `%`.
    like_members: usize,
    /// The number of entries that the tables of members may still get. It bounds the memory that a text can ask for by declaring
    /// many large families.
    budget: usize,
}

impl Default for Registers<'_> {
    fn default() -> Self {
        Registers {
            named: FxHashMap::default(),
            hidden: Vec::new(),
            families: Vec::new(),
            keys: Vec::new(),
            slots: [0; SLOTS],
            by_prefix: FxHashMap::default(),
            digits: false,
            like_members: 0,
            budget: 0,
        }
    }
}

impl<'a> Registers<'a> {
    /// Forgets everything. `bytes` is the length of the text.
    pub(super) fn clear(&mut self, bytes: usize) {
        self.named.clear();
        self.hidden.clear();
        self.families.clear();
        self.keys.clear();
        self.by_prefix.clear();
        self.digits = false;
        self.like_members = 0;
        self.budget = 4096 + bytes / 8;
    }

    pub(super) fn open(&mut self) {
        self.hidden.push(Vec::new());
    }

    /// The scope of a depth closes.
    pub(super) fn close(&mut self, depth: usize) {
        let hidden = self.hidden.pop().unwrap_or_default();
        let leaves = |(name, before): &&(&str, Option<Meaning<Reg>>)| before.is_none() && is_like_a_member(name);
        self.like_members -= hidden.iter().filter(leaves).count();
        restore(&mut self.named, hidden);
        while self.families.last().is_some_and(|family| family.depth >= depth) {
            self.keys.pop();
            if let Some(family) = self.families.pop() {
                self.budget += family.members.len();
                if let Some(same) = self.by_prefix.get_mut(family.prefix) {
                    same.pop();
                }
            }
        }
    }

    /// Gives a name a meaning in the scope of a depth.
    pub(super) fn bind(&mut self, name: &'a str, depth: usize, id: Reg) {
        let before = self.named.insert(name, Meaning { depth, id });
        self.like_members += usize::from(before.is_none() && is_like_a_member(name));
        if let Some(scope) = depth.checked_sub(1).and_then(|index| self.hidden.get_mut(index)) {
            scope.push((name, before));
        }
    }

    /// Returns true if a scope declares a name.
    pub(super) fn is_declared(&self, name: &str, depth: usize) -> bool {
        let named = self.named.get(name).is_some_and(|meaning| meaning.depth == depth);
        named || self.member(name).is_some_and(|(family, _)| self.depth(family) == Some(depth))
    }

    /// Adds a family, unless the scope has one of its prefix.
    pub(super) fn declare_family(&mut self, prefix: &'a str, data: (usize, u64, Type, u8, u64)) -> bool {
        let (depth, count, ty, lanes, home) = data;
        let same = self.by_prefix.entry(prefix).or_default();
        if same.last().and_then(|&last| self.families.get(last)).is_some_and(|last| last.depth == depth) {
            return false;
        }
        same.push(self.families.len());
        self.digits |= prefix.ends_with(|c: char| c.is_ascii_digit());
        let (members, sparse) = (Vec::new(), FxHashMap::default());
        let key = key(prefix.as_bytes());
        // What stands there is looked at before it is believed.
        if let Some(slot) = self.slots.get_mut(slot(key)) {
            *slot = self.keys.len() as u8;
        }
        self.keys.push((key, count));
        self.families.push(Family { prefix, depth, count, ty, lanes, home, members, sparse });
        true
    }

    pub(super) fn family(&self, index: usize) -> Option<&Family<'a>> {
        self.families.get(index)
    }

    fn depth(&self, family: usize) -> Option<usize> {
        self.families.get(family).map(|family| family.depth)
    }

    /// The families in scope, innermost first.
    pub(super) fn families(&self) -> impl Iterator<Item = &Family<'a>> {
        self.families.iter().rev()
    }

    /// The names in scope that were declared one by one.
    pub(super) fn names(&self) -> impl Iterator<Item = &'a str> {
        self.named.keys().copied()
    }

    /// Returns what a name stands for, innermost scope first.
    #[inline]
    pub(super) fn find(&self, name: &str) -> Option<Found> {
        let named = if self.named.is_empty() { None } else { self.named.get(name).copied() };
        let depth = named.map_or(0, |meaning| meaning.depth);
        match self.member(name) {
            Some((index, number))
                if let Some(family) = self.families.get(index)
                    && family.depth > depth =>
            {
                // A number above what a table can have is in the map.
                let slot = usize::try_from(number).ok().and_then(|number| family.members.get(number));
                let reg = slot.and_then(|slot| slot.expand());
                let reg =
                    if reg.is_none() && !family.sparse.is_empty() { family.sparse.get(&number).copied() } else { reg };
                Some(reg.map_or(Found::Member(index, number), Found::Reg))
            }
            _ => named.map(|meaning| Found::Reg(meaning.id)),
        }
    }

    /// Returns what the name stands for that begins a text, if it is the member of a family and that can be told in one step, and where
    /// the name ends. The name begins with `%`.
    #[inline(always)]
    pub(super) fn quick(&self, text: &[u8]) -> Option<(usize, Found)> {
        if self.like_members > 0 || self.digits {
            return None;
        }
        let beginning = u64::from_le_bytes(*text.first_chunk()?);
        // Where the prefix ends; there must be a digit among the first eight bytes.
        let first = first_digit(beginning).filter(|&first| first > 0)?;
        let numeral = u64::from_le_bytes(*text.get(first as usize..)?.first_chunk()?);
        let length = first_other(numeral)?;
        // A number without a leading zero ends the name.
        if numeral as u8 == b'0' && length > 1 || is_word((numeral >> (8 * length)) as u8) {
            return None;
        }
        let number = decimal(numeral, length);
        let key = beginning & ((1 << (8 * first)) - 1);
        let index = self.quick_family(key, number)?;
        let family = self.families.get(index)?;
        let end = (first + length) as usize;
        match family.members.get(number as usize).and_then(|member| member.expand()) {
            Some(reg) => Some((end, Found::Reg(reg))),
            None if family.sparse.is_empty() => Some((end, Found::Member(index, number))),
            None => None,
        }
    }

    /// The innermost family that has a key and a member of a number.
    #[inline(always)]
    fn quick_family(&self, key: u64, number: u64) -> Option<usize> {
        let has = |index: usize| self.keys.get(index).is_some_and(|&(own, count)| own == key && number < count);
        let likely = usize::from(*self.slots.get(slot(key))?);
        if has(likely) {
            return Some(likely);
        }
        self.search(key, number)
    }

    /// The same where the table of slots does not help.
    #[inline(never)]
    fn search(&self, key: u64, number: u64) -> Option<usize> {
        let has = |&(own, count): &(u64, u64)| own == key && number < count;
        if self.keys.len() > FEW { None } else { self.keys.iter().rposition(has) }
    }

    /// A member of a family is mentioned for the first time.
    pub(super) fn made(&mut self, family: usize, number: u64, reg: Reg) {
        let Some(family) = self.families.get_mut(family) else { return };
        match usize::try_from(number) {
            Ok(slot) if let Some(member) = family.members.get_mut(slot) => *member = reg.into(),
            Ok(slot) if slot - family.members.len() < self.budget => {
                // Most families are as large as what is mentioned of them, so that there is one table for all.
                let whole = usize::try_from(family.count).unwrap_or(usize::MAX).min(self.budget / 4);
                let length = whole.max(slot + 1);
                self.budget -= length - family.members.len();
                family.members.resize(length, PackedOption::default());
                family.members.get_mut(slot).into_iter().for_each(|member| *member = reg.into());
            }
            _ => {
                family.sparse.insert(number, reg);
            }
        }
    }

    /// The innermost family to which a name belongs, and its number there.
    #[inline]
    fn member(&self, name: &str) -> Option<(usize, u64)> {
        if self.digits || self.families.len() > FEW {
            return self.member_of_any(name);
        }
        let (prefix, number) = split(name.as_bytes())?;
        let key = key(prefix);
        // Only of long prefixes the key does not say all.
        let same = |family: &Family<'_>| prefix.len() <= 8 || family.prefix.as_bytes() == prefix;
        let fits = |(&(own, count), family): (&(u64, u64), &Family<'_>)| own == key && number < count && same(family);
        self.keys.iter().zip(&self.families).rposition(fits).map(|index| (index, number))
    }

    #[cold]
    fn member_of_any(&self, name: &str) -> Option<(usize, u64)> {
        let of = |(prefix, number)| {
            let same = self.by_prefix.get(prefix)?;
            let has = |&&index: &&usize| self.families.get(index).is_some_and(|family| number < family.count);
            Some((*same.iter().rev().find(has)?, number))
        };
        // The deepest one; of several there, the one with the longest prefix, which comes first.
        splits(name).filter_map(of).reduce(|a, b| if self.depth(b.0) > self.depth(a.0) { b } else { a })
    }
}

/// Returns true if a register that is declared by itself has a name that could be one of a family's.
fn is_like_a_member(name: &str) -> bool {
    name.starts_with('%') && name.ends_with(|c: char| c.is_ascii_digit())
}

/// The longest way to read the end of a name as a number of a family: without a leading zero and of at most ten digits.
#[inline]
fn split(name: &[u8]) -> Option<(&[u8], u64)> {
    let (mut prefix, mut number, mut scale) = (name, 0u64, 1u64);
    while let [before @ .., digit] = prefix
        && !before.is_empty()
        && digit.is_ascii_digit()
        && scale < 10_000_000_000
    {
        prefix = before;
        number += u64::from(digit - b'0') * scale;
        scale *= 10;
    }
    let mut at = prefix.len();
    while at + 1 < name.len() && name.get(at) == Some(&b'0') {
        at += 1;
    }
    if at < name.len() { Some((name.get(..at)?, number)) } else { None }
}

/// A number that tells prefixes of up to eight bytes apart: the first eight bytes, zeros behind the end.
#[inline]
fn key(prefix: &[u8]) -> u64 {
    prefix.iter().take(8).rev().fold(0, |key, &byte| key << 8 | u64::from(byte))
}
