//! The text that lets idle lanes share what is left of a task: what stands between two steps where [`crate::split`] says that it may.
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

use std::fmt::Write as _;

use ptx_parser::{Kernel, Number, Reg, Relation, Type};

use crate::context::Source;
use crate::plan::Path;
use crate::split::induction::Bound;
use crate::split::{End, Split};
use crate::write::copies::new_reg;
use crate::write::machinery::Names;
use crate::write::slots::{address, by_width, load, store};
use crate::write::stage::{Stage, Steps};

/// Steps beyond this are not counted: the last part takes them.
const MOST_STEPS: u32 = (1 << 30) - 2;

/// The registers that sharing needs.
pub(crate) struct Sharing {
    /// Who had a task when it was last asked who could give; the mask where that does not count.
    pub(crate) tried: String,
    /// The steps that a task has left.
    left: String,
    /// Where they are counted, for a range of 64 bits.
    far: Option<String>,
}

impl Sharing {
    pub(crate) fn new(kernel: &mut Kernel, split: &Split) -> Sharing {
        let mut reg = |stem: &str, ty: Type| new_reg(kernel, stem, ty);
        Sharing {
            tried: reg("ccc_tried", Type::B32),
            left: reg("ccc_left", Type::B32),
            far: (split.range.bits == 64).then(|| reg("ccc_far", Type::B64)),
        }
    }
}

/// The text between a step and the next one, for one region.
pub(crate) struct Writer<'a> {
    pub(crate) kernel: &'a Kernel,
    pub(crate) path: &'a Path,
    pub(crate) names: &'a Names,
    pub(crate) stage: &'a Stage,
    pub(crate) split: &'a Split,
    pub(crate) sharing: &'a Sharing,
}

