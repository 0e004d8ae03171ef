//! The ways around a loop, as far as flags that were set on a way say which branches are taken.

use analysis::{Block, Edge, Loop, ValueKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Look, Steps};
use crate::lock_free::bounded::Bound;

impl Look<'_> {
    /// Whether a way leads around in the loop over no step. Loops in it that end by themselves go round but once.
    pub(super) fn goes_round(&self, steps: &Steps) -> bool {
        let next = |(from, block): (Option<Block>, Block)| -> Vec<(Option<Block>, Block)> {
            let all = self.next(from, block).into_iter();
            let all = all.filter(|&next| self.contains(next) && !steps.edges.contains(&(block, next)));
            let all = all.filter(|&next| self.ends_at(next).is_none_or(|id| !self.facts.loops.contains(id, block)));
            // What a flag is in the first round of such a loop says nothing of the last one.
            all.map(|next| (self.ends_at(next).is_none().then_some(block), next)).collect()
        };
        // Whether an edge is on the way that is being followed.
        let mut under_way: FxHashMap<(Option<Block>, Block), bool> = FxHashMap::default();
        for &root in self.cycle.blocks(self.facts) {
            let root = (None, root);
            under_way.insert(root, true);
            let mut work = vec![(root, next(root))];
            while let Some((edge, left)) = work.last_mut() {
                let Some(to) = left.pop() else {
                    under_way.insert(*edge, false);
                    work.pop();
                    continue;
                };
                match under_way.get(&to) {
                    Some(true) => return true,
                    Some(false) => {}
                    None => {
                        under_way.insert(to, true);
                        let more = next(to);
                        work.push((to, more));
                    }
                }
            }
        }
        false
    }

    /// The loop in this one that begins at a block, if it ends by itself.
    fn ends_at(&self, block: Block) -> Option<Loop> {
        let id = self.facts.loops.innermost(block).filter(|&id| self.facts.loops.header(id) == block)?;
        let ends = self.ending.contains(&id) || self.bounds.bound(id) == Some(Bound::Some);
        (ends && self.contains_all(id) && self.cycle.natural() != Some(id)).then_some(id)
    }

    /// The blocks behind one that is come to from another one: a flag that was set on the way there says which.
    pub(super) fn next(&self, from: Option<Block>, block: Block) -> Vec<Block> {
        let (facts, kernel) = (self.facts, self.kernel);
        let all = || facts.cfg.distinct_succs(block).to_vec();
        let guard = facts.cfg.terminator(block).and_then(|branch| Some((branch, kernel.inst(branch).guard?)));
        let (Some(from), Some((branch, guard))) = (from, guard) else { return all() };
        let flag = facts.values.at_use(branch, guard.reg).filter(|&flag| facts.values.block(flag) == block);
        let inputs = flag.map_or(&[][..], |flag| match facts.values.kind(flag) {
            ValueKind::Phi(..) => facts.values.phi_inputs(flag),
            _ => &[],
        });
        let on_way = inputs.iter().find(|&&(pred, _)| pred == from);
        let set = on_way.and_then(|&(_, input)| facts.values.truth(kernel, input));
        let Some(holds) = set else { return all() };
        let taken = facts.cfg.succs(block).iter().filter(|successor| match successor.edge {
            Edge::Taken => holds != guard.negated,
            Edge::Fallthrough => holds == guard.negated,
            Edge::Indirect => true,
        });
        taken.map(|successor| successor.block).collect()
    }

    /// Whether all ways behind an edge lead out of the loop, without coming by where it, or one in it, begins.
    pub(super) fn leads_out(&self, from: Block, to: Block) -> bool {
        let mut seen = FxHashSet::default();
        let mut work = vec![(from, to)];
        while let Some((from, block)) = work.pop() {
            if !self.contains(block) || !seen.insert((from, block)) {
                continue;
            }
            if self.is_header(block) {
                return false;
            }
            work.extend(self.next(Some(from), block).into_iter().map(|next| (block, next)));
        }
        true
    }

    /// Whether all ways behind a block come back to where the loop, or one in it, begins, without a branch that leads out.
    pub(super) fn leads_back(&self, from: Block, to: &[Block]) -> bool {
        let mut seen = FxHashSet::default();
        let mut work: Vec<(Block, Block)> = to.iter().map(|&to| (from, to)).collect();
        while let Some((from, block)) = work.pop() {
            if !self.contains(block) {
                return false;
            }
            if self.is_header(block) || !seen.insert((from, block)) {
                continue;
            }
            if self.facts.cfg.exits(block) {
                return false;
            }
            work.extend(self.next(Some(from), block).into_iter().map(|next| (block, next)));
        }
        true
    }

    /// Whether the loop is entered at a block, or one in it begins there.
    pub(super) fn is_header(&self, block: Block) -> bool {
        let loops = &self.facts.loops;
        self.cycle.entries.contains(&block) || loops.innermost(block).is_some_and(|id| loops.header(id) == block)
    }
}
