//! Single- and double-precision arithmetic (PTX ISA, "Floating Point Instructions" and "Mixed Precision Floating Point
//! Instructions").

use super::super::effect::{Effect, Rate};
use super::super::properties::Class;
use super::{Family, family};

const SUM: Effect = Effect::COMPUTE.rate(Rate::Arithmetic(Class::Integer));
const PRODUCT: Effect = Effect::COMPUTE.rate(Rate::Multiply);
const DIVISION: Effect = Effect::COMPUTE.rate(Rate::Division);
const COMPARE: Effect = Effect::COMPUTE.rate(Rate::Compare);
const FUNCTION: Effect = Effect::COMPUTE.rate(Rate::Approximate);

pub(super) static ROWS: &[Family] = &[
    family(
        "add sub",
        SUM,
        &[
            ("[$rnd] [ftz] [sat] f32", "w0 r0 r0", ""),
            ("[$rnd] [ftz] f32x2", "w0 r0 r0", "8.6:100"),
            ("[$rnd] f64", "w0 r0 r0", ""),
            ("[$rnd] [sat] f32 f16|bf16", "w0 r1 r0", "8.6:100"),
        ],
    ),
    family(
        "mul",
        PRODUCT,
        &[
            ("[$rnd] [ftz] [sat] f32", "w0 r0 r0", ""),
            ("[$rnd] [ftz] f32x2", "w0 r0 r0", "8.6:100"),
            ("[$rnd] f64", "w0 r0 r0", ""),
        ],
    ),
    family(
        "fma",
        PRODUCT,
        &[
            ("$rnd [ftz] [sat] f32", "w0 r0 r0 r0", "2.0:20"),
            ("$rnd [ftz] f32x2", "w0 r0 r0 r0", "8.6:100"),
            ("$rnd f64", "w0 r0 r0 r0", "1.4:13"),
            ("$rnd [sat] f32 f16|bf16", "w0 r1 r1 r0", "8.6:100"),
        ],
    ),
    family(
        "mad",
        PRODUCT,
        &[
            // Without a rounding only for the first targets, whose multiply-add truncates the product.
            ("[ftz] [sat] f32", "w0 r0 r0 r0", "-3.2:20"),
            ("$rnd [ftz] [sat] f32", "w0 r0 r0 r0", ":20"),
            ("$rnd f64", "w0 r0 r0 r0", "1.4:13"),
        ],
    ),
    family(
        "div",
        DIVISION,
        &[
            ("approx|full [ftz] f32", "w0 r0 r0", "1.4"),
            ("$rnd [ftz] f32", "w0 r0 r0", "1.4:20"),
            ("$rnd f64", "w0 r0 r0", "1.4:13"),
        ],
    ),
    family("abs neg", SUM, &[("[ftz] f32", "w0 r0", ""), ("f64", "w0 r0", "")]),
    family(
        "min max",
        COMPARE,
        &[
            ("[ftz] [NaN@7.0:80] f32", "w0 r0 r0", ""),
            ("[ftz] [NaN] xorsign abs f32", "w0 r0 r0", "7.2:86"),
            ("[ftz] [NaN] [abs] f32", "w0 r0 r0 r0", "8.8:100"),
            ("f64", "w0 r0 r0", ""),
        ],
    ),
    family(
        "rcp sqrt",
        FUNCTION,
        &[("approx [ftz] f32", "w0 r0", "1.4"), ("$rnd [ftz] f32", "w0 r0", "1.4:20"), ("$rnd f64", "w0 r0", "1.4:13")],
    ),
    family("rcp", FUNCTION, &[("$rnd ftz f64", "w0 r0", "1.4:13"), ("approx ftz f64", "w0 r0", "2.1:20")]),
    family(
        "rsqrt",
        FUNCTION,
        &[
            ("approx [ftz] f32", "w0 r0", "1.4"),
            ("approx f64", "w0 r0", "1.4:13"),
            ("approx ftz f64", "w0 r0", "4.0:20"),
        ],
    ),
    family("sin cos lg2 ex2", FUNCTION, &[("approx [ftz] f32", "w0 r0", "1.4")]),
    family("tanh", FUNCTION, &[("approx f32", "w0 r0", "7.0:75")]),
    family("testp", COMPARE, &[("[finite|infinite|number|notanumber|normal|subnormal] f32|f64", "wp r0", "2.0:20")]),
    family("copysign", SUM, &[("f32|f64", "w0 r0 r0", "2.0:20")]),
];
