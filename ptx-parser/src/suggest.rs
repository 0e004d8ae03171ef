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
        let distance = strsim::osa_distance(name, candidate);
        if distance <= limit && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
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
