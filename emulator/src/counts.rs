//! Exact counts: what warps did, per kernel, per PTX instruction and per source line.
//!
//! While a kernel runs, only blocks of code are counted (executions, active lanes), plus the lanes of guarded
//! instructions and the traffic of memory instructions. Everything else follows from those at the end.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use crate::chip::Chip;
use crate::error::Site;
use crate::program::Program;

/// What memory instructions caused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Warp-level accesses to global memory.
    pub requests: u64,
    /// 32-byte sectors of global memory that they touched, each counted once per access.
    pub sectors: u64,
    /// Warp-level accesses to shared memory.
    pub shared_requests: u64,
    /// Passes over the 32 banks of shared memory that they took; one per access where no bank is asked for two words.
    pub shared_wavefronts: u64,
    /// Atomics of single lanes.
    pub atomics: u64,
    /// Those among them that met an earlier lane of their warp at the same address.
    pub atomics_serialised: u64,
}

impl AddAssign for Traffic {
    fn add_assign(&mut self, other: Traffic) {
        self.requests += other.requests;
        self.sectors += other.sectors;
        self.shared_requests += other.shared_requests;
        self.shared_wavefronts += other.shared_wavefronts;
        self.atomics += other.atomics;
        self.atomics_serialised += other.atomics_serialised;
    }
}

/// Counts of a set of instructions: a kernel's, a line's, one instruction's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Instructions that warps issued.
    pub warp_instructions: u64,
    /// Lanes that executed them: active and not predicated off.
    pub thread_instructions: u64,
    /// Lanes that were active, predicated off or not.
    pub active_lanes: u64,
    /// Branches at which a warp's lanes parted.
    pub divergent_branches: u64,
    /// Modelled issue cycles of one multiprocessor, in sixteenths: each warp instruction takes 32 lanes over the
    /// throughput of its class.
    pub issue_sixteenths: u64,
    /// What memory instructions caused.
    pub traffic: Traffic,
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

    /// Passes over the shared memory's banks beyond one per access.
    #[must_use]
    pub fn bank_conflicts(&self) -> u64 {
        self.traffic.shared_wavefronts.saturating_sub(self.traffic.shared_requests)
    }
}

fn ratio(lanes: u64, instructions: u64) -> f64 {
    if instructions == 0 { 1.0 } else { lanes as f64 / (32 * instructions) as f64 }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.warp_instructions += other.warp_instructions;
        self.thread_instructions += other.thread_instructions;
        self.active_lanes += other.active_lanes;
        self.divergent_branches += other.divergent_branches;
        self.issue_sixteenths += other.issue_sixteenths;
        self.traffic += other.traffic;
    }
}

/// Counts of one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineCounts {
    /// The line. In [`Report::lines`](crate::Report::lines) its `ptx_line` is the first PTX line that came from it.
    pub site: Site,
    /// Its counts.
    pub counts: Counts,
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
    pub(crate) blocks: Vec<BlockCounter>,
    /// Per instruction with a guard: lanes whose guard was true.
    pub(crate) guarded: Vec<u64>,
    /// Per instruction.
    pub(crate) traffic: Vec<Traffic>,
    /// Instructions of a block that were counted with it but not reached, because of a fault: instruction, lanes.
    pub(crate) unreached: Vec<(u32, u32)>,
}

impl Counters {
    pub(crate) fn new(program: &Program) -> Counters {
        Counters {
            blocks: vec![BlockCounter::default(); program.blocks.len()],
            guarded: vec![0; program.insts.len()],
            traffic: vec![Traffic::default(); program.insts.len()],
            unreached: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, other: &Counters) {
        for (sum, block) in self.blocks.iter_mut().zip(&other.blocks) {
            sum.executions += block.executions;
            sum.lanes += block.lanes;
            sum.divergences += block.divergences;
        }
        self.guarded.iter_mut().zip(&other.guarded).for_each(|(sum, lanes)| *sum += lanes);
        self.traffic.iter_mut().zip(&other.traffic).for_each(|(sum, traffic)| *sum += *traffic);
        self.unreached.extend_from_slice(&other.unreached);
    }

    /// The counts of every instruction, by its number.
    pub(crate) fn instructions(&self, program: &Program, chip: &Chip) -> Vec<Counts> {
        let mut counts = vec![Counts::default(); program.insts.len()];
        for (block, counter) in program.blocks.iter().zip(&self.blocks) {
            for id in block.insts.clone() {
                let inst = &program.insts[id as usize];
                let count = &mut counts[id as usize];
                count.warp_instructions += counter.executions;
                count.active_lanes += counter.lanes;
                count.thread_instructions += if inst.guarded { self.guarded[id as usize] } else { counter.lanes };
            }
            if let Some(last) = block.insts.clone().last() {
                counts[last as usize].divergent_branches += counter.divergences;
            }
        }
        for &(id, lanes) in &self.unreached {
            let count = &mut counts[id as usize];
            count.warp_instructions -= 1;
            count.active_lanes -= u64::from(lanes);
            if !program.insts[id as usize].guarded {
                count.thread_instructions -= u64::from(lanes);
            }
        }
        for ((count, inst), traffic) in counts.iter_mut().zip(&program.insts).zip(&self.traffic) {
            count.traffic = *traffic;
            count.issue_sixteenths = count.warp_instructions * chip.cost(inst.class, inst.repeats);
        }
        counts
    }
}

/// Sums the counts of instructions per line: by PTX line, and by source line.
pub(crate) fn by_line(program: &Program, counts: &[Counts]) -> (Vec<LineCounts>, Vec<LineCounts>) {
    let mut ptx: BTreeMap<u32, LineCounts> = BTreeMap::new();
    let mut source: BTreeMap<(Option<&str>, u32), LineCounts> = BTreeMap::new();
    for (inst, counts) in program.insts.iter().zip(counts) {
        let site = program.site(inst);
        let empty = || LineCounts { site: site.clone(), counts: Counts::default() };
        ptx.entry(inst.ptx_line).or_insert_with(empty).counts += *counts;
        let file = program.file(inst.file);
        source.entry((file, inst.line)).or_insert_with(empty).counts += *counts;
    }
    (ptx.into_values().collect(), source.into_values().collect())
}
