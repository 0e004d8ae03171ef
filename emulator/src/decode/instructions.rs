//! One instruction: the file that decodes it.
//!
//! Control flow and what waits for other lanes end blocks ([`super::flow`]); everything else becomes one op, chosen by the file of
//! its [`Group`]. The compiler checks that every mnemonic of the table has a group. Where the number of operands follows from the
//! mnemonic it is checked here, once for all groups.

use ptx_parser::{Flow, Inst, Mnemonic, Modifier, Type};

use super::{
    Decoder, Frame, MAX_INSTRUCTIONS, View, asynchronous, convert, float, integer, logic, memory, moves, stack, video,
    warp,
};
use crate::api::error::Error;
use crate::exec::op::Op;

impl<'m> Decoder<'m> {
    /// Decodes one instruction into the current block; control flow ends the block.
    pub(super) fn instruction(&mut self, frame: &mut Frame<'m>, inst: Inst) -> Result<(), Error> {
        let kernel = frame.kernel;
        let opcode = kernel.opcode(inst);
        if self.drafts.insts.len() >= MAX_INSTRUCTIONS {
            let view = View { frame, inst, data: kernel.inst(inst), opcode };
            return Err(
                self.unsupported(&view, "with its calls expanded the kernel has more than 4 million instructions")
            );
        }
        let group = group(opcode.mnemonic())
            .map_err(|reason| self.unsupported(&View { frame, inst, data: kernel.inst(inst), opcode }, reason))?;
        self.current.rows_before = self.rows.counts;
        self.note_accesses(frame, inst);
        if opcode.properties().flow != Flow::Next || opcode.mnemonic() == Mnemonic::Brkpt {
            return self.control(frame, inst);
        }
        let view = View { frame, inst, data: kernel.inst(inst), opcode };
        if matches!(opcode.mnemonic(), Mnemonic::Bar | Mnemonic::Barrier)
            || (opcode.has(Modifier::Sync)
                && opcode.properties().convergent
                && opcode.mnemonic() != Mnemonic::Setmaxnreg)
        {
            return self.together(&view);
        }
        let op = self.operation(&view, group)?;
        self.emit(&view, op);
        self.forget_written(frame, inst);
        Ok(())
    }

    /// Returns what an instruction without control flow becomes.
    fn operation(&mut self, view: &View<'_, 'm>, group: Group) -> Result<Op, Error> {
        let ty = view.ty();
        let operands = view.operands().len();
        if let Some(sources) = sources(view.opcode.mnemonic())
            && operands != sources + 1
            // Of singles there may be three.
            && !(operands == 4 && ty == Type::F32 && matches!(view.opcode.mnemonic(), Mnemonic::Min | Mnemonic::Max))
        {
            return Err(self.unsupported(view, format!("it has {operands} operands and not {}", sources + 1)));
        }
        match group {
            Group::Arithmetic if ty.is_float() => float::decode(self, view),
            Group::Arithmetic | Group::Integer => integer::decode(self, view),
            Group::Float => float::decode(self, view),
            Group::Logic => logic::decode(self, view),
            Group::Convert => convert::decode(self, view),
            Group::Move => moves::decode(self, view),
            Group::Stack => stack::decode(self, view),
            Group::Memory => memory::decode(self, view),
            Group::BarrierObject => asynchronous::mbarrier(self, view),
            Group::Copy => asynchronous::copy(self, view),
            Group::Warp => warp::decode(self, view),
            Group::Video => video::decode(self, view),
            Group::Control => Err(self.unsupported(view, "this form of control flow is not modelled")),
        }
    }
}

/// The file that decodes an instruction.
#[derive(Clone, Copy)]
enum Group {
    /// Arithmetic: [`float`] decodes that of floats, [`integer`] that of all other types.
    Arithmetic,
    Integer,
    Float,
    Logic,
    Convert,
    Move,
    Stack,
    Memory,
    BarrierObject,
    Copy,
    Warp,
    Video,
    /// It ends a block: [`super::flow`].
    Control,
}

