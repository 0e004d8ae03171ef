//! Loops that a counter bounds on every way, by the form of their registers alone.
//!
//! A register of the header gets a constant more by every edge back to it, and each of these edges is only taken while the register, or what it becomes, is on the right side of a number that does
//! not change in the loop, or is not that number. How the loop gets there does not matter, so that this holds of unrolled loops and of those with any others in them.
//!
//! A register that loses bits by every edge back (`bit_clearing.rs`), each of which is only taken while it is not 0, has lost all of them after as many rounds.
//!
//! A lane that goes round very often, or traps in the end, has waited in vain: nobody takes such a number for the end of a search. That is so too where the number is only one of those that
//! the kernel may set the end to (`sampled_values`). Compilers unroll loops, so that what counts is how often a lane reads memory.

use std::iter::successors;

use analysis::{Analyses, Block, Edge, Loop, Value};
use cranelift_entity::SecondaryMap;
use ptx_parser::{Flow, Inst, Kernel, Linear, Logic, Memory, Mnemonic, Number, Operand, Relation, Space};
use rustc_hash::FxHashMap;

use super::bit_clearing::loses_bits;
use super::exit_tests::{End, plain};
use super::sampled_values::{Pairs, Samples};
use super::size_limits::{DEEPEST, GREATEST_STEP, MANY};
use super::terms::whole;

/// The most rounds of a loop in another one that are followed one by one.
const FEW: u128 = 16;

/// The way in which a counter bounds a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bound {
    /// By a number that a search may have.
    Some,
    /// By a number of which nobody knows how great it is, since it is made in a way that is not evaluated.
    Unknown,
    /// By so many rounds that nobody waits for their end, with those of the loops around it and in it, or by a trap.
    InVain,
}

/// The bounds that counters set on the loops of a kernel.
pub(super) struct Bounds {
    /// By loop, how many rounds a counter bounds it by, if one does: 0 where that is not known, and [`MANY`] where it ends in a trap.
    rounds: SecondaryMap<Loop, Option<u128>>,
    /// By loop, the reads of memory by one lane in all rounds, with those of inner loops.
    reads: SecondaryMap<Loop, u128>,
    /// By loop, true if there may be more rounds than that.
    is_unknown: SecondaryMap<Loop, bool>,
}

impl Bounds {
    pub(super) fn of(facts: &Analyses, kernel: &Kernel) -> Bounds {
        let loops = &facts.loops;
        let samples = Samples::new(facts, kernel);
        let mut bounds = Bounds {
            rounds: SecondaryMap::new(),
            reads: SecondaryMap::with_default(1),
            is_unknown: SecondaryMap::new(),
        };
        let mut inner_first: Vec<Loop> = loops.iter().collect();
        inner_first.sort_by_key(|&id| std::cmp::Reverse(loops.depth(id)));
        // A loop may count to what one around it counts.
        for &id in inner_first.iter().rev() {
            let look = Look { facts, kernel, samples: &samples, id };
            for &phi in facts.values.phis(loops.header(id)) {
                if let Some(last) = look.last(phi) {
                    samples.counts_to(phi, last);
                }
            }
        }
        for id in inner_first {
            let look = Look { facts, kernel, samples: &samples, id };
            let phis = facts.values.phis(loops.header(id));
            let found = phis.iter().filter_map(|&phi| look.bounds(phi));
            let found = found.min_by_key(|rounds| (rounds.is_unknown, rounds.at_most, rounds.perhaps));
            let found = found.or_else(|| phis.iter().find_map(|&phi| look.followed(phi)));
            bounds.rounds[id] = found.map(|rounds| rounds.at_most);
            bounds.is_unknown[id] = found.is_some_and(|rounds| rounds.is_unknown);
            // In the last round it may read as well.
            let many = found.map_or(1, |rounds| rounds.at_most.max(rounds.perhaps).saturating_add(1));
            let of_round = bounds.reads[id].max(look.reads());
            bounds.reads[id] = of_round.saturating_mul(many);
            if let Some(around) = loops.parent(id) {
                bounds.reads[around] = bounds.reads[around].max(bounds.reads[id]);
            }
        }
        bounds
    }

