//! Registers that a loop carries beside its counter and that follow from it: the address of an element beside its index.
//!
//! ```text
//!     p = base + 4 * k               before the loop
//! H:  … [p] …
//!     k = k + 1;  p = p + 4          p = base + 4 * k wherever a step begins
//! ```
//!
//! Where both grow by constants, the second one by as many times as much as it is that multiple of the first at the beginning, it can be
//! computed again from the counter by the instructions that made it, wherever a task is taken up.
//!
//! # Why it is the same value
//!
//! The instructions are linear in the counter, modulo their width. Where they make 64 bits of 32, they read the counter itself, as a
//! number with or without a sign, and are linear as long as the counter does not wrap around as such a number. It does not if it grows
//! (or falls) by 1 and the loop goes on only while it is less (greater) than the bound as a number of that kind: if what is compared
//! is the counter where the step begins, the next one is at most the bound. If it is what the next step begins with, all but the first number are
//! less than the bound, and the first one must be too, because of a branch before the loop.

use analysis::{Block, Loop, Value, ValueKind};
use cranelift_entity::EntitySet;
use ptx_parser::{Flow, Inst, Linear, Number, Operand, Reg, Relation, Running};

use crate::facts::{Facts, rematerializable};
use crate::split::induction::{Bound, Induction, Range, narrowed};

/// Chains longer than this would cost more than a word on the stack.
pub(crate) const LONGEST: usize = 8;

/// A register that follows from another one of the same header: from the loop's counter, or as [`crate::context::functional_dependence`] says.
#[derive(Clone, Debug)]
pub(crate) struct Derived {
    /// The other one at the header.
    pub(crate) from: Value,
    /// The value that the other one begins with, traced back through copies.
    pub(crate) start: Value,
    /// The instructions, in order; the last one makes what the register begins with.
    pub(crate) chain: Vec<Inst>,
    pub(crate) operations: u64,
}

impl Derived {
    /// Returns what the instructions make.
    pub(crate) fn made(&self, facts: &Facts<'_>) -> Vec<Value> {
        let results = self.chain.iter().flat_map(|&inst| facts.values.defs(inst));
        results.map(|&(_, value)| value).collect()
    }
}

/// The registers of a loop that follow from its counter.
pub(crate) struct Family<'a> {
    facts: &'a Facts<'a>,
    named: &'a EntitySet<Reg>,
    header: Block,
    range: Range,
    start: Value,
    /// The kind of number as which the counter does not wrap around; `None` if it may.
    fits: Option<Number>,
}

