//! The assumptions about a loop, as data.

use ptx_parser::Inst;

use crate::detect::finding::Assumption;

/// The assumptions about a loop by its instructions; the loop itself is known to those who ask.
pub(crate) type Assumed = Assumption<Inst>;

impl Assumed {
    /// All instructions that something is assumed of.
    pub(crate) fn insts_mut(&mut self) -> impl Iterator<Item = &mut Inst> {
        let Assumption { at: _, ends, steps, apart, helps, ahead, unmarked, raced } = self;
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
