//! Reads one number of Nsight Compute's table.
//!
//! `ncu` runs in the locale `C`, where numbers have no separators and a decimal point. Versions and machines differ
//! nevertheless, so other notations are read too where they have one meaning:
//!
//! | notation | meaning |
//! | --- | --- |
//! | `1234567`, `1234567.000000`, `1.5e3` | as written |
//! | `1,234,567`, `1.234.567`, `1 234 567` | several equal separators group digits |
//! | `1,234.50`, `1.234,50`, `1 234,50` | the last of different separators is the decimal one |
//! | `1.234` | ambiguous; 1.234, since a point is decimal in the locale `C` |
//! | `1,234` | ambiguous; 1234, since a comma can only group digits where a point is decimal |
//! | `1,5`, `0,125`, `1234,567` | a comma that cannot group digits is decimal |

/// The meaning of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    /// A number, rounded to the nearest integer.
    Known(u64),
    /// The metric was not counted: the cell is empty, or says `n/a` or `nan`.
    Absent,
    /// Text that is no count: negative, too large, or of another form.
    Strange,
}

/// Reads a cell and scales it by its unit, as in `Kbyte`.
pub(crate) fn read_count(cell: &str, unit: &str) -> Count {
    let text = cell.trim();
    let plain = text.strip_prefix("(!)").unwrap_or(text).trim().to_ascii_lowercase();
    if matches!(plain.as_str(), "" | "n/a" | "nan" | "-nan") {
        return Count::Absent;
    }
    number(text, scale(unit)).map_or(Count::Strange, Count::Known)
}

/// Returns the factor of a unit. The base units are in lower case; `ncu` puts the prefix of a power of 1000 before them.
fn scale(unit: &str) -> u64 {
    let mut letters = unit.trim().chars();
    let factor = match letters.next() {
        Some('K') => 1_000,
        Some('M') => 1_000_000,
        Some('G') => 1_000_000_000,
        Some('T') => 1_000_000_000_000,
        _ => 1,
    };
    if letters.next().is_some_and(|letter| letter.is_ascii_lowercase()) { factor } else { 1 }
}

/// Reads a number, scales it, and rounds it to the nearest integer.
fn number(text: &str, scale: u64) -> Option<u64> {
    if text.contains(['e', 'E']) {
        let number = (text.parse::<f64>().ok()? * scale as f64).round();
        // The largest float below 2^64 is exact as an integer.
        return (number >= 0.0 && number < u64::MAX as f64).then_some(number as u64);
    }
    let (whole, fraction) = split(text)?;
    // Digits beyond these change no count, and all of them fit into the product below.
    let fraction = &fraction[..fraction.len().min(12)];
    let unit = 10_u128.pow(u32::try_from(fraction.len()).ok()?);
    let digits: u128 = format!("{whole}{fraction}").parse().ok()?;
    let scaled = digits.checked_mul(u128::from(scale))?.checked_add(unit / 2)?;
    u64::try_from(scaled / unit).ok()
}

/// Splits a number into the digits of its integer and of its fraction, without separators.
fn split(text: &str) -> Option<(String, &str)> {
    let separator = |char: char| match char {
        ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}' => Some(' '),
        ',' | '.' => Some(char),
        _ => None,
    };
    let separators: Vec<(usize, char)> = text.char_indices().filter(|(_, char)| separator(*char).is_some()).collect();
    let kinds: Vec<char> = separators.iter().filter_map(|(_, char)| separator(*char)).collect();
    let decimal = match kinds.as_slice() {
        [] | [' '] => false,
        ['.'] => true,
        [','] => !is_grouped(text, ','),
        [first, .., last] => first != last,
        [_] => return None,
    };
    let (whole, fraction, grouping) = match (separators.last(), kinds.split_last()) {
        (Some((at, char)), Some((_, before))) if decimal => (&text[..*at], &text[at + char.len_utf8()..], before),
        _ => (text, "", kinds.as_slice()),
    };
    if decimal && (kinds.last() == Some(&' ') || fraction.is_empty()) {
        return None;
    }
    let whole: String = whole.chars().map(|char| separator(char).unwrap_or(char)).collect();
    let valid = match grouping {
        [] => is_digits(&whole),
        [first, rest @ ..] => rest.iter().all(|kind| kind == first) && is_grouped(&whole, *first),
    };
    let digits = whole.chars().filter(char::is_ascii_digit).collect();
    (valid && (fraction.is_empty() || is_digits(fraction))).then_some((digits, fraction))
}

