//! The grammar of one directive line.
//!
//! ```text
//! line      = "#pragma" "CCC" directive | ( "//" | "/*" ) "#" "CCC" directive ["*/"] | "#CCC" directive
//! directive = "for" { "const" | "block" "(" N ")" | reduce | path } | reduce { reduce }
//!           | "grid" { "block" "(" N ")" | "blocks" "(" N ")" } | ( "if" | "case" | "while" | "recursive" ) { path }
//! path      = "probability" "(" P ")" | "independent"
//! reduce    = "reduce" "(" operator ":" name { "," [ operator ":" ] name } ")"
//! operator  = "+" | "*" | "min" | "max" | "&" | "|" | "^"
//! ```
//!
//! `reduce` on a line of its own is the same as behind the `for` of the loop below.
//!
//! A new directive is a new [`Kind`] and a row in [`DIRECTIVES`]; a new option is an arm in [`Parsed::option`] and a
//! word in its list.

use std::sync::LazyLock;

use regex::Regex;

use crate::Kind;
use crate::error::{Error, Span};
use crate::lexer::{Line, LineKind, looks_like_directive};
use crate::lines::Lines;

/// The directives by name.
const DIRECTIVES: [(&str, Kind); 7] = [
    ("for", Kind::For { constant: false }),
    ("grid", Kind::Grid { blocks: None }),
    ("if", Kind::If),
    ("case", Kind::Case),
    (REDUCE, Kind::For { constant: false }),
    ("while", Kind::While),
    ("recursive", Kind::Recursive),
];
/// The directive that adds to that of its loop.
const REDUCE: &str = "reduce";
/// The operators that are associative and commutative.
const OPERATORS: [&str; 7] = ["+", "*", "min", "max", "&", "|", "^"];
/// The options of `#CCC for`.
const OPTIONS: [&str; 5] = ["const", "block", REDUCE, PROBABILITY, INDEPENDENT];
/// The options of `#CCC grid`.
const GRID_OPTIONS: [&str; 2] = ["block", "blocks"];
/// The option of whatever marks a path.
const PROBABILITY: &str = "probability";
/// The option of whatever marks a path that says that what follows it in its iteration accesses other memory.
const INDEPENDENT: &str = "independent";
/// The most threads that a block can have on any chip so far (CUDA programming guide, technical specifications).
const LARGEST_BLOCK: u32 = 1024;

static HEAD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s*#[ \t]*(?:pragma[ \t]+)?((?i:ccc))\b").expect("a constant pattern"));
static WORD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[A-Za-z_]\w*\s*\([^)]*\)?|\S+").expect("a constant pattern"));

/// Matches the text of a comment that is a misspelled directive and nothing else. GCC writes `/*|` for `///` in the arguments of a macro.
static NEAR: LazyLock<Regex> = LazyLock::new(|| {
    let names = DIRECTIVES.map(|(name, _)| name).join("|");
    let options = [&OPTIONS[..], &GRID_OPTIONS[..]].concat().join("|");
    let pattern = format!(
        r"^[/!*|]?[ \t]*#{{0,2}}[ \t]*CCC[ \t_]*(?:{names})\b[ \t\r]*(?:(?:{options})\b[^\n]*)?(?:\n[\s\S]*)?$"
    );
    Regex::new(&pattern).expect("a pattern of constant names")
});

/// A directive as written, before its statement is known.
#[derive(Debug, Clone)]
pub(crate) struct Parsed {
    pub(crate) kind: Kind,
    pub(crate) block: Option<u32>,
    /// The probability that a lane takes the path, and the place of that option.
    pub(crate) probability: Option<(f64, Span)>,
    /// `operator:name` for each accumulator of a loop.
    pub(crate) reduce: Vec<String>,
    /// The path and what follows it in its iteration access other memory, and where that stands.
    pub(crate) independent: Option<Span>,
    /// From `#` or `//` to the last visible character.
    pub(crate) at: Span,
    /// Index of the token behind it.
    pub(crate) next: usize,
    /// The bytes of the text that it stands on, those of its `reduce` lines among them; none where the text is without comments.
    pub(crate) ranges: Vec<(usize, usize)>,
}

