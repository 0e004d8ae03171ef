//! Moves and addresses (PTX ISA, "Data Movement and Conversion Instructions").

use super::super::effect::{Effect, Rate};
use super::super::properties::Class;
use super::{Family, family};

const MOVE: Effect = Effect::COMPUTE.rate(Rate::Words(Class::Integer));

pub(super) static ROWS: &[Family] = &[
    family("mov", MOVE, &[("pred|$value|b128@8.3:70", "wm0 rm0", ""), ("v2|v4|v8 $memory", "w{v}0 r{v}0", "")]),
    family("cvta", MOVE, &[("$spaces u32|u64", "w0 r0&", "2.0:20"), ("to $spaces u32|u64", "w0 r0", "2.0:20")]),
    family("isspacep", MOVE, &[("$spaces", "wp ru64", "2.0:20"), ("$spaces", "wp ru32", "2.0:20")]),
    family("istypep", Effect::COMPUTE, &[("texref|samplerref|surfref", "wp ru64&", "4.0:30")]),
    family("mapa", Effect::COMPUTE, &[("[shared::cluster] u32|u64", "w0 r0& ru32", "7.8:90")]),
    family("getctarank", Effect::COMPUTE, &[("[shared::cluster] u32|u64", "wu32 r0&", "7.8:90")]),
];
