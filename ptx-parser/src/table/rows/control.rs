//! Control flow (PTX ISA, "Control Flow Instructions"), traps and other instructions without operands of a type.

use super::super::effect::Effect;
use super::super::properties::Flow;
use super::{Family, family};

pub(super) static ROWS: &[Family] = &[
    family("bra", Effect::control(Flow::Branch), &[("[uni]", "rl", "")]),
    family("brx", Effect::control(Flow::IndirectBranch), &[("idx [uni]", "r%u32 rg", "6.0:30")]),
    family(
        "call",
        Effect::control(Flow::Call),
        &[
            ("[uni]", "rf r*?", ""),
            ("[uni]", "rf rt r*?", ""),
            ("[uni]", "rt rf rt r*?", ""),
            ("[uni]", "rt rf r*?", ""),
        ],
    ),
    family("ret", Effect::control(Flow::Return), &[("[uni]", "", "")]),
    family("exit", Effect::control(Flow::Exit), &[("", "", "")]),
    family("trap", Effect::control(Flow::Trap), &[("", "", "")]),
    family("brkpt", Effect::ACTION, &[("", "", "")]),
    family("nanosleep", Effect::ACTION, &[("u32", "r0", "6.3:70")]),
    family("pmevent", Effect::ACTION, &[("", "r#=0..15", "1.4"), ("mask", "r#", "3.0:20")]),
    family("griddepcontrol", Effect::ANYTHING, &[("launch_dependents|wait", "", "7.8:90")]),
    family("setmaxnreg", Effect::ANYTHING, &[("inc|dec sync aligned u32", "r#=24..256*8", "8.0:90a,100f,110f,120f")]),
    // The stack (PTX ISA, "Stack Manipulation Instructions").
    family("alloca", Effect::ACTION, &[("u32|u64", "w0 r0 r#?", "7.3:52")]),
    family("stacksave", Effect::ACTION, &[("u32|u64", "w0", "7.3:52")]),
    family("stackrestore", Effect::ACTION, &[("u32|u64", "r0", "7.3:52")]),
];
