//! Finds the directives of a source in what the preprocessor made of it for the device.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use annotate::{Commented, Directive, Marking, Options, Unit};
use toolkit::{Step, Steps};

use crate::text::Text;

/// The first version of a compiler that knows `__builtin_is_constant_evaluated`; the device compiler goes by the host's.
const CONSTANT_EVALUATION: u32 = 90_000;

/// A mistake in a directive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The file.
    pub file: String,
    /// The mistake, its place in that file, and what to do.
    pub error: annotate::Error,
}

/// A directive, and the file that it stands in.
#[derive(Debug, Clone, PartialEq)]
pub struct Located {
    /// The file, as the preprocessor names it.
    pub file: String,
    /// The directive.
    pub directive: Directive,
}

/// A directive without any effect on the PTX.
#[derive(Debug, Clone)]
pub struct Unreached<'a> {
    /// The directive.
    pub located: &'a Located,
    pub(crate) why: Why,
}

/// The reason why a directive has no effect.
#[derive(Debug, Clone)]
pub(crate) enum Why {
    /// A loop in which nothing is marked.
    Alone,
    /// No marker of the path is in the PTX.
    Gone,
    /// The compiler does not take the markers, and says this.
    NotTaken(String),
}

impl Unreached<'_> {
    /// The line of the statement that it marks, as reports count lines.
    #[must_use]
    pub fn line(&self) -> u32 {
        u32::try_from(self.located.directive.target_line).unwrap_or(u32::MAX)
    }

    /// Says what became of it.
    #[must_use]
    pub fn message(&self) -> String {
        match &self.why {
            Why::Alone => "nothing is marked in the loop".to_owned(),
            Why::Gone => "nothing of the marked path is in the PTX".to_owned(),
            Why::NotTaken(said) => format!("the compiler does not take the markers of the loop: {said}"),
        }
    }

    /// Says why, as far as that can be known, or what to do.
    #[must_use]
    pub fn help(&self) -> String {
        match &self.why {
            Why::Gone => {}
            Why::Alone => return "mark the path that few lanes take: `#CCC if` above a condition, `#CCC case` above a case, `#CCC while` above a loop in it".to_owned(),
            Why::NotTaken(_) if self.located.directive.reduce.is_empty() => {
                return "this is a defect of pxrw, please report it".to_owned();
            }
            Why::NotTaken(_) => return "`reduce` names variables that are known in the marked paths".to_owned(),
        }
        match &self.located.directive.host_function {
            Some(function) => format!("{function} is neither `__global__` nor `__device__`, and no kernel calls it"),
            None => "the compiler dropped it: a template or function that no kernel uses, or a condition that is always the same".to_owned(),
        }
    }
}

/// The directives of a translation unit, and the text with markers for each way to mark it.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) directives: Vec<Located>,
    pub(crate) mistakes: Vec<Mistake>,
    pub(crate) texts: Vec<(Marking, Vec<u8>)>,
    pub(crate) source: Source,
}

/// A text with directives, which can be marked.
#[derive(Debug, Default)]
pub(crate) struct Source {
    plain: Text,
    commented: Option<String>,
    /// True if macros are expanded in the text with comments.
    expanded: bool,
    name: String,
    constant_evaluation: bool,
}

impl Source {
    fn read(&self) -> Result<(Unit<'_>, Vec<annotate::Error>), annotate::Error> {
        let commented = self.commented.as_deref().map(|text| Commented { text, expanded: self.expanded });
        Unit::read(&self.plain.text, commented, &self.name)
    }

    /// Finds the directives in it; the second value says whether all directives in comments could be placed.
    fn directives(self) -> (Found, bool) {
        let (unit, mistakes) = match self.read() {
            Ok(read) => read,
            // Code that no compiler takes either, or a limit of ours, which is said.
            Err(error) => {
                let mistakes = vec![Mistake { file: self.name.clone(), error }];
                return (Found { mistakes, source: self, ..Found::default() }, false);
            }
        };
        let located =
            |directive: &Directive| Located { file: file_of(&unit, directive.file), directive: directive.clone() };
        let directives: Vec<Located> = unit.directives().map(located).collect();
        let mistake = |error: annotate::Error| Mistake { file: file_of(&unit, error.place().file), error };
        let mistakes: Vec<Mistake> = mistakes.into_iter().map(mistake).collect();
        let marked = |marking| (marking, self.text(&unit, marking, &[]));
        let texts = if directives.is_empty() { Vec::new() } else { Marking::ALL.map(marked).to_vec() };
        let is_placed = mistakes.iter().all(|mistake| {
            use annotate::Error::{NotOnOwnLine, Unplaced};
            !matches!(mistake.error, Unplaced { .. } | NotOnOwnLine { .. })
        });
        drop(unit);
        (Found { directives, mistakes, texts, source: self }, is_placed)
    }

    fn text(&self, unit: &Unit<'_>, marking: Marking, without: &[u32]) -> Vec<u8> {
        let options = Options { marking, constant_evaluation: self.constant_evaluation, without };
        self.plain.bytes(unit.marked(options))
    }

