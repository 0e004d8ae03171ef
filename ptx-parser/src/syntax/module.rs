//! The top level of a text: directives, variables, kernels.

use std::sync::Arc;

use nom::Err;
use smallvec::SmallVec;

use super::body::{statements, to_semicolon};
use super::declaration::{parameters, variables};
use super::lexical::{Fail, Parsed, accept, blanks, count, dotted, expected, is_word, number, punct, string, word};
use super::names::Names;
use crate::error::{Error, position};
use crate::kernel::{Kernel, KernelKind, PerformanceDirective, Span};
use crate::module::{Item, ItemKind, Module};
use crate::types::Space;

/// Reads a whole text.
pub(crate) fn parse(text: &str) -> Result<Module, Error> {
    if text.len() >= u32::MAX as usize {
        return Err(Error::TooLarge { bytes: text.len() });
    }
    items(text).map_err(|fail| located(text, fail))
}

/// Turns a failure, which knows how much text was left, into an error with its line and column.
pub(crate) fn located(text: &str, fail: Err<Fail>) -> Error {
    let fail = match fail {
        Err::Error(fail) | Err::Failure(fail) => fail,
        Err::Incomplete(_) => Fail { rest: 0, expected: "more text".to_owned(), semantic: false, help: None },
    };
    let offset = text.len().saturating_sub(fail.rest);
    let (line, column) = position(text, offset);
    if fail.semantic {
        return Error::Semantic { line, column, message: fail.expected, help: fail.help };
    }
    Error::Syntax { line, column, expected: fail.expected, found: found(&text[offset..]) }
}

/// The word or character at the front of a text, in quotes and short.
fn found(rest: &str) -> String {
    let word: String = rest.chars().take_while(|&c| c.is_ascii() && is_word(c as u8)).take(40).collect();
    match rest.chars().next() {
        None => "the end of the file".to_owned(),
        Some('\n' | '\r') => "the end of the line".to_owned(),
        Some(first) if word.is_empty() => format!("`{}`", first.escape_debug()),
        Some(_) => format!("`{word}`"),
    }
}

fn items(text: &str) -> Result<Module, Err<Fail>> {
    let source: Arc<str> = Arc::from(text);
    let tail = Span::default();
    let mut module = Module { source, items: Vec::new(), kernels: Vec::new(), variables: Vec::new(), tail };
    let mut rest = text;
    loop {
        let at = blanks(rest);
        let start = offset(text, rest);
        if at.is_empty() {
            module.tail = Span { start, end: offset(text, at) };
            return Ok(module);
        }
        let (after, kind) = item(text, at, &mut module)?;
        module.items.push(Item { kind, span: Span { start, end: offset(text, after) } });
        rest = after;
    }
}

fn offset(text: &str, rest: &str) -> u32 {
    // `parse` refuses texts of 4 GiB and more.
    (text.len() - rest.len()) as u32
}

