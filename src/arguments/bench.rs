//! The arguments of `pxrw bench`: the suite, its inputs and its machines.

use std::path::PathBuf;
use std::time::Duration;

use ::cpu::Sync;
use clap::{Args, Subcommand};

use benchmarks::{ccc, cpu, emulator, ssde};
use device::{DeviceName, Machine};

use super::common::Common;
use super::devices::{Given, Timing, Watched, minutes};
use super::enum_choice::one_of;

/// Measure the papers' programs before and after a rewrite, and the emulator itself.
///
/// Ctrl-C or SIGTERM ends a suite with what was measured so far, with exit status 130 or 143; a second one ends it at once.
#[derive(Args, Debug)]
#[command(after_help = "Example: pxrw bench bfs --graph soc-Epinions1.txt.gz")]
pub(crate) struct Bench {
    #[command(subcommand)]
    pub(crate) suite: Suite,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Suite {
    /// Breadth-first search on a graph, before and after the rewrite
    Bfs(BfsSuite),
    /// The CCC paper's programs, before and after the rewrite, with the paper's figures beside ours
    Ccc(CccSuite),
    /// The SSDE paper's programs: where they deadlock, and what it costs to free them, with the paper's figures beside ours
    Ssde(SsdeSuite),
    /// Speed of kernels that are translated for the CPU, in each treatment of implicit synchronisation, relative to native C++ of the same algorithms
    ///
    /// The five programs of Guo, Zhang and Shen (PACT 2011) and others run with one host thread and with all of them. Every result is checked: without implicit
    /// synchronisation (`basic`), the first three of the paper's programs give wrong ones. Times are compared within a round, and the median of the ratios counts.
    Cpu(CpuSuite),
    /// Speed of the emulator, relative to native C++ of the same kernels
    Emulator(EmulatorSuite),
    /// A naive spin lock: which PTX targets hang, before and after the rewrite
    ///
    /// PTX for `sm_60` and older runs on newer chips as it does before Volta. On the emulator that is the machine with a reconvergence stack. On a GPU a launch that
    /// hangs is given up after `--seconds`.
    Lock(LockSuite),
    /// Warp execution efficiency in the emulator, compared with what Nsight Compute measures on a GPU
    ///
    /// The programs of both papers run on a GPU, watched by Nsight Compute, and on the emulator (machine `its`): the same PTX, launches and inputs. Each
    /// kernel's efficiency is shown with the difference in points. Everything is compiled for the GPU unless `--arch` names an older one.
    Efficiency(EfficiencySuite),
    /// The times of both papers' programs on a GPU of this machine, as a file of results
    ///
    /// Every variant runs once per round, in turn with the others, and every result is checked. A time lies between two CUDA events, and a speedup is the
    /// median over the rounds. Everything is compiled for the GPU unless `--arch` names an older one. Programs whose threads wait for each other are tried last:
    /// which of them hang, by the target of their PTX. The table goes to standard output.
    ///
    /// Each program runs in a process of its own, and the file is written after each. A fault, a hang or a refused kernel costs one program. What was left out is in
    /// the file with the reason, and the exit status is 1.
    ///
    /// `--counters-only` has Nsight Compute count what warps do, and compares the emulator with it; `pxrw report TIMES.json COUNTERS.json` joins both
    /// files. `--prepare FOLDER` compiles everything for a machine that has a GPU but no compiler and no network, `--from FOLDER` measures it there.
    Gpu(GpuSuite),
    /// Measures units of another suite, in its own process
    #[command(hide = true)]
    Worker(WorkerSuite),
}

#[derive(Args, Debug)]
#[command(after_help = "Example: pxrw bench bfs --graph soc-Epinions1.txt.gz")]
pub(crate) struct BfsSuite {
    #[command(flatten)]
    pub(crate) given: Given,
    /// Graph file: an edge list (`u v` per line) or a DIMACS `.gr` file, either of them plain or gzipped; an R-MAT graph is made if
    /// none is given
    #[arg(long, value_name = "FILE", conflicts_with = "scale")]
    pub(crate) graph: Option<PathBuf>,
    /// Size of the R-MAT graph: 2^SCALE vertices and 16 times as many edges; 16 if not given, on a GPU 21
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=26))]
    pub(crate) scale: Option<u32>,
    /// Seed of the R-MAT graph
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Vertex where the search begins; the one with the most edges if not given
    #[arg(long, value_name = "VERTEX")]
    pub(crate) source: Option<u32>,
    /// Follow every edge in both directions
    #[arg(long)]
    pub(crate) undirected: bool,
    /// Blocks of the grid
    #[arg(long, value_name = "BLOCKS")]
    pub(crate) grid: Option<u32>,
    #[command(flatten)]
    pub(crate) measured: Measured,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Examples: pxrw bench ccc --program iefa --program rt --tasks 100000\n          pxrw bench ccc --device gpu --runs 31"
)]
pub(crate) struct CccSuite {
    #[command(flatten)]
    pub(crate) given: Given,
    /// The programs; all of them if not given
    #[arg(long, value_parser = one_of(&ccc::Program::ALL, ccc::Program::name, ccc::Program::about))]
    pub(crate) program: Vec<ccc::Program>,
    #[command(flatten)]
    pub(crate) sizes: Sizes,
    /// Run the synthetic kernels of the paper's Figures 13 and 14 too
    #[arg(long)]
    pub(crate) synthetic: bool,
    /// Draw the paper's table and figures, ours beside the paper's, as SVG in this folder; means `--synthetic` too
    #[arg(long, value_name = "FOLDER")]
    pub(crate) plots: Option<PathBuf>,
    /// Blocks of the grid, where the program does not need a thread per task
    #[arg(long, value_name = "BLOCKS")]
    pub(crate) grid: Option<u32>,
    #[command(flatten)]
    pub(crate) measured: Measured,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Times are modelled cycles, see docs/time-model.md; takes some three minutes for all programs.\n\n\
    Example: pxrw bench ssde --program ht --program bh-tb --plots plots"
)]
pub(crate) struct SsdeSuite {
    #[command(flatten)]
    pub(crate) given: Given,
    /// The programs; all of them, and the search for deadlocks in all kernels at hand, if not given
    #[arg(long, value_parser = one_of(&ssde::Program::ALL, ssde::Program::name, ssde::Program::about))]
    pub(crate) program: Vec<ssde::Program>,
    #[command(flatten)]
    pub(crate) sizes: Sizes,
    /// The emulator's SIMT machines, all four if not given; figures take `stack`, Figures 10 to 12 also `aware`
    #[arg(long, value_parser = one_of(Machine::ALL, Machine::name, Machine::about))]
    pub(crate) machine: Vec<Machine>,
    /// Draw the paper's tables and figures, ours beside what the paper says in numbers, as SVG in this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) plots: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) on: On,
}

