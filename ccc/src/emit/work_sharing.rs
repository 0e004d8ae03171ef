//! The code that lets idle lanes share what is left of a task: what stands between two steps where [`crate::split`] says that it may.
//!
//! ```text
//! meet:   takers = ballot(want);  takers = mask -> step
//!         takers = tried          -> on                       nobody had much left when it was as now
//!         something stacked, or more to come -> decide        as elsewhere
//!         tried = takers;  nobody has a task -> decide        with tried = mask, which no vote comes here with
//!         giver = a lane that has many steps left;  none      -> on
//!         the giver stores its context in the warp's first slot, the idle lanes load it
//!         part j of q steps each: inductions += step * j * q; what lies behind the range is nobody's
//!         a part that is not the last gets an end of its own
//!         those with a task -> region; the others -> meet
//! on:     those with a task -> step;   the others -> meet
//! ```
//!
//! # Why nothing else is needed
//!
//! The votes find all lanes of the mask, and `takers`, `tried`, the top and `more` are the same in all of them, so that they come here
//! together. The slot is free, because nothing is stacked; `bar.warp.sync` stands before and behind its loads. The stage is left by
//! `decide` alone, from here with nobody at work, so that a `tried` other than the mask says that nothing is stacked and nothing will be.
//! Sharing costs some 40 instructions, so that the giver must have steps for as many idle lanes.

use ptx_parser::{Code, Guard, Ins, Kernel, Label, Number, Operand, Reg, Relation, SpecialName, Type};

use crate::context::value::Source;
use crate::emit::loop_registers::Names;
use crate::emit::stack_slots::{Slot, address, by_width, load, store};
use crate::emit::stage::{Stage, Steps, charge};
use crate::plan::path::Path;
use crate::split::induction::Bound;
use crate::split::{End, Split};

/// Steps beyond this are not counted: the last part takes them.
const MOST_STEPS: u32 = (1 << 30) - 2;

/// The registers that sharing needs.
pub(crate) struct Sharing {
    /// The lanes that had a task when lanes last looked for a giver. It is the mask where that does not count.
    pub(crate) tried: Reg,
    /// The steps that a task has left.
    left: Reg,
    /// The register in which they are counted, for a range of 64 bits.
    far: Option<Reg>,
}

impl Sharing {
    pub(crate) fn new(kernel: &mut Kernel, split: &Split) -> Sharing {
        let mut reg = |stem: &str, ty: Type| kernel.new_reg(stem, ty);
        Sharing {
            tried: reg("ccc_tried", Type::B32),
            left: reg("ccc_left", Type::B32),
            far: (split.range.bits == 64).then(|| reg("ccc_far", Type::B64)),
        }
    }
}

/// The code between a step and the next one, for one region.
pub(crate) struct Writer<'a> {
    pub(crate) kernel: &'a Kernel,
    pub(crate) path: &'a Path,
    pub(crate) names: &'a Names,
    pub(crate) stage: &'a Stage,
    pub(crate) split: &'a Split,
    pub(crate) sharing: &'a Sharing,
}

