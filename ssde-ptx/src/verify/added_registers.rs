//! The registers that the output adds, and the code that works on them and constants alone.
//!
//! Such code is silent: memory and the registers of the input do not see it. It is executed here on what is known, so that at each point of
//! the output it is certain where a thread goes on.
//!
//! A register may also be *drawn*: computed from the lane's number, by whatever has no other effect. Nothing is known of its value, and a branch on it may go
//! either way. Then both must lead to where the input goes.

use cranelift_entity::SecondaryMap;
use ptx_parser::{Inst, Mnemonic, Modifier, Number, Operand, Operator, Reg, Running, SpecialName, Type};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::code::{Code, Ending, Next, Point, Way};
use super::mismatch::Reason;

/// A value of an added register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Value {
    /// This one.
    Known(u64),
    /// Any; it follows from the lane's number.
    Drawn,
}

/// A question by which a lane is told of the others of its warp.
enum Question {
    /// `activemask.b32`
    WhoIsHere,
    /// `match.any.sync.b32`
    WhoHoldsTheSame,
}

impl Value {
    /// The value, if it is known.
    pub(super) fn known(self) -> Option<u64> {
        match self {
            Value::Known(value) => Some(value),
            Value::Drawn => None,
        }
    }
}

/// The values of the added registers: their numbers in ascending order, each with its value. The other registers were not set. A kernel may
/// have thousands of them, but few hold anything at one point.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct State(SmallVec<[(u32, Value); 2]>);

impl State {
    /// Returns what a register holds, by its number.
    pub(super) fn get(&self, number: usize) -> Option<Value> {
        let known = self.0.binary_search_by_key(&(number as u32), |&(known, _)| known);
        known.ok().map(|index| self.0[index].1)
    }

    fn set(&mut self, number: usize, value: Option<Value>) {
        let at = self.0.binary_search_by_key(&(number as u32), |&(known, _)| known);
        match (at, value) {
            (Ok(index), Some(value)) => self.0[index].1 = value,
            (Ok(index), None) => _ = self.0.remove(index),
            (Err(index), Some(value)) => self.0.insert(index, (number as u32, value)),
            (Err(_), None) => {}
        }
    }
}

/// The number of a register that is not added.
const OLD: u32 = u32::MAX;

/// The added registers.
pub(super) struct Added {
    pub(super) regs: Vec<Reg>,
    numbers: SecondaryMap<Reg, u32>,
    /// Those, by their numbers, that may depend on which lanes are here.
    company: FxHashSet<usize>,
    /// Those that are read for anything else than that.
    deciding: FxHashSet<usize>,
    /// For each point, whether an added register is mentioned.
    mentions: Vec<bool>,
    /// For each point, the registers that are read later, by their numbers in ascending order.
    live: Vec<Vec<u32>>,
}

/// The effect of an instruction of the output.
pub(super) enum Step {
    /// It does something that the input has to do as well.
    Real,
    /// It was silent.
    Silent(Next),
    /// It was silent, and may go on at either, as lanes draw.
    Drawn(Next, Next),
    /// It was silent, and goes one of two ways by something that is not known: which lanes are there.
    Either(Next, Next),
}

impl Added {
    /// Those that the output mentions by names that the input does not mention.
    pub(super) fn of(before: &Code<'_>, after: &Code<'_>) -> Added {
        let known: FxHashSet<&str> = before.kernel.regs().map(|reg| before.kernel.reg_name(reg)).collect();
        let regs: Vec<Reg> = after.kernel.regs().filter(|&reg| !known.contains(after.kernel.reg_name(reg))).collect();
        let mut numbers = SecondaryMap::with_default(OLD);
        for (number, &reg) in regs.iter().enumerate() {
            numbers[reg] = number as u32;
        }
        let mut added = Added {
            regs,
            numbers,
            mentions: Vec::new(),
            live: Vec::new(),
            company: FxHashSet::default(),
            deciding: FxHashSet::default(),
        };
        added.mentions = (0..=after.end()).map(|point| added.mentioned(after, point).is_some()).collect();
        added.find_live(after);
        added.find_company(after);
        added
    }

