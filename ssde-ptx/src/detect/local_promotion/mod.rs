//! A copy of a kernel, for looking at, in which what a thread keeps in local memory is in registers.
//!
//! A debug build (`-G`) keeps every variable in local memory, and whatever has its address taken is there in any build: the expected value of libcu++'s
//! `compare_exchange`, for one. What a loop compares, swaps and counts is then hidden behind loads and stores, some of them through pointers that are in local memory
//! themselves. In registers, all that is known of values is known of it.
//!
//! # Why the copy does the same
//!
//! Nobody else sees a thread's local memory (PTX ISA, "Local State Space"). Some bytes of a variable are registers if each access that may touch one of them is a plain load or
//! store, at an address that is the variable's plus one constant: one register if all of these accesses are to the same bytes, else several of a size that no access takes apart. Which
//! accesses those are is found by following addresses through registers, and through bytes that are one register themselves, until nothing new comes of it. A variable is given up, and stays in memory, as soon as an address in it goes where it
//! is not followed: to memory that is not of this kind, to a function, into arithmetic other than adding constants, to where another address may be instead. So
//! an address that was not followed leads to no variable that is left.

use analysis::{Analyses, Value, ValueKind};
use cranelift_entity::SecondaryMap;
use ptx_parser::{
    Base, Code, Inst, Kernel, Linear, Memory, Mnemonic, Modifier, Operand, Ordering, Patch, Reg, Space, Stmt, StmtKind,
    Symbol, Type,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::moves::{Instruction, Move, is_simple};

/// A kernel with some of its own memory in registers.
pub(crate) struct InRegisters {
    pub(crate) kernel: Kernel,
    /// The load or store that each move stands for; one that is taken apart has several.
    moved: FxHashMap<Inst, Inst>,
}

impl InRegisters {
    /// Makes the copy; `None` if nothing changes.
    pub(crate) fn of(facts: &Analyses, kernel: &Kernel) -> Option<InRegisters> {
        if !kernel.variables().any(|(_, variable)| variable.space == Space::Local) {
            return None;
        }
        let accesses = Addresses::followed(facts, kernel).accesses();
        if accesses.is_empty() { None } else { moved(kernel, accesses) }
    }

    /// The instruction of the original that one of the copy stands for.
    pub(crate) fn original(&self, inst: Inst) -> Inst {
        self.moved.get(&inst).copied().unwrap_or(inst)
    }
}

/// Some bytes of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Bytes {
    variable: Symbol,
    offset: i64,
    count: i64,
}

impl Bytes {
    fn overlaps(&self, other: &Bytes) -> bool {
        self.variable == other.variable
            && self.offset < other.offset.saturating_add(other.count)
            && other.offset < self.offset.saturating_add(self.count)
    }
}

/// A load or store of bytes that are registers.
struct Access {
    inst: Inst,
    /// The bytes of the registers, in order, for each element that is loaded or stored.
    elements: Vec<Vec<Bytes>>,
}

/// The target of a value that is used as an address.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Leads {
    /// Nothing has come there yet.
    #[default]
    Unseen,
    /// To no variable that is not given up; numbers lead nowhere.
    Elsewhere,
    /// To a byte of a variable of the thread. In the window of local memory, or as a generic address, made by `cvta`.
    To { variable: Symbol, offset: i64, generic: bool },
}

/// The addresses in local memory, as they are followed.
struct Addresses<'a> {
    facts: &'a Analyses,
    kernel: &'a Kernel,
    leads: SecondaryMap<Value, Leads>,
    /// The target of the address that some bytes hold.
    kept: FxHashMap<Bytes, Leads>,
    /// All bytes that are accessed, and whether they can be one register: nothing but plain loads and stores of all of them.
    accessed: FxHashMap<Bytes, bool>,
    /// Those with other accesses than plain loads and stores.
    odd: FxHashSet<Bytes>,
    /// The variables that stay in memory.
    given_up: FxHashSet<Symbol>,
    changed: bool,
}

