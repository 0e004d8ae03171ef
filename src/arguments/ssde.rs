//! The options of the commands about loops that wait.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::common::Common;
use super::compiler::CompilerArguments;

/// Find loops that deadlock because the lanes of a warp meet again, and rewrite kernels so that they cannot.
///
/// On a machine with a reconvergence stack, lanes that leave a loop wait for those that stay in it. If those wait for what the others would do next, such
/// as release a lock, the warp hangs. Each loop for which this cannot be excluded is reported with the read that it waits for and the writes that would
/// free it. In the rewritten kernel, lanes reconverge at a point where no lane blocks another. A kernel without findings stays as it is, byte for byte.
///
/// Before anything is written, a checker that shares nothing with the rewriter derives from both texts that each thread does what it did.
/// `--certificate` writes down what it found: which blocks match, which registers and edges were added, and why each loop is still the loop that
/// it was. `--verify` does the same for a text that is there already, and looks for loops that are left.
#[derive(Args, Debug)]
#[command(after_help = "Example: pxrw ssde lock.cu --detect\n         \
    pxrw ssde lock.cu -o lock.ptx --certificate lock.json\n         \
    pxrw ssde lock.cu --verify lock.ptx --certificate lock.json")]
pub(crate) struct Ssde {
    /// CUDA source or PTX
    pub(crate) input: PathBuf,
    /// Write the result to this file; standard output if not given
    #[arg(short, long, value_name = "FILE", conflicts_with = "detect")]
    pub(crate) output: Option<PathBuf>,
    /// Report what is found; rewrite nothing
    #[arg(long)]
    pub(crate) detect: bool,
    /// Check that this PTX is a faithful rewrite of the input and that nothing is found in it; rewrite nothing
    #[arg(long, value_name = "OUT.ptx", conflicts_with_all = ["detect", "output", "emit"])]
    pub(crate) verify: Option<PathBuf>,
    /// Write the certificate of the rewrite to this file, as JSON; with `--verify`, check this certificate
    #[arg(long, value_name = "FILE.json", conflicts_with = "detect")]
    pub(crate) certificate: Option<PathBuf>,
    /// Form of the result: the rewritten PTX, or delayed reconvergence points of the original kernel, for
    /// `pxrw run --machine aware --reconvergence FILE`
    #[arg(long, value_enum, default_value_t = SsdeEmit::Ptx, conflicts_with = "detect")]
    pub(crate) emit: SsdeEmit,
    /// Make no assumptions about lock-free loops: neither that their links come to an end, nor that lanes do not undo each other's work for ever
    #[arg(long)]
    pub(crate) strict: bool,
    /// Analyse this kernel only; its name may be mangled or not
    #[arg(long, value_name = "NAME")]
    pub(crate) kernel: Option<String>,
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(flatten)]
    pub(crate) compiler: CompilerArguments,
}

/// Report all that is found in kernels, and rewrite nothing.
///
/// Loops that deadlock if the lanes of a warp have to reconverge, atomic updates that need lanes in lockstep, accesses that rely on lockstep without
/// a barrier, and marked paths that cannot be collected are each explained with their lines. The `.target` of the PTX decides how a chip runs a loop that waits: for sm_6x and older it
/// hangs on newer chips too.
///
/// A folder stands for the .cu and .ptx files in it and in the folders below. Hidden ones, and those that .gitignore lists, are left out. A file
/// that cannot be read or compiled does not stop the others; the JSON lists it in `unreadable`, with its errors. The exit status is 2 if there is one, else 1 if
/// something was found, else 0.
#[derive(Args, Debug)]
#[command(after_help = "Example: pxrw lint lock.cu old.ptx\n         pxrw lint src -I include -- -O1")]
pub(crate) struct Lint {
    /// CUDA sources, PTX, and folders with such files
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(flatten)]
    pub(crate) compiler: CompilerArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SsdeEmit {
    /// PTX text
    Ptx,
    /// Lines of branches and of points, as JSON
    Reconvergence,
}
