//! The findings of a check, as data.

use std::fmt;

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
    pub(super) line: u32,
    pub(super) column: u32,
    message: String,
    help: Option<String>,
}

impl Finding {
    /// Something at a line and column; `None` for what an edit made.
    pub(super) fn new(
        level: Level,
        at: Option<(u32, u32)>,
        message: impl Into<String>,
        help: Option<String>,
    ) -> Finding {
        let (line, column) = at.unwrap_or((0, 0));
        Finding { level, line, column, message: message.into(), help }
    }

    /// Returns how bad it is.
    #[must_use]
    pub fn level(&self) -> Level {
        self.level
    }

    /// Line and column of the PTX text, counted from 1; `None` for an instruction that an edit made.
    #[must_use]
    pub fn position(&self) -> Option<(u32, u32)> {
        (self.line > 0).then_some((self.line, self.column))
    }

    /// Returns what is wrong.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns what to do about it.
    #[must_use]
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = match self.level {
            Level::Error => "error",
            Level::Warning => "warning",
        };
        write!(f, "{}:{}: {level}: {}", self.line, self.column, self.message)?;
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
