//! From CUDA source to PTX: as nvcc compiles it, and with the paths collected that its directives mark.
//!
//! ```text
//!                  ┌──────────── as nvcc does it ────────────┐
//! source ── preprocess ──> text ── compile ──> plain PTX ──────────┬── splice ──> plain PTX, but for rewritten kernels
//!             │              │                                     │
//!             └ -C ─> comments: directives                         │
//!                            └── annotate ── compile ──> marked PTX ── ccc
//! ```
//!
//! Everything that is not rewritten is from the plain PTX, byte for byte: markers hold the compiler back, and nobody pays for a path that is declined.
//! The text is marked in several ways ([`Marking`]), because what the compiler makes of a loop depends on whether it may unroll it. Each
//! kernel is taken from the way of which most paths can be collected.
//!
//! The host's part of a program is compiled from the source as it is.

#![warn(clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::indexing_slicing))]

mod directives;
mod error;
mod internal_names;
mod marked;
mod rewrite;
mod saved;
mod text;

use std::collections::BTreeSet;
use std::path::PathBuf;

pub use annotate::Marking;
pub use directives::{Located, Mistake, Preprocessed, Unreached};
pub use error::Error;
pub use rewrite::{Report, Rewritten};
pub use saved::{Saved, SavedMarked};

use directives::Found;
use marked::{Job, Marked, Origin};
use ptx_parser::Module;
use toolkit::{CudaSource, Message, PtxSteps, Scratch, Step, Steps, Toolkit};

/// A translation unit that was compiled for one architecture.
#[derive(Debug)]
pub struct Compiled {
    /// The PTX that nvcc makes of the source, byte for byte.
    pub ptx: String,
    /// The same, read.
    pub module: Module,
    /// The directives that mark something, in textual order; the number of each in markers is its index and one.
    pub directives: Vec<Located>,
    /// Mistakes in directives, which mark nothing therefore.
    pub mistakes: Vec<Mistake>,
    /// The directives in the files of the unit that are not in what the compiler reads.
    pub unread: Vec<Unreached>,
    /// The files and lines of all that the compiler reads as a directive, with and without mistakes.
    pub read: BTreeSet<(String, usize)>,
    /// Tells whether other modules may be linked with this one: true for a text in PTX, which does not say it.
    pub may_be_linked: bool,
    marked: Vec<Marked>,
    origin: Origin,
    /// The folders in which something may be compiled.
    _kept: Option<(Scratch, PtxSteps)>,
}

impl Compiled {
    /// A module that was read from PTX, in which markers may stand already.
    ///
    /// # Errors
    /// [`Error::Ptx`].
    pub fn of_ptx(ptx: String) -> Result<Compiled, Error> {
        let module = match Module::parse(&ptx) {
            Ok(module) => module,
            Err(errors) => return Err(Error::Ptx { text: ptx, errors }),
        };
        Ok(Compiled {
            ptx,
            module,
            directives: Vec::new(),
            mistakes: Vec::new(),
            unread: Vec::new(),
            read: BTreeSet::new(),
            may_be_linked: true,
            marked: Vec::new(),
            origin: Origin::Ptx,
            _kept: None,
        })
    }

    /// The module with markers, as the first way to mark leaves it; the module itself where nothing is marked.
    ///
    /// # Errors
    /// The compiler does not take the markers.
    pub fn marked_module(&self) -> Result<&Module, String> {
        let Some(marked) = self.marked.first() else { return Ok(&self.module) };
        let taken = marked.module(&self.origin, &self.directives, &self.ptx);
        taken.map(|taken| &taken.module).map_err(str::to_owned)
    }
}

/// The directives in what a step of a build is about to compile.
#[derive(Debug)]
pub struct Directives {
    directives: Vec<Located>,
    mistakes: Vec<Mistake>,
    unread: Vec<Unreached>,
    read: BTreeSet<(String, usize)>,
    marked: Vec<Marked>,
    origin: Origin,
}

impl Directives {
    /// Finds the directives in what `compile` compiles, which was preprocessed already; `None` if there is none. Temporary files go to `folder`.
    ///
    /// # Errors
    /// A shell that cannot be started.
    pub fn of(
        preprocessed: Preprocessed,
        steps: &Steps,
        compile: &Step,
        folder: PathBuf,
    ) -> Result<Option<Directives>, Error> {
        let Some(found) = directives::find(preprocessed, steps, compile, &folder)? else { return Ok(None) };
        let marked = found.texts.into_iter().map(|(marking, text)| Marked::new(marking, text)).collect();
        let job = Job { steps: steps.clone(), compile: compile.clone(), folder, source: found.source };
        let Found { directives, mistakes, unread, seen, .. } = found;
        Ok(Some(Directives {
            directives,
            mistakes,
            unread,
            read: seen.unwrap_or_default().into_keys().collect(),
            marked,
            origin: Origin::Compiler(Box::new(job)),
        }))
    }

