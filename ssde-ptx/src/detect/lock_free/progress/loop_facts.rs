//! A loop that is looked at, with what has been worked out about it.

use std::cell::{Cell, OnceCell, RefCell};

use analysis::{Analyses, Block, Loop, Value};
use ptx_parser::{Inst, Kernel};
use rustc_hash::{FxHashMap, FxHashSet};

use super::assumptions::Assumed;
use crate::detect::lock_free::bounded_loops::Bounds;
use crate::detect::lock_free::sampled_values::Samples;
use crate::detect::loops::Cycle;
use crate::detect::module_context::Context;

/// The most choices that are followed, one behind the other.
pub(super) const DEEPEST: u32 = 6;

/// The most values that are followed to see where one comes from.
pub(super) const MOST_VALUES: usize = 200;

/// The loop that is examined, and the facts about it.
pub(super) struct LoopFacts<'a> {
    pub(super) facts: &'a Analyses,
    pub(super) kernel: &'a Kernel,
    pub(super) context: &'a Context,
    pub(super) samples: &'a Samples<'a>,
    pub(super) cycle: &'a Cycle,
    /// The loop in it that is looked at.
    pub(super) inner: Option<Loop>,
    pub(super) bounds: &'a Bounds,
    /// The number of blocks that may still be executed for all loops of the kernel.
    pub(super) blocks: &'a Cell<usize>,
    pub(super) asked: &'a Asked,
}

/// Questions of one kind that were asked before, with their answers.
pub(super) type Answers<Q> = RefCell<FxHashMap<Q, bool>>;

/// The results about a cycle that have been worked out.
#[derive(Clone, Default)]
pub(super) struct Asked {
    /// For two values: true if they may be made alike.
    pub(super) alike: Answers<(Value, Value)>,
    /// For two accesses, and the inner loop that is examined, if any: true if they may have one address.
    pub(super) same_address: Answers<(Option<Loop>, Inst, Inst)>,
    /// The comparisons and swaps, with what they write.
    pub(super) swaps: OnceCell<Vec<(Inst, Value)>>,
}

/// The steps of a loop: edges by the blocks that they lead from and to.
#[derive(Default)]
pub(super) struct Steps {
    pub(super) edges: FxHashSet<(Block, Block)>,
    /// Those that are steps only because others have moved, with the reads that tell.
    pub(super) told: FxHashMap<(Block, Block), Vec<Inst>>,
    /// Those that are steps only because the lane itself has moved, with the comparisons and swaps by which it has.
    pub(super) swapped: FxHashMap<(Block, Block), Vec<Inst>>,
    pub(super) assumed: Assumed,
}

impl LoopFacts<'_> {
    /// The reads whose results the branches of the loop are decided by, without what is passed on through memory.
    pub(super) fn direct(&self) -> Vec<Inst> {
        let facts = self.facts;
        let branches = self.cycle.blocks(facts).iter().filter(|&&block| facts.cfg.ways(block) > 1);
        self.read_by(branches.filter_map(|&block| facts.cfg.terminator(block)))
    }

    /// The reads that some instructions compute with the results of.
    pub(super) fn read_by(&self, insts: impl Iterator<Item = Inst>) -> Vec<Inst> {
        let used = insts.flat_map(|inst| self.facts.values.uses(inst)).map(|&(_, value)| value);
        self.reads_behind(used.collect(), usize::MAX)
    }

    /// The reads of the loop that some values are made from, without those that say where others read, as far as so many values lead.
    pub(super) fn reads_behind(&self, values: Vec<Value>, most: usize) -> Vec<Inst> {
        let facts = self.facts;
        let mut work = values;
        let mut seen: FxHashSet<Value> = work.iter().copied().collect();
        let mut reads = Vec::new();
        while let Some(value) = work.pop() {
            if seen.len() > most || !self.contains(facts.values.block(value)) {
                continue;
            }
            match self.read(value) {
                Some(read) => reads.push(read),
                None => {
                    let inputs = facts.values.inputs(self.kernel, value).into_iter();
                    work.extend(inputs.filter(|&input| seen.insert(input)));
                }
            }
        }
        reads
    }

    /// Returns whether a value is made in the loop without registers that change from round to round, by instructions of which all are such.
    pub(super) fn is_made_by(&self, value: Value, is_such: &mut dyn FnMut(Inst) -> bool) -> bool {
        let values = &self.facts.values;
        let (mut seen, mut work) = (FxHashSet::default(), vec![value]);
        while let Some(value) = work.pop() {
            if !self.contains(values.block(value)) {
                continue;
            }
            let made = values.made_by(self.kernel, value).filter(|_| seen.len() <= MOST_VALUES);
            if !made.is_some_and(&mut *is_such) {
                return false;
            }
            work.extend(values.inputs(self.kernel, value).into_iter().filter(|&input| seen.insert(input)));
        }
        true
    }

    /// Returns true if a block is in the loop that is looked at.
    pub(super) fn contains(&self, block: Block) -> bool {
        self.cycle.contains(self.facts, block) && self.inner.is_none_or(|id| self.facts.loops.contains(id, block))
    }

    /// Returns true if all blocks of a loop are in this one.
    pub(super) fn contains_all(&self, id: Loop) -> bool {
        self.facts.loops.blocks(id).iter().all(|&block| self.cycle.contains(self.facts, block))
    }
}
