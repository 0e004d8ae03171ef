//! The parts around the code that must not change: the header, the variables, the directives, and all other items of the module.

use ptx_parser::{Kernel, Module, StmtKind};

use super::mismatch::{Mismatch, Reason};

/// Compares what two kernels declare. Registers are compared where they are used; labels, branch tables, source positions and comments
/// have no meaning of their own.
pub(super) fn kernel(before: &Kernel, after: &Kernel) -> Result<(), Mismatch> {
    same("the header", &before.header_tokens(), &after.header_tokens())?;
    if (before.kind(), before.params(), before.results()) != (after.kind(), after.params(), after.results()) {
        return changed("the parameters", &format!("{:?}", before.params()), &format!("{:?}", after.params()));
    }
    let (ones, others) = (variables(before), variables(after));
    for index in 0..ones.len().max(others.len()) {
        let text = |list: &[String]| list.get(index).cloned().unwrap_or_default();
        same("a declaration", &text(&ones), &text(&others))?;
    }
    let (ones, others) = (directives(before), directives(after));
    for index in 0..ones.len().max(others.len()) {
        let text = |list: &[String]| list.get(index).cloned().unwrap_or_default();
        same("a directive", &text(&ones), &text(&others))?;
    }
    Ok(())
}

/// The variables of a body in the order of their names, because what an edit adds has no statement yet.
fn variables(kernel: &Kernel) -> Vec<String> {
    let declared = kernel.stmts().iter().filter(|stmt| matches!(stmt.kind, StmtKind::Variables(_)));
    let mut texts: Vec<String> = declared.map(|stmt| kernel.stmt_tokens(stmt)).collect();
    let mut known: Vec<String> = kernel.variables().map(|(_, variable)| format!("{variable:?}")).collect();
    known.sort();
    texts.extend(known);
    texts
}

fn directives(kernel: &Kernel) -> Vec<String> {
    let stmts = kernel.stmts().iter().filter(|stmt| matches!(stmt.kind, StmtKind::Directive));
    stmts.map(|stmt| kernel.stmt_tokens(stmt)).collect()
}

/// Compares all of two modules but the kernels that have a body, byte for byte, and the names and order of those.
pub(super) fn module(before: &Module, after: &Module) -> Result<(), Mismatch> {
    let (ones, others) = (around(before), around(after));
    for index in 0..ones.len().max(others.len()) {
        let text = |list: &[String]| list.get(index).map_or("", String::as_str).to_owned();
        let (one, other) = (text(&ones), text(&others));
        if one != other {
            let line = one.lines().zip(other.lines()).find(|(one, other)| one != other);
            let (one, other) = line.unwrap_or_else(|| if one.len() < other.len() { ("", &other) } else { (&one, "") });
            return changed("what stands outside of kernels", one.trim(), other.trim());
        }
    }
    Ok(())
}

/// The text of a module without its kernels, and their names in between.
fn around(module: &Module) -> Vec<String> {
    let text = module.to_string();
    let mut rest = text.as_str();
    let mut pieces = Vec::new();
    for kernel in module.kernels().iter().filter(|kernel| kernel.has_body()) {
        let body = kernel.to_string();
        // A kernel prints as it stands in its module.
        let Some((before, behind)) = rest.split_once(&body) else { continue };
        pieces.extend([before.to_owned(), kernel.name().to_owned()]);
        rest = behind;
    }
    pieces.push(rest.to_owned());
    pieces
}

fn same(what: &'static str, before: &str, after: &str) -> Result<(), Mismatch> {
    if before == after { Ok(()) } else { changed(what, before, after) }
}

fn changed(what: &'static str, before: &str, after: &str) -> Result<(), Mismatch> {
    Err(Mismatch::whole(Reason::Declared { what, before: before.into(), after: after.into() }))
}