    /// Compiles the text that is marked in the first way, which may go on beside the compilation without markers.
    pub fn compile_first(&self) {
        if let Some(marked) = self.marked.first() {
            // What comes of it is asked for later.
            let _ = marked.ptx(&self.origin, &self.directives);
        }
    }

    /// The unit, once the compiler has made `ptx` of it.
    ///
    /// # Errors
    /// [`Error::Ptx`].
    pub fn compiled(self, ptx: String) -> Result<Compiled, Error> {
        let compiled = Compiled::of_ptx(ptx)?;
        let Directives { directives, mistakes, unread, read, marked, origin } = self;
        Ok(Compiled { directives, mistakes, unread, read, marked, origin, ..compiled })
    }
}

/// Returns a source with directives that are spelled `#CCC …` in comments; `None` if there is none. Works on bytes of any encoding.
#[must_use]
pub fn with_directives_in_comments(source: Vec<u8>) -> Option<Vec<u8>> {
    let text = text::Text::of(source);
    annotate::in_comments(&text.text).map(|changed| text.bytes(changed))
}

/// The marked text of the files with directives.
#[derive(Debug)]
pub struct Annotated {
    /// The parts of the marked text that are from these files, with line markers where they are from another place.
    pub text: String,
    /// Mistakes in directives.
    pub mistakes: Vec<Mistake>,
}

/// Puts markers into a source, as [`compile`] does, and goes no further.
///
/// # Errors
/// The preprocessor rejects the source; files cannot be written.
pub fn annotated(
    source: &CudaSource,
    arch: &str,
    options: &[std::ffi::OsString],
    toolkit: &Toolkit,
) -> Result<Annotated, Error> {
    let job = toolkit.ptx_steps(&spelled(source), arch, options)?;
    let scratch = Scratch::new()?;
    for step in &job.steps.steps {
        if step.ptx().is_some() {
            let preprocessed = Preprocessed::take(&job.steps, step);
            let Some(found) = directives::find(preprocessed, &job.steps, step, scratch.path())? else { break };
            return Ok(Annotated { text: found.shown(), mistakes: found.mistakes });
        }
        job.run(step)?;
    }
    Ok(Annotated { text: String::new(), mistakes: Vec::new() })
}

/// The source with directives in comments, which every preprocessor lets pass.
fn spelled(source: &CudaSource) -> CudaSource {
    match annotate::in_comments(&source.text) {
        Some(text) => source.clone().rewritten(text),
        None => source.clone(),
    }
}

/// Compiles a source for one architecture, with `-lineinfo -O3` unless `options` says otherwise. Returns what the compiler says beside it.
///
/// # Errors
/// The compiler rejects the source; files cannot be written.
pub fn compile(
    source: &CudaSource,
    arch: &str,
    options: &[std::ffi::OsString],
    toolkit: &Toolkit,
) -> Result<(Compiled, Vec<Message>), Error> {
    let job = toolkit.ptx_steps(&spelled(source), arch, options)?;
    let scratch = Scratch::new()?;
    let mut messages = Vec::new();
    let mut directives = None;
    for step in &job.steps.steps {
        if step.ptx().is_none() {
            messages.extend(job.run(step)?);
            continue;
        }
        let preprocessed = Preprocessed::take(&job.steps, step);
        let (ran, found) = std::thread::scope(|scope| {
            let marked = scope.spawn(|| {
                let found = Directives::of(preprocessed, &job.steps, step, scratch.path().to_owned())?;
                found.iter().for_each(Directives::compile_first);
                Ok::<_, Error>(found)
            });
            (job.run(step), marked.join())
        });
        messages.extend(ran?);
        directives = found.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
    }
    let ptx = job.ptx()?;
    let may_be_linked = job.steps.steps.iter().any(Step::is_relocatable);
    let compiled = match directives {
        Some(directives) => Compiled { _kept: Some((scratch, job)), ..directives.compiled(ptx)? },
        None => Compiled::of_ptx(ptx)?,
    };
    Ok((Compiled { may_be_linked, ..compiled }, messages))
}
