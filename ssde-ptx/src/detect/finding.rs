//! The findings and assumptions of a kernel, as data for people: the instructions and their places.
//!
//! These structs are also the JSON report. Fields are keys, and `map` replaces the places of instructions by those of the report. To add a
//! key, add a field here and extend `map`.

use analysis::{Block, Cfg};
use ptx_parser::{Inst, Kernel, Loc, Position};
use serde::Serialize;

/// An instruction, for people.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct At {
    /// The instruction.
    pub inst: Inst,
    /// Its location in the source, if the compiler tells it.
    pub source: Option<Loc>,
    /// The source location at which the kernel calls its function, if the body was put in the place of the call.
    pub called: Option<Loc>,
    /// Its position in the PTX; unknown if it was not read from text.
    pub text: Position,
}

impl At {
    /// An instruction of a kernel where it stands.
    #[must_use]
    pub fn of(kernel: &Kernel, inst: Inst) -> At {
        At { inst, source: kernel.loc(inst), called: None, text: kernel.text_position(inst).unwrap_or_default() }
    }
}

/// A write that the loop waits for and that is blocked while a lane is in it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Write<P = At> {
    /// The write.
    #[serde(flatten)]
    pub at: P,
    /// True if it follows the point where lanes that have left the loop wait for the others.
    pub reachable: bool,
    /// True if it is on the other way of a branch that leads to the loop.
    pub parallel: bool,
}

/// A loop that may deadlock because lanes of a warp meet again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Finding<P = At> {
    /// The start of the loop: its header, or the first block at which a cycle is entered.
    #[serde(skip)]
    pub header: Block,
    /// The first instruction there, if there is one.
    #[serde(skip)]
    pub at: Option<P>,
    /// The number of instructions in all blocks of the loop, of the kernel that was examined: before the rewrite, and with the bodies that were put in the
    /// places of calls.
    pub instructions: usize,
    /// True if the ISA promises of none of these reads that it sees what others write: the compiler may read but once, and the hardware does not.
    pub weak: bool,
    /// The reads that decide whether a lane leaves the loop.
    pub reads: Vec<P>,
    /// The writes that may be what it waits for; those behind the call of a function are not among them.
    pub writes: Vec<Write<P>>,
    /// The point where lanes that leave the loop may meet again (paper, Algorithm 2); `None` for the end of the kernel.
    #[serde(skip)]
    pub safe: Option<SafePoint>,
    /// The instruction before which that is.
    #[serde(rename = "safe_point")]
    pub meets_at: Option<P>,
    /// The block where they meet now; `None` for the end of the kernel.
    #[serde(skip)]
    pub meeting: Option<Block>,
}

/// The assumptions under which a loop waits for nobody: a single lane moves on in each round of it (`lock_free/progress`).
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Assumption<P = At> {
    /// The first instruction of the loop, if there is one.
    #[serde(flatten)]
    pub at: Option<P>,
    /// The links and counters of which it is assumed that they come to an end: where they are read, compared or added to.
    pub ends: Vec<P>,
    /// The atomics by which lanes are assumed not to undo each other's work for ever.
    pub steps: Vec<P>,
    /// The stores that are assumed not to be where the loop reads.
    pub apart: Vec<P>,
    /// The atomics by which lanes help others that hold them up, assumed to be where the loop reads that they do.
    pub helps: Vec<P>,
    /// The atomics that move on the counter of a ring; a slot whose number is ahead of the counter is assumed to be one of which a lane has done so.
    pub ahead: Vec<P>,
    /// The reads of links where walks begin, which are assumed not to be marked.
    pub unmarked: Vec<P>,
    /// The weak reads by which it is assumed to learn nothing of what others write meanwhile; empty where that is not what it waits for.
    pub raced: Vec<P>,
}

/// Barriers on both ways of a branch, at which lanes of one warp wait for each other for ever on a machine with a reconvergence stack. They are assumed not to part there
/// (`divergent_barriers.rs`).
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct BothWays<P = At> {
    /// The branch.
    #[serde(flatten)]
    pub branch: P,
    /// The barriers.
    pub barriers: [P; 2],
    /// True if they are copies of one vote or exchange of a function that is called on both ways.
    pub copies: bool,
}

/// A function that may call itself until another lane frees it, which a lane of the same warp may not do on a machine with a reconvergence stack. It is
/// assumed to wait for nobody (`recursion.rs`).
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Recursion<P = At> {
    /// The read of what it may wait for.
    #[serde(flatten)]
    pub read: P,
    /// The call that leads back to it.
    pub call: P,
}

/// The instruction behind a point.
pub(crate) fn instruction_at(cfg: &Cfg, SafePoint { block, index }: SafePoint) -> Option<Inst> {
    let behind = cfg.insts(block).get(index).copied();
    // Behind the last instruction of a block is the beginning of what follows.
    let next = || cfg.blocks().filter(|&other| other > block).find_map(|block| cfg.insts(block).first().copied());
    behind.or_else(next)
}

/// A point in the kernel: before the instruction of this number in a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SafePoint {
    /// The block.
    pub block: Block,
    /// The number of instructions of the block before the point.
    pub index: usize,
}

impl<P> Finding<P> {
    /// Puts other places in the places of its instructions.
    pub fn map<Q>(&self, place: impl Fn(&P) -> Q) -> Finding<Q> {
        let all = |places: &[P]| places.iter().map(&place).collect();
        let write =
            |write: &Write<P>| Write { at: place(&write.at), reachable: write.reachable, parallel: write.parallel };
        Finding {
            header: self.header,
            at: self.at.as_ref().map(&place),
            instructions: self.instructions,
            weak: self.weak,
            reads: all(&self.reads),
            writes: self.writes.iter().map(write).collect(),
            safe: self.safe,
            meets_at: self.meets_at.as_ref().map(&place),
            meeting: self.meeting,
        }
    }
}

impl<P> Default for Assumption<P> {
    fn default() -> Assumption<P> {
        Assumption {
            at: None,
            ends: Vec::new(),
            steps: Vec::new(),
            apart: Vec::new(),
            helps: Vec::new(),
            ahead: Vec::new(),
            unmarked: Vec::new(),
            raced: Vec::new(),
        }
    }
}

impl<P> Assumption<P> {
    /// Puts other places in the places of its instructions.
    pub fn map<Q>(&self, place: impl Fn(&P) -> Q) -> Assumption<Q> {
        let all = |places: &[P]| places.iter().map(&place).collect();
        Assumption {
            at: self.at.as_ref().map(&place),
            ends: all(&self.ends),
            steps: all(&self.steps),
            apart: all(&self.apart),
            helps: all(&self.helps),
            ahead: all(&self.ahead),
            unmarked: all(&self.unmarked),
            raced: all(&self.raced),
        }
    }
}

impl<P> BothWays<P> {
    /// Puts other places in the places of its instructions.
    pub fn map<Q>(&self, place: impl Fn(&P) -> Q) -> BothWays<Q> {
        BothWays { branch: place(&self.branch), barriers: self.barriers.each_ref().map(&place), copies: self.copies }
    }
}

impl<P> Recursion<P> {
    /// Puts other places in the places of its instructions.
    pub fn map<Q>(&self, place: impl Fn(&P) -> Q) -> Recursion<Q> {
        Recursion { read: place(&self.read), call: place(&self.call) }
    }
}
