//! Runs random kernels natively and on the emulator: `cargo run --release -p tests --example translated -- COUNT [FIRST] [lockstep]`. With `lockstep`, those alone whose lanes rely on it.
#![allow(clippy::panic, missing_docs)]

use cpu::Sync;
use rayon::prelude::*;
use tests::{generate, lockstep, synchronise, translated};

fn main() {
    let only_lockstep = std::env::args().next_back().is_some_and(|word| word == "lockstep");
    let words = std::env::args().skip(1).filter(|word| word != "lockstep");
    let mut numbers = words.map(|word| word.parse::<u64>().expect("a number"));
    let (count, first) = (numbers.next().unwrap_or(100), numbers.next().unwrap_or(0));
    let wrong: Vec<String> = (first..first + count)
        .into_par_iter()
        .flat_map_iter(|seed| {
            let plain = generate::kernel(seed);
            let waits = synchronise::kernel(seed);
            let lanes = lockstep::kernel(seed);
            let treatments = [Sync::Merging, Sync::Splitting];
            let third = treatments.iter().filter_map(|&sync| {
                translated::check_lockstep(&lanes, &[sync]).err().map(|what| format!("seed {seed}, lockstep: {what}"))
            });
            let third: Vec<String> = third.collect();
            if only_lockstep {
                return third;
            }
            let one = translated::check(&plain, Sync::ALL).err().map(|what| format!("seed {seed}: {what}"));
            let other = translated::check_synchronised(&waits, Sync::ALL)
                .err()
                .map(|what| format!("seed {seed}, synchronised: {what}"));
            one.into_iter().chain(other).chain(third).collect()
        })
        .collect();
    for what in wrong.iter().take(20) {
        println!("{what}");
    }
    println!("{} of {} launches differ", wrong.len(), if only_lockstep { 2 * count } else { 4 * count });
    std::process::exit(i32::from(!wrong.is_empty()));
}
