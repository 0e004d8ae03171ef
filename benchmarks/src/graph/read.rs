//! Reads a graph from a file, whatever of the known formats it is in.
//!
//! Two things are told from the content and not from the file's name: whether it is compressed with gzip (its first two
//! bytes), and whether it is an edge list or a DIMACS file (the first line that is no comment).

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use super::csr::Graph;
use super::dimacs::Dimacs;
use super::edge_list::EdgeList;
use super::lines::FORMATS;
use super::lines::{Line, Lines};
use crate::error::Error;

/// Reads a graph from a file.
///
/// # Errors
/// [`Error::Open`] if the file cannot be opened or is a directory, [`Error::Broken`] if it cannot be read to its end,
/// [`Error::Input`] with line and column if a line is wrong, [`Error::NoEdges`] if there is nothing in it.
pub fn read(path: &Path) -> Result<Graph, Error> {
    let input = open(path).map_err(|cause| Error::Open { path: path.to_path_buf(), cause })?;
    let mut lines = Lines::new(path, input);
    let mut reader = Reader::Undecided;
    while let Some(line) = lines.next()? {
        reader.line(line)?;
    }
    let count = lines.count();
    let graph = match reader {
        Reader::Undecided => None,
        Reader::EdgeList(list) => list.finish()?,
        Reader::Dimacs(dimacs) => dimacs.finish()?,
    };
    graph.ok_or_else(|| Error::NoEdges { path: path.to_path_buf(), lines: count })
}

/// Opens a file and looks through gzip's compression.
fn open(path: &Path) -> io::Result<Box<dyn BufRead>> {
    let mut file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    let mut magic = Vec::new();
    file.by_ref().take(2).read_to_end(&mut magic)?;
    let compressed = magic == [0x1f, 0x8b];
    let whole = Cursor::new(magic).chain(file);
    if compressed {
        return Ok(Box::new(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(BufReader::new(whole)))));
    }
    Ok(Box::new(BufReader::with_capacity(1 << 16, whole)))
}

/// The reader of the format that the file turned out to be in.
enum Reader {
    Undecided,
    EdgeList(EdgeList),
    Dimacs(Dimacs),
}

impl Reader {
    fn line(&mut self, line: Line<'_>) -> Result<(), Error> {
        let Some(first) = line.fields().next() else { return Ok(()) };
        if matches!(self, Reader::Undecided) && first.bytes().starts_with(b"%%MatrixMarket") {
            return Err(first.error("this is a Matrix Market file, whose first numbers are its size", FORMATS));
        }
        if matches!(first.bytes()[0], b'#' | b'%') {
            return Ok(());
        }
        if matches!(self, Reader::Undecided) {
            *self = match first.bytes() {
                b"c" | b"p" | b"a" => Reader::Dimacs(Dimacs::default()),
                [b'0'..=b'9' | b'-', ..] => Reader::EdgeList(EdgeList::default()),
                _ => {
                    let what = format!("expected an edge, found {}", first.text());
                    return Err(first.error(what, FORMATS));
                }
            };
        }
        match self {
            Reader::Undecided => Ok(()),
            Reader::EdgeList(list) => list.line(line),
            Reader::Dimacs(dimacs) => dimacs.line(line),
        }
    }
}
