//! The results: the JSON object of `pxrw bench gpu` and of every suite with `--device gpu`, which `pxrw report` reads again.
//!
//! It has what was measured on the GPU. The papers' figures are not in it; whoever shows it puts them beside.

use std::fmt;

use device::GpuProperties;
use serde::{Deserialize, Serialize};

use super::counts::{Counted, EfficiencyRow};
use super::statistics::Summary;
use crate::hangs::HangRow;

/// The word in the key `suite` by which such a file is known.
pub const SUITE: &str = "gpu";

/// The GPU, as its driver describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GpuSummary {
    /// The driver's name for it: `NVIDIA H200`.
    pub name: String,
    /// Major and minor.
    pub compute_capability: (u32, u32),
    /// Streaming multiprocessors.
    pub multiprocessors: u32,
    /// Bytes of the L2 cache.
    pub l2_bytes: u64,
    /// Bytes of memory.
    pub memory_bytes: u64,
    /// The highest clock of the multiprocessors, in Hz; not what it ran at.
    pub clock_hz: u64,
    /// The newest CUDA version that the driver supports, major and minor.
    pub driver_version: (u32, u32),
}

impl From<&GpuProperties> for GpuSummary {
    fn from(properties: &GpuProperties) -> GpuSummary {
        GpuSummary {
            name: properties.name.clone(),
            compute_capability: properties.compute_capability,
            multiprocessors: properties.multiprocessors,
            l2_bytes: properties.l2_bytes,
            memory_bytes: properties.memory_bytes,
            clock_hz: properties.clock_hz,
            driver_version: properties.driver_version,
        }
    }
}

/// The resources of a kernel, by the driver's compiler.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Taken {
    /// Registers per thread.
    pub registers: u32,
    /// Bytes of local memory per thread: arrays, and registers that were spilled.
    pub local_bytes: u32,
    /// Bytes of shared memory per block.
    pub static_shared_bytes: u32,
    /// Blocks of the launch that a multiprocessor holds at a time.
    pub resident_blocks: u32,
    /// Resident warps over the most that a multiprocessor holds, from 0 to 1.
    pub occupancy: f64,
}

/// A variant of a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VariantTimes {
    /// `original`, `ccc`, …; of the SSDE programs `S`, `M+SSDE`.
    pub variant: String,
    /// The kernel's name in the PTX.
    #[serde(default)]
    pub kernel: String,
    /// Launches of one run.
    pub launches: u32,
    /// Runs that are counted.
    pub runs: u32,
    /// True if every launch finished.
    pub finished: bool,
    /// True if the result of every run, also of the warm-up, was the CPU's, and the first variant's bit for bit where it must be.
    pub results_equal: bool,
    /// The first difference, or why a launch did not finish.
    pub difference: Option<String>,
    /// Seconds of a run, all its launches together, between CUDA events; none where it was not measured.
    pub seconds: Option<Summary>,
    /// True if a launch took less than ten times as long as one of a kernel that does nothing. It then has no ratio.
    #[serde(default)]
    pub too_short: bool,
    /// The first variant's time over this one's in the same round; none for the first, and where either is wrong or too short.
    pub speedup: Option<Summary>,
    /// This one's time over the first variant's in the same round.
    pub relative_time: Option<Summary>,
    /// Its resources; `None` where the device does not know them.
    pub taken: Option<Taken>,
    /// The counts of a run; on a GPU those of Nsight Compute, of a run that was not timed. `None` where they were not measured.
    #[serde(default)]
    pub counted: Option<Counted>,
}

/// A program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProgramTimes {
    /// `bfs`, `ccc` or `ssde`; `empty` for the kernel that does nothing.
    pub suite: String,
    /// The program's name.
    pub program: String,
    /// Its input in words.
    pub input: String,
    /// Blocks per launch.
    pub grid: u32,
    /// Threads per block.
    pub block: u32,
    /// Its variants; the others are compared with the first.
    pub variants: Vec<VariantTimes>,
}

/// A synthetic kernel of the CCC paper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SyntheticTimes {
    /// The paper's figure that it belongs to.
    pub figure: u32,
    /// Lanes of a warp that take the path in each iteration.
    pub takers: u32,
    /// Multiply-adds of the path.
    pub length: u32,
    /// True if the rewriter left it as it was, because collecting would cost more than it saves; there is then no variant `ccc`.
    pub left_as_it_was: bool,
    /// `original`, `collected`, and in Figure 14 `ccc`.
    pub variants: Vec<VariantTimes>,
}

/// Something that was not measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// `empty`, `bfs`, `ccc`, `ssde` or `hangs`.
    pub suite: String,
    /// The program.
    pub program: String,
    /// The reason.
    pub reason: String,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "left out: {}, {}: {}", self.suite, self.program, self.reason)
    }
}

/// All that was timed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GpuReport {
    /// [`SUITE`].
    pub suite: String,
    /// The device's name: `gpu (NVIDIA H200)`.
    pub device: String,
    /// The GPU.
    pub gpu: GpuSummary,
    /// The version of pxrw.
    pub pxrw_version: String,
    /// The version of nvcc, which made the PTX.
    pub nvcc_version: String,
    /// The day, in UTC: `YYYY-MM-DD`.
    pub date: String,
    /// The architecture that the kernels were compiled for.
    pub arch: String,
    /// Rounds before anything is counted.
    pub warmup: u32,
    /// Rounds that are counted.
    pub runs: u32,
    /// Notes for the reader.
    pub notes: Vec<String>,
    /// The programs.
    pub programs: Vec<ProgramTimes>,
    /// The synthetic kernels.
    pub synthetic: Vec<SyntheticTimes>,
    /// The units that were not measured.
    pub left_out: Vec<LeftOut>,
    /// Programs whose threads wait for each other, by the target of their PTX: which of them hang; none if it was not asked for.
    #[serde(default)]
    pub hangs: Vec<HangRow>,
    /// The counts of Nsight Compute beside those of the emulator, on inputs that both get through; empty if they were not asked for.
    #[serde(default)]
    pub efficiency: Vec<EfficiencyRow>,
}

impl GpuReport {
    /// Adds a note for the reader, once.
    pub fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Returns true if every variant computed the right result, and every rewritten kernel that may hang ended with it.
    #[must_use]
    pub fn results_equal(&self) -> bool {
        self.all_variants().all(|variant| variant.results_equal) && self.hangs.iter().all(HangRow::is_as_expected)
    }

    /// Returns true if everything that was asked for was measured, and is right.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.results_equal() && self.left_out.is_empty()
    }

    /// All variants, in the order in which they first ran.
    pub(super) fn all_variants(&self) -> impl Iterator<Item = &VariantTimes> {
        let programs = self.programs.iter().flat_map(|program| &program.variants);
        programs.chain(self.synthetic.iter().flat_map(|row| &row.variants))
    }

    /// The name of its file, without `.json`: `nvidia-h200-2026-01-31`. Small letters, digits and dashes.
    #[must_use]
    pub fn file_stem(&self) -> String {
        let mut name = String::new();
        for letter in self.gpu.name.chars() {
            match letter {
                _ if letter.is_ascii_alphanumeric() => name.push(letter.to_ascii_lowercase()),
                _ if name.is_empty() || name.ends_with('-') => {}
                _ => name.push('-'),
            }
        }
        let name = name.trim_end_matches('-');
        format!("{}-{}", if name.is_empty() { "gpu" } else { name }, self.date)
    }
}
