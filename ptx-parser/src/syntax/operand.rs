//! The operands of an instruction.

use smallvec::SmallVec;

use super::lexical::{
    Number, Parsed, accept, blanks, broken, expected, integer, is_word_start, missing, number, punct, word,
};
use super::names::Names;
use crate::operand::{Base, Operand};
use crate::special::{Component, Special, SpecialName};
use crate::types::Type;

/// An operand as read: final, or the name of a label whose scope is still open.
pub(crate) enum Read<'a> {
    Done(Operand),
    Label(&'a str),
}

/// The operands up to the semicolon, which is read too. `labels` says that a plain name is a branch target.
pub(crate) fn operands<'a>(text: &'a str, names: &mut Names<'a>, labels: bool) -> Parsed<'a, SmallVec<[Read<'a>; 4]>> {
    let mut list = SmallVec::new();
    if let Some(rest) = accept(text, ';') {
        return Ok((rest, list));
    }
    let mut text = text;
    loop {
        let (rest, operand) = operand(blanks(text), names, labels)?;
        list.push(operand);
        if let Some(rest) = accept(rest, ',') {
            text = rest;
        } else if let Some(rest) = accept(rest, ';') {
            return Ok((rest, list));
        } else {
            return missing(rest, "`,` or `;`");
        }
    }
}

fn operand<'a>(text: &'a str, names: &mut Names<'a>, labels: bool) -> Parsed<'a, Read<'a>> {
    let (rest, operand) = match text.as_bytes().first() {
        Some(b'{') => {
            let (rest, list) = elements(&text[1..], names, '}', "`,` or `}`")?;
            (rest, Operand::Vector(names.kernel.push_list(list)))
        }
        Some(b'(') => {
            let (rest, list) = elements(&text[1..], names, ')', "`,` or `)`")?;
            (rest, Operand::Tuple(names.kernel.push_list(list)))
        }
        Some(b'[') => bracket(&text[1..], names)?,
        Some(b'!') => {
            let at = blanks(&text[1..]);
            let (rest, name) = word(at)?;
            match names.reg(name) {
                Some(reg) => (rest, Operand::Not(reg)),
                None => return Err(names.undeclared(name)),
            }
        }
        Some(&byte) if is_word_start(byte) => {
            if labels {
                let (rest, name) = word(text)?;
                if names.reg(name).is_none() {
                    return Ok((rest, Read::Label(name)));
                }
            }
            named(text, names)?
        }
        _ => literal(text)?,
    };
    Ok((rest, Read::Done(operand)))
}

/// The elements of a vector, tuple or bracket up to its closing mark, which is read too.
fn elements<'a>(
    text: &'a str,
    names: &mut Names<'a>,
    close: char,
    what: &'static str,
) -> Parsed<'a, SmallVec<[Operand; 4]>> {
    let mut list = SmallVec::new();
    if let Some(rest) = accept(text, close) {
        return Ok((rest, list));
    }
    let mut text = text;
    loop {
        let at = blanks(text);
        let (rest, element) = match at.as_bytes().first() {
            Some(b'{') if close == ']' => {
                let (rest, inner) = elements(&at[1..], names, '}', "`,` or `}`")?;
                (rest, Operand::Vector(names.kernel.push_list(inner)))
            }
            Some(&byte) if is_word_start(byte) => named(at, names)?,
            _ => literal(at)?,
        };
        list.push(element);
        if let Some(rest) = accept(rest, ',') {
            text = rest;
        } else if let Some(rest) = accept(rest, close) {
            return Ok((rest, list));
        } else {
            return missing(rest, what);
        }
    }
}

/// `[base+offset]` or `[a, b]`, behind the opening bracket.
fn bracket<'a>(text: &'a str, names: &mut Names<'a>) -> Parsed<'a, Operand> {
    let at = blanks(text);
    let (rest, base) = if at.as_bytes().first().is_some_and(|&byte| is_word_start(byte)) {
        let (rest, name) = word(at)?;
        match names.reg(name) {
            Some(reg) => (rest, Base::Reg(reg)),
            None if name.starts_with('%') => return Err(names.undeclared(name)),
            None => (rest, Base::Symbol(names.symbol(name)?)),
        }
    } else {
        (at, Base::Absolute)
    };
    let (rest, offset) = if base == Base::Absolute { integer(rest)? } else { offset(rest)? };
    let Ok(offset) = i32::try_from(offset) else {
        return Err(broken(at, format!("offset {offset} does not fit 32 bits"), Some("add it to a register first")));
    };
    if let Some(rest) = accept(rest, ']') {
        return Ok((rest, Operand::Address(base, offset)));
    }
    let Some(more) = accept(rest, ',') else { return missing(rest, "`+`, `,` or `]`") };
    let first = match base {
        Base::Reg(reg) if offset == 0 => Operand::Reg(reg),
        Base::Reg(_) => Operand::Address(base, offset),
        Base::Symbol(symbol) => Operand::Symbol(symbol, offset),
        Base::Absolute => Operand::Int(offset.into()),
    };
    let (rest, mut list) = elements(more, names, ']', "`,` or `]`")?;
    list.insert(0, first);
    Ok((rest, Operand::Bracket(names.kernel.push_list(list))))
}

