//! Golden tests: a program and what is expected of it, in one file.
//!
//! A file under `tests/golden/` is a `.cu` or `.ptx` with one idea. Its comments say what is done with it and what must come out:
//!
//! ```text
//! // RUN: ccc --block 256                  annotate, compile, rewrite; also `annotate`, `print` and `ssde` (see Run)
//! // REPORT: region line 9                 the report has this; also REPORT-NEXT, -SAME, -DAG, -NOT
//! // CHECK: vote.sync.any                  the resulting text has this; also CHECK-NEXT, -SAME, -DAG, -NOT
//! // REFUSED: line 12: is used after it    this refusal, at this line of the file, and no other
//! // PTXAS: sm_75 sm_90                    ptxas accepts the result for these architectures, too
//! // LAUNCH: kernel 4 256 i32:7 i32[64]=0  original and result run on every machine of the emulator (see Argument)
//! // EXPECT: same-memory                   what must hold for the launches above (see Expectation)
//! ```
//!
//! Beside the file stands everything that comes out (`NAME.expected`), and of a `.cu` the PTX that nvcc made of it (`NAME.ptx`, see
//! [`crate::saved`]); `PXRW_BLESS=1` writes both. CHECK and REPORT lines say what in it matters.
//!
//! CHECK and REPORT lines are those of the crate `filecheck`: plain text, found in this order; `$$` is a dollar sign, `$(=REGEX)` a regular
//! expression, and a pattern that begins or ends with a letter or digit matches whole words only. A comment in
//! capitals with a colon that is none of these is an error, so that no check is lost to a typing mistake.

mod arguments;
mod launch;
mod matching;
mod report;
mod rewrite;
mod script;
mod ssde;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

pub use arguments::Argument;
pub use launch::Expectation;
pub use script::{Launching, Run, Script};

use rewrite::Outcome;

use crate::saved;

/// Returns the folder of the golden tests.
#[must_use]
pub fn folder() -> PathBuf {
    saved::root().join("golden")
}

/// Runs the tests of some folders of golden tests, by the arguments of the process, and ends it.
pub fn run(folders: &[&str], check: fn(&Path, &str) -> Result<()>) -> ! {
    let check = move |file: &Path, name: &str| check(file, name).map_err(|error| format!("{error:#}"));
    let trials = folders.iter().flat_map(|name| ::golden::trials(&folder(), name, &["cu", "ptx"], check));
    ::golden::run_trials(trials.collect())
}

/// Does what a file says, compares what comes out with what is expected, and runs what it launches. Needs no CUDA. `name` is how messages
/// call the file.
///
/// # Errors
/// Whatever the file expects and does not hold, with both sides of it.
pub fn check(file: &Path, name: &str) -> Result<()> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let script = Script::read(&text)?;
    ensure!(script.checks_something(), "the file expects nothing");
    let outcome = rewrite::run(&script, &text, file, name)?;
    let shown = script::without_script(&outcome.text);
    matching::check("CHECK", &script.checks, &shown)?;
    matching::check("REPORT", &script.report, &outcome.report)?;
    check_refusals(&script, &outcome)?;
    ::golden::hold(file, &outcome.whole()).map_err(anyhow::Error::msg)?;
    for launching in &script.launches {
        launch::check(launching, &outcome)
            .with_context(|| format!("line {}: LAUNCH {}", launching.line, launching.text))?;
    }
    Ok(())
}

/// Has ptxas assemble what comes of a file: for the architectures that it names, and whatever was rewritten for that which it was compiled for.
///
/// # Errors
/// ptxas does not take it.
pub fn assemble(file: &Path) -> Result<()> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let script = Script::read(&text)?;
    let outcome = rewrite::run(&script, &text, file, &file.display().to_string())?;
    let rewritten = matches!(script.run, Run::Ccc(_)) && outcome.is_changed();
    let own = rewritten.then_some(&script.arch).filter(|arch| !script.ptxas.contains(arch));
    for arch in script.ptxas.iter().chain(own) {
        let assembled = saved::toolkit()?.assemble(&outcome.text, arch, "the result");
        assembled.with_context(|| format!("ptxas -arch={arch} refuses the result:\n{}", outcome.text))?;
    }
    Ok(())
}

/// The refusals are those that the file names, each at its line, in any order.
fn check_refusals(script: &Script, outcome: &Outcome) -> Result<()> {
    let mut left = outcome.refusals.clone();
    for expected in &script.refused {
        let found =
            left.iter().position(|refusal| refusal.line == expected.line && refusal.text.contains(&expected.text));
        match found {
            Some(index) => drop(left.remove(index)),
            None => bail!("expected a refusal at line {}: {}\nfound {left:#?}", expected.line, expected.text),
        }
    }
    ensure!(left.is_empty(), "refused, which the file does not expect: {left:#?}");
    Ok(())
}
