//! Has a kernel stopped getting on? Warps that come back to the state they were in, while no memory changes, will do so for ever.
//!
//! Every now and then (see `run/grid.rs`) the resident blocks run *watched*: stores and atomics then tell whether they change a bit, and
//! each warp is asked whether the lanes that run are at a place where they have been before with the same registers
//! (Brent's way of finding a cycle: one state is remembered, and replaced after twice as many steps each time). If all warps of all
//! resident blocks wait or repeat themselves and nothing changed memory meanwhile, nothing ever will.
//!
//! Registers that cannot influence where the warp goes need not agree: a lane that counts its tries does not get on. Warps that have been running for long are
//! compared by the slice of their state that decides that (`slice`).
//!
//! What it is then: on a machine with a reconvergence stack, lanes may be waiting below lanes that loop. If the same
//! blocks, continued from the same state with a program counter per thread, get on, the deadlock is induced by the
//! machine. If not, it is starvation where blocks have found no room, and a livelock otherwise.

use std::ops::ControlFlow;
use std::sync::Arc;

use cranelift_entity::PrimaryMap;

use super::slice::cache::Slices;
use super::slice::{Slice, Unknown};
use super::state::{Files, Remembered, Sink, visit_barriers, visit_groups, visit_warp};
use crate::exec::op::Ctx;
use crate::machines::{Group, Machine, State};
use crate::observe::local_accesses::Touched;
use crate::program::Program;
use crate::program::code::BlockId;
use crate::run::barrier::Barriers;
use crate::run::warp::Warps;
use crate::stats::counts::BlockCounter;

/// The most states that are examined in one turn, times the patience. Examining one costs as much as some hundred instructions.
const MAX_LOOKS: u32 = 512;

/// The same for whole blocks in one slice.
const MAX_BLOCK_LOOKS: u32 = 64;

/// Looking at a whole state of more words counts as several looks.
const CHEAP_WORDS: u64 = 1 << 13;

/// So many looks at a slice of the state count as one.
const SLICED_LOOKS: u32 = 8;

/// The effort with which warps are watched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Attention {
    /// True if states are compared by what decides where the warp goes; see `verdict/slice/`.
    pub(crate) narrow: bool,
    /// The factor by which turns are longer, and more states are looked at, than where a launch has just begun: what has been going on for
    /// long may take as long to come back.
    pub(crate) patience: u32,
}

impl Attention {
    /// As closely as in the first rounds.
    pub(crate) const LEAST: Attention = Attention { narrow: false, patience: 1 };
}

/// Brent's way of finding a cycle: one state is remembered, and replaced after twice as many steps each time.
#[derive(Debug, Default)]
struct Cycle<S> {
    seen: Option<S>,
    /// Steps until the remembered state is replaced.
    left: u32,
    period: u32,
    /// The blocks executed since, and the slice of the state that was remembered.
    window: Window,
}

/// The execution up to now, as far as watches ask about it.
#[derive(Clone, Copy)]
pub(crate) struct Executed<'a> {
    /// The number of executions of each block.
    pub(crate) blocks: &'a PrimaryMap<BlockId, BlockCounter>,
    /// What is known of accesses to local memory.
    pub(crate) touched: Option<&'a Touched>,
    /// The slices that were computed from these two.
    pub(crate) slices: &'a Slices,
}

/// The blocks executed since a state was remembered.
#[derive(Debug, Default)]
struct Window {
    /// The number of executions of each block when the state was remembered; empty before the first state.
    since: PrimaryMap<BlockId, u64>,
    /// The part of the state that was remembered; `None` is all of it. This part decides as long as only blocks are
    /// executed that were executed before.
    slice: Option<Arc<Slice>>,
}

impl Window {
    /// The blocks that were executed since the state was remembered.
    fn executed<'a>(&'a self, blocks: &'a PrimaryMap<BlockId, BlockCounter>) -> impl Iterator<Item = BlockId> + 'a {
        let since = blocks.iter().zip(self.since.values());
        since.filter(|((_, block), since)| block.executions != **since).map(|((id, _), _)| id)
    }

