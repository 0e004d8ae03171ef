//! Kernels that cannot be translated.

use std::fmt;

use ptx_parser::{Inst, Kernel, Position};

/// An instruction or declaration that has no translation, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The kernel or function.
    pub kernel: String,
    /// The place in the PTX text; `None` for something the text does not show.
    pub position: Option<Position>,
    /// The text of the instruction, or the name of what is declared.
    pub what: String,
    /// The reason, as a sentence without a capital letter and a full stop.
    pub reason: String,
}

impl Refusal {
    /// Returns true if another refusal is about the same opcode or name, for the same reason.
    #[must_use]
    pub fn is_like(&self, other: &Refusal) -> bool {
        (&self.what, &self.reason) == (&other.what, &other.reason)
    }

    /// Refuses an instruction.
    pub(crate) fn of(kernel: &Kernel, inst: Inst, reason: impl Into<String>) -> Refusal {
        Refusal {
            kernel: kernel.name().to_owned(),
            position: kernel.text_position(inst),
            what: kernel.opcode(inst).text().to_owned(),
            reason: reason.into(),
        }
    }

    /// Refuses something that a kernel or the module declares.
    pub(crate) fn declaration(kernel: &str, name: &str, reason: impl Into<String>) -> Refusal {
        Refusal { kernel: kernel.to_owned(), position: None, what: name.to_owned(), reason: reason.into() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel `{}`: `{}`: {}", self.kernel, self.what, self.reason)
    }
}

impl std::error::Error for Refusal {}
