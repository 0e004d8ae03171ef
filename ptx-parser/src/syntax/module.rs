//! The top level of a text: directives, variables, kernels.

use std::sync::Arc;

use super::body::{name_list, statements};
use super::declaration::{lead, parameters, registers, variables};
use super::error_recovery::next_item;
use super::header::pragma;
use super::header::{attributes, performance_directives};
use super::lexical::{
    Fail, Parsed, accept, blanks, broken, cut, dotted, expected, expected_with, missing, past, string, word,
};
use super::literal::{count, number};
use super::names::Names;
use super::section::section;
use crate::error::{Error, Errors};
use crate::kernel::{Kernel, KernelKind};
use crate::module::{Item, ItemKind, Module};
use crate::position::{Lines, Located};
use crate::suggest::nearest;
use crate::tables::Span;
use crate::types::{Space, Type};
use crate::variable::Parameter;

/// Reads a whole text.
pub(crate) fn parse(text: &str) -> Result<Module, Errors> {
    let (module, errors) = read(text);
    Errors::new(errors).map_or(Ok(module), Err)
}

/// Reads a whole text as far as it can be read, and says what is wrong with it. Where something is, the module lacks the
/// statements that failed and may break any rule; it is good for looking at the others.
pub(crate) fn read(text: &str) -> (Module, Vec<Error>) {
    let too_large = text.len() >= u32::MAX as usize;
    let (source, lines): (Arc<str>, Arc<Lines>) = (Arc::from(if too_large { "" } else { text }), Arc::default());
    let tail = Span::default();
    let mut module = Module { source, lines, items: Vec::new(), kernels: Vec::new(), variables: Vec::new(), tail };
    if too_large {
        return (module, vec![Error::TooLarge { bytes: text.len() }]);
    }
    let mut names = Names::of_module(text, &module);
    items(text, &mut module, &mut names);
    if !module.variables.is_empty() {
        let named = module.variables.iter().map(|variable| (variable.name.clone(), variable.clone()));
        let named = Arc::new(named.collect());
        module.kernels.iter_mut().for_each(|kernel| kernel.module_variables = Arc::clone(&named));
    }
    let fails = names.fails.take();
    let mut errors: Vec<Error> = fails.into_iter().map(|fail| located(text, &module.lines, fail)).collect();
    // Locating moves a failure to the comment that never ends behind it, which may be behind the next failure.
    errors.sort_by_key(Error::position);
    errors.dedup_by_key(|error| error.position());
    (module, errors)
}

/// Turns a failure, which knows an address, into an error with its line and column.
pub(crate) fn located(text: &str, lines: &Lines, fail: Fail) -> Error {
    let mut fail = fail.into_failure();
    let mut offset = fail.at.checked_sub(text.as_ptr() as usize).map_or(text.len(), |offset| offset.min(text.len()));
    if !fail.semantic {
        // Whatever was expected, a comment that never ends is why nothing else was found.
        let next = blanks(text.get(offset..).unwrap_or(""));
        if next.starts_with("/*") {
            offset = text.len() - next.len();
            fail.expected = "a comment that ends with `*/`".into();
        }
    }
    let at = lines.position(text, offset as u32);
    if fail.semantic {
        return Error::Semantic { at, message: fail.expected.into(), help: fail.help };
    }
    Error::Syntax {
        at,
        expected: fail.expected.into(),
        found: found(text.get(offset..).unwrap_or("")),
        help: fail.help,
    }
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
        _ => match token.split_at_checked(40) {
            Some((front, behind)) if !behind.is_empty() => format!("`{front}…`"),
            _ => format!("`{token}`"),
        },
    }
}

fn items<'a>(text: &'a str, module: &mut Module, names: &mut Names<'a>) {
    let mut rest = text;
    loop {
        // A byte order mark is no token, but no reason to read no further.
        let marked = rest.strip_prefix('\u{feff}').filter(|_| rest.len() == text.len());
        let at = blanks(marked.unwrap_or(rest));
        let start = offset(text, rest);
        if at.is_empty() || (at.starts_with('\0') && !module.items.is_empty() && is_end(at)) {
            module.tail = Span { start, end: offset(text, "") };
            return;
        }
        match item(text, at, module, names) {
            Ok((after, kind)) => {
                module.items.push(Item { kind, span: Span { start, end: offset(text, after) } });
                rest = after;
            }
            Err(fail) => {
                rest = next_item(at, &fail);
                names.fails.add(fail);
            }
        }
        if names.fails.are_enough() {
            return;
        }
    }
}

