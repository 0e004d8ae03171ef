//! What lanes of a warp do together (PTX ISA, `shfl`, `vote`, `match`, `redux`, `activemask`, `elect`).
//!
//! The machine decides which lanes are together; here they are the lanes of `ctx.mask`.

use std::marker::PhantomData;

use super::compare::predicate;
use super::float::{Float, maximum, minimum};
use super::rows::{Bits, lanes, write, write_pred};
use super::{Ctx, Execute, FULL, NONE, Op};
use crate::api::rule::{Broken, Rule};

/// `shfl`: `op.imm` is the mode: 0 up, 1 down, 2 bfly, 3 idx. `a` value, `b` lane operand, `c` clamp and segment mask.
pub(crate) struct Shuffle;

impl Execute for Shuffle {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let (a, b, c) = (ctx.r32[op.a as usize].0, &ctx.r32[op.b as usize].0, &ctx.r32[op.c as usize].0);
        let mut values = [0u32; 32];
        let mut valid = 0u32;
        for lane in 0..32u32 {
            let (source, inside) = source(op.imm, lane, b[lane as usize], c[lane as usize]);
            let source = if inside { source } else { lane };
            values[lane as usize] = a[(source & 31) as usize];
            valid |= u32::from(inside) << lane;
        }
        if ctx.mask != FULL && ctx.seen.is_some() {
            note_sources(ctx, op, valid);
        }
        if op.d != NONE {
            write(ctx, op.d, &values);
        }
        if op.e != NONE {
            write_pred(ctx, op.e, valid);
        }
        true
    }
}

/// The lane that a lane reads from in a mode of `shfl`, given its operands `b` and `c`, and whether that is in range.
#[inline(always)]
fn source(mode: u64, lane: u32, b: u32, c: u32) -> (u32, bool) {
    let (by, clamp, segment) = (b & 31, c & 31, c >> 8 & 31);
    let highest = lane & segment | clamp & !segment;
    match mode {
        0 => (lane.wrapping_sub(by), lane.cast_signed() - by.cast_signed() >= highest.cast_signed()),
        1 => (lane + by, lane + by <= highest),
        2 => (lane ^ by, lane ^ by <= highest),
        _ => {
            let source = lane & segment | by & !segment;
            (source, source <= highest)
        }
    }
}

/// Notes lanes that read from others which do not take part. `valid` are those whose source is in range.
#[cold]
fn note_sources(ctx: &mut Ctx<'_>, op: &Op, valid: u32) {
    let (b, c) = (&ctx.r32[op.b as usize].0, &ctx.r32[op.c as usize].0);
    let (mut readers, mut from) = (0, 0);
    for lane in lanes(ctx.mask & valid) {
        let source = source(op.imm, lane as u32, b[lane], c[lane]).0 & 31;
        if ctx.mask >> source & 1 == 0 {
            readers |= 1 << lane;
            from |= 1 << source;
        }
    }
    if let Some(seen) = ctx.seen.as_mut().filter(|_| readers != 0) {
        seen.note(Broken { rule: Rule::Source { from }, inst: op.id, lanes: readers });
    }
}

/// `vote.all`, `vote.any`, `vote.uni`: `op.imm` 0, 1, 2; `a` is the predicate operand.
pub(crate) struct Vote;

impl Execute for Vote {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let ballot = predicate(ctx, op.a) & ctx.mask;
        let holds = match op.imm {
            0 => ballot == ctx.mask,
            1 => ballot != 0,
            _ => ballot == 0 || ballot == ctx.mask,
        };
        write_pred(ctx, op.d, if holds { u32::MAX } else { 0 });
        true
    }
}

/// `vote.ballot`.
pub(crate) struct Ballot;

impl Execute for Ballot {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let ballot = predicate(ctx, op.a) & ctx.mask;
        write(ctx, op.d, &[ballot; 32]);
        true
    }
}

/// `activemask`.
pub(crate) struct ActiveMask;

impl Execute for ActiveMask {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let mask = ctx.mask;
        write(ctx, op.d, &[mask; 32]);
        true
    }
}

/// `elect.sync`: the lowest lane leads.
pub(crate) struct Elect;

impl Execute for Elect {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let leader = ctx.mask.trailing_zeros() & 31;
        if op.d != NONE {
            write(ctx, op.d, &[leader; 32]);
        }
        if op.e != NONE {
            write_pred(ctx, op.e, 1 << leader);
        }
        true
    }
}

/// `match.any` (`op.imm` 0) and `match.all` (1): the lanes that hold the same value.
pub(crate) struct Match<B>(PhantomData<B>);

impl<B: Bits> Execute for Match<B> {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let a = *B::row(ctx, op.a);
        let active = ctx.mask;
        let mut values = [0u32; 32];
        for lane in lanes(active) {
            let mut same = 0u32;
            for other in lanes(active) {
                same |= u32::from(a[other] == a[lane]) << other;
            }
            values[lane] = same;
        }
        if op.imm == 1 {
            let all = values[(active.trailing_zeros() & 31) as usize] == active;
            values = [if all { active } else { 0 }; 32];
            if op.e != NONE {
                write_pred(ctx, op.e, if all { u32::MAX } else { 0 });
            }
        }
        if op.d != NONE {
            write(ctx, op.d, &values);
        }
        true
    }
}

/// `redux.sync`: `op.imm` 0 add, 1 and, 2 or, 3 xor, 4 min.u32, 5 max.u32, 6 min.s32, 7 max.s32; of
/// singles 8 min, 9 max, plus 16 for `.abs` and 32 for `.NaN`.
pub(crate) struct Redux;

impl Execute for Redux {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let mut a = ctx.r32[op.a as usize].0;
        if op.imm & 16 != 0 {
            a = a.map(|bits| bits & 0x7fff_ffff);
        }
        let mut result: Option<u32> = None;
        for lane in lanes(ctx.mask) {
            let value = a[lane];
            result = Some(match result {
                None => value,
                Some(so_far) => match op.imm {
                    0 => so_far.wrapping_add(value),
                    1 => so_far & value,
                    2 => so_far | value,
                    3 => so_far ^ value,
                    4 => so_far.min(value),
                    5 => so_far.max(value),
                    6 => so_far.cast_signed().min(value.cast_signed()).cast_unsigned(),
                    7 => so_far.cast_signed().max(value.cast_signed()).cast_unsigned(),
                    _ => extreme(op.imm, f32::from_bits(so_far), f32::from_bits(value)).to_bits(),
                },
            });
        }
        if op.imm & 8 != 0 {
            result = result.map(|bits| f32::from_bits(bits).canonical().to_bits());
        }
        write(ctx, op.d, &[result.unwrap_or(0); 32]);
        true
    }
}

/// The smaller or larger one of two singles; a NaN only where both are, or where `.NaN` asks for it.
fn extreme(code: u64, a: f32, b: f32) -> f32 {
    match () {
        () if code & 32 != 0 && (a.is_nan() || b.is_nan()) => f32::NAN,
        () if code & 1 != 0 => maximum(a, b),
        () => minimum(a, b),
    }
}
