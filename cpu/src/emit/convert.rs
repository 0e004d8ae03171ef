//! Conversions (PTX ISA, "cvt" and "cvt.pack").
//!
//! A value of any float format is exact in a double. Conversions round it once, into the format of the result.

use ptx_parser::{Modifier, Type};

use super::names::c_type;
use super::view::View;
use crate::refusal::Refusal;

/// Returns the statement of C for an instruction.
///
/// # Errors
/// A form that the ISA or the emulator does not have.
pub(crate) fn emit(view: &View<'_>) -> Result<String, Refusal> {
    if view.has(Modifier::Pack) {
        return pack(view);
    }
    let &[to, from] = view.opcode().types() else {
        return Err(view.refuse("a conversion names two types"));
    };
    let conversion = Conversion::of(view, to, from);
    let operands = match (view.has(Modifier::Rs), is_packed(to) && from == Type::F32) {
        (true, _) => 4,
        (false, true) => 3,
        (false, false) => 2,
    };
    if view.operands().len() != operands {
        return Err(view.refuse("it has the wrong number of operands"));
    }
    match (to, from) {
        _ if view.has(Modifier::Rs) => conversion.randomly(),
        (_, Type::F32) if is_packed(to) => conversion.pair(),
        _ if is_packed(to) && is_packed(from) => conversion.packed(),
        (Type::Tf32, Type::F32) => conversion.to_tf32(),
        _ if !is_scalar(to) || !is_scalar(from) => Err(view.refuse("this format is not modelled")),
        _ => match (is_float(to), is_float(from)) {
            (false, false) => conversion.between_integers(),
            (false, true) => conversion.float_to_integer(),
            (true, false) => conversion.float_of_integer(),
            (true, true) => conversion.between_floats(),
        },
    }
}

/// `cvt.pack.sat.u8.s32.b32`: the first type is what the sources become.
fn pack(view: &View<'_>) -> Result<String, Refusal> {
    let sources = view.operands().len().saturating_sub(1);
    if sources != view.opcode().types().len() {
        return Err(view.refuse("it has the wrong number of operands"));
    }
    let to = view.ty();
    let above = if sources == 3 { view.source(3, Type::B32)? } else { "0u".to_owned() };
    let (a, b) = (view.source(1, Type::S32)?, view.source(2, Type::S32)?);
    let (bits, signed) = (to.bits(), u8::from(to.is_signed()));
    view.assign(Type::B32, &format!("pxrw_pack_integers({a}, {b}, {above}, {bits}, {signed})"))
}

/// Returns true for the formats of which a register holds two.
fn is_packed(ty: Type) -> bool {
    use Type::*;
    matches!(ty, F16x2 | Bf16x2 | E4m3x2 | E5m2x2 | E2m3x2 | E3m2x2 | E2m1x2 | Ue8m0x2)
}

fn is_float(ty: Type) -> bool {
    matches!(ty, Type::F16 | Type::Bf16 | Type::F32 | Type::F64)
}

fn is_scalar(ty: Type) -> bool {
    use Type::*;
    is_float(ty) || matches!(ty, U8 | U16 | U32 | U64 | S8 | S16 | S32 | S64 | B8 | B16 | B32 | B64)
}

/// Returns the name of one of two packed elements.
fn element(ty: Type) -> &'static str {
    ty.text().trim_end_matches("x2")
}

/// Returns the bits between the beginnings of two packed elements.
fn stride(ty: Type) -> u32 {
    match ty {
        Type::F16x2 | Type::Bf16x2 => 16,
        Type::E2m1x2 => 4,
        _ => 8,
    }
}

/// Returns the signed or unsigned type of C of an integer type.
fn integer_type(ty: Type) -> &'static str {
    let unsigned = c_type(ty);
    if ty.is_signed() { unsigned.trim_start_matches('u') } else { unsigned }
}

/// The value of a float as an expression of C: of type `float`, or of type `double`.
enum Value {
    Single(String),
    Double(String),
}

impl Value {
    fn text(&self) -> &str {
        match self {
            Value::Single(text) | Value::Double(text) => text,
        }
    }