/// Options of a suite that collects contexts: block size, machines and report.
#[derive(Args, Debug)]
pub(crate) struct Measured {
    /// Threads of a block
    #[arg(long, value_name = "THREADS", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) block: Option<u32>,
    /// The emulator's SIMT machines; `stack` and `its` if not given
    #[arg(long, value_parser = one_of(Machine::ALL, Machine::name, Machine::about))]
    pub(crate) machine: Vec<Machine>,
    #[command(flatten)]
    pub(crate) on: On,
}

/// Options of every suite that measures a rewrite: device and report.
#[derive(Args, Debug)]
pub(crate) struct On {
    /// The device that runs it: the emulator counts, a GPU is timed, and compiled for unless `--arch` is given
    #[arg(long, value_parser = one_of(DeviceName::ALL, DeviceName::name, DeviceName::about), default_value = "emulator")]
    pub(crate) device: DeviceName,
    /// Write the report to this file; standard output if not given
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(flatten)]
    pub(crate) timing: Timing,
}

/// Sizes of the inputs of both papers' programs.
#[derive(Args, Debug)]
pub(crate) struct Sizes {
    /// Number of tasks in the input of each program; on a GPU also the iterations of each synthetic kernel. If not given, a number per program that takes the
    /// emulator a second or two, and a larger one on a GPU
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) tasks: Option<u32>,
    /// Inputs of the papers' sizes; the emulator takes hours for them, and the CPU long to check some of them
    #[arg(long, conflicts_with = "tasks")]
    pub(crate) paper: bool,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Examples: pxrw bench gpu && pxrw report benchmarks/results/nvidia-h200-2026-01-31.json --plots plots\n          \
    pxrw bench gpu --prepare folder; there: cd folder && ./pxrw bench gpu --from . -o times.json"
)]
pub(crate) struct GpuSuite {
    #[command(flatten)]
    pub(crate) given: Given,
    #[command(flatten)]
    pub(crate) sizes: Sizes,
    /// Write the results to this file, as JSON; `benchmarks/results/GPU-DATE.json` in this folder if not given
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Put all kernels and this program into a folder, to be measured on another machine; nothing is measured now
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["output", "from", "counters_only", "ncu", "no_ncu", "minutes", "ordinal", "timeout"])]
    pub(crate) prepare: Option<PathBuf>,
    /// Measure the kernels that `--prepare` put into a folder; needs a driver and no compiler
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["arch", "cuda_path"])]
    pub(crate) from: Option<PathBuf>,
    /// Take counts of warps by Nsight Compute instead of times
    #[arg(long, conflicts_with_all = ["no_ncu", "runs", "warmup"])]
    pub(crate) counters_only: bool,
    /// Time limit for all programs, in minutes; if it is too short, programs run fewer rounds, and the last programs are left out
    #[arg(long, value_name = "MINUTES", value_parser = minutes, default_value = "8")]
    pub(crate) minutes: Duration,
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(flatten)]
    pub(crate) timing: Timing,
}

