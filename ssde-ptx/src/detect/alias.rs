//! Places in memory: where an instruction reads and writes, and whether two places may have a byte in common.
//!
//! What other threads can see is global and shared memory; *shared* is the paper's word for both. A place is known by its state space,
//! by the variable or kernel parameter that its address is made from, and by an offset where that is a constant. Two lanes may have the same
//! address although their offsets are written differently, so that of two addresses only constants tell anything.
//!
//! # Why two places are told apart
//!
//! - Different state spaces share no byte. A pointer that the host passes is one to global memory.
//! - Different variables share no byte, as long as an access stays in its variable. A constant offset that leads out of a variable leads to a
//!   place that may be anything in its space. An index that is not constant is taken to stay inside, as in C.
//! - The members of structures in an array share no byte: what is added to the address of the array is a multiple of the size of an element, or of the greatest
//!   power of two in it. Numbers that overflow stay multiples of that.
//! - All dynamic arrays (`.extern .shared`) begin at the same address, so that they are one variable.
//! - Of a name that nothing in the text declares, nothing is known.
//! - A number that is used as an address may be any address: the address of a variable in shared memory that is used as a generic one without `cvta`, a
//!   parameter that is too narrow for a pointer, a pointer that was cut to 32 bits, a difference of two pointers.

use std::cell::RefCell;

use analysis::{Analyses, Value, ValueKind};
use ptx_parser::{Base, Inst, Kernel, Linear, Memory, Mnemonic, Modifier, Offset, Operand, Reg, Space, Symbol};
use smallvec::SmallVec;

/// The greatest depth to which an address is followed through arithmetic.
const DEEPEST: u32 = 32;

/// The power of two that 0 is taken for a multiple of.
const GREATEST: u32 = 31;

/// The base that an address is made from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Root {
    /// A variable of the module or the kernel.
    Variable(Symbol),
    /// The dynamic shared memory of the CTA, whatever array names it.
    Dynamic,
    /// The pointer in a kernel parameter, at an offset in it.
    Parameter(Symbol, Offset),
    /// The free memory on the heap of the device, which no address leads to.
    Heap,
    Unknown,
}

/// An address as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Location {
    space: Option<Space>,
    root: Root,
    /// The constant that is added to the root, if nothing else is.
    offset: Option<i64>,
    /// A constant, and the power of two of which the rest is a multiple that is added to the root.
    member: (i64, u32),
    bytes: i64,
}

/// An address register's value, as far as it is known.
#[derive(Clone, Copy, Debug)]
struct Origin {
    root: Root,
    /// The constants that are added to the root.
    constant: i64,
    /// True if nothing else is added.
    exact: bool,
    /// The power of two that all else which is added is a multiple of.
    element: u32,
    /// True if it was made a generic address, by `cvta`.
    generic: bool,
}

impl Origin {
    const UNKNOWN: Origin = Origin { root: Root::Unknown, constant: 0, exact: false, element: 0, generic: false };

    fn plus(self, number: i64) -> Origin {
        Origin { constant: self.constant.wrapping_add(number), ..self }
    }

    /// This one or another one.
    fn with(self, other: Origin) -> Origin {
        if (other.root, other.generic) != (self.root, self.generic) {
            return Origin::UNKNOWN;
        }
        let least = if other.constant < self.constant { other } else { self };
        let apart = multiple(other.constant.wrapping_sub(self.constant));
        least.indexed(apart.min(self.element).min(other.element))
    }

    /// With a multiple of this power of two added.
    fn indexed(self, element: u32) -> Origin {
        Origin { exact: false, element: self.element.min(element), ..self }
    }
}

/// The place that an instruction accesses at its first address.
pub(crate) fn place(facts: &Analyses, kernel: &Kernel, inst: Inst) -> Location {
    let space = kernel.properties(inst).space.filter(|space| *space != Space::Generic);
    match address(kernel, inst) {
        // The lanes of a warp access a tile together, of which one address says only the beginning.
        Some(at) if kernel.properties(inst).convergent => place_at(facts, kernel, inst, space, at, None),
        Some(at) => place_at(facts, kernel, inst, space, at, Some(bytes(kernel, inst))),
        None => Location::anywhere(space),
    }
}

