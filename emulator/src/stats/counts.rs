//! Exact counts: what warps did, per kernel, per PTX instruction and per source line.
//!
//! While a kernel runs, only blocks of code are counted (executions, active lanes), plus the lanes of guarded
//! instructions and the traffic of memory instructions. Everything else follows from those at the end.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use cranelift_entity::PrimaryMap;
use ptx_parser::Class;
use serde::{Serialize, Serializer};

use super::traffic::Traffic;
use crate::api::chip::Chip;
use crate::api::chip::class_name;
use crate::api::error::Site;
use crate::memory::space::MemorySpace;
use crate::program::Program;
use crate::program::code::{BlockId, End};
use crate::program::listing::{InstId, InstMeta};

/// Counts of a set of instructions: a kernel's, a line's, one instruction's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Instructions that warps issued.
    pub warp_instructions: u64,
    /// Lanes that executed them: active and not predicated off.
    pub thread_instructions: u64,
    /// Lanes that were active, predicated off or not.
    pub active_lanes: u64,
    /// Branches at which a warp's lanes parted.
    pub divergent_branches: u64,
    /// The arrivals of warps at `bar` and `barrier`, `barrier.cluster` too, counted once for each group of lanes.
    pub barriers: u64,
    /// The 32-byte sectors of global memory that would do if lanes had asked for bytes next to each other: one per access, or as many as
    /// hold the bytes of its lanes; no more than were touched, as where lanes share bytes.
    pub ideal_sectors: u64,
    /// Modelled issue cycles of one multiprocessor, in sixteenths: each warp instruction takes 32 lanes over the
    /// throughput of its class.
    #[serde(rename = "issue_cycles", serialize_with = "cycles")]
    pub issue_sixteenths: u64,
    /// The traffic that memory instructions caused.
    #[serde(flatten)]
    pub traffic: Traffic,
}

/// Counts as reports have them, with the ratios that follow from them.
#[derive(Serialize)]
struct WithRatios<'a> {
    #[serde(flatten)]
    counts: &'a Counts,
    warp_execution_efficiency: f64,
    warp_nonpred_execution_efficiency: f64,
    sectors_per_request: Option<f64>,
    coalescing: Option<f64>,
    ideal_shared_wavefronts: u64,
}

/// Serialises counts with the ratios that follow from them.
pub(crate) fn with_ratios<S: Serializer>(counts: &Counts, serializer: S) -> Result<S::Ok, S::Error> {
    let with_ratios = WithRatios {
        counts,
        warp_execution_efficiency: counts.warp_execution_efficiency(),
        warp_nonpred_execution_efficiency: counts.warp_nonpred_execution_efficiency(),
        sectors_per_request: counts.sectors_per_request(),
        coalescing: counts.coalescing(),
        ideal_shared_wavefronts: counts.ideal_wavefronts(),
    };
    with_ratios.serialize(serializer)
}

/// Serialises sixteenths of cycles as cycles.
fn cycles<S: Serializer>(sixteenths: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(*sixteenths as f64 / 16.0)
}

fn ptx_line<S: Serializer>(site: &Site, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u32(site.ptx_line)
}

fn class<S: Serializer>(class: &Class, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(class_name(*class))
}

impl Counts {
    /// The average share of a warp's 32 lanes that were active in an issued instruction, 0 to 1 (nvprof's
    /// `warp_execution_efficiency`).
    #[must_use]
    pub fn warp_execution_efficiency(&self) -> f64 {
        ratio(self.active_lanes, self.warp_instructions)
    }

    /// The same without predicated-off lanes (nvprof's `warp_nonpred_execution_efficiency`).
    #[must_use]
    pub fn warp_nonpred_execution_efficiency(&self) -> f64 {
        ratio(self.thread_instructions, self.warp_instructions)
    }

    /// Modelled issue cycles of one multiprocessor.
    #[must_use]
    pub fn issue_cycles(&self) -> f64 {
        self.issue_sixteenths as f64 / 16.0
    }

    /// 32-byte sectors of global memory touched.
    #[must_use]
    pub fn sectors(&self) -> u64 {
        self.traffic.sectors
    }

    /// Sectors of global memory per access of a warp; `None` without any access.
    #[must_use]
    pub fn sectors_per_request(&self) -> Option<f64> {
        let requests = self.traffic.requests;
        (requests > 0).then(|| self.traffic.sectors as f64 / requests as f64)
    }

    /// Returns how well accesses to global memory are coalesced: the sectors that would do over those that were touched, 0 to 1.
    /// `None` without any access.
    #[must_use]
    pub fn coalescing(&self) -> Option<f64> {
        let sectors = self.traffic.sectors;
        (sectors > 0).then(|| self.ideal_sectors as f64 / sectors as f64)
    }

