//! The one error type of this crate: what went wrong with a tool, a file or an install, and what the user can do.
//!
//! A tool that rejects its input is [`Error::Tool`] and carries every message the tool printed; all other variants
//! are about the machine: a toolkit that does not run, a file that cannot be read, a fetch that failed.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::messages::{Level, Message};

/// Tells the user to point at a toolkit that is already there; the tail of every message about a missing one.
const POINT_AT_ONE: &str = "or point at a CUDA toolkit that is already there with --cuda-path or CUDA_PATH";

/// The variable that says how many seconds ptxas may take for one text; 0 for as long as it takes.
pub(crate) const LIMIT: &str = "PXRW_PTXAS_LIMIT";

/// Everything that can go wrong while finding, installing or running the CUDA tools.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A toolkit that the user named (flag or environment variable) cannot be used.
    #[error("the CUDA toolkit at {} (from {origin}) cannot be used: {reason}", path.display())]
    Unusable {
        /// The path the user gave.
        path: PathBuf,
        /// The flag or variable that gave it: `--cuda-path` or `CUDA_PATH`.
        origin: &'static str,
        /// The part that is missing or did not run.
        reason: String,
    },
    /// nvcc preprocesses with the machine's C++ compiler, and there is none that works.
    #[error(
        "nvcc needs a C++ compiler on PATH: {detail}\nhelp: install g++ (Debian, Ubuntu: apt install g++; Fedora: dnf install gcc-c++), or name one in NVCC_CCBIN"
    )]
    NoHostCompiler {
        /// The compilers that were looked for, or a message of one.
        detail: String,
    },
    /// No pip was found to fetch the compiler with.
    #[error(
        "no CUDA toolkit was found, and none can be fetched without pip: {tried}\nhelp: install Python 3 with pip (Debian, Ubuntu: apt install python3-pip), {POINT_AT_ONE}"
    )]
    NoPip {
        /// Each command that was tried and why it did not do.
        tried: String,
    },
    /// The package index cannot be reached, or not quickly.
    #[error(
        "no CUDA toolkit was found, and none can be fetched: no connection to {hosts}\nhelp: check the network and pip's proxy settings, run `pxrw toolkit install`, which waits longer, {POINT_AT_ONE}"
    )]
    Unreachable {
        /// Each host that was tried and the reason, without the rest of its URL.
        hosts: String,
    },
    /// pip ran and failed: no network, no package for this machine, no space.
    #[error("fetching the CUDA compiler with pip failed ({outcome}):\n{output}\nhelp: {help}, {POINT_AT_ONE}")]
    Fetch {
        /// The end of pip: its exit status, or a signal.
        outcome: String,
        /// The last lines that pip printed.
        output: String,
        /// The most likely remedy.
        help: &'static str,
    },
    /// pip succeeded, but what it installed does not run or does not compile an empty kernel.
    #[error("the CUDA compiler was fetched into {} but does not work: {reason}\nhelp: {POINT_AT_ONE}", dir.display())]
    BrokenInstall {
        /// The install folder.
        dir: PathBuf,
        /// The step that did not work.
        reason: String,
    },
    /// The input file does not exist.
    #[error("{}: no such file", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The input is a directory.
    #[error("{}: is a directory; a .cu or .ptx file is needed", path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
    },
    /// The input exists but cannot be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason given by the operating system.
        source: io::Error,
    },
    /// The input holds NUL bytes, which no CUDA or PTX text does.
    #[error("{file}:{line}: is not text: there is a NUL byte on this line")]
    NotText {
        /// The file as the user knows it.
        file: String,
        /// Line of the first NUL byte, counting from 1.
        line: usize,
    },
    /// A file or folder of our own (temporary, lock, install folder) could not be handled.
    #[error("cannot {action} {}: {source}{}", path.display(), where_to_instead(action))]
    Io {
        /// The verb phrase: `create`, `lock`, `write` …
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The reason given by the operating system.
        source: io::Error,
    },
    /// A tool could not be started at all.
    #[error("cannot start {}: {source}", tool.display())]
    Start {
        /// The program.
        tool: PathBuf,
        /// The reason given by the operating system.
        source: io::Error,
    },
    /// The Nsight Compute that the user named cannot be used.
    #[error("Nsight Compute at {} cannot be used: {reason}\nhelp: `--ncu` names the program `ncu`", ncu.display())]
    Profiler {
        /// The program.
        ncu: PathBuf,
        /// The step that did not work.
        reason: String,
    },
    /// Nsight Compute did not count a program's launches.
    #[error("Nsight Compute counted nothing: {reason}")]
    Profile {
        /// Its message, or the mistake in its output.
        reason: String,
    },
    /// ptxas took longer than it may, and was ended.
    #[error(
        "`{command}` did not end within {} seconds, and was stopped\nhelp: {LIMIT}=SECONDS gives it longer, 0 as long as it takes; a kernel in which less is unrolled or inlined is assembled sooner",
        limit.as_secs_f64()
    )]
    Slow {
        /// The program and its options, with the user's name of the text.
        command: String,
        /// The time that it had.
        limit: Duration,
    },
    /// The variable that limits ptxas says no number.
    #[error(
        "{LIMIT} is `{value}`\nhelp: give the seconds that ptxas may take for one text, such as 600, or 0 for as long as it takes"
    )]
    Limit {
        /// Its value.
        value: String,
    },
    /// A tool ran and rejected its input, or died.
    #[error("{}", ToolFailure { tool, outcome, messages })]
    Tool {
        /// `nvcc` or `ptxas`.
        tool: &'static str,
        /// The end of the tool: `exit status 1`, `killed by signal 11 (SIGSEGV)`.
        outcome: String,
        /// Everything it printed, in its order.
        messages: Vec<Message>,
    },
}

