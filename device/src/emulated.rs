//! The emulator as a device.

use std::collections::BTreeMap;
use std::sync::Arc;

use emulator::{
    Arg, Aware, Checks, Chip, Launch, Machine, Memory, Monitor, Occupancy, Outcome, Pointer, Program, Report, Trace,
    run,
};
use ptx_parser::{Kernel, Module};

use crate::pack::pack;
use crate::report::{Counts, OutcomeKind, RunReport};
use crate::{Argument, Buffer, Description, Device, Error, Figures, KernelHandle, LaunchConfig};

/// More than any chip's memory; an allocation beyond it is a slip of the pen.
const LARGEST_BUFFER: u64 = 1 << 40;

/// Settings of the emulator that stay the same from launch to launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmulatorOptions {
    /// The SIMT machine: it decides how warps are scheduled and where their lanes reconverge.
    pub machine: Machine,
    /// The chip whose size and instruction costs count.
    pub chip: Chip,
    /// The number of blocks that are resident at a time.
    pub resident: Occupancy,
    /// Warp instructions after which a launch ends as [`OutcomeKind::Budget`]; 0 for no end.
    pub step_budget: u64,
    /// Chooses the interleaving of threads on `mimd`, and which side of a branch runs first on `stack`.
    pub seed: u64,
    /// The options of the `aware` machine.
    pub aware: Aware,
    /// Threads of the host. With one, a kernel that races gives the same counts on every run.
    pub threads: usize,
    /// Bytes of the heap that kernels allocate from.
    pub heap_bytes: u64,
    /// Bytes of the buffer that `printf` writes to.
    pub output_bytes: usize,
    /// Bytes that buffers and module variables may take together; `None` leaves it to the host to refuse what it does not have.
    pub memory_bytes: Option<u64>,
    /// The checks that a launch makes.
    pub checks: Checks,
    /// The receiver of a line per warp instruction.
    pub trace: Option<Trace>,
    /// The trace shows what registers hold.
    pub trace_values: bool,
    /// The monitor that watches a launch, and may end it.
    pub monitor: Option<Arc<Monitor>>,
}

impl Default for EmulatorOptions {
    /// The `stack` machine of an sm_90 chip, one host thread, and the emulator's own budget.
    fn default() -> EmulatorOptions {
        let launch = Launch::new(1, 1);
        EmulatorOptions {
            machine: launch.machine,
            chip: launch.chip,
            resident: launch.resident,
            step_budget: launch.step_budget,
            seed: launch.seed,
            aware: launch.aware,
            threads: launch.threads,
            heap_bytes: launch.heap_bytes,
            output_bytes: launch.output_bytes,
            memory_bytes: None,
            checks: launch.checks,
            trace: None,
            trace_values: false,
            monitor: None,
        }
    }
}

/// The emulator, its memory and the kernels that it has loaded.
pub struct Emulated {
    options: EmulatorOptions,
    memory: Memory,
    kernels: Vec<Loaded>,
    buffers: Vec<Option<Allocated>>,
    /// The module variables of the loaded kernels with their sizes in bytes; a launch allocates them.
    variables: BTreeMap<String, u64>,
    remarks: Vec<String>,
}

/// A kernel as text, for its parameters, and as what runs.
struct Loaded {
    kernel: Kernel,
    program: Program,
}

struct Allocated {
    label: String,
    bytes: u64,
    pointer: Pointer,
}

impl Emulated {
    pub(crate) const DESCRIPTION: Description = Description {
        name: "emulator",
        about: "The SIMT machines of this program",
        noun: "the emulator",
        counts: true,
        has_machines: true,
        is_in_process: true,
        can_stop: true,
        keeps_memory: true,
        has_clusters: false,
        suites: Some(Figures::Counts),
    };

    /// An emulator with nothing in its memory.
    #[must_use]
    pub fn new(options: EmulatorOptions) -> Emulated {
        let (memory, variables) = (Memory::new(), BTreeMap::new());
        Emulated { options, memory, kernels: Vec::new(), buffers: Vec::new(), variables, remarks: Vec::new() }
    }

