//! Suites of benchmarks on a GPU. Each unit of a suite is measured in a process of its own.
//!
//! ```text
//!  session.rs   describes the GPU, without using it, and has units measured and counted
//!    ├ kernels.rs     the kernels: compiled now, or from the folder of `--prepare`
//!    ├ budget.rs      the time that each unit may take
//!    └ processes.rs   runs a process for each unit, and reads its results ──> worker.rs: `pxrw bench worker`
//!  all_suites.rs, prepare.rs, suites.rs, lock.rs: the commands
//! ```
//!
//! A fault, a hang or a refused kernel costs the process that it happens in, and with it one unit.

pub(super) mod all_suites;
mod budget;
mod kernels;
pub(super) mod lock;
mod prepare;
mod processes;
mod session;
pub(super) mod suites;
pub(super) mod worker;
