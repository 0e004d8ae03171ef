//! Floating-point arithmetic.

use ptx_parser::{Mnemonic, Modifier, Type};

use super::integer::{finish, scalar};
use super::{Decoder, View, half};
use crate::api::error::Error;
use crate::exec::float::*;
use crate::exec::half::{Extreme, ExtremeForm};
use crate::exec::op::{Handler, Op, pick};
use crate::exec::rounding::{Arithmetic, Mode};
use crate::exec::rows::{Map1, Map2, Map3};
use crate::exec::scalar_ops::{
    CopySign, Cos, Directed, Directed32, Directed64, Ex2, FloatFlags, FloatKind, Lg2, Sin, Tanh, Testp, TestpForm,
};

/// The rounding mode that the modifiers name.
pub(super) fn mode(view: &View<'_, '_>) -> Mode {
    match () {
        () if view.has_any(&[Modifier::Rz, Modifier::Rzi]) => Mode::Zero,
        () if view.has_any(&[Modifier::Rm, Modifier::Rmi]) => Mode::Down,
        () if view.has_any(&[Modifier::Rp, Modifier::Rpi]) => Mode::Up,
        () if view.has(Modifier::Rna) => Mode::Away,
        () => Mode::Nearest,
    }
}

pub(super) fn arithmetic(mnemonic: Mnemonic) -> Option<Arithmetic> {
    Some(match mnemonic {
        Mnemonic::Add => Arithmetic::Add,
        Mnemonic::Sub => Arithmetic::Subtract,
        Mnemonic::Mul => Arithmetic::Multiply,
        Mnemonic::Mad | Mnemonic::Fma => Arithmetic::MultiplyAdd,
        Mnemonic::Div => Arithmetic::Divide,
        Mnemonic::Sqrt => Arithmetic::Root,
        _ => return None,
    })
}

/// See the module.
pub(super) fn decode<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let ty = view.ty();
    if view.has(Modifier::Oob) {
        return Err(d.unsupported(
            view,
            "`.oob` looks for a NaN that only tensor copies make and whose bits the ISA does not give",
        ));
    }
    if view.opcode.types().len() > 1 {
        return half::mixed(d, view);
    }
    match ty {
        Type::F32 => single(d, view),
        Type::F64 => double(d, view),
        Type::F16 | Type::Bf16 | Type::F16x2 | Type::Bf16x2 => half::decode(d, view),
        Type::F32x2 => half::single_pair(d, view),
        _ => Err(d.unsupported(view, "this type is not modelled")),
    }
}

pub(super) fn flags(view: &View<'_, '_>) -> FloatFlags {
    FloatFlags { flushes: view.has(Modifier::Ftz), saturates: view.has(Modifier::Sat) }
}

/// The frequent forms of single precision: name, `.ftz`, `.sat`.
fn single_form(mnemonic: Mnemonic, ftz: bool, sat: bool) -> Option<Handler> {
    Some(match (mnemonic, ftz, sat) {
        (Mnemonic::Add, false, false) => pick::<Map2<AddF<f32>>>(),
        (Mnemonic::Add, true, false) => pick::<Map2<AddFtz>>(),
        (Mnemonic::Add, false, true) => pick::<Map2<AddSatF>>(),
        (Mnemonic::Add, true, true) => pick::<Map2<AddSatFtz>>(),
        (Mnemonic::Sub, false, false) => pick::<Map2<SubF<f32>>>(),
        (Mnemonic::Sub, true, false) => pick::<Map2<SubFtz>>(),
        (Mnemonic::Sub, false, true) => pick::<Map2<SubSatF>>(),
        (Mnemonic::Sub, true, true) => pick::<Map2<SubSatFtz>>(),
        (Mnemonic::Mul, false, false) => pick::<Map2<MulF<f32>>>(),
        (Mnemonic::Mul, true, false) => pick::<Map2<MulFtz>>(),
        (Mnemonic::Mul, false, true) => pick::<Map2<MulSatF>>(),
        (Mnemonic::Mul, true, true) => pick::<Map2<MulSatFtz>>(),
        (Mnemonic::Mad | Mnemonic::Fma, false, false) => pick::<Map3<Fma<f32>>>(),
        (Mnemonic::Mad | Mnemonic::Fma, true, false) => pick::<Map3<FmaFtz>>(),
        (Mnemonic::Mad | Mnemonic::Fma, false, true) => pick::<Map3<FmaSat>>(),
        (Mnemonic::Mad | Mnemonic::Fma, true, true) => pick::<Map3<FmaSatFtz>>(),
        (Mnemonic::Div, false, false) => pick::<Map2<DivF<f32>>>(),
        (Mnemonic::Div, true, false) => pick::<Map2<DivFtz>>(),
        (Mnemonic::Min, false, false) => pick::<Map2<MinF<f32>>>(),
        (Mnemonic::Min, true, false) => pick::<Map2<MinFtz>>(),
        (Mnemonic::Max, false, false) => pick::<Map2<MaxF<f32>>>(),
        (Mnemonic::Max, true, false) => pick::<Map2<MaxFtz>>(),
        (Mnemonic::Abs, false, false) => pick::<Map1<AbsF<f32>>>(),
        (Mnemonic::Abs, true, false) => pick::<Map1<AbsFtz>>(),
        (Mnemonic::Neg, false, false) => pick::<Map1<NegF<f32>>>(),
        (Mnemonic::Neg, true, false) => pick::<Map1<NegFtz>>(),
        (Mnemonic::Sqrt, false, false) => pick::<Map1<Sqrt<f32>>>(),
        (Mnemonic::Sqrt, true, false) => pick::<Map1<SqrtFtz>>(),
        (Mnemonic::Rcp, false, false) => pick::<Map1<Rcp<f32>>>(),
        (Mnemonic::Rcp, true, false) => pick::<Map1<RcpFtz>>(),
        (Mnemonic::Rsqrt, false, false) => pick::<Map1<Rsqrt>>(),
        (Mnemonic::Rsqrt, true, false) => pick::<Map1<RsqrtFtz>>(),
        _ => return None,
    })
}

