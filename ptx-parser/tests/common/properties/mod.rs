//! What must hold of any input, however wrong. The tests feed these properties with seeded noise and with mutations of the samples, the
//! fuzz targets (`fuzz/`) with whatever leads to code that was not run yet.
#![allow(dead_code, clippy::unwrap_used, clippy::panic)]

pub(crate) mod compare;
pub(crate) mod edits;
pub(crate) mod noise;

use std::fmt::Display;

use ptx_parser::{Errors, Located, Module, Position};

/// A module with one kernel `k` whose body is the given lines; registers of every width are declared on the line before.
pub(crate) fn kernel(body: &str) -> String {
    format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u32 n)\n{{\n\
         .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .f32 %f<9>; .reg .f64 %fd<4>; .reg .v4 .f32 %v;\n\
         {body}\n}}\n"
    )
}

/// A text is refused with places that it has, or it prints byte for byte and can be looked at from all sides. Whether it was accepted.
pub(crate) fn parse(text: &str) -> bool {
    let module = match Module::parse(text) {
        Ok(module) => module,
        Err(errors) => {
            errors_are_in(text, &errors);
            return false;
        }
    };
    assert!(module.to_string() == text, "the print differs:\n{text}\n-----\n{module}");
    for kernel in module.kernels() {
        kernel.verify().unwrap_or_else(|what| panic!("{what}\n{text}"));
        for stmt in kernel.stmts() {
            if let ptx_parser::StmtKind::Inst(inst) = stmt.kind {
                kernel.visit(inst, |reg, _| assert!(!kernel.reg_name(reg).is_empty() || kernel.reg(reg).lanes == 1));
                let targets = kernel.branch_targets(inst);
                assert!(targets.iter().all(|&label| !kernel.label_name(label).is_empty()));
            }
        }
    }
    let findings = module.check();
    assert!(findings.is_sorted_by_key(|finding| finding.position()), "findings are in the order of the text");
    positions_are_in(text, &findings);
    true
}

/// As [`parse`], for a text that is the body of a kernel.
pub(crate) fn body(text: &str) -> bool {
    parse(&kernel(text))
}

/// The canonical form of a text that is accepted: it says the same and is its own canonical form.
pub(crate) fn canonical(text: &str) -> Option<String> {
    let module = Module::parse(text).ok()?;
    let canonical = module.canonical();
    let again = Module::parse(&canonical).unwrap_or_else(|error| panic!("{error}\n{text}\n-----\n{canonical}"));
    compare::same(&module, &again).unwrap_or_else(|what| panic!("{what}\n{text}\n-----\n{canonical}"));
    let twice = again.canonical();
    assert!(twice == canonical, "its own canonical form differs:\n{text}\n-----\n{canonical}\n-----\n{twice}");
    Some(canonical)
}

fn errors_are_in(text: &str, errors: &Errors) {
    assert!((1..=100).contains(&errors.all().len()), "{} errors:\n{text}", errors.all().len());
    assert!(
        errors.all().is_sorted_by_key(|error| error.position()),
        "errors are in the order of the text\n{errors}\n{text}"
    );
    positions_are_in(text, errors.all());
}

/// Every message has a line of the text and a column of that line, or the column behind its last character.
fn positions_are_in<M: Located + Display>(text: &str, messages: &[M]) {
    let mut lengths: Option<Vec<usize>> = None;
    for message in messages {
        let lengths = lengths.get_or_insert_with(|| text.split('\n').map(|line| line.chars().count()).collect());
        let Some(Position { line, column }) = message.position() else { panic!("no position: {message}\n{text}") };
        let length = (line as usize).checked_sub(1).and_then(|line| lengths.get(line));
        let fits = length.is_some_and(|&length| (1..=length + 1).contains(&(column as usize)));
        assert!(fits, "{line}:{column} is not in the text: {message}\n{text}");
    }
}
