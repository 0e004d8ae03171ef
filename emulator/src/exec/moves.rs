//! Moves between registers of different shapes, and special registers that change while a warp runs.

use std::marker::PhantomData;

use super::lanes::{Row32, Row64, lanes};
use super::op::{Ctx, Execute, NONE, Op};
use super::payload::{Form, Payload};
use super::rows::{Bits, fn2, write};
use super::scalar::{get, set};

fn2! {
    /// `mov.b64 d, {a, b}` of 32-bit halves.
    Pack64(u32, u32) -> u64 = |low, high| u64::from(high) << 32 | u64::from(low);
    /// `mov.b32 d, {a, b}` of 16-bit halves.
    Pack32(u16, u16) -> u32 = |low, high| u32::from(high) << 16 | u32::from(low);
}

/// `mov.b64 {d, e}, a` into 32-bit halves.
pub(crate) struct Unpack64;

impl Execute for Unpack64 {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let Row64(values) = ctx.r64[op.a as usize];
        if op.d != NONE {
            write(ctx, op.d, &values.map(|value| value as u32));
        }
        if op.e != NONE {
            write(ctx, op.e, &values.map(|value| (value >> 32) as u32));
        }
        true
    }
}

/// Any other `mov` of a vector into a scalar: the sources are `op.e` tagged list entries from `op.a` on, each of `op.imm` bits.
/// 128 bits take two rows.
pub(crate) struct PackList;

impl Execute for PackList {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        for lane in lanes(ctx.mask) {
            let mut value = 0u128;
            for index in 0..op.e {
                let part = get(ctx, ctx.tables.lists[(op.a + index) as usize], lane);
                let part = part & u64::MAX >> (64 - op.imm);
                value |= u128::from(part) << (u64::from(index) * op.imm);
            }
            set(ctx, op.d, lane, value as u64);
            if op.imm * u64::from(op.e) > 64 {
                set(ctx, op.d + 1, lane, (value >> 64) as u64);
            }
        }
        true
    }
}

/// Any other `mov` of a scalar into a vector: the results are `op.e` tagged list entries from `op.d` on.
pub(crate) struct UnpackList;

impl Execute for UnpackList {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        for lane in lanes(ctx.mask) {
            let wide = op.imm * u64::from(op.e) > 64;
            let above = if wide { get(ctx, op.a + 1, lane) } else { 0 };
            let value = u128::from(above) << 64 | u128::from(get(ctx, op.a, lane));
            for index in 0..op.e {
                let part = (value >> (u64::from(index) * op.imm)) as u64 & u64::MAX >> (64 - op.imm);
                set(ctx, ctx.tables.lists[(op.d + index) as usize], lane, part);
            }
        }
        true
    }
}

/// A move of a vector register: `op.e` pairs of list entries from `op.a` on, result and source, tagged.
pub(crate) struct MoveList;

impl Execute for MoveList {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        for index in 0..op.e {
            let at = (op.a + 2 * index) as usize;
            let (to, from) = (ctx.tables.lists[at], ctx.tables.lists[at + 1]);
            for lane in lanes(ctx.mask) {
                let value = get(ctx, from, lane);
                set(ctx, to, lane, value);
            }
        }
        true
    }
}

/// A 128-bit move, as two of 64: `d = a` and `e = b`; either result may be unwanted.
pub(crate) struct MovePair;

impl Execute for MovePair {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let (Row64(low), Row64(high)) = (ctx.r64[op.a as usize], ctx.r64[op.b as usize]);
        if op.d != NONE {
            write(ctx, op.d, &low);
        }
        if op.e != NONE {
            write(ctx, op.e, &high);
        }
        true
    }
}

/// `%clock`, `%clock64`, `%globaltimer`: the instructions that the warp has issued before this one, and the nanoseconds that it has slept,
/// shifted right by `op.imm`. `op.e` is the number of instructions from this one to the end of its block.
pub(crate) struct Clock<B>(PhantomData<B>);

impl<B: Bits> Execute for Clock<B> {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let now = B::narrow((ctx.clock - u64::from(op.e) + ctx.slept) >> op.imm);
        write(ctx, op.d, &[now; 32]);
        true
    }
}

/// `nanosleep`: the warp sleeps for as long as that lane asks for which asks for most.
pub(crate) struct Sleep;

/// The longest sleep in nanoseconds (PTX ISA, "nanosleep").
const LONGEST_SLEEP: u32 = 1_000_000;

impl Execute for Sleep {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let Row32(asked) = ctx.r32[op.a as usize];
        let longest = lanes(ctx.mask).map(|lane| asked[lane]).max().unwrap_or(0);
        ctx.slept += u64::from(longest.min(LONGEST_SLEEP));
        true
    }
}

/// `cvta` and `cvta.to`: adds `op.imm`, the beginning of the window, or its negative.
pub(crate) struct Rebase;

impl Execute for Rebase {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        for lane in lanes(ctx.mask) {
            let address = get(ctx, op.a, lane).wrapping_add(op.imm);
            set(ctx, op.d, lane, address);
        }
        true
    }
}

/// The memory that [`InSpace`] looks for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Memory {
    Global,
    /// Constant variables.
    Constant,
    /// The window that begins at an address.
    Window(u64),
}

impl Payload for Memory {
    fn pack(self) -> u64 {
        match self {
            Memory::Global => u64::MAX,
            Memory::Constant => u64::MAX - 1,
            Memory::Window(start) => start,
        }
    }

    fn unpack(bits: u64) -> Memory {
        const CONSTANT: u64 = u64::MAX - 1;
        match bits {
            u64::MAX => Memory::Global,
            CONSTANT => Memory::Constant,
            start => Memory::Window(start),
        }
    }
}

impl Form for InSpace {
    type Payload = Memory;
}

/// `isspacep`: whether `a` lies in some memory. Constant variables lie among those in global memory, so that they are told by their places: pairs of a 64-bit row and a length in the `op.e` entries
/// from list entry `op.b` on.
pub(crate) struct InSpace;

impl Execute for InSpace {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        use crate::memory::space::in_window;
        use crate::memory::space::{LOCAL_WINDOW, SHARED_WINDOW};
        let memory = Self::payload(op);
        let mut within = 0u32;
        for lane in lanes(ctx.mask) {
            let address = get(ctx, op.a, lane);
            let windowed = in_window(address, SHARED_WINDOW).or(in_window(address, LOCAL_WINDOW)).is_some();
            let mut pairs = (0..op.e).map(|entry| (op.b + 2 * entry) as usize);
            let mut constant = || {
                pairs.any(|at| {
                    let start = ctx.r64[ctx.tables.lists[at] as usize].0[lane];
                    address.wrapping_sub(start) < u64::from(ctx.tables.lists[at + 1])
                })
            };
            let here = match memory {
                Memory::Global => !windowed && !constant(),
                Memory::Constant => constant(),
                Memory::Window(start) => in_window(address, start).is_some(),
            };
            within |= u32::from(here) << lane;
        }
        super::rows::write_pred(ctx, op.d, within);
        true
    }
}