impl<'a> Addresses<'a> {
    fn followed(facts: &'a Analyses, kernel: &'a Kernel) -> Addresses<'a> {
        let mut addresses = Addresses {
            facts,
            kernel,
            leads: SecondaryMap::with_capacity(facts.values.count()),
            kept: FxHashMap::default(),
            accessed: FxHashMap::default(),
            odd: FxHashSet::default(),
            given_up: FxHashSet::default(),
            changed: true,
        };
        for value in facts.values.iter() {
            if matches!(facts.values.kind(value), ValueKind::Undefined(_)) {
                addresses.leads[value] = Leads::Elsewhere;
            }
        }
        // Values only go from unseen to what they lead to, and variables are only given up.
        while std::mem::take(&mut addresses.changed) {
            for &block in facts.cfg.reverse_postorder() {
                for &phi in facts.values.phis(block) {
                    for &(_, input) in facts.values.phi_inputs(phi) {
                        let leads = addresses.of(input);
                        addresses.join(phi, leads);
                    }
                }
                facts.cfg.insts(block).iter().for_each(|&inst| addresses.follow(inst));
            }
        }
        addresses
    }

    /// The loads and stores of bytes that can be registers.
    fn accesses(&self) -> Vec<Access> {
        let registers = self.registers();
        let reachable = self.facts.cfg.reverse_postorder().iter();
        let insts = reachable.flat_map(|&block| self.facts.cfg.insts(block).iter().copied());
        let access = |inst: Inst| {
            let access = Move::of(self.kernel, inst)?;
            let elements = self.elements(inst, &access)?;
            let elements: Option<_> = elements.iter().map(|bytes| registers.get(bytes).cloned()).collect();
            Some(Access { inst, elements: elements? })
        };
        insts.filter_map(access).collect()
    }

    /// The bytes of each element of a load or store in a variable of the thread.
    fn elements(&self, inst: Inst, access: &Move) -> Option<Vec<Bytes>> {
        let Leads::To { variable, offset, .. } = self.address(inst, access) else { return None };
        let count = i64::from(access.ty.bytes());
        let at = |number: usize| offset.wrapping_add(count.wrapping_mul(number as i64));
        Some((0..access.elements.len()).map(|number| Bytes { variable, offset: at(number), count }).collect())
    }

    /// The registers that bytes are which are accessed together. Bytes of which an access overlaps others have registers of one size, which takes no access apart.
    fn registers(&self) -> FxHashMap<Bytes, Vec<Bytes>> {
        let mut all: Vec<Bytes> =
            self.accessed.keys().filter(|bytes| !self.given_up.contains(&bytes.variable)).copied().collect();
        all.sort_unstable_by_key(|bytes| (bytes.variable, bytes.offset, bytes.count));
        let mut registers = FxHashMap::default();
        let mut left = all.as_slice();
        while let &[first, ..] = left {
            let (mut end, mut many) = (first.offset, 0);
            for bytes in left {
                if bytes.variable != first.variable || many > 0 && bytes.offset >= end {
                    break;
                }
                end = end.max(bytes.offset + bytes.count);
                many += 1;
            }
            let (group, rest) = left.split_at(many);
            left = rest;
            if group.iter().any(|bytes| self.odd.contains(bytes)) {
                continue;
            }
            let size = group.iter().fold(0, |size, bytes| gcd(gcd(size, bytes.offset - first.offset), bytes.count));
            for &bytes in group {
                let offsets = (0..bytes.count / size).map(|number| bytes.offset + number * size);
                let parts = offsets.map(|offset| Bytes { variable: bytes.variable, offset, count: size });
                registers.insert(bytes, parts.collect());
            }
        }
        registers
    }

    fn of(&self, value: Value) -> Leads {
        match self.leads[value] {
            Leads::To { variable, .. } if self.given_up.contains(&variable) => Leads::Elsewhere,
            leads => leads,
        }
    }

    fn operand(&self, inst: Inst, operand: &Operand) -> Leads {
        match *operand {
            Operand::Reg(reg) => self.facts.values.at_use(inst, reg).map_or(Leads::Elsewhere, |value| self.of(value)),
            Operand::Symbol(symbol, offset) => self.symbol(symbol, offset.get()),
            _ => Leads::Elsewhere,
        }
    }

    fn symbol(&self, symbol: Symbol, offset: i64) -> Leads {
        let own = self.kernel.variable_in_scope(symbol).is_some_and(|variable| variable.space == Space::Local);
        match own && !self.given_up.contains(&symbol) {
            true => Leads::To { variable: symbol, offset, generic: false },
            false => Leads::Elsewhere,
        }
    }

    /// The address of a load or store.
    fn address(&self, inst: Inst, access: &Move) -> Leads {
        let base = match access.base {
            Base::Reg(reg) => self.operand(inst, &Operand::Reg(reg)),
            Base::Symbol(symbol) => self.symbol(symbol, 0),
            Base::Absolute => Leads::Elsewhere,
        };
        plus(base, access.offset)
    }

    fn give_up(&mut self, leads: Leads) {
        if let Leads::To { variable, .. } = leads {
            self.changed |= self.given_up.insert(variable);
        }
    }

    /// Joins what a value points to on two ways. If that differs, the variables are given up.
    fn joined(&mut self, one: Leads, other: Leads) -> Leads {
        match (one, other) {
            (Leads::Unseen, leads) | (leads, Leads::Unseen) => leads,
            (one, other) if one == other => one,
            (one, other) => {
                self.give_up(one);
                self.give_up(other);
                Leads::Elsewhere
            }
        }
    }

    fn join(&mut self, value: Value, leads: Leads) {
        let joined = self.joined(self.of(value), leads);
        self.changed |= self.leads[value] != joined;
        self.leads[value] = joined;
    }

    fn follow(&mut self, inst: Inst) {
        let result = match self.kernel.properties(inst).memory {
            Memory::Read | Memory::Write => self.access(inst),
            _ => self.computed(inst),
        };
        for &(_, made) in self.facts.values.defs(inst) {
            self.join(made, result);
            // A guarded instruction leaves what was there.
            if let Some(old) = self.facts.values.old(made) {
                let old = self.of(old);
                self.join(made, old);
            }
        }
    }

    /// A load or store, and where what is loaded leads.
    fn access(&mut self, inst: Inst) -> Leads {
        let properties = self.kernel.properties(inst);
        let space = properties.space.filter(|space| *space != Space::Generic);
        let Some(access) = Move::of(self.kernel, inst).filter(|_| !properties.side_effect && !properties.convergent)
        else {
            return self.elsewhere(inst);
        };
        let at = self.address(inst, &access);
        let fits = match at {
            Leads::To { generic, .. } => generic == space.is_none() && space.is_none_or(|space| space == Space::Local),
            Leads::Unseen | Leads::Elsewhere => true,
        };
        if !fits {
            return self.elsewhere(inst);
        }
        let Some(elements) = self.elements(inst, &access) else {
            if !access.load && at == Leads::Elsewhere {
                access.elements.iter().for_each(|element| self.give_up(self.operand(inst, element)));
            }
            return if at == Leads::Unseen { Leads::Unseen } else { Leads::Elsewhere };
        };
        let plain = !properties.volatile && properties.ordering == Ordering::Weak;
        let alone = elements.len() == 1;
        for (&bytes, element) in elements.iter().zip(&access.elements) {
            self.touch(bytes, plain && is_simple(self.kernel, element, access.ty, access.load), alone);
        }
        let (bytes, element) = match (elements.as_slice(), access.elements.as_slice()) {
            (&[bytes], &[element]) if self.accessed.get(&bytes) == Some(&true) && bytes.count == 8 => (bytes, element),
            _ => {
                // No address is followed through these bytes.
                access.elements.iter().for_each(|element| self.give_up(self.operand(inst, element)));
                return Leads::Elsewhere;
            }
        };
        let kept = self.kept.get(&bytes).copied().unwrap_or_default();
        if access.load {
            return kept;
        }
        let leads = self.operand(inst, &element);
        let joined = self.joined(kept, leads);
        self.changed |= kept != joined;
        self.kept.insert(bytes, joined);
        Leads::Elsewhere
    }

    /// Takes down an access: bytes that are accessed with others, or of which others are accessed by themselves, are not one register.
    fn touch(&mut self, bytes: Bytes, plain: bool, alone: bool) {
        let fits = self.kernel.variable_in_scope(bytes.variable).is_some_and(|variable| {
            bytes.offset >= 0 && bytes.offset.saturating_add(bytes.count) <= variable.bytes().cast_signed()
        });
        if !fits {
            self.give_up(Leads::To { variable: bytes.variable, offset: 0, generic: false });
        }
        if !self.accessed.contains_key(&bytes) {
            let others: Vec<Bytes> = self.accessed.keys().filter(|other| other.overlaps(&bytes)).copied().collect();
            self.accessed.insert(bytes, others.is_empty());
            others.iter().for_each(|other| self.is_several(*other));
            self.changed = true;
        }
        if !plain || !alone {
            self.is_several(bytes);
        }
        if !plain {
            self.changed |= self.odd.insert(bytes);
        }
    }

    /// Some bytes are not one register.
    fn is_several(&mut self, bytes: Bytes) {
        self.changed |= self.accessed.insert(bytes, false) == Some(true);
    }

    /// Returns what the result of an instruction points to, other than of a plain load or store.
    fn computed(&mut self, inst: Inst) -> Leads {
        let (properties, opcode) = (self.kernel.properties(inst), self.kernel.opcode(inst));
        let operands = self.kernel.operands(inst);
        let family = opcode.mnemonic();
        let number = |index: usize| match operands.get(index) {
            Some(&Operand::Int(number)) => Some(number),
            _ => None,
        };
        let narrow = opcode.types().iter().any(|ty| ty.bytes() < 8);
        match (properties.linear, operands) {
            (Some(Linear::Same), [_, from]) if family == Mnemonic::Cvta => match self.operand(inst, from) {
                Leads::To { variable, offset, generic }
                    if opcode.has(Modifier::Local) && generic == opcode.has(Modifier::To) =>
                {
                    Leads::To { variable, offset, generic: !generic }
                }
                Leads::To { .. } => self.elsewhere(inst),
                leads => leads,
            },
            (Some(Linear::Same), [_, from]) if family == Mnemonic::Mov => match self.operand(inst, from) {
                Leads::To { generic: true, .. } if narrow => self.elsewhere(inst),
                leads => leads,
            },
            (Some(Linear::Sum | Linear::Difference), [_, from, _]) if number(2).is_some() => {
                let added = number(2).unwrap_or(0);
                let added = if properties.linear == Some(Linear::Sum) { added } else { added.wrapping_neg() };
                match self.operand(inst, from) {
                    Leads::To { generic: true, .. } if narrow => self.elsewhere(inst),
                    leads => plus(leads, added),
                }
            }
            (_, [_, one, other, _]) if family == Mnemonic::Selp => {
                let (one, other) = (self.operand(inst, one), self.operand(inst, other));
                self.joined(one, other)
            }
            // A comparison gives nothing away but its result.
            _ if properties.comparison.is_some() => Leads::Elsewhere,
            _ => self.elsewhere(inst),
        }
    }

    /// The variables to which operands lead are given up.
    fn elsewhere(&mut self, inst: Inst) -> Leads {
        for &(_, used) in self.facts.values.uses(inst) {
            self.give_up(self.of(used));
        }
        let kernel = self.kernel;
        self.give_up_named(kernel.operands(inst));
        Leads::Elsewhere
    }

    fn give_up_named(&mut self, operands: &[Operand]) {
        for operand in operands {
            match *operand {
                Operand::Symbol(symbol, _) | Operand::Address(Base::Symbol(symbol), _) => {
                    self.give_up(self.symbol(symbol, 0));
                }
                _ => {
                    let kernel = self.kernel;
                    if let Some(list) = operand.list() {
                        self.give_up_named(kernel.list(list));
                    }
                }
            }
        }
    }
}

