//! Runs random kernels natively and on the emulator: `cargo run --release -p tests --example translated -- COUNT [FIRST]`.
#![allow(clippy::panic, missing_docs)]

use cpu::Sync;
use rayon::prelude::*;
use tests::{generate, synchronise, translated};

fn main() {
    let mut numbers = std::env::args().skip(1).map(|word| word.parse::<u64>().expect("a number"));
    let (count, first) = (numbers.next().unwrap_or(100), numbers.next().unwrap_or(0));
    let wrong: Vec<String> = (first..first + count)
        .into_par_iter()
        .flat_map_iter(|seed| {
            let plain = generate::kernel(seed);
            let waits = synchronise::kernel(seed);
            let one = translated::check(&plain, Sync::ALL).err().map(|what| format!("seed {seed}: {what}"));
            let other = translated::check_synchronised(&waits, Sync::ALL)
                .err()
                .map(|what| format!("seed {seed}, synchronised: {what}"));
            one.into_iter().chain(other)
        })
        .collect();
    for what in wrong.iter().take(20) {
        println!("{what}");
    }
    println!("{} of {} launches differ", wrong.len(), 2 * count);
    std::process::exit(i32::from(!wrong.is_empty()));
}