impl<'a> Family<'a> {
    /// The counter of a loop, if others may follow from it.
    pub(crate) fn of(facts: &'a Facts<'a>, named: &'a EntitySet<Reg>, steps: Loop) -> Option<Family<'a>> {
        let range = Range::of(facts, steps).ok()?;
        let header = facts.loops.header(steps);
        let start = copied(facts, entering(facts, header, range.counter.value)?);
        let strict = match range.relation {
            Relation::Less => range.counter.step == 1,
            Relation::Greater => range.counter.step == -1,
            _ => false,
        };
        let begins = range.offset == 0 || (range.offset == range.counter.step && guarded(facts, header, &range, start));
        let fits = (strict && begins).then_some(range.number);
        Some(Family { facts, named, header, range, start, fits })
    }

    /// Returns how a register of the header follows from the counter.
    pub(crate) fn derived(&self, value: Value) -> Option<Derived> {
        let induction = self.range.inductions.iter().find(|induction| induction.value == value)?;
        if induction.reg == self.range.counter.reg {
            return None;
        }
        let first = entering(self.facts, self.header, value)?;
        let (mut chain, mut operations) = (Vec::new(), 0);
        let factor = self.factor(first, &mut chain, &mut operations)?;
        self.grows_by(induction, factor).then_some(Derived {
            from: self.range.counter.value,
            start: self.start,
            chain,
            operations,
        })
    }

    fn grows_by(&self, induction: &Induction, factor: i64) -> bool {
        let bits = self.facts.kernel.reg(induction.reg).ty.bits();
        let growth = narrowed(factor.wrapping_mul(self.range.counter.step), bits);
        factor != 0 && growth == narrowed(induction.step, bits)
    }

    /// By which multiple of the counter a value grows; what computes it goes into the chain. `None` if it is not linear.
    fn factor(&self, value: Value, chain: &mut Vec<Inst>, operations: &mut u64) -> Option<i64> {
        let (facts, kernel) = (self.facts, self.facts.kernel);
        if copied(facts, value) == self.start {
            return Some(1);
        }
        if !self.depends(value, 0) {
            return Some(0);
        }
        let (inst, cost) = rematerializable::computed_by(facts, self.named, value).ok()?;
        let linear = kernel.properties(inst).linear?;
        let operands = kernel.operands(inst);
        let mut of = |index: usize| match operands.get(index)? {
            Operand::Reg(reg) => {
                let input = facts.values.at_use(inst, *reg)?;
                self.wide_enough(inst, index, input).then(|| self.factor(input, chain, operations)).flatten()
            }
            Operand::Int(_) => Some(0),
            _ => None,
        };
        let number = |index: usize| match operands.get(index) {
            Some(Operand::Int(number)) => Some(*number),
            _ => None,
        };
        let factor = match linear {
            Linear::Same => of(1)?,
            Linear::Sum => of(1)?.wrapping_add(of(2)?),
            Linear::Difference => of(1)?.wrapping_sub(of(2)?),
            Linear::Product => of(1)?.wrapping_mul(number(2)?),
            Linear::ProductSum => of(1)?.wrapping_mul(number(2)?).wrapping_add(of(3)?),
            Linear::Shifted => of(1)?.wrapping_mul(1i64.checked_shl(u32::try_from(number(2)?).ok()?)?),
        };
        if !chain.contains(&inst) {
            chain.push(inst);
            *operations += cost;
        }
        (chain.len() <= LONGEST).then_some(factor)
    }

    /// Returns true if a value is computed from what the counter begins with.
    fn depends(&self, value: Value, depth: usize) -> bool {
        if copied(self.facts, value) == self.start {
            return true;
        }
        let ValueKind::Def(inst, _) = self.facts.values.kind(value) else { return false };
        // What is deeper is no chain, whatever it is made from.
        depth > LONGEST || self.facts.values.uses(inst).iter().any(|&(_, input)| self.depends(input, depth + 1))
    }

    /// Returns true if an instruction takes an operand that grows with the counter as the number that it is: of the result's width, or the counter
    /// itself where that does not wrap around.
    fn wide_enough(&self, inst: Inst, index: usize, input: Value) -> bool {
        let (facts, kernel) = (self.facts, self.facts.kernel);
        if !self.depends(input, 0) {
            return true;
        }
        let bits = |reg: Reg| kernel.reg(reg).ty.bits();
        let types = kernel.opcode(inst).types();
        let result = facts.values.defs(inst).first().map_or(0, |&(reg, _)| bits(reg));
        let own = bits(facts.values.reg(input));
        // Of an opcode with two types, the first is the result's; `cvta` has one and is no copy.
        let source = types.last().copied();
        let is_copy = kernel.properties(inst).running == Some(Running::Copy);
        let plain = !matches!(kernel.properties(inst).linear, Some(Linear::Same)) || is_copy || types.len() == 2;
        if !plain || source.is_none_or(|ty| ty.bits() != own && index < 3) {
            return false;
        }
        if result == own {
            return true;
        }
        let signed = source.is_some_and(|ty| ty.text().starts_with('s'));
        let number = if signed { Number::Signed } else { Number::Unsigned };
        result == 64 && own == 32 && copied(facts, input) == self.start && self.fits == Some(number)
    }
}

/// The value that a register of a header begins with, if there is one way in.
fn entering(facts: &Facts<'_>, header: Block, phi: Value) -> Option<Value> {
    let inputs = facts.values.phi_inputs(phi).iter().filter(|(from, _)| !facts.dominators.dominates(header, *from));
    match inputs.collect::<Vec<_>>().as_slice() {
        [(_, value)] => Some(*value),
        _ => None,
    }
}

/// Returns where a value was copied from.
pub(crate) fn copied(facts: &Facts<'_>, mut value: Value) -> Value {
    while let ValueKind::Def(inst, _) = facts.values.kind(value)
        && facts.kernel.properties(inst).running == Some(Running::Copy)
        && facts.kernel.inst(inst).guard.is_none()
        && facts.values.old(value).is_none()
        && let [_, Operand::Reg(from)] = facts.kernel.operands(inst)
        && let Some(input) = facts.values.at_use(inst, *from)
        && facts.kernel.reg(*from).ty.bits() == facts.kernel.reg(facts.values.reg(value)).ty.bits()
    {
        value = input;
    }
    value
}

/// Returns true if a branch before the loop leads there only if the counter begins before the bound, as the loop itself asks.
fn guarded(facts: &Facts<'_>, header: Block, range: &Range, start: Value) -> bool {
    let outside = |block: &&Block| !facts.dominators.dominates(header, **block);
    let mut next = header;
    for _ in 0..LONGEST {
        let before: Vec<Block> = facts.cfg.preds(next).iter().filter(outside).copied().collect();
        let &[block] = before.as_slice() else { return false };
        if leads_there(facts, block, next, range, start) == Some(true) {
            return true;
        }
        next = block;
    }
    false
}

/// Returns whether a block goes on to the next one only where the counter begins before the bound.
fn leads_there(facts: &Facts<'_>, block: Block, next: Block, range: &Range, start: Value) -> Option<bool> {
    let kernel = facts.kernel;
    let branch = facts.cfg.terminator(block).filter(|&inst| kernel.properties(inst).flow == Flow::Branch)?;
    let guard = kernel.inst(branch).guard?;
    let target = facts.cfg.label_block(kernel.branch_target(branch)?)?;
    let ValueKind::Def(inst, _) = facts.values.kind(facts.values.at_use(branch, guard.reg)?) else { return None };
    let comparison = kernel.properties(inst).comparison?;
    let [Operand::Reg(result), one, other] = kernel.operands(inst) else { return None };
    if *result != guard.reg || kernel.inst(inst).guard.is_some() || facts.cfg.distinct_succs(block).len() != 2 {
        return None;
    }
    let holds = (target == next) != guard.negated;
    let relation = comparison.relation_if(holds);
    let is_start = |operand: &Operand| match operand {
        Operand::Reg(reg) => facts.values.at_use(inst, *reg).is_some_and(|value| copied(facts, value) == start),
        _ => false,
    };
    let is_bound = |operand: &Operand| match (operand, range.bound) {
        (Operand::Int(number), Bound::Int(bound)) => narrowed(*number, range.bits) == bound,
        (Operand::Reg(reg), Bound::Reg(bound)) => {
            let bound = facts.values.live_in(facts.loops.header(range.steps), bound);
            facts.values.at_use(inst, *reg).zip(bound).is_some_and(|(a, b)| copied(facts, a) == copied(facts, b))
        }
        _ => false,
    };
    let forward = is_start(one) && is_bound(other) && relation == range.relation;
    let backward = is_start(other) && is_bound(one) && relation.swapped() == range.relation;
    Some((forward || backward) && comparison.number == range.number && comparison.bits == range.bits)
}