    /// The text with markers, but for those of the loops `without` and what is marked in them.
    pub(crate) fn marked(&self, marking: Marking, without: &[u32]) -> Option<Vec<u8>> {
        self.read().ok().map(|(unit, _)| self.text(&unit, marking, without))
    }
}

impl Found {
    /// The parts of the text, marked in the first way, that are from files with directives.
    pub(crate) fn shown(&self) -> String {
        let files: BTreeSet<&str> = self.directives.iter().map(|located| located.file.as_str()).collect();
        let marked = self.texts.first().map(|(_, text)| String::from_utf8_lossy(text).into_owned()).unwrap_or_default();
        let (mut shown, mut inside, mut pending) = (String::new(), false, None);
        for line in marked.lines() {
            if let Some(file) = toolkit::file_of_marker(line) {
                inside = files.contains(file.as_str());
                pending = inside.then_some(line);
            } else if inside && (!line.trim().is_empty() || pending.is_none()) {
                shown.extend(pending.take().map(|marker| format!("{marker}\n")));
                shown += line;
                shown.push('\n');
            }
        }
        shown
    }
}

/// The text that the compiler is about to read.
#[derive(Debug)]
pub struct Preprocessed {
    text: Option<Text>,
}

impl Preprocessed {
    /// Reads what `compile` is about to compile, and takes directives that are pragmas out of the file: the compiler warns of pragmas that it does
    /// not know. Text that cannot be read is the compiler's to complain about.
    #[must_use]
    pub fn take(steps: &Steps, compile: &Step) -> Preprocessed {
        let file = steps.preprocess_for(compile).and_then(Step::output);
        let Some((file, bytes)) = file.and_then(|file| Some((file, fs::read(file).ok()?))) else {
            return Preprocessed { text: None };
        };
        let text = Text::of(bytes);
        if let Some(without) = annotate::without_pragmas(&text.text) {
            // What fails here is a warning that stays.
            let _ = fs::write(file, text.bytes(without));
        }
        Preprocessed { text: Some(text) }
    }
}

/// Finds the directives in what was preprocessed, once more in `folder` if comments are needed; `None` if there is no directive in it.
///
/// # Errors
/// A shell that cannot be started.
pub(crate) fn find(
    preprocessed: Preprocessed,
    steps: &Steps,
    compile: &Step,
    folder: &Path,
) -> Result<Option<Found>, toolkit::Error> {
    let (Some(plain), Some(preprocess)) = (preprocessed.text, steps.preprocess_for(compile)) else { return Ok(None) };
    // Pragmas are in the text; comments are in the files that it is from.
    let pragma = annotate::may_have_directives(plain.text.as_bytes());
    let comment = toolkit::files(&plain.text)
        .iter()
        .any(|file| fs::read(file).is_ok_and(|bytes| annotate::may_have_directives(&bytes)));
    if !pragma && !comment {
        return Ok(None);
    }
    let name = toolkit::files(&plain.text).into_iter().next().unwrap_or_default();
    // What is quick comes first. It does not say where comments in the arguments of macros stand.
    let quick = if comment { run(steps, &preprocess.expanding_no_macros(), folder)? } else { None };
    let constant_evaluation = ["--gnu_version", "--clang_version"]
        .iter()
        .find_map(|option| compile.number(option))
        .is_some_and(|version| version >= CONSTANT_EVALUATION);
    let is_quick = quick.is_some();
    let source = Source { plain, commented: quick, expanded: false, name, constant_evaluation };
    let (mut found, is_placed) = source.directives();
    let is_enough = !comment || (is_quick && is_placed);
    let exact = if is_enough { None } else { run(steps, &preprocess.keeping_comments(), folder)? };
    if let Some(exact) = exact {
        // What is no directive is read from the quick output alone: it has definitions of macros in it, and comments as they are written.
        let is_none = |mistake: &Mistake| {
            use annotate::Error::{InDefinition, NearMiss};
            matches!(mistake.error, InDefinition { .. } | NearMiss { .. })
        };
        let before = found.mistakes.into_iter().filter(is_none).collect::<Vec<_>>();
        let source = Source { commented: Some(exact), expanded: true, ..found.source };
        (found, _) = source.directives();
        found.mistakes.retain(|mistake| !(is_quick && is_none(mistake)));
        found.mistakes.extend(before);
    }
    let nothing = found.directives.is_empty() && found.mistakes.is_empty();
    Ok((!nothing).then_some(found))
}

fn file_of(unit: &Unit<'_>, index: usize) -> String {
    unit.files().get(index).cloned().unwrap_or_default()
}

/// Returns the output of a preprocessor; nothing if it fails, as `-C` does where a comment hides an `#endif`.
fn run(steps: &Steps, preprocess: &Step, folder: &Path) -> Result<Option<String>, toolkit::Error> {
    let output = folder.join("comments.ii");
    // The compiler's own run of the preprocessor has added to the files that these name (GCC manual, "Environment Variables Affecting GCC").
    let line = format!("unset DEPENDENCIES_OUTPUT SUNPRO_DEPENDENCIES; {}", preprocess.writing(&output).line);
    let (status, _) = steps.capture(&line)?;
    let bytes = fs::read(&output).ok().filter(|_| status.success());
    let _ = fs::remove_file(&output);
    Ok(bytes.map(|bytes| Text::of(bytes).text))
}
