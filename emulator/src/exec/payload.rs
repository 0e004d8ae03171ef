//! Payloads: the enums and small structs that an instruction form needs beside its rows.
//!
//! The decoder packs one into [`Op::imm`] when it picks a [`Form`], and the form reads it again when it runs. Each field of a
//! struct takes a byte.

use ptx_parser::Type;

use super::op::{Execute, Op};

/// A value that fits into the immediate of an op.
pub(crate) trait Payload: Copy {
    /// Returns the bits of the immediate.
    fn pack(self) -> u64;
    /// Returns the value that was packed into these bits.
    fn unpack(bits: u64) -> Self;
}

/// A value that fits into one byte of a payload.
pub(crate) trait Field: Copy {
    /// Returns the byte.
    fn to_byte(self) -> u8;
    /// Returns the value of a byte that [`Field::to_byte`] made.
    fn from_byte(byte: u8) -> Self;
}

/// An instruction form with a payload.
pub(crate) trait Form: Execute {
    /// The type of its immediate.
    type Payload: Payload;

    /// Returns the payload of an op of this form.
    #[inline(always)]
    fn payload(op: &Op) -> Self::Payload {
        Self::Payload::unpack(op.imm)
    }
}

impl<F: Field> Payload for F {
    #[inline(always)]
    fn pack(self) -> u64 {
        self.to_byte().into()
    }
    #[inline(always)]
    fn unpack(bits: u64) -> F {
        F::from_byte(bits as u8)
    }
}

impl Payload for () {
    #[inline(always)]
    fn pack(self) -> u64 {
        0
    }
    #[inline(always)]
    fn unpack(_: u64) {}
}

impl Payload for u64 {
    #[inline(always)]
    fn pack(self) -> u64 {
        self
    }
    #[inline(always)]
    fn unpack(bits: u64) -> u64 {
        bits
    }
}

impl Field for u8 {
    #[inline(always)]
    fn to_byte(self) -> u8 {
        self
    }
    #[inline(always)]
    fn from_byte(byte: u8) -> u8 {
        byte
    }
}

impl Field for bool {
    #[inline(always)]
    fn to_byte(self) -> u8 {
        self.into()
    }
    #[inline(always)]
    fn from_byte(byte: u8) -> bool {
        byte != 0
    }
}

impl Field for Type {
    #[inline(always)]
    fn to_byte(self) -> u8 {
        self as u8
    }
    #[inline(always)]
    fn from_byte(byte: u8) -> Type {
        Type::ALL.get(usize::from(byte)).copied().unwrap_or(Type::B32)
    }
}

/// Defines enums without data that are fields of payloads.
macro_rules! choices {
    ($($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $variant:ident),+ $(,)? })+) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum $name { $($(#[$about])* $variant),+ }

        impl crate::exec::payload::Field for $name {
            #[inline(always)]
            fn to_byte(self) -> u8 {
                self as u8
            }
            #[inline(always)]
            fn from_byte(byte: u8) -> $name {
                const ALL: &[$name] = &[$($name::$variant),+];
                ALL.get(usize::from(byte)).copied().unwrap_or(ALL[0])
            }
        }
    )+ };
}
pub(crate) use choices;

/// Defines structs of up to eight switches that are fields of payloads.
macro_rules! switches {
    ($($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $field:ident),+ $(,)? })+) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
        pub(crate) struct $name { $($(#[$about])* pub(crate) $field: bool),+ }

        impl crate::exec::payload::Field for $name {
            #[inline(always)]
            fn to_byte(self) -> u8 {
                [$(self.$field),+].into_iter().rev().fold(0, |byte, switch| byte << 1 | u8::from(switch))
            }
            #[inline(always)]
            fn from_byte(byte: u8) -> $name {
                let mut rest = byte;
                let mut next = || {
                    let switch = rest & 1 != 0;
                    rest >>= 1;
                    switch
                };
                $name { $($field: next()),+ }
            }
        }
    )+ };
}
pub(crate) use switches;

/// Defines payloads of up to eight fields.
macro_rules! payloads {
    ($($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $field:ident: $ty:ty),+ $(,)? })+) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) struct $name { $($(#[$about])* pub(crate) $field: $ty),+ }

        impl crate::exec::payload::Payload for $name {
            #[inline(always)]
            fn pack(self) -> u64 {
                use crate::exec::payload::Field;
                [$(self.$field.to_byte()),+].into_iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(byte))
            }
            #[inline(always)]
            fn unpack(bits: u64) -> $name {
                use crate::exec::payload::Field;
                let mut rest = bits;
                let mut next = || {
                    let byte = rest as u8;
                    rest >>= 8;
                    byte
                };
                $name { $($field: <$ty>::from_byte(next())),+ }
            }
        }
    )+ };
}
pub(crate) use payloads;

#[cfg(test)]
mod tests {
    use super::*;

    choices! {
        /// A choice of three.
        Choice { First, Second, Third }
    }
    switches! {
        /// Three switches.
        Switches { one, two, three }
    }
    payloads! {
        /// One field of each kind.
        Whole { choice: Choice, switches: Switches, ty: Type, number: u8, flag: bool }
    }

    #[test]
    fn payloads_are_read_as_they_were_packed() {
        for choice in [Choice::First, Choice::Second, Choice::Third] {
            for bits in 0..8 {
                for ty in [Type::Pred, Type::F32, Type::ALL[Type::ALL.len() - 1]] {
                    let switches = Switches { one: bits & 1 != 0, two: bits & 2 != 0, three: bits & 4 != 0 };
                    let whole = Whole { choice, switches, ty, number: 200 + bits, flag: bits == 3 };
                    assert_eq!(Whole::unpack(whole.pack()), whole);
                }
            }
        }
    }

    #[test]
    fn types_are_numbered_in_their_order() {
        assert!(Type::ALL.iter().all(|&ty| Type::from_byte(ty.to_byte()) == ty));
    }
}
