//! The number of a region among those of its loop.

use cranelift_entity::entity_impl;

/// A region of a loop, by its place in the order in which the regions decide: an outer one is before those in it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PathId(u32);
entity_impl!(PathId, "path");
