//! Rounding: towards zero, down and up for arithmetic, and between any two number formats.
//!
//! Single precision is computed in double precision rounded to odd, from which any final rounding is right. Double
//! precision is computed to nearest together with the exact error (Dekker, Knuth; for multiply-add Boldo and Muller),
//! whose sign says to which neighbour a directed rounding moves. An error term can underflow or overflow where operands or
//! results are close to the ends of the range. [`exact_sign`] computes the sign from integers there.

use super::float::Float;
use super::payload::choices;

choices! {
    /// A rounding mode.
    Mode {
        /// To nearest, ties to even (`rn`, `rni`).
        Nearest,
        /// Towards zero (`rz`, `rzi`).
        Zero,
        /// Towards minus infinity (`rm`, `rmi`).
        Down,
        /// Towards plus infinity (`rp`, `rpi`).
        Up,
        /// To nearest, ties away from zero (`rna`, of conversions to tf32 only).
        Away,
    }

    /// An arithmetic operation with a rounding mode.
    Arithmetic {
        /// `a + b`
        Add,
        /// `a - b`
        Subtract,
        /// `a * b`
        Multiply,
        /// `a * b + c`
        MultiplyAdd,
        /// `a / b`
        Divide,
        /// `sqrt(a)`
        Root,
    }
}

impl Mode {
    /// Returns whether a result that is too large or too small by `error` must move, and in which direction.
    fn step(self, value: f64, error: f64) -> i32 {
        match self {
            Mode::Down if error < 0.0 => -1,
            Mode::Up if error > 0.0 => 1,
            Mode::Zero if value > 0.0 && error < 0.0 => -1,
            Mode::Zero if value < 0.0 && error > 0.0 => 1,
            _ => 0,
        }
    }
}

fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

/// The sign of an exact sum of products of finite doubles: -1.0, 0.0, or 1.0.
///
/// The sum is an integer in units of 2^-2148, the product of the two smallest subnormal values.
#[cold]
fn exact_sign(products: &[(f64, f64)]) -> f64 {
    // A product is below 2^2048, so that these words have room for the sum of several and the sign.
    let mut sum = [0u64; 67];
    for &(x, y) in products {
        let ((m, e), (n, f)) = (parts(x), parts(y));
        let product = u128::from(m) * u128::from(n);
        let (word, shift) = ((e + f) / 64, (e + f) % 64);
        let low = product << shift;
        let high = if shift == 0 { 0 } else { (product >> (128 - shift)) as u64 };
        let negative = x.is_sign_negative() != y.is_sign_negative();
        // Subtraction adds the complement and one.
        let (mut carry, fill) = if negative { (1, u64::MAX) } else { (0, 0) };
        for (index, digit) in sum[word..].iter_mut().enumerate() {
            let addend = [low as u64, (low >> 64) as u64, high].get(index).copied().unwrap_or(0) ^ fill;
            let total = u128::from(*digit) + u128::from(addend) + carry;
            (*digit, carry) = (total as u64, total >> 64);
        }
    }
    match () {
        () if sum[66] >> 63 != 0 => -1.0,
        () if sum.iter().all(|&digit| digit == 0) => 0.0,
        () => 1.0,
    }
}

/// The digits of a finite double, and the exponent of their unit above that of the smallest subnormal value.
fn parts(value: f64) -> (u64, usize) {
    let (field, fraction) = ((value.to_bits() >> 52 & 0x7ff) as usize, value.to_bits() & ((1 << 52) - 1));
    if field == 0 { (fraction, 0) } else { (fraction | 1 << 52, field - 1) }
}

/// Magnitudes from which on no error term underflows: an error is a multiple of 2^-106 times the product that it belongs to.
const SMALL: f64 = f64::from_bits((1023 - 900) << 52);
/// Magnitudes up to which no intermediate sum overflows.
const LARGE: f64 = f64::from_bits((1023 + 1000) << 52);

