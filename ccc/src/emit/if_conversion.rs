//! If-conversion of the branches that lead to regions: which region a lane wants is computed by all lanes together, instead of by each
//! on its way.
//!
//! ```text
//!     setp p, i > 3                          setp  p | n, i > 3
//!     @p bra B                               setp  want1 | c, i == 0 and n
//! A:  setp q, i == 0                         setp  want2 | d, i == 5 and p
//!     @q bra FIRST                           copies of what the regions need
//!     bra X                                  @c bra X
//! B:  setp r, i == 5                         bra J
//!     @!r bra J
//!     context2 = registers; want2 = true     (X: is as it was)
//!     bra J
//! FIRST: context1 = registers; want1 = true
//! J:  …                                  J:  …
//! ```
//!
//! Once the regions are gone, what is left of an `else if` chain or of the search tree of a `switch` is comparisons, and blocks
//! of two instructions for a few lanes each. The comparisons take no longer for all lanes than for some, so that nothing parts the lanes but the
//! ways to what is not collected.
//!
//! The blocks that are merged into the *root*, where the lanes part, only compute, come from nowhere else, and write no register that is
//! alive where they would not have been executed. A region among the targets gets its flag if there is no other way to it; where it has, and
//! for everything else, there is a branch under the condition of its way.

use analysis::{Block, Loop};
use ptx_parser::{Flow, Inst, Operand, Reg, Stmt, StmtKind};
use rustc_hash::FxHashMap;

use crate::facts::Facts;
use crate::plan::path::{Path, Paths};
use crate::plan::path_id::PathId;

/// The most instructions that all lanes execute where only some would have, beside the comparisons that decide the way.
const MOST: usize = 8;

/// The most blocks that are merged into one.
const MOST_BLOCKS: usize = 32;

/// The most values that all lanes copy where only those that want a region would have.
const COPIES: usize = 3;

/// A block with the branches behind it that become conditions.
#[derive(Debug)]
pub(crate) struct Conversion {
    /// The block where the lanes part.
    pub(crate) root: Block,
    /// The blocks that are merged into it, each behind those that lead to it.
    pub(crate) merged: Vec<Block>,
    /// The paths whose regions begin there.
    pub(crate) regions: Vec<PathId>,
    /// The block where all ways meet, and lanes without another condition go.
    pub(crate) join: Option<Block>,
    /// True if every lane with an iteration comes to the root before the iteration ends.
    pub(crate) always: bool,
    /// The comparisons that make the condition of a branch and nothing else.
    pub(crate) comparisons: FxHashMap<Block, Inst>,
}

/// The conversions of a loop.
pub(crate) fn conversions(facts: &Facts<'_>, marked_loop: Loop, paths: &Paths) -> Vec<Conversion> {
    let mut found: Vec<Conversion> = Vec::new();
    for &root in facts.cfg.reverse_postorder() {
        let search = Search { facts, marked_loop, paths };
        let taken = found.iter().any(|conversion| conversion.merged.contains(&root));
        if !taken
            && facts.divergence.branch_is_divergent(root)
            && search.is_plain(root)
            && let Some(conversion) = search.conversion(root)
        {
            found.push(conversion);
        }
    }
    found
}

struct Search<'a, 'k> {
    facts: &'a Facts<'k>,
    marked_loop: Loop,
    paths: &'a Paths,
}

impl Search<'_, '_> {
    /// Returns true if a block is an ordinary one of the loop's own, which ends by going on in the same iteration.
    fn is_plain(&self, block: Block) -> bool {
        let Search { facts, marked_loop, paths } = *self;
        let header = facts.loops.header(marked_loop);
        let goes_on = |&next: &Block| next != header && facts.loops.contains(marked_loop, next);
        let ends = facts.cfg.terminator(block).map(|inst| facts.kernel.properties(inst).flow);
        facts.loops.innermost(block) == Some(marked_loop)
            && !paths.values().any(|path| path.region.takes(block))
            && matches!(ends, None | Some(Flow::Branch))
            && facts.cfg.distinct_succs(block).iter().all(goes_on)
    }

    fn conversion(&self, root: Block) -> Option<Conversion> {
        let Search { facts, marked_loop, .. } = *self;
        let merged = self.merged(root);
        let inside = |block: Block| block == root || merged.contains(&block);
        let begins = self.paths.iter().filter(|(_, path)| self.begins(path, inside));
        let regions: Vec<PathId> = begins.map(|(index, _)| index).collect();
        if regions.is_empty() {
            return None;
        }
        let ends = facts.loops.latches(marked_loop).iter().copied();
        let mut ends = ends.chain(facts.loops.exits(marked_loop).iter().map(|edge| edge.from));
        let always = ends.all(|end| facts.dominators.dominates(root, end));
        let blocks = std::iter::once(root).chain(merged.iter().copied());
        let comparisons = blocks.filter_map(|block| Some((block, self.comparison(block)?))).collect();
        Some(Conversion { root, join: facts.postdominators.ipdom(root), regions, always, comparisons, merged })
    }