    /// A state is about to be remembered: takes from what was executed since the last one what of it will be.
    fn begin(&mut self, program: &Program, narrow: bool, Executed { blocks, touched, slices }: Executed<'_>) {
        if !narrow && !program.dataflow.clocks {
            return;
        }
        let compares_all = self.since.is_empty() || !narrow;
        self.slice = if compares_all { None } else { slices.of(program, self.executed(blocks), touched).ok() };
        self.since.clear();
        self.since.extend(blocks.values().map(|block| block.executions));
    }

    /// Returns true if the remembered state, which has come again, comes again and again.
    fn holds(&self, program: &Program, Executed { blocks, touched, slices }: Executed<'_>) -> bool {
        match &self.slice {
            Some(slice) => slice.holds_for(self.executed(blocks), touched),
            // A register may hold the same part of a clock twice.
            None if program.dataflow.clocks => {
                slices.of(program, self.executed(blocks), touched).err() != Some(Unknown::Timed)
            }
            None => true,
        }
    }

    /// Returns true if some of a warp's lanes are at a block that a clock decides how often to execute.
    fn is_timed<M: Machine>(&self, machine: &M, lanes: u32) -> bool {
        let slice = self.slice.as_deref().filter(|slice| slice.has_timed_blocks());
        slice.is_some_and(|slice| {
            machine.groups().iter().any(|group| group.lanes & lanes != 0 && slice.is_timed(group.pc))
        })
    }

    /// Returns what a look at the state costs.
    fn price(&self, program: &Program) -> u32 {
        // Most of a stack is not in use.
        let local = program.storage.local_bytes - program.storage.stack.map_or(0, |stack| stack.bytes);
        let words = 32 * u64::from(program.registers.rows32 + program.registers.rows64) + 4 * u64::from(local);
        match self.slice {
            Some(_) => 1,
            None => SLICED_LOOKS * u32::try_from(words / CHEAP_WORDS).unwrap_or(u32::MAX).clamp(1, MAX_LOOKS),
        }
    }
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
#[derive(Debug)]
pub(crate) struct Watch<'p> {
    program: &'p Program,
    attention: Attention,
    /// A place and the registers of the lanes there, or where and what all lanes of the warp were.
    own: Cycle<(BlockId, u32, Remembered)>,
    /// A state is to be remembered as soon as the lanes are at a place that no clock has led them to.
    overdue: bool,
    /// The lanes that have run since that was remembered.
    after: u32,
    looks: u32,
    /// Lanes that repeat themselves.
    stuck: u32,
    /// True if memory changed during the turn.
    pub(crate) wrote: bool,
    /// The lanes that ran.
    pub(crate) ran: u32,
    /// The state when some lanes had waited for each other: the lanes not known to repeat themselves, their places and
    /// registers.
    meeting: Cycle<(u32, Remembered)>,
    /// The lanes that have run since the one that is remembered.
    since: u32,
}

