//! Reductions: registers that iterations only fold values into (paper, Section 2.3).
//!
//! ```text
//! before                              after
//!     sum = 0                             sum = 0;  part[me] = 0
//! H:  …                               H:    …
//!     @!p bra J;                            @!p bra J;
//!     REGION: e = …                         context = registers, me; want = true
//!             sum = sum + e           J:    …
//! J:  …                               REGION: s' = 0;  e = …
//!     @more bra H;                            s' = s' + e
//! X:  out[me] = sum                           atomic: part[owner] += s'
//!                                     X:    sum = sum + part[me];  out[me] = sum
//! ```
//!
//! The paper moves the register to shared memory and makes every write atomic there. Here the register stays: the updates outside of
//! the region go on as they are, and a region starts with the operator's identity in its copy, whose last value is what the region
//! adds. One atomic at the region's end puts it where the thread that the iteration belongs to (the *owner*, whose number travels with
//! the context) finds it when the loop is over. So every thread ends with its own result, as in the original.
//!
//! # Why the result is the same
//!
//! The registers of a reduction are closed: within the loop, an instruction that reads or writes one of them copies, chooses among or
//! folds one of them into another by the one operator, and does nothing else with them. So every value that they hold in an iteration is
//! `x op e`, where `x` is the value at the iteration's beginning and `e` does not depend on it, and neither does control. One of them alone is
//! alive at the loop's header, where a region begins, where it ends, and where the loop is left. So the region leaves `r op e` of the
//! `r` it found, whatever that was; with the identity for `r`, it leaves `e`; and nothing else can reach the next iteration. Operators
//! are associative and commutative, so that it does not matter when `e` is folded in. For integers that is exact. Floats round
//! differently; the directive says that this does not matter, and the report names the registers.

use analysis::{Block, Loop};
use cranelift_entity::{EntitySet, PrimaryMap, entity_impl};
use ptx_parser::{Inst, Kernel, Number, Operand, Operator, Reg, Running, Type};

use crate::facts::Facts;
use crate::layout::Layout;
use crate::markers::{self, Site};
use crate::origin::Origin;
use crate::refusal::Refusal;
use crate::region::Region;
use crate::region::arrival::Arrival;

/// A reduction of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct AccumulatorId(u32);
entity_impl!(AccumulatorId, "accumulator");

/// A register that iterations fold values into, in all the registers that it is kept in.
#[derive(Clone, Debug)]
pub(crate) struct Accumulator {
    pub(crate) operator: Operator,
    pub(crate) number: Number,
    /// True if what folds into it takes subnormal floats for zeros (`.ftz`).
    pub(crate) flushes: bool,
    /// The type of its registers.
    pub(crate) ty: Type,
    /// The register that holds it where an iteration begins.
    pub(crate) header: Reg,
    registers: EntitySet<Reg>,
    /// The blocks that the loop is left for, behind empty ones, if it is live there. Each has the register that holds it.
    pub(crate) left: Vec<(Block, Reg)>,
}

/// The registers through which a region adds to an accumulator.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) accumulator: AccumulatorId,
    /// The register that holds it where the region begins.
    pub(crate) enters: Reg,
    /// The register that holds it where the region ends.
    pub(crate) leaves: Reg,
}

impl Part {
    /// The refusal of the region, for a reason that has nothing to do with the accumulator itself.
    pub(crate) fn refuse(&self, facts: &Facts<'_>, region: &Region, what: String) -> Refusal {
        refuse(facts.kernel, self.leaves, what, facts.place(region.entry))
    }
}

/// Returns where the accumulators are kept for CTAs of up to `threads` threads.
pub(crate) fn layout(accumulators: &PrimaryMap<AccumulatorId, Accumulator>, threads: u32) -> Layout {
    let types: Vec<Type> = accumulators.values().map(|accumulator| accumulator.ty).collect();
    Layout::of(&types, threads)
}

/// The accumulators of a loop, in the order in which regions were found to use them.
#[derive(Default, Debug)]
pub(crate) struct Accumulators {
    pub(crate) list: PrimaryMap<AccumulatorId, Accumulator>,
}

