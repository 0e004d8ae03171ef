//! The statements between the braces of a kernel.

use nom::Err;
use smallvec::SmallVec;

use super::declaration;
use super::lexical::{
    Fail, Parsed, accept, blanks, blanks_to_marker, broken, count, dotted, expected, head, integer, punct, string, word,
};
use super::names::Names;
use super::operand::{Read, comma, guard, operands};
use crate::kernel::{InstData, Loc, Span, Stmt, StmtKind};
use crate::operand::Operand;
use crate::table::Flow;
use crate::types::{Space, Type};

/// Reads statements up to the closing brace of the body, or to the end of the text if `fragment`.
pub(crate) fn statements<'a>(text: &'a str, names: &mut Names<'a>, fragment: bool) -> Parsed<'a, ()> {
    let mut text = text;
    let outermost = names.depth();
    loop {
        let at = blanks_to_marker(text);
        if at.is_empty() && fragment && names.depth() == outermost {
            break;
        }
        if at.starts_with('}') && names.depth() == outermost {
            if fragment {
                return expected(at, "an instruction");
            }
            names.kernel.tail = names.span(&text[..text.len() - at.len()]);
            break;
        }
        if at.is_empty() {
            return expected(at, "`}`");
        }
        let (rest, kind) = statement(at, names)?;
        let span = (!fragment).then(|| names.span(&text[..text.len() - rest.len()]));
        names.kernel.stmts.push(Stmt { kind, span });
        text = rest;
    }
    names.close()?;
    for (stmt, labels) in std::mem::take(&mut names.tables) {
        if let StmtKind::BranchTargets(_, targets) = &mut names.kernel.stmts[stmt].kind {
            *targets = labels.into_iter().flatten().collect();
        }
    }
    Ok((blanks(text), ()))
}

fn statement<'a>(text: &'a str, names: &mut Names<'a>) -> Parsed<'a, StmtKind> {
    match text.as_bytes().first() {
        Some(b'/') if text.starts_with("//#") => {
            let end = text.find('\n').unwrap_or(text.len());
            Ok((&text[end..], StmtKind::Marker(text[2..end].trim_end().into())))
        }
        Some(b'/') if text.starts_with("/*") => expected(text, "a comment that ends with `*/`"),
        Some(b'{') => {
            names.open();
            Ok((&text[1..], StmtKind::Open))
        }
        Some(b'}') => {
            names.close()?;
            Ok((&text[1..], StmtKind::Close))
        }
        Some(b'.') => directive(text, names),
        Some(b'@') => {
            let (rest, guard) = guard(&text[1..], names)?;
            let (rest, head) = head(blanks(rest))?;
            instruction(text, rest, head, Some(guard), names)
        }
        _ => {
            let (rest, name) = head(text)?;
            match accept(rest, ':') {
                Some(after) => labelled(after, name, names),
                None => instruction(text, rest, name, None, names),
            }
        }
    }
}

/// A label, or a directive that a label names.
fn labelled<'a>(after: &'a str, name: &'a str, names: &mut Names<'a>) -> Parsed<'a, StmtKind> {
    if name.contains('.') {
        return expected(after, "an instruction; a label has no `.`");
    }
    match dotted(blanks(after)) {
        Ok((rest, "branchtargets")) => {
            let (rest, labels) = label_list(rest)?;
            let symbol = names.symbol(name);
            names.await_table(names.kernel.stmts.len(), labels);
            Ok((rest, StmtKind::BranchTargets(symbol, Box::new([]))))
        }
        Ok((rest, "callprototype" | "calltargets")) => {
            names.symbol(name);
            Ok((to_semicolon(rest)?.0, StmtKind::Directive))
        }
        _ => {
            let label = names.define_label(name)?;
            Ok((after, StmtKind::Label(label)))
        }
    }
}

fn label_list(text: &str) -> Parsed<'_, SmallVec<[&str; 4]>> {
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