impl Writer<'_> {
    /// Behind a step; see the head of this file. `left` is what tasks end with that end before their last step.
    pub(crate) fn again(&self, steps: &Steps, position: &str, left: &str) -> String {
        let Steps { step, again, decide, meet, on, .. } = steps;
        let Names { test, mask, takers, .. } = self.names;
        let Stage { want, top, more, .. } = self.stage;
        let (tried, region) = (&self.sharing.tried, &self.stage.labels.region);
        let mut text = format!(
            "{left}{again}:
             {meet}:
             {position}vote.sync.ballot.b32 {takers}, {want}, {mask};
             setp.eq.u32 {test}, {takers}, {mask};
             @{test} bra {step};
             setp.eq.u32 {test}, {takers}, {tried};
             @{test} bra {on};
             setp.eq.and.u32 {test}, {top}, 0, !{more};
             @!{test} bra {decide};
             setp.eq.u32 {test}, {takers}, 0;
             selp.b32 {tried}, {mask}, {takers}, {test};
             @{test} bra {decide};
            "
        );
        text += &self.count();
        text += &self.give(on);
        text += &self.take();
        text + &format!("@{want} bra {region};\nbra {meet};\n{on}:\n@{want} bra {step};\nbra {meet};\n")
    }

    fn name(&self, reg: Reg) -> &str {
        let index = self.path.context.values.iter().position(|value| value.source == Source::Reg(reg));
        self.kernel.reg_name(index.map_or(reg, |index| self.stage.copies[index]))
    }

    fn bound(&self) -> String {
        match self.split.range.bound {
            Bound::Reg(reg) => self.name(reg).to_owned(),
            Bound::Int(number) => self.literal(number),
        }
    }

    /// A number as the comparison reads it.
    fn literal(&self, number: i64) -> String {
        match (self.split.range.number, self.split.range.bits) {
            (Number::Unsigned, 32) => (number as u32).to_string(),
            (Number::Unsigned, _) => number.cast_unsigned().to_string(),
            _ => number.to_string(),
        }
    }

    /// How many steps are left, in `left`, and in `pop` whether that can be said of a lane with a task and it is more than one.
    fn count(&self) -> String {
        let Names { pop, .. } = self.names;
        let (want, left) = (&self.stage.want, &self.sharing.left);
        let range = &self.split.range;
        let (bits, bound, step) = (range.bits, self.bound(), range.counter.step.unsigned_abs());
        let far = self.sharing.far.as_ref().unwrap_or(left);
        let ty = if range.number == Number::Signed { 's' } else { 'u' };
        let relation = match range.relation {
            Relation::Equal => "eq",
            Relation::NotEqual => "ne",
            Relation::Less => "lt",
            Relation::LessOrEqual => "le",
            Relation::Greater => "gt",
            Relation::GreaterOrEqual => "ge",
        };
        let mut text = format!(
            "add.s{bits} {far}, {}, {};\nsetp.{relation}.and.{ty}{bits} {pop}, {far}, {bound}, {want};\n",
            self.name(range.counter.reg),
            range.offset
        );
        let _ = match range.counter.step > 0 {
            true => writeln!(text, "sub.s{bits} {far}, {bound}, {far};"),
            false => writeln!(text, "sub.s{bits} {far}, {far}, {bound};"),
        };
        // With `d` the difference: ceil(d / step) and 1 more; where it goes on at the bound, d / step and 2 more.
        let mut more = if range.goes_on_at_bound() { 2 } else { 1 };
        if step > 1 {
            if more == 1 {
                let _ = writeln!(text, "add.s{bits} {far}, {far}, -1;");
                more = 2;
            }
            let _ = writeln!(text, "div.u{bits} {far}, {far}, {step};");
        }
        let _ = writeln!(text, "min.u{bits} {far}, {far}, {MOST_STEPS};");
        if bits == 64 {
            let _ = writeln!(text, "cvt.u32.u64 {left}, {far};");
        }
        text + &format!("add.u32 {left}, {left}, {more};\n")
    }

    /// A lane with many steps left gives its context to the idle ones; if there is none, the lanes go on. In `pop` is then whether a lane
    /// is one of those that share.
    fn give(&self, on: &str) -> String {
        let Names { test, mask, pop, total, slot, temp, takers, .. } = self.names;
        let (want, left) = (&self.stage.want, &self.sharing.left);
        let mut text = format!(
            "popc.b32 {total}, {takers};
             mad.lo.u32 {slot}, {total}, 2, 4;
             setp.ge.and.u32 {pop}, {left}, {slot}, {pop};
             vote.sync.ballot.b32 {slot}, {pop}, {mask};
             setp.eq.u32 {test}, {slot}, 0;
             @{test} bra {on};
             bfind.u32 {slot}, {slot};
             shfl.sync.idx.b32 {left}, {left}, {slot}, 31, {mask};
             mov.u32 {temp}, %laneid;
             setp.eq.u32 {pop}, {temp}, {slot};
             mov.b32 {slot}, 0;
            "
        );
        let (values, fields) = (&self.path.context.values, &self.path.layout.fields);
        let guards = [format!("@{pop}"), format!("@!{want}")];
        for (guard, is_load) in guards.iter().zip([false, true]) {
            for (width, group) in by_width(&self.path.layout) {
                text += &address(self.names, width);
                for field in group {
                    let (copy, ty) = (self.stage.copies[field], values[field].ty);
                    let offset = i64::try_from(fields[field].offset).unwrap_or(0);
                    let access = if is_load { load } else { store };
                    text += &access(self.kernel, self.names, guard, copy, ty, offset);
                }
            }
            let _ = writeln!(text, "bar.warp.sync {mask};");
        }
        text + &format!("@!{want} mov.pred {pop}, -1;\n")
    }

    /// Each lane that shares takes its part, if there is one for it.
    fn take(&self) -> String {
        let Names { test, below, pop, lanes, total, temp, .. } = self.names;
        let (want, left, tried) = (&self.stage.want, &self.sharing.left, &self.sharing.tried);
        let range = &self.split.range;
        // In `total` the steps of a part, in `temp` where one begins and then where it ends; the giver has the first.
        let mut text = format!(
            "sub.u32 {total}, {lanes}, {total};
             add.u32 {total}, {total}, 1;
             add.u32 {temp}, {left}, -1;
             div.u32 {total}, {temp}, {total};
             add.u32 {total}, {total}, 1;
            "
        );
        if range.goes_on_at_bound() {
            let _ = writeln!(text, "max.u32 {total}, {total}, 2;");
        }
        let _ = write!(
            text,
            "not.b32 {temp}, {tried};
             and.b32 {temp}, {temp}, {below};
             popc.b32 {temp}, {temp};
             add.u32 {temp}, {temp}, 1;
             @{want} mov.b32 {temp}, 0;
             mul.lo.u32 {temp}, {temp}, {total};
             setp.lt.and.u32 {pop}, {temp}, {left}, {pop};
            "
        );
        for induction in range.inductions.iter().filter(|induction| induction.step != 0) {
            let name = self.name(induction.reg);
            let form = multiply(self.kernel.reg(induction.reg).ty.bits());
            let _ = writeln!(text, "@{pop} {form} {name}, {temp}, {}, {name};", induction.step);
        }
        let _ = write!(text, "add.u32 {temp}, {temp}, {total};\nsetp.lt.and.u32 {test}, {temp}, {left}, {pop};\n");
        text += &self.end(test, total);
        text + &format!("or.pred {want}, {want}, {pop};\n")
    }

    /// Lets a task end after so many steps.
    fn end(&self, guard: &str, count: &str) -> String {
        let range = &self.split.range;
        let (bits, step, counter) = (range.bits, range.counter.step, self.name(range.counter.reg));
        let form = multiply(bits);
        // The number that the step before the last one, or else the last one, is compared with.
        let last = if range.goes_on_at_bound() { 2 * step } else { step };
        match self.split.end {
            End::Bound(reg) => {
                let bound = self.name(reg);
                format!(
                    "@{guard} {form} {bound}, {count}, {step}, {counter};\n@{guard} add.s{bits} {bound}, {bound}, {};\n",
                    range.offset - last
                )
            }
            End::Counter => format!(
                "@{guard} {form} {counter}, {count}, {}, {};\n@{guard} add.s{bits} {counter}, {counter}, {};\n",
                -step,
                self.bound(),
                last - range.offset
            ),
        }
    }
}

/// What multiplies two numbers of 32 bits and adds one of this width.
fn multiply(bits: u32) -> &'static str {
    let wide = bits == 64;
    if wide { "mad.wide.s32" } else { "mad.lo.s32" }
}
