//! The names that a source gives to other types: `using NAME = TYPE;` and `typedef TYPE NAME;`, and the names of its structures.
//!
//! Scopes are not looked at: a name that stands for different types in different scopes is not resolved. Neither is an alias that is a
//! template, nor one of an array or a function.

use std::collections::{BTreeMap, BTreeSet};

use crate::cpp_text::{closing, is_word};

/// Aliases are followed so many times; one that goes on is a circle.
const DEEPEST: usize = 16;

/// The aliases and structures of a source.
#[derive(Debug, Default)]
pub(super) struct Aliases {
    /// The type behind each name; `None` where there are several, or one that is not understood.
    types: BTreeMap<String, Option<String>>,
    structures: BTreeSet<String>,
}

impl Aliases {
    /// Collects the aliases and structures of a source without comments.
    pub(super) fn of(source: &str) -> Aliases {
        let mut aliases = Aliases::default();
        for (word, behind) in words(source) {
            let statement = behind.split(';').next().unwrap_or_default();
            match word {
                "using" => aliases.using(statement),
                "typedef" => aliases.typedef(behind, statement),
                "struct" | "class" | "union" | "enum" => aliases.structure(behind),
                _ => {}
            }
        }
        aliases
    }

    fn using(&mut self, statement: &str) {
        if let Some((name, ty)) = statement.split_once('=') {
            self.add(name.trim(), Some(ty));
        }
    }

    /// Reads a statement behind `typedef`. A structure is defined within some of them.
    fn typedef(&mut self, behind: &str, statement: &str) {
        if let Some(open) = statement.find('{') {
            let end = closing(&behind[open..], ('{', '}')).map(|end| open + end + 1);
            let name = end.and_then(|end| behind[end..].split(';').next()).unwrap_or_default().trim();
            if is_name(name) {
                self.structures.insert(name.to_owned());
            }
            return;
        }
        let whole = statement.trim_end();
        let name = whole.rsplit(|c: char| !is_word(c)).next().unwrap_or_default();
        let ty = whole.strip_suffix(name).unwrap_or_default();
        // Of several names that are defined at once, only the last one is met here. It may be that of a pointer.
        let ty = Some(ty).filter(|ty| !ty.contains(','));
        match statement.split_once(',') {
            Some((first, _)) => {
                let first = first.rsplit(|c: char| !is_word(c)).next().unwrap_or_default();
                self.add(first, None);
                self.add(name, None);
            }
            None => self.add(name, ty),
        }
    }

    /// Reads the name behind `struct`, past attributes such as `alignas(8)` and `__align__(8)`.
    fn structure(&mut self, behind: &str) {
        let head = behind.split(['{', ';', ':', '=']).next().unwrap_or_default();
        let begin = head.split('<').next().unwrap_or_default();
        let name = begin.split(|c: char| !is_word(c)).rfind(|word| is_name(word)).unwrap_or_default();
        let defines = behind[head.len()..].starts_with(['{', ';', ':']) && !begin.contains([',', '>']);
        if is_name(name) && defines {
            self.structures.insert(name.to_owned());
        }
    }

    fn add(&mut self, name: &str, ty: Option<&str>) {
        if !is_name(name) {
            return;
        }
        let plain = |ty: &str| {
            ty.split_whitespace()
                .filter(|word| !matches!(*word, "const" | "volatile" | "typename"))
                .collect::<Vec<_>>()
                .join(" ")
        };
        let ty = ty.map(plain).filter(|ty| !ty.is_empty() && !ty.contains(['[', '(', '<', '&', '=']));
        match self.types.get_mut(name) {
            Some(known) if *known != ty => *known = None,
            Some(_) => {}
            None => {
                self.types.insert(name.to_owned(), ty);
            }
        }
    }

    /// Returns the type that a name stands for, with a `*` for each pointer that it is, or the name itself.
    pub(super) fn resolve(&self, name: &str) -> String {
        let (mut at, mut stars) = (name.to_owned(), String::new());
        for _ in 0..DEEPEST {
            let word = at.rsplit("::").next().unwrap_or(&at);
            let Some(Some(ty)) = self.types.get(word) else { return at + &stars };
            let next = ty.trim_end_matches([' ', '*']).to_owned();
            stars.push_str(&"*".repeat(ty.matches('*').count()));
            // `typedef struct P P`, and a name of `std` that is given to its own.
            if next == at || next.contains('*') {
                break;
            }
            at = next;
        }
        name.to_owned()
    }

    /// Returns true for a structure that the source defines or names as one.
    pub(super) fn is_structure(&self, name: &str) -> bool {
        let is_named = name.split(' ').next().is_some_and(|word| matches!(word, "struct" | "class" | "union" | "enum"));
        is_named || self.structures.contains(name.rsplit("::").next().unwrap_or(name))
    }
}

/// The words of a text, each with what stands behind it.
fn words(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c| !is_word(c));
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        rest = behind;
        (!word.is_empty()).then_some((word, behind))
    })
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_word) && !text.starts_with(|c: char| c.is_ascii_digit())
}