impl Error {
    /// The messages of the tool that failed; empty for every other variant.
    pub fn messages(&self) -> &[Message] {
        match self {
            Error::Tool { messages, .. } => messages,
            _ => &[],
        }
    }
}

/// The action of an [`Error::Io`] about a file in the folder for temporary ones.
pub(crate) const WRITE_TEMPORARY: &str = "write temporary files to";

/// The action of an [`Error::Io`] about a folder in the folder for temporary ones.
pub(crate) const CREATE_TEMPORARY: &str = "create a temporary folder in";

/// The folders that can be moved by the user, and the way to do that.
fn where_to_instead(action: &str) -> &'static str {
    match action {
        WRITE_TEMPORARY | CREATE_TEMPORARY => "\nhelp: make room there, or name another folder in TMPDIR",
        "create the install folder" | "lock" => "\nhelp: PXRW_TOOLKIT_DIR names another folder to install into",
        _ => "",
    }
}

/// Shows a failed tool by its first error, since later ones mostly follow from it.
struct ToolFailure<'a> {
    tool: &'a str,
    outcome: &'a str,
    messages: &'a [Message],
}

impl fmt::Display for ToolFailure<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let errors = self.messages.iter().filter(|m| m.level == Level::Error);
        match errors.clone().next().or(self.messages.last()) {
            None => write!(f, "{} failed without a message ({})", self.tool, self.outcome),
            Some(first) => {
                write!(f, "{first}\n({}: {}", self.tool, self.outcome)?;
                match errors.count() {
                    0 | 1 => write!(f, ")"),
                    n => write!(f, "; {} more errors)", n - 1),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(level: Level, text: &str) -> Message {
        Message { file: Some("k.cu".into()), line: Some(3), ..Message::plain(level, text) }
    }

    #[test]
    fn a_tool_failure_shows_its_first_error_and_counts_the_rest() {
        let messages = vec![
            message(Level::Warning, "unused"),
            message(Level::Error, "expected a \";\""),
            message(Level::Error, "later"),
        ];
        let error = Error::Tool { tool: "nvcc", outcome: "exit status 1".into(), messages };
        assert_eq!(error.to_string(), "k.cu:3: error: expected a \";\"\n(nvcc: exit status 1; 1 more errors)");
    }

    #[test]
    fn a_silent_death_is_named() {
        let error = Error::Tool { tool: "ptxas", outcome: "killed by signal 9 (SIGKILL)".into(), messages: Vec::new() };
        assert_eq!(error.to_string(), "ptxas failed without a message (killed by signal 9 (SIGKILL))");
    }
}
