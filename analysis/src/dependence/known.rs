//! What is known of the values of a thread where it makes an access: the conditions that have led there, the range of a value, and what depends on `%tid.x` alone.

use std::cell::RefCell;
use std::rc::Rc;

use ptx_parser::{Component, Inst, Kernel, Mnemonic, Operand, SpecialName};
use rustc_hash::FxHashMap;

use crate::analyses::Analyses;
use crate::exclusion::Exclusion;
use crate::ssa::{Value, ValueKind};

/// The threads of a CTA in one dimension at most (CUDA programming guide, "Technical Specifications per Compute Capability").
pub(super) const THREADS: u32 = 1024;

/// The depth up to which conditions and ranges are followed.
const DEEPEST: u32 = 12;

/// How often the range of a value that a loop changes is computed before it may be anything.
const ROUNDS: usize = 6;

/// The numbers of a value, without sign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Range {
    pub(super) least: u64,
    pub(super) most: u64,
}

impl Range {
    const ANY: Range = Range { least: 0, most: u64::MAX };

    fn one(number: u64) -> Range {
        Range { least: number, most: number }
    }

    fn with(self, other: Range) -> Range {
        Range { least: self.least.min(other.least), most: self.most.max(other.most) }
    }

    /// How many numbers there are.
    pub(super) fn count(self) -> u64 {
        (self.most - self.least).saturating_add(1)
    }
}

/// Numbers of values.
pub(super) type Facts = FxHashMap<Value, u64>;

/// The conditions under which instructions are executed, with whether they hold.
type Conditions = Rc<Vec<(Value, bool)>>;

/// Answers questions about values.
pub(super) struct Knowledge<'a> {
    kernel: &'a Kernel,
    analyses: &'a Analyses,
    /// No value is known to equal an earlier one.
    equal: FxHashMap<Value, Value>,
    /// The values that are read from `%tid.x`.
    threads: Vec<Value>,
    conditions: RefCell<FxHashMap<Inst, Conditions>>,
    ranges: RefCell<FxHashMap<Value, Range>>,
    functions: RefCell<FxHashMap<Value, Option<Rc<Vec<u32>>>>>,
}

