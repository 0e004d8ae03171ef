//! Exclusion: blocks of one iteration of a loop that no thread comes to both of, although control flow alone would let it.
//!
//! ```text
//! if (kind == 0) A;
//! if (kind % 4 == 3) B;          B is not executed where A was: 0 % 4 is not 3
//! ```
//!
//! A block is executed under the conditions of the branches that lead to it alone. What those of one block say of values, that a predicate holds or
//! that a register is a number, is put into those of the other: if one of these comes out the other way, the blocks exclude each other. Values are
//! those of one iteration, each computed once.

use ptx_parser::{Flow, Inst, Kernel, Mnemonic, Modifier, Operand, Relation, Type};
use rustc_hash::FxHashMap;

use crate::cfg::{Block, Cfg};
use crate::dominators::Dominators;
use crate::loop_invariance::Invariance;
use crate::loops::{Loop, Loops};
use crate::ssa::{Value, Values};

/// The depth in instructions up to which conditions are computed.
const DEEPEST: u32 = 16;

/// Finds blocks that exclude each other.
#[derive(Clone, Copy, Debug)]
pub struct Exclusion<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// Its graph.
    pub cfg: &'a Cfg,
    /// Its dominators.
    pub dominators: &'a Dominators,
    /// Its loops.
    pub loops: &'a Loops,
    /// Its values.
    pub values: &'a Values,
    /// The loops in which each value changes.
    pub invariance: &'a Invariance,
    /// Values that equal earlier ones, such as those of a second load of one place.
    pub equal: &'a FxHashMap<Value, Value>,
}