/// Reads the directives among `lines`. One with a wrong option is returned too, so that it causes no further errors. The second value says of each
/// whether it only adds to another one.
pub(crate) fn read(source: &str, lines: &[Line], places: &Lines<'_>, errors: &mut Vec<Error>) -> Vec<(Parsed, bool)> {
    lines.iter().filter_map(|line| read_line(source, line, places, errors)).collect()
}

/// Puts what `#CCC reduce` says into the `#CCC for` above the same loop.
pub(crate) fn join(found: Vec<(Parsed, bool)>, errors: &mut Vec<Error>) -> Vec<Parsed> {
    let (alone, mut found): (Vec<_>, Vec<_>) = found.into_iter().partition(|(_, reduce)| *reduce);
    for (reduce, _) in alone {
        let same =
            |(parsed, _): &&mut (Parsed, bool)| matches!(parsed.kind, Kind::For { .. }) && parsed.next == reduce.next;
        match found.iter_mut().find(same) {
            Some((parsed, _)) => {
                parsed.reduce.extend(reduce.reduce);
                parsed.ranges.extend(reduce.ranges);
            }
            None => errors.push(Error::ReduceAlone { at: reduce.at }),
        }
    }
    found.into_iter().map(|(parsed, _)| parsed).collect()
}

fn read_line(source: &str, line: &Line, places: &Lines<'_>, errors: &mut Vec<Error>) -> Option<(Parsed, bool)> {
    let here = || {
        let length = line.visible.lines().next().map_or(0, |line| line.trim_end().len());
        // A comment that stands in a definition may be another text than what the line begins with.
        places.span(line.start, source.floor_char_boundary(line.start + length))
    };
    let spelled = match line.kind {
        LineKind::Preprocessor => Spelled::Exactly,
        _ => spelled(line.visible.get(2..)?)?,
    };
    match (line.kind, spelled) {
        // What begins like a directive there is mostly none.
        (LineKind::BehindPreprocessor, Spelled::Nearly) => return None,
        (LineKind::BehindPreprocessor, Spelled::Exactly) => {
            if !is_prose(&line.visible) {
                errors.push(Error::NotOnOwnLine { at: here() });
            }
            return None;
        }
        (LineKind::InDefinition, _) if is_prose(&line.visible) => return None,
        (LineKind::InDefinition, _) => {
            let name = line.text(source).split_once("define").map_or("", |(_, rest)| rest.trim_start());
            let name = name.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
            errors.push(Error::InDefinition { at: here(), name: name.to_owned() });
            return None;
        }
        (_, Spelled::Nearly) => {
            let found = line.text(source).lines().next().unwrap_or_default().trim_end().to_owned();
            errors.push(Error::NearMiss { at: here(), found });
            return None;
        }
        (LineKind::Preprocessor | LineKind::Comment, Spelled::Exactly) => {}
    }
    let head = HEAD.captures(&line.visible)?.get(1)?;
    let rest = line.visible.get(head.end()..)?;
    if line.kind == LineKind::Comment && is_prose(&line.visible) {
        let word = WORD.find(rest).map_or("", |word| word.as_str());
        // The name of a directive, and then prose.
        if line.alone && head.as_str() == "CCC" && DIRECTIVES.iter().any(|(name, _)| *name == name_of(word)) {
            let found = line.text(source).lines().next().unwrap_or_default().trim_end().to_owned();
            errors.push(Error::NearMiss { at: here(), found });
        }
        return None;
    }
    let block = line.text(source).starts_with("/*");
    let at = places.span(line.start, line.start + line.visible.trim_end().len());
    let word_at = |start: usize, end: usize| places.span(line.start + start, line.start + end);
    let mut words = WORD.find_iter(rest).map(|w| (w.as_str(), head.end() + w.start(), head.end() + w.end()));
    let first = words.next();
    let kind = first.map(|(word, ..)| if word.starts_with(REDUCE) { name_of(word) } else { word });
    let kind = kind.and_then(|word| DIRECTIVES.iter().find(|(name, _)| *name == word));
    // A comment between `/*` and `*/` stands where it stands: in the arguments of a macro, no line is one's own.
    if !line.alone && !block {
        // Behind code, a comment that only begins like a directive is prose.
        if kind.is_some() || line.kind == LineKind::Preprocessor {
            errors.push(Error::NotOnOwnLine { at });
        }
        return None;
    }
    if head.as_str() != "CCC" {
        let at = word_at(head.start(), head.end());
        errors.push(Error::WrongCase { at, found: head.as_str().to_owned() });
        return None;
    }
    let Some((word, start, end)) = first else {
        errors.push(Error::NoDirective { at });
        return None;
    };
    let Some((name, kind)) = kind else {
        let meant = closest(word, DIRECTIVES.iter().map(|(name, _)| *name));
        errors.push(Error::UnknownDirective { at: word_at(start, end), found: word.to_owned(), meant });
        return None;
    };
    let alone = *name == REDUCE;
    let words = first.filter(|_| alone).into_iter().chain(words);
    let (next, ranges) = (line.next, vec![(line.start, line.end)]);
    let mut parsed =
        Parsed { kind: *kind, block: None, probability: None, reduce: Vec::new(), independent: None, at, next, ranges };
    for (word, start, end) in words {
        let at = word_at(start, end);
        let read = match alone && name_of(word) != REDUCE {
            true => Err(Error::UnknownOption { at, directive: REDUCE, found: word.to_owned(), meant: None }),
            false => parsed.option(word, at),
        };
        errors.extend(read.err());
    }
    Some((parsed, alone))
}

