//! Textures and surfaces (PTX ISA, "Texture Instructions" and "Surface Instructions").

use super::super::effect::Effect;
use super::{Family, family};

pub(super) static ROWS: &[Family] = &[
    family(
        "tex",
        Effect::LOAD,
        &[
            ("[base] 1d|2d|3d|a1d|a2d v4 u32|s32|f32|f16@4.2:53 s32|f32", "w{4}0^ rc1 r*? r*?", ""),
            ("[base] 1d|2d|3d|a1d|a2d v2 f16x2 s32|f32", "w{2}0^ rc1 r*? r*?", "4.2:53"),
            ("level 1d|2d|3d|a1d|a2d v4 u32|s32|f32|f16@4.2:53 s32|f32", "w{4}0^ rc1 r1 r*? r*?", "3.1"),
            ("level 1d|2d|3d|a1d|a2d v2 f16x2 s32|f32", "w{2}0^ rc1 r1 r*? r*?", "4.2:53"),
            ("grad 1d|2d|3d|a1d|a2d v4 u32|s32|f32|f16@4.2:53 s32|f32", "w{4}0^ rc1 r* r* r*? r*?", "3.1"),
            ("grad 1d|2d|3d|a1d|a2d v2 f16x2 s32|f32", "w{2}0^ rc1 r* r* r*? r*?", "4.2:53"),
            ("[base] cube|acube v4 u32|s32|f32|f16@4.2:53 f32", "w{4}0^ rc1 r*? r*?", ""),
            ("[base] cube|acube v2 f16x2 f32", "w{2}0^ rc1 r*? r*?", "4.2:53"),
            ("level cube|acube v4 u32|s32|f32|f16@4.2:53 f32", "w{4}0^ rc1 r1 r*? r*?", "3.1"),
            ("level cube|acube v2 f16x2 f32", "w{2}0^ rc1 r1 r*? r*?", "4.2:53"),
            ("grad cube|acube v4 u32|s32|f32|f16@4.2:53 f32", "w{4}0^ rc1 r* r* r*? r*?", "3.1"),
            ("grad cube|acube v2 f16x2 f32", "w{2}0^ rc1 r* r* r*? r*?", "4.2:53"),
            ("[base] 2dms|a2dms v4 u32|s32|f32|f16@4.2:53 s32", "w{4}0^ rc1 r*? r*?", "3.2:20"),
            ("[base] 2dms|a2dms v2 f16x2 s32", "w{2}0^ rc1 r*? r*?", "4.2:53"),
            ("level 2dms|a2dms v4 u32|s32|f32|f16@4.2:53 s32", "w{4}0^ rc1 r1 r*? r*?", "3.1"),
            ("level 2dms|a2dms v2 f16x2 s32", "w{2}0^ rc1 r1 r*? r*?", "4.2:53"),
            ("grad 2dms|a2dms v4 u32|s32|f32|f16@4.2:53 s32", "w{4}0^ rc1 r* r* r*? r*?", "3.1"),
            ("grad 2dms|a2dms v2 f16x2 s32", "w{2}0^ rc1 r* r* r*? r*?", "4.2:53"),
        ],
    ),
    family(
        "tld4",
        Effect::LOAD,
        &[("r|g|b|a 2d|a2d|cube|acube v4 u32|s32|f32|f16 f32", "w{4}0^ rc1 r*? r*?", "2.2:20")],
    ),
    family(
        "txq",
        Effect::ACTION,
        &[
            (
                "width|height|depth|channel_data_type|channel_order|normalized_coords|array_size|num_mipmap_levels|num_samples b32",
                "w0 ra",
                "1.5",
            ),
            ("level width|height|depth b32", "w0 ra r*", "3.1"),
            ("force_unnormalized_coords|filter_mode|addr_mode_0|addr_mode_1|addr_mode_2 b32", "w0 ra", "1.5"),
        ],
    ),
    family(
        "suq",
        Effect::ACTION,
        &[("width|height|depth|channel_data_type|channel_order|array_size|memory_layout b32", "w0 ra", "1.5")],
    ),
    family(
        "suld",
        Effect::LOAD,
        &[
            ("b 1d|2d|3d|a1d|a2d [ca|cg|cs|cv] [v2|v4] b8|b16|b32|b64 trap|clamp|zero", "w{v}0+ rcs32", "1.5"),
            ("p 1d|2d|3d|a1d|a2d [ca|cg|cs|cv] [v2|v4] b32|u32|s32|f32 trap|clamp|zero", "w{v}0+ rcs32", "1.5"),
        ],
    ),
    family(
        "sust",
        Effect::STORE,
        &[
            ("b 1d|2d|3d|a1d|a2d [wb|cg|cs|wt] [v2|v4] b8|b16|b32|b64 trap|clamp|zero", "rcs32 r{v}0+", "1.5"),
            ("p 1d|2d|3d|a1d|a2d [wb|cg|cs|wt] [v2|v4] b32|u32|s32|f32 trap|clamp|zero", "rcs32 r{v}0+", "2.0:20"),
        ],
    ),
    family(
        "sured",
        Effect::REDUCE,
        &[
            ("b add 1d|2d|3d u32|u64|s32 trap|clamp|zero", "rcs32 r0", "2.0:20"),
            ("b min|max 1d|2d|3d u32|u64|s32|s64 trap|clamp|zero", "rcs32 r0", "2.0:20"),
            ("b and|or|xor 1d|2d|3d b32|b64 trap|clamp|zero", "rcs32 r0", "2.0:20"),
            ("p add|min|max|and|or|xor 1d|2d|3d b32 trap|clamp|zero", "rcs32 r0", "2.0:20"),
            ("p min|max 1d|2d|3d b64 trap|clamp|zero", "rcs32 r0", "2.0:20"),
        ],
    ),
];
