//! Has a kernel stopped getting on? Warps that come back to the state they were in, while no memory changes, will do so for ever.
//!
//! Every now and then (see `grid.rs`) the resident blocks run *watched*: stores and atomics then tell whether they change a bit, and
//! each warp is asked whether the lanes that run are at a place where they have been before with the same registers
//! (Brent's way of finding a cycle: one state is remembered, and replaced after twice as many steps each time). If all warps of all
//! resident blocks wait or repeat themselves and nothing changed memory meanwhile, nothing ever will.
//!
//! What it is then: on a machine with a reconvergence stack, lanes may be waiting below lanes that loop. If the same
//! blocks, continued from the same state with a program counter per thread, get on, the deadlock is induced by the
//! machine. If not, it is starvation where blocks have found no room, and a livelock otherwise.

use crate::barrier::Barriers;
use crate::cta::Warp;
use crate::exec::Ctx;
use crate::exec::rows::{Row32, Row64, lanes};
use crate::machines::{Group, Machine, State};
use crate::program::{Program, StackInUse};

/// How many states are looked at in one turn. Looking at one costs as much as some hundred instructions.
const MAX_LOOKS: u32 = 512;

/// The same for whole blocks in one slice.
const MAX_BLOCK_LOOKS: u32 = 64;

/// Brent's way of finding a cycle: one state is remembered, and replaced after twice as many steps each time.
#[derive(Debug, Default)]
struct Cycle<S> {
    seen: Option<S>,
    /// Steps until the remembered state is replaced.
    left: u32,
    period: u32,
}

impl<S> Cycle<S> {
    /// Counts a step; whether the state that it came to is to be remembered.
    fn is_due(&mut self) -> bool {
        if self.left == 0 {
            self.period = self.period.saturating_mul(2).max(1);
            self.left = self.period;
        }
        self.left -= 1;
        self.left + 1 == self.period
    }
}

/// The memory of one watched turn.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// A place and the registers of the lanes there, or where and what all lanes of the warp were.
    own: Cycle<(u32, u32, [u64; 2])>,
    /// The lanes that have run since that was remembered.
    after: u32,
    looks: u32,
    /// Lanes that repeat themselves.
    stuck: u32,
    /// Whether memory changed during the turn.
    pub(crate) wrote: bool,
    /// The lanes that ran.
    pub(crate) ran: u32,
    /// What lanes were like when some of them had waited for each other: which lanes, and their places and registers.
    meeting: Cycle<(u32, [u64; 2])>,
    /// The lanes that have run since the one that is remembered.
    since: u32,
    stack: Option<StackInUse>,
}

impl Watch {
    /// The watch of a turn that begins.
    pub(crate) fn of(program: &Program) -> Watch {
        Watch { stack: program.stack, ..Watch::default() }
    }

    /// Whether the lanes have been at this block before with the same registers, and memory has not changed since.
    ///
    /// Where lanes that have arrived wait for the others, that says nothing of those who wait: the lanes that run may have let them go on in
    /// between, as those of a loop do that meets others in each iteration. There all lanes of the warp must be where they were, with the same
    /// registers.
    pub(crate) fn repeats<M: Machine>(&mut self, ctx: &mut Ctx<'_>, machine: &M, pc: u32, mask: u32) -> bool {
        self.ran |= mask;
        self.since |= mask;
        self.forget_if_written(ctx);
        if self.looks >= MAX_LOOKS {
            return false;
        }
        let here = self.own.seen.is_some_and(|(seen, lanes, _)| seen == pc && lanes == mask);
        let state = if here { Some((pc, mask, self.look(ctx, machine, mask))) } else { None };
        if here && self.own.seen == state {
            self.own = Cycle::default();
            self.stuck |= mask | if machine.releases() { 0 } else { self.after };
            return true;
        }
        if self.own.is_due() {
            (self.own.seen, self.after) = (Some((pc, mask, self.look(ctx, machine, mask))), 0);
        }
        self.after |= mask;
        false
    }

    /// Lanes came together to a vote, a shuffle or a barrier of the warp. Some of them that were seen without the others may be told something
    /// else the next time.
    pub(crate) fn together(&mut self, lanes: u32) {
        if self.own.seen.is_some_and(|(_, seen, _)| seen & lanes != 0 && seen & lanes != lanes) {
            self.own.seen = None;
        }
    }