/// The place of so many bytes at an address that an instruction names, in a state space if that is known.
pub(crate) fn place_at(
    facts: &Analyses,
    kernel: &Kernel,
    inst: Inst,
    space: Option<Space>,
    (base, offset): (Base, i64),
    bytes: Option<i64>,
) -> Location {
    let look = Look { facts, kernel, begun: RefCell::default() };
    let origin = match base {
        Base::Symbol(symbol) => look.symbol(symbol),
        Base::Reg(reg) => facts.values.at_use(inst, reg).map_or(Origin::UNKNOWN, |value| look.origin(value, DEEPEST)),
        Base::Absolute => Origin::UNKNOWN,
    };
    // A variable's name in brackets is its address in whatever space is accessed.
    let named = matches!(base, Base::Symbol(_));
    let origin = origin.plus(offset);
    let home = match origin.root {
        Root::Variable(symbol) => kernel.variable_in_scope(symbol).map(|variable| variable.space),
        Root::Dynamic => Some(Space::Shared),
        // What the host passes is no address in a CTA's own memory.
        Root::Parameter(..) => Some(Space::Global),
        Root::Heap | Root::Unknown => None,
    };
    if origin.root != Root::Unknown && home.is_none() {
        return Location::anywhere(space);
    }
    let is_variable = matches!(origin.root, Root::Variable(_) | Root::Dynamic);
    let windowed = matches!(home, Some(Space::Shared | Space::Local));
    let fits = match space {
        Some(space) if is_variable => home == Some(space) && !(windowed && origin.generic),
        None if is_variable => named || !windowed || origin.generic,
        _ => true,
    };
    if !fits {
        return Location::anywhere(space);
    }
    if !look.stays_inside(origin, bytes) {
        return Location::anywhere(home);
    }
    let offset = bytes.and(origin.exact.then_some(origin.constant));
    let member = (origin.constant, origin.element);
    Location { space: space.or(home), root: origin.root, offset, member, bytes: bytes.unwrap_or(0) }
}

/// The address that an instruction accesses: its base and what is added to that.
pub(crate) fn address(kernel: &Kernel, inst: Inst) -> Option<(Base, i64)> {
    addresses(kernel, inst).next()
}

/// All addresses among the operands of an instruction.
pub(crate) fn addresses(kernel: &Kernel, inst: Inst) -> impl Iterator<Item = (Base, i64)> + '_ {
    kernel.operands(inst).iter().filter_map(|operand| match operand {
        Operand::Address(base, offset) => Some((*base, offset.get())),
        _ => None,
    })
}

/// Returns how many bytes an access touches at most.
pub(crate) fn bytes(kernel: &Kernel, inst: Inst) -> i64 {
    let ty = kernel.opcode(inst).types().iter().map(|ty| i64::from(ty.bytes())).max().unwrap_or(16);
    let lanes = kernel.operands(inst).iter().filter_map(Operand::list).map(|list| kernel.list(list).len()).max();
    ty * lanes.map_or(1, |lanes| lanes as i64)
}

/// Returns true if a variable is dynamic shared memory, which several may name.
pub(crate) fn is_dynamic(kernel: &Kernel, symbol: Symbol) -> bool {
    let variable = kernel.variable_in_scope(symbol);
    variable.is_some_and(|variable| variable.external && variable.space == Space::Shared)
}

/// Returns what a value is made from as an address, and the constant that was added to it.
pub(crate) fn root(facts: &Analyses, kernel: &Kernel, value: Value, depth: u32) -> (Root, Option<i64>) {
    let origin = Look { facts, kernel, begun: RefCell::default() }.origin(value, depth);
    (origin.root, origin.exact.then_some(origin.constant))
}

struct Look<'a> {
    facts: &'a Analyses,
    kernel: &'a Kernel,
    /// The registers of which it is being found out what they are made from, with what the ways say that were followed already: a pointer that a loop moves on leads where it began.
    begun: RefCell<Vec<(Value, Option<Origin>)>>,
}

