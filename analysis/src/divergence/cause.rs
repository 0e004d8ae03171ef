//! The reasons why a value is not uniform.

use ptx_parser::{Inst, Kernel, Reg, Special};

/// The first source in the chain that makes a value or branch divergent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// The instruction reads a special register that differs between lanes or changes with time.
    Special(Inst, Special),
    /// The instruction loads from memory that other threads may write, or that is private to each thread.
    Load(Inst),
    /// The instruction is an atomic, each of whose lanes sees its own old value.
    Atomic(Inst),
    /// The instruction exchanges data between lanes: shuffle, match, vote (but see [`super::Divergence`]), barrier
    /// reduction.
    Exchange(Inst),
    /// The instruction calls a function.
    Call(Inst),
    /// The instruction's opcode is not in the table, or its result may differ for another reason that the table knows.
    Unknown(Inst),
    /// The instruction takes the address of memory that is private to each thread.
    LocalAddress(Inst),
    /// The function's caller passes this register.
    Argument(Reg),
    /// Lanes arrive on different paths: they parted at this branch.
    Join(Inst),
    /// Lanes left a loop in different iterations: they parted at this branch.
    LoopExit(Inst),
    /// The caller of the function may be divergent.
    Entry,
}

impl Cause {
    /// The instruction that is to blame, whose line a message can name. For [`Cause::Join`] and [`Cause::LoopExit`]
    /// this is the branch; why that one is divergent is its own question.
    #[must_use]
    pub fn inst(self) -> Option<Inst> {
        match self {
            Cause::Special(inst, _)
            | Cause::Load(inst)
            | Cause::Atomic(inst)
            | Cause::Exchange(inst)
            | Cause::Call(inst)
            | Cause::Unknown(inst)
            | Cause::LocalAddress(inst)
            | Cause::Join(inst)
            | Cause::LoopExit(inst) => Some(inst),
            Cause::Argument(_) | Cause::Entry => None,
        }
    }

    /// The reason in words, without the line: `it reads %tid.x`.
    #[must_use]
    pub fn text(self, kernel: &Kernel) -> String {
        match self {
            Cause::Special(_, special) => format!("reads {special}"),
            Cause::Load(inst) => format!("loaded by {}", kernel.opcode(inst)),
            Cause::Atomic(inst) => format!("result of {}", kernel.opcode(inst)),
            Cause::Exchange(inst) => format!("exchanged between lanes by {}", kernel.opcode(inst)),
            Cause::Call(_) => "result of a call".to_owned(),
            Cause::Unknown(inst) => format!("result of {}, which may differ between lanes", kernel.opcode(inst)),
            Cause::LocalAddress(_) => "address of thread-private memory".to_owned(),
            Cause::Argument(reg) => format!("argument {}", kernel.reg_name(reg)),
            Cause::Join(_) => "lanes arrive on different paths from a divergent branch".to_owned(),
            Cause::LoopExit(_) => "lanes leave the loop in different iterations by a divergent branch".to_owned(),
            Cause::Entry => "the caller may be divergent".to_owned(),
        }
    }

    /// The reason with the line of the PTX text: `reads %tid.x (L7)`.
    #[must_use]
    pub fn describe(self, kernel: &Kernel) -> String {
        let line = self.inst().and_then(|inst| kernel.text_position(inst)).map(|at| format!(" (L{})", at.line));
        self.text(kernel) + &line.unwrap_or_default()
    }
}
