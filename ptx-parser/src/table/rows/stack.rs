//! The stack (PTX ISA, "Stack Manipulation Instructions").

use super::super::effect::Effect;
use super::{Family, family};

pub(super) static ROWS: &[Family] = &[
    family("alloca", Effect::ACTION, &[("u32|u64", "w0 r0 r#?", "7.3:52")]),
    family("stacksave", Effect::ACTION, &[("u32|u64", "w0", "7.3:52")]),
    family("stackrestore", Effect::ACTION, &[("u32|u64", "r0", "7.3:52")]),
];
