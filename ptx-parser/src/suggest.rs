//! "Did you mean": the known name that is nearest to a misspelt one.

/// Names longer than this are not compared; the work grows with the square.
const LONGEST: usize = 64;

/// The candidate that differs least from a name, if it differs by little: at most a third of the name, in letters left out, put in,
/// exchanged or swapped with their neighbour. Of several, the first.
pub(crate) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > LONGEST {
        return None;
    }
    let limit = name.len().div_ceil(3).min(3);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates.filter(|other| other.len() <= LONGEST && other.len().abs_diff(name.len()) <= limit) {
        let distance = distance(name.as_bytes(), candidate.as_bytes());
        if distance <= limit && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// The number of edits between two names (optimal string alignment).
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let exchanged = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = exchanged.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn the_nearest_name_is_found() {
        let names = ["global", "shared", "local", "ld", "st"];
        assert_eq!(nearest("gloabl", names.into_iter()), Some("global"));
        assert_eq!(nearest("share", names.into_iter()), Some("shared"));
        assert_eq!(nearest("lds", names.into_iter()), Some("ld"));
        assert_eq!(nearest("texture", names.into_iter()), None);
        assert_eq!(nearest("%r7", ["%r1", "%p7"].into_iter()), Some("%r1"));
    }
}