    /// Applies a function of doubles.
    fn through(self, call: impl Fn(&str) -> String) -> Value {
        Value::Double(call(self.text()))
    }
}

/// A `cvt` with two types.
struct Conversion<'v, 'a> {
    view: &'v View<'a>,
    to: Type,
    from: Type,
    /// The rounding, as the runtime names it.
    mode: &'static str,
    /// The function that rounds to an integral value, without prefix and type.
    integral: Option<&'static str>,
    saturates: bool,
    flushes: bool,
    relu: bool,
    finite: bool,
}

impl<'v, 'a> Conversion<'v, 'a> {
    fn of(view: &'v View<'a>, to: Type, from: Type) -> Conversion<'v, 'a> {
        let any = |modifiers: &[Modifier]| view.opcode().has_any(modifiers);
        let mode = match () {
            () if any(&[Modifier::Rz, Modifier::Rzi]) => "PXRW_ZERO",
            () if any(&[Modifier::Rm, Modifier::Rmi]) => "PXRW_DOWN",
            () if any(&[Modifier::Rp, Modifier::Rpi]) => "PXRW_UP",
            () if view.has(Modifier::Rna) => "PXRW_AWAY",
            () => "PXRW_NEAREST",
        };
        let integral = [(Modifier::Rni, "rni"), (Modifier::Rzi, "rzi"), (Modifier::Rmi, "rmi"), (Modifier::Rpi, "rpi")];
        Conversion {
            view,
            to,
            from,
            mode,
            integral: integral.into_iter().find(|&(modifier, _)| view.has(modifier)).map(|(_, name)| name),
            saturates: view.has(Modifier::Sat),
            flushes: view.has(Modifier::Ftz),
            relu: view.has(Modifier::Relu),
            finite: view.has(Modifier::Satfinite),
        }
    }

    fn assign(&self, value: &str) -> Result<String, Refusal> {
        self.view.assign(self.to, value)
    }

    /// Returns the bits of the source. Subnormal singles are flushed if the instruction says so.
    fn source(&self) -> Result<String, Refusal> {
        let source = self.view.source(1, self.from)?;
        let flushes = self.flushes && self.from == Type::F32;
        Ok(if flushes { format!("pxrw_flush_f32({source})") } else { source })
    }

    /// Returns an integer source as a signed or unsigned integer of C.
    fn integer(&self) -> Result<String, Refusal> {
        let source = self.view.source(1, self.from)?;
        Ok(if self.from.is_signed() { format!("({}){source}", integer_type(self.from)) } else { source })
    }

    /// Returns the value of a float source.
    fn value(&self) -> Result<Value, Refusal> {
        let source = self.source()?;
        Ok(match self.from {
            Type::F64 => Value::Double(format!("pxrw_f64({source})")),
            Type::F32 => Value::Single(format!("pxrw_f32({source})")),
            ty => Value::Single(format!("pxrw_value_{}({source})", ty.text())),
        })
    }

    /// The register of the result is wider than the type: what is above the type counts.
    fn between_integers(&self) -> Result<String, Refusal> {
        let (to, from) = (self.to, self.from);
        if self.saturates {
            return self.clamped();
        }
        let narrower = if to.bits() <= from.bits() { to } else { from };
        let declared = self.view.result(0)?.map_or(to.bits(), |(_, ty)| ty.bits());
        if narrower.is_signed() && declared > narrower.bits() {
            let source = self.view.source(1, from)?;
            return self.assign(&format!("({}){source}", integer_type(narrower)));
        }
        self.assign(&self.view.source(1, narrower)?)
    }

    fn clamped(&self) -> Result<String, Refusal> {
        let (to, from) = (self.to, self.from);
        let source = self.integer()?;
        let bits = to.bits().min(64);
        let value_bits = if to.is_signed() { bits - 1 } else { bits };
        let high = u64::MAX >> (64 - value_bits);
        let value = match (to.is_signed(), from.is_signed()) {
            (_, false) => format!("pxrw_clamp_unsigned({source}, UINT64_C({high}))"),
            (true, true) if bits == 64 => source,
            (false, true) => format!("pxrw_clamp_signed({source}, 0, INT64_C({}))", high.min(i64::MAX as u64)),
            (true, true) => format!("pxrw_clamp_signed({source}, INT64_C(-{}), INT64_C({high}))", high + 1),
        };
        self.assign(&value)
    }

