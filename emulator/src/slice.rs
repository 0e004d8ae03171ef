//! The part of a warp's state that decides where it goes, as long as it executes no blocks but some.
//!
//! A lane that spins may count its tries, look at a clock, or sleep ever longer: its registers are never twice the same, and still nothing
//! that it does brings it closer to an exit. So progress is asked of a slice of the state. Given the blocks `C` that a warp has executed, the rows
//! that *decide* are the least set that holds the rows by which their ends choose, the fixed rows of their instructions
//! ([`Dataflow`](crate::dataflow::Dataflow)), and whatever an instruction that writes a deciding row reads; bytes of local memory are
//! rows in this. Then, by induction over the blocks executed, two executions that begin at one place with equal deciding rows and equal memory execute
//! the same blocks, with equal deciding rows and equal accesses, as long as one of them stays in `C`. A warp that comes back to a place with the same deciding
//! rows, that has executed only blocks of `C` in between, and that has changed no memory, does so for ever.
//!
//! # Clocks
//!
//! No two reads of a clock agree, and a lane may well wait for a while between two tries. *Timed* rows are those that a clock may
//! influence: what reads it writes, what an instruction with a timed row writes, and what is written between a branch by a timed row
//! and the place where its ways meet, because how often that is executed depends on the clock. What is not timed goes its way whatever the clock says, if
//! ways that part by the clock meet again in `C` and do nothing on the way but compute and read memory; a store there that was never executed may be to any memory, so that nothing is said. So timed rows need not agree, nothing that a fixed row is may be
//! timed, and states are compared outside of such ways. A time-out leaves the loop: its ways do not meet in `C`, and then nothing is said.

use rustc_hash::FxHashSet;

use crate::dataflow::{Effect, Flow, Reach, predicate_number};
use crate::exec::NONE;
use crate::graph::successors;
use crate::program::{BarrierKind, End, NO_BLOCK, Program};
use crate::touched::Touched;

/// Why the whole state must be compared, or none may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unknown {
    /// A clock may decide where the warp goes.
    Timed,
    /// Some of what is executed is not described by rows.
    Opaque,
}

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Slice {
    /// The rows of each file that decide.
    pub(crate) rows32: Vec<u32>,
    pub(crate) rows64: Vec<u32>,
    pub(crate) preds: Vec<u32>,
    /// The bytes of local memory that do, as offsets.
    pub(crate) local: Vec<u32>,
    /// The blocks for which this holds.
    covers: Vec<bool>,
    /// Those that lie between a branch by a clock and where its ways meet.
    timed: Vec<u32>,
    /// What was known of accesses to local memory.
    version: u64,
}

impl Slice {
    /// The slice for the blocks that are marked. Where the program has local memory, `touched` says what was accessed in them.
    pub(crate) fn of(program: &Program, executed: &[bool], touched: Option<&Touched>) -> Result<Slice, Unknown> {
        let blocks: Vec<u32> = (0..).zip(executed).filter(|(_, executed)| **executed).map(|(block, _)| block).collect();
        let mut finder = Finder {
            program,
            touched,
            covers: executed.to_vec(),
            blocks,
            timed: FxHashSet::default(),
            ways: FxHashSet::default(),
            deciding: FxHashSet::default(),
        };
        let clocks = program.dataflow.clocks && finder.reads_clock();
        if finder.blocks.iter().any(|&block| program.dataflow.is_opaque(block)) {
            return Err(if clocks { Unknown::Timed } else { Unknown::Opaque });
        }
        if clocks {
            finder.follow_clocks()?;
        }
        finder.decide()?;
        let Finder { deciding, timed, ways, covers, .. } = finder;
        let mut slice = Slice {
            rows32: Vec::new(),
            rows64: Vec::new(),
            preds: Vec::new(),
            local: Vec::new(),
            covers,
            timed: ways.into_iter().collect(),
            version: touched.map_or(0, |touched| touched.version),
        };
        for piece in deciding.difference(&timed) {
            match *piece {
                Piece::Byte(offset) => slice.local.push(offset),
                Piece::Row(number) => {
                    let file = [&mut slice.rows32, &mut slice.rows64, &mut slice.preds];
                    let [rows32, rows64, preds] = file;
                    match number % 3 {
                        0 => rows32.push(number / 3),
                        1 => rows64.push(number / 3),
                        _ => preds.push(number / 3),
                    }
                }
            }
        }
        for rows in [&mut slice.rows32, &mut slice.rows64, &mut slice.preds, &mut slice.local] {
            rows.sort_unstable();
        }
        Ok(slice)
    }