fn plus(leads: Leads, number: i64) -> Leads {
    match leads {
        Leads::To { variable, offset, generic } => Leads::To { variable, offset: offset.wrapping_add(number), generic },
        leads => leads,
    }
}

fn gcd(one: i64, other: i64) -> i64 {
    if other == 0 { one } else { gcd(other, one % other) }
}

/// The copy in which loads and stores are moves; those that cannot be written as such stay, with all others of their bytes.
fn moved(kernel: &Kernel, mut accesses: Vec<Access>) -> Option<InRegisters> {
    let mut copy = kernel.clone();
    let mut registers: FxHashMap<Bytes, Reg> = FxHashMap::default();
    for &bytes in accesses.iter().flat_map(|access| &access.elements).flatten() {
        registers.entry(bytes).or_insert_with(|| copy.new_reg("own", register_of(bytes.count)));
    }
    let mut made: FxHashMap<Inst, Vec<Stmt>> = FxHashMap::default();
    let mut stays: FxHashSet<Bytes> = FxHashSet::default();
    for access in &accesses {
        match moves(kernel, access, &mut copy, &registers).map(|code| copy.build_unchecked(code)) {
            Some(stmts) if !stmts.is_empty() => {
                made.insert(access.inst, stmts);
            }
            _ => stays.extend(access.elements.iter().flatten()),
        }
    }
    // What is accessed together with bytes that stay stays as well.
    loop {
        let before = accesses.len();
        accesses.retain(|access| {
            let parts = || access.elements.iter().flatten();
            let is_kept = !parts().any(|bytes| stays.contains(bytes));
            stays.extend(parts().filter(|_| !is_kept));
            is_kept
        });
        if accesses.len() == before {
            break;
        }
    }
    let (mut patch, mut moved) = (Patch::new(), FxHashMap::default());
    let places: FxHashMap<Inst, usize> = kernel
        .stmts()
        .iter()
        .enumerate()
        .filter_map(|(at, stmt)| match stmt.kind {
            StmtKind::Inst(inst) => Some((inst, at)),
            _ => None,
        })
        .collect();
    for access in &accesses {
        let (Some(stmts), Some(&at)) = (made.remove(&access.inst), places.get(&access.inst)) else { continue };
        moved.extend(stmts.iter().filter_map(|stmt| match stmt.kind {
            StmtKind::Inst(as_move) => Some((as_move, access.inst)),
            _ => None,
        }));
        patch.replace(at..at + 1, stmts);
    }
    let guards: Vec<_> = moved.iter().map(|(&new, &old)| (new, kernel.inst(old).guard)).collect();
    if moved.is_empty() || copy.apply(patch).is_err() {
        return None;
    }
    for (inst, guard) in guards.into_iter().filter(|(_, guard)| guard.is_some()) {
        copy.set_guard(inst, guard).ok()?;
    }
    Some(InRegisters { kernel: copy, moved })
}

