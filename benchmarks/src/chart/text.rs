//! Sizes of texts and numbers in words.
//!
//! The reader's browser chooses the font. The widths here are upper bounds for common sans-serif fonts, the widest of which is DejaVu Sans.

/// The widest that a letter is on the average, over the size of its font.
const LETTER: f64 = 0.62;

/// The same of bold letters.
const BOLD_LETTER: f64 = 0.68;

/// Returns the most pixels that a text is wide.
pub(super) fn width(text: &str, size: f64) -> f64 {
    (text.chars().count() as f64 * size * LETTER).ceil()
}

/// Breaks a text into lines of at most `letters`. A longer word is broken, too.
pub(super) fn wrapped(text: &str, letters: usize) -> Vec<String> {
    let letters = letters.max(1);
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let characters: Vec<char> = word.chars().collect();
        for part in characters.chunks(letters) {
            let part: String = part.iter().collect();
            match lines.last_mut().filter(|line| line.chars().count() + 1 + part.chars().count() <= letters) {
                Some(line) => {
                    line.push(' ');
                    line.push_str(&part);
                }
                None => lines.push(part),
            }
        }
    }
    lines
}

/// Returns how many letters of a size fit a width.
pub(super) fn letters(width: f64, size: f64) -> usize {
    (width / (size * LETTER)) as usize
}

/// Returns how many bold letters of a size fit a width.
pub(super) fn bold_letters(width: f64, size: f64) -> usize {
    (width / (size * BOLD_LETTER)) as usize
}

/// Cuts what is longer than `letters`, and says so.
pub(super) fn shortened(text: &str, letters: usize) -> String {
    if text.chars().count() <= letters {
        return text.to_owned();
    }
    let kept: String = text.chars().take(letters.saturating_sub(1)).collect();
    format!("{kept}…")
}

/// Rounds to six digits, which every reader of JSON reads alike.
pub(super) fn rounded(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// Writes a number with at most three digits of which none is of no use: `0.143`, `1.08`, `4.2`, `6034`.
pub(super) fn number(value: f64) -> String {
    let digits = match value.abs() {
        value if value >= 99.95 || value == 0.0 => 0,
        value if value >= 9.995 => 1,
        value if value >= 0.9995 => 2,
        _ => 3,
    };
    let text = format!("{value:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// Writes a ratio with two digits behind the point, and with three digits where these would be none or too many: `1.00`, `0.089`, `12.3`, `6034`.
pub(super) fn ratio(value: f64) -> String {
    let digits = match value.abs() {
        value if value >= 99.95 => 0,
        value if value >= 9.995 => 1,
        value if value >= 0.0995 || value == 0.0 => 2,
        _ => 3,
    };
    format!("{value:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_not_longer_than_asked_for_and_keep_all_words() {
        let text = "paper: its bars have no numbers, and averylongwordthatisbroken";
        for letters in [1, 5, 12, 40, 100] {
            let lines = wrapped(text, letters);
            assert!(lines.iter().all(|line| line.chars().count() <= letters), "{letters}: {lines:?}");
            let all: String = lines.concat();
            assert_eq!(all.replace(' ', ""), text.replace(' ', ""));
        }
        assert_eq!(wrapped("", 9), Vec::<String>::new());
    }

    #[test]
    fn numbers_have_the_digits_that_matter() {
        let shown = [0.0, 0.143, 0.1, 1.0, 1.08, 4.15, 12.34, 100.0, 6034.4].map(number);
        assert_eq!(shown, ["0", "0.143", "0.1", "1", "1.08", "4.15", "12.3", "100", "6034"]);
        assert_eq!(
            [0.0, 0.0893, 0.8947, 1.0, 22.586, 6034.4].map(ratio),
            ["0.00", "0.089", "0.89", "1.00", "22.6", "6034"]
        );
        assert_eq!([1.082_345_67, 6_034.123_456, 1e-9 / 3.0].map(rounded), [1.08235, 6034.12, 3.33333e-10]);
    }

    #[test]
    fn what_is_cut_says_so() {
        assert_eq!([shortened("fig4-behind", 11), shortened("fig4-parallel", 11)], ["fig4-behind", "fig4-paral…"]);
    }
}
