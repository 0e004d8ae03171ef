//! The tests of annotation as one program, which is linked once.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

#[path = "../common/mod.rs"]
mod common;
mod errors;
mod robustness;
mod texts;
