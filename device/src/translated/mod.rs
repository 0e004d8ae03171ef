//! The CPU as a device: kernels are translated to C, compiled and loaded into this process.
//!
//! ```text
//!  PTX ── ptx-parser ──> Module ── cpu::translate ──> C ── cpu::Build ──> object ── cpu::Object ──> functions of this process
//! ```
//!
//! Buffers are memory of this process, and kernels get their addresses. Nothing checks what a kernel accesses: one that accesses memory beyond its
//! buffers may read and change anything in this process, or end it by a signal. The emulator finds such accesses.
//!
//! A launch runs to its end. It counts nothing; its time is that of the host's clock.

mod launch_limits;
mod memory;
mod printed;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Instant;

use cpu::{Build, Cache, Ending, Launch, Object, Spot, Sync, Translation, translate, translate_possible};
use emulator::NEEDS_COOPERATION;
use ptx_parser::{Kernel, KernelKind, Module, Operand, Space, SpecialName};

use crate::pack::pack;
use crate::report::{Counts, OutcomeKind, RunReport};
use crate::{Argument, Buffer, Description, Device, Error, KernelHandle, LaunchConfig};
use memory::HostMemory;
use printed::Output;

/// The settings of the CPU as a device.
#[derive(Clone, Debug)]
pub struct TranslatedOptions {
    /// The way in which the implicit synchronisation of lanes is kept.
    pub sync: Sync,
    /// Threads of the host; 0 for as many as there are cores.
    pub threads: u32,
    /// The C compiler; `None` for that of the variable `CC`, else the system's.
    pub cc: Option<PathBuf>,
    /// The compiled kernels of earlier runs; `None` to compile each time.
    pub cache: Option<Cache>,
    /// The folder for temporary files, which its owner removes; `None` for that of the system.
    pub scratch: Option<PathBuf>,
    /// Bytes that buffers may take together; `None` leaves it to the host to refuse what it does not have.
    pub memory_bytes: Option<u64>,
}

impl Default for TranslatedOptions {
    /// Lanes are kept synchronised where data depends on it, on all cores, with the user's cache.
    fn default() -> TranslatedOptions {
        TranslatedOptions {
            sync: Sync::default(),
            threads: 0,
            cc: None,
            cache: Cache::of_user(),
            scratch: None,
            memory_bytes: None,
        }
    }
}

/// The CPU, its buffers and the kernels that it has loaded.
#[derive(Debug)]
pub struct Translated {
    options: TranslatedOptions,
    objects: Vec<Shared>,
    kernels: Vec<Loaded>,
    buffers: Vec<Option<Allocated>>,
    remarks: Vec<String>,
}

/// A loaded object, which the kernels of one text share with their module variables.
#[derive(Debug)]
struct Shared {
    ptx: String,
    translation: Translation,
    object: Object,
}

/// A kernel and what launches it.
#[derive(Debug)]
struct Loaded {
    kernel: Kernel,
    /// Bytes of shared memory that it and its module declare.
    shared_bytes: u64,
    /// The index of its object.
    object: usize,
    symbol: String,
    param_bytes: u64,
    /// It or a function asks for the workspace that the blocks of a cooperative launch share.
    cooperates: bool,
}

#[derive(Debug)]
struct Allocated {
    label: String,
    memory: HostMemory,
}

impl Translated {
    pub(crate) const DESCRIPTION: Description = Description {
        name: "cpu",
        about: "The CPU: native code, translated from the PTX; accesses to memory are not checked",
        noun: "the CPU",
        counts: false,
        has_machines: false,
        is_in_process: true,
        can_stop: false,
        keeps_memory: true,
        has_clusters: false,
        suites: None,
    };

    /// A CPU with no buffers and no kernels.
    #[must_use]
    pub fn new(options: TranslatedOptions) -> Translated {
        Translated { options, objects: Vec::new(), kernels: Vec::new(), buffers: Vec::new(), remarks: Vec::new() }
    }

    fn allocated(&self, buffer: Buffer) -> Result<&Allocated, Error> {
        self.buffers.get(buffer.0).and_then(Option::as_ref).ok_or(Error::UnknownBuffer)
    }

    /// Translates a kernel, together with those that share variables with it whose values outlast a launch.
    fn translate(&self, module: &Module, kernel: &str) -> Result<Translation, Error> {
        let options = cpu::Options { sync: self.options.sync };
        let related = sharing(module, kernel);
        let all = (related.len() > 1).then(|| translate_possible(module, Some(&related), &options).0).flatten();
        match all.filter(|all| symbol(all, kernel).is_some()) {
            Some(all) => Ok(all),
            None => translate(module, Some(&[kernel]), &options).map_err(Error::NotTranslated),
        }
    }

