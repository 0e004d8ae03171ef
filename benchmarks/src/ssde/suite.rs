//! The suite: compiles both forms of each program, eliminates what deadlocks in M, and runs all of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use device::{Aware, EmulatorOptions, Machine, Monitor, Order, OutcomeKind, Selection};
use rayon::prelude::*;
use toolkit::Toolkit;

use super::claims::Hold;
use super::detections::{self, DetectionRow};
use super::figures::Figures;
use super::input::Input;
use super::program::{Optimisation, Program};
use super::report::{InputRow, SsdeReport};
use super::row::{Rows, Setting, SsdeRow, TABLES, TIMEOUTS};
use super::static_code::CodeRow;
use super::versions::{Version, Versions};
use crate::error::Error;
use crate::grid_size::chip;
use crate::progress::Steps;
use crate::workload::Size;

/// Warp instructions after which a launch is given up: far more than any takes that ends.
const BUDGET: u64 = 1 << 30;

/// The choice of what to run.
#[derive(Clone, Debug)]
pub struct SsdeOptions {
    /// The programs.
    pub programs: Vec<Program>,
    /// The number of tasks of each program.
    pub size: Size,
    /// The emulator's machines. Figures 10 to 12 take `aware`, all figures `stack`.
    pub machines: Vec<Machine>,
    /// True if to look for deadlocks in all kernels at hand (Table IV).
    pub detections: bool,
    /// The architecture to compile for, `sm_90`.
    pub arch: String,
    /// True if to show no progress bar, even on a terminal.
    pub quiet: bool,
    /// Ends the suite with what was measured so far, once it is interrupted.
    pub monitor: Arc<Monitor>,
}

impl Default for SsdeOptions {
    fn default() -> SsdeOptions {
        SsdeOptions {
            programs: Program::ALL.to_vec(),
            size: Size::Emulator,
            machines: Machine::ALL.to_vec(),
            detections: true,
            arch: "sm_90".into(),
            quiet: false,
            monitor: Arc::default(),
        }
    }
}

/// A suite with its inputs made: what can be wrong without a compiler has been said.
pub struct Suite<'a> {
    options: &'a SsdeOptions,
    inputs: Vec<Input>,
}

/// One launch.
struct Job<'a> {
    versions: &'a Versions,
    input: &'a Input,
    version: Version,
    setting: Setting,
}

/// PTX by file and level.
type Texts = BTreeMap<(&'static str, &'static str), String>;

impl<'a> Suite<'a> {
    /// Makes the inputs.
    ///
    /// # Errors
    /// A size that a program cannot have.
    pub fn prepare(options: &'a SsdeOptions) -> Result<Suite<'a>, Error> {
        let inputs = options.programs.par_iter().map(|program| program.input(options.size));
        Ok(Suite { options, inputs: inputs.collect::<Result<_, _>>()? })
    }

    /// Compiles, eliminates, runs and compares.
    ///
    /// # Errors
    /// What the CUDA compiler or the device say of a kernel. A deadlock, a wrong result or a kernel that the
    /// elimination refuses is a row of the report, not an error.
    pub fn run(&self, toolkit: &Toolkit) -> Result<SsdeReport, Error> {
        let Suite { options, inputs } = self;
        let texts = self.compile(toolkit)?;
        let versions = self.versions(&texts)?;
        let jobs = self.jobs(&versions);
        let steps = Steps::new("launches", jobs.len() as u64, options.quiet);
        let is_over = || options.monitor.is_interrupted();
        // A launch that did not come to its end is left out.
        let run = |job: &Job<'_>| {
            if is_over() {
                return None;
            }
            let row = job.run(&options.arch, &options.monitor);
            steps.advance();
            Some(row).filter(|row| !row.as_ref().is_ok_and(|row| row.run.outcome == OutcomeKind::Interrupted))
        };
        // One by one and in any order, as some take a hundred times as long as others.
        let rows = jobs.par_iter().with_max_len(1).filter_map(run).collect::<Result<Vec<SsdeRow>, Error>>()?;
        steps.finish();
        let of = |versions: &Versions| {
            let row = (!is_over()).then(|| CodeRow::of(versions, &options.arch, toolkit));
            row.filter(|row| row.is_ok() || !is_over())
        };
        let static_code = versions.par_iter().filter_map(of).collect::<Result<Vec<_>, Error>>()?;
        let detections = match options.detections && !is_over() {
            true => {
                self.detections(&texts, toolkit).or_else(|error| if is_over() { Ok(Vec::new()) } else { Err(error) })?
            }
            false => Vec::new(),
        };
        let figures = Figures::of(&options.programs, Rows(&rows));
        let programs = options.programs.iter().zip(inputs).map(|(program, input)| InputRow {
            program: program.name().into(),
            input: input.description.clone(),
            grid: input.config.grid[0],
            block: input.config.block[0],
            deadlocks: program.deadlocks(),
        });
        Ok(SsdeReport {
            suite: "ssde".into(),
            device: "emulator".into(),
            arch: options.arch.clone(),
            programs: programs.collect(),
            holds: Hold::all(&options.programs, &versions, &figures, Rows(&rows)),
            rows,
            static_code,
            detections,
            figures,
        })
    }

