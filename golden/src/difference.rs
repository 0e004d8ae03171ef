//! The difference of two texts, for people.

use similar::{Algorithm, TextDiff};

/// The unchanged lines that are shown around a change.
const CONTEXT: usize = 3;

/// The lines that are shown at most.
const LINES: usize = 200;

/// Returns the changes between two texts as unified hunks, and says how many lines were left out.
pub(crate) fn between(expected: &str, actual: &str) -> String {
    let difference = TextDiff::configure().algorithm(Algorithm::Patience).diff_lines(expected, actual);
    let text = difference.unified_diff().context_radius(CONTEXT).to_string();
    let lines = text.lines().count();
    let mut shown: String = text.lines().take(LINES).flat_map(|line| [line, "\n"]).collect();
    if lines > LINES {
        shown += &format!("… and {} lines more\n", lines - LINES);
    }
    shown
}
