//! Floating-point arithmetic in the default rounding (PTX ISA, "Floating-Point Instructions").
//!
//! Results that are not a number are the canonical NaN, as on the hardware, which also makes them independent of the
//! order in which the host's compiler puts operands. Other rounding modes, and functions that do not vectorise, are in
//! `scalar_ops.rs`.

use super::rows::{Value, fn1, fn2, fn3};

/// The canonical NaN of single precision.
pub(crate) const NAN32: u32 = 0x7fff_ffff;
/// The canonical NaN of double precision.
pub(crate) const NAN64: u64 = 0x7fff_ffff_ffff_ffff;

/// A floating-point type that the host computes with.
pub(crate) trait Float: Value + PartialOrd {
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    fn fma(self, by: Self, plus: Self) -> Self;
    /// The square root; the canonical NaN for NaN and for negative values.
    fn root(self) -> Self;
    fn one() -> Self;
    fn is_nan_value(self) -> bool;
    /// The canonical NaN in place of any NaN.
    fn canonical(self) -> Self;
    /// Zero, with the sign, in place of a subnormal value.
    fn flush(self) -> Self;
    /// Clamped to [0, 1]; NaN becomes 0.
    fn saturate(self) -> Self;
    fn abs_value(self) -> Self;
    fn negative(self) -> Self;
    fn sign_is_negative(self) -> bool;
}

macro_rules! floats {
    ($($ty:ident, $nan:expr;)*) => { $(
        impl Float for $ty {
            #[inline(always)]
            fn add(self, other: $ty) -> $ty { self + other }
            #[inline(always)]
            fn sub(self, other: $ty) -> $ty { self - other }
            #[inline(always)]
            fn mul(self, other: $ty) -> $ty { self * other }
            #[inline(always)]
            fn div(self, other: $ty) -> $ty { self / other }
            #[inline(always)]
            fn fma(self, by: $ty, plus: $ty) -> $ty { self.mul_add(by, plus) }
            #[inline(always)]
            fn root(self) -> $ty {
                // LLVM's x86 backend (seen with Rust 1.95) turns "NaN constant if x < 0, else sqrt(x)" into sqrt(x) alone, which
                // gives the host's NaN. The root of the magnitude is never NaN because of a sign, so that the choice remains.
                if self >= 0.0 { self.abs().sqrt().copysign(self) } else { $ty::from_bits($nan) }
            }
            #[inline(always)]
            fn one() -> $ty { 1.0 }
            #[inline(always)]
            fn is_nan_value(self) -> bool { self.is_nan() }
            #[inline(always)]
            fn canonical(self) -> $ty { if self.is_nan() { $ty::from_bits($nan) } else { self } }
            #[inline(always)]
            fn flush(self) -> $ty { if self.abs() < $ty::MIN_POSITIVE { (0.0 as $ty).copysign(self) } else { self } }
            #[inline(always)]
            fn saturate(self) -> $ty { if self > 0.0 { if self < 1.0 { self } else { 1.0 } } else { 0.0 } }
            #[inline(always)]
            fn abs_value(self) -> $ty { self.abs() }
            #[inline(always)]
            fn negative(self) -> $ty { -self }
            #[inline(always)]
            fn sign_is_negative(self) -> bool { self.is_sign_negative() }
        }
    )* };
}

floats! {
    f32, NAN32;
    f64, NAN64;
}

/// The smaller value; of a number and a NaN the number; -0 is smaller than +0.
#[inline(always)]
pub(crate) fn minimum<T: Float>(a: T, b: T) -> T {
    let smaller = if a < b || a == b && a.sign_is_negative() { a } else { b };
    if b.is_nan_value() {
        a.canonical()
    } else if a.is_nan_value() {
        b
    } else {
        smaller
    }
}

/// The larger value; of a number and a NaN the number; +0 is larger than -0.
#[inline(always)]
pub(crate) fn maximum<T: Float>(a: T, b: T) -> T {
    let larger = if a > b || a == b && b.sign_is_negative() { a } else { b };
    if b.is_nan_value() {
        a.canonical()
    } else if a.is_nan_value() {
        b
    } else {
        larger
    }
}

/// The divisor that `div.approx.f32` divides by. The reciprocal of a magnitude in (2^126, 2^128) counts as zero, as that of infinity
/// does: the quotient is zero, or NaN if the dividend is infinite.
#[inline(always)]
fn approximate_divisor(b: f32) -> f32 {
    const LIMIT: f32 = f32::from_bits(0x7e80_0000);
    if b.abs() > LIMIT { f32::INFINITY.copysign(b) } else { b }
}

/// The reciprocal square root, correctly rounded for all values: the test below tries each fraction.
///
/// `y`, rounded twice, is off by `y * (residual / 2 + 3 / 8 * residual^2)` and terms of higher order (binomial series of
/// `1 / sqrt(1 - residual)`), where `residual` is `1 - a * y * y`. The product `a * y` is taken as a sum of two singles, because its
/// rounding error would be as large as the residual.
#[inline(always)]
fn reciprocal_root(a: f32) -> f32 {
    let y = a.sqrt().recip();
    let product = a * y;
    let error = a.mul_add(y, -product);
    let residual = (-error).mul_add(y, (-product).mul_add(y, 1.0));
    let root = (y * residual).mul_add(residual.mul_add(0.375, 0.5), y);
    // Zeros and infinities have no residual.
    if root.is_nan() { y } else { root }
}

