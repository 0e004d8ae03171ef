//! The initial values of variables (PTX ISA, "Initializers").
//!
//! They are kept as the bytes that memory will hold, so that half a megabyte of numbers takes a quarter of one. Nested lists are
//! laid down one behind the other, as `ptxas` does it: a row that is not given in full is not filled.

use super::expression::constant;
use super::lexical::{Parsed, accept, blanks, broken, expected, is_word_start, past, punct, string, word};
use super::literal::Number;
use crate::types::Type;
use crate::variable::{AddressInit, Initial};

/// One initial value or a braced list of them.
pub(super) fn initial(text: &str, ty: Type) -> Parsed<'_, Initial> {
    let mut initial = Initial::default();
    let mut open = 0usize;
    let mut text = text;
    loop {
        text = blanks(text);
        if open > 0 {
            text = blanks(integers(text, ty, &mut initial.bytes));
        }
        match text.as_bytes().first() {
            Some(b'{') => {
                open += 1;
                text = past(text, 1);
                if accept(text, '}').is_none() {
                    continue;
                }
            }
            Some(b'"') => {
                let (rest, chars) = string(text)?;
                for byte in unescape(chars).chain(std::iter::once(0)) {
                    put(&mut initial.bytes, byte.into(), ty);
                }
                text = rest;
            }
            _ => text = value(text, ty, &mut initial)?.0,
        }
        while open > 0
            && let Some(rest) = accept(text, '}')
        {
            open -= 1;
            text = rest;
        }
        if open == 0 {
            return Ok((text, initial));
        }
        text = punct(text, ',', "`,` or `}`")?.0;
    }
}

/// Reads decimal integers as long as there are any with a comma behind them: what large tables consist of.
fn integers<'a>(text: &'a str, ty: Type, bytes: &mut Vec<u8>) -> &'a str {
    let source = text.as_bytes();
    let mut done = 0;
    loop {
        let mut at = done;
        while matches!(source.get(at), Some(b' ' | b'\t' | b'\n')) {
            at += 1;
        }
        let negative = source.get(at) == Some(&b'-');
        at += usize::from(negative);
        let (first, mut value) = (at, 0u64);
        while at < first + 18
            && let Some(byte) = source.get(at).filter(|byte| byte.is_ascii_digit())
        {
            value = value * 10 + u64::from(byte - b'0');
            at += 1;
        }
        let octal = source.get(first) == Some(&b'0') && at > first + 1;
        if at == first || octal || source.get(at) != Some(&b',') || ty.is_float() {
            return past(text, done);
        }
        put(bytes, if negative { value.wrapping_neg() } else { value }, ty);
        done = at + 1;
    }
}

/// Puts the lowest bytes of a value behind the others; those beyond 64 bits are zero.
fn put(bytes: &mut Vec<u8>, value: u64, ty: Type) {
    let size = ty.bytes() as usize;
    bytes.extend(value.to_le_bytes().into_iter().take(size));
    bytes.resize(bytes.len() + size.saturating_sub(8), 0);
}

fn value<'a>(text: &'a str, ty: Type, initial: &mut Initial) -> Parsed<'a, ()> {
    if text.as_bytes().first().is_some_and(|&byte| is_word_start(byte)) && !text.starts_with("WARP_SZ") {
        return address(text, ty, None, initial);
    }
    let (rest, value) = match text.as_bytes().first() {
        None | Some(b',' | b';' | b'}' | b'=') => return expected(text, "an initial value"),
        _ => constant(text)?,
    };
    if let Some(inner) = accept(rest, '(')
        && let Some(mask) = value.integer()
    {
        let (rest, ()) = address(blanks(inner), ty, Some(mask as u64), initial)?;
        return punct(rest, ')', "`)`");
    }
    let float = matches!(value, Number::Single(_) | Number::Double(_));
    if let Some(wrong) = mixed(float, ty) {
        return Err(broken(text, wrong.to_owned(), None));
    }
    put(&mut initial.bytes, bits(value, ty), ty);
    Ok((rest, ()))
}

/// Integers and floats are not converted; `.bN` takes both.
fn mixed(float: bool, ty: Type) -> Option<&'static str> {
    let integer =
        matches!(ty, Type::U8 | Type::U16 | Type::U32 | Type::U64 | Type::S8 | Type::S16 | Type::S32 | Type::S64);
    match (float, ty) {
        (true, _) if integer => Some("the initial value of an integer is a float"),
        (false, Type::F32 | Type::F64) => Some("the initial value of a float is an integer; write a decimal point"),
        _ => None,
    }
}

/// `name + 4` or `generic(name) + 4`.
fn address<'a>(text: &'a str, ty: Type, mask: Option<u64>, initial: &mut Initial) -> Parsed<'a, ()> {
    let Ok((rest, name)) = word(text) else { return expected(text, "the name of a variable or function") };
    let (rest, name, generic) = match accept(rest, '(').filter(|_| name == "generic") {
        Some(inner) => {
            let (inner, name) = word(blanks(inner))?;
            (punct(inner, ')', "`)`")?.0, name, true)
        }
        None => (rest, name, false),
    };
    let (rest, offset) = super::operand::offset(rest)?;
    let at = initial.bytes.len();
    put(&mut initial.bytes, 0, ty);
    initial.addresses.push(AddressInit { at, bytes: ty.bytes(), name: name.into(), offset, generic, mask });
    Ok((rest, ()))
}

/// The bits of a number as an element of a type. Bit patterns of floats stay as they are; a decimal one takes the format of the
/// element's size.
fn bits(value: Number, ty: Type) -> u64 {
    match value {
        Number::Signed(value) => value as u64,
        Number::Unsigned(value) => value,
        Number::Single(bits) => bits.into(),
        Number::Double(value) if ty.bytes() <= 4 => (value as f32).to_bits().into(),
        Number::Double(value) => value.to_bits(),
    }
}

fn unescape(chars: &str) -> impl Iterator<Item = u8> + '_ {
    let mut bytes = chars.bytes();
    std::iter::from_fn(move || match bytes.next()? {
        b'\\' => Some(match bytes.next()? {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'0' => 0,
            other => other,
        }),
        byte => Some(byte),
    })
}
