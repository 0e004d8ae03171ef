//! Source positions: the files and the names of inlined functions that `.loc` refers to by number and by label.

use rustc_hash::{FxHashMap, FxHashSet};

use super::SpliceError;
use super::inventory::{Content, Inventory, code};
use crate::print::tokens::{Kind, Token, tokens};
use crate::syntax::lexical::{cut, past};
use crate::syntax::literal::number;

/// The count of numbers that nvcc writes in a line of `.debug_str`.
const LINE: usize = 40;

/// Translates the positions of one module to the files and strings of another one, and collects what that one lacks.
pub(super) struct Positions<'a, 'm> {
    other: &'a Inventory<'m>,
    /// The indices of own files by what stands behind the index.
    own_files: FxHashMap<&'a str, u32>,
    used: FxHashSet<u32>,
    /// Other index to own index.
    files: FxHashMap<u32, u32>,
    pub(super) new_files: Vec<(u32, &'a str)>,
    /// Labels of own strings by what they lead to.
    own_strings: FxHashMap<Vec<u8>, String>,
    own_labels: FxHashSet<String>,
    other_strings: Vec<Strings>,
    pub(super) new_strings: Vec<(String, Vec<u8>)>,
}

/// The contents of a `.debug_str` section.
#[derive(Default)]
struct Strings {
    bytes: Vec<u8>,
    labels: FxHashMap<String, usize>,
}

impl Strings {
    /// Reads the sections of a module. A place in one is no part of a string, so that it is no byte either.
    fn of(inventory: &Inventory<'_>) -> Result<Vec<Strings>, SpliceError> {
        let sections = inventory.contents.iter().filter_map(|(item, content)| match content {
            Content::Section(".debug_str") => Some(inventory.text(item)),
            _ => None,
        });
        sections.map(|text| Strings::read(text).ok_or_else(|| SpliceError::debug(".debug_str"))).collect()
    }

    fn read(text: &str) -> Option<Strings> {
        let mut strings = Strings::default();
        let mut list = code(text).skip_while(|token| !token.is("{")).skip(1).peekable();
        let (mut width, mut negative) = (1, false);
        while let Some(token) = list.next() {
            match token.kind {
                Kind::Word if list.next_if(|next| next.is(":")).is_some() => {
                    strings.labels.insert(token.text.to_owned(), strings.bytes.len());
                }
                Kind::Dotted => {
                    width = [".b8", ".b16", ".b32", ".b64"].iter().position(|b| *b == token.text).map(|log| 1 << log)?
                }
                Kind::Number => {
                    let value = number(token.text).ok()?.1.integer()?;
                    let value = if negative { value.wrapping_neg() } else { value };
                    strings.bytes.extend(value.to_le_bytes().into_iter().take(width));
                }
                Kind::Mark if matches!(token.text, "," | "-" | "}") => {}
                _ => return None,
            }
            negative = token.is("-");
        }
        Some(strings)
    }

    /// The string that begins at an offset, without the zero at its end.
    fn at(&self, offset: usize) -> Option<&[u8]> {
        let rest = self.bytes.get(offset..)?;
        rest.get(..rest.iter().position(|&byte| byte == 0)?)
    }
}

impl<'a, 'm> Positions<'a, 'm> {
    pub(super) fn new(own: &'a Inventory<'m>, other: &'a Inventory<'m>) -> Result<Positions<'a, 'm>, SpliceError> {
        let mut own_files = FxHashMap::default();
        let mut used = FxHashSet::default();
        for content in own.contents.values() {
            // Of an index that is given twice, the first holds.
            if let Content::File { index, rest } = content
                && used.insert(*index)
            {
                own_files.entry(&**rest).or_insert(*index);
            }
        }
        let (mut own_strings, mut own_labels) = (FxHashMap::default(), FxHashSet::default());
        for section in Strings::of(own)? {
            let mut labels: Vec<_> = section.labels.iter().collect();
            labels.sort();
            for (label, &at) in labels {
                if let Some(string) = section.at(at) {
                    own_strings.entry(string.to_vec()).or_insert_with(|| label.clone());
                }
                own_labels.insert(label.clone());
            }
        }
        let other_strings = Strings::of(other)?;
        let (files, new_files, new_strings) = Default::default();
        Ok(Positions { other, own_files, used, files, new_files, own_strings, own_labels, other_strings, new_strings })
    }