impl Writer<'_> {
    /// Builds the code behind a step; see the head of this file. `left` is what tasks end with that end before their last step.
    pub(crate) fn next_step(&self, steps: &Steps, left: Code) -> Code {
        use Relation::Equal;
        use Type::{B32, U32};
        let Steps { step, again, decide, meet, on, .. } = *steps;
        let Names { test, mask, takers, .. } = *self.names;
        let Stage { want, top, more, .. } = *self.stage;
        let (tried, region) = (self.sharing.tried, self.stage.labels.region);
        let mut code = left;
        code.label(again);
        code.label(meet);
        charge(&mut code, &self.path.site);
        code.ins().vote_ballot(takers, want, mask);
        code.ins().setp(Equal, U32, test, takers, mask);
        code.when(test).bra(step);
        code.ins().setp(Equal, U32, test, takers, tried);
        code.when(test).bra(on);
        code.ins().setp_and(Equal, U32, test, top, 0, !Guard::from(more));
        code.unless(test).bra(decide);
        code.ins().setp(Equal, U32, test, takers, 0);
        code.ins().selp(B32, tried, mask, takers, test);
        code.when(test).bra(decide);
        self.count(&mut code);
        self.give(&mut code, on);
        self.take(&mut code);
        code.when(want).bra(region);
        code.ins().bra(meet);
        code.label(on);
        code.when(want).bra(step);
        code.ins().bra(meet);
        code
    }

    /// The copy of a register that travels, else the register.
    fn copy(&self, reg: Reg) -> Reg {
        let slot = self.stage.slots.iter().find(|slot| slot.source == Source::Reg(reg));
        slot.map_or(reg, |slot| slot.copy)
    }

    fn bound(&self) -> Operand {
        match self.split.range.bound {
            Bound::Reg(reg) => self.copy(reg).into(),
            Bound::Int(number) => self.literal(number).into(),
        }
    }

    /// A number as the comparison reads it.
    fn literal(&self, number: i64) -> i64 {
        match (self.split.range.number, self.split.range.bits) {
            (Number::Unsigned, 32) => i64::from(number as u32),
            _ => number,
        }
    }

    /// Computes how many steps are left, in `left`, and in `pop` whether that can be said of a lane with a task and it is more than one.
    fn count(&self, code: &mut Code) {
        let (pop, want, left) = (self.names.pop, self.stage.want, self.sharing.left);
        let range = &self.split.range;
        let (bits, bound, step) = (range.bits, self.bound(), range.counter.step.unsigned_abs());
        let (signed, unsigned) = (Type::signed(bits), Type::unsigned(bits));
        let far = self.sharing.far.unwrap_or(left);
        let ty = if range.number == Number::Signed { signed } else { unsigned };
        code.ins().add(signed, far, self.copy(range.counter.reg), range.offset);
        code.ins().setp_and(range.relation, ty, pop, far, bound, want);
        match range.counter.step > 0 {
            true => code.ins().sub(signed, far, bound, far),
            false => code.ins().sub(signed, far, far, bound),
        }
        // With `d` the difference: ceil(d / step) and 1 more; where it goes on at the bound, d / step and 2 more.
        let mut more = if range.goes_on_at_bound() { 2 } else { 1 };
        if step > 1 {
            if more == 1 {
                code.ins().add(signed, far, far, -1);
                more = 2;
            }
            code.ins().div(unsigned, far, far, step.cast_signed());
        }
        code.ins().min(unsigned, far, far, MOST_STEPS);
        if bits == 64 {
            code.ins().cvt(Type::U32, Type::U64, left, far);
        }
        code.ins().add(Type::U32, left, left, more);
    }

    /// A lane with many steps left gives its context to the idle ones; if there is none, the lanes go on. In `pop` is then whether a lane
    /// is one of those that share.
    fn give(&self, code: &mut Code, on: Label) {
        use Relation::{Equal, GreaterOrEqual};
        use Type::{B32, U32};
        let Names { test, mask, pop, total, slot, temp, takers, .. } = *self.names;
        let (want, left) = (self.stage.want, self.sharing.left);
        code.ins().popc(B32, total, takers);
        code.ins().mad_lo(U32, slot, total, 2, 4);
        code.ins().setp_and(GreaterOrEqual, U32, pop, left, slot, pop);
        code.ins().vote_ballot(slot, pop, mask);
        code.ins().setp(Equal, U32, test, slot, 0);
        code.when(test).bra(on);
        code.ins().bfind(U32, slot, slot);
        code.ins().shfl_idx(left, left, slot, mask);
        code.ins().mov(U32, temp, SpecialName::Laneid);
        code.ins().setp(Equal, U32, pop, temp, slot);
        code.ins().mov(B32, slot, 0);
        for (guard, access) in [(pop.into(), store as Access), (!Guard::from(want), load)] {
            for (width, slots) in by_width(&self.stage.slots) {
                address(code, self.names, width);
                for Slot { copy, ty, field, .. } in slots {
                    access(code, self.names, guard, *copy, *ty, field.offset.cast_signed());
                }
            }
            code.ins().bar_warp_sync(mask);
        }
        code.unless(want).set(pop, true);
    }

    /// Each lane that shares takes its part, if there is one for it.
    fn take(&self, code: &mut Code) {
        use Type::{B32, U32};
        let Names { test, below, pop, lanes, total, temp, .. } = *self.names;
        let (want, left, tried) = (self.stage.want, self.sharing.left, self.sharing.tried);
        let range = &self.split.range;
        // In `total` the steps of a part, in `temp` where one begins and then where it ends; the giver has the first.
        code.ins().sub(U32, total, lanes, total);
        code.ins().add(U32, total, total, 1);
        code.ins().add(U32, temp, left, -1);
        code.ins().div(U32, total, temp, total);
        code.ins().add(U32, total, total, 1);
        if range.goes_on_at_bound() {
            code.ins().max(U32, total, total, 2);
        }
        code.ins().not(B32, temp, tried);
        code.ins().and(B32, temp, temp, below);
        code.ins().popc(B32, temp, temp);
        code.ins().add(U32, temp, temp, 1);
        code.when(want).mov(B32, temp, 0);
        code.ins().mul_lo(U32, temp, temp, total);
        code.ins().setp_and(Relation::Less, U32, pop, temp, left, pop);
        for induction in range.inductions.iter().filter(|induction| induction.step != 0) {
            let (copy, bits) = (self.copy(induction.reg), self.kernel.reg(induction.reg).ty.bits());
            multiply(code.when(pop), bits, copy, temp, induction.step, copy);
        }
        code.ins().add(U32, temp, temp, total);
        code.ins().setp_and(Relation::Less, U32, test, temp, left, pop);
        self.end(code, test, total);
        code.ins().or(Type::Pred, want, want, pop);
    }

    /// Lets a task end after so many steps.
    fn end(&self, code: &mut Code, guard: Reg, count: Reg) {
        let range = &self.split.range;
        let (bits, step, counter) = (range.bits, range.counter.step, self.copy(range.counter.reg));
        // The number that the step before the last one, or else the last one, is compared with.
        let last = if range.goes_on_at_bound() { 2 * step } else { step };
        match self.split.end {
            End::Bound(reg) => {
                let bound = self.copy(reg);
                multiply(code.when(guard), bits, bound, count, step, counter);
                code.when(guard).add(Type::signed(bits), bound, bound, range.offset - last);
            }
            End::Counter => {
                multiply(code.when(guard), bits, counter, count, -step, self.bound());
                code.when(guard).add(Type::signed(bits), counter, counter, last - range.offset);
            }
        }
    }
}

/// A function that loads or stores a value of a slot.
type Access = fn(&mut Code, &Names, Guard, Reg, Type, i64);

/// Multiplies two numbers of 32 bits and adds one of a width.
fn multiply(ins: Ins<'_>, bits: u32, to: Reg, a: Reg, b: i64, added: impl Into<Operand>) {
    match bits {
        64 => ins.mad_wide(Type::S32, to, a, b, added),
        _ => ins.mad_lo(Type::S32, to, a, b, added),
    }
}
