//! Conversions (PTX ISA, "cvt" and "cvt.pack"). Which rounding stands depends on both types.

use super::super::effect::{Effect, Rate};
use super::{Family, family};

const CONVERT: Effect = Effect::COMPUTE.rate(Rate::Convert);

pub(super) static ROWS: &[Family] = &[family(
    "cvt",
    CONVERT,
    &[
        // Between integers; saturating only where the range shrinks.
        ("$int8 $int8", "w0+ r1+$", ""),
        ("sat u8 u16|u32|u64|s8|s16|s32|s64", "w0+ r1+$", ""),
        ("sat u16 u32|u64|s8|s16|s32|s64", "w0+ r1+$", ""),
        ("sat u32 u64|s8|s16|s32|s64", "w0+ r1+$", ""),
        ("sat u64 s8|s16|s32|s64", "w0+ r1+$", ""),
        ("sat s8 u8|u16|u32|u64|s16|s32|s64", "w0+ r1+$", ""),
        ("sat s16 u16|u32|u64|s32|s64", "w0+ r1+$", ""),
        ("sat s32 u32|u64|s64", "w0+ r1+$", ""),
        ("sat s64 u64", "w0+ r1+$", ""),
        // From an integer.
        ("$rnd [sat] f16|f64 $int8", "w0+ r1+", ""),
        ("$rnd [ftz] [sat] f32 $int8", "w0+ r1+", ""),
        ("$rnd bf16 $int8", "w0 r1", "7.8:90"),
        // To an integer.
        ("$irnd [sat] $int8 f16|f64", "w0+ r1+", ""),
        ("$irnd [ftz] [sat] $int8 f32", "w0+ r1+", ""),
        ("$irnd $int8 bf16", "w0 r1", "7.8:90"),
        // The same type: rounded to an integral value, or only saturated.
        ("[$irnd] [ftz] [sat] f32 f32", "w0+ r1+", ""),
        ("[$irnd] [sat] f16 f16", "w0+ r1+", ""),
        ("[$irnd] [sat] f64 f64", "w0+ r1+", ""),
        ("[$irnd] bf16 bf16", "w0 r1", "7.8:90"),
        // To a wider float, and back.
        ("[ftz] [sat] f32 f16", "w0+ r1+", ""),
        ("[sat] f64 f16", "w0+ r1+", ""),
        ("[ftz] [sat] f64 f32", "w0+ r1+", ""),
        ("[rn@7.8:90|rz@7.8:90|rm@7.8:90|rp@7.8:90] [ftz@7.8:90] f32 bf16", "w0+ r1", "7.1:80"),
        ("[$rnd] f64 bf16", "w0+ r1", "7.8:90"),
        ("$rnd [ftz] [sat] f32 f64", "w0+ r1+", ""),
        ("$rnd [ftz] [sat] f16 f32", "w0+ r1+", ""),
        ("$rnd [sat] f16 f64", "w0+ r1+", ""),
        ("rn|rz relu f16 f32", "w0+ r1+", "7.0:80"),
        ("rn|rz satfinite f16 f32", "w0+ r1+", "8.1"),
        ("rn|rz relu satfinite f16 f32", "w0+ r1+", "8.1:80"),
        ("rn|rz [relu] [satfinite@8.1] bf16 f32", "w0 r1+", "7.0:80"),
        ("$rnd [ftz] bf16 f32", "w0 r1+", "7.8:90"),
        ("$rnd bf16 f64", "w0 r1+", "7.8:90"),
        ("[$rnd] bf16 f16", "w0 r1+", "7.8:90"),
        ("[$rnd] f16 bf16", "w0+ r1", "7.8:90"),
        // Two in one register.
        ("rn|rz [relu] [satfinite@8.1:80] f16x2|bf16x2 f32", "w0+ rf32+ rf32+", "7.0:80"),
        ("rs [relu] [satfinite] f16x2|bf16x2 f32", "w0+ rf32+ rf32+ rb32", "8.7:100a,103a"),
        // TensorFloat-32.
        ("rna [satfinite@8.1:80] tf32 f32", "wb32+ r1+", "7.0:80"),
        ("rn|rz [relu] [satfinite@8.6:100] tf32 f32", "wb32+ r1+", "7.8:90"),
        // 8, 6 and 4 bits.
        ("rn satfinite [relu] e4m3x2|e5m2x2 f32", "wb16+ r1+ r1+", "7.8:89"),
        ("rn satfinite [relu] e4m3x2|e5m2x2 f16x2", "wb16+ rb32+", "7.8:89"),
        ("rn [relu] f16x2 e4m3x2|e5m2x2", "wb32+ rb16+", "7.8:89"),
        ("rs [relu] satfinite e4m3x4|e5m2x4|e2m3x4|e3m2x4 f32", "wb32+ r{4}f32 rb32", "8.7:100a,103a"),
        ("rs [relu] satfinite e2m1x4 f32", "wb16+ r{4}f32 rb32", "8.7:100a,103a"),
        ("rn satfinite [relu] e2m1x2 f32", "wb8+ r1+ r1+", "8.6:100f,120f"),
        ("rn [relu] f16x2 e2m1x2", "wb32+ rb8+", "8.6:100f,120f"),
        ("rn satfinite [relu] e2m3x2|e3m2x2 f32", "wb16+ r1+ r1+", "8.6:100f,120f"),
        ("rn [relu] f16x2 e2m3x2|e3m2x2", "wb32+ rb16+", "8.6:100f,120f"),
        ("rz|rp [satfinite] ue8m0x2 f32", "wb16+ r1+ r1+", "8.6:100f,120f"),
        ("rz|rp [satfinite] ue8m0x2 bf16x2", "wb16+ rb32+", "8.6:100f,120f"),
        ("rn bf16x2 ue8m0x2", "wb32+ rb16+", "8.6:100f,120f"),
        // Packed integers.
        ("pack sat u16|s16 s32", "wb32 r1 r1", "6.5:72"),
        ("pack sat u8|s8 s32 b32", "wb32 r1 r1 rb32", "6.5:72"),
        ("pack sat u2|s2|u4|s4 s32 b32", "wb32 r1 r1 rb32", "6.5:75"),
    ],
)];
