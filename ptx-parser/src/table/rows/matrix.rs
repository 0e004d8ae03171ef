//! Warp-level matrix instructions on registers (PTX ISA, "mma", "mma.sp", "ldmatrix", "stmatrix", "movmatrix"): how
//! many registers a fragment takes depends on the shape and the types.

use super::super::effect::Effect;
use super::{Family, family};

const MULTIPLY: Effect = Effect::COMPUTE.together();

pub(super) static ROWS: &[Family] = &[
    family(
        "ldmatrix",
        Effect::LOAD.together(),
        &[
            ("sync aligned m8n8 x1 [trans] [$shared] b16", "w{1}b32 ra", "6.5:75"),
            ("sync aligned m8n8 x2 [trans] [$shared] b16", "w{2}b32 ra", "6.5:75"),
            ("sync aligned m8n8 x4 [trans] [$shared] b16", "w{4}b32 ra", "6.5:75"),
            ("sync aligned m16n16 x1 trans [$shared] b8", "w{2}b32 ra", "8.6:100f,110f,120f"),
            ("sync aligned m16n16 x2 trans [$shared] b8", "w{4}b32 ra", "8.6:100f,110f,120f"),
            ("sync aligned m8n16 x1 [$shared] b8x16 b6x16_p32|b4x16_p64", "w{1}b32 ra", "8.6:100f,110f,120f"),
            ("sync aligned m8n16 x2 [$shared] b8x16 b6x16_p32|b4x16_p64", "w{2}b32 ra", "8.6:100f,110f,120f"),
            ("sync aligned m8n16 x4 [$shared] b8x16 b6x16_p32|b4x16_p64", "w{4}b32 ra", "8.6:100f,110f,120f"),
            ("sync aligned m16n16 x1 trans [$shared] b8x16 b6x16_p32|b4x16_p64", "w{2}b32 ra", "8.6:100f,110f,120f"),
            ("sync aligned m16n16 x2 trans [$shared] b8x16 b6x16_p32|b4x16_p64", "w{4}b32 ra", "8.6:100f,110f,120f"),
        ],
    ),
    family(
        "stmatrix",
        Effect::STORE.together(),
        &[
            ("sync aligned m8n8 x1 [trans] [$shared] b16", "ra r{1}b32", "7.8:90"),
            ("sync aligned m8n8 x2 [trans] [$shared] b16", "ra r{2}b32", "7.8:90"),
            ("sync aligned m8n8 x4 [trans] [$shared] b16", "ra r{4}b32", "7.8:90"),
            ("sync aligned m16n8 x1 trans [$shared] b8", "ra r{1}b32", "8.6:100f,110f,120f"),
            ("sync aligned m16n8 x2 trans [$shared] b8", "ra r{2}b32", "8.6:100f,110f,120f"),
            ("sync aligned m16n8 x4 trans [$shared] b8", "ra r{4}b32", "8.6:100f,110f,120f"),
        ],
    ),
    family("movmatrix", MULTIPLY, &[("sync aligned m8n8 trans b16", "wb32 r%b32", "7.8:75")]),
    family(
        "mma",
        MULTIPLY,
        &[
            ("sync aligned m8n8k4 row|col row|col f16 f16 f16 f16", "w{4}b32 r{2}b32 r{2}b32 r{4}b32", "6.4:70"),
            ("sync aligned m8n8k4 row|col row|col f32 f16 f16 f16", "w{8}f32 r{2}b32 r{2}b32 r{4}b32", "6.4:70"),
            ("sync aligned m8n8k4 row|col row|col f16 f16 f16 f32", "w{4}b32 r{2}b32 r{2}b32 r{8}f32", "6.4:70"),
            ("sync aligned m8n8k4 row|col row|col f32 f16 f16 f32", "w{8}f32 r{2}b32 r{2}b32 r{8}f32", "6.4:70"),
            ("sync aligned m16n8k8 row col f16 f16 f16 f16", "w{2}b32 r{2}b32 r{1}b32 r{2}b32", "6.5:75"),
            ("sync aligned m16n8k16 row col f16 f16 f16 f16", "w{2}b32 r{4}b32 r{2}b32 r{2}b32", "7.0:80"),
            ("sync aligned m16n8k8 row col f16 f16 f16 f32", "w{2}b32 r{2}b32 r{1}b32 r{4}f32", "6.5:75"),
            ("sync aligned m16n8k16 row col f16 f16 f16 f32", "w{2}b32 r{4}b32 r{2}b32 r{4}f32", "7.0:80"),
            ("sync aligned m16n8k8 row col f32 f16 f16 f16", "w{4}f32 r{2}b32 r{1}b32 r{2}b32", "6.5:75"),
            ("sync aligned m16n8k16 row col f32 f16 f16 f16", "w{4}f32 r{4}b32 r{2}b32 r{2}b32", "7.0:80"),
            ("sync aligned m16n8k8 row col f32 f16 f16 f32", "w{4}f32 r{2}b32 r{1}b32 r{4}f32", "6.5:75"),
            ("sync aligned m16n8k16 row col f32 f16 f16 f32", "w{4}f32 r{4}b32 r{2}b32 r{4}f32", "7.0:80"),
            ("sync aligned m16n8k4 row col f32 tf32 tf32 f32", "w{4}f32 r{2}b32 r{1}b32 r{4}f32", "7.0:80"),
            ("sync aligned m16n8k8 row col f32 tf32 tf32 f32", "w{4}f32 r{4}b32 r{2}b32 r{4}f32", "7.0:80"),
            ("sync aligned m16n8k8 row col f32 bf16 bf16 f32", "w{4}f32 r{2}b32 r{1}b32 r{4}f32", "7.0:80"),
            ("sync aligned m16n8k16 row col f32 bf16 bf16 f32", "w{4}f32 r{4}b32 r{2}b32 r{4}f32", "7.0:80"),
            ("sync aligned m16n8k16 row col f16 e4m3|e5m2 e4m3|e5m2 f16", "w{2}b32 r{2}b32 r{1}b32 r{2}b32", "8.7:89"),
            ("sync aligned m16n8k32 row col f16 e4m3|e5m2 e4m3|e5m2 f16", "w{2}b32 r{4}b32 r{2}b32 r{2}b32", "8.4:89"),
            (
                "sync aligned m16n8k32 row col kind::f8f6f4 f16 $narrow $narrow f16",
                "w{2}b32 r{4}b32 r{2}b32 r{2}b32",
                "8.7:100f,110f,120f",
            ),
            ("sync aligned m16n8k16 row col f32 e4m3|e5m2 e4m3|e5m2 f32", "w{4}f32 r{2}b32 r{1}b32 r{4}f32", "8.7:89"),
            ("sync aligned m16n8k32 row col f32 e4m3|e5m2 e4m3|e5m2 f32", "w{4}f32 r{4}b32 r{2}b32 r{4}f32", "8.4:89"),
            (
                "sync aligned m16n8k32 row col kind::f8f6f4 f32 $narrow $narrow f32",
                "w{4}f32 r{4}b32 r{2}b32 r{4}f32",
                "8.7:100f,110f,120f",
            ),
            (
                "sync aligned m16n8k64 row col kind::mxf4 block_scale [scale_vec::2X] f32 e2m1 e2m1 f32 ue8m0",
                "w{4}f32 r{4}b32 r{2}b32 r{4}f32 rb32 r{2}u16 rb32 r{2}u16",
                "8.7:120f",
            ),
            (
                "sync aligned m16n8k64 row col kind::mxf4nvf4 block_scale scale_vec::2X|scale_vec::4X f32 e2m1 e2m1 f32 ue8m0|ue4m3",
                "w{4}f32 r{4}b32 r{2}b32 r{4}f32 rb32 r{2}u16 rb32 r{2}u16",
                "8.7:120f",
            ),
            (
                "sync aligned m16n8k32 row col kind::mxf8f6f4 block_scale [scale_vec::1X] f32 $narrow $narrow f32 ue8m0",
                "w{4}f32 r{4}b32 r{2}b32 r{4}f32 rb32 r{2}u16 rb32 r{2}u16",
                "8.7:120f",
            ),
            ("sync aligned m8n8k4 row col [$rnd] f64 f64 f64 f64", "w{2}f64 r{1}f64 r{1}f64 r{2}f64", "7.0:80"),
            ("sync aligned m16n8k4 row col [$rnd] f64 f64 f64 f64", "w{4}f64 r{2}f64 r{1}f64 r{4}f64", "7.8:90"),
            ("sync aligned m16n8k8 row col [$rnd] f64 f64 f64 f64", "w{4}f64 r{4}f64 r{2}f64 r{4}f64", "7.8:90"),
            ("sync aligned m16n8k16 row col [$rnd] f64 f64 f64 f64", "w{4}f64 r{8}f64 r{4}f64 r{4}f64", "7.8:90"),
            (
                "sync aligned m8n8k16 row col [satfinite] s32 u8|s8 u8|s8 s32",
                "w{2}s32 r{1}b32 r{1}b32 r{2}s32",
                "6.5:75",
            ),
            (
                "sync aligned m16n8k16 row col [satfinite] s32 u8|s8 u8|s8 s32",
                "w{4}s32 r{2}b32 r{1}b32 r{4}s32",
                "7.0:80",
            ),
            (
                "sync aligned m16n8k32 row col [satfinite] s32 u8|s8 u8|s8 s32",
                "w{4}s32 r{4}b32 r{2}b32 r{4}s32",
                "7.0:80",
            ),
            (
                "sync aligned m8n8k32 row col [satfinite] s32 u4|s4 u4|s4 s32",
                "w{2}s32 r{1}b32 r{1}b32 r{2}s32",
                "6.5:75",
            ),
            (
                "sync aligned m16n8k32 row col [satfinite] s32 u4|s4 u4|s4 s32",
                "w{4}s32 r{2}b32 r{1}b32 r{4}s32",
                "7.0:80",
            ),
            (
                "sync aligned m16n8k64 row col [satfinite] s32 u4|s4 u4|s4 s32",
                "w{4}s32 r{4}b32 r{2}b32 r{4}s32",
                "7.0:80",
            ),
            ("sync aligned m8n8k128 row col s32 b1 b1 s32 xor|and popc", "w{2}s32 r{1}b32 r{1}b32 r{2}s32", "7.0:75"),
            ("sync aligned m16n8k128 row col s32 b1 b1 s32 xor|and popc", "w{4}s32 r{2}b32 r{1}b32 r{4}s32", "7.0:80"),
            ("sync aligned m16n8k256 row col s32 b1 b1 s32 xor|and popc", "w{4}s32 r{4}b32 r{2}b32 r{4}s32", "7.0:80"),
        ],
    ),
    // A sparse multiplicand has its metadata and a selector behind the accumulator.
    family(
        "mma",
        MULTIPLY,
        &[
            (
                "sp|sp::ordered_metadata@8.5:80 sync aligned m16n8k16 row col f16 f16 f16 f16",
                "w{2}b32 r{2}b32 r{2}b32 r{2}b32 rb32 r#",
                "7.1:80",
            ),
            (
                "sp|sp::ordered_metadata@8.5:80 sync aligned m16n8k32 row col f16 f16 f16 f16",
                "w{2}b32 r{4}b32 r{4}b32 r{2}b32 rb32 r#",
                "7.1:80",
            ),
            (
                "sp|sp::ordered_metadata@8.5:80 sync aligned m16n8k16 row col f16 f16 f16 f32",
                "w{2}b32 r{2}b32 r{2}b32 r{4}f32 rb32 r#",
                "7.1:80",
            ),
            (
                "sp|sp::ordered_metadata@8.5:80 sync aligned m16n8k32 row col f16 f16 f16 f32",
                "w{2}b32 r{4}b32 r{4}b32 r{4}f32 rb32 r#",
                "7.1:80",
            ),
            (
                "sp|sp::ordered_metadata@8.5:80 sync aligned m16n8k16 row col f32 f16 f16 f16",
                "w{4}f32 r{2}b32 r{2}b32 r{2}b32 rb32 r#",
                "7.1:80",
            ),
            (
                "sp|sp::ordered_metadata@8.5:80 sync aligned m16n8k32 row col f32 f16 f16 f16",
                "w{4}f32 r{4}b32 r{4}b32 r{2}b32 rb32 r#",
                "7.1:80",
            ),
            (
                "sp|sp::ordered_metadata@8.5:80 sync aligned m16n8k16 row col f32 f16 f16 f32",
                "w{4}f32 r{2}b32 r{2}b32 r{4}f32 rb32 r#",
                "7.1:80",
            ),
            (
                "sp|sp::ordered_metadata@8.5:80 sync aligned m16n8k32 row col f32 f16 f16 f32",
                "w{4}f32 r{4}b32 r{4}b32 r{4}f32 rb32 r#",
                "7.1:80",
            ),
            (
                "sp|sp::ordered_metadata@8.5:80 sync aligned m16n8k16 row col f32 bf16 bf16 f32",
                "w{4}f32 r{2}b32 r{2}b32 r{4}f32 rb32 r#",
                "7.1:80",
            ),
            (
                "sp|sp::ordered_metadata@8.5:80 sync aligned m16n8k32 row col f32 bf16 bf16 f32",
                "w{4}f32 r{4}b32 r{4}b32 r{4}f32 rb32 r#",
                "7.1:80",
            ),
            (
                "sp|sp::ordered_metadata@8.5:80 sync aligned m16n8k8 row col f32 tf32 tf32 f32",
                "w{4}f32 r{2}b32 r{2}b32 r{4}f32 rb32 r#",
                "7.1:80",
            ),
            (
                "sp|sp::ordered_metadata@8.5:80 sync aligned m16n8k16 row col f32 tf32 tf32 f32",
                "w{4}f32 r{4}b32 r{4}b32 r{4}f32 rb32 r#",
                "7.1:80",
            ),
            (
                "sp|sp::ordered_metadata@8.5:80 sync aligned m16n8k64 row col f16 e4m3|e5m2 e4m3|e5m2 f16",
                "w{2}b32 r{4}b32 r{4}b32 r{2}b32 rb32 r#",
                "8.4:89",
            ),
            (
                "sp|sp::ordered_metadata@8.5:80 sync aligned m16n8k64 row col kind::f8f6f4 f16 $narrow $narrow f16",
                "w{2}b32 r{4}b32 r{4}b32 r{2}b32 rb32 r#",
                "8.7:100f,110f,120f",
            ),
            (
                "sp|sp::ordered_metadata@8.5:80 sync aligned m16n8k64 row col f32 e4m3|e5m2 e4m3|e5m2 f32",
                "w{4}f32 r{4}b32 r{4}b32 r{4}f32 rb32 r#",
                "8.4:89",
            ),
            (
                "sp|sp::ordered_metadata@8.5:80 sync aligned m16n8k64 row col kind::f8f6f4 f32 $narrow $narrow f32",
                "w{4}f32 r{4}b32 r{4}b32 r{4}f32 rb32 r#",
                "8.7:100f,110f,120f",
            ),
            (
                "sp|sp::ordered_metadata@8.5:80 sync aligned m16n8k128 row col kind::mxf4 block_scale [scale_vec::2X] f32 e2m1 e2m1 f32 ue8m0",
                "w{4}f32 r{4}b32 r{4}b32 r{4}f32 rb32 r# rb32 r{2}u16 rb32 r{2}u16",
                "8.7:120f",
            ),
            (
                "sp|sp::ordered_metadata@8.5:80 sync aligned m16n8k128 row col kind::mxf4nvf4 block_scale scale_vec::2X|scale_vec::4X f32 e2m1 e2m1 f32 ue8m0|ue4m3",
                "w{4}f32 r{4}b32 r{4}b32 r{4}f32 rb32 r# rb32 r{2}u16 rb32 r{2}u16",
                "8.7:120f",
            ),
            (
                "sp|sp::ordered_metadata@8.5:80 sync aligned m16n8k64 row col kind::mxf8f6f4 block_scale [scale_vec::1X] f32 $narrow $narrow f32 ue8m0",
                "w{4}f32 r{4}b32 r{4}b32 r{4}f32 rb32 r# rb32 r{2}u16 rb32 r{2}u16",
                "8.7:120f",
            ),
            (
                "sp|sp::ordered_metadata@8.5:80 sync aligned m16n8k32 row col [satfinite] s32 u8|s8 u8|s8 s32",
                "w{4}s32 r{2}b32 r{2}b32 r{4}s32 rb32 r#",
                "7.1:80",
            ),
            (
                "sp|sp::ordered_metadata@8.5:80 sync aligned m16n8k64 row col [satfinite] s32 u8|s8 u8|s8 s32",
                "w{4}s32 r{4}b32 r{4}b32 r{4}s32 rb32 r#",
                "7.1:80",
            ),
            (
                "sp|sp::ordered_metadata@8.5:80 sync aligned m16n8k64 row col [satfinite] s32 u4|s4 u4|s4 s32",
                "w{4}s32 r{2}b32 r{2}b32 r{4}s32 rb32 r#",
                "7.1:80",
            ),
            (
                "sp|sp::ordered_metadata@8.5:80 sync aligned m16n8k128 row col [satfinite] s32 u4|s4 u4|s4 s32",
                "w{4}s32 r{4}b32 r{4}b32 r{4}s32 rb32 r#",
                "7.1:80",
            ),
        ],
    ),
];
