//! Constant expressions (PTX ISA, "Constant Expressions"): `(1 + 2) * 3`, `-WARP_SZ`, `(.u64)x`, `a < b ? c : d`.
//!
//! Integers have 64 bits, signed until an unsigned one takes part; floats are of type `.f64` and do not mix with integers. What the
//! manual leaves open is as `ptxas` 13.0 has it: shifts take the lowest six bits of their count, and quotients round towards 0.

use super::lexical::{Parsed, accept, blanks, broken, expected, expected_with, is_word, past, punct, word};
use super::literal::{Number, number};

/// The depth to which parentheses and signs may be nested.
const MAX_DEPTH: u8 = 100;

/// A constant, blanks before it skipped: a literal, or an expression up to the first token that cannot belong to it.
#[inline]
pub(crate) fn constant(text: &str) -> Parsed<'_, Number> {
    let text = blanks(text);
    if text.as_bytes().first().is_some_and(u8::is_ascii_digit) {
        let (rest, value) = number(text)?;
        // Nearly always a literal stands alone.
        if binary(blanks(rest)).is_none() || matches!(value, Number::Single(_)) {
            return Ok((rest, value));
        }
    }
    conditional(text, 0)
}

/// An integer constant, blanks before it skipped.
pub(crate) fn integer(text: &str) -> Parsed<'_, i64> {
    let text = blanks(text);
    let (rest, value) = constant(text)?;
    match value.integer() {
        Some(value) => Ok((rest, value)),
        None => expected(text, "an integer"),
    }
}

/// The binary operators; the longer ones of a beginning stand first. `?` is handled apart.
const OPERATORS: [(&str, u8); 19] = [
    ("||", 1),
    ("&&", 2),
    ("|", 3),
    ("^", 4),
    ("&", 5),
    ("==", 6),
    ("!=", 6),
    ("<<", 8),
    (">>", 8),
    ("<=", 7),
    (">=", 7),
    ("<", 7),
    (">", 7),
    ("+", 9),
    ("-", 9),
    ("*", 10),
    ("/", 10),
    ("%", 10),
    ("?", 0),
];

/// The operator at the front of a text, with how tightly it binds.
#[inline]
fn binary(text: &str) -> Option<(&'static str, u8)> {
    if !matches!(
        text.as_bytes().first()?,
        b'|' | b'^' | b'&' | b'=' | b'!' | b'<'..=b'?' | b'+' | b'-' | b'*' | b'/' | b'%'
    ) {
        return None;
    }
    let (operator, level) = *OPERATORS.iter().find(|(operator, _)| text.starts_with(operator))?;
    // `%r` is a register and no remainder.
    let register = operator == "%" && text.as_bytes().get(1).is_some_and(|&byte| is_word(byte));
    (!register).then_some((operator, level))
}

/// `condition ? a : b`, or what binds tighter.
fn conditional(text: &str, depth: u8) -> Parsed<'_, Number> {
    let (rest, condition) = chain(text, 1, depth)?;
    let Some(more) = accept(rest, '?') else { return Ok((rest, condition)) };
    let deeper = nested(blanks(more), depth)?;
    let (rest, yes) = conditional(blanks(more), deeper)?;
    let (rest, ()) = punct(rest, ':', "`:`")?;
    let (rest, no) = conditional(blanks(rest), deeper)?;
    match condition.integer() {
        Some(condition) => Ok((rest, if condition == 0 { no } else { yes })),
        None => expected(text, "an integer as the condition"),
    }
}

fn nested(at: &str, depth: u8) -> Result<u8, nom::Err<super::lexical::Fail>> {
    match depth {
        MAX_DEPTH.. => Err(broken(at, format!("constants are nested more than {MAX_DEPTH} deep"), None)),
        _ => Ok(depth + 1),
    }
}

/// Operands joined by operators that bind at least as tightly as `least`.
fn chain(text: &str, least: u8, depth: u8) -> Parsed<'_, Number> {
    let (mut rest, mut left) = unary(blanks(text), depth)?;
    loop {
        let at = blanks(rest);
        let Some((operator, level)) = binary(at).filter(|&(_, level)| level >= least) else { return Ok((rest, left)) };
        let right;
        (rest, right) = chain(past(at, operator.len()), level + 1, nested(at, depth)?)?;
        left = match apply(operator, left, right) {
            Ok(value) => value,
            Err(message) => return Err(broken(at, message.to_owned(), None)),
        };
    }
}

