//! The choice of the regions that get a stack when not all of them can have one: the costliest (paper, Sections 4.3 and 5.2).
//!
//! The worth of collecting a region is the cost of a run for a warp, times the number of runs that are saved in an iteration:
//!
//! - **Cost**: the sum of the inverse throughputs of its instructions, in issue cycles. An instruction in a loop of the region counts as
//!   often as a profile says, or [`LOOP_RUNS`] times for each loop around it.
//! - **Rarity**: a warp runs the region in an iteration in which any of its lanes wants it; collected, it runs it for full warps only. With
//!   a profile, `w` runs by warps with `l` active lanes in `n` iterations, that saves `(w - l / 32) / n`. Without one, the directive may say
//!   with what probability `p` a lane takes the path in an iteration: where lanes do so independently of each other, that saves
//!   `1 - (1 - p)^32 - p`. Where it does not, every other lane is assumed to: a warp all but always runs the region, with half of its lanes.
//!
//! The costliest region is collected wherever its stack can be had at all, the others while their stacks leave room for as many
//! blocks on a multiprocessor as there were before.

pub(crate) mod marker_overhead;
pub(crate) mod profile;
pub(crate) mod profitability;
pub(crate) mod run_counts;

use analysis::{Block, Loop, Multiprocessor};
use ptx_parser::{Inst, Kernel};

use crate::cost::profile::Counts;
use crate::facts::Facts;
use crate::options::{Options, Target};
use crate::plan::path::{Path, Paths};
use crate::plan::path_id::PathId;
use crate::rank::{LOOP_RUNS, Rank, RaritySource, share_of_iterations};
use crate::refusal::Refusal;
use crate::region::Region;

/// The probability that a lane takes a path of which nothing is known.
const EVEN: f64 = 0.5;

/// Returns what collecting a region is worth: `probability` is what the directive says, `counts` what a profile does.
pub(crate) fn rank(
    facts: &Facts<'_>,
    region: &Region,
    probability: Option<f64>,
    counts: Option<&Counts>,
    options: &Options,
) -> Rank {
    match counts {
        Some(counts) => profiled(facts, region, &options.multiprocessor, counts),
        None => Rank {
            cost: assumed(facts, region, &options.multiprocessor),
            rarity: saved(probability.unwrap_or(EVEN)),
            known: if probability.is_some() { RaritySource::Directive } else { RaritySource::Even },
        },
    }
}

/// The runs of the path that collecting saves such a warp in an iteration.
fn saved(probability: f64) -> f64 {
    share_of_iterations(probability) - probability
}

/// Issue cycles of an instruction.
fn cycles(kernel: &Kernel, inst: Inst, multiprocessor: &Multiprocessor) -> f64 {
    let properties = kernel.properties(inst);
    multiprocessor.cost(properties.class, properties.repeats) as f64 / 16.0
}

/// The cost of a region that was never seen to run.
fn assumed(facts: &Facts<'_>, region: &Region, multiprocessor: &Multiprocessor) -> f64 {
    let depth = |inner: Option<Loop>| inner.map_or(0, |inner| facts.loops.depth(inner));
    let outer = depth(Some(region.marked_loop));
    let cost = |&block: &Block| {
        let around = depth(facts.loops.innermost(block)).saturating_sub(outer);
        let insts = facts.cfg.insts(block).iter();
        let once: f64 = insts.map(|&inst| cycles(facts.kernel, inst, multiprocessor)).sum();
        once * f64::from(LOOP_RUNS).powi(i32::try_from(around).unwrap_or(i32::MAX))
    };
    region.blocks.iter().map(cost).sum()
}

/// The cost and the rarity as they were counted.
fn profiled(facts: &Facts<'_>, region: &Region, multiprocessor: &Multiprocessor, counts: &Counts) -> Rank {
    let known = RaritySource::Profile;
    let Some(uses) = counts.region(facts, region).filter(|uses| uses.runs > 0.0) else {
        return Rank { cost: assumed(facts, region, multiprocessor), rarity: 0.0, known };
    };
    let insts = region.blocks.iter().flat_map(|&block| facts.cfg.insts(block));
    let often = |inst: Inst| counts.inst(facts.kernel, inst).0 as f64 / uses.runs;
    let cost: f64 = insts.map(|&inst| cycles(facts.kernel, inst, multiprocessor) * often(inst)).sum();
    Rank { cost, rarity: (uses.runs - uses.full) / uses.iterations, known }
}

