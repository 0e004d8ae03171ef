//! Kernels that are run and compared with what they must do: memory, exact counts, and how they end.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod asynchronous;
mod aware;
mod calls;
mod carries;
mod checks;
mod copy_checks;
mod counts;
mod deadlocks;
mod differential;
mod exact;
mod fairness;
mod float_exact;
mod float_forms;
mod half_forms;
mod integer_forms;
mod kernels;
mod model;
mod modules;
mod mutations;
mod observing;
mod outcomes;
mod shortcuts;
mod spins;
mod support;
mod system;
mod undefined;
mod video_forms;
mod warp_forms;
