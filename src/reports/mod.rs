//! Reports as text and as JSON.

pub(crate) mod ccc;
pub(crate) mod check;
pub(crate) mod cpu;
pub(crate) mod detail;
pub(crate) mod lanes;
pub(crate) mod lint;
pub(crate) mod listing;
pub(crate) mod nvcc;
pub(crate) mod run;
pub(crate) mod ssde;
pub(crate) mod verify;
