//! Comparison and selection (PTX ISA, "Comparison and Selection Instructions" and "Half Precision Comparison
//! Instructions"). A form with a Boolean operator has a predicate behind its sources.

use super::super::effect::{Effect, Rate};
use super::super::properties::Class;
use super::{Family, family};

const COMPARE: Effect = Effect::COMPUTE.rate(Rate::Compare);
const SELECT: Effect = Effect::COMPUTE.rate(Rate::Words(Class::Integer));

pub(super) static ROWS: &[Family] = &[
    family(
        "setp",
        COMPARE,
        &[
            ("$equal b16|b32|b64", "wp^_ r0 r0", ""),
            ("$equal $bool b16|b32|b64", "wp^_ r0 r0 rp", ""),
            ("$signed s16|s32|s64", "wp^_ r0 r0", ""),
            ("$signed $bool s16|s32|s64", "wp^_ r0 r0 rp", ""),
            ("$unsigned u16|u32|u64", "wp^_ r0 r0", ""),
            ("$unsigned $bool u16|u32|u64", "wp^_ r0 r0 rp", ""),
            ("$ordered [ftz] f32", "wp^_ r0 r0", ""),
            ("$ordered $bool [ftz] f32", "wp^_ r0 r0 rp", ""),
            ("$ordered f64", "wp^_ r0 r0", ""),
            ("$ordered $bool f64", "wp^_ r0 r0 rp", ""),
            ("$ordered [ftz] f16|f16x2", "wp^_ r0 r0", "4.2:53"),
            ("$ordered $bool [ftz] f16|f16x2", "wp^_ r0 r0 rp", "4.2:53"),
            ("$ordered bf16|bf16x2", "wp^_ r0 r0", "7.8:90"),
            ("$ordered $bool bf16|bf16x2", "wp^_ r0 r0 rp", "7.8:90"),
        ],
    ),
    family(
        "set",
        COMPARE,
        &[
            ("$equal u32|s32|f32 b16|b32|b64", "w0 r1 r1", ""),
            ("$equal $bool u32|s32|f32 b16|b32|b64", "w0 r1 r1 rp", ""),
            ("$signed u32|s32|f32 s16|s32|s64", "w0 r1 r1", ""),
            ("$signed $bool u32|s32|f32 s16|s32|s64", "w0 r1 r1 rp", ""),
            ("$unsigned u32|s32|f32 u16|u32|u64", "w0 r1 r1", ""),
            ("$unsigned $bool u32|s32|f32 u16|u32|u64", "w0 r1 r1 rp", ""),
            ("$ordered [ftz] u32|s32|f32 f32", "w0 r1 r1", ""),
            ("$ordered $bool [ftz] u32|s32|f32 f32", "w0 r1 r1 rp", ""),
            ("$ordered u32|s32|f32 f64", "w0 r1 r1", ""),
            ("$ordered $bool u32|s32|f32 f64", "w0 r1 r1 rp", ""),
            // Results in 16 bits.
            ("$equal f16|bf16@7.8:90 b16|b32|b64", "w0 r1 r1", "4.2:53"),
            ("$equal $bool f16|bf16@7.8:90 b16|b32|b64", "w0 r1 r1 rp", "4.2:53"),
            ("$signed f16|bf16@7.8:90 s16|s32|s64", "w0 r1 r1", "4.2:53"),
            ("$signed $bool f16|bf16@7.8:90 s16|s32|s64", "w0 r1 r1 rp", "4.2:53"),
            ("$unsigned f16|bf16@7.8:90 u16|u32|u64", "w0 r1 r1", "4.2:53"),
            ("$unsigned $bool f16|bf16@7.8:90 u16|u32|u64", "w0 r1 r1 rp", "4.2:53"),
            ("$ordered [ftz] f16|bf16@7.8:90 f16|bf16|f32|f64", "w0 r1 r1", "4.2:53"),
            ("$ordered $bool [ftz] f16|bf16@7.8:90 f16|bf16|f32|f64", "w0 r1 r1 rp", "4.2:53"),
            // Sources of 16 bits.
            ("$ordered [ftz] u16|s16|u32|s32 f16", "w0 r1 r1", "4.2:53"),
            ("$ordered $bool [ftz] u16|s16|u32|s32 f16", "w0 r1 r1 rp", "4.2:53"),
            ("$ordered u16|s16|u32|s32 bf16", "w0 r1 r1", "7.8:90"),
            ("$ordered $bool u16|s16|u32|s32 bf16", "w0 r1 r1 rp", "7.8:90"),
            ("$ordered [ftz] f16x2|u32|s32 f16x2", "w0 r1 r1", "4.2:53"),
            ("$ordered $bool [ftz] f16x2|u32|s32 f16x2", "w0 r1 r1 rp", "4.2:53"),
            ("$ordered bf16x2|u32|s32 bf16x2", "w0 r1 r1", "7.8:90"),
            ("$ordered $bool bf16x2|u32|s32 bf16x2", "w0 r1 r1 rp", "7.8:90"),
        ],
    ),
    family("selp", SELECT, &[("$value", "w0 r0 r0 rp", "")]),
    family("slct", COMPARE, &[("$value s32", "w0 r0 r0 r1", ""), ("[ftz] $value f32", "w0 r0 r0 r1", "")]),
];
