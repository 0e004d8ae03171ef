//! The nearest known word to one that is not known.

/// The candidate with the fewest edits (a letter changed, added, left out, or two neighbours swapped), if these are few for
/// the length of the word.
pub(crate) fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let most = match word.len() {
        0..=1 => return None,
        2..=3 => 1,
        4..=7 => 2,
        _ => 3,
    };
    let scored = candidates.filter_map(|candidate| {
        let close = candidate.len().abs_diff(word.len()) <= most;
        close.then(|| (distance(word.as_bytes(), candidate.as_bytes()), candidate)).filter(|(edits, _)| *edits <= most)
    });
    scored.min().map(|(_, candidate)| candidate)
}

/// The number of edits between two words.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            let mut cost = (above[j] + 1).min(row[j - 1] + 1).min(above[j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                cost = cost.min(before[j - 2] + 1);
            }
            row.push(cost);
        }
        before = std::mem::replace(&mut above, row);
    }
    above.last().copied().unwrap_or(0)
}
