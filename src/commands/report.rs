//! `pxrw report`: shows the results of a GPU that files have.

use std::path::{Path, PathBuf};

use benchmarks::gpu::{GpuReport, SUITE};
use serde::Deserialize;

use super::bench::{make_folder, plot};
use ptx_parser::Position;

use crate::Verdict;
use crate::arguments::Report;
use crate::diagnostics::{Diagnostic, Place};
use crate::failure::Failure;
use crate::output;

pub(crate) fn run(options: &Report) -> Result<Verdict, Failure> {
    if let Some(output) = &options.output {
        check_output(output, &options.inputs)?;
        output::check(Some(output))?;
    }
    let report = joined(&options.inputs)?;
    make_folder(options.plots.as_deref())?;
    plot(options.plots.as_deref(), || report.plots())?;
    output::write(
        options.output.as_deref(),
        report.document().to_text(output::width(options.output.as_deref())).as_bytes(),
    )?;
    Ok(if report.is_complete() { Verdict::Done } else { Verdict::Found })
}

/// Refuses to write tables over the results that they are of.
fn check_output(output: &Path, inputs: &[PathBuf]) -> Result<(), Failure> {
    let real = |path: &Path| path.canonicalize().ok();
    let is_same = |input: &&PathBuf| real(input).is_some() && real(input) == real(output);
    match inputs.iter().find(is_same) {
        None => Ok(()),
        Some(input) => {
            let title = format!("the tables would replace the results in `{}`", input.display());
            Err(Diagnostic::error(title).help("name another file: `-o FILE`").into())
        }
    }
}

/// Reads the results, as one report.
fn joined(files: &[PathBuf]) -> Result<GpuReport, Failure> {
    let mut joined: Option<GpuReport> = None;
    for file in files {
        let report = read(file)?;
        joined = Some(match joined {
            None => report,
            Some(others) => others.join(report).map_err(|reason| {
                let title = format!("`{}` cannot be joined with the results before it: {reason}", file.display());
                Diagnostic::error(title).help("give the times and the counters of one GPU")
            })?,
        });
    }
    joined.ok_or_else(|| Diagnostic::error("no file with results is given").into())
}

/// The beginning of every report of a suite.
#[derive(Deserialize)]
struct Head {
    suite: String,
}

/// Reads the results of a GPU.
fn read(path: &Path) -> Result<GpuReport, Failure> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| {
        Diagnostic::error(format!("cannot read `{name}`: {error}")).help("give a file that `pxrw bench gpu` wrote")
    })?;
    let wrong = |error: serde_json::Error| {
        // The library says the place in its message as well, which stands beside it.
        let message = error.to_string();
        let what = message.rsplit_once(" at line ").map_or(&*message, |(what, _)| what);
        Diagnostic::error(format!("these are not results of a GPU: {what}"))
            .at(Place::in_text(&name, &text, Position::new(error.line(), error.column())))
            .help("give a file that `pxrw bench gpu` wrote, or a suite with `--device gpu --report json`")
    };
    let Head { suite } = serde_json::from_str(&text).map_err(wrong)?;
    if suite != SUITE {
        let title = format!("`{name}` has results of the suite `{suite}`, not of a GPU");
        return Err(Diagnostic::error(title).help("give a file that `pxrw bench gpu` wrote").into());
    }
    Ok(serde_json::from_str(&text).map_err(wrong)?)
}