/// Returns true if only NUL characters are left: C programs that write the text with its terminator leave one.
fn is_end(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, 0 | b'\n' | b'\r' | b' ' | b'\t'))
}

fn offset(text: &str, rest: &str) -> u32 {
    // `parse` refuses texts of 4 GiB and more.
    (text.len() - rest.len()) as u32
}

fn item<'a>(text: &'a str, at: &'a str, module: &mut Module, names: &mut Names<'a>) -> Parsed<'a, ItemKind> {
    let (mut rest, mut name) = match dotted(at) {
        Ok(directive) => directive,
        // `@@DWARF` lines of old compilers end with the line.
        _ if at.starts_with("@@DWARF") => {
            return Ok((past(at, at.find('\n').unwrap_or(at.len())), ItemKind::Directive));
        }
        _ => return expected(at, "a directive such as `.version`, `.target` or `.entry`"),
    };
    let external = name == "extern";
    let linked = matches!(name, "visible" | "extern" | "weak" | "common");
    let mut align = None;
    if linked || matches!(name, "align" | "attribute") {
        let first = if linked { blanks(rest) } else { at };
        let (after, given) = lead(first)?;
        let (declaration, led) = (blanks(after), after.len() < first.len());
        align = given;
        (rest, name) = match dotted(declaration) {
            Ok((rest, name)) if !led && matches!(name, "entry" | "func") || Space::from_text(name).is_some() => {
                (rest, name)
            }
            _ if led => return missing(after, "a state space such as `.global`"),
            Ok(_) => return expected(declaration, "`.entry`, `.func` or a state space such as `.global`"),
            Err(_) => return missing(rest, "`.entry`, `.func` or a state space such as `.global`"),
        };
    }
    match name {
        "version" => {
            let (rest, major) = word_of_digits(rest)?;
            let Some(rest) = rest.strip_prefix('.') else { return missing(rest, "`.` and the minor version") };
            let (rest, minor) = word_of_digits(rest)?;
            Ok((rest, ItemKind::Version(major, minor)))
        }
        "target" => {
            let (rest, words) = target(rest)?;
            Ok((rest, ItemKind::Target(words)))
        }
        "address_size" => {
            let (after, bits) = count(rest)?;
            if !matches!(bits, 32 | 64) {
                return Err(broken(blanks(rest), format!("an address has 32 or 64 bits, not {bits}"), None));
            }
            Ok((after, ItemKind::AddressSize(bits)))
        }
        "file" => file(rest),
        "entry" => kernel(text, (at, rest), KernelKind::Entry, module, names),
        "func" => kernel(text, (at, rest), KernelKind::Func, module, names),
        "section" => Ok((section(rest)?.0, ItemKind::Directive)),
        "loc" => {
            let message = "`.loc` stands outside of every function".to_owned();
            Err(broken(at, message, Some("write it in a body, in front of the instructions that come from this place")))
        }
        "pragma" => Ok((pragma(rest)?.0, ItemKind::Directive)),
        "alias" => Ok((name_list(rest)?.0, ItemKind::Directive)),
        "reg" => Ok((module_registers(rest, names)?.0, ItemKind::Directive)),
        _ => match Space::from_text(name) {
            Some(space) if !matches!(space, Space::Reg | Space::Sreg | Space::Generic) => {
                let (rest, list) = variables(rest, (space, align), external)?;
                for declared in list {
                    let bytes = declared.variable.ty.bytes() * u32::from(declared.variable.lanes);
                    names.elements.insert(declared.name, bytes);
                    module.variables.extend(declared.members(&mut names.members)?);
                }
                Ok((rest, ItemKind::Directive))
            }
            _ => unknown_directive(at, name),
        },
    }
}