impl<'a> Knowledge<'a> {
    pub(super) fn of(kernel: &'a Kernel, analyses: &'a Analyses) -> Knowledge<'a> {
        let is_thread = |value: &Value| match analyses.values.kind(*value) {
            ValueKind::Def(inst, _) => {
                kernel.inst(inst).guard.is_none()
                    && kernel.opcode(inst).mnemonic() == Mnemonic::Mov
                    && matches!(kernel.operands(inst), [_, Operand::Special(from)]
                        if from.name == SpecialName::Tid && from.component == Some(Component::X))
            }
            _ => false,
        };
        let threads = analyses.values.iter().filter(is_thread).collect();
        let (conditions, ranges, functions) = Default::default();
        Knowledge { kernel, analyses, equal: FxHashMap::default(), threads, conditions, ranges, functions }
    }

    /// The width of a value.
    pub(super) fn bits(&self, value: Value) -> u32 {
        self.kernel.reg(self.analyses.values.reg(value)).ty.bits()
    }

    fn evaluator(&self) -> Exclusion<'_> {
        let Analyses { cfg, dominators, loops, values, invariance, .. } = self.analyses;
        Exclusion { kernel: self.kernel, cfg, dominators, loops, values, invariance, equal: &self.equal }
    }

    /// Adds what a thread reads from `%tid.x`.
    fn at(&self, x: u32, facts: &mut Facts) {
        facts.extend(self.threads.iter().map(|&value| (value, u64::from(x))));
    }

    /// Returns for each `%tid.x` whether a thread that has it may execute an instruction, given the numbers of some values; `None` if all may.
    pub(super) fn may_execute(&self, inst: Inst, given: &[(Value, u64)]) -> Option<Vec<bool>> {
        let conditions = self.conditions(inst);
        if conditions.is_empty() {
            return None;
        }
        let evaluator = self.evaluator();
        let may = |x: u32| {
            let mut facts: Facts = given.iter().copied().collect();
            self.at(x, &mut facts);
            let fails = |&(value, holds): &(Value, bool)| {
                evaluator.evaluate(value, &facts).is_some_and(|number| (number != 0) != holds)
            };
            !conditions.iter().any(fails)
        };
        Some((0..THREADS).map(may).collect())
    }

    /// Returns the lower 32 bits of a value for each `%tid.x`, if that alone decides it.
    pub(super) fn function_of_thread(&self, value: Value) -> Option<Rc<Vec<u32>>> {
        if let Some(known) = self.functions.borrow().get(&value) {
            return known.clone();
        }
        let evaluator = self.evaluator();
        let number = |x: u32| {
            let mut facts = Facts::default();
            self.at(x, &mut facts);
            evaluator.evaluate(value, &facts).map(|number| number as u32)
        };
        let function = (0..THREADS).map(number).collect::<Option<Vec<u32>>>().map(Rc::new);
        self.functions.borrow_mut().insert(value, function.clone());
        function
    }

    /// The conditions of the branches that lead to an instruction alone, and of its guard.
    fn conditions(&self, inst: Inst) -> Conditions {
        if let Some(known) = self.conditions.borrow().get(&inst) {
            return known.clone();
        }
        let Analyses { cfg, dominators, values, .. } = self.analyses;
        let mut found = Vec::new();
        if let Some(guard) = self.kernel.inst(inst).guard
            && let Some(value) = values.at_use(inst, guard.reg)
        {
            self.learn(value, !guard.negated, &mut found, DEEPEST);
        }
        let mut at = cfg.block_of(inst);
        while let Some(block) = at {
            if let [only] = *cfg.preds(block)
                && cfg.distinct_succs(only).len() > 1
                && let Some(edge) = cfg.succs(only).iter().find(|succ| succ.block == block)
                && let Some((value, holds)) = self.analyses.condition(self.kernel, only, edge.edge)
            {
                self.learn(value, holds, &mut found, DEEPEST);
            }
            at = dominators.idom(block);
        }
        let found = Rc::new(found);
        self.conditions.borrow_mut().insert(inst, found.clone());
        found
    }

    /// Notes a condition, and those that it consists of.
    fn learn(&self, value: Value, holds: bool, found: &mut Vec<(Value, bool)>, depth: u32) {
        found.push((value, holds));
        let values = &self.analyses.values;
        let Some(inst) = values.made_by(self.kernel, value).filter(|_| depth > 0) else { return };
        let both =
            matches!((self.kernel.opcode(inst).mnemonic(), holds), (Mnemonic::And, true) | (Mnemonic::Or, false));
        if both && self.kernel.properties(inst).logic.is_some() {
            for operand in self.kernel.operands(inst).iter().skip(1) {
                if let Some(part) = values.of_operand(inst, operand) {
                    self.learn(part, holds, found, depth - 1);
                }
            }
        }
    }

    /// The range of a value of 32 bits.
    pub(super) fn range(&self, value: Value) -> Range {
        if let Some(&known) = self.ranges.borrow().get(&value) {
            return known;
        }
        let mut open = FxHashMap::default();
        let range = self.range_given(value, &mut open, DEEPEST).unwrap_or(Range::ANY);
        self.ranges.borrow_mut().insert(value, range);
        range
    }

    /// The range of a value, given those of values that are being looked at; `None` if that is none so far.
    fn range_given(&self, value: Value, open: &mut FxHashMap<Value, Option<Range>>, depth: u32) -> Option<Range> {
        if let Some(&assumed) = open.get(&value) {
            return assumed;
        }
        let Some(depth) = depth.checked_sub(1) else { return Some(Range::ANY) };
        let values = &self.analyses.values;
        match values.kind(value) {
            ValueKind::Undefined(_) => Some(Range::ANY),
            ValueKind::Phi(..) => {
                // Ranges only grow from round to round, until nothing changes or too much has. Phis within phis take as many rounds each, so that only some are followed.
                let depth = depth.saturating_sub(3);
                open.insert(value, None);
                for round in 0..ROUNDS {
                    let inputs = values.phi_inputs(value).iter().map(|&(_, input)| input);
                    let mut all: Option<Range> = open[&value];
                    for input in inputs {
                        let range = self.range_given(input, open, depth);
                        all = match (all, range) {
                            (Some(one), Some(other)) => Some(one.with(other)),
                            (one, other) => one.or(other),
                        };
                    }
                    // What gets smaller by and by may come down to 0.
                    if round >= ROUNDS / 2 {
                        all = all.map(|all| Range { least: 0, ..all });
                    }
                    if open.insert(value, all) == Some(all) {
                        open.remove(&value);
                        return all;
                    }
                }
                open.remove(&value);
                Some(Range::ANY)
            }
            ValueKind::Def(inst, _) => {
                if values.old(value).is_some() || self.kernel.inst(inst).guard.is_some() {
                    return Some(Range::ANY);
                }
                self.computed(inst, open, depth)
            }
        }
    }

    /// The range of what an instruction makes.
    fn computed(&self, inst: Inst, open: &mut FxHashMap<Value, Option<Range>>, depth: u32) -> Option<Range> {
        const ANY: Option<Range> = Some(Range::ANY);
        let opcode = self.kernel.opcode(inst);
        let [ty] = *opcode.types() else { return ANY };
        if ty.is_float() || ty.bits() != 32 {
            return ANY;
        }
        let operands = self.kernel.operands(inst);
        let number = |index: usize| match operands.get(index) {
            Some(Operand::Int(number)) => Some(u64::from(*number as u32)),
            _ => None,
        };
        let mut of = |index: usize| match operands.get(index) {
            Some(Operand::Int(number)) => Some(Range::one(u64::from(*number as u32))),
            Some(Operand::Reg(reg)) => match self.analyses.values.at_use(inst, *reg) {
                Some(value) => self.range_given(value, open, depth),
                None => ANY,
            },
            Some(Operand::Special(special)) => Some(match special.name {
                SpecialName::Tid => Range { least: 0, most: u64::from(THREADS) - 1 },
                SpecialName::Ntid => Range { least: 1, most: THREADS.into() },
                SpecialName::Laneid => Range { least: 0, most: 31 },
                _ => Range::ANY,
            }),
            _ => ANY,
        };
        // What is above 2^31 may be negative for an instruction with signs.
        let is_plain = |range: Range| range.most < 1 << 31;
        match opcode.mnemonic() {
            Mnemonic::Mov => of(1),
            Mnemonic::Shr => {
                let (from, Some(by @ 0..32)) = (of(1)?, number(2)) else { return ANY };
                if !is_plain(from) && ty.is_signed() {
                    return ANY;
                }
                let cut = Range { least: from.least, most: from.most.min(u32::MAX.into()) };
                Some(Range { least: cut.least >> by, most: cut.most >> by })
            }
            Mnemonic::And => {
                let (one, other) = (of(1), of(2));
                let most = [one?, other?].iter().map(|range| range.most).min().unwrap_or(u64::MAX);
                Some(Range { least: 0, most })
            }
            Mnemonic::Add => {
                let (one, other) = (of(1)?, of(2)?);
                let sum =
                    Range { least: one.least.saturating_add(other.least), most: one.most.saturating_add(other.most) };
                if is_plain(sum) { Some(sum) } else { ANY }
            }
            Mnemonic::Min => {
                let (one, other) = (of(1)?, of(2)?);
                match is_plain(one) && is_plain(other) || !ty.is_signed() {
                    true => Some(Range { least: one.least.min(other.least), most: one.most.min(other.most) }),
                    false => ANY,
                }
            }
            _ => ANY,
        }
    }
}
