//! The errors that keep a device from its task. The end of a launch is no error: see [`OutcomeKind`](crate::OutcomeKind).

use std::fmt::Display;

use crate::gpu::{ComputeMode, CudaCode, PtxProblem};

/// An error of a device.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is not PTX.
    #[error(transparent)]
    Ptx(#[from] ptx_parser::Errors),
    /// The kernel is not in the text.
    #[error("there is no kernel `{kernel}` in the PTX; {}", kernels(.found))]
    NoKernel {
        /// The name that was asked for.
        kernel: String,
        /// The names that there are.
        found: Vec<String>,
    },
    /// The emulator cannot run the kernel, or not like this.
    #[error(transparent)]
    Emulator(#[from] emulator::Error),
    /// The kernel has instructions that are not translated to C, or a function that it calls has.
    #[error("the kernel cannot be translated for the CPU: {}; `--device emulator` may run it", refused(.0))]
    NotTranslated(Vec<cpu::Refusal>),
    /// The translated kernel cannot be compiled or loaded.
    #[error(transparent)]
    Cpu(#[from] cpu::Error),
    /// The CPU has no memory for the blocks of a launch.
    #[error("no memory for the blocks that run at a time; use fewer `--threads`, smaller blocks or less shared memory")]
    NoHostMemory,
    /// A kernel handle of another device.
    #[error("this kernel was not loaded by this device; load it before the launch")]
    UnknownKernel,
    /// A buffer of another device, or one that was freed.
    #[error("this buffer is not one of this device's, or it was freed before; allocate it first")]
    UnknownBuffer,
    /// An access beyond a buffer's end.
    #[error("bytes {offset} to {end} are not within the {size} bytes of buffer `{label}`", end = u128::from(*offset) + u128::from(*bytes))]
    Range {
        /// The buffer.
        label: String,
        /// Its size in bytes.
        size: u64,
        /// The first byte of the access.
        offset: u64,
        /// The number of bytes.
        bytes: u64,
    },
    /// The device has not as much memory.
    #[error("no memory for the {bytes} bytes of buffer `{label}`; use smaller buffers, or free some first")]
    OutOfMemory {
        /// The buffer.
        label: String,
        /// Its size in bytes.
        bytes: u64,
    },
    /// Not as many arguments as the kernel has parameters.
    #[error(
        "kernel `{kernel}` has {expected} parameters, but {given} arguments are given; give one for each parameter, in their order"
    )]
    ArgumentCount {
        /// The kernel.
        kernel: String,
        /// The number of parameters.
        expected: usize,
        /// The number of arguments.
        given: usize,
    },
    /// An argument that does not fit its parameter.
    #[error(
        "parameter {index} (`{name}`) of kernel `{kernel}` has {expected} bytes, but {what}; give an argument of the \
         parameter's size"
    )]
    Argument {
        /// The kernel.
        kernel: String,
        /// The parameter's index, counted from 0.
        index: usize,
        /// Its name.
        name: String,
        /// Its size in bytes.
        expected: u64,
        /// The description of the given argument.
        what: String,
    },
    /// Module variables that take more memory than the device has left.
    #[error(
        "the module variables of the kernel take {all} bytes, `{name}` {bytes} of them, but {left} bytes of memory are left"
    )]
    VariableMemory {
        /// The largest of those that are not loaded yet.
        name: String,
        /// Its size in bytes.
        bytes: u64,
        /// The size of all of them in bytes.
        all: u64,
        /// Bytes that are left of the device's memory.
        left: u64,
    },
    /// This machine has no driver for a GPU.
    #[error("no CUDA driver on this machine: libcuda.so.1 is not found; what runs on the emulator needs none")]
    NoDriver,
    /// The driver is much older, or much newer, than what this was written for.
    #[error("the CUDA driver of this machine has no function `{function}`; use a driver of CUDA 11.4 or newer")]
    OtherDriver {
        /// The function.
        function: &'static str,
    },
    /// There is no GPU of that number.
    #[error("there is no GPU {ordinal}: the driver shows {count}, counted from 0; `nvidia-smi` lists them")]
    NoGpu {
        /// The number that was asked for.
        ordinal: u32,
        /// The number of them.
        count: u32,
    },
    /// The GPU's compute mode keeps this process off it.
    #[error("{mode}")]
    ComputeMode {
        /// The mode.
        mode: ComputeMode,
        /// The driver's answer to the request for a context.
        code: CudaCode,
    },
    /// The driver refuses something.
    #[error("the CUDA driver cannot {doing}: {code}; {}", .code.remedy())]
    Driver {
        /// The action that failed.
        doing: &'static str,
        /// The driver's error code.
        code: CudaCode,
    },
    /// The driver does not load the code.
    #[error("the GPU's driver does not load the code: {code}{}{}; {help}", listed(.problems), listed(.remark.as_slice()))]
    Refused {
        /// The driver's error code.
        code: CudaCode,
        /// The messages of its compiler, with the lines of the PTX; empty if there are none.
        problems: Vec<PtxProblem>,
        /// The change that the driver was given the code with, if any: its `.version` was lowered.
        remark: Option<String>,
        /// The advice for the user.
        help: String,
    },
    /// A launch that this GPU cannot make.
    #[error("the launch is not possible: {what}")]
    Shape {
        /// The size that is not possible, and its limit.
        what: String,
    },
    /// A kernel did not end as it should while its time was taken.
    #[error("kernel `{kernel}` has no time: {what}")]
    Unfinished {
        /// The kernel.
        kernel: String,
        /// The way in which its launch ended.
        what: String,
    },
    /// An earlier launch has left the GPU in a state in which this process cannot use it.
    #[error("the GPU cannot be used any more in this process: {what}; start the program again")]
    Lost {
        /// The event that made the GPU unusable.
        what: String,
    },
}

fn listed(sentences: &[impl Display]) -> String {
    sentences.iter().map(|sentence| format!("; {sentence}")).collect()
}

/// The most reasons that are told in one sentence.
const TOLD: usize = 3;

fn refused(refusals: &[cpu::Refusal]) -> String {
    let each = refusals.iter().take(TOLD).map(|refusal| match refusal.position {
        Some(at) => format!("PTX line {}: `{}`: {}", at.line, refusal.what, refusal.reason),
        None => format!("`{}`: {}", refusal.what, refusal.reason),
    });
    let told = each.collect::<Vec<_>>().join("; ");
    match refusals.len().checked_sub(TOLD) {
        Some(more @ 1..) => format!("{told}; and {more} more"),
        _ => told,
    }
}

fn kernels(found: &[String]) -> String {
    match found {
        [] => "it has none at all".into(),
        found => format!("it has `{}`", found.join("`, `")),
    }
}