    /// Returns the index of a loaded object with a kernel of a text; loads one if there is none.
    fn object(&mut self, ptx: &str, module: &Module, kernel: &str) -> Result<usize, Error> {
        let has = |shared: &Shared| shared.ptx == ptx && symbol(&shared.translation, kernel).is_some();
        if let Some(index) = self.objects.iter().position(has) {
            return Ok(index);
        }
        let translation = self.translate(module, kernel)?;
        let TranslatedOptions { cc, cache, scratch, .. } = self.options.clone();
        let built = Build { cc, cache, scratch }.object(&translation.source)?;
        // SAFETY: the object was made of a translation.
        let object = unsafe { Object::load(&built.object, self.options.scratch.as_deref()) }?;
        let remarks = translation.notes.iter().cloned().chain(built.note);
        self.remarks.extend(remarks);
        self.objects.push(Shared { ptx: ptx.to_owned(), translation, object });
        Ok(self.objects.len() - 1)
    }
}

/// Returns the name in C and the bytes of the parameters of a translated kernel.
fn symbol(translation: &Translation, kernel: &str) -> Option<(String, u64)> {
    let interface = translation.kernels.iter().find(|interface| interface.name == kernel)?;
    Some((interface.symbol.clone(), interface.param_bytes))
}

/// The names that a kernel or function mentions.
fn mentioned(kernel: &Kernel) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    for inst in kernel.insts() {
        kernel.visit_symbols(inst, |symbol| {
            names.insert(kernel.symbol_name(symbol));
        });
    }
    names
}

/// Returns the kernels of a module that may use a variable in global memory that a kernel uses, that kernel among them. What functions mention counts for all kernels.
fn sharing<'m>(module: &'m Module, kernel: &'m str) -> Vec<&'m str> {
    let is_global = |name: &str| module.variables().iter().any(|one| one.space == Space::Global && *one.name == *name);
    // What one kernel allocates, another one may give back.
    let global = |name| match name {
        "malloc" | "free" => Some("malloc"),
        name => is_global(name).then_some(name),
    };
    let globals = |kernel: &'m Kernel| mentioned(kernel).into_iter().filter_map(global).collect::<BTreeSet<_>>();
    let (entries, functions): (Vec<&Kernel>, Vec<&Kernel>) =
        module.kernels().iter().filter(|one| one.has_body()).partition(|one| one.kind() == KernelKind::Entry);
    let of_functions: BTreeSet<&str> = functions.into_iter().flat_map(globals).collect();
    let mut own = module.kernel(kernel).map(globals).unwrap_or_default();
    own.extend(&of_functions);
    // A variable may be reached by way of another one that has its address.
    let any = !of_functions.is_empty()
        || module.variables().iter().any(|one| one.init.as_ref().is_some_and(|init| !init.addresses.is_empty()));
    let shares = |one: &&'m Kernel| one.name() == kernel || any || globals(one).iter().any(|name| own.contains(name));
    entries.into_iter().filter(shares).map(Kernel::name).collect()
}

/// Returns true for a kernel or function that asks for the workspace that the blocks of a cooperative launch share.
fn asks_for_workspace(kernel: &Kernel) -> bool {
    let asks = |operand: &Operand| matches!(operand, Operand::Special(special) if matches!(special.name, SpecialName::Envreg(1 | 2)));
    let listed = |operand: &Operand| operand.list().is_some_and(|list| kernel.list(list).iter().any(asks));
    kernel.insts().any(|inst| kernel.operands(inst).iter().any(|operand| asks(operand) || listed(operand)))
}

/// Lays out the parameters of a kernel as PTX does, each aligned.
fn parameter_block(kernel: &Kernel, values: &[Vec<u8>], bytes: u64) -> Vec<u8> {
    let mut block = Vec::new();
    for (parameter, value) in kernel.params().iter().zip(values) {
        block.resize(block.len().next_multiple_of(parameter.align.max(1) as usize), 0);
        block.extend(value);
    }
    // The compiled kernel may read as many bytes as it was translated for.
    let whole = usize::try_from(bytes).unwrap_or(0).max(block.len());
    block.resize(whole, 0);
    block
}

impl Device for Translated {
    fn name(&self) -> String {
        format!("cpu ({})", self.options.sync.name())
    }

    fn remarks(&self) -> &[String] {
        &self.remarks
    }

