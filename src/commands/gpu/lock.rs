//! `pxrw bench lock`: the spin lock of [`benchmarks::hangs`] on the emulator, or on a GPU, where each launch that hangs costs a process.

use std::time::Duration;

use benchmarks::gpu::Options;
use benchmarks::hangs::{Attempt, Case, HangReport, HangRow, cases};
use device::Figures;

use super::budget::Budget;
use super::kernels::Prepared;
use super::session::Session;
use crate::Verdict;
use crate::arguments::{Given, LockSuite, Watched, figures};
use crate::commands::suite::{explain, show};
use crate::diagnostics::Diagnostic;
use crate::failure::Failure;
use crate::input::LazyToolkit;

pub(in crate::commands) fn run(options: &LockSuite) -> Result<Verdict, Failure> {
    let rows = match figures(options.device)? {
        Figures::Counts => emulate(options)?,
        Figures::Times => on_gpu(options)?,
    };
    let report = HangReport { suite: "lock".into(), device: options.device.name().into(), rows };
    show(&report, || report.document(), report.is_as_expected(), options.output.as_deref(), &options.common)
}

fn emulate(options: &LockSuite) -> Result<Vec<HangRow>, Failure> {
    let mut toolkit = LazyToolkit::new(options.common.cuda_path.as_ref());
    let cases = cases(&Attempt::spin_lock(), toolkit.get()?).map_err(explain)?;
    let emulate = |case: Result<Case, String>| {
        let case = case.map_err(|reason| Diagnostic::error(format!("the spin lock cannot be rewritten: {reason}")))?;
        case.emulate().map_err(explain)
    };
    cases.into_iter().map(emulate).collect()
}

fn on_gpu(options: &LockSuite) -> Result<Vec<HangRow>, Failure> {
    let timeout = Duration::from_secs(options.seconds);
    let watched = Watched { ordinal: options.ordinal, timeout: Some(timeout), ncu: None };
    let mut session = Session::open(&watched, &Given::default(), &options.common)?;
    session.hang_timeout = timeout;
    let all = Options { hangs: Attempt::spin_lock(), ..Options::nothing(&session.arch) };
    let prepared = Prepared::compile(&all, options.common.cuda_path.as_ref())?;
    let report = session.time(&all, &prepared, &mut Budget::unlimited(&all), &mut |_, _| ());
    match report.left_out.first() {
        None => Ok(report.hangs),
        Some(one) => Err(Diagnostic::error(format!("{}: {}", one.program, one.reason)).into()),
    }
}
