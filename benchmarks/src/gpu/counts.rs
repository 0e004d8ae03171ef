//! Counts of a kernel's warps, on one device or on two.

use device::Counts;
use serde::{Deserialize, Serialize};
use toolkit::Activity;

/// The instructions of a run, all its launches together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Counted {
    /// Instructions that warps executed: the machine's own on a GPU, those of PTX on an emulator.
    pub warp_instructions: u64,
    /// The same, counted once for each active lane.
    pub active_lanes: u64,
    /// The same, counted once for each lane whose guard was true.
    pub thread_instructions: u64,
    /// The average share of a warp's 32 lanes that are active, from 0 to 1.
    pub warp_execution_efficiency: f64,
    /// The same without the lanes whose guard is false, from 0 to 1.
    pub warp_nonpred_execution_efficiency: f64,
    /// The activity of the multiprocessors and the memory; `None` on an emulator.
    #[serde(default)]
    pub activity: Option<Activity>,
}

impl Counted {
    /// Returns the counts of a device; `None` where it lacks one, and where there was no instruction.
    #[must_use]
    pub fn of(counts: &Counts) -> Option<Counted> {
        Some(Counted {
            warp_instructions: counts.warp_instructions?,
            active_lanes: counts.active_lanes?,
            thread_instructions: counts.thread_instructions?,
            warp_execution_efficiency: counts.warp_execution_efficiency()?,
            warp_nonpred_execution_efficiency: counts.warp_nonpred_execution_efficiency()?,
            activity: None,
        })
    }
}

/// A kernel that was counted on both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EfficiencyRow {
    /// `ccc` or `ssde`.
    pub suite: String,
    /// The program.
    pub program: String,
    /// Its input in words.
    pub input: String,
    /// `original`, `ccc`, …; of the SSDE programs `S`, `M+SSDE`.
    pub variant: String,
    /// By Nsight Compute, of the instructions of the GPU.
    pub gpu: Counted,
    /// By the emulator, of those of the PTX.
    pub emulator: Counted,
}

impl EfficiencyRow {
    /// By how much the emulator's warp execution efficiency is above the GPU's, from -1 to 1.
    #[must_use]
    pub fn difference(&self) -> f64 {
        self.emulator.warp_execution_efficiency - self.gpu.warp_execution_efficiency
    }
}