    fn allocated(&self, buffer: Buffer) -> Result<&Allocated, Error> {
        self.buffers.get(buffer.0).and_then(Option::as_ref).ok_or(Error::UnknownBuffer)
    }

    /// The address of an access to a buffer that lies within it.
    fn range(&self, buffer: Buffer, offset: u64, bytes: u64) -> Result<Pointer, Error> {
        let allocated = self.allocated(buffer)?;
        if offset.checked_add(bytes).is_none_or(|end| end > allocated.bytes) {
            let label = allocated.label.clone();
            return Err(Error::Range { label, size: allocated.bytes, offset, bytes });
        }
        Ok(allocated.pointer.offset(offset))
    }

    /// Bytes of memory that neither a buffer nor a module variable has; `None` where there is no limit.
    fn left(&self) -> Option<u64> {
        let buffers = self.buffers.iter().flatten().map(|buffer| buffer.bytes);
        let taken = buffers.chain(self.variables.values().copied()).fold(0, u64::saturating_add);
        Some(self.options.memory_bytes?.saturating_sub(taken))
    }

    /// Counts the module variables of a kernel as taken, if there is memory for them.
    fn take_variables(&mut self, program: &Program) -> Result<(), Error> {
        let fresh: BTreeMap<String, u64> = program
            .variables()
            .filter(|(name, _)| !self.variables.contains_key(*name))
            .map(|(name, bytes)| (name.to_owned(), bytes))
            .collect();
        let all = fresh.values().copied().fold(0, u64::saturating_add);
        let largest = fresh.iter().max_by_key(|(_, bytes)| **bytes);
        if let (Some(left), Some((name, &bytes))) = (self.left().filter(|&left| all > left), largest) {
            return Err(Error::VariableMemory { name: name.clone(), bytes, all, left });
        }
        self.variables.extend(fresh);
        Ok(())
    }

    fn launch_of(&self, config: &LaunchConfig, values: &[Vec<u8>]) -> Launch {
        Launch {
            grid: config.grid,
            block: config.block,
            shared_bytes: config.dynamic_shared,
            opt_in_shared: config.opt_in_shared,
            args: values.iter().map(|value| Arg::bytes(value)).collect(),
            machine: self.options.machine,
            seed: self.options.seed,
            aware: self.options.aware.clone(),
            step_budget: self.options.step_budget,
            resident: self.options.resident,
            cooperative: config.cooperative,
            threads: self.options.threads,
            chip: self.options.chip.clone(),
            heap_bytes: self.options.heap_bytes,
            output_bytes: self.options.output_bytes,
            checks: self.options.checks,
            trace: self.options.trace.clone(),
            monitor: self.options.monitor.clone(),
        }
    }
}

impl Device for Emulated {
    fn name(&self) -> String {
        format!("emulator ({}, {})", self.options.machine.name(), self.options.chip.name)
    }

    fn remarks(&self) -> &[String] {
        &self.remarks
    }

    fn load(&mut self, ptx: &str, kernel: &str) -> Result<KernelHandle, Error> {
        let module = Module::parse(ptx)?;
        let found = crate::find(&module, kernel)?;
        let decode = if self.options.trace_values { Program::decode_with_names } else { Program::decode };
        let program = decode(&module, kernel)?;
        self.take_variables(&program)?;
        if self.options.machine == Machine::Mimd
            && let Some((site, opcode)) = program.asks_who_is_together()
        {
            let remark = format!(
                "{site}: on `mimd` every lane runs alone, so that `{opcode}` and what is like it sees that lane and no other"
            );
            self.remarks.push(remark);
        }
        self.kernels.push(Loaded { kernel: found.clone(), program });
        Ok(KernelHandle(self.kernels.len() - 1))
    }

    fn alloc(&mut self, bytes: u64, label: &str) -> Result<Buffer, Error> {
        let buffer = self.reserve(bytes, label)?;
        let pointer = self.allocated(buffer)?.pointer;
        self.memory.initialise(pointer)?;
        Ok(buffer)
    }

