//! Warpgroup-level matrix instructions (PTX ISA, "wgmma"): they run asynchronously and accumulate in registers. The
//! first multiplicand is a descriptor of shared memory or four registers; a sparse one has its metadata behind the
//! second.

use super::super::effect::Effect;
use super::{Family, family};

pub(super) static ROWS: &[Family] = &[family(
    "wgmma",
    Effect::ANYTHING,
    &[
        ("fence|commit_group sync aligned", "", "8.0:90a"),
        ("wait_group sync aligned", "r#", "8.0:90a"),
        (
            "mma_async sync [aligned] m64n#k16 f16 f16 f16",
            "x{n/4}b32 rb64 rb64 rp r#=-1|1 r#=-1|1 r#=0|1 r#=0|1",
            "8.0:90a",
        ),
        (
            "mma_async sync [aligned] m64n#k16 f16 f16 f16",
            "x{n/4}b32 r{4}b32 rb64 rp r#=-1|1 r#=-1|1 r#=0|1",
            "8.0:90a",
        ),
        (
            "mma_async sync [aligned] m64n#k16 f32 f16 f16",
            "x{n/2}f32 rb64 rb64 rp r#=-1|1 r#=-1|1 r#=0|1 r#=0|1",
            "8.0:90a",
        ),
        (
            "mma_async sync [aligned] m64n#k16 f32 f16 f16",
            "x{n/2}f32 r{4}b32 rb64 rp r#=-1|1 r#=-1|1 r#=0|1",
            "8.0:90a",
        ),
        (
            "mma_async sync [aligned] m64n#k16 f32 bf16 bf16",
            "x{n/2}f32 rb64 rb64 rp r#=-1|1 r#=-1|1 r#=0|1 r#=0|1",
            "8.0:90a",
        ),
        (
            "mma_async sync [aligned] m64n#k16 f32 bf16 bf16",
            "x{n/2}f32 r{4}b32 rb64 rp r#=-1|1 r#=-1|1 r#=0|1",
            "8.0:90a",
        ),
        ("mma_async sync [aligned] m64n#k8 f32 tf32 tf32", "x{n/2}f32 rb64 rb64 rp r#=-1|1 r#=-1|1", "8.0:90a"),
        ("mma_async sync [aligned] m64n#k8 f32 tf32 tf32", "x{n/2}f32 r{4}b32 rb64 rp r#=-1|1 r#=-1|1", "8.0:90a"),
        (
            "mma_async sync [aligned] m64n#k32 f16 e4m3|e5m2 e4m3|e5m2",
            "x{n/4}b32 rb64 rb64 rp r#=-1|1 r#=-1|1",
            "8.0:90a",
        ),
        (
            "mma_async sync [aligned] m64n#k32 f16 e4m3|e5m2 e4m3|e5m2",
            "x{n/4}b32 r{4}b32 rb64 rp r#=-1|1 r#=-1|1",
            "8.0:90a",
        ),
        (
            "mma_async sync [aligned] m64n#k32 f32 e4m3|e5m2 e4m3|e5m2",
            "x{n/2}f32 rb64 rb64 rp r#=-1|1 r#=-1|1",
            "8.0:90a",
        ),
        (
            "mma_async sync [aligned] m64n#k32 f32 e4m3|e5m2 e4m3|e5m2",
            "x{n/2}f32 r{4}b32 rb64 rp r#=-1|1 r#=-1|1",
            "8.0:90a",
        ),
        ("mma_async sync [aligned] m64n#k32 [satfinite] s32 s8|u8 s8|u8", "x{n/2}s32 rb64 rb64 rp", "8.0:90a"),
        ("mma_async sync [aligned] m64n#k32 [satfinite] s32 s8|u8 s8|u8", "x{n/2}s32 r{4}b32 rb64 rp", "8.0:90a"),
        ("mma_async sync [aligned] m64n#k256 s32 b1 b1 and popc", "x{n/2}s32 rb64 rb64 rp", "8.0:90a"),
        ("mma_async sync [aligned] m64n#k256 s32 b1 b1 and popc", "x{n/2}s32 r{4}b32 rb64 rp", "8.0:90a"),
        (
            "mma_async sp sync [aligned] m64n#k32 f16 f16 f16",
            "x{n/4}b32 rb64 rb64 rb32 r# rp r#=-1|1 r#=-1|1 r#=0|1 r#=0|1",
            "8.2:90a",
        ),
        (
            "mma_async sp sync [aligned] m64n#k32 f16 f16 f16",
            "x{n/4}b32 r{4}b32 rb64 rb32 r# rp r#=-1|1 r#=-1|1 r#=0|1",
            "8.2:90a",
        ),
        (
            "mma_async sp sync [aligned] m64n#k32 f32 f16 f16",
            "x{n/2}f32 rb64 rb64 rb32 r# rp r#=-1|1 r#=-1|1 r#=0|1 r#=0|1",
            "8.2:90a",
        ),
        (
            "mma_async sp sync [aligned] m64n#k32 f32 f16 f16",
            "x{n/2}f32 r{4}b32 rb64 rb32 r# rp r#=-1|1 r#=-1|1 r#=0|1",
            "8.2:90a",
        ),
        (
            "mma_async sp sync [aligned] m64n#k32 f32 bf16 bf16",
            "x{n/2}f32 rb64 rb64 rb32 r# rp r#=-1|1 r#=-1|1 r#=0|1 r#=0|1",
            "8.2:90a",
        ),
        (
            "mma_async sp sync [aligned] m64n#k32 f32 bf16 bf16",
            "x{n/2}f32 r{4}b32 rb64 rb32 r# rp r#=-1|1 r#=-1|1 r#=0|1",
            "8.2:90a",
        ),
        (
            "mma_async sp sync [aligned] m64n#k16 f32 tf32 tf32",
            "x{n/2}f32 rb64 rb64 rb32 r# rp r#=-1|1 r#=-1|1",
            "8.2:90a",
        ),
        (
            "mma_async sp sync [aligned] m64n#k16 f32 tf32 tf32",
            "x{n/2}f32 r{4}b32 rb64 rb32 r# rp r#=-1|1 r#=-1|1",
            "8.2:90a",
        ),
        (
            "mma_async sp sync [aligned] m64n#k64 f16 e4m3|e5m2 e4m3|e5m2",
            "x{n/4}b32 rb64 rb64 rb32 r# rp r#=-1|1 r#=-1|1",
            "8.2:90a",
        ),
        (
            "mma_async sp sync [aligned] m64n#k64 f16 e4m3|e5m2 e4m3|e5m2",
            "x{n/4}b32 r{4}b32 rb64 rb32 r# rp r#=-1|1 r#=-1|1",
            "8.2:90a",
        ),
        (
            "mma_async sp sync [aligned] m64n#k64 f32 e4m3|e5m2 e4m3|e5m2",
            "x{n/2}f32 rb64 rb64 rb32 r# rp r#=-1|1 r#=-1|1",
            "8.2:90a",
        ),
        (
            "mma_async sp sync [aligned] m64n#k64 f32 e4m3|e5m2 e4m3|e5m2",
            "x{n/2}f32 r{4}b32 rb64 rb32 r# rp r#=-1|1 r#=-1|1",
            "8.2:90a",
        ),
        (
            "mma_async sp sync [aligned] m64n#k64 [satfinite] s32 s8|u8 s8|u8",
            "x{n/2}s32 rb64 rb64 rb32 r# rp",
            "8.2:90a",
        ),
        (
            "mma_async sp sync [aligned] m64n#k64 [satfinite] s32 s8|u8 s8|u8",
            "x{n/2}s32 r{4}b32 rb64 rb32 r# rp",
            "8.2:90a",
        ),
    ],
)];
