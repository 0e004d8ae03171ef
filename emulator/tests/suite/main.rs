//! Kernels that are run and compared with what they must do: memory, exact counts, and how they end.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod counts;
mod differential;
mod forms;
mod kernels;
mod outcomes;
mod support;
