//! The errors of reading and editing a PTX text.

use thiserror::Error;

use crate::position::{Located, Position};

/// A PTX text that cannot be read, or an edit that does not fit.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Error {
    /// The text does not follow the grammar.
    #[error("{at}: expected {expected}, found {found}")]
    Syntax {
        /// The position.
        at: Position,
        /// The text that would have been right.
        expected: String,
        /// The text that was found there.
        found: String,
        /// The advice on what to do.
        help: Option<String>,
    },
    /// The text follows the grammar but breaks a rule.
    #[error("{at}: {message}")]
    Semantic {
        /// The position.
        at: Position,
        /// The description of what is wrong.
        message: String,
        /// The advice on what to do.
        help: Option<String>,
    },
    /// An edit after which the kernel or module would have no text that reads as what was meant. Nothing was changed.
    #[error("{message}")]
    Edit {
        /// The description of what is wrong.
        message: String,
        /// The advice on what to do.
        help: Option<String>,
    },
    /// The text is larger than 4 GiB, which spans cannot address.
    #[error("the text has {bytes} bytes; at most 4294967294 can be read")]
    TooLarge {
        /// Its size.
        bytes: usize,
    },
}

impl Located for Error {
    fn position(&self) -> Option<Position> {
        match self {
            Error::Syntax { at, .. } | Error::Semantic { at, .. } => Some(*at),
            Error::Edit { .. } | Error::TooLarge { .. } => None,
        }
    }

    fn message(&self) -> String {
        match self {
            Error::Syntax { expected, found, .. } => format!("expected {expected}, found {found}"),
            Error::Semantic { message, .. } | Error::Edit { message, .. } => message.clone(),
            Error::TooLarge { .. } => self.to_string(),
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Error::Syntax { help, .. } | Error::Semantic { help, .. } | Error::Edit { help, .. } => help.clone(),
            Error::TooLarge { .. } => None,
        }
    }
}

/// All that is wrong with a text: at least one error, in the order of the text.
///
/// Reading goes on behind an error, up to a hundred of them. What follows from one (a register that was not declared, mentioned
/// again) is not reported again; errors that only look like one cannot always be told from it, so the first is the one to trust.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Errors(Vec<Error>);

impl Errors {
    pub(crate) fn new(errors: Vec<Error>) -> Option<Errors> {
        (!errors.is_empty()).then_some(Errors(errors))
    }

    /// All of them.
    #[must_use]
    pub fn all(&self) -> &[Error] {
        &self.0
    }

    /// The first one.
    #[must_use]
    pub fn first(&self) -> &Error {
        &self.0[0]
    }
}

impl From<Error> for Errors {
    fn from(error: Error) -> Errors {
        Errors(vec![error])
    }
}

impl std::fmt::Display for Errors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.first())?;
        self.0.iter().skip(1).try_for_each(|error| write!(f, "\n{error}"))
    }
}

impl std::error::Error for Errors {}

impl<'a> IntoIterator for &'a Errors {
    type Item = &'a Error;
    type IntoIter = std::slice::Iter<'a, Error>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
