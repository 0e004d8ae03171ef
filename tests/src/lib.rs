//! Golden rewrites, ptxas acceptance, differential runs and properties.
//!
//! What the tests of the whole workspace share: programs with their expected output ([`golden`]), random kernels
//! ([`generate`]) and differential runs of them ([`differential`]).

pub mod differential;
pub mod generate;
pub mod golden;
