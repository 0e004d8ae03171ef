//! One instruction without control flow: the file that emits it.

use ptx_parser::Mnemonic;

use super::view::View;
use super::{atomic, convert, float, half, integer, logic, memory, moves, video};
use crate::refusal::Refusal;

/// Returns the statement of C for an instruction that neither branches nor waits for other threads. Its guard is not part of it.
///
/// # Errors
/// An instruction or form that is not translated.
pub(crate) fn emit(view: &View<'_>) -> Result<String, Refusal> {
    use Mnemonic::*;
    let opcode = view.opcode();
    if !opcode.typing().is_known() {
        return Err(view.refuse("no such instruction is known"));
    }
    let ty = view.ty();
    let is_half = half::is_half(view);
    match opcode.mnemonic() {
        Add | Sub | Mul | Mad | Div | Abs | Neg | Min | Max | Fma if is_half => half::emit(view),
        Add | Sub | Mul | Mad | Div | Abs | Neg | Min | Max | Fma if ty.is_float() => float::emit(view),
        Ex2 | Tanh if is_half => half::emit(view),
        Copysign | Cos | Ex2 | Lg2 | Rcp | Rsqrt | Sin | Sqrt | Tanh | Testp => float::emit(view),
        Add | Sub | Mul | Mad | Div | Abs | Neg | Min | Max | Addc | Bfe | Bfi | Bfind | Bmsk | Brev | Clz | Dp2a
        | Dp4a | Fns | Mad24 | Madc | Mul24 | Popc | Prmt | Rem | Sad | Subc | Szext => integer::emit(view),
        Set | Setp if is_half => half::emit(view),
        And | Cnot | Lop3 | Not | Or | Selp | Set | Setp | Shf | Shl | Shr | Slct | Xor => logic::emit(view),
        Cvt => convert::emit(view),
        Cvta | Getctarank | Isspacep | Mapa | Mov => moves::emit(view),
        Ld | Ldu | St | Membar | Fence | Prefetch | Prefetchu | Nanosleep | Applypriority | Discard | Createpolicy
        | Griddepcontrol | Pmevent | Setmaxnreg => memory::emit(view),
        Atom | Red => atomic::emit(view),
        Vabsdiff | Vabsdiff2 | Vabsdiff4 | Vadd | Vadd2 | Vadd4 | Vavrg2 | Vavrg4 | Vmad | Vmax | Vmax2 | Vmax4
        | Vmin | Vmin2 | Vmin4 | Vset | Vset2 | Vset4 | Vshl | Vshr | Vsub | Vsub2 | Vsub4 => video::emit(view),
        _ => Err(view.refuse("this instruction is not translated")),
    }
}
