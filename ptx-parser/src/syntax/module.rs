//! The top level of a text: directives, variables, kernels.

use std::sync::Arc;

use nom::Err;
use smallvec::SmallVec;

use super::body::{name_list, pragma, prototype, statements};
use super::declaration::{parameters, parenthesised, variables};
use super::lexical::{
    Fail, Parsed, accept, blanks, comment, count, dotted, expected, missing, number, punct, string, word,
};
use super::names::{Names, Opcodes};
use crate::error::{Error, position};
use crate::kernel::{Kernel, KernelKind, PerformanceDirective, Span};
use crate::module::{Item, ItemKind, Module};
use crate::types::{Space, Type};
use crate::variable::Parameter;

/// Reads a whole text.
pub(crate) fn parse(text: &str) -> Result<Module, Error> {
    if text.len() >= u32::MAX as usize {
        return Err(Error::TooLarge { bytes: text.len() });
    }
    items(text).map_err(|fail| located(text, fail))
}

/// Turns a failure, which knows an address, into an error with its line and column.
pub(crate) fn located(text: &str, fail: Err<Fail>) -> Error {
    let end = text.as_ptr() as usize + text.len();
    let mut fail = match fail {
        Err::Error(fail) | Err::Failure(fail) => fail,
        Err::Incomplete(_) => Fail { at: end, expected: "more text".into(), semantic: false, help: None },
    };
    let mut offset = fail.at.checked_sub(text.as_ptr() as usize).map_or(text.len(), |offset| offset.min(text.len()));
    if !fail.semantic {
        // Whatever was expected, a comment that never ends is why nothing else was found.
        let next = blanks(text.get(offset..).unwrap_or(""));
        if next.starts_with("/*") {
            offset = text.len() - next.len();
            fail.expected = "a comment that ends with `*/`".into();
        }
    }
    let (line, column) = position(text, offset);
    if fail.semantic {
        return Error::Semantic { line, column, message: fail.expected.into(), help: fail.help };
    }
    Error::Syntax { line, column, expected: fail.expected.into(), found: found(text.get(offset..).unwrap_or("")) }
}

/// The token at the front of a text, in quotes and short.
fn found(rest: &str) -> String {
    let next = rest.trim_start_matches([' ', '\t']);
    if next.trim_start().is_empty() {
        return "the end of the text".to_owned();
    }
    if next.starts_with(['\n', '\r']) || next.starts_with("//") {
        return "the end of the line".to_owned();
    }
    let mark = next.chars().take_while(|c| matches!(c, '.' | '%' | '$' | '_')).count();
    let word = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
    let token: String =
        next.chars().enumerate().take_while(|(at, c)| *at < mark.min(1) || word(c)).map(|(_, c)| c).collect();
    match next.chars().next() {
        Some(first) if token.is_empty() && first.is_control() => format!("`{}`", first.escape_debug()),
        Some(first) if token.is_empty() => format!("`{first}`"),
        _ if token.len() > 40 => format!("`{}…`", &token[..40]),
        _ => format!("`{token}`"),
    }
}

fn items(text: &str) -> Result<Module, Err<Fail>> {
    let source: Arc<str> = Arc::from(text);
    let (tail, lines) = (Span::default(), Arc::default());
    let mut module = Module { source, lines, items: Vec::new(), kernels: Vec::new(), variables: Vec::new(), tail };
    let mut opcodes = Opcodes::default();
    let mut rest = text;
    loop {
        let at = blanks(rest);
        let start = offset(text, rest);
        if at.is_empty() {
            module.tail = Span { start, end: offset(text, at) };
            return Ok(module);
        }
        let (after, kind) = item(text, at, &mut module, &mut opcodes)?;
        module.items.push(Item { kind, span: Span { start, end: offset(text, after) } });
        rest = after;
    }
}

fn offset(text: &str, rest: &str) -> u32 {
    // `parse` refuses texts of 4 GiB and more.
    (text.len() - rest.len()) as u32
}

