//! A report as text: lines, tables that fit a width, and numbers in their cells.
//!
//! A table that is too wide is shown in several parts, one below the other. Each part begins with the same columns, which say what its rows are of.
//!
//! ```text
//! │ program ┆ efficiency ┆ paper's │
//! │ bfs     ┆     92.6 % ┆    91 % │
//! │ program ┆ instructions ┆ registers │
//! │ bfs     ┆    1,234,567 ┆        26 │
//! ```

use std::fmt::{self, Write};

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, presets};

/// A report: its lines and its tables, in their order.
#[derive(Clone, Debug, Default)]
pub struct Document {
    parts: Vec<Part>,
}

#[derive(Clone, Debug)]
enum Part {
    Text(String),
    Table {
        table: Box<Table>,
        /// The number of columns at the left that every part of the table has.
        keys: usize,
    },
}

impl Document {
    /// Appends a table and the end of its last line. The first `keys` columns say what a row is of.
    pub(crate) fn table(&mut self, table: Table, keys: usize) {
        self.parts.push(Part::Table { table: Box::new(table), keys });
        self.parts.push(Part::Text("\n".to_owned()));
    }

    /// Appends another document.
    pub(crate) fn append(&mut self, other: Document) {
        self.parts.extend(other.parts);
    }

    /// The text, with lines that end in `\n`. No table is wider than `width` columns of a terminal, if there is a width and the table's own columns
    /// allow it.
    #[must_use]
    pub fn to_text(&self, width: Option<u16>) -> String {
        let mut text = String::new();
        for part in &self.parts {
            match part {
                Part::Text(part) => text += part,
                Part::Table { table, keys } => text += &fitted(table, *keys, width),
            }
        }
        text
    }
}

impl Write for Document {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        match self.parts.last_mut() {
            Some(Part::Text(last)) => last.push_str(text),
            _ => self.parts.push(Part::Text(text.to_owned())),
        }
        Ok(())
    }
}

/// A table as text, in as many parts as `width` takes.
fn fitted(table: &Table, keys: usize, width: Option<u16>) -> String {
    let Some(width) = width else { return table.to_string() };
    let widths: Vec<usize> = table.column_max_content_widths().into_iter().map(usize::from).collect();
    let mut texts = Vec::new();
    for part in parts(&widths, &belongs(table), keys, usize::from(width)) {
        let mut table = table.clone();
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
        for (index, column) in table.column_iter_mut().enumerate() {
            if index >= keys && !part.contains(&index) {
                column.set_constraint(ColumnConstraint::Hidden);
            }
        }
        texts.push(table.to_string());
    }
    texts.join("\n")
}

/// Returns whether the head of each column is to be read with that of the column before: its first line is left empty for the other's.
fn belongs(table: &Table) -> Vec<bool> {
    let heads = table.header().into_iter().flat_map(|row| row.cell_iter());
    heads.map(|cell| cell.content().strip_prefix('\n').is_some_and(|rest| !rest.contains('\n'))).collect()
}

/// The columns behind the first `keys`, in parts that are not wider than `width` with these. A column that belongs to the one before is not parted from
/// it. A part has a column at least.
fn parts(widths: &[usize], belongs: &[bool], keys: usize, width: usize) -> Vec<Vec<usize>> {
    // A blank at both sides, and a line.
    let taken = |columns: &[usize]| columns.iter().map(|&column| widths[column] + 3).sum::<usize>();
    // Long names are broken rather than have the other columns one by one.
    let first = (taken(&(0..keys.min(widths.len())).collect::<Vec<_>>()) + 1).min(width / 2);
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for column in keys..widths.len() {
        match groups.last_mut().filter(|_| belongs.get(column) == Some(&true)) {
            Some(group) => group.push(column),
            None => groups.push(vec![column]),
        }
    }
    let mut parts: Vec<Vec<usize>> = Vec::new();
    for group in groups {
        match parts.last_mut().filter(|part| first + taken(part) + taken(&group) <= width) {
            Some(part) => part.extend(group),
            None => parts.push(group),
        }
    }
    if parts.is_empty() { vec![Vec::new()] } else { parts }
}

/// An empty table with a head, whose columns of text come first; the others stand to the right.
pub(crate) fn columns(head: &[&str], of_text: usize) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::UTF8_FULL_CONDENSED).set_header(head);
    table.column_iter_mut().skip(of_text).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    table
}

pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// A number with its digits in groups of three: `1,234,567`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document() -> Document {
        let mut document = Document::default();
        writeln!(document, "before").unwrap();
        let mut table = columns(&["program", "instructions\nbefore", "\nafter", "efficiency", "registers"], 1);
        table.add_row(["bfs", "1,234,567,890", "987,654,321", "92.6 %", "26"]);
        table.add_row(["shortest paths", "4", "3", "99.0 %", "not measured"]);
        document.table(table, 1);
        writeln!(document, "behind").unwrap();
        document
    }

    #[test]
    fn a_table_without_a_width_is_whole() {
        let text = document().to_text(None);
        assert_eq!(text.matches("program").count(), 1);
        assert!(text.starts_with("before\n┌") && text.ends_with("┘\nbehind\n"), "{text}");
        assert_eq!(document().to_text(Some(200)), text);
    }

    #[test]
    fn no_line_is_wider_than_the_width_and_no_value_is_lost() {
        for width in [30, 40, 50, 60, 80] {
            let text = document().to_text(Some(width));
            let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= usize::from(width), "{width}: {widest}\n{text}");
            // What is narrower than two columns is broken, and still there.
            let wanted = ["92.6 %", "26"]
                .into_iter()
                .chain(["1,234,567,890", "987,654,321"].into_iter().filter(|_| width >= 50));
            for value in wanted {
                assert_eq!(text.matches(value).count(), 1, "{width}: {value}\n{text}");
            }
        }
    }

    #[test]
    fn every_part_has_the_keys_and_heads_that_belong_together_stay_together() {
        let text = document().to_text(Some(60));
        assert_eq!((text.matches("program").count(), text.matches("shortest paths").count()), (2, 2), "{text}");
        let heads: Vec<&str> = text.lines().filter(|line| line.contains("before") && line.contains('│')).collect();
        assert!(matches!(heads.as_slice(), [line] if line.contains("after")), "{text}");
    }

    #[test]
    fn columns_are_parted_where_the_width_ends() {
        // Lines and blanks count: 1 + (4 + 3) + (6 + 3) = 17.
        assert_eq!(parts(&[4, 6, 6], &[false; 3], 1, 26), [vec![1, 2]]);
        assert_eq!(parts(&[4, 6, 6], &[false; 3], 1, 25), [vec![1], vec![2]]);
        assert_eq!(parts(&[90, 6, 6], &[false; 3], 1, 60), [vec![1, 2]]);
        assert_eq!(parts(&[4, 6, 6], &[false, false, true], 1, 25), [vec![1, 2]]);
        assert_eq!(parts(&[4], &[false], 1, 3), [Vec::<usize>::new()]);
    }

    #[test]
    fn numbers_are_grouped_by_thousands() {
        let shown = [0, 999, 1000, 65_536, 1_234_567].map(grouped);
        assert_eq!(shown, ["0", "999", "1,000", "65,536", "1,234,567"]);
    }
}
