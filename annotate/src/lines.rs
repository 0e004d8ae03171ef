//! Byte offsets to files, lines and columns, because messages and markers name the user's lines.
//!
//! A preprocessor says in line markers which file and line the text behind them is from (GCC manual, "Preprocessor Output"):
//!
//! ```text
//! # 12 "kernel.cuh" 1      the file begins here; 2: it goes on behind a file that it included
//! ```

use std::collections::HashMap;

use ptx_parser::Position;

use crate::error::Span;

/// A line marker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Marker {
    /// First byte of the line behind it.
    pub(crate) behind: usize,
    /// The number of that line in its file.
    pub(crate) line: usize,
    /// The file; the same as before if none is named.
    pub(crate) file: Option<String>,
    /// True if the file begins here.
    pub(crate) enters: bool,
    /// True if the file goes on here behind one that it included.
    pub(crate) returns: bool,
}

/// Text of one file, from a marker up to the next.
struct Section {
    start: usize,
    /// Index of the physical line that begins at `start`.
    physical: usize,
    line: usize,
    file: usize,
    inclusion: usize,
}

/// The text in front of the first marker.
static UNMARKED: Section = Section { start: 0, physical: 0, line: 1, file: 0, inclusion: 0 };

/// The line starts of one text, and the files that its parts are from.
pub(crate) struct Lines<'s> {
    source: &'s str,
    starts: Vec<usize>,
    sections: Vec<Section>,
    files: Vec<String>,
}

impl<'s> Lines<'s> {
    /// All of `source` is from `file`.
    pub(crate) fn of(source: &'s str, file: &str) -> Self {
        let starts = std::iter::once(0).chain(memchr::memchr_iter(b'\n', source.as_bytes()).map(|at| at + 1)).collect();
        Self { source, starts, sections: Vec::new(), files: vec![file.to_owned()] }
    }

    /// Takes the files and lines that `markers` name, which are in textual order.
    pub(crate) fn follow(&mut self, markers: &[Marker]) {
        let mut known: HashMap<String, usize> = self.files.iter().cloned().zip(0..).collect();
        let mut included: HashMap<usize, usize> = HashMap::new();
        let mut stack = vec![0];
        for marker in markers {
            let file = match &marker.file {
                Some(name) => *known.entry(name.clone()).or_insert_with(|| {
                    self.files.push(name.clone());
                    self.files.len() - 1
                }),
                None => self.sections.last().map_or(0, |section| section.file),
            };
            if marker.enters {
                let times = included.entry(file).or_default();
                *times += 1;
                stack.push(*times);
            } else if marker.returns && stack.len() > 1 {
                stack.pop();
            }
            let inclusion = stack.last().copied().unwrap_or(0);
            let physical = self.physical(marker.behind);
            self.sections.push(Section { start: marker.behind, physical, line: marker.line, file, inclusion });
        }
    }

    /// The names of the files.
    pub(crate) fn files(&self) -> &[String] {
        &self.files
    }

    /// Returns the name of the file with this index; nothing if there is none.
    pub(crate) fn name(&self, file: usize) -> &str {
        self.files.get(file).map_or("", String::as_str)
    }

    /// The index of a file, which is added if no marker named it.
    pub(crate) fn number(&mut self, file: &str) -> usize {
        self.files.iter().position(|known| known == file).unwrap_or_else(|| {
            self.files.push(file.to_owned());
            self.files.len() - 1
        })
    }

    /// The byte behind the physical line of byte `offset`.
    pub(crate) fn end_of_line(&self, offset: usize) -> usize {
        self.starts.get(self.physical(offset) + 1).copied().unwrap_or(usize::MAX)
    }

