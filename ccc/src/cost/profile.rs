//! The execution counts of a kernel's instructions, as the emulator has counted them, and what follows from them for a region.

use std::collections::HashMap;

use analysis::Block;
use ptx_parser::{Inst, Kernel};

use crate::facts::Facts;
use crate::layout::WARP;
use crate::options::Profile;
use crate::rank::Uses;
use crate::region::Region;

/// The counts of all launches of one kernel together.
#[derive(Debug)]
pub(crate) struct Counts {
    lines: HashMap<u32, (u64, u64)>,
}

impl Counts {
    /// The counts of a kernel, if there are any.
    pub(crate) fn of(kernel: &Kernel, profiles: &[Profile]) -> Option<Counts> {
        let mut profiles = profiles.iter().filter(|profile| profile.kernel == kernel.name()).peekable();
        profiles.peek()?;
        let mut lines: HashMap<u32, (u64, u64)> = HashMap::new();
        for (&line, &(warps, lanes)) in profiles.flat_map(|profile| &profile.lines) {
            let counts = lines.entry(line).or_default();
            *counts = (counts.0.saturating_add(warps), counts.1.saturating_add(lanes));
        }
        Some(Counts { lines })
    }

    /// Returns how often warps executed an instruction, and with how many lanes in all.
    pub(crate) fn inst(&self, kernel: &Kernel, inst: Inst) -> (u64, u64) {
        let line = kernel.text_position(inst).map(|at| at.line);
        line.and_then(|line| self.lines.get(&line)).copied().unwrap_or((0, 0))
    }

    /// Returns how often warps came to a block. A guarded branch and what the compiler left in a marker's place are in a block as often as
    /// the rest of it.
    fn block(&self, facts: &Facts<'_>, block: Block) -> (u64, u64) {
        let counts = facts.cfg.insts(block).iter().map(|&inst| self.inst(facts.kernel, inst));
        counts.max().unwrap_or((0, 0))
    }

    /// Returns how often a region was run; `None` where its loop was not.
    pub(crate) fn region(&self, facts: &Facts<'_>, region: &Region) -> Option<Uses> {
        let (runs, lanes) = self.block(facts, region.entry);
        let header = self.block(facts, facts.loops.header(region.marked_loop)).0;
        // The header of a loop that `#CCC grid` makes is in no profile: then it is the block of the loop that ran most often.
        let level = |block: &&Block| facts.loops.innermost(**block) == Some(region.marked_loop);
        let blocks = || facts.loops.blocks(region.marked_loop).iter().filter(level);
        let most = || blocks().map(|&block| self.block(facts, block).0).max().unwrap_or(0);
        let iterations = if header > 0 { header } else { most() };
        let full = (lanes as f64 / f64::from(WARP)).min(runs as f64);
        let entering = facts.loops.entering(region.marked_loop).iter();
        let entries: u64 = entering.map(|edge| self.block(facts, edge.from).0).sum();
        let [entries, iterations, runs] = [entries.min(iterations), iterations, runs].map(|count| count as f64);
        (iterations > 0.0).then_some(Uses { entries, iterations, runs, full })
    }
}