    /// Those of some loops that a counter lets through few rounds of, as many as a compiler unrolls, and how many.
    pub(super) fn unrollable(&self, loops: &[Loop]) -> FxHashMap<Loop, u32> {
        let few = |&id: &Loop| {
            let rounds = self.rounds[id].filter(|rounds| (1..=FEW).contains(rounds))?;
            Some((id, rounds as u32))
        };
        loops.iter().filter_map(few).collect()
    }

    /// Returns how a counter bounds a loop, if one does.
    pub(super) fn bound(&self, id: Loop) -> Option<Bound> {
        self.rounds[id]?;
        Some(match (self.reads[id] >= MANY, self.is_unknown[id]) {
            (true, _) => Bound::InVain,
            (false, true) => Bound::Unknown,
            (false, false) => Bound::Some,
        })
    }
}

/// Returns true if steps of a size, guarded by an order against `end`, cannot overflow before they stop. An unknown end is assumed to be small.
pub(super) fn ends(step: i64, bits: u32, end: Option<u64>, is_signed: bool, strict: bool) -> bool {
    if step.abs() == 1 && strict {
        return true;
    }
    let Some(end) = end else { return strict && step.abs() <= GREATEST_STEP };
    let (least, most) = match is_signed {
        true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        false => (0, (1i128 << bits) - 1),
    };
    let beyond = whole(end, bits, is_signed) + i128::from(step) * 2;
    (least..=most).contains(&beyond)
}

/// A loop, with what is known of its kernel.
pub(super) struct Look<'a> {
    pub(super) facts: &'a Analyses,
    pub(super) kernel: &'a Kernel,
    pub(super) samples: &'a Samples<'a>,
    pub(super) id: Loop,
}

/// A bound of a loop on one path.
#[derive(Clone, Copy)]
struct Bounded {
    guard: Guard,
    rounds: Rounds,
}

/// The number of rounds that a counter lets through.
#[derive(Clone, Copy)]
pub(super) struct Rounds {
    /// As in [`Bounds::rounds`].
    at_most: u128,
    /// As many as there may be by the numbers that start and end may be; 0 where none are known.
    perhaps: u128,
    /// True if nothing evaluates how start or end is computed.
    is_unknown: bool,
}

impl Rounds {
    pub(super) fn exactly(rounds: u128) -> Rounds {
        Rounds { at_most: rounds, perhaps: 0, is_unknown: false }
    }

    fn or(self, other: Rounds) -> Rounds {
        Rounds {
            at_most: self.at_most.max(other.at_most),
            perhaps: self.perhaps.max(other.perhaps),
            is_unknown: self.is_unknown || other.is_unknown,
        }
    }

    /// Counts possible rounds as rounds if there may be [`MANY`] of them.
    fn known(self) -> Rounds {
        if self.perhaps >= MANY { Rounds { at_most: self.at_most.max(self.perhaps), ..self } } else { self }
    }
}

/// The end that a way is guarded by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Guard {
    Ordered,
    /// The counter is not a number that stays: what is added to the counter, and the number.
    NotEqual(i64, End),
}

/// The comparison of a counter with its end.
#[derive(Clone, Copy)]
struct Compared {
    bits: u32,
    /// By which of them is less, not by whether they are equal.
    is_ordered: bool,
    is_signed: bool,
    /// The constant that is added to the counter before it is compared.
    added: i64,
}

impl Compared {
    /// Returns the rounds that a counter takes from `start` to `end`. A counter that is beyond its end and is compared for equality overflows first; with parameters it is assumed not to be beyond.
    fn rounds(self, step: i64, start: i64, end: i64, is_given: bool) -> u128 {
        let Compared { bits, is_ordered, is_signed, added } = self;
        let number = |number: i64| whole(number.cast_unsigned(), bits, is_signed);
        let all = 1u128 << bits.min(64);
        let first = number(start) + if is_ordered { 0 } else { i128::from(added) };
        let way = match (number(end) - first) * i128::from(step.signum()) {
            way @ 0.. => way.unsigned_abs(),
            _ if is_ordered || is_given => 0,
            way => all - way.unsigned_abs().min(all),
        };
        way / u128::from(step.unsigned_abs())
    }
}

