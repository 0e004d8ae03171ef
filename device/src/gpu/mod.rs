//! A GPU as a device, through the CUDA driver and `cust`.
//!
//! ```text
//!  PTX ──┬── ptx-parser ──> the kernel's parameters ── arguments are packed as for the emulator (pack.rs)
//!        └── loading.rs ──> the driver's compiler ───> module ── launch_limits.rs ──> launch.rs: event, launch, event ──> RunReport
//! ```
//!
//! The driver is a library that is looked for when a GPU is opened (`device/cust-raw`); a machine without one gets
//! [`Error::NoDriver`]. A GPU counts nothing: a report has the seconds between two CUDA events, and `None` for all counts. A kernel that
//! faults is an outcome. The driver then refuses everything up to the end of the process, so that every later call is [`Error::Lost`].
//!
//! All [`Gpu`]s of one ordinal in a process share its primary context. Nothing here depends on which thread calls.

mod compile;
mod driver;
mod error_code;
mod launch;
mod launch_limits;
mod loading;
mod properties;
mod scratch;
mod version_downgrade;

use std::ffi::CString;
use std::mem::ManuallyDrop;
use std::time::Duration;

use cust::context::{Context, CurrentContext};
use cust::device::Device as Ordinal;
use cust::event::{Event, EventFlags};
use cust::function::{BlockSize, Function};
use cust::memory::{CopyDestination, DeviceBuffer};
use cust::module::Module;
use cust::stream::{Stream, StreamFlags};
use ptx_parser::Kernel;

use crate::{Argument, Buffer, Description, Device, Error, Figures, KernelHandle, LaunchConfig, RunReport};

pub use compile::PtxProblem;
pub use error_code::CudaCode;
pub use properties::{ComputeMode, GpuProperties, KernelOccupancy, KernelProperties};

use compile::Image;
use scratch::Scratch;

/// The choice of a GPU, and the time limit of its launches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GpuOptions {
    /// Its number, counted from 0 in the order of the driver.
    pub ordinal: u32,
    /// After so long a launch is given up and ends as [`OutcomeKind::Budget`](crate::OutcomeKind::Budget). It goes on running until
    /// the process ends, so that the GPU is lost to it. `None` waits for ever.
    pub timeout: Option<Duration>,
    /// Bytes of a buffer that is overwritten before each timed launch, so that the L2 cache holds nothing of the launch's data, and the launch
    /// waits in the GPU's queue before its time begins. Several times the bytes of the L2 cache are enough. 0 for none: the time of a
    /// short launch then has some of the host's latency in it.
    pub scratch_bytes: u64,
}

/// A GPU, its memory and the kernels that it has loaded.
pub struct Gpu {
    properties: GpuProperties,
    timeout: Option<Duration>,
    kernels: Vec<Loaded>,
    held: ManuallyDrop<Held>,
    lost: Option<Lost>,
    remarks: Vec<String>,
}

/// The driver's objects that are in use, in the order in which they are given back.
struct Held {
    buffers: Vec<Option<Allocated>>,
    scratch: Option<Scratch>,
    /// Each with the code that it was made from. Kernels of one text share its variables.
    modules: Vec<(Vec<u8>, Module)>,
    stream: Stream,
    context: Context,
}

/// A kernel as text, for its parameters, and where its code is.
struct Loaded {
    kernel: Kernel,
    module: usize,
    properties: KernelProperties,
}

struct Allocated {
    label: String,
    bytes: u64,
    memory: DeviceBuffer<u8>,
}

/// The reason why the GPU cannot be used any more.
struct Lost {
    what: String,
    /// A kernel still runs: to give anything back would wait for it.
    running: bool,
}

/// The driver's error while it was to do something.
fn failed<E: Into<CudaCode>>(doing: &'static str) -> impl Fn(E) -> Error {
    move |error| Error::Driver { doing, code: error.into() }
}

/// Finds the driver and starts it.
fn start(ordinal: u32) -> Result<(Ordinal, GpuProperties), Error> {
    if !driver::is_present() {
        return Err(Error::NoDriver);
    }
    if let Some(function) = cust::sys::missing_function() {
        return Err(Error::OtherDriver { function });
    }
    driver::init().map_err(failed("start"))?;
    let count = Ordinal::num_devices().map_err(failed("count the GPUs"))?;
    if ordinal >= count {
        return Err(Error::NoGpu { ordinal, count });
    }
    let device = Ordinal::get_device(ordinal).map_err(failed("take the GPU"))?;
    let properties = GpuProperties::of(device, ordinal).map_err(failed("describe the GPU"))?;
    Ok((device, properties))
}

impl Gpu {
    pub(crate) const DESCRIPTION: Description = Description {
        name: "gpu",
        about: "A GPU of this machine, through its CUDA driver",
        noun: "a GPU",
        counts: false,
        has_machines: false,
        is_in_process: false,
        can_stop: false,
        keeps_memory: false,
        has_clusters: true,
        suites: Some(Figures::Times),
    };