fn single<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let ty = Type::F32;
    let mnemonic = view.opcode.mnemonic();
    let mode = mode(view);
    let flags = flags(view);
    if mnemonic == Mnemonic::Min || mnemonic == Mnemonic::Max {
        let three = view.operands().len() == 4;
        if three || view.has_any(&[Modifier::NaN, Modifier::Abs, Modifier::Xorsign]) {
            let larger = mnemonic == Mnemonic::Max;
            let form = ExtremeForm { larger, three, flags, extremes: half::extremes(view) };
            return scalar::<Extreme>(d, view, [ty; 3], form);
        }
    }
    if mode != Mode::Nearest {
        let directed = |operation| Directed { operation, mode, flags };
        return match (arithmetic(mnemonic), mnemonic) {
            (Some(operation), _) => scalar::<Directed32>(d, view, [ty; 3], directed(operation)),
            // A reciprocal is a division of one, whose row takes the place of the first operand.
            (None, Mnemonic::Rcp) => {
                let mut op = scalar::<Directed32>(d, view, [ty; 3], directed(Arithmetic::Divide))?;
                op.b = op.a;
                op.a = d.constant(super::rows::Width::W32, crate::program::registers::Source::Bits(0x3f80_0000));
                Ok(op)
            }
            _ => Err(d.unsupported(view, "this rounding mode is not modelled")),
        };
    }
    let sources = [ty; 3];
    match mnemonic {
        Mnemonic::Sin => scalar::<Sin>(d, view, sources, flags),
        Mnemonic::Cos => scalar::<Cos>(d, view, sources, flags),
        Mnemonic::Ex2 => scalar::<Ex2>(d, view, sources, flags),
        Mnemonic::Lg2 => scalar::<Lg2>(d, view, sources, flags),
        Mnemonic::Tanh => scalar::<Tanh>(d, view, sources, flags),
        Mnemonic::Copysign => scalar::<CopySign>(d, view, sources, 32),
        Mnemonic::Testp => testp(d, view),
        Mnemonic::Div if view.has(Modifier::Approx) => {
            let run = if view.has(Modifier::Ftz) { pick::<Map2<DivApproxFtz>>() } else { pick::<Map2<DivApprox>>() };
            finish(d, view, run, ty, sources)
        }
        _ => match single_form(mnemonic, view.has(Modifier::Ftz), view.has(Modifier::Sat)) {
            Some(run) => finish(d, view, run, ty, sources),
            None => Err(d.unsupported(view, "this combination of modifiers is not modelled")),
        },
    }
}

fn testp<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let kind = match () {
        () if view.has(Modifier::Finite) => FloatKind::Finite,
        () if view.has(Modifier::Infinite) => FloatKind::Infinite,
        () if view.has(Modifier::Number) => FloatKind::Number,
        () if view.has(Modifier::Notanumber) => FloatKind::NotANumber,
        () if view.has(Modifier::Normal) => FloatKind::Normal,
        () if view.has(Modifier::Subnormal) => FloatKind::Subnormal,
        () => return Err(d.unsupported(view, "the property to test is missing")),
    };
    scalar::<Testp>(d, view, [view.ty(); 3], TestpForm { kind, double: view.ty() == Type::F64 })
}

fn double<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let ty = Type::F64;
    let mnemonic = view.opcode.mnemonic();
    let mode = mode(view);
    if mode != Mode::Nearest {
        let directed = |operation| Directed { operation, mode, flags: FloatFlags::default() };
        return match (arithmetic(mnemonic), mnemonic) {
            (Some(operation), _) => scalar::<Directed64>(d, view, [ty; 3], directed(operation)),
            (None, Mnemonic::Rcp) => {
                let mut op = scalar::<Directed64>(d, view, [ty; 3], directed(Arithmetic::Divide))?;
                op.b = op.a;
                op.a = d.constant(super::rows::Width::W64, crate::program::registers::Source::Bits(1f64.to_bits()));
                Ok(op)
            }
            _ => Err(d.unsupported(view, "this rounding mode is not modelled")),
        };
    }
    let run = match mnemonic {
        Mnemonic::Add => pick::<Map2<AddF<f64>>>(),
        Mnemonic::Sub => pick::<Map2<SubF<f64>>>(),
        Mnemonic::Mul => pick::<Map2<MulF<f64>>>(),
        Mnemonic::Mad | Mnemonic::Fma => pick::<Map3<Fma<f64>>>(),
        Mnemonic::Div => pick::<Map2<DivF<f64>>>(),
        Mnemonic::Min => pick::<Map2<MinF<f64>>>(),
        Mnemonic::Max => pick::<Map2<MaxF<f64>>>(),
        Mnemonic::Abs => pick::<Map1<AbsF<f64>>>(),
        Mnemonic::Neg => pick::<Map1<NegF<f64>>>(),
        Mnemonic::Sqrt => pick::<Map1<Sqrt<f64>>>(),
        Mnemonic::Rcp => pick::<Map1<Rcp<f64>>>(),
        Mnemonic::Rsqrt => pick::<Map1<RsqrtDouble>>(),
        Mnemonic::Copysign => return scalar::<CopySign>(d, view, [ty; 3], 64),
        Mnemonic::Testp => return testp(d, view),
        _ => return Err(d.unsupported(view, "this function of double precision does not exist")),
    };
    finish(d, view, run, ty, [ty; 3])
}