    /// The own index of a file of the other module.
    pub(super) fn file(&mut self, index: u32) -> u32 {
        if let Some(&known) = self.files.get(&index) {
            return known;
        }
        let declared = self.other.contents.values().find_map(|content| match content {
            Content::File { index: other, rest } if *other == index => Some(&**rest),
            _ => None,
        });
        let own = match declared.and_then(|rest| self.own_files.get(rest)) {
            Some(&own) => own,
            None => {
                // One that the other module does not declare must not become another file here.
                let fresh = (1..=u32::MAX).find(|index| !self.used.contains(index)).unwrap_or(u32::MAX);
                let fresh = if self.used.contains(&index) { fresh } else { index };
                self.used.insert(fresh);
                self.new_files.extend(declared.map(|rest| (fresh, rest)));
                fresh
            }
        };
        self.files.insert(index, own);
        own
    }

    /// The own label of a string of the other module. `fresh` makes the name of a label.
    fn string(&mut self, label: &str, offset: i64, fresh: &mut dyn FnMut() -> String) -> Result<String, SpliceError> {
        let unknown = || SpliceError::String { label: label.to_owned(), offset };
        let found = self.other_strings.iter().find_map(|section| Some((section, *section.labels.get(label)?)));
        let Some((section, start)) = found else {
            // What is no string stays, unless it would become one.
            return match self.own_labels.contains(label) {
                true => Err(unknown()),
                false if offset == 0 => Ok(label.to_owned()),
                false => Ok(format!("{label}+{offset}")),
            };
        };
        let place = i64::try_from(start).ok().and_then(|start| start.checked_add(offset));
        let string = place.and_then(|place| section.at(usize::try_from(place).ok()?)).ok_or_else(unknown)?;
        if let Some(own) = self.own_strings.get(string) {
            return Ok(own.clone());
        }
        let own = fresh();
        self.own_strings.insert(string.to_vec(), own.clone());
        self.new_strings.push((own.clone(), string.to_vec()));
        Ok(own)
    }

    /// A `.loc` of the other module with own files and labels.
    pub(super) fn translate(&mut self, text: &str, fresh: &mut dyn FnMut() -> String) -> Result<String, SpliceError> {
        let mut out = String::new();
        let mut copied = 0;
        let list: Vec<Token<'_>> = code(text).collect();
        for (at, pair) in list.windows(2).enumerate() {
            let [before, token] = pair else { continue };
            let end = token.at + token.text.len();
            let (new, end) = match before.text {
                ".loc" | "inlined_at" => match number(token.text).ok().and_then(|(_, index)| index.integer()) {
                    Some(index) => (self.file(u32::try_from(index).unwrap_or(u32::MAX)).to_string(), end),
                    None => continue,
                },
                "function_name" => match list.get(at + 2..at + 4) {
                    Some([plus, offset]) if plus.is("+") => {
                        let value = number(offset.text).ok().and_then(|(_, value)| value.integer()).unwrap_or(i64::MAX);
                        (self.string(token.text, value, fresh)?, offset.at + offset.text.len())
                    }
                    _ => (self.string(token.text, 0, fresh)?, end),
                },
                _ => continue,
            };
            out.push_str(text.get(copied..token.at).unwrap_or(""));
            out.push_str(&new);
            copied = end;
        }
        Ok(out + past(text, copied))
    }

    /// The new files as directives, each on a line of its own.
    pub(super) fn file_text(&self) -> String {
        self.new_files.iter().map(|(index, rest)| format!("\n\t.file\t{index} {}", rest.replace(" , ", ", "))).collect()
    }

    /// The new strings as entries of a section.
    pub(super) fn string_text(&self) -> String {
        let mut text = String::new();
        for (label, string) in &self.new_strings {
            text += &format!("\n{label}:");
            let bytes: Vec<String> = string.iter().chain([&0]).map(u8::to_string).collect();
            bytes.chunks(LINE).for_each(|chunk| text += &format!("\n.b8 {}", chunk.join(",")));
        }
        text
    }
}

/// The text of a section with further entries at its end.
pub(super) fn with_entries(section: &str, entries: &str) -> String {
    let list: Vec<Token<'_>> = tokens(section).collect();
    let last = list.iter().rposition(|token| token.is("}")).and_then(|close| list.get(close.checked_sub(1)?));
    let end = last.map_or(section.len(), |token| token.at + token.text.len());
    let (front, rest) = cut(section, end);
    format!("{front}{entries}{rest}")
}