/// The type of a register for so many bytes.
fn register_of(bytes: i64) -> Type {
    match bytes {
        1 | 2 => Type::B16,
        4 => Type::B32,
        _ => Type::B64,
    }
}

/// A load or store as moves from or to registers. `None` if an element cannot be moved.
fn moves(kernel: &Kernel, of: &Access, copy: &mut Kernel, registers: &FxHashMap<Bytes, Reg>) -> Option<Code> {
    let access = Move::of(kernel, of.inst)?;
    let bits = access.ty.bits();
    let mut code = Code::new();
    for (element, parts) in access.elements.iter().zip(&of.elements) {
        // The copy has the ids of the kernel.
        let instruction = Instruction::of(kernel, &access, element, bits);
        let ends = |register: Reg| match (access.load, *element) {
            (true, Operand::Reg(reg)) => Some((reg, register.into())),
            (true, _) => None,
            (false, element) => Some((register, element)),
        };
        let parts: Vec<Reg> = parts.iter().map(|part| registers[part]).collect();
        if let [only] = *parts {
            let (to, from) = ends(only)?;
            instruction.write(code.ins(), to, from);
            continue;
        }
        let whole = copy.new_reg("whole", register_of(i64::from(access.ty.bytes())));
        let (to, from) = ends(whole)?;
        if access.load {
            put_together(copy, bits, &parts, whole, &mut code);
            instruction.write(code.ins(), to, from);
        } else {
            instruction.write(code.ins(), to, from);
            take_apart(copy, bits, &parts, whole, &mut code);
        }
    }
    Some(code)
}

