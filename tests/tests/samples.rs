//! Runs each kernel of `tests/kernels/samples` as a test of its own: `cargo test -p tests --test samples -- scan`.
//!
//! A few seeds for the machine that draws an order; `cargo run --release -p tests --example samples -- 20` tries more.
#![allow(missing_docs)]

use libtest_mimic::{Arguments, Trial};

const SEEDS: u64 = 2;

fn main() {
    let trial = |sample: tests::samples::Sample| {
        let name = format!("{}::{}", sample.file, sample.name);
        Trial::test(name, move || sample.check(SEEDS).map_err(Into::into))
    };
    let trials = tests::samples::all().into_iter().map(trial).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
