//! The values of a context that last: they are in their registers until the stage of their region decides.
//!
//! ```text
//!     @!p bra J;                       @!p bra J;
//!     copy = value; want = true        want = true
//! J:  …                            J:  …
//! T:  decide                       T:  decide: pushed from the register itself, copied only where the region is run
//! ```
//!
//! Lanes note one by one that they want a region, so that each copy there is an instruction for a few lanes. At the stage, all lanes
//! execute together. So a value that nothing writes between the two places is copied at the stage, in all lanes. The copies of a lane
//! that does not want the region have no effect.
//!
//! Between two steps of a task, the copies hold the current values. So a region that is run in steps has its values copied when its stage
//! begins, before any step. In a region that lies in another one, the copies of the outer region hold the current values. There, everything
//! is copied at once.

use cranelift_entity::EntitySet;
use ptx_parser::Reg;

use crate::context::value::{Context, Source};
use crate::facts::Facts;
use crate::region::Region;

/// The registers of a context that hold its values until the iteration ends, whichever way it goes on behind the region.
pub(crate) fn lasting(facts: &Facts<'_>, region: &Region, context: &Context) -> Vec<Reg> {
    if region.outer.is_some() {
        return Vec::new();
    }
    let written = written_behind(facts, region);
    let sources = context.values.iter().filter_map(|value| match value.source {
        Source::Reg(reg) => Some(reg),
        _ => None,
    });
    sources.filter(|&reg| !written.contains(reg)).collect()
}

/// The registers that one iteration may write from the end of a region on.
fn written_behind(facts: &Facts<'_>, region: &Region) -> EntitySet<Reg> {
    let mut written = EntitySet::new();
    for block in facts.ahead(region.marked_loop, region.exit).iter() {
        for &inst in facts.cfg.insts(block) {
            written.extend(facts.kernel.defs(inst));
        }
    }
    written
}
