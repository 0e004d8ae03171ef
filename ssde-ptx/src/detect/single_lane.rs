//! Code that one lane of a warp executes at most, and always the same one: `if (threadIdx.x == 0)` and the like.
//!
//! A write is blocked by a loop where lanes that would execute it wait for a lane that is in the loop. If of each warp only one lane comes to the
//! loop, and only that lane comes to the write, then whoever would execute the write is in the loop itself, and comes to it when it has left: so
//! it does on every machine. This also holds of writes that are waited for at second hand, since in no warp does the loop keep back the write.
//! What the loop waits for is then written by another warp, if at all.
//!
//! # What is known of a lane
//!
//! A block that is only come to by one way of a branch is executed under that branch's condition. From equality with a constant follow the number of
//! the lane in its warp (`%laneid`), or that of the thread in each dimension of the CTA. All three dimensions must be known, or the others have a size of 1
//! (`.reqntid`; `.maxntid` says nothing of a single dimension, PTX ISA, "Performance-Tuning Directives"): of a warp of a CTA of 8 by 4
//! threads, four lanes have `%tid.x` 0. Sums and products of dimensions are 0 where each of them is, for they are too small to overflow.

use analysis::{Analyses, Block, Value};
use cranelift_entity::SecondaryMap;
use ptx_parser::{Component, Inst, Kernel, Linear, Logic, Operand, Operator, Relation, Running, Special, SpecialName};

/// The greatest depth to which conditions are followed.
const DEEPEST: u32 = 16;

/// The threads of the largest CTA, and so the largest size of a dimension.
const LARGEST: u64 = 1024;

/// The one lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lane {
    /// That of this number in its warp.
    Numbered(i64),
    /// The thread at this place in its CTA.
    Thread([i64; 3]),
}

/// The lane number and the thread number of a lane, as far as they are known.
#[derive(Clone, Copy, Default)]
struct Known {
    lane: Option<i64>,
    thread: [Option<i64>; 3],
}

/// The lanes of a kernel's blocks, for those that one lane of a warp alone comes to.
pub(crate) struct Lanes {
    known: SecondaryMap<Block, Known>,
    sizes: [Option<u32>; 3],
}

impl Lanes {
    /// Looks at all branches once. What is known of a block is what follows from the last edge to it and what is known of its immediate dominator, which
    /// goes before.
    pub(crate) fn of(facts: &Analyses, kernel: &Kernel) -> Lanes {
        let look = Look { facts, kernel };
        let mut known: SecondaryMap<Block, Known> = SecondaryMap::new();
        for &block in facts.cfg.reverse_postorder() {
            let Some(branch) = facts.dominators.idom(block) else { continue };
            let mut here = Known::default();
            look.add_condition(branch, block, &mut here);
            known[block] = known[branch].or(here);
        }
        Lanes { known, sizes: look.sizes() }
    }

    /// The lane that executes all of these blocks, if no other lane of its warp executes any.
    pub(crate) fn only_lane_of(&self, blocks: &[Block]) -> Option<Lane> {
        let mut lanes = blocks.iter().map(|&block| self.lane(block));
        let first = lanes.next()??;
        lanes.all(|lane| lane == Some(first)).then_some(first)
    }

    fn lane(&self, block: Block) -> Option<Lane> {
        let known = self.known[block];
        let ([x, y, z], [width, height, depth]) = (known.thread, self.sizes);
        let place = |known: Option<i64>, size: Option<u32>| known.or_else(|| (size == Some(1)).then_some(0));
        let thread = || Some(Lane::Thread([place(x, width)?, place(y, height)?, place(z, depth)?]));
        known.lane.map(Lane::Numbered).or_else(thread)
    }
}

impl Known {
    /// Returns what is known here, and else there.
    fn or(self, there: Known) -> Known {
        let [one, two, three] = self.thread;
        let [first, second, third] = there.thread;
        Known { lane: self.lane.or(there.lane), thread: [one.or(first), two.or(second), three.or(third)] }
    }
}

struct Look<'a> {
    facts: &'a Analyses,
    kernel: &'a Kernel,
}

