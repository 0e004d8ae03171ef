//! Asynchronous copies as the checks see them: `cp.async` may move its bytes at any time between where it is issued and where its thread
//! has waited for it (PTX ISA, "Asynchronous copy").
//!
//! Until then what it reads must not be written, and what it writes must neither be read nor be written, by the issuing thread any more
//! than by others: to the race check the copy is an access that nothing is ordered with, and to the check for uninitialised memory
//! its bytes are not there yet. From the wait on they are as if the thread had moved them itself at that moment. Arriving at a barrier object
//! for copies counts as waiting for them, and copies in bulk, which only barrier objects and groups of their own tell the end of, as
//! done where they are issued: too early, which misses findings and invents none.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::clock::Thread;
use crate::memory::space::MemorySpace;
use crate::program::listing::InstId;

/// One side of the copy of a lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) inst: InstId,
    pub(super) space: MemorySpace,
    pub(super) address: u64,
    pub(super) bytes: u64,
    pub(super) writes: bool,
}

/// The copies of a thread that it has not waited for.
#[derive(Debug, Default)]
struct Groups {
    /// Since the last commit.
    open: Vec<Piece>,
    committed: VecDeque<Vec<Piece>>,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Copies(FxHashMap<Thread, Groups>);

impl Copies {
    /// A thread issues a copy.
    pub(super) fn issue(&mut self, thread: Thread, piece: Piece) {
        self.0.entry(thread).or_default().open.push(piece);
    }

    /// `cp.async.commit_group`: a group even if there is nothing in it.
    pub(super) fn commit(&mut self, thread: Thread) {
        let groups = self.0.entry(thread).or_default();
        let group = std::mem::take(&mut groups.open);
        groups.committed.push_back(group);
    }

    /// `cp.async.wait_group`: what is done once all but the latest `but` groups are.
    pub(super) fn wait(&mut self, thread: Thread, but: u32) -> Vec<Piece> {
        let Some(groups) = self.0.get_mut(&thread) else { return Vec::new() };
        let done = groups.committed.len().saturating_sub(but as usize);
        groups.committed.drain(..done).flatten().collect()
    }

    /// `cp.async.wait_all`: everything.
    pub(super) fn wait_all(&mut self, thread: Thread) -> Vec<Piece> {
        let groups = self.0.remove(&thread).unwrap_or_default();
        groups.committed.into_iter().flatten().chain(groups.open).collect()
    }

    /// A block has ended.
    pub(super) fn leave(&mut self, block: u64) {
        self.0.retain(|thread, _| thread.block != block);
    }
}
