//! States of warps and blocks: remembered, and compared with later ones.
//!
//! A state is a sequence of words: places of lanes, rows of registers, a hash of local memory. It is remembered as it is, and a later one is compared
//! with it row by row, so that most comparisons end at the first register that has changed.

use std::ops::ControlFlow;

use crate::exec::lanes::{Row32, Row64};
use crate::exec::op::Ctx;
use crate::machines::{Group, Machine};
use crate::program::storage::StackInUse;
use crate::run::barrier::Barriers;
use crate::run::warp::{Warp, row, values};
use crate::verdict::slice::{Deciding, Slice};

/// A state that is remembered.
#[derive(Debug, Default)]
pub(super) struct Remembered(Vec<u64>);

impl Remembered {
    /// Remembers what a function passes on.
    pub(super) fn of(visit: impl FnOnce(&mut Recorder) -> ControlFlow<()>) -> Remembered {
        let mut recorder = Recorder(Vec::new());
        let _ = visit(&mut recorder);
        Remembered(recorder.0)
    }

    /// Returns true if a function passes on what was remembered.
    pub(super) fn is(&self, visit: impl FnOnce(&mut Comparison<'_>) -> ControlFlow<()>) -> bool {
        let mut comparison = Comparison(&self.0);
        visit(&mut comparison).is_continue() && comparison.0.is_empty()
    }
}

/// Takes the words of a state.
pub(super) trait Sink {
    /// Takes a word; `Break` if no more is asked for.
    fn word(&mut self, word: u64) -> ControlFlow<()>;

    /// Takes the words of some lanes of a row.
    fn row<T: Copy + Into<u64>>(&mut self, row: &[T; 32], mask: u32) -> ControlFlow<()>;

    /// Makes room for so many words.
    fn reserve(&mut self, words: usize) {
        let _ = words;
    }
}

/// Writes words down.
pub(super) struct Recorder(Vec<u64>);

impl Sink for Recorder {
    fn word(&mut self, word: u64) -> ControlFlow<()> {
        self.0.push(word);
        ControlFlow::Continue(())
    }

    fn row<T: Copy + Into<u64>>(&mut self, row: &[T; 32], mask: u32) -> ControlFlow<()> {
        match mask {
            u32::MAX => self.0.extend(row.iter().map(|&word| word.into())),
            _ => self.0.extend(values(row, mask).map(|(_, word)| word.into())),
        }
        ControlFlow::Continue(())
    }

    fn reserve(&mut self, words: usize) {
        self.0.reserve(words);
    }
}

/// Compares words with those that were written down, of which these are left.
pub(super) struct Comparison<'r>(&'r [u64]);

impl Sink for Comparison<'_> {
    fn word(&mut self, word: u64) -> ControlFlow<()> {
        match self.0.split_first() {
            Some((first, rest)) if *first == word => {
                self.0 = rest;
                ControlFlow::Continue(())
            }
            _ => ControlFlow::Break(()),
        }
    }

    fn row<T: Copy + Into<u64>>(&mut self, row: &[T; 32], mask: u32) -> ControlFlow<()> {
        if mask != u32::MAX {
            return values(row, mask).try_for_each(|(_, word)| self.word(word.into()));
        }
        let Some((first, rest)) = self.0.split_first_chunk::<32>() else { return ControlFlow::Break(()) };
        // All lanes are looked at, as several at once can be.
        let pairs = row.iter().zip(first);
        if pairs.fold(0, |differing, (&word, before)| differing | (word.into() ^ before)) != 0 {
            return ControlFlow::Break(());
        }
        self.0 = rest;
        ControlFlow::Continue(())
    }
}

/// The rows of the three files, and the local memory of a warp.
#[derive(Clone, Copy)]
pub(super) struct Files<'a> {
    r32: &'a [Row32],
    r64: &'a [Row64],
    preds: &'a [u32],
    local: &'a [u64],
    stack: Option<StackInUse>,
}

