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

use crate::exec::Ctx;
use crate::exec::rows::lanes;
use crate::machines::{Group, State};

/// How many states are looked at in one turn. Looking at one costs as much as some hundred instructions.
const MAX_LOOKS: u32 = 512;

/// The memory of one watched turn.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// A place and the registers of the lanes there.
    seen: Option<(u32, u32, [u64; 2])>,
    /// Blocks until the remembered state is replaced.
    left: u32,
    period: u32,
    looks: u32,
    /// Lanes that repeat themselves.
    stuck: u32,
    /// Whether memory changed during the turn.
    pub(crate) wrote: bool,
}

impl Watch {
    /// Whether the lanes have been at this block before with the same registers, and memory has not changed since.
    pub(crate) fn repeats(&mut self, ctx: &mut Ctx<'_>, pc: u32, mask: u32) -> bool {
        if std::mem::take(&mut ctx.wrote) {
            *self = Watch { wrote: true, looks: self.looks, ..Watch::default() };
        }
        if self.looks >= MAX_LOOKS {
            return false;
        }
        let here = self.seen.is_some_and(|(seen, lanes, _)| seen == pc && lanes == mask);
        let state = if here { Some((pc, mask, self.look(ctx, mask))) } else { None };
        if here && self.seen == state {
            self.seen = None;
            self.stuck |= mask;
            (self.left, self.period) = (0, 0);
            return true;
        }
        if self.left == 0 {
            self.seen = Some((pc, mask, self.look(ctx, mask)));
            self.period = self.period.saturating_mul(2).max(1);
            self.left = self.period;
        }
        self.left -= 1;
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

    /// The registers and the local memory of the lanes, as a hash of 128 bits.
    fn look(&mut self, ctx: &Ctx<'_>, mask: u32) -> [u64; 2] {
        self.looks += 1;
        let mut hash = [0x243f_6a88_85a3_08d3u64, 0x1319_8a2e_0370_7344];
        let mut add = |value: u64| {
            hash[0] = (hash[0].rotate_left(5) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            hash[1] = (hash[1].rotate_left(23) ^ value).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
        };
        for row in ctx.r32.iter() {
            for lane in lanes(mask) {
                add(u64::from(row.0[lane]));
            }
        }
        for row in ctx.r64.iter() {
            for lane in lanes(mask) {
                add(row.0[lane]);
            }
        }
        for pred in ctx.preds.iter() {
            add(u64::from(pred & mask));
        }
        let per_lane = ctx.local_bytes.div_ceil(8) as usize;
        for lane in lanes(mask) {
            ctx.local[lane * per_lane..(lane + 1) * per_lane].iter().for_each(|word| add(*word));
        }
        hash
    }
}
