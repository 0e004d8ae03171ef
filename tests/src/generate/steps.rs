//! Marked paths that are run in steps, and marked paths in others.

use super::body::{Body, Iteration, Known};
use super::emit::{Class, Reg};
use super::twin_registers::Twin;

/// The place of a loop's test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Test {
    /// At the bottom, and once before it: as compilers turn a `while`.
    Rotated,
    /// At the bottom alone: a task has one step at least.
    Bottom,
    /// At the top.
    Top,
}

impl Body<'_> {
    /// A loop that is run in steps and what belongs to its task behind it. The number of steps is decided by a word: often none, or many
    /// more than other lanes have.
    pub(super) fn steps(&mut self, known: &Known, iteration: &Iteration, number: u32, private: &[Reg]) {
        let test = *self.code.random.pick(&[Test::Rotated, Test::Rotated, Test::Bottom, Test::Top]);
        self.steps_until(test, known, iteration, number, private);
    }

    /// The same with one step at least, so that all lanes that come here have a task.
    pub(super) fn steps_of_all(&mut self, known: &Known, iteration: &Iteration, number: u32, private: &[Reg]) {
        self.steps_until(Test::Bottom, known, iteration, number, private);
    }

    fn steps_until(&mut self, test: Test, known: &Known, iteration: &Iteration, number: u32, private: &[Reg]) {
        let (id, line) = (number + 2, 15 + number);
        let recursion = self.code.random.chance(20);
        if recursion {
            self.code.line(format!("//#CCC recursive_begin {id} loop 1 line {line}"));
        }
        let mix = self.mixed(known, iteration, &[]);
        let count = self.trips(mix);
        let twin = self.twin(known, [mix, count]);
        let (head, rest) = (self.code.label(), self.code.label());
        let over = self.code.reg(Class::Pred);
        if test == Test::Rotated {
            self.code.line(format!("setp.le.s32 {over}, {count}, 0;"));
            self.code.line(format!("@{over} bra {rest};"));
        }
        self.code.place(&head);
        if test == Test::Top {
            self.code.line(format!("setp.le.s32 {over}, {count}, 0;"));
            self.code.line(format!("@{over} bra {rest};"));
        }
        if !recursion {
            self.code.line(format!("//#CCC step_begin {id} loop 1 line {line}"));
        }
        self.step(known, iteration, (mix, count, twin), private, [&head, &rest]);
        if test == Test::Top {
            self.code.line(format!("bra {head};"));
        } else {
            self.code.line(format!("setp.gt.s32 {over}, {count}, 0;"));
            self.code.line(format!("@{over} bra {head};"));
        }
        self.code.place(&rest);
        // As where a compiler computes what the code behind needs where the task needs it first, in front of what the task stores.
        let sunk = (self.sinks && !iteration.inner).then(|| self.code.reg(Class::Word));
        if let Some(sunk) = sunk {
            self.code.line(format!("add.s32 {sunk}, {}, {};", known.carried, iteration.seen));
        }
        // Without that, all that the task does it does in its steps.
        if self.code.random.chance(75) {
            for _ in 0..self.code.random.below(3) {
                self.region_step(known, mix, &[], iteration.scratch, 1);
            }
            self.results(known, iteration, number, mix);
        }
        // As where a compiler computes what the code behind needs, before the end marker.
        let early = (!iteration.inner && self.code.random.chance(25)).then(|| self.code.reg(Class::Word));
        if let Some(early) = early {
            self.code.word_into(early, known.carried, iteration.seen);
        }
        self.code.line(format!("//#CCC step_end {id}"));
        for read in [early, sunk].into_iter().flatten() {
            self.code.word_into(known.carried, known.carried, read);
        }
    }

    /// Returns how many steps a task has.
    fn trips(&mut self, word: Reg) -> Reg {
        let count = self.code.reg(Class::Word);
        let (shift, most) = (self.code.random.below(20), *self.code.random.pick(&[1, 3, 7, 31]));
        self.code.line(format!("shr.u32 {count}, {word}, {shift};"));
        self.code.line(format!("and.b32 {count}, {count}, {most};"));
        if self.code.random.chance(40) {
            // Most lanes have none.
            self.code.line(format!("add.s32 {count}, {count}, -{};", most / 2));
        }
        count
    }

    /// One step: it changes what the steps carry, and may begin the next one early or end the task.
    fn step(
        &mut self,
        known: &Known,
        iteration: &Iteration,
        (mix, count, twin): (Reg, Reg, Option<Twin>),
        private: &[Reg],
        [head, rest]: [&str; 2],
    ) {
        self.code.line(format!("add.s32 {count}, {count}, -1;"));
        if let Some(twin) = twin {
            self.code.word_into(mix, mix, twin.reg);
        }
        for &value in private.iter().take(2) {
            let word = self.code.fold(value);
            self.code.word_into(mix, mix, word);
        }
        for _ in 0..self.code.random.below(3) {
            self.region_step(known, mix, private, iteration.scratch, 1);
        }
        if self.code.random.chance(40) {
            self.count(known, mix);
        }
        if self.code.random.chance(20) {
            self.leave(mix, rest);
        }
        if self.code.random.chance(20) {
            // `continue`, as long as there are steps left.
            let (left, behind) = (self.code.reg(Class::Pred), self.code.label());
            self.code.line(format!("setp.le.s32 {left}, {count}, 0;"));
            self.code.line(format!("@{left} bra {behind};"));
            if let Some(twin) = twin {
                self.remake(twin);
            }
            self.leave(mix, head);
            self.code.place(&behind);
        }
        let word = self.load(known, mix);
        self.code.word_into(mix, mix, word);
        if let Some(twin) = twin {
            self.remake(twin);
        }
    }

    /// A marked path with one or two others in it, which read what it computes. What it does behind them needs nothing of theirs.
    pub(super) fn nested(&mut self, known: &Known, iteration: &Iteration, number: u32, private: &[Reg]) {
        let paths = 1 + self.code.random.below(2);
        let mut shares = self.shares(private, paths + 1);
        let own = shares.pop().unwrap_or_default();
        let mix = self.mixed(known, iteration, &own);
        for share in shares {
            let inner = self.inner(known, iteration, mix, share);
            let behind = self.code.label();
            if self.code.random.chance(80) {
                self.leave(inner.seen, &behind);
                self.marked(known, &inner, &inner.private);
            } else if let Some(number) = self.number() {
                // Only a loop needs no branch that skips it.
                self.steps(known, &inner, number, &inner.private);
            }
            self.code.place(&behind);
            for _ in 0..self.code.random.below(3) {
                self.region_step(known, mix, &own, iteration.scratch, 1);
            }
        }
        self.results(known, iteration, number, mix);
    }

    /// Returns what an inner path works on: values of the iteration and some that the outer path computes.
    fn inner(&mut self, known: &Known, iteration: &Iteration, mix: Reg, private: Vec<Reg>) -> Iteration {
        let seen = self.load(known, mix);
        let mut values: Vec<Reg> = iteration.values.iter().copied().filter(|_| self.code.random.chance(40)).collect();
        for _ in 0..1 + self.code.random.below(3) {
            let class = *self.code.random.pick(Class::ALL);
            let source = *self.code.random.pick(&[mix, seen]);
            values.push(self.code.value(class, source));
        }
        self.derive(known, &mut values);
        Iteration {
            seen,
            slot: iteration.slot,
            values,
            private,
            scratch: iteration.scratch,
            reloaded: None,
            inner: true,
        }
    }
}
