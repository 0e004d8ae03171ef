//! Runs each kernel of `tests/kernels/samples` as a test of its own: `cargo test -p tests --test files -- samples::scan`.
//!
//! A few seeds for the machine that draws an order; `cargo run --release -p tests --example samples -- 20` tries more.

use libtest_mimic::Trial;

const SEEDS: u64 = 2;

/// The tests of all samples.
pub(crate) fn trials() -> Vec<Trial> {
    let trial = |sample: tests::samples::Sample| {
        let name = format!("samples::{}::{}", sample.file, sample.name);
        Trial::test(name, move || sample.check(SEEDS).map_err(Into::into))
    };
    tests::samples::all().into_iter().map(trial).collect()
}
