//! The statements between the braces of a kernel.

use std::iter::once_with;

use nom::Err;
use smallvec::SmallVec;

use super::declaration::{self, Declared, parameters};
use super::error_recovery::{begins_declaration, next_statement};
use super::expression::integer;
use super::header::{performance_directives, pragma};
use super::lexical::{
    Fail, Parsed, accept, blanks, blanks_to_marker, broken, cut, dotted, expected, head, missing, past, punct,
    rest_of_line, until, word,
};
use super::literal::count;
use super::names::Names;
use super::operand::{comma, guard, operands};
use crate::entities::{Inst, Symbol};
use crate::stmt::{Loc, Origin, Stmt, StmtKind};
use crate::table::Flow;
use crate::tables::InstData;
use crate::types::Space;

/// Reads statements up to the closing brace of the body, or to the end of the text of a fragment. `open` is the text from
/// the opening brace on. What is wrong goes to `names.fails`; an error is returned where nothing more can be read.
pub(crate) fn statements<'a>(text: &'a str, open: &'a str, names: &mut Names<'a>) -> Parsed<'a, ()> {
    let mut text = text;
    let fragment = names.is_fragment();
    let outermost = names.depth();
    loop {
        let at = blanks_to_marker(text);
        if names.depth() == outermost {
            if at.is_empty() && fragment {
                break;
            }
            if at.starts_with('}') {
                if fragment {
                    return expected(at, "an instruction, a label or a directive");
                }
                names.kernel.tail = names.span(until(text, at));
                break;
            }
        }
        if at.is_empty() {
            return unclosed(at, open, names);
        }
        names.home = home(text, names);
        match statement(Front { text, at }, names) {
            Ok((after, ())) => text = after,
            Err(fail) => {
                if !fragment && begins_declaration(at) {
                    // The body's brace is missing: what follows belongs to the module.
                    names.fails.add(fail);
                    names.leave();
                    return Ok((at, ()));
                }
                text = next_statement(at, &fail);
                names.skipped.push(until(at, text));
                names.fails.add(fail);
                if names.fails.are_enough() {
                    names.leave();
                    return Ok((text, ()));
                }
            }
        }
    }
    names.close();
    finish(names);
    Ok((blanks(text), ()))
}

/// Fills in what is known once all labels are: the lists of branch targets.
fn finish(names: &mut Names<'_>) {
    for table in std::mem::take(&mut names.tables) {
        if let Some(Stmt { kind: StmtKind::BranchTargets(symbol, targets), .. }) =
            names.kernel.stmts.get_mut(table.stmt)
        {
            **targets = table.labels.into_iter().flatten().collect();
            names.kernel.branch_tables.entry(*symbol).or_default().extend(targets.iter());
        }
    }
    for (inst, at) in std::mem::take(&mut names.indirect) {
        // A list that could not be read may be the one.
        if names.kernel.branch_table(inst).is_none() && names.skipped.is_empty() {
            let help = "declare the labels in front of it: `name: .branchtargets L1, L2;`";
            names.fails.add(broken(at, "`brx.idx` without a `.branchtargets` list".to_owned(), Some(help)));
        }
    }
}

/// The text ends inside a body or a scope.
fn unclosed<'a>(at: &'a str, open: &'a str, names: &Names<'a>) -> Parsed<'a, ()> {
    if at.len() >= open.len() || names.is_fragment() {
        return expected(at, "`}`");
    }
    let begin = names.kernel.lines.position(&names.kernel.source, names.span(open).start);
    expected(at, format!("`}}` for the `{{` at {begin}"))
}

/// The number by which registers remember the statement that declares them: where it begins in the source, or one beyond
/// all such places.
fn home(text: &str, names: &Names<'_>) -> u64 {
    if names.is_fragment() { names.kernel.edits.next_home() } else { u64::from(names.span(text).start) }
}

/// The beginning of a statement.
#[derive(Clone, Copy)]
struct Front<'a> {
    /// With the blanks and comments before it.
    text: &'a str,
    /// Itself.
    at: &'a str,
}

/// Adds a statement that ends in front of `rest`, and returns what stands behind it.
fn add<'a>(front: Front<'a>, rest: &'a str, kind: StmtKind, names: &mut Names<'a>) -> Parsed<'a, ()> {
    let after = rest_of_line(rest);
    let with_blanks = until(front.text, after);
    let origin = origin(with_blanks, until(front.at, rest), &kind, names);
    names.kernel.stmts.push(Stmt { kind, origin });
    Ok((after, ()))
}

