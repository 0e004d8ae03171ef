//! The rows of one mnemonic, compiled: its modifiers as numbers, its forms as sets of them.
//!
//! The modifiers of a form are slots, separated by blanks. `a|b` must hold one of the two, `[a|b]` may; `$name` stands
//! for the alternatives of a named set; `a@7.8:90` says what `a` needs; `m64n#k16` stands for all multiples of 8 up to
//! 256. Slots of types are filled in the order of the text, all others in any order, because compilers write orders
//! that the manual does not list; but words of which each kind may stand several times keep their order ([`SEQUENCES`]), and what belongs
//! to the instruction's name stands in front ([`NAMES`]).

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::availability::Needs;
use super::effect::Effect;
use super::rows::{FAMILIES, Family, NAMES, SETS};
use super::signature::Slot as Operand;
use super::words::{Mnemonic, Modifier};
use crate::suggest::nearest;
use crate::types::Type;

/// A set of modifiers of one mnemonic, by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Set([u64; 4]);

impl Set {
    fn insert(&mut self, word: u8) {
        if let Some(bits) = self.0.get_mut(usize::from(word >> 6)) {
            *bits |= 1 << (word & 63);
        }
    }

    pub(super) fn has(&self, word: u8) -> bool {
        self.0.get(usize::from(word >> 6)).is_some_and(|bits| bits >> (word & 63) & 1 != 0)
    }

    /// The set of some words.
    pub(super) fn of(words: &[u8]) -> Set {
        let mut set = Set::default();
        words.iter().for_each(|&word| set.insert(word));
        set
    }

    fn with(self, other: Set) -> Set {
        let mut both = self;
        both.0.iter_mut().zip(other.0).for_each(|(mine, theirs)| *mine |= theirs);
        both
    }

    fn is_within(&self, other: &Set) -> bool {
        self.0.iter().zip(&other.0).all(|(mine, theirs)| mine & !theirs == 0)
    }

    fn meets(&self, other: &Set) -> bool {
        self.0.iter().zip(&other.0).any(|(mine, theirs)| mine & theirs != 0)
    }
}

/// A place for one modifier.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) words: Set,
    pub(super) optional: bool,
    /// The words that need more than the form.
    pub(super) needs: Vec<(u8, Needs)>,
}

/// One form of a mnemonic.
#[derive(Debug)]
pub(super) struct Form {
    /// Filled in any order.
    pub(super) slots: Vec<Slot>,
    /// Filled in the order of the text.
    pub(super) types: Vec<Slot>,
    /// All words of all slots.
    words: Set,
    pub(super) operands: Vec<Operand>,
    /// The number of operands there must be.
    pub(super) required: usize,
    /// One letter per operand.
    pub(super) roles: String,
    pub(super) needs: Needs,
    pub(super) effect: &'static Effect,
}

impl Form {
    /// Returns true if it may be that these modifiers fit: a quick test before the slots are filled one by one.
    pub(super) fn may_fit(&self, present: &Set) -> bool {
        let slots = || self.slots.iter().chain(&self.types);
        present.is_within(&self.words) && slots().all(|slot| slot.optional || slot.words.meets(present))
    }
}

/// All that is known of one mnemonic.
#[derive(Debug)]
pub(super) struct Lexicon {
    pub(super) mnemonic: Mnemonic,
    numbers: FxHashMap<Box<str>, u8>,
    pub(super) words: Vec<Word>,
    pub(super) forms: Vec<Form>,
}

/// Words of which an opcode may have several, whose order says which is which: the state spaces, the layouts of two matrices, the
/// formats of memory and of registers, and what is done with bits and then with their sum.
pub(super) const SEQUENCES: [&str; 4] = ["", "row col", "b8x16 b6x16_p32 b4x16_p64", "and or xor popc"];

/// A modifier of a mnemonic.
#[derive(Debug)]
pub(super) struct Word {
    pub(super) text: Box<str>,
    pub(super) modifier: Modifier,
    /// Its index in [`SEQUENCES`], if it must keep its place among the words there.
    pub(super) sequence: Option<usize>,
    /// The place in the instruction's name, counted from 1, if the modifier is part of the name; else 0.
    pub(super) place_in_name: usize,
}

