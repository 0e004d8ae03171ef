//! The code that the suites of `pxrw bench` share on every device.

use std::path::Path;

use benchmarks::Document;
use benchmarks::ccc::Size;
use device::Figures;
use serde::Serialize;

use crate::Verdict;
use crate::arguments::{Common, Sizes};
use crate::diagnostics::{Diagnostic, Place};
use crate::failure::Failure;
use crate::output;

/// Writes a suite's report where it belongs; a wrong result is a finding.
pub(super) fn show(
    report: &impl Serialize,
    document: impl FnOnce() -> Document,
    right: bool,
    output: Option<&Path>,
    common: &Common,
) -> Result<Verdict, Failure> {
    output::write(
        output,
        output::shown(common.report, report, || document().to_text(output::width(output)))?.as_bytes(),
    )?;
    Ok(if right { Verdict::Done } else { Verdict::Found })
}

/// Returns how large the inputs of a suite are.
pub(super) fn size(sizes: &Sizes, figures: Figures) -> Size {
    match (sizes.tasks, figures) {
        (Some(tasks), _) => Size::Tasks(tasks),
        _ if sizes.paper => Size::Paper,
        (None, Figures::Counts) => Size::Emulator,
        (None, Figures::Times) => Size::Gpu,
    }
}

/// Makes a message of what went wrong.
pub(super) fn explain(error: benchmarks::Error) -> Failure {
    match error {
        benchmarks::Error::Toolkit(error) => error.into(),
        benchmarks::Error::Input { at, what, help } => {
            let place = Place { position: at.position, ..Place::file(&at.path.display().to_string()) };
            Diagnostic::error(what).at(place).help(help).into()
        }
        other => Diagnostic::error(other.to_string()).into(),
    }
}
