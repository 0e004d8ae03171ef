//! The assumptions about a loop, as data.

use ptx_parser::Inst;

/// The assumptions under which a loop waits for nobody.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Assumed {
    /// The reads of links that are assumed to come to an end, and the comparisons of counters.
    pub(crate) ends: Vec<Inst>,
    /// The atomics by which lanes are assumed not to undo each other's work for ever.
    pub(crate) steps: Vec<Inst>,
    /// The stores that are assumed not to be where the loop reads.
    pub(crate) apart: Vec<Inst>,
    /// The atomics by which lanes help each other, assumed to be where the loop reads.
    pub(crate) helps: Vec<Inst>,
    /// The atomics that move a counter on, which others are assumed to have done where a number is ahead of it.
    pub(crate) ahead: Vec<Inst>,
    /// The reads of links where walks begin, which are assumed not to be marked.
    pub(crate) unmarked: Vec<Inst>,
    /// The weak reads by which it is assumed to learn nothing of what others write meanwhile.
    pub(crate) raced: Vec<Inst>,
}

impl Assumed {
    /// All instructions that something is assumed of.
    pub(crate) fn insts_mut(&mut self) -> impl Iterator<Item = &mut Inst> {
        let Assumed { ends, steps, apart, helps, ahead, unmarked, raced } = self;
        [ends, steps, apart, helps, ahead, unmarked, raced].into_iter().flatten()
    }

    /// Assumes of some writes that they are elsewhere.
    pub(crate) fn apart(writes: impl IntoIterator<Item = Inst>) -> Assumed {
        let mut assumed = Assumed::default();
        assumed.add(Assumed { apart: writes.into_iter().collect(), ..Assumed::default() });
        assumed
    }

    /// All that is assumed of several loops.
    pub(crate) fn of_all(of: Vec<&Assumed>) -> Assumed {
        let mut all = Assumed::default();
        of.into_iter().for_each(|assumed| all.add(assumed.clone()));
        all
    }

    /// Assumes something else as well.
    pub(super) fn add(&mut self, more: Assumed) {
        let pairs = [
            (&mut self.ends, more.ends),
            (&mut self.steps, more.steps),
            (&mut self.apart, more.apart),
            (&mut self.helps, more.helps),
            (&mut self.ahead, more.ahead),
            (&mut self.unmarked, more.unmarked),
            (&mut self.raced, more.raced),
        ];
        for (insts, more) in pairs {
            insts.extend(more);
            insts.sort_unstable();
            insts.dedup();
        }
    }
}
