//! Machines: which lanes of a warp run next, and where they reconverge. They own nothing else.
//!
//! Every machine sees a warp as *groups* of lanes that stand at the same block of code. One group runs at a time; the
//! others stand ready, wait at a barrier or `.sync` operation, or have arrived where their branch's lanes meet.

pub(crate) mod aware;
pub(crate) mod its;
pub(crate) mod mimd;
pub(crate) mod random;
pub(crate) mod reconvergence_points;
pub(crate) mod stack;
pub(crate) mod turn_length;

use std::sync::Arc;

use smallvec::SmallVec;

use crate::api::options::Aware;
use crate::program::Program;
use crate::program::code::BlockId;
use crate::stats::scheduling::Scheduling;
use reconvergence_points::Points;
use turn_length::{QUANTUM, SLICE};

/// The options of the launch that machines use.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) seed: u64,
    pub(crate) aware: Aware,
    /// The reconvergence point of each block's branch; `Some` only if the launch names other points than the program.
    pub(crate) points: Option<Arc<Points>>,
}

/// A group as it is reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Group {
    pub(crate) pc: BlockId,
    pub(crate) lanes: u32,
    pub(crate) state: State,
}

/// The groups of a warp.
pub(crate) type Groups = SmallVec<[Group; 4]>;

/// The state of a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    /// It runs or could run.
    Ready,
    /// It has executed a barrier or `.sync` operation and waits for others.
    Waiting,
    /// It has arrived at a reconvergence point and waits for the rest of its lanes.
    Arrived,
}

/// The control state of one warp.
pub(crate) trait Machine: Send {
    /// True if a `.sync` operation can wait for lanes that are elsewhere. A machine with one program counter per warp
    /// cannot: it would wait for lanes that only run after it has continued.
    const WAITS: bool;
    /// True if the warps of a block take their turns in an order that is drawn anew each time.
    const SHUFFLES: bool = false;
    /// The length of a block's slice, in weights of code blocks. After it the next resident block gets its turn.
    const SLICE: i64 = SLICE;
    /// A warp without lanes.
    fn new(setup: &Setup) -> Self;
    /// The lanes begin at a block; `number` is the warp's in the grid.
    fn start(&mut self, entry: BlockId, lanes: u32, number: u64);
    /// The block and the lanes that run now; `None` if all lanes have ended or wait.
    fn current(&self) -> Option<(BlockId, u32)>;
    /// The lanes that have not ended.
    fn live(&self) -> u32;
    /// The current group goes to a block.
    fn goto(&mut self, pc: BlockId);
    /// The current group parts, to meet at `meet`; the first part runs first.
    fn split(&mut self, parts: &[(BlockId, u32)], meet: BlockId);
    /// The current group calls: it parts into `parts`, each with the block it goes to; lanes that come to `land` meet there and go
    /// on at `after`. Calls nest, so that the same `land` may be waited for several times, the innermost first. A machine that does
    /// not tell them apart meets at `land` itself, which leads to `after`.
    fn call(&mut self, parts: &[(BlockId, u32)], land: BlockId, after: BlockId) {
        let _ = after;
        self.split(parts, land);
    }
    /// Lanes of the current group end; the rest goes to `next`.
    fn exit(&mut self, lanes: u32, next: BlockId);
    /// The current group waits where it stands, in parts that may go on one without the other.
    fn wait(&mut self, parts: &[u32]);
    /// The current group waits, and lanes that wait to meet it go on until they have ended. Called only where a group would else wait for lanes that
    /// cannot come, right after `wait`.
    fn end_first(&mut self, lanes: u32) {
        let _ = lanes;
    }
    /// Lanes that wait go on at a block, together where the machine can.
    fn resume(&mut self, lanes: u32, pc: BlockId);
    /// The current group has had its turn.
    fn rotate(&mut self);
    /// The current group was seen to repeat itself: whoever else there is goes on at once.
    fn give_way(&mut self);
    /// All groups.
    fn groups(&self) -> Groups;
    /// The lanes that wait at barriers and `.sync` operations.
    fn waiting(&self) -> u32;
    /// The block at which all of some lanes wait in one group; `None` too if the machine would have to search for it.
    fn wait_together(&self, lanes: u32) -> Option<BlockId> {
        let _ = lanes;
        None
    }
    /// Returns true if lanes that have arrived where they reconverge go on without the rest when that does not come.
    fn releases(&self) -> bool;

    /// A turn begins, in which the warp is watched for repeating itself or not. In a watched turn a group runs on until it is seen
    /// to repeat itself, so that the watching finds what there is to find; it ends with the turn.
    #[inline(always)]
    fn begin(&mut self, _watched: bool) {}
    /// The current group has issued so many instructions.
    #[inline(always)]
    fn issued(&mut self, _instructions: u32) {}
    /// Returns what the warp may run in its next turn, in weights of blocks.
    #[inline(always)]
    fn quantum(&mut self) -> u32 {
        QUANTUM
    }
    /// Returns what scheduling has cost since the machine was made.
    fn scheduling(&self) -> Scheduling {
        Scheduling::default()
    }
}

/// Returns those of some lanes that wait to meet others at a place behind which there is no barrier and no `.sync` operation: all they still do is end.
pub(crate) fn ending<M: Machine>(machine: &M, program: &Program, lanes: u32) -> u32 {
    let ends = |group: &&Group| group.state == State::Arrived && !program.code.meets.contains(group.pc);
    machine.groups().iter().filter(ends).fold(0, |ending, group| ending | group.lanes) & lanes
}

/// A block by its number.
#[cfg(test)]
fn at(block: u32) -> BlockId {
    BlockId::from_u32(block)
}

#[cfg(test)]
mod tests;
