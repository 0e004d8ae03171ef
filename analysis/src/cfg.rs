//! The control-flow graph: basic blocks over the statements of a kernel, and the edges between them.
//!
//! A block is a range of statements. A label starts one, a terminator ends one; a call does not. Markers, source
//! positions and declarations belong to the block in whose range they stand. All statements together are covered, each
//! by one block.
//!
//! The entry block has no predecessors: where the first statement with an effect is a label, an empty block stands
//! before it. So nothing that walks the graph needs a special case for a loop that starts at the first instruction.
//!
//! Leaving the kernel (`ret`, `exit`, `trap`, running off the end of the body) is no edge but the flag [`Cfg::exits`];
//! the analyses that need a node for it add a virtual exit.

mod build;

use std::fmt::Write as _;
use std::ops::Range;

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap, entity_impl};
use ptx_parser::{Inst, Kernel, Label, Loc, Stmt, StmtKind};
use smallvec::SmallVec;

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Block(u32);
entity_impl!(Block, "block");

/// The reason why control takes an edge.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Edge {
    /// A `bra` whose guard holds, or that has none.
    Taken,
    /// The next block in textual order: the guard does not hold, or there is no terminator.
    Fallthrough,
    /// One of the targets of a `brx.idx`.
    Indirect,
}

/// An edge as its source sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Successor {
    /// The block that the edge leads to.
    pub block: Block,
    /// The reason why control takes the edge.
    pub edge: Edge,
}

#[derive(Clone, Debug)]
struct BlockData {
    stmts: Range<usize>,
    insts: Range<usize>,
    terminator: Option<Inst>,
    label: Option<Label>,
    exits: bool,
    succs: SmallVec<[Successor; 2]>,
    preds: SmallVec<[Block; 2]>,
}

/// The control-flow graph of a kernel.
#[derive(Clone, Debug)]
pub struct Cfg {
    blocks: PrimaryMap<Block, BlockData>,
    /// The placed instructions in textual order; a block's are a range of it.
    insts: Vec<Inst>,
    block_of: SecondaryMap<Inst, PackedOption<Block>>,
    label_block: SecondaryMap<Label, PackedOption<Block>>,
    rpo: Vec<Block>,
    /// Position in `rpo`; `u32::MAX` where the entry does not reach the block.
    rpo_index: SecondaryMap<Block, u32>,
}

impl Cfg {
    /// Builds the graph.
    #[must_use]
    pub fn of(kernel: &Kernel) -> Cfg {
        build::build(kernel)
    }

    /// Returns where the kernel starts. It has no predecessors.
    #[must_use]
    pub fn entry(&self) -> Block {
        Block::new(0)
    }

    /// All blocks in textual order, unreachable ones included.
    pub fn blocks(&self) -> impl ExactSizeIterator<Item = Block> + use<> {
        self.blocks.keys()
    }

    /// Returns how many blocks there are.
    #[must_use]
    pub fn block_count(&self) -> usize {
        self.blocks.len()
    }

    /// The indices of a block's statements in [`Kernel::stmts`].
    #[must_use]
    pub fn stmts(&self, block: Block) -> Range<usize> {
        self.blocks[block].stmts.clone()
    }

