//! Suites of benchmarks on a GPU, each part of one in a process of its own.
//!
//! ```text
//!  session.rs   describes the GPU, without using it, and has parts measured and counted
//!    ├ kernels.rs     the kernels: compiled now, or what `--prepare` left in a folder
//!    ├ budget.rs      how long each part may take
//!    └ processes.rs   starts a process for each part, and goes on behind one that fails ──> worker.rs: `pxrw bench worker`
//!  everything.rs, prepare.rs, suites.rs, lock.rs: what the command line asks of it
//! ```
//!
//! A fault, a hang or a refused kernel costs the process that it happens in, and with it one part.

mod budget;
pub(super) mod everything;
mod kernels;
pub(super) mod lock;
mod prepare;
mod processes;
mod session;
pub(super) mod suites;
pub(super) mod worker;