/// The most parts that one instruction takes a number apart into (PTX ISA, "mov").
const MOST_PARTS: usize = 4;

/// Makes a number of its parts.
fn put_together(copy: &mut Kernel, bits: u32, parts: &[Reg], whole: Reg, code: &mut Code) {
    let halves = halves(copy, bits, parts);
    for &(half, of) in &halves {
        put_together(copy, bits / 2, of, half, code);
    }
    code.ins().pack(Type::untyped(bits), whole, registers(&halves, parts));
}

/// Makes the parts of a number.
fn take_apart(copy: &mut Kernel, bits: u32, parts: &[Reg], whole: Reg, code: &mut Code) {
    let halves = halves(copy, bits, parts);
    code.ins().unpack(Type::untyped(bits), registers(&halves, parts), whole);
    for &(half, of) in &halves {
        take_apart(copy, bits / 2, of, half, code);
    }
}

/// Registers for the halves of a number that has too many parts for one instruction, each with the parts of that half.
fn halves<'a>(copy: &mut Kernel, bits: u32, parts: &'a [Reg]) -> Vec<(Reg, &'a [Reg])> {
    if parts.len() <= MOST_PARTS {
        return Vec::new();
    }
    let half = |parts: &'a [Reg]| (copy.new_reg("half", register_of(i64::from(bits / 16))), parts);
    parts.chunks(parts.len() / 2).map(half).collect()
}

/// The halves, or the parts where there are none.
fn registers(halves: &[(Reg, &[Reg])], parts: &[Reg]) -> Vec<Reg> {
    if halves.is_empty() { parts.to_vec() } else { halves.iter().map(|&(half, _)| half).collect() }
}

#[cfg(test)]
mod tests;
