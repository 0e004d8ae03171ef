//! Cuts an input file into lines and fields, and knows where each one is.
//!
//! Lines are bytes, not text: comments in old data sets are in any encoding. A line has a greatest length, so that a file
//! that is no graph at all (an archive, a device) is refused at its first line and not read into memory.

use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};

use ptx_parser::Position;

use crate::error::{Error, FilePosition};

/// A graph's lines have two to four numbers, and comments are prose; nothing like this long.
const LONGEST: usize = 1 << 16;

/// Reads lines one after the other into one buffer.
pub(super) struct Lines<'a> {
    path: &'a Path,
    input: Box<dyn BufRead>,
    number: u64,
    buffer: Vec<u8>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(path: &'a Path, input: Box<dyn BufRead>) -> Lines<'a> {
        Lines { path, input, number: 0, buffer: Vec::new() }
    }

    /// The next line without its end, or `None` at the end of the file.
    pub(super) fn next(&mut self) -> Result<Option<Line<'_>>, Error> {
        self.buffer.clear();
        let mut limited = (&mut self.input).take(LONGEST as u64 + 1);
        let read = limited.read_until(b'\n', &mut self.buffer);
        let read = read.map_err(|cause| broken(self.path, self.number, cause))?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        while matches!(self.buffer.last(), Some(b'\n' | b'\r')) {
            self.buffer.pop();
        }
        let line = Line { path: self.path, number: self.number, bytes: &self.buffer };
        if line.bytes.len() > LONGEST {
            let what = format!("this line is longer than {LONGEST} bytes, so this is not a list of edges");
            return Err(line.error(0, what, FORMATS));
        }
        Ok(Some(line))
    }

    /// Returns how many lines were read.
    pub(super) fn count(&self) -> u64 {
        self.number
    }
}

fn broken(path: &Path, after: u64, cause: io::Error) -> Error {
    Error::Broken { path: path.to_path_buf(), after, cause }
}

/// One line of the input.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    path: &'a Path,
    number: u64,
    bytes: &'a [u8],
}

impl<'a> Line<'a> {
    /// The fields: what stands between blanks.
    pub(super) fn fields(self) -> impl Iterator<Item = Field<'a>> {
        let mut at = 0;
        std::iter::from_fn(move || {
            at += self.bytes[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            let length = self.bytes[at..].iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
            let field = Field { line: self, column: at, bytes: &self.bytes[at..at + length] };
            at += length;
            (length > 0).then_some(field)
        })
    }

    /// Returns the position of a byte of the line, counted from 0.
    pub(super) fn position(self, byte: usize) -> FilePosition {
        let line = usize::try_from(self.number).unwrap_or(usize::MAX);
        FilePosition { path: PathBuf::from(self.path), position: Position::in_line(line, self.bytes, byte) }
    }

    /// Returns the byte behind the last one, for what is missing.
    pub(super) fn end(self) -> usize {
        self.bytes.len()
    }

    pub(super) fn error(self, column: usize, what: impl Into<String>, help: impl Into<String>) -> Error {
        Error::Input { at: self.position(column), what: what.into(), help: help.into() }
    }
}

/// One field of a line.
#[derive(Clone, Copy)]
pub(super) struct Field<'a> {
    line: Line<'a>,
    column: usize,
    bytes: &'a [u8],
}

impl<'a> Field<'a> {
    pub(super) fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// The field as a message shows it: short, and with nothing that upsets a terminal.
    pub(super) fn text(self) -> String {
        let shown = &self.bytes[..self.bytes.len().min(30)];
        let dots = if shown.len() < self.bytes.len() { "..." } else { "" };
        format!("`{}{dots}`", shown.escape_ascii())
    }

    pub(super) fn position(self) -> FilePosition {
        self.line.position(self.column)
    }

    pub(super) fn error(self, what: impl Into<String>, help: impl Into<String>) -> Error {
        self.line.error(self.column, what, help)
    }

    /// Reads a whole number that is not negative; `what` names it in the message.
    pub(super) fn number(self, what: &str) -> Result<u64, Error> {
        let text = std::str::from_utf8(self.bytes).unwrap_or("");
        let digits = text.strip_prefix('-').unwrap_or(text);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(self.error(
                format!("expected {what}, found {}", self.text()),
                "write whole numbers with blanks between them; comment lines begin with `#` or `%`",
            ));
        }
        if digits.len() < text.len() {
            return Err(self.error(
                format!("{what} is negative: {}", self.text()),
                "renumber the vertices so that they count up from 0 (from 1 in a DIMACS file)",
            ));
        }
        text.parse().map_err(|_| {
            let what = format!("{what} is too large: {}", self.text());
            self.error(what, "kernels count vertices with a 32-bit int; renumber them so that they count up from 0")
        })
    }
}

/// The advice on a file that is in no known format.
pub(super) const FORMATS: &str = "give a list of edges (`u v` on each line, comments behind `#` or `%`) or a DIMACS .gr \
                                  file, plain or compressed with gzip";

/// The advice on a graph beyond [`LIMIT`](super::LIMIT).
pub(super) const TOO_MANY: &str = "kernels count with a 32-bit int; give a smaller graph";

/// Returns true if so many vertices with so few edges are a mistake rather than a graph: memory goes with the vertices, and one
/// stray id could ask for gigabytes.
pub(super) fn is_too_sparse(vertices: u32, edges: usize) -> bool {
    vertices as usize > edges.saturating_mul(64).max(1 << 24)
}
