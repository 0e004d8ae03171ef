//! 16-bit float arithmetic (PTX ISA, "Half Precision Floating Point Instructions").

use super::super::effect::{Effect, Rate};
use super::super::properties::Class;
use super::{Family, family};

const SUM: Effect = Effect::COMPUTE.rate(Rate::Arithmetic(Class::Integer));
const PRODUCT: Effect = Effect::COMPUTE.rate(Rate::Multiply);
const COMPARE: Effect = Effect::COMPUTE.rate(Rate::Compare);
const FUNCTION: Effect = Effect::COMPUTE.rate(Rate::Approximate);

pub(super) static ROWS: &[Family] = &[
    family(
        "add sub",
        SUM,
        &[("[rn] [ftz] [sat] f16|f16x2", "w0 r0 r0", "4.2:53"), ("[rn] bf16|bf16x2", "w0 r0 r0", "7.8:90")],
    ),
    family(
        "mul",
        PRODUCT,
        &[("[rn] [ftz] [sat] f16|f16x2", "w0 r0 r0", "4.2:53"), ("[rn] bf16|bf16x2", "w0 r0 r0", "7.8:90")],
    ),
    family(
        "fma",
        PRODUCT,
        &[
            ("rn [ftz] [sat] f16|f16x2", "w0 r0 r0 r0", "4.2:53"),
            ("rn [ftz] relu f16|f16x2", "w0 r0 r0 r0", "7.0:80"),
            ("rn [relu] bf16|bf16x2", "w0 r0 r0 r0", "7.0:80"),
            ("rn oob [relu] f16|f16x2|bf16|bf16x2", "w0 r0 r0 r0", "8.1:90"),
        ],
    ),
    family("abs neg", SUM, &[("[ftz] f16|f16x2", "w0 r0", "6.0:53"), ("bf16|bf16x2", "w0 r0", "7.0:80")]),
    family(
        "min max",
        COMPARE,
        &[
            ("[ftz] [NaN] f16|f16x2", "w0 r0 r0", "7.0:80"),
            ("[NaN] bf16|bf16x2", "w0 r0 r0", "7.0:80"),
            ("[ftz] [NaN] xorsign abs f16|f16x2", "w0 r0 r0", "7.2:86"),
            ("[NaN] xorsign abs bf16|bf16x2", "w0 r0 r0", "7.2:86"),
        ],
    ),
    family("ex2", FUNCTION, &[("approx f16|f16x2", "w0 r0", "7.0:75"), ("approx ftz bf16|bf16x2", "w0 r0", "7.8:90")]),
    family("tanh", FUNCTION, &[("approx f16|f16x2", "w0 r0", "7.0:75"), ("approx bf16|bf16x2", "w0 r0", "7.8:90")]),
];
