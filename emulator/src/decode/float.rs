//! Floating-point arithmetic.

use ptx_parser::Type;

use super::half;
use super::integer::{finish, scalar};
use super::{Decoder, View};
use crate::error::Error;
use crate::exec::float::*;
use crate::exec::half::Extreme;
use crate::exec::rounding::{Arithmetic, Mode};
use crate::exec::rows::{Map1, Map2, Map3};
use crate::exec::scalar_ops::{CopySign, Cos, Directed32, Directed64, Ex2, FTZ, Lg2, SAT, Sin, Tanh, Testp};
use crate::exec::{Handler, Op, pick};

/// The rounding mode that the modifiers name.
pub(super) fn mode(view: &View<'_, '_>) -> Mode {
    match () {
        () if view.has("rz") || view.has("rzi") => Mode::Zero,
        () if view.has("rm") || view.has("rmi") => Mode::Down,
        () if view.has("rp") || view.has("rpi") => Mode::Up,
        () if view.has("rna") => Mode::Away,
        () => Mode::Nearest,
    }
}

pub(super) fn arithmetic(mnemonic: &str) -> Option<Arithmetic> {
    Some(match mnemonic {
        "add" => Arithmetic::Add,
        "sub" => Arithmetic::Subtract,
        "mul" => Arithmetic::Multiply,
        "mad" | "fma" => Arithmetic::MultiplyAdd,
        "div" => Arithmetic::Divide,
        "sqrt" => Arithmetic::Root,
        _ => return None,
    })
}

/// See the module.
pub(super) fn decode<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let ty = view.ty();
    if view.has("oob") {
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

pub(super) fn flags(view: &View<'_, '_>) -> u64 {
    (if view.has("ftz") { FTZ } else { 0 }) | (if view.has("sat") { SAT } else { 0 })
}

/// The frequent forms of single precision: name, `.ftz`, `.sat`.
fn single_form(mnemonic: &str, ftz: bool, sat: bool) -> Option<Handler> {
    Some(match (mnemonic, ftz, sat) {
        ("add", false, false) => pick::<Map2<AddF<f32>>>(),
        ("add", true, false) => pick::<Map2<AddFtz>>(),
        ("add", false, true) => pick::<Map2<AddSatF>>(),
        ("add", true, true) => pick::<Map2<AddSatFtz>>(),
        ("sub", false, false) => pick::<Map2<SubF<f32>>>(),
        ("sub", true, false) => pick::<Map2<SubFtz>>(),
        ("sub", false, true) => pick::<Map2<SubSatF>>(),
        ("sub", true, true) => pick::<Map2<SubSatFtz>>(),
        ("mul", false, false) => pick::<Map2<MulF<f32>>>(),
        ("mul", true, false) => pick::<Map2<MulFtz>>(),
        ("mul", false, true) => pick::<Map2<MulSatF>>(),
        ("mul", true, true) => pick::<Map2<MulSatFtz>>(),
        ("mad" | "fma", false, false) => pick::<Map3<Fma<f32>>>(),
        ("mad" | "fma", true, false) => pick::<Map3<FmaFtz>>(),
        ("mad" | "fma", false, true) => pick::<Map3<FmaSat>>(),
        ("mad" | "fma", true, true) => pick::<Map3<FmaSatFtz>>(),
        ("div", false, false) => pick::<Map2<DivF<f32>>>(),
        ("div", true, false) => pick::<Map2<DivFtz>>(),
        ("min", false, false) => pick::<Map2<MinF<f32>>>(),
        ("min", true, false) => pick::<Map2<MinFtz>>(),
        ("max", false, false) => pick::<Map2<MaxF<f32>>>(),
        ("max", true, false) => pick::<Map2<MaxFtz>>(),
        ("abs", false, false) => pick::<Map1<AbsF<f32>>>(),
        ("abs", true, false) => pick::<Map1<AbsFtz>>(),
        ("neg", false, false) => pick::<Map1<NegF<f32>>>(),
        ("neg", true, false) => pick::<Map1<NegFtz>>(),
        ("sqrt", false, false) => pick::<Map1<Sqrt<f32>>>(),
        ("sqrt", true, false) => pick::<Map1<SqrtFtz>>(),
        ("rcp", false, false) => pick::<Map1<Rcp<f32>>>(),
        ("rcp", true, false) => pick::<Map1<RcpFtz>>(),
        ("rsqrt", false, false) => pick::<Map1<Rsqrt>>(),
        ("rsqrt", true, false) => pick::<Map1<RsqrtFtz>>(),
        _ => return None,
    })
}

fn single<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let ty = Type::F32;
    let mnemonic = view.opcode.mnemonic();
    let mode = mode(view);
    let flags = flags(view);
    if mnemonic == "min" || mnemonic == "max" {
        let three = view.operands().len() == 4;
        if three || ["NaN", "abs", "xorsign"].iter().any(|word| view.has(word)) {
            let imm = half::comparing(view) | flags | u64::from(mnemonic == "max") | u64::from(three) << 1;
            return scalar::<Extreme>(d, view, [ty; 3], imm);
        }
    }
    if mode != Mode::Nearest {
        return match (arithmetic(mnemonic), mnemonic) {
            (Some(operation), _) => scalar::<Directed32>(d, view, [ty; 3], operation as u64 | mode.code() << 8 | flags),
            // A reciprocal is a division of one, whose row takes the place of the first operand.
            (None, "rcp") => {
                let mut op =
                    scalar::<Directed32>(d, view, [ty; 3], Arithmetic::Divide as u64 | mode.code() << 8 | flags)?;
                op.b = op.a;
                op.a = d.constant(super::operands::Width::W32, crate::program::Source::Bits(0x3f80_0000));
                Ok(op)
            }
            _ => Err(d.unsupported(view, "this rounding mode is not modelled")),
        };
    }
    let sources = [ty; 3];
    match mnemonic {
        "sin" => scalar::<Sin>(d, view, sources, flags),
        "cos" => scalar::<Cos>(d, view, sources, flags),
        "ex2" => scalar::<Ex2>(d, view, sources, flags),
        "lg2" => scalar::<Lg2>(d, view, sources, flags),
        "tanh" => scalar::<Tanh>(d, view, sources, flags),
        "copysign" => scalar::<CopySign>(d, view, sources, 32),
        "testp" => testp(d, view),
        "div" if view.has("approx") => {
            let run = if view.has("ftz") { pick::<Map2<DivApproxFtz>>() } else { pick::<Map2<DivApprox>>() };
            finish(d, view, run, ty, sources)
        }
        _ => match single_form(mnemonic, view.has("ftz"), view.has("sat")) {
            Some(run) => finish(d, view, run, ty, sources),
            None => Err(d.unsupported(view, "this combination of modifiers is not modelled")),
        },
    }
}

