//! The tests of the reader, the printer and the editor as one program, which is linked once.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod access;
mod building;
mod canonical;
mod check;
#[path = "../common/mod.rs"]
mod common;
mod copying;
mod coverage;
mod edit_sequences;
mod editing;
mod errors;
mod examples;
mod forms;
mod kinds;
mod limits;
mod markers;
mod module_edits;
mod recovery;
mod refused_edits;
mod robustness;
mod round_trip;
mod scale;
mod source;
mod splice;
mod splice_random;