    /// Describes a GPU without making a context on it: other processes can use it as if nobody had asked.
    ///
    /// # Errors
    /// [`Error::NoDriver`], [`Error::OtherDriver`], [`Error::NoGpu`], or what the driver says.
    pub fn describe(ordinal: u32) -> Result<GpuProperties, Error> {
        start(ordinal).map(|(_, properties)| properties)
    }

    /// Finds the driver, starts it, and takes the GPU's context.
    ///
    /// # Errors
    /// As [`Gpu::describe`]; [`Error::ComputeMode`] for a GPU that this process may not use; [`Error::OutOfMemory`] if there is none for
    /// [`GpuOptions::scratch_bytes`].
    pub fn open(options: &GpuOptions) -> Result<Gpu, Error> {
        let (device, properties) = start(options.ordinal)?;
        let context = Context::new(device).map_err(|error| {
            let code = CudaCode::from(error);
            match ComputeMode::of(device) {
                Some(mode) => Error::ComputeMode { mode, code },
                None => failed("make a context on the GPU")(code),
            }
        })?;
        let stream = Stream::new(StreamFlags::DEFAULT, None).map_err(failed("make a stream"))?;
        let scratch = Scratch::allocate(options.scratch_bytes)?;
        let held = ManuallyDrop::new(Held { buffers: Vec::new(), scratch, modules: Vec::new(), stream, context });
        let (timeout, kernels, remarks) = (options.timeout, Vec::new(), Vec::new());
        Ok(Gpu { properties, timeout, kernels, held, lost: None, remarks })
    }

    /// Returns what the driver says of the GPU.
    #[must_use]
    pub fn properties(&self) -> &GpuProperties {
        &self.properties
    }

    /// Returns what was done to make code run here that was not asked for, a sentence for each: PTX whose `.version` was lowered because
    /// the driver does not read it.
    #[must_use]
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// Loads one kernel of a cubin. The PTX that the cubin was made from says what its parameters are.
    ///
    /// # Errors
    /// As [`Device::load`]; also a cubin of another architecture.
    pub fn load_cubin(&mut self, cubin: &[u8], ptx: &str, kernel: &str) -> Result<KernelHandle, Error> {
        self.load_image(Image::Cubin(cubin), ptx, kernel)
    }

    /// Returns what the compiler made of a kernel: registers, local and shared memory.
    ///
    /// # Errors
    /// A kernel of another device.
    pub fn kernel_properties(&self, kernel: KernelHandle) -> Result<KernelProperties, Error> {
        Ok(self.loaded(kernel)?.properties)
    }

    /// Returns how many blocks of such a launch a multiprocessor holds at a time. The grid does not matter.
    ///
    /// # Errors
    /// A launch that the GPU cannot make, or a kernel of another device.
    pub fn occupancy(&self, kernel: KernelHandle, config: &LaunchConfig) -> Result<KernelOccupancy, Error> {
        self.enter()?;
        let function = self.function(self.loaded(kernel)?, config)?;
        let threads = config.block.iter().product();
        let blocks = function
            .max_active_blocks_per_multiprocessor(BlockSize::x(threads), config.dynamic_shared as usize)
            .map_err(failed("say how many blocks a multiprocessor holds"))?;
        Ok(KernelOccupancy::of(blocks, threads, &self.properties))
    }

    /// Makes the GPU the one that this thread talks to. Everything else begins with it.
    fn enter(&self) -> Result<(), Error> {
        if let Some(lost) = &self.lost {
            return Err(Error::Lost { what: lost.what.clone() });
        }
        CurrentContext::set_current(&self.held.context).map_err(failed("return to the GPU's context"))
    }

    fn loaded(&self, kernel: KernelHandle) -> Result<&Loaded, Error> {
        self.kernels.get(kernel.0).ok_or(Error::UnknownKernel)
    }

