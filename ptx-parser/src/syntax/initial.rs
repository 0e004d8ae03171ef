//! The initial values of variables (PTX ISA, "Initializers").

use super::lexical::{Number, Parsed, accept, blanks, broken, expected, integer, number, punct, string, word};
use crate::types::Type;
use crate::variable::Init;

/// The largest number of zeros that may be put between initial values for rows that are given in part.
const MAX_FILL: u64 = 1 << 20;

/// The values of a variable, as they are read.
struct Values<'v> {
    init: &'v mut Vec<Init>,
    /// How many elements each inner level of braces holds.
    inner: &'v [u64],
    /// For each open brace, where its values begin.
    open: Vec<usize>,
    filled: u64,
}

impl Values<'_> {
    /// Reads as many closing braces as there are. A row of an array that is not given in full is filled with zeros, since the
    /// next row follows.
    fn close<'a>(&mut self, text: &'a str) -> Parsed<'a, ()> {
        let mut text = text;
        while !self.open.is_empty()
            && let Some(rest) = accept(text, '}')
        {
            let start = self.open.pop().unwrap_or(0);
            if let Some(&size) = self.open.len().checked_sub(1).and_then(|level| self.inner.get(level)) {
                let given = (self.init.len() - start) as u64;
                self.filled = self.filled.saturating_add(size.saturating_sub(given));
                if self.filled > MAX_FILL {
                    let message = "the rows of this array are given in part and are too long to be filled";
                    return Err(broken(blanks(text), message.to_owned(), Some("give the values in one list")));
                }
                // At most `MAX_FILL`, which any `usize` holds.
                self.init.resize(start + size.max(given) as usize, Init::Bits(0));
            }
            text = rest;
        }
        Ok((text, ()))
    }
}

/// One initial value or a braced list of them, nested lists flattened. `inner` says how many elements each inner level of
/// braces holds.
pub(super) fn initial<'a>(text: &'a str, ty: Type, inner: &[u64], init: &mut Vec<Init>) -> Parsed<'a, ()> {
    let mut values = Values { init, inner, open: Vec::new(), filled: 0 };
    let mut text = text;
    loop {
        text = blanks(text);
        match text.as_bytes().first() {
            Some(b'{') => {
                values.open.push(values.init.len());
                text = &text[1..];
                if accept(text, '}').is_none() {
                    continue;
                }
            }
            Some(b'"') => {
                let (rest, chars) = string(text)?;
                values.init.extend(unescape(chars).map(|byte| Init::Bits(u64::from(byte))));
                values.init.push(Init::Bits(0));
                text = rest;
            }
            _ => {
                let (rest, value) = value(text, ty)?;
                values.init.push(value);
                text = rest;
            }
        }
        text = values.close(text)?.0;
        if values.open.is_empty() {
            return Ok((text, ()));
        }
        text = punct(text, ',', "`,` or `}`")?.0;
    }
}

fn value(text: &str, ty: Type) -> Parsed<'_, Init> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, blanks(rest)),
        None => (false, text),
    };
    if digits.as_bytes().first().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'.') {
        let (rest, value) = number(digits)?;
        return Ok((rest, Init::Bits(bits(value, negative, ty))));
    }
    let Ok((rest, name)) = word(text) else { return expected(text, "an initial value") };
    let (rest, name, generic) = match accept(rest, '(').filter(|_| name == "generic") {
        Some(inner) => {
            let (inner, name) = word(blanks(inner))?;
            (punct(inner, ')', "`)`")?.0, name, true)
        }
        None => (rest, name, false),
    };
    let at = blanks(rest);
    let (rest, offset) = match at.as_bytes().first() {
        Some(b'+') => integer(&at[1..])?,
        Some(b'-') => integer(at)?,
        _ => (rest, 0),
    };
    Ok((rest, Init::Address(name.into(), offset, generic)))
}

/// The bits of a number as an element of a type: floats take the element's format, integers wrap to 64 bits.
fn bits(value: Number, negative: bool, ty: Type) -> u64 {
    let signed = |value: f64| if negative { -value } else { value };
    let single = |value: f64| u64::from((signed(value) as f32).to_bits());
    match (value, ty) {
        (Number::Int(value), Type::F64) => signed(value as f64).to_bits(),
        (Number::Int(value), Type::F32) => single(value as f64),
        (Number::Int(value), _) if negative => value.wrapping_neg(),
        (Number::Int(value), _) => value,
        (Number::Float32(bits), Type::F64) => signed(f64::from(f32::from_bits(bits))).to_bits(),
        (Number::Float32(bits), _) => u64::from(if negative { bits ^ (1 << 31) } else { bits }),
        (Number::Float64(bits), Type::F32) => single(f64::from_bits(bits)),
        (Number::Float64(bits), _) => {
            if negative {
                bits ^ (1 << 63)
            } else {
                bits
            }
        }
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