/// `+4`, `-4`, `+-4`, or nothing.
fn offset(text: &str) -> Parsed<'_, i64> {
    let at = blanks(text);
    match at.as_bytes().first() {
        Some(b'+') => integer(&at[1..]),
        Some(b'-') => integer(at),
        _ => Ok((text, 0)),
    }
}

/// An operand that begins with a name.
fn named<'a>(text: &'a str, names: &mut Names<'a>) -> Parsed<'a, Operand> {
    let (rest, name) = word(text)?;
    if name == "_" {
        return match accept(rest, '|') {
            Some(rest) => pair(None, rest, names),
            None => Ok((rest, Operand::Sink)),
        };
    }
    if let Some(reg) = names.reg(name) {
        if let Some(more) = accept(rest, '|') {
            return pair(Some(reg), more, names);
        }
        return match component(rest) {
            Some((rest, component)) => Ok((rest, Operand::Component(reg, component))),
            None => Ok((rest, Operand::Reg(reg))),
        };
    }
    if let Some(name) = SpecialName::from_text(name) {
        let (rest, component) = match component(rest) {
            Some((rest, component)) => (rest, Some(component)),
            None => (rest, None),
        };
        return Ok((rest, Operand::Special(Special { name, component })));
    }
    if name.starts_with('%') {
        return Err(names.undeclared(name));
    }
    if name == "WARP_SZ" {
        return Ok((rest, Operand::Int(32)));
    }
    let symbol = names.symbol(name)?;
    let (rest, offset) = offset(rest)?;
    match i32::try_from(offset) {
        Ok(offset) => Ok((rest, Operand::Symbol(symbol, offset))),
        Err(_) => expected(text, "an offset that fits 32 bits"),
    }
}

fn pair<'a>(first: Option<crate::Reg>, text: &'a str, names: &mut Names<'a>) -> Parsed<'a, Operand> {
    let (rest, name) = word(blanks(text))?;
    match names.reg(name) {
        Some(reg) => Ok((rest, Operand::Pair(first, Some(reg)))),
        None if name == "_" => Ok((rest, Operand::Pair(first, None))),
        None => Err(names.undeclared(name)),
    }
}

fn component(text: &str) -> Option<(&str, Component)> {
    let (rest, name) = word(text.strip_prefix('.')?).ok()?;
    Some((rest, Component::from_text(name)?))
}

fn literal(text: &str) -> Parsed<'_, Operand> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, blanks(rest)),
        None => (false, text),
    };
    if !digits.as_bytes().first().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'.') {
        return expected(digits, "an operand");
    }
    let (rest, number) = number(digits)?;
    let operand = match number {
        Number::Int(value) if negative => Operand::Int((value as i64).wrapping_neg()),
        Number::Int(value) => Operand::Int(value as i64),
        Number::Float32(bits) => Operand::Float32(if negative { bits ^ (1 << 31) } else { bits }),
        Number::Float64(bits) => Operand::Float64(if negative { bits ^ (1 << 63) } else { bits }),
    };
    Ok((rest, operand))
}

/// The register that a guard names; it must be a predicate.
pub(crate) fn guard<'a>(text: &'a str, names: &mut Names<'a>) -> Parsed<'a, crate::Guard> {
    let text = blanks(text);
    let (negated, at) = match text.strip_prefix('!') {
        Some(rest) => (true, blanks(rest)),
        None => (false, text),
    };
    let (rest, name) = word(at)?;
    match names.reg(name) {
        Some(reg) if names.kernel.regs[reg].ty == Type::Pred => Ok((rest, crate::Guard { reg, negated })),
        Some(_) => {
            Err(broken(name, format!("guard `{name}` is not a predicate"), Some("a guard needs a `.pred` register")))
        }
        None => Err(names.undeclared(name)),
    }
}

/// A comma between two parts of a directive.
pub(crate) fn comma(text: &str) -> Parsed<'_, ()> {
    punct(text, ',', "`,`")
}
