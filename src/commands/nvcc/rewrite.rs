//! The PTX of one architecture between the compiler and the assembler.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use frontend::{Compiled, Directives, Unreached};
use ptx_parser::{Kernel, Module};
use toolkit::Toolkit;

use super::line::Rewrites;
use crate::commands::ccc::{self, Wanted};
use crate::commands::ssde;
use crate::diagnostics::{Diagnostic, Severity};
use crate::failure::Failure;
use crate::input::{Language, mistake};
use crate::kernels::files;
use crate::output;
use crate::reports::nvcc::{NvccReport, Reports};
use crate::reports::ssde::SsdeReport;
use crate::sources::Source;
use ssde_ptx::{SeenByCallers, find_among};

/// The settings and the state with which all PTX of a compilation is rewritten.
pub(super) struct Rewriter<'a> {
    pub(super) rewrites: Rewrites,
    pub(super) toolkit: &'a Toolkit,
    /// True if device code is linked later.
    pub(super) relocatable: bool,
    pub(super) reports: Reports,
    /// The messages that were printed already: those of all architectures are the same.
    pub(super) said: Mutex<HashSet<String>>,
    pub(super) unread: Mutex<Unread>,
}

/// The directives that the compilations for some architectures do not read, because the preprocessor leaves them out, and the files and lines of those that
/// they do read: what stands behind an `#if` may be meant for one architecture.
#[derive(Default)]
pub(super) struct Unread {
    left_out: BTreeSet<Unreached>,
    read: BTreeSet<(String, usize)>,
}

/// The file that holds what the compiler made of a file that is rewritten.
pub(super) fn kept(ptx: &Path) -> PathBuf {
    ptx.with_added_extension("plain")
}