/// Returns true for groups of three digits, where the first may be shorter but has no leading zero.
fn is_grouped(text: &str, separator: char) -> bool {
    let mut groups = text.split(separator);
    let first = groups.next().unwrap_or_default();
    let starts = is_digits(first) && first.len() <= 3 && !first.starts_with('0');
    starts && groups.all(|group| is_digits(group) && group.len() == 3)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(cell: &str) -> u64 {
        match read_count(cell, "inst") {
            Count::Known(count) => count,
            other => panic!("`{cell}`: {other:?}"),
        }
    }

    #[test]
    fn plain_numbers_are_rounded_to_the_nearest() {
        let cases = [("0", 0), ("1234567", 1_234_567), (" 12 ", 12), ("1234567.000000", 1_234_567), ("0.5", 1)];
        for (cell, count) in cases {
            assert_eq!(known(cell), count, "{cell}");
        }
        assert_eq!((known("1.49"), known("2.500"), known("0.4999999999999999999")), (1, 3, 0));
        assert_eq!((known("1.5e3"), known("2E+2")), (1500, 200));
    }

    #[test]
    fn separators_that_group_digits_are_left_out() {
        let groups = ["1,234,567", "1.234.567", "1 234 567", "1\u{202f}234\u{202f}567", "1\u{a0}234\u{202f}567"];
        for cell in groups {
            assert_eq!(known(cell), 1_234_567, "{cell}");
        }
        assert_eq!((known("1 234"), known("12,345"), known("999,999")), (1234, 12_345, 999_999));
    }

    #[test]
    fn the_last_of_different_separators_is_decimal() {
        let cases = ["1,234.50", "1.234,50", "1 234,50", "1 234.50", "1\u{202f}234,50", "1,234.5"];
        for cell in cases {
            assert_eq!(known(cell), 1235, "{cell}");
        }
        assert_eq!((known("1,234,567.25"), known("1.234.567,75")), (1_234_567, 1_234_568));
    }

    #[test]
    fn one_separator_is_read_as_in_the_locale_c() {
        assert_eq!((known("1.234"), known("1,234")), (1, 1234));
        // Three digits behind a comma are no group behind none or four.
        assert_eq!((known("1,5"), known("0,625"), known("1234,567"), known("3,1415")), (2, 1, 1235, 3));
    }

    #[test]
    fn a_metric_without_a_count_is_told_apart_from_other_text() {
        for cell in ["", "  ", "n/a", "(!) n/a", "N/A", "nan", "NaN", "-nan", "(!) nan"] {
            assert_eq!(read_count(cell, "inst"), Count::Absent, "{cell}");
        }
        let strange = [
            "-1",
            "+1",
            "x",
            "1x",
            "1,23,456",
            "1.234,567.8",
            "1 234,567.8",
            "12 34",
            "1,234 567",
            "1.",
            ".5",
            "1,",
            ",",
            "1.2345.678",
            "0,123,456",
            "1..2",
            "inf",
            "1e400",
            "-1e3",
            "(!) 12",
            "١",
        ];
        for cell in strange {
            assert_eq!(read_count(cell, "inst"), Count::Strange, "{cell}");
        }
    }

    #[test]
    fn counts_are_exact_up_to_the_largest() {
        assert_eq!(known("18446744073709551615"), u64::MAX);
        assert_eq!((known("9007199254740993"), known("18,446,744,073,709,551,615.49")), ((1 << 53) + 1, u64::MAX));
        for cell in
            ["18446744073709551616", "18446744073709551615.5", "1e20", &"9".repeat(60), "18446744073709551616e0"]
        {
            assert_eq!(read_count(cell, "inst"), Count::Strange, "{cell}");
        }
        assert_eq!(read_count("18446744073709552", "Kbyte"), Count::Strange);
        assert_eq!(read_count(&"9".repeat(27), "Tbyte"), Count::Strange);
    }

    #[test]
    fn scaled_units_are_taken_into_account() {
        for unit in ["", "byte", "inst", "sector", "cycle", "%", "K", "M/s"] {
            assert_eq!(read_count("2.4", unit), Count::Known(2), "{unit}");
        }
        let units = [("Kbyte", 1500), ("Mbyte", 1_500_000), ("Gbyte", 1_500_000_000), ("Tbyte", 1_500_000_000_000)];
        for (unit, count) in units {
            assert_eq!(read_count("1.5", unit), Count::Known(count), "{unit}");
            assert_eq!(read_count("1.5e0", unit), Count::Known(count), "{unit}");
        }
        assert_eq!(read_count("1.2345", "Kbyte"), Count::Known(1235));
    }
}
