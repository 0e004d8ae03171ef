//! `pxrw run`: one launch of a kernel, and what is said about it.

mod branch_orders;
mod finding;
mod findings;
pub(super) mod source;
mod trace_file;
mod watch;

use std::sync::Arc;
use std::thread;

use benchmarks::ssde::labelled;
use device::{
    Checks, Chip, DeviceName, EmulatorOptions, GpuOptions, LaunchConfig, Machine, Monitor, Occupancy, OutcomeKind,
    Reconvergence, RunReport, SHARED_WITHOUT_OPT_IN, Selection, TranslatedOptions,
};

use frontend::Compiled;
use ptx_parser::{Kernel, Module, Space};
use toolkit::Scratch;

use super::compiling::while_compiling;
use crate::Verdict;
use crate::arguments::{CheckName, CpuArguments, Run, RunReportForm};
use crate::diagnostics::{Diagnostic, Severity};
use crate::failure::Failure;
use crate::input::{Input, Language, LazyToolkit, failed, refuse_errors};
use crate::kernels::{choose, demangle};
use crate::launch_arguments;
use crate::output;
use crate::profile;
use crate::reports::listing::Listing;
use crate::reports::run::RunEntry;
use finding::Finding;
use source::Source;
use trace_file::Traced;

pub(crate) fn run(options: &Run) -> Result<Verdict, Failure> {
    check(options)?;
    let on = options.device.description();
    let input = Input::read(&options.input)?;
    let (name, text, language) = (input.name.clone(), input.text().to_owned(), input.language);
    let compiler = input.options(&options.compiler, &options.arch)?;
    let compiled = input.compile(&options.arch, &compiler, &mut LazyToolkit::new(options.cuda_path.as_ref()))?;
    if language == Language::Ptx {
        refuse_errors(&name, &text, &compiled.module)?;
    }
    let compiled = if options.marked { marked(&compiled, &name)? } else { compiled };
    let program = Source { name: &name, text: &text, language, compiled: &compiled };
    let kernel = choose(&compiled.module, options.kernel.as_deref(), &name)?;
    let shown = demangle(kernel.name());
    // A device with memory of its own says itself when that is short.
    let available = if on.is_in_process { launch_arguments::available_memory() } else { None };
    let known = launch_arguments::Known {
        demangled: shown.as_deref(),
        source: (language == Language::Cuda).then_some(text.as_str()),
    };
    let arguments = launch_arguments::read(&options.args, kernel, known, available)?;

    let monitor = Arc::new(Monitor::default());
    let (ptx, delayed) = labelled(&compiled.ptx, &options.emulator.machine_options.meetings(kernel.name())?);
    let shape_help = shape_help(&compiled.module, kernel, options);
    let trace = Traced::of(&options.emulator.trace)?;
    let scratch = scratch(options.device)?;
    let mut device = select(options, &monitor, delayed, (available, scratch.as_ref()), trace.as_ref())?
        .open()
        .map_err(|error| program.explain(error, shape_help))?;
    let mut load = || device.load(&ptx, kernel.name());
    let handle = if scratch.is_some() { while_compiling(load) } else { load() };
    let handle = handle.map_err(|error| program.explain(error, shape_help))?;
    // A kernel that ends the process by a wrong access leaves nothing behind.
    drop(scratch);
    let notes = device.remarks().to_vec();
    if options.report != RunReportForm::Json {
        notes.iter().for_each(|remark| Diagnostic::remark(remark).print());
    }
    let uploaded = launch_arguments::upload(&arguments, device.as_mut())?;
    let config = LaunchConfig {
        grid: options.grid,
        block: options.block,
        dynamic_shared: options.shared,
        opt_in_shared: options.opt_in_shared,
        cooperative: options.cooperative,
    };
    let values: Vec<_> = uploaded.iter().map(|uploaded| uploaded.argument.clone()).collect();
    let blocks = options.grid.iter().map(|&size| u64::from(size)).product();
    let mut launch = || device.launch(handle, &config, &values);
    let report = if on.can_stop { watch::while_watched(&monitor, blocks, launch) } else { launch() };
    let report = report.map_err(|error| program.explain(error, shape_help))?;

    let lost = !on.keeps_memory && report.outcome != OutcomeKind::Finished;
    let (written, mut problems) =
        if lost { Default::default() } else { launch_arguments::save(&arguments, &uploaded, device.as_ref()) };
    problems.extend(trace.and_then(Traced::problem));
    let finding = Finding::of(&report, &program);
    let found =
        report.detail.as_ref().map(|detail| findings::diagnostics(&detail.findings, &program)).unwrap_or_default();
    let orders = match report.outcome {
        OutcomeKind::Finished if tries_orders(options, &compiled, kernel) => {
            let ran = (options.emulator.machine_options.seed, report.counts.warp_instructions.unwrap_or(0));
            branch_orders::compare(ran, &program, |seed, budget| {
                let again = emulator_options(options, &monitor, Vec::new(), None)?;
                let budget = if again.step_budget == 0 { budget } else { budget.min(again.step_budget) };
                let again = EmulatorOptions { seed, step_budget: budget, memory_bytes: available, ..again };
                let explain = |error| program.explain(error, shape_help);
                let mut device = Selection::Emulator(again).open().map_err(explain)?;
                let handle = device.load(&ptx, kernel.name()).map_err(explain)?;
                let uploaded = launch_arguments::upload(&arguments, device.as_mut())?;
                let values: Vec<_> = uploaded.iter().map(|uploaded| uploaded.argument.clone()).collect();
                watch::while_watched(&monitor, blocks, || device.launch(handle, &config, &values)).map_err(explain)
            })?
        }
        _ => Vec::new(),
    };
    let said = orders.iter().map(|order| order.title.clone());
    let notes: Vec<String> = notes.into_iter().chain(said).collect();
    let entry = RunEntry {
        demangled: shown,
        device: device.name(),
        grid: options.grid,
        block: options.block,
        threads: host_threads(options),
        file: finding.as_ref().and_then(|finding| finding.place.as_ref()).map(|place| place.file.clone()),
        ptx_line: finding.as_ref().and_then(|finding| finding.ptx_line),
        ptx_digest: profile::digest(&compiled.module),
        written: written.iter().map(|path| path.display().to_string()).collect(),
        notes,
        report: finding.as_ref().map_or_else(|| report.clone(), |finding| finding.with_line(&report)),
    };
    if options.report != RunReportForm::Json {
        finding.iter().for_each(|finding| finding.diagnostic(&report, on).print());
        found.iter().chain(&orders).for_each(Diagnostic::print);
    }
    if lost && arguments.iter().any(|argument| argument.save_paths().next().is_some()) {
        Diagnostic::warning("no buffer is written: what is in the GPU's memory is lost after such a launch").print();
    }
    output::write(None, written_out(&entry, &report, options.report, &program)?.as_bytes())?;
    if !on.can_stop && report.outcome == OutcomeKind::Budget {
        device::exit_now(Verdict::Found as u8);
    }
    let nothing_wrong = found.iter().all(|found| found.severity != Severity::Error);
    if problems.is_empty() { Ok(verdict(report.outcome, nothing_wrong)) } else { Err(problems.into()) }
}

