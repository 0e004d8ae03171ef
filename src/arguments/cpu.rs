//! The options of `pxrw cpu`.

use std::path::PathBuf;

use clap::Args;

use super::common::Common;
use super::compiler::CompilerArguments;
use super::devices::CpuArguments;

/// Translate kernels to C, for the CPU.
///
/// A kernel becomes a C function that runs a grid on threads of the host; its name is that of the kernel with `_launch_packed` behind it. Threads of a
/// block are iterations of loops, which end where threads wait for each other. The C text needs no other file than the headers of a C11 compiler with
/// POSIX threads.
///
/// The result is the C text, or with `-o` its file: `OUT.c` with the header `OUT.h` beside it, or `OUT.so`, a shared object for this machine. A
/// kernel with an instruction that is not translated is left out, with the line and the reason; the exit status is then 1.
///
/// With `--explain`, the report lists the dependences between lanes of a warp that execute in lockstep, with their lines, sign vectors and classes, the cuts at which
/// lanes meet, the dependence that demands each, and what was assumed.
///
/// Nothing checks the accesses of a translated kernel to memory. `pxrw run --device cpu` translates, compiles and runs one.
#[derive(Args, Debug)]
#[command(after_help = "Example: pxrw cpu kernel.ptx -o kernel.c")]
pub(crate) struct Cpu {
    /// CUDA source or PTX
    pub(crate) input: PathBuf,
    /// Write the result to this file, whose name ends in `.c` or `.so`; C to standard output if not given
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Translate this kernel only; its name may be mangled or not
    #[arg(long, value_name = "NAME")]
    pub(crate) kernel: Option<String>,
    /// Report the dependences between lanes of a warp, and why lanes meet where they do
    #[arg(long)]
    pub(crate) explain: bool,
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(flatten)]
    pub(crate) cpu: CpuArguments,
    #[command(flatten)]
    pub(crate) compiler: CompilerArguments,
}
