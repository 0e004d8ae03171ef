//! The tests of the whole workspace that are not files, as one program: it is linked once, and its long tests run side by side.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod canonical;
mod circles;
mod devices;
mod inlining;
mod kernels;
mod lock_free;
mod masked_barriers;
mod mutations;
mod opcode_strings;
mod progress;
mod random_kernels;
mod random_sources;
mod random_sync;
mod reference;
mod rows;
mod ssde_programs;
mod tampering;
mod translated;