impl<'a> Files<'a> {
    /// The files of the warp that runs.
    pub(super) fn of(ctx: &'a Ctx<'_>, stack: Option<StackInUse>) -> Files<'a> {
        Files { r32: ctx.r32, r64: ctx.r64, preds: ctx.preds, local: ctx.local, stack }
    }

    /// Visits the registers and the local memory of some lanes, or what decides of them where the lanes are.
    pub(super) fn visit<M: Machine, S: Sink>(
        self,
        sink: &mut S,
        machine: &M,
        mask: u32,
        slice: Option<&Slice>,
    ) -> ControlFlow<()> {
        let Some(slice) = slice else { return self.visit_all(sink, mask) };
        for group in in_order(machine) {
            if let Some(deciding) = slice.at(group.pc) {
                self.visit_deciding(sink, group.lanes & mask, deciding)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn visit_deciding<S: Sink>(self, sink: &mut S, mask: u32, deciding: &Deciding) -> ControlFlow<()> {
        deciding.preds.iter().try_for_each(|&number| sink.word(u64::from(row(self.preds, number) & mask)))?;
        deciding.rows32.iter().try_for_each(|&number| sink.row(&row(self.r32, number).0, mask))?;
        deciding.rows64.iter().try_for_each(|&number| sink.row(&row(self.r64, number).0, mask))?;
        for (_, words) in of_lanes(self.local, mask) {
            for &offset in &deciding.local {
                let word = words.get(offset as usize / 8).copied().unwrap_or(0);
                sink.word(word >> (offset % 8 * 8) & 0xff)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn visit_all<S: Sink>(self, sink: &mut S, mask: u32) -> ControlFlow<()> {
        let rows = self.r32.len() + self.r64.len();
        sink.reserve(rows * mask.count_ones() as usize + self.preds.len() + 2);
        self.preds.iter().try_for_each(|pred| sink.word(u64::from(pred & mask)))?;
        self.r32.iter().try_for_each(|row| sink.row(&row.0, mask))?;
        self.r64.iter().try_for_each(|row| sink.row(&row.0, mask))?;
        self.hash_of_local(mask).into_iter().try_for_each(|sum| sink.word(sum))
    }

    /// A hash of 128 bits of the local memory of some lanes, of which there may be many megabytes.
    fn hash_of_local(self, mask: u32) -> [u64; 2] {
        let mut sums = [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344];
        let stack = self.stack.map(|stack| (stack, &row(self.r64, stack.end).0));
        for (lane, words) in of_lanes(self.local, mask) {
            // What calls that have returned left behind the stack's end is read by nobody, and it is long.
            let (from, to) = stack.map_or((0, 0), |(stack, ends)| {
                let all = (stack.bytes as usize / 8).min(words.len());
                let end = ends.get(lane).copied().unwrap_or(u64::MAX);
                let used = end.saturating_add(stack.reach).div_ceil(8);
                (usize::try_from(used).unwrap_or(all).min(all), all)
            });
            words.iter().take(from).chain(words.iter().skip(to)).for_each(|word| mix(&mut sums, *word));
        }
        sums
    }
}

/// The local memory of some lanes of a warp.
fn of_lanes(local: &[u64], mask: u32) -> impl Iterator<Item = (usize, &[u64])> {
    local.chunks_exact((local.len() / 32).max(1)).enumerate().filter(move |(lane, _)| mask >> lane & 1 != 0)
}

/// Adds a word to each of two sums.
#[inline(always)]
fn mix(sums: &mut [u64; 2], word: u64) {
    sums[0] = (sums[0].rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    sums[1] = (sums[1].rotate_left(23) ^ word).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
}

/// The groups of a warp in an order that does not depend on the machine.
fn in_order<M: Machine>(machine: &M) -> impl Iterator<Item = Group> + use<M> {
    let mut groups = machine.groups();
    groups.sort_unstable_by_key(|group| group.lanes);
    groups.into_iter()
}

/// Visits the places of some lanes of a warp. Each group lies either completely within these lanes or outside them.
pub(super) fn visit_groups<M: Machine, S: Sink>(sink: &mut S, machine: &M, lanes: u32) -> ControlFlow<()> {
    for group in in_order(machine).filter(|group| group.lanes & lanes != 0) {
        sink.word(u64::from(group.pc.as_u32()) << 32 | u64::from(group.lanes))?;
        sink.word(group.state as u64)?;
    }
    ControlFlow::Continue(())
}

/// Visits the places of a warp's lanes, and what they hold.
pub(super) fn visit_warp<M: Machine, S: Sink>(
    sink: &mut S,
    warp: &Warp<M>,
    stack: Option<StackInUse>,
    slice: Option<&Slice>,
) -> ControlFlow<()> {
    let live = warp.machine.live();
    visit_groups(sink, &warp.machine, live)?;
    let files = Files { r32: &warp.r32, r64: &warp.r64, preds: &warp.preds, local: &warp.local, stack };
    files.visit(sink, &warp.machine, live, slice)
}

/// Visits who has arrived at the barriers of a block.
pub(super) fn visit_barriers<S: Sink>(sink: &mut S, barriers: &Barriers) -> ControlFlow<()> {
    let mut flow = ControlFlow::Continue(());
    barriers.fingerprint(|word| {
        if flow.is_continue() {
            flow = sink.word(word);
        }
    });
    flow
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls a function with a warp whose lanes have a stack of eight words that ends behind the second, with one more within reach, and a word of variables.
    fn with<R>(local: [u64; 9], function: impl FnOnce(Files<'_>) -> R) -> R {
        let r64 = [Row64([16; 32])];
        let words: Vec<u64> = (0..32).flat_map(|_| local).collect();
        let stack = Some(StackInUse { end: 0, reach: 8, bytes: 64 });
        function(Files { r32: &[], r64: &r64, preds: &[], local: &words, stack })
    }

    #[test]
    fn what_lies_behind_the_end_of_a_stack_is_no_state() {
        let before = [1, 2, 3, 4, 5, 6, 7, 8, 9];
        let remembered = with(before, |files| Remembered::of(|sink| files.visit_all(sink, 0b101)));
        for (word, counts) in [true, true, true, false, false, false, false, false, true].into_iter().enumerate() {
            let mut after = before;
            after[word] = 100;
            let is = with(after, |files| remembered.is(|sink| files.visit_all(sink, 0b101)));
            assert_eq!(!is, counts, "word {word}");
        }
    }

    #[test]
    fn registers_count_in_the_lanes_that_are_looked_at() {
        for mask in [0b101, 1 << 31, u32::MAX] {
            let (mut r32, mut r64, mut preds) = ([Row32([7; 32]); 2], [Row64([8; 32])], [5]);
            let files = Files { r32: &r32, r64: &r64, preds: &preds, local: &[], stack: None };
            let remembered = Remembered::of(|sink| files.visit_all(sink, mask));
            let is = |r32: &[Row32], r64: &[Row64], preds: &[u32]| {
                let files = Files { r32, r64, preds, local: &[], stack: None };
                remembered.is(|sink| files.visit_all(sink, mask))
            };
            for lane in 0..32 {
                let counts = mask >> lane & 1 != 0;
                r32[1].0[lane] = 100;
                assert_eq!(!is(&r32, &r64, &preds), counts, "32 bits, lane {lane} of {mask:#x}");
                r32[1].0[lane] = 7;
                r64[0].0[lane] = 100;
                assert_eq!(!is(&r32, &r64, &preds), counts, "64 bits, lane {lane} of {mask:#x}");
                r64[0].0[lane] = 8;
                preds[0] ^= 1 << lane;
                assert_eq!(!is(&r32, &r64, &preds), counts, "predicate, lane {lane} of {mask:#x}");
                preds[0] ^= 1 << lane;
            }
            // One row less, and one more.
            assert!(is(&r32, &r64, &preds) && !is(&r32[1..], &r64, &preds));
            assert!(!is(&[r32[0], r32[0], r32[0]], &r64, &preds));
        }
    }
}
