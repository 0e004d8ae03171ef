//! One trait over the machines that can run a kernel.
//!
//! Whoever runs kernels (the command line, the benchmarks) does it through [`Device`]: load a kernel from PTX text,
//! allocate and fill buffers, launch, read back. What a launch did comes back as a [`RunReport`], the same for every
//! device, with nothing in the places of what a device cannot measure.
//!
//! [`DeviceName`] lists the devices that there are and says what each can do ([`Description`]); [`Selection`] opens one. A [`Gpu`] that is opened by itself can more: take the times of many launches,
//! load cubins, and say what the driver knows of it and of its kernels.
//!
//! ```
//! use device::{Argument, LaunchConfig, OutcomeKind, Selection};
//!
//! let ptx = ".version 9.0\n.target sm_90\n.address_size 64\n\
//!            .entry answer(.param .u64 out) {\n\
//!            .reg .b64 %rd<3>;\n\
//!            ld.param.u64 %rd1, [out];\n\
//!            cvta.to.global.u64 %rd2, %rd1;\n\
//!            st.global.u32 [%rd2], 42;\n\
//!            ret;\n}\n";
//! let mut device = Selection::default().open()?;
//! let kernel = device.load(ptx, "answer")?;
//! let out = device.alloc(4, "out")?;
//! let report = device.launch(kernel, &LaunchConfig::linear(1, 32), &[Argument::Buffer(out)])?;
//! assert_eq!(report.outcome, OutcomeKind::Finished);
//! let mut bytes = [0; 4];
//! device.download(out, 0, &mut bytes)?;
//! assert_eq!(u32::from_le_bytes(bytes), 42);
//! # Ok::<(), device::Error>(())
//! ```

#![warn(clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::indexing_slicing))]

mod description;
mod emulated;
mod error;
mod gpu;
mod launch;
mod null_device;
mod pack;
mod report;
mod translated;

pub use description::{Description, Figures};
pub use emulated::{Emulated, EmulatorOptions};
pub use emulator::{
    Aware, Branch, Checks, Chip, Machine, Monitor, Occupancy, Order, Reconvergence, Report, SHARED_WITHOUT_OPT_IN,
    Scheduling, Trace,
};
pub use error::Error;
pub use gpu::{
    ComputeMode, CudaCode, Gpu, GpuOptions, GpuProperties, KernelOccupancy, KernelProperties, PtxProblem, exit_now,
};
pub use launch::{Argument, LaunchConfig};
pub use null_device::Idle;
pub use report::{Counts, OutcomeKind, Printed, RunReport};
pub use translated::{Translated, TranslatedOptions};

/// A kernel that a device has loaded; only that device knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KernelHandle(pub(crate) usize);

/// A buffer in a device's memory; only that device knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Buffer(pub(crate) usize);

/// A machine that runs kernels.
pub trait Device {
    /// Returns what the device is, for reports: `emulator (stack)`.
    fn name(&self) -> String;

    /// Loads one kernel of a PTX text. Module variables keep their values from one launch to the next. Variables of one name
    /// are one variable, also where they come from different texts: give different modules devices of their own.
    ///
    /// # Errors
    /// A text that does not parse, a kernel that is not there, or one that the device cannot run, with the line.
    fn load(&mut self, ptx: &str, kernel: &str) -> Result<KernelHandle, Error>;

    /// Allocates `bytes` bytes of zeros, aligned for every type. `label` names the buffer in messages about accesses
    /// beyond it.
    ///
    /// # Errors
    /// More memory than the device has.
    fn alloc(&mut self, bytes: u64, label: &str) -> Result<Buffer, Error>;

    /// Allocates `bytes` bytes that nobody has written yet, aligned for every type: a device that checks for it reports a kernel that
    /// reads them before it writes them.
    ///
    /// # Errors
    /// More memory than the device has.
    fn reserve(&mut self, bytes: u64, label: &str) -> Result<Buffer, Error> {
        self.alloc(bytes, label)
    }

    /// Writes `data` into a buffer, from its byte `offset` on.
    ///
    /// # Errors
    /// A buffer that was freed, or data that does not fit into it.
    fn upload(&mut self, buffer: Buffer, offset: u64, data: &[u8]) -> Result<(), Error>;

