//! `pxrw bench`: the papers' programs before and after a rewrite, and the speed of the emulator.

use benchmarks::bfs::{self, BfsOptions};
use benchmarks::ccc::{self, CccOptions};
use benchmarks::emulator::{self as timing, Program};
use benchmarks::emulators;
use emulator::Machine;

use crate::Verdict;
use crate::arguments::{
    Bench, BfsSuite, CccSuite, EmulatorSuite, KernelName, MachineName, ProgramName, ReportForm, Suite,
};
use crate::diagnostics::{Diagnostic, Place};
use crate::failure::Failure;
use crate::input::LazyToolkit;
use crate::output;

pub(crate) fn run(options: &Bench) -> Result<Verdict, Failure> {
    match &options.suite {
        Suite::Bfs(options) => search(options),
        Suite::Ccc(options) => programs(options),
        Suite::Emulator(options) => time(options),
    }
}

fn search(options: &BfsSuite) -> Result<Verdict, Failure> {
    let options_of_suite = bfs_options(options);
    // What is wrong with the graph is said before a compiler is fetched.
    let suite = bfs::Suite::prepare(&options_of_suite).map_err(explain)?;
    let mut toolkit = LazyToolkit::new(options.common.cuda_path.as_ref());
    let report = suite.run(toolkit.get()?).map_err(explain)?;
    let text = output::shown(options.common.report, &report, || report.to_text())?;
    output::write(options.output.as_deref(), text.as_bytes())?;
    Ok(if report.results_equal() { Verdict::Done } else { Verdict::Found })
}

fn programs(options: &CccSuite) -> Result<Verdict, Failure> {
    let defaults = CccOptions::default();
    let named = options.program.iter().map(|name| name.program()).collect::<Vec<_>>();
    let options_of_suite = CccOptions {
        programs: if named.is_empty() { defaults.programs } else { named },
        tasks: options.tasks,
        devices: emulators(&machines(&options.machine, vec![Machine::Stack, Machine::Its]), &options.common.arch),
        arch: options.common.arch.clone(),
        block: options.block.unwrap_or(defaults.block),
        grid: options.grid,
        quiet: options.common.report == ReportForm::Json,
    };
    // What is wrong with the sizes is said before a compiler is fetched.
    let suite = ccc::Suite::prepare(&options_of_suite).map_err(explain)?;
    let mut toolkit = LazyToolkit::new(options.common.cuda_path.as_ref());
    let report = suite.run(toolkit.get()?).map_err(explain)?;
    let text = output::shown(options.common.report, &report, || report.to_text())?;
    output::write(options.output.as_deref(), text.as_bytes())?;
    Ok(if report.results_equal() { Verdict::Done } else { Verdict::Found })
}

fn time(options: &EmulatorSuite) -> Result<Verdict, Failure> {
    let defaults = timing::Options::default();
    let programs = options.kernel.iter().map(|kernel| kernel.program()).collect::<Vec<_>>();
    let options_of_suite = timing::Options {
        programs: if programs.is_empty() { defaults.programs } else { programs },
        machines: machines(&options.machine, defaults.machines),
        arch: options.common.arch.clone(),
        rounds: options.rounds,
        quiet: options.common.report == ReportForm::Json,
    };
    let mut toolkit = LazyToolkit::new(options.common.cuda_path.as_ref());
    let report = timing::run(&options_of_suite, toolkit.get()?).map_err(explain)?;
    let text = output::shown(options.common.report, &report, || report.to_text())?;
    output::write(options.output.as_deref(), text.as_bytes())?;
    Ok(Verdict::Done)
}

/// The machines that the command line names; the suite's own if it names none.
fn machines(named: &[MachineName], otherwise: Vec<Machine>) -> Vec<Machine> {
    if named.is_empty() { otherwise } else { named.iter().map(|machine| machine.machine()).collect() }
}

fn bfs_options(options: &BfsSuite) -> BfsOptions {
    let machines = machines(&options.machine, vec![Machine::Stack, Machine::Its]);
    let defaults = BfsOptions::default();
    BfsOptions {
        graph: options.graph.clone(),
        scale: options.scale.unwrap_or(defaults.scale),
        seed: options.seed.unwrap_or(defaults.seed),
        undirected: options.undirected,
        source: options.source,
        devices: emulators(&machines, &options.common.arch),
        arch: options.common.arch.clone(),
        block: options.block.unwrap_or(defaults.block),
        grid: options.grid,
        quiet: options.common.report == ReportForm::Json,
    }
}

impl MachineName {
    pub(crate) fn machine(self) -> Machine {
        match self {
            MachineName::Stack => Machine::Stack,
            MachineName::Its => Machine::Its,
            MachineName::Mimd => Machine::Mimd,
            MachineName::Aware => Machine::Aware,
        }
    }
}

impl ProgramName {
    fn program(self) -> ccc::Program {
        match self {
            ProgramName::Bfs => ccc::Program::Bfs,
            ProgramName::Dqg => ccc::Program::Dqg,
            ProgramName::Emies => ccc::Program::Emies,
            ProgramName::Ff => ccc::Program::Ff,
            ProgramName::Hash => ccc::Program::Hash,
            ProgramName::Iefa => ccc::Program::Iefa,
            ProgramName::Rt => ccc::Program::Rt,
            ProgramName::Sssp => ccc::Program::Sssp,
        }
    }
}

impl KernelName {
    fn program(self) -> Program {
        match self {
            KernelName::Saxpy => Program::Saxpy,
            KernelName::Nbody => Program::Nbody,
            KernelName::Matmul => Program::Matmul,
            KernelName::Bfs => Program::Bfs,
        }
    }
}

fn explain(error: benchmarks::Error) -> Failure {
    match error {
        benchmarks::Error::Toolkit(error) => error.into(),
        benchmarks::Error::Input { place, what, help } => {
            let place = Place {
                file: place.path.display().to_string(),
                line: usize::try_from(place.line).unwrap_or(0),
                column: usize::try_from(place.column).unwrap_or(0),
                text: None,
            };
            Diagnostic::error(what).at(place).help(help).into()
        }
        other => Diagnostic::error(other.to_string()).into(),
    }
}