/// As [`add`], for an instruction, as nearly all statements are.
#[inline]
fn add_inst<'a>(front: Front<'a>, rest: &'a str, inst: Inst, names: &mut Names<'a>) -> Parsed<'a, ()> {
    let after = rest_of_line(rest);
    let fragment = names.is_fragment();
    let span = names.span(until(front.text, after));
    let origin = || if fragment { Origin::Made } else { Origin::Source(span) };
    // Made in its place, once there is room: a statement that is moved there is written in small pieces and read in large ones.
    names.kernel.stmts.extend(once_with(|| Stmt { kind: StmtKind::Inst(inst), origin: origin() }));
    Ok((after, ()))
}

/// Returns where the text of a statement is kept: in the source, or, for what a fragment declares, in the statement.
fn origin<'a>(with_blanks: &'a str, text: &'a str, kind: &StmtKind, names: &mut Names<'a>) -> Origin {
    if !names.is_fragment() {
        return Origin::Source(names.span(with_blanks));
    }
    match kind {
        StmtKind::Registers
        | StmtKind::Variables(_)
        | StmtKind::BranchTargets(..)
        | StmtKind::Loc(_)
        | StmtKind::Directive => {
            names.kernel.edits.homes += 1;
            Origin::text(names.home, text)
        }
        _ => Origin::Made,
    }
}

/// Reads a statement and adds it to the kernel.
fn statement<'a>(front: Front<'a>, names: &mut Names<'a>) -> Parsed<'a, ()> {
    let text = front.at;
    let (rest, kind) = match text.as_bytes().first() {
        Some(b'/') if text.starts_with("//#") => {
            let (marker, rest) = cut(text, text.find('\n').unwrap_or(text.len()));
            (rest, StmtKind::Marker(names.add_marker(past(marker, 2).trim_end())))
        }
        Some(b'/') if text.starts_with("/*") => return expected(text, "a comment that ends with `*/`"),
        Some(b'{') => {
            names.open(text)?;
            (past(text, 1), StmtKind::Open)
        }
        Some(b'}') => {
            names.close();
            (past(text, 1), StmtKind::Close)
        }
        Some(b'.') => directive(text, names)?,
        Some(b'@') => {
            let (rest, guard) = guard(past(text, 1), names)?;
            let (rest, head) = head(blanks(rest))?;
            let inst = names.kernel.insts.next_key();
            let (rest, ()) = instruction(text, rest, head, Some(guard), names)?;
            return add_inst(front, rest, inst, names);
        }
        _ => {
            let (rest, name) = head(text)?;
            match accept(rest, ':') {
                Some(_) if name.contains('.') => return expected(name, "a label without `.`, or an instruction"),
                Some(after) => labelled(after, name, names)?,
                None => {
                    let inst = names.kernel.insts.next_key();
                    let (rest, ()) = instruction(text, rest, name, None, names)?;
                    return add_inst(front, rest, inst, names);
                }
            }
        }
    };
    add(front, rest, kind, names)
}

/// A label, or a directive that a label names.
fn labelled<'a>(after: &'a str, name: &'a str, names: &mut Names<'a>) -> Parsed<'a, StmtKind> {
    let directive = accept(after, '.').is_some().then(|| dotted(blanks(after)).ok()).flatten();
    match directive {
        Some((rest, "branchtargets")) => {
            let (rest, labels) = name_list(rest)?;
            let symbol = names.declare_table(name, false)?;
            names.await_table(names.kernel.stmts.len(), &labels);
            Ok((rest, StmtKind::BranchTargets(symbol, Box::default())))
        }
        Some((rest, word @ ("callprototype" | "calltargets"))) => {
            names.declare_table(name, word == "callprototype")?;
            let rest = if word == "calltargets" { name_list(rest)?.0 } else { prototype(rest)?.0 };
            Ok((rest, StmtKind::Directive))
        }
        _ => {
            let label = names.define_label(name)?;
            Ok((after, StmtKind::Label(label)))
        }
    }
}

/// `a, b, c;`
pub(super) fn name_list(text: &str) -> Parsed<'_, SmallVec<[&str; 4]>> {
    let mut list = SmallVec::new();
    let mut text = text;
    loop {
        let (rest, name) = word(blanks(text))?;
        list.push(name);
        match accept(rest, ',') {
            Some(rest) => text = rest,
            None => return punct(rest, ';', "`,` or `;`").map(|(rest, ())| (rest, list)),
        }
    }
}

/// Adds an instruction, whose number is that of the next one: a number is not returned beside the rest of the text, because it would be
/// written in four bytes and read in eight, for which processors wait.
fn instruction<'a>(
    beginning: &'a str,
    text: &'a str,
    head: &'a str,
    guard: Option<crate::Guard>,
    names: &mut Names<'a>,
) -> Parsed<'a, ()> {
    let inst = names.kernel.insts.next_key();
    let brief = names.opcode(head);
    let start = names.kernel.pool.len();
    let (rest, ()) = operands(text, names, inst, brief)?;
    let operands = names.pooled(start);
    if brief.carry {
        names.kernel.make_carry_flag();
    }
    let span = names.span(until(beginning, rest));
    let loc = names.loc.into();
    let edited = names.is_fragment();
    names.kernel.insts.push(InstData { guard, opcode: brief.opcode, operands, span, loc, edited });
    match brief.flow {
        Flow::Branch if !names.is_branch(inst) => {
            names.fails.add(broken(beginning, "`bra` needs one label".to_owned(), Some("write `bra LABEL;`")));
        }
        Flow::IndirectBranch => names.indirect.push((inst, beginning)),
        _ => {}
    }
    Ok((rest, ()))
}

