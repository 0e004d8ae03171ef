//! Declarations: registers, variables with their initial values, parameters (PTX ISA, "Variables").

use super::lexical::{
    Number, Parsed, accept, blanks, broken, count, dotted, expected, integer, number, punct, string, word,
};
use super::names::Names;
use crate::types::{Space, Type};
use crate::variable::{Init, Parameter, Variable};

/// What stands between the state space and the names: alignment, vector length, type.
struct Shape {
    align: Option<u32>,
    lanes: u8,
    ty: Type,
}

/// Reads `.align 8 .v4 .f32` and whatever attributes stand among them, in any order.
fn shape(text: &str) -> Parsed<'_, Shape> {
    let mut shape = Shape { align: None, lanes: 1, ty: Type::B8 };
    let mut typed = false;
    let mut text = blanks(text);
    while text.starts_with('.') {
        let (rest, name) = dotted(text)?;
        let mut rest = rest;
        match name {
            "align" => {
                let (after, align) = count(rest)?;
                if !align.is_power_of_two() {
                    return Err(broken(blanks(rest), format!("alignment {align} is not a power of two"), None));
                }
                shape.align = Some(align);
                rest = after;
            }
            "v2" => shape.lanes = 2,
            "v4" => shape.lanes = 4,
            "v8" => shape.lanes = 8,
            // `.ptr .global .align 4` describes what a pointer parameter points to.
            "ptr" | "const" | "global" | "local" | "shared" | "managed" => {
                if let Some((after, _)) = (name == "ptr").then(|| pointee(rest)).transpose()? {
                    rest = after;
                }
            }
            "attribute" => rest = parenthesised(rest)?.0,
            _ => match Type::from_text(name) {
                Some(ty) => {
                    shape.ty = ty;
                    typed = true;
                }
                None if ["texref", "samplerref", "surfref"].contains(&name) => {
                    shape.ty = Type::B64;
                    typed = true;
                }
                None => return expected(text, "a type, `.align` or `.attribute`"),
            },
        }
        text = blanks(rest);
    }
    if typed { Ok((text, shape)) } else { expected(text, "a type such as `.b32`") }
}

/// What follows `.ptr`: an optional space and alignment.
fn pointee(text: &str) -> Parsed<'_, ()> {
    let mut text = blanks(text);
    if let Ok((rest, space)) = dotted(text)
        && Space::from_text(space).is_some()
    {
        text = blanks(rest);
    }
    if let Ok((rest, "align")) = dotted(text) {
        text = count(rest)?.0;
    }
    Ok((text, ()))
}

fn parenthesised(text: &str) -> Parsed<'_, ()> {
    let (rest, ()) = punct(text, '(', "`(`")?;
    let mut depth = 1;
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            b';' => break,
            _ => {}
        }
        if depth == 0 {
            return Ok((&rest[at + 1..], ()));
        }
    }
    expected(rest, "`)`")
}

/// `.reg .b32 %r<28>, %x;`, behind `.reg`.
pub(crate) fn registers<'a>(text: &'a str, names: &mut Names<'a>) -> Parsed<'a, ()> {
    let (rest, shape) = shape(text)?;
    let mut text = rest;
    loop {
        let (rest, name) = word(blanks(text))?;
        let rest = match accept(rest, '<') {
            Some(rest) => {
                let (rest, count) = count(rest)?;
                names.declare_family(name, u64::from(count), shape.ty, shape.lanes);
                punct(rest, '>', "`>`")?.0
            }
            None => {
                names.declare_reg(name, shape.ty, shape.lanes)?;
                rest
            }
        };
        match accept(rest, ',') {
            Some(rest) => text = rest,
            None => return punct(rest, ';', "`,` or `;`"),
        }
    }
}

/// `.align 4 .b8 name[16] = {…}, other;`, behind the state space.
pub(crate) fn variables(text: &str, space: Space, external: bool) -> Parsed<'_, Vec<Variable>> {
    let (rest, shape) = shape(text)?;
    let mut list = Vec::new();
    let mut text = rest;
    loop {
        let (rest, name) = word(blanks(text))?;
        let (mut rest, sizes) = dimensions(rest)?;
        let lanes = u64::from(shape.lanes);
        let (repeat, rest_after_family) = match accept(rest, '<') {
            Some(after) => {
                let (after, number) = count(after)?;
                (Some(number), punct(after, '>', "`>`")?.0)
            }
            None => (None, rest),
        };
        rest = rest_after_family;
        let mut init = Vec::new();
        if let Some(value) = accept(rest, '=') {
            rest = initial(blanks(value), shape.ty, &mut init)?.0;
        }
        let count = match sizes {
            Sizes::Scalar => Some(lanes),
            Sizes::Known(elements) => Some(elements.saturating_mul(lanes)),
            Sizes::Open if init.is_empty() => None,
            Sizes::Open => Some(init.len() as u64),
        };
        let align = shape.align.unwrap_or_else(|| shape.ty.bytes() * u32::from(shape.lanes));
        let variable =
            |name: Box<str>| Variable { name, space, align, ty: shape.ty, count, external, init: init.clone() };
        match repeat {
            None => list.push(variable(name.into())),
            Some(number) if number <= 1 << 16 => {
                list.extend((0..number).map(|n| variable(format!("{name}{n}").into())))
            }
            Some(number) => {
                return Err(broken(name, format!("{number} variables in one declaration are too many"), None));
            }
        }
        match accept(rest, ',') {
            Some(rest) => text = rest,
            None => return punct(rest, ';', "`,`, `=` or `;`").map(|(rest, ())| (rest, list)),
        }
    }
}

