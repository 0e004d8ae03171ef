//! Scalar types and state spaces (PTX ISA, "State Spaces, Types, and Variables").

use std::fmt;

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum $name { $($(#[$vdoc])* $variant),* }

        impl $name {
            /// Every value, in the order of the manual.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            /// The word as PTX writes it, without the leading dot.
            #[must_use]
            pub fn text(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }

            /// Reads the word, given without the leading dot.
            #[must_use]
            pub fn from_text(text: &str) -> Option<$name> {
                match text { $($text => Some($name::$variant),)* _ => None }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, ".{}", self.text())
            }
        }
    };
}

words! {
    /// A scalar type. Packed and narrow formats that only conversions and tensor instructions use are listed so that a
    /// modifier is recognised as a type; [`Type::bits`] gives the size of one value.
    Type {
        /// Predicate: one bit.
        Pred = "pred",
        /// One untyped bit, of matrix instructions.
        B1 = "b1", /// Two unsigned bits, packed.
        U2 = "u2", /// Two signed bits, packed.
        S2 = "s2", /// Four unsigned bits, packed.
        U4 = "u4", /// Four signed bits, packed.
        S4 = "s4",
        /// Untyped 8 bits.
        B8 = "b8", /// Untyped 16 bits.
        B16 = "b16", /// Untyped 32 bits.
        B32 = "b32", /// Untyped 64 bits.
        B64 = "b64", /// Untyped 128 bits.
        B128 = "b128", /// Unsigned 8 bits.
        U8 = "u8", /// Unsigned 16 bits.
        U16 = "u16", /// Unsigned 32 bits.
        U32 = "u32", /// Unsigned 64 bits.
        U64 = "u64", /// Signed 8 bits.
        S8 = "s8", /// Signed 16 bits.
        S16 = "s16", /// Signed 32 bits.
        S32 = "s32", /// Signed 64 bits.
        S64 = "s64", /// Two unsigned 16-bit integers.
        U16x2 = "u16x2", /// Two signed 16-bit integers.
        S16x2 = "s16x2", /// IEEE half.
        F16 = "f16", /// Two IEEE halves.
        F16x2 = "f16x2", /// bfloat16.
        Bf16 = "bf16", /// Two bfloat16.
        Bf16x2 = "bf16x2", /// IEEE single.
        F32 = "f32", /// Two IEEE singles.
        F32x2 = "f32x2", /// IEEE double.
        F64 = "f64", /// TensorFloat-32.
        Tf32 = "tf32", /// FP8 with 4 exponent bits.
        E4m3 = "e4m3", /// FP8 with 5 exponent bits.
        E5m2 = "e5m2", /// Two FP8 with 4 exponent bits.
        E4m3x2 = "e4m3x2", /// Two FP8 with 5 exponent bits.
        E5m2x2 = "e5m2x2", /// Four FP8 with 4 exponent bits.
        E4m3x4 = "e4m3x4", /// Four FP8 with 5 exponent bits.
        E5m2x4 = "e5m2x4", /// FP6 with 2 exponent bits.
        E2m3 = "e2m3", /// FP6 with 3 exponent bits.
        E3m2 = "e3m2", /// Two FP6 with 2 exponent bits, a byte each.
        E2m3x2 = "e2m3x2", /// Two FP6 with 3 exponent bits, a byte each.
        E3m2x2 = "e3m2x2", /// Four FP6 with 2 exponent bits, a byte each.
        E2m3x4 = "e2m3x4", /// Four FP6 with 3 exponent bits, a byte each.
        E3m2x4 = "e3m2x4", /// FP4 with 2 exponent bits.
        E2m1 = "e2m1", /// Two FP4.
        E2m1x2 = "e2m1x2", /// Four FP4.
        E2m1x4 = "e2m1x4", /// Scale factor: 8 exponent bits.
        Ue8m0 = "ue8m0", /// Two scale factors of 8 exponent bits.
        Ue8m0x2 = "ue8m0x2", /// Scale factor with 4 exponent bits.
        Ue4m3 = "ue4m3", /// 1024 untyped bits: a tensor map.
        B1024 = "b1024",
    }
}

