//! Video instructions (PTX ISA, "Video Instructions"): their operands may be parts of a register.

use super::super::effect::Effect;
use super::{Family, family};

const VIDEO: Effect = Effect::COMPUTE;

pub(super) static ROWS: &[Family] = &[
    family(
        "vadd vsub vabsdiff vmin vmax",
        VIDEO,
        &[
            ("u32|s32 u32|s32 u32|s32 [sat]", "w0. r1. r2.", "2.0:20"),
            ("u32|s32 u32|s32 u32|s32 [sat] [add|min|max]", "w0. r1. r2. r0", "2.0:20"),
        ],
    ),
    family(
        "vshl vshr",
        VIDEO,
        &[
            ("u32|s32 u32|s32 u32 [sat] clamp|wrap", "w0. r1. r2.", "2.0:20"),
            ("u32|s32 u32|s32 u32 [sat] clamp|wrap [add|min|max]", "w0. r1. r2. r0", "2.0:20"),
        ],
    ),
    family("vmad", VIDEO, &[("u32|s32 u32|s32 u32|s32 [po] [sat] [shr7|shr15]", "w0 r1. r2. r0.", "2.0:20")]),
    family(
        "vset",
        VIDEO,
        &[
            ("u32|s32 u32|s32 $signed", "wu32. r0. r1.", "2.0:20"),
            ("u32|s32 u32|s32 $signed [add|min|max]", "wu32. r0. r1. ru32", "2.0:20"),
        ],
    ),
    family(
        "vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vadd4 vsub4 vavrg4 vabsdiff4 vmin4 vmax4",
        VIDEO,
        &[
            ("u32|s32 u32|s32 u32|s32 [sat]", "w0. r1. r2. r0", "3.0:30"),
            ("u32|s32 u32|s32 u32|s32 add", "w0. r1. r2. r0", "3.0:30"),
        ],
    ),
    family("vset2 vset4", VIDEO, &[("u32|s32 u32|s32 $signed [add]", "wu32. r0. r1. ru32", "3.0:30")]),
];
