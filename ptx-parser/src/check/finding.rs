//! The findings of a check, as data.

use std::fmt;

use crate::position::{Located, Position};

/// The severity of a finding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// The assembler refuses the module.
    Error,
    /// It may be wrong, or is not known.
    Warning,
}

/// Something that a check found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    level: Level,
    pub(super) at: Position,
    message: String,
    help: Option<String>,
}

impl Finding {
    /// Something at a position; `None` for what an edit made.
    pub(super) fn new(level: Level, at: Option<Position>, message: impl Into<String>, help: Option<String>) -> Finding {
        Finding { level, at: at.unwrap_or_default(), message: message.into(), help }
    }

    /// Returns how bad it is.
    #[must_use]
    pub fn level(&self) -> Level {
        self.level
    }
}

impl Located for Finding {
    /// Returns the position in the PTX text; `None` for an instruction that an edit made.
    fn position(&self) -> Option<Position> {
        self.at.is_known().then_some(self.at)
    }

    fn message(&self) -> String {
        self.message.clone()
    }

    fn help(&self) -> Option<String> {
        self.help.clone()
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = match self.level {
            Level::Error => "error",
            Level::Warning => "warning",
        };
        write!(f, "{}: {level}: {}", self.at, self.message)?;
        match &self.help {
            Some(help) => write!(f, " ({help})"),
            None => Ok(()),
        }
    }
}

/// The part of an instruction that a finding points to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part<'a> {
    Opcode,
    Modifier(&'a str),
    Guard,
    Operand(usize),
}
