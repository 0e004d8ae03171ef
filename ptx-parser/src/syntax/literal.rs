//! Literals: integers in four bases, floats as bit patterns and in decimal (PTX ISA, "Constants").

use std::ops::Range;

use super::lexical::{Parsed, blanks, cut, expected, expected_with, is_word, past};

/// The value of a literal or of an expression of literals.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Number {
    /// An integer of type `.s64`.
    Signed(i64),
    /// An integer of type `.u64`: written with a `U`, or too large for the other.
    Unsigned(u64),
    /// The bits of a `.f32`, written `0f…`.
    Single(u32),
    /// A `.f64`, written `0d…` or in decimal.
    Double(f64),
}

impl Number {
    /// The 64 bits of an integer.
    pub(crate) fn integer(self) -> Option<i64> {
        match self {
            Number::Signed(value) => Some(value),
            Number::Unsigned(value) => Some(value as i64),
            Number::Single(_) | Number::Double(_) => None,
        }
    }

    fn from_unsigned(value: u64, suffix: bool) -> Number {
        match i64::try_from(value) {
            Ok(value) if !suffix => Number::Signed(value),
            _ => Number::Unsigned(value),
        }
    }
}

/// A literal without its sign.
#[inline]
pub(crate) fn number(text: &str) -> Parsed<'_, Number> {
    let bytes = text.as_bytes();
    let (mut at, mut value) = (0, 0i64);
    // Nearly all literals are short decimal integers.
    while at < 18
        && let Some(byte) = bytes.get(at).filter(|byte| byte.is_ascii_digit())
    {
        value = value * 10 + i64::from(byte - b'0');
        at += 1;
    }
    let plain = at == 1 || at > 0 && bytes.first() != Some(&b'0');
    if plain && bytes.get(at).is_none_or(|&byte| !is_word(byte) && byte != b'.') {
        return Ok((past(text, at), Number::Signed(value)));
    }
    any_number(text)
}

fn any_number(text: &str) -> Parsed<'_, Number> {
    let bytes = text.as_bytes();
    let digits = |from: usize, ok: fn(&u8) -> bool| bytes.iter().skip(from).take_while(|byte| ok(byte)).count();
    let hex = |byte: &u8| byte.is_ascii_hexdigit();
    let at_end = |end: usize| !bytes.get(end).is_some_and(|&byte| is_word(byte));
    let bits = match bytes {
        [b'0', b'f' | b'F', ..] if digits(2, hex) == 8 => {
            wrapped(bytes, 2..10, 16).map(|bits| (Number::Single(bits as u32), 10))
        }
        [b'0', b'd' | b'D', ..] if digits(2, hex) == 16 => {
            wrapped(bytes, 2..18, 16).map(|bits| (Number::Double(f64::from_bits(bits)), 18))
        }
        _ => None,
    };
    if let Some((number, end)) = bits {
        return if at_end(end) { Ok((past(text, end), number)) } else { expected(text, "a number") };
    }
    let decimal = digits(0, u8::is_ascii_digit);
    if let Some(end) = float_end(bytes, decimal) {
        let (digits, rest) = cut(text, end);
        return match digits.parse::<f64>() {
            // `ptxas` refuses what is too large for a double, and what is not zero and too small for a normal one.
            Ok(value) if !(value.is_normal() || value == 0.0 && is_zero(digits)) => {
                expected_with(text, "a number that a double holds", "write its bits: `0d` and 16 digits")
            }
            Ok(value) if at_end(end) => Ok((rest, Number::Double(value))),
            _ => expected(text, "a number"),
        };
    }
    let (from, radix, count) = match bytes {
        [b'0', b'x' | b'X', ..] => (2, 16, digits(2, hex)),
        [b'0', b'b' | b'B', ..] => (2, 2, digits(2, |byte| matches!(byte, b'0' | b'1'))),
        [b'0', b'0'..=b'9', ..] => (1, 8, digits(1, |byte| matches!(byte, b'0'..=b'7'))),
        _ => (0, 10, decimal),
    };
    let end = from + count;
    let suffix = bytes.get(end) == Some(&b'U');
    let behind = end + usize::from(suffix);
    if count == 0 || !at_end(behind) {
        return expected(text, "a number");
    }
    match wrapped(bytes, from..end, radix) {
        Some(value) => Ok((past(text, behind), Number::from_unsigned(value, suffix))),
        None => expected_with(text, "a number that fits 64 bits", "`ptxas` refuses it as well"),
    }
}

/// The value of digits at a place, cut to 64 bits. `ptxas` gives up where another digit follows a value whose highest bit is set, and only
/// there: it reads `18446744073709551617` as 1 and refuses `99999999999999999999`.
fn wrapped(bytes: &[u8], place: Range<usize>, radix: u32) -> Option<u64> {
    bytes.get(place)?.iter().try_fold(0u64, |value, &digit| {
        let digit = char::from(digit).to_digit(radix)?;
        (value >> 63 == 0).then(|| value.wrapping_mul(radix.into()).wrapping_add(digit.into()))
    })
}

/// Returns true if a decimal float has no digit but 0 in front of its exponent.
fn is_zero(text: &str) -> bool {
    text.bytes().take_while(|byte| !matches!(byte, b'e' | b'E')).all(|byte| matches!(byte, b'0' | b'.'))
}

/// The end of a decimal float that begins with `whole` digits, or `None` if it is none.
fn float_end(bytes: &[u8], whole: usize) -> Option<usize> {
    let count = |from: usize| bytes.get(from..).unwrap_or(&[]).iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = whole;
    let mut is_float = false;
    if bytes.get(end) == Some(&b'.') && (whole > 0 || count(end + 1) > 0) {
        end += 1 + count(end + 1);
        is_float = true;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) && end > 0 {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = count(end + 1 + sign);
        if exponent > 0 {
            end += 1 + sign + exponent;
            is_float = true;
        }
    }
    is_float.then_some(end)
}

/// An unsigned integer of 32 bits, blanks before it skipped.
pub(crate) fn count(text: &str) -> Parsed<'_, u32> {
    let text = blanks(text);
    match number(text)? {
        (rest, Number::Signed(value)) if u32::try_from(value).is_ok() => Ok((rest, value as u32)),
        (rest, Number::Unsigned(value)) if u32::try_from(value).is_ok() => Ok((rest, value as u32)),
        (_, Number::Signed(_) | Number::Unsigned(_)) => expected(text, "a number below 4294967296"),
        _ => expected(text, "an integer"),
    }
}
