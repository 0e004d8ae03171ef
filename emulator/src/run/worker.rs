//! The data of one host thread, and the reasons why it stops.

use super::env::{Env, HostThread};
use super::warp::WarpId;
use crate::exec::address_cache::AddressFacts;
use crate::exec::op::RawFault;
use crate::exec::rule_violations::Seen;
use crate::memory::regions::Region;
use crate::observe::Observer;
use crate::program::code::BlockId;
use crate::stats::counts::Counters;
use crate::verdict::progress::Attention;
use crate::verdict::slice::cache::Slices;

/// The data of one host thread.
pub(crate) struct Worker<'e> {
    pub(crate) env: &'e Env<'e>,
    /// The number of this host thread among those of the launch, from 0 on.
    pub(crate) number: HostThread,
    pub(crate) counters: Counters,
    pub(crate) caches: Vec<Region>,
    /// See [`Ctx::known`](crate::exec::op::Ctx::known).
    pub(crate) known: Vec<AddressFacts>,
    /// Warp instructions since the budget was last told.
    pub(crate) steps: u64,
    /// Blocks that have ended since then.
    pub(crate) ended: u64,
    /// True if warps are watched for repeating themselves; see `verdict/progress.rs`.
    pub(crate) watch: bool,
    /// The effort with which they are watched.
    pub(crate) attention: Attention,
    /// The slices by which they were compared.
    pub(crate) slices: Slices,
    /// Rules that were broken, if the launch asks for them.
    pub(crate) seen: Option<Box<Seen>>,
    /// Sees all that is run, if the launch asks for it.
    pub(crate) observer: Option<Box<Observer>>,
}

/// The reason why the launch must end.
#[derive(Clone, Debug)]
pub(crate) enum Stop {
    /// An access that cannot be made: warp and fault.
    Fault(WarpId, RawFault),
    /// A trap: warp, lane, block of code.
    Trap(WarpId, u32, BlockId),
    /// A barrier or `.sync` operation that cannot complete: warp, block of code, lanes that wait, lanes that are missing.
    Divergence(WarpId, BlockId, u32, u32),
    /// All warps that have not ended wait.
    Stuck,
}
