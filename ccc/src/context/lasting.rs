//! Which values of a context last: they are in their registers until the stage of their region decides.
//!
//! ```text
//!     @!p bra J;                       @!p bra J;
//!     copy = value; want = true        want = true
//! J:  …                            J:  …
//! T:  decide                       T:  decide: pushed from the register itself, copied only where the region is run
//! ```
//!
//! Where a lane notes that it wants a region, lanes have parted, and each copy is an instruction for a few of them. At the stage all of
//! them are together. So what nothing writes between the two places is copied there, in all lanes: the copies of a lane that does not want
//! the region are of no use to anybody.
//!
//! Between two steps of a task it is the copies that are up to date: a region that is run in steps has its values copied when its stage
//! begins, before any step. In a region that lies in another one it is the outer region's copies; there, everything is copied at once.

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
