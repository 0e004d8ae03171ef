//! A run without a GPU that measures how long the host takes for each unit: inputs are made, copied and checked, and no kernel runs.
//!
//! The copies go to this machine's memory, at a speed near to that of a GPU's bus. Results are wrong but the same each time, so that they are
//! checked as often as right ones: once.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use device::{Argument, Buffer, Device, Error, Idle, KernelHandle, LaunchConfig, RunReport};
use serde::{Deserialize, Serialize};

use super::kernels::Kernels;
use super::options::{Options, Rounds};
use super::report::{GpuSummary, Taken};
use super::rounds::Timed;
use super::suite::{Suite, Target};
use super::unit::Unit;
use crate::grid_size::chip;
use crate::variant::Variant;
use crate::workload::Size;

/// Rounds of the rehearsal. The first one checks the results, the second one only compares them with the first.
const ROUNDS: Rounds = Rounds { warmup: 0, runs: 2 };

/// The seconds that the host takes for each unit, with inputs of one size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rehearsal {
    size: Size,
    costs: Vec<UnitCost>,
}

/// The seconds that the host takes for a unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnitCost {
    /// The unit.
    pub unit: Unit,
    /// Seconds before the second round: the input and the CPU's result are made, and the first results are checked.
    pub setup: f64,
    /// Seconds of another round of all variants.
    pub round: f64,
}

impl Rehearsal {
    /// Returns the size of the inputs.
    #[must_use]
    pub fn size(&self) -> Size {
        self.size
    }

    /// Returns the seconds of so many rounds of a unit; `None` if it was not rehearsed with inputs of this size.
    #[must_use]
    pub fn seconds(&self, unit: Unit, size: Size, rounds: Rounds) -> Option<f64> {
        let cost = self.costs.iter().find(|cost| cost.unit == unit).filter(|_| self.size == size)?;
        Some(cost.setup + cost.round * f64::from(rounds.warmup + rounds.runs))
    }
}

/// Rehearses all units but those that may hang, whose inputs are small. Calls `on_unit` after each.
pub fn rehearse(options: &Options, kernels: &Kernels, on_unit: &mut dyn FnMut(&UnitCost)) -> Rehearsal {
    let options = Options { rounds: ROUNDS, hangs: Vec::new(), ..options.clone() };
    let costs = options.units().into_iter().map(|unit| {
        let (start, loads) = (Instant::now(), Rc::new(RefCell::new(Vec::new())));
        let open =
            || Ok(Box::new(Stopwatch { idle: Idle::default(), start, loads: Rc::clone(&loads) }) as Box<dyn Timed>);
        let target = Target { summary: assumed_gpu(&options.arch), open: &open };
        // A unit that cannot be run takes no time; the measurement leaves it out and says why.
        let _ = Suite::new(&options, kernels, target).run(&[unit], None, &mut |_| ());
        let (all, loads) = (start.elapsed(), loads.borrow());
        // Each run of a variant loads its kernel, so that the second half of the loads is the second round.
        let setup = loads.get(loads.len() / 2).copied().unwrap_or(all);
        let cost = UnitCost { unit, setup: setup.as_secs_f64(), round: all.saturating_sub(setup).as_secs_f64() };
        on_unit(&cost);
        cost
    });
    Rehearsal { costs: costs.collect(), size: options.size }
}

/// Describes a GPU with the multiprocessors of the emulator's chip: they decide how many blocks are launched.
fn assumed_gpu(arch: &str) -> GpuSummary {
    let chip = chip(arch);
    GpuSummary {
        name: "none".into(),
        compute_capability: chip.capability,
        multiprocessors: chip.multiprocessors,
        l2_bytes: 0,
        memory_bytes: 0,
        clock_hz: 0,
        driver_version: (0, 0),
    }
}

/// An idle device that records when kernels are loaded.
struct Stopwatch {
    idle: Idle,
    start: Instant,
    /// The time from the start to each kernel that is loaded.
    loads: Rc<RefCell<Vec<Duration>>>,
}

impl Device for Stopwatch {
    fn name(&self) -> String {
        self.idle.name()
    }

    fn load(&mut self, ptx: &str, kernel: &str) -> Result<KernelHandle, Error> {
        self.loads.borrow_mut().push(self.start.elapsed());
        self.idle.load(ptx, kernel)
    }

    fn alloc(&mut self, bytes: u64, label: &str) -> Result<Buffer, Error> {
        self.idle.alloc(bytes, label)
    }

    fn upload(&mut self, buffer: Buffer, offset: u64, data: &[u8]) -> Result<(), Error> {
        self.idle.upload(buffer, offset, data)
    }

    fn download(&self, buffer: Buffer, offset: u64, data: &mut [u8]) -> Result<(), Error> {
        self.idle.download(buffer, offset, data)
    }

    fn free(&mut self, buffer: Buffer) -> Result<(), Error> {
        self.idle.free(buffer)
    }

    fn launch(&mut self, kernel: KernelHandle, config: &LaunchConfig, all: &[Argument]) -> Result<RunReport, Error> {
        self.idle.launch(kernel, config, all)
    }
}

impl Timed for Stopwatch {
    fn taken(&mut self, _: &Variant, _: &LaunchConfig) -> Result<Option<Taken>, Error> {
        Ok(None)
    }
}
