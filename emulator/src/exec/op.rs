//! An op and the state that it runs on.
//!
//! [`Ctx`] knows of the program only its [`Tables`], and of the launch only the memory and the system: not the
//! program, whose ops it runs.

use super::address_cache::AddressFacts;
use super::lanes::{Row32, Row64};
use super::rule_violations::Seen;
use super::system::System;
use crate::api::outcome::FaultKind;
use crate::memory::regions::{Region, Regions};
use crate::program::listing::InstId;
use crate::program::tables::Tables;
use crate::stats::traffic::Traffic;

/// All 32 lanes.
pub(crate) const FULL: u32 = u32::MAX;

/// No operand, no guard, no list.
pub(crate) const NONE: u32 = u32::MAX;

/// A decoded instruction: the function that runs it and the rows it names.
///
/// `a`, `b`, `c`, `d`, `e` are row numbers in the register file that the handler implies, or whatever else the handler
/// documents; `d` is the result.
#[derive(Clone, Copy)]
pub(crate) struct Op {
    pub(crate) run: Handler,
    pub(crate) d: u32,
    pub(crate) a: u32,
    pub(crate) b: u32,
    pub(crate) c: u32,
    pub(crate) e: u32,
    /// The predicate row of the guard, times two, plus one where it is negated; [`NONE`] without a guard.
    pub(crate) guard: u32,
    /// The instruction in the program.
    pub(crate) id: InstId,
    /// The offset of an address, a number of an entry in a table, or a [`Payload`](super::payload::Payload).
    pub(crate) imm: u64,
}

/// Runs one instruction for the lanes of `ctx.mask`; false means that `ctx.fault` was set.
///
/// The pointer is unsafe to call because it may need processor features; [`pick`] only returns one that the host runs.
pub(crate) type Handler = unsafe fn(&mut Ctx<'_>, &Op) -> bool;

/// An instruction form.
pub(crate) trait Execute {
    /// See [`Handler`].
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool;
}

/// An access that cannot be made, before block, thread and line are added.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawFault {
    pub(crate) kind: FaultKind,
    pub(crate) address: u64,
    pub(crate) bytes: u32,
    pub(crate) lane: u32,
    pub(crate) id: InstId,
}

/// The state that instructions of one warp act on.
pub(crate) struct Ctx<'a> {
    pub(crate) r32: &'a mut [Row32],
    pub(crate) r64: &'a mut [Row64],
    /// Predicates: one bit per lane.
    pub(crate) preds: &'a mut [u32],
    /// The lanes that execute the current instruction.
    pub(crate) mask: u32,
    /// The shared memory of the CTA.
    pub(crate) shared: &'a mut [u64],
    /// Its declared size in bytes; the slice is rounded up.
    pub(crate) shared_bytes: u32,
    /// The local memory of the warp, lane after lane.
    pub(crate) local: &'a mut [u64],
    /// Bytes of local memory per lane.
    pub(crate) local_bytes: u32,
    /// The operand lists and forms that ops name by number.
    pub(crate) tables: &'a Tables,
    pub(crate) regions: &'a Regions,
    /// The region that each memory instruction hit last.
    pub(crate) caches: &'a mut [Region],
    /// The facts that accesses of the running block of code have found about their address rows, by slot.
    pub(crate) known: &'a mut [AddressFacts],
    pub(crate) traffic: &'a mut [Traffic],
    pub(crate) fault: Option<RawFault>,
    /// No other host thread runs this launch: plain accesses to global memory do.
    pub(crate) solo: bool,
    /// Stores tell whether they change anything; see `verdict/progress.rs`.
    pub(crate) watch: bool,
    /// A store happened (under `watch`: one that changed a bit), or an atomic that changed a bit.
    pub(crate) wrote: bool,
    /// Output, heap, assertions.
    pub(crate) system: &'a System<'a>,
    /// Rules that were broken, if the launch asks for them.
    pub(crate) seen: Option<&'a mut Seen>,
    /// Warp instructions that this warp has issued, the current block included.
    pub(crate) clock: u64,
    /// Nanoseconds that this warp has slept.
    pub(crate) slept: u64,
}

impl Ctx<'_> {
    /// Records what a lane cannot do; returns false, which stops the launch.
    #[cold]
    pub(crate) fn stop(&mut self, op: &Op, kind: FaultKind, address: u64, bytes: u32, lane: usize) -> bool {
        self.fault = Some(RawFault { kind, address, bytes, lane: lane as u32, id: op.id });
        false
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c")]
fn wide<E: Execute>(ctx: &mut Ctx<'_>, op: &Op) -> bool {
    E::execute(ctx, op)
}

fn plain<E: Execute>(ctx: &mut Ctx<'_>, op: &Op) -> bool {
    E::execute(ctx, op)
}

#[cfg(target_arch = "x86_64")]
fn host_is_wide() -> bool {
    // The macro caches the answer, so asking per instruction is cheap.
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("f16c")
}

/// The function that runs the form `E` on this host.
pub(crate) fn pick<E: Execute>() -> Handler {
    #[cfg(target_arch = "x86_64")]
    if host_is_wide() {
        return wide::<E>;
    }
    plain::<E>
}

/// An instruction without an effect that the emulator can see (a prefetch, a fence on one host thread).
pub(crate) struct Nothing;

impl Execute for Nothing {
    #[inline(always)]
    fn execute(_: &mut Ctx<'_>, _: &Op) -> bool {
        true
    }
}
