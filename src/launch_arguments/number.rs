//! Numbers of PTX types as bits: what the user writes, `iota`, and random ones.
//!
//! Integers are decimal, hexadecimal (`0x1f`) or a power (`2^20`), with `_` between digits where it helps. Floats are decimal, `inf`, `nan`,
//! an integer of any of those forms, or PTX's own bits: `0f3F800000` for `f32`, `0d3FF0000000000000` for `f64`. `b8` to `b64` and the
//! packed types take bits, as an integer.

use half::{bf16, f16};
use ptx_parser::Type;

use super::problem::Problem;

/// The way in which a type reads and counts its numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Unsigned,
    Signed,
    /// Either sign.
    Bits,
    F16,
    Bf16,
    F32,
    F64,
    /// Several values, or a format that is no arithmetic type.
    Packed,
}

fn kind(ty: Type) -> Kind {
    use Type::*;
    match ty {
        U8 | U16 | U32 | U64 => Kind::Unsigned,
        S8 | S16 | S32 | S64 => Kind::Signed,
        B8 | B16 | B32 | B64 | B128 | Pred => Kind::Bits,
        F16 => Kind::F16,
        Bf16 => Kind::Bf16,
        F32 | Tf32 => Kind::F32,
        F64 => Kind::F64,
        _ => Kind::Packed,
    }
}

/// Returns true if one number of the type is one number.
pub(super) fn has_value(ty: Type) -> bool {
    kind(ty) != Kind::Packed
}

/// The bits of a number, in the low end.
pub(super) fn parse(ty: Type, text: &str) -> Result<u64, Problem> {
    match kind(ty) {
        Kind::Unsigned | Kind::Signed | Kind::Bits | Kind::Packed => whole(ty, text),
        kind => float(ty, kind, text),
    }
}

/// A whole number in any of its forms.
pub(super) fn integer(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let magnitude = match digits.split_once('^') {
        Some((base, exponent)) => magnitude(base)?.checked_pow(u32::try_from(magnitude(exponent)?).ok()?)?,
        None => magnitude(digits)?,
    };
    Some(if negative { -magnitude } else { magnitude })
}

fn magnitude(text: &str) -> Option<i128> {
    let (digits, radix) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None => (text, 10),
    };
    let plain: String = digits.chars().filter(|&c| c != '_').collect();
    let between = !digits.starts_with('_') && !digits.ends_with('_') && plain.chars().all(|c| c.is_digit(radix));
    // The sign was read before: `from_str_radix` must not find another one.
    i128::from_str_radix(&plain, radix).ok().filter(|_| between)
}

fn whole(ty: Type, text: &str) -> Result<u64, Problem> {
    if text.is_empty() {
        return Err(Problem::new("no number stands there", "write a whole number, such as 7, -7, 0x1f or 2^20"));
    }
    let Some(value) = integer(text) else {
        let help = match (text.parse::<f64>(), kind(ty)) {
            (Ok(_), Kind::Bits | Kind::Packed) => {
                "the type takes bits, such as 0x3f800000; for a number use `f32` or `f64`"
            }
            (Ok(_), _) => "use `f32` or `f64` if the parameter is one, or a whole number, such as 7, -7, 0x1f or 2^20",
            (Err(_), _) => "write a whole number, such as 7, -7, 0x1f or 2^20",
        };
        return Err(Problem::new(format!("`{text}` is not a whole number"), help));
    };
    let bits = ty.bits();
    let (low, high) = match kind(ty) {
        Kind::Unsigned => (0, (1 << bits) - 1),
        Kind::Signed => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        _ => (-(1 << (bits - 1)), (1 << bits) - 1),
    };
    if !(low..=high).contains(&value) {
        let what = format!("{text} does not fit in {}", ty.text());
        return Err(Problem::new(what, format!("its numbers go from {low} to {high}")));
    }
    Ok(value as u64 & (u64::MAX >> (64 - bits)))
}

