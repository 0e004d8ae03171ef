//! Text of C: instructions, kernels, and the file around them.

mod atomic;
mod collective;
mod convert;
mod float;
mod function;
mod half;
mod instruction;
mod integer;
mod kernel;
mod logic;
mod memory;
mod module;
mod moves;
mod names;
mod video;
mod view;

pub(crate) use module::{entries, translate};
