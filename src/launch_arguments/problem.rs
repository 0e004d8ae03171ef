//! The problem with an argument.

use crate::diagnostics::Diagnostic;

/// A problem with an argument, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) what: String,
    pub(super) help: String,
    /// The field of a structure that it is about: its number, from the outermost structure on (`2.1`), and its text.
    pub(super) field: Option<(String, String)>,
}

impl Problem {
    pub(super) fn new(what: impl Into<String>, help: impl Into<String>) -> Problem {
        Problem { what: what.into(), help: help.into(), field: None }
    }

    /// Says which field of a structure it is about, counted from 1. One that is about a field of a field stays so.
    pub(super) fn of_field(self, number: usize, text: &str) -> Problem {
        let field = match self.field {
            Some((inner, text)) => (format!("{number}.{inner}"), text),
            None => (number.to_string(), text.to_owned()),
        };
        Problem { field: Some(field), ..self }
    }

    /// Says what is wrong, and in which field.
    pub(super) fn said(&self) -> String {
        match &self.field {
            Some((number, text)) => format!("field {number} (`{text}`): {}", self.what),
            None => self.what.clone(),
        }
    }

    /// The message about the argument that stands at `position`, counted from 1.
    pub(super) fn about(self, position: usize, text: &str) -> Diagnostic {
        Diagnostic::error(format!("argument {position} (`{text}`): {}", self.said())).help(self.help)
    }
}

/// Says what to give a kernel that gets no elements.
pub(super) const NO_ELEMENTS: &str =
    "give `u64:0`, a null pointer, for a buffer that the kernel does not look at, or at least one element";
