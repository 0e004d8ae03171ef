//! The commands and their options.

mod bench;
pub(crate) mod common;
mod compiler;
mod cpu;
mod devices;
mod enum_choice;
mod ssde;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use device::DeviceName;

pub(crate) use bench::{
    Bench, BfsSuite, CccSuite, CpuSuite, EfficiencySuite, EmulatorSuite, GpuSuite, LockSuite, Measured, On, Sizes,
    SsdeSuite, Suite, WorkerSuite,
};
pub(crate) use common::{CheckName, Common, Emit, ReportForm, RunReportForm};
pub(crate) use compiler::{CompilerArguments, is_nvccs, spelled};
pub(crate) use cpu::Cpu;
pub(crate) use devices::{
    CpuArguments, EmulatorArguments, Given, GpuArguments, HostArguments, Timing, Watched, figures,
};
pub(crate) use ssde::{Lint, Ssde, SsdeEmit};

use common::arch;
use enum_choice::one_of;

/// Rewrites GPU kernels at the PTX level so that they run well, and run at all, on SIMT machines, and shows what a rewrite did,
/// with or without a GPU.
#[derive(Debug, Parser)]
#[command(name = "pxrw", version, max_term_width = 100)]
#[command(
    after_help = "Exit status: 0 done; 1 something was found or refused; 2 the input or the arguments are wrong;\n\
    130 interrupted (143 by SIGTERM, 129 by SIGHUP).\n\n\
    Example: pxrw ccc examples/bfs.cu -o bfs.ptx"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) color: colorchoice_clap::Color,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Annotate(Annotate),
    Ccc(Ccc),
    Check(Check),
    Cpu(Cpu),
    Fmt(Fmt),
    Lint(Lint),
    Nvcc(Nvcc),
    Run(Run),
    Ssde(Ssde),
    Bench(Bench),
    Report(Report),
    Toolkit(ToolkitCommand),
}

/// Show the markers that carry `#CCC` directives through the compiler into the PTX.
///
/// Shows the parts of the preprocessor's output that are from files with directives: macros are expanded.
///
/// `#CCC for [const] [block(N)]` stands on a line of its own above a loop whose iterations are independent, `#CCC if` above the
/// condition of the path that few lanes take, `#CCC case` above a case of a `switch`. `#CCC while` above a loop in the loop, and
/// `#CCC recursive` above the call of a function that calls itself last, collect them step by step; so does `#CCC for` above a loop in which
/// nothing is marked. `#CCC grid` in a kernel of one item per thread makes the loop. `#pragma CCC …` and `//#CCC …` mean the same, and let the file compile with plain
/// nvcc too.
#[derive(Args, Debug)]
#[command(after_help = "Example: pxrw annotate examples/bfs.cu | less")]
pub(crate) struct Annotate {
    /// CUDA source
    pub(crate) input: PathBuf,
    /// Write the result to this file; standard output if not given
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The GPU architecture to preprocess for
    #[arg(long, default_value = "sm_90", value_parser = arch)]
    pub(crate) arch: String,
    /// An existing CUDA toolkit: its root, its bin folder, or an nvcc
    #[arg(long, value_name = "PATH")]
    pub(crate) cuda_path: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) compiler: CompilerArguments,
}

