//! Compares the emulator with the model in exact rationals: `reference_floats COUNT [FIRST_SEED]`. Prints every seed that fails.
#![allow(missing_docs)]

use std::process::ExitCode;

use tests::reference::floats::check;

fn main() -> ExitCode {
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let [count, rest @ ..] = numbers.as_slice() else {
        eprintln!("usage: reference_floats COUNT [FIRST_SEED]");
        return ExitCode::from(2);
    };
    let first = rest.first().copied().unwrap_or(0);
    let mut failures = 0;
    for seed in first..first.saturating_add(*count) {
        if let Err(difference) = check(seed) {
            failures += 1;
            println!("seed {seed}: {difference}");
        }
    }
    println!("{failures} of {count} seeds failed");
    ExitCode::from(u8::from(failures > 0))
}
