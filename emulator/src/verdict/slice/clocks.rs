//! The analysis of what a clock may influence; see the head of [`super`].

use std::collections::BTreeSet;

use cranelift_entity::{EntitySet, SecondaryMap};
use fixedbitset::FixedBitSet;

use super::Unknown;
use super::code::{Added, Code, Step};
use crate::program::code::{BlockId, End};

/// A branch by a clock, where its ways meet, and the blocks of these.
struct Region {
    branch: Added,
    meet: Added,
    blocks: EntitySet<Added>,
}

impl Region {
    /// Returns true for an edge behind which it depends on the clock how often the blocks were executed: where the ways meet, and
    /// where the branch is one of them and leads around.
    fn settles_at(&self, from: Added, to: Added) -> bool {
        self.blocks.contains(from) && (to == self.meet || from == self.branch)
    }
}

/// See [`super`].
#[derive(Default)]
pub(super) struct Clocks {
    regions: Vec<Region>,
    /// The blocks of all ways.
    pub(super) ways: EntitySet<BlockId>,
    /// Per block, what is timed where it begins.
    timed: SecondaryMap<Added, FixedBitSet>,
}

impl Clocks {
    /// Follows what the clock may influence; adds the ways of branches by it to the blocks that are looked at.
    pub(super) fn follow(code: &mut Code<'_>) -> Result<Clocks, Unknown> {
        let mut clocks = Clocks::default();
        loop {
            clocks.spread(code);
            let mut new = None;
            for block in code.blocks.keys() {
                if clocks.check(code, block)? {
                    new = Some(block);
                    break;
                }
            }
            match new {
                Some(block) => clocks.part(code, block)?,
                None => return Ok(clocks),
            }
        }
    }

    /// Returns what is timed where a block begins.
    pub(super) fn timed(&self, block: Added) -> FixedBitSet {
        self.timed[block].clone()
    }

    /// Computes what is timed where each block begins.
    fn spread(&mut self, code: &Code<'_>) {
        let settled: Vec<FixedBitSet> = self.regions.iter().map(|region| code.written(&region.blocks)).collect();
        let mut timed: SecondaryMap<Added, FixedBitSet> = SecondaryMap::new();
        let mut work: BTreeSet<Added> = code.blocks.keys().collect();
        while let Some(from) = work.pop_first() {
            let block = &code.blocks[from];
            let mut behind = timed[from].clone();
            block.steps.iter().for_each(|step| execute(step, &mut behind));
            for to in block.next.iter().filter_map(|&next| code.place(next)) {
                let here = &mut timed[to];
                let count = here.count_ones(..);
                here.union_with(&behind);
                let crossed = self.regions.iter().zip(&settled).filter(|(region, _)| region.settles_at(from, to));
                crossed.for_each(|(_, written)| here.union_with(written));
                if here.count_ones(..) > count {
                    work.insert(to);
                }
            }
        }
        self.timed = timed;
    }

    /// Checks that what is timed decides nothing in a block. Returns true if it decides about the ways behind it, and these are not known yet.
    fn check(&self, code: &Code<'_>, place: Added) -> Result<bool, Unknown> {
        let block = &code.blocks[place];
        let way = self.ways.contains(block.id);
        let mut timed = self.timed(place);
        for step in &block.steps {
            let fixed = step.fixed.iter().any(|&piece| timed.contains(piece));
            let acts = step.acts && (way || is_timed(step, &timed));
            if fixed || acts || way && step.is_unknown_store {
                return Err(Unknown::Timed);
            }
            execute(step, &mut timed);
        }
        let chooses = block.choice.iter().any(|&piece| timed.contains(piece));
        Ok(chooses && !self.regions.iter().any(|region| region.branch == place))
    }

    /// Adds the ways of a branch by a clock.
    fn part(&mut self, code: &mut Code<'_>, branch: Added) -> Result<(), Unknown> {
        let program = code.program;
        let (End::Branch { meet, .. } | End::Switch { meet, .. }) = program.code.blocks[code.blocks[branch].id].end
        else {
            return Err(Unknown::Timed);
        };
        let meeting = code.place(meet).ok_or(Unknown::Timed)?;
        let mut work = vec![branch];
        let mut ways: EntitySet<BlockId> = EntitySet::new();
        let mut blocks: EntitySet<Added> = EntitySet::new();
        while let Some(from) = work.pop() {
            for next in code.blocks[from].next.clone() {
                if next == meet || program.dataflow.fails(next) || !ways.insert(next) {
                    continue;
                }
                let end = &program.code.blocks[next].end;
                if !matches!(end, End::Jump(_) | End::Branch { .. } | End::Switch { .. })
                    || program.dataflow.is_opaque(next)
                {
                    return Err(Unknown::Timed);
                }
                let place = code.add(next).map_err(|_| Unknown::Timed)?;
                blocks.insert(place);
                work.push(place);
            }
        }
        self.ways.extend(ways.iter());
        self.regions.push(Region { branch, meet: meeting, blocks });
        Ok(())
    }
}

/// Returns true if the results of a step are timed by what it reads.
pub(super) fn is_timed(step: &Step, timed: &FixedBitSet) -> bool {
    step.reads_clock || step.reads.iter().any(|&piece| timed.contains(piece))
}

/// Makes what is timed before a step what is timed behind it.
pub(super) fn execute(step: &Step, timed: &mut FixedBitSet) {
    if is_timed(step, timed) {
        for &piece in &step.writes {
            timed.grow_and_insert(piece);
        }
    } else {
        let known = timed.len();
        step.sure.iter().filter(|&&piece| piece < known).for_each(|&piece| timed.remove(piece));
    }
}
