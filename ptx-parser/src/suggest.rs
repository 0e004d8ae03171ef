//! "Did you mean": the known name that is nearest to a misspelt one.
#![warn(clippy::indexing_slicing)]

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
    // A row has the distances between the beginnings of `b` and one of `a`.
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    let mut previous = None;
    for (i, &x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        let (mut left, mut swapped) = (i + 1, None);
        for ((j, &y), pair) in b.iter().enumerate().zip(last.windows(2)) {
            let &[diagonal, above] = pair else { continue };
            let mut least = (diagonal + usize::from(x != y)).min(above + 1).min(left + 1);
            if previous == Some(y)
                && swapped == Some(x)
                && let Some(corner) = j.checked_sub(1).and_then(|j| before.get(j))
            {
                least = least.min(corner + 1);
            }
            row.push(least);
            (left, swapped) = (least, Some(y));
        }
        before = std::mem::replace(&mut last, row);
        previous = Some(x);
    }
    last.last().copied().unwrap_or(0)
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