impl Lexicon {
    fn new(mnemonic: &str) -> Lexicon {
        let mnemonic = Mnemonic::from_text(mnemonic);
        Lexicon { mnemonic, numbers: FxHashMap::default(), words: Vec::new(), forms: Vec::new() }
    }

    /// The number of a modifier, if any form has it.
    pub(super) fn number(&self, word: &str) -> Option<u8> {
        self.numbers.get(word).copied()
    }

    /// Returns the text of a modifier by its number.
    pub(super) fn text(&self, number: u8) -> &str {
        self.words.get(usize::from(number)).map_or("", |word| &word.text)
    }

    /// Returns a modifier by its number.
    pub(super) fn modifier(&self, number: u8) -> Modifier {
        self.words.get(usize::from(number)).map_or(Modifier::Other, |word| word.modifier)
    }

    /// Returns a modifier's index in [`SEQUENCES`], if it must keep its place among the words there.
    pub(super) fn sequence(&self, number: u8) -> Option<usize> {
        self.words.get(usize::from(number)).and_then(|word| word.sequence)
    }

    /// Returns a modifier's place in the instruction's name, counted from 1, or 0.
    pub(super) fn place_in_name(&self, number: u8) -> usize {
        self.words.get(usize::from(number)).map_or(0, |word| word.place_in_name)
    }

    /// The modifiers of slots, each with its dot.
    pub(super) fn choices(&self, slots: &[&Slot]) -> String {
        let in_one = |number: u8| slots.iter().any(|slot| slot.words.has(number));
        let numbered = (0..=u8::MAX).zip(&self.words);
        let chosen: Vec<String> =
            numbered.filter(|(number, _)| in_one(*number)).map(|(_, word)| format!("`.{}`", word.text)).collect();
        let more = if chosen.len() > 8 { ", …" } else { "" };
        chosen.get(..8).unwrap_or(&chosen).join(", ") + more
    }