#[derive(Args, Debug)]
#[command(after_help = "Example: pxrw bench efficiency --ncu /opt/nvidia/nsight-compute/2025.3.1/ncu")]
pub(crate) struct EfficiencySuite {
    #[command(flatten)]
    pub(crate) given: Given,
    /// Number of tasks in the input of each program; if not given, a number per program that takes the emulator a second or two
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) tasks: Option<u32>,
    /// Write the report to this file; standard output if not given
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(flatten)]
    pub(crate) watched: Watched,
}

#[derive(Args, Debug)]
pub(crate) struct WorkerSuite {
    /// The request, as JSON
    pub(crate) request: PathBuf,
    /// The file of the results
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Needs a C++ compiler: the one named in CXX, g++, c++ or clang++. Example: pxrw bench emulator --kernel saxpy"
)]
pub(crate) struct EmulatorSuite {
    /// The kernels; all of them if not given
    #[arg(long, value_parser = one_of(&emulator::Program::ALL, emulator::Program::name, emulator::Program::about))]
    pub(crate) kernel: Vec<emulator::Program>,
    /// The emulator's SIMT machines, the first of them also with two host threads, and while undefined behaviour is looked for; stack and its if not given
    #[arg(long, value_parser = one_of(Machine::ALL, Machine::name, Machine::about))]
    pub(crate) machine: Vec<Machine>,
    /// Number of runs of each kernel; the best time counts
    #[arg(long, value_name = "ROUNDS", default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) rounds: u32,
    /// Write the report to this file; standard output if not given
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Needs a C++ compiler: the one named in CXX, g++, c++ or clang++. OpenCL is measured where PoCL and the headers of OpenCL are installed.\n\nExample: pxrw bench cpu --program reduction --program nbody --plots plots"
)]
pub(crate) struct CpuSuite {
    /// The programs; all of them if not given
    #[arg(long, value_parser = one_of(&cpu::Program::ALL, cpu::Program::name, cpu::Program::about))]
    pub(crate) program: Vec<cpu::Program>,
    /// The treatments of implicit synchronisation; all of them if not given
    #[arg(long, value_name = "TREATMENT", value_parser = one_of(Sync::ALL, Sync::name, Sync::about))]
    pub(crate) sync: Vec<Sync>,
    /// Small inputs: a look at the results, with times that say little
    #[arg(long)]
    pub(crate) quick: bool,
    /// Number of rounds; a program whose rounds take long has fewer
    #[arg(long, value_name = "ROUNDS", default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) rounds: u32,
    /// Host threads of the rows with all threads; as many as there are cores if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) threads: Option<u32>,
    /// Draw the paper's Figures 9 and 10, and translated code beside native code, as SVG in this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) plots: Option<PathBuf>,
    /// Write the report to this file; standard output if not given
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Args, Debug)]
#[command(after_help = "Example: pxrw bench lock --device gpu --seconds 5")]
pub(crate) struct LockSuite {
    /// The device that runs it
    #[arg(long, value_parser = one_of(DeviceName::ALL, DeviceName::name, DeviceName::about), default_value = "emulator")]
    pub(crate) device: DeviceName,
    /// Index of the GPU, from 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) ordinal: u32,
    /// Time limit of a launch on a GPU, in seconds; a launch that takes longer counts as hanging
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=600))]
    pub(crate) seconds: u64,
    /// Write the report to this file; standard output if not given
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: Common,
}
