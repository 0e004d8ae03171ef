//! One file per command.

pub(crate) mod annotate;
pub(crate) mod bench;
pub(crate) mod ccc;
pub(crate) mod check;
mod everything;
pub(crate) mod fmt;
pub(crate) mod lint;
pub(crate) mod lock;
pub(crate) mod nvcc;
mod open_gpu;
mod profiled;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod ssde;
mod timed;
pub(crate) mod toolkit;