    /// Passes over the shared memory's banks beyond those that accesses of the same width take without a conflict.
    #[must_use]
    pub fn bank_conflicts(&self) -> u64 {
        self.traffic.shared_conflicts
    }

    /// Passes over the shared memory's banks that would do if there were no conflicts.
    #[must_use]
    pub fn ideal_wavefronts(&self) -> u64 {
        self.traffic.shared_wavefronts - self.traffic.shared_conflicts
    }

    /// Passes over the shared memory's banks beyond one per access: by conflicts, and because wide accesses take several.
    pub(crate) fn further_passes(&self) -> u64 {
        self.traffic.shared_wavefronts.saturating_sub(self.traffic.shared_requests)
    }
}

fn ratio(lanes: u64, instructions: u64) -> f64 {
    if instructions == 0 { 1.0 } else { lanes as f64 / (32 * instructions) as f64 }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        // A field that is forgotten here does not compile.
        let Counts {
            warp_instructions,
            thread_instructions,
            active_lanes,
            divergent_branches,
            barriers,
            ideal_sectors,
            issue_sixteenths,
            traffic,
        } = other;
        self.warp_instructions += warp_instructions;
        self.thread_instructions += thread_instructions;
        self.active_lanes += active_lanes;
        self.divergent_branches += divergent_branches;
        self.barriers += barriers;
        self.ideal_sectors += ideal_sectors;
        self.issue_sixteenths += issue_sixteenths;
        self.traffic += traffic;
    }
}

/// Counts of one line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LineCounts {
    /// The line. In [`Report::lines`](crate::Report::lines) its `ptx_line` is the first PTX line that came from it.
    #[serde(flatten)]
    pub site: Site,
    /// Its counts.
    #[serde(flatten, serialize_with = "with_ratios")]
    pub counts: Counts,
}

/// Counts of a block of code: instructions that run one after the other, from a label or behind a branch to the next one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BlockCounts {
    /// Its first instruction.
    #[serde(rename = "first_ptx_line", serialize_with = "ptx_line")]
    pub first: Site,
    /// Its last instruction.
    #[serde(rename = "last_ptx_line", serialize_with = "ptx_line")]
    pub last: Site,
    /// The number of times that a warp executed it.
    pub executions: u64,
    /// The counts of its instructions.
    #[serde(flatten, serialize_with = "with_ratios")]
    pub counts: Counts,
}

/// Counts of a class of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ClassCounts {
    /// The class, as the throughput table has it; [`crate::class_name`] is its name.
    #[serde(serialize_with = "class")]
    pub class: Class,
    /// Instructions that warps issued.
    pub warp_instructions: u64,
    /// See [`Counts::issue_sixteenths`].
    #[serde(rename = "issue_cycles", serialize_with = "cycles")]
    pub issue_sixteenths: u64,
}

/// Counters of one block of code.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BlockCounter {
    pub(crate) executions: u64,
    pub(crate) lanes: u64,
    pub(crate) divergences: u64,
}

/// The counters of one host thread.
#[derive(Clone, Debug)]
pub(crate) struct Counters {
    pub(crate) blocks: PrimaryMap<BlockId, BlockCounter>,
    /// Per instruction with a guard: lanes whose guard was true.
    pub(crate) guarded: PrimaryMap<InstId, u64>,
    pub(crate) traffic: PrimaryMap<InstId, Traffic>,
    /// Instructions of a block that were counted with it but not reached, because of a fault: instruction, lanes.
    pub(crate) unreached: Vec<(InstId, u32)>,
}

