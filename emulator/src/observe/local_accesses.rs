//! The bytes of local memory that loads and stores have accessed, noted while a warp is watched.
//!
//! A debug build keeps every variable of a thread in local memory. Which of them decides where a spinning lane goes can only be asked
//! once it is known which instruction accesses which variable, and generic addresses do not say so before they are computed.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::exec::address_pattern::addresses;
use crate::exec::op::{Ctx, Op};
use crate::memory::space::{LOCAL_WINDOW, in_window};
use crate::program::Program;
use crate::program::dataflow::Reach;
use crate::program::listing::InstId;
use crate::program::registers::{TAG64, untagged};
use crate::run::warp::values;

/// The most places that an instruction may access, over all lanes, for them to be told apart.
const MOST_PLACES: usize = 64;

/// The memory that one instruction has accessed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    /// Offsets in the local memory of a lane, whichever lane.
    pub(crate) local: SmallVec<[u32; 2]>,
    /// Memory that is not local.
    pub(crate) elsewhere: bool,
    /// More places than are told apart.
    pub(crate) many: bool,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Touched {
    by: FxHashMap<InstId, Places>,
    /// The number of times that something new was noted.
    pub(crate) version: u64,
}

impl Touched {
    /// Notes the access that an op is about to make for the lanes of `ctx.mask`.
    pub(crate) fn note(&mut self, ctx: &Ctx<'_>, program: &Program, op: &Op) {
        let reach = program.dataflow.of(op.id).effect.reach();
        // What moves the frame of a function stands under the number of the instruction beside it, and `a` need not be a row there. Nothing is asked of such
        // a block: it is opaque.
        let row = untagged(op.a) as usize;
        let is_row = row < if op.a & TAG64 != 0 { ctx.r64.len() } else { ctx.r32.len() };
        if ctx.mask == 0 || reach == Reach::Elsewhere || !is_row {
            return;
        }
        let at = addresses(ctx, op);
        let local = |address: u64| match reach {
            Reach::Local(_) => Some(address),
            _ => in_window(address, LOCAL_WINDOW),
        };
        let places = self.by.entry(op.id).or_default();
        for (_, address) in values(&at, ctx.mask) {
            if places.many {
                break;
            }
            let new = match local(address) {
                None => !std::mem::replace(&mut places.elsewhere, true),
                Some(offset) => {
                    let offset = offset as u32;
                    let new = !places.local.contains(&offset);
                    if new {
                        places.local.push(offset);
                        places.many = places.local.len() > MOST_PLACES;
                    }
                    new
                }
            };
            self.version += u64::from(new);
        }
    }

    /// Returns what an instruction has accessed; nothing if it was not executed.
    pub(crate) fn of(&self, inst: InstId) -> Places {
        self.by.get(&inst).cloned().unwrap_or_default()
    }
}