fn testp<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let kinds = ["finite", "infinite", "number", "notanumber", "normal", "subnormal"];
    let Some(kind) = kinds.iter().position(|kind| view.has(kind)) else {
        return Err(d.unsupported(view, "the property to test is missing"));
    };
    let double = if view.ty() == Type::F64 { 0x100 } else { 0 };
    scalar::<Testp>(d, view, [view.ty(); 3], kind as u64 | double)
}

fn double<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let ty = Type::F64;
    let mnemonic = view.opcode.mnemonic();
    let mode = mode(view);
    if mode != Mode::Nearest {
        return match (arithmetic(mnemonic), mnemonic) {
            (Some(operation), _) => scalar::<Directed64>(d, view, [ty; 3], operation as u64 | mode.code() << 8),
            (None, "rcp") => {
                let mut op = scalar::<Directed64>(d, view, [ty; 3], Arithmetic::Divide as u64 | mode.code() << 8)?;
                op.b = op.a;
                op.a = d.constant(super::operands::Width::W64, crate::program::Source::Bits(1f64.to_bits()));
                Ok(op)
            }
            _ => Err(d.unsupported(view, "this rounding mode is not modelled")),
        };
    }
    let run = match mnemonic {
        "add" => pick::<Map2<AddF<f64>>>(),
        "sub" => pick::<Map2<SubF<f64>>>(),
        "mul" => pick::<Map2<MulF<f64>>>(),
        "mad" | "fma" => pick::<Map3<Fma<f64>>>(),
        "div" => pick::<Map2<DivF<f64>>>(),
        "min" => pick::<Map2<MinF<f64>>>(),
        "max" => pick::<Map2<MaxF<f64>>>(),
        "abs" => pick::<Map1<AbsF<f64>>>(),
        "neg" => pick::<Map1<NegF<f64>>>(),
        "sqrt" => pick::<Map1<Sqrt<f64>>>(),
        "rcp" => pick::<Map1<Rcp<f64>>>(),
        "rsqrt" => pick::<Map1<RsqrtDouble>>(),
        "copysign" => return scalar::<CopySign>(d, view, [ty; 3], 64),
        "testp" => return testp(d, view),
        _ => return Err(d.unsupported(view, "this function of double precision does not exist")),
    };
    finish(d, view, run, ty, [ty; 3])
}
