//! The places where an output does not do what its input does.

use std::fmt;

use ptx_parser::Position;
use thiserror::Error;

/// The reason why an output is no faithful rewrite, and the place where that shows.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{reason}")]
pub struct Mismatch {
    /// The reason for the mismatch.
    pub reason: Reason,
    /// The place that the input has reached.
    pub before: Option<ProgramPoint>,
    /// The place that the output has reached.
    pub after: Option<ProgramPoint>,
    /// The last branches on the way there from the start, in the input, the oldest first.
    pub path: Box<[Decision]>,
}

impl Mismatch {
    /// One about the kernel or module as a whole.
    pub(crate) fn whole(reason: Reason) -> Mismatch {
        Mismatch { reason, before: None, after: None, path: Box::default() }
    }
}

/// The reason for a mismatch.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Reason {
    /// Something that is declared is declared otherwise.
    #[error("{what} changed: `{before}` became `{after}`")]
    Declared {
        /// The kind of the declaration.
        what: &'static str,
        /// In the input.
        before: Box<str>,
        /// In the output.
        after: Box<str>,
    },
    /// Both do something, and not the same.
    #[error("the output does not do what the input does: {0} differs")]
    Differs(Part),
    /// An added register has a part in what a thread does.
    #[error("`{register}` is no register of the input and may only decide where to go, by constants")]
    Used {
        /// The register.
        register: Box<str>,
    },
    /// A branch depends on an added register that may hold anything.
    #[error("what `{register}` holds is not known here")]
    Unknown {
        /// The register.
        register: Box<str>,
    },
    /// An added branch promises what nobody knows.
    #[error("a branch on an added register promises that the warp goes one way")]
    Uniform,
    /// An added branch goes round without an end.
    #[error("the output loops for ever here, and the input goes on")]
    Cycle,
    /// An added computation takes longer than anybody follows.
    #[error("the output takes more than {0} steps to the next instruction of the input")]
    Long(u32),
    /// A branch whose targets are not listed, or a table entry that there is not.
    #[error("the target of this branch is unknown")]
    Target,
    /// A certificate claims something else.
    #[error("the certificate is wrong about {what}: it claims {claimed}, and there is {found}")]
    Certificate {
        /// The subject of the claim.
        what: Box<str>,
        /// The claim of the certificate.
        claimed: Box<str>,
        /// The result that was derived.
        found: Box<str>,
    },
}

/// A part of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// One ends and the other does not, or one branches and the other does not.
    Kind,
    /// The condition under which it runs.
    Guard,
    /// The mnemonic or a modifier.
    Opcode,
    /// The number of operands or branch targets.
    Count,
    /// The operand of this number, counted from 0.
    Operand(usize),
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Kind => f.write_str("what comes next"),
            Part::Guard => f.write_str("the guard"),
            Part::Opcode => f.write_str("the opcode"),
            Part::Count => f.write_str("the number of operands or targets"),
            Part::Operand(index) => write!(f, "operand {}", index + 1),
        }
    }
}

/// A program point: before an instruction, or the end of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramPoint {
    /// Its position; unknown if it was not read from text or is the end.
    pub position: Position,
    /// The text of the instruction; empty for the end of the kernel.
    pub text: Box<str>,
}

impl fmt::Display for ProgramPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&*self.text, self.position) {
            ("", _) => f.write_str("the end of the kernel"),
            (text, at) if at.is_known() => write!(f, "{at}: `{text}`"),
            (text, _) => write!(f, "`{text}`"),
        }
    }
}

/// A branch on a path, and the way that was taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decision {
    /// The branch, in the input.
    pub at: ProgramPoint,
    /// The number of the way: targets in their order, then falling through.
    pub way: usize,
    /// The number of ways.
    pub ways: usize,
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.way, self.ways) {
            (0, 2) => write!(f, "{} is taken", self.at),
            (1, 2) => write!(f, "{} is not taken", self.at),
            (way, _) => write!(f, "{} goes way {}", self.at, way + 1),
        }
    }
}
