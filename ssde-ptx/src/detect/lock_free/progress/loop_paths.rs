//! The ways around a loop, as far as flags that were set on a way say which branches are taken.

use analysis::{Block, Loop, Value, ValueKind};
use ptx_parser::{Mnemonic, Number, Operand};
use rustc_hash::{FxHashMap, FxHashSet};

use super::loop_facts::{LoopFacts, MOST_VALUES, Steps};
use crate::detect::lock_free::symbolic_arithmetic::converted;
use crate::detect::lock_free::terms::{as_compared, cut};

/// The edge by which a lane has come to where ways met last: from a block to another one.
pub(super) type Edge = (Block, Block);

impl LoopFacts<'_> {
    /// Returns true if a way leads around in the loop over no step. Loops in it go round but once: that they end is asked of them by themselves.
    pub(super) fn goes_round(&self, steps: &Steps) -> bool {
        if self.comes_back(steps) {
            return true;
        }
        let next = |(by, block): (Option<Edge>, Block)| -> Vec<(Option<Edge>, Block)> {
            let all = self.next(by, block).into_iter();
            let all = all.filter(|&next| self.contains(next) && !steps.edges.contains(&(block, next)));
            let all = all.filter(|&next| self.begins_at(next).is_none_or(|id| !self.facts.loops.contains(id, block)));
            // What a flag is in the first round of such a loop says nothing of the last one.
            all.map(|next| (self.came_by(by, block, next).filter(|_| self.begins_at(next).is_none()), next)).collect()
        };
        // Whether an edge is on the way that is being followed.
        let mut under_way: FxHashMap<(Option<Edge>, Block), bool> = FxHashMap::default();
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

    /// Returns true if a way leads from where the loop is entered back to there that leads over no step but those by which a loop in it goes round: who walks over links in each
    /// round, and begins anew, does not move on by that.
    fn comes_back(&self, steps: &Steps) -> bool {
        let loops = &self.facts.loops;
        let goes_round_inside = |from: Block, to: Block| {
            let is_back = |id: Loop| loops.header(id) == to && loops.contains(id, from);
            let inner = loops.innermost(to).filter(|&id| is_back(id) && self.contains_all(id));
            inner.is_some() && !self.cycle.entries.contains(&to)
        };
        let is_free = |from: Block, to: Block| !steps.edges.contains(&(from, to)) || goes_round_inside(from, to);
        let mut work: Vec<(Option<Edge>, Block)> = self.cycle.entries.iter().map(|&entry| (None, entry)).collect();
        let mut seen: FxHashSet<(Option<Edge>, Block)> = FxHashSet::default();
        while let Some((by, block)) = work.pop() {
            for next in self.next(by, block) {
                if !self.contains(next) || !is_free(block, next) {
                    continue;
                }
                if self.cycle.entries.contains(&next) {
                    return true;
                }
                let way = (self.came_by(by, block, next), next);
                work.extend(seen.insert(way).then_some(way));
            }
        }
        false
    }

    /// The loop in this one that begins at a block. Whether it ends is asked of it by itself.
    fn begins_at(&self, block: Block) -> Option<Loop> {
        let id = self.facts.loops.innermost(block).filter(|&id| self.facts.loops.header(id) == block)?;
        (self.contains_all(id) && self.cycle.natural() != Some(id)).then_some(id)
    }

    /// The edge by which a lane has come to where ways met last, once it goes on from a block to another one.
    pub(super) fn came_by(&self, by: Option<Edge>, block: Block, next: Block) -> Option<Edge> {
        if self.facts.cfg.preds(next) == [block] { by } else { Some((block, next)) }
    }

    /// The blocks behind one: a flag that was set on the way there says which.
    pub(super) fn next(&self, by: Option<Edge>, block: Block) -> Vec<Block> {
        let (facts, kernel) = (self.facts, self.kernel);
        let all = || facts.cfg.distinct_succs(block).to_vec();
        let guard = facts.cfg.terminator(block).and_then(|branch| Some((branch, kernel.inst(branch).guard?)));
        let (Some(by), Some((branch, guard))) = (by, guard) else { return all() };
        let flag = facts.values.at_use(branch, guard.reg);
        let Some(holds) = flag.and_then(|flag| self.set_on_way(flag, by)) else { return all() };
        let taken = facts.cfg.succs(block).iter().filter(|successor| match successor.edge {
            analysis::Edge::Taken => holds != guard.negated,
            analysis::Edge::Fallthrough => holds == guard.negated,
            analysis::Edge::Indirect => true,
        });
        taken.map(|successor| successor.block).collect()
    }

    /// Returns what a value that begins in a block is on the way from another one.
    pub(super) fn on_way(&self, value: Value, from: Block, block: Block) -> Option<Value> {
        let values = &self.facts.values;
        let begins = values.block(value) == block && matches!(values.kind(value), ValueKind::Phi(..));
        let inputs = if begins { values.phi_inputs(value) } else { &[] };
        inputs.iter().find(|&&(pred, _)| pred == from).map(|&(_, input)| input)
    }

    /// Returns what a predicate is for a lane that has come by an edge, if a flag that it has set before says so.
    fn set_on_way(&self, flag: Value, by: Edge) -> Option<bool> {
        let (values, kernel) = (&self.facts.values, self.kernel);
        let (mut flag, mut is_negated) = (flag, false);
        for _ in 0..MOST_VALUES {
            let Some((other, negated)) = values.passed_on(kernel, flag) else { break };
            (flag, is_negated) = (other, is_negated != negated);
        }
        let set = match self.on_way(flag, by.0, by.1) {
            Some(input) => values.truth(kernel, input),
            None => self.compared_on_way(flag, by),
        };
        set.map(|set| set != is_negated)
    }

    /// Returns whether a comparison with a number holds for a lane that has come by an edge, if it has set the other number before.
    fn compared_on_way(&self, flag: Value, by: Edge) -> Option<bool> {
        let (values, kernel) = (&self.facts.values, self.kernel);
        let made = values.made_by(kernel, flag)?;
        let (comparison, &[_, one, other]) = (kernel.properties(made).comparison?, kernel.operands(made)) else {
            return None;
        };
        if values.defs(made).len() != 1 || comparison.number == Number::Float {
            return None;
        }
        let number = |operand: &Operand| {
            let is_as_wide = |value: &Value| kernel.reg(values.reg(*value)).ty.bits() == comparison.bits;
            let set = || self.number_on_way(values.of_operand(made, operand).filter(is_as_wide)?, by);
            values.constant(kernel, made, operand).map(i64::cast_unsigned).or_else(set)
        };
        let [one, other] = [number(&one)?, number(&other)?].map(|number| as_compared(number, comparison));
        Some(comparison.relation.holds(one.cmp(&other)))
    }

    /// Returns what a value is for a lane that has come by an edge, if it is made by copies, masks and conversions from a number that the lane has set before.
    fn number_on_way(&self, value: Value, (from, to): Edge) -> Option<u64> {
        let (values, kernel) = (&self.facts.values, self.kernel);
        let (mut value, mut made_of_it) = (self.origin(value), Vec::new());
        let set = loop {
            if let Some(input) = self.on_way(value, from, to) {
                break self.moved(input)?;
            }
            let made = values.made_by(kernel, value).filter(|_| made_of_it.len() < MOST_VALUES)?;
            made_of_it.push(made);
            let flag = kernel.operands(made).get(1).and_then(|flag| values.of_operand(made, flag))?;
            value = self.origin(flag);
        };
        made_of_it.into_iter().rev().try_fold(set.cast_unsigned(), |number, made| {
            let (opcode, operands) = (kernel.opcode(made), kernel.operands(made));
            let bits = opcode.types().first()?.bits();
            match (opcode.mnemonic(), operands) {
                (Mnemonic::And, [_, _, mask]) => {
                    Some(cut(number & values.constant(kernel, made, mask)?.cast_unsigned(), bits))
                }
                (Mnemonic::Cvt, [_, _]) => Some(converted(opcode.types())?(number)),
                (Mnemonic::Mov, [_, Operand::Reg(_)]) => Some(cut(number, bits)),
                _ => None,
            }
        })
    }

    /// The number that a value of any width is by copies alone.
    fn moved(&self, value: Value) -> Option<i64> {
        let (values, kernel) = (&self.facts.values, self.kernel);
        let mut value = value;
        for _ in 0..MOST_VALUES {
            let made = values.made_by(kernel, value).filter(|&made| kernel.opcode(made).mnemonic() == Mnemonic::Mov)?;
            match kernel.operands(made) {
                [_, Operand::Int(number)] => return Some(*number),
                [_, from @ Operand::Reg(_)] => value = values.of_operand(made, from)?,
                _ => return None,
            }
        }
        None
    }

    /// Returns true if all ways behind an edge lead out of the loop, without coming by where it, or one in it, begins.
    pub(super) fn leads_out(&self, from: Block, to: Block) -> bool {
        let mut seen = FxHashSet::default();
        let mut work = vec![(self.came_by(None, from, to), to)];
        while let Some((by, block)) = work.pop() {
            if !self.contains(block) || !seen.insert((by, block)) {
                continue;
            }
            if self.is_header(block) {
                return false;
            }
            work.extend(self.next(by, block).into_iter().map(|next| (self.came_by(by, block, next), next)));
        }
        true
    }

    /// Returns true if all ways behind a block come back to where the loop, or one in it, begins, without a branch that leads out.
    pub(super) fn leads_back(&self, from: Block, to: &[Block]) -> bool {
        let mut seen = FxHashSet::default();
        let mut work: Vec<(Option<Edge>, Block)> = to.iter().map(|&to| (self.came_by(None, from, to), to)).collect();
        while let Some((by, block)) = work.pop() {
            if !self.contains(block) {
                return false;
            }
            if self.is_header(block) || !seen.insert((by, block)) {
                continue;
            }
            if self.facts.cfg.exits(block) {
                return false;
            }
            work.extend(self.next(by, block).into_iter().map(|next| (self.came_by(by, block, next), next)));
        }
        true
    }

    /// Returns true if the loop is entered at a block, or one in it begins there.
    pub(super) fn is_header(&self, block: Block) -> bool {
        let loops = &self.facts.loops;
        self.cycle.entries.contains(&block) || loops.innermost(block).is_some_and(|id| loops.header(id) == block)
    }
}
