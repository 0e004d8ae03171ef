//! The tests of the analyses as one program, which is linked once.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod dataflow;
mod dependence;
mod divergence;
mod graphs;
mod lanes;
mod multiprocessor;
mod predicates;
#[path = "../random/mod.rs"]
mod random;
mod strides;
