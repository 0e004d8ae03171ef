//! The blocks of a kernel: straight-line code with one end each.

use std::ops::Range;

use cranelift_entity::{EntitySet, IterEntityRange, PrimaryMap, entity_impl, iter_entity_range};

use super::listing::InstId;

/// The number of a block.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct BlockId(u32);
entity_impl!(BlockId, "block");

/// The block at which the lanes of a kernel begin.
pub(crate) const ENTRY: BlockId = BlockId(0);

/// No block: where lanes reconverge that never meet again before they end.
pub(crate) const NO_BLOCK: BlockId = BlockId(u32::MAX);

/// The number of a table of targets.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SwitchId(u32);
entity_impl!(SwitchId, "switch");

/// The number of an op.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct OpId(u32);
entity_impl!(OpId, "op");

/// The blocks of a kernel.
pub(crate) type Blocks = PrimaryMap<BlockId, Block>;

/// The tables of targets that ends of blocks name.
pub(crate) type Switches = PrimaryMap<SwitchId, Box<[BlockId]>>;

/// The control flow of a kernel.
#[derive(Clone, Default)]
pub(crate) struct Code {
    pub(crate) blocks: Blocks,
    pub(crate) switches: Switches,
    /// The blocks that a barrier or `.sync` operation may follow or be in.
    pub(crate) meets: EntitySet<BlockId>,
    /// The blocks that labels begin; those of a function once for every call.
    pub(crate) labels: Vec<(Box<str>, BlockId)>,
}

/// Straight-line code with one end.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) ops: Range<OpId>,
    /// The instructions, that of the end included.
    pub(crate) insts: Range<InstId>,
    /// The cost of the block, which is charged to a warp's turn.
    pub(crate) weight: u32,
    pub(crate) end: End,
}

impl Block {
    /// The instructions, that of the end included.
    pub(crate) fn insts(&self) -> IterEntityRange<InstId> {
        iter_entity_range(self.insts.clone())
    }
}

/// The kind of a barrier instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BarrierKind {
    /// `bar.sync`
    Sync,
    /// `bar.arrive`
    Arrive,
    /// `bar.red.and`, `.or`, `.popc`: predicate operand, result (a predicate or, for `popc`, a 32-bit row).
    And(u32, u32),
    /// See `And`.
    Or(u32, u32),
    /// See `And`.
    Popc(u32, u32),
    /// `barrier.cluster.arrive`
    ClusterArrive,
    /// `barrier.cluster.wait`
    ClusterWait,
}

/// The end of a block, which determines where its lanes go.
#[derive(Clone, Debug)]
pub(crate) enum End {
    /// To one block.
    Jump(BlockId),
    /// Branches to `taken` where the predicate (row times two, plus one if negated) holds, else to `next`. The lanes
    /// reconverge at `meet`.
    Branch { pred: u32, taken: BlockId, next: BlockId, meet: BlockId, inst: InstId },
    /// By the 32-bit row `index` to an entry of switch `table`.
    Switch { index: u32, table: SwitchId, meet: BlockId },
    /// All lanes end.
    Exit,
    /// Lanes whose predicate holds end.
    ExitIf { pred: u32, next: BlockId, inst: InstId },
    /// The launch ends: `trap`, `brkpt`.
    Trap,
    /// A call: the lanes go to entries of switch `table`, by the 32-bit row `index` or all to its first; they meet again at `land`
    /// and go on at `after`.
    Call { index: u32, table: SwitchId, land: BlockId, after: BlockId },
    /// Back from a call: by the 32-bit row `index` to an entry of switch `table`.
    Return { index: u32, table: SwitchId },
    /// A barrier of the block: 32-bit rows of its number and of its thread count, if given.
    Barrier { kind: BarrierKind, id: u32, count: Option<u32>, next: BlockId, aligned: bool, inst: InstId },
    /// An operation that waits for the lanes of the 32-bit row `members`: `op` is run then, if there is any. Lanes meet at blocks with
    /// one `meets`; those of an instruction that was decoded for several calls have one.
    Sync { op: Option<OpId>, members: u32, next: BlockId, inst: InstId, meets: Option<InstId> },
}
