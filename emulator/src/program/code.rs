//! The blocks of a kernel: straight-line code with one end each.

use std::ops::Range;

/// No block: where lanes reconverge that never meet again before they end.
pub(crate) const NO_BLOCK: u32 = u32::MAX;

/// The control flow of a kernel.
#[derive(Clone, Default)]
pub(crate) struct Code {
    pub(crate) blocks: Vec<Block>,
    /// The tables of targets that ends of blocks name by number.
    pub(crate) switches: Vec<Box<[u32]>>,
    /// Per block, whether a barrier or `.sync` operation may follow or be in it.
    pub(crate) meets: Vec<bool>,
    /// The blocks that labels begin; those of a function once for every call.
    pub(crate) labels: Vec<(Box<str>, u32)>,
}

/// Straight-line code with one end.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) ops: Range<u32>,
    /// The instructions, that of the end included.
    pub(crate) insts: Range<u32>,
    /// The cost of the block, which is charged to a warp's turn.
    pub(crate) weight: u32,
    pub(crate) end: End,
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
    Jump(u32),
    /// Branches to `taken` where the predicate (row times two, plus one if negated) holds, else to `next`. The lanes
    /// reconverge at `meet`.
    Branch { pred: u32, taken: u32, next: u32, meet: u32, inst: u32 },
    /// By the 32-bit row `index` to an entry of switch `table`.
    Switch { index: u32, table: u32, meet: u32 },
    /// All lanes end.
    Exit,
    /// Lanes whose predicate holds end.
    ExitIf { pred: u32, next: u32, inst: u32 },
    /// The launch ends: `trap`, `brkpt`.
    Trap,
    /// A call: the lanes go to entries of switch `table`, by the 32-bit row `index` or all to its first; they meet again at `land`
    /// and go on at `after`.
    Call { index: u32, table: u32, land: u32, after: u32 },
    /// Back from a call: by the 32-bit row `index` to an entry of switch `table`.
    Return { index: u32, table: u32 },
    /// A barrier of the block: 32-bit rows of its number and of its thread count, if given.
    Barrier { kind: BarrierKind, id: u32, count: Option<u32>, next: u32, aligned: bool, inst: u32 },
    /// An operation that waits for the lanes of the 32-bit row `members`: `op` is run then, if there is any. Lanes meet at blocks with
    /// one number `meets`; those of an instruction that was decoded for several calls have one.
    Sync { op: Option<u32>, members: u32, next: u32, inst: u32, meets: u32 },
}
