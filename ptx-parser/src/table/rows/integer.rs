//! Integer arithmetic (PTX ISA, "Integer Arithmetic Instructions" and "Extended-Precision Integer Arithmetic
//! Instructions").

use super::super::effect::{Effect, Rate};
use super::super::properties::Class;
use super::{Family, family};

const SUM: Effect = Effect::COMPUTE.rate(Rate::Arithmetic(Class::Integer));
const PRODUCT: Effect = Effect::COMPUTE.rate(Rate::Multiply);
const DIVISION: Effect = Effect::COMPUTE.rate(Rate::Division);
const COMPARE: Effect = Effect::COMPUTE.rate(Rate::Compare);
const BITS: Effect = Effect::COMPUTE.rate(Rate::Arithmetic(Class::Bits));

pub(super) static ROWS: &[Family] = &[
    family(
        "add",
        SUM,
        &[
            ("$int", "w0 r0 r0", ""),
            ("u16x2|s16x2", "w0 r0 r0", "8.0:90"),
            ("sat s32", "w0 r0 r0", ""),
            ("cc u32|s32", "w0 r0 r0", "1.2"),
            ("cc u64|s64", "w0 r0 r0", "4.3:20"),
        ],
    ),
    family(
        "sub",
        SUM,
        &[
            ("$int", "w0 r0 r0", ""),
            ("sat s32", "w0 r0 r0", ""),
            ("cc u32|s32", "w0 r0 r0", "1.2"),
            ("cc u64|s64", "w0 r0 r0", "4.3:20"),
        ],
    ),
    family("addc subc", SUM, &[("[cc] u32|s32", "w0 r0 r0", "1.2"), ("[cc] u64|s64", "w0 r0 r0", "4.3:20")]),
    family("mul", PRODUCT, &[("lo|hi $int", "w0 r0 r0", ""), ("wide u16|u32|s16|s32", "wW0 r0 r0", "")]),
    family(
        "mad",
        PRODUCT,
        &[
            ("lo|hi $int", "w0 r0 r0 r0", ""),
            ("hi sat s32", "w0 r0 r0 r0", ""),
            ("wide u16|u32|s16|s32", "wW0 r0 r0 rW0", ""),
            ("lo|hi cc u32|s32", "w0 r0 r0 r0", "3.0:20"),
            ("lo|hi cc u64|s64", "w0 r0 r0 r0", "4.3:20"),
        ],
    ),
    family(
        "madc",
        PRODUCT,
        &[("lo|hi [cc] u32|s32", "w0 r0 r0 r0", "3.0:20"), ("lo|hi [cc] u64|s64", "w0 r0 r0 r0", "4.3:20")],
    ),
    family("mul24", PRODUCT, &[("lo|hi u32|s32", "w0 r0 r0", "")]),
    family("mad24", PRODUCT, &[("lo|hi u32|s32", "w0 r0 r0 r0", ""), ("hi sat s32", "w0 r0 r0 r0", "")]),
    family("dp4a", PRODUCT, &[("u32|s32 u32|s32", "wu32 r0 r1 ru32", "5.0:61")]),
    family("dp2a", PRODUCT, &[("lo|hi u32|s32 u32|s32", "wu32 r0 r1 ru32", "5.0:61")]),
    family("sad", SUM, &[("$int", "w0 r0 r0 r0", "")]),
    family("div rem", DIVISION, &[("$int", "w0 r0 r0", "")]),
    family("abs neg", SUM, &[("s16|s32|s64", "w0 r0", "")]),
    family(
        "min max",
        COMPARE,
        &[("$int", "w0 r0 r0", ""), ("u16x2|s16x2", "w0 r0 r0", "8.0:90"), ("relu s32|s16x2", "w0 r0 r0", "8.0:90")],
    ),
    family("popc clz", BITS, &[("b32|b64", "wu32 r0", "2.0:20")]),
    family("bfind", BITS, &[("[shiftamt] $wide", "wu32 r0", "2.0:20")]),
    family("fns", BITS, &[("b32", "wb32 rb32 rb32 rs32", "6.0:30")]),
    family("brev", BITS, &[("b32|b64", "w0 r0", "2.0:20")]),
    family("bfe", BITS, &[("$wide", "w0 r0 ru32=0..255 ru32=0..255", "2.0:20")]),
    family("bfi", BITS, &[("b32|b64", "w0 r0 r0 ru32=0..255 ru32=0..255", "2.0:20")]),
    family("szext", BITS, &[("clamp|wrap u32|s32", "w0 r0 ru32", "7.6:70")]),
    family("bmsk", BITS, &[("clamp|wrap b32", "w0 rb32 rb32", "7.6:70")]),
];
