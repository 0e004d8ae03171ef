//! The functions of which terms are made: what instructions compute, by operation and type, and what is put together from parts or read as one.

use ptx_parser::{Mnemonic, Modifier, Number, OpcodeData, Special, Symbol, Type};

/// An operation on integers, without their width: `and.b…`, `bfind.shiftamt.u…`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Operation {
    mnemonic: Mnemonic,
    /// The modifiers before the type, in their order.
    modifiers: [Option<Modifier>; 2],
    /// The kind of number that the type stands for.
    number: Number,
}

/// A function of terms. Equal functions of equal terms are equal numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Function {
    /// An operation on integers of so many bits.
    Operation(Operation, u32),
    /// A conversion between integers.
    Convert { to: Type, from: Type },
    /// The result of any other instruction, by the number of its opcode.
    Opcode(u32),
    /// The address of a variable; all dynamic arrays have the same.
    Address(Option<Symbol>),
    /// A special register of a lane.
    Special(Special, u32),
    /// A number with its sign in more bits.
    Extend { from: u32, to: u32 },
    /// The number that is put together from parts, the lowest first.
    Pack,
    /// One part of a number, of so many of one size.
    Part { number: usize, parts: usize },
    /// So many bytes of a number, from one of them on.
    Bytes { at: i64, bytes: i64 },
    /// So many bytes of memory at an address, which nobody changes any more.
    Held { bytes: i64 },
}

impl Operation {
    pub(super) const AND: Operation = Operation::of_bits(Mnemonic::And);
    pub(super) const OR: Operation = Operation::of_bits(Mnemonic::Or);
    pub(super) const XOR: Operation = Operation::of_bits(Mnemonic::Xor);
    pub(super) const NOT: Operation = Operation::of_bits(Mnemonic::Not);
    pub(super) const SHL: Operation = Operation::of_bits(Mnemonic::Shl);
    pub(super) const CLZ: Operation = Operation::of_bits(Mnemonic::Clz);
    pub(super) const BREV: Operation = Operation::of_bits(Mnemonic::Brev);
    pub(super) const BFI: Operation = Operation::of_bits(Mnemonic::Bfi);
    /// A shift to the right of bits, and of an unsigned number: the same, by two names.
    pub(super) const SHR_BITS: Operation = Operation::of_bits(Mnemonic::Shr);
    pub(super) const SHR: Operation = Operation::unsigned(Mnemonic::Shr);
    /// The sum that [`super::terms::Terms::sum`] makes, of whatever kind of integer.
    pub(super) const SUM: Operation = Operation::of_bits(Mnemonic::Add);
    pub(super) const ADD: Operation = Operation::unsigned(Mnemonic::Add);
    pub(super) const SUB: Operation = Operation::unsigned(Mnemonic::Sub);
    pub(super) const SUB_SIGNED: Operation = Operation::signed(Mnemonic::Sub);
    pub(super) const NEG: Operation = Operation::signed(Mnemonic::Neg);
    pub(super) const DIV: Operation = Operation::unsigned(Mnemonic::Div);
    pub(super) const MIN: Operation = Operation::unsigned(Mnemonic::Min);
    pub(super) const MAX: Operation = Operation::unsigned(Mnemonic::Max);
    pub(super) const MIN_SIGNED: Operation = Operation::signed(Mnemonic::Min);
    pub(super) const MAX_SIGNED: Operation = Operation::signed(Mnemonic::Max);
    pub(super) const MUL_LO: Operation = Operation::unsigned(Mnemonic::Mul).with(Modifier::Lo);
    pub(super) const MUL_LO_SIGNED: Operation = Operation::signed(Mnemonic::Mul).with(Modifier::Lo);
    pub(super) const MUL_WIDE: Operation = Operation::unsigned(Mnemonic::Mul).with(Modifier::Wide);
    pub(super) const MUL_WIDE_SIGNED: Operation = Operation::signed(Mnemonic::Mul).with(Modifier::Wide);
    pub(super) const BFIND: Operation = Operation::unsigned(Mnemonic::Bfind);
    pub(super) const BFIND_SHIFT: Operation = Operation::unsigned(Mnemonic::Bfind).with(Modifier::Shiftamt);
    pub(super) const SHF_LEFT: Operation = Operation::of_bits(Mnemonic::Shf).with(Modifier::L).with(Modifier::Wrap);
    pub(super) const SHF_RIGHT: Operation = Operation::of_bits(Mnemonic::Shf).with(Modifier::R).with(Modifier::Wrap);

    const fn new(mnemonic: Mnemonic, number: Number) -> Operation {
        Operation { mnemonic, modifiers: [None, None], number }
    }

    const fn of_bits(mnemonic: Mnemonic) -> Operation {
        Operation::new(mnemonic, Number::Bits)
    }

    const fn unsigned(mnemonic: Mnemonic) -> Operation {
        Operation::new(mnemonic, Number::Unsigned)
    }

    const fn signed(mnemonic: Mnemonic) -> Operation {
        Operation::new(mnemonic, Number::Signed)
    }

    const fn with(self, modifier: Modifier) -> Operation {
        let modifiers = match self.modifiers {
            [None, _] => [Some(modifier), None],
            [first, _] => [first, Some(modifier)],
        };
        Operation { modifiers, ..self }
    }

    /// Returns the operation on integers of so many bits.
    pub(super) const fn on(self, bits: u32) -> Function {
        Function::Operation(self, bits)
    }
}

impl Function {
    /// Zero-extends 32 bits, sign-extends them, and takes the lower half of 64.
    pub(super) const WIDEN: Function = Function::Convert { to: Type::U64, from: Type::U32 };
    pub(super) const WIDEN_SIGNED: Function = Function::Convert { to: Type::S64, from: Type::S32 };
    pub(super) const NARROW: Function = Function::Convert { to: Type::U32, from: Type::U64 };

    /// Returns what an opcode computes, if that is an operation on integers or a conversion between them.
    pub(super) fn of_integers(opcode: &OpcodeData) -> Option<Function> {
        let (&last, before) = opcode.modifiers().split_last()?;
        let Modifier::Type(ty) = last else { return None };
        let number = integer(ty)?;
        match *before {
            [Modifier::Type(to)] if opcode.mnemonic() == Mnemonic::Cvt => {
                integer(to).map(|_| Function::Convert { to, from: ty })
            }
            [.., Modifier::Type(_) | Modifier::Shape(_) | Modifier::Other] => None,
            [Modifier::Type(_) | Modifier::Shape(_) | Modifier::Other, _] => None,
            [] => Some(Operation::new(opcode.mnemonic(), number).on(ty.bits())),
            [one] => Some(Operation::new(opcode.mnemonic(), number).with(one).on(ty.bits())),
            [one, other] => Some(Operation::new(opcode.mnemonic(), number).with(one).with(other).on(ty.bits())),
            _ => None,
        }
    }

    /// Returns the instruction that computes it, if it is an operation on integers.
    pub(super) fn mnemonic(self) -> Option<Mnemonic> {
        match self {
            Function::Operation(operation, _) => Some(operation.mnemonic),
            _ => None,
        }
    }
}

/// Returns what an integer type takes a number for; `None` for other types, and for several numbers in one.
fn integer(ty: Type) -> Option<Number> {
    let bits = ty.bits();
    match () {
        () if bits < 8 || ty.is_float() => None,
        () if ty == Type::untyped(bits) => Some(Number::Bits),
        () if ty == Type::unsigned(bits) => Some(Number::Unsigned),
        () if ty == Type::signed(bits) => Some(Number::Signed),
        () => None,
    }
}