/// Returns true if a preprocessor line is a directive in the paper's spelling: `#CCC for`.
pub(crate) fn is_bare(line: &str) -> bool {
    HEAD.is_match(line) && !line.trim_start().trim_start_matches('#').trim_start().starts_with("pragma")
}

/// The spelling of a directive.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spelled {
    /// `#CCC if`
    Exactly,
    /// As whoever wrote it may take for one: `/#CCC if`, `CCC if`, `#CCCif`, or with more lines below.
    Nearly,
}

/// Returns the spelling of a directive in a comment; `None` if it is none. A pragma in a comment is one that was switched off.
fn spelled(comment: &str) -> Option<Spelled> {
    let text = comment.trim_end().trim_start_matches([' ', '\t']);
    let switched_off = text.trim_start_matches('#').trim_start().starts_with("pragma");
    if looks_like_directive(text) && !switched_off && !text.contains('\n') {
        return Some(Spelled::Exactly);
    }
    NEAR.is_match(comment.trim_end()).then_some(Spelled::Nearly)
}

/// Returns true for a comment that only begins like a directive: `#CCC directives are ignored here`, `#CCC for the outer loop`. Mistakes are words that are
/// like those of directives, or alone.
fn is_prose(visible: &str) -> bool {
    let Some(rest) = HEAD.find(visible).and_then(|head| visible.get(head.end()..)) else { return false };
    let mut words = WORD.find_iter(rest).map(|word| name_of(word.as_str()));
    let Some(first) = words.next() else { return false };
    let options = || [&OPTIONS[..], &GRID_OPTIONS[..]].concat().into_iter();
    let strange = words.filter(|word| closest(word, options()).is_none()).count();
    match closest(first, DIRECTIVES.iter().map(|(name, _)| *name)) {
        Some(_) => strange > 1,
        None => strange > 0,
    }
}

/// Returns what stands before the parentheses.
fn name_of(word: &str) -> &str {
    word.split('(').next().unwrap_or(word).trim_end()
}

