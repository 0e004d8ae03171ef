//! Sections whose lanes may pass the gates in one order for ever.
//!
//! A lane that goes round a loop which may wait has learned that it cannot leave yet. If no such iteration writes to memory that others see, one order is
//! as good as any:
//!
//! - In a round in which all lanes go round such loops, memory stays as it was. So each lane has seen what it would have seen by itself, before the others
//!   or behind them, and no order would have let one out. Only another warp can.
//! - In any other round, a lane comes to the end, to a later loop, or to the next iteration of a loop that does not wait, which it leaves by
//!   itself after a number of iterations. That happens finitely often.
//!
//! So the section ends wherever from each state some order of its lanes ends. Where an iteration writes and goes round all the same, one order may repeat for ever
//! what another one would end, and lanes have to draw ([`crate::rewrite::backoff`]).
//!
//! A loop that reads nothing for its decision, and has no fence, barrier or call, learns nothing of what others write meanwhile. It goes round as often by itself.
//!
//! A compare-and-swap that fails writes nothing, nor does an exchange that gives back what it wrote. This is known behind a branch that compares the result with the
//! operand: that it is equal, or for the former that it is not.

use analysis::{Analyses, Block, Edge, Value};
use cranelift_entity::EntitySet;
use ptx_parser::{Flow, Inst, Kernel, Linear, Memory, Modifier, Number, Operand, Ordering, Reg, Relation, Running};

use crate::detect::accesses::accesses;
use crate::detect::exit_slice::{Controls, awaited};
use crate::detect::loops::Cycle;
use crate::detect::module_context::Context;

/// The greatest depth to which copies are followed.
const DEEPEST: u32 = 16;

/// The edges by which a loop goes round in iterations that may write what others see, and of which there may be any number.
pub(crate) fn noisy_turns(facts: &Analyses, kernel: &Kernel, context: &Context, cycle: &Cycle) -> Vec<(Block, Block)> {
    if !can_learn(facts, kernel, context, cycle) {
        return Vec::new();
    }
    let inside = |block: Block| cycle.contains(facts, block);
    let goes_round = |next: Block| cycle.entries.contains(&next);
    // From behind each write on, up to where the loop goes round.
    let mut seen: EntitySet<Block> = EntitySet::new();
    let mut work = Vec::new();
    let mut turns = Vec::new();
    for &block in cycle.blocks(facts) {
        for (from, next) in behind_writes(facts, kernel, context, block) {
            match inside(from) && inside(next) {
                true if goes_round(next) => turns.push((from, next)),
                true => work.push(next),
                false => {}
            }
        }
    }
    while let Some(block) = work.pop() {
        if seen.insert(block) {
            for next in facts.cfg.distinct_succs(block).into_iter().filter(|&next| inside(next)) {
                if goes_round(next) { turns.push((block, next)) } else { work.push(next) }
            }
        }
    }
    turns.retain(|&turn| !is_counted(facts, kernel, cycle, turn));
    turns
}

/// Returns true if what others write while a lane is in a loop may decide whether it leaves.
fn can_learn(facts: &Analyses, kernel: &Kernel, context: &Context, cycle: &Cycle) -> bool {
    let orders = |inst: Inst| {
        let properties = kernel.properties(inst);
        let relaxed = matches!(properties.ordering, Ordering::Weak | Ordering::Volatile | Ordering::Relaxed);
        let fence = matches!(properties.memory, Memory::Fence | Memory::Unknown);
        fence || properties.convergent || properties.flow == Flow::Call || properties.memory != Memory::None && !relaxed
    };
    let controls = Controls::of(facts, cycle.natural().is_some());
    let awaited = awaited(facts, kernel, context, &controls, &[cycle]);
    cycle.insts(facts).any(orders) || awaited.iter().any(|awaited| awaited.stores || !awaited.reads.is_empty())
}

