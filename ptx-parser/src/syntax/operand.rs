//! The operands of an instruction.

use smallvec::SmallVec;

use super::error_recovery::begins_statement;
use super::expression::{constant, integer};
use super::lexical::{
    Parsed, accept, blanks, broken, cut, expected, expected_with, is_word, is_word_start, missing, past, punct, until,
    word,
};
use super::literal::Number;
use super::names::Names;
use super::numeral::small;
use super::scope::Brief;
use crate::entities::{Inst, Reg, Symbol};
use crate::operand::{Base, Operand, Part, Selector};
use crate::special::{Component, Special, SpecialName};
use crate::table::Flow;
use crate::types::Type;

/// The position of the operand that is being read, and its instruction.
#[derive(Clone, Copy)]
struct Slot {
    inst: Inst,
    index: usize,
    flow: Flow,
    /// True if the instruction accesses memory.
    accesses: bool,
}

/// The operands up to the semicolon, which is read too. `inst` is the instruction that they will belong to.
///
/// They go to the pool, where they stand together. As elements of vectors go there as well, from the first vector on they wait in
/// `names.waiting` until all are read; [`Names::pooled`] says where they are.
pub(crate) fn operands<'a>(text: &'a str, names: &mut Names<'a>, inst: Inst, brief: Brief) -> Parsed<'a, ()> {
    let mut place = Slot { inst, index: 0, flow: brief.flow, accesses: brief.accesses };
    let start = names.kernel.pool.len();
    names.waiting.clear();
    let head_end = text;
    let mut text = blanks(text);
    if let Some(rest) = text.strip_prefix(';') {
        return Ok((rest, ()));
    }
    // A vector may well stand on a line of its own; a statement there means that the semicolon is missing.
    let new_line = until(head_end, text).contains('\n');
    if new_line && !text.starts_with('{') && begins_statement(text) {
        return missing(head_end, "an operand or `;`");
    }
    loop {
        let rest = if let Some((rest, register)) = register(text, names) {
            names.operands().push(Operand::Reg(register));
            rest
        } else if let Some((rest, base, offset)) = address(text, names) {
            names.operands().push(Operand::Address(Base::Reg(base), offset.into()));
            rest
        } else if let Some((rest, value)) = small_number(text) {
            names.operands().push(Operand::Int(value));
            rest
        } else {
            let before = names.kernel.pool.len();
            let (rest, operand) = operand(text, names, place)?;
            if names.waiting.is_empty() && names.kernel.pool.len() != before {
                names.waiting.extend_from_slice(names.kernel.pool.get(start..before).unwrap_or_default());
                names.waiting.push(operand);
            } else {
                names.operands().push(operand);
            }
            rest
        };
        place.index += 1;
        let rest_trimmed = blanks(rest);
        match rest_trimmed.as_bytes().first() {
            Some(b',') => text = blanks(past(rest_trimmed, 1)),
            Some(b';') => return Ok((past(rest_trimmed, 1), ())),
            _ => return missing(rest, "`,` or `;`"),
        }
    }
}

/// A register with a comma or semicolon right behind it, as most operands are.
#[inline]
fn register<'a>(text: &'a str, names: &mut Names<'a>) -> Option<(&'a str, Reg)> {
    let bytes = text.as_bytes();
    let behind = bytes.strip_prefix(b"%")?;
    if let Some((end, reg)) = names.quick_reg(text) {
        return matches!(bytes.get(end), Some(b',' | b';')).then(|| (past(text, end), reg));
    }
    let end = 1 + behind.iter().position(|&byte| !is_word(byte))?;
    if !matches!(bytes.get(end), Some(b',' | b';')) {
        return None;
    }
    let (name, rest) = cut(text, end);
    Some((rest, names.reg(name)?))
}

/// `[%rd1]` or `[%rd1+8]`, as most addresses are.
#[inline]
fn address<'a>(text: &'a str, names: &mut Names<'a>) -> Option<(&'a str, Reg, i64)> {
    let inside = text.strip_prefix('[')?;
    let (end, base) = names.quick_reg(inside)?;
    let behind = inside.as_bytes().get(end..)?;
    if behind.first() == Some(&b']') {
        return Some((past(inside, end + 1), base, 0));
    }
    let (length, offset) = small(behind.strip_prefix(b"+")?)?;
    let end = end + 1 + length;
    (inside.as_bytes().get(end) == Some(&b']')).then(|| (past(inside, end + 1), base, offset.cast_signed()))
}

