//! The registers that the output adds, and the code that works on them and constants alone.
//!
//! Such code is silent: memory and the registers of the input do not see it. It is executed here on what is known, so that at each point of
//! the output it is certain where a thread goes on.
//!
//! A register may also be *drawn*: computed from the lane's number, by whatever has no other effect. Nothing is known of its value, and a branch on it may go
//! either way. Then both must lead to where the input goes.

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntitySet, PrimaryMap, SecondaryMap, entity_impl};
use ptx_parser::{Inst, Mnemonic, Modifier, Number, Operand, Operator, Reg, Running, SpecialName, Type};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::code::{Code, Ending, Next, Point, Way};
use super::mismatch::Reason;

/// Names an added register.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct AddedReg(u32);
entity_impl!(AddedReg, "added");

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

/// The values of the added registers: these in ascending order, each with its value. The other registers were not set. A kernel may
/// have thousands of them, but few hold anything at one point.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct State(SmallVec<[(AddedReg, Value); 2]>);

impl State {
    /// Returns what a register holds.
    pub(super) fn get(&self, reg: AddedReg) -> Option<Value> {
        let at = self.0.binary_search_by_key(&reg, |&(known, _)| known).ok()?;
        self.0.get(at).map(|&(_, value)| value)
    }

    fn set(&mut self, reg: AddedReg, value: Option<Value>) {
        let found = self.0.binary_search_by_key(&reg, |&(known, _)| known);
        let (Ok(at) | Err(at)) = found;
        if found.is_ok() {
            self.0.remove(at);
        }
        if let Some(value) = value {
            self.0.insert(at, (reg, value));
        }
    }
}

