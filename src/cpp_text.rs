//! Words and brackets in C++ text.

/// Returns true for characters of names and numbers.
pub(crate) fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Returns the place of the bracket that closes the one at the beginning; `None` if there is none.
pub(crate) fn closing(text: &str, (open, close): (char, char)) -> Option<usize> {
    let mut depth = 0_usize;
    text.starts_with(open).then(|| text.find(|c| is_partner(c, open, close, &mut depth))).flatten()
}

/// Returns the place of the bracket that the one at the end closes; `None` if there is none.
pub(crate) fn opening(text: &str, (open, close): (char, char)) -> Option<usize> {
    let mut depth = 0_usize;
    text.ends_with(close).then(|| text.rfind(|c| is_partner(c, close, open, &mut depth))).flatten()
}

/// Counts brackets on the way from one to its partner, where it returns true.
fn is_partner(c: char, first: char, partner: char, depth: &mut usize) -> bool {
    if c == first {
        *depth += 1;
    } else if c == partner {
        *depth -= 1;
    }
    *depth == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_are_paired_from_both_ends() {
        assert_eq!(closing("{a{b}c}d", ('{', '}')), Some(6));
        assert_eq!(closing("(a", ('(', ')')), None);
        assert_eq!(opening("f<(1)>(int (*)(int))", ('(', ')')), Some(6));
        assert_eq!(opening("a)", ('(', ')')), None);
        assert_eq!((closing("a()", ('(', ')')), opening("()a", ('(', ')'))), (None, None));
    }
}
