//! The emulator's floating-point arithmetic against a model in exact rational numbers.
//!
//! `cargo run --release -p tests --example reference_floats -- 100000` tries any number of seeds.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use tests::reference::floats::check;

/// The number of seeds that a test run tries.
const SEEDS: u64 = 3000;

#[test]
fn arithmetic_agrees_with_exact_rationals() {
    for seed in 0..SEEDS {
        check(seed).unwrap_or_else(|difference| panic!("seed {seed}: {difference}"));
    }
}