fn directive<'a>(text: &'a str, names: &mut Names<'a>) -> Parsed<'a, StmtKind> {
    let (mut rest, mut name) = dotted(text)?;
    let mut align = None;
    if matches!(name, "align" | "attribute") {
        (rest, align) = declaration::lead(text)?;
        (rest, name) = match dotted(blanks(rest)) {
            Ok((after, space)) if Space::from_text(space).is_some() => (after, space),
            _ => return missing(rest, "a state space such as `.shared`"),
        };
    }
    if let Some(space) = Space::from_text(name)
        && !matches!(space, Space::Reg | Space::Sreg | Space::Generic)
    {
        let (rest, variables) = declaration::variables(rest, (space, align), false)?;
        return Ok((rest, StmtKind::Variables(Box::new(declare(variables, names)?))));
    }
    match name {
        "reg" => Ok((
            declaration::registers(rest, |name, count, ty, lanes| names.declare_regs(name, count, ty, lanes))?.0,
            StmtKind::Registers,
        )),
        "loc" => {
            let (rest, loc) = loc(rest)?;
            let position = names.kernel.locs.push(loc);
            names.loc = Some(position);
            Ok((rest, StmtKind::Loc(position)))
        }
        "extern" => {
            let (rest, align) = declaration::lead(rest)?;
            let (rest, space) = dotted(blanks(rest))?;
            match Space::from_text(space) {
                Some(space) => {
                    let (rest, variables) = declaration::variables(rest, (space, align), true)?;
                    Ok((rest, StmtKind::Variables(Box::new(declare(variables, names)?))))
                }
                None => expected(text, "`.extern` and a state space"),
            }
        }
        "pragma" => Ok((pragma(rest)?.0, StmtKind::Directive)),
        "branchtargets" | "calltargets" | "callprototype" => expected(text, format!("a label in front of `.{name}`")),
        "visible" | "weak" | "common" | "entry" | "func" => {
            expected(text, "`}` at the end of the body, in front of the next declaration of the module")
        }
        _ => expected(text, "an instruction, a label or a directive of a function body"),
    }
}

fn declare<'a>(variables: Vec<Declared<'a>>, names: &mut Names<'a>) -> Result<SmallVec<[Symbol; 2]>, Err<Fail>> {
    let mut symbols = SmallVec::new();
    for declared in variables {
        if declared.family.is_some() {
            symbols.extend(names.declare_variables(declared)?);
            continue;
        }
        let symbol = names.declare_variable(declared.name)?;
        names.kernel.variables.insert(symbol, declared.variable);
        symbols.push(symbol);
    }
    Ok(symbols)
}

/// `1 7 0, function_name $L__info_string0, inlined_at 1 10 7`, behind `.loc`.
fn loc(text: &str) -> Parsed<'_, Loc> {
    let triple = |text| {
        let (rest, file) = count(text)?;
        let (rest, line) = count(rest)?;
        let (rest, column) = count(rest)?;
        Ok((rest, (file, line, column)))
    };
    let (mut text, (file, line, column)) = triple(text)?;
    let mut loc = Loc { file, line, column, inlined_at: None };
    while accept(text, ',').is_some() {
        let (rest, ()) = comma(text)?;
        let at = blanks(rest);
        let (rest, name) = word(at)?;
        text = match name {
            "function_name" => {
                let (rest, _) = word(blanks(rest))?;
                match accept(rest, '+') {
                    Some(rest) => integer(rest)?.0,
                    None => rest,
                }
            }
            "inlined_at" => {
                let (rest, at) = triple(rest)?;
                loc.inlined_at = Some(at);
                rest
            }
            _ => return expected(at, "`function_name` or `inlined_at`"),
        };
    }
    Ok((text, loc))
}

/// `(.param .b32 _) _ (.param .b64 _);`, behind `.callprototype`.
pub(super) fn prototype(text: &str) -> Parsed<'_, ()> {
    let text = match accept(text, '(') {
        Some(results) => parameters(results)?.0,
        None => text,
    };
    let (rest, _) = word(blanks(text))?;
    let rest = match accept(rest, '(') {
        Some(params) => parameters(params)?.0,
        None => rest,
    };
    let (rest, _) = performance_directives(rest)?;
    punct(rest, ';', "`(` or `;`")
}