impl<'p> Watch<'p> {
    /// The watch of a turn that begins.
    pub(crate) fn of(program: &'p Program, attention: Attention) -> Watch<'p> {
        Watch {
            program,
            attention,
            own: Cycle::default(),
            overdue: false,
            after: 0,
            looks: 0,
            stuck: 0,
            wrote: false,
            ran: 0,
            meeting: Cycle::default(),
            since: 0,
        }
    }

    /// Returns true if the lanes have been at this block before with the same registers, as far as these decide where they go, and memory has not
    /// changed since.
    ///
    /// Where lanes that have arrived wait for the others, that says nothing of those who wait: the lanes that run may have let them go on in
    /// between, as those of a loop do that meets others in each iteration. There all lanes of the warp must be where they were, with the same
    /// registers.
    pub(crate) fn repeats<M: Machine>(
        &mut self,
        ctx: &mut Ctx<'_>,
        machine: &M,
        (pc, mask): (BlockId, u32),
        executed: Executed<'_>,
    ) -> bool {
        self.ran |= mask;
        self.since |= mask;
        self.forget_if_written(ctx);
        if self.looks >= SLICED_LOOKS * MAX_LOOKS * self.attention.patience {
            return false;
        }
        if let Some((seen, lanes, remembered)) = &self.own.seen
            && (*seen, *lanes) == (pc, mask)
            && {
                self.looks += self.own.window.price(self.program);
                remembered.is(|sink| self.look(sink, ctx, machine, mask))
            }
            && self.own.window.holds(self.program, executed)
        {
            self.own = Cycle::default();
            self.stuck |= mask | if machine.releases() { 0 } else { self.after };
            return true;
        }
        if self.own.is_due() {
            self.own.window.begin(self.program, self.attention.narrow, executed);
            (self.own.seen, self.overdue) = (None, true);
        }
        if self.overdue && !self.own.window.is_timed(machine, if machine.releases() { mask } else { machine.live() }) {
            self.overdue = false;
            self.looks += self.own.window.price(self.program);
            let state = Remembered::of(|sink| self.look(sink, ctx, machine, mask));
            (self.own.seen, self.after) = (Some((pc, mask, state)), 0);
        }
        self.after |= mask;
        false
    }

    /// Lanes came together to a vote, a shuffle or a barrier of the warp. Some of them that were seen without the others may be told something
    /// else the next time.
    pub(crate) fn together(&mut self, lanes: u32) {
        if self.own.seen.as_ref().is_some_and(|(_, seen, _)| seen & lanes != 0 && seen & lanes != lanes) {
            self.own.seen = None;
        }
    }

    fn forget_if_written(&mut self, ctx: &mut Ctx<'_>) {
        if std::mem::take(&mut ctx.wrote) {
            let (looks, ran) = (self.looks, self.ran);
            *self = Watch { wrote: true, looks, ran, ..Watch::of(self.program, self.attention) };
        }
    }

    /// Lanes have waited for each other at a vote, a shuffle or a barrier of the warp, and go on. Whether they repeat themselves.
    ///
    /// What a lane does next may depend on those that it met, so that its own state alone says nothing from one meeting to the next: all
    /// lanes that are not known to repeat themselves must be where they were, with the same registers. Nobody's way depends on who
    /// is chosen next as long as no memory changes, so that all of them will then come to the same meetings for ever.
    pub(crate) fn met<M: Machine>(
        &mut self,
        ctx: &mut Ctx<'_>,
        machine: &M,
        lanes: u32,
        executed: Executed<'_>,
    ) -> bool {
        self.forget_if_written(ctx);
        self.stuck &= !lanes;
        if self.own.seen.as_ref().is_some_and(|(_, seen, _)| seen & lanes != 0) {
            self.own = Cycle::default();
        }
        if self.looks >= SLICED_LOOKS * MAX_LOOKS * self.attention.patience {
            return false;
        }
        let moving = machine.live() & !self.stuck;
        let is_timed = self.meeting.window.is_timed(machine, moving);
        if !is_timed {
            self.looks += self.meeting.window.price(self.program);
        }
        if let Some((seen, remembered)) = &self.meeting.seen
            && !is_timed
            && *seen == moving
            && remembered.is(|sink| self.meeting_of(sink, ctx, machine, moving))
            && could_run(machine) & moving & !self.since == 0
            && self.meeting.window.holds(self.program, executed)
        {
            self.stuck |= moving;
            return true;
        }
        if self.meeting.is_due() {
            self.meeting.window.begin(self.program, self.attention.narrow, executed);
            // Where a clock has led some of the lanes to where they are, nothing is remembered.
            self.meeting.seen = if self.meeting.window.is_timed(machine, moving) {
                None
            } else {
                self.looks += self.meeting.window.price(self.program);
                Some((moving, Remembered::of(|sink| self.meeting_of(sink, ctx, machine, moving))))
            };
            self.since = 0;
        }
        false
    }

    /// Visits the state of lanes that have met.
    fn meeting_of<M: Machine, S: Sink>(
        &self,
        sink: &mut S,
        ctx: &Ctx<'_>,
        machine: &M,
        moving: u32,
    ) -> ControlFlow<()> {
        visit_groups(sink, machine, moving)?;
        let files = Files::of(ctx, self.program.storage.stack);
        files.visit(sink, machine, moving, self.meeting.window.slice.as_deref())
    }

    /// Returns true if every lane that could run is known to repeat itself. Lanes that have arrived where they reconverge count as
    /// lanes that could run if the machine lets them go on.
    pub(crate) fn covers(&self, groups: &[Group], fair: bool) -> bool {
        groups.iter().all(|group| match group.state {
            State::Ready => group.lanes & !self.stuck == 0,
            State::Arrived => !fair,
            State::Waiting => true,
        })
    }

    /// Visits what decides of the registers and the local memory of the lanes, or of all lanes and where they are.
    fn look<M: Machine, S: Sink>(&self, sink: &mut S, ctx: &Ctx<'_>, machine: &M, mask: u32) -> ControlFlow<()> {
        let lanes = if machine.releases() { mask } else { machine.live() };
        if !machine.releases() {
            visit_groups(sink, machine, lanes)?;
        }
        let files = Files::of(ctx, self.program.storage.stack);
        files.visit(sink, machine, lanes, self.own.window.slice.as_deref())
    }
}

/// The memory of a block that is watched as a whole, for loops with barriers in them: warps that wait for each other never come
/// by the same place within a turn. If all lanes, what decides of their registers and the barriers are as they were, no memory has changed, and
/// every lane that could run has run since, then so it will go on, whoever is chosen next.
#[derive(Debug)]
pub(crate) struct BlockWatch<'p> {
    program: &'p Program,
    attention: Attention,
    rounds: Cycle<(u64, Remembered)>,
    looks: u32,
}

