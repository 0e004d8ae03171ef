//! The ways around a loop, as far as flags that were set on a way say which branches are taken.

use analysis::{Block, Edge, Loop, Value, ValueKind};
use ptx_parser::{Number, Operand};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Look, Steps};
use crate::lock_free::bounded::Bound;
use crate::lock_free::terms::{cut, signed};

impl Look<'_> {
    /// Whether a way leads around in the loop over no step. Loops in it that end by themselves go round but once.
    pub(super) fn goes_round(&self, steps: &Steps) -> bool {
        if self.comes_back(steps) {
            return true;
        }
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

    /// Whether a way leads from where the loop is entered back to there that leads over no step but those by which a loop in it goes round: who walks over links in each
    /// round, and begins anew, does not move on by that.
    fn comes_back(&self, steps: &Steps) -> bool {
        let loops = &self.facts.loops;
        let goes_round_inside = |from: Block, to: Block| {
            let is_back = |id: Loop| loops.header(id) == to && loops.contains(id, from);
            let inner = loops.innermost(to).filter(|&id| is_back(id) && self.contains_all(id));
            inner.is_some() && !self.cycle.entries.contains(&to)
        };
        let is_free = |from: Block, to: Block| !steps.edges.contains(&(from, to)) || goes_round_inside(from, to);
        let mut work: Vec<(Option<Block>, Block)> = self.cycle.entries.iter().map(|&entry| (None, entry)).collect();
        let mut seen: FxHashSet<(Option<Block>, Block)> = FxHashSet::default();
        while let Some((from, block)) = work.pop() {
            for next in self.next(from, block) {
                if !self.contains(next) || !is_free(block, next) {
                    continue;
                }
                if self.cycle.entries.contains(&next) {
                    return true;
                }
                work.extend(seen.insert((Some(block), next)).then_some((Some(block), next)));
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
        let flag = facts.values.at_use(branch, guard.reg);
        let set = flag.and_then(|flag| match self.on_way(flag, from, block) {
            Some(input) => facts.values.truth(kernel, input),
            None => self.compared_on_way(flag, from, block),
        });
        let Some(holds) = set else { return all() };
        let taken = facts.cfg.succs(block).iter().filter(|successor| match successor.edge {
            Edge::Taken => holds != guard.negated,
            Edge::Fallthrough => holds == guard.negated,
            Edge::Indirect => true,
        });
        taken.map(|successor| successor.block).collect()
    }

    /// What a value that begins in a block is on the way from another one.
    pub(super) fn on_way(&self, value: Value, from: Block, block: Block) -> Option<Value> {
        let values = &self.facts.values;
        let begins = values.block(value) == block && matches!(values.kind(value), ValueKind::Phi(..));
        let inputs = if begins { values.phi_inputs(value) } else { &[] };
        inputs.iter().find(|&&(pred, _)| pred == from).map(|&(_, input)| input)
    }

    /// Whether a comparison in a block holds on the way from another one, on which a number is set that is compared with another number.
    fn compared_on_way(&self, flag: Value, from: Block, block: Block) -> Option<bool> {
        let (values, kernel) = (&self.facts.values, self.kernel);
        let made = values.made_by(kernel, flag).filter(|_| values.block(flag) == block)?;
        let (comparison, &[_, one, other]) = (kernel.properties(made).comparison?, kernel.operands(made)) else {
            return None;
        };
        if values.defs(made).len() != 1 || comparison.number == Number::Float {
            return None;
        }
        let number = |operand: &Operand| {
            let is_as_wide = |value: &Value| kernel.reg(values.reg(*value)).ty.bits() == comparison.bits;
            let compared = || values.of_operand(made, operand).map(|value| self.origin(value)).filter(is_as_wide);
            let set = || self.on_way(compared()?, from, block);
            values.constant(kernel, made, operand).or_else(|| values.copied_to(kernel, set()?))
        };
        let as_compared = |number: i64| {
            let number = cut(number.cast_unsigned(), comparison.bits);
            if comparison.number == Number::Signed {
                i128::from(signed(number, comparison.bits))
            } else {
                number.into()
            }
        };
        let (one, other) = (as_compared(number(&one)?), as_compared(number(&other)?));
        Some(comparison.relation.holds(one.cmp(&other)))
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
