//! One instruction: which file decides what it becomes.
//!
//! Control flow and what waits for other lanes end blocks ([`super::flow`]); everything else becomes one op, chosen by
//! the file of its group. Where the number of operands follows from the mnemonic it is checked here, once for all
//! groups.

use ptx_parser::{Flow, Inst, Type};

use super::{Decoder, Frame, MAX_INSTRUCTIONS, View};
use super::{asynchronous, convert, float, integer, logic, memory, moves, refused, stack, video, warp};
use crate::error::Error;
use crate::exec::Op;

impl<'m> Decoder<'m> {
    /// Decodes one instruction into the current block; control flow ends the block.
    pub(super) fn instruction(&mut self, frame: &mut Frame<'m>, inst: Inst) -> Result<(), Error> {
        let kernel = frame.kernel;
        let opcode = kernel.opcode(inst);
        if self.insts.len() >= MAX_INSTRUCTIONS {
            let view = View { frame, inst, data: kernel.inst(inst), opcode };
            return Err(
                self.unsupported(&view, "with its calls expanded the kernel has more than 4 million instructions")
            );
        }
        if let Some(reason) = refused::reason(opcode.mnemonic()) {
            let view = View { frame, inst, data: kernel.inst(inst), opcode };
            return Err(self.unsupported(&view, reason));
        }
        self.rows_before = self.rows;
        self.note_accesses(frame, inst);
        if opcode.properties().flow != Flow::Next || opcode.mnemonic() == "brkpt" {
            return self.control(frame, inst);
        }
        let view = View { frame, inst, data: kernel.inst(inst), opcode };
        if ["bar", "barrier"].contains(&opcode.mnemonic())
            || (opcode.has("sync") && opcode.properties().convergent && opcode.mnemonic() != "setmaxnreg")
        {
            return self.together(&view);
        }
        let op = self.operation(&view)?;
        self.emit(&view, op);
        self.forget_written(frame, inst);
        Ok(())
    }

    /// Returns what an instruction without control flow becomes.
    fn operation(&mut self, view: &View<'_, 'm>) -> Result<Op, Error> {
        let ty = view.ty();
        let operands = view.operands().len();
        if let Some(sources) = sources(view.opcode.mnemonic())
            && operands != sources + 1
            // Of singles there may be three.
            && !(operands == 4 && ty == Type::F32 && matches!(view.opcode.mnemonic(), "min" | "max"))
        {
            return Err(self.unsupported(view, format!("it has {operands} operands and not {}", sources + 1)));
        }
        match view.opcode.mnemonic() {
            "add" | "sub" | "mul" | "mad" | "div" | "abs" | "neg" | "min" | "max" | "fma" if ty.is_float() => {
                float::decode(self, view)
            }
            "rcp" | "sqrt" | "rsqrt" | "sin" | "cos" | "lg2" | "ex2" | "tanh" | "copysign" | "testp" => {
                float::decode(self, view)
            }
            "and" | "or" | "xor" | "not" | "setp" | "set" | "selp" | "slct" | "lop3" | "cnot" | "shl" | "shr"
            | "shf" => logic::decode(self, view),
            "cvt" => convert::decode(self, view),
            "mov" | "cvta" | "isspacep" | "mapa" | "getctarank" => moves::decode(self, view),
            "alloca" | "stacksave" | "stackrestore" => stack::decode(self, view),
            "ld" | "ldu" | "st" | "atom" | "red" | "membar" | "fence" | "prefetch" | "prefetchu" | "nanosleep"
            | "discard" | "applypriority" | "pmevent" | "createpolicy" | "griddepcontrol" | "setmaxnreg" => {
                memory::decode(self, view)
            }
            "mbarrier" => asynchronous::mbarrier(self, view),
            "cp" => asynchronous::copy(self, view),
            "vote" | "shfl" | "match" | "activemask" => warp::decode(self, view),
            mnemonic if video::is_video(mnemonic) => video::decode(self, view),
            _ => integer::decode(self, view),
        }
    }
}

/// Returns how many sources a computing instruction has behind its result; `None` where that varies or is checked elsewhere.
fn sources(mnemonic: &str) -> Option<usize> {
    Some(match mnemonic {
        "abs" | "neg" | "not" | "cnot" | "popc" | "clz" | "brev" | "bfind" | "mov" | "cvta" | "isspacep" | "sqrt"
        | "rcp" | "rsqrt" | "sin" | "cos" | "ex2" | "lg2" | "tanh" | "testp" => 1,
        "add" | "sub" | "mul" | "div" | "rem" | "min" | "max" | "and" | "or" | "xor" | "shl" | "shr" | "addc"
        | "subc" | "mul24" | "szext" | "bmsk" | "copysign" => 2,
        "mad" | "fma" | "sad" | "madc" | "mad24" | "bfe" | "shf" | "prmt" | "fns" | "dp4a" | "dp2a" | "selp"
        | "slct" => 3,
        "bfi" => 4,
        _ => return None,
    })
}
