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

use analysis::{Analyses, Block, Edge, Value, ValueKind};
use ptx_parser::{
    Component, Inst, Kernel, Linear, Logic, Operand, Operator, Reg, Relation, Running, Special, SpecialName,
};

/// How deep conditions are followed.
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

/// What a lane's numbers are known to be.
#[derive(Clone, Copy, Default)]
struct Known {
    lane: Option<i64>,
    thread: [Option<i64>; 3],
}

/// The lane that executes all of these blocks, if no other lane of its warp executes any.
pub(crate) fn alone(facts: &Analyses, kernel: &Kernel, blocks: &[Block]) -> Option<Lane> {
    let look = Look { facts, kernel };
    let mut lanes = blocks.iter().map(|&block| look.lane(block));
    let first = lanes.next()??;
    lanes.all(|lane| lane == Some(first)).then_some(first)
}

struct Look<'a> {
    facts: &'a Analyses,
    kernel: &'a Kernel,
}

impl Look<'_> {
    fn lane(&self, block: Block) -> Option<Lane> {
        let mut known = Known::default();
        let mut inner = block;
        while let Some(branch) = self.facts.dominators.idom(inner) {
            self.add_condition(branch, block, &mut known);
            inner = branch;
        }
        let flat = |dimension: usize| self.sizes()[dimension] == Some(1);
        let place = |dimension: usize| known.thread[dimension].or_else(|| flat(dimension).then_some(0));
        known.lane.map(Lane::Numbered).or_else(|| Some(Lane::Thread([place(0)?, place(1)?, place(2)?])))
    }

    /// The sizes of the CTA, as far as they are known.
    fn sizes(&self) -> [Option<u32>; 3] {
        let required = self.kernel.directives().iter().find(|directive| &*directive.name == "reqntid");
        let size = |dimension: usize| required.map(|required| required.values.get(dimension).copied().unwrap_or(1));
        [size(0), size(1), size(2)]
    }

    /// What follows from coming to a block by a branch.
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
        let Some(inst) = self.facts.cfg.terminator(branch) else { return };
        let Some(guard) = self.kernel.inst(inst).guard else { return };
        let Some(condition) = self.facts.values.at_use(inst, guard.reg) else { return };
        let holds = match way.edge {
            Edge::Taken => !guard.negated,
            Edge::Fallthrough => guard.negated,
            Edge::Indirect => return,
        };
        self.add_truth(condition, holds, known, DEEPEST);
    }

    /// What follows from a predicate that holds, or does not.
    fn add_truth(&self, predicate: Value, holds: bool, known: &mut Known, depth: u32) {
        let (Some(depth), Some(inst)) = (depth.checked_sub(1), self.definition(predicate)) else { return };
        let properties = self.kernel.properties(inst);
        if let Some(comparison) = properties.comparison {
            let equal = if holds { Relation::Equal } else { Relation::NotEqual };
            if comparison.relation == equal {
                match *self.kernel.operands(inst) {
                    [_, Operand::Reg(reg), Operand::Int(number)] | [_, Operand::Int(number), Operand::Reg(reg)] => {
                        self.add_value(inst, reg, number, known, depth);
                    }
                    [_, Operand::Special(special), Operand::Int(number)] => add_special(special, number, known),
                    _ => {}
                }
            }
            return;
        }
        let add = |operand: &Operand, holds: bool, known: &mut Known| {
            if let Operand::Reg(reg) = operand
                && let Some(input) = self.facts.values.at_use(inst, *reg)
            {
                self.add_truth(input, holds, known, depth);
            }
        };
        match (properties.logic, self.kernel.operands(inst)) {
            (Some(Logic::Same), [_, one]) => add(one, holds, known),
            (Some(Logic::Not), [_, one]) => add(one, !holds, known),
            (Some(Logic::And), [_, inputs @ ..]) if holds => inputs.iter().for_each(|one| add(one, true, known)),
            (Some(Logic::Or), [_, inputs @ ..]) if !holds => inputs.iter().for_each(|one| add(one, false, known)),
            _ => {}
        }
    }

    /// What follows from a register that holds a number.
    fn add_value(&self, at: Inst, reg: Reg, number: i64, known: &mut Known, depth: u32) {
        let value = self.facts.values.at_use(at, reg);
        let (Some(depth), Some(inst)) = (depth.checked_sub(1), value.and_then(|value| self.definition(value))) else {
            return;
        };
        let operands = self.kernel.operands(inst);
        let properties = self.kernel.properties(inst);
        let is_or = matches!(properties.running, Some(Running::Fold { operator: Operator::Or, .. }));
        match (properties.linear, operands) {
            (_, &[_, Operand::Special(special)]) if properties.linear == Some(Linear::Same) => {
                add_special(special, number, known);
            }
            (_, &[_, Operand::Reg(reg)]) if properties.running == Some(Running::Copy) => {
                self.add_value(inst, reg, number, known, depth);
            }
            (_, &[_, one, other]) if number == 0 && is_or => {
                [one, other].iter().for_each(|operand| self.add_zero(inst, operand, known, depth));
            }
            (Some(Linear::Sum), &[_, one, other]) if number == 0 && self.made_at_most(inst, depth).is_some() => {
                [one, other].iter().for_each(|operand| self.add_zero(inst, operand, known, depth));
            }
            // The size of a dimension is not 0.
            (Some(Linear::ProductSum), &[_, one, other, added])
                if number == 0 && self.made_at_most(inst, depth).is_some() =>
            {
                let factor = if self.is_size(inst, &one) { other } else { one };
                [factor, added].iter().for_each(|operand| self.add_zero(inst, operand, known, depth));
            }
            _ => {}
        }
    }

    fn add_zero(&self, at: Inst, operand: &Operand, known: &mut Known, depth: u32) {
        match operand {
            Operand::Reg(reg) => self.add_value(at, *reg, 0, known, depth),
            Operand::Special(special) => add_special(*special, 0, known),
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

    /// Whether an operand is the size of the CTA in a dimension.
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
        let Operand::Reg(reg) = operand else { return None };
        let inst = self.definition(self.facts.values.at_use(at, *reg)?)?;
        Some((inst, self.kernel.operands(inst)))
    }

    /// The instruction that makes a value, if that is always executed.
    fn definition(&self, value: Value) -> Option<Inst> {
        match self.facts.values.kind(value) {
            ValueKind::Def(inst, _) if self.kernel.inst(inst).guard.is_none() => Some(inst),
            _ => None,
        }
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