    /// Index of the physical line of byte `offset`.
    fn physical(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset) - 1
    }

    fn section(&self, offset: usize) -> &Section {
        let behind = self.sections.partition_point(|section| section.start <= offset);
        behind.checked_sub(1).and_then(|last| self.sections.get(last)).unwrap_or(&UNMARKED)
    }

    /// The line of byte `offset` in its file, from 1.
    pub(crate) fn line(&self, offset: usize) -> usize {
        let section = self.section(offset);
        section.line.saturating_add(self.physical(offset) - section.physical)
    }

    /// The file of byte `offset`, the number of the inclusion of that file, and the line in it: what a preprocessor's outputs of one source agree on.
    pub(crate) fn origin(&self, offset: usize) -> (&str, usize, usize) {
        let section = self.section(offset);
        (self.name(section.file), section.inclusion, self.line(offset))
    }

    /// Returns the span of the bytes `start..end`, which must be character boundaries.
    pub(crate) fn span(&self, start: usize, end: usize) -> Span {
        let begin = self.starts.get(self.physical(start)).copied().unwrap_or(0);
        let column = self.source.get(begin..start).map_or(1, |before| before.chars().count() + 1);
        let position = Position::new(self.line(start), column);
        Span { file: self.section(start).file, start, end, position }
    }
}

/// Reads a line marker: `# 12 "file" 1 3`, `#line 12 "file"`, `#line 12`. `behind` is the first byte of the line behind it.
pub(crate) fn marker(line: &str, behind: usize) -> Option<Marker> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (number, behind_number) = rest.split_at_checked(digits)?;
    let (number, behind_number) = (number.parse().ok()?, behind_number.trim());
    if behind_number.is_empty() {
        return Some(Marker { behind, line: number, file: None, enters: false, returns: false });
    }
    let mut file = String::new();
    let mut characters = behind_number.strip_prefix('"')?.chars();
    loop {
        match characters.next()? {
            '"' => break,
            '\\' => file.extend(characters.next()),
            c => file.push(c),
        }
    }
    let flags: Vec<&str> = characters.as_str().split_ascii_whitespace().collect();
    Some(Marker { behind, line: number, file: Some(file), enters: flags.contains(&"1"), returns: flags.contains(&"2") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_in_characters() {
        let lines = Lines::of("ab\nµ x\n\nlast", "k.cu");
        let at = |offset| {
            let Position { line, column } = lines.span(offset, offset).position;
            (line, column)
        };
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(2), (1, 3), "the newline belongs to the line that it ends");
        assert_eq!(at(6), (2, 3), "a two-byte character is one column");
        assert_eq!(at(8), (3, 1));
        assert_eq!(at(9), (4, 1));
        assert_eq!(at(13), (4, 5), "the end of the text has a place too");
    }

    #[test]
    fn markers_say_files_lines_and_inclusions() {
        let text = "# 0 \"k.cu\"\n# 1 \"a \\\"b\\\".h\" 1 3\nx\n# 1 \"k.cu\" 2\ny\n\nz\n# 1 \"a \\\"b\\\".h\" 1\nx\n# 7 \"k.cu\" 2\nw\n";
        let mut lines = Lines::of(text, "k.cu");
        let starts: Vec<usize> = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let markers: Vec<Marker> =
            text.lines().enumerate().filter_map(|(index, line)| marker(line, starts[index + 1])).collect();
        assert_eq!(markers.len(), 5);
        lines.follow(&markers);
        let of = |c: &str, nth: usize| lines.origin(text.match_indices(c).nth(nth).unwrap().0);
        assert_eq!(of("x\n", 0), ("a \"b\".h", 1, 1));
        assert_eq!(of("z\n", 0), ("k.cu", 0, 3));
        assert_eq!(of("x\n", 1), ("a \"b\".h", 2, 1));
        assert_eq!(of("w\n", 0), ("k.cu", 0, 7));
        assert_eq!(marker("#pragma once", 0), None);
        assert_eq!(marker("#line 5 \"x\"", 3).map(|one| (one.line, one.behind)), Some((5, 3)));
    }
}