enum Sizes {
    Scalar,
    Known(u64),
    Open,
}

/// `[4][8]`, `[]`, or nothing.
fn dimensions(text: &str) -> Parsed<'_, Sizes> {
    let mut sizes = Sizes::Scalar;
    let mut text = text;
    while let Some(rest) = accept(text, '[') {
        if let Some(rest) = accept(rest, ']') {
            sizes = Sizes::Open;
            text = rest;
            continue;
        }
        let (rest, size) = number(blanks(rest))?;
        let Number::Int(size) = size else { return expected(blanks(text), "an array size") };
        sizes = match sizes {
            Sizes::Scalar => Sizes::Known(size),
            Sizes::Known(elements) => Sizes::Known(elements.saturating_mul(size)),
            Sizes::Open => Sizes::Open,
        };
        text = punct(rest, ']', "`]`")?.0;
    }
    Ok((text, sizes))
}

/// One initial value or a braced list of them, nested lists flattened.
fn initial<'a>(text: &'a str, ty: Type, init: &mut Vec<Init>) -> Parsed<'a, ()> {
    let mut text = text;
    let mut depth = 0;
    loop {
        text = blanks(text);
        match text.as_bytes().first() {
            Some(b'{') => {
                depth += 1;
                text = &text[1..];
                if let Some(rest) = accept(text, '}') {
                    depth -= 1;
                    text = rest;
                } else {
                    continue;
                }
            }
            Some(b'"') => {
                let (rest, chars) = string(text)?;
                init.extend(unescape(chars).map(|byte| Init::Bits(u64::from(byte))));
                init.push(Init::Bits(0));
                text = rest;
            }
            _ => {
                let (rest, value) = initial_value(text, ty)?;
                init.push(value);
                text = rest;
            }
        }
        while depth > 0
            && let Some(rest) = accept(text, '}')
        {
            depth -= 1;
            text = rest;
        }
        if depth == 0 {
            return Ok((text, ()));
        }
        text = punct(text, ',', "`,` or `}`")?.0;
        // A comma may stand before the closing brace.
        while depth > 0
            && let Some(rest) = accept(text, '}')
        {
            depth -= 1;
            text = rest;
        }
        if depth == 0 {
            return Ok((text, ()));
        }
    }
}

fn initial_value(text: &str, ty: Type) -> Parsed<'_, Init> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, blanks(rest)),
        None => (false, text),
    };
    if digits.as_bytes().first().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'.') {
        let (rest, value) = number(digits)?;
        let bits = match value {
            Number::Int(value) if ty.is_float() && ty.bits() == 64 => (value as f64).to_bits(),
            Number::Int(value) if ty == Type::F32 => u64::from((value as f32).to_bits()),
            Number::Int(value) => return Ok((rest, Init::Bits(if negative { value.wrapping_neg() } else { value }))),
            Number::Float32(bits) => u64::from(bits),
            Number::Float64(bits) if ty == Type::F32 => u64::from((f64::from_bits(bits) as f32).to_bits()),
            Number::Float64(bits) => bits,
        };
        let sign = if negative { 1u64 << (ty.bits().clamp(1, 64) - 1) } else { 0 };
        return Ok((rest, Init::Bits(bits ^ sign)));
    }
    let (rest, name) = word(text)?;
    let (rest, name, generic) = if name == "generic" && accept(rest, '(').is_some() {
        let (inner, ()) = punct(rest, '(', "`(`")?;
        let (inner, name) = word(blanks(inner))?;
        (punct(inner, ')', "`)`")?.0, name, true)
    } else {
        (rest, name, false)
    };
    let at = blanks(rest);
    let (rest, offset) = match at.as_bytes().first() {
        Some(b'+') => integer(&at[1..])?,
        Some(b'-') => integer(at)?,
        _ => (rest, 0),
    };
    Ok((rest, Init::Address(name.into(), offset, generic)))
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

/// A parameter list in parentheses, behind the opening one, which is read up to and with the closing one.
pub(crate) fn parameters(text: &str) -> Parsed<'_, Vec<Parameter>> {
    let mut list = Vec::new();
    if let Some(rest) = accept(text, ')') {
        return Ok((rest, list));
    }
    let mut text = text;
    loop {
        let at = blanks(text);
        let (rest, space) = dotted(at)?;
        let space = match space {
            "param" => Space::Param,
            "reg" => Space::Reg,
            _ => return expected(at, "`.param` or `.reg`"),
        };
        let (rest, shape) = shape(rest)?;
        let (rest, name) = word(blanks(rest))?;
        let (rest, sizes) = dimensions(rest)?;
        let elements = match sizes {
            Sizes::Scalar => 1,
            Sizes::Known(elements) => elements,
            Sizes::Open => 0,
        };
        let align = shape.align.unwrap_or_else(|| shape.ty.bytes() * u32::from(shape.lanes));
        let count = elements.saturating_mul(u64::from(shape.lanes));
        list.push(Parameter { name: name.into(), space, ty: shape.ty, align, count });
        match accept(rest, ',') {
            Some(rest) => text = rest,
            None => return punct(rest, ')', "`,` or `)`").map(|(rest, ())| (rest, list)),
        }
    }
}