fn instruction<'a>(
    start: &'a str,
    text: &'a str,
    head: &'a str,
    guard: Option<crate::Guard>,
    names: &mut Names<'a>,
) -> Parsed<'a, StmtKind> {
    let opcode = names.opcode(head);
    let properties = *names.kernel.opcodes[opcode].properties();
    let (rest, read) = operands(text, names, properties.flow == Flow::Branch)?;
    if properties.flow == Flow::Branch && !matches!(read.as_slice(), [Read::Label(_)]) {
        return Err(broken(start, "`bra` needs one label".to_owned(), Some("write `bra LABEL;`")));
    }
    let mut operands: SmallVec<[Operand; 4]> = SmallVec::with_capacity(read.len());
    let inst = names.kernel.insts.next_key();
    for (index, operand) in read.into_iter().enumerate() {
        operands.push(match operand {
            Read::Done(operand) => operand,
            Read::Label(name) => {
                names.await_label(name, inst, index);
                Operand::Sink
            }
        });
    }
    if (properties.carry_in || properties.carry_out) && properties.known && names.kernel.carry.is_none() {
        let data = crate::RegData { name: crate::kernel::Name::Made("CC".into()), ty: Type::Pred, lanes: 1 };
        names.kernel.carry = Some(names.kernel.regs.push(data));
    }
    let span = names.span(&start[..start.len() - rest.len()]);
    let loc = names.loc;
    let edited = span == Span::default();
    names.kernel.insts.push(InstData { guard, opcode, operands, span, loc, edited });
    Ok((rest, StmtKind::Inst(inst)))
}

fn directive<'a>(text: &'a str, names: &mut Names<'a>) -> Parsed<'a, StmtKind> {
    let (rest, name) = dotted(text)?;
    if let Some(space) = Space::from_text(name)
        && !matches!(space, Space::Reg | Space::Sreg | Space::Generic)
    {
        let (rest, variables) = declaration::variables(rest, space, false)?;
        return Ok((rest, StmtKind::Variables(declare(text, variables, names)?)));
    }
    match name {
        "reg" => Ok((declaration::registers(rest, names)?.0, StmtKind::Registers)),
        "loc" => {
            let (rest, loc) = loc(rest)?;
            names.kernel.locs.push(loc);
            names.loc = u32::try_from(names.kernel.locs.len()).unwrap_or(0);
            Ok((rest, StmtKind::Loc(loc)))
        }
        "extern" => {
            let (rest, space) = dotted(blanks(rest))?;
            match Space::from_text(space) {
                Some(space) => {
                    let (rest, variables) = declaration::variables(rest, space, true)?;
                    Ok((rest, StmtKind::Variables(declare(text, variables, names)?)))
                }
                None => expected(text, "`.extern` and a state space"),
            }
        }
        "pragma" | "branchtargets" | "calltargets" | "callprototype" => {
            Ok((to_semicolon(rest)?.0, StmtKind::Directive))
        }
        _ => expected(text, "an instruction, a label or a directive of a function body"),
    }
}

fn declare<'a>(
    at: &'a str,
    variables: Vec<crate::Variable>,
    names: &mut Names<'a>,
) -> Result<SmallVec<[crate::Symbol; 1]>, Err<Fail>> {
    let mut symbols = SmallVec::new();
    for variable in variables {
        // The name is somewhere in the text of the declaration, unless `name<n>` made it.
        let symbol = match at.find(&*variable.name) {
            Some(found) => names.declare_variable(&at[found..found + variable.name.len()])?,
            None => return Err(broken(at, "a parameterised variable name is not supported here".to_owned(), None)),
        };
        names.kernel.variables.insert(symbol, variable);
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

/// Skips to behind the next semicolon, strings and comments left out.
pub(crate) fn to_semicolon(text: &str) -> Parsed<'_, ()> {
    let mut text = text;
    loop {
        text = blanks(text);
        match text.chars().next() {
            Some(';') => return Ok((&text[1..], ())),
            Some('"') => text = string(text)?.0,
            None | Some('}' | '{') => return expected(text, "`;`"),
            Some(other) => text = &text[other.len_utf8()..],
        }
    }
}