    fn load(&mut self, ptx: &str, kernel: &str) -> Result<KernelHandle, Error> {
        let module = Module::parse(ptx)?;
        let found = crate::find(&module, kernel)?;
        if found.kind() != KernelKind::Entry || !found.has_body() {
            let entries = module.kernels().iter().filter(|one| one.kind() == KernelKind::Entry && one.has_body());
            let found = entries.map(|entry| entry.name().to_owned()).collect();
            return Err(Error::NoKernel { kernel: kernel.to_owned(), found });
        }
        if let Some(blocks) = found.cluster_blocks().filter(|&blocks| blocks > 1) {
            let what =
                format!("the kernel asks for clusters of {blocks} blocks; the CPU runs only clusters of one block");
            return Err(Error::Shape { what });
        }
        let object = self.object(ptx, &module, kernel)?;
        let translation = self.objects.get(object).map(|shared| &shared.translation);
        let (symbol, param_bytes) =
            translation.and_then(|translation| symbol(translation, kernel)).ok_or(Error::UnknownKernel)?;
        let shared = module.variables().iter().filter(|variable| variable.space == Space::Shared);
        let shared_bytes = shared.map(|variable| variable.bytes()).fold(0, u64::saturating_add);
        let shared_bytes = shared_bytes.saturating_add(found.declared_bytes(Space::Shared));
        let functions = module.kernels().iter().filter(|one| one.kind() != KernelKind::Entry);
        let cooperates = functions.chain([found]).any(asks_for_workspace);
        self.kernels.push(Loaded { kernel: found.clone(), shared_bytes, object, symbol, param_bytes, cooperates });
        Ok(KernelHandle(self.kernels.len() - 1))
    }

    fn alloc(&mut self, bytes: u64, label: &str) -> Result<Buffer, Error> {
        let taken = self.buffers.iter().flatten().map(|buffer| buffer.memory.bytes()).fold(0, u64::saturating_add);
        let fits = self.options.memory_bytes.is_none_or(|most| bytes <= most.saturating_sub(taken));
        let memory = fits.then(|| HostMemory::zeroed(bytes)).flatten();
        let memory = memory.ok_or_else(|| Error::OutOfMemory { label: label.to_owned(), bytes })?;
        self.buffers.push(Some(Allocated { label: label.to_owned(), memory }));
        Ok(Buffer(self.buffers.len() - 1))
    }

    fn upload(&mut self, buffer: Buffer, offset: u64, data: &[u8]) -> Result<(), Error> {
        let allocated = self.buffers.get_mut(buffer.0).and_then(Option::as_mut).ok_or(Error::UnknownBuffer)?;
        if allocated.memory.write(offset, data) { Ok(()) } else { Err(allocated.beyond(offset, data.len())) }
    }

    fn download(&self, buffer: Buffer, offset: u64, data: &mut [u8]) -> Result<(), Error> {
        let allocated = self.allocated(buffer)?;
        if allocated.memory.read(offset, data) { Ok(()) } else { Err(allocated.beyond(offset, data.len())) }
    }

    fn free(&mut self, buffer: Buffer) -> Result<(), Error> {
        let freed = self.buffers.get_mut(buffer.0).and_then(Option::take).ok_or(Error::UnknownBuffer)?;
        drop(freed);
        Ok(())
    }

