//! Code into the GPU: PTX, which the driver's own compiler makes machine code of, or a cubin.
//!
//! ```text
//!  PTX ── cuModuleLoadDataEx ──> module                      (through cust)
//!             │ refused: 222 with an older `.version` (version_downgrade.rs), and then
//!             └── once more with a buffer for the log ──> "ptxas application ptx input, line 12; error   : Unknown symbol 's'"
//!                                                            └──> Problem { line: 12, message: "Unknown symbol 's'" }
//! ```
//!
//! `cust` has no option for the log, and its modules cannot be made from the driver's handles. So what is refused is given to the driver
//! a second time, past `cust`, to hear why. Line numbers are those of the text that was given.

use std::ffi::CStr;
use std::fmt;

use cust::module::Module;

use super::driver;
use super::error_code::CudaCode;

/// The code that is loaded.
#[derive(Clone, Copy)]
pub(super) enum Image<'a> {
    Ptx(&'a CStr),
    Cubin(&'a [u8]),
}

impl<'a> Image<'a> {
    pub(super) fn bytes(self) -> &'a [u8] {
        match self {
            Image::Ptx(text) => text.to_bytes(),
            Image::Cubin(bytes) => bytes,
        }
    }
}

/// Something that the driver's compiler says of the PTX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PtxProblem {
    /// The line of the PTX, counted from 1; none where it is about the whole.
    pub line: Option<u32>,
    /// The problem, in the compiler's words.
    pub message: String,
}

impl fmt::Display for PtxProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "PTX line {line}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// Loads code into the current context.
pub(super) fn load(image: Image<'_>) -> Result<Module, CudaCode> {
    let loaded = match image {
        Image::Ptx(text) => Module::from_ptx_cstr(text, &[]),
        Image::Cubin(bytes) => Module::from_cubin(bytes, &[]),
    };
    loaded.map_err(CudaCode::from)
}

/// Asks once more why code was refused: the driver's code, and what its compiler says. If it no longer is, the first code counts.
pub(super) fn explain(image: Image<'_>, first: CudaCode) -> (CudaCode, Vec<PtxProblem>) {
    // PTX ends with a NUL. A cubin says itself how long it is; a NUL behind it does no harm.
    match driver::refusal(&[image.bytes(), &[0]].concat()) {
        Some((code, log)) => (code, problems(&log)),
        None => (first, Vec::new()),
    }
}

/// The errors in a log of ptxas, which the driver's compiler is.
fn problems(log: &str) -> Vec<PtxProblem> {
    let mut found: Vec<PtxProblem> = log.lines().filter_map(problem).collect();
    // The last line says that there were others before it.
    if found.iter().any(|problem| problem.line.is_some()) {
        found.retain(|problem| !problem.message.starts_with("Ptx assembly aborted"));
    }
    found
}

/// One line: `ptxas application ptx input, line 12; error   : what`, or `ptxas error   : what`. Warnings are none.
fn problem(line: &str) -> Option<PtxProblem> {
    let (before, message) = line.split_once(" : ").or_else(|| line.split_once(": "))?;
    let (place, level) = match before.rsplit_once(';') {
        Some((place, level)) => (place, level),
        None => ("", before.trim_start_matches("ptxas")),
    };
    if !matches!(level.trim(), "error" | "fatal") {
        return None;
    }
    // Lines of `<macro util>` are those of the compiler's own text.
    let number = place.rsplit_once("line ").filter(|(of, _)| !of.contains('<')).map(|(_, number)| number.trim());
    Some(PtxProblem { line: number.and_then(|number| number.parse().ok()), message: message.trim().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(log: &str) -> Vec<String> {
        problems(log).iter().map(PtxProblem::to_string).collect()
    }

    #[test]
    fn errors_keep_their_lines() {
        let log = "ptxas application ptx input, line 7; error   : Arguments mismatch for instruction 'add'\n\
                   ptxas application ptx input, line 7; warning : Something else\n\
                   ptxas application ptx input, line 8; fatal   : Parsing error near ':': syntax error\n\
                   ptxas fatal   : Ptx assembly aborted due to errors\n";
        let expected = [
            "PTX line 7: Arguments mismatch for instruction 'add'",
            "PTX line 8: Parsing error near ':': syntax error",
        ];
        assert_eq!(shown(log), expected);
    }

    #[test]
    fn errors_without_a_line_are_kept() {
        let log = "ptxas error   : Entry function 'k' uses too much shared data (0x186a0 bytes, 0xc000 max)\n";
        assert_eq!(shown(log), ["Entry function 'k' uses too much shared data (0x186a0 bytes, 0xc000 max)"]);
        assert_eq!(shown("ptxas fatal   : Ptx assembly aborted due to errors"), ["Ptx assembly aborted due to errors"]);
        let log = "ptxas <macro util>, line 2; error   : PTX .version 8.4 does not support .target sm_120\n";
        assert_eq!(shown(log), ["PTX .version 8.4 does not support .target sm_120"]);
        assert!(shown("").is_empty());
        assert!(shown("info : nothing\n: \n").is_empty());
    }
}
