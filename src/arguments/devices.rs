//! Options of `pxrw run` and `pxrw bench` that one device alone understands, and what is said when another one is given them.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use device::{Chip, DeviceName, Figures, Machine};

use cpu::Sync;

use super::common::CheckName;
use super::enum_choice::one_of;
use crate::diagnostics::Diagnostic;
use crate::failure::Failure;
use crate::machine_options::MachineOptions;

/// Options that only the emulator takes.
#[derive(Args, Debug)]
#[command(next_help_heading = "Options of the emulator")]
pub(crate) struct EmulatorArguments {
    /// The SIMT machine
    #[arg(long, value_parser = one_of(Machine::ALL, Machine::name, Machine::about), default_value = "its")]
    pub(crate) machine: Machine,
    /// Emulated chip: decides how many blocks are resident and what instructions cost; that of `--arch` if not given
    #[arg(long, value_parser = chip())]
    pub(crate) chip: Option<Chip>,
    /// Number of blocks resident at a time on all multiprocessors together; as many as the chip holds if not given
    #[arg(long, value_name = "BLOCKS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) occupancy: Option<u32>,
    #[command(flatten)]
    pub(crate) machine_options: MachineOptions,
    /// Limit of warp instructions after which the launch is given up; 0 is no limit
    #[arg(long, value_name = "STEPS", default_value_t = 10_000_000_000)]
    pub(crate) budget: u64,
    /// Check accesses to memory; the launch takes several times as long
    #[arg(long, value_enum, value_delimiter = ',', value_name = "CHECKS")]
    pub(crate) check: Vec<CheckName>,
    /// Write one line per warp instruction, to standard error if no file is given
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    pub(crate) trace: Option<Option<PathBuf>>,
    /// Show the register values of the first active lane in the trace
    #[arg(long, requires = "trace")]
    pub(crate) trace_values: bool,
}

/// Options of the devices that run kernels on threads of this program.
#[derive(Args, Debug)]
#[command(next_help_heading = "Options of the emulator and the CPU")]
pub(crate) struct HostArguments {
    /// Number of host threads; if not given, one on the emulator, and as many as there are cores on the CPU. `--check` and `--trace` use one
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
}

/// Options of the translation to C, and of what compiles it.
#[derive(Args, Debug)]
#[command(next_help_heading = "Options of the CPU")]
pub(crate) struct CpuArguments {
    /// The implicit synchronisation of the lanes of a warp
    #[arg(long, value_parser = one_of(Sync::ALL, Sync::name, Sync::about), default_value = "splitting")]
    pub(crate) sync: Sync,
    /// The C compiler, with its options if it needs some; if not given, that of the variable `CC`, else `cc`, `gcc` or `clang`
    #[arg(long, value_name = "COMMAND")]
    pub(crate) cc: Option<PathBuf>,
}

/// Options that only a GPU takes.
#[derive(Args, Debug)]
#[command(next_help_heading = "Options of a GPU")]
pub(crate) struct GpuArguments {
    /// Index of the GPU, from 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) ordinal: u32,
    /// Time limit of the launch, in seconds; no limit if not given
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<Duration>,
}

/// Options that only a suite on a GPU takes.
#[derive(Args, Debug)]
#[command(next_help_heading = "Options of a GPU")]
pub(crate) struct Timing {
    /// Number of timed runs of each variant, in turn with the others
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) runs: u32,
    /// Number of untimed runs of each variant before the timed ones
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub(crate) warmup: u32,
    /// Do not use Nsight Compute: warp execution efficiency is not measured
    #[arg(long, conflicts_with = "ncu")]
    pub(crate) no_ncu: bool,
    #[command(flatten)]
    pub(crate) watched: Watched,
}

/// Options of every run on a GPU that has a time limit and that Nsight Compute can profile.
#[derive(Args, Debug)]
#[command(next_help_heading = "Options of a GPU")]
pub(crate) struct Watched {
    /// Index of the GPU, from 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) ordinal: u32,
    /// Time limit of a launch, in seconds, after which its process is ended; 60 if not given, in `bench gpu` 20
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<Duration>,
    /// Path of Nsight Compute's program `ncu`, which counts in a run that is not timed; if not given, searched on PATH, in the CUDA toolkit and under
    /// /opt/nvidia
    #[arg(long, value_name = "FILE")]
    pub(crate) ncu: Option<PathBuf>,
}

/// The options that the user has written, those with a default among them. It stands before all others in its command: they are
/// taken away as they are read.
#[derive(Debug, Default)]
pub(crate) struct Given(Vec<String>);

impl Given {
    /// Refuses options that the device which is to run the kernel does not take, and another one does.
    pub(crate) fn check(&self, device: DeviceName) -> Result<(), Failure> {
        self.refuse(device, options_of_run)
    }

