//! The errors of reading and editing a PTX text.

use std::sync::{Mutex, OnceLock};

use thiserror::Error;

/// A PTX text that cannot be read, or an edit that does not fit.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Error {
    /// The text does not follow the grammar.
    #[error("{line}:{column}: expected {expected}, found {found}")]
    Syntax {
        /// Line, counted from 1.
        line: u32,
        /// Column in characters, counted from 1.
        column: u32,
        /// The text that would have been right.
        expected: String,
        /// The text that was found there.
        found: String,
        /// The advice on what to do.
        help: Option<String>,
    },
    /// The text follows the grammar but breaks a rule.
    #[error("{line}:{column}: {message}")]
    Semantic {
        /// Line, counted from 1.
        line: u32,
        /// Column in characters, counted from 1.
        column: u32,
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

impl Error {
    /// Line and column, counted from 1, where the error is.
    #[must_use]
    pub fn position(&self) -> Option<(u32, u32)> {
        match self {
            Error::Syntax { line, column, .. } | Error::Semantic { line, column, .. } => Some((*line, *column)),
            Error::Edit { .. } | Error::TooLarge { .. } => None,
        }
    }

    /// The message without the position.
    #[must_use]
    pub fn message(&self) -> String {
        match self {
            Error::Syntax { expected, found, .. } => format!("expected {expected}, found {found}"),
            Error::Semantic { message, .. } | Error::Edit { message, .. } => message.clone(),
            Error::TooLarge { .. } => self.to_string(),
        }
    }

    /// Returns what the user can do, where that is known.
    #[must_use]
    pub fn help(&self) -> Option<&str> {
        match self {
            Error::Syntax { help, .. } | Error::Semantic { help, .. } | Error::Edit { help, .. } => help.as_deref(),
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

/// Line and column, counted from 1 and in characters, of a byte of a text.
///
/// This reads the text up to that byte. To locate many places of one text, use [`Kernel::text_position`](crate::Kernel::text_position),
/// which remembers where the lines begin.
#[must_use]
pub fn position(text: &str, offset: usize) -> (u32, u32) {
    let before = &text.as_bytes()[..offset.min(text.len())];
    let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
    let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
    (small(line), column(&before[line_start..]))
}

/// The column behind the bytes of a line: every byte that does not continue a character counts.
fn column(line: &[u8]) -> u32 {
    small(line.iter().filter(|&&byte| byte & 0xc0 != 0x80).count() + 1)
}

fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The offsets at which the lines of a text begin. They are computed at the first request.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    starts: OnceLock<Vec<u32>>,
    /// The last request: where its line begins, the place, and its column. Places are mostly asked in order, and a line can be as long as
    /// the text.
    last: Mutex<(usize, usize, u32)>,
}

impl Lines {
    /// As [`position`], for the text that this table belongs to.
    pub(crate) fn position(&self, text: &str, offset: u32) -> (u32, u32) {
        let starts = self.starts.get_or_init(|| {
            let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
            std::iter::once(0).chain(ends.map(|(at, _)| small(at + 1))).collect()
        });
        let line = starts.partition_point(|&start| start <= offset).max(1);
        let start = starts.get(line - 1).map_or(0, |&start| start as usize);
        let end = (offset as usize).clamp(start, text.len());
        let bytes = |from: usize| text.as_bytes().get(from..end).unwrap_or(&[]);
        let Ok(mut last) = self.last.lock() else { return (small(line), column(bytes(start))) };
        *last = match *last {
            (same, before, known) if same == start && known > 0 && before <= end => {
                (start, end, known.saturating_add(column(bytes(before)) - 1))
            }
            _ => (start, end, column(bytes(start))),
        };
        (small(line), last.2)
    }
}