    fn float_to_integer(&self) -> Result<String, Refusal> {
        let (to, from) = (self.to, self.from);
        let bits = to.bits();
        let declared = self.view.result(0)?.map_or(bits, |(_, ty)| ty.bits());
        if to.is_signed() && bits < 64 && declared == 64 {
            return Err(self.view.refuse("a narrow integer in a 64-bit register is not modelled"));
        }
        if let (Type::S32 | Type::U32, Type::F32, Some(integral)) = (to, from, self.integral) {
            let value = format!("pxrw_{integral}_f32({})", self.source()?);
            return self.assign(&format!("pxrw_{}_of_f32({value})", to.text()));
        }
        let nan = match from == Type::F64 || bits == 64 {
            true if to.is_signed() && bits == 64 => "INT64_MIN".to_owned(),
            true => format!("UINT64_C({})", 1u64 << (bits - 1)),
            false => "0".to_owned(),
        };
        let sign = if to.is_signed() { "signed" } else { "unsigned" };
        let value = format!("pxrw_integral({}, {})", self.value()?.text(), self.mode);
        self.assign(&format!("pxrw_{sign}_of_f64({value}, {bits}, {nan})"))
    }

    fn float_of_integer(&self) -> Result<String, Refusal> {
        let source = self.integer()?;
        let nearest = self.mode == "PXRW_NEAREST";
        let sign = if self.from.is_signed() { "s64" } else { "u64" };
        let value = match self.to {
            Type::F32 => {
                let value = match nearest {
                    true => format!("(float){source}"),
                    false => format!("pxrw_{sign}_to_single({source}, {})", self.mode),
                };
                let bits = format!("pxrw_bits32({value})");
                return self.assign(&if self.saturates { format!("pxrw_saturate_f32({bits})") } else { bits });
            }
            // Up to 32 bits are exact in a double.
            _ if self.from.bits() < 64 || (self.to == Type::F64 && nearest) => format!("(double){source}"),
            Type::F64 => format!("pxrw_{sign}_to_double({source}, {})", self.mode),
            _ => format!("pxrw_{sign}_to_odd({source})"),
        };
        self.assign(&self.rounded(Value::Double(value)))
    }

    fn between_floats(&self) -> Result<String, Refusal> {
        if let (Type::F32 | Type::F64, Some(integral)) = (self.to, self.integral)
            && self.to == self.from
        {
            let bits = format!("pxrw_{integral}_{}({})", self.to.text(), self.source()?);
            return match self.to {
                Type::F32 => self.assign(&self.finished(bits)),
                _ if self.saturates => self.assign(&format!("pxrw_bits64(pxrw_saturate(pxrw_f64({bits})))")),
                _ => self.assign(&bits),
            };
        }
        let mut value = self.value()?;
        if self.integral.is_some() {
            value = value.through(|value| format!("pxrw_integral({value}, {})", self.mode));
        }
        if self.relu {
            value = value.through(|value| format!("pxrw_relu({value})"));
        }
        self.assign(&self.rounded(value))
    }

    /// Applies `.sat` and `.ftz` to the bits of a single.
    fn finished(&self, mut bits: String) -> String {
        if self.saturates {
            bits = format!("pxrw_saturate_f32({bits})");
        }
        if self.flushes {
            bits = format!("pxrw_flush_f32({bits})");
        }
        bits
    }

    /// Returns the bits of a value in the format of the result.
    fn rounded(&self, value: Value) -> String {
        let nearest = self.mode == "PXRW_NEAREST";
        if self.to == Type::F32 {
            let single = match value {
                Value::Single(text) => text,
                Value::Double(text) if nearest => format!("(float){text}"),
                Value::Double(text) => format!("pxrw_to_single({text}, {})", self.mode),
            };
            return self.finished(format!("pxrw_canonical_f32({single})"));
        }
        let clamps = self.saturates && !self.finite;
        let value = if clamps { value.through(|value| format!("pxrw_saturate({value})")) } else { value };
        match (self.to.text(), value) {
            ("f64", value) => format!("pxrw_canonical_f64({})", value.text()),
            (to, Value::Single(text)) if nearest && !self.finite => format!("pxrw_{to}_of_f32({text})"),
            (to, Value::Double(text)) if nearest && !self.finite => format!("pxrw_{to}_of_f64({text})"),
            (to, value) => format!("(uint16_t){}", self.encoded(to, value.text())),
        }
    }