    fn forget_if_written(&mut self, ctx: &mut Ctx<'_>) {
        if std::mem::take(&mut ctx.wrote) {
            *self = Watch { wrote: true, looks: self.looks, ran: self.ran, stack: self.stack, ..Watch::default() };
        }
    }

    /// Lanes have waited for each other at a vote, a shuffle or a barrier of the warp, and go on. Whether they repeat themselves.
    ///
    /// What a lane does next may depend on those that it met, so that its own state alone says nothing from one meeting to the next: all
    /// lanes that are not known to repeat themselves must be where they were, with the same registers. Nobody's way depends on who
    /// is chosen next as long as no memory changes, so that all of them will then come to the same meetings for ever.
    pub(crate) fn met<M: Machine>(&mut self, ctx: &mut Ctx<'_>, machine: &M, lanes: u32) -> bool {
        self.forget_if_written(ctx);
        self.stuck &= !lanes;
        if self.own.seen.is_some_and(|(_, seen, _)| seen & lanes != 0) {
            self.own = Cycle::default();
        }
        if self.looks >= MAX_LOOKS {
            return false;
        }
        self.looks += 1;
        let moving = machine.live() & !self.stuck;
        let mut hash = Hash::of(self.stack);
        hash.add_groups(machine, moving);
        hash.add_lanes((ctx.r32, ctx.r64, ctx.preds, ctx.local), moving);
        let state = Some((moving, hash.sums));
        if self.meeting.seen == state && could_run(machine) & moving & !self.since == 0 {
            self.stuck |= moving;
            return true;
        }
        if self.meeting.is_due() {
            (self.meeting.seen, self.since) = (state, 0);
        }
        false
    }

    /// Whether every lane that could run is known to repeat itself. Lanes that have arrived where they reconverge count as
    /// lanes that could run if the machine lets them go on.
    pub(crate) fn covers(&self, groups: &[Group], fair: bool) -> bool {
        groups.iter().all(|group| match group.state {
            State::Ready => group.lanes & !self.stuck == 0,
            State::Arrived => !fair,
            State::Waiting => true,
        })
    }

    /// The registers and the local memory of the lanes, or of all lanes and where they are.
    fn look<M: Machine>(&mut self, ctx: &Ctx<'_>, machine: &M, mask: u32) -> [u64; 2] {
        self.looks += 1;
        let mut hash = Hash::of(self.stack);
        let lanes = if machine.releases() { mask } else { machine.live() };
        if !machine.releases() {
            hash.add_groups(machine, lanes);
        }
        hash.add_lanes((ctx.r32, ctx.r64, ctx.preds, ctx.local), lanes);
        hash.sums
    }
}

/// The memory of a block that is watched as a whole, for loops with barriers in them: warps that wait for each other never come
/// by the same place within a turn. If all lanes, their registers and the barriers are as they were, no memory has changed, and
/// every lane that could run has run since, then so it will go on, whoever is chosen next.
#[derive(Debug, Default)]
pub(crate) struct BlockWatch {
    rounds: Cycle<(u64, [u64; 2])>,
    looks: u32,
    stack: Option<StackInUse>,
}

impl BlockWatch {
    /// The watch of a slice that begins.
    pub(crate) fn of(program: &Program) -> BlockWatch {
        BlockWatch { stack: program.stack, ..BlockWatch::default() }
    }

    /// Whether the block has been in this state since memory changed last, between two rounds of turns.
    pub(crate) fn repeats<M: Machine>(&mut self, warps: &mut [Warp<M>], barriers: &Barriers, epoch: u64) -> bool {
        if self.rounds.seen.is_some_and(|(seen, _)| seen != epoch) {
            *self = BlockWatch { looks: self.looks, stack: self.stack, ..BlockWatch::default() };
        }
        if self.looks >= MAX_BLOCK_LOOKS {
            return false;
        }
        self.looks += 1;
        let mut hash = Hash::of(self.stack);
        barriers.fingerprint(|value| hash.add(value));
        for warp in &*warps {
            hash.add_warp(warp);
        }
        let everybody_ran = || warps.iter().all(|warp| could_run(&warp.machine) & !warp.ran == 0);
        if self.rounds.seen == Some((epoch, hash.sums)) && everybody_ran() {
            return true;
        }
        if self.rounds.is_due() {
            self.rounds.seen = Some((epoch, hash.sums));
            warps.iter_mut().for_each(|warp| warp.ran = 0);
        }
        false
    }
}