/// Apply collaborative context collection to the marked regions of a kernel.
///
/// A lane that wants a marked path puts its context on a per-warp stack in shared memory; the path runs when the whole warp has
/// work. What the path can cheaply compute from the rest of its context is not put there. The result is PTX (or a cubin), the report
/// says what each region's context is and what the rewrite costs. A region
/// that cannot be rewritten soundly is left as it was, with the line, the reason and what to do.
///
/// If the stacks of several paths of a loop would leave room for fewer blocks on a multiprocessor, only the costliest paths get theirs:
/// those with the largest sum of inverse throughputs times rarity. The rarity of a path is from `#CCC if probability(P)` or, better, from a
/// profile: `pxrw run kernel.cu --marked … --report json > profile.json`. With either, a path stays where it is if collecting it costs more
/// than it saves.
#[derive(Args, Debug)]
#[command(after_help = "Example: pxrw ccc examples/bfs.cu -o bfs.ptx")]
pub(crate) struct Ccc {
    /// CUDA source with `#CCC` directives, or PTX with their markers
    pub(crate) input: PathBuf,
    /// Write the result to this file; standard output if not given
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Rewrite this kernel only; its name may be mangled or not
    #[arg(long, value_name = "NAME")]
    pub(crate) kernel: Option<String>,
    /// Largest number of threads per block in any launch; decides the size of the stacks. If not given, `block(N)` of the directive or
    /// `__launch_bounds__`, else 1024
    #[arg(long, value_name = "THREADS", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) block: Option<u32>,
    /// Dynamic shared memory per block in any launch, in bytes; paths whose stacks do not fit beside it are not collected
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    pub(crate) shared: u32,
    /// Store every value that a path needs, also those that it could recompute from the others
    #[arg(long)]
    pub(crate) no_compress: bool,
    /// Limit of what a path recomputes instead of storing it on the stack, in units of the cost of a 32-bit addition
    #[arg(long, value_name = "OPERATIONS", default_value_t = ccc::RECOMPUTE, conflicts_with = "no_compress")]
    pub(crate) recompute: u32,
    /// Hoist no load out of its path, not even if it would access fewer sectors where the context is collected
    #[arg(long)]
    pub(crate) no_hoist_loads: bool,
    /// Hoist loads out of their path where they access fewer sectors, even if their values make the context larger
    #[arg(long, conflicts_with = "no_hoist_loads")]
    pub(crate) hoist_loads: bool,
    /// Run each task of an inner `#CCC for` in one lane to its end, also if other lanes are idle
    #[arg(long)]
    pub(crate) no_split: bool,
    /// Limit of registers per thread of a rewritten kernel (`.maxnreg`); ptxas spills what does not fit. No limit if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(16..=255))]
    pub(crate) registers: Option<u32>,
    /// Collect the path at this line only, the line of the marked statement; repeat it for several
    #[arg(long, value_name = "LINE")]
    pub(crate) path: Vec<u32>,
    /// Collect at most N paths of each loop, the costliest ones; no limit if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) most: Option<u32>,
    /// Collect all paths that there is memory for, even if fewer blocks then fit a multiprocessor
    #[arg(long)]
    pub(crate) lower_occupancy: bool,
    /// Collect also the paths for which it costs more than it saves, by a profile or `probability(P)`
    #[arg(long)]
    pub(crate) all: bool,
    /// Refuse a path unless it provably accesses other memory than the code behind it in its iteration. Without this option, the report
    /// says what is assumed
    #[arg(long)]
    pub(crate) strict: bool,
    /// Execution counts of a launch: a report of `pxrw run --report json`. They decide which paths are the costliest, and which are not
    /// worth collecting; repeat it for several launches
    #[arg(long, value_name = "FILE")]
    pub(crate) profile: Vec<PathBuf>,
    /// Form of the result
    #[arg(long, value_enum, default_value_t = Emit::Ptx)]
    pub(crate) emit: Emit,
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(flatten)]
    pub(crate) compiler: CompilerArguments,
}

/// Stand in for nvcc, and rewrite the PTX of each architecture on its way.
///
/// `make NVCC="pxrw nvcc"`, or CMake with `-DCMAKE_CUDA_COMPILER_LAUNCHER="pxrw;nvcc"`: the arguments are nvcc's, and so are errors, warnings and the exit
/// status. Sources and headers with `#CCC` directives have their marked paths collected. Loops that deadlock where lanes meet are rewritten
/// with `--pxrw=ccc,ssde` among the arguments, or with the variable `PXRW=ccc,ssde`; `strict` in that list is `--strict` of `pxrw ccc`, and `none` rewrites nothing. What cannot be rewritten stays as the compiler made
/// it, with a warning. The variable `PXRW_REPORT` names a file to which a line of JSON is added for each architecture of each source; `-` stands for text on
/// standard error. Where nothing is to be done, nvcc itself runs.
#[derive(Args, Debug)]
#[command(disable_help_flag = true, disable_version_flag = true)]
#[command(after_help = "Example: pxrw nvcc -O3 -arch=sm_90 -c kernel.cu -o kernel.o")]
pub(crate) struct Nvcc {
    /// Arguments of nvcc, and `--pxrw=ccc,ssde`; `--help` and `--version` are those of nvcc if it is installed
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
    pub(crate) arguments: Vec<OsString>,
}

