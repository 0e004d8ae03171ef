//! Loops that one register bounds which each round makes of itself alone, however it does that.
//!
//! ```text
//! do { tries = (tries + 1) & 255; } while (tries != 0 && !flag);
//! ```
//!
//! The register is followed round by round, in some threads (`sampled_values`), until a comparison of it ends the loop.

use std::cell::RefCell;

use analysis::{Block, Value};
use cranelift_entity::{PrimaryMap, entity_impl};
use ptx_parser::{Comparison, Inst, Mnemonic, Operand};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::bounded_loops::{Look, Rounds};
use super::sampled_values::{ThreadValues, part, result};
use super::size_limits::DEEPEST;
use super::terms::{as_compared, signed};

/// The most rounds that are followed.
const MOST_ROUNDS: u128 = 1 << 16;
/// The most instructions by which a round makes the register, and what it is compared with.
const MOST_STEPS: usize = 64;

impl Look<'_> {
    /// Returns how many rounds a register lets through, in the thread in which it lets through most. `None` if there are more than are followed, or it is made of anything else.
    pub(super) fn followed(&self, phi: Value) -> Option<Rounds> {
        let (facts, header) = (self.facts, self.facts.loops.header(self.id));
        let (back, starts): (Vec<_>, Vec<_>) =
            facts.values.phi_inputs(phi).iter().partition(|(from, _)| facts.loops.contains(self.id, *from));
        let &(_, next) = back.first()?;
        if back.iter().any(|&(_, value)| value != next) {
            return None;
        }
        let needs: Vec<Vec<(Value, bool)>> = back.iter().map(|&(latch, _)| self.needs(latch)).collect();
        let mut most = 0;
        for thread in self.samples.threads(header) {
            let mut round = Round::new(self, phi, thread);
            let next = round.register(next)?;
            let tests: Vec<Vec<Test>> = needs
                .iter()
                .map(|needs| needs.iter().filter_map(|&(predicate, holds)| round.test(predicate, holds)).collect())
                .collect();
            // A lane may go round by a block for ever that no such comparison leads to.
            if tests.iter().any(Vec::is_empty) {
                return None;
            }
            for &(_, start) in &starts {
                let start = self.samples.number(start, &mut ThreadValues::in_thread(thread))?;
                most = most.max(round.follow(start, next, &tests)?);
            }
        }
        Some(Rounds::exactly(most))
    }

    /// Returns the comparisons that hold, or do not, where a lane goes round by a block.
    fn needs(&self, latch: Block) -> Vec<(Value, bool)> {
        let mut needs = Vec::new();
        self.on_way(latch, &mut |branch, edge, _| {
            let (predicate, holds) = self.facts.condition(self.kernel, branch, edge)?;
            let found = RefCell::new(&mut needs);
            let _: Option<()> = self.said_by(predicate, holds, DEEPEST, &|predicate, holds| {
                let made = self.facts.values.made_by(self.kernel, predicate)?;
                self.kernel.properties(made).comparison?;
                found.borrow_mut().push((predicate, holds));
                None
            });
            None::<()>
        });
        needs
    }
}

/// Names a number in a [`Round`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct NumberId(u32);
entity_impl!(NumberId, "number");

impl NumberId {
    /// The register before the round.
    const START: NumberId = NumberId(0);
}

/// The instructions by which one round computes a register from itself. They read and write `numbers`.
struct Round<'a> {
    look: &'a Look<'a>,
    thread: i64,
    /// The instructions in their order.
    steps: Vec<Step>,
    numbers: PrimaryMap<NumberId, i64>,
    /// The number of each value.
    values: FxHashMap<Value, NumberId>,
}

/// An instruction that makes a number.
struct Step {
    inst: Inst,
    sources: SmallVec<[NumberId; 4]>,
    made: NumberId,
    /// The first bit of its part and how many that has, if it takes a number apart.
    part: Option<(u32, u32)>,
}