/// Returns true if a loop is left instead of going round by an edge after a number of times that does not depend on others: the branch compares something that
/// is the same in all iterations with a counter, to which each iteration that goes round by this edge adds one and the same number, and no
/// other iteration anything.
fn is_counted(facts: &Analyses, kernel: &Kernel, cycle: &Cycle, (from, to): (Block, Block)) -> bool {
    let counted = || {
        let [one, other] = facts.cfg.succs(from) else { return None };
        let leaves = if one.block == to { other.block } else { one.block };
        let branch = facts.cfg.terminator(from).filter(|_| !cycle.contains(facts, leaves))?;
        let guard = kernel.inst(branch).guard?;
        let (comparison, _) = comparison(facts, kernel, branch, guard.reg, DEEPEST)?;
        let [_, one, other] = kernel.operands(comparison) else { return None };
        let [one, other] = [one, other].map(|operand| source(facts, kernel, comparison, operand, DEEPEST));
        let compared = [(one?, other?), (other?, one?)];
        let counter = |(counter, bound): (Source, Source)| {
            is_same(facts, cycle, bound) && counts(facts, kernel, cycle, (from, to), counter)
        };
        Some(compared.into_iter().any(counter))
    };
    counted() == Some(true)
}

/// Returns true if a value is the same in all iterations of a loop.
fn is_same(facts: &Analyses, cycle: &Cycle, source: Source) -> bool {
    let made_in = match source {
        Source::Number(_) => return true,
        Source::Made(inst, _) => facts.cfg.block_of(inst),
        Source::Value(value) => Some(facts.values.block(value)),
    };
    made_in.is_some_and(|block| !cycle.contains(facts, block))
}

/// Returns true if a value is a counter of the iterations that go round by an edge.
fn counts(facts: &Analyses, kernel: &Kernel, cycle: &Cycle, (from, to): (Block, Block), counter: Source) -> bool {
    let Source::Made(add, _) = counter else { return false };
    let [_, one, other] = kernel.operands(add) else { return false };
    if kernel.properties(add).linear != Some(Linear::Sum) || cycle.entries != [to] {
        return false;
    }
    let [one, other] = [one, other].map(|operand| source(facts, kernel, add, operand, DEEPEST));
    let (Some(one), Some(other)) = (one, other) else { return false };
    let before = |before: Source, step: Source| {
        let Source::Value(phi) = before else { return false };
        let keeps = |&(pred, value): &(Block, Value)| match pred {
            _ if !cycle.contains(facts, pred) => true,
            pred if pred == from => made(facts, kernel, value, DEEPEST) == Some(counter),
            _ => made(facts, kernel, value, DEEPEST) == Some(before),
        };
        let inputs = facts.values.phi_inputs(phi);
        facts.values.block(phi) == to && !inputs.is_empty() && inputs.iter().all(keeps) && is_same(facts, cycle, step)
    };
    before(one, other) || before(other, one)
}

/// The edges behind a block by which a lane goes on that has written in it what others see.
fn behind_writes(facts: &Analyses, kernel: &Kernel, context: &Context, block: Block) -> Vec<(Block, Block)> {
    let writing = |inst: &Inst| accesses(facts, kernel, context, *inst).iter().any(|access| access.writes);
    let mut writes = facts.cfg.insts(block).iter().copied().filter(writing);
    let (branch, silent) = match (writes.next(), writes.next()) {
        (None, _) => return Vec::new(),
        (Some(write), None) => {
            fails_to(facts, kernel, block, write).map_or((block, None), |(branch, silent)| (branch, Some(silent)))
        }
        // Of several, each might fail.
        _ => (block, None),
    };
    let next = facts.cfg.distinct_succs(branch).into_iter().filter(|&next| Some(next) != silent);
    next.map(|next| (branch, next)).collect()
}

