//! The decisions about one region.

use cranelift_entity::PrimaryMap;
use ptx_parser::Reg;

use crate::access_pair::AccessPair;
use crate::context::value::Context;
use crate::layout::Layout;
use crate::markers::Site;
use crate::plan::path_id::PathId;
use crate::rank::{Rank, Used};
use crate::reduction::Part;
use crate::region::Region;
use crate::split::Split;
use crate::split::unsplittable::Unsplittable;

/// The decisions about the regions of a loop.
pub(crate) type Paths = PrimaryMap<PathId, Path>;

/// The decisions about one region.
#[derive(Debug)]
pub(crate) struct Path {
    pub(crate) site: Site,
    pub(crate) region: Region,
    pub(crate) context: Context,
    /// Registers of the context that need not be copied before the stage decides.
    pub(crate) lasting: Vec<Reg>,
    /// Its parts of reductions.
    pub(crate) parts: Vec<Part>,
    /// For a region that is run in steps: how idle lanes share its tasks, or why they do not.
    pub(crate) split: Option<Result<Split, Unsplittable>>,
    /// Assumptions about its memory.
    pub(crate) assumptions: Vec<AccessPair>,
    pub(crate) layout: Layout,
    pub(crate) rank: Rank,
    /// Counts of its runs, if a profile or its directive says so.
    pub(crate) used: Option<Used>,
}