    /// The code of a kernel in a module that was loaded.
    fn function_in(&self, module: usize, name: &str) -> Result<Function<'_>, Error> {
        let (_, code) = self.held.modules.get(module).ok_or(Error::UnknownKernel)?;
        code.get_function(name).map_err(failed("find the kernel in the code"))
    }

    /// The kernel's code, allowed what the launch takes.
    fn function(&self, loaded: &Loaded, config: &LaunchConfig) -> Result<Function<'_>, Error> {
        let name = loaded.kernel.name();
        launch_limits::check(config, name, &loaded.properties, &self.properties)?;
        let function = self.function_in(loaded.module, name)?;
        let shared = u64::from(loaded.properties.static_shared_bytes) + u64::from(config.dynamic_shared);
        if shared > u64::from(self.properties.shared_bytes_per_block) {
            let allowed = driver::allow_dynamic_shared(&function, config.dynamic_shared);
            allowed.map_err(failed("give a block so much shared memory"))?;
        }
        Ok(function)
    }

    fn allocated(&self, buffer: Buffer) -> Result<&Allocated, Error> {
        self.held.buffers.get(buffer.0).and_then(Option::as_ref).ok_or(Error::UnknownBuffer)
    }

    /// The bytes of an access to a buffer, which lies within it.
    fn range(&self, buffer: Buffer, offset: u64, bytes: usize) -> Result<std::ops::Range<usize>, Error> {
        let allocated = self.allocated(buffer)?;
        let end = offset.checked_add(bytes as u64).filter(|&end| end <= allocated.bytes);
        match (usize::try_from(offset), end.map(usize::try_from)) {
            (Ok(start), Some(Ok(end))) => Ok(start..end),
            _ => {
                let label = allocated.label.clone();
                Err(Error::Range { label, size: allocated.bytes, offset, bytes: bytes as u64 })
            }
        }
    }

    fn allocate(&mut self, bytes: u64, label: &str, zeroed: bool) -> Result<Buffer, Error> {
        self.enter()?;
        let memory = memory(bytes, label, zeroed)?;
        self.held.buffers.push(Some(Allocated { label: label.to_owned(), bytes, memory }));
        Ok(Buffer(self.held.buffers.len() - 1))
    }
}

impl Device for Gpu {
    fn name(&self) -> String {
        format!("gpu ({})", self.properties.name)
    }

    fn load(&mut self, ptx: &str, kernel: &str) -> Result<KernelHandle, Error> {
        // Behind a NUL the driver would read nothing; the parser says that a NUL is no PTX.
        let end = ptx.find('\0').unwrap_or(ptx.len());
        let text = CString::new(&ptx[..end]).unwrap_or_default();
        self.load_image(Image::Ptx(&text), ptx, kernel)
    }

    fn alloc(&mut self, bytes: u64, label: &str) -> Result<Buffer, Error> {
        self.allocate(bytes, label, true)
    }

    fn reserve(&mut self, bytes: u64, label: &str) -> Result<Buffer, Error> {
        self.allocate(bytes, label, false)
    }

    fn upload(&mut self, buffer: Buffer, offset: u64, data: &[u8]) -> Result<(), Error> {
        self.enter()?;
        let range = self.range(buffer, offset, data.len())?;
        let mut part = self.allocated(buffer)?.memory.index(range);
        part.copy_from(data).map_err(failed("copy to the GPU"))
    }

    fn download(&self, buffer: Buffer, offset: u64, data: &mut [u8]) -> Result<(), Error> {
        self.enter()?;
        let range = self.range(buffer, offset, data.len())?;
        let part = self.allocated(buffer)?.memory.index(range);
        part.copy_to(data).map_err(failed("copy from the GPU"))
    }

    fn free(&mut self, buffer: Buffer) -> Result<(), Error> {
        self.enter()?;
        let freed = self.held.buffers.get_mut(buffer.0).and_then(Option::take).ok_or(Error::UnknownBuffer)?;
        DeviceBuffer::drop(freed.memory).map_err(|(error, _)| failed("free memory")(error))
    }

    fn launch(
        &mut self,
        kernel: KernelHandle,
        config: &LaunchConfig,
        arguments: &[Argument],
    ) -> Result<RunReport, Error> {
        self.launch_once(kernel, config, arguments)
    }

    fn remarks(&self) -> &[String] {
        Gpu::remarks(self)
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        if self.lost.as_ref().is_some_and(|lost| lost.running) {
            return;
        }
        // What cannot be given back, the end of the process takes.
        let _ = CurrentContext::set_current(&self.held.context);
        // SAFETY: it is dropped here only, and nothing is used after it.
        unsafe { ManuallyDrop::drop(&mut self.held) };
    }
}

/// Allocates memory in the current context. An empty buffer has one byte, so that its address is its own.
fn memory(bytes: u64, label: &str, zeroed: bool) -> Result<DeviceBuffer<u8>, Error> {
    let size = usize::try_from(bytes.max(1)).unwrap_or(usize::MAX);
    let memory = if zeroed {
        DeviceBuffer::zeroed(size)
    } else {
        // SAFETY: any bits are a `u8`, and whoever reads them on the host reads what the GPU's memory holds.
        unsafe { DeviceBuffer::uninitialized(size) }
    };
    memory.map_err(|error| match CudaCode::from(error) {
        CudaCode::OUT_OF_MEMORY | CudaCode::INVALID_ALLOCATION => Error::OutOfMemory { label: label.to_owned(), bytes },
        code => Error::Driver { doing: "allocate memory", code },
    })
}

/// Ends the process at once, without waiting for a launch that was given up. An orderly end may wait for it.
pub fn exit_now(status: u8) -> ! {
    driver::exit_now(i32::from(status))
}

/// An event that can be asked for its time.
fn event() -> Result<Event, Error> {
    Event::new(EventFlags::DEFAULT).map_err(failed("make an event"))
}
