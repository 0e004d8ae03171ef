//! Warp-level matrix instructions on opaque fragments (PTX ISA, "wmma.load", "wmma.store", "wmma.mma").

use super::super::effect::Effect;
use super::{Family, family};

pub(super) static ROWS: &[Family] = &[
    family(
        "wmma",
        Effect::LOAD.together(),
        &[
            (
                "load a|b sync aligned row|col m16n16k16|m8n32k16@6.1|m32n8k16@6.1 [global|$shared] f16",
                "w{8}b32 ra ru32?",
                "6.0:70",
            ),
            ("load a|b sync aligned row|col m16n16k16 [global|$shared] s8|u8", "w{2}b32 ra ru32?", "6.3:72"),
            ("load a sync aligned row|col m8n32k16 [global|$shared] s8|u8", "w{1}b32 ra ru32?", "6.3:72"),
            ("load b sync aligned row|col m8n32k16 [global|$shared] s8|u8", "w{4}b32 ra ru32?", "6.3:72"),
            ("load a sync aligned row|col m32n8k16 [global|$shared] s8|u8", "w{4}b32 ra ru32?", "6.3:72"),
            ("load b sync aligned row|col m32n8k16 [global|$shared] s8|u8", "w{1}b32 ra ru32?", "6.3:72"),
            ("load a|b sync aligned row|col m16n16k16 [global|$shared] bf16", "w{4}b32 ra ru32?", "7.0:80"),
            ("load a sync aligned row|col m8n32k16 [global|$shared] bf16", "w{2}b32 ra ru32?", "7.0:80"),
            ("load b sync aligned row|col m8n32k16 [global|$shared] bf16", "w{8}b32 ra ru32?", "7.0:80"),
            ("load a sync aligned row|col m32n8k16 [global|$shared] bf16", "w{8}b32 ra ru32?", "7.0:80"),
            ("load b sync aligned row|col m32n8k16 [global|$shared] bf16", "w{2}b32 ra ru32?", "7.0:80"),
            ("load a|b sync aligned row|col m16n16k8 [global|$shared] tf32", "w{4}b32 ra ru32?", "7.0:80"),
            ("load a|b sync aligned row|col m8n8k4 [global|$shared] f64", "w{1}f64 ra ru32?", "7.0:80"),
            ("load a|b sync aligned row|col m8n8k32 [global|$shared] s4|u4", "w{1}b32 ra ru32?", "6.3:75"),
            ("load a|b sync aligned row|col m8n8k128 [global|$shared] b1", "w{1}b32 ra ru32?", "6.3:75"),
            (
                "load c sync aligned row|col m16n16k16|m8n32k16@6.1|m32n8k16@6.1 [global|$shared] f16",
                "w{4}b32 ra ru32?",
                "6.0:70",
            ),
            (
                "load c sync aligned row|col m16n16k16|m8n32k16@6.1|m32n8k16@6.1|m16n16k8@7.0:80 [global|$shared] f32",
                "w{8}f32 ra ru32?",
                "6.0:70",
            ),
            (
                "load c sync aligned row|col m16n16k16|m8n32k16|m32n8k16 [global|$shared] s32",
                "w{8}s32 ra ru32?",
                "6.3:72",
            ),
            ("load c sync aligned row|col m8n8k4 [global|$shared] f64", "w{2}f64 ra ru32?", "7.0:80"),
            ("load c sync aligned row|col m8n8k32|m8n8k128 [global|$shared] s32", "w{2}s32 ra ru32?", "6.3:75"),
        ],
    ),
    family(
        "wmma",
        Effect::STORE.together(),
        &[
            (
                "store d sync aligned row|col m16n16k16|m8n32k16@6.1|m32n8k16@6.1 [global|$shared] f16",
                "ra r{4}b32 ru32?",
                "6.0:70",
            ),
            (
                "store d sync aligned row|col m16n16k16|m8n32k16@6.1|m32n8k16@6.1|m16n16k8@7.0:80 [global|$shared] f32",
                "ra r{8}f32 ru32?",
                "6.0:70",
            ),
            (
                "store d sync aligned row|col m16n16k16|m8n32k16|m32n8k16 [global|$shared] s32",
                "ra r{8}s32 ru32?",
                "6.3:72",
            ),
            ("store d sync aligned row|col m8n8k4 [global|$shared] f64", "ra r{2}f64 ru32?", "7.0:80"),
            ("store d sync aligned row|col m8n8k32|m8n8k128 [global|$shared] s32", "ra r{2}s32 ru32?", "6.3:75"),
        ],
    ),
    family(
        "wmma",
        Effect::COMPUTE.together(),
        &[
            (
                "mma sync aligned row|col row|col m16n16k16|m8n32k16@6.1|m32n8k16@6.1 f16 f16",
                "w{4}b32 r{8}b32 r{8}b32 r{4}b32",
                "6.0:70",
            ),
            (
                "mma sync aligned row|col row|col m16n16k16|m8n32k16@6.1|m32n8k16@6.1 f16 f32",
                "w{4}b32 r{8}b32 r{8}b32 r{8}f32",
                "6.0:70",
            ),
            (
                "mma sync aligned row|col row|col m16n16k16|m8n32k16@6.1|m32n8k16@6.1 f32 f16",
                "w{8}f32 r{8}b32 r{8}b32 r{4}b32",
                "6.0:70",
            ),
            (
                "mma sync aligned row|col row|col m16n16k16|m8n32k16@6.1|m32n8k16@6.1 f32 f32",
                "w{8}f32 r{8}b32 r{8}b32 r{8}f32",
                "6.0:70",
            ),
            (
                "mma sync aligned row|col row|col m16n16k16 s32 s8|u8 s8|u8 s32 [satfinite]",
                "w{8}s32 r{2}b32 r{2}b32 r{8}s32",
                "6.3:72",
            ),
            (
                "mma sync aligned row|col row|col m8n32k16 s32 s8|u8 s8|u8 s32 [satfinite]",
                "w{8}s32 r{1}b32 r{4}b32 r{8}s32",
                "6.3:72",
            ),
            (
                "mma sync aligned row|col row|col m32n8k16 s32 s8|u8 s8|u8 s32 [satfinite]",
                "w{8}s32 r{4}b32 r{1}b32 r{8}s32",
                "6.3:72",
            ),
            (
                "mma sync aligned row|col row|col m16n16k16 f32 bf16 bf16 f32",
                "w{8}f32 r{4}b32 r{4}b32 r{8}f32",
                "7.0:80",
            ),
            (
                "mma sync aligned row|col row|col m8n32k16 f32 bf16 bf16 f32",
                "w{8}f32 r{2}b32 r{8}b32 r{8}f32",
                "7.0:80",
            ),
            (
                "mma sync aligned row|col row|col m32n8k16 f32 bf16 bf16 f32",
                "w{8}f32 r{8}b32 r{2}b32 r{8}f32",
                "7.0:80",
            ),
            (
                "mma sync aligned row|col row|col m16n16k8 f32 tf32 tf32 f32",
                "w{8}f32 r{4}b32 r{4}b32 r{8}f32",
                "7.0:80",
            ),
            (
                "mma sync aligned row|col row|col m8n8k4 [$rnd] f64 f64 f64 f64",
                "w{2}f64 r{1}f64 r{1}f64 r{2}f64",
                "7.0:80",
            ),
            (
                "mma sync aligned row|col row|col m8n8k32 s32 s4|u4 s4|u4 s32 [satfinite]",
                "w{2}s32 r{1}b32 r{1}b32 r{2}s32",
                "6.3:75",
            ),
            (
                "mma xor|and@7.1:80 popc sync aligned row|col row|col m8n8k128 s32 b1 b1 s32",
                "w{2}s32 r{1}b32 r{1}b32 r{2}s32",
                "6.3:75",
            ),
        ],
    ),
];
