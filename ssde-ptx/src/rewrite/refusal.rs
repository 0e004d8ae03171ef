//! The reasons why kernels are not rewritten.

use ptx_parser::Error;

use crate::detect::finding::At;

/// The reason why a loop cannot be rewritten.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The kernel calls functions between the loop and what frees it, or is one.
    Call,
    /// Some lanes would have to come together, and nothing says that all of their warp do.
    Together {
        /// A barrier, vote or exchange; without a line if it came from a function that is called.
        at: At,
    },
    /// Nothing is assumed, and lanes of both ways of a branch may come to one vote or exchange of a function, which the result would have twice.
    Copies {
        /// The branch.
        at: At,
    },
    /// Lanes cannot be led through a section: entries of branch tables that name one block would have to lead to several places, or a loop in which nobody
    /// waits is entered at several blocks. One dispatch for all loops does not mind, and is tried then.
    Ways,
    /// Loops were still found in what the rewrite made.
    Again,
    /// A text of this crate's own does not parse: a defect of this program.
    Internal(String),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refusal::Call => {
                f.write_str("what it waits for may be in a function that is called, or behind the call of this one")
            }
            Refusal::Together { .. } => f.write_str(
                "a barrier or warp-collective instruction is in the way, and it is not known that all lanes of the warp execute it",
            ),
            Refusal::Copies { .. } => f.write_str(
                "a function with a warp-collective instruction is called on both sides of a branch; if it is inlined, lanes of the two sides do not meet in it",
            ),
            Refusal::Ways => f.write_str("branch tables, or loops that are entered at several blocks, are in the way"),
            Refusal::Again => f.write_str("loops of the rewritten kernel may still deadlock"),
            Refusal::Internal(error) => write!(f, "a defect of this program: {error}"),
        }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        Refusal::Internal(error.to_string())
    }
}