impl Look<'_> {
    /// The sizes of the CTA, as far as they are known.
    fn sizes(&self) -> [Option<u32>; 3] {
        let required = self.kernel.directives().iter().find(|directive| &*directive.name == "reqntid");
        let size = |dimension: usize| required.map(|required| required.values.get(dimension).copied().unwrap_or(1));
        [size(0), size(1), size(2)]
    }

    /// Adds the facts that hold if control comes to a block from its immediate dominator, a branch.
    fn add_condition(&self, branch: Block, block: Block, known: &mut Known) {
        let ways = self.facts.cfg.succs(branch);
        let only = |way: Block| {
            // Every way to the block is by this edge.
            let others = self.facts.cfg.preds(way).iter().filter(|&&pred| pred != branch);
            let mut back = others.map(|&pred| self.facts.dominators.dominates(way, pred));
            self.facts.dominators.dominates(way, block) && back.all(|back| back)
        };
        let [one, other] = ways else { return };
        let Some(way) = [one, other].into_iter().find(|way| only(way.block)).filter(|_| one.block != other.block)
        else {
            return;
        };
        if let Some((condition, holds)) = self.facts.condition(self.kernel, branch, way.edge) {
            self.add_truth(condition, holds, known, DEEPEST);
        }
    }

    /// Adds the facts that hold if a predicate is true, or is false.
    fn add_truth(&self, predicate: Value, holds: bool, known: &mut Known, depth: u32) {
        let (Some(depth), Some(inst)) = (depth.checked_sub(1), self.facts.values.made_by(self.kernel, predicate))
        else {
            return;
        };
        let properties = self.kernel.properties(inst);
        if let Some(comparison) = properties.comparison {
            let equal = if holds { Relation::Equal } else { Relation::NotEqual };
            if comparison.relation == equal
                && let [_, one, Operand::Int(number)] | [_, Operand::Int(number), one] = self.kernel.operands(inst)
            {
                self.add_value(inst, one, *number, known, depth);
            }
            return;
        }
        if let Some((from, negated)) = self.facts.values.passed_on(self.kernel, predicate) {
            return self.add_truth(from, holds != negated, known, depth);
        }
        let add = |operand: &Operand, holds: bool, known: &mut Known| {
            if let Some(input) = self.facts.values.of_operand(inst, operand) {
                self.add_truth(input, holds, known, depth);
            }
        };
        match (properties.logic, self.kernel.operands(inst)) {
            (Some(Logic::And), [_, inputs @ ..]) if holds => inputs.iter().for_each(|one| add(one, true, known)),
            (Some(Logic::Or), [_, inputs @ ..]) if !holds => inputs.iter().for_each(|one| add(one, false, known)),
            _ => {}
        }
    }

    /// Adds the facts that hold if the value of an operand is `number`.
    fn add_value(&self, at: Inst, operand: &Operand, number: i64, known: &mut Known, depth: u32) {
        if let Operand::Special(special) = operand {
            return add_special(*special, number, known);
        }
        let (Some(depth), Some((inst, operands))) = (depth.checked_sub(1), self.computed(at, operand)) else { return };
        let properties = self.kernel.properties(inst);
        let is_or = matches!(properties.running, Some(Running::Fold { operator: Operator::Or, .. }));
        let all_zero = |operands: [&Operand; 2], known: &mut Known| {
            operands.into_iter().for_each(|operand| self.add_value(inst, operand, 0, known, depth));
        };
        let small = || self.made_at_most(inst, depth).is_some();
        match (properties.linear, operands) {
            (Some(Linear::Same), [_, one @ Operand::Special(_)]) => self.add_value(inst, one, number, known, depth),
            (_, [_, one]) if properties.running == Some(Running::Copy) => {
                self.add_value(inst, one, number, known, depth);
            }
            (linear, [_, one, other]) if number == 0 && (is_or || linear == Some(Linear::Sum) && small()) => {
                all_zero([one, other], known);
            }
            // The size of a dimension is not 0.
            (Some(Linear::ProductSum), [_, one, other, added]) if number == 0 && small() => {
                all_zero([if self.is_size(inst, one) { other } else { one }, added], known);
            }
            _ => {}
        }
    }

    /// The largest number that an operand can be, if it is made of numbers of the thread, none of which is negative.
    fn at_most(&self, at: Inst, operand: &Operand, depth: u32) -> Option<u64> {
        match self.computed(at, operand) {
            Some((inst, _)) => self.made_at_most(inst, depth),
            None => {
                matches!(operand, Operand::Special(special) if special.name == SpecialName::Tid).then_some(LARGEST - 1)
            }
        }
    }

    /// The same of what an instruction makes, in which nothing overflows.
    fn made_at_most(&self, inst: Inst, depth: u32) -> Option<u64> {
        let depth = depth.checked_sub(1)?;
        let of = |operand: &Operand| self.at_most(inst, operand, depth);
        let most = match (self.kernel.properties(inst).linear?, self.kernel.operands(inst)) {
            (Linear::Same, [_, one]) => of(one)?,
            (Linear::Sum, [_, one, other]) => of(one)? + of(other)?,
            (Linear::ProductSum, [_, one, other, added]) => {
                let factor = match (self.is_size(inst, one), self.is_size(inst, other)) {
                    (true, _) => other,
                    (_, true) => one,
                    _ => return None,
                };
                of(factor)?.checked_mul(LARGEST)? + of(added)?
            }
            _ => return None,
        };
        let wide = self.kernel.opcode(inst).types().iter().all(|ty| ty.bytes() >= 4);
        (wide && most < 1 << 31).then_some(most)
    }

    /// Returns true if an operand is the size of the CTA in a dimension.
    fn is_size(&self, at: Inst, operand: &Operand) -> bool {
        let special = match self.computed(at, operand) {
            Some((inst, [_, special])) if self.kernel.properties(inst).linear == Some(Linear::Same) => special,
            Some(_) => return false,
            None => operand,
        };
        matches!(special, Operand::Special(special) if special.name == SpecialName::Ntid)
    }

    /// The instruction that makes what is in a register.
    fn computed(&self, at: Inst, operand: &Operand) -> Option<(Inst, &[Operand])> {
        let value = self.facts.values.of_operand(at, operand)?;
        let inst = self.facts.values.made_by(self.kernel, value)?;
        Some((inst, self.kernel.operands(inst)))
    }
}

fn add_special(special: Special, number: i64, known: &mut Known) {
    match (special.name, special.component) {
        (SpecialName::Laneid, _) => known.lane = Some(number),
        (SpecialName::Tid, Some(Component::X)) => known.thread[0] = Some(number),
        (SpecialName::Tid, Some(Component::Y)) => known.thread[1] = Some(number),
        (SpecialName::Tid, Some(Component::Z)) => known.thread[2] = Some(number),
        _ => {}
    }
}
