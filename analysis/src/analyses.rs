//! All analyses of one kernel at once, for callers that need most of them.

use ptx_parser::Kernel;

use crate::cfg::{Block, Cfg, Edge};
use crate::divergence::Divergence;
use crate::dominators::{Dominators, PostDominators};
use crate::liveness::Liveness;
use crate::loop_invariance::Invariance;
use crate::loops::{Loop, Loops};
use crate::reaching_definitions::ReachingDefinitions;
use crate::ssa::{Value, Values};

/// Every analysis of a kernel.
#[derive(Clone, Debug)]
pub struct Analyses {
    /// Blocks and edges.
    pub cfg: Cfg,
    /// The dominator tree.
    pub dominators: Dominators,
    /// The postdominator tree.
    pub postdominators: PostDominators,
    /// Natural loops.
    pub loops: Loops,
    /// Live registers.
    pub liveness: Liveness,
    /// Values in static single assignment form.
    pub values: Values,
    /// Loop-invariant values.
    pub invariance: Invariance,
    /// Uniform values, branches and blocks.
    pub divergence: Divergence,
}

impl Analyses {
    /// Returns the predicate that decides on an edge from a block, and whether it holds there. Returns `None` for an unconditional branch and for a branch table.
    #[must_use]
    pub fn condition(&self, kernel: &Kernel, branch: Block, edge: Edge) -> Option<(Value, bool)> {
        let inst = self.cfg.terminator(branch)?;
        let guard = kernel.inst(inst).guard?;
        let holds = match edge {
            Edge::Taken => !guard.negated,
            Edge::Fallthrough => guard.negated,
            Edge::Indirect => return None,
        };
        Some((self.values.at_use(inst, guard.reg)?, holds))
    }

    /// Returns true if every iteration of a loop that another one follows executes a block.
    #[must_use]
    pub fn is_in_each_iteration(&self, block: Block, id: Loop) -> bool {
        self.loops.latches(id).iter().all(|&latch| self.dominators.dominates(block, latch))
    }

    /// Computes all of them.
    #[must_use]
    pub fn of(kernel: &Kernel) -> Analyses {
        let cfg = Cfg::of(kernel);
        let postdominators = PostDominators::of(&cfg);
        Analyses::with(kernel, cfg, postdominators)
    }

    /// Computes all of them for lanes that do not trap; see [`PostDominators::beside_traps`].
    #[must_use]
    pub fn beside_traps(kernel: &Kernel) -> Analyses {
        let cfg = Cfg::of(kernel);
        let postdominators = PostDominators::beside_traps(kernel, &cfg);
        Analyses::with(kernel, cfg, postdominators)
    }

    fn with(kernel: &Kernel, cfg: Cfg, postdominators: PostDominators) -> Analyses {
        let dominators = Dominators::of(&cfg);
        let loops = Loops::of(&cfg, &dominators);
        let liveness = Liveness::of(kernel, &cfg);
        let values = Values::of(kernel, &cfg, &dominators, &liveness);
        let invariance = Invariance::of(kernel, &cfg, &loops, &values);
        let divergence = Divergence::of(kernel, &cfg, &dominators, &postdominators, &loops, &values, &invariance);
        Analyses { cfg, dominators, postdominators, loops, liveness, values, invariance, divergence }
    }

    /// The reaching definitions, which are a view of the values.
    #[must_use]
    pub fn reaching(&self, kernel: &Kernel) -> ReachingDefinitions<'_> {
        ReachingDefinitions::of(kernel, &self.cfg, &self.values)
    }
}