    fn reserve(&mut self, bytes: u64, label: &str) -> Result<Buffer, Error> {
        let label = label.to_owned();
        let words = usize::try_from(bytes.div_ceil(8)).unwrap_or(usize::MAX);
        // The emulator has no way to say that memory is short, so it is tried out first.
        let too_large = bytes > LARGEST_BUFFER || self.left().is_some_and(|left| bytes > left);
        if too_large || Vec::<u64>::new().try_reserve_exact(words).is_err() {
            return Err(Error::OutOfMemory { label, bytes });
        }
        // The emulator finds a module's variables by their names; a name with a blank is never one of those.
        let pointer = self.memory.alloc(bytes, &format!("buffer {label}"));
        self.buffers.push(Some(Allocated { label, bytes, pointer }));
        Ok(Buffer(self.buffers.len() - 1))
    }

    fn upload(&mut self, buffer: Buffer, offset: u64, data: &[u8]) -> Result<(), Error> {
        let pointer = self.range(buffer, offset, data.len() as u64)?;
        if !data.is_empty() {
            self.memory.write(pointer, data)?;
        }
        Ok(())
    }

    fn download(&self, buffer: Buffer, offset: u64, data: &mut [u8]) -> Result<(), Error> {
        let pointer = self.range(buffer, offset, data.len() as u64)?;
        if !data.is_empty() {
            data.copy_from_slice(&self.memory.read::<u8>(pointer, data.len())?);
        }
        Ok(())
    }

    fn free(&mut self, buffer: Buffer) -> Result<(), Error> {
        let freed = self.buffers.get_mut(buffer.0).and_then(Option::take).ok_or(Error::UnknownBuffer)?;
        Ok(self.memory.free(freed.pointer)?)
    }

    fn launch(
        &mut self,
        kernel: KernelHandle,
        config: &LaunchConfig,
        arguments: &[Argument],
    ) -> Result<RunReport, Error> {
        let loaded = self.kernels.get(kernel.0).ok_or(Error::UnknownKernel)?;
        let address = |buffer| Ok(self.allocated(buffer)?.pointer.address());
        let launch = self.launch_of(config, &pack(&loaded.kernel, arguments, address)?);
        let report = run(&loaded.program, &mut self.memory, &launch)?;
        Ok(describe(loaded.kernel.name(), self.options.machine, report))
    }
}

fn describe(kernel: &str, machine: Machine, report: Report) -> RunReport {
    let counts = &report.counts;
    RunReport {
        kernel: kernel.into(),
        machine: Some(machine.name().into()),
        outcome: outcome(&report.outcome),
        line: report.outcome.site().map(|site| site.line).filter(|&line| line > 0),
        message: (report.outcome != Outcome::Finished).then(|| report.outcome.to_string()),
        time: None,
        counts: Counts {
            warp_instructions: Some(counts.warp_instructions),
            thread_instructions: Some(counts.thread_instructions),
            active_lanes: Some(counts.active_lanes),
            issue_cycles: Some(counts.issue_cycles()),
            sectors: Some(counts.sectors()),
        },
        scheduling: (machine == Machine::Aware).then_some(report.scheduling),
        detail: Some(Box::new(report)),
        printed: None,
    }
}

fn outcome(outcome: &Outcome) -> OutcomeKind {
    match outcome {
        Outcome::Finished => OutcomeKind::Finished,
        Outcome::SimtDeadlock { .. } => OutcomeKind::SimtDeadlock,
        Outcome::Livelock { .. } => OutcomeKind::Livelock,
        Outcome::BarrierDivergence { .. } => OutcomeKind::BarrierDivergence,
        Outcome::Starvation { .. } => OutcomeKind::Starvation,
        Outcome::Budget { .. } => OutcomeKind::Budget,
        Outcome::Interrupted { .. } => OutcomeKind::Interrupted,
        Outcome::Fault(_) => OutcomeKind::Fault,
    }
}
