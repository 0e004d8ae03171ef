//! How the marked paths of an iteration stand to one another.

use super::MOST_REGIONS;
use super::body::{Body, Iteration, Known};
use super::emit::{Class, Reg};

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
    /// The marked paths of one iteration, one to three of them.
    pub(super) fn paths(&mut self, known: &Known, iteration: &Iteration) {
        use Arrangement::{Chain, One, Sequence, Switch};
        let count = 2 + self.code.random.below(MOST_REGIONS - 1);
        match *self.code.random.pick(&[One, One, One, Sequence, Sequence, Chain, Switch]) {
            One => self.sequence(known, iteration, 1),
            Sequence => self.sequence(known, iteration, count),
            Chain => self.chain(known, iteration, count),
            Switch => self.switch(known, iteration, count),
        }
    }

    /// The private values of each of some regions: what one changes, no other may read.
    fn shares(&mut self, iteration: &Iteration, count: u32) -> Vec<Vec<Reg>> {
        let mut shares = vec![Vec::new(); count as usize];
        for &value in &iteration.private {
            let owner = self.code.random.below(count) as usize;
            shares[owner].push(value);
        }
        shares
    }

    fn marked(&mut self, known: &Known, iteration: &Iteration, number: u32, private: &[Reg]) {
        let id = number + 2;
        self.code.line(format!("//#CCC if_begin {id} loop 1 line {}", 15 + number));
        self.region(known, iteration, number, private);
        self.code.line(format!("//#CCC if_end {id}"));
    }

    fn sequence(&mut self, known: &Known, iteration: &Iteration, count: u32) {
        for (number, private) in (0..).zip(self.shares(iteration, count)) {
            let (skip, join) = (self.code.label(), self.code.label());
            self.leave(iteration.seen, &skip);
            self.marked(known, iteration, number, &private);
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
        for (number, private) in (0..).zip(self.shares(iteration, count)) {
            let otherwise = self.code.label();
            self.leave(iteration.seen, &otherwise);
            self.marked(known, iteration, number, &private);
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
        for ((number, private), case) in (0..).zip(self.shares(iteration, count)).zip(&cases) {
            self.code.place(case);
            self.marked(known, iteration, number, &private);
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