    /// Adds the forms of a family; says which row is malformed.
    fn add(&mut self, family: &'static Family) -> Result<(), &'static str> {
        for &(syntax, operands, needs) in family.forms {
            let form = self.form(syntax, operands, needs, &family.effect).ok_or(syntax)?;
            self.forms.push(form);
        }
        Ok(())
    }

    fn form(
        &mut self,
        syntax: &'static str,
        operands: &'static str,
        needs: &'static str,
        effect: &'static Effect,
    ) -> Option<Form> {
        let mut slots = Vec::new();
        let mut types = Vec::new();
        for text in syntax.split_whitespace() {
            let (slot, typed) = self.slot(text)?;
            if typed { types.push(slot) } else { slots.push(slot) }
        }
        let operands: Vec<Operand> = operands.split_whitespace().map(Operand::from_text).collect::<Option<_>>()?;
        let required = operands.iter().filter(|operand| !operand.is_optional()).count();
        let roles = operands.iter().map(|operand| char::from(operand.role)).collect();
        let words = slots.iter().chain(&types).fold(Set::default(), |words, slot: &Slot| words.with(slot.words));
        Some(Form { slots, types, words, operands, required, roles, needs: Needs::from_text(needs)?, effect })
    }

    /// Reads a slot; also says whether it holds types.
    fn slot(&mut self, text: &'static str) -> Option<(Slot, bool)> {
        let inner = text.strip_prefix('[').map(|rest| rest.strip_suffix(']'));
        let optional = inner.is_some();
        let mut slot = Slot { words: Set::default(), optional, needs: Vec::new() };
        let mut typed = true;
        self.alternatives(inner.unwrap_or(Some(text))?, &mut slot, &mut typed)?;
        Some((slot, typed))
    }

    fn alternatives(&mut self, text: &'static str, slot: &mut Slot, typed: &mut bool) -> Option<()> {
        for alternative in text.split('|') {
            if let Some(name) = alternative.strip_prefix('$') {
                let set = SETS.iter().find(|(set, _)| *set == name)?;
                self.alternatives(set.1, slot, typed)?;
                continue;
            }
            let (word, needs) = match alternative.split_once('@') {
                Some((word, needs)) => (word, Some(Needs::from_text(needs)?)),
                None => (alternative, None),
            };
            *typed &= Type::from_text(word).is_some();
            let sizes = if word.contains('#') { 1..=32 } else { 1..=1 };
            for size in sizes {
                let number = self.intern(&word.replace('#', &(size * 8).to_string()))?;
                slot.words.insert(number);
                slot.needs.extend(needs.map(|needs| (number, needs)));
            }
        }
        Some(())
    }

    fn intern(&mut self, word: &str) -> Option<u8> {
        if let Some(number) = self.number(word) {
            return Some(number);
        }
        let number = u8::try_from(self.words.len()).ok().filter(|_| !word.is_empty())?;
        let modifier = Modifier::from_text(word);
        let listed = |list: &str| list.split(' ').any(|other| other == word);
        let sequence = SEQUENCES.iter().position(|list| listed(list) || list.is_empty() && modifier.space().is_some());
        self.words.push(Word { text: word.into(), modifier, sequence, place_in_name: 0 });
        self.numbers.insert(word.into(), number);
        Some(number)
    }
}

/// The families of a mnemonic, and their compiled form once somebody asked for it.
struct Entry {
    families: Vec<&'static Family>,
    lexicon: OnceLock<Lexicon>,
}

fn index() -> &'static FxHashMap<&'static str, Entry> {
    static INDEX: OnceLock<FxHashMap<&'static str, Entry>> = OnceLock::new();
    INDEX.get_or_init(|| {
        let mut index: FxHashMap<&str, Entry> = FxHashMap::default();
        for family in FAMILIES.iter().flat_map(|chapter| chapter.iter()) {
            for mnemonic in family.mnemonics.split_whitespace() {
                let entry = || Entry { families: Vec::new(), lexicon: OnceLock::new() };
                index.entry(mnemonic).or_insert_with(entry).families.push(family);
            }
        }
        index
    })
}

/// The rows of a mnemonic.
pub(super) fn lexicon(mnemonic: &str) -> Option<&'static Lexicon> {
    let entry = index().get(mnemonic)?;
    Some(entry.lexicon.get_or_init(|| {
        let mut lexicon = Lexicon::new(mnemonic);
        for family in &entry.families {
            // A malformed row would leave out the rest of its family; a test compiles them all.
            let _ = lexicon.add(family);
        }
        let name = NAMES.iter().find(|(of, _)| *of == mnemonic).map_or("", |(_, name)| name);
        for word in &mut lexicon.words {
            word.place_in_name = name.split(' ').position(|part| part == &*word.text).map_or(0, |place| place + 1);
        }
        lexicon
    }))
}

/// All mnemonics, in no particular order.
pub(super) fn mnemonics() -> impl Iterator<Item = &'static str> {
    index().keys().copied()
}

/// The modifier of a mnemonic that is written most like a word.
pub(super) fn nearest_modifier(mnemonic: &str, word: &str) -> Option<&'static str> {
    nearest(word, lexicon(mnemonic)?.words.iter().map(|word| &*word.text))
}

/// The mnemonic that is written most like a word.
pub(super) fn nearest_mnemonic(word: &str) -> Option<&'static str> {
    // In order, so that of several that are as near it is always the same.
    let mut mnemonics: Vec<&str> = mnemonics().collect();
    mnemonics.sort_unstable();
    nearest(word, mnemonics.into_iter())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_well_formed() {
        for family in FAMILIES.iter().flat_map(|chapter| chapter.iter()) {
            let mut lexicon = Lexicon::new("");
            assert_eq!(lexicon.add(family), Ok(()), "a row of `{}` is malformed", family.mnemonics);
        }
    }

    #[test]
    fn the_forms_of_a_mnemonic_share_their_modifiers() {
        let lexicon = lexicon("ld").unwrap();
        let texts: Vec<&str> = lexicon.words.iter().map(|word| &*word.text).collect();
        let distinct: std::collections::HashSet<&&str> = texts.iter().collect();
        assert_eq!(distinct.len(), texts.len());
    }
}
