//! The steps that a branch or an atomic shows: others have moved, or the lane itself has.

use analysis::{Block, Value};
use ptx_parser::{Inst, Logic, Memory, Modifier, Operand, Relation};
use rustc_hash::FxHashSet;

use super::loop_facts::{LoopFacts, MOST_VALUES, Steps};
use crate::detect::alias::{bytes, place};
use crate::detect::lock_free::symbolic_access::is_result_used;

impl LoopFacts<'_> {
    /// The comparisons that hold, or do not, on an edge from a block.
    pub(super) fn conditions(&self, block: Block, to: Block) -> Vec<(Inst, bool)> {
        let (facts, kernel) = (self.facts, self.kernel);
        let mut successors = facts.cfg.succs(block).iter().filter(|successor| successor.block == to);
        let (Some(successor), None) = (successors.next(), successors.next()) else { return Vec::new() };
        let mut work: Vec<(Value, bool)> = facts.condition(kernel, block, successor.edge).into_iter().collect();
        let mut found = Vec::new();
        while let Some((value, holds)) = work.pop() {
            let Some(made) = facts.values.made_by(kernel, value).filter(|_| found.len() < MOST_VALUES) else {
                continue;
            };
            let properties = kernel.properties(made);
            if properties.comparison.is_some() {
                found.push((made, holds));
                continue;
            }
            if let Some((from, negated)) = facts.values.passed_on(kernel, value) {
                work.push((from, holds != negated));
                continue;
            }
            let inputs = facts.values.inputs(kernel, value);
            match properties.logic {
                Some(Logic::And) if holds => work.extend(inputs.into_iter().map(|input| (input, true))),
                Some(Logic::Or) if !holds => work.extend(inputs.into_iter().map(|input| (input, false))),
                _ => {}
            }
        }
        found
    }

    /// The edges behind a branch that tells whether what was read is what was read there before.
    pub(super) fn comparisons(&self, block: Block, steps: &mut Steps) {
        let (facts, kernel) = (self.facts, self.kernel);
        for to in facts.cfg.distinct_succs(block).into_iter().filter(|&to| self.contains(to)) {
            for (made, holds) in self.conditions(block, to) {
                let Some(comparison) = kernel.properties(made).comparison else { continue };
                let &[_, one, other] = kernel.operands(made) else { continue };
                let equal = match comparison.relation {
                    Relation::Equal => holds,
                    Relation::NotEqual => !holds,
                    _ => continue,
                };
                let of = |operand: &Operand| facts.values.of_operand(made, operand);
                let (Some(one), Some(other)) = (of(&one), of(&other)) else { continue };
                let Some((read, was)) = self.reread(one, other).or_else(|| self.reread(other, one)) else { continue };
                if !equal {
                    steps.told.entry((block, to)).or_default().push(read);
                } else if self.is_swap(read, was)
                    && self.leads_back(block, &[to])
                    && self.stays_by(block, read, &[was])
                    && !self.keeps_waiting(read, was)
                    && let Some(apart) = self.comes_to_end(read, was)
                    && let Some(link) = self.writes_news(read, was)
                {
                    steps.assumed.apart.extend(apart);
                    steps.assumed.ends.extend(link);
                    steps.swapped.entry((block, to)).or_default().push(read);
                    steps.assumed.steps.push(read);
                }
            }
        }
    }

    /// A comparison and swap at whose result nobody looks: a step, if nothing behind it tells whether to stay.
    pub(super) fn unlooked(&self, block: Block, inst: Inst, steps: &mut Steps) {
        let Some(wanted) = self.wanted(inst) else { return };
        let is_looked_at = is_result_used(self.facts, self.kernel, inst);
        let all = self.facts.cfg.distinct_succs(block);
        let leads_back = !self.facts.cfg.exits(block) && self.leads_back(block, &all);
        if is_looked_at || !self.is_fresh(wanted, inst) || !self.is_swap(inst, wanted) || !leads_back {
            return;
        }
        if !self.stays_by(block, inst, &[wanted]) || self.keeps_waiting(inst, wanted) {
            return;
        }
        let Some(apart) = self.comes_to_end(inst, wanted) else { return };
        let Some(link) = self.writes_news(inst, wanted) else { return };
        steps.assumed.ends.extend(link);
        for next in all.into_iter().filter(|&next| self.contains(next)) {
            steps.swapped.entry((block, next)).or_default().push(inst);
        }
        steps.assumed.steps.push(inst);
        steps.assumed.apart.extend(apart);
    }

    /// Returns whether a comparison and swap writes something else in each round, as far as that is read: the link behind what it finds, which is returned with what is assumed of that, or what a test tells
    /// from it. Where it writes what it has read at any other place, it changes nothing from the second time on until somebody writes there.
    fn writes_news(&self, swap: Inst, wanted: Value) -> Option<Option<Inst>> {
        let values = &self.facts.values;
        let wanted = self.origin(wanted);
        let new = self.swaps().find(|&(inst, _)| inst == swap).map(|(_, new)| self.origin(new));
        let Some((new, read)) = new.and_then(|new| Some((new, self.read(new).filter(|&read| read != swap)?))) else {
            return Some(None);
        };
        let is_counted = || {
            let properties = self.kernel.properties(read);
            properties.memory == Memory::Atomic && !self.kernel.opcode(read).has(Modifier::Cas)
        };
        // What the tests on the way compare the old value with.
        let compared = |&(made, holds): &(Inst, bool)| {
            let &[_, one, other] = self.kernel.operands(made) else { return None };
            let of = |operand: &Operand| values.of_operand(made, operand).map(|value| self.origin(value));
            let relation = self.kernel.properties(made).comparison?.relation_if(holds);
            match (of(&one)?, of(&other)?) {
                (first, second) if first == wanted => Some((relation, second)),
                (first, second) if second == wanted => Some((relation, first)),
                _ => None,
            }
        };
        let tests = self.on_the_way_to(self.facts.cfg.block_of(swap)?);
        let tests: Vec<(Relation, Value)> = tests.iter().filter_map(compared).collect();
        let is_link =
            |&(relation, other): &(Relation, Value)| relation == Relation::Equal && self.leads_from(other, read);
        if is_counted() || self.leads_from(wanted, read) || tests.iter().any(is_link) {
            return Some(Some(read));
        }
        tests.contains(&(Relation::NotEqual, new)).then_some(None)
    }

    /// A comparison and swap that helps another lane, and at whose result nobody looks: what it compares with is made of what was read in an array, which the lane
    /// stays because of, and it swaps in that array, where something says that is read where that tells. That this is the place where it was read is assumed.
    pub(super) fn helping(&self, block: Block, inst: Inst, steps: &mut Steps) {
        let Some(wanted) = self.wanted(inst) else { return };
        let is_looked_at = is_result_used(self.facts, self.kernel, inst);
        if is_looked_at || self.is_fresh(wanted, inst) || !self.is_swap(inst, wanted) {
            return;
        }
        let own = place(self.facts, self.kernel, inst);
        let is_there = |read: &Inst| {
            let other = place(self.facts, self.kernel, *read);
            bytes(self.kernel, *read) == bytes(self.kernel, inst) && !own.has_another_name(&other)
        };
        let mut reads = self.reads_behind(vec![wanted], MOST_VALUES);
        reads.retain(|read| *read != inst && is_there(read));
        let made = reads.iter().flat_map(|&read| self.facts.values.defs(read));
        let reasons: Vec<Value> = made.map(|&(_, made)| made).filter(|&made| self.is_found_by(inst, made)).collect();
        if reasons.is_empty() || self.keeps_waiting(inst, wanted) || self.may_turn(inst, wanted) {
            return;
        }
        let all = self.facts.cfg.distinct_succs(block);
        let stays_by_them = if self.facts.cfg.exits(block) || !self.leads_back(block, &all) {
            // It is decided behind the swap, by what is read there in the next round.
            let reasons = reasons.into_iter().collect();
            let is_tested =
                |&to: &Block| self.conditions(block, to).iter().any(|&(made, _)| self.depends_on(made, &reasons));
            all.iter().filter(|&&to| self.contains(to)).all(is_tested)
        } else {
            self.stays_by(block, inst, &reasons)
        };
        if stays_by_them {
            steps.edges.extend(all.into_iter().filter(|&next| self.contains(next)).map(|next| (block, next)));
            steps.assumed.helps.push(inst);
        }
    }

    /// Returns true if an access is where something says that is read where a value tells.
    fn is_found_by(&self, access: Inst, value: Value) -> bool {
        let mut work: Vec<(Value, bool)> = self.read_at(access).map(|at| (at, false)).into_iter().collect();
        let mut seen: FxHashSet<(Value, bool)> = work.iter().copied().collect();
        while let Some((at, through_memory)) = work.pop() {
            if at == value {
                if through_memory {
                    return true;
                }
                continue;
            }
            if seen.len() > MOST_VALUES || !self.contains(self.facts.values.block(at)) {
                continue;
            }
            let (inputs, through_memory) = match self.read(at) {
                Some(read) => (self.read_at(read).into_iter().collect(), true),
                None => (self.facts.values.inputs(self.kernel, at).to_vec(), through_memory),
            };
            let inputs = inputs.into_iter().map(|input| (input, through_memory));
            work.extend(inputs.filter(|&input| seen.insert(input)));
        }
        false
    }

    /// Returns true if a lane that has come by a comparison and swap, to a block behind it, stays because of what that compares with, or is made from, or of what it finds: then it
    /// decides anew in the next round. Where it stays because of something else, it may change memory again and again while it waits for that. A swap
    /// that takes a link further counts if the lane could have left by another test of what is compared.
    fn stays_by(&self, block: Block, swap: Inst, of: &[Value]) -> bool {
        let cfg = &self.facts.cfg;
        let mut reasons: FxHashSet<Value> = self.facts.values.defs(swap).iter().map(|&(_, made)| made).collect();
        reasons.extend(of.iter().map(|&value| self.origin(value)));
        let is_settled = |block: Block| !cfg.exits(block) && self.leads_back(block, &cfg.distinct_succs(block));
        if !is_settled(block) {
            // It is decided by the branch there, which compares the result.
            return true;
        }
        let is_tested = |pred: Block, block: Block| {
            self.conditions(pred, block).iter().any(|&(made, _)| self.depends_on(made, &reasons))
        };
        let takes_link_further = self.takes_link_further(swap);
        let (mut seen, mut work) = (FxHashSet::default(), vec![block]);
        while let Some(block) = work.pop() {
            if self.is_header(block) {
                return false;
            }
            for &pred in cfg.preds(block).iter().filter(|&&pred| self.contains(pred)) {
                let settled = is_settled(pred);
                if !settled && is_tested(pred, block) {
                    continue;
                }
                if !settled && !takes_link_further {
                    return false;
                }
                work.extend(seen.insert(pred).then_some(pred));
            }
        }
        true
    }

    /// Returns true if what a comparison and swap writes is made from what was read somewhere else than where it writes.
    fn takes_link_further(&self, swap: Inst) -> bool {
        let Some((_, new)) = self.swaps().find(|&(inst, _)| inst == swap) else { return false };
        let (mut seen, mut work) = (FxHashSet::default(), vec![self.origin(new)]);
        while let Some(value) = work.pop() {
            match self.read(value) {
                Some(read) if read != swap && self.address(read) != self.address(swap) => return true,
                Some(_) => continue,
                None => {}
            }
            if seen.len() > MOST_VALUES || !self.contains(self.facts.values.block(value)) {
                continue;
            }
            let inputs = self.facts.values.inputs(self.kernel, value).into_iter().map(|input| self.origin(input));
            work.extend(inputs.filter(|&input| seen.insert(input)));
        }
        false
    }

    /// Returns true if what a comparison compares is made from one of some values, also by addresses that it was read at.
    fn depends_on(&self, comparison: Inst, reasons: &FxHashSet<Value>) -> bool {
        let values = &self.facts.values;
        let mut work: Vec<Value> = values.uses(comparison).iter().map(|&(_, value)| self.origin(value)).collect();
        let mut seen: FxHashSet<Value> = work.iter().copied().collect();
        while let Some(value) = work.pop() {
            if reasons.contains(&value) {
                return true;
            }
            if seen.len() > MOST_VALUES || !self.contains(values.block(value)) {
                continue;
            }
            let inputs = values.inputs(self.kernel, value).into_iter().map(|input| self.origin(input));
            work.extend(inputs.filter(|&input| seen.insert(input)));
        }
        false
    }

    /// The comparisons that whoever stays has come by, where others leave.
    ///
    /// With each, whether it holds where one stays.
    pub(super) fn deciding(&self) -> impl Iterator<Item = (Inst, bool)> + '_ {
        let blocks = self.cycle.blocks(self.facts).iter().filter(|&&block| self.contains(block));
        blocks.flat_map(move |&block| {
            let all = self.facts.cfg.distinct_succs(block);
            let leaves = all.iter().any(|&next| self.leads_out(block, next));
            let stays = all.into_iter().filter(move |&next| leaves && self.contains(next));
            stays.flat_map(move |next| self.conditions(block, next))
        })
    }

    /// The comparisons that whoever takes an edge has come by in the same round, where others do not come to it.
    ///
    /// With each, whether it holds on the way to the edge.
    pub(super) fn deciding_on(&self, edge: (Block, Block)) -> impl Iterator<Item = (Inst, bool)> + '_ {
        let blocks = self.cycle.blocks(self.facts).iter().filter(|&&block| self.contains(block));
        blocks.flat_map(move |&block| {
            let all = self.facts.cfg.distinct_succs(block);
            let (to, others): (Vec<Block>, Vec<Block>) =
                all.into_iter().partition(|&next| self.leads_by((block, next), edge));
            let to = to.into_iter().filter(move |_| !others.is_empty());
            to.flat_map(move |next| self.conditions(block, next))
        })
    }

    /// Returns true if a lane may take an edge in this round once it has taken another one.
    fn leads_by(&self, by: (Block, Block), edge: (Block, Block)) -> bool {
        let begins = |block: Block| {
            let is_of_inner = |id| self.facts.loops.header(id) == block;
            self.inner.map_or_else(|| self.cycle.entries.contains(&block), is_of_inner)
        };
        let (mut seen, mut work) = (FxHashSet::default(), vec![by]);
        while let Some((from, to)) = work.pop() {
            if (from, to) == edge {
                return true;
            }
            if self.contains(to) && !begins(to) && seen.insert(to) {
                work.extend(self.facts.cfg.distinct_succs(to).into_iter().map(|next| (to, next)));
            }
        }
        false
    }
}