/// Returns the group of a mnemonic; the error is the reason why no instruction of it is run.
fn group(mnemonic: Mnemonic) -> Result<Group, &'static str> {
    use Mnemonic::*;
    Ok(match mnemonic {
        Add | Sub | Mul | Mad | Div | Abs | Neg | Min | Max | Fma => Group::Arithmetic,
        Addc | Bfe | Bfi | Bfind | Bmsk | Brev | Clz | Dp2a | Dp4a | Fns | Mad24 | Madc | Mul24 | Popc | Prmt | Rem
        | Sad | Subc | Szext => Group::Integer,
        Copysign | Cos | Ex2 | Lg2 | Rcp | Rsqrt | Sin | Sqrt | Tanh | Testp => Group::Float,
        And | Cnot | Lop3 | Not | Or | Selp | Set | Setp | Shf | Shl | Shr | Slct | Xor => Group::Logic,
        Cvt => Group::Convert,
        Cvta | Getctarank | Isspacep | Mapa | Mov => Group::Move,
        Alloca | Stackrestore | Stacksave => Group::Stack,
        Applypriority | Atom | Createpolicy | Discard | Fence | Griddepcontrol | Ld | Ldu | Membar | Nanosleep
        | Pmevent | Prefetch | Prefetchu | Red | Setmaxnreg | St => Group::Memory,
        Mbarrier => Group::BarrierObject,
        Cp => Group::Copy,
        Activemask | Elect | Match | Redux | Shfl | Vote => Group::Warp,
        Vabsdiff | Vabsdiff2 | Vabsdiff4 | Vadd | Vadd2 | Vadd4 | Vavrg2 | Vavrg4 | Vmad | Vmax | Vmax2 | Vmax4
        | Vmin | Vmin2 | Vmin4 | Vset | Vset2 | Vset4 | Vshl | Vshr | Vsub | Vsub2 | Vsub4 => Group::Video,
        Bar | Barrier | Bra | Brkpt | Brx | Call | Exit | Ret | Trap => Group::Control,
        Ldmatrix | Mma | Movmatrix | Stmatrix | Tcgen05 | Wgmma | Wmma => return Err("tensor cores are not modelled"),
        Istypep | Tex | Tld4 | Txq => return Err("textures are not modelled"),
        Suld | Suq | Sured | Sust => return Err("surfaces are not modelled"),
        Clusterlaunchcontrol => return Err("launches of clusters are not modelled"),
        Multimem => return Err("memory of several devices is not modelled"),
        Tensormap => return Err("tensor copies are not modelled"),
        Other => return Err("no such instruction is known"),
    })
}

/// Returns how many sources a computing instruction has behind its result; `None` where that varies or is checked elsewhere.
fn sources(mnemonic: Mnemonic) -> Option<usize> {
    Some(match mnemonic {
        Mnemonic::Abs
        | Mnemonic::Neg
        | Mnemonic::Not
        | Mnemonic::Cnot
        | Mnemonic::Popc
        | Mnemonic::Clz
        | Mnemonic::Brev
        | Mnemonic::Bfind
        | Mnemonic::Mov
        | Mnemonic::Cvta
        | Mnemonic::Isspacep
        | Mnemonic::Sqrt
        | Mnemonic::Rcp
        | Mnemonic::Rsqrt
        | Mnemonic::Sin
        | Mnemonic::Cos
        | Mnemonic::Ex2
        | Mnemonic::Lg2
        | Mnemonic::Tanh
        | Mnemonic::Testp => 1,
        Mnemonic::Add
        | Mnemonic::Sub
        | Mnemonic::Mul
        | Mnemonic::Div
        | Mnemonic::Rem
        | Mnemonic::Min
        | Mnemonic::Max
        | Mnemonic::And
        | Mnemonic::Or
        | Mnemonic::Xor
        | Mnemonic::Shl
        | Mnemonic::Shr
        | Mnemonic::Addc
        | Mnemonic::Subc
        | Mnemonic::Mul24
        | Mnemonic::Szext
        | Mnemonic::Bmsk
        | Mnemonic::Copysign => 2,
        Mnemonic::Mad
        | Mnemonic::Fma
        | Mnemonic::Sad
        | Mnemonic::Madc
        | Mnemonic::Mad24
        | Mnemonic::Bfe
        | Mnemonic::Shf
        | Mnemonic::Prmt
        | Mnemonic::Fns
        | Mnemonic::Dp4a
        | Mnemonic::Dp2a
        | Mnemonic::Selp
        | Mnemonic::Slct => 3,
        Mnemonic::Bfi => 4,
        _ => return None,
    })
}