/// The lanes that wait for nothing but their turn.
fn could_run<M: Machine>(machine: &M) -> u32 {
    let runs = |group: &Group| match group.state {
        State::Ready => true,
        State::Arrived => machine.releases(),
        State::Waiting => false,
    };
    machine.groups().iter().filter(|group| runs(group)).fold(0, |lanes, group| lanes | group.lanes)
}

/// A hash of 128 bits over words.
struct Hash {
    sums: [u64; 2],
    stack: Option<StackInUse>,
}

impl Hash {
    fn of(stack: Option<StackInUse>) -> Hash {
        Hash { sums: [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344], stack }
    }

    fn add(&mut self, value: u64) {
        self.sums[0] = (self.sums[0].rotate_left(5) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.sums[1] = (self.sums[1].rotate_left(23) ^ value).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
    }

    /// The registers and the local memory of some lanes.
    fn add_lanes(&mut self, (r32, r64, preds, local): (&[Row32], &[Row64], &[u32], &[u64]), mask: u32) {
        for row in r32 {
            lanes(mask).for_each(|lane| self.add(u64::from(row.0[lane])));
        }
        for row in r64 {
            lanes(mask).for_each(|lane| self.add(row.0[lane]));
        }
        preds.iter().for_each(|pred| self.add(u64::from(pred & mask)));
        let per_lane = local.len() / 32;
        for lane in lanes(mask) {
            let words = &local[lane * per_lane..(lane + 1) * per_lane];
            // What calls that have returned left behind the stack's end is read by nobody, and it is long.
            let (from, to) = self.stack.map_or((0, 0), |stack| {
                let all = (stack.bytes as usize / 8).min(words.len());
                let used = r64[stack.end as usize].0[lane].saturating_add(stack.reach).div_ceil(8);
                (usize::try_from(used).unwrap_or(all).min(all), all)
            });
            words[..from].iter().chain(&words[to..]).for_each(|word| self.add(*word));
        }
    }

    /// Where some lanes of a warp are, whatever order the machine keeps its groups in. All lanes of a group are among them or none.
    fn add_groups<M: Machine>(&mut self, machine: &M, lanes: u32) {
        let mut groups = machine.groups();
        groups.sort_unstable_by_key(|group| group.lanes);
        for group in groups.iter().filter(|group| group.lanes & lanes != 0) {
            self.add(u64::from(group.pc) << 32 | u64::from(group.lanes));
            self.add(group.state as u64);
        }
    }

    /// Where the lanes of a warp are, and what they hold.
    fn add_warp<M: Machine>(&mut self, warp: &Warp<M>) {
        let live = warp.machine.live();
        self.add_groups(&warp.machine, live);
        self.add_lanes((&warp.r32, &warp.r64, &warp.preds, &warp.local), live);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hash of one lane whose stack of eight words ends behind the second, with one more within reach, and a word of variables.
    fn hash(local: [u64; 9], mask: u32) -> [u64; 2] {
        let mut r64 = [Row64([0; 32])];
        r64[0].0 = [16; 32];
        let words: Vec<u64> = (0..32).flat_map(|_| local).collect();
        let mut hash = Hash::of(Some(StackInUse { end: 0, reach: 8, bytes: 64 }));
        hash.add_lanes((&[], &r64, &[], &words), mask);
        hash.sums
    }

    #[test]
    fn what_lies_behind_the_end_of_a_stack_is_no_state() {
        let before = [1, 2, 3, 4, 5, 6, 7, 8, 9];
        for (word, counts) in [true, true, true, false, false, false, false, false, true].into_iter().enumerate() {
            let mut after = before;
            after[word] = 100;
            assert_eq!(hash(before, 0b101) != hash(after, 0b101), counts, "word {word}");
        }
    }
}
