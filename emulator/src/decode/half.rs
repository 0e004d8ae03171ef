//! Half precision, bfloat16, pairs of singles, and singles mixed with halves.

use ptx_parser::{Mnemonic, Modifier, Type};

use super::float::{arithmetic, flags, mode};
use super::integer::scalar;
use super::{Decoder, View};
use crate::api::error::Error;
use crate::exec::Op;
use crate::exec::half;
use crate::exec::half::{Half, HalfPair, MAGNITUDE, Mixed, RELU, SinglePair, XOR_SIGN};
use crate::exec::rounding::{Arithmetic, Mode};
use crate::exec::scalar_ops::NAN_WINS;

/// One half or bfloat16, or two packed ones.
pub(super) fn decode<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let ty = view.ty();
    let mnemonic = view.opcode.mnemonic();
    let code = match (arithmetic(mnemonic), mnemonic) {
        (Some(Arithmetic::Divide | Arithmetic::Root), _) => None,
        (Some(operation), _) => Some(operation as u64),
        (None, Mnemonic::Min) => Some(half::MIN),
        (None, Mnemonic::Max) => Some(half::MAX),
        (None, Mnemonic::Neg) => Some(half::NEG),
        (None, Mnemonic::Abs) => Some(half::ABS),
        (None, Mnemonic::Ex2) => Some(half::EX2),
        (None, Mnemonic::Tanh) => Some(half::TANH),
        _ => None,
    };
    let (Some(code), Mode::Nearest) = (code, mode(view)) else {
        return Err(d.unsupported(view, "half precision has no such form"));
    };
    let relu = if view.has(Modifier::Relu) { RELU } else { 0 };
    let imm = code | (half::element(ty) as u64) << 8 | flags(view) | comparing(view) | relu;
    match ty {
        Type::F16 | Type::Bf16 => scalar::<Half>(d, view, [Type::B16; 3], imm),
        _ => scalar::<HalfPair>(d, view, [Type::B32; 3], imm),
    }
}

/// Returns what `min` and `max` do with NaNs and signs.
pub(super) fn comparing(view: &View<'_, '_>) -> u64 {
    let extremes = matches!(view.opcode.mnemonic(), Mnemonic::Min | Mnemonic::Max);
    let flag = |modifier: Modifier, bit: u64| if extremes && view.has(modifier) { bit } else { 0 };
    flag(Modifier::NaN, NAN_WINS) | flag(Modifier::Abs, MAGNITUDE) | flag(Modifier::Xorsign, XOR_SIGN)
}

/// `.f32x2`.
pub(super) fn single_pair<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    match arithmetic(view.opcode.mnemonic()) {
        Some(operation @ (Arithmetic::Add | Arithmetic::Subtract | Arithmetic::Multiply | Arithmetic::MultiplyAdd)) => {
            let imm = operation as u64 | mode(view).code() << 8 | flags(view);
            scalar::<SinglePair>(d, view, [Type::B64; 3], imm)
        }
        _ => Err(d.unsupported(view, "pairs of singles have no such form")),
    }
}

/// A single computed from halves and a single.
pub(super) fn mixed<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let operation = arithmetic(view.opcode.mnemonic());
    let (Type::F32, from @ (Type::F16 | Type::Bf16), Some(operation)) = (view.first_ty(), view.ty(), operation) else {
        return Err(d.unsupported(view, "these types cannot be mixed"));
    };
    let imm = operation as u64 | mode(view).code() << 8 | flags(view) | (from as u64) << 24;
    let sources = match operation {
        Arithmetic::MultiplyAdd => [from, from, Type::F32],
        _ => [from, Type::F32, Type::F32],
    };
    scalar::<Mixed>(d, view, sources, imm)
}
