//! The range that a loop counts through: which registers grow by the same number in each step, and how many steps are left.
//!
//! ```text
//! H:  …                          every register that a step hands to the next one is an *induction*:
//!     k = k + 1                  k, which grows by 1, and p, which grows by 4
//!     p = p + 4
//!     @(k < end) bra H           the only end: one of them against a *bound* that the steps leave alone
//! ```
//!
//! The value of an induction at the latch is its value at the header plus a constant, through `mov`, `add` and `sub` alone. What is
//! compared is the counter plus a constant (`k + 1` above). So where a step begins at counter `k`, its last comparison is of
//! `a = k + offset`, and the comparison behind the step after `i` more is of `a + i * step`, all modulo 2 to the width.
//!
//! # How many steps are left
//!
//! One, and as many as comparisons in a row let the loop go on:
//!
//! ```text
//! a < bound, step > 0     1 + ceil((bound - a) / step) if a < bound, else 1; a <= bound and the downward ones likewise
//! a != bound, step 1      1 + (bound - a) modulo the width
//! ```
//!
//! For an ordered relation the difference of two numbers in that relation fits the width without a sign. All but the last of the
//! comparisons that are counted are of numbers before the bound, so that they have not wrapped around, and let the loop go on. The last one is of the
//! first number behind the bound: if that lies beyond the end of all numbers, it has wrapped around, and the loop goes on. So what is
//! counted is never more than there is, and all that splitting a range needs ([`crate::split`]). For `!=` all is modulo the width, and a
//! step of 1 comes to every number.

use analysis::{Block, Loop, User, Value, ValueKind};
use ptx_parser::{Flow, Inst, Linear, Number, Operand, Reg, Relation, Running};

use crate::facts::Facts;
use crate::origin::Origin;
use crate::split::unsplittable::Unsplittable;

/// Constants beyond this are no steps and offsets: within it, all that is computed from them fits 32 bits with a sign.
const LARGEST: u64 = 1 << 30;

/// A register that grows by the same number in each step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Induction {
    pub(crate) reg: Reg,
    /// Its value at the header.
    pub(crate) value: Value,
    /// By how much it grows.
    pub(crate) step: i64,
}

/// The bound that the counter is compared with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bound {
    Reg(Reg),
    Int(i64),
}

/// The range of the steps of a task.
#[derive(Clone, Debug)]
pub(crate) struct Range {
    pub(crate) steps: Loop,
    /// The registers that the steps hand on and that do not need the steps before, the counter included.
    pub(crate) inductions: Vec<Induction>,
    pub(crate) counter: Induction,
    /// 32 or 64, of the counter and the bound.
    pub(crate) bits: u32,
    /// The loop goes on while the counter at the header plus this…
    pub(crate) offset: i64,
    /// … relates so…
    pub(crate) relation: Relation,
    /// … as numbers of this kind…
    pub(crate) number: Number,
    /// … to this, which the steps leave alone.
    pub(crate) bound: Bound,
    /// True if nothing else in the region reads the bound.
    pub(crate) bound_is_free: bool,
    /// True if nothing else in the region reads the counter.
    pub(crate) counter_is_free: bool,
}

impl Range {
    /// The range of a loop, if that is what it counts through.
    pub(crate) fn of(facts: &Facts<'_>, steps: Loop) -> Result<Range, Unsplittable> {
        let header = facts.loops.header(steps);
        let (&[latch], &[exit]) = (facts.loops.latches(steps), facts.loops.exits(steps)) else {
            let early = facts.loops.exits(steps).first().map_or(header, |exit| exit.from);
            return Err(Unsplittable::Ends { at: facts.branch_place(early) });
        };
        if exit.from != latch {
            return Err(Unsplittable::Ends { at: facts.branch_place(exit.from) });
        }
        let test =
            Test::of(facts, steps, latch).ok_or_else(|| Unsplittable::Condition { at: facts.branch_place(latch) })?;
        let inductions = inductions(facts, header, latch)?;
        test.range(facts, steps, inductions)
    }

    /// The register of the bound, if nothing else in the region reads it.
    pub(crate) fn free_bound(&self) -> Option<Reg> {
        match self.bound {
            Bound::Reg(reg) if self.bound_is_free => Some(reg),
            _ => None,
        }
    }