/// A decimal number of up to seven digits with a comma or semicolon right behind it, as most literals are.
#[inline]
fn small_number(text: &str) -> Option<(&str, i64)> {
    let (length, value) = small(text.as_bytes())?;
    matches!(text.as_bytes().get(length), Some(b',' | b';')).then(|| (past(text, length), value.cast_signed()))
}

fn operand<'a>(text: &'a str, names: &mut Names<'a>, place: Slot) -> Parsed<'a, Operand> {
    match text.as_bytes().first() {
        Some(b'{') => {
            let (rest, list) = elements(past(text, 1), names, '}', "`,` or `}`")?;
            let list = names.kernel.push_list(&list);
            match accept(rest, '|') {
                Some(more) => {
                    let (rest, resident) = result(more, names)?;
                    Ok((rest, Operand::VectorPair(list, resident)))
                }
                None => Ok((rest, Operand::Vector(list))),
            }
        }
        Some(b'(') if place.flow == Flow::Call || !is_constant(text) => {
            let (rest, list) = elements(past(text, 1), names, ')', "`,` or `)`")?;
            Ok((rest, Operand::Tuple(names.kernel.push_list(&list))))
        }
        Some(b'[') => bracket(past(text, 1), names),
        Some(b'!') if blanks(past(text, 1)).as_bytes().first().is_some_and(|&byte| is_word_start(byte)) => {
            let (rest, name) = word(blanks(past(text, 1)))?;
            Ok((rest, Operand::Not(names.reg_or_report(name))))
        }
        Some(&byte) if is_word_start(byte) => {
            if place.flow == Flow::Branch {
                let (rest, name) = word(text)?;
                if names.reg(name).is_none() {
                    names.await_label(name, place.inst, place.index);
                    return Ok((rest, Operand::Sink));
                }
            }
            let (rest, operand) = named(text, names)?;
            match (operand, place.accesses) {
                // `array[4]` is the element's address where no memory is accessed.
                (Operand::Address(Base::Symbol(symbol), offset), false) => Ok((rest, Operand::Symbol(symbol, offset))),
                _ => Ok((rest, operand)),
            }
        }
        _ => literal(text, names),
    }
}

/// Returns true if a parenthesis begins a constant rather than a list: a list of an opcode that nobody knows has names in it.
fn is_constant(text: &str) -> bool {
    let inside = text.trim_start_matches(['(', ' ', '\t', '-', '+', '~', '!']);
    inside.starts_with(|c: char| c.is_ascii_digit() || c == '.') || inside.starts_with("WARP_SZ")
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
                let (rest, inner) = elements(past(at, 1), names, '}', "`,` or `}`")?;
                (rest, Operand::Vector(names.kernel.push_list(&inner)))
            }
            Some(&byte) if is_word_start(byte) => match named(at, names)? {
                // An element of an array among values is its address.
                (rest, Operand::Address(Base::Symbol(symbol), offset)) => (rest, Operand::Symbol(symbol, offset)),
                element => element,
            },
            _ => literal(at, names)?,
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
    let named = at.as_bytes().first().is_some_and(|&byte| is_word_start(byte)) && !at.starts_with("WARP_SZ");
    let (rest, base, offset) = if let Some((end, reg)) = names.quick_reg(at) {
        let (rest, offset) = offset(past(at, end))?;
        (rest, Base::Reg(reg), offset)
    } else if named {
        let (rest, name) = word(at)?;
        let base = match names.reg(name) {
            Some(reg) => Base::Reg(reg),
            None if name.starts_with('%') && !names.is_variable(name) => Base::Reg(names.reg_or_report(name)),
            None => Base::Symbol(names.symbol(name)?),
        };
        let (rest, offset) = offset(rest)?;
        (rest, base, offset)
    } else {
        let (rest, offset) = integer(at)?;
        (rest, Base::Absolute, offset)
    };
    if let Some(rest) = accept(rest, ']') {
        return Ok((rest, Operand::Address(base, offset.into())));
    }
    let Some(more) = accept(rest, ',') else { return missing(rest, "`+`, `,` or `]`") };
    let first = match base {
        Base::Reg(reg) if offset == 0 => Operand::Reg(reg),
        Base::Reg(_) => Operand::Address(base, offset.into()),
        Base::Symbol(symbol) => Operand::Symbol(symbol, offset.into()),
        Base::Absolute => Operand::Int(offset),
    };
    let (rest, mut list) = elements(more, names, ']', "`,` or `]`")?;
    list.insert(0, first);
    Ok((rest, Operand::Bracket(names.kernel.push_list(&list))))
}

