//! The arrangement of the marked paths of an iteration.

use super::MOST_REGIONS;
use super::body::{Body, Iteration, Known};
use super::emit::{Class, Reg};

/// The most marked paths of a loop, those in others left out.
const MOST_PATHS: u32 = 3;

/// The ways in which one iteration comes to its regions.
#[derive(Clone, Copy, Debug)]
enum Arrangement {
    /// One `if`, with or without an `else`.
    One,
    /// `if`s one after the other: a lane may take all of them.
    Sequence,
    /// `if … else if …`: a lane takes one at most.
    Chain,
    /// The cases of a `switch`, by a table; a case may fall through to the next.
    Switch,
}

impl Body<'_> {
    /// The marked paths of one iteration, one to three of them; some have others in them.
    pub(super) fn paths(&mut self, known: &Known, iteration: &Iteration) {
        use Arrangement::{Chain, One, Sequence, Switch};
        let count = 2 + self.code.random.below(MOST_PATHS - 1);
        match *self.code.random.pick(&[One, One, One, Sequence, Sequence, Chain, Switch]) {
            One => self.sequence(known, iteration, 1),
            Sequence => self.sequence(known, iteration, count),
            Chain => self.chain(known, iteration, count),
            Switch => self.switch(known, iteration, count),
        }
    }

    /// The number of the next region, if there may be another.
    pub(super) fn number(&mut self) -> Option<u32> {
        let number = Some(self.regions).filter(|&number| number < MOST_REGIONS);
        self.regions += 1;
        number
    }

    /// The private values of each of some regions: what one changes, no other may read.
    pub(super) fn shares(&mut self, private: &[Reg], count: u32) -> Vec<Vec<Reg>> {
        let mut shares = vec![Vec::new(); count as usize];
        for &value in private {
            let owner = self.code.random.below(count) as usize;
            shares[owner].push(value);
        }
        shares
    }

    /// A marked path: a plain one, one that is run in steps, or one that has others in it.
    pub(super) fn marked(&mut self, known: &Known, iteration: &Iteration, private: &[Reg]) {
        let Some(number) = self.number() else { return };
        match self.code.random.below(10) {
            2..8 if self.ranges => self.range(known, iteration, number, private),
            0..5 => {
                let loaded = self.loaded_early(known, iteration);
                let private: Vec<Reg> = private.iter().copied().chain(loaded).collect();
                self.branch(number, |body| body.region(known, iteration, number, &private));
            }
            5..8 => self.steps(known, iteration, number, private),
            _ => self.branch(number, |body| body.nested(known, iteration, number, private)),
        }
    }

    /// A load that stands where the branch leads, in front of the marker: as where a compiler moves it there, because only the path needs it.
    fn loaded_early(&mut self, known: &Known, iteration: &Iteration) -> Option<Reg> {
        if self.depends && !iteration.inner && self.code.random.chance(30) {
            return Some(self.read_early(known, iteration));
        }
        if !self.sinks || iteration.inner {
            return None;
        }
        let (place, word) = (self.code.reg(Class::Word), self.code.reg(Class::Word));
        self.code.line(format!("and.b32 {place}, {}, {};", iteration.seen, self.mask));
        let address = self.code.address(known.input, place);
        self.code.line(format!("ld.global.nc.u32 {word}, [{address}];"));
        Some(word)
    }

    /// Writes a path that is marked as a branch.
    fn branch(&mut self, number: u32, path: impl FnOnce(&mut Self)) {
        let id = number + 2;
        self.code.line(format!("//#CCC if_begin {id} loop 1 line {}", 15 + number));
        path(self);
        self.code.line(format!("//#CCC if_end {id}"));
    }

    fn sequence(&mut self, known: &Known, iteration: &Iteration, count: u32) {
        // What follows steps that all lanes make comes to memory behind them, and so behind the paths before them.
        let ends_with_steps = self.depends && count > 1 && self.code.random.chance(40);
        for (at, private) in (1..).zip(self.shares(&iteration.private, count)) {
            let (skip, join) = (self.code.label(), self.code.label());
            if at == count
                && ends_with_steps
                && let Some(number) = self.number()
            {
                self.steps_of_all(known, iteration, number, &private);
                self.reload(known, iteration);
                continue;
            }
            if self.code.random.chance(10)
                && let Some(number) = self.number()
            {
                // Every iteration has a task, if it comes here.
                self.steps(known, iteration, number, &private);
                self.reload(known, iteration);
                continue;
            }
            self.leave(iteration.seen, &skip);
            self.marked(known, iteration, &private);
            self.reload(known, iteration);
            if self.code.random.chance(30) {
                self.code.line(format!("bra {join};"));
                self.code.place(&skip);
                let folded = self.code.fold(iteration.values[0]);
                self.code.word_into(known.carried, known.carried, folded);
                self.code.place(&join);
            } else {
                self.code.place(&skip);
            }
        }
    }

    fn chain(&mut self, known: &Known, iteration: &Iteration, count: u32) {
        let join = self.code.label();
        for private in self.shares(&iteration.private, count) {
            let otherwise = self.code.label();
            self.leave(iteration.seen, &otherwise);
            self.marked(known, iteration, &private);
            self.code.line(format!("bra {join};"));
            self.code.place(&otherwise);
        }
        if self.code.random.chance(50) {
            let folded = self.code.fold(iteration.values[0]);
            self.code.word_into(known.carried, known.carried, folded);
        }
        self.code.place(&join);
        self.reload(known, iteration);
    }

    fn switch(&mut self, known: &Known, iteration: &Iteration, count: u32) {
        let join = self.code.label();
        let cases: Vec<String> = (0..count).map(|_| self.code.label()).collect();
        let (table, selector) = (self.code.label(), self.code.reg(Class::Word));
        let shift = self.code.random.below(24);
        self.code.line(format!("shr.u32 {selector}, {}, {shift};", iteration.seen));
        self.code.line(format!("and.b32 {selector}, {selector}, 3;"));
        // A table has four entries; those without a case of their own skip them all.
        let targets: Vec<&str> = (0..4).map(|entry| cases.get(entry).unwrap_or(&join).as_str()).collect();
        let targets = targets.join(", ");
        self.code.line(format!("{table}: .branchtargets {targets};"));
        self.code.line(format!("brx.idx {selector}, {table};"));
        for (private, case) in self.shares(&iteration.private, count).into_iter().zip(&cases) {
            self.code.place(case);
            self.marked(known, iteration, &private);
            if self.code.random.chance(70) {
                self.code.line(format!("bra {join};"));
            }
        }
        self.code.place(&join);
        self.reload(known, iteration);
    }

    fn reload(&mut self, known: &Known, iteration: &Iteration) {
        if let Some(reloaded) = iteration.reloaded {
            let word = self.load(known, iteration.slot);
            self.code.word_into(reloaded, reloaded, word);
        }
    }
}
