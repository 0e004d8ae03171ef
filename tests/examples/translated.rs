//! Runs random kernels natively and on the emulator: `cargo run --release -p tests --example translated -- COUNT [FIRST] [lockstep]`. With `lockstep`, those alone whose lanes rely on it.
#![allow(clippy::panic, missing_docs)]

use cpu::Sync;
use rayon::prelude::*;
use tests::{generate, lockstep, synchronise, translated};

/// The treatments under which lanes that rely on lockstep leave what they should.
const KEEPS_LOCKSTEP: &[Sync] = &[Sync::Merging, Sync::Splitting];

/// Runs the kernel of a seed, and compares what it leaves.
type Check = dyn Fn(u64) -> Result<(), String> + std::marker::Sync;

fn main() {
    let only_lockstep = std::env::args().any(|word| word == "lockstep");
    let words = std::env::args().skip(1).filter(|word| word != "lockstep");
    let mut numbers = words.map(|word| word.parse::<u64>().expect("a number"));
    let (count, first) = (numbers.next().unwrap_or(100), numbers.next().unwrap_or(0));
    let kinds: &[(&str, &Check)] = &[
        ("lockstep", &|seed| translated::check_lockstep(&lockstep::kernel(seed), KEEPS_LOCKSTEP)),
        ("plain", &|seed| translated::check(&generate::kernel(seed), Sync::ALL)),
        ("synchronised", &|seed| translated::check_synchronised(&synchronise::kernel(seed), Sync::ALL)),
    ];
    let kinds = if only_lockstep { &kinds[..1] } else { kinds };
    let wrong: Vec<String> = (first..first + count)
        .into_par_iter()
        .flat_map_iter(|seed| {
            kinds
                .iter()
                .filter_map(move |(kind, check)| check(seed).err().map(|what| format!("seed {seed}, {kind}: {what}")))
        })
        .collect();
    for what in wrong.iter().take(20) {
        println!("{what}");
    }
    println!("{} of {} random kernels differ", wrong.len(), kinds.len() as u64 * count);
    std::process::exit(i32::from(!wrong.is_empty()));
}