    /// The files of the programs; those of all, if deadlocks are looked for everywhere.
    fn compile(&self, toolkit: &Toolkit) -> Result<Texts, Error> {
        let programs = if self.options.detections { &Program::ALL[..] } else { &self.options.programs };
        let mut wanted: Vec<(Program, Optimisation)> = Vec::new();
        for &program in programs {
            let file = program.source().name;
            if wanted.iter().all(|(other, _)| other.source().name != file) {
                wanted.extend(Optimisation::ALL.map(|optimisation| (program, optimisation)));
            }
        }
        let compile = |&(program, optimisation): &(Program, Optimisation)| {
            let ptx = program.compile(optimisation, &self.options.arch, toolkit)?;
            Ok(((program.source().name, optimisation.name()), ptx))
        };
        wanted.par_iter().map(compile).collect()
    }

    fn versions(&self, texts: &Texts) -> Result<Vec<Versions>, Error> {
        let mut all = Vec::new();
        for &program in &self.options.programs {
            for optimisation in Optimisation::ALL {
                let text = texts.get(&(program.source().name, optimisation.name()));
                all.extend(text.map(|text| Versions::new(program, optimisation, text)));
            }
        }
        all.into_iter().collect()
    }

    fn jobs<'j>(&'j self, versions: &'j [Versions]) -> Vec<Job<'j>> {
        let mut jobs = Vec::new();
        for versions in versions {
            let index = self.options.programs.iter().position(|&program| program == versions.program);
            let Some(input) = index.and_then(|index| self.inputs.get(index)) else { continue };
            let mut add = |version, setting| {
                if versions.get(version).is_some() {
                    jobs.push(Job { versions, input, version, setting });
                }
            };
            for &machine in &self.options.machines {
                Version::ALL.iter().for_each(|&version| add(version, Setting::plain(machine)));
            }
            if self.options.machines.contains(&Machine::Aware) {
                Order::ALL.iter().for_each(|&order| add(Version::Mimd, Setting::delayed(order)));
                add(Version::Mimd, Setting { order: Order::Rounds, ..Setting::plain(Machine::Aware) });
                if versions.optimisation == Optimisation::Full {
                    let timeouts = TIMEOUTS.map(Setting::timeout);
                    // The machine as it comes was run above.
                    let others = timeouts.iter().filter(|&&setting| setting != Setting::plain(Machine::Aware));
                    others.for_each(|&setting| add(Version::Mimd, setting));
                    for order in Order::ALL {
                        TABLES.iter().for_each(|&sizes| add(Version::Mimd, Setting::tables(sizes, order)));
                    }
                }
            }
        }
        jobs
    }

    fn detections(&self, texts: &Texts, toolkit: &Toolkit) -> Result<Vec<DetectionRow>, Error> {
        let row = |&optimisation: &Optimisation| {
            let others = detections::compile(optimisation, &self.options.arch, toolkit)?;
            let ours = texts.iter().filter(|((_, level), _)| *level == optimisation.name()).map(|(_, text)| text);
            DetectionRow::of(optimisation, ours.chain(&others).map(String::as_str))
        };
        Optimisation::ALL.iter().map(row).collect()
    }
}

/// Prepares and runs the suite.
///
/// # Errors
/// As [`Suite::prepare`] and [`Suite::run`].
pub fn run_suite(options: &SsdeOptions, toolkit: &Toolkit) -> Result<SsdeReport, Error> {
    Suite::prepare(options)?.run(toolkit)
}

impl Job<'_> {
    fn run(&self, arch: &str, monitor: &Arc<Monitor>) -> Result<SsdeRow, Error> {
        let Job { versions: Versions { program, optimisation, .. }, version, setting, .. } = *self;
        let Some(variant) = self.versions.get(version) else {
            return Err(Error::Unfinished { what: format!("there is no {} of {}", version.name(), program.name()) });
        };
        let (text, reconvergence) = match setting.delayed {
            true => self.versions.delayed(),
            false => (variant.ptx.clone(), Vec::new()),
        };
        let aware = Aware {
            timeout: setting.timeout,
            reconvergence,
            split_entries: setting.split_entries,
            reconvergence_entries: setting.reconvergence_entries,
            order: setting.order,
        };
        let (machine, chip) = (setting.machine, chip(arch));
        let monitor = Some(Arc::clone(monitor));
        let options =
            EmulatorOptions { machine, chip, aware, step_budget: BUDGET, monitor, ..EmulatorOptions::default() };
        let ran = self.input.run(&text, &variant.kernel, &Selection::Emulator(options))?;
        let mut run = ran.report;
        let model = run.detail.take().map(|detail| detail.model);
        let deadlocks = version == Version::Mimd && machine == Machine::Stack && program.deadlocks();
        let expected = if deadlocks { OutcomeKind::SimtDeadlock } else { OutcomeKind::Finished };
        Ok(SsdeRow {
            program: program.name().into(),
            optimisation: optimisation.name().into(),
            variant: version.name().into(),
            setting,
            expected: expected.to_string(),
            as_expected: run.outcome == expected && (deadlocks || ran.difference.is_none()),
            results_equal: ran.difference.is_none(),
            difference: ran.difference,
            modelled_cycles: model.map(|model| model.cycles()),
            modelled_bound: model.map(|model| model.bound().name().into()),
            run,
        })
    }
}
