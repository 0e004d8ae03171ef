//! Floating-point formats narrower than single precision: f16, bf16, tf32, and the packed fp8, fp6, fp4 and scale factors of
//! `cvt` (PTX ISA, "Alternate Floating-Point Data Formats").
//!
//! One description serves all of them. A value goes through a double, which holds every value of every such format
//! exactly, and is rounded once.

use ptx_parser::Type;

use super::rounding::Mode;

/// The layout of a format's bits below the sign: exponent, fraction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    fraction: u32,
    bias: i32,
    /// The code of the largest finite value.
    largest: u32,
    /// The code of infinity.
    infinity: Option<u32>,
    /// The code of the canonical NaN.
    nan: Option<u32>,
    /// The bit of the sign.
    sign: u32,
}

impl Format {
    /// The format of a scalar type, or of one element of a packed type; `None` for single and double precision and for integers.
    pub(crate) fn of(ty: Type) -> Option<Format> {
        use Type::*;
        let format =
            |fraction, bias, largest, infinity, nan, sign| Format { fraction, bias, largest, infinity, nan, sign };
        Some(match ty {
            F16 | F16x2 => format(10, 15, 0x7bff, Some(0x7c00), Some(0x7fff), 15),
            Bf16 | Bf16x2 => format(7, 127, 0x7f7f, Some(0x7f80), Some(0x7fff), 15),
            Tf32 => format(10, 127, 0x3fbff, Some(0x3fc00), Some(0x3ffff), 18),
            E4m3 | E4m3x2 | E4m3x4 => format(3, 7, 0x7e, None, Some(0x7f), 7),
            E5m2 | E5m2x2 | E5m2x4 => format(2, 15, 0x7b, Some(0x7c), Some(0x7f), 7),
            E2m3 | E2m3x2 | E2m3x4 => format(3, 1, 0x1f, None, None, 5),
            E3m2 | E3m2x2 | E3m2x4 => format(2, 3, 0x1f, None, None, 5),
            E2m1 | E2m1x2 | E2m1x4 => format(1, 1, 0x7, None, None, 3),
            _ => return None,
        })
    }

    /// The bits between the beginnings of two packed elements.
    pub(crate) fn stride(ty: Type) -> u32 {
        use Type::*;
        match ty {
            F16x2 | Bf16x2 => 16,
            E2m1x2 | E2m1x4 => 4,
            _ => 8,
        }
    }

    /// The value of a code.
    pub(crate) fn decode(self, code: u32) -> f64 {
        let magnitude = code & ((1 << self.sign) - 1);
        let negative = code >> self.sign & 1 != 0;
        let value = match (self.infinity, self.nan) {
            (Some(infinity), _) if magnitude == infinity => f64::INFINITY,
            (Some(infinity), _) if magnitude > infinity => return f64::NAN,
            (None, Some(nan)) if magnitude == nan => return f64::NAN,
            _ => {
                let fraction = magnitude & ((1 << self.fraction) - 1);
                let exponent = (magnitude >> self.fraction).cast_signed();
                let (digits, exponent) =
                    if exponent == 0 { (fraction, 1) } else { (fraction | 1 << self.fraction, exponent) };
                f64::from(digits) * 2f64.powi(exponent - self.bias - self.fraction.cast_signed())
            }
        };
        if negative { -value } else { value }
    }

    /// The code of a value, rounded once. What is too large becomes infinite, or the largest value where there is no infinity,
    /// where `finite` asks for it, and where the mode does not round outwards.
    pub(crate) fn encode(self, value: f64, mode: Mode, finite: bool) -> u32 {
        if value.is_nan() {
            return self.nan.unwrap_or(self.largest);
        }
        let negative = value.is_sign_negative();
        let sign = u32::from(negative) << self.sign;
        let outwards = match mode {
            Mode::Nearest | Mode::Away => true,
            Mode::Zero => false,
            Mode::Down => negative,
            Mode::Up => !negative,
        };
        let overflow = match self.infinity {
            Some(infinity) if !finite && (outwards || value.is_infinite()) => infinity | sign,
            _ => self.largest | sign,
        };
        if value.is_infinite() {
            return overflow;
        }
        let magnitude = value.abs();
        let lowest = 1 - self.bias;
        // Doubles below their own normal range are far below that of every format here.
        let exponent = ((magnitude.to_bits() >> 52).cast_signed() as i32 - 1023).max(lowest);
        let scaled = magnitude * 2f64.powi(self.fraction.cast_signed() - exponent);
        let whole = scaled.floor();
        let rest = scaled - whole;
        let digits = whole as u32;
        let up = match mode {
            Mode::Nearest => rest > 0.5 || rest == 0.5 && digits & 1 != 0,
            Mode::Away => rest >= 0.5,
            _ => outwards && rest > 0.0,
        };
        // A carry out of the fraction goes into the exponent by itself.
        let code = ((exponent - lowest).cast_unsigned() << self.fraction) + digits + u32::from(up);
        if code > self.largest { overflow } else { code | sign }
    }

    /// The code of the canonical NaN, which f16, bf16 and tf32 have.
    pub(crate) fn nan(self) -> u32 {
        self.nan.unwrap_or(self.largest)
    }

    /// The bit of the sign.
    pub(crate) fn sign(self) -> u32 {
        1 << self.sign
    }

    /// Returns true if a code is a value below the normal range, other than zero.
    pub(crate) fn is_subnormal(self, code: u32) -> bool {
        let magnitude = code & (self.sign() - 1);
        magnitude != 0 && magnitude >> self.fraction == 0
    }
}

/// The scale factor `.ue8m0` that is next to a positive value in the direction of the mode: an exponent and nothing else.
pub(crate) fn encode_scale(value: f64, mode: Mode, finite: bool) -> u32 {
    // Scale factors have no sign: the magnitude counts.
    let magnitude = value.abs();
    if value.is_nan() {
        return 0xff;
    }
    if magnitude.is_infinite() {
        return if finite { 0xfe } else { 0xff };
    }
    let exponent = ((magnitude.to_bits() >> 52).cast_signed() as i32 - 1023).max(-127);
    let exact = magnitude == 2f64.powi(exponent);
    let code = exponent + 127 + i32::from(mode == Mode::Up && !exact && magnitude > 2f64.powi(exponent));
    match code {
        0..=0xfe => code.cast_unsigned(),
        _ => {
            if finite {
                0xfe
            } else {
                0xff
            }
        }
    }
}

/// The value of a scale factor.
pub(crate) fn decode_scale(code: u32) -> f64 {
    if code == 0xff { f64::NAN } else { 2f64.powi(code.cast_signed() - 127) }
}
