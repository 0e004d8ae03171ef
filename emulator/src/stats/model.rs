//! A simple time model of a launch, made of its counts: how many cycles it would take a chip at least, and what that hangs on.
//!
//! It is a model and not a simulation: nothing of it is measured, and caches are not in it. `docs/time-model.md` says what it leaves out.
//!
//! - **Issue**: the warps of a multiprocessor share one issue port, which an instruction holds for 32 lanes over the published throughput
//!   of its class. Every further pass over the banks of shared memory holds it for a cycle.
//! - **Latency**: a warp waits for the result of each instruction before it issues the next one; as many warps as are resident do so at
//!   the same time.
//! - **Memory**: every sector comes from memory, at the chip's bandwidth.
//!
//! The launch takes the longest of the three.

use cranelift_entity::PrimaryMap;
use ptx_parser::Class;
use serde::ser::{Serialize, SerializeStruct, Serializer};

use super::counts::Counts;
use super::scheduling::Scheduling;
use crate::api::chip::Chip;
use crate::memory::space::MemorySpace;
use crate::program::Program;
use crate::program::listing::{InstId, InstMeta};

/// The limiting factor of a launch's modelled time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bound {
    /// The issue of instructions.
    #[default]
    Issue,
    /// Waiting for results.
    Latency,
    /// The bandwidth of global memory.
    Memory,
}

impl Bound {
    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Bound::Issue => "issue",
            Bound::Latency => "latency",
            Bound::Memory => "memory",
        }
    }
}

/// Modelled cycles of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Model {
    /// The cycles that the issue of its instructions takes.
    pub issue: f64,
    /// The cycles that its warps wait for results.
    pub latency: f64,
    /// The cycles that its sectors take to come from memory.
    pub memory: f64,
}

impl Model {
    /// The modelled cycles of the launch.
    #[must_use]
    pub fn cycles(&self) -> f64 {
        self.issue.max(self.latency).max(self.memory)
    }

    /// Returns what they hang on.
    #[must_use]
    pub fn bound(&self) -> Bound {
        let cycles = self.cycles();
        if self.issue >= cycles {
            Bound::Issue
        } else if self.memory >= cycles {
            Bound::Memory
        } else {
            Bound::Latency
        }
    }

    /// The model of a launch: `counts` per instruction, and how many blocks of how many warps there were and could be resident.
    ///
    /// An entry that `aware` moves between a full table and memory is an access to local memory that the warp waits for.
    pub(crate) fn of(
        program: &Program,
        counts: &PrimaryMap<InstId, Counts>,
        chip: &Chip,
        shape: Shape,
        scheduling: &Scheduling,
    ) -> Model {
        let in_flight = shape.blocks.min(shape.resident);
        let multiprocessors = in_flight.clamp(1, u64::from(chip.multiprocessors)) as f64;
        let warps = (in_flight * u64::from(shape.warps)).max(1) as f64;
        let (mut issue, mut latency, mut sectors) = (0.0, 0.0, 0u64);
        for (inst, counts) in program.listing.insts.values().zip(counts.values()) {
            issue += counts.issue_cycles() + counts.further_passes() as f64;
            latency += counts.warp_instructions as f64 * f64::from(waits(inst));
            sectors += counts.traffic.sectors;
        }
        let Scheduling { split_spills, split_fills, reconvergence_spills, reconvergence_fills, .. } = scheduling;
        let moved = (split_spills + split_fills + reconvergence_spills + reconvergence_fills) as f64;
        issue += moved * chip.cost(Class::Memory, 1) as f64;
        latency += moved * f64::from(FIRST_LEVEL);
        Model {
            issue: issue / multiprocessors,
            latency: latency / warps,
            memory: 32.0 * sectors as f64 / f64::from(chip.memory_bytes_per_cycle),
        }
    }
}

impl Serialize for Model {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut model = serializer.serialize_struct("Model", 5)?;
        model.serialize_field("cycles", &self.cycles())?;
        model.serialize_field("bound", self.bound().name())?;
        model.serialize_field("issue", &self.issue)?;
        model.serialize_field("latency", &self.latency)?;
        model.serialize_field("memory", &self.memory)?;
        model.end()
    }
}

/// The size of a launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Blocks of the grid.
    pub(crate) blocks: u64,
    /// The number that may be resident.
    pub(crate) resident: u64,
    /// Warps of a block.
    pub(crate) warps: u32,
}

/// Cycles of an access that stays on the multiprocessor.
const FIRST_LEVEL: u32 = 30;

/// Cycles until the result of an instruction can be used: round numbers of the size that microbenchmarks of these chips report.
fn waits(inst: &InstMeta) -> u32 {
    match (inst.class, inst.access.map(|access| access.space)) {
        (Class::Memory, Some(Some(MemorySpace::Shared))) => FIRST_LEVEL,
        // A local variable stays in the first-level cache, a parameter in the constant cache.
        (Class::Memory, Some(Some(MemorySpace::Local)) | None) => FIRST_LEVEL,
        (Class::Memory, _) => 500,
        (Class::Division, _) => 100,
        (Class::Double, _) => 16,
        (Class::Transcendental | Class::Shuffle | Class::Vote | Class::Special | Class::Barrier, _) => 20,
        (Class::Convert | Class::ConvertWide | Class::Bits | Class::Control, _) => 10,
        (Class::Half | Class::Single | Class::Integer | Class::Compare | Class::Multiply | Class::Shift, _) => 4,
        (Class::Other, _) => 4,
    }
}
