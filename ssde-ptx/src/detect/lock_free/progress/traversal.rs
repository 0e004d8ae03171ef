//! The things that a loop follows: links, counters, and places that it searches one after the other.

use analysis::{Block, Value, ValueKind};
use ptx_parser::{Inst, Linear, Memory, Mnemonic, Modifier, Number, Operand, Relation, SpecialName};
use rustc_hash::FxHashSet;

use super::counter_ends::Counting;
use super::loop_facts::{LoopFacts, MOST_VALUES};
use super::prior_reads::Root;
use crate::detect::alias::{bytes, place};

/// The assumptions under which a register that a loop follows comes to an end.
pub(super) struct Followed {
    /// The read or comparison that is assumed to come to an end.
    pub(super) end: Inst,
    /// The writes that are assumed to be elsewhere.
    pub(super) apart: Vec<Inst>,
}

impl LoopFacts<'_> {
    /// Returns what a value is on an edge: one of the two that it was chosen from, if the branch there tells which one it is, or which one it is not.
    pub(super) fn chosen_at(&self, value: Value, (from, to): (Block, Block)) -> Value {
        let Some(made) = self.facts.values.made_by(self.kernel, value) else { return value };
        let &[_, one, other, Operand::Reg(predicate)] = self.kernel.operands(made) else { return value };
        if self.kernel.opcode(made).mnemonic() != Mnemonic::Selp || self.kernel.inst(made).guard.is_some() {
            return value;
        }
        let by = self.facts.values.at_use(made, predicate).and_then(|by| self.facts.values.made_by(self.kernel, by));
        let conditions = self.conditions(from, to);
        let told = conditions
            .iter()
            .find(|&&(comparison, _)| Some(comparison) == by && self.facts.values.defs(comparison).len() == 1);
        let chosen = told.map(|&(_, holds)| if holds { one } else { other });
        let chosen = chosen.and_then(|chosen| self.facts.values.of_operand(made, &chosen));
        let is_value = |operand: &Operand, inst: Inst| {
            self.facts.values.of_operand(inst, operand).is_some_and(|operand| self.origin(operand) == value)
        };
        let not_the_other = || {
            conditions.iter().find_map(|&(comparison, holds)| {
                let &[_, first, second] = self.kernel.operands(comparison) else { return None };
                let test = (comparison, holds);
                if is_value(&first, comparison) {
                    self.other_choice(value, test, &second)
                } else {
                    self.other_choice(value, test, &first).filter(|_| is_value(&second, comparison))
                }
            })
        };
        chosen.or_else(not_the_other).unwrap_or(value)
    }

    /// Returns the other one of the two values that a value is chosen from, if a comparison shows that the value is not the first one.
    fn other_choice(&self, value: Value, (comparison, holds): (Inst, bool), not: &Operand) -> Option<Value> {
        let (values, kernel) = (&self.facts.values, self.kernel);
        let compared = kernel.properties(comparison).comparison.filter(|compared| compared.number != Number::Float)?;
        if compared.relation_if(holds) != Relation::NotEqual || values.defs(comparison).len() != 1 {
            return None;
        }
        let made = values.made_by(kernel, self.origin(value))?;
        let &[_, one, other, _] = kernel.operands(made) else { return None };
        if kernel.opcode(made).mnemonic() != Mnemonic::Selp || kernel.inst(made).guard.is_some() {
            return None;
        }
        let is_that = |chosen: &Operand| match (values.of_operand(made, chosen), values.of_operand(comparison, not)) {
            (Some(chosen), Some(not)) => self.origin(chosen) == self.origin(not),
            _ => {
                let number = values.constant(kernel, made, chosen);
                number.is_some() && number == values.constant(kernel, comparison, not)
            }
        };
        let left = if is_that(&one) {
            other
        } else if is_that(&other) {
            one
        } else {
            return None;
        };
        values.of_operand(made, &left)
    }

    /// The read that makes a value the next link behind a register, if the loop looks at links, which it may do where the value meets others, `met`. Where the register itself
    /// may stay what it was, or something else is added, it is none: so counts who waits for one flag after the other.
    pub(super) fn link(&self, phi: Value, value: Value, met: Value, edge: (Block, Block)) -> Option<Followed> {
        if self.may_be_another(phi, value) {
            return None;
        }
        let (mut seen, mut work) = (FxHashSet::default(), vec![value]);
        let mut last = None;
        while let Some(value) = work.pop() {
            if seen.len() > MOST_VALUES || self.origin(value) == phi {
                return None;
            }
            if let Some(read) = self.read(value) {
                if self.leads_on(phi, read) {
                    last = Some(read);
                }
                continue;
            }
            let block = self.facts.values.block(value);
            if !self.contains(block) {
                continue;
            }
            // On all ways it becomes something else, and begins anew on none.
            if let ValueKind::Phi(..) = self.facts.values.kind(value)
                && !self.is_header(block)
            {
                for input in self.facts.values.inputs(self.kernel, value) {
                    if !self.contains(self.facts.values.block(input)) {
                        return None;
                    }
                    work.extend(seen.insert(input).then_some(input));
                }
                continue;
            }
            let Some(inst) = self.facts.values.made_by(self.kernel, value) else { continue };
            if self.kernel.properties(inst).memory != Memory::None || self.may_begin_anew(inst) {
                return None;
            }
            work.extend(self.data(value).into_iter().filter(|&input| seen.insert(input)));
        }
        let read = last?;
        let links: FxHashSet<Value> = seen.into_iter().chain([phi, value, met]).collect();
        let apart = self.is_compared(phi, &links, read, edge)?;
        Some(Followed { end: read, apart })
    }

    /// Returns true if a value may be what another register of the header was at the beginning of the round. Registers that are followed as well do not count.
    fn may_be_another(&self, phi: Value, value: Value) -> bool {
        let values = &self.facts.values;
        let (mut seen, mut work) = (FxHashSet::default(), vec![self.origin(value)]);
        while let Some(value) = work.pop() {
            let block = values.block(value);
            if seen.len() > MOST_VALUES || !self.contains(block) {
                continue;
            }
            let is_phi = matches!(values.kind(value), ValueKind::Phi(..));
            if is_phi && self.is_header(block) {
                if value != phi && block == values.block(phi) && !self.is_followed_beside(phi, value) {
                    return true;
                }
                continue;
            }
            let inputs = self.becomes(value).into_iter().map(|input| self.origin(input));
            work.extend(inputs.filter(|&input| seen.insert(input)));
        }
        false
    }

    /// Returns true if an instruction chooses between a link and what there was before the loop.
    fn may_begin_anew(&self, inst: Inst) -> bool {
        let &[_, one, other, _] = self.kernel.operands(inst) else { return false };
        let is_before = |operand: Operand| {
            let value = self.facts.values.of_operand(inst, &operand);
            value.is_some_and(|value| !self.contains(self.facts.values.block(value)))
        };
        self.kernel.opcode(inst).mnemonic() == Mnemonic::Selp && (is_before(one) || is_before(other))
    }

    /// Returns what a value is computed from, without what only says which of two it is.
    pub(super) fn data(&self, value: Value) -> Vec<Value> {
        let values = &self.facts.values;
        let is_data = |input: &Value| self.kernel.reg(values.reg(*input)).ty.bits() > 1;
        values.inputs(self.kernel, value).into_iter().filter(is_data).collect()
    }

    /// The read at an address that a register leads on, if a value is the next place where the loop looks whether to end, and nothing behind the loop or before it writes there.
    pub(super) fn search(&self, phi: Value, value: Value) -> Option<Followed> {
        let (mut seen, mut work) = (FxHashSet::default(), vec![value]);
        let mut found = false;
        while let Some(value) = work.pop() {
            if value == phi {
                found = true;
                continue;
            }
            if !self.contains(self.facts.values.block(value)) {
                continue;
            }
            let inst = self.facts.values.made_by(self.kernel, value)?;
            if self.kernel.properties(inst).memory != Memory::None || seen.len() > MOST_VALUES {
                return None;
            }
            let inputs = self.facts.values.inputs(self.kernel, value).into_iter();
            work.extend(inputs.filter(|&input| seen.insert(input)));
        }
        if !found || value == phi {
            return None;
        }
        let read =
            self.read_by(self.deciding().map(|(made, _)| made)).into_iter().find(|&read| self.leads_from(phi, read))?;
        Some(Followed { end: read, apart: self.unwritten(read, false)? })
    }

    /// Returns whether it decides on leaving the loop how one of some links, by copies and arithmetic, compares with what stays, or with another one of them; or
    /// what is found where they lead, if nothing outside of the loop writes that.
    ///
    /// Returns the writes that have to be elsewhere for that.
    fn is_compared(&self, phi: Value, links: &FxHashSet<Value>, link: Inst, edge: (Block, Block)) -> Option<Vec<Inst>> {
        // The link behind one is read as that was. Who swaps the link itself claims what leads on, and does not look where it leads.
        let is_next = |read: Inst| {
            let all = self.addresses(link);
            let alike = |&(other, there): &(Root, i64)| {
                all.iter().any(|&(one, here)| here == there && self.may_be_alike(one, other))
            };
            let claims = self.wanted(read).is_some_and(|wanted| self.read(wanted) == Some(link));
            let is_link =
                || self.addresses(read).iter().any(alike) || self.is_between(phi, read, link, &mut Vec::new());
            !claims && bytes(self.kernel, link) == bytes(self.kernel, read) && is_link()
        };
        let is_found = |value: Value, end: Option<i64>| {
            let read = self.read(self.word_of(value)).filter(|&read| self.leads_from(phi, read))?;
            // Who swaps what ends the loop for something else lets nobody out.
            let takes_end = |write: Inst| {
                let wanted = self.given(write, 1).filter(|_| self.kernel.opcode(write).has(Modifier::Cas));
                end.is_some()
                    && end == wanted.and_then(|wanted| self.facts.values.constant(self.kernel, write, &wanted))
            };
            if is_next(read) { Some(Vec::new()) } else { self.unwritten_but(read, false, &takes_end) }
        };
        let is_link = |operand: &Operand, test: (Inst, bool), not: &Operand, end: Option<i64>| {
            let value = self.facts.values.of_operand(test.0, operand)?;
            let is_one = |value: Value| links.contains(&value) || links.contains(&self.origin(value));
            if self.other_choice(value, test, not).is_some_and(is_one) {
                return Some(Vec::new());
            }
            let is_before = |value: Value| !self.contains(self.facts.values.block(value));
            if is_one(value) || self.is_made_of_link(phi, value, &is_one, &is_before) {
                return Some(Vec::new());
            }
            is_found(value, end)
        };
        // Lists end at no link, which is zero, or less than any; numbers that are compared otherwise say something else.
        let is_end = |number: i64, relation: Option<Relation>| {
            matches!(relation, Some(Relation::Equal | Relation::NotEqual)) || (-1..=1).contains(&number)
        };
        let is_fixed = |operand: &Operand, inst: Inst| {
            let is_fixed = match (self.facts.values.of_operand(inst, operand), operand) {
                (Some(value), _) if self.contains(self.facts.values.block(value)) => {
                    return self.stays_once_read(value);
                }
                (Some(_), _) => true,
                (None, Operand::Int(number)) => {
                    is_end(*number, self.kernel.properties(inst).comparison.map(|comparison| comparison.relation))
                }
                (None, operand) => !matches!(operand, Operand::Reg(_)),
            };
            is_fixed.then(Vec::new)
        };
        let deciding = self.deciding().chain(self.deciding_on(edge));
        let apart = deciding.filter_map(|(inst, holds)| {
            let &[_, one, other] = self.kernel.operands(inst) else { return None };
            let relation = self.kernel.properties(inst).comparison.map(|comparison| comparison.relation_if(holds));
            let end = |operand: &Operand| {
                let is_end = relation == Some(Relation::NotEqual);
                self.facts.values.constant(self.kernel, inst, operand).filter(|_| is_end)
            };
            let test = (inst, holds);
            match (is_link(&one, test, &other, end(&other)), is_link(&other, test, &one, end(&one))) {
                (Some(first), Some(second)) => Some([first, second].concat()),
                (Some(apart), None) => Some([apart, is_fixed(&other, inst)?].concat()),
                (None, Some(apart)) => Some([apart, is_fixed(&one, inst)?].concat()),
                (None, None) => None,
            }
        });
        apart.min_by_key(Vec::len)
    }

    /// The word that a value is a part of, by masks, shifts and conversions.
    fn word_of(&self, value: Value) -> Value {
        let mut value = self.origin(value);
        for _ in 0..MOST_VALUES {
            let Some(made) = self.facts.values.made_by(self.kernel, value) else { break };
            let takes_part =
                matches!(self.kernel.opcode(made).mnemonic(), Mnemonic::And | Mnemonic::Shr | Mnemonic::Cvt);
            let inputs = self.facts.values.inputs(self.kernel, value);
            let &[input] = inputs.as_slice() else { break };
            if !takes_part || self.kernel.inst(made).guard.is_some() {
                break;
            }
            value = self.origin(input);
        }
        value
    }

    /// Returns true if a read finds one of several links that a round takes one behind the other: it reads at an address made as that of the last one, `link`, from the register or from such a read. `known` are
    /// the reads that are being looked at.
    fn is_between(&self, phi: Value, read: Inst, link: Inst, known: &mut Vec<Inst>) -> bool {
        if known.contains(&read) {
            return true;
        }
        known.push(read);
        let (Some((Root::Value(first), here)), Some((Root::Value(second), there))) =
            (self.address(read), self.address(link))
        else {
            return false;
        };
        let pairs = self.same_sum(first, second).filter(|_| here == there);
        let mut is_link = |value: Value| {
            let value = self.origin(value);
            let is_read = |read: Inst, known: &mut Vec<Inst>| {
                bytes(self.kernel, read) == bytes(self.kernel, link) && self.is_between(phi, read, link, known)
            };
            value == phi || self.read(value).is_some_and(|read| is_read(read, known))
        };
        pairs.is_some_and(|pairs| pairs.into_iter().all(|(one, other)| one == other || is_link(one) && is_link(other)))
    }

    /// Returns whether a value is one of several links, or computed from one of them and what stays.
    fn is_made_of_link(
        &self,
        phi: Value,
        value: Value,
        is_link: &impl Fn(Value) -> bool,
        stays: &impl Fn(Value) -> bool,
    ) -> bool {
        let inputs = self.facts.values.inputs(self.kernel, value);
        if let ValueKind::Phi(..) = self.facts.values.kind(value) {
            let leads = |input: Value| self.read(input).is_some_and(|read| self.leads_from(phi, read));
            let is_one = |&input: &Value| is_link(input) || stays(input) || leads(input);
            return inputs.iter().any(|&input| is_link(input)) && inputs.iter().all(is_one);
        }
        let made = self.facts.values.made_by(self.kernel, value);
        let computes = made.is_some_and(|inst| self.kernel.properties(inst).memory == Memory::None);
        if self.is_left(phi, value) {
            return true;
        }
        let links = inputs.iter().filter(|&&input| is_link(input)).count();
        computes && links == 1 && inputs.iter().all(|&input| is_link(input) || stays(input))
    }

    /// The comparison that ends a register's counting, if a value is it and a number, or it and how many threads there are. That may be compared where it meets
    /// other values, `met`.
    pub(super) fn count(&self, phi: Value, value: Value, met: Value) -> Option<Followed> {
        let inst = self.facts.values.made_by(self.kernel, value)?;
        let &[_, one, other] = self.kernel.operands(inst) else { return None };
        let is_phi = |operand: &Operand| {
            self.facts.values.of_operand(inst, operand).map(|value| self.origin(value)) == Some(phi)
        };
        let is_steady = |operand: &Operand| {
            let value = self.facts.values.of_operand(inst, operand);
            value.is_some_and(|value| self.is_threads_count(value))
        };
        let bits = self.kernel.reg(self.facts.values.reg(phi)).ty.bits();
        let linear = self.kernel.properties(inst).linear?;
        let counting = match (linear, one, other) {
            (Linear::Sum, counter, Operand::Int(step)) if is_phi(&counter) && step != 0 => Counting::by(step, bits),
            (Linear::Difference, counter, Operand::Int(step)) if is_phi(&counter) && step != 0 => {
                Counting::by(step.wrapping_neg(), bits)
            }
            (Linear::Sum | Linear::Difference, counter, step) if is_phi(&counter) && is_steady(&step) => {
                Counting { up: linear == Linear::Sum, step: None, from: 0 }
            }
            (Linear::Sum, step, counter) if is_phi(&counter) && is_steady(&step) => {
                Counting { up: true, step: None, from: 0 }
            }
            _ if self.gets_less(phi, value) => Counting { up: false, step: None, from: 0 },
            _ => return None,
        };
        let before = self.facts.values.phi_inputs(phi).iter().filter(|&&(from, _)| !self.contains(from));
        let begins = before.filter_map(|&(_, start)| self.facts.values.copied_to(self.kernel, start)).min();
        let counting = Counting { from: begins.unwrap_or(0).min(0), ..counting };
        let is_end = |made: Inst, holds: bool| {
            let of = |operand: &Operand| self.facts.values.of_operand(made, operand);
            let is_counter = |operand: &Operand| {
                let found = of(operand).map(|value| self.origin(value));
                found.is_some_and(|found| found == phi || found == value || found == met)
            };
            let is_fixed = |operand: &Operand| match of(operand) {
                Some(value) => self.stays(value),
                None => !matches!(operand, Operand::Reg(_)),
            };
            self.is_end_of((made, holds), counting, &is_counter, &is_fixed)
                || counting.step.is_some() && self.is_full_window(phi, (made, holds))
        };
        let end = self.deciding().find(|&(made, holds)| is_end(made, holds));
        end.map(|(end, _)| Followed { end, apart: Vec::new() })
    }

    /// Returns true if a value is a product of numbers and the sizes of the block and the grid, as the step of a loop over all threads: always the same, and not zero.
    fn is_threads_count(&self, value: Value) -> bool {
        let (mut seen, mut work) = (FxHashSet::default(), vec![value]);
        while let Some(value) = work.pop() {
            let Some(inst) = self.facts.values.made_by(self.kernel, value) else { return false };
            let linear = self.kernel.properties(inst).linear;
            let factors = match (linear, self.kernel.operands(inst)) {
                (Some(Linear::Same), [_, one]) => vec![*one],
                (Some(Linear::Product), [_, one, other]) => vec![*one, *other],
                (Some(Linear::Shifted), [_, one, Operand::Int(_)]) => vec![*one],
                _ => return false,
            };
            for factor in factors {
                match factor {
                    Operand::Int(number) if number != 0 => {}
                    Operand::Special(special) if is_size(special.name) => {}
                    Operand::Reg(_) if seen.len() <= MOST_VALUES => {
                        let Some(input) = self.facts.values.of_operand(inst, &factor) else { return false };
                        work.extend(seen.insert(input).then_some(input));
                    }
                    _ => return false,
                }
            }
        }
        true
    }

    /// Returns true if a value is the same in all rounds while nobody else writes: made before the loop, or read at such an address where the loop does not write.
    fn stays(&self, value: Value) -> bool {
        let (mut seen, mut work) = (FxHashSet::default(), vec![value]);
        while let Some(value) = work.pop() {
            if !self.contains(self.facts.values.block(value)) {
                continue;
            }
            if seen.len() > MOST_VALUES {
                return false;
            }
            if let ValueKind::Phi(..) = self.facts.values.kind(value) {
                let inputs = self.facts.values.phi_inputs(value).iter().map(|&(_, input)| self.origin(input));
                let inputs: Vec<Value> =
                    inputs.filter(|&input| self.contains(self.facts.values.block(input))).collect();
                let plain = |&input: &Value| {
                    self.read(input).is_some() || matches!(self.facts.values.kind(input), ValueKind::Phi(..))
                };
                if !inputs.iter().all(plain) {
                    return false;
                }
                work.extend(inputs.into_iter().filter(|&input| seen.insert(input)));
                continue;
            }
            let Some(inst) = self.facts.values.made_by(self.kernel, value) else { return false };
            let memory = self.kernel.properties(inst).memory;
            let is_written =
                || self.unwritten(inst, true).is_none_or(|apart| !apart.is_empty()) || self.is_written_own(inst);
            if memory == Memory::Atomic || (memory == Memory::Read && is_written()) {
                return false;
            }
            let inputs = self.facts.values.inputs(self.kernel, value).into_iter();
            work.extend(inputs.filter(|&input| seen.insert(input)));
        }
        true
    }
}

impl LoopFacts<'_> {
    /// Returns true if a read is of the thread's own memory, where the loop may write.
    fn is_written_own(&self, read: Inst) -> bool {
        let at = place(self.facts, self.kernel, read);
        let writes = |inst: Inst| {
            let is_write = self.kernel.properties(inst).memory == Memory::Write;
            is_write && place(self.facts, self.kernel, inst).may_alias(&at)
        };
        at.is_own() && self.cycle.insts(self.facts).any(writes)
    }
}

/// Returns true if a special register says how many threads a block has, or how many blocks there are.
fn is_size(name: SpecialName) -> bool {
    matches!(name, SpecialName::Ntid | SpecialName::Nctaid)
}
