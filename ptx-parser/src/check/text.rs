//! All that is wrong with a text, in one list: what cannot be read, and what is wrong with the rest.

use super::finding::{Finding, Level};
use crate::entities::Inst;
use crate::kernel::Kernel;
use crate::module::Module;
use crate::position::{Located, Position};
use crate::syntax;
use crate::syntax::lexical::past;
use crate::tables::HOME_NOWHERE;

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
    let mut findings: Vec<Finding> = errors.iter().map(Finding::from).collect();
    let lines: Vec<u32> = findings.iter().map(|finding| finding.at.line).collect();
    let others = module.check();
    findings.extend(others.into_iter().filter(|finding| lines.binary_search(&finding.at.line).is_err()));
    findings.sort_by_key(|finding| finding.at);
    findings
}

impl From<&crate::Error> for Finding {
    fn from(error: &crate::Error) -> Finding {
        Finding::new(Level::Error, error.position(), error.message(), error.help())
    }
}

/// Returns true if all registers of a kernel are declared, as they are in every text that reads without an error.
pub(super) fn is_complete(kernel: &Kernel) -> bool {
    kernel.regs.values().all(|reg| reg.home != HOME_NOWHERE)
}

/// Returns true if all registers of an instruction are declared.
pub(super) fn is_declared(kernel: &Kernel, inst: Inst) -> bool {
    let mut declared = true;
    kernel.visit(inst, |reg, _| declared &= kernel.reg(reg).home != HOME_NOWHERE);
    declared
}

impl Module {
    /// Returns what is wrong at the edges of a text that reads well otherwise.
    pub(super) fn check_edges(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut warn = |offset: usize, message: &str, help: &str| {
            let at = Position::of(&self.source, offset);
            findings.push(Finding::new(Level::Warning, Some(at), message, Some(help.to_owned())));
        };
        if self.source.starts_with('\u{feff}') {
            warn(0, "the text begins with a byte order mark, which ptxas refuses", "save it as UTF-8 without one");
        }
        if self.items.is_empty() {
            let message = "the text has no `.version` directive, with which every module begins";
            let help = "write `.version 9.0` and `.target sm_90` first".to_owned();
            findings.push(Finding::new(Level::Error, Some(Position::new(1, 1)), message, Some(help)));
            return findings;
        }
        // The parser takes it at the end only.
        let end = self.source.trim_end_matches(['\0', '\n', '\r', ' ', '\t']).len();
        if let Some(nul) = past(&self.source, end).find('\0') {
            let message = "the text ends with a NUL character, which ptxas refuses";
            warn(end + nul, message, "write the text without the terminator of its string");
        }
        findings
    }
}