/// Returns the paths of a loop that get no stack, each with the reason. Without them, others may get one. `used` is the
/// shared memory that the kernel has already.
pub(crate) fn left_out(
    paths: &Paths,
    kernel: &Kernel,
    block: u32,
    used: u64,
    target: &Target<'_>,
) -> Vec<(PathId, Refusal)> {
    let options = target.options;
    let room = options.static_limit(used).saturating_sub(used);
    let share = if options.keep_occupancy { share(kernel, block, used, options) } else { room };
    let mut order: Vec<PathId> = paths.keys().collect();
    // Equals stay as the directives stand.
    order.sort_by(|&a, &b| paths[a].rank.order(&paths[b].rank));
    let mut refused = Vec::new();
    let (mut bytes, mut stacks) = (0, 0);
    for index in order {
        let Path { layout, rank, .. } = &paths[index];
        let (needed, rank) = (layout.for_all(block), *rank);
        if needed > room - bytes {
            refused.push((index, Refusal::SharedMemory { bytes: needed, block, left: room - bytes }));
        } else if options.most.is_some_and(|most| stacks >= most) {
            refused.push((index, Refusal::Most { most: stacks, rank }));
        } else if stacks > 0 && needed > share.saturating_sub(bytes) {
            refused.push((index, Refusal::Occupancy { bytes: needed, block, left: share.saturating_sub(bytes), rank }));
        } else {
            bytes += needed;
            stacks += 1;
        }
    }
    // What the cheapest of those that do not fit adds to reductions goes with it, so that there may be room for another one.
    let too_large = |(_, refusal): &(PathId, Refusal)| matches!(refusal, Refusal::SharedMemory { .. });
    match refused.iter().filter(|&refused| too_large(refused)).count() {
        0 | 1 => refused,
        _ => refused.into_iter().rfind(too_large).into_iter().collect(),
    }
}

/// The shared memory that the stacks of a loop may have without any multiprocessor holding fewer blocks than before.
fn share(kernel: &Kernel, block: u32, used: u64, options: &Options) -> u64 {
    let registers = options.registers.get(kernel.name()).copied();
    let multiprocessor = &options.multiprocessor;
    let used = used + options.dynamic_shared;
    let blocks = multiprocessor.resident_blocks(block, u32::try_from(used).unwrap_or(u32::MAX), registers);
    u64::from(multiprocessor.shared_of_each(blocks)).saturating_sub(used)
}

#[cfg(test)]
mod tests {
    use ptx_parser::Module;

    use super::*;

    #[test]
    fn blocks_that_registers_keep_out_leave_their_shared_memory_to_the_others() {
        let text = ".version 9.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n\tret;\n}\n";
        let module = Module::parse(text).unwrap();
        let kernel = &module.kernels()[0];
        let with = |registers: &[u32]| Options {
            registers: registers.iter().map(|&count| ("k".to_owned(), count)).collect(),
            ..Options::default()
        };
        // 2048 threads are eight blocks of 256; 128 registers for each thread leave room for two.
        assert_eq!(share(kernel, 256, 0, &with(&[])), (228 << 10) / 8 - 1024);
        assert_eq!(share(kernel, 256, 0, &with(&[32])), (228 << 10) / 8 - 1024);
        assert_eq!(share(kernel, 256, 0, &with(&[128])), (228 << 10) / 2 - 1024);
        assert_eq!(share(kernel, 256, 1 << 10, &with(&[])), (228 << 10) / 8 - 2048);
        let dynamic = Options { dynamic_shared: 3 << 10, ..with(&[]) };
        assert_eq!(share(kernel, 256, 1 << 10, &dynamic), (228 << 10) / 8 - 5120);
    }

    #[test]
    fn static_memory_makes_room_for_dynamic() {
        let with = |dynamic_shared| Options { dynamic_shared, ..Options::default() };
        assert_eq!(with(0).static_limit(0), 48 << 10);
        assert_eq!(with(8 << 10).static_limit(1 << 10), 40 << 10);
        assert_eq!(with(48 << 10).static_limit(0), 0);
        // The program opts in to 227 KiB already.
        assert_eq!(with(48 << 10).static_limit(1), 48 << 10);
        assert_eq!(with(200 << 10).static_limit(1 << 10), 27 << 10);
        assert_eq!(with(300 << 10).static_limit(1 << 10), 0);
    }

    #[test]
    fn what_is_worth_more_comes_first() {
        let rank = |cost, rarity| Rank { cost, rarity, known: RaritySource::Profile };
        assert!(rank(10.0, 0.5).order(&rank(30.0, 0.1)).is_lt());
        assert!(rank(10.0, 0.0).order(&rank(1.0, 0.1)).is_gt());
        assert!(rank(2.0, 0.5).order(&rank(1.0, 1.0)).is_eq());
    }

    #[test]
    fn a_path_that_few_lanes_or_all_take_saves_little() {
        assert_eq!(saved(1.0), 0.0);
        assert!((saved(EVEN) - 0.5).abs() < 1e-9);
        // A quarter of the lanes: all but every ten thousandth warp runs it.
        assert!((saved(0.25) - 0.7499).abs() < 1e-4);
        // One lane in 32: 64 of 100 warps run it, and three of 100 would do.
        assert!((saved(1.0 / 32.0) - 0.6067).abs() < 1e-4);
        assert!(saved(1e-6) < 1e-4);
    }
}
