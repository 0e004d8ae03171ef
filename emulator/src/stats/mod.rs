//! The counts of a launch, and the modelled time that is computed from them.

pub(crate) mod counts;
pub(crate) mod model;
pub(crate) mod scheduling;
pub(crate) mod traffic;