/// `+4`, `+-4`, `+4*2`, or nothing.
pub(super) fn offset(text: &str) -> Parsed<'_, i64> {
    let at = blanks(text);
    match at.as_bytes().first() {
        Some(b'+') => integer(past(at, 1)),
        Some(b'-') => {
            let digits = past(at, 1).trim_start();
            let end = digits.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(digits.len());
            let help = format!("a negative offset is written behind a plus sign: `+-{}`", cut(digits, end).0);
            expected_with(at, "an offset", &help)
        }
        _ => Ok((text, 0)),
    }
}

/// Returns what stands behind a register: nothing, a component, the other half of a pair, or an offset; `rest` begins behind its name.
#[inline]
fn behind<'a>(rest: &'a str, reg: Reg, names: &mut Names<'a>) -> Parsed<'a, Operand> {
    match rest.as_bytes().first() {
        Some(b',' | b';' | b'}' | b')' | b']') => Ok((rest, Operand::Reg(reg))),
        Some(b'.') => part(rest, reg),
        _ => match blanks(rest).as_bytes().first() {
            Some(b'|') => {
                let (rest, second) = result(past(blanks(rest), 1), names)?;
                Ok((rest, Operand::Pair(reg.into(), second.into())))
            }
            Some(b'+') => offset(rest).map(|(rest, sum)| (rest, Operand::Sum(reg, sum.into()))),
            _ => Ok((rest, Operand::Reg(reg))),
        },
    }
}

/// An operand that begins with a name.
fn named<'a>(text: &'a str, names: &mut Names<'a>) -> Parsed<'a, Operand> {
    if let Some((end, reg)) = names.quick_reg(text) {
        return behind(past(text, end), reg, names);
    }
    let (rest, name) = word(text)?;
    if let Some(reg) = names.reg(name) {
        return behind(rest, reg, names);
    }
    if name == "_" {
        return match accept(rest, '|') {
            Some(more) => result(more, names).map(|(rest, second)| (rest, Operand::Pair(None.into(), second.into()))),
            None => Ok((rest, Operand::Sink)),
        };
    }
    if let Some(name) = SpecialName::from_text(name) {
        let (rest, component) = match component(rest) {
            Some((rest, component)) => (rest, Some(component)),
            None => (rest, None),
        };
        return Ok((rest, Operand::Special(Special { name, component })));
    }
    if name.starts_with('%') && !names.is_variable(name) {
        let reg = names.reg_or_report(name);
        return if rest.starts_with('.') { part(rest, reg) } else { Ok((rest, Operand::Reg(reg))) };
    }
    if name == "WARP_SZ" {
        return literal(text, names);
    }
    let symbol = names.symbol(name)?;
    if let Some(index) = accept(rest, '[') {
        return subscript(index, names, symbol);
    }
    offset(rest).map(|(rest, offset)| (rest, Operand::Symbol(symbol, offset.into())))
}

/// `array[4]`, behind the bracket: the memory of an element, whose number is a constant. `ptxas` cuts the offset to 32 bits, which
/// it takes for unsigned.
fn subscript<'a>(text: &'a str, names: &mut Names<'a>, symbol: Symbol) -> Parsed<'a, Operand> {
    let at = blanks(text);
    let (rest, index) = integer(at)?;
    let (rest, ()) = punct(rest, ']', "`]`")?;
    let Some(bytes) = names.element_bytes(symbol) else {
        let message = format!("the size of the elements of `{}` is not known", names.kernel.symbol_name(symbol));
        return Err(broken(at, message, Some("declare the array in front of the kernel")));
    };
    let offset = index.wrapping_mul(i64::from(bytes)) & i64::from(u32::MAX);
    Ok((rest, Operand::Address(Base::Symbol(symbol), offset.into())))
}

