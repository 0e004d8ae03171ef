//! `pxrw nvcc`: stands in for nvcc in a build, and rewrites the PTX of each architecture on its way.
//!
//! ```text
//! nvcc --dryrun …      preprocess ── compile ─────────────┬── assemble ── pack ── host ── link
//!                          │                              │
//!                     directives ── compile again ── rewritten kernels
//! ```
//!
//! Where there is nothing to do, without a directive and without `--pxrw=ssde`, nvcc itself takes the place of this process.

mod build;
mod line;
mod rewrite;
mod scan;

use std::collections::HashSet;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Mutex;

use toolkit::{Dryrun, Steps, exit_code};

use crate::arguments::Nvcc;
use crate::diagnostics::Diagnostic;
use crate::failure::Failure;
use crate::input::LazyToolkit;
use crate::reports::nvcc::Reports;
use crate::sources::Sources;
use build::Build;
use line::Line;
use rewrite::Rewriter;

pub(crate) fn run(options: &Nvcc) -> Result<ExitCode, Failure> {
    let chosen = std::env::var("PXRW").ok().filter(|list| !list.is_empty());
    let line = Line::read(&options.arguments, chosen.as_deref())?;
    let mut toolkit = LazyToolkit::new(line.compiler.as_ref());
    let names = line.sources();
    if line.only_asks() || names.is_empty() {
        return Err(become_nvcc(&nvcc(&line, &mut toolkit)?, &line.arguments));
    }
    let scratch = tempfile::Builder::new().prefix("pxrw-nvcc-").tempdir();
    let scratch =
        scratch.map_err(|error| Diagnostic::error(format!("cannot make a folder for temporary files: {error}")))?;
    let marked = scan::may_have_directives(&names, &line.all_words);
    if !marked && !line.rewrites.ssde {
        drop(scratch);
        return Err(become_nvcc(&nvcc(&line, &mut toolkit)?, &line.arguments));
    }
    let sources = Sources::of(&names, scratch.path())?;
    // A signal from the terminal ends the step that is running; what is left of it is for this process to remove.
    let _ = ctrlc::set_handler(|| {});
    let steps = match Steps::of(&nvcc(&line, &mut toolkit)?, &line.untimed(), scratch.path())? {
        Dryrun::Steps(steps) => steps,
        Dryrun::Ended(status, said) => {
            eprint!("{said}");
            return Ok(ExitCode::from(exit_code(status)));
        }
    };
    let rewriter = Rewriter {
        rewrites: line.rewrites,
        toolkit: toolkit.get()?,
        relocatable: line.is_relocatable(),
        reports: Reports::of(std::env::var_os("PXRW_REPORT")),
        said: Mutex::new(HashSet::new()),
    };
    let build = Build { line: &line, steps: &steps, sources: &sources, rewriter: &rewriter, scratch: scratch.path() };
    build.run().map(ExitCode::from)
}

/// The compiler that the command line begins with, or that the toolkit has.
fn nvcc(line: &Line, toolkit: &mut LazyToolkit) -> Result<std::path::PathBuf, Failure> {
    match &line.compiler {
        Some(compiler) => Ok(compiler.clone()),
        None => Ok(toolkit.get()?.nvcc.clone()),
    }
}

/// Goes on as nvcc; comes back only with the reason why that cannot be.
fn become_nvcc(nvcc: &Path, arguments: &[OsString]) -> Failure {
    let error = Command::new(nvcc).args(arguments).exec();
    Diagnostic::error(format!("cannot start {}: {error}", nvcc.display())).into()
}
