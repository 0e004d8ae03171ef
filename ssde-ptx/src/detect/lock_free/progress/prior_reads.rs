//! The values that were read before at the address of another access, in this round or in the last one.

use analysis::{Block, Value, ValueKind};
use ptx_parser::{Base, Inst, Kernel, Linear, Memory, Mnemonic, Modifier, Operand, Relation, Running, Space, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

use super::loop_facts::DEEPEST;
use super::loop_facts::{LoopFacts, MOST_VALUES};
use crate::detect::alias::{address, bytes, is_dynamic, place};

/// The most pairs of values that are compared in a loop to see whether they are made alike.
const MOST_PAIRS: usize = 20_000;

/// The base that an address is made from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Root {
    Value(Value),
    /// A variable; `None` for dynamic shared memory, which several may name.
    Variable(Option<Symbol>),
}

impl Root {
    fn of_symbol(kernel: &Kernel, symbol: Symbol) -> Root {
        Root::Variable(Some(symbol).filter(|&symbol| !is_dynamic(kernel, symbol)))
    }
}

impl LoopFacts<'_> {
    /// A read in the loop whose result is one value, and that at the same address another value was read before, in this round or in the last one.
    pub(super) fn reread(&self, value: Value, other: Value) -> Option<(Inst, Value)> {
        let read = self.read(value)?;
        let was = match self.wanted(read) {
            // What it compares with is what its result is compared with.
            Some(wanted) => Some(wanted).filter(|&wanted| self.origin(wanted) == self.origin(other))?,
            None => other,
        };
        self.is_fresh(was, read).then_some((read, was))
    }

    /// The read in the loop that a value is the result of, by copies alone.
    pub(super) fn read(&self, value: Value) -> Option<Inst> {
        let ValueKind::Def(inst, _) = self.facts.values.kind(self.origin(value)) else { return None };
        let properties = self.kernel.properties(inst);
        let inside = self.facts.cfg.block_of(inst).is_some_and(|block| self.contains(block));
        let reads = matches!(properties.memory, Memory::Read | Memory::Atomic);
        let shared = || {
            !matches!(properties.space, Some(Space::Param | Space::Const))
                && !place(self.facts, self.kernel, inst).is_own()
        };
        (inside && reads && self.kernel.inst(inst).guard.is_none() && shared()).then_some(inst)
    }

    /// Returns what a comparison and swap compares with.
    pub(super) fn wanted(&self, inst: Inst) -> Option<Value> {
        if self.kernel.properties(inst).memory != Memory::Atomic || !self.kernel.opcode(inst).has(Modifier::Cas) {
            return None;
        }
        self.facts.values.of_operand(inst, &self.given(inst, 1)?)
    }

    /// An operand of an access to memory, by its number behind the address.
    pub(super) fn given(&self, access: Inst, number: usize) -> Option<Operand> {
        let operands = self.kernel.operands(access);
        let at = operands.iter().position(|operand| matches!(operand, Operand::Address(..)))?;
        operands.get(at + number).copied()
    }

    /// Returns true if a comparison and swap changes something if it succeeds.
    pub(super) fn is_swap(&self, inst: Inst, wanted: Value) -> bool {
        let new = self.given(inst, 2).and_then(|operand| self.facts.values.of_operand(inst, &operand));
        let wanted = self.origin(wanted);
        self.wanted(inst).is_some() && new.is_none_or(|new| !self.may_be(self.origin(new), wanted))
    }

    /// Returns true if a value is another one, or may be: as what a mask leaves of it, by a choice, or by a way of this round.
    pub(super) fn may_be(&self, value: Value, other: Value) -> bool {
        let (mut seen, mut work) = (FxHashSet::default(), vec![value]);
        while let Some(value) = work.pop() {
            if value == other {
                return true;
            }
            let family = self.facts.values.made_by(self.kernel, value).map(|made| self.kernel.opcode(made).mnemonic());
            let masks = matches!(family, Some(Mnemonic::And | Mnemonic::Or | Mnemonic::Min | Mnemonic::Max));
            let block = self.facts.values.block(value);
            let is_phi = matches!(self.facts.values.kind(value), ValueKind::Phi(..));
            let chooses = is_phi && !self.is_header(block) || family == Some(Mnemonic::Selp);
            let inputs = self.facts.values.inputs(self.kernel, value).into_iter().map(|input| self.origin(input));
            let inputs: Vec<Value> = inputs.collect();
            if masks && inputs.contains(&other) {
                return true;
            }
            if seen.len() <= MOST_VALUES && self.contains(block) && chooses {
                work.extend(inputs.into_iter().filter(|&input| seen.insert(input)));
            }
        }
        false
    }

    /// The comparisons and swaps of the loop, with what they write.
    pub(super) fn swaps(&self) -> impl Iterator<Item = (Inst, Value)> + '_ {
        let swap = |inst: Inst| {
            self.wanted(inst).filter(|&wanted| self.is_swap(inst, wanted))?;
            Some((inst, self.facts.values.of_operand(inst, &self.given(inst, 2)?)?))
        };
        self.asked.swaps.get_or_init(|| self.cycle.insts(self.facts).filter_map(swap).collect()).iter().copied()
    }

    /// The value that one is a copy of.
    pub(super) fn origin(&self, value: Value) -> Value {
        let mut value = value;
        for _ in 0..MOST_VALUES {
            let ValueKind::Def(inst, _) = self.facts.values.kind(value) else { return value };
            let properties = self.kernel.properties(inst);
            let copies = properties.running == Some(Running::Copy) || properties.linear == Some(Linear::Same);
            let inputs = self.facts.values.inputs(self.kernel, value);
            let &[input] = inputs.as_slice() else { return value };
            if let Some(narrow) = self.was_widened(inst, input) {
                value = narrow;
                continue;
            }
            if !copies
                || self.kernel.inst(inst).guard.is_some()
                || self.kernel.opcode(inst).mnemonic() == Mnemonic::Cvta
            {
                return value;
            }
            value = input;
        }
        value
    }

    /// The register of 32 bits that an instruction takes out of one of 64 which that was widened to.
    fn was_widened(&self, inst: Inst, wide: Value) -> Option<Value> {
        let (values, kernel) = (&self.facts.values, self.kernel);
        let bits = |value: Value| kernel.reg(values.reg(value)).ty.bits();
        let converts = |inst: Inst| {
            let opcode = kernel.opcode(inst);
            // Without modifiers, which round or saturate.
            let is_plain = opcode.has_only(&[]) && opcode.types().iter().all(|ty| !ty.is_float());
            opcode.mnemonic() == Mnemonic::Cvt && is_plain && kernel.inst(inst).guard.is_none()
        };
        let &[(_, result)] = values.defs(inst) else { return None };
        let &[narrow] = values.inputs(kernel, wide).as_slice() else { return None };
        let widens = values.made_by(kernel, wide).is_some_and(converts);
        let are_halves = (bits(result), bits(wide), bits(narrow)) == (32, 64, 32);
        (widens && converts(inst) && are_halves).then_some(narrow)
    }

    /// Returns true if a value is a root that refers to itself: the loop has compared what another access reads behind a value with that, and this is one that it may have
    /// been, at the address that it leads to.
    pub(super) fn is_root(&self, value: Value, at: Inst) -> bool {
        let refers =
            |one: Value, other: Value| self.read(one).is_some_and(|read| read != at && self.leads_from(other, read));
        let compares = |inst: Inst| {
            let &[_, one, other] = self.kernel.operands(inst) else { return false };
            let of = |operand: &Operand| self.facts.values.of_operand(inst, operand).map(|value| self.origin(value));
            let equality = self.kernel.properties(inst).comparison.map(|comparison| comparison.relation);
            matches!(equality, Some(Relation::Equal | Relation::NotEqual))
                && matches!((of(&one), of(&other)), (Some(one), Some(other)) if refers(one, other) || refers(other, one))
        };
        self.leads_from(value, at) && self.cycle.insts(self.facts).any(compares)
    }

    /// Returns true if a lane may go round by an access and leave a register unchanged.
    fn may_stay_behind(&self, phi: Value, at: Inst) -> bool {
        let values = &self.facts.values;
        let Some(access) = self.facts.cfg.block_of(at) else { return false };
        let [ahead, behind] = self.on_ways_by(access);
        let (mut seen, mut work) = (FxHashSet::default(), vec![phi]);
        while let Some(value) = work.pop() {
            let block = values.block(value);
            if seen.len() > MOST_VALUES || !self.contains(block) {
                continue;
            }
            let inputs: Vec<(Value, bool)> = match values.kind(value) {
                ValueKind::Phi(..) => {
                    let is_on_way = |from: Block| behind.contains(&from) || ahead.contains(&block);
                    values.phi_inputs(value).iter().map(|&(from, input)| (input, is_on_way(from))).collect()
                }
                _ => {
                    let is_on_way = behind.contains(&block) || ahead.contains(&block);
                    self.choice(value).unwrap_or_default().into_iter().map(|input| (input, is_on_way)).collect()
                }
            };
            for (input, is_on_way) in inputs {
                let input = self.origin(input);
                if input == phi && is_on_way {
                    return true;
                }
                work.extend(seen.insert(input).then_some(input));
            }
        }
        false
    }

    /// The blocks that a lane may come by before one in the same round, where that does not begin, and those behind it.
    fn on_ways_by(&self, block: Block) -> [FxHashSet<Block>; 2] {
        let cfg = &self.facts.cfg;
        let begins = |block: &Block| self.cycle.entries.contains(block);
        let (mut ahead, mut work) = (FxHashSet::default(), vec![block]);
        while let Some(block) = work.pop().filter(|block| !begins(block)) {
            ahead.insert(block);
            let inside = cfg.preds(block).iter().copied().filter(|&pred| self.contains(pred));
            work.extend(inside.filter(|pred| !ahead.contains(pred) && !begins(pred)));
        }
        let (mut behind, mut work) = (FxHashSet::from_iter([block]), vec![block]);
        while let Some(block) = work.pop() {
            let inside = cfg.distinct_succs(block).into_iter().filter(|next| self.contains(*next) && !begins(next));
            work.extend(inside.filter(|&next| behind.insert(next)));
        }
        [ahead, behind]
    }

    /// The values that an instruction chooses from.
    fn choice(&self, value: Value) -> Option<Vec<Value>> {
        let is_phi = matches!(self.facts.values.kind(self.origin(value)), ValueKind::Phi(..));
        self.choice_by(value).filter(|_| !is_phi).map(|(_, values)| values)
    }

    /// Returns true if a value was read where another instruction reads, in this round or in the last one.
    pub(super) fn is_fresh(&self, value: Value, at: Inst) -> bool {
        if self.is_chosen_apart(value, at) {
            return false;
        }
        let cfg = &self.facts.cfg;
        let is_before = |swap: Inst, last: Option<Block>| match (cfg.block_of(swap), last) {
            (Some(first), Some(last)) if Some(last) == cfg.block_of(at) && first == last => swap < at,
            (Some(first), Some(last)) => self.facts.dominators.dominates(first, last),
            _ => false,
        };
        // Each with the block that is come by last before it is compared with.
        let (mut seen, mut work) = (FxHashSet::default(), vec![(self.origin(value), cfg.block_of(at))]);
        seen.extend(work.iter().map(|&(value, _)| value));
        let mut found = false;
        while let Some((value, last)) = work.pop() {
            if seen.len() > MOST_VALUES {
                return false;
            }
            // What the lane has put there itself is what it finds.
            let own = self.swaps().any(|(swap, new)| {
                self.origin(new) == value && self.is_same_address(swap, at) && is_before(swap, last)
            });
            let read = self.read(value);
            if own || read.is_some_and(|read| self.is_same_address(read, at)) {
                found = true;
                continue;
            }
            if read.is_some() {
                return false;
            }
            let block = self.facts.values.block(value);
            if !self.contains(block) {
                return false;
            }
            if self.wanted(at).is_some() && self.is_root(value, at) && !self.may_stay_behind(value, at) {
                found = true;
                continue;
            }
            if let Some(chosen) = self.choice(value) {
                let chosen = chosen.into_iter().map(|input| self.origin(input));
                work.extend(chosen.filter(|&input| seen.insert(input)).map(|input| (input, last)));
                continue;
            }
            if !matches!(self.facts.values.kind(value), ValueKind::Phi(..)) {
                return false;
            }
            for &(from, input) in self.facts.values.phi_inputs(value) {
                let input = self.origin(input);
                if !self.contains(from) {
                    continue;
                }
                if seen.insert(input) {
                    work.push((input, Some(from)));
                }
            }
        }
        // It must not stay what it was on a way around by this access.
        let is_register = |value: &Value| {
            let block = self.facts.values.block(*value);
            matches!(self.facts.values.kind(*value), ValueKind::Phi(..)) && self.is_header(block)
        };
        found && !seen.into_iter().filter(is_register).any(|register| self.may_stay_behind(register, at))
    }

    /// Returns true if two accesses have one address; or may have, if one of them is a comparison and swap, or reads where a pointer leads that changes from round to round,
    /// and both addresses are made alike.
    pub(super) fn is_same_address(&self, one: Inst, other: Inst) -> bool {
        let asked = (self.inner, one, other);
        if let Some(&is_same) = self.asked.same_address.borrow().get(&asked) {
            return is_same;
        }
        let is_same = self.is_same_address_once(one, other);
        self.asked.same_address.borrow_mut().insert(asked, is_same);
        is_same
    }

    fn is_same_address_once(&self, one: Inst, other: Inst) -> bool {
        let (facts, kernel) = (self.facts, self.kernel);
        let (Some(first), Some(second)) = (self.address(one), self.address(other)) else { return false };
        let swaps = [one, other].into_iter().any(|inst| self.wanted(inst).is_some());
        let changes = |(root, _): (Root, i64)| match root {
            Root::Value(value) => {
                let is_pointer = matches!(facts.values.kind(value), ValueKind::Phi(..));
                (swaps || is_pointer) && self.contains(facts.values.block(value))
            }
            Root::Variable(_) => false,
        };
        let may_be = || place(facts, kernel, one).may_alias(&place(facts, kernel, other));
        if bytes(kernel, one) != bytes(kernel, other) {
            return false;
        }
        first == second || (changes(first) || changes(second)) && may_be() && self.may_be_alike(first.0, second.0)
    }

    /// Returns true if two addresses are made by the same operations, where a register that changes from round to round may be any of what it becomes, and a choice any of
    /// what it is made from.
    pub(super) fn may_be_alike(&self, one: Root, other: Root) -> bool {
        match (one, other) {
            (Root::Value(one), Root::Value(other)) => self.are_alike(one, other, &mut self.asked.alike.borrow_mut()),
            (Root::Variable(one), Root::Variable(other)) => one == other,
            (Root::Variable(symbol), Root::Value(value)) | (Root::Value(value), Root::Variable(symbol)) => {
                self.may_be_variable(value, symbol)
            }
        }
    }

    /// Returns true if a value may be the address of a variable, as far as registers of the loop become it or it is chosen in it.
    fn may_be_variable(&self, value: Value, symbol: Option<Symbol>) -> bool {
        let is_it = |root: Root| match root {
            Root::Variable(other) => other == symbol,
            Root::Value(value) => {
                self.indexed(value, 0).is_some_and(|indexed| self.sum(indexed.array, 0).0 == Root::Variable(symbol))
            }
        };
        self.roots(vec![self.sum(value, 0)]).into_iter().any(|(root, _)| is_it(root))
    }

    /// The same of two values; `known` are those that were compared before, or are being compared, which are taken for not alike.
    fn are_alike(&self, one: Value, other: Value, known: &mut FxHashMap<(Value, Value), bool>) -> bool {
        let (one, other) = (self.origin(one), self.origin(other));
        if one == other {
            return true;
        }
        if let Some(&alike) = known.get(&(one, other)) {
            return alike;
        }
        if known.len() > MOST_PAIRS || self.stay_apart(one, other, DEEPEST) {
            return false;
        }
        known.insert((one, other), false);
        let alike = self.becomes(one).into_iter().any(|input| self.are_alike(input, other, known))
            || self.becomes(other).into_iter().any(|input| self.are_alike(one, input, known))
            || self.without_index(one).is_some_and(|array| self.are_alike(array, other, known))
            || self.without_index(other).is_some_and(|array| self.are_alike(one, array, known))
            || [self.same_operation(one, other), self.same_sum(one, other)]
                .into_iter()
                .flatten()
                .any(|pairs| pairs.into_iter().all(|(one, other)| self.are_alike(one, other, known)));
        known.insert((one, other), alike);
        alike
    }

    /// Returns what an index is added to that may be 0.
    fn without_index(&self, value: Value) -> Option<Value> {
        let made = self.facts.values.made_by(self.kernel, value)?;
        let [_, one @ Operand::Reg(_), other @ Operand::Reg(_)] = self.kernel.operands(made) else { return None };
        if self.kernel.properties(made).linear != Some(Linear::Sum) {
            return None;
        }
        let of = |operand: &Operand| self.facts.values.of_operand(made, operand);
        let (one, other) = (of(one)?, of(other)?);
        [(one, other), (other, one)].into_iter().find(|&(_, index)| self.may_be_none(index)).map(|(array, _)| array)
    }

    /// Returns true if a number of the loop may be 0, as a constant that its register becomes somewhere, multiplied or widened.
    fn may_be_none(&self, value: Value) -> bool {
        let (mut seen, mut work) = (FxHashSet::default(), vec![value]);
        while let Some(value) = work.pop() {
            if seen.len() > MOST_VALUES || !self.contains(self.facts.values.block(value)) {
                continue;
            }
            let becomes = self.becomes(value);
            if becomes.iter().any(|&input| self.facts.values.copied_to(self.kernel, input) == Some(0)) {
                return true;
            }
            let mut inputs = becomes;
            if let Some(made) = self.facts.values.made_by(self.kernel, value) {
                let family = self.kernel.opcode(made).mnemonic();
                let scales = matches!(family, Mnemonic::Mul | Mnemonic::Shl | Mnemonic::Cvt | Mnemonic::Mov);
                let first = self.kernel.operands(made).get(1).filter(|_| scales);
                inputs.extend(first.and_then(|first| self.facts.values.of_operand(made, first)));
            }
            work.extend(inputs.into_iter().filter(|&input| seen.insert(input)));
        }
        false
    }

    /// The operands that two values are made from by one operation, if all else is the same.
    pub(super) fn same_operation(&self, one: Value, other: Value) -> Option<Vec<(Value, Value)>> {
        let values = &self.facts.values;
        let (first, second) = (values.made_by(self.kernel, one)?, values.made_by(self.kernel, other)?);
        let (ones, others) = (self.kernel.operands(first), self.kernel.operands(second));
        if self.kernel.opcode(first).text() != self.kernel.opcode(second).text() || ones.len() != others.len() {
            return None;
        }
        if self.kernel.properties(first).memory != Memory::None {
            return None;
        }
        let pair = |(one, other): (&Operand, &Operand)| match (one, other) {
            (Operand::Reg(_), Operand::Reg(_)) => {
                Some(Some((values.of_operand(first, one)?, values.of_operand(second, other)?)))
            }
            (one, other) => (one == other).then_some(None),
        };
        let pairs: Option<Vec<_>> = ones.iter().zip(others).skip(1).map(pair).collect();
        Some(pairs?.into_iter().flatten().collect())
    }

    /// Returns true if two accesses are to different words behind one address.
    pub(super) fn is_apart(&self, one: Inst, other: Inst) -> bool {
        match (self.address(one), self.address(other)) {
            (Some((one, here)), Some((other, there))) => one == other && here != there,
            _ => false,
        }
    }

    /// The address of an access, and a number that is added to it.
    pub(super) fn address(&self, inst: Inst) -> Option<(Root, i64)> {
        let (base, more) = address(self.kernel, inst)?;
        match base {
            Base::Reg(reg) => Some(self.sum(self.facts.values.at_use(inst, reg)?, more)),
            Base::Symbol(symbol) => Some((Root::of_symbol(self.kernel, symbol), more)),
            Base::Absolute => None,
        }
    }

    /// The addresses that an access may have, as far as registers of the loop become them or they are chosen in it.
    pub(super) fn addresses(&self, inst: Inst) -> Vec<(Root, i64)> {
        self.roots(self.address(inst).into_iter().collect())
    }

    /// Some roots with the numbers that are added to them, and those that these become.
    fn roots(&self, mut work: Vec<(Root, i64)>) -> Vec<(Root, i64)> {
        let mut found = Vec::new();
        while let Some((root, more)) = work.pop().filter(|_| found.len() < MOST_VALUES) {
            if found.contains(&(root, more)) {
                continue;
            }
            found.push((root, more));
            if let Root::Value(value) = root {
                work.extend(self.becomes(value).into_iter().map(|input| self.sum(input, more)));
            }
        }
        found
    }

    /// Returns what a register of the loop may become, or what a value in it is chosen from.
    pub(super) fn becomes(&self, value: Value) -> Vec<Value> {
        match self.facts.values.kind(value) {
            _ if !self.contains(self.facts.values.block(value)) => Vec::new(),
            ValueKind::Phi(..) => self.facts.values.phi_inputs(value).iter().map(|&(_, input)| input).collect(),
            _ => self.choice(value).unwrap_or_default(),
        }
    }

    /// Returns what a sum is made of, and the number that is added to that.
    pub(super) fn sum(&self, value: Value, more: i64) -> (Root, i64) {
        let (mut value, mut more) = (self.origin(value), more);
        for _ in 0..MOST_VALUES {
            let Some(made) = self.facts.values.made_by(self.kernel, value) else { break };
            let properties = self.kernel.properties(made);
            match *self.kernel.operands(made) {
                _ if self.kernel.inst(made).guard.is_some() => break,
                [_, Operand::Symbol(symbol, offset)] if properties.linear == Some(Linear::Same) => {
                    return (Root::of_symbol(self.kernel, symbol), more.wrapping_add(offset.get()));
                }
                [_, Operand::Reg(reg), Operand::Int(number)] if properties.linear == Some(Linear::Sum) => {
                    let Some(of) = self.facts.values.at_use(made, reg) else { break };
                    value = self.origin(of);
                    more = more.wrapping_add(number);
                }
                _ => break,
            }
        }
        (Root::Value(value), more)
    }
}