    /// Returns true if the loop goes on where the counter meets the bound.
    pub(crate) fn goes_on_at_bound(&self) -> bool {
        matches!(self.relation, Relation::LessOrEqual | Relation::GreaterOrEqual)
    }
}

/// The comparison at the end of a loop.
struct Test {
    inst: Inst,
    /// The relation of operand 1 to operand 2 where the loop goes on.
    relation: Relation,
    number: Number,
    bits: u32,
}

impl Test {
    fn of(facts: &Facts<'_>, steps: Loop, latch: Block) -> Option<Test> {
        let kernel = facts.kernel;
        let branch = facts.cfg.terminator(latch).filter(|&inst| kernel.properties(inst).flow == Flow::Branch)?;
        let guard = kernel.inst(branch).guard?;
        let target = facts.cfg.label_block(kernel.branch_target(branch)?)?;
        let ValueKind::Def(inst, _) = facts.values.kind(facts.values.at_use(branch, guard.reg)?) else { return None };
        let comparison = kernel.properties(inst).comparison.filter(|comparison| matches!(comparison.bits, 32 | 64))?;
        let plain = matches!(kernel.operands(inst), [Operand::Reg(result), _, _] if *result == guard.reg);
        if !plain || kernel.inst(inst).guard.is_some() || !facts.loops.contains(steps, facts.cfg.block_of(inst)?) {
            return None;
        }
        // The loop goes on where the branch is taken to its header, or not taken out of it.
        let holds = (target == facts.loops.header(steps)) != guard.negated;
        let relation = comparison.relation_if(holds);
        Some(Test { inst, relation, number: comparison.number, bits: comparison.bits })
    }

    /// The range, with either operand as the counter.
    fn range(self, facts: &Facts<'_>, steps: Loop, inductions: Vec<Induction>) -> Result<Range, Unsplittable> {
        let at = || Origin::of(facts.kernel, self.inst);
        let header = facts.loops.header(steps);
        let mut changing = None;
        for (counter, bound, relation) in [(1, 2, self.relation), (2, 1, self.relation.swapped())] {
            let Some(Operand::Reg(reg)) = facts.kernel.operands(self.inst).get(counter) else { continue };
            let value = facts.values.at_use(self.inst, *reg);
            let Some(Sum { phi, offset, chain }) = value.and_then(|value| Sum::of(facts, header, value)) else {
                continue;
            };
            let counter = inductions.iter().find(|induction| induction.value == phi);
            let Some(&counter) = counter.filter(|counter| leads_on(counter.step, relation)) else { continue };
            let (bound, bound_is_free) = match facts.kernel.operands(self.inst).get(bound) {
                Some(&Operand::Int(number)) => (Bound::Int(narrowed(number, self.bits)), false),
                Some(&Operand::Reg(reg)) => {
                    let Some(value) = facts.values.at_use(self.inst, reg) else { continue };
                    if facts.loops.contains(steps, facts.values.block(value)) {
                        changing = changing.or(Some(value));
                        continue;
                    }
                    let users = facts.values.users(value);
                    let inside = |user: &&User| match user {
                        User::Inst(inst) => facts.cfg.block_of(*inst),
                        User::Phi(phi) => Some(facts.values.block(*phi)),
                    };
                    let inside = |user: &&User| inside(user).is_some_and(|block| facts.loops.contains(steps, block));
                    (Bound::Reg(reg), users.iter().filter(inside).all(|&user| user == User::Inst(self.inst)))
                }
                _ => continue,
            };
            let counter_is_free = reads_only(facts, steps, counter, &chain, self.inst);
            let (bits, number) = (self.bits, self.number);
            let range = Range {
                steps,
                inductions,
                counter,
                bits,
                offset,
                relation,
                number,
                bound,
                bound_is_free,
                counter_is_free,
            };
            return Ok(range);
        }
        match changing.map(|value| facts.values.kind(value)) {
            Some(ValueKind::Def(inst, _)) => {
                Err(Unsplittable::Bound { opcode: facts.opcode(inst), at: Origin::of(facts.kernel, inst) })
            }
            _ => Err(Unsplittable::Condition { at: at() }),
        }
    }
}

/// Returns true if a counter that grows by so much comes to an end by this relation.
fn leads_on(step: i64, relation: Relation) -> bool {
    match relation {
        Relation::Less | Relation::LessOrEqual => step > 0,
        Relation::Greater | Relation::GreaterOrEqual => step < 0,
        Relation::NotEqual => step.abs() == 1,
        Relation::Equal => false,
    }
}

