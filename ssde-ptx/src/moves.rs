//! Loads and stores as moves between registers.

use ptx_parser::{Base, Ins, Inst, Kernel, Memory, Operand, Reg, Type};

/// The instruction that moves one element from or to a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Instruction {
    /// `mov` of a type.
    Move(Type),
    /// `cvt` to a type from another one.
    Convert(Type, Type),
}

impl Instruction {
    /// The form in which one element of an access is loaded from or stored to a register that holds `kept` bits.
    pub(crate) fn of(kernel: &Kernel, access: &Move, element: &Operand, kept: u32) -> Instruction {
        let own = match element {
            Operand::Reg(reg) => kernel.reg(*reg).ty.bits(),
            _ => access.ty.bits().max(16),
        };
        if access.load {
            Instruction::loaded(access.ty, own, kept)
        } else {
            Instruction::stored(access.ty, own, element)
        }
    }

    /// A load into a register of `own` bits from one that holds `kept`.
    fn loaded(ty: Type, own: u32, kept: u32) -> Instruction {
        let bits = ty.bits();
        if own == bits && kept == bits {
            return Instruction::Move(Type::untyped(bits));
        }
        // A register that is wider than the type gets its sign or zeros, as a load would fill it.
        let typed = if ty.is_signed() { Type::signed } else { Type::unsigned };
        Instruction::Convert(typed(own), typed(bits))
    }

    /// A store from a register of `own` bits, or of a constant.
    fn stored(ty: Type, own: u32, element: &Operand) -> Instruction {
        let bits = ty.bits();
        match element {
            Operand::Float32(_) => Instruction::Move(Type::F32),
            Operand::Float64(_) => Instruction::Move(Type::F64),
            Operand::Symbol(..) => Instruction::Move(Type::unsigned(bits)),
            // What lies above 8 bits is never read.
            _ if own == bits.max(16) => Instruction::Move(Type::untyped(own)),
            _ => Instruction::Convert(Type::unsigned(bits.max(16)), Type::unsigned(bits)),
        }
    }

    /// Writes the instruction.
    pub(crate) fn write(self, ins: Ins<'_>, to: Reg, from: Operand) {
        match self {
            Instruction::Move(ty) => ins.mov(ty, to, from),
            Instruction::Convert(to_type, from_type) => ins.cvt(to_type, from_type, to, from),
        }
    }
}

/// A load or store taken apart.
pub(crate) struct Move {
    pub(crate) ty: Type,
    /// The address, and the bytes that are added to it.
    pub(crate) base: Base,
    pub(crate) offset: i64,
    /// The operands that are loaded or stored; a vector has several.
    pub(crate) elements: Vec<Operand>,
    pub(crate) load: bool,
}

impl Move {
    /// Takes an instruction apart, if it only loads or stores one type.
    pub(crate) fn of(kernel: &Kernel, inst: Inst) -> Option<Move> {
        let opcode = kernel.opcode(inst);
        let load = match opcode.properties().memory {
            Memory::Read => true,
            Memory::Write => false,
            _ => return None,
        };
        let [ty] = opcode.types() else { return None };
        let operands = kernel.operands(inst);
        let (value, address) = match (load, operands) {
            (true, [value, address]) | (false, [address, value]) => (*value, *address),
            _ => return None,
        };
        let Operand::Address(base, offset) = address else { return None };
        let elements = match value.list() {
            Some(list) => kernel.list(list).to_vec(),
            None => vec![value],
        };
        Some(Move { ty: *ty, base, offset: offset.get(), elements, load })
    }
}

/// Returns true if a move can load or store this operand.
pub(crate) fn is_simple(kernel: &Kernel, element: &Operand, ty: Type, load: bool) -> bool {
    if !matches!(ty.bits(), 8 | 16 | 32 | 64) {
        return false;
    }
    match element {
        Operand::Reg(reg) => {
            let data = kernel.reg(*reg);
            let same = data.ty.bits() == ty.bits();
            let integers = !ty.is_float() && !data.ty.is_float() && data.ty.bits() >= 16;
            data.lanes == 1
                && data.ty.bits() >= ty.bits()
                && (same && ty.bits() >= 16 || integers)
                && data.ty.bits() <= 64
        }
        Operand::Sink => load,
        Operand::Int(_) => !load && !ty.is_float(),
        Operand::Float32(_) => !load && ty == Type::F32,
        Operand::Float64(_) => !load && ty == Type::F64,
        Operand::Symbol(..) => !load && ty.bits() >= 32,
        _ => false,
    }
}