    /// Goes from what is told which lanes are here to what is computed from it.
    fn find_company(&mut self, code: &Code<'_>) {
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for point in 0..code.end() {
                let Some(inst) = code.inst(point).filter(|_| self.mentions[point as usize]) else { continue };
                let Some(&Operand::Reg(result)) = code.kernel.operands(inst).first() else { continue };
                let mut asks = self.asks_for_company(code, point).is_some();
                code.kernel.visit(inst, |reg, access| {
                    asks |= access.read && self.number(reg).is_some_and(|number| self.company.contains(&number));
                });
                changed |= asks && self.number(result).is_some_and(|number| self.company.insert(number));
            }
        }
        for point in 0..code.end() {
            let Some(inst) = code.inst(point).filter(|_| self.mentions[point as usize]) else { continue };
            let made = match code.kernel.operands(inst).first() {
                Some(&Operand::Reg(result)) => self.number(result),
                _ => None,
            };
            if made.is_some_and(|number| self.company.contains(&number)) && code.guard(point).is_none() {
                continue;
            }
            let mut read = Vec::new();
            code.kernel.visit(inst, |reg, access| read.extend(self.number(reg).filter(|_| access.read)));
            self.deciding.extend(read);
        }
    }

    pub(super) fn number(&self, reg: Reg) -> Option<usize> {
        Some(self.numbers[reg]).filter(|&number| number != OLD).map(|number| number as usize)
    }

    /// Returns true if the instruction at a point mentions one of them.
    pub(super) fn is_mentioned(&self, point: Point) -> bool {
        self.mentions[point as usize]
    }

    /// The first added register that an instruction mentions.
    fn mentioned(&self, code: &Code<'_>, point: Point) -> Option<Reg> {
        let mut found = None;
        code.kernel.visit(code.inst(point)?, |reg, _| found = found.or(self.number(reg).map(|_| reg)));
        found
    }

    /// Forgets what nobody reads any more, so that threads that differ in nothing else are at one point of the relation. Forgetting too much
    /// could only make a faithful output look unfaithful.
    pub(super) fn forget(&self, point: Point, state: &mut State) {
        let live = &self.live[point as usize];
        state.0.retain(|(number, _)| live.binary_search(number).is_ok());
    }

    /// Returns what of a state may be read from a point on.
    pub(super) fn kept(&self, point: Point, state: &State) -> State {
        let mut kept = state.clone();
        self.forget(point, &mut kept);
        kept
    }

    /// Says that it is not known what decides the branch at a point.
    pub(super) fn unknown(&self, code: &Code<'_>, point: Point) -> Reason {
        let register = code.guard(point).map_or("", |guard| code.kernel.reg_name(guard.reg));
        Reason::Unknown { register: register.into() }
    }

    /// The added registers that hold numbers and may be read from a point on, before they are written.
    pub(super) fn live_numbers(&self, code: &Code<'_>, point: Point) -> impl Iterator<Item = Reg> {
        let live = self.live[point as usize].iter().map(|&number| self.regs[number as usize]);
        live.filter(|&reg| code.kernel.reg(reg).ty != Type::Pred)
    }

    /// Goes back from each point that reads a register before it writes it, up to those that write it.
    fn find_live(&mut self, code: &Code<'_>) {
        let end = code.end() as usize;
        let (mut before, mut readers, mut writers) = (
            vec![SmallVec::<[Point; 2]>::new(); end + 1],
            vec![Vec::new(); self.regs.len()],
            vec![Vec::new(); self.regs.len()],
        );
        for point in 0..code.end() {
            successors(code, point).into_iter().for_each(|next| before[next as usize].push(point));
            let Some(inst) = code.inst(point).filter(|_| self.mentions[point as usize]) else { continue };
            let guarded = code.guard(point).is_some();
            code.kernel.visit(inst, |reg, access| {
                let Some(number) = self.number(reg) else { return };
                if access.read {
                    readers[number].push(point);
                } else if access.write && !guarded {
                    writers[number].push(point);
                }
            });
        }
        self.live = vec![Vec::new(); end + 1];
        // The register for which a point was last found to have it live, or written, counted from 1.
        let (mut live, mut written) = (vec![0; end + 1], vec![0; end + 1]);
        for number in 0..self.regs.len() {
            let stamp = number + 1;
            writers[number].iter().for_each(|&point: &Point| written[point as usize] = stamp);
            let mut work = std::mem::take(&mut readers[number]);
            while let Some(point) = work.pop() {
                if std::mem::replace(&mut live[point as usize], stamp) != stamp {
                    self.live[point as usize].push(number as u32);
                    work.extend(before[point as usize].iter().filter(|&&point| written[point as usize] != stamp));
                }
            }
        }
    }

    /// Executes an instruction of the output if it is silent.
    pub(super) fn step(&self, code: &Code<'_>, point: Point, state: &mut State) -> Result<Step, Reason> {
        let (way, guard) = (code.way(point), code.guard(point));
        let mentions = self.mentions[point as usize];
        let Some(inst) = code.inst(point) else { return Ok(Step::Silent(Next::End(code.ending()))) };
        if !mentions {
            return Ok(match way {
                Way::Jump(next) if guard.is_none() => Step::Silent(next),
                _ => Step::Real,
            });
        }
        let used = |reg: Reg| Reason::Used { register: code.kernel.reg_name(reg).into() };
        let unknown = |reg: Reg| Reason::Unknown { register: code.kernel.reg_name(reg).into() };
        let first = || self.mentioned(code, point).map_or(Reason::Target, used);
        if !matches!(way, Way::On) && code.promises_uniform(inst) {
            return Err(Reason::Uniform);
        }
        if let Some(guard) = guard {
            let number = self.number(guard.reg).ok_or_else(first)?;
            match (state.get(number), &way) {
                (None, Way::Jump(next)) if self.company.contains(&number) => {
                    return Ok(Step::Either(*next, Next::To(point + 1)));
                }
                (Some(Value::Known(value)), _) if (value == 0) != guard.negated => {
                    return Ok(Step::Silent(Next::To(point + 1)));
                }
                (Some(Value::Known(_)), _) => {}
                (Some(Value::Drawn), Way::Jump(next)) => return Ok(Step::Drawn(*next, Next::To(point + 1))),
                (None | Some(Value::Drawn), _) => return Err(unknown(guard.reg)),
            }
        }
        let next = match way {
            Way::On => {
                let company = || self.asks_for_company(code, point).map(|number| (number, None));
                let (number, value) = self.evaluate(code, inst, state).or_else(company).ok_or_else(first)?;
                state.set(number, value);
                Next::To(point + 1)
            }
            Way::Jump(next) => next,
            Way::Table(points) => {
                let Some(&Operand::Reg(index)) = code.kernel.operands(inst).first() else { return Err(first()) };
                let number = self.number(index).ok_or_else(first)?;
                let value = state.get(number).and_then(Value::known).ok_or_else(|| unknown(index))?;
                let entry = usize::try_from(value).ok().and_then(|value| points.get(value).copied());
                Next::To(entry.ok_or(Reason::Target)?)
            }
            Way::Abort | Way::Anywhere => return Err(first()),
        };
        Ok(Step::Silent(next))
    }

    /// The added register that is told which lanes are here, by `activemask`, or which of these hold the same, by `match.any.sync` right behind it. The one waits for
    /// nobody, and the other for those that execute it next.
    fn asks_for_company(&self, code: &Code<'_>, point: Point) -> Option<usize> {
        let question = |inst: Inst| {
            let opcode = code.kernel.opcode(inst);
            match opcode.mnemonic() {
                Mnemonic::Activemask => Some(Question::WhoIsHere),
                Mnemonic::Match if opcode.has(Modifier::Any) && opcode.types() == [Type::B32] => {
                    Some(Question::WhoHoldsTheSame)
                }
                _ => None,
            }
        };
        let result = |inst: Inst| match code.kernel.operands(inst).first() {
            Some(&Operand::Reg(result)) => self.number(result),
            _ => None,
        };
        let inst = code.inst(point)?;
        match question(inst)? {
            Question::WhoIsHere => result(inst),
            Question::WhoHoldsTheSame => {
                let &[_, ref value, Operand::Reg(mask)] = code.kernel.operands(inst) else { return None };
                let own = matches!(*value, Operand::Reg(value) if self.number(value).is_some());
                let mask = self.number(mask).filter(|_| own)?;
                // Several may be asked one after the other, of the lanes that were told of each other.
                let mut before = point;
                loop {
                    before = before.checked_sub(1)?;
                    let next = code.inst(before)?;
                    let told = code.guard(before).is_none() && code.block(before) == code.block(point);
                    match question(next)? {
                        Question::WhoIsHere if told && result(next) == Some(mask) => return result(inst),
                        Question::WhoHoldsTheSame if told && result(next) != Some(mask) => {}
                        _ => return None,
                    }
                }
            }
        }
    }

    /// The added register that an instruction computes, and its value; `None` for one that does anything else.
    fn evaluate(&self, code: &Code<'_>, inst: Inst, state: &State) -> Option<(usize, Option<Value>)> {
        let (properties, operands) = (code.kernel.properties(inst), code.kernel.operands(inst));
        let (&Operand::Reg(result), true) = (operands.first()?, properties.is_pure()) else { return None };
        let number = self.number(result)?;
        if self.is_mask(code, inst, number) {
            return Some((number, None));
        }
        if self.is_drawn(operands.get(1..)?, state)? {
            return Some((number, Some(Value::Drawn)));
        }
        let source = |index: usize, bits: u32| self.source(code, operands.get(index)?, bits, state);
        if let Some(comparison) = properties.comparison {
            let bits = comparison.bits;
            let (one, other) = (source(1, bits)?, source(2, bits)?);
            let ordered = |value: u64| ordered(value, bits, comparison.number);
            let holds = one.zip(other).map(|(one, other)| comparison.relation.holds(ordered(one).cmp(&ordered(other))));
            let predicate = code.kernel.reg(result).ty == Type::Pred && comparison.number != Number::Float;
            return predicate.then_some((number, holds.map(u64::from).map(Value::Known)));
        }
        let &[ty] = code.kernel.opcode(inst).types() else { return None };
        let bits = ty.bits();
        if code.kernel.reg(result).ty.bits() != bits {
            return None;
        }
        let value = match properties.running? {
            Running::Copy => source(1, bits)?,
            Running::Choice => {
                let (one, other, condition) = (source(1, bits)?, source(2, bits)?, source(3, Type::Pred.bits())?);
                condition.and_then(|condition| if condition != 0 { one } else { other })
            }
            Running::Fold { operator, operands: [1, 2], number, .. } if number != Number::Float => {
                let (one, other) = (source(1, bits)?, source(2, bits)?);
                let both = one.zip(other).map(|(one, other)| Some(combined(operator, one, other)? & mask(bits)));
                both.map_or(Some(None), |value| value.map(Some))?
            }
            Running::Fold { .. } => return None,
        };
        Some((number, value.map(Value::Known)))
    }

    /// Returns true if an instruction copies a mask of the input into an added register, which says which lanes are waited for, and nothing else.
    fn is_mask(&self, code: &Code<'_>, inst: Inst, number: usize) -> bool {
        let &[Operand::Reg(result), Operand::Reg(mask)] = code.kernel.operands(inst) else { return false };
        let &[ty] = code.kernel.opcode(inst).types() else { return false };
        code.kernel.properties(inst).running == Some(Running::Copy)
            && self.number(mask).is_none()
            && [result, mask].iter().all(|&reg| code.kernel.reg(reg).ty.bits() == ty.bits())
            && !self.deciding.contains(&number)
    }

    /// Returns whether sources are drawn: one of them is the lane's number or was drawn, and the others are constants or were set; `None` if there is anything else.
    fn is_drawn(&self, sources: &[Operand], state: &State) -> Option<bool> {
        let mut drawn = false;
        let mut set = true;
        for source in sources {
            match source {
                Operand::Reg(reg) => {
                    let value = state.get(self.number(*reg)?);
                    (drawn, set) = (drawn || value == Some(Value::Drawn), set && value.is_some());
                }
                Operand::Special(special) => drawn |= special.name == SpecialName::Laneid || return None,
                Operand::Int(_) => {}
                _ => return None,
            }
        }
        Some(drawn && set)
    }

    /// The value of an operand, `None` inside if it was not set; `None` for one that is neither a constant nor an added register.
    fn source(&self, code: &Code<'_>, operand: &Operand, bits: u32, state: &State) -> Option<Option<u64>> {
        match *operand {
            Operand::Reg(reg) if code.kernel.reg(reg).ty.bits() == bits => {
                self.number(reg).map(|number| state.get(number).and_then(Value::known))
            }
            Operand::Int(value) => Some(Some(value.cast_unsigned() & mask(bits))),
            _ => None,
        }
    }
}

