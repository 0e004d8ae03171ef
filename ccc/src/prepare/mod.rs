//! The changes to a kernel before it is decided which paths can be collected. Each file makes more of them possible, and changes nothing
//! that a thread computes.

pub(crate) mod complementary_guards;
pub(crate) mod extend;
pub(crate) mod grid;
pub(crate) mod infinite_loops;
pub(crate) mod lift;
pub(crate) mod path_ends;
pub(crate) mod whole_specials;
