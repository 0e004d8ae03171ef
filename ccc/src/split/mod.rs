//! Idle lanes share what is left of a task that counts through a range.
//!
//! A task with thousands of steps is one lane's. While there are other tasks, the other lanes have something to run; at the end, when
//! nothing is stacked and nothing will be, they would wait for it. The steps of an inner `#CCC for` are independent of each other, so
//! that the range may be cut into parts: then a lane *gives*, and the idle ones take a part each.
//! How that is written, [`crate::emit::work_sharing`] shows.
//!
//! # Why every step is run once
//!
//! What the steps hand on are inductions alone ([`crate::split::induction`]), so that the state before the step after `i` more is known without
//! running them: each is `i * step` larger, modulo its width. With `n` steps left, `parts` lanes and `q = ceil(n / parts)`, part `j` is
//! `j * q` up to `min((j + 1) * q, n)`; a lane whose part begins at `n` or behind gets none. The last one keeps its end. So it also takes what
//! comes behind `n`: a range is counted in 30 bits only, and one that goes on around the end of the numbers, up to there. Each of the others ends
//! where its bound, or the value that its counter starts with, makes it: with `a` the first number that is compared and `q` steps to
//! run, the bound becomes `a + (q - 1) * step`, or one step less where the loop goes on at the bound, for which parts have two steps at
//! least. If it is the counter that changes, `a` becomes the bound less that. These are numbers between the first one and the bound, so that no part
//! wraps around. The bound is changed only if the comparison is all that reads it, also to compute what did not travel; the counter, only
//! if nothing but its own step and the comparison does.
//!
//! The rest of the region behind the steps is run once by each part, so that it must have no effect.

pub(crate) mod induction;
pub(crate) mod unsplittable;

use ptx_parser::{Flow, Reg};

use crate::context::value::{Context, Source};
use crate::facts::Facts;
use crate::markers::{Kind, Site};
use crate::options::Options;
use crate::origin::Origin;
use crate::reduction::Part;
use crate::region::Region;
use crate::split::induction::{Bound, Range};
use crate::split::unsplittable::Unsplittable;

/// The operand of the end test that is changed so that a part ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    Bound(Reg),
    Counter,
}

/// The way in which the tasks of a region are shared.
#[derive(Clone, Debug)]
pub(crate) struct Split {
    pub(crate) range: Range,
    pub(crate) end: End,
}

/// The range of a region's tasks, if they may be shared as far as the region itself goes.
pub(crate) fn range(
    facts: &Facts<'_>,
    site: &Site,
    region: &Region,
    parts: &[Part],
    options: &Options,
) -> Result<Range, Unsplittable> {
    if !options.split {
        return Err(Unsplittable::Off);
    }
    if site.kind != Kind::FreeSteps {
        return Err(Unsplittable::Dependent);
    }
    if !parts.is_empty() {
        return Err(Unsplittable::Reduces);
    }
    let steps = facts.loops.innermost(region.entry);
    let steps = steps.ok_or_else(|| Unsplittable::Condition { at: facts.place(region.entry) })?;
    let range = Range::of(facts, steps)?;
    for &block in region.blocks.iter().filter(|&&block| !facts.loops.contains(steps, block)) {
        if facts.loops.innermost(block) != Some(region.marked_loop) {
            return Err(Unsplittable::Behind { at: facts.place(block) });
        }
        for &inst in facts.cfg.insts(block) {
            let properties = facts.kernel.properties(inst);
            if !properties.is_pure() && properties.flow != Flow::Branch {
                return Err(Unsplittable::Behind { at: Origin::of(facts.kernel, inst) });
            }
        }
    }
    Ok(range)
}

impl Split {
    /// Returns how a range is shared, now that it is known what travels.
    pub(crate) fn of(facts: &Facts<'_>, mut range: Range, context: &Context) -> Result<Split, Unsplittable> {
        let name = |reg: Reg| facts.kernel.reg_name(reg).to_owned();
        let travels = |reg: Reg| context.values.iter().any(|value| value.source == Source::Reg(reg));
        // What follows from the counter is computed again wherever a part is taken up.
        let follows = |reg: Reg| context.recomputed.iter().any(|value| value.reg == reg);
        let followers = range.inductions.iter().filter(|induction| follows(induction.reg)).count();
        range.inductions.retain(|induction| !follows(induction.reg));
        range.counter_is_free &= followers == 0;
        if let Some(lost) = range.inductions.iter().find(|induction| !travels(induction.reg)) {
            return Err(Unsplittable::Carries { register: name(lost.reg) });
        }
        let end = match range.bound {
            Bound::Reg(reg) if range.free_bound() == Some(reg) && travels(reg) => End::Bound(reg),
            Bound::Reg(reg) if !(range.counter_is_free && (travels(reg) || context.kept.contains(&reg))) => {
                return Err(Unsplittable::Used { bound: name(reg) });
            }
            Bound::Int(number) if !range.counter_is_free => {
                return Err(Unsplittable::Used { bound: number.to_string() });
            }
            _ => End::Counter,
        };
        Ok(Split { range, end })
    }
}