    /// Whether this holds for all blocks that are marked, given what is known now of accesses to local memory.
    pub(crate) fn holds_for(&self, mut executed: impl Iterator<Item = bool>, touched: Option<&Touched>) -> bool {
        let known = self.version == touched.map_or(0, |touched| touched.version);
        known && self.covers.iter().all(|&covered| !executed.next().unwrap_or(false) || covered)
    }

    /// Whether how often a block is executed depends on a clock.
    pub(crate) fn is_timed(&self, block: u32) -> bool {
        self.timed.contains(&block)
    }

    /// Whether a clock has an influence on how often blocks are executed.
    pub(crate) fn has_timed_blocks(&self) -> bool {
        !self.timed.is_empty()
    }
}

/// A row, or a byte of local memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Piece {
    Row(u32),
    Byte(u32),
}

struct Finder<'a> {
    program: &'a Program,
    touched: Option<&'a Touched>,
    covers: Vec<bool>,
    /// The blocks that are covered.
    blocks: Vec<u32>,
    timed: FxHashSet<Piece>,
    /// Blocks between a branch by a clock and where its ways meet.
    ways: FxHashSet<u32>,
    deciding: FxHashSet<Piece>,
}

/// The bytes of local memory that an instruction accesses.
#[derive(Default)]
struct Bytes {
    at: Vec<u32>,
    /// It writes memory that is not local, or the bytes are not known.
    acts: bool,
}

impl<'a> Finder<'a> {
    /// The instructions of a block, that of its end included.
    fn insts(&self, block: u32) -> impl DoubleEndedIterator<Item = u32> + use<> {
        let block = &self.program.blocks[block as usize];
        let last = match block.end {
            End::Barrier { inst, .. } | End::Sync { inst, .. } => Some(inst),
            _ => None,
        };
        block.insts.clone().chain(last.filter(|inst| !block.insts.contains(inst)))
    }

    /// The rows by which the end of a block chooses where lanes go, or whom they wait for.
    fn choice(&self, block: u32) -> Vec<u32> {
        match self.program.blocks[block as usize].end {
            End::Branch { pred, .. } | End::ExitIf { pred, .. } => vec![predicate_number(pred >> 1)],
            End::Switch { index, .. } | End::Call { index, .. } | End::Return { index, .. } if index != NONE => {
                vec![3 * index]
            }
            End::Sync { members, .. } => vec![3 * members],
            End::Barrier { kind, id, count, .. } => {
                let numbers = [Some(id).filter(|id| *id != NONE), count].into_iter().flatten().map(|row| 3 * row);
                let pred = match kind {
                    BarrierKind::And(pred, _) | BarrierKind::Or(pred, _) | BarrierKind::Popc(pred, _) => Some(pred),
                    _ => None,
                };
                numbers.chain(pred.map(|pred| predicate_number(pred >> 1))).collect()
            }
            _ => Vec::new(),
        }
    }

    /// What is known of the local memory that an instruction accesses.
    fn bytes(&self, inst: u32, effect: Effect) -> Result<Bytes, Unknown> {
        let (Reach::Local(bytes) | Reach::Any(bytes)) = effect.reach() else { return Ok(Bytes::default()) };
        if self.program.local_bytes == 0 {
            return Ok(Bytes { at: Vec::new(), acts: true });
        }
        let places = self.touched.ok_or(Unknown::Opaque)?.of(inst);
        let atomic = matches!(effect, Effect::Update(_));
        if places.many || atomic && !places.local.is_empty() {
            return Err(Unknown::Opaque);
        }
        let at = places.local.iter().flat_map(|&at| at..at.saturating_add(bytes.into())).collect();
        Ok(Bytes { at, acts: places.elsewhere })
    }

