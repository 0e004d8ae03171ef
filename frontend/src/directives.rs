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

/// The message about a directive of which no marker reached a kernel.
pub const UNREACHED: &str = "nothing of the marked path is in the PTX";

impl Located {
    /// Says why nothing of the directive reached a kernel, as far as that can be known.
    #[must_use]
    pub fn why_unreached(&self) -> String {
        match &self.directive.host_function {
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
    let commented = quick.as_deref().map(|text| Commented { text, expanded: false });
    let mut read = Unit::read(&plain.text, commented, &name);
    let is_placed = |(_, mistakes): &(Unit<'_>, Vec<_>)| {
        !mistakes.iter().any(|error| matches!(error, annotate::Error::Unplaced { .. }))
    };
    if comment && (quick.is_none() || !read.as_ref().is_ok_and(is_placed)) {
        let exact = run(steps, &preprocess.keeping_comments(), folder)?;
        let commented = exact.as_deref().map(|text| Commented { text, expanded: true });
        read = Unit::read(&plain.text, commented, &name);
    }
    let (unit, mistakes) = match read {
        Ok(read) => read,
        // Code that no compiler takes either, or a limit of ours, which is said.
        Err(error) => {
            let mistakes = vec![Mistake { file: name, error }];
            return Ok(Some(Found { mistakes, ..Found::default() }));
        }
    };
    let constant_evaluation = ["--gnu_version", "--clang_version"]
        .iter()
        .find_map(|option| compile.number(option))
        .is_some_and(|version| version >= CONSTANT_EVALUATION);
    let located = |file: usize| unit.files().get(file).cloned().unwrap_or_default();
    let directives: Vec<Located> = unit
        .directives()
        .map(|directive| Located { file: located(directive.file), directive: directive.clone() })
        .collect();
    let mistakes: Vec<Mistake> =
        mistakes.into_iter().map(|error| Mistake { file: located(error.place().file), error }).collect();
    if directives.is_empty() && mistakes.is_empty() {
        return Ok(None);
    }
    let marked = |marking| (marking, plain.bytes(unit.marked(Options { marking, constant_evaluation })));
    let texts = if directives.is_empty() { Vec::new() } else { Marking::ALL.map(marked).to_vec() };
    Ok(Some(Found { directives, mistakes, texts }))
}

/// Returns the output of a preprocessor; nothing if it fails, as `-C` does where a comment hides an `#endif`.
fn run(steps: &Steps, preprocess: &Step, folder: &Path) -> Result<Option<String>, toolkit::Error> {
    let output = folder.join("comments.ii");
    let (status, _) = steps.capture(&preprocess.writing(&output).line)?;
    let bytes = fs::read(&output).ok().filter(|_| status.success());
    let _ = fs::remove_file(&output);
    Ok(bytes.map(|bytes| Text::of(bytes).text))
}