impl Accumulators {
    /// Returns what a region has to do with accumulators: one part for each value that it leaves to the code behind it.
    ///
    /// # Errors
    /// It leaves something else too, or the directive names fewer accumulators.
    pub(crate) fn parts(&mut self, facts: &Facts<'_>, region: &Region, site: &Site) -> Result<Vec<Part>, Refusal> {
        let mut parts: Vec<Part> = Vec::new();
        for (reg, user) in live_outs(facts, region) {
            let at = Origin::of(facts.kernel, user);
            if site.reduce.is_empty() {
                return Err(Refusal::LiveOut { reg: facts.kernel.reg_name(reg).to_owned(), at });
            }
            let accumulator = match self.list.iter().find(|(_, known)| known.registers.contains(reg)) {
                Some((known, _)) => known,
                None => {
                    let found = self.list.push(find(facts, region.marked_loop, reg, at, site)?);
                    self.check_names(facts, site, at)?;
                    found
                }
            };
            if region.steps {
                // A task that is put back on the stack would have to take along what it has folded so far.
                let what = "the path is run in steps".to_owned();
                return Err(refuse(facts.kernel, reg, what, facts.place(region.entry)));
            }
            if parts.iter().all(|part| part.accumulator != accumulator) {
                parts.push(part(facts, region, &self.list[accumulator], accumulator)?);
            }
        }
        Ok(parts)
    }

    /// The directive allows as many accumulators of an operator as it names.
    fn check_names(&self, facts: &Facts<'_>, site: &Site, at: Origin) -> Result<(), Refusal> {
        let Some((_, last)) = self.list.last() else { return Ok(()) };
        let found = self.list.values().filter(|other| other.operator == last.operator).count();
        let named = site.reduce.iter().filter(|&&operator| operator == last.operator).count();
        if found <= named {
            return Ok(());
        }
        let what =
            format!("the directive names {named} with `{}`, and this is another", markers::spelling(last.operator));
        Err(refuse(facts.kernel, last.header, what, at))
    }

    /// The block before the loop sets the parts to the identity, and the code behind the loop takes them once: so both must be run
    /// equally often.
    ///
    /// # Errors
    /// They are not.
    pub(crate) fn check_arrival(&self, facts: &Facts<'_>, marked_loop: Loop, arrival: &Arrival) -> Result<(), Refusal> {
        if self.list.is_empty() || facts.loops.innermost(arrival.anchor) == facts.loops.parent(marked_loop) {
            return Ok(());
        }
        let what = "a reduction, and is run more often than the code that whole warps execute before it".to_owned();
        Err(Refusal::ControlFlow { what, at: facts.place(facts.loops.header(marked_loop)) })
    }
}

/// The registers that the region writes and that are alive where it ends, each with an instruction that reads it, outside of the region if
/// there is one: a value that only a later iteration's region reads is carried by the region itself.
fn live_outs(facts: &Facts<'_>, region: &Region) -> Vec<(Reg, Inst)> {
    let reaching = facts.reaching(facts.kernel);
    let mut found: Vec<(Reg, Inst)> = Vec::new();
    for &block in &region.blocks {
        for &inst in facts.cfg.insts(block) {
            for reg in facts.kernel.defs(inst) {
                if !facts.liveness.is_live_in(region.exit, reg) || found.iter().any(|(known, _)| *known == reg) {
                    continue;
                }
                let outside = |user: &Inst| facts.cfg.block_of(*user).is_some_and(|block| !region.contains(block));
                let mut users = reaching.uses_of(inst, reg);
                users.sort();
                if let Some(user) = users.iter().copied().find(outside).or_else(|| users.first().copied()) {
                    found.push((reg, user));
                }
            }
        }
    }
    found
}

fn refuse(kernel: &Kernel, reg: Reg, what: String, at: Origin) -> Refusal {
    Refusal::NoReduction { reg: kernel.reg_name(reg).to_owned(), what, at }
}