fn item<'a>(text: &'a str, at: &'a str, module: &mut Module, opcodes: &mut Opcodes<'a>) -> Parsed<'a, ItemKind> {
    let (mut rest, mut name) = match dotted(at) {
        Ok(directive) => directive,
        // `@@DWARF` lines of old compilers end with the line.
        _ if at.starts_with("@@DWARF") => return Ok((&at[at.find('\n').unwrap_or(at.len())..], ItemKind::Directive)),
        _ => return expected(at, "a directive such as `.version`, `.target` or `.entry`"),
    };
    let mut external = false;
    while matches!(name, "visible" | "extern" | "weak" | "common") {
        external |= name == "extern";
        (rest, name) = dotted(blanks(rest))?;
    }
    match name {
        "version" => {
            let (rest, major) = word_of_digits(blanks(rest))?;
            let (rest, ()) = punct(rest, '.', "`.` and the minor version")?;
            let (rest, minor) = word_of_digits(rest)?;
            Ok((rest, ItemKind::Version(major, minor)))
        }
        "target" => {
            let (rest, words) = target(rest)?;
            Ok((rest, ItemKind::Target(words)))
        }
        "address_size" => {
            let (rest, bits) = count(rest)?;
            Ok((rest, ItemKind::AddressSize(bits)))
        }
        "file" => file(rest),
        "entry" => kernel(text, (at, rest), KernelKind::Entry, module, opcodes),
        "func" => kernel(text, (at, rest), KernelKind::Func, module, opcodes),
        "section" => Ok((section(rest)?.0, ItemKind::Directive)),
        "loc" => Ok((&rest[rest.find('\n').unwrap_or(rest.len())..], ItemKind::Directive)),
        "pragma" => Ok((pragma(rest)?.0, ItemKind::Directive)),
        "alias" => Ok((name_list(rest)?.0, ItemKind::Directive)),
        "callprototype" => Ok((prototype(rest)?.0, ItemKind::Directive)),
        _ => match Space::from_text(name) {
            Some(space) if !matches!(space, Space::Reg | Space::Sreg | Space::Generic) => {
                let (rest, list) = variables(rest, space, external)?;
                module.variables.extend(list.into_iter().map(|(_, variable)| variable));
                Ok((rest, ItemKind::Directive))
            }
            _ => expected(at, "a directive of the module, such as `.entry`, `.func` or `.global`"),
        },
    }
}

fn word_of_digits(text: &str) -> Parsed<'_, u32> {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    match text[..end].parse() {
        Ok(value) => Ok((&text[end..], value)),
        Err(_) => expected(text, "a number"),
    }
}

fn target(text: &str) -> Parsed<'_, Vec<Box<str>>> {
    let mut words = Vec::new();
    let mut text = text;
    loop {
        let (rest, name) = word(blanks(text))?;
        words.push(name.into());
        match accept(rest, ',') {
            Some(rest) => text = rest,
            None => return Ok((rest, words)),
        }
    }
}

/// `1 "name", timestamp, size`, behind `.file`.
fn file(text: &str) -> Parsed<'_, ItemKind> {
    let (rest, index) = count(text)?;
    let (mut rest, name) = string(blanks(rest))?;
    while let Some(more) = accept(rest, ',') {
        rest = number(blanks(more))?.0;
    }
    Ok((rest, ItemKind::File(index, unescaped(name))))
}

/// A file name without its escapes: compilers write bytes outside ASCII as `\\303\\266`, and a backslash before quotes and backslashes.
fn unescaped(name: &str) -> Box<str> {
    if !name.contains('\\') {
        return name.into();
    }
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let [first, tail @ ..] = rest {
        let octal = |digits: &[u8]| digits.iter().try_fold(0u8, |value, d| value.checked_mul(8)?.checked_add(d - b'0'));
        (rest, _) = match (first, tail) {
            (b'\\', [a @ b'0'..=b'7', b @ b'0'..=b'7', c @ b'0'..=b'7', tail @ ..])
                if octal(&[*a, *b, *c]).is_some() =>
            {
                (tail, bytes.push(octal(&[*a, *b, *c]).unwrap_or_default()))
            }
            (b'\\', [escaped, tail @ ..]) => (tail, bytes.push(*escaped)),
            _ => (tail, bytes.push(*first)),
        };
    }
    String::from_utf8_lossy(&bytes).into()
}

/// A debug section: a name and whatever stands between its braces.
fn section(text: &str) -> Parsed<'_, ()> {
    let mut inside = false;
    let mut at = text;
    loop {
        let Some(found) = at.bytes().position(|byte| matches!(byte, b'{' | b'}' | b';' | b'"' | b'/')) else {
            return expected(&text[text.len()..], if inside { "`}` at the end of the section" } else { "`{`" });
        };
        let mark = &at[found..];
        at = match mark.as_bytes()[0] {
            b'{' if !inside => {
                inside = true;
                &mark[1..]
            }
            b'}' if inside => return Ok((&mark[1..], ())),
            b';' if !inside => return Ok((&mark[1..], ())),
            b'"' => string(mark)?.0,
            b'/' => comment(mark)?.0,
            _ if inside => &mark[1..],
            _ => return expected(mark, "`{`"),
        };
    }
}