impl Exclusion<'_> {
    /// Returns true if no thread comes to both blocks in one iteration of a loop.
    #[must_use]
    pub fn exclude(&self, one: Block, other: Block, iteration_of: Loop) -> bool {
        let (one, other) = (self.conditions(one, iteration_of), self.conditions(other, iteration_of));
        self.contradicts(&one, &other) || self.contradicts(&other, &one)
    }

    /// The predicates under which a block is executed in an iteration, and whether they hold then.
    fn conditions(&self, block: Block, iteration_of: Loop) -> Vec<(Value, bool)> {
        let header = self.loops.header(iteration_of);
        let mut found = Vec::new();
        let mut at = Some(block);
        while let Some(block) = at.filter(|&block| block != header && self.loops.contains(iteration_of, block)) {
            if let [only] = *self.cfg.preds(block)
                && let Some(condition) = self.branch(only, block)
                && self.is_fixed(condition.0, iteration_of)
            {
                found.push(condition);
            }
            at = self.dominators.idom(block);
        }
        found
    }

    /// The predicate by which a block's branch leads to another block, and its value then.
    fn branch(&self, from: Block, to: Block) -> Option<(Value, bool)> {
        let inst = self.cfg.terminator(from)?;
        let guard = self.kernel.inst(inst).guard.filter(|_| self.kernel.properties(inst).flow == Flow::Branch)?;
        let target = self.cfg.label_block(self.kernel.branch_target(inst)?)?;
        // Both ways may lead there.
        if self.cfg.distinct_succs(from).len() < 2 {
            return None;
        }
        Some((self.values.at_use(inst, guard.reg)?, (target == to) != guard.negated))
    }

    fn is_fixed(&self, value: Value, iteration_of: Loop) -> bool {
        let inner = |id: Loop| id != iteration_of && self.loops.common_of(id, iteration_of) == Some(iteration_of);
        !self.loops.is_irreducible(self.values.block(value)) && !self.invariance.changes_in(value).is_some_and(inner)
    }

    /// Returns true if what some conditions say makes another one come out the other way.
    fn contradicts(&self, known: &[(Value, bool)], asked: &[(Value, bool)]) -> bool {
        let mut facts = FxHashMap::default();
        for &(value, holds) in known {
            self.learn(value, holds, &mut facts, DEEPEST);
        }
        asked.iter().any(|&(value, holds)| {
            let computed = self.compute(value, &facts, DEEPEST);
            computed.is_some_and(|computed| (computed != 0) != holds)
        })
    }

    /// Notes what it says of values that a predicate holds, or does not.
    fn learn(&self, value: Value, holds: bool, facts: &mut FxHashMap<Value, u64>, depth: u32) {
        let value = self.first_of(value);
        facts.insert(value, u64::from(holds));
        let Some(inst) = depth.checked_sub(1).and_then(|_| self.values.made_by(self.kernel, value)) else { return };
        let opcode = self.kernel.opcode(inst);
        let input =
            |index: usize| self.kernel.operands(inst).get(index).and_then(|one| self.values.of_operand(inst, one));
        let constant = |index: usize| self.operand(inst, index, facts, depth);
        if let Some(comparison) = self.kernel.properties(inst).comparison {
            let equal = match comparison.relation {
                Relation::Equal => holds,
                Relation::NotEqual => !holds,
                _ => false,
            };
            let (left, right) = (constant(1), constant(2));
            match (input(1), input(2)) {
                (Some(value), _) if equal && right.is_some() => {
                    facts.insert(self.first_of(value), right.unwrap_or_default());
                }
                (_, Some(value)) if equal && left.is_some() => {
                    facts.insert(self.first_of(value), left.unwrap_or_default());
                }
                _ => {}
            }
            return;
        }
        if !opcode.has(Modifier::Type(Type::Pred)) {
            return;
        }
        let numbers = (constant(1), constant(2));
        let mut passed = |index: usize, holds: bool| {
            if let Some(value) = input(index) {
                self.learn(value, holds, facts, depth - 1);
            }
        };
        match (opcode.mnemonic(), holds) {
            (Mnemonic::Mov, _) => passed(1, holds),
            (Mnemonic::Not, _) => passed(1, !holds),
            (Mnemonic::And, true) | (Mnemonic::Or, false) => {
                passed(1, holds);
                passed(2, holds);
            }
            (Mnemonic::Xor, _) => match numbers {
                (_, Some(other)) => passed(1, holds != (other != 0)),
                (Some(other), _) => passed(2, holds != (other != 0)),
                _ => {}
            },
            _ => {}
        }
    }

    /// The first value that a value equals.
    fn first_of(&self, mut value: Value) -> Value {
        while let Some(&earlier) = self.equal.get(&value) {
            value = earlier;
        }
        value
    }

    /// The number that a value is, given some others.
    pub(crate) fn evaluate(&self, value: Value, facts: &FxHashMap<Value, u64>) -> Option<u64> {
        self.compute(value, facts, DEEPEST)
    }

    fn compute(&self, value: Value, facts: &FxHashMap<Value, u64>, depth: u32) -> Option<u64> {
        let value = self.first_of(value);
        if let Some(&known) = facts.get(&value) {
            return Some(known);
        }
        let depth = depth.checked_sub(1)?;
        let inst = self.values.made_by(self.kernel, value)?;
        let opcode = self.kernel.opcode(inst);
        let operand = |index: usize| self.operand(inst, index, facts, depth);
        if let Some(comparison) = self.kernel.properties(inst).comparison {
            let signed = opcode.types().first().is_some_and(|ty| ty.is_signed());
            let (left, right) =
                (extend(operand(1)?, comparison.bits, signed), extend(operand(2)?, comparison.bits, signed));
            return Some(u64::from(comparison.relation.holds(left.cmp(&right))));
        }
        if !opcode.has_only(&[Modifier::Lo]) {
            return None;
        }
        let ty = opcode.types().first()?;
        let bits = if opcode.has(Modifier::Type(Type::Pred)) { 1 } else { ty.bits() };
        let result = match opcode.mnemonic() {
            Mnemonic::Mov => operand(1)?,
            Mnemonic::Not => !operand(1)?,
            Mnemonic::Neg => operand(1)?.wrapping_neg(),
            Mnemonic::And => operand(1)? & operand(2)?,
            Mnemonic::Or => operand(1)? | operand(2)?,
            Mnemonic::Xor => operand(1)? ^ operand(2)?,
            Mnemonic::Add => operand(1)?.wrapping_add(operand(2)?),
            Mnemonic::Sub => operand(1)?.wrapping_sub(operand(2)?),
            Mnemonic::Mul if opcode.has(Modifier::Lo) => operand(1)?.wrapping_mul(operand(2)?),
            Mnemonic::Mad if opcode.has(Modifier::Lo) => {
                operand(1)?.wrapping_mul(operand(2)?).wrapping_add(operand(3)?)
            }
            // Shifts by more than the width are by the width (PTX ISA, "shl", "shr").
            Mnemonic::Shl => operand(1)?.checked_shl(u32::try_from(operand(2)?).ok()?.min(bits)).unwrap_or(0),
            Mnemonic::Shr => {
                let by = u32::try_from(operand(2)?).ok()?.min(bits);
                (extend(operand(1)?, bits, ty.is_signed()) >> by) as u64
            }
            Mnemonic::Cvt => {
                let from = opcode.types().get(1)?;
                if ty.is_float() || from.is_float() {
                    return None;
                }
                extend(operand(1)?, from.bits(), from.is_signed()) as u64
            }
            _ => return None,
        };
        Some(cut(result, bits))
    }

    fn operand(&self, inst: Inst, index: usize, facts: &FxHashMap<Value, u64>, depth: u32) -> Option<u64> {
        match self.kernel.operands(inst).get(index)? {
            Operand::Int(number) => Some(number.cast_unsigned()),
            Operand::Reg(reg) => self.compute(self.values.at_use(inst, *reg)?, facts, depth),
            _ => None,
        }
    }
}

/// The lower bits of a number.
fn cut(number: u64, bits: u32) -> u64 {
    if bits >= 64 { number } else { number & ((1 << bits) - 1) }
}

/// The value of the lower bits of a number.
fn extend(number: u64, bits: u32, signed: bool) -> i128 {
    let low = i128::from(cut(number, bits));
    if signed && low >> (bits - 1) != 0 { low - (1 << bits) } else { low }
}
