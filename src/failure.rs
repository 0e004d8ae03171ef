//! The failure of a command: messages about errors in the input or the arguments.

use ptx_parser::Position;

use crate::diagnostics::{Diagnostic, Place, Severity};

/// One or more errors; the command ends with status 2.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Failure {
        Failure { diagnostics: vec![diagnostic] }
    }
}

impl From<Vec<Diagnostic>> for Failure {
    fn from(diagnostics: Vec<Diagnostic>) -> Failure {
        Failure { diagnostics }
    }
}

impl From<toolkit::Error> for Failure {
    fn from(error: toolkit::Error) -> Failure {
        let errors = error.messages().iter().filter(|message| message.level != toolkit::Level::Info);
        let diagnostics: Vec<Diagnostic> = errors.map(tool_message).collect();
        if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
            return diagnostics.into();
        }
        Diagnostic::error(error.to_string()).into()
    }
}

/// A message of nvcc or ptxas, as one of ours.
pub(crate) fn tool_message(message: &toolkit::Message) -> Diagnostic {
    let severity = match message.level {
        toolkit::Level::Error => Severity::Error,
        toolkit::Level::Warning => Severity::Warning,
        toolkit::Level::Info => Severity::Note,
    };
    let mut lines = message.text.lines();
    let mut diagnostic = Diagnostic { severity, ..Diagnostic::error(lines.next().unwrap_or_default()) };
    diagnostic.notes.extend(lines.map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned));
    if let Some(file) = &message.file {
        let position = Position { line: message.line.unwrap_or(0), column: message.column.unwrap_or(0) };
        let excerpt = message.excerpt.as_deref().and_then(|excerpt| excerpt.lines().next()).map(str::to_owned);
        // The user's own line where there is one: what nvcc shows of it is the annotated text.
        let own = Place::read(file, position);
        diagnostic = diagnostic.at(Place { text: own.text.or(excerpt), ..own });
    }
    diagnostic
}