fn item<'a>(text: &'a str, at: &'a str, module: &mut Module) -> Parsed<'a, ItemKind> {
    if at.starts_with("/*") {
        return expected(at, "a comment that ends with `*/`");
    }
    let (mut rest, mut name) = match dotted(at) {
        Ok(directive) => directive,
        // `@@DWARF` lines of old compilers end with the line.
        _ if at.starts_with("@@") => return Ok((&at[at.find('\n').unwrap_or(at.len())..], ItemKind::Directive)),
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
        "entry" => kernel(text, at, rest, KernelKind::Entry, module),
        "func" => kernel(text, at, rest, KernelKind::Func, module),
        "section" => Ok((section(rest)?.0, ItemKind::Directive)),
        "loc" => Ok((&rest[rest.find('\n').unwrap_or(rest.len())..], ItemKind::Directive)),
        "pragma" | "alias" | "callprototype" => Ok((to_semicolon(rest)?.0, ItemKind::Directive)),
        _ => match Space::from_text(name) {
            Some(space) if !matches!(space, Space::Reg | Space::Sreg | Space::Generic) => {
                let (rest, list) = variables(rest, space, external)?;
                module.variables.extend(list);
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
    Ok((rest, ItemKind::File(index, name.into())))
}

/// A debug section: a name and whatever stands between its braces.
fn section(text: &str) -> Parsed<'_, ()> {
    let at = blanks(text);
    let Some(open) = at.find(['{', ';']) else { return expected(at, "`{`") };
    if at.as_bytes()[open] == b';' {
        return Ok((&at[open + 1..], ()));
    }
    match at[open..].find('}') {
        Some(close) => Ok((&at[open + close + 1..], ())),
        None => expected("", "`}` at the end of the section"),
    }
}

fn kernel<'a>(
    text: &'a str,
    at: &'a str,
    rest: &'a str,
    kind: KernelKind,
    module: &mut Module,
) -> Parsed<'a, ItemKind> {
    let mut rest = blanks(rest);
    if let Ok((after, "attribute")) = dotted(rest) {
        let close = after.find(')').map_or(after.len(), |close| close + 1);
        rest = blanks(&after[close..]);
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
    let (after_header, directives) = performance_directives(after_params)?;
    let after_header = blanks(after_header);
    let header = Span { start: offset(text, at), end: offset(text, after_header) };
    let mut kernel = Kernel::empty(Arc::clone(&module.source), name, kind);
    kernel.params = params;
    kernel.results = results;
    kernel.directives = directives;
    kernel.header = header;
    let rest = match after_header.as_bytes().first() {
        Some(b';') => &after_header[1..],
        Some(b'{') => {
            let mut names = Names::new(kernel, Some(text));
            declare_register_parameters(&mut names, after_name);
            let (rest, ()) = statements(&after_header[1..], &mut names, false)?;
            let (rest, ()) = punct(rest, '}', "`}`")?;
            kernel = names.kernel;
            kernel.body = Some(Span { start: offset(text, after_header), end: offset(text, rest) });
            kernel.debug_verify();
            rest
        }
        _ => return expected(after_header, "`{`, `;` or a performance directive"),
    };
    module.kernels.push(kernel);
    Ok((rest, ItemKind::Kernel(module.kernels.len() - 1)))
}

/// Functions of old PTX take parameters in registers: `.func (.reg .u32 r) f (.reg .u32 a)`.
fn declare_register_parameters<'a>(names: &mut Names<'a>, header: &'a str) {
    let lists = [names.kernel.results.clone(), names.kernel.params.clone()];
    let source: &'a str = header;
    for parameter in lists.iter().flatten().filter(|parameter| parameter.space == Space::Reg) {
        if let Some(found) = source.find(&*parameter.name) {
            // A second declaration of the name is not possible in a parameter list that was just read.
            let _ = names.declare_reg(&source[found..found + parameter.name.len()], parameter.ty, 1);
        }
    }
}

fn performance_directives(text: &str) -> Parsed<'_, Vec<PerformanceDirective>> {
    let mut list = Vec::new();
    let mut text = text;
    loop {
        let at = blanks(text);
        let Ok((rest, name)) = dotted(at) else { return Ok((text, list)) };
        let mut values = SmallVec::new();
        let mut rest = rest;
        if name == "pragma" {
            rest = to_semicolon(rest)?.0;
        } else {
            let numbers = blanks(rest);
            if numbers.as_bytes().first().is_some_and(u8::is_ascii_digit) {
                rest = numbers;
                loop {
                    let (after, value) = count(rest)?;
                    values.push(value);
                    match accept(after, ',') {
                        Some(more) => rest = more,
                        None => {
                            rest = after;
                            break;
                        }
                    }
                }
            } else if let Some(list) = accept(rest, '(') {
                rest = &list[list.find(')').map_or(list.len(), |close| close + 1)..];
            }
        }
        list.push(PerformanceDirective { name: name.into(), values });
        text = rest;
    }
}