impl Look<'_> {
    /// Returns how many rounds a counter lets through.
    fn bounds(&self, phi: Value) -> Option<Rounds> {
        let (facts, inputs) = (self.facts, self.facts.values.phi_inputs(phi));
        let inside = |block: Block| facts.loops.contains(self.id, block);
        let mut back = inputs.iter().filter(|(from, _)| inside(*from));
        let &(first, value) = back.next()?;
        let bits = self.kernel.reg(facts.values.reg(phi)).ty.bits();
        if loses_bits(self.facts, self.kernel, phi, value) {
            let is_fewer = |&(from, value): &(Block, Value)| {
                loses_bits(self.facts, self.kernel, phi, value) && self.guard(phi, from, 0, bits).is_some()
            };
            let all = inputs.iter().filter(|(from, _)| inside(*from)).all(is_fewer);
            return all.then(|| Rounds::exactly(u128::from(bits)));
        }
        let step = self.steps(phi, (first, value), bits)?;
        let Bounded { guard, mut rounds } = self.guard(phi, first, step, bits)?;
        for &(from, value) in back {
            if self.steps(phi, (from, value), bits)? != step {
                return None;
            }
            let other = self.guard(phi, from, step, bits)?;
            if guard != other.guard {
                return None;
            }
            rounds = rounds.or(other.rounds);
        }
        match guard {
            Guard::Ordered => Some(rounds),
            Guard::NotEqual(..) if step.abs() == 1 => Some(rounds),
            // Longer steps come to the number from where they begin, if it is known how far that is.
            Guard::NotEqual(added, end) => {
                let mut starts = inputs.iter().filter(|(from, _)| !inside(*from));
                let lands = |way: i128| {
                    let way = way - i128::from(added);
                    way % i128::from(step) == 0 && way / i128::from(step) >= 0
                };
                let way = |start: Value| match end {
                    End::Number(end) => {
                        let start = facts.values.copied_to(self.kernel, start)?;
                        Some(i128::from(end) - i128::from(start))
                    }
                    End::Value(end) => {
                        let [(first, from), (second, to)] = [start, end].map(|value| self.parts(value, bits));
                        (first == second).then_some(i128::from(to) - i128::from(from))
                    }
                };
                starts.all(|&(_, start)| way(start).is_some_and(lands)).then_some(rounds)
            }
        }
    }

    /// Returns the number that a register of the header counts to, if that is known.
    fn last(&self, phi: Value) -> Option<i64> {
        let Rounds { at_most, perhaps, .. } = self.bounds(phi)?;
        let inside = |block: Block| self.facts.loops.contains(self.id, block);
        let inputs = self.facts.values.phi_inputs(phi);
        let &back = inputs.iter().find(|(from, _)| inside(*from))?;
        let &(_, start) = inputs.iter().find(|(from, _)| !inside(*from))?;
        let bits = self.kernel.reg(self.facts.values.reg(phi)).ty.bits();
        let step = self.steps(phi, back, bits)?;
        let start = self.facts.values.copied_to(self.kernel, start);
        let way = step.checked_mul(i64::try_from(at_most.max(perhaps)).ok()?)?;
        start.unwrap_or(0).checked_add(way)
    }

    /// The constant that a value is more than the counter on the edge back from a block; not 0 for a step.
    fn steps(&self, phi: Value, (latch, value): (Block, Value), bits: u32) -> Option<i64> {
        let added = self.added(phi, value, bits).or_else(|| self.added_on_edge(phi, (latch, value), bits));
        added.filter(|&step| step != 0)
    }

    /// The same where the constant is chosen by a condition without which nobody goes round: `while (is_full() && i < n) i += is_full() ? 1 : 0;`, as compilers write it.
    fn added_on_edge(&self, phi: Value, (latch, value): (Block, Value), bits: u32) -> Option<i64> {
        let (values, kernel) = (&self.facts.values, self.kernel);
        let mut inst = values.made_by(kernel, value)?;
        for _ in 0..DEEPEST {
            let (Some(Linear::Same), &[_, of]) = (kernel.properties(inst).linear, kernel.operands(inst)) else { break };
            inst = values.made_by(kernel, values.of_operand(inst, &of)?)?;
        }
        let &[_, one, other] = kernel.operands(inst) else { return None };
        if kernel.properties(inst).linear != Some(Linear::Sum)
            || kernel.opcode(inst).types().iter().any(|ty| ty.bits() != bits)
        {
            return None;
        }
        let chosen = |operand: &Operand| {
            let choice = values.made_by(kernel, values.of_operand(inst, operand)?)?;
            let &[_, Operand::Int(yes), Operand::Int(no), predicate] = kernel.operands(choice) else { return None };
            let predicate =
                values.of_operand(choice, &predicate).filter(|_| kernel.opcode(choice).mnemonic() == Mnemonic::Selp)?;
            let holds = self.on_way(latch, &mut |branch, edge, _| {
                let (known, holds) = self.facts.condition(self.kernel, branch, edge)?;
                self.decides(known, holds, predicate)
            })?;
            Some(if holds { yes } else { no })
        };
        let of = |counter: &Operand, choice: &Operand| {
            self.added(phi, values.of_operand(inst, counter)?, bits)?.checked_add(chosen(choice)?)
        };
        of(&one, &other).or_else(|| of(&other, &one))
    }

    /// Returns whether a predicate holds where another one holds, or does not; `None` if that says nothing of it.
    fn decides(&self, known: Value, holds: bool, predicate: Value) -> Option<bool> {
        self.said_by(known, holds, DEEPEST, &|said, holds| (said == predicate).then_some(Some(holds)))
    }

    fn added(&self, phi: Value, value: Value, bits: u32) -> Option<i64> {
        self.sums(value, bits).find_map(|(of, sum)| (of == phi).then_some(sum))
    }

    /// The first value that one is made of by adding constants, and what is added to it.
    fn parts(&self, value: Value, bits: u32) -> (Value, i64) {
        self.sums(value, bits).last().unwrap_or((value, 0))
    }

    /// The values that one is made of by adding constants, itself first, each with what is added to it.
    fn sums(&self, value: Value, bits: u32) -> impl Iterator<Item = (Value, i64)> {
        let before = move |&(value, sum): &(Value, i64)| {
            let inst = self.facts.values.made_by(self.kernel, value)?;
            if self.kernel.opcode(inst).types().iter().any(|ty| ty.bits() != bits) {
                return None;
            }
            let (operand, number) = match (self.kernel.properties(inst).linear?, self.kernel.operands(inst)) {
                (Linear::Same, [_, one]) => (one, 0),
                (Linear::Sum, [_, one, Operand::Int(number)] | [_, Operand::Int(number), one]) => (one, *number),
                (Linear::Difference, [_, one, Operand::Int(number)]) => (one, number.checked_neg()?),
                _ => return None,
            };
            Some((self.facts.values.of_operand(inst, operand)?, sum.checked_add(number)?))
        };
        successors(Some((value, 0)), before).take(DEEPEST as usize)
    }

    /// Returns what the edge back from a block is guarded by: a condition of a branch that it is only come to by one way of.
    fn guard(&self, phi: Value, latch: Block, step: i64, bits: u32) -> Option<Bounded> {
        self.on_way(latch, &mut |branch, edge, other| {
            let mut found = self.holds_on(branch, edge, phi, step, bits)?;
            if self.only_traps(other) {
                found.rounds = Rounds::exactly(MANY);
            }
            Some(found)
        })
    }

    /// The first thing that is found of the branches that a lane has come by which goes round by a block, the last branch first: each with the edge that it has taken, and where the other one leads.
    pub(super) fn on_way<T>(&self, latch: Block, found: &mut dyn FnMut(Block, Edge, Block) -> Option<T>) -> Option<T> {
        let facts = self.facts;
        let header = facts.loops.header(self.id);
        // Whoever goes round has come by the edge from one to the other.
        let mut known_edge = Some((latch, header));
        let mut below = header;
        let mut block = Some(latch);
        while let Some(branch) = block.filter(|&block| facts.loops.contains(self.id, block)) {
            block = facts.dominators.idom(branch);
            let mut next_edge = None;
            if let [one, other] = facts.cfg.succs(branch)
                && one.block != other.block
            {
                let only = |way: Block| {
                    way == below && (known_edge == Some((branch, below)) || facts.cfg.reachable_preds(way).eq([branch]))
                };
                if let Some(way) = [one, other].into_iter().find(|way| only(way.block)) {
                    let other = if one.block == way.block { other.block } else { one.block };
                    if let Some(found) = found(branch, way.edge, other) {
                        return Some(found);
                    }
                    if let Some(from) = self.comes_from(branch, way.edge) {
                        (block, next_edge) = (Some(from), Some((from, branch)));
                    }
                }
            }
            if branch == header {
                return None;
            }
            (below, known_edge) = (branch, next_edge);
        }
        None
    }

    /// Returns the greatest number of reads by one lane in one round, without inner loops.
    fn reads(&self) -> u128 {
        let (facts, kernel) = (self.facts, self.kernel);
        let own = facts.loops.blocks(self.id).iter().filter(|&&block| facts.loops.innermost(block) == Some(self.id));
        let reads = own.flat_map(|&block| facts.cfg.insts(block)).filter(|&&inst| {
            let properties = kernel.properties(inst);
            matches!(properties.memory, Memory::Read | Memory::Atomic) && properties.space != Some(Space::Param)
        });
        reads.count() as u128
    }

    /// Returns true if all ways from a block outside of the loop end in a trap.
    fn only_traps(&self, block: Block) -> bool {
        let (facts, mut block) = (self.facts, block);
        for _ in 0..DEEPEST {
            let traps = |&inst: &Inst| {
                self.kernel.properties(inst).flow == Flow::Trap && self.kernel.inst(inst).guard.is_none()
            };
            if facts.cfg.insts(block).iter().any(traps) {
                return true;
            }
            match facts.cfg.distinct_succs(block)[..] {
                [next] if !facts.loops.contains(self.id, next) => block = next,
                _ => return false,
            }
        }
        false
    }

    /// Returns how many rounds a counter takes to a number at most. One that goes up to it begins at 0 where nothing else is known.
    fn rounds_to(&self, phi: Value, step: i64, compared: Compared, end: End) -> Rounds {
        let (facts, header) = (self.facts, self.facts.loops.header(self.id));
        let inputs = facts.values.phi_inputs(phi).iter();
        let starts = inputs.filter(|&&(from, _)| !facts.loops.contains(self.id, from));
        let rounds = starts.map(|&(_, start)| {
            let constant = facts.values.copied_to(self.kernel, start);
            if let (Some(start), End::Number(end)) = (constant, end) {
                return Rounds::exactly(compared.rounds(step, start, end, false));
            }
            let start = constant.map_or(End::Value(start), End::Number);
            let Pairs { pairs, is_unknown, is_given } = self.samples.pairs(start, end, header);
            let perhaps = pairs.into_iter().map(|(start, end)| compared.rounds(step, start, end, is_given)).max();
            let goes_up = compared.is_ordered && step > 0;
            let at_most = match end {
                End::Number(end) if goes_up => compared.rounds(step, 0, end, false),
                _ => 0,
            };
            let is_bounded = goes_up && matches!(end, End::Number(_));
            Rounds { at_most, perhaps: perhaps.unwrap_or(0), is_unknown: is_unknown && !is_bounded }
        });
        rounds.reduce(Rounds::or).unwrap_or(Rounds::exactly(0))
    }

    /// The block that a lane has come from that leaves a branch by an edge, if the condition is a constant on all other ways to it: `a && b`, unoptimised.
    fn comes_from(&self, branch: Block, edge: Edge) -> Option<Block> {
        let (predicate, holds) = self.facts.condition(self.kernel, branch, edge)?;
        let (predicate, holds) = plain(self.facts, self.kernel, predicate, holds);
        if !self.facts.values.phis(branch).contains(&predicate) {
            return None;
        }
        let contradicts = |input: Value| {
            let (input, wanted) = plain(self.facts, self.kernel, input, holds);
            self.facts.values.truth(self.kernel, input).is_some_and(|truth| truth != wanted)
        };
        let mut others = self.facts.values.phi_inputs(predicate).iter().filter(|&&(_, input)| !contradicts(input));
        match (others.next(), others.next()) {
            (Some(&(from, _)), None) => Some(from),
            _ => None,
        }
    }

    fn holds_on(&self, branch: Block, edge: Edge, phi: Value, step: i64, bits: u32) -> Option<Bounded> {
        let (predicate, holds) = self.facts.condition(self.kernel, branch, edge)?;
        self.said_by(predicate, holds, DEEPEST, &|predicate, holds| {
            let inst = self.facts.values.made_by(self.kernel, predicate)?;
            let comparison = self.kernel.properties(inst).comparison?;
            Some(self.said_of_counter(inst, comparison.relation_if(holds), phi, step, bits))
        })
    }

    /// Returns what is found of the predicates that hold, or do not, where one does. The search ends in each direction at the first of which `found` knows something, be it
    /// that it says nothing.
    pub(super) fn said_by<T>(
        &self,
        predicate: Value,
        holds: bool,
        depth: u32,
        found: &dyn Fn(Value, bool) -> Option<Option<T>>,
    ) -> Option<T> {
        let depth = depth.checked_sub(1)?;
        if let Some(found) = found(predicate, holds) {
            return found;
        }
        if let Some((from, negated)) = self.facts.values.passed_on(self.kernel, predicate) {
            return self.said_by(from, holds != negated, depth, found);
        }
        let inst = self.facts.values.made_by(self.kernel, predicate)?;
        let of = |operand: &Operand| self.said_by(self.facts.values.of_operand(inst, operand)?, holds, depth, found);
        match (self.kernel.properties(inst).logic?, self.kernel.operands(inst)) {
            (Logic::And, [_, one, other]) if holds => of(one).or_else(|| of(other)),
            (Logic::Or, [_, one, other]) if !holds => of(one).or_else(|| of(other)),
            _ => None,
        }
    }

    /// Returns what a comparison of whole numbers says of the counter, where its operands relate in some way.
    fn said_of_counter(&self, inst: Inst, relation: Relation, phi: Value, step: i64, bits: u32) -> Option<Bounded> {
        let comparison = self.kernel.properties(inst).comparison.filter(|comparison| comparison.bits == bits)?;
        let &[_, one, other] = self.kernel.operands(inst) else { return None };
        let is_signed = comparison.number == Number::Signed;
        let compared = |counter: Operand, relation: Relation, end: Operand| {
            self.compared(inst, phi, step, bits, (counter, relation, end), is_signed)
        };
        compared(one, relation, other).or_else(|| compared(other, relation.swapped(), one))
    }

    fn compared(
        &self,
        inst: Inst,
        phi: Value,
        step: i64,
        bits: u32,
        (counter, relation, end): (Operand, Relation, Operand),
        is_signed: bool,
    ) -> Option<Bounded> {
        if step == 0 {
            let value = self.facts.values.of_operand(inst, &counter)?;
            let is_counter = value == phi || loses_bits(self.facts, self.kernel, phi, value);
            let guard = Guard::NotEqual(0, End::Number(0));
            let is_guarded = is_counter && relation == Relation::NotEqual && end == Operand::Int(0);
            return is_guarded.then(|| Bounded { guard, rounds: Rounds::exactly(u128::from(bits)) });
        }
        let added = self.added(phi, self.facts.values.of_operand(inst, &counter)?, bits)?;
        if added.abs() > step.abs() {
            return None;
        }
        let end = match end {
            Operand::Int(number) => End::Number(number),
            Operand::Reg(reg) => {
                let value = self.facts.values.at_use(inst, reg)?;
                let outside = !self.facts.loops.contains(self.id, self.facts.values.block(value));
                outside
                    .then(|| self.facts.values.copied_to(self.kernel, value).map_or(End::Value(value), End::Number))?
            }
            _ => return None,
        };
        let number = match end {
            End::Number(number) => Some(number.cast_unsigned()),
            End::Value(_) => None,
        };
        let ordered = relation != Relation::NotEqual;
        let strict = match (relation, step > 0) {
            (Relation::NotEqual, _) | (Relation::Less, true) | (Relation::Greater, false) => true,
            (Relation::LessOrEqual, true) | (Relation::GreaterOrEqual, false) => false,
            _ => return None,
        };
        if ordered && !ends(step, bits, number, is_signed, strict) {
            return None;
        }
        let compared = Compared { bits, is_ordered: ordered, is_signed, added };
        let rounds = self.rounds_to(phi, step, compared, end);
        let rounds = rounds.known();
        Some(Bounded { guard: if ordered { Guard::Ordered } else { Guard::NotEqual(added, end) }, rounds })
    }
}