/// Registers of PTX 1.x that all functions of the module share, behind `.reg`.
fn module_registers<'a>(text: &'a str, names: &mut Names<'a>) -> Parsed<'a, ()> {
    registers(text, |name, count, ty, lanes| {
        let same = |other: &(&str, Option<u64>, Type, u8)| other.0 == name && other.1.is_some() == count.is_some();
        if names.module_regs.iter().any(same) {
            let message = format!("register `{name}` is declared twice");
            return Err(broken(name, message, Some("rename one of the two")));
        }
        names.module_regs.push((name, count, ty, lanes));
        Ok(())
    })
}

fn unknown_directive<'a>(at: &'a str, name: &str) -> Parsed<'a, ItemKind> {
    const WORDS: [&str; 17] = [
        "version",
        "target",
        "address_size",
        "file",
        "entry",
        "func",
        "section",
        "pragma",
        "alias",
        "visible",
        "extern",
        "weak",
        "common",
        "global",
        "const",
        "shared",
        "tex",
    ];
    let what = "a directive of the module, such as `.entry`, `.func` or `.global`";
    match nearest(name, WORDS.into_iter()) {
        Some(word) => expected_with(at, what, &format!("did you mean `.{word}`?")),
        None => expected(at, what),
    }
}

fn word_of_digits(before: &str) -> Parsed<'_, u32> {
    let text = blanks(before);
    let end = text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = cut(text, end);
    match digits.parse() {
        Ok(value) => Ok((rest, value)),
        Err(_) => missing(before, "a number"),
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
    let mut path = unescaped(name);
    // As DWARF 5 has it: the folder, then the name.
    if let Ok((after, inner)) = string(blanks(rest)) {
        path = if inner.starts_with('/') { unescaped(inner) } else { format!("{path}/{}", unescaped(inner)).into() };
        rest = after;
    }
    while let Some(more) = accept(rest, ',') {
        rest = number(blanks(more))?.0;
    }
    Ok((rest, ItemKind::File(index, path)))
}

/// A file name without its escapes: compilers write bytes outside ASCII as `\\303\\266`, and a backslash before backslashes. Before anything
/// else a backslash is part of the name.
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
            (b'\\', [b'\\', tail @ ..]) => (tail, bytes.push(b'\\')),
            _ => (tail, bytes.push(*first)),
        };
    }
    String::from_utf8_lossy(&bytes).into()
}

/// A kernel or function; `at` is the text from its first word on, `rest` that behind `.entry` or `.func`.
fn kernel<'a>(
    text: &'a str,
    (at, rest): (&'a str, &'a str),
    kind: KernelKind,
    module: &mut Module,
    names: &mut Names<'a>,
) -> Parsed<'a, ItemKind> {
    let mut rest = blanks(rest);
    if let Ok((after, "attribute")) = dotted(rest) {
        rest = blanks(attributes(after)?.0);
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
        Some(b';') => past(after_header, 1),
        Some(b'{') => {
            names.begin(kernel, after_header);
            for (name, ty, lanes) in in_registers {
                names.declare_reg(name, ty, lanes)?;
            }
            let (rest, ()) = statements(past(after_header, 1), after_header, names)?;
            // Where the brace is missing, that has been reported.
            let rest = accept(rest, '}').unwrap_or(rest);
            kernel = names.end();
            kernel.body = Some(Span { start: offset(text, after_header), end: offset(text, rest) });
            if names.fails.is_empty() {
                kernel.debug_verify();
            }
            rest
        }
        // Compilers of PTX 1.x and 2.x wrote prototypes without a semicolon. A comment behind one belongs to what follows.
        _ if kind == KernelKind::Func && (after_header.is_empty() || after_header.starts_with('.')) => {
            kernel.header.end = offset(text, header_end);
            header_end
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
    let in_registers =
        results.iter().chain(params).filter(|(name, parameter)| parameter.space == Space::Reg && !name.is_empty());
    // A register has at most eight components; the count of an array of registers, which there is not, is cut.
    in_registers.map(|(name, parameter)| (*name, parameter.ty, parameter.count.min(8) as u8)).collect()
}