/// Returns true if a launch that ended may end otherwise where the other sides of branches run first: on `stack`, if a loop waits for lanes of its own warp.
fn tries_orders(options: &Run, compiled: &Compiled, kernel: &Kernel) -> bool {
    options.device.description().has_machines
        && options.emulator.machine == Machine::Stack
        && !ssde_ptx::find(&compiled.module, kernel).findings.is_empty()
}

/// Returns what `pxrw ccc` rewrites of a file: its kernels with the markers of their directives.
fn marked(compiled: &Compiled, name: &str) -> Result<Compiled, Failure> {
    let problem = |problem| Diagnostic::error(format!("`{name}` cannot be run with its markers: {problem}"));
    let ptx = compiled.marked_module().map_err(problem)?.to_string();
    Compiled::of_ptx(ptx).map_err(|error| failed(name, error))
}

/// Says what to do about a launch whose shape is not possible.
fn shape_help(module: &Module, kernel: &Kernel, options: &Run) -> &'static str {
    let outside = module.variables().iter().filter(|variable| variable.space == Space::Shared);
    let declared = outside.map(|variable| variable.bytes()).sum::<u64>() + kernel.declared_bytes(Space::Shared);
    // With more than any chip has, no opt-in helps.
    let most = Chip::ALL.iter().map(Chip::most_shared_of_block).max().unwrap_or_default();
    let shared = declared + u64::from(options.shared);
    let much_shared = shared > u64::from(SHARED_WITHOUT_OPT_IN) && shared <= u64::from(most);
    let threads: u64 = options.block.iter().map(|&size| u64::from(size)).product();
    match (kernel.cluster_blocks(), kernel.max_threads()) {
        (Some(blocks), _) if blocks > 1 && !options.device.description().has_clusters => {
            "remove `__cluster_dims__` from the kernel, in PTX `.reqnctapercluster`, or ask for clusters of one block"
        }
        (_, Some(most)) if threads > u64::from(most) => {
            "use a smaller `--block`, or change `__launch_bounds__` of the kernel, in PTX `.maxntid` or `.reqntid`"
        }
        _ if much_shared && !options.opt_in_shared => {
            "add `--opt-in-shared`, as the program must call `cudaFuncSetAttribute`; or use less `--shared`"
        }
        _ if options.cooperative => {
            "change `--grid`, `--block` or `--shared`, so that all blocks are resident, or leave `--cooperative` out"
        }
        _ => "change `--grid`, `--block` or `--shared`",
    }
}