/// The points that follow one.
fn successors(code: &Code<'_>, point: Point) -> SmallVec<[Point; 4]> {
    let mut points = match code.way(point) {
        Way::On => return SmallVec::from_slice(&[point + 1]),
        Way::Jump(Next::To(target)) => SmallVec::from_slice(&[target]),
        Way::Table(points) => points,
        Way::Jump(Next::End(Ending::Thread | Ending::Function)) | Way::Abort | Way::Anywhere => SmallVec::new(),
    };
    if code.guard(point).is_some() {
        points.push(point + 1);
    }
    points
}

fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits.clamp(1, 64))
}

/// A value as one that compares like the number that its bits are.
fn ordered(value: u64, bits: u32, number: Number) -> i128 {
    let sign = 1u64 << (bits.clamp(1, 64) - 1);
    match number {
        Number::Signed if value & sign != 0 => i128::from(value) - (i128::from(sign) << 1),
        _ => i128::from(value),
    }
}

/// Returns what two values make; `None` for an operator that no way is found by.
fn combined(operator: Operator, one: u64, other: u64) -> Option<u64> {
    match operator {
        Operator::Add => Some(one.wrapping_add(other)),
        Operator::And => Some(one & other),
        Operator::Or => Some(one | other),
        Operator::Xor => Some(one ^ other),
        Operator::Multiply | Operator::Min | Operator::Max => None,
    }
}