impl Counters {
    pub(crate) fn new(program: &Program) -> Counters {
        Counters {
            blocks: vec![BlockCounter::default(); program.code.blocks.len()].into(),
            guarded: vec![0; program.listing.insts.len()].into(),
            traffic: vec![Traffic::default(); program.listing.insts.len()].into(),
            unreached: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, other: &Counters) {
        for (sum, block) in self.blocks.values_mut().zip(other.blocks.values()) {
            sum.executions += block.executions;
            sum.lanes += block.lanes;
            sum.divergences += block.divergences;
        }
        self.guarded.values_mut().zip(other.guarded.values()).for_each(|(sum, lanes)| *sum += lanes);
        self.traffic.values_mut().zip(other.traffic.values()).for_each(|(sum, traffic)| *sum += *traffic);
        self.unreached.extend_from_slice(&other.unreached);
    }

    /// The counts of every instruction.
    pub(crate) fn instructions(&self, program: &Program, chip: &Chip) -> PrimaryMap<InstId, Counts> {
        let mut counts: PrimaryMap<InstId, Counts> = vec![Counts::default(); program.listing.insts.len()].into();
        for (block, counter) in program.code.blocks.values().zip(self.blocks.values()) {
            for id in block.insts() {
                let inst = &program.listing.insts[id];
                let count = &mut counts[id];
                count.warp_instructions += counter.executions;
                count.active_lanes += counter.lanes;
                count.thread_instructions += if inst.guarded { self.guarded[id] } else { counter.lanes };
            }
            if let Some(last) = block.insts().next_back() {
                counts[last].divergent_branches += counter.divergences;
            }
            // With a guard, the barrier itself is the last instruction before its block.
            let end = block.insts.end.previous().filter(|_| matches!(block.end, End::Barrier { .. }));
            if let Some(inst) = end {
                counts[inst].barriers += counter.executions;
            }
        }
        for &(id, lanes) in &self.unreached {
            let count = &mut counts[id];
            count.warp_instructions -= 1;
            count.active_lanes -= u64::from(lanes);
            if !program.listing.insts[id].guarded {
                count.thread_instructions -= u64::from(lanes);
            }
        }
        for ((count, inst), traffic) in
            counts.values_mut().zip(program.listing.insts.values()).zip(self.traffic.values())
        {
            count.traffic = *traffic;
            count.issue_sixteenths = count.warp_instructions * chip.cost(inst.class, inst.repeats);
            count.ideal_sectors = ideal_sectors(inst, count);
        }
        counts
    }

    /// The counts of the blocks of code that were run, given those of every instruction.
    pub(crate) fn blocks(&self, program: &Program, counts: &PrimaryMap<InstId, Counts>) -> Vec<BlockCounts> {
        let ran = program.code.blocks.values().zip(self.blocks.values()).filter(|(_, counter)| counter.executions > 0);
        let mut blocks: Vec<BlockCounts> = ran
            .filter_map(|(block, counter)| {
                let mut sum = Counts::default();
                block.insts().for_each(|inst| sum += counts[inst]);
                let site = |inst: InstId| program.listing.site(&program.listing.insts[inst]);
                let (first, last) = (site(block.insts().next()?), site(block.insts().next_back()?));
                Some(BlockCounts { first, last, executions: counter.executions, counts: sum })
            })
            .collect();
        blocks.sort_by_key(|block| (block.first.ptx_line, block.last.ptx_line));
        blocks
    }
}

/// See [`Counts::ideal_sectors`]. Of an instruction with generic addresses that went to shared memory too, the share that did not.
fn ideal_sectors(inst: &InstMeta, counts: &Counts) -> u64 {
    let Traffic { requests, shared_requests, .. } = counts.traffic;
    let Some(access) =
        inst.access.filter(|access| !matches!(access.space, Some(MemorySpace::Shared | MemorySpace::Local)))
    else {
        return 0;
    };
    let bytes = u128::from(counts.thread_instructions) * u128::from(access.bytes) * u128::from(requests);
    let bytes = bytes.checked_div(u128::from(requests + shared_requests)).unwrap_or(0);
    requests.max(bytes.div_ceil(32) as u64).min(counts.traffic.sectors)
}

/// Sums the counts of instructions per class, the most issue cycles first.
pub(crate) fn by_class(program: &Program, counts: &PrimaryMap<InstId, Counts>) -> Vec<ClassCounts> {
    let mut classes: BTreeMap<Class, ClassCounts> = BTreeMap::new();
    for (inst, counts) in
        program.listing.insts.values().zip(counts.values()).filter(|(_, counts)| counts.warp_instructions > 0)
    {
        let empty = ClassCounts { class: inst.class, warp_instructions: 0, issue_sixteenths: 0 };
        let class = classes.entry(inst.class).or_insert(empty);
        class.warp_instructions += counts.warp_instructions;
        class.issue_sixteenths += counts.issue_sixteenths;
    }
    let mut classes: Vec<ClassCounts> = classes.into_values().collect();
    classes.sort_by_key(|class| std::cmp::Reverse(class.issue_sixteenths));
    classes
}

/// Sums the counts of instructions per line: by PTX line, and by source line.
pub(crate) fn by_line(program: &Program, counts: &PrimaryMap<InstId, Counts>) -> (Vec<LineCounts>, Vec<LineCounts>) {
    let mut ptx: BTreeMap<u32, LineCounts> = BTreeMap::new();
    let mut source: BTreeMap<(Option<&str>, u32), LineCounts> = BTreeMap::new();
    for (inst, counts) in program.listing.insts.values().zip(counts.values()) {
        let site = program.listing.site(inst);
        let empty = || LineCounts { site: site.clone(), counts: Counts::default() };
        ptx.entry(inst.ptx_line).or_insert_with(empty).counts += *counts;
        let file = program.listing.file(inst.file);
        source.entry((file, inst.line)).or_insert_with(empty).counts += *counts;
    }
    (ptx.into_values().collect(), source.into_values().collect())
}
