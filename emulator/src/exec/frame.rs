//! Frames of called functions, in the local memory of each lane.
//!
//! A call that is not expanded at its place makes a frame on the lane's stack: at its beginning the number of the place to return to (4
//! bytes) and, at byte 8, where the caller's frame begins; from byte 16 on results and parameters, each at a multiple of 16; then local
//! variables; then the caller's registers that the function may overwrite. Two 64-bit rows hold where the stack ends (`sp`) and where
//! the current frame begins (`fp`). The stack lies at the beginning of local memory, [`STACK_BYTES`] long.

use super::lanes::lanes;
use super::op::{Ctx, Execute, NONE, Op};
use super::payload::{Form, Payload};
use super::scalar::{get, set};
use crate::api::outcome::FaultKind;
use crate::memory::space::CODE_WINDOW;

/// Bytes of stack that a lane has. What a call takes of it depends on the registers of the function, about as on hardware.
pub(crate) const STACK_BYTES: u32 = 64 << 10;
/// The offset at which results and parameters begin in a frame.
pub(crate) const FRAME_HEAD: u32 = 16;
/// The bytes that a register takes in a frame, in the low bits of an entry's length.
pub(crate) const REGISTER: u32 = 1 << 31;

/// The bytes of a lane's local memory.
fn local<'c>(ctx: &'c mut Ctx<'_>, lane: usize, at: u64, bytes: usize) -> Option<&'c mut [u8]> {
    let end = at.checked_add(bytes as u64).filter(|end| *end <= u64::from(ctx.local_bytes))?;
    let stride = ctx.local_bytes.next_multiple_of(8) as usize;
    // SAFETY: the words are initialised, any bytes are valid words and bytes, and the length is theirs.
    let all = unsafe { std::slice::from_raw_parts_mut(ctx.local.as_mut_ptr().cast::<u8>(), 8 * ctx.local.len()) };
    all.get_mut(lane * stride + at as usize..lane * stride + end as usize)
}

pub(crate) fn read(ctx: &mut Ctx<'_>, lane: usize, at: u64, bytes: usize) -> u64 {
    let mut word = [0; 8];
    if let Some(from) = local(ctx, lane, at, bytes.min(8)) {
        word[..from.len()].copy_from_slice(from);
    }
    u64::from_le_bytes(word)
}

pub(crate) fn write(ctx: &mut Ctx<'_>, lane: usize, at: u64, bytes: usize, value: u64) {
    if let Some(to) = local(ctx, lane, at, bytes.min(8)) {
        let length = to.len();
        to.copy_from_slice(&value.to_le_bytes()[..length]);
    }
}

/// Copies between a frame and variables or registers: `count` list entries of four from `list` on: a tagged row, an offset, an
/// offset in the frame, and a length. With [`REGISTER`] the row is what is copied, else it holds where the variable's memory
/// begins ([`NONE`] for the beginning of local memory), and the offset is added.
fn transfer(ctx: &mut Ctx<'_>, lane: usize, list: u32, count: u32, frame: u64, to_frame: bool) {
    for entry in 0..count {
        let at = (list + 4 * entry) as usize;
        let &[row, offset, inside, length] = &ctx.tables.lists[at..at + 4] else { return };
        let inside = frame + u64::from(inside);
        let bytes = (length & !REGISTER) as usize;
        if length & REGISTER != 0 {
            if to_frame {
                let value = get(ctx, row, lane);
                write(ctx, lane, inside, bytes, value);
            } else {
                let value = read(ctx, lane, inside, bytes);
                set(ctx, row, lane, value);
            }
            continue;
        }
        let outside = get(ctx, row, lane) + u64::from(offset);
        let (from, to) = if to_frame { (outside, inside) } else { (inside, outside) };
        for start in (0..bytes).step_by(8) {
            let length = (bytes - start).min(8);
            let value = read(ctx, lane, from + start as u64, length);
            write(ctx, lane, to + start as u64, length, value);
        }
    }
}

/// A call: makes the head of a frame and copies the arguments into it. `a` entries from list entry `d` on (see [`transfer`]), `b` the
/// row of `sp`, `c` of `fp`, `e` the number of the place to return to, `imm` how long head, results and parameters are.
pub(crate) struct Invoke;

impl Execute for Invoke {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        for lane in lanes(ctx.mask) {
            let (sp, fp) = (ctx.r64[op.b as usize].0[lane], ctx.r64[op.c as usize].0[lane]);
            if sp + op.imm > u64::from(STACK_BYTES) {
                return ctx.stop(op, FaultKind::StackOverflow, sp, op.imm as u32, lane);
            }
            write(ctx, lane, sp, 4, op.e.into());
            write(ctx, lane, sp + 8, 8, fp);
            transfer(ctx, lane, op.d, op.a, sp, true);
            ctx.r64[op.c as usize].0[lane] = sp;
        }
        true
    }
}

/// The sizes of a function's frame in bytes.
#[derive(Clone, Copy)]
pub(crate) struct FrameSizes {
    /// Its head, results and parameters.
    pub(crate) parameters: u32,
    /// All of it.
    pub(crate) whole: u32,
}

