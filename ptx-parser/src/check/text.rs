//! All that is wrong with a text, in one list: what cannot be read, and what is wrong with the rest.

use super::{Finding, Level};
use crate::entities::Inst;
use crate::kernel::{HOME_NOWHERE, Kernel};
use crate::module::Module;
use crate::syntax;

/// Reads a text and checks it: its errors, and what [`Module::check`] finds in the statements that could be read. The findings
/// come in the order of the text. A line with an error is not checked further, nor is an instruction whose registers are not declared:
/// what would be found there follows from the error.
///
/// ```
/// let text = ".version 9.0\n.target sm_90\n.entry k()\n{\n.reg .b32 %r<2>;\nadd.u32 %r1, %r1;\nmov.u32 %r1, ;\n}\n";
/// let found: Vec<String> = ptx_parser::check(text).iter().map(ToString::to_string).collect();
/// assert_eq!(found[0], "6:1: error: `add.u32` takes 3 operands, not 2");
/// assert_eq!(found[1], "7:14: error: expected an operand, found `;`");
/// ```
#[must_use]
pub fn check(text: &str) -> Vec<Finding> {
    let (module, errors) = syntax::module::read(text);
    let as_finding = |error: &crate::Error| {
        let (line, column) = error.position().unwrap_or((0, 0));
        let (message, help) = (error.message(), error.help().map(str::to_owned));
        Finding { level: Level::Error, line, column, message, help }
    };
    let mut findings: Vec<Finding> = errors.iter().map(as_finding).collect();
    let lines: Vec<u32> = findings.iter().map(|finding| finding.line).collect();
    let others = module.check();
    findings.extend(others.into_iter().filter(|finding| lines.binary_search(&finding.line).is_err()));
    findings.sort_by_key(|finding| (finding.line, finding.column));
    findings
}

/// Whether all registers of an instruction are declared.
pub(super) fn is_complete(kernel: &Kernel, inst: Inst) -> bool {
    let mut complete = true;
    kernel.visit(inst, |reg, _| complete &= kernel.regs[reg].home != HOME_NOWHERE);
    complete
}

impl Module {
    /// What is wrong at the edges of a text that reads well otherwise.
    pub(super) fn check_edges(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut warn = |offset: usize, message: &str, help: &str| {
            let (line, column) = crate::position(&self.source, offset);
            let (message, help) = (message.to_owned(), Some(help.to_owned()));
            findings.push(Finding { level: Level::Warning, line, column, message, help });
        };
        if self.source.starts_with('\u{feff}') {
            warn(0, "the text begins with a byte order mark, which ptxas refuses", "save it as UTF-8 without one");
        }
        if self.items.is_empty() {
            let message = "the text has no `.version` directive, with which every module begins".to_owned();
            let help = Some("write `.version 9.0` and `.target sm_90` first".to_owned());
            findings.push(Finding { level: Level::Error, line: 1, column: 1, message, help });
            return findings;
        }
        // The parser takes it at the end only.
        let end = self.source.trim_end_matches(['\0', '\n', '\r', ' ', '\t']).len();
        if let Some(nul) = self.source[end..].find('\0') {
            let message = "the text ends with a NUL character, which ptxas refuses";
            warn(end + nul, message, "write the text without the terminator of its string");
        }
        findings
    }
}
