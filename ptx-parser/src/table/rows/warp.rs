//! The rows of instructions that the lanes of a warp execute together (PTX ISA, "vote", "match", "shfl", "redux", "elect", "activemask").

use super::super::effect::{Effect, Rate};
use super::super::properties::Class;
use super::{Family, family};

pub(super) static ROWS: &[Family] = &[
    family(
        "vote",
        Effect::TOGETHER.same_in_warp(),
        &[("sync all|any|uni pred", "wp rp ru32", "6.0:30"), ("sync ballot b32", "w0 rp ru32", "6.0:30")],
    ),
    family(
        "vote",
        Effect::TOGETHER,
        &[("all|any|uni pred", "wp rp", "1.2-6.4:70"), ("ballot b32", "w0 rp", "2.0:20-6.4:70")],
    ),
    family(
        "match",
        Effect::TOGETHER,
        &[("any sync b32|b64", "wb32 r0 ru32", "6.0:70"), ("all sync b32|b64", "wb32^_ r0 ru32", "6.0:70")],
    ),
    family(
        "shfl",
        Effect::TOGETHER.rate(Rate::Fixed(Class::Shuffle)),
        &[
            ("sync up|down|bfly|idx b32", "w0^ r0 rb32 rb32 ru32", "6.0:30"),
            ("up|down|bfly|idx b32", "w0^ r0 rb32 rb32", "3.0:30-6.4:70"),
        ],
    ),
    family(
        "redux",
        Effect::TOGETHER,
        &[
            ("sync add|min|max u32|s32", "w0 r0 ru32", "7.0:80"),
            ("sync and|or|xor b32", "w0 r0 ru32", "7.0:80"),
            ("sync min|max [abs] [NaN] f32", "w0 r0 ru32", "8.6:100a,100f"),
        ],
    ),
    family("activemask", Effect::TOGETHER, &[("b32", "w0", "6.2:30")]),
    family("elect", Effect::TOGETHER, &[("sync", "wb32!_ ru32", "8.0:90")]),
];