    /// The statements of a block, with their indices in [`Kernel::stmts`]. The kernel is the one of the graph.
    pub fn stmts_of<'k>(
        &self,
        kernel: &'k Kernel,
        block: Block,
    ) -> impl DoubleEndedIterator<Item = (usize, &'k Stmt)> + use<'k> {
        let Range { start, end } = self.stmts(block);
        kernel.stmts().iter().enumerate().take(end).skip(start)
    }

    /// The index of an instruction's statement in [`Kernel::stmts`]; `None` if it is in no block.
    #[must_use]
    pub fn stmt_of(&self, kernel: &Kernel, inst: Inst) -> Option<usize> {
        let mut stmts = self.stmts_of(kernel, self.block_of(inst)?);
        stmts.rfind(|(_, stmt)| stmt.kind == StmtKind::Inst(inst)).map(|(index, _)| index)
    }

    /// The instructions of a block, in order; the terminator is the last of them.
    #[must_use]
    pub fn insts(&self, block: Block) -> &[Inst] {
        &self.insts[self.blocks[block].insts.clone()]
    }

    /// The instruction that ends a block, if it does not just run on into the next one.
    #[must_use]
    pub fn terminator(&self, block: Block) -> Option<Inst> {
        self.blocks[block].terminator
    }

    /// The edges out of a block: targets of the branch first, in their order, then the fall-through. A guarded branch
    /// to the very next block has two edges there; a branch table that names a block twice has one.
    #[must_use]
    pub fn succs(&self, block: Block) -> &[Successor] {
        &self.blocks[block].succs
    }

    /// The blocks to which edges lead, each once.
    #[must_use]
    pub fn distinct_succs(&self, block: Block) -> SmallVec<[Block; 2]> {
        let mut distinct: SmallVec<[Block; 2]> = self.blocks[block].succs.iter().map(|s| s.block).collect();
        if distinct.len() > 2 {
            distinct.sort_unstable();
        }
        distinct.dedup();
        distinct
    }

    /// The blocks from which edges come, each once, in textual order.
    #[must_use]
    pub fn preds(&self, block: Block) -> &[Block] {
        &self.blocks[block].preds
    }

    /// The same without those that nobody comes to: compilers without optimisation leave a branch behind a `trap` or an `exit`.
    pub fn reachable_preds(&self, block: Block) -> impl Iterator<Item = Block> + '_ {
        self.preds(block).iter().copied().filter(|&pred| self.is_reachable(pred))
    }

    /// Returns true if control can leave the kernel from a block: `ret`, `exit`, `trap`, the end of the body.
    #[must_use]
    pub fn exits(&self, block: Block) -> bool {
        self.blocks[block].exits
    }

    /// In how many directions control can go from a block, leaving the kernel being one of them.
    #[must_use]
    pub fn ways(&self, block: Block) -> usize {
        self.distinct_succs(block).len() + usize::from(self.exits(block))
    }

    /// The block of an instruction; `None` for one that is not placed in the body.
    #[must_use]
    pub fn block_of(&self, inst: Inst) -> Option<Block> {
        self.block_of[inst].expand()
    }

    /// The block in whose range a statement stands; `None` beyond the last statement.
    #[must_use]
    pub fn block_of_stmt(&self, stmt: usize) -> Option<Block> {
        let after = self.blocks.as_values_slice().partition_point(|data| data.stmts.start <= stmt);
        let block = Block::new(after.checked_sub(1)?);
        self.blocks[block].stmts.contains(&stmt).then_some(block)
    }

    /// The block that a label starts; `None` for one that is mentioned but not defined.
    #[must_use]
    pub fn label_block(&self, label: Label) -> Option<Block> {
        self.label_block[label].expand()
    }

    /// The first label of a block.
    #[must_use]
    pub fn label(&self, block: Block) -> Option<Label> {
        self.blocks[block].label
    }

    /// The blocks that the entry reaches, in reverse postorder: each before its successors, but for back edges.
    #[must_use]
    pub fn reverse_postorder(&self) -> &[Block] {
        &self.rpo
    }

    /// The instructions of reachable blocks, in that order.
    pub fn insts_in_order(&self) -> impl Iterator<Item = Inst> + '_ {
        self.reverse_postorder().iter().flat_map(|&block| self.insts(block)).copied()
    }

    /// The position of a block in [`Cfg::reverse_postorder`]; `None` for an unreachable one.
    #[must_use]
    pub fn rpo_index(&self, block: Block) -> Option<usize> {
        let index = self.rpo_index[block];
        (index != u32::MAX).then_some(index as usize)
    }

    /// Returns true if the entry reaches a block.
    #[must_use]
    pub fn is_reachable(&self, block: Block) -> bool {
        self.rpo_index[block] != u32::MAX
    }

    /// The place in the user's source where a block begins: that of its first instruction whose line is known.
    #[must_use]
    pub fn block_position(&self, kernel: &Kernel, block: Block) -> Option<Loc> {
        self.insts(block).iter().filter_map(|&inst| kernel.loc(inst)).find(|loc| loc.line > 0)
    }

    /// Returns what a block is called in messages: `entry`, its first label, or `block7` where it has none.
    #[must_use]
    pub fn name(&self, kernel: &Kernel, block: Block) -> String {
        match self.label(block) {
            Some(label) => kernel.label_name(label).to_owned(),
            None if block == self.entry() => "entry".to_owned(),
            None => block.to_string(),
        }
    }

    /// The names of several blocks, separated by commas.
    pub(crate) fn names(&self, kernel: &Kernel, blocks: impl IntoIterator<Item = Block>) -> String {
        let names: Vec<String> = blocks.into_iter().map(|block| self.name(kernel, block)).collect();
        if names.is_empty() { "-".to_owned() } else { names.join(", ") }
    }

    /// One line per block: its number of instructions, its edges, whether it can leave the kernel.
    #[must_use]
    pub fn describe(&self, kernel: &Kernel) -> String {
        let mut text = String::new();
        for block in self.blocks() {
            let edges = self.succs(block).iter().map(|successor| {
                let kind = match successor.edge {
                    Edge::Taken => "taken",
                    Edge::Fallthrough => "fallthrough",
                    Edge::Indirect => "indirect",
                };
                format!("{} ({kind})", self.name(kernel, successor.block))
            });
            let exit = self.exits(block).then(|| "exit".to_owned());
            let ways: Vec<String> = edges.chain(exit).collect();
            let unreachable = if self.is_reachable(block) { "" } else { ", unreachable" };
            let (name, size) = (self.name(kernel, block), self.insts(block).len());
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{name} [{size}{unreachable}] -> {}", ways.join(", "));
        }
        text
    }
}
