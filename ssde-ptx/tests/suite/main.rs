//! The tests of detection and rewriting as one program, which is linked once.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod across_blocks;
mod detection;
mod elimination;
mod lock_free;
mod lockstep;
mod memory;
mod modern_constructs;
mod verify;
