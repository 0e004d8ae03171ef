//! Reference models that share no code with the emulator, and checks of the emulator against them.

pub mod floats;