/// Returns true if the counter is read by its own step, the comparison and what leads to it alone, or by what nobody reads.
fn reads_only(facts: &Facts<'_>, steps: Loop, counter: Induction, chain: &[Inst], test: Inst) -> bool {
    let latch = facts.loops.latches(steps).first().copied();
    let next = facts.values.phi_inputs(counter.value).iter().find(|(from, _)| Some(*from) == latch);
    let own = next.and_then(|&(_, value)| Sum::of(facts, facts.loops.header(steps), value));
    let insts: Vec<Inst> = own.into_iter().flat_map(|sum| sum.chain).chain(chain.iter().copied()).collect();
    let unread = |inst: Inst| {
        let results = facts.values.defs(inst);
        facts.kernel.properties(inst).is_pure()
            && results.iter().all(|(_, value)| facts.values.users(*value).is_empty())
    };
    let harmless = |user: &User| match *user {
        User::Inst(inst) => inst == test || insts.contains(&inst) || unread(inst),
        User::Phi(phi) => phi == counter.value,
    };
    let made = insts.iter().flat_map(|&inst| facts.values.defs(inst)).map(|&(_, value)| value);
    made.chain([counter.value]).all(|value| facts.values.users(value).iter().all(harmless))
}

/// Returns what the steps hand on, if all of it is inductions.
fn inductions(facts: &Facts<'_>, header: Block, latch: Block) -> Result<Vec<Induction>, Unsplittable> {
    let mut list = Vec::new();
    for &value in facts.values.phis(header) {
        let reg = facts.values.reg(value);
        let next = facts.values.phi_inputs(value).iter().find(|(from, _)| *from == latch).map(|&(_, next)| next);
        let sum = next.and_then(|next| Sum::of(facts, header, next)).filter(|sum| sum.phi == value);
        let Some(sum) = sum else {
            return Err(Unsplittable::Carries { register: facts.kernel.reg_name(reg).to_owned() });
        };
        list.push(Induction { reg, value, step: sum.offset });
    }
    Ok(list)
}

/// A value that is one of the header's plus a constant.
struct Sum {
    phi: Value,
    /// As a number with a sign of the value's width.
    offset: i64,
    /// The instructions that compute it.
    chain: Vec<Inst>,
}

impl Sum {
    fn of(facts: &Facts<'_>, header: Block, mut value: Value) -> Option<Sum> {
        let (kernel, mut offset, mut chain) = (facts.kernel, 0i64, Vec::new());
        let bits = kernel.reg(facts.values.reg(value)).ty.bits();
        loop {
            let inst = match facts.values.kind(value) {
                ValueKind::Phi(block, _) if block == header => break,
                ValueKind::Def(inst, _) => inst,
                _ => return None,
            };
            let properties = kernel.properties(inst);
            let same_width = kernel.opcode(inst).types().iter().all(|ty| ty.bits() == bits);
            if kernel.inst(inst).guard.is_some() || facts.values.old(value).is_some() || !same_width {
                return None;
            }
            let (reg, number) = match (properties.linear?, kernel.operands(inst)) {
                (Linear::Same, [_, Operand::Reg(reg)]) if properties.running == Some(Running::Copy) => (*reg, 0),
                (
                    Linear::Sum,
                    [_, Operand::Reg(reg), Operand::Int(number)] | [_, Operand::Int(number), Operand::Reg(reg)],
                ) => (*reg, *number),
                (Linear::Difference, [_, Operand::Reg(reg), Operand::Int(number)]) => (*reg, number.wrapping_neg()),
                _ => return None,
            };
            if kernel.reg(reg).ty.bits() != bits || kernel.reg(reg).lanes > 1 {
                return None;
            }
            offset = offset.wrapping_add(number);
            chain.push(inst);
            value = facts.values.at_use(inst, reg)?;
        }
        let offset = narrowed(offset, bits);
        (offset.unsigned_abs() <= LARGEST).then_some(Sum { phi: value, offset, chain })
    }
}

/// A number as one with a sign of so many bits.
pub(crate) fn narrowed(number: i64, bits: u32) -> i64 {
    if bits == 32 { i64::from(number as i32) } else { number }
}