/// Check PTX files: syntax, names, and every instruction against the grammar table.
///
/// All that is wrong with a file is shown in one run, each with its line, a caret and, where there is one, a remedy. What is
/// called an error, ptxas refuses too. An instruction that the table does not list is a warning in a PTX version newer than 9.0,
/// for which the table is complete, and an error else; every command keeps it as it is and assumes the worst of it. No CUDA
/// toolkit is needed.
#[derive(Args, Debug)]
#[command(after_help = "Example: pxrw check kernel.ptx")]
pub(crate) struct Check {
    /// PTX files
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Form of the report
    #[arg(long, value_enum, default_value_t = ReportForm::Text)]
    pub(crate) report: ReportForm,
}

/// Lay PTX out in one canonical form: one statement per line, plain literals, comments where they stand.
///
/// The result says the same as the input, and ptxas makes the same machine code of it. Two files that differ only in layout have the
/// same canonical form, so that it is what to compare and what to keep. With `--check`, the exit status is 1 if a file would change.
#[derive(Args, Debug)]
#[command(after_help = "Example: pxrw fmt kernel.ptx -o canonical.ptx")]
pub(crate) struct Fmt {
    /// PTX files; standard input if none is given, or for `-`
    #[arg(value_name = "FILE")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Write the result to this file, for one input; standard output if not given
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["check", "in_place"])]
    pub(crate) output: Option<PathBuf>,
    /// Write nothing; list the files that would change
    #[arg(long, conflicts_with = "in_place")]
    pub(crate) check: bool,
    /// Replace each file by its canonical form
    #[arg(short, long)]
    pub(crate) in_place: bool,
}

/// Run a kernel: on the emulator, which counts what its warps did, or on the CPU or a GPU, which say how long it took.
///
/// Arguments are given in the order of the kernel's parameters. A scalar is `TYPE:VALUE`, such as `i32:7` or `f32:1.5`. A buffer is
/// `TYPE[COUNT]=INIT`, where INIT is a number, `iota` (0, 1, 2, ...), `rand:SEED` (floats in [0,1), integers over their whole range),
/// `FILE.npy`, or `none` for memory that nobody has written; `FILE.npy` alone takes its type and size from the file. `>OUT.npy` behind a
/// buffer writes it there after the launch, also after a fault or Ctrl-C: flat, little-endian, `bool` as `u1`. TYPE is a name of PTX or i8 to i64; numbers may be written as 0x1f, 2^20 or 1_000.
///
/// A structure by value is its fields in braces, `{i32:7, f32:1.5, f32[1024]=0>y.npy, {u8:1, u8:2}}`, laid out as in C: scalars, buffers whose
/// address a field holds, structures in it. Elements of arrays are fields one behind the other; what is aligned further than its size (`float4`)
/// takes padding, such as `b32:0`, also at the end. Or it is all of its bytes: `FILE.bin`, or `FILE.npy` (`numpy.dtype([...], align=True)`).
///
/// A buffer whose elements contradict the pointer's type in C++ is an error: the type is that of the kernel's mangled name or of its declaration in the
/// source. Where there is neither, floating-point loads and stores of the PTX count as well, and others make a warning. Signs do not count, nor do
/// `void *`, bytes and structures. `b8` to `b64` (`b64[1024]=x.npy`) have bits taken as they are.
///
/// On the emulator, cycles are modelled from the counts, as docs/time-model.md says. Ctrl-C or SIGTERM ends the launch and reports what ran so far, with exit
/// status 130 or 143.
///
/// On the CPU (`--device cpu`), the kernel is translated to C and compiled by the system's C compiler. Nothing is counted, and nothing checks its accesses to
/// memory: one beyond the buffers may end the program by a signal, or leave wrong results. Compiled kernels are kept for later runs, in the folder that the
/// variable `PXRW_CACHE` names, else in `$XDG_CACHE_HOME/pxrw/cpu` or `~/.cache/pxrw/cpu`.
///
/// On a GPU (`--device gpu`), the time lies between two CUDA events around the launch, a few microseconds of which are the way to the GPU. Nothing
/// is counted: every count is "not measured". It takes the driver, and `--arch` of that GPU or of an older one. What the kernel prints, the
/// driver writes to standard output, before the report. Where a kernel faults, the driver says neither the line nor the access, and the buffers are lost.
#[derive(Args, Debug)]
#[command(after_help = "Example: pxrw run saxpy.cu --kernel saxpy --grid 4 --block 256 --arg i32:1000 --arg f32:2 \
    --arg 'f32[1000]=iota' --arg 'f32[1000]=1>y.npy'")]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) given: Given,
    /// CUDA source or PTX
    pub(crate) input: PathBuf,
    /// Name of the kernel, mangled or not; needed where the file has several
    #[arg(long)]
    pub(crate) kernel: Option<String>,
    /// Number of blocks of the grid, per dimension
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = dimensions)]
    pub(crate) grid: [u32; 3],
    /// Number of threads of a block, per dimension
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = dimensions)]
    pub(crate) block: [u32; 3],
    /// A kernel argument; repeat it for each parameter
    #[arg(long = "arg", value_name = "ARG")]
    pub(crate) args: Vec<String>,
    /// Dynamic shared memory per block, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    pub(crate) shared: u32,
    /// Let a block have more than 48 KiB of shared memory, as a program does with `cudaFuncSetAttribute` and
    /// `cudaFuncAttributeMaxDynamicSharedMemorySize`
    #[arg(long)]
    pub(crate) opt_in_shared: bool,
    /// Launch it as cooperative: all blocks are resident together and may wait for each other (`grid.sync()`)
    #[arg(long)]
    pub(crate) cooperative: bool,
    /// Device that runs the kernel
    #[arg(long, value_parser = one_of(DeviceName::ALL, DeviceName::name, DeviceName::about), default_value = "emulator")]
    pub(crate) device: DeviceName,
    /// Run what `pxrw ccc` rewrites: the kernel with the markers of its directives. Its report serves as a profile
    #[arg(long)]
    pub(crate) marked: bool,
    /// The GPU architecture to compile for
    #[arg(long, default_value = "sm_90", value_parser = arch)]
    pub(crate) arch: String,
    /// Form of the report
    #[arg(long, value_enum, default_value_t = RunReportForm::Text)]
    pub(crate) report: RunReportForm,
    /// An existing CUDA toolkit: its root, its bin folder, or an nvcc
    #[arg(long, value_name = "PATH")]
    pub(crate) cuda_path: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) emulator: EmulatorArguments,
    #[command(flatten)]
    pub(crate) host: HostArguments,
    #[command(flatten)]
    pub(crate) cpu: CpuArguments,
    #[command(flatten)]
    pub(crate) gpu: GpuArguments,
    #[command(flatten)]
    pub(crate) compiler: CompilerArguments,
}