/// The accumulator that a register belongs to.
fn find(facts: &Facts<'_>, marked_loop: Loop, reg: Reg, at: Origin, site: &Site) -> Result<Accumulator, Refusal> {
    let header = facts.loops.header(marked_loop);
    let mut reasons: Vec<(Reg, Refusal)> = Vec::new();
    for &seed in facts.liveness.live_in(header) {
        let mut tried: Vec<Operator> = Vec::new();
        for &operator in &site.reduce {
            if tried.contains(&operator) {
                continue;
            }
            tried.push(operator);
            let registers = closure(facts, marked_loop, seed, operator);
            if !registers.contains(reg) {
                continue;
            }
            match check(facts, marked_loop, seed, operator, registers) {
                Ok(found) => return Ok(found),
                Err(refusal) => reasons.push((seed, refusal)),
            }
        }
    }
    // What the user calls the accumulator is most likely in the same register where the iteration begins.
    let own = reasons.iter().position(|(seed, _)| *seed == reg).unwrap_or(0);
    if let Some((_, refusal)) = reasons.into_iter().nth(own) {
        return Err(refusal);
    }
    let named: Vec<String> = site.reduce.iter().map(|&operator| format!("`{}`", markers::spelling(operator))).collect();
    let what = format!("the loop does not carry it from iteration to iteration by {}", named.join(" or "));
    Err(refuse(facts.kernel, reg, what, at))
}

/// Returns what an instruction does as a step of a reduction: the registers among which it finds the running value, the one that it leaves it in,
/// and how it folds if it does.
fn step(kernel: &Kernel, inst: Inst, operator: Operator) -> Option<(Vec<Reg>, Reg, Option<Folding>)> {
    let operands = kernel.operands(inst);
    let register = |index: u8| match operands.get(usize::from(index)) {
        Some(Operand::Reg(reg)) if kernel.reg(*reg).lanes == 1 => Some(*reg),
        _ => None,
    };
    let to = register(0)?;
    let expected = |count: usize| operands.len() == count;
    let (from, folding) = match kernel.properties(inst).running? {
        Running::Copy if expected(2) => (vec![register(1)?], None),
        Running::Choice if expected(4) => ([1, 2].into_iter().filter_map(register).collect(), None),
        Running::Fold { operator: own, number, flushes, operands: [first, second] } if own == operator => {
            // Newer targets have operations of three values, which are told apart by their number alone.
            let whole = if first == 3 { 4 } else { 3 };
            let mut from: Vec<Reg> = register(first).into_iter().collect();
            if second != first {
                from.extend(register(second));
            }
            (from, expected(whole).then_some(Some(Folding { number, flushes }))?)
        }
        _ => return None,
    };
    Some((from, to, folding))
}

/// The kind of an instruction's fold. All that fold into one register must have the same.
#[derive(Clone, Copy)]
struct Folding {
    number: Number,
    flushes: bool,
}

/// The registers that hold what the loop makes of a register by an operator.
fn closure(facts: &Facts<'_>, marked_loop: Loop, seed: Reg, operator: Operator) -> EntitySet<Reg> {
    let mut registers = EntitySet::new();
    registers.insert(seed);
    loop {
        let mut changed = false;
        for &block in facts.loops.blocks(marked_loop) {
            for &inst in facts.cfg.insts(block) {
                if let Some((from, to, _)) = step(facts.kernel, inst, operator)
                    && from.iter().any(|&reg| registers.contains(reg))
                {
                    changed |= registers.insert(to);
                }
            }
        }
        if !changed {
            return registers;
        }
    }
}

