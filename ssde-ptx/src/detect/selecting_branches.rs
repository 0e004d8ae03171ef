//! The branches that decide which of several values a register gets where ways meet.
//!
//! ```text
//! if (lane == first) {                decides whether `todo` keeps its value
//!     todo = false;
//!     if (*word) atomicAdd(sum, 1);   does not decide: `todo` is false on both ways
//! }
//! ```
//!
//! Edges on which the register gets the same value are taken together. If all ways from a branch lead to such an edge, the branch does not decide: whatever it depends on, the value is the same.
//! A loop on the way decides as well, since it may not end; and so does a block where the kernel may end.

use analysis::{Analyses, Block, Value};
use ptx_parser::Kernel;
use rustc_hash::FxHashSet;

/// The most blocks that are looked at for the edges of one value.
const MOST_BLOCKS: usize = 64;

/// A value that a register gets where ways meet, with the predecessors that it comes from.
pub(crate) struct Met {
    pub(crate) value: Value,
    from: Vec<Block>,
}

impl Met {
    /// Returns the values that meet in a phi, equal ones once.
    pub(crate) fn all(facts: &Analyses, kernel: &Kernel, phi: Value) -> Vec<Met> {
        let values = &facts.values;
        let is_same = |one: Value, other: Value| {
            let number = values.copied_to(kernel, one);
            one == other || number.is_some() && number == values.copied_to(kernel, other)
        };
        let mut all: Vec<Met> = Vec::new();
        for &(from, value) in values.phi_inputs(phi) {
            match all.iter_mut().find(|met| is_same(met.value, value)) {
                Some(met) => met.from.push(from),
                None => all.push(Met { value, from: vec![from] }),
            }
        }
        all
    }

    /// Returns the blocks whose branches decide whether the register gets the value where the given block begins.
    pub(crate) fn deciders(&self, facts: &Analyses, block: Block) -> Vec<Block> {
        if self.from.len() == 1 {
            return self.from.clone();
        }
        let (mut certain, mut seen) = (FxHashSet::default(), FxHashSet::default());
        let mut work = self.from.clone();
        while let Some(from) = work.pop() {
            if seen.insert(from) && seen.len() > MOST_BLOCKS {
                return self.from.clone();
            }
            let leads = |to: Block| if to == block { self.from.contains(&from) } else { certain.contains(&to) };
            let is_certain = from != block
                && !facts.cfg.exits(from)
                && facts.cfg.succs(from).iter().all(|successor| leads(successor.block));
            if is_certain && certain.insert(from) {
                work.extend(facts.cfg.preds(from));
            }
        }
        seen.into_iter().filter(|from| !certain.contains(from)).collect()
    }
}
