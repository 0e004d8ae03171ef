//! The number of times that each path of a loop is run, from a profile or its directive.

use analysis::Block;
use ptx_parser::{Flow, Inst, Operand, Running};

use crate::cost::profile::Counts;
use crate::facts::Facts;
use crate::plan::path::{Path, Paths};
use crate::plan::path_id::PathId;
use crate::rank::{Used, Uses, share_of_iterations};

/// Returns how often each path of a loop is run, as far as a profile or its directive says.
pub(crate) fn used(facts: &Facts<'_>, counts: Option<&Counts>, paths: &Paths) -> Vec<Option<Used>> {
    let used = |(index, path): (PathId, &Path)| {
        let own = own_blocks(index, paths);
        match (counts, path.site.probability) {
            (Some(counts), _) => {
                let uses = counts.region(facts, &path.region)?;
                Some(Used::of(facts, uses, &own, |inst| counts.inst(facts.kernel, inst).0 as f64))
            }
            (None, Some(probability)) if is_straight(facts, path, &own) => {
                let uses =
                    Uses { entries: 0.0, iterations: 1.0, runs: share_of_iterations(probability), full: probability };
                Some(Used::of(facts, uses, &own, |_| uses.runs))
            }
            (None, _) => None,
        }
    };
    paths.iter().map(used).collect()
}

/// The blocks of a path, those of paths that lie in it left out.
fn own_blocks(index: PathId, paths: &Paths) -> Vec<Block> {
    let inside =
        |block: Block| paths.values().any(|path| path.region.outer == Some(index) && path.region.contains(block));
    paths[index].region.blocks.iter().copied().filter(|&block| !inside(block)).collect()
}

/// Returns true if a lane that takes the path executes each of these blocks once at most, and nothing elsewhere.
fn is_straight(facts: &Facts<'_>, path: &Path, blocks: &[Block]) -> bool {
    let level = |block: Block| facts.loops.innermost(block) == Some(path.region.marked_loop);
    let calls =
        |block: Block| facts.cfg.insts(block).iter().any(|&inst| facts.kernel.properties(inst).flow == Flow::Call);
    !path.region.steps && blocks.iter().all(|&block| level(block) && !calls(block))
}

impl Used {
    /// With what its instructions, which stand in these blocks, are executed by warps.
    fn of(facts: &Facts<'_>, uses: Uses, blocks: &[Block], often: impl Fn(Inst) -> f64) -> Used {
        let kernel = facts.kernel;
        let is_copy = |inst: Inst| {
            let mut registers = true;
            kernel.visit_operands(inst, |operand| registers &= matches!(operand, Operand::Reg(_)));
            registers && kernel.properties(inst).running == Some(Running::Copy)
        };
        let insts = || blocks.iter().flat_map(|&block| facts.cfg.insts(block)).copied();
        let copied = insts().filter(|&inst| is_copy(inst)).map(&often).sum();
        Used { uses, executed: insts().map(&often).sum(), copied }
    }
}