impl Look<'_> {
    fn symbol(&self, symbol: Symbol) -> Origin {
        let root = if is_dynamic(self.kernel, symbol) { Root::Dynamic } else { Root::Variable(symbol) };
        Origin { root, constant: 0, exact: true, element: GREATEST, generic: false }
    }

    /// Returns true if an access stays in the variable that its address is made from, as far as constants say.
    fn stays_inside(&self, origin: Origin, bytes: Option<i64>) -> bool {
        let size = match origin.root {
            Root::Variable(symbol) => self.kernel.variable_in_scope(symbol).filter(|variable| variable.count.is_some()),
            Root::Dynamic => None,
            _ => return true,
        };
        let end = origin.constant.saturating_add(if origin.exact { bytes.unwrap_or(1) } else { 1 });
        let size = size.map_or(i64::MAX, |variable| i64::try_from(variable.bytes()).unwrap_or(i64::MAX));
        // An index may make up for a negative constant.
        (!origin.exact || origin.constant >= 0) && end <= size
    }

    fn origin(&self, value: Value, depth: u32) -> Origin {
        let (facts, kernel) = (self.facts, self.kernel);
        let Some(depth) = depth.checked_sub(1) else { return Origin::UNKNOWN };
        let (inst, reg) = match facts.values.kind(value) {
            ValueKind::Def(inst, reg) => (inst, reg),
            ValueKind::Undefined(_) => return Origin::UNKNOWN,
            ValueKind::Phi(..) => return self.joined(value, depth),
        };
        let properties = kernel.properties(inst);
        if kernel.inst(inst).guard.is_some() {
            return Origin::UNKNOWN;
        }
        if properties.memory == Memory::Read && properties.space == Some(Space::Param) {
            return self.parameter(inst, reg);
        }
        let operands = kernel.operands(inst);
        let of = |index: usize| match operands.get(index) {
            Some(&Operand::Symbol(symbol, offset)) => self.symbol(symbol).plus(offset.get()),
            Some(&Operand::Reg(reg)) => {
                facts.values.at_use(inst, reg).map_or(Origin::UNKNOWN, |value| self.origin(value, depth))
            }
            _ => Origin::UNKNOWN,
        };
        let constant = |index: usize| match operands.get(index) {
            Some(&Operand::Int(number)) => Some(number),
            _ => None,
        };
        let origin = match properties.linear {
            Some(Linear::Same) if kernel.opcode(inst).mnemonic() == Mnemonic::Cvta => self.converted(inst, of(1)),
            Some(Linear::Same) => of(1),
            Some(Linear::Sum) => match (constant(1), constant(2)) {
                (_, Some(number)) => of(1).plus(number),
                (Some(number), _) => of(2).plus(number),
                _ => self.one_of([of(1), of(2)], [1, 2].map(|index| self.element(inst, index, depth))),
            },
            Some(Linear::Difference) => match constant(2) {
                Some(number) => of(1).plus(number.wrapping_neg()),
                None if of(2).root == Root::Unknown => of(1).indexed(self.element(inst, 2, depth)),
                None => Origin::UNKNOWN,
            },
            None if kernel.opcode(inst).mnemonic() == Mnemonic::Selp => of(1).with(of(2)),
            // What is multiplied is an index; the address is added to it.
            Some(Linear::ProductSum) => {
                of(3).indexed(self.element(inst, 1, depth).saturating_add(self.element(inst, 2, depth)).min(GREATEST))
            }
            _ => Origin::UNKNOWN,
        };
        let narrow = kernel.opcode(inst).types().iter().any(|ty| ty.bytes() < 8);
        if narrow && self.is_wide(origin) { Origin::UNKNOWN } else { origin }
    }

    /// Returns the origin of the sum of two values: one value is an address if the other is not. `elements` are the powers of two that they
    /// are multiples of.
    fn one_of(&self, [one, other]: [Origin; 2], elements: [u32; 2]) -> Origin {
        match (one.root, other.root) {
            (Root::Unknown, _) => other.indexed(elements[0]),
            (_, Root::Unknown) => one.indexed(elements[1]),
            _ => Origin::UNKNOWN,
        }
    }

    /// The power of two that an operand is a multiple of, whatever it is.
    fn element(&self, inst: Inst, index: usize, depth: u32) -> u32 {
        match self.kernel.operands(inst).get(index) {
            Some(&Operand::Int(number)) => multiple(number),
            Some(&Operand::Reg(reg)) => {
                self.facts.values.at_use(inst, reg).map_or(0, |value| self.element_of(value, depth))
            }
            _ => 0,
        }
    }

    fn element_of(&self, value: Value, depth: u32) -> u32 {
        let (facts, kernel) = (self.facts, self.kernel);
        let Some(depth) = depth.checked_sub(1) else { return 0 };
        let inst = match facts.values.kind(value) {
            ValueKind::Def(inst, _) => inst,
            ValueKind::Undefined(_) => return 0,
            ValueKind::Phi(..) => {
                let inputs = facts.values.phi_inputs(value).iter().filter(|&&(_, input)| input != value);
                return inputs.map(|&(_, input)| self.element_of(input, depth.min(4))).min().unwrap_or(0);
            }
        };
        let opcode = kernel.opcode(inst);
        if kernel.inst(inst).guard.is_some() || opcode.types().iter().any(|ty| ty.is_float()) {
            return 0;
        }
        let of = |index: usize| self.element(inst, index, depth);
        let found = match kernel.properties(inst).linear {
            Some(Linear::Same) => of(1),
            Some(Linear::Sum | Linear::Difference) => of(1).min(of(2)),
            Some(Linear::Product) => of(1).saturating_add(of(2)),
            Some(Linear::ProductSum) => of(1).saturating_add(of(2)).min(of(3)),
            Some(Linear::Shifted) => match kernel.operands(inst).get(2) {
                Some(&Operand::Int(by)) => of(1).saturating_add(u32::try_from(by).unwrap_or(0)),
                _ => of(1),
            },
            None if opcode.mnemonic() == Mnemonic::And => of(1).max(of(2)),
            None => 0,
        };
        found.min(GREATEST)
    }

    /// Returns what a register is made from where ways meet: the same on all of them.
    fn joined(&self, phi: Value, depth: u32) -> Origin {
        if let Some(&(_, known)) = self.begun.borrow().iter().find(|&&(begun, _)| begun == phi) {
            return known.unwrap_or(Origin::UNKNOWN);
        }
        self.begun.borrow_mut().push((phi, None));
        let mut joined: Option<Origin> = None;
        let (values, home) = (&self.facts.values, self.facts.values.block(phi));
        let mut inputs: SmallVec<[_; 4]> =
            values.phi_inputs(phi).iter().filter(|&&(_, input)| input != phi).copied().collect();
        // What a loop makes of it comes behind what it begins with.
        inputs.sort_by_key(|&(from, _)| self.facts.dominators.dominates(home, from));
        for (_, input) in inputs {
            let origin = self.origin(input, depth.min(8));
            let both = match joined {
                Some(before) => before.with(origin),
                None => origin,
            };
            joined = Some(both);
            if let Some(last) = self.begun.borrow_mut().last_mut() {
                last.1 = joined;
            }
            if both.root == Root::Unknown {
                break;
            }
        }
        self.begun.borrow_mut().pop();
        joined.unwrap_or(Origin::UNKNOWN)
    }

    /// Returns true if an address needs 64 bits: that of a variable in shared memory, and of one's own, does not unless it is generic.
    fn is_wide(&self, origin: Origin) -> bool {
        let home = match origin.root {
            Root::Variable(symbol) => self.kernel.variable_in_scope(symbol).map(|variable| variable.space),
            Root::Dynamic => Some(Space::Shared),
            Root::Parameter(..) => return true,
            Root::Heap | Root::Unknown => return false,
        };
        origin.generic || !matches!(home, Some(Space::Shared | Space::Local))
    }

    /// Returns what a load from a parameter yields: a pointer, if it is as wide as one.
    fn parameter(&self, inst: Inst, reg: Reg) -> Origin {
        let operands = self.kernel.operands(inst);
        let width = self.kernel.opcode(inst).types().iter().map(|ty| i64::from(ty.bytes())).max().unwrap_or(0);
        let at = match operands.first() {
            Some(&Operand::Reg(_)) => Some(0),
            Some(operand) => operand.list().and_then(|list| {
                let elements = self.kernel.list(list).iter();
                elements.clone().position(|element| *element == Operand::Reg(reg)).map(|index| index as i64 * width)
            }),
            None => None,
        };
        match (address(self.kernel, inst), at) {
            (Some((Base::Symbol(symbol), offset)), Some(at)) if width == 8 => {
                let root = Root::Parameter(symbol, Offset::from(offset.wrapping_add(at)));
                Origin { root, constant: 0, exact: true, element: GREATEST, generic: false }
            }
            _ => Origin::UNKNOWN,
        }
    }

    /// An address behind `cvta`, which makes one of a space generic, or the other way round (`.to`).
    fn converted(&self, inst: Inst, from: Origin) -> Origin {
        let opcode = self.kernel.opcode(inst);
        let (back, global) = (opcode.has(Modifier::To), opcode.has(Modifier::Global));
        match from.root {
            // A number that is taken for an address in a CTA's own memory is no pointer that the host has passed.
            Root::Parameter(..) if !global => Origin::UNKNOWN,
            // In global memory, both kinds of address are the same number.
            Root::Variable(_) | Root::Dynamic if from.generic != back && !global => Origin::UNKNOWN,
            _ => Origin { generic: !back, ..from },
        }
    }
}

