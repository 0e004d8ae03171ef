//! Independent models of what the PTX ISA says, to judge the emulator by. They share no code with it, and are slow and plain on purpose.

pub mod barriers;
pub mod floats;
pub mod warp;
