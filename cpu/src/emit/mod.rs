//! Text of C: instructions, kernels, and the file around them.

mod atomic;
mod collective;
mod convert;
mod float;
mod function;
mod half;
mod instruction;
mod integer;
mod logic;
mod memory;
mod module;
mod moves;
mod names;
mod raw;
mod rows;
mod segment;
mod stacked;
mod system;
#[cfg(test)]
mod tests;
mod turns;
mod video;
mod view;

pub(crate) use module::{entries, translate};