    fn encoded(&self, format: &str, value: &str) -> String {
        format!("pxrw_encode_{format}({value}, {}, {})", self.mode, u8::from(self.finite))
    }

    fn to_tf32(&self) -> Result<String, Refusal> {
        let mut value = self.value()?;
        if self.relu {
            value = value.through(|value| format!("pxrw_relu({value})"));
        }
        self.assign(&format!("pxrw_tf32_of_f32({}, {}, {})", value.text(), self.mode, u8::from(self.finite)))
    }

    /// Two singles into one register, the first into the upper half.
    fn pair(&self) -> Result<String, Refusal> {
        let single = |index| Ok(Value::Single(format!("pxrw_f32({})", self.view.source(index, Type::F32)?)));
        self.side_by_side([single(1)?, single(2)?])
    }

    /// `cvt.rs`, whose third operand has 16 random bits for each single. Its result is certain where a format drops as many bits of a single as there
    /// are random ones, whatever the value. That is `.bf16x2` alone.
    fn randomly(&self) -> Result<String, Refusal> {
        if (self.to, self.from) != (Type::Bf16x2, Type::F32) {
            let reason = "of `.rs` only `.bf16x2.f32` is modelled: for other formats the ISA does not say to which of the bits that \
                          are dropped the random ones are added";
            return Err(self.view.refuse(reason));
        }
        let random = self.view.source(3, Type::B32)?;
        let (a, b) = (self.view.source(1, Type::F32)?, self.view.source(2, Type::F32)?);
        let upper = Value::Double(format!("pxrw_random_bf16({a}, {random} >> 16)"));
        self.side_by_side([upper, Value::Double(format!("pxrw_random_bf16({b}, {random})"))])
    }

    /// From one packed format to another.
    fn packed(&self) -> Result<String, Refusal> {
        let source = self.view.source(1, self.from)?;
        let format = element(self.from);
        let (upper, lower) = match stride(self.from) {
            16 => (format!("(uint16_t)({source} >> 16)"), format!("(uint16_t){source}")),
            4 => (format!("{source} >> 4 & 15"), format!("{source} & 15")),
            _ => (format!("{source} >> 8 & 255"), format!("{source} & 255")),
        };
        let value = |code: String| match self.from {
            Type::F16x2 | Type::Bf16x2 => Value::Single(format!("pxrw_value_{format}({code})")),
            _ => Value::Double(format!("pxrw_decode_{format}({code})")),
        };
        self.side_by_side([value(upper), value(lower)])
    }

    /// Rounds two values and puts the first above the second.
    fn side_by_side(&self, values: [Value; 2]) -> Result<String, Refusal> {
        let to = element(self.to);
        let is_half = matches!(self.to, Type::F16x2 | Type::Bf16x2);
        let [upper, lower] = values.map(|value| {
            if is_half && self.mode == "PXRW_NEAREST" && !self.finite {
                let bits = match value {
                    Value::Single(text) => format!("pxrw_{to}_of_f32({text})"),
                    Value::Double(text) => format!("pxrw_{to}_of_f64({text})"),
                };
                return if self.relu { format!("pxrw_relu_{to}({bits})") } else { bits };
            }
            let value = if self.relu { value.through(|value| format!("pxrw_relu({value})")) } else { value };
            self.encoded(to, value.text())
        });
        let bits = match stride(self.to) {
            16 => format!("PXRW_PACK16({upper}, {lower})"),
            8 => format!("(uint16_t)({upper} << 8 | {lower})"),
            _ => format!("(uint8_t)({upper} << 4 | {lower})"),
        };
        self.assign(&bits)
    }
}