/// A comparison by which a lane goes round.
struct Test {
    comparison: Comparison,
    holds: bool,
    operands: [NumberId; 2],
}

impl<'a> Round<'a> {
    fn new(look: &'a Look<'a>, phi: Value, thread: i64) -> Round<'a> {
        let (numbers, values) = (PrimaryMap::from_iter([0]), FxHashMap::from_iter([(phi, NumberId::START)]));
        Round { look, thread, steps: Vec::new(), numbers, values }
    }

    /// Returns the number of a value; `None` if it is made of anything but the register, constants and the numbers of the thread.
    fn register(&mut self, value: Value) -> Option<NumberId> {
        if let Some(&at) = self.values.get(&value) {
            return Some(at);
        }
        let (facts, kernel) = (self.look.facts, self.look.kernel);
        let at = if facts.loops.contains(self.look.id, facts.values.block(value)) {
            if self.steps.len() >= MOST_STEPS {
                return None;
            }
            let inst = facts.values.made_by(kernel, value)?;
            let (made, sources) = kernel.operands(inst).split_first()?;
            let part = match made {
                Operand::Reg(_) => None,
                Operand::Vector(parts) if kernel.opcode(inst).mnemonic() == Mnemonic::Mov => {
                    Some(part(kernel, inst, *parts, facts.values.reg(value))?)
                }
                _ => return None,
            };
            let sources: Option<SmallVec<[NumberId; 4]>> =
                sources.iter().map(|source| self.operand(inst, source)).collect();
            let made = self.constant(0);
            self.steps.push(Step { inst, sources: sources?, made, part });
            made
        } else {
            let number = self.look.samples.number(value, &mut ThreadValues::in_thread(self.thread))?;
            self.constant(number)
        };
        self.values.insert(value, at);
        Some(at)
    }

    fn operand(&mut self, inst: Inst, operand: &Operand) -> Option<NumberId> {
        match self.look.facts.values.of_operand(inst, operand) {
            Some(value) => self.register(value),
            None => {
                let number = self.look.samples.number_of_operand(inst, operand, self.thread)?;
                Some(self.constant(number))
            }
        }
    }

    fn constant(&mut self, number: i64) -> NumberId {
        self.numbers.push(number)
    }

    fn test(&mut self, predicate: Value, holds: bool) -> Option<Test> {
        let kernel = self.look.kernel;
        let inst = self.look.facts.values.made_by(kernel, predicate)?;
        let comparison = kernel.properties(inst).comparison?;
        let &[_, one, other] = kernel.operands(inst) else { return None };
        Some(Test { comparison, holds, operands: [self.operand(inst, &one)?, self.operand(inst, &other)?] })
    }

    /// Returns the number of rounds if the register begins with `start`; `next` is what it becomes.
    fn follow(&mut self, start: i64, next: NumberId, tests: &[Vec<Test>]) -> Option<u128> {
        self.numbers[NumberId::START] = start;
        for rounds in 0..MOST_ROUNDS {
            for step in &self.steps {
                let of: SmallVec<[i64; 4]> = step.sources.iter().map(|&at| self.numbers[at]).collect();
                self.numbers[step.made] = match (step.part, &of[..]) {
                    (Some((first, width)), &[of]) => signed(of.cast_unsigned() >> first, width),
                    _ => result(self.look.kernel.opcode(step.inst), &of)?,
                };
            }
            if tests.iter().all(|tests| tests.iter().any(|test| !test.goes_on(&self.numbers))) {
                return Some(rounds);
            }
            self.numbers[NumberId::START] = self.numbers[next];
        }
        None
    }
}

impl Test {
    fn goes_on(&self, numbers: &PrimaryMap<NumberId, i64>) -> bool {
        let [one, other] = self.operands.map(|at| as_compared(numbers[at].cast_unsigned(), self.comparison));
        self.comparison.relation.holds(one.cmp(&other)) == self.holds
    }
}