/// Show the results of `pxrw bench gpu`, or of a suite with `--device gpu --report json`, with the papers' figures beside ours.
///
/// Times and counters of one GPU come from two commands, `pxrw bench gpu` and `pxrw bench gpu --counters-only`; both files together are one report.
#[derive(Args, Debug)]
#[command(after_help = "Example: pxrw report benchmarks/results/nvidia-h200-2026-01-31.json --plots plots")]
pub(crate) struct Report {
    /// Files of results; those of one GPU are joined
    #[arg(required = true, value_name = "FILE")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Draw the papers' figures of time, ours beside the papers', as SVG in this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) plots: Option<PathBuf>,
    /// Write the tables to this file; standard output if not given
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Show which nvcc and ptxas are used; with `install`, fetch them.
#[derive(Args, Debug)]
#[command(name = "toolkit", after_help = "Example: pxrw toolkit install")]
pub(crate) struct ToolkitCommand {
    #[command(subcommand)]
    pub(crate) action: Option<ToolkitAction>,
    /// An existing CUDA toolkit: its root, its bin folder, or an nvcc
    #[arg(long, value_name = "PATH", global = true)]
    pub(crate) cuda_path: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Subcommand)]
pub(crate) enum ToolkitAction {
    /// Fetch the CUDA compiler from PyPI into a folder of its own
    Install,
}

/// The most blocks that a grid can have in a dimension (CUDA C++ Programming Guide, "Compute Capabilities").
const MOST: u32 = i32::MAX as u32;

/// Reads `X`, `X,Y` or `X,Y,Z`.
fn dimensions(text: &str) -> Result<[u32; 3], String> {
    let mut sizes = [1; 3];
    let words: Vec<&str> = text.split(',').collect();
    if words.len() > 3 {
        return Err("at most three numbers, separated by commas".to_owned());
    }
    for (size, word) in sizes.iter_mut().zip(words) {
        let number = word.trim().parse().ok().filter(|n| (1..=MOST).contains(n));
        *size = number.ok_or_else(|| format!("`{word}` is not a number from 1 to {MOST}"))?;
    }
    Ok(sizes)
}