/// The second half of a pair: a register, or `_`.
fn result<'a>(text: &'a str, names: &mut Names<'a>) -> Parsed<'a, Option<Reg>> {
    let (rest, name) = word(blanks(text))?;
    match names.reg(name) {
        None if name == "_" => Ok((rest, None)),
        _ => Ok((rest, Some(names.reg_or_report(name)))),
    }
}

/// Returns what a dot behind a register selects: a component of a vector, or bytes or half-words for a video instruction.
fn part(text: &str, reg: Reg) -> Parsed<'_, Operand> {
    let Ok((rest, name)) = word(past(text, 1)) else { return expected(text, "a component such as `.x`") };
    if let Some(component) = Component::from_text(name) {
        return Ok((rest, Operand::Component(reg, component)));
    }
    match Part::from_text(name) {
        Some(part) => Ok((rest, Operand::Selected(reg, Selector { negated: false, part: Some(part) }))),
        None => expected(text, "a component such as `.x`, or a part such as `.b0` or `.h1`"),
    }
}

fn component(text: &str) -> Option<(&str, Component)> {
    let (rest, name) = word(text.strip_prefix('.')?).ok()?;
    Some((rest, Component::from_text(name)?))
}

/// A constant, or a register with a minus in front.
fn literal<'a>(text: &'a str, names: &mut Names<'a>) -> Parsed<'a, Operand> {
    match text.as_bytes().first() {
        Some(b'-') if is_register(blanks(past(text, 1)), names) => return negated(blanks(past(text, 1)), names),
        Some(byte) if byte.is_ascii_digit() || is_word_start(*byte) => {}
        Some(b'.' | b'-' | b'+' | b'~' | b'!' | b'(') => {}
        _ => return expected(text, "an operand"),
    }
    let (rest, value) = constant(text)?;
    let operand = match value {
        Number::Signed(value) => Operand::Int(value),
        Number::Unsigned(value) => Operand::Int(value as i64),
        Number::Single(bits) => Operand::Float32(bits),
        Number::Double(value) => Operand::Float64(value.to_bits()),
    };
    Ok((rest, operand))
}

/// Returns true if a name begins here that is, or looks like, a register's.
fn is_register<'a>(text: &'a str, names: &mut Names<'a>) -> bool {
    let named = text.as_bytes().first().is_some_and(|&byte| is_word_start(byte));
    text.starts_with('%') || named && word(text).is_ok_and(|(_, name)| names.reg(name).is_some())
}

/// `-%r1.h0`, behind the minus.
fn negated<'a>(text: &'a str, names: &mut Names<'a>) -> Parsed<'a, Operand> {
    let (rest, operand) = named(text, names)?;
    match operand {
        Operand::Reg(reg) => Ok((rest, Operand::Selected(reg, Selector { negated: true, part: None }))),
        Operand::Selected(reg, selector) => Ok((rest, Operand::Selected(reg, Selector { negated: true, ..selector }))),
        _ => expected(text, "a register"),
    }
}

/// The register that a guard names; it must be a predicate.
pub(crate) fn guard<'a>(text: &'a str, names: &mut Names<'a>) -> Parsed<'a, crate::Guard> {
    let text = blanks(text);
    let (negated, at) = match text.strip_prefix('!') {
        Some(rest) => (true, blanks(rest)),
        None => (false, text),
    };
    let (rest, name) = word(at)?;
    let (declared, reg) = match names.quick_reg(at) {
        Some((_, reg)) => (true, reg),
        None => (names.reg(name).is_some(), names.reg_or_report(name)),
    };
    if declared && names.kernel.reg(reg).ty != Type::Pred {
        let help = "a guard needs a `.pred` register";
        names.fails.add(broken(name, format!("guard `{name}` is not a predicate"), Some(help)));
    }
    Ok((rest, crate::Guard { reg, negated }))
}

/// A comma between two parts of a directive.
pub(crate) fn comma(text: &str) -> Parsed<'_, ()> {
    punct(text, ',', "`,`")
}