impl Parsed {
    fn option(&mut self, word: &str, at: Span) -> Result<(), Error> {
        let (name, argument) = match word.split_once('(') {
            Some((name, rest)) => (name.trim_end(), rest.strip_suffix(')').map(str::trim)),
            None => (word, None),
        };
        let kind = self.kind;
        match (&mut self.kind, name) {
            (Kind::For { constant: true }, "const") if name == word => {
                Err(Error::RepeatedOption { at, option: "const" })
            }
            (Kind::For { constant }, "const") if name == word => {
                *constant = true;
                Ok(())
            }
            (Kind::For { .. } | Kind::Grid { .. }, "block") if self.block.is_some() => {
                Err(Error::RepeatedOption { at, option: "block" })
            }
            (Kind::For { .. } | Kind::Grid { .. }, "block") => {
                let size = argument.and_then(|text| text.parse().ok()).filter(|n| (1..=LARGEST_BLOCK).contains(n));
                self.block = size;
                let found = argument.unwrap_or(word).to_owned();
                if size.is_some() { Ok(()) } else { Err(Error::BadBlock { at, found }) }
            }
            (Kind::Grid { blocks: Some(_) }, "blocks") => Err(Error::RepeatedOption { at, option: "blocks" }),
            (Kind::Grid { blocks }, "blocks") => {
                *blocks = argument.and_then(|text| text.parse().ok()).filter(|n| *n > 0);
                let found = argument.unwrap_or(word).to_owned();
                if blocks.is_some() { Ok(()) } else { Err(Error::BadBlocks { at, found }) }
            }
            (Kind::Grid { .. }, _) => {
                let meant = closest(name, GRID_OPTIONS.into_iter()).filter(|meant| *meant != word);
                Err(Error::UnknownOption { at, directive: "grid", found: word.to_owned(), meant })
            }
            (Kind::For { .. }, REDUCE) => self.accumulators(argument.unwrap_or(""), at),
            (_, PROBABILITY) if self.probability.is_some() => Err(Error::RepeatedOption { at, option: PROBABILITY }),
            (_, PROBABILITY) => {
                let share = argument.and_then(|text| text.parse().ok()).filter(|share| *share > 0.0 && *share <= 1.0);
                self.probability = share.map(|share| (share, at));
                let found = argument.unwrap_or(word).to_owned();
                if share.is_some() { Ok(()) } else { Err(Error::BadProbability { at, found }) }
            }
            (_, INDEPENDENT) if name == word && self.independent.is_some() => {
                Err(Error::RepeatedOption { at, option: INDEPENDENT })
            }
            (_, INDEPENDENT) if name == word => {
                self.independent = Some(at);
                Ok(())
            }
            (Kind::For { .. }, _) => {
                let meant = closest(name, OPTIONS.into_iter()).filter(|meant| *meant != word);
                Err(Error::UnknownOption { at, directive: "for", found: word.to_owned(), meant })
            }
            (Kind::If | Kind::Case | Kind::While | Kind::Recursive, _) => {
                let directive = kind.name();
                let meant = closest(name, [PROBABILITY, INDEPENDENT].into_iter()).filter(|meant| *meant != word);
                Err(Error::UnknownOption { at, directive, found: word.to_owned(), meant })
            }
        }
    }
}

impl Parsed {
    /// Reads what stands in the parentheses of `reduce`.
    fn accumulators(&mut self, text: &str, at: Span) -> Result<(), Error> {
        let mut operator = None;
        for one in text.split(',') {
            let name = match one.split_once(':') {
                Some((word, name)) => {
                    operator = OPERATORS.into_iter().find(|known| *known == word.trim());
                    name
                }
                None => one,
            };
            let (Some(operator), true) = (operator, is_variable(name.trim())) else {
                return Err(Error::BadReduce { at, found: one.trim().to_owned() });
            };
            self.reduce.push(format!("{operator}:{}", name.trim()));
        }
        Ok(())
    }
}

/// Returns true if a text names a variable, a member or an element: `sum`, `sum.x`, `sum[1]`.
fn is_variable(text: &str) -> bool {
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    begins && text.chars().all(|c| c.is_ascii_alphanumeric() || "_.[]".contains(c))
}

/// The name that `word` is most likely a misspelling of. Its first letters do: no name is longer.
fn closest(word: &str, names: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let word: String = word.to_ascii_lowercase().chars().take(32).collect();
    names
        .map(|name| (strsim::osa_distance(&word, name), name))
        .filter(|(d, name)| *d <= name.len() / 2)
        .min()
        .map(|(_, n)| n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_misses_are_recognised_and_far_ones_are_not() {
        let directive = |word| closest(word, DIRECTIVES.iter().map(|(name, _)| *name));
        assert_eq!(directive("fro"), Some("for"));
        assert_eq!(directive("For"), Some("for"));
        assert_eq!(directive("iff"), Some("if"));
        assert_eq!(directive("repeat"), None);
        assert_eq!(closest("constant", OPTIONS.into_iter()), None);
        assert_eq!(closest("cosnt", OPTIONS.into_iter()), Some("const"));
    }
}