    /// Fills `data` from a buffer, from its byte `offset` on.
    ///
    /// # Errors
    /// A buffer that was freed, or one that is shorter than that.
    fn download(&self, buffer: Buffer, offset: u64, data: &mut [u8]) -> Result<(), Error>;

    /// Gives a buffer's memory back.
    ///
    /// # Errors
    /// A buffer that was freed before.
    fn free(&mut self, buffer: Buffer) -> Result<(), Error>;

    /// Runs a kernel to its end. The arguments are those of the kernel's parameters, in their order.
    ///
    /// A kernel that deadlocks, faults or does not end in its budget is not an error: the report's outcome says so.
    ///
    /// # Errors
    /// A launch that cannot start: arguments that do not match the parameters, a grid or block that no device runs.
    fn launch(
        &mut self,
        kernel: KernelHandle,
        config: &LaunchConfig,
        arguments: &[Argument],
    ) -> Result<RunReport, Error>;

    /// Returns what the device did to make kernels run that it was not asked for, a sentence for each.
    fn remarks(&self) -> &[String] {
        &[]
    }
}

/// The devices that there are.
///
/// They are not compared with each other: what a caller decides by is in the [`Description`], and what is another one's code is a `match`.
#[derive(Clone, Copy, Debug)]
pub enum DeviceName {
    /// The emulator, on the CPU.
    Emulator,
    /// The CPU, by native code that kernels are translated to.
    Cpu,
    /// A GPU of this machine, through the CUDA driver.
    Gpu,
}

impl DeviceName {
    /// All devices.
    pub const ALL: &'static [DeviceName] = &[DeviceName::Emulator, DeviceName::Cpu, DeviceName::Gpu];

    /// Returns what it is and can do.
    #[must_use]
    pub fn description(self) -> Description {
        match self {
            DeviceName::Emulator => Emulated::DESCRIPTION,
            DeviceName::Cpu => Translated::DESCRIPTION,
            DeviceName::Gpu => Gpu::DESCRIPTION,
        }
    }

    /// Returns its name on the command line and in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.description().name
    }

    /// Says in one line what it is.
    #[must_use]
    pub fn about(self) -> &'static str {
        self.description().about
    }
}

/// A device with its settings.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Selection {
    /// The emulator, on the CPU.
    Emulator(EmulatorOptions),
    /// The CPU, by native code that kernels are translated to.
    Cpu(TranslatedOptions),
    /// A GPU of this machine, through the CUDA driver.
    Gpu(GpuOptions),
}

impl Selection {
    /// Returns the device that it opens.
    #[must_use]
    pub fn device(&self) -> DeviceName {
        match self {
            Selection::Emulator(_) => DeviceName::Emulator,
            Selection::Cpu(_) => DeviceName::Cpu,
            Selection::Gpu(_) => DeviceName::Gpu,
        }
    }

    /// Returns the device's name on the command line and in reports.
    #[must_use]
    pub fn word(&self) -> &'static str {
        self.device().name()
    }

    /// Opens the device.
    ///
    /// # Errors
    /// A device that this machine does not have. The emulator is always there, and so is the CPU; its C compiler is looked for when a kernel is loaded.
    pub fn open(&self) -> Result<Box<dyn Device>, Error> {
        match self {
            Selection::Emulator(options) => Ok(Box::new(Emulated::new(options.clone()))),
            Selection::Cpu(options) => Ok(Box::new(Translated::new(options.clone()))),
            Selection::Gpu(options) => Ok(Box::new(Gpu::open(options)?)),
        }
    }
}

/// A kernel by its name, and the others' names if there is none.
fn find<'m>(module: &'m ptx_parser::Module, name: &str) -> Result<&'m ptx_parser::Kernel, Error> {
    module.kernel(name).ok_or_else(|| {
        let found = module.kernels().iter().map(|kernel| kernel.name().to_owned()).collect();
        Error::NoKernel { kernel: name.to_owned(), found }
    })
}

impl Default for Selection {
    fn default() -> Selection {
        Selection::Emulator(EmulatorOptions::default())
    }
}