/// Returns whether the loop does nothing else with these registers than the head of this file allows.
fn check(
    facts: &Facts<'_>,
    marked_loop: Loop,
    seed: Reg,
    operator: Operator,
    registers: EntitySet<Reg>,
) -> Result<Accumulator, Refusal> {
    let kernel = facts.kernel;
    let (ty, at) = (kernel.reg(seed).ty, facts.place(facts.loops.header(marked_loop)));
    if !matches!(ty.bits(), 32 | 64) {
        return Err(refuse(kernel, seed, format!("it has {} bits, not 32 or 64", ty.bits()), at));
    }
    let mut folding: Option<Folding> = None;
    for &block in facts.loops.blocks(marked_loop) {
        for &inst in facts.cfg.insts(block) {
            let mut touched = kernel.uses(inst).into_iter().chain(kernel.defs(inst));
            let Some(reg) = touched.find(|&reg| registers.contains(reg)) else { continue };
            let refusal = |what: &str| {
                let what = format!("`{}` {what}", facts.opcode(inst));
                refuse(kernel, reg, what, Origin::of(kernel, inst))
            };
            let Some((_, _, kind)) = keeps(kernel, inst, operator, &registers) else {
                let reads = kernel.uses(inst).into_iter().any(|reg| registers.contains(reg));
                return Err(match reads {
                    true => refusal(&format!("takes it for something else than `{}`", markers::spelling(operator))),
                    false => refusal("gives it a value that is not made from it"),
                });
            };
            match (folding, kind) {
                (Some(one), Some(other)) if one.number != other.number => {
                    return Err(refusal("folds another kind of number into it"));
                }
                (Some(one), Some(other)) if one.flushes != other.flushes => {
                    return Err(refusal(match other.flushes {
                        true => "takes subnormal numbers for 0 (`.ftz`), and others that fold into it do not",
                        false => "keeps subnormal numbers, and others that fold into it take them for 0 (`.ftz`)",
                    }));
                }
                (None, kind) => folding = kind,
                _ => {}
            }
        }
    }
    let same = registers.iter().all(|reg| kernel.reg(reg).ty.bits() == ty.bits());
    let Some(Folding { number, flushes }) = folding.filter(|_| same) else {
        return Err(refuse(
            kernel,
            seed,
            format!("nothing is folded into it by `{}`", markers::spelling(operator)),
            at,
        ));
    };
    let alive = |block: Block| only(facts, block, &registers);
    if alive(facts.loops.header(marked_loop)) != Ok(Some(seed)) {
        return Err(refuse(kernel, seed, "two of its values go into the next iteration".to_owned(), at));
    }
    let mut left: Vec<(Block, Reg)> = Vec::new();
    for exit in facts.loops.exits(marked_loop) {
        let end = facts.through(exit.to);
        match alive(exit.to) {
            Ok(None) => {}
            Ok(Some(reg)) if left.contains(&(end, reg)) => {}
            Ok(Some(reg)) => left.push((end, reg)),
            Err(()) => {
                let what = "two of its values are used behind the loop".to_owned();
                return Err(refuse(kernel, seed, what, facts.branch_place(exit.from)));
            }
        }
    }
    Ok(Accumulator { operator, number, flushes, ty, header: seed, registers, left })
}

/// The step that an instruction is, if it is one that keeps to these registers: all that it takes from them is the running value, once,
/// and what it writes is one of them.
fn keeps(
    kernel: &Kernel,
    inst: Inst,
    operator: Operator,
    registers: &EntitySet<Reg>,
) -> Option<(Vec<Reg>, Reg, Option<Folding>)> {
    let (mut from, to, folding) = step(kernel, inst, operator)?;
    let candidates = from.len();
    from.retain(|&reg| registers.contains(reg));
    let choice = kernel.properties(inst).running == Some(Running::Choice);
    // A choice must have nothing else to choose from; a fold must not fold the value into itself.
    let right = if choice { candidates == 2 && from.len() == 2 } else { from.len() == 1 };
    let read: Vec<Reg> = kernel.reads(inst).into_iter().filter(|&reg| registers.contains(reg)).collect();
    let mut mentions = 0;
    kernel.visit(inst, |reg, access| mentions += u32::from(access.read && registers.contains(reg)));
    let nothing_else = read.iter().all(|reg| from.contains(reg)) && mentions as usize == from.len();
    (right && nothing_else && registers.contains(to)).then_some((from, to, folding))
}

/// The one of these registers that is alive where a block begins; an error if several are.
fn only(facts: &Facts<'_>, block: Block, registers: &EntitySet<Reg>) -> Result<Option<Reg>, ()> {
    let mut alive = facts.liveness.live_in(block).iter().copied().filter(|&reg| registers.contains(reg));
    match (alive.next(), alive.next()) {
        (reg, None) => Ok(reg),
        _ => Err(()),
    }
}

/// The registers in which an accumulator enters a region and leaves it.
fn part(facts: &Facts<'_>, region: &Region, accumulator: &Accumulator, id: AccumulatorId) -> Result<Part, Refusal> {
    let alive = |block: Block| only(facts, block, &accumulator.registers).ok().flatten();
    match (alive(region.entry), alive(region.exit)) {
        (Some(enters), Some(leaves)) => Ok(Part { accumulator: id, enters, leaves }),
        _ => {
            let what = "two of its values are used around the marked path".to_owned();
            Err(refuse(facts.kernel, accumulator.header, what, facts.place(region.entry)))
        }
    }
}