    /// What an instruction reads and writes.
    fn pieces(&self, inst: u32) -> Result<(Flow<'a>, Vec<Piece>, Vec<Piece>, bool), Unknown> {
        let flow = self.program.dataflow.of(inst);
        let bytes = self.bytes(inst, flow.effect)?;
        let mut reads: Vec<Piece> = flow.reads.iter().map(|&row| Piece::Row(row)).collect();
        let mut writes: Vec<Piece> = flow.writes.iter().map(|&row| Piece::Row(row)).collect();
        let local = bytes.at.iter().map(|&at| Piece::Byte(at));
        let acts = match flow.effect {
            Effect::Load(_) => {
                reads.extend(local);
                false
            }
            Effect::Store(reach) => {
                writes.extend(local);
                reach == Reach::Elsewhere || bytes.acts
            }
            Effect::Update(_) | Effect::Acts => true,
            Effect::None | Effect::Clock => false,
        };
        Ok((flow, reads, writes, acts))
    }

    /// Returns true for a store to bytes of which nothing is known, because it was not executed while accesses were noted.
    fn is_unknown_store(&self, inst: u32, effect: Effect) -> bool {
        matches!(effect, Effect::Store(Reach::Local(_) | Reach::Any(_)))
            && self.touched.is_none_or(|touched| touched.of(inst).local.is_empty())
    }

    fn reads_clock(&self) -> bool {
        let reads = |inst: u32| self.program.dataflow.of(inst).effect == Effect::Clock;
        self.blocks.iter().any(|&block| self.insts(block).any(reads))
    }

    /// Finds what a clock may influence, and the blocks that are executed more or less often because of it.
    fn follow_clocks(&mut self) -> Result<(), Unknown> {
        let mut changed = true;
        while changed {
            changed = false;
            for position in 0..self.blocks.len() {
                let block = self.blocks[position];
                let way = self.ways.contains(&block);
                for inst in self.insts(block) {
                    let Ok((flow, reads, writes, acts)) = self.pieces(inst) else { return Err(Unknown::Timed) };
                    let timed =
                        way || flow.effect == Effect::Clock || reads.iter().any(|read| self.timed.contains(read));
                    if !timed {
                        continue;
                    }
                    if way && self.is_unknown_store(inst, flow.effect) {
                        return Err(Unknown::Timed);
                    }
                    let fixed = flow.fixed.iter().any(|&row| self.timed.contains(&Piece::Row(row)));
                    if fixed || acts && (way || reads.iter().any(|read| self.timed.contains(read))) {
                        return Err(Unknown::Timed);
                    }
                    for write in writes {
                        changed |= self.timed.insert(write);
                    }
                }
                if self.choice(block).iter().any(|&row| self.timed.contains(&Piece::Row(row))) {
                    changed |= self.part(block)?;
                }
            }
        }
        Ok(())
    }

    /// Adds the ways of a branch by a clock; whether some were new.
    fn part(&mut self, block: u32) -> Result<bool, Unknown> {
        let program = self.program;
        let (End::Branch { meet, .. } | End::Switch { meet, .. }) = program.blocks[block as usize].end else {
            return Err(Unknown::Timed);
        };
        if meet == NO_BLOCK || !self.covers[meet as usize] {
            return Err(Unknown::Timed);
        }
        let mut work = vec![block];
        let mut new = false;
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        while let Some(from) = work.pop() {
            for next in successors(&program.blocks[from as usize].end, &program.switches) {
                if next == meet || !seen.insert(next) {
                    continue;
                }
                if !matches!(program.blocks[next as usize].end, End::Jump(_) | End::Branch { .. } | End::Switch { .. })
                {
                    return Err(Unknown::Timed);
                }
                if !std::mem::replace(&mut self.covers[next as usize], true) {
                    self.blocks.push(next);
                }
                new |= self.ways.insert(next);
                work.push(next);
            }
        }
        Ok(new)
    }

    /// Finds what decides.
    fn decide(&mut self) -> Result<(), Unknown> {
        let mut all = Vec::new();
        for &block in &self.blocks {
            self.deciding.extend(self.choice(block).into_iter().map(Piece::Row));
            for inst in self.insts(block) {
                let (flow, reads, writes, acts) = self.pieces(inst)?;
                self.deciding.extend(flow.fixed.iter().map(|&row| Piece::Row(row)));
                if acts {
                    self.deciding.extend(&reads);
                } else {
                    all.push((reads, writes));
                }
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            // From the back, because what is read was mostly written further up.
            for (reads, writes) in all.iter().rev() {
                let decides = |write: &Piece| self.deciding.contains(write) && !self.timed.contains(write);
                if writes.iter().any(decides) {
                    for &read in reads {
                        changed |= self.deciding.insert(read);
                    }
                }
            }
        }
        Ok(())
    }
}
