//! The changes to a kernel before it is decided which paths can be collected. Each file makes more of them possible, and changes nothing
//! that a thread computes.

pub(crate) mod complement;
pub(crate) mod endless;
pub(crate) mod ends;
pub(crate) mod extend;
pub(crate) mod grid;
pub(crate) mod lift;