/// Reports whether the magnitude of a value is in the range where error terms are exact.
fn is_moderate(value: f64) -> bool {
    value.abs() >= SMALL && value.abs() <= LARGE
}

/// The result to nearest in double precision and a value with the sign of its error, for any operands. Callers ignore the error of a
/// result that is not finite.
fn with_error_sign(operation: Arithmetic, a: f64, b: f64, c: f64) -> (f64, f64) {
    let exact = match operation {
        Arithmetic::Add | Arithmetic::Subtract => a.abs() <= LARGE && b.abs() <= LARGE,
        Arithmetic::Multiply => is_moderate(a * b),
        Arithmetic::MultiplyAdd => is_moderate(a * b) && c.abs() <= LARGE,
        Arithmetic::Divide | Arithmetic::Root => is_moderate(a),
    };
    if exact {
        return with_error(operation, a, b, c);
    }
    let result = match operation {
        Arithmetic::Add => a + b,
        Arithmetic::Subtract => a - b,
        Arithmetic::Multiply => a * b,
        Arithmetic::MultiplyAdd => a.mul_add(b, c),
        Arithmetic::Divide => a / b,
        Arithmetic::Root => a.root(),
    };
    if !result.is_finite() || !b.is_finite() {
        return (result, 0.0);
    }
    let error = match operation {
        Arithmetic::Add => exact_sign(&[(a, 1.0), (b, 1.0), (-result, 1.0)]),
        Arithmetic::Subtract => exact_sign(&[(a, 1.0), (-b, 1.0), (-result, 1.0)]),
        Arithmetic::Multiply | Arithmetic::MultiplyAdd if a == 0.0 || b == 0.0 => 0.0,
        Arithmetic::Multiply => exact_sign(&[(a, b), (-result, 1.0)]),
        Arithmetic::MultiplyAdd => exact_sign(&[(a, b), (c, 1.0), (-result, 1.0)]),
        Arithmetic::Divide | Arithmetic::Root if a == 0.0 => 0.0,
        Arithmetic::Divide => exact_sign(&[(a, 1.0), (-result, b)]) * 1f64.copysign(b),
        Arithmetic::Root => exact_sign(&[(a, 1.0), (-result, result)]),
    };
    (result, error)
}

/// The result to nearest and a value with the sign of its error (exact result minus this one), where no error term underflows or
/// overflows.
fn with_error(operation: Arithmetic, a: f64, b: f64, c: f64) -> (f64, f64) {
    match operation {
        Arithmetic::Add => two_sum(a, b),
        Arithmetic::Subtract => two_sum(a, -b),
        Arithmetic::Multiply => {
            let product = a * b;
            (product, a.mul_add(b, -product))
        }
        Arithmetic::MultiplyAdd => {
            let result = a.mul_add(b, c);
            let product = a * b;
            let product_error = a.mul_add(b, -product);
            let (alpha, alpha_error) = two_sum(c, product_error);
            let (beta, beta_error) = two_sum(product, alpha);
            let gamma = (beta - result) + beta_error;
            (result, gamma + alpha_error)
        }
        Arithmetic::Divide => {
            let quotient = a / b;
            // Only the sign of the remainder counts, and a division by `b` could underflow.
            (quotient, (-quotient).mul_add(b, a) * 1f64.copysign(b))
        }
        Arithmetic::Root => {
            let root = a.root();
            (root, (-root).mul_add(root, a))
        }
    }
}

/// An exact zero that came from operands of different signs is negative when rounding down.
fn zero_sign(operation: Arithmetic, a: f64, b: f64, c: f64, mode: Mode, result: f64) -> f64 {
    let cancels = match operation {
        Arithmetic::Add => a.is_sign_negative() != b.is_sign_negative(),
        Arithmetic::Subtract => a.is_sign_negative() == b.is_sign_negative(),
        Arithmetic::MultiplyAdd => (a.is_sign_negative() != b.is_sign_negative()) != c.is_sign_negative(),
        _ => false,
    };
    if cancels && mode == Mode::Down && result == 0.0 { -0.0 } else { result }
}