fn unary(text: &str, depth: u8) -> Parsed<'_, Number> {
    let inner = |sign: &'static str| unary(blanks(past(text, sign.len())), nested(text, depth)?);
    match text.as_bytes().first() {
        Some(b'-') => match inner("-")? {
            (_, Number::Single(bits)) => {
                let help = format!("put the sign into the bits: `0f{:08X}`", bits ^ (1 << 31));
                expected_with(text, "a constant without a sign", &help)
            }
            (rest, Number::Signed(value)) => Ok((rest, Number::Signed(value.wrapping_neg()))),
            (rest, Number::Unsigned(value)) => Ok((rest, Number::Unsigned(value.wrapping_neg()))),
            (rest, Number::Double(value)) => Ok((rest, Number::Double(-value))),
        },
        Some(b'+') => inner("+"),
        Some(mark @ (b'~' | b'!')) => {
            let (rest, value) = inner("~")?;
            match (mark, value) {
                (b'!', _) => match value.integer() {
                    Some(value) => Ok((rest, Number::Signed((value == 0).into()))),
                    None => expected(text, "an integer behind `!`"),
                },
                (_, Number::Signed(value)) => Ok((rest, Number::Signed(!value))),
                (_, Number::Unsigned(value)) => Ok((rest, Number::Unsigned(!value))),
                _ => expected(text, "an integer behind `~`"),
            }
        }
        Some(b'(') => parenthesised(text, depth),
        Some(byte) if byte.is_ascii_digit() || *byte == b'.' => number(text),
        Some(_) => match word(text) {
            Ok((rest, "WARP_SZ")) => Ok((rest, Number::Signed(32))),
            _ => expected(text, "a constant"),
        },
        None => expected(text, "a constant"),
    }
}

/// `(…)`, or a conversion `(.s64)x`, `(.u64)x`.
fn parenthesised(text: &str, depth: u8) -> Parsed<'_, Number> {
    let deeper = nested(text, depth)?;
    let inside = blanks(past(text, 1));
    if !inside.starts_with('.') || inside.as_bytes().get(1).is_some_and(u8::is_ascii_digit) {
        let (rest, value) = conditional(inside, deeper)?;
        return Ok((punct(rest, ')', "`)`")?.0, value));
    }
    let (rest, ty) = super::lexical::dotted(inside)?;
    let (rest, ()) = punct(rest, ')', "`)`")?;
    let (rest, value) = unary(blanks(rest), deeper)?;
    match (ty, value.integer()) {
        ("s64", Some(value)) => Ok((rest, Number::Signed(value))),
        ("u64", Some(value)) => Ok((rest, Number::Unsigned(value as u64))),
        ("s64" | "u64", None) => expected(inside, "an integer to convert"),
        _ => expected(inside, "`.s64` or `.u64`"),
    }
}

fn apply(operator: &str, left: Number, right: Number) -> Result<Number, &'static str> {
    let truth = |value: bool| Ok(Number::Signed(value.into()));
    match (left, right) {
        (Number::Double(a), Number::Double(b)) => Ok(Number::Double(match operator {
            "+" => a + b,
            "-" => a - b,
            "*" => a * b,
            "/" => a / b,
            "<" => return truth(a < b),
            "<=" => return truth(a <= b),
            ">" => return truth(a > b),
            ">=" => return truth(a >= b),
            "==" => return truth(a == b),
            "!=" => return truth(a != b),
            _ => return Err("this operator takes integers"),
        })),
        (Number::Signed(a), Number::Signed(b)) => Ok(Number::Signed(match operator {
            "/" if b == 0 => return Err("a constant is divided by 0"),
            "/" => a.wrapping_div(b),
            // The remainder is that of unsigned integers whatever the operands are.
            "%" => return apply(operator, Number::Unsigned(a as u64), right),
            ">>" => a.wrapping_shr(b as u32),
            "<" => return truth(a < b),
            "<=" => return truth(a <= b),
            ">" => return truth(a > b),
            ">=" => return truth(a >= b),
            _ => return bits(operator, a as u64, b as u64).map(|value| Number::Signed(value as i64)),
        })),
        _ => match (left.integer(), right.integer()) {
            // A shift has the type of what is shifted.
            (Some(_), Some(count)) if operator == ">>" && matches!(left, Number::Signed(_)) => {
                apply(operator, left, Number::Signed(count))
            }
            (Some(a), Some(b)) => Ok(Number::Unsigned(match (operator, a as u64, b as u64) {
                ("/" | "%", _, 0) => return Err("a constant is divided by 0"),
                ("/", a, b) => a / b,
                ("%", a, b) => a % b,
                (">>", a, b) => a.wrapping_shr(b as u32),
                ("<", a, b) => return truth(a < b),
                ("<=", a, b) => return truth(a <= b),
                (">", a, b) => return truth(a > b),
                (">=", a, b) => return truth(a >= b),
                (_, a, b) => return bits(operator, a, b).map(|value| logical(operator, left, value)),
            })),
            _ => Err("a constant mixes an integer and a float"),
        },
    }
}

/// Truth values are signed whatever was compared, and a shift has the type of what is shifted.
fn logical(operator: &str, left: Number, value: u64) -> Number {
    match (operator, left) {
        ("==" | "!=" | "&&" | "||", _) | ("<<", Number::Signed(_)) => Number::Signed(value as i64),
        _ => Number::Unsigned(value),
    }
}

/// Returns what an operator makes of 64 bits, be they signed or not.
fn bits(operator: &str, a: u64, b: u64) -> Result<u64, &'static str> {
    Ok(match operator {
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "<<" => a.wrapping_shl(b as u32),
        "&" => a & b,
        "|" => a | b,
        "^" => a ^ b,
        "==" => (a == b).into(),
        "!=" => (a != b).into(),
        "&&" => (a != 0 && b != 0).into(),
        "||" => (a != 0 || b != 0).into(),
        _ => return Err("this operator does not belong into a constant"),
    })
}
