//! What the workspace's tests share: random kernels and differential runs.
//!
//! The tests themselves are in this package's `tests` folder; `golden` holds the programs with their expected output.

pub mod differential;
pub mod generate;
