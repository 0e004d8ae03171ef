//! `pxrw run`: one launch of a kernel, and what is said about it.

mod finding;
mod findings;
mod source;
mod watch;

use std::fs::File;
use std::io::{BufWriter, stderr};
use std::sync::Arc;

use benchmarks::ssde::labelled;
use device::{
    Checks, Chip, EmulatorOptions, LaunchConfig, Monitor, Occupancy, OutcomeKind, Reconvergence, Selection, Trace,
};

use crate::Verdict;
use crate::arguments::{CheckName, DeviceName, Run, RunReportForm};
use crate::diagnostics::Diagnostic;
use crate::failure::Failure;
use crate::input::{Input, LazyToolkit};
use crate::kernels::{choose, demangle};
use crate::launch_arguments;
use crate::output;
use crate::profile;
use crate::reports::listing::Listing;
use crate::reports::run::RunEntry;
use finding::Finding;
use source::Source;

pub(crate) fn run(options: &Run) -> Result<Verdict, Failure> {
    let input = Input::read(&options.input)?;
    let (name, text, language) = (input.name.clone(), input.text().to_owned(), input.language);
    let compiled = input.compile(&options.arch, &mut LazyToolkit::new(options.cuda_path.as_ref()))?;
    let program = Source { name: &name, text: &text, language, compiled: &compiled };
    let kernel = choose(&compiled.module, options.kernel.as_deref(), &name)?;
    let shown = demangle(kernel.name());
    let arguments = launch_arguments::read(&options.args, kernel, shown.as_deref().unwrap_or(kernel.name()))?;

    let monitor = Arc::new(Monitor::default());
    let (ptx, delayed) = labelled(&compiled.ptx, &options.machine_options.meetings(kernel.name())?);
    let mut device = select(options, &monitor, delayed)?.open().map_err(|error| program.explain(error))?;
    let handle = device.load(&ptx, kernel.name()).map_err(|error| program.explain(error))?;
    let uploaded = launch_arguments::upload(&arguments, device.as_mut())?;
    let config = LaunchConfig { grid: options.grid, block: options.block, dynamic_shared: options.shared };
    let values: Vec<_> = uploaded.iter().map(|uploaded| uploaded.argument).collect();
    let blocks = options.grid.iter().map(|&size| u64::from(size)).product();
    let report = watch::while_watched(&monitor, blocks, || device.launch(handle, &config, &values))
        .map_err(|error| program.explain(error))?;

    let (written, problems) = launch_arguments::save(&arguments, &uploaded, device.as_ref());
    let finding = Finding::of(&report, &program);
    let found =
        report.detail.as_ref().map(|detail| findings::diagnostics(&detail.findings, &program)).unwrap_or_default();
    let verdict = match report.outcome {
        OutcomeKind::Interrupted => Verdict::Interrupted,
        OutcomeKind::Finished if found.is_empty() => Verdict::Done,
        _ => Verdict::Found,
    };
    let entry = RunEntry {
        demangled: shown,
        device: device.name(),
        grid: options.grid,
        block: options.block,
        threads: options.threads,
        file: finding.as_ref().and_then(|finding| finding.place.as_ref()).map(|place| place.file.clone()),
        ptx_line: finding.as_ref().and_then(|finding| finding.ptx_line),
        ptx_digest: profile::digest(&compiled.module),
        written: written.iter().map(|path| path.display().to_string()).collect(),
        report: finding.as_ref().map_or_else(|| report.clone(), |finding| finding.with_line(&report)),
    };
    if options.report != RunReportForm::Json {
        finding.iter().for_each(|finding| finding.diagnostic(report.outcome).print());
        found.iter().for_each(Diagnostic::print);
    }
    // What the kernel printed comes first, as it would on a GPU; in JSON it is a field.
    let printed = report.detail.as_ref().map_or("", |detail| &detail.output);
    let text = match options.report {
        RunReportForm::Text => printed.to_owned() + &entry.text(),
        RunReportForm::Json => output::json(&entry.json())?,
        RunReportForm::Listing => {
            let name = entry.demangled.as_deref().unwrap_or(kernel.name());
            printed.to_owned() + &Listing::of(&report, name, |file| program.listed(file)).text()
        }
    };
    output::write(None, text.as_bytes())?;
    if problems.is_empty() { Ok(verdict) } else { Err(problems.into()) }
}

fn select(options: &Run, monitor: &Arc<Monitor>, delayed: Vec<Reconvergence>) -> Result<Selection, Failure> {
    match options.device {
        DeviceName::Emulator => {
            let resident = options.occupancy.map_or(Occupancy::Chip { registers: None }, Occupancy::Blocks);
            let mut aware = options.machine_options.aware(options.machine.machine())?;
            aware.reconvergence.extend(delayed);
            let checks = Checks {
                races: options.check.contains(&CheckName::Races),
                uninitialised: options.check.contains(&CheckName::Uninitialised),
            };
            Ok(Selection::Emulator(EmulatorOptions {
                machine: options.machine.machine(),
                chip: options.chip.clone().unwrap_or_else(|| chip_of(&options.arch)),
                resident,
                step_budget: options.budget,
                seed: options.machine_options.seed,
                aware,
                threads: options.threads.into(),
                checks,
                trace: trace(options)?,
                trace_values: options.trace_values,
                monitor: Some(Arc::clone(monitor)),
                ..EmulatorOptions::default()
            }))
        }
    }
}

fn chip_of(arch: &str) -> Chip {
    Chip::from_name(arch).unwrap_or_else(|| {
        let chip = EmulatorOptions::default().chip;
        let known: Vec<&str> = Chip::ALL.iter().map(|chip| chip.name).collect();
        Diagnostic::warning(format!(
            "the costs of instructions on {arch} are not known; those of {} are taken",
            chip.name
        ))
        .help(format!("`--chip` names another chip: {}", known.join(", ")))
        .print();
        chip
    })
}

fn trace(options: &Run) -> Result<Option<Trace>, Failure> {
    Ok(match &options.trace {
        None => None,
        Some(None) => Some(Trace::new(BufWriter::new(stderr()))),
        Some(Some(path)) => {
            let file = File::create(path).map_err(|error| {
                let title = format!("cannot write the trace to `{}`: {error}", path.display());
                Diagnostic::error(title).help("name a file that may be written: `--trace=FILE`")
            })?;
            Some(Trace::new(BufWriter::new(file)))
        }
    })
}
