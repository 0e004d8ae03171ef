//! Finds the directives of a source in what the preprocessor made of it for the device.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use annotate::{Commented, Directive, Marking, Options, Unit, Written};
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
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unreached {
    /// The file, as the preprocessor names it.
    pub file: String,
    /// The line of the statement that it marks, or its own if no statement is known.
    pub line: usize,
    pub(crate) why: Why,
}

/// The reason why a directive has no effect.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Why {
    /// A loop in which nothing is marked.
    Alone,
    /// No marker of the path is in the PTX; it stands in this function, which does not run on the GPU.
    Gone { host_function: Option<String> },
    /// The compiler does not take the markers, and says this.
    NotTaken { said: String, has_reduce: bool },
    /// The preprocessor leaves out the code around it.
    LeftOut,
    /// The preprocessor leaves out some of those in the arguments of a macro.
    Arguments { lost: usize, of: usize },
    /// The preprocessor fails if it keeps comments, and says this.
    NoComments(String),
}

impl Unreached {
    pub(crate) fn new(file: &str, line: usize, why: Why) -> Unreached {
        Unreached { file: file.to_owned(), line, why }
    }

    /// Returns true if the preprocessor leaves it out: where it compiles for another architecture, it may not.
    #[must_use]
    pub fn is_left_out(&self) -> bool {
        self.why == Why::LeftOut
    }

    /// Says what became of it.
    #[must_use]
    pub fn message(&self) -> String {
        match &self.why {
            Why::Alone => "nothing is marked in the loop itself".to_owned(),
            Why::Gone { .. } => "the PTX contains nothing of the marked path".to_owned(),
            Why::NotTaken { said, .. } => format!("the compiler does not take the markers of the loop: {said}"),
            Why::LeftOut => "the preprocessor leaves the directive out".to_owned(),
            Why::Arguments { lost, of } => {
                format!("the preprocessor leaves out {lost} of the {of} directives in these arguments")
            }
            Why::NoComments(said) => {
                format!("the directive is not read: the preprocessor fails if it keeps comments: {said}")
            }
        }
    }

    /// Says why, as far as that can be known, or what to do.
    #[must_use]
    pub fn help(&self) -> String {
        match &self.why {
            Why::Alone => "mark the path that few lanes take: `#CCC if` above a condition, `#CCC case` above a case, `#CCC while` above a loop in it; what is marked in a `#CCC for` inside belongs to that loop, unless you take that directive away",
            Why::Gone { host_function: Some(function) } => {
                return format!("{function} is neither `__global__` nor `__device__`, and no kernel calls it");
            }
            Why::Gone { host_function: None } => "the compiler dropped it: a template or function that no kernel uses, or a condition that is always the same",
            Why::NotTaken { has_reduce: false, .. } => "this is a defect of pxrw, please report it",
            Why::NotTaken { has_reduce: true, .. } => "`reduce` names variables that are known in the marked paths",
            Why::LeftOut => "it stands behind an `#if` that is not true where code for the GPU is compiled, on a line of the preprocessor, or in an argument that a macro drops",
            Why::Arguments { .. } => "a macro drops an argument or makes a string of it",
            Why::NoComments(_) => "write the directive as a pragma, `#pragma CCC …`, if it is not the machine's fault",
        }
        .to_owned()
    }
}