/// A kernel or function; `at` is the text from its first word on, `rest` that behind `.entry` or `.func`.
fn kernel<'a>(
    text: &'a str,
    (at, rest): (&'a str, &'a str),
    kind: KernelKind,
    module: &mut Module,
    opcodes: &mut Opcodes<'a>,
) -> Parsed<'a, ItemKind> {
    let mut rest = blanks(rest);
    if let Ok((after, "attribute")) = dotted(rest) {
        rest = blanks(parenthesised(after)?.0);
    }
    let mut results = Vec::new();
    if kind == KernelKind::Func
        && let Some(list) = rest.strip_prefix('(')
    {
        (rest, results) = parameters(list)?;
    }
    let (after_name, name) = word(blanks(rest))?;
    let (after_params, params) = match accept(after_name, '(') {
        Some(list) => parameters(list)?,
        None => (after_name, Vec::new()),
    };
    let (header_end, directives) = performance_directives(after_params)?;
    let after_header = blanks(header_end);
    let header = Span { start: offset(text, at), end: offset(text, after_header) };
    let mut kernel = Kernel::empty(Arc::clone(&module.source), Arc::clone(&module.lines), name, kind);
    let in_registers = register_parameters(&results, &params);
    kernel.params = params.into_iter().map(|(_, parameter)| parameter).collect();
    kernel.results = results.into_iter().map(|(_, parameter)| parameter).collect();
    kernel.directives = directives;
    kernel.header = header;
    let rest = match after_header.as_bytes().first() {
        Some(b';') => &after_header[1..],
        Some(b'{') => {
            let mut names = Names::new(kernel, text, std::mem::take(opcodes));
            for (name, ty, lanes) in in_registers {
                names.declare_reg(name, ty, lanes)?;
            }
            let (rest, ()) = statements(&after_header[1..], after_header, &mut names)?;
            let (rest, ()) = punct(rest, '}', "`}`")?;
            (kernel, *opcodes) = names.finish();
            kernel.body = Some(Span { start: offset(text, after_header), end: offset(text, rest) });
            kernel.debug_verify();
            rest
        }
        _ => return missing(header_end, "`{`, `;` or a performance directive"),
    };
    module.kernels.push(kernel);
    Ok((rest, ItemKind::Kernel(module.kernels.len() - 1)))
}

/// Functions of old PTX take parameters in registers: `.func (.reg .u32 r) f (.reg .u32 a)`.
fn register_parameters<'a>(
    results: &[(&'a str, Parameter)],
    params: &[(&'a str, Parameter)],
) -> Vec<(&'a str, Type, u8)> {
    let in_registers = results.iter().chain(params).filter(|(_, parameter)| parameter.space == Space::Reg);
    // A register has at most eight components; the count of an array of registers, which there is not, is cut.
    in_registers.map(|(name, parameter)| (*name, parameter.ty, parameter.count.min(8) as u8)).collect()
}

pub(super) fn performance_directives(text: &str) -> Parsed<'_, Vec<PerformanceDirective>> {
    let mut list = Vec::new();
    let mut text = text;
    loop {
        let at = blanks(text);
        let Ok((rest, name)) = dotted(at) else { return Ok((text, list)) };
        let (rest, values) = match name {
            "pragma" => (pragma(rest)?.0, SmallVec::new()),
            _ if accept(rest, '(').is_some() => (parenthesised(rest)?.0, SmallVec::new()),
            _ => numbers(rest)?,
        };
        list.push(PerformanceDirective { name: name.into(), values });
        text = rest;
    }
}

/// The numbers behind a performance directive, of which there may be none.
fn numbers(text: &str) -> Parsed<'_, SmallVec<[u32; 3]>> {
    let mut values = SmallVec::new();
    if !blanks(text).as_bytes().first().is_some_and(u8::is_ascii_digit) {
        return Ok((text, values));
    }
    let mut text = text;
    loop {
        let (rest, value) = count(text)?;
        values.push(value);
        match accept(rest, ',') {
            Some(more) => text = more,
            None => return Ok((rest, values)),
        }
    }
}
