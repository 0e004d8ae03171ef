//! The operations that lanes of a warp perform together (PTX ISA, `shfl`, `vote`, `match`, `redux`, `activemask`,
//! `elect`).
//!
//! The machine decides which lanes are together; here they are the lanes of `ctx.mask`.

use std::marker::PhantomData;

use super::compare::predicate;
use super::float::{Float, maximum, minimum};
use super::lanes::lanes;
use super::op::{Ctx, Execute, FULL, NONE, Op};
use super::payload::{Form, choices, payloads};
use super::rows::{Bits, write, write_pred};
use super::rule_violations::Broken;
use crate::api::rule::Rule;

choices! {
    /// The mode of `shfl`.
    ShuffleMode { Up, Down, Butterfly, Index }
    /// The mode of `vote`, but for `ballot`.
    VoteMode { All, Any, Uniform }
    /// The operator of `redux`.
    Reduction {
        Add,
        And,
        Or,
        Xor,
        MinUnsigned,
        MaxUnsigned,
        MinSigned,
        MaxSigned,
        /// The minimum of singles.
        MinFloat,
        /// The maximum of singles.
        MaxFloat,
    }
}

payloads! {
    /// `redux`
    ReduxForm {
        operator: Reduction,
        /// The magnitudes of singles are compared (`.abs`).
        magnitudes: bool,
        /// The result is NaN if one of two singles is NaN (`.NaN`).
        nan_wins: bool,
    }
}

/// `shfl`: `a` value, `b` lane operand, `c` clamp and segment mask.
pub(crate) struct Shuffle;

impl Form for Shuffle {
    type Payload = ShuffleMode;
}

impl Execute for Shuffle {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let (a, b, c) = (ctx.r32[op.a as usize].0, &ctx.r32[op.b as usize].0, &ctx.r32[op.c as usize].0);
        let mode = Self::payload(op);
        let mut values = [0u32; 32];
        let mut valid = 0u32;
        for lane in 0..32u32 {
            let (source, inside) = source(mode, lane, b[lane as usize], c[lane as usize]);
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
fn source(mode: ShuffleMode, lane: u32, b: u32, c: u32) -> (u32, bool) {
    let (by, clamp, segment) = (b & 31, c & 31, c >> 8 & 31);
    let highest = lane & segment | clamp & !segment;
    match mode {
        ShuffleMode::Up => (lane.wrapping_sub(by), lane.cast_signed() - by.cast_signed() >= highest.cast_signed()),
        ShuffleMode::Down => (lane + by, lane + by <= highest),
        ShuffleMode::Butterfly => (lane ^ by, lane ^ by <= highest),
        ShuffleMode::Index => {
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
        let source = source(Shuffle::payload(op), lane as u32, b[lane], c[lane]).0 & 31;
        if ctx.mask >> source & 1 == 0 {
            readers |= 1 << lane;
            from |= 1 << source;
        }
    }
    if let Some(seen) = ctx.seen.as_mut().filter(|_| readers != 0) {
        seen.note(Broken { rule: Rule::Source { from }, inst: op.id, lanes: readers });
    }
}

/// `vote.all`, `vote.any`, `vote.uni`: `a` is the predicate operand.
pub(crate) struct Vote;

impl Form for Vote {
    type Payload = VoteMode;
}

impl Execute for Vote {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let ballot = predicate(ctx, op.a) & ctx.mask;
        let holds = match Self::payload(op) {
            VoteMode::All => ballot == ctx.mask,
            VoteMode::Any => ballot != 0,
            VoteMode::Uniform => ballot == 0 || ballot == ctx.mask,
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

/// `match.all` if the payload is true, else `match.any`: the lanes that hold the same value.
pub(crate) struct Match<B>(PhantomData<B>);

impl<B: Bits> Form for Match<B> {
    type Payload = bool;
}

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
        if Self::payload(op) {
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

/// `redux.sync`
pub(crate) struct Redux;

impl Form for Redux {
    type Payload = ReduxForm;
}

impl Execute for Redux {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let ReduxForm { operator, magnitudes, nan_wins } = Self::payload(op);
        let mut a = ctx.r32[op.a as usize].0;
        if magnitudes {
            a = a.map(|bits| bits & 0x7fff_ffff);
        }
        let float = |of: fn(f32, f32) -> f32, a: u32, b: u32| {
            let (a, b) = (f32::from_bits(a), f32::from_bits(b));
            if nan_wins && (a.is_nan() || b.is_nan()) { f32::NAN } else { of(a, b) }.to_bits()
        };
        let mut result: Option<u32> = None;
        for lane in lanes(ctx.mask) {
            let value = a[lane];
            result = Some(match result {
                None => value,
                Some(so_far) => match operator {
                    Reduction::Add => so_far.wrapping_add(value),
                    Reduction::And => so_far & value,
                    Reduction::Or => so_far | value,
                    Reduction::Xor => so_far ^ value,
                    Reduction::MinUnsigned => so_far.min(value),
                    Reduction::MaxUnsigned => so_far.max(value),
                    Reduction::MinSigned => so_far.cast_signed().min(value.cast_signed()).cast_unsigned(),
                    Reduction::MaxSigned => so_far.cast_signed().max(value.cast_signed()).cast_unsigned(),
                    Reduction::MinFloat => float(minimum, so_far, value),
                    Reduction::MaxFloat => float(maximum, so_far, value),
                },
            });
        }
        if matches!(operator, Reduction::MinFloat | Reduction::MaxFloat) {
            result = result.map(|bits| f32::from_bits(bits).canonical().to_bits());
        }
        write(ctx, op.d, &[result.unwrap_or(0); 32]);
        true
    }
}
