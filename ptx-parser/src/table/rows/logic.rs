//! Logic and shifts (PTX ISA, "Logic and Shift Instructions").

use super::super::effect::{Effect, Rate};
use super::super::properties::Class;
use super::{Family, family};

const LOGIC: Effect = Effect::COMPUTE.rate(Rate::Words(Class::Integer));
const SHIFT: Effect = Effect::COMPUTE.rate(Rate::Arithmetic(Class::Shift));

pub(super) static ROWS: &[Family] = &[
    family("and or xor", LOGIC, &[("pred|b16|b32|b64", "w0 r0 r0", "")]),
    family("not", LOGIC, &[("pred|b16|b32|b64", "w0 r0", "")]),
    family("cnot", LOGIC, &[("b16|b32|b64", "w0 r0", "")]),
    family("lop3", LOGIC, &[("b32", "w0 r0 r0 r0 r#", "4.3:50"), ("or|and b32", "w0!_ r0 r0 r0 r# rp", "8.2:70")]),
    family("shf", SHIFT, &[("l|r clamp|wrap b32", "w0 r0 r0 ru32", "3.1:32")]),
    family("shl", SHIFT, &[("b16|b32|b64", "w0 r0 ru32", "")]),
    family("shr", SHIFT, &[("b16|b32|b64|u16|u32|u64|s16|s32|s64", "w0 r0 ru32", "")]),
    family("prmt", LOGIC, &[("b32 [f4e|b4e|rc8|ecl|ecr|rc16]", "w0 r0 r0 r0", "2.0:20")]),
];
