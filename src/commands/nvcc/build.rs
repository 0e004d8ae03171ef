//! Runs nvcc's steps, with our own between them.

use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use frontend::{Directives, Preprocessed};
use toolkit::{DependencyRule, Step, Steps};

use super::line::Line;
use super::rewrite::{Rewriter, kept};
use super::signals;
use crate::diagnostics::Diagnostic;
use crate::failure::Failure;
use crate::input::failed;
use crate::output;
use crate::sources::{Source, Sources};

/// The exit status of nvcc for any step that fails where it may run several at a time.
const FAILED_BESIDE_OTHERS: u8 = 255;

/// A compilation.
pub(super) struct Build<'a> {
    pub(super) line: &'a Line,
    pub(super) steps: &'a Steps,
    pub(super) sources: &'a Sources,
    pub(super) rewriter: &'a Rewriter<'a>,
    /// The folder for temporary files.
    pub(super) scratch: &'a Path,
}

/// The state of steps that run side by side.
#[derive(Default)]
struct Front {
    begun: BTreeSet<usize>,
    done: BTreeSet<usize>,
    /// The first step, in nvcc's order, that did not succeed, and its result.
    failed: Option<(usize, Result<u8, Failure>)>,
}

impl Build<'_> {
    /// Runs all steps; the exit status of the first that fails, or 0.
    ///
    /// # Errors
    /// What nvcc would not have said: a file that cannot be written.
    pub(super) fn run(&self) -> Result<u8, Failure> {
        output::stderr_text(&self.steps.messages);
        if self.line.has(&["-v", "--verbose"]) {
            for (name, value) in &self.steps.environment {
                output::stderr_line(&format!("#$ {name}={value}"));
            }
        }
        let linked = self.line.has(&["-dlto", "--dlink-time-opt"]).then_some("-dlto");
        if let Some(option) = self.steps.steps.iter().find_map(Step::hides_ptx).or(linked) {
            let title = match self.steps.steps.iter().any(|step| step.ptx().is_some()) {
                true => format!("only the PTX is rewritten: with `{option}` the compiler makes other code beside it"),
                false => format!("nothing is rewritten: with `{option}` the compiler makes no PTX"),
            };
            Diagnostic::warning(title).help(format!("compile without `{option}` what is to be rewritten")).print();
        }
        if let Some(option) = self.line.times() {
            Diagnostic::warning(format!("no times are written: with `{option}` nvcc takes those of its own steps"))
                .help("compile with `PXRW=none` what is to be timed, or leave it out")
                .print();
        }
        let threads = self.line.threads();
        let mut next = 0;
        while let Some(rest) = self.steps.steps.get(next..).filter(|rest| !rest.is_empty()) {
            let together = rest.iter().take_while(|step| step.is_of_an_architecture()).count();
            let count = if threads > 1 { together.max(1) } else { 1 };
            let code = match count {
                1 => self.step(next)?,
                _ => self.side_by_side(next..next + count, threads.min(count))?,
            };
            if code != 0 {
                return Ok(if threads > 1 { FAILED_BESIDE_OTHERS } else { code });
            }
            next += count;
        }
        self.rewriter.say_unread();
        Ok(0)
    }

    /// Runs some steps that need nothing of each other but files that they name.
    fn side_by_side(&self, steps: Range<usize>, threads: usize) -> Result<u8, Failure> {
        let front = Mutex::new(Front::default());
        let changed = Condvar::new();
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| self.work(&steps, &front, &changed));
            }
        });
        let front = front.into_inner().unwrap_or_else(PoisonError::into_inner);
        front.failed.map_or(Ok(0), |(_, failed)| failed)
    }

    /// Takes one step after the other that nobody has begun and whose files are there.
    fn work(&self, steps: &Range<usize>, front: &Mutex<Front>, changed: &Condvar) {
        let lock = || -> MutexGuard<'_, Front> { front.lock().unwrap_or_else(PoisonError::into_inner) };
        loop {
            let mut now = lock();
            let mine = loop {
                if now.failed.is_some() || now.begun.len() == steps.len() {
                    return;
                }
                let ready = |index: &usize| !now.begun.contains(index) && self.is_ready(steps.start, *index, &now.done);
                if let Some(index) = steps.clone().find(ready) {
                    now.begun.insert(index);
                    break index;
                }
                now = changed.wait(now).unwrap_or_else(PoisonError::into_inner);
            };
            drop(now);
            let result = self.step(mine);
            let mut now = lock();
            now.done.insert(mine);
            let later = now.failed.as_ref().is_none_or(|&(index, _)| mine < index);
            if !matches!(result, Ok(0)) && later {
                now.failed = Some((mine, result));
            }
            changed.notify_all();
        }
    }

    /// Returns true if the steps are done that write what this one names.
    fn is_ready(&self, first: usize, index: usize, done: &BTreeSet<usize>) -> bool {
        let Some(step) = self.steps.steps.get(index) else { return true };
        let needs = |other: &Step| other.output().is_some_and(|output| step.names(output));
        let mut others = self.before(index).iter().enumerate().skip(first);
        others.all(|(other, before)| done.contains(&other) || !needs(before))
    }

    /// The steps before one.
    fn before(&self, index: usize) -> &[Step] {
        self.steps.steps.get(..index).unwrap_or_default()
    }

    /// Runs one step; gives its exit status.
    fn step(&self, index: usize) -> Result<u8, Failure> {
        let Some(step) = self.steps.steps.get(index) else { return Ok(0) };
        if let Some(file) = step.dependencies() {
            return self.list_dependencies(index, file);
        }
        if let Some(file) = step.removes() {
            let _ = fs::remove_file(file);
            return Ok(0);
        }
        if step.preprocesses() && self.line.has(&["-E", "--preprocess"]) {
            return self.preprocess(index, step);
        }
        let theirs = &step.line;
        let Some(ptx) = step.ptx() else {
            return match self.rewritten_for(index, step) {
                Some(ptx) => self.assemble(index, step, ptx),
                None => self.run_line(theirs),
            };
        };
        // What the user gets is rewritten first: it may go to standard output, to a pipe or through a link.
        let is_result = !ptx.starts_with(self.scratch);
        let place = if is_result { self.scratch.join(format!("{index}.ptx")) } else { ptx.to_owned() };
        let Some(source) = self.source_of(step) else { return self.run_line(theirs) };
        let line = step.writing(&place).line;
        let preprocessed = Preprocessed::take(self.steps, step);
        let directives = || -> Result<Option<Directives>, Failure> {
            let wanted = self.rewriter.rewrites.ccc;
            let folder = self.scratch.join(index.to_string());
            let folder = fs::create_dir_all(&folder).map(|()| folder);
            let folder =
                folder.map_err(|error| Diagnostic::error(format!("cannot make a temporary folder: {error}")))?;
            let found = if wanted { Directives::of(preprocessed, self.steps, step, folder) } else { Ok(None) };
            let found = found.map_err(|error| failed(&source.name, error))?;
            if found.is_some() && self.steps.are_unoptimised() {
                self.rewriter.say([super::explain_local_memory(self.line)]);
                return Ok(None);
            }
            Ok(found)
        };
        // Both compilations at once, if several steps may run at a time.
        let (code, directives) = if self.line.threads() > 1 {
            std::thread::scope(|scope| {
                let found = scope.spawn(|| {
                    let directives = directives()?;
                    directives.iter().for_each(Directives::compile_first);
                    Ok(directives)
                });
                let code = self.run_instead(theirs, &line);
                (code, found.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            })
        } else {
            let code = self.run_instead(theirs, &line);
            let found = if matches!(code, Ok(0)) { directives() } else { Ok(None) };
            (code, found)
        };
        let code = code?;
        if code == 0 {
            let assembled = !is_result && self.steps.steps.iter().any(|step| step.assembles(ptx));
            self.rewriter.rewrite((&place, assembled), source, directives?)?;
        }
        if is_result && code == 0 {
            let bytes = fs::read(&place);
            let bytes = bytes.map_err(|error| Diagnostic::error(format!("cannot read the PTX: {error}")))?;
            return self.hand_over(&bytes, Some(ptx).filter(|ptx| *ptx != Path::new("-")), theirs);
        }
        Ok(code)
    }

    /// The rewritten PTX that a step assembles.
    fn rewritten_for(&self, index: usize, step: &Step) -> Option<&Path> {
        let made = self.before(index).iter().filter_map(Step::ptx);
        made.filter(|ptx| step.assembles(ptx)).find(|ptx| kept(ptx).exists())
    }

    /// Assembles what was rewritten; what the compiler made, if ptxas does not accept that.
    fn assemble(&self, index: usize, step: &Step, ptx: &Path) -> Result<u8, Failure> {
        let line = &step.line;
        let said = self.scratch.join(format!("{index}.said"));
        let code = self.run_instead(line, &format!("{line} 2> \"{}\"", said.display()))?;
        if code == 0 {
            output::stderr_text(&String::from_utf8_lossy(&fs::read(&said).unwrap_or_default()));
            return Ok(0);
        }
        let rewritten = fs::read_to_string(ptx).unwrap_or_default();
        // Beside this step, another one for the same text may have done it already.
        let _ = fs::rename(kept(ptx), ptx);
        let code = self.run_line(line)?;
        if code == 0 {
            self.rewriter.say_defect(&rewritten);
        }
        Ok(code)
    }

    /// Runs a preprocessor whose output is what is wanted; files have the names in it that the user knows.
    fn preprocess(&self, index: usize, step: &Step) -> Result<u8, Failure> {
        let place = self.scratch.join(format!("{index}.ii"));
        let line = match step.output() {
            Some(_) => step.writing(&place).line,
            // A file it would remove where it fails.
            None => format!("{} > \"{}\"", step.line, place.display()),
        };
        let code = self.run_instead(&step.line, &line)?;
        // Where it fails, what it wrote to standard output is shown, and of a file it leaves nothing.
        if let Ok(bytes) = fs::read(&place) {
            let file = step.output().filter(|&output| output != "-").map(Path::new);
            let mut bytes = self.sources.known_in_markers(&bytes);
            if code == 0 {
                bytes.extend(directive_lines(&bytes).into_bytes());
            }
            let written = self.hand_over(&bytes, file, &step.line)?;
            return Ok(if code == 0 { written } else { code });
        }
        Ok(code)
    }

    /// Writes what a step has made to the file that is wanted, or to standard output. Where that cannot be, the step's own `line` is run, to say so.
    fn hand_over(&self, bytes: &[u8], file: Option<&Path>, line: &str) -> Result<u8, Failure> {
        let Some(file) = file else { return output::write(None, bytes).map(|()| 0) };
        match output::overwrite(file, bytes) {
            Ok(()) => Ok(0),
            Err(_) => self.run_line(line),
        }
    }

    /// Runs a line; gives its exit status.
    fn run_line(&self, line: &str) -> Result<u8, Failure> {
        self.run_instead(line, line)
    }

    /// Runs a line in the place of the one that the user is shown.
    fn run_instead(&self, shown: &str, line: &str) -> Result<u8, Failure> {
        if self.line.has(&["-v", "--verbose"]) {
            output::stderr_line(&format!("#$ {shown}"));
        }
        signals::run_step(self.steps, line)
    }

    /// The source that a step compiles.
    fn source_of(&self, step: &Step) -> Option<&Source> {
        let named = |source: &&Source| step.names(&format!("--orig_src_file_name \"{}\"", source.name));
        self.sources.sources.iter().find(named)
    }

    /// Lists what a source depends on, by what was preprocessed right before.
    fn list_dependencies(&self, index: usize, file: Option<&Path>) -> Result<u8, Failure> {
        let before = self.before(index).iter().rev().take_while(|step| step.preprocesses());
        let mut texts: Vec<String> = Vec::new();
        for output in before.filter_map(Step::output) {
            let bytes = fs::read(output);
            let bytes = bytes.map_err(|error| Diagnostic::error(format!("cannot read `{output}`: {error}")))?;
            texts.insert(0, String::from_utf8_lossy(&bytes).into_owned());
        }
        let source = self.before(index).last().and_then(|step| self.sources.read_by(&step.line));
        // Of several, nvcc carries out the first of these, in whatever order they stand. The second value says whether system headers are listed.
        const KINDS: [([&str; 2], bool); 4] = [
            (["-MM", "--generate-nonsystem-dependencies"], false),
            (["-M", "--generate-dependencies"], true),
            (["-MMD", "--generate-nonsystem-dependencies-with-compile"], false),
            (["-MD", "--generate-dependencies-with-compile"], true),
        ];
        let kind = KINDS.into_iter().find(|(names, _)| self.line.has(names));
        let rule = DependencyRule {
            target: self.target(source.map_or("", |source| &source.name)),
            system: kind.is_some_and(|(_, system)| system),
            phony: self.line.has(&["-MP", "--generate-dependency-targets"]),
        };
        let text = rule.text(&texts, |file| self.sources.known(file));
        let Some(file) = file else { return output::write(None, text.as_bytes()).map(|()| 0) };
        match output::overwrite(file, text.as_bytes()) {
            Ok(()) => Ok(0),
            // As nvcc says it.
            Err(_) => {
                output::stderr_line(&format!("nvcc fatal   : Could not open output file {}", file.display()));
                Ok(1)
            }
        }
    }

    /// Returns what the rule for a source is about: what `-MT` says, the output, or the source's object.
    fn target(&self, source: &str) -> String {
        if let Some(target) = self.line.value(&["-MT", "--dependency-target-name"]) {
            return target.to_owned();
        }
        let compiles = self.line.has(&[
            "-MD",
            "-MMD",
            "--generate-dependencies-with-compile",
            "--generate-nonsystem-dependencies-with-compile",
        ]);
        let output = self.line.value(&["-o", "--output-file"]).filter(|_| compiles && self.sources.sources.len() == 1);
        if let Some(output) = output {
            return output.to_owned();
        }
        let name = Path::new(source).with_extension("o");
        let name = name.file_name().map(Path::new).unwrap_or(Path::new(""));
        let folder = self.line.value(&["-odir", "--output-directory"]).map_or(Path::new(""), Path::new);
        folder.join(name).display().to_string()
    }
}

/// The lines with directives of the files that a preprocessor's output is from, as comments. Caches ask the preprocessor whether a source is the same as
/// before; directives in comments would not be seen there.
fn directive_lines(preprocessed: &[u8]) -> String {
    let mut text = String::new();
    for file in toolkit::files(&String::from_utf8_lossy(preprocessed)) {
        let Ok(bytes) = fs::read(&file) else { continue };
        if !annotate::may_have_directives(&bytes) {
            continue;
        }
        let mut goes_on = false;
        for (index, line) in String::from_utf8_lossy(&bytes).lines().enumerate() {
            if goes_on || annotate::may_have_directives(line.as_bytes()) {
                text += &format!("// pxrw: {file}:{}: {}\n", index + 1, line.trim().trim_end_matches('\\'));
                goes_on = line.trim_end().ends_with('\\');
            }
        }
    }
    text
}