fn float(ty: Type, kind: Kind, text: &str) -> Result<u64, Problem> {
    if text.is_empty() {
        return Err(Problem::new("no number stands there", "write a number, such as 1.5, -2e-3 or inf"));
    }
    if let Some(bits) = float_bits(kind, text) {
        return Ok(bits);
    }
    let decimal = match integer(text) {
        // Decimal digits are rounded once, by the parser of the type itself.
        Some(value) if !text.bytes().all(|c| c.is_ascii_digit() || matches!(c, b'-' | b'+')) => value.to_string(),
        _ => text.to_owned(),
    };
    let Ok(value) = decimal.parse::<f64>() else {
        return Err(Problem::new(format!("`{text}` is not a number"), "write a number, such as 1.5, -2e-3 or inf"));
    };
    let bits = match kind {
        Kind::F32 => u64::from(decimal.parse::<f32>().unwrap_or(value as f32).to_bits()),
        _ => rounded(kind, value),
    };
    // `1e50` is no way to write infinity; `1e400` is parsed as one, however.
    let infinite = f64_of(kind, bits).is_infinite();
    if infinite && !text.to_ascii_lowercase().contains("inf") {
        return Err(Problem::new(format!("{text} is too large for {}", ty.text()), "write `inf` if infinity is meant"));
    }
    Ok(bits)
}

/// PTX's notation for the bits of a float (PTX ISA, "Floating-Point Constants").
fn float_bits(kind: Kind, text: &str) -> Option<u64> {
    let (prefixes, length) = match kind {
        Kind::F32 => (["0f", "0F"], 8),
        Kind::F64 => (["0d", "0D"], 16),
        _ => return None,
    };
    let digits = prefixes.iter().find_map(|prefix| text.strip_prefix(prefix))?;
    let exact = digits.len() == length && digits.bytes().all(|c| c.is_ascii_hexdigit());
    exact.then(|| u64::from_str_radix(digits, 16).ok()).flatten()
}

fn rounded(kind: Kind, value: f64) -> u64 {
    match kind {
        Kind::F16 => u64::from(f16::from_f64(value).to_bits()),
        Kind::Bf16 => u64::from(bf16::from_f64(value).to_bits()),
        Kind::F32 => u64::from((value as f32).to_bits()),
        _ => value.to_bits(),
    }
}

