//! One file per command, or one folder.

pub(crate) mod annotate;
pub(crate) mod bench;
pub(crate) mod ccc;
pub(crate) mod check;
mod compiling;
pub(crate) mod cpu;
pub(crate) mod fmt;
mod gpu;
pub(crate) mod lint;
pub(crate) mod nvcc;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod ssde;
pub(crate) mod suite;
pub(crate) mod toolkit;