    fn launch(
        &mut self,
        kernel: KernelHandle,
        config: &LaunchConfig,
        arguments: &[Argument],
    ) -> Result<RunReport, Error> {
        let loaded = self.kernels.get(kernel.0).ok_or(Error::UnknownKernel)?;
        let shared = self.objects.get(loaded.object).ok_or(Error::UnknownKernel)?;
        let values = pack(&loaded.kernel, arguments, |buffer| Ok(self.allocated(buffer)?.memory.address()))?;
        launch_limits::check(config, &loaded.kernel, loaded.shared_bytes)?;
        let parameters = parameter_block(&loaded.kernel, &values, loaded.param_bytes);
        let launch = Launch {
            grid: config.grid,
            block: config.block,
            dynamic_shared_bytes: config.dynamic_shared,
            host_threads: self.options.threads,
            cooperative: config.cooperative,
        };
        let mut output = Output::default();
        let mut print = |text: &[u8], arguments| output.add(text, arguments);
        let start = Instant::now();
        // SAFETY: the symbol is of a kernel in this object, whose parameters these are, with addresses of buffers that live until the call returns.
        // Whether the kernel stays within them nobody checks, as the head of this file and the device's description say.
        let ending = unsafe { shared.object.launch_printing(&loaded.symbol, &launch, &parameters, &mut print) }?;
        let seconds = start.elapsed().as_secs_f64();
        let report = RunReport {
            kernel: loaded.kernel.name().to_owned(),
            machine: None,
            outcome: OutcomeKind::Finished,
            line: None,
            message: None,
            time: None,
            counts: Counts::default(),
            detail: None,
            printed: Some(output.finish()),
            scheduling: None,
        };
        let ended = |outcome, spot: Spot, what: &str| RunReport {
            outcome,
            line: source_line(&loaded.kernel, spot.line),
            message: Some(message(spot, config.block, what)),
            ..report.clone()
        };
        match ending {
            Ending::Finished => Ok(RunReport { time: Some(seconds), ..report }),
            Ending::Trap(spot) if loaded.cooperates && !config.cooperative => {
                Ok(ended(OutcomeKind::Fault, spot, &format!(" executed `trap`; {NEEDS_COOPERATION}")))
            }
            Ending::Trap(spot) => Ok(ended(OutcomeKind::Fault, spot, " executed `trap`")),
            Ending::Assertion(spot, what) => Ok(ended(OutcomeKind::Fault, spot, &format!(": {what}"))),
            Ending::StackOverflow(spot, what) => Ok(ended(OutcomeKind::Fault, spot, &format!(": {what}"))),
            Ending::BadFree(spot, what) => Ok(ended(OutcomeKind::Fault, spot, &format!(" {what}"))),
            Ending::Deadlock(spot) => {
                Ok(ended(OutcomeKind::BarrierDivergence, spot, " waits at a barrier that the others do not reach"))
            }
            Ending::NoMemory => Err(Error::NoHostMemory),
            Ending::BadLaunch => {
                Err(Error::Shape { what: "the translated kernel does not run such a grid or block".to_owned() })
            }
        }
    }
}

impl Allocated {
    /// Describes an access beyond the end.
    fn beyond(&self, offset: u64, bytes: usize) -> Error {
        Error::Range { label: self.label.clone(), size: self.memory.bytes(), offset, bytes: bytes as u64 }
    }
}

/// Describes what a thread did, in the words of the emulator. `what` follows the thread.
fn message(spot: Spot, [width, height, _]: [u32; 3], what: &str) -> String {
    let ([bx, by, bz], thread) = (spot.block, spot.thread);
    let (width, height) = (width.max(1), height.max(1));
    let (tx, ty, tz) = (thread % width, thread / width % height, thread / width / height);
    let who = format!("block ({bx},{by},{bz}) thread ({tx},{ty},{tz}){what}");
    if spot.line > 0 { format!("PTX line {}: {who}", spot.line) } else { who }
}

/// Returns the line of the source that a line of the PTX comes from, if a `.loc` says it.
fn source_line(kernel: &Kernel, ptx_line: u32) -> Option<u32> {
    let mut insts = kernel.insts();
    let inst = insts.find(|&inst| kernel.text_position(inst).is_some_and(|at| at.line == ptx_line))?;
    Some(kernel.loc(inst)?.line).filter(|&line| line > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_laid_out_as_in_ptx() {
        let text = ".version 9.0\n.target sm_90\n.address_size 64\n\
            .entry k(.param .u8 a, .param .u64 b, .param .u16 c, .param .align 16 .b8 d[4]) { ret; }\n";
        let module = Module::parse(text).unwrap();
        let kernel = module.kernel("k").unwrap();
        let values = [vec![1], vec![2; 8], vec![3; 2], vec![4; 4]];
        let mut expected = vec![1, 0, 0, 0, 0, 0, 0, 0];
        expected.extend([2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 0, 0, 0, 0, 0, 0]);
        expected.extend([0, 0, 0, 0, 0, 0, 0, 0, 4, 4, 4, 4]);
        assert_eq!(parameter_block(kernel, &values, 0), expected);
        assert_eq!(parameter_block(kernel, &values, 40).len(), 40);
    }

    #[test]
    fn threads_are_named_by_their_position() {
        let spot = Spot { line: 12, block: [1, 2, 3], thread: 4 + 8 * (2 + 4) };
        assert_eq!(
            message(spot, [8, 4, 2], " executed `trap`"),
            "PTX line 12: block (1,2,3) thread (4,2,1) executed `trap`"
        );
        let unknown = Spot { line: 0, ..spot };
        assert_eq!(message(unknown, [8, 4, 2], " waits"), "block (1,2,3) thread (4,2,1) waits");
    }
}