fn f64_of(kind: Kind, bits: u64) -> f64 {
    match kind {
        Kind::F16 => f16::from_bits(bits as u16).to_f64(),
        Kind::Bf16 => bf16::from_bits(bits as u16).to_f64(),
        Kind::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

/// The `index`-th value of `iota`: the index, modulo 2^bits for integers, to the nearest value for floats.
pub(super) fn iota(ty: Type, index: u64) -> u64 {
    match kind(ty) {
        Kind::Unsigned | Kind::Signed | Kind::Bits | Kind::Packed => index,
        kind => rounded(kind, index as f64),
    }
}

/// The `index`-th random number of a seed.
///
/// The generator is SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014), started at the seed. An
/// integer is the upper end of its 64-bit output; a float is the upper 53, 24, 11 or 8 bits (as many as the type's significand has)
/// over 2^53, 2^24, 2^11 or 2^8, and so lies in [0,1) exactly.
pub(super) fn random(ty: Type, seed: u64, index: u64) -> u64 {
    let word = split_mix(seed, index);
    let unit = |significand: u32| (word >> (64 - significand)) as f64 / (1_u64 << significand) as f64;
    match kind(ty) {
        Kind::Unsigned | Kind::Signed | Kind::Bits | Kind::Packed => word >> (64 - ty.bits().clamp(1, 64)),
        kind @ Kind::F16 => rounded(kind, unit(11)),
        kind @ Kind::Bf16 => rounded(kind, unit(8)),
        kind @ Kind::F32 => rounded(kind, unit(24)),
        kind @ Kind::F64 => rounded(kind, unit(53)),
    }
}

/// The `index`-th output of SplitMix64: a counter in steps of the golden ratio, mixed.
fn split_mix(seed: u64, index: u64) -> u64 {
    const GOLDEN_RATIO: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut word = seed.wrapping_add(index.wrapping_add(1).wrapping_mul(GOLDEN_RATIO));
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_in_all_forms() {
        let cases = [
            ("0", 0),
            ("-7", -7),
            ("+7", 7),
            ("1_000", 1000),
            ("0x1F", 31),
            ("-0x10", -16),
            ("2^20", 1 << 20),
            ("-2^31", -(1 << 31)),
        ];
        for (text, value) in cases {
            assert_eq!(integer(text), Some(value), "{text}");
        }
        for text in [
            "", "-", "--7", "+-7", "1.0", "_1", "1_", "0x", "0x_1", "2^", "^2", "2^-1", "2^200", "2^2^2", "1e3", "7u",
            "٣",
        ] {
            assert_eq!(integer(text), None, "{text}");
        }
    }

    #[test]
    fn integers_keep_to_the_range_of_their_type() {
        assert_eq!(parse(Type::U8, "255"), Ok(255));
        assert_eq!(parse(Type::S8, "-128"), Ok(0x80));
        assert_eq!(parse(Type::B8, "-1"), Ok(0xff));
        assert_eq!(parse(Type::B8, "255"), Ok(0xff));
        assert_eq!(parse(Type::S64, "-2^63"), Ok(1 << 63));
        assert_eq!(parse(Type::U64, "18446744073709551615"), Ok(u64::MAX));
        let cases = [
            (Type::U32, "-1", "-1 does not fit in u32", "its numbers go from 0 to 4294967295"),
            (Type::S8, "128", "128 does not fit in s8", "its numbers go from -128 to 127"),
            (Type::U64, "2^64", "2^64 does not fit in u64", "from 0 to 18446744073709551615"),
            (Type::B16, "65536", "65536 does not fit in b16", "from -32768 to 65535"),
            (Type::S32, "1.5", "`1.5` is not a whole number", "use `f32` or `f64`"),
            (Type::B32, "1.5", "`1.5` is not a whole number", "the type takes bits"),
            (Type::F16x2, "x", "`x` is not a whole number", "such as 7"),
        ];
        for (ty, text, what, help) in cases {
            let problem = parse(ty, text).unwrap_err();
            assert_eq!(problem.what, what);
            assert!(problem.help.contains(help), "{}", problem.help);
        }
    }

    #[test]
    fn floats_are_rounded_once() {
        assert_eq!(parse(Type::F32, "0.1"), Ok(u64::from(0.1_f32.to_bits())));
        assert_eq!(parse(Type::F64, "-1e-300"), Ok((-1e-300_f64).to_bits()));
        assert_eq!(parse(Type::F32, "0x10"), Ok(u64::from(16_f32.to_bits())));
        assert_eq!(parse(Type::F32, "2^24"), Ok(u64::from(16_777_216_f32.to_bits())));
        assert_eq!(parse(Type::F32, "-0"), Ok(0x8000_0000));
        assert_eq!(parse(Type::F32, "0f3F800000"), Ok(0x3f80_0000));
        assert_eq!(parse(Type::F64, "0d3FF0000000000000"), Ok(0x3ff0_0000_0000_0000));
        assert_eq!(parse(Type::F16, "1"), Ok(0x3c00));
        assert_eq!(parse(Type::Bf16, "-2"), Ok(0xc000));
        assert_eq!(parse(Type::F32, "-inf"), Ok(0xff80_0000));
        assert!(f32::from_bits(parse(Type::F32, "nan").unwrap() as u32).is_nan());
        assert_eq!(parse(Type::F32, "").unwrap_err().what, "no number stands there");
        assert_eq!(parse(Type::F32, "1.5f").unwrap_err().what, "`1.5f` is not a number");
        assert_eq!(parse(Type::F32, "1e39").unwrap_err().what, "1e39 is too large for f32");
        assert_eq!(parse(Type::F16, "65520").unwrap_err().what, "65520 is too large for f16");
        assert_eq!(parse(Type::F64, "1e400").unwrap_err().help, "write `inf` if infinity is meant");
    }

    #[test]
    fn iota_counts() {
        assert_eq!(iota(Type::S32, 5), 5);
        assert_eq!(iota(Type::F32, 3), u64::from(3_f32.to_bits()));
        assert_eq!(iota(Type::F16, 2), 0x4000);
    }

    #[test]
    fn random_numbers_are_those_of_the_published_generator() {
        // The first outputs for seed 1234567 are the usual test vector of SplitMix64.
        let outputs: Vec<u64> = (0..3).map(|index| random(Type::U64, 1_234_567, index)).collect();
        assert_eq!(outputs, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
        assert_eq!(random(Type::U8, 1_234_567, 0), 6_457_827_717_110_365_317 >> 56);
    }

    #[test]
    fn random_floats_stay_below_one() {
        for (ty, kind) in
            [(Type::F16, Kind::F16), (Type::Bf16, Kind::Bf16), (Type::F32, Kind::F32), (Type::F64, Kind::F64)]
        {
            let values: Vec<f64> = (0..2000).map(|index| f64_of(kind, random(ty, 9, index))).collect();
            assert!(values.iter().all(|value| (0.0..1.0).contains(value)));
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            assert!((mean - 0.5).abs() < 0.03, "{ty}: {mean}");
        }
    }
}