impl Payload for FrameSizes {
    fn pack(self) -> u64 {
        u64::from(self.parameters) << 32 | u64::from(self.whole)
    }

    fn unpack(bits: u64) -> FrameSizes {
        FrameSizes { parameters: (bits >> 32) as u32, whole: bits as u32 }
    }
}

impl Form for Enter {
    type Payload = FrameSizes;
}

/// The beginning of a function: takes its frame, clears its variables, and saves the `a` rows of the list from `d` on behind
/// byte `e` of it. `b` is `sp`, `c` is `fp`.
pub(crate) struct Enter;

impl Execute for Enter {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let sizes = Self::payload(op);
        let (parameters, bytes) = (u64::from(sizes.parameters), u64::from(sizes.whole));
        for lane in lanes(ctx.mask) {
            let fp = ctx.r64[op.c as usize].0[lane];
            if fp + bytes > u64::from(STACK_BYTES) {
                return ctx.stop(op, FaultKind::StackOverflow, fp, bytes as u32, lane);
            }
            ctx.r64[op.b as usize].0[lane] = fp + bytes;
            if let Some(variables) =
                local(ctx, lane, fp + parameters, u64::from(op.e).saturating_sub(parameters) as usize)
            {
                variables.fill(0);
            }
            for index in 0..op.a {
                let value = get(ctx, ctx.tables.lists[(op.d + index) as usize], lane);
                write(ctx, lane, fp + u64::from(op.e + 8 * index), 8, value);
            }
        }
        true
    }
}

/// The end of a function: brings the saved rows back, gives the frame back, and puts the number of the place to return to in the 32-bit
/// row after the list of rows: entry `d + a`. Otherwise as [`Enter`].
pub(crate) struct Leave;

impl Execute for Leave {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        for lane in lanes(ctx.mask) {
            let fp = ctx.r64[op.c as usize].0[lane];
            for index in 0..op.a {
                let value = read(ctx, lane, fp + u64::from(op.e + 8 * index), 8);
                set(ctx, ctx.tables.lists[(op.d + index) as usize], lane, value);
            }
            let place = read(ctx, lane, fp, 4);
            set(ctx, ctx.tables.lists[(op.d + op.a) as usize], lane, place);
            ctx.r64[op.b as usize].0[lane] = fp;
            let caller = read(ctx, lane, fp + 8, 8);
            ctx.r64[op.c as usize].0[lane] = caller;
        }
        true
    }
}

/// Copies between registers or variables and the frame that begins at row `b`: `a` entries from `d` on; into it if the payload is true.
pub(crate) struct FrameCopy;

impl Form for FrameCopy {
    type Payload = bool;
}

impl Execute for FrameCopy {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        for lane in lanes(ctx.mask) {
            let frame = ctx.r64[op.b as usize].0[lane];
            transfer(ctx, lane, op.d, op.a, frame, Self::payload(op));
        }
        true
    }
}

/// The address of a function (`a`, tagged) as an index into a table of targets: `e` numbers of functions from list entry `imm` on.
pub(crate) struct Dispatch;

impl Execute for Dispatch {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        for lane in lanes(ctx.mask) {
            let address = get(ctx, op.a, lane);
            let offset = address.wrapping_sub(CODE_WINDOW);
            let targets = &ctx.tables.lists[op.imm as usize..(op.imm as usize + op.e as usize)];
            let found = targets.iter().position(|&number| 16 * u64::from(number) == offset);
            let Some(index) = found else {
                return ctx.stop(op, FaultKind::NoFunction, address, 0, lane);
            };
            ctx.r32[op.d as usize].0[lane] = index as u32;
        }
        true
    }
}

/// `alloca`: `d` gets the stack's end, rounded up to the alignment `imm`, and the stack grows by `a` bytes. `b` is `sp`.
pub(crate) struct Alloca;

impl Execute for Alloca {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        for lane in lanes(ctx.mask) {
            let start = ctx.r64[op.b as usize].0[lane].next_multiple_of(op.imm.max(1));
            let bytes = get(ctx, op.a, lane);
            let end = start.saturating_add(bytes).saturating_add(15) & !15;
            if end > u64::from(STACK_BYTES) {
                return ctx.stop(op, FaultKind::StackOverflow, start, bytes.min(u64::from(u32::MAX)) as u32, lane);
            }
            set(ctx, op.d, lane, start);
            ctx.r64[op.b as usize].0[lane] = end;
        }
        true
    }
}

/// `stackrestore`: the stack ends at `a` again. `b` is `sp`.
pub(crate) struct StackRestore;

impl Execute for StackRestore {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        for lane in lanes(ctx.mask) {
            let end = if op.a == NONE { 0 } else { get(ctx, op.a, lane) };
            if end > u64::from(STACK_BYTES) {
                return ctx.stop(op, FaultKind::StackOverflow, end, 0, lane);
            }
            ctx.r64[op.b as usize].0[lane] = end;
        }
        true
    }
}
