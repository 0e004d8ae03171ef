//! The race check: two accesses to the same byte by different threads, at least one of which writes, not both strong, and not
//! ordered (`clock.rs`).
//!
//! Of every four bytes the last write and the last reads by two threads are remembered, apart for weak and strong ones. Earlier accesses are
//! forgotten (a word that was accessed takes about 200 bytes), so that a race with one of those may be missed; the same pair of lines races again, as a rule, and is found then. What is
//! found depends on the order in which this run did things: another machine may show more.

use rustc_hash::FxHashMap;

use super::clock::{Clock, Thread};
use super::copies::Piece;
use crate::memory::space::MemorySpace;
use crate::program::listing::InstId;

/// One side of a race.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side {
    pub(crate) thread: Thread,
    pub(crate) inst: InstId,
    pub(crate) writes: bool,
}

/// Two accesses that race.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawRace {
    pub(crate) space: MemorySpace,
    /// The address of the word at which the race was first seen.
    pub(crate) address: u64,
    pub(crate) first: Side,
    pub(crate) second: Side,
    /// The number of times that the two instructions raced.
    pub(crate) count: u64,
}

/// A remembered access to a word.
#[derive(Clone, Copy, Debug)]
struct Seen {
    moment: u64,
    thread: Thread,
    inst: InstId,
    /// The bytes of the word that were accessed, one bit each.
    bytes: u8,
    /// It is a copy that has not been waited for, which nothing is ordered with.
    pending: bool,
}

/// Bytes that a lane accesses, and how.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    pub(super) space: MemorySpace,
    pub(super) address: u64,
    pub(super) bytes: u64,
    pub(super) writes: bool,
    pub(super) strong: bool,
    pub(super) pending: bool,
}

/// The accesses to a word that are remembered.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    weak_write: Option<Seen>,
    strong_write: Option<Seen>,
    weak_reads: [Option<Seen>; 2],
    strong_read: Option<Seen>,
}

/// Words are found by block (for shared memory), and address over four.
type Cells = FxHashMap<u64, Cell>;

/// The races of a launch.
#[derive(Debug, Default)]
pub(crate) struct Races {
    pub(crate) clock: Clock,
    global: Cells,
    shared: FxHashMap<u64, Cells>,
    found: Vec<RawRace>,
    /// The index in `found` of each pair of instructions.
    pairs: FxHashMap<(InstId, InstId), usize>,
    /// Races of pairs for which there was no room.
    pub(crate) beyond: u64,
}

/// More pairs of instructions than anybody reads about.
const MOST_RACES: usize = 256;

impl Races {
    fn cells(&mut self, block: u64, space: MemorySpace) -> Option<&mut Cells> {
        match space {
            MemorySpace::Global => Some(&mut self.global),
            MemorySpace::Shared => Some(self.shared.entry(block).or_default()),
            MemorySpace::Local => None,
        }
    }

    /// A lane accesses bytes.
    pub(super) fn access(&mut self, thread: Thread, inst: InstId, touch: Touch) {
        let Touch { space, address, bytes, writes, strong, pending } = touch;
        let side = Side { thread, inst, writes };
        let moment = self.clock.now;
        for (word, bytes) in words(address, bytes) {
            let Some(cells) = self.cells(thread.block, space) else { return };
            let cell = cells.entry(word).or_default();
            let conflicts = cell.conflicts(writes, strong);
            cell.remember(Seen { moment, thread, inst, bytes, pending }, writes, strong);
            for (other, writes) in conflicts {
                let apart = other.pending || !self.clock.ordered(other.thread, other.moment, thread);
                if other.bytes & bytes != 0 && apart {
                    let first = Side { thread: other.thread, inst: other.inst, writes };
                    let race = RawRace { space, address: address.max(4 * word), first, second: side, count: 1 };
                    record(&mut self.found, &mut self.pairs, &mut self.beyond, race);
                }
            }
        }
    }

    /// The thread has waited for a copy: from now on it is an access like others, made at this moment.
    pub(super) fn complete(&mut self, thread: Thread, piece: &Piece) {
        let now = self.clock.now;
        for (word, _) in words(piece.address, piece.bytes) {
            let Some(cell) = self.cells(thread.block, piece.space).and_then(|cells| cells.get_mut(&word)) else {
                return;
            };
            let [last, before] = &mut cell.weak_reads;
            for seen in [&mut cell.weak_write, last, before].into_iter().flatten() {
                if seen.pending && seen.thread == thread && seen.inst == piece.inst {
                    (seen.pending, seen.moment) = (false, now);
                }
            }
        }
    }

    /// A block has ended, and its shared memory with it.
    pub(crate) fn leave(&mut self, block: u64) {
        self.shared.remove(&block);
        self.clock.leave(block);
    }

    /// Returns what was found, in the order in which it was.
    pub(crate) fn into_found(self) -> Vec<RawRace> {
        self.found
    }
}

/// The words that bytes lie in, by their addresses over four, and which bytes of each.
fn words(address: u64, bytes: u64) -> impl Iterator<Item = (u64, u8)> {
    let end = address.saturating_add(bytes);
    (address / 4..end.div_ceil(4)).map(move |word| {
        let from = address.saturating_sub(4 * word);
        let to = (end - 4 * word).min(4);
        (word, ((0xf << from) & ((1u32 << to) - 1)) as u8)
    })
}

fn record(found: &mut Vec<RawRace>, pairs: &mut FxHashMap<(InstId, InstId), usize>, beyond: &mut u64, race: RawRace) {
    let (a, b) = (race.first.inst, race.second.inst);
    let next = found.len();
    match pairs.get(&(a.min(b), a.max(b))).and_then(|&at| found.get_mut(at)) {
        Some(known) => known.count += 1,
        None if next >= MOST_RACES => *beyond += 1,
        None => {
            pairs.insert((a.min(b), a.max(b)), next);
            found.push(race);
        }
    }
}

impl Cell {
    /// The remembered accesses that an access conflicts with, and whether they write.
    fn conflicts(&self, writes: bool, strong: bool) -> impl Iterator<Item = (Seen, bool)> + use<> {
        let [one, other] = self.weak_reads;
        let all = [
            (self.weak_write, true, false),
            (self.strong_write, true, true),
            (one, false, false),
            (other, false, false),
            (self.strong_read, false, true),
        ];
        all.into_iter()
            .filter(move |&(_, theirs, their_strong)| (writes || theirs) && !(strong && their_strong))
            .filter_map(|(seen, theirs, _)| Some((seen?, theirs)))
    }

    fn remember(&mut self, seen: Seen, writes: bool, strong: bool) {
        match (writes, strong) {
            (true, false) => self.weak_write = Some(seen),
            (true, true) => self.strong_write = Some(seen),
            (false, true) => self.strong_read = Some(seen),
            (false, false) => {
                // The last reader, and the last one before it that was somebody else.
                let [last, _] = self.weak_reads;
                if last.is_some_and(|last| last.thread != seen.thread) {
                    self.weak_reads[1] = last;
                }
                self.weak_reads[0] = Some(seen);
            }
        }
    }
}
