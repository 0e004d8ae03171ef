//! Half precision, bfloat16, pairs of singles, and singles mixed with halves.

use ptx_parser::{Mnemonic, Modifier, Type};

use super::float::{arithmetic, flags, mode};
use super::integer::scalar;
use super::{Decoder, View};
use crate::api::error::Error;
use crate::exec::half;
use crate::exec::half::{
    ExtremeFlags, Half, HalfForm, HalfOperation, HalfPair, Mixed, MixedForm, SinglePair, Unrounded,
};
use crate::exec::op::Op;
use crate::exec::rounding::{Arithmetic, Mode};
use crate::exec::scalar_ops::Directed;

/// One half or bfloat16, or two packed ones.
pub(super) fn decode<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let ty = view.ty();
    let mnemonic = view.opcode.mnemonic();
    let unrounded = |operation| Some(HalfOperation::Unrounded(operation));
    let operation = match (arithmetic(mnemonic), mnemonic) {
        (Some(Arithmetic::Divide | Arithmetic::Root), _) => None,
        (Some(operation), _) => Some(HalfOperation::Arithmetic(operation)),
        (None, Mnemonic::Min) => unrounded(Unrounded::Min),
        (None, Mnemonic::Max) => unrounded(Unrounded::Max),
        (None, Mnemonic::Neg) => unrounded(Unrounded::Neg),
        (None, Mnemonic::Abs) => unrounded(Unrounded::Abs),
        (None, Mnemonic::Ex2) => unrounded(Unrounded::Ex2),
        (None, Mnemonic::Tanh) => unrounded(Unrounded::Tanh),
        _ => None,
    };
    let (Some(operation), Mode::Nearest) = (operation, mode(view)) else {
        return Err(d.unsupported(view, "half precision has no such form"));
    };
    let (flags, extremes, relu) = (flags(view), extremes(view), view.has(Modifier::Relu));
    let form = HalfForm { operation, ty: half::element(ty), flags, extremes, relu };
    match ty {
        Type::F16 | Type::Bf16 => scalar::<Half>(d, view, [Type::B16; 3], form),
        _ => scalar::<HalfPair>(d, view, [Type::B32; 3], form),
    }
}

/// Returns what `min` and `max` do with NaNs and signs.
pub(super) fn extremes(view: &View<'_, '_>) -> ExtremeFlags {
    if !matches!(view.opcode.mnemonic(), Mnemonic::Min | Mnemonic::Max) {
        return ExtremeFlags::default();
    }
    ExtremeFlags {
        nan_wins: view.has(Modifier::NaN),
        magnitudes: view.has(Modifier::Abs),
        xor_sign: view.has(Modifier::Xorsign),
    }
}

/// `.f32x2`.
pub(super) fn single_pair<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    match arithmetic(view.opcode.mnemonic()) {
        Some(operation @ (Arithmetic::Add | Arithmetic::Subtract | Arithmetic::Multiply | Arithmetic::MultiplyAdd)) => {
            let form = Directed { operation, mode: mode(view), flags: flags(view) };
            scalar::<SinglePair>(d, view, [Type::B64; 3], form)
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
    let form = MixedForm { operation, from, mode: mode(view), flags: flags(view) };
    let sources = match operation {
        Arithmetic::MultiplyAdd => [from, from, Type::F32],
        _ => [from, Type::F32, Type::F32],
    };
    scalar::<Mixed>(d, view, sources, form)
}
