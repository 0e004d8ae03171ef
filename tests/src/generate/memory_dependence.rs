//! Memory that a path and what follows it in its iteration have in common.

use super::MOST_REGIONS;
use super::body::{Body, Iteration, Known};
use super::emit::{Class, Reg};

impl Body<'_> {
    /// Writes the code behind the paths that depends on them: it reads and changes the places that they store to.
    pub(super) fn depend(&mut self, known: &Known, slot: Reg, seen: Reg) {
        if !self.depends {
            return;
        }
        let join = self.code.random.chance(30).then(|| {
            let join = self.code.label();
            self.leave(seen, &join);
            join
        });
        match self.code.random.below(9) {
            0 => {}
            6 => {
                let place = self.place_of(known, slot);
                self.add_float(place, seen);
            }
            1 | 7 | 8 => self.change_all(known, slot),
            2 => self.update(known, slot),
            _ => self.change(known, slot),
        }
        if let Some(join) = join {
            self.code.place(&join);
        }
        if self.code.random.chance(20) {
            // What is read goes on to the next iteration, so that it cannot be put off.
            let address = self.place_of(known, slot);
            let word = self.code.reg(Class::Word);
            self.code.line(format!("ld.global.u32 {word}, [{address}];"));
            self.code.word_into(known.carried, known.carried, word);
        }
    }

    /// In a path: a word that is written behind it.
    pub(super) fn read_what_follows(&mut self, known: &Known, iteration: &Iteration, mix: Reg) {
        if self.depends && self.code.random.chance(25) {
            let address = self.code.address(known.behind, iteration.slot);
            let word = self.code.reg(Class::Word);
            self.code.line(format!("ld.global.u32 {word}, [{address}];"));
            self.code.word_into(mix, mix, word);
        }
    }

    /// In front of the marker of a path: such a word, where the compiler has moved the load there.
    pub(super) fn read_early(&mut self, known: &Known, iteration: &Iteration) -> Reg {
        let address = self.code.address(known.behind, iteration.slot);
        let word = self.code.reg(Class::Word);
        self.code.line(format!("ld.global.u32 {word}, [{address}];"));
        word
    }

    /// The address of the word of a path of this iteration, whichever.
    fn place_of(&mut self, known: &Known, slot: Reg) -> Reg {
        let number = self.code.random.below(MOST_REGIONS);
        let own = self.code.reg(Class::Word);
        self.code.line(format!("mad.lo.s32 {own}, {slot}, {MOST_REGIONS}, {number};"));
        self.region_address(known, own)
    }

    /// The address of a word of the regions: by one product, or put together from two parts of it, as of bit fields.
    pub(super) fn region_address(&mut self, known: &Known, index: Reg) -> Reg {
        if !self.depends || self.code.random.chance(75) {
            return self.code.address(known.region, index);
        }
        let [offset, low, high, address] = std::array::from_fn(|_| self.code.reg(Class::Long));
        self.code.line(format!("mul.wide.u32 {offset}, {index}, 4;"));
        self.code.line(format!("and.b64 {low}, {offset}, 255;"));
        self.code.line(format!("and.b64 {high}, {offset}, -256;"));
        self.code.line(format!("or.b64 {offset}, {low}, {high};"));
        self.code.line(format!("add.s64 {address}, {}, {offset};", known.region));
        address
    }

    /// In front of the paths: a word of the thread that each iteration uses again.
    pub(super) fn fill_scratch_word(&mut self, known: &Known, seen: Reg) {
        self.scratch_word = self.depends && self.code.random.chance(8);
        if self.scratch_word {
            let address = self.code.address(known.result, known.thread);
            self.code.line(format!("st.global.u32 [{address}], {seen};"));
        }
    }

    /// In a path: reads that word, or updates it.
    pub(super) fn read_scratch_word(&mut self, known: &Known, mix: Reg) {
        let update = self.depends && self.code.random.chance(4);
        if self.scratch_word || update {
            let (address, word) = (self.code.address(known.result, known.thread), self.code.reg(Class::Word));
            if update && self.code.random.chance(30) {
                return self.add_float(address, mix);
            }
            // What a thread keeps for itself may be volatile.
            let volatile = if update && self.code.random.chance(40) { ".volatile" } else { "" };
            self.code.line(format!("ld{volatile}.global.u32 {word}, [{address}];"));
            self.code.word_into(mix, mix, word);
            if update {
                self.code.line(format!("st{volatile}.global.u32 [{address}], {mix};"));
            }
        }
    }

    fn change(&mut self, known: &Known, slot: Reg) {
        let (from, to) = (self.place_of(known, slot), self.place_of(known, slot));
        let word = self.code.reg(Class::Word);
        if self.code.random.chance(15) {
            // As a compiler reads a pointer that is one of two, neither of which it sees written.
            let (test, chosen) = (self.code.value(Class::Pred, slot), self.code.reg(Class::Long));
            self.code.line(format!("selp.b64 {chosen}, {from}, {to}, {test};"));
            self.code.line(format!("ld.global.nc.u32 {word}, [{chosen}];"));
        } else {
            self.code.line(format!("ld.global.u32 {word}, [{from}];"));
        }
        self.code.line(format!("mad.lo.s32 {word}, {word}, 5, 3;"));
        self.code.line(format!("st.global.u32 [{to}], {word};"));
    }

    /// The word is updated by an atomic, and what it was is stored elsewhere.
    fn update(&mut self, known: &Known, slot: Reg) {
        let (from, to) = (self.place_of(known, slot), self.place_of(known, slot));
        let word = self.code.reg(Class::Word);
        self.code.line(format!("atom.global.xor.b32 {word}, [{from}], 1023;"));
        self.code.line(format!("st.global.u32 [{to}], {word};"));
    }

    /// Adds a float, which leaves something else in another order, to a word that no other thread has.
    pub(super) fn add_float(&mut self, place: Reg, number: Reg) {
        let (word, float) = (self.code.reg(Class::Word), self.code.reg(Class::Single));
        self.code.line(format!("and.b32 {word}, {number}, 65535;"));
        self.code.line(format!("cvt.rn.f32.u32 {float}, {word};"));
        self.code.line(format!("mul.rn.f32 {float}, {float}, 0f3DCCCCCD;"));
        self.code.line(format!("red.global.add.f32 [{place}], {float};"));
    }

    /// All words of the iteration are changed in a loop.
    fn change_all(&mut self, known: &Known, slot: Reg) {
        let (head, own, count) = (self.code.label(), self.code.reg(Class::Word), self.code.reg(Class::Word));
        let (word, more) = (self.code.reg(Class::Word), self.code.reg(Class::Pred));
        self.code.line(format!("mul.lo.s32 {own}, {slot}, {MOST_REGIONS};"));
        self.code.line(format!("mov.u32 {count}, 0;"));
        self.code.place(&head);
        let address = self.code.address(known.region, own);
        self.code.line(format!("ld.global.u32 {word}, [{address}];"));
        self.code.line(format!("add.s32 {word}, {word}, {count};"));
        self.code.line(format!("st.global.u32 [{address}], {word};"));
        self.code.line(format!("add.s32 {own}, {own}, 1;"));
        self.code.line(format!("add.s32 {count}, {count}, 1;"));
        self.code.line(format!("setp.lt.u32 {more}, {count}, {MOST_REGIONS};"));
        self.code.line(format!("@{more} bra {head};"));
    }
}
