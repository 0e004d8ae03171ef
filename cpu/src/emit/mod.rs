//! Text of C: instructions, kernels, and the file around them.

mod atomic;
mod convert;
mod float;
mod half;
mod instruction;
mod integer;
mod logic;
mod memory;
mod moves;
mod names;
mod video;
mod view;