/// The first branch behind a block, and where it leads only if an atomic in the block wrote nothing.
fn fails_to(facts: &Analyses, kernel: &Kernel, first: Block, atomic: Inst) -> Option<(Block, Block)> {
    let mut block = first;
    while let [next] = facts.cfg.distinct_succs(block)[..] {
        // Blocks that nothing else leads to. Unreachable ones may lead to themselves.
        (facts.cfg.reachable_preds(next).eq([block]) && next != first).then_some(())?;
        block = next;
    }
    let operands = kernel.operands(atomic);
    let opcode = kernel.opcode(atomic);
    if kernel.properties(atomic).memory != Memory::Atomic || kernel.inst(atomic).guard.is_some() {
        return None;
    }
    // What the result is compared with, and whether the atomic writes nothing if they are equal.
    let (expected, equal) = match (opcode.has(Modifier::Cas), operands) {
        (true, [_, _, expected, _]) => (expected, false),
        (false, [_, _, written]) if opcode.has(Modifier::Exch) => (written, true),
        _ => return None,
    };
    let &Operand::Reg(result) = operands.first()? else { return None };
    let branch = facts.cfg.terminator(block)?;
    let guard = kernel.inst(branch).guard?;
    let (comparison, negated) = comparison(facts, kernel, branch, guard.reg, DEEPEST)?;
    let relation = kernel.properties(comparison).comparison?.relation;
    let compared = match kernel.operands(comparison) {
        [_, one, other] => [(one, other), (other, one)],
        _ => return None,
    };
    let is_result = |operand: &Operand| matches!(source(facts, kernel, comparison, operand, DEEPEST), Some(Source::Made(inst, reg)) if inst == atomic && reg == result);
    let wanted = source(facts, kernel, atomic, expected, DEEPEST)?;
    let is_expected = |operand: &Operand| source(facts, kernel, comparison, operand, DEEPEST) == Some(wanted);
    if !compared.iter().any(|(one, other)| is_result(one) && is_expected(other)) {
        return None;
    }
    let when_equal = match relation {
        Relation::Equal => true,
        Relation::NotEqual => false,
        _ => return None,
    };
    // Whether the branch is taken if they are equal, and so whether it is taken if nothing was written.
    let taken_if_equal = when_equal != (guard.negated != negated);
    let way = if taken_if_equal == equal { Edge::Taken } else { Edge::Fallthrough };
    let [one, other] = facts.cfg.succs(block) else { return None };
    let found = [one, other].into_iter().find(|succ| succ.edge == way)?;
    (one.block != other.block).then_some((block, found.block))
}

/// The comparison that a predicate comes from, and whether it is its opposite.
fn comparison(facts: &Analyses, kernel: &Kernel, at: Inst, reg: Reg, depth: u32) -> Option<(Inst, bool)> {
    let (mut value, mut negated) = (facts.values.at_use(at, reg)?, false);
    for _ in 0..depth {
        let Some((from, opposite)) = facts.values.passed_on(kernel, value) else { break };
        (value, negated) = (from, negated != opposite);
    }
    let made = facts.values.made_by(kernel, value)?;
    let integer = kernel.properties(made).comparison.is_some_and(|it| it.number != Number::Float);
    (integer && kernel.operands(made).len() == 3).then_some((made, negated))
}

/// The source of an operand, behind copies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Number(i64),
    /// The value that an instruction puts into a register.
    Made(Inst, Reg),
    /// A value that no instruction makes.
    Value(Value),
}

fn source(facts: &Analyses, kernel: &Kernel, at: Inst, operand: &Operand, depth: u32) -> Option<Source> {
    match *operand {
        Operand::Int(number) => Some(Source::Number(number)),
        Operand::Reg(reg) => made(facts, kernel, facts.values.at_use(at, reg)?, depth),
        _ => None,
    }
}

/// Returns what a value is, behind copies.
fn made(facts: &Analyses, kernel: &Kernel, value: Value, depth: u32) -> Option<Source> {
    let depth = depth.checked_sub(1)?;
    let Some(made) = facts.values.made_by(kernel, value) else { return Some(Source::Value(value)) };
    match kernel.operands(made) {
        [_, from] if kernel.properties(made).running == Some(Running::Copy) => {
            source(facts, kernel, made, from, depth).or(Some(Source::Made(made, facts.values.reg(value))))
        }
        _ => Some(Source::Made(made, facts.values.reg(value))),
    }
}
