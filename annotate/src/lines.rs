//! Byte offsets to lines and columns, because messages and markers name the user's lines.

use crate::error::Place;

/// The line starts of one source text.
pub(crate) struct Lines<'s> {
    source: &'s str,
    starts: Vec<usize>,
}

impl<'s> Lines<'s> {
    pub(crate) fn of(source: &'s str) -> Self {
        let starts = std::iter::once(0).chain(source.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { source, starts }
    }

    /// The line of byte `offset`, from 1.
    pub(crate) fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset)
    }

    /// The place of the bytes `start..end`, which must be character boundaries.
    pub(crate) fn place(&self, start: usize, end: usize) -> Place {
        let line = self.line(start);
        let begin = self.starts.get(line - 1).copied().unwrap_or(0);
        let column = self.source.get(begin..start).map_or(1, |before| before.chars().count() + 1);
        Place { start, end, line, column }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_in_characters() {
        let lines = Lines::of("ab\nµ x\n\nlast");
        let at = |offset| {
            let place = lines.place(offset, offset);
            (place.line, place.column)
        };
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(2), (1, 3), "the newline belongs to the line that it ends");
        assert_eq!(at(6), (2, 3), "a two-byte character is one column");
        assert_eq!(at(8), (3, 1));
        assert_eq!(at(9), (4, 1));
        assert_eq!(at(13), (4, 5), "the end of the text has a place too");
    }
}