/// The added registers.
pub(super) struct Added {
    pub(super) regs: PrimaryMap<AddedReg, Reg>,
    ids: SecondaryMap<Reg, PackedOption<AddedReg>>,
    /// Those that may depend on which lanes are here.
    company: EntitySet<AddedReg>,
    /// Those that are read for anything else than that.
    deciding: EntitySet<AddedReg>,
    /// The points at which an added register is mentioned.
    mentions: EntitySet<Point>,
    /// For each point, the registers that are read later, in ascending order.
    live: SecondaryMap<Point, Vec<AddedReg>>,
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
        let regs: PrimaryMap<AddedReg, Reg> =
            after.kernel.regs().filter(|&reg| !known.contains(after.kernel.reg_name(reg))).collect();
        let ids = regs.iter().map(|(id, &reg)| (reg, id.into())).collect();
        let mut added = Added {
            regs,
            ids,
            mentions: EntitySet::new(),
            live: SecondaryMap::new(),
            company: EntitySet::new(),
            deciding: EntitySet::new(),
        };
        let mentions: Vec<Point> = after.points().filter(|&point| added.mentioned(after, point).is_some()).collect();
        added.mentions.extend(mentions);
        added.find_live(after);
        added.find_company(after);
        added
    }

    /// Goes from what is told which lanes are here to what is computed from it.
    fn find_company(&mut self, code: &Code<'_>) {
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for point in code.points() {
                let Some(inst) = code.inst(point).filter(|_| self.is_mentioned(point)) else { continue };
                let Some(&Operand::Reg(result)) = code.kernel.operands(inst).first() else { continue };
                let mut asks = self.asks_for_company(code, point).is_some();
                code.kernel.visit(inst, |reg, access| {
                    asks |= access.read && self.id(reg).is_some_and(|reg| self.company.contains(reg));
                });
                changed |= asks && self.id(result).is_some_and(|reg| self.company.insert(reg));
            }
        }
        for point in code.points() {
            let Some(inst) = code.inst(point).filter(|_| self.is_mentioned(point)) else { continue };
            let made = match code.kernel.operands(inst).first() {
                Some(&Operand::Reg(result)) => self.id(result),
                _ => None,
            };
            if made.is_some_and(|reg| self.company.contains(reg)) && code.guard(point).is_none() {
                continue;
            }
            let mut read = Vec::new();
            code.kernel.visit(inst, |reg, access| read.extend(self.id(reg).filter(|_| access.read)));
            self.deciding.extend(read);
        }
    }

    /// The added register that a register is, if it is one.
    pub(super) fn id(&self, reg: Reg) -> Option<AddedReg> {
        self.ids[reg].expand()
    }

    /// Returns true if the instruction at a point mentions one of them.
    pub(super) fn is_mentioned(&self, point: Point) -> bool {
        self.mentions.contains(point)
    }

    /// The first added register that an instruction mentions.
    fn mentioned(&self, code: &Code<'_>, point: Point) -> Option<Reg> {
        let mut found = None;
        code.kernel.visit(code.inst(point)?, |reg, _| found = found.or(self.id(reg).map(|_| reg)));
        found
    }

    /// Forgets what nobody reads any more, so that threads that differ in nothing else are at one point of the relation. Forgetting too much
    /// could only make a faithful output look unfaithful.
    pub(super) fn forget(&self, point: Point, state: &mut State) {
        let live = &self.live[point];
        state.0.retain(|(reg, _)| live.binary_search(reg).is_ok());
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
        let live = self.live[point].iter().map(|&reg| self.regs[reg]);
        live.filter(|&reg| code.kernel.reg(reg).ty != Type::Pred)
    }

    /// Goes back from each point that reads a register before it writes it, up to those that write it.
    fn find_live(&mut self, code: &Code<'_>) {
        let mut before: SecondaryMap<Point, SmallVec<[Point; 2]>> = SecondaryMap::new();
        let (mut readers, mut writers): (SecondaryMap<AddedReg, Vec<Point>>, SecondaryMap<AddedReg, Vec<Point>>) =
            Default::default();
        for point in code.points() {
            successors(code, point).into_iter().for_each(|next| before[next].push(point));
            let Some(inst) = code.inst(point).filter(|_| self.is_mentioned(point)) else { continue };
            let guarded = code.guard(point).is_some();
            code.kernel.visit(inst, |reg, access| {
                let Some(reg) = self.id(reg) else { return };
                if access.read {
                    readers[reg].push(point);
                } else if access.write && !guarded {
                    writers[reg].push(point);
                }
            });
        }
        // The register for which a point was last found to have it live, or written.
        let (mut live, mut written): (SecondaryMap<Point, PackedOption<AddedReg>>, SecondaryMap<_, _>) =
            Default::default();
        for reg in self.regs.keys() {
            let this = PackedOption::from(reg);
            writers[reg].iter().for_each(|&point| written[point] = this);
            let mut work = std::mem::take(&mut readers[reg]);
            while let Some(point) = work.pop() {
                if std::mem::replace(&mut live[point], this) != this {
                    self.live[point].push(reg);
                    work.extend(before[point].iter().filter(|&&point| written[point] != this));
                }
            }
        }
    }

    /// Executes an instruction of the output if it is silent.
    pub(super) fn step(&self, code: &Code<'_>, point: Point, state: &mut State) -> Result<Step, Reason> {
        let (way, guard) = (code.way(point), code.guard(point));
        let Some(inst) = code.inst(point) else { return Ok(Step::Silent(Next::End(code.ending()))) };
        if !self.is_mentioned(point) {
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
            let reg = self.id(guard.reg).ok_or_else(first)?;
            match (state.get(reg), &way) {
                (None, Way::Jump(next)) if self.company.contains(reg) => {
                    return Ok(Step::Either(*next, Next::To(point.next())));
                }
                (Some(Value::Known(value)), _) if (value == 0) != guard.negated => {
                    return Ok(Step::Silent(Next::To(point.next())));
                }
                (Some(Value::Known(_)), _) => {}
                (Some(Value::Drawn), Way::Jump(next)) => return Ok(Step::Drawn(*next, Next::To(point.next()))),
                (None | Some(Value::Drawn), _) => return Err(unknown(guard.reg)),
            }
        }
        let next = match way {
            Way::On => {
                let company = || self.asks_for_company(code, point).map(|reg| (reg, None));
                let (reg, value) = self.evaluate(code, inst, state).or_else(company).ok_or_else(first)?;
                state.set(reg, value);
                Next::To(point.next())
            }
            Way::Jump(next) => next,
            Way::Table(points) => {
                let Some(&Operand::Reg(index)) = code.kernel.operands(inst).first() else { return Err(first()) };
                let reg = self.id(index).ok_or_else(first)?;
                let value = state.get(reg).and_then(Value::known).ok_or_else(|| unknown(index))?;
                let entry = usize::try_from(value).ok().and_then(|value| points.get(value).copied());
                Next::To(entry.ok_or(Reason::Target)?)
            }
            Way::Abort | Way::Anywhere => return Err(first()),
        };
        Ok(Step::Silent(next))
    }

    /// The added register that is told which lanes are here, by `activemask`, or which of these hold the same, by `match.any.sync` right behind it. The one waits for
    /// nobody, and the other for those that execute it next.
    fn asks_for_company(&self, code: &Code<'_>, point: Point) -> Option<AddedReg> {
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
            Some(&Operand::Reg(result)) => self.id(result),
            _ => None,
        };
        let inst = code.inst(point)?;
        match question(inst)? {
            Question::WhoIsHere => result(inst),
            Question::WhoHoldsTheSame => {
                let &[_, ref value, Operand::Reg(mask)] = code.kernel.operands(inst) else { return None };
                let own = matches!(*value, Operand::Reg(value) if self.id(value).is_some());
                let mask = self.id(mask).filter(|_| own)?;
                // Several may be asked one after the other, of the lanes that were told of each other.
                let mut before = point;
                loop {
                    before = before.previous()?;
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
    fn evaluate(&self, code: &Code<'_>, inst: Inst, state: &State) -> Option<(AddedReg, Option<Value>)> {
        let (properties, operands) = (code.kernel.properties(inst), code.kernel.operands(inst));
        let (&Operand::Reg(result), true) = (operands.first()?, properties.is_pure()) else { return None };
        let added = self.id(result)?;
        if self.is_mask(code, inst, added) {
            return Some((added, None));
        }
        if self.is_drawn(operands.get(1..)?, state)? {
            return Some((added, Some(Value::Drawn)));
        }
        let source = |index: usize, bits: u32| self.source(code, operands.get(index)?, bits, state);
        if let Some(comparison) = properties.comparison {
            let bits = comparison.bits;
            let (one, other) = (source(1, bits)?, source(2, bits)?);
            let ordered = |value: u64| ordered(value, bits, comparison.number);
            let holds = one.zip(other).map(|(one, other)| comparison.relation.holds(ordered(one).cmp(&ordered(other))));
            let predicate = code.kernel.reg(result).ty == Type::Pred && comparison.number != Number::Float;
            return predicate.then_some((added, holds.map(u64::from).map(Value::Known)));
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
        Some((added, value.map(Value::Known)))
    }

    /// Returns true if an instruction copies a mask of the input into an added register, which says which lanes are waited for, and nothing else.
    fn is_mask(&self, code: &Code<'_>, inst: Inst, added: AddedReg) -> bool {
        let &[Operand::Reg(result), Operand::Reg(mask)] = code.kernel.operands(inst) else { return false };
        let &[ty] = code.kernel.opcode(inst).types() else { return false };
        code.kernel.properties(inst).running == Some(Running::Copy)
            && self.id(mask).is_none()
            && [result, mask].iter().all(|&reg| code.kernel.reg(reg).ty.bits() == ty.bits())
            && !self.deciding.contains(added)
    }

    /// Returns whether sources are drawn: one of them is the lane's number or was drawn, and the others are constants or were set; `None` if there is anything else.
    fn is_drawn(&self, sources: &[Operand], state: &State) -> Option<bool> {
        let mut drawn = false;
        let mut set = true;
        for source in sources {
            match source {
                Operand::Reg(reg) => {
                    let value = state.get(self.id(*reg)?);
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
                self.id(reg).map(|reg| state.get(reg).and_then(Value::known))
            }
            Operand::Int(value) => Some(Some(value.cast_unsigned() & mask(bits))),
            _ => None,
        }
    }
}

/// The points that follow one.
fn successors(code: &Code<'_>, point: Point) -> SmallVec<[Point; 4]> {
    let mut points = match code.way(point) {
        Way::On => return SmallVec::from_slice(&[point.next()]),
        Way::Jump(Next::To(target)) => SmallVec::from_slice(&[target]),
        Way::Table(points) => points,
        Way::Jump(Next::End(Ending::Thread | Ending::Function)) | Way::Abort | Way::Anywhere => SmallVec::new(),
    };
    if code.guard(point).is_some() {
        points.push(point.next());
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