impl Type {
    /// The size in bits of one value of this type; a predicate has one.
    #[must_use]
    pub fn bits(self) -> u32 {
        use Type::*;
        match self {
            Pred | B1 => 1,
            U2 | S2 => 2,
            U4 | S4 | E2m1 => 4,
            B8 | U8 | S8 | E4m3 | E5m2 | E2m3 | E3m2 | E2m1x2 | Ue8m0 | Ue4m3 => 8,
            B16 | U16 | S16 | F16 | Bf16 | E4m3x2 | E5m2x2 | E2m3x2 | E3m2x2 | E2m1x4 | Ue8m0x2 => 16,
            B32 | U32 | S32 | U16x2 | S16x2 | F16x2 | Bf16x2 | F32 | Tf32 | E4m3x4 | E5m2x4 | E2m3x4 | E3m2x4 => 32,
            B64 | U64 | S64 | F64 | F32x2 => 64,
            B128 => 128,
            B1024 => 1024,
        }
    }

    /// The size in bytes that a value takes in memory; a predicate, which has no memory form, counts one.
    #[must_use]
    pub fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    /// Returns the untyped bits of a width: 8, 16, 32, 64 or 128.
    #[must_use]
    pub fn untyped(bits: u32) -> Type {
        match bits {
            8 => Type::B8,
            16 => Type::B16,
            64 => Type::B64,
            128 => Type::B128,
            _ => Type::B32,
        }
    }

    /// Returns the unsigned integer of a width: 8, 16, 32 or 64 bits.
    #[must_use]
    pub fn unsigned(bits: u32) -> Type {
        match bits {
            8 => Type::U8,
            16 => Type::U16,
            64 => Type::U64,
            _ => Type::U32,
        }
    }

    /// Returns the signed integer of a width: 8, 16, 32 or 64 bits.
    #[must_use]
    pub fn signed(bits: u32) -> Type {
        match bits {
            8 => Type::S8,
            16 => Type::S16,
            64 => Type::S64,
            _ => Type::S32,
        }
    }

    /// Returns true if the type is a signed integer.
    #[must_use]
    pub fn is_signed(self) -> bool {
        use Type::*;
        matches!(self, S2 | S4 | S8 | S16 | S32 | S64 | S16x2)
    }

    /// Returns true if the type is a floating-point format.
    #[must_use]
    pub fn is_float(self) -> bool {
        use Type::*;
        let narrow = matches!(
            self,
            E4m3 | E5m2 | E4m3x2 | E5m2x2 | E4m3x4 | E5m2x4 | E2m3 | E3m2 | E2m3x2 | E3m2x2 | E2m3x4 | E3m2x4
        );
        narrow
            || matches!(self, F16 | F16x2 | Bf16 | Bf16x2 | F32 | F32x2 | F64 | Tf32)
            || matches!(self, E2m1 | E2m1x2 | E2m1x4 | Ue8m0 | Ue8m0x2 | Ue4m3)
    }

    /// Returns true if a variable or register may have the type (PTX ISA, "Fundamental Types"); the others only name what an
    /// instruction computes.
    #[must_use]
    pub fn is_declarable(self) -> bool {
        use Type::*;
        matches!(self, Pred | B8 | B16 | B32 | B64 | B128 | U8 | U16 | U32 | U64 | S8 | S16 | S32 | S64)
            || matches!(self, F16 | F16x2 | F32 | F64)
    }
}

words! {
    /// A state space (PTX ISA, "State Spaces"). `Generic` is what an access without a space modifier uses.
    Space {
        /// Registers.
        Reg = "reg", /// Special registers.
        Sreg = "sreg", /// Constant memory.
        Const = "const", /// Global memory, shared by all threads.
        Global = "global", /// Private to a thread.
        Local = "local", /// Kernel or function parameters.
        Param = "param", /// Shared by the threads of a CTA (or of a cluster).
        Shared = "shared", /// Textures, as variables.
        Tex = "tex", /// Any of const, global, local, shared, by address.
        Generic = "generic",
    }
}