    /// Returns whether all ways to a region come from these blocks.
    fn begins(&self, path: &Path, inside: impl Fn(Block) -> bool) -> bool {
        let Path { region, context, lasting, .. } = path;
        let mut outside = self.facts.cfg.preds(region.entry).iter().filter(|&&pred| !region.takes(pred));
        let copied = context.values.len() - lasting.len();
        region.outer.is_none()
            && copied <= COPIES
            && context.loads.loads.is_empty()
            && outside.all(|&pred| inside(pred))
    }

    /// The blocks behind a root that can be merged into it.
    fn merged(&self, root: Block) -> Vec<Block> {
        let facts = self.facts;
        let mut merged: Vec<Block> = Vec::new();
        let mut size = 0;
        // In reverse postorder, what leads to a block comes before it.
        for &block in facts.cfg.reverse_postorder() {
            // From a region's own blocks, lanes come to its copy of a block.
            let copied = |pred: Block| {
                let mut regions = self.paths.values().map(|path| &path.region);
                regions.any(|region| region.takes(pred) && region.shared.contains(block))
            };
            let mut preds = facts.cfg.preds(block).iter().copied().filter(|&pred| !copied(pred)).peekable();
            // Lanes that want a region come to its end, too, also where no edge says so: from blocks that it shares with others.
            let ends = self.paths.values().any(|path| path.region.exit == block);
            let behind = !ends && preds.peek().is_some() && preds.all(|pred| pred == root || merged.contains(&pred));
            if behind && self.is_plain(block) && self.computes(block) {
                let way =
                    usize::from(facts.cfg.terminator(block).is_some()) + usize::from(self.comparison(block).is_some());
                size += facts.cfg.insts(block).len() - way;
                if size > MOST || merged.len() == MOST_BLOCKS {
                    break;
                }
                merged.push(block);
            }
        }
        // What a block leads to leaves with it.
        while let Some(clash) = merged.iter().position(|&block| self.clobbers(root, block, &merged)) {
            merged.truncate(clash);
        }
        merged
    }

    /// Returns true if a block only computes and branches, and declares nothing.
    fn computes(&self, block: Block) -> bool {
        let Search { facts, .. } = *self;
        let computes = |&inst: &Inst| {
            let properties = facts.kernel.properties(inst);
            properties.is_terminator() || properties.is_pure()
        };
        let declares = |stmt: &Stmt| {
            matches!(stmt.kind, StmtKind::Open | StmtKind::Close | StmtKind::Registers | StmtKind::Variables(_))
        };
        facts.cfg.insts(block).iter().all(computes)
            && !facts.cfg.stmts_of(facts.kernel, block).any(|(_, stmt)| declares(stmt))
    }

    /// Returns true if a block writes what a lane that would not have come to it still needs: where lanes go on, in another merged block, or as
    /// the condition of the root.
    fn clobbers(&self, root: Block, block: Block, merged: &[Block]) -> bool {
        let facts = self.facts;
        let mut elsewhere: Vec<Block> = Vec::new();
        for from in std::iter::once(root).chain(merged.iter().copied()) {
            for to in facts.cfg.distinct_succs(from) {
                // Lanes that want a region go on behind it.
                let behind = self.paths.values().filter(|path| path.region.entry == to).map(|path| path.region.exit);
                elsewhere.extend(std::iter::once(to).chain(behind));
            }
        }
        elsewhere.retain(|&other| !facts.dominators.dominates(block, other));
        let condition = facts.cfg.terminator(root).and_then(|inst| facts.kernel.inst(inst).guard);
        let needed = |reg: Reg| {
            condition.is_some_and(|guard| guard.reg == reg)
                || elsewhere.iter().any(|&other| facts.liveness.is_live_in(other, reg))
        };
        facts.cfg.insts(block).iter().flat_map(|&inst| facts.kernel.defs(inst)).any(needed)
    }

    /// The comparison that makes the condition of a block's branch, if it stands in the block and makes nothing else.
    fn comparison(&self, block: Block) -> Option<Inst> {
        let facts = self.facts;
        let terminator = facts.cfg.terminator(block)?;
        let condition = facts.kernel.inst(terminator).guard?.reg;
        let value = facts.values.at_use(terminator, condition)?;
        let inst =
            facts.cfg.insts(block).iter().copied().find(|&inst| facts.values.def(inst, condition) == Some(value))?;
        let plain = facts.kernel.inst(inst).guard.is_none()
            && matches!(facts.kernel.operands(inst).first(), Some(Operand::Reg(_)))
            && facts.kernel.opcode(inst).under_predicate().is_some();
        (plain && facts.values.users(value).len() == 1).then_some(inst)
    }
}