/// The greatest power of two that a number is a multiple of.
fn multiple(number: i64) -> u32 {
    number.trailing_zeros().min(GREATEST)
}

impl Location {
    /// A place of which at most the state space is known.
    pub(crate) fn anywhere(space: Option<Space>) -> Location {
        Location { space, root: Root::Unknown, offset: None, member: (0, 0), bytes: 0 }
    }

    /// Returns what `malloc` takes from, and `free` gives back to.
    pub(crate) fn heap() -> Location {
        Location { root: Root::Heap, ..Location::anywhere(None) }
    }

    /// Returns how many bytes it has, if that is known.
    pub(crate) fn bytes(&self) -> Option<i64> {
        (self.bytes > 0).then_some(self.bytes)
    }

    /// Its state space, if that is known.
    pub(crate) fn space(&self) -> Option<Space> {
        self.space
    }

    /// The same place where its state space is known from elsewhere.
    pub(crate) fn within(self, space: Option<Space>) -> Location {
        match self.space {
            None => Location { space, ..self },
            Some(_) => self,
        }
    }

    /// Returns what it is made from, and the bytes that it begins and ends at, as far as they are known.
    pub(crate) fn extent(&self) -> (Root, Option<std::ops::Range<i64>>) {
        (self.root, self.offset.map(|offset| offset..offset.saturating_add(self.bytes)))
    }

