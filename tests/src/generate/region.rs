//! The marked path of a generated kernel.

use super::body::{Body, Iteration, Known};
use super::emit::{Class, Reg};
use super::{COUNTERS, MOST_REGIONS};

impl Body<'_> {
    /// The region: it mixes everything into one word, stores it where the iteration's slot is and adds to a counter.
    pub(super) fn region(&mut self, known: &Known, iteration: &Iteration, number: u32, private: &[Reg]) {
        let mix = self.mixed(known, iteration, private);
        for _ in 0..self.code.random.below(4) {
            self.region_step(known, mix, private, iteration.scratch, 0);
        }
        self.guards(mix);
        self.fold_into_sums(known, mix, 60);
        self.read_what_follows(known, iteration, mix);
        self.read_scratch_word(known, mix);
        self.results(known, iteration, number, mix);
    }

    /// A word made from everything that the region reads.
    pub(super) fn mixed(&mut self, known: &Known, iteration: &Iteration, private: &[Reg]) -> Reg {
        let &Iteration { seen, slot, ref values, scratch, .. } = iteration;
        let mix = self.code.reg(Class::Word);
        // What a compiler computes first: loads that could as well be done before.
        let first = self.code.random.chance(40).then(|| {
            let index = *self.code.random.pick(&[known.index, known.thread, seen, known.uniform, slot]);
            self.load(known, index)
        });
        let start = if self.code.random.chance(30) { known.uniform } else { seen };
        self.code.line(format!("mov.u32 {mix}, {start};"));
        self.start_over(known, mix);
        if let Some(first) = first {
            self.code.word_into(mix, mix, first);
        }
        if self.code.random.chance(25) {
            let special =
                *self.code.random.pick(&["%tid.x", "%tid.y", "%laneid", "%lanemask_lt", "%ctaid.x", "%ntid.x"]);
            self.code.line(format!("mov.u32 {scratch}, {special};"));
            self.code.word_into(mix, mix, scratch);
        }
        for &value in values.iter().chain(private) {
            let word = self.code.fold(value);
            self.code.word_into(mix, mix, word);
        }
        if let Some(between) = self.between {
            self.code.line(format!("xor.b32 {mix}, {mix}, {between};"));
        }
        self.read_generic(known, mix);
        mix
    }

    /// Behind the loop: the thread reads what the paths of its iterations wrote.
    pub(super) fn read_regions(&mut self, known: &Known, iterations: u32) {
        let words = iterations.max(1) * MOST_REGIONS;
        let (head, test) = (self.code.label(), self.code.reg(Class::Pred));
        let [index, count, word] = std::array::from_fn(|_| self.code.reg(Class::Word));
        self.code.line(format!("mul.lo.s32 {index}, {}, {words};", known.thread));
        self.code.line(format!("mov.u32 {count}, {words};"));
        self.code.place(&head);
        let address = self.code.address(known.region, index);
        self.code.line(format!("ld.global.u32 {word}, [{address}];"));
        self.code.line(format!("mad.lo.s32 {}, {}, 31, {word};", known.carried, known.carried));
        self.code.line(format!("add.s32 {index}, {index}, 1;"));
        self.code.line(format!("add.s32 {count}, {count}, -1;"));
        self.code.line(format!("setp.gt.s32 {test}, {count}, 0;"));
        self.code.line(format!("@{test} bra {head};"));
    }

    /// Puts what a region has computed where it belongs.
    pub(super) fn results(&mut self, known: &Known, iteration: &Iteration, number: u32, mix: Reg) {
        if self.code.random.chance(85) {
            let own = self.code.reg(Class::Word);
            self.code.line(format!("mad.lo.s32 {own}, {}, {MOST_REGIONS}, {number};", iteration.slot));
            let address = self.region_address(known, own);
            if self.depends && self.code.random.chance(20) {
                self.add_float(address, mix);
            } else {
                self.code.line(format!("st.global.u32 [{address}], {mix};"));
            }
        }
        if self.code.random.chance(60) {
            self.count(known, mix);
        }
    }

    /// Adds to a counter.
    pub(super) fn count(&mut self, known: &Known, mix: Reg) {
        let place = self.code.reg(Class::Word);
        self.code.line(format!("and.b32 {place}, {mix}, {};", COUNTERS - 1));
        let address = self.code.address(known.counters, place);
        let old = self.code.reg(Class::Word);
        if self.code.random.chance(50) {
            self.code.line(format!("atom.global.add.u32 {old}, [{address}], {mix};"));
        } else {
            self.code.line(format!("red.global.add.u32 [{address}], 1;"));
        }
    }

    pub(super) fn region_step(&mut self, known: &Known, mix: Reg, private: &[Reg], scratch: Reg, depth: u32) {
        match self.code.random.below(if depth < 2 { 5 } else { 3 }) {
            0 => {
                let word = self.load(known, mix);
                self.code.word_into(mix, mix, word);
            }
            1 => {
                // A value from before the region changes, in all lanes or under a guard, and is read again.
                let Some(&value) = private.iter().find(|value| value.class == Class::Word) else { return };
                let test = self.code.value(Class::Pred, mix);
                let guard = if self.code.random.chance(50) { format!("@{test} ") } else { String::new() };
                self.code.line(format!("{guard}add.s32 {value}, {value}, {mix};"));
                self.code.word_into(mix, mix, value);
            }
            2 => {
                let class = *self.code.random.pick(Class::ALL);
                let value = self.code.value(class, mix);
                let word = self.code.fold(value);
                self.code.line(format!("mov.u32 {scratch}, {word};"));
                self.code.word_into(mix, mix, scratch);
                self.fold_into_sums(known, scratch, 30);
            }
            3 => {
                let join = self.code.label();
                self.leave(mix, &join);
                self.region_step(known, mix, private, scratch, depth + 1);
                if self.code.random.chance(50) {
                    let (otherwise, end) = (join, self.code.label());
                    self.code.line(format!("bra {end};"));
                    self.code.place(&otherwise);
                    self.region_step(known, mix, private, scratch, depth + 1);
                    self.code.place(&end);
                } else {
                    self.code.place(&join);
                }
            }
            _ => {
                let (head, count, test) = (self.code.label(), self.code.reg(Class::Word), self.code.reg(Class::Pred));
                self.code.line(format!("and.b32 {count}, {mix}, 3;"));
                self.code.place(&head);
                self.region_step(known, mix, private, scratch, depth + 1);
                self.code.line(format!("add.s32 {count}, {count}, -1;"));
                self.code.line(format!("setp.gt.s32 {test}, {count}, 0;"));
                self.code.line(format!("@{test} bra {head};"));
            }
        }
    }
}