/// The directives of a translation unit, and the text with markers for each way to mark it.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) directives: Vec<Located>,
    pub(crate) mistakes: Vec<Mistake>,
    pub(crate) texts: Vec<(Marking, Vec<u8>)>,
    pub(crate) source: Source,
    /// The directives in the files that are not in the text.
    pub(crate) unread: Vec<Unreached>,
    /// The reason why there is no text with comments.
    no_comments: Option<String>,
    /// The files and lines of all that was read as a directive, with and without mistakes, and how many there are on each; nothing where the text could not be
    /// read.
    pub(crate) seen: Option<BTreeMap<(String, usize), usize>>,
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
        let mistake = |error: annotate::Error| Mistake { file: file_of(&unit, error.span().file), error };
        let mistakes: Vec<Mistake> = mistakes.into_iter().map(mistake).collect();
        let marked = |marking| (marking, self.text(&unit, marking, &[]));
        let texts = if directives.is_empty() { Vec::new() } else { Marking::ALL.map(marked).to_vec() };
        let is_placed = mistakes.iter().all(|mistake| {
            use annotate::Error::{NotOnOwnLine, Unplaced};
            !matches!(mistake.error, Unplaced { .. } | NotOnOwnLine { .. })
        });
        let mut seen = BTreeMap::new();
        unit.seen()
            .iter()
            .for_each(|at| *seen.entry((file_of(&unit, at.file), at.position.line as usize)).or_default() += 1);
        drop(unit);
        (Found { directives, mistakes, texts, source: self, seen: Some(seen), ..Found::default() }, is_placed)
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
    /// The directives in some files that the preprocessor leaves out.
    fn unread_of(&self, files: &[(String, Text)]) -> Vec<Unreached> {
        let Some(seen) = &self.seen else { return Vec::new() };
        let why = match &self.no_comments {
            Some(said) => Why::NoComments(said.clone()),
            None => Why::LeftOut,
        };
        let mut written: Vec<Written> =
            files.iter().flat_map(|(name, text)| annotate::written(&text.text, name)).collect();
        written.sort_by(|a, b| (&a.file, a.argument_of, a.line).cmp(&(&b.file, b.argument_of, b.line)));
        let calls = written.chunk_by(|a, b| (&a.file, a.argument_of) == (&b.file, b.argument_of));
        let mut calls = calls.filter_map(|call| Some((call.first()?, call))).peekable();
        let mut unread = Vec::new();
        while let Some((Written { file, argument_of: begin, .. }, call)) = calls.next() {
            let next = calls.peek().map(|(next, _)| next).filter(|next| next.file == *file);
            let end = next.map_or(usize::MAX, |next| next.argument_of);
            let count = |line: usize| call.iter().filter(|one| one.line == line).count();
            let read = |line: usize| seen.get(&(file.clone(), line)).copied().unwrap_or(0);
            let missed: Vec<&Written> = call.iter().filter(|one| read(one.line) < count(one.line)).collect();
            // Comments in the arguments of a macro come out on the line on which it begins, or on a later one.
            let around = seen.range((file.clone(), *begin)..(file.clone(), end.max(*begin)));
            let moved: usize = around.map(|((_, line), &read)| read.saturating_sub(count(*line))).sum();
            match (missed.len().saturating_sub(moved), moved) {
                (0, _) => {}
                (_, 0) => unread.extend(missed.iter().map(|one| Unreached::new(file, one.line, why.clone()))),
                (lost, _) => {
                    unread.push(Unreached::new(file, *begin, Why::Arguments { lost, of: call.len() }));
                }
            }
        }
        unread.dedup();
        unread
    }

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
    let files = toolkit::files(&plain.text);
    let with_directives = |file: &String| {
        let bytes = fs::read(file).ok().filter(|bytes| annotate::may_have_directives(bytes))?;
        Some((file.clone(), Text::of(bytes)))
    };
    let written: Vec<(String, Text)> = files.iter().filter_map(with_directives).collect();
    let comment = !written.is_empty();
    if !pragma && !comment {
        return Ok(None);
    }
    let name = files.into_iter().next().unwrap_or_default();
    // What is quick comes first. It does not say where comments in the arguments of macros stand.
    let mut fails = None;
    let mut commented = |preprocess: Step| -> Result<Option<String>, toolkit::Error> {
        Ok(match run(steps, &preprocess, folder)? {
            Ok(text) => Some(text),
            Err(said) => {
                fails = Some(said);
                None
            }
        })
    };
    let quick = if comment { commented(preprocess.expanding_no_macros())? } else { None };
    let constant_evaluation = ["--gnu_version", "--clang_version"]
        .iter()
        .find_map(|option| compile.number(option))
        .is_some_and(|version| version >= CONSTANT_EVALUATION);
    let is_quick = quick.is_some();
    let source = Source { plain, commented: quick, expanded: false, name, constant_evaluation };
    let (mut found, is_placed) = source.directives();
    let is_enough = !comment || (is_quick && is_placed);
    let exact = if is_enough { None } else { commented(preprocess.keeping_comments())? };
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
    let read = toolkit::files_read(&found.source.plain.text);
    let written: Vec<(String, Text)> = written.into_iter().filter(|(file, _)| read.contains(file)).collect();
    found.no_comments = fails.filter(|_| comment && found.source.commented.is_none());
    found.unread = found.unread_of(&written);
    let nothing = found.directives.is_empty() && found.mistakes.is_empty() && found.unread.is_empty();
    Ok((!nothing).then_some(found))
}

fn file_of(unit: &Unit<'_>, index: usize) -> String {
    unit.files().get(index).cloned().unwrap_or_default()
}

/// Returns the output of a preprocessor; if it fails, as `-C` does where a comment hides an `#endif`, what it says first.
fn run(steps: &Steps, preprocess: &Step, folder: &Path) -> Result<Result<String, String>, toolkit::Error> {
    let output = folder.join("comments.ii");
    // The compiler's own run of the preprocessor has added to the files that these name (GCC manual, "Environment Variables Affecting GCC").
    let line = format!("unset DEPENDENCIES_OUTPUT SUNPRO_DEPENDENCIES; {}", preprocess.writing(&output).line);
    let (status, said) = steps.capture(&line)?;
    let bytes = fs::read(&output);
    let _ = fs::remove_file(&output);
    let first = said.lines().find(|line| line.contains("error")).or_else(|| said.lines().next());
    Ok(match bytes {
        Ok(bytes) if status.success() => Ok(Text::of(bytes).text),
        _ => Err(first.unwrap_or("it ended without a message").to_owned()),
    })
}