    /// The same for a suite of benchmarks. Returns the figures that it takes on the device.
    pub(crate) fn check_suite(&self, device: DeviceName) -> Result<Figures, Failure> {
        self.refuse(device, options_of_suites)?;
        figures(device)
    }

    /// Returns true if the user has written an option, by its name.
    pub(crate) fn names(&self, long: &str) -> bool {
        self.0.iter().any(|id| id == long)
    }

    fn refuse(&self, device: DeviceName, options: fn(DeviceName) -> Own) -> Result<(), Failure> {
        let (word, own) = (device.name(), options(device));
        let mut errors = Vec::new();
        let mut refused = BTreeSet::new();
        for Own { options, elsewhere } in DeviceName::ALL.iter().map(|&other| options(other)) {
            let is_own = |arg: &clap::Arg| own.options.get_arguments().any(|other| other.get_id() == arg.get_id());
            let wrong = options.get_arguments().filter(|arg| self.names(arg.get_id().as_str()) && !is_own(arg));
            // Several other devices may take it.
            let fresh = wrong.filter_map(clap::Arg::get_long).filter(|long| refused.insert((*long).to_owned()));
            errors.extend(fresh.map(|long| {
                Diagnostic::error(format!("`--{long}` does not apply to `--device {word}`")).help(elsewhere)
            }));
        }
        if errors.is_empty() { Ok(()) } else { Err(errors.into()) }
    }
}

/// The options that only some devices take.
struct Own {
    options: Command,
    /// The advice where they are given for a device that does not take them.
    elsewhere: &'static str,
}

/// Returns the options of `pxrw run` that a device takes and not every one does.
fn options_of_run(device: DeviceName) -> Own {
    let run = Command::new("run");
    match device {
        DeviceName::Emulator => Own {
            options: HostArguments::augment_args(EmulatorArguments::augment_args(run)),
            elsewhere: "only the emulator has machines, a chip, checks, traces and a budget of steps: leave it out, or run on `--device emulator`",
        },
        DeviceName::Cpu => Own {
            options: HostArguments::augment_args(CpuArguments::augment_args(run)),
            elsewhere: "only `--device cpu` takes it",
        },
        DeviceName::Gpu => Own { options: GpuArguments::augment_args(run), elsewhere: "only `--device gpu` takes it" },
    }
}

/// The same for the suites of `pxrw bench`.
fn options_of_suites(device: DeviceName) -> Own {
    let bench = Command::new("bench");
    match device {
        DeviceName::Emulator => Own {
            options: bench.arg(clap::Arg::new("machine").long("machine")),
            elsewhere: "a GPU is its own machine: leave it out, or run on `--device emulator`",
        },
        DeviceName::Cpu => Own { options: bench, elsewhere: "leave it out" },
        DeviceName::Gpu => Own { options: Timing::augment_args(bench), elsewhere: "only `--device gpu` takes it" },
    }
}

/// Returns the figures that suites take on a device.
///
/// # Errors
/// They do not run on it.
pub(crate) fn figures(device: DeviceName) -> Result<Figures, Failure> {
    let runs = |device: &&DeviceName| device.description().suites.is_some();
    device.description().suites.ok_or_else(|| {
        let others: Vec<String> = DeviceName::ALL.iter().filter(runs).map(|one| format!("`{}`", one.name())).collect();
        let title = format!("no suite of `pxrw bench` runs on `--device {}`", device.name());
        let help = format!("they run on {}; `pxrw bench cpu` measures the CPU", others.join(" and "));
        Diagnostic::error(title).help(help).into()
    })
}

impl FromArgMatches for Given {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Given, clap::Error> {
        let written = |id: &&str| matches.value_source(id) == Some(ValueSource::CommandLine);
        Ok(Given(matches.ids().map(clap::Id::as_str).filter(written).map(str::to_owned).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Given::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for Given {
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}

/// Reads the name of a chip.
fn chip() -> impl TypedValueParser<Value = Chip> {
    let names = Chip::ALL.iter().map(|chip| PossibleValue::new(chip.name));
    PossibleValuesParser::new(names).map(|name| Chip::from_name(&name).unwrap_or(Chip::SM90))
}

/// Reads `10` or `0.5`.
fn seconds(text: &str) -> Result<Duration, String> {
    duration(text, 1.0).ok_or_else(|| "a number of seconds above 0, such as `10`".to_owned())
}

/// Reads `8` or `0.5`.
pub(super) fn minutes(text: &str) -> Result<Duration, String> {
    duration(text, 60.0).ok_or_else(|| "a number of minutes above 0, such as `8`".to_owned())
}

fn duration(text: &str, unit: f64) -> Option<Duration> {
    let number: f64 = text.parse().ok()?;
    Duration::try_from_secs_f64(number * unit).ok().filter(|duration| !duration.is_zero())
}