    /// Returns true if it is in the thread's own memory, which nobody else sees.
    pub(crate) fn is_own(&self) -> bool {
        self.space == Some(Space::Local)
    }

    /// Returns true if two places are in one variable of the thread's own memory.
    pub(crate) fn is_in_own_array_of(&self, other: &Location) -> bool {
        self.is_own() && self.root == other.root && self.root != Root::Unknown
    }

    /// Returns true if two places are made from different pointers and variables.
    pub(crate) fn has_another_name(&self, other: &Location) -> bool {
        self.root != other.root && self.root != Root::Unknown && other.root != Root::Unknown
    }

    /// Returns true if two accesses may touch a byte in common, if pointers of different names are taken to lead to different memory.
    pub(crate) fn may_be_by_name(&self, other: &Location) -> bool {
        !self.has_another_name(other) && self.may_alias(other)
    }

    /// Returns true if it is behind a pointer in a parameter.
    pub(crate) fn is_behind_parameter(&self) -> bool {
        matches!(self.root, Root::Parameter(..))
    }

    /// Returns true if two accesses may touch a byte in common although pointers of different names lead to different memory, no index leads out of its array, and none
    /// that is read from memory leads to a word that is accessed by its name.
    pub(crate) fn may_meet(&self, other: &Location) -> bool {
        let is_named = |place: &Location| place.root != Root::Unknown;
        let apart = match (self.offset.is_some(), other.offset.is_some()) {
            _ if self.has_another_name(other) => true,
            (true, false) => is_named(self),
            (false, true) => is_named(other),
            _ => false,
        };
        !apart && self.may_alias(other)
    }

    /// Returns true if a store writes what a load finds, if what has the same name is the same memory and an index goes up from the constant beside it.
    pub(crate) fn may_fill(&self, read: &Location) -> bool {
        let begins_before =
            |one: &Location, other: &Location| one.member.0 < other.member.0.saturating_add(other.bytes);
        let is_within = match (self.offset.is_some(), read.offset.is_some()) {
            (true, false) => begins_before(read, self),
            (false, true) => begins_before(self, read),
            _ => true,
        };
        self.root == read.root && is_within && self.may_alias(read)
    }

    /// Returns true if two accesses to one array may touch the same bytes of its elements.
    fn may_be_one_member(&self, other: &Location) -> bool {
        let element = 1i64 << self.member.1.min(other.member.1);
        let behind = other.member.0.wrapping_sub(self.member.0).rem_euclid(element);
        self.bytes == 0 || other.bytes == 0 || behind < self.bytes || element - behind < other.bytes
    }

    /// Returns true if two accesses, by any two threads, may touch a byte in common.
    pub(crate) fn may_alias(&self, other: &Location) -> bool {
        if let (Some(one), Some(other)) = (self.space, other.space)
            && one != other
        {
            return false;
        }
        match (self.root, other.root) {
            (Root::Heap, other) | (other, Root::Heap) => other == Root::Heap,
            (Root::Variable(_), Root::Variable(_) | Root::Dynamic) | (Root::Dynamic, Root::Variable(_))
                if self.root != other.root =>
            {
                false
            }
            (one, two) if one == two && one != Root::Unknown => match (self.offset, other.offset) {
                (Some(one), Some(two)) => one < two.saturating_add(other.bytes) && two < one.saturating_add(self.bytes),
                _ => self.may_be_one_member(other),
            },
            _ => true,
        }
    }
}