impl<'p> BlockWatch<'p> {
    /// The watch of a slice that begins.
    pub(crate) fn of(program: &'p Program, attention: Attention) -> BlockWatch<'p> {
        BlockWatch { program, attention, rounds: Cycle::default(), looks: 0 }
    }

    /// Returns true if the block has been in this state since memory changed last, between two rounds of turns.
    pub(crate) fn repeats<M: Machine>(
        &mut self,
        warps: &mut Warps<M>,
        barriers: &Barriers,
        epoch: u64,
        executed: Executed<'_>,
    ) -> bool {
        if self.rounds.seen.as_ref().is_some_and(|(seen, _)| *seen != epoch) {
            *self = BlockWatch { looks: self.looks, ..BlockWatch::of(self.program, self.attention) };
        }
        if self.looks >= MAX_BLOCK_LOOKS * self.attention.patience {
            return false;
        }
        self.looks += 1;
        let everybody_ran = || warps.values().all(|warp| could_run(&warp.machine) & !warp.ran == 0);
        if let Some((_, remembered)) = &self.rounds.seen
            && !self.is_timed(warps)
            && remembered.is(|sink| self.state(sink, warps, barriers))
            && everybody_ran()
            && self.rounds.window.holds(self.program, executed)
        {
            return true;
        }
        if self.rounds.is_due() {
            self.rounds.window.begin(self.program, self.attention.narrow, executed);
            // Where a clock has led some lanes to where they are, nothing is remembered.
            let state = || Remembered::of(|sink| self.state(sink, warps, barriers));
            self.rounds.seen = (!self.is_timed(warps)).then(|| (epoch, state()));
            warps.values_mut().for_each(|warp| warp.ran = 0);
        }
        false
    }

    /// Returns true if a clock has led some lanes to where they are.
    fn is_timed<M: Machine>(&self, warps: &Warps<M>) -> bool {
        warps.values().any(|warp| self.rounds.window.is_timed(&warp.machine, warp.machine.live()))
    }

    /// Visits the state of the block.
    fn state<M: Machine, S: Sink>(&self, sink: &mut S, warps: &Warps<M>, barriers: &Barriers) -> ControlFlow<()> {
        visit_barriers(sink, barriers)?;
        let slice = self.rounds.window.slice.as_deref();
        warps.values().try_for_each(|warp| visit_warp(sink, warp, self.program.storage.stack, slice))
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