/// The operation in double precision.
pub(crate) fn compute64(operation: Arithmetic, a: f64, b: f64, c: f64, mode: Mode) -> f64 {
    let (result, error) = with_error_sign(operation, a, b, c);
    if mode == Mode::Nearest || result.is_nan() {
        return result;
    }
    if result.is_infinite() {
        let finite = a.is_finite() && b.is_finite() && c.is_finite() && !(operation == Arithmetic::Divide && b == 0.0);
        let inwards = mode == Mode::Zero || (mode == Mode::Down) == (result > 0.0);
        return if finite && inwards { f64::MAX.copysign(result) } else { result };
    }
    match mode.step(result, error) {
        -1 => result.next_down(),
        1 => result.next_up(),
        // A result that underflowed to zero is not an exact zero and keeps its sign.
        _ if error == 0.0 => zero_sign(operation, a, b, c, mode, result),
        _ => result,
    }
}

/// The operation in single precision.
pub(crate) fn compute32(operation: Arithmetic, a: f32, b: f32, c: f32, mode: Mode) -> f32 {
    to_single(to_odd(operation, f64::from(a), f64::from(b), f64::from(c), mode), mode)
}

/// The operation on values of at most single precision, rounded to odd in double precision: what is between two doubles becomes the
/// one whose last bit is set, so that no later rounding to a narrower format takes it for a tie. `mode` is that of the later rounding.
pub(crate) fn to_odd(operation: Arithmetic, a: f64, b: f64, c: f64, mode: Mode) -> f64 {
    // The product of two singles is exact in double precision, so that a multiply-add is a sum.
    let (result, error) = match operation {
        Arithmetic::MultiplyAdd => two_sum(a * b, c),
        _ => with_error(operation, a, b, c),
    };
    if !result.is_finite() {
        return result;
    }
    if error == 0.0 || error.is_nan() {
        return zero_sign(operation, a, b, c, mode, result);
    }
    let truncated = if (error > 0.0) == (result > 0.0) { result.to_bits() } else { result.to_bits() - 1 };
    f64::from_bits(truncated | 1)
}

/// A double as the nearest single in a direction.
pub(crate) fn to_single(value: f64, mode: Mode) -> f32 {
    let nearest = value as f32;
    if mode == Mode::Nearest || nearest.is_nan() || value.is_infinite() {
        return nearest;
    }
    if nearest.is_infinite() {
        let inwards = mode == Mode::Zero || (mode == Mode::Down) == (value > 0.0);
        return if inwards { f32::MAX.copysign(nearest) } else { nearest };
    }
    match mode.step(f64::from(nearest), value - f64::from(nearest)) {
        -1 => nearest.next_down(),
        1 => nearest.next_up(),
        _ => nearest,
    }
}

/// An integer as a single.
pub(crate) fn integer_to_single(value: i128, mode: Mode) -> f32 {
    let nearest = value as f32;
    match mode.step(f64::from(nearest), (value - nearest as i128) as f64) {
        -1 => nearest.next_down(),
        1 => nearest.next_up(),
        _ => nearest,
    }
}

/// An integer as a double.
pub(crate) fn integer_to_double(value: i128, mode: Mode) -> f64 {
    let nearest = value as f64;
    match mode.step(nearest, (value - nearest as i128) as f64) {
        -1 => nearest.next_down(),
        1 => nearest.next_up(),
        _ => nearest,
    }
}

/// A float without its fraction.
pub(crate) fn to_integral(value: f64, mode: Mode) -> f64 {
    match mode {
        Mode::Nearest | Mode::Away => value.round_ties_even(),
        Mode::Zero => value.trunc(),
        Mode::Down => value.floor(),
        Mode::Up => value.ceil(),
    }
}
