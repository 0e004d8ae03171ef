//! Positions in a text, and what can be shown at one.

use std::fmt;
use std::sync::{Mutex, OnceLock};

/// A line and a column of a text, both counted from 1, the column in characters. A line of 0 is the text as a whole or an unknown one, a column of
/// 0 the line as a whole. Numbers beyond `u32::MAX` are that.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

/// A message about a text, such as an error in it, with the position that it is shown at.
pub trait Located {
    /// Returns the position, if the message is about one.
    fn position(&self) -> Option<Position>;

    /// Returns the message without the position.
    fn message(&self) -> String;

    /// Returns what the user can do, where that is known.
    fn help(&self) -> Option<String> {
        None
    }
}

impl Position {
    /// The position of nothing that is in the text.
    pub const UNKNOWN: Position = Position { line: 0, column: 0 };

    /// Returns the position of a byte of a text.
    ///
    /// This reads the text up to that byte. To locate many bytes of one text, use [`Kernel::text_position`](crate::Kernel::text_position),
    /// which remembers where the lines begin.
    #[must_use]
    pub fn of(text: &str, offset: usize) -> Position {
        let before = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
        let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        Position { line: small(line), column: column(before.get(line_start..).unwrap_or_default()) }
    }

    /// Returns the position of a byte of a line, counted from 0.
    #[must_use]
    pub fn in_line(line: usize, text: &[u8], byte: usize) -> Position {
        Position { line: small(line), column: column(text.get(..byte).unwrap_or(text)) }
    }

    /// Returns a line as a whole.
    #[must_use]
    pub fn of_line(line: u32) -> Position {
        Position { line, column: 0 }
    }

    /// Returns a position that is given in another type.
    #[must_use]
    pub fn new(line: usize, column: usize) -> Position {
        Position { line: small(line), column: small(column) }
    }

    /// Returns true if the line is known.
    #[must_use]
    pub fn is_known(self) -> bool {
        self.line > 0
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Returns the column behind the bytes of a line: every byte that does not continue a character counts.
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
    /// As [`Position::of`], for the text that this table belongs to.
    pub(crate) fn position(&self, text: &str, offset: u32) -> Position {
        let starts = self.starts.get_or_init(|| {
            let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
            std::iter::once(0).chain(ends.map(|(at, _)| small(at + 1))).collect()
        });
        let line = starts.partition_point(|&start| start <= offset).max(1);
        let start = starts.get(line - 1).map_or(0, |&start| start as usize);
        let end = (offset as usize).clamp(start, text.len());
        let bytes = |from: usize| text.as_bytes().get(from..end).unwrap_or(&[]);
        let Ok(mut last) = self.last.lock() else {
            return Position { line: small(line), column: column(bytes(start)) };
        };
        *last = match *last {
            (same, before, known) if same == start && known > 0 && before <= end => {
                (start, end, known.saturating_add(column(bytes(before)) - 1))
            }
            _ => (start, end, column(bytes(start))),
        };
        Position { line: small(line), column: last.2 }
    }
}
