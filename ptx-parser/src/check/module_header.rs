//! The first directives of a module: their order, the PTX version, and the targets, which must be there in that version.

use super::COMPLETE;
use super::declarations::{Declarations, words};
use super::finding::Level;
use crate::module::{Item, ItemKind};
use crate::suggest::nearest;
use crate::table::{architecture, architectures, is_version, least_version, number, versions_around};

/// The remedy where `.target` is missing.
const TARGET_HELP: &str =
    "write `.target sm_90`, or the architecture that the kernels are for, in the line behind `.version`";

/// The words of `.target` beside architectures.
const OPTIONS: [&str; 4] = ["debug", "texmode_unified", "texmode_independent", "map_f64_to_f32"];

impl Declarations<'_> {
    /// `.version` and `.target` come first, and `.address_size` behind them (PTX ISA, "PTX Module Directives"). Texts that were put
    /// one behind the other are refused by the assembler even where their heads are the same; a target may be given again at once.
    pub(super) fn head(&mut self) {
        const NO_VERSION: &str = "the `.version` directive is missing; every module begins with it";
        const NO_TARGET: &str = "the `.target` directive is missing; it stands right behind `.version`";
        let module = self.module;
        let (mut version, mut target, mut other) = (false, false, false);
        for item in &module.items {
            let (what, help) = match item.kind() {
                ItemKind::Version(..) if !version => {
                    version = true;
                    continue;
                }
                ItemKind::Version(..) => ("`.version` stands at the beginning of a module, and only there", None),
                _ if !version => (NO_VERSION, Some("write `.version 9.0` as the first line")),
                ItemKind::Target(_) if !other => {
                    target = true;
                    continue;
                }
                ItemKind::Target(_) => ("`.target` stands right behind `.version`", None),
                _ if !target => (NO_TARGET, Some(TARGET_HELP)),
                ItemKind::AddressSize(_) if other => ("`.address_size` stands right behind `.target`", None),
                _ => {
                    other = true;
                    continue;
                }
            };
            return self.error(self.start(item), what.to_owned(), help);
        }
        if version && !target {
            return self.error(Some(module.source.len()), NO_TARGET.to_owned(), Some(TARGET_HELP));
        }
        self.version();
        let in_head =
            |item: &Item| matches!(item.kind(), ItemKind::Version(..) | ItemKind::Target(_) | ItemKind::AddressSize(_));
        self.targets(!module.items.iter().all(in_head));
    }

    /// The place where an item begins, without the blanks in front of it; `None` for what an edit made.
    pub(super) fn start(&self, item: &Item) -> Option<usize> {
        let text = item.text(&self.module.source);
        let blanks = text.len() - crate::syntax::lexical::blanks(text).len();
        (item.span.end > 0).then_some(item.span.start as usize + blanks)
    }

    fn version(&mut self) {
        let Some(version) = self.version.filter(|&version| !is_version(version)) else { return };
        let at = self.module.items.first().and_then(|item| self.start(item));
        let text = |(major, minor)| format!("{major}.{minor}");
        let help = match versions_around(version) {
            [Some(below), Some(above)] => format!("the versions around it are {} and {}", text(below), text(above)),
            // A later compiler may have made it.
            [Some(last), None] => {
                let message =
                    format!("PTX version {} is later than the last that is known, {}", text(version), text(last));
                return self.report(Level::Warning, at, message, Some("ptxas 13.0 takes versions up to 9.0"));
            }
            [None, first] => format!("the first version is {}", text(first.unwrap_or_default())),
        };
        self.error(at, format!("there is no PTX version {}", text(version)), Some(&help));
    }

    /// The words of all `.target` directives. The assembler asks for the version of a target only `where_used`, in a module that has more
    /// than its head.
    fn targets(&mut self, where_used: bool) {
        let module = self.module;
        let Some(version) = self.version else { return };
        let mut mode: Option<&str> = None;
        let mut least: Option<u32> = None;
        for item in &module.items {
            let ItemKind::Target(list) = item.kind() else { continue };
            for word in list {
                let word: &str = word;
                let at = words(item.text(&module.source), word).next().filter(|_| item.span.end > 0);
                let at = at.map(|at| item.span.start as usize + at);
                let Some(architecture) = architecture(word) else {
                    let first = least.is_none();
                    self.option(at, word, first, version);
                    if word.starts_with("texmode_") && mode.is_some_and(|mode| mode != word) {
                        let message = format!("`{word}` contradicts `{}`", mode.unwrap_or(""));
                        self.error(at, message, Some("keep one of the two"));
                    }
                    mode = mode.or_else(|| word.starts_with("texmode_").then_some(word));
                    if word == "map_f64_to_f32" && least.is_some_and(|number| number >= 13) {
                        let message = format!("`{word}` is for targets before sm_13, which lack double precision");
                        self.error(at, message, Some("remove it"));
                    }
                    continue;
                };
                least = least.max(Some(number(architecture).unwrap_or(0)));
                match least_version(architecture) {
                    Some((major, minor)) if where_used && (major, minor) > version => {
                        let has = format!("the module is of version {}.{}", version.0, version.1);
                        let message = format!("`{word}` needs PTX {major}.{minor}, but {has}");
                        self.error(at, message, Some(&format!("write `.version {major}.{minor}`")));
                    }
                    Some(_) => {}
                    // A later version may have it.
                    None if version > COMPLETE => {}
                    None => {
                        let near = nearest(architecture, architectures());
                        let help = near.map(|near| format!("did you mean `sm_{near}`?"));
                        self.error(at, format!("there is no target `{word}`"), help.as_deref());
                    }
                }
            }
        }
    }

    /// Checks a word of `.target` that is no architecture.
    fn option(&mut self, at: Option<usize>, word: &str, first: bool, version: (u32, u32)) {
        if version > COMPLETE {
            return;
        }
        if !OPTIONS.contains(&word) {
            let near = nearest(word, OPTIONS.into_iter()).map(|near| format!("did you mean `{near}`?"));
            self.error(at, format!("there is no target `{word}`"), near.as_deref());
        } else if first {
            self.error(at, format!("no architecture stands in front of `{word}`"), Some("write `sm_90` first"));
        }
    }
}