impl Rewriter<'_> {
    /// Rewrites a file of PTX in its place. A build goes on with what the compiler made where that cannot be rewritten, and says so. What ptxas is given
    /// (`assembled`) is kept as the compiler made it beside what is rewritten, under the name of [`kept`].
    ///
    /// # Errors
    /// The file or the report cannot be written.
    pub(super) fn rewrite(
        &self,
        (path, assembled): (&Path, bool),
        source: &Source,
        directives: Option<Directives>,
    ) -> Result<(), Failure> {
        // Nothing is read that nothing would be done with.
        if directives.is_none() && !self.rewrites.ssde {
            return Ok(());
        }
        let Ok(ptx) = fs::read_to_string(path) else { return Ok(()) };
        let collects = directives.is_some();
        let compiled = match directives {
            Some(directives) => directives.compiled(ptx),
            None => Compiled::of_ptx(ptx),
        };
        let compiled = match compiled {
            Ok(compiled) => compiled,
            Err(error) => {
                let what = format!("not rewritten: {}: {error}", source.name);
                self.say([Diagnostic::warning(what).help("this is a defect of pxrw, please report it")]);
                return Ok(());
            }
        };
        self.say(compiled.mistakes.iter().map(mistake));
        self.note_unread(&compiled);
        let mut module = compiled.module.clone();
        let arch = module.target().first().map_or_else(String::new, |word| word.to_string());
        let mut report = NvccReport { file: source.name.clone(), arch, rewritten: false, ccc: None, ssde: None };
        if collects {
            self.collect(&compiled, &mut module, source, (&mut report, !assembled));
        }
        if self.rewrites.ssde {
            self.free(&compiled.module, &mut module, source, &mut report);
        }
        if report.rewritten {
            if assembled {
                output::write(Some(&kept(path)), compiled.ptx.as_bytes())?;
            }
            output::write(Some(path), module.to_string().as_bytes())?;
        }
        self.reports.add(&report)
    }

    /// Keeps in mind what this compilation does not read, to be said after all of them.
    fn note_unread(&self, compiled: &Compiled) {
        let mut unread = self.unread.lock().unwrap_or_else(PoisonError::into_inner);
        unread.left_out.extend(compiled.unread.iter().filter(|one| one.is_left_out()).cloned());
        unread.read.extend(compiled.read.iter().cloned());
    }

    /// Says which directives no compilation has read.
    pub(super) fn say_unread(&self) {
        let Unread { left_out, read } = &*self.unread.lock().unwrap_or_else(PoisonError::into_inner);
        let everywhere = left_out.iter().filter(|one| !read.contains(&(one.file.clone(), one.line)));
        self.say(everywhere.map(|one| ccc::unreached_at(one, ("", ""))));
    }

    /// Collects marked paths.
    fn collect(
        &self,
        compiled: &Compiled,
        module: &mut Module,
        source: &Source,
        (report, checked): (&mut NvccReport, bool),
    ) {
        let options: &[&str] = if self.relocatable { &["-c"] } else { &[] };
        let known = (source.name.as_str(), source.text.as_str());
        let wanted = Wanted { options, reported: self.reports != Reports::None, checked, strict: self.rewrites.strict };
        match ccc::collected(compiled, known, self.toolkit, wanted) {
            Ok((collected, said, messages)) => {
                report.ccc = Some(said);
                // What needs nothing done is no warning of a build.
                self.say(messages.into_iter().filter(|message| message.severity != Severity::Note));
                if let Some(collected) = collected {
                    report.rewritten = true;
                    *module = collected;
                }
            }
            Err(failure) => self.say(failure.diagnostics),
        }
    }

    /// Frees loops that deadlock where lanes meet. `before` is the module as the compiler made it. Where nothing is found in a kernel of it, its loops
    /// are left alone: those that collecting adds wait only for lanes of their own warp that have come to them, which is not seen in the code.
    fn free(&self, before: &Module, module: &mut Module, source: &Source, report: &mut NvccReport) {
        let seen = ssde::Source { name: source.name.clone(), text: source.text.clone(), language: Language::Cuda };
        let files = files(module);
        let with_body = module.kernels().iter().enumerate().filter(|(_, kernel)| kernel.has_body());
        let bodies: Vec<usize> = with_body.map(|(index, _)| index).collect();
        let original = module.clone();
        let callers = SeenByCallers::of(module, ssde::linked(self.relocatable));
        // Only what was collected differs from it.
        let mut uncollected =
            report.rewritten.then(|| (before.clone(), SeenByCallers::of(before, ssde::linked(self.relocatable))));
        let look_at = |index: usize| {
            if let Some((clean, callers)) = &mut uncollected {
                let name = original.kernels().get(index)?.name();
                let is_it = |kernel: &Kernel| kernel.name() == name && kernel.has_body();
                let is_clean = |kernel: &Kernel| find_among(callers, before, kernel).findings.is_empty();
                let same = before.kernels().iter().position(is_it);
                if let Some(same) = same.filter(|&same| before.kernels().get(same).is_some_and(is_clean)) {
                    return seen.look_at(clean, callers, same, &files, false);
                }
            }
            seen.look_at(module, &callers, index, &files, false)
        };
        let kernels: Vec<_> = bodies.into_iter().filter_map(look_at).collect();
        for kernel in kernels.iter().filter(|kernel| !kernel.recheck_clean) {
            let mut messages = seen.explanations(kernel, false);
            if let Some((first, reason)) = messages.first_mut().zip(kernel.reason.as_ref()) {
                first.notes.push(format!("kernel {} is not rewritten: {reason}", kernel.name));
                first.help = None;
            }
            self.say(messages);
        }
        for kernel in kernels.iter().filter(|kernel| kernel.recheck_clean) {
            let assumptions = seen.explain_assumptions(&kernel.assumptions).into_iter();
            let both_ways = kernel.both_ways.iter().map(|entry| seen.explain_both_ways(entry));
            let recursions = kernel.recursions.iter().map(|entry| seen.explain_recursion(entry));
            let notes = assumptions.chain(both_ways).chain(recursions);
            self.say(notes.map(|note| Diagnostic { help: None, ..note }));
        }
        let rewritten = kernels.iter().any(|kernel| kernel.rewritten);
        if rewritten && let Err(failure) = ssde::verify::certified(&original, &module.to_string()) {
            *module = original;
            self.say(failure.diagnostics);
            return;
        }
        report.rewritten |= rewritten;
        report.ssde = Some(SsdeReport::of(kernels));
    }

    /// Says that ptxas does not accept a rewritten text, so that the build goes on with what the compiler made.
    pub(super) fn say_defect(&self, ptx: &str) {
        self.say(ccc::defect(Vec::new().into(), ptx).diagnostics);
    }

    /// Prints messages, each once, as warnings: the build goes on.
    pub(super) fn say(&self, messages: impl IntoIterator<Item = Diagnostic>) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        for message in messages {
            let severity = if message.severity == Severity::Note { Severity::Note } else { Severity::Warning };
            let warning = Diagnostic { severity, ..message };
            if said.insert(format!("{warning:?}")) {
                warning.print();
            }
        }
    }
}
