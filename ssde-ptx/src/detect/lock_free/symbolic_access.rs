//! Executes the accesses of one instruction to memory, on terms.

use analysis::{Analyses, User, Value};
use ptx_parser::{Inst, Kernel, Linear, Mnemonic, Modifier, Operand, Space};
use rustc_hash::FxHashMap;

use super::function::{Function, Operation};
use super::symbolic_arithmetic::{Compute, Computed, is_integer};
use super::symbolic_execution::{Execution, Others, State};
use super::symbolic_memory::{How, Spot, Written};
use super::terms::Term;
use crate::detect::accesses::changes_nothing;
use crate::detect::alias::{address, place};

impl Execution<'_> {
    pub(super) fn computed(&mut self, state: &mut State, inst: Inst) -> Computed {
        self.compute(state, inst, |mut compute| compute.inst(inst))
    }

    /// The term of an operand of an instruction.
    fn operand(&mut self, state: &mut State, inst: Inst, operand: &Operand) -> Option<Term> {
        let bits = (self.width(inst) * 8) as u32;
        self.compute(state, inst, |mut compute| compute.operand(inst, operand, bits))
    }

    /// Computes something of an instruction from the terms that it uses.
    fn compute<R>(&mut self, state: &mut State, inst: Inst, of: impl FnOnce(Compute<'_>) -> R) -> R {
        let used: FxHashMap<Value, Term> =
            self.facts.values.uses(inst).iter().map(|&(_, value)| (value, self.value(state, value))).collect();
        of(Compute { facts: self.facts, kernel: self.kernel, terms: &mut self.terms, of: &used, lane: self.lane })
    }

    /// The bytes of one element of an access.
    fn width(&self, inst: Inst) -> i64 {
        self.kernel.opcode(inst).types().iter().map(|ty| i64::from(ty.bytes())).max().unwrap_or(16)
    }

    /// The spot that an instruction accesses; `None` for one without an address.
    pub(super) fn spot(&mut self, state: &mut State, inst: Inst) -> Option<Spot> {
        let (base, offset) = address(self.kernel, inst)?;
        let place = place(self.facts, self.kernel, inst);
        let term = match base {
            ptx_parser::Base::Reg(reg) => {
                let value = self.facts.values.at_use(inst, reg)?;
                self.value(state, value)
            }
            ptx_parser::Base::Symbol(symbol) => Compute::symbol(self.kernel, &mut self.terms, symbol),
            ptx_parser::Base::Absolute => self.terms.number(0),
        };
        let (base, more) = self.terms.parts(term);
        Some(Spot { base, offset: offset.wrapping_add(more), bytes: self.width(inst), place })
    }

    pub(super) fn load(&mut self, state: &mut State, inst: Inst, others: Others) {
        let spot = self.spot(state, inst);
        let constant = matches!(self.kernel.properties(inst).space, Some(Space::Param | Space::Const));
        let own = spot.is_some_and(|spot| spot.place.is_own());
        let kept = spot.filter(|spot| own || self.is_known(inst, spot, others));
        let results: Vec<Option<Value>> = match self.kernel.operands(inst).first() {
            Some(&Operand::Reg(reg)) => vec![self.facts.values.def(inst, reg)],
            Some(operand) => operand.list().map_or_else(Vec::new, |list| {
                let elements = self.kernel.list(list).iter();
                let made = |element: &Operand| match element {
                    Operand::Reg(reg) => self.facts.values.def(inst, *reg),
                    _ => None,
                };
                elements.map(made).collect()
            }),
            None => Vec::new(),
        };
        for &(_, made) in self.facts.values.defs(inst) {
            let any = self.terms.unknown();
            state.values.insert(made, any);
        }
        if constant {
            return;
        }
        if let (false, Some(spot), &[Some(made)]) = (own, spot, results.as_slice()) {
            let value = self.value(state, made);
            state.read.push((spot, Some(value)));
        } else if !own {
            let spot = spot.unwrap_or_else(|| self.anywhere_spot());
            state.read.push((spot, None));
        }
        let Some(kept) = kept else { return };
        let ty = self.kernel.opcode(inst).types().iter().copied().max_by_key(|ty| ty.bytes());
        for (number, made) in results.into_iter().enumerate() {
            let Some(made) = made else { continue };
            let spot = Spot { offset: kept.offset.wrapping_add(number as i64 * kept.bytes), ..kept };
            let others = if own { Others::Idle } else { others };
            let value = self.found(state, spot, others);
            // A register that is wider repeats the sign.
            let wide = self.kernel.reg(self.facts.values.reg(made)).ty.bits();
            let value = match ty.filter(|ty| ty.is_signed() && ty.bits() < wide) {
                Some(ty) => self.terms.apply(Function::Extend { from: ty.bits(), to: wide }, [value]),
                None => value,
            };
            state.values.insert(made, value);
            if own {
                state.own_read.push((spot, value));
            } else if let Some(last) = state.read.last_mut() {
                last.1 = last.1.map(|_| value);
            }
            self.clear(state, inst, value);
        }
    }

    /// Notes the bits that are taken to be clear in what a load has found.
    fn clear(&mut self, state: &mut State, inst: Inst, value: Term) {
        let Some(&bits) = self.unmarked.get(&inst) else { return };
        let mask = self.terms.number(bits);
        let and = Operation::AND.on((self.width(inst) * 8) as u32);
        let marked = self.terms.apply(and, [value, mask]);
        let none = self.terms.number(0);
        let clear = self.terms.equal(marked, none);
        if state.known.holds(&mut self.terms, clear).is_none()
            && let [known] = state.known.assume(&mut self.terms, clear, true).as_slice()
        {
            state.known = known.clone();
            self.cleared.insert(inst);
        }
    }

    /// Returns true if it is known what a read of memory that others share finds.
    fn is_known(&self, inst: Inst, spot: &Spot, others: Others) -> bool {
        match others {
            Others::Idle => !self.arbitrary.contains(&inst),
            Others::Settled => !self.changing.iter().any(|place| place.may_alias(&spot.place)),
            Others::Busy => false,
        }
    }

    /// Returns what such a read finds.
    fn found(&mut self, state: &mut State, spot: Spot, others: Others) -> Term {
        match others {
            Others::Settled => self.held(state, &spot),
            _ => state.memory.load(&mut self.terms, &state.known, spot),
        }
    }

    /// The content of a place that nobody changes any more: the same for all lanes.
    fn held(&mut self, state: &State, spot: &Spot) -> Term {
        let base = state.known.canonical(&mut self.terms, spot.base);
        let at = self.terms.plus(base, spot.offset.cast_unsigned(), 64);
        self.terms.apply(Function::Held { bytes: spot.bytes }, [at])
    }

    /// An unknown spot.
    fn anywhere_spot(&mut self) -> Spot {
        let base = self.terms.unknown();
        Spot { base, offset: 0, bytes: 0, place: crate::detect::alias::Location::anywhere(None) }
    }

    /// Has a spot hold what an instruction writes.
    fn hold(&mut self, state: &mut State, inst: Inst, spot: Spot, value: Term) {
        if state.memory.store(&mut self.terms, &state.known, spot, value) {
            self.apart.insert(inst);
        }
    }

    pub(super) fn store(&mut self, state: &mut State, inst: Inst) -> Option<()> {
        let spot = self.spot(state, inst)?;
        let operands = self.kernel.operands(inst);
        let stored: Vec<Operand> = match operands.get(1)? {
            one if one.list().is_some() => one.list().map_or_else(Vec::new, |list| self.kernel.list(list).to_vec()),
            one => vec![*one],
        };
        for (number, operand) in stored.iter().enumerate() {
            let value = match self.operand(state, inst, operand) {
                Some(value) => value,
                None => self.terms.unknown(),
            };
            let spot = Spot { offset: spot.offset.wrapping_add(number as i64 * spot.bytes), ..spot };
            self.hold(state, inst, spot, value);
            if !spot.place.is_own() {
                state.written.push(Written { inst, spot, how: How::Stored });
            }
        }
        Some(())
    }

    /// An atomic. A comparison that succeeds and one that fails are two ways.
    pub(super) fn atomic(&mut self, mut state: State, inst: Inst, others: Others) -> Option<Vec<State>> {
        let spot = self.spot(&mut state, inst)?;
        let opcode = self.kernel.opcode(inst);
        let operands = self.kernel.operands(inst).to_vec();
        let first = operands.iter().position(|operand| matches!(operand, Operand::Address(..)))? + 1;
        if operands.iter().any(|operand| operand.list().is_some()) {
            return None;
        }
        let given = self.operand(&mut state, inst, operands.get(first)?);
        if changes_nothing(self.kernel, inst) {
            let value = match self.is_known(inst, &spot, others) {
                true => self.found(&mut state, spot, others),
                false => self.terms.unknown_of((spot.bytes * 8) as u32),
            };
            for &(_, made) in self.facts.values.defs(inst) {
                state.values.insert(made, value);
            }
            state.read.push((spot, Some(value)));
            return Some(vec![state]);
        }
        let old = match others {
            Others::Idle => state.memory.load(&mut self.terms, &state.known, spot),
            Others::Busy | Others::Settled => self.terms.unknown_of((spot.bytes * 8) as u32),
        };
        for &(_, made) in self.facts.values.defs(inst) {
            state.values.insert(made, old);
        }
        if is_result_used(self.facts, self.kernel, inst) || opcode.has(Modifier::Cas) {
            state.read.push((spot, Some(old)));
        }
        if opcode.has(Modifier::Cas) {
            let (wanted, new) = (given?, self.operand(&mut state, inst, operands.get(first + 1)?));
            let new = new.unwrap_or_else(|| self.terms.unknown());
            let equal = self.terms.equal(old, wanted);
            let mut states = Vec::new();
            for known in state.known.assume(&mut self.terms, equal, true) {
                let mut done = State { known, ..state.clone() };
                self.hold(&mut done, inst, spot, new);
                done.written.push(Written { inst, spot, how: How::Changed(old, new) });
                states.push(done);
            }
            for known in state.known.assume(&mut self.terms, equal, false) {
                states.push(State { known, ..state.clone() });
            }
            return Some(states);
        }
        let given = given.unwrap_or_else(|| self.terms.unknown());
        let bits = (self.width(inst) * 8) as u32;
        let integer = opcode.types().iter().all(|&ty| is_integer(ty));
        let zero = self.terms.as_number(given) == Some(0);
        let new = match self.terms.as_number(given) {
            Some(number) if opcode.has(Modifier::Add) && integer => self.terms.plus(old, number, bits),
            Some(0) if opcode.has_any(&[Modifier::Or, Modifier::Xor]) => old,
            _ if opcode.has(Modifier::Exch) => given,
            // The bit is set already.
            _ if opcode.has(Modifier::Or) && self.has_bit(&state.known, old, given) => old,
            _ => self.combined(&state, inst, old, given, bits),
        };
        let how = match () {
            // Nobody looks at what was there, as with a store.
            () if opcode.has(Modifier::Exch) && !is_result_used(self.facts, self.kernel, inst) => How::Stored,
            () if opcode.has(Modifier::Or) && !zero => How::Set(old, given),
            () => How::Changed(old, new),
        };
        self.hold(&mut state, inst, spot, new);
        state.written.push(Written { inst, spot, how });
        Some(vec![state])
    }

    /// The result of an atomic operation on what was there and what it is given.
    fn combined(&mut self, state: &State, inst: Inst, old: Term, given: Term, bits: u32) -> Term {
        let opcode = self.kernel.opcode(inst);
        let integer = opcode.types().iter().all(|&ty| is_integer(ty)) && !opcode.types().is_empty();
        let signed = opcode.types().iter().any(|ty| ty.is_signed());
        let operations = [
            (Modifier::Min, if signed { Operation::MIN_SIGNED } else { Operation::MIN }),
            (Modifier::Max, if signed { Operation::MAX_SIGNED } else { Operation::MAX }),
            (Modifier::And, Operation::AND),
            (Modifier::Or, Operation::OR),
            (Modifier::Xor, Operation::XOR),
            (Modifier::Add, Operation::ADD),
        ];
        let found = operations.into_iter().find(|&(word, _)| opcode.has(word)).filter(|_| integer);
        let Some((word, operation)) = found else {
            let function = self.terms.of_opcode(opcode);
            return self.terms.apply(function, [old, given]);
        };
        if matches!(word, Modifier::Min | Modifier::Max) {
            let less = self.terms.less(signed, bits, given, old);
            match (state.known.holds(&mut self.terms, less), word) {
                (Some(true), Modifier::Min) | (Some(false), Modifier::Max) => return given,
                (Some(_), _) => return old,
                _ => {}
            }
        }
        self.terms.apply(operation.on(bits), [old, given])
    }
}

/// Returns true if the result of an atomic is used. Copies that nobody uses do not count. An atomic whose result is not used reads nothing.
pub(super) fn is_result_used(facts: &Analyses, kernel: &Kernel, inst: Inst) -> bool {
    let mut work = vec![inst];
    while let Some(inst) = work.pop() {
        for user in facts.values.defs(inst).iter().flat_map(|&(_, made)| facts.values.users(made)) {
            match *user {
                User::Inst(copy)
                    if kernel.opcode(copy).mnemonic() == Mnemonic::Mov
                        && kernel.properties(copy).linear == Some(Linear::Same)
                        && kernel.inst(copy).guard.is_none() =>
                {
                    work.push(copy);
                }
                _ => return true,
            }
        }
    }
    false
}
