//! `pxrw bench bfs|ccc|ssde --device gpu` and `pxrw bench efficiency`: a suite is timed, and counted where Nsight Compute is found.

use benchmarks::efficiency::{self, EfficiencyReport};
use benchmarks::gpu::{GpuReport, Options};
use toolkit::Profiler;

use super::budget::Budget;
use super::kernels::Prepared;
use super::session::{Measured, Session};
use crate::Verdict;
use crate::arguments::{Common, EfficiencySuite, Given, Timing};
use crate::commands::suite::{explain, show};
use crate::diagnostics::Diagnostic;
use crate::failure::Failure;

/// Times and counts the programs that `fill` puts into the options. A missing GPU is an error before anything is compiled.
pub(in crate::commands) fn measure(
    timing: &Timing,
    given: &Given,
    common: &Common,
    fill: impl FnOnce(&mut Options) -> Result<(), Failure>,
) -> Result<GpuReport, Failure> {
    let session = Session::open(&timing.watched, given, common)?;
    let mut options = session.nothing(timing);
    fill(&mut options)?;
    options.check().map_err(explain)?;
    let profiler = if timing.no_ncu { Err("`--no-ncu` was given".to_owned()) } else { session.profiler()? };
    let prepared = Prepared::compile(&options, common.cuda_path.as_ref())?;
    let mut report = session.time(&options, &prepared, &mut Budget::unlimited(&options), &mut |_, _| ());
    let counted = profiler.and_then(|profiler| {
        let counted =
            session.count(&options, &prepared, &profiler, &mut Budget::unlimited(&options), &mut |_, _| ())?;
        Ok((profiler.version, counted))
    });
    let note = match counted {
        Ok((version, counted)) => {
            report.adopt_counts(&counted);
            report.left_out.extend(counted.left_out);
            format!("warp execution efficiency is of a run that was not timed, by Nsight Compute {version}")
        }
        Err(reason) => format!("warp execution efficiency is not measured: {reason}"),
    };
    report.note(note);
    Ok(report)
}

/// Compares the emulator's warp execution efficiency with the one that Nsight Compute measures.
pub(in crate::commands) fn agreement(options: &EfficiencySuite) -> Result<Verdict, Failure> {
    let EfficiencySuite { given, tasks, output, common, watched } = options;
    let session = Session::open(watched, given, common)?;
    let refused = |reason: String| {
        let help = help_for(&reason);
        Diagnostic::error(format!("warp execution efficiency is not measured: {reason}")).help(help)
    };
    let profiler = session.profiler()?.map_err(refused)?;
    let options = efficiency::options(&session.arch, *tasks);
    options.check().map_err(explain)?;
    let prepared = Prepared::compile(&options, common.cuda_path.as_ref())?;
    let report =
        compare(&session, &options, &prepared, &profiler, &mut Budget::unlimited(&options)).map_err(refused)?;
    show(&report, || report.document(), report.is_complete(), output.as_deref(), common)
}

/// Returns the remedy where Nsight Compute counts nothing.
pub(super) fn help_for(reason: &str) -> &'static str {
    if reason.contains("ERR_NVGPUCTRPERM") {
        "run as administrator, or have the administrator set NVreg_RestrictProfilingToAdminUsers=0 for the driver's kernel module"
    } else if reason.contains("not found") {
        "Nsight Compute comes with the CUDA toolkit; `--ncu` names its program `ncu`"
    } else {
        "`ncu` itself, on any CUDA program, may say more"
    }
}

/// Counts the units on the GPU and on the emulator at the same time, and compares them.
pub(super) fn compare(
    session: &Session<'_>,
    options: &Options,
    prepared: &Prepared,
    profiler: &Profiler,
    budget: &mut Budget,
) -> Measured<EfficiencyReport> {
    if budget.is_over() {
        return Err("there was no time left".to_owned());
    }
    let summary = session.summary();
    let (emulated, counted) = std::thread::scope(|scope| {
        let emulated = scope.spawn(|| efficiency::emulate(options, &summary, &prepared.kernels));
        let counted = session.count(options, prepared, profiler, budget, &mut |_, _| ());
        (emulated.join(), counted)
    });
    let (counted, emulated) = (counted?, emulated.map_err(|_| "the emulator ended with a panic".to_owned())?);
    let (rows, left_out) = efficiency::compare(&counted, &emulated);
    let (suite, device, version) = ("efficiency".into(), counted.device, profiler.version.clone());
    Ok(EfficiencyReport { suite, device, arch: prepared.kernels.arch.clone(), profiler: version, rows, left_out })
}
