//! Golden rewrites, ptxas acceptance, differential runs and properties.
//!
//! What the tests of the whole workspace share: programs with their expected output ([`golden`]), random kernels
//! ([`generate`]), differential runs of them ([`differential`]), and mutated texts ([`mutations`]).

pub mod differential;
pub mod generate;
pub mod golden;
pub mod mutations;
