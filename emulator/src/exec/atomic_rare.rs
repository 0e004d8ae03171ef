//! The atomics that the loops of `atomic.rs` do not cover: halves, alone and packed, vectors of them and of singles (PTX ISA, `atom`,
//! `red`, `.noftz`, `.v2` to `.v8`), and `cas` and `exch` of 16 and 128 bits.
//!
//! Of a vector each element is one atomic. 128 bits are two words: with several host threads a lock keeps these atomics apart from each
//! other, while plain accesses of two words may see one word changed and the other not.

use std::marker::PhantomData;
use std::sync::Mutex;

use ptx_parser::Type;

use super::access::{Space, lane_access};
use super::address_pattern::addresses;
use super::atomic::{add_global, count_atomic};
use super::float::{maximum, minimum};
use super::formats::Format;
use super::lanes::lanes;
use super::op::{Ctx, Execute, NONE, Op};
use super::rounding::Mode;
use super::scalar::{get, set};
use crate::memory::raw_access::Word;
use crate::program::tables::{Rare, RareForm};

impl RareForm {
    /// Bytes of one element.
    fn bytes(self) -> u32 {
        self.ty.bytes()
    }

    /// The value that replaces `old`.
    fn update(self, old: u32, b: u32, c: u32) -> u32 {
        match self.action {
            Rare::Exchange => b,
            Rare::Compare if old == b => c,
            Rare::Compare => old,
            _ => match self.ty {
                // Vectors exist in global memory only.
                Type::F32 => add_global(f32::from_bits(old), f32::from_bits(b)).to_bits(),
                Type::F16x2 | Type::Bf16x2 => {
                    self.halves(old >> 16, b >> 16) << 16 | self.halves(old & 0xffff, b & 0xffff)
                }
                _ => self.halves(old & 0xffff, b & 0xffff),
            },
        }
    }

    fn halves(self, old: u32, b: u32) -> u32 {
        let Some(format) = Format::of(self.ty) else { return old };
        let (x, y) = (format.decode(old), format.decode(b));
        let result = match self.action {
            Rare::Min => minimum(x, y),
            Rare::Max => maximum(x, y),
            // Sums of two such values that a double does not hold exactly are no ties of the narrow format.
            _ => x + y,
        };
        format.encode(result, Mode::Nearest, false)
    }
}

/// A rare atomic: `a` the tagged address row; from `d` on, list entries: results, operands, and for `cas` what replaces, tagged. `e` is the
/// number of its form.
pub(crate) struct AtomicRare<S>(PhantomData<S>);

impl<S: Space> Execute for AtomicRare<S> {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let form = ctx.tables.rare[op.e as usize];
        let bytes = u64::from(form.bytes() * form.count);
        let addresses = addresses(ctx, op);
        count_atomic::<S>(ctx, op, &addresses, bytes);
        for lane in lanes(ctx.mask) {
            let Some(host) = lane_access::<S>(ctx, op, addresses[lane], bytes, lane) else { return false };
            if form.ty == Type::B128 {
                wide::<S>(ctx, op, form, host, lane);
            } else {
                elements::<S>(ctx, op, form, host, lane);
            }
        }
        true
    }
}

fn elements<S: Space>(ctx: &mut Ctx<'_>, op: &Op, form: RareForm, host: *mut u8, lane: usize) {
    let solo = ctx.solo || !S::GLOBAL;
    let entry = |ctx: &Ctx<'_>, group: u32, index: u32| ctx.tables.lists[(op.d + group * form.count + index) as usize];
    for index in 0..form.count {
        let b = get(ctx, entry(ctx, 1, index), lane) as u32;
        let c = if form.action == Rare::Compare { get(ctx, entry(ctx, 2, index), lane) as u32 } else { 0 };
        let at = host.wrapping_add((index * form.bytes()) as usize);
        // SAFETY: `lane_access` promised all elements, aligned.
        let (old, new) = unsafe {
            if form.bytes() == 2 {
                let mut new = 0;
                let old = u16::modify(at, solo, |old| {
                    new = form.update(old.into(), b & 0xffff, c & 0xffff) as u16;
                    new
                });
                (u32::from(old), u32::from(new))
            } else {
                let mut new = 0;
                let old = u32::modify(at, solo, |old| {
                    new = form.update(old, b, c);
                    new
                });
                (old, new)
            }
        };
        ctx.wrote |= old != new;
        let result = entry(ctx, 0, index);
        set(ctx, result, lane, old.into());
    }
}

fn wide<S: Space>(ctx: &mut Ctx<'_>, op: &Op, form: RareForm, host: *mut u8, lane: usize) {
    static LOCK: Mutex<()> = Mutex::new(());
    let solo = ctx.solo || !S::GLOBAL;
    let entry = |ctx: &Ctx<'_>, group: u32| ctx.tables.lists[(op.d + group) as usize];
    let pair = |ctx: &Ctx<'_>, row: u32| [get(ctx, row, lane), get(ctx, row + 1, lane)];
    let b = pair(ctx, entry(ctx, 1));
    let new = if form.action == Rare::Compare { pair(ctx, entry(ctx, 2)) } else { b };
    let _held = LOCK.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let words = [host, host.wrapping_add(8)];
    // SAFETY: `lane_access` promised sixteen aligned bytes.
    let old = words.map(|at| unsafe { u64::peek(at, solo) });
    if form.action == Rare::Exchange || old == b {
        for (at, value) in words.into_iter().zip(new) {
            // SAFETY: as above.
            unsafe { u64::poke(at, value, solo) };
        }
        ctx.wrote |= old != new;
    }
    let result = entry(ctx, 0);
    if result != NONE {
        set(ctx, result, lane, old[0]);
        set(ctx, result + 1, lane, old[1]);
    }
}
