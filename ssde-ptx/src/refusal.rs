//! Why kernels stay as they are.

use ptx_parser::{Error, Inst};

/// Why a loop cannot be rewritten.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// Entries of branch tables that name one block would have to lead to several places.
    Table {
        /// The indirect branch.
        inst: Inst,
    },
    /// The kernel calls functions between the loop and what frees it, or is one.
    Call,
    /// Lanes would have to come together between the loop and where they may meet.
    Together {
        /// A barrier, vote or exchange.
        inst: Inst,
    },
    /// A loop in which nobody waits, but which belongs to one where lanes do, is entered at several blocks.
    Entries,
    /// Loops were still found in what the rewrite made.
    Again,
    /// A text of this crate's own does not parse: a defect of this program.
    Internal(String),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refusal::Table { .. } => {
                f.write_str("branch tables lead to one block from inside and from outside of the loop")
            }
            Refusal::Call => {
                f.write_str("what it waits for may be in a function that is called, or behind the call of this one")
            }
            Refusal::Together { .. } => {
                f.write_str("between the loop and what sets it free stands an instruction that lanes execute together")
            }
            Refusal::Entries => {
                f.write_str("a loop around it, or between it and what sets it free, is entered at several blocks")
            }
            Refusal::Again => f.write_str("what the rewrite made was found again"),
            Refusal::Internal(error) => write!(f, "a defect of this program: {error}"),
        }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        Refusal::Internal(error.to_string())
    }
}
