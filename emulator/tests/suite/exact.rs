//! A model of narrow floating-point formats in integers: a value is a whole number times a power of two, and is rounded by looking at
//! the bits that are cut off. Nothing here is computed in floating point but what concerns infinity and NaN.

/// A format: fraction bits, bias, bit of the sign, code of the largest value, code of infinity (or none), code of NaN (or none).
#[derive(Clone, Copy)]
pub(crate) struct Narrow {
    fraction: u32,
    bias: i32,
    sign: u32,
    largest: u64,
    infinity: Option<u64>,
    nan: Option<u64>,
}

const fn narrow(fraction: u32, bias: i32, sign: u32, largest: u64, infinity: Option<u64>, nan: Option<u64>) -> Narrow {
    Narrow { fraction, bias, sign, largest, infinity, nan }
}

pub(crate) const F16: Narrow = narrow(10, 15, 15, 0x7bff, Some(0x7c00), Some(0x7fff));
pub(crate) const BF16: Narrow = narrow(7, 127, 15, 0x7f7f, Some(0x7f80), Some(0x7fff));
pub(crate) const F32: Narrow = narrow(23, 127, 31, 0x7f7f_ffff, Some(0x7f80_0000), Some(0x7fff_ffff));
pub(crate) const TF32: Narrow = narrow(10, 127, 18, 0x3_fbff, Some(0x3_fc00), Some(0x3_ffff));
pub(crate) const E4M3: Narrow = narrow(3, 7, 7, 0x7e, None, Some(0x7f));
pub(crate) const E5M2: Narrow = narrow(2, 15, 7, 0x7b, Some(0x7c), Some(0x7f));
pub(crate) const E2M3: Narrow = narrow(3, 1, 5, 0x1f, None, None);
pub(crate) const E3M2: Narrow = narrow(2, 3, 5, 0x1f, None, None);

/// To nearest even, towards zero, to nearest with ties away.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum To {
    Nearest,
    Zero,
    Away,
}

/// `sign * digits * 2^exponent`, infinity, or NaN.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Exact {
    Number { negative: bool, digits: u128, exponent: i32 },
    Infinite(bool),
    Nan,
}

use Exact::{Infinite, Nan, Number};

impl Narrow {
    pub(crate) fn value(self, code: u64) -> Exact {
        let negative = code >> self.sign & 1 != 0;
        let magnitude = code & ((1 << self.sign) - 1);
        if self.infinity == Some(magnitude) {
            return Infinite(negative);
        }
        if magnitude > self.largest {
            return Nan;
        }
        let (field, fraction) = ((magnitude >> self.fraction) as i32, magnitude & ((1 << self.fraction) - 1));
        let digits = if field == 0 { fraction } else { fraction | 1 << self.fraction };
        Number { negative, digits: digits.into(), exponent: field.max(1) - self.bias - self.fraction as i32 }
    }

    /// The code of a value; `finite`: what is too large becomes the largest value.
    pub(crate) fn round(self, value: Exact, to: To, finite: bool) -> u64 {
        let signed = |negative: bool, code: u64| code | u64::from(negative) << self.sign;
        let overflow = |negative| match self.infinity {
            Some(infinity) if !finite => signed(negative, infinity),
            _ => signed(negative, self.largest),
        };
        let (negative, digits, exponent) = match value {
            Nan => return self.nan.unwrap_or(self.largest),
            Infinite(negative) => return overflow(negative),
            Number { negative, digits, exponent } => (negative, digits, exponent),
        };
        if digits == 0 {
            return signed(negative, 0);
        }
        let top = 127 - digits.leading_zeros() as i32 + exponent;
        let lowest = 1 - self.bias;
        let unit = top.max(lowest) - self.fraction as i32;
        let cut = unit - exponent;
        let (kept, rest, half) = match cut {
            ..=0 => (digits << -cut, 0, 1),
            1..=127 => (digits >> cut, digits & ((1 << cut) - 1), 1u128 << (cut - 1)),
            _ => (0, 1, 2),
        };
        let up = match to {
            To::Nearest => rest > half || rest == half && kept & 1 != 0,
            To::Away => rest >= half,
            To::Zero => false,
        };
        let kept = kept as u64 + u64::from(up);
        let code = (((unit + self.fraction as i32 - lowest) as u64) << self.fraction) + kept;
        match code {
            code if code <= self.largest => signed(negative, code),
            _ if to == To::Zero => signed(negative, self.largest),
            _ => overflow(negative),
        }
    }
}

pub(crate) fn negate(a: Exact) -> Exact {
    match a {
        Number { negative, digits, exponent } => Number { negative: !negative, digits, exponent },
        Infinite(negative) => Infinite(!negative),
        Nan => Nan,
    }
}

pub(crate) fn times(a: Exact, b: Exact) -> Exact {
    match (a, b) {
        (Nan, _) | (_, Nan) => Nan,
        (Infinite(_), Number { digits: 0, .. }) | (Number { digits: 0, .. }, Infinite(_)) => Nan,
        (Infinite(x), Infinite(y) | Number { negative: y, .. }) | (Number { negative: x, .. }, Infinite(y)) => {
            Infinite(x != y)
        }
        (Number { negative: x, digits: m, exponent: e }, Number { negative: y, digits: n, exponent: f }) => {
            Number { negative: x != y, digits: m * n, exponent: e + f }
        }
    }
}

pub(crate) fn plus(a: Exact, b: Exact) -> Exact {
    let (Number { negative: x, digits: m, exponent: e }, Number { negative: y, digits: n, exponent: f }) = (a, b)
    else {
        return match (a, b) {
            (Nan, _) | (_, Nan) => Nan,
            (Infinite(x), Infinite(y)) if x != y => Nan,
            (Infinite(x), _) | (_, Infinite(x)) => Infinite(x),
            _ => Nan,
        };
    };
    match (m, n) {
        (0, 0) => return Number { negative: x && y, digits: 0, exponent: 0 },
        (0, _) => return b,
        (_, 0) => return a,
        _ => {}
    }
    // What is far below the other one only matters as something that is not nothing: as one bit far enough down.
    let top = |digits: u128, exponent: i32| 127 - digits.leading_zeros() as i32 + exponent;
    let shrink = |digits: u128, exponent: i32, other: i32| {
        if top(digits, exponent) < other - 60 { (1, other - 70) } else { (digits, exponent) }
    };
    let ((m, e), (n, f)) = (shrink(m, e, top(n, f)), shrink(n, f, top(m, e)));
    let exponent = e.min(f);
    let whole = |negative: bool, digits: u128, from: i32| {
        let value = (digits << (from - exponent)) as i128;
        if negative { -value } else { value }
    };
    let sum = whole(x, m, e) + whole(y, n, f);
    Number { negative: sum < 0, digits: sum.unsigned_abs(), exponent }
}

#[test]
fn the_model_agrees_with_the_host_on_singles() {
    let mut state = 99;
    for _ in 0..100_000 {
        let [a, b, c] = [0; 3].map(|_| crate::model::cut(crate::model::operand(&mut state, 'f'), 'f'));
        let exact = plus(times(F32.value(a), F32.value(b)), F32.value(c));
        let host = crate::model::f(a).mul_add(crate::model::f(b), crate::model::f(c));
        let expected = if host.is_nan() { 0x7fff_ffff } else { u64::from(host.to_bits()) };
        assert_eq!(F32.round(exact, To::Nearest, false), expected, "{a:x} {b:x} {c:x}");
    }
}