fn2! {
    AddF<T: Float>(T, T) -> T = |a, b| a.add(b).canonical();
    SubF<T: Float>(T, T) -> T = |a, b| a.sub(b).canonical();
    MulF<T: Float>(T, T) -> T = |a, b| a.mul(b).canonical();
    DivF<T: Float>(T, T) -> T = |a, b| a.div(b).canonical();
    MinF<T: Float>(T, T) -> T = |a, b| minimum(a, b);
    MaxF<T: Float>(T, T) -> T = |a, b| maximum(a, b);
    AddFtz(f32, f32) -> f32 = |a, b| a.flush().add(b.flush()).flush().canonical();
    SubFtz(f32, f32) -> f32 = |a, b| a.flush().sub(b.flush()).flush().canonical();
    MulFtz(f32, f32) -> f32 = |a, b| a.flush().mul(b.flush()).flush().canonical();
    DivFtz(f32, f32) -> f32 = |a, b| a.flush().div(b.flush()).flush().canonical();
    DivApprox(f32, f32) -> f32 = |a, b| a.div(approximate_divisor(b)).canonical();
    DivApproxFtz(f32, f32) -> f32 = |a, b| a.flush().div(approximate_divisor(b.flush())).flush().canonical();
    MinFtz(f32, f32) -> f32 = |a, b| minimum(a.flush(), b.flush());
    MaxFtz(f32, f32) -> f32 = |a, b| maximum(a.flush(), b.flush());
    AddSatF(f32, f32) -> f32 = |a, b| a.add(b).saturate();
    SubSatF(f32, f32) -> f32 = |a, b| a.sub(b).saturate();
    MulSatF(f32, f32) -> f32 = |a, b| a.mul(b).saturate();
    AddSatFtz(f32, f32) -> f32 = |a, b| a.flush().add(b.flush()).flush().saturate();
    SubSatFtz(f32, f32) -> f32 = |a, b| a.flush().sub(b.flush()).flush().saturate();
    MulSatFtz(f32, f32) -> f32 = |a, b| a.flush().mul(b.flush()).flush().saturate();
}

fn3! {
    Fma<T: Float>(T, T, T) -> T = |a, b, c| a.fma(b, c).canonical();
    FmaFtz(f32, f32, f32) -> f32 = |a, b, c| a.flush().fma(b.flush(), c.flush()).flush().canonical();
    FmaSat(f32, f32, f32) -> f32 = |a, b, c| a.fma(b, c).saturate();
    FmaSatFtz(f32, f32, f32) -> f32 = |a, b, c| a.flush().fma(b.flush(), c.flush()).flush().saturate();
}

fn1! {
    AbsF<T: Float>(T) -> T = |a| a.abs_value();
    NegF<T: Float>(T) -> T = |a| a.negative();
    AbsFtz(f32) -> f32 = |a| a.flush().abs_value();
    NegFtz(f32) -> f32 = |a| a.flush().negative();
    Sqrt<T: Float>(T) -> T = |a| a.root();
    // The root of a normal value is normal.
    SqrtFtz(f32) -> f32 = |a| a.flush().root();
    Rcp<T: Float>(T) -> T = |a| T::one().div(a).canonical();
    RcpFtz(f32) -> f32 = |a| a.flush().recip().flush().canonical();
    Rsqrt(f32) -> f32 = |a| reciprocal_root(a).canonical();
    RsqrtFtz(f32) -> f32 = |a| reciprocal_root(a.flush()).canonical();
    RsqrtDouble(f64) -> f64 = |a| (1.0 / a.root()).canonical();
}

#[cfg(test)]
mod tests {
    use super::reciprocal_root;

    #[test]
    fn the_reciprocal_root_of_every_fraction_is_the_nearest_single() {
        // Half a unit more and less than the result, as integers over 2^26; all of them are in [0.5, 1].
        let between = |one: u32, other: u32| {
            let sum = f64::from(f32::from_bits(one)) + f64::from(f32::from_bits(other));
            (sum * f64::from(1 << 25)) as u128
        };
        // One and four have the same fraction and roots that are apart by a factor of two, and so have all other powers.
        let (one, four) = (1f32.to_bits(), 4f32.to_bits());
        for bits in one..four {
            let a = (f64::from(f32::from_bits(bits)) * f64::from(1 << 23)) as u128;
            let root = reciprocal_root(f32::from_bits(bits)).to_bits();
            let (low, high) = (between(root - 1, root), between(root, root + 1));
            let unit = 1u128 << (23 + 2 * 26);
            assert!(a * low * low <= unit && unit <= a * high * high, "{bits:#x}: {root:#x}");
        }
    }

    #[test]
    fn the_reciprocal_root_at_the_ends() {
        for exponent in (-148..128).step_by(2) {
            let power = |exponent| 2f64.powi(exponent) as f32;
            assert_eq!(reciprocal_root(power(exponent)), power(-exponent / 2));
        }
        assert_eq!(reciprocal_root(0.0), f32::INFINITY);
        assert_eq!(reciprocal_root(-0.0), f32::NEG_INFINITY);
        assert_eq!(reciprocal_root(f32::INFINITY), 0.0);
        assert!(reciprocal_root(-1.0).is_nan() && reciprocal_root(f32::NAN).is_nan());
    }
}
