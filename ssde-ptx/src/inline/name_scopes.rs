//! Names in the text of statements: what each stands for where a body is written a second time.

use rustc_hash::FxHashMap;

/// The meaning of a name of the original.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Meaning {
    /// Another name.
    Name(String),
    /// A parameter variable, by its number.
    Store(usize),
}

/// The declarations of a scope.
#[derive(Debug, Default)]
pub(super) struct Scope {
    pub(super) names: FxHashMap<String, Meaning>,
    /// Families `%r<28>`, and the prefix that each has now.
    pub(super) families: Vec<(Declared, String)>,
}

/// A register, or a family of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Declared {
    /// The name, or the prefix of the family.
    pub(super) name: String,
    /// The number of members of a family.
    pub(super) count: Option<u64>,
}

impl Declared {
    /// Returns true if it declares a name.
    pub(super) fn has(&self, word: &str) -> bool {
        let Some(count) = self.count else { return self.name == word };
        let Some(number) = word.strip_prefix(self.name.as_str()) else { return false };
        // `%r01` is no member of `%r<28>`.
        number.parse::<u64>().is_ok_and(|value| value < count && value.to_string() == number)
    }
}

impl Scope {
    fn meaning(&self, word: &str) -> Option<Meaning> {
        if let Some(meaning) = self.names.get(word) {
            return Some(meaning.clone());
        }
        let of = |(declared, now): &(Declared, String)| {
            declared.has(word).then(|| Meaning::Name(format!("{now}{}", &word[declared.name.len()..])))
        };
        self.families.iter().find_map(of)
    }
}

/// Returns what a word means in the innermost of some scopes that has it.
pub(super) fn meaning(scopes: &[Scope], word: &str) -> Option<Meaning> {
    scopes.iter().rev().find_map(|scope| scope.meaning(word))
}

/// A text with all names replaced that the scopes know. Words behind a dot are no names, nor is what stands in quotes.
pub(super) fn replaced(text: &str, scopes: &[Scope]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '.' | '0'..='9' => 1 + word(&rest[1..]),
            '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
            c if is_word(c) || c == '%' => c.len_utf8() + word(&rest[c.len_utf8()..]),
            c => c.len_utf8(),
        };
        let piece = &rest[..length];
        // The prefix of a family is replaced as a name of its own.
        let family = rest[length..].trim_start().starts_with('<');
        match (is_word(first) && !first.is_ascii_digit()) || first == '%' {
            true if family => {
                let known =
                    scopes.last().and_then(|scope| scope.families.iter().find(|(declared, _)| declared.name == piece));
                out.push_str(known.map_or(piece, |(_, now)| now));
            }
            true => match meaning(scopes, piece) {
                Some(Meaning::Name(name)) => out.push_str(&name),
                _ => out.push_str(piece),
            },
            false => out.push_str(piece),
        }
        rest = &rest[length..];
    }
    out
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

fn word(text: &str) -> usize {
    text.find(|c| !is_word(c)).unwrap_or(text.len())
}

/// Returns what a register declaration declares: `.reg .b32 %r<4>, %x;`.
pub(super) fn registers(text: &str) -> Vec<Declared> {
    let list = text.trim_end().trim_end_matches(';');
    // Behind the last word with a dot.
    let start = list.rfind('.').map_or(0, |dot| dot + 1 + word(&list[dot + 1..]));
    let names = list[start..].split(',').map(str::trim).filter(|name| !name.is_empty());
    let parted = names.map(|name| match name.split_once('<') {
        Some((prefix, count)) => Declared {
            name: prefix.trim().to_owned(),
            count: Some(count.trim_end_matches(['>', ' ']).trim().parse().unwrap_or(0)),
        },
        None => Declared { name: name.to_owned(), count: None },
    });
    parted.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_replaced_and_nothing_else() {
        let name = |text: &str| Meaning::Name(text.to_owned());
        let mut scope = Scope::default();
        scope.names.extend([("add".into(), name("x")), ("b32".into(), name("y")), ("%p".into(), name("%q"))]);
        scope.families.push((Declared { name: "%r".into(), count: Some(12) }, "%s_".into()));
        let text = "@%p ld.b32 {%r1, %r12, %r01, %v.add}, [add+4], 0f3F800000, \"add\";";
        let expected = "@%q ld.b32 {%s_1, %r12, %r01, %v.add}, [x+4], 0f3F800000, \"add\";";
        assert_eq!(replaced(text, &[scope]), expected);
    }

    #[test]
    fn declarations_are_read() {
        let of = |name: &str, count| Declared { name: name.to_owned(), count };
        assert_eq!(registers(".reg .b32 %r < 28 >;"), [of("%r", Some(28))]);
        assert_eq!(registers(".reg .v2 .f32 a, %b;"), [of("a", None), of("%b", None)]);
        assert_eq!(registers(".reg .pred p, q<3>;"), [of("p", None), of("q", Some(3))]);
    }
}