fn verdict(outcome: OutcomeKind, nothing_found: bool) -> Verdict {
    match outcome {
        OutcomeKind::Interrupted => Verdict::Interrupted,
        OutcomeKind::Finished if nothing_found => Verdict::Done,
        _ => Verdict::Found,
    }
}

/// The report in the form that was asked for. What the kernel printed comes first, as it would on a GPU; in JSON it is a field.
fn written_out(
    entry: &RunEntry,
    report: &RunReport,
    form: RunReportForm,
    program: &Source<'_>,
) -> Result<String, Failure> {
    let printed = report.output();
    Ok(match form {
        RunReportForm::Text => printed.to_owned() + &entry.text(),
        RunReportForm::Json => output::json(&entry.json())?,
        RunReportForm::Listing => {
            let name = entry.demangled.as_deref().unwrap_or(&report.kernel);
            printed.to_owned() + &Listing::of(report, name, |file| program.listed(file)).text()
        }
    })
}

/// Refuses what the device does not understand, before a compiler is fetched.
fn check(options: &Run) -> Result<(), Failure> {
    options.given.check(options.device)?;
    let on = options.device.description();
    if !on.counts && options.report == RunReportForm::Listing {
        let title = format!("`--report listing` shows what each line costs, which {} does not count", on.noun);
        return Err(Diagnostic::error(title).help("take `--report text` or `json`, or `--device emulator`").into());
    }
    if on.has_machines {
        options.emulator.machine_options.aware(options.emulator.machine)?;
    }
    Ok(())
}

/// Returns the number of host threads that run the kernel; none where no host thread does.
fn host_threads(options: &Run) -> Option<u16> {
    let cores = || thread::available_parallelism().ok().and_then(|cores| u16::try_from(cores.get()).ok());
    match options.device {
        DeviceName::Emulator => Some(options.host.threads.unwrap_or(1)),
        DeviceName::Cpu => options.host.threads.or_else(cores),
        DeviceName::Gpu => None,
    }
}

/// Makes the folder for the temporary files that a device needs to load kernels, if it does. It goes away with the result, or with the process.
fn scratch(device: DeviceName) -> Result<Option<Scratch>, Failure> {
    match device {
        DeviceName::Emulator | DeviceName::Gpu => Ok(None),
        DeviceName::Cpu => Ok(Some(Scratch::new()?)),
    }
}

/// The device with its settings. `available` bytes are what its memory may take, if it is that of this process.
fn select(
    options: &Run,
    monitor: &Arc<Monitor>,
    delayed: Vec<Reconvergence>,
    (available, scratch): (Option<u64>, Option<&Scratch>),
    trace: Option<&Traced>,
) -> Result<Selection, Failure> {
    match options.device {
        DeviceName::Emulator => {
            let settings = emulator_options(options, monitor, delayed, trace)?;
            Ok(Selection::Emulator(EmulatorOptions { memory_bytes: available, ..settings }))
        }
        DeviceName::Cpu => {
            let CpuArguments { sync, cc } = &options.cpu;
            Ok(Selection::Cpu(TranslatedOptions {
                sync: *sync,
                threads: options.host.threads.map_or(0, u32::from),
                cc: cc.clone(),
                scratch: scratch.map(|scratch| scratch.path().to_owned()),
                memory_bytes: available,
                ..TranslatedOptions::default()
            }))
        }
        DeviceName::Gpu => {
            let (ordinal, timeout) = (options.gpu.ordinal, options.gpu.timeout);
            Ok(Selection::Gpu(GpuOptions { ordinal, timeout, ..GpuOptions::default() }))
        }
    }
}

fn emulator_options(
    options: &Run,
    monitor: &Arc<Monitor>,
    delayed: Vec<Reconvergence>,
    trace: Option<&Traced>,
) -> Result<EmulatorOptions, Failure> {
    let arguments = &options.emulator;
    let resident = arguments.occupancy.map_or(Occupancy::Chip { registers: None }, Occupancy::Blocks);
    let mut aware = arguments.machine_options.aware(arguments.machine)?;
    aware.reconvergence.extend(delayed);
    let checks = Checks {
        races: arguments.check.contains(&CheckName::Races),
        uninitialised: arguments.check.contains(&CheckName::Uninitialised),
        undefined: true,
    };
    Ok(EmulatorOptions {
        machine: arguments.machine,
        chip: arguments.chip.clone().unwrap_or_else(|| chip_of(&options.arch)),
        resident,
        step_budget: arguments.budget,
        seed: arguments.machine_options.seed,
        aware,
        threads: options.host.threads.unwrap_or(1).into(),
        checks,
        trace: trace.map(Traced::writer),
        trace_values: arguments.trace_values,
        monitor: Some(Arc::clone(monitor)),
        ..EmulatorOptions::default()
    })
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
