//! Compares the emulator with independent models: `reference barriers|floats|warp COUNT [FIRST_SEED]`, or `reference barriers|warp --print SEED` to see a
//! kernel.
//! Prints how many cases there were of each kind, and every case in which the two differ.
#![allow(missing_docs)]

use std::collections::BTreeMap;
use std::process::ExitCode;

use tests::reference::{barriers, floats, warp};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let number = |at: usize| words.get(at).and_then(|word| word.parse::<u64>().ok());
    if let ([model @ ("barriers" | "warp"), "--print", ..], Some(seed)) = (words.as_slice(), number(2)) {
        let ptx = if *model == "warp" { warp::Kernel::of(seed).ptx() } else { barriers::Kernel::of(seed).ptx() };
        print!("{ptx}");
        return ExitCode::SUCCESS;
    }
    let (Some(&model @ ("barriers" | "floats" | "warp")), Some(count)) = (words.first(), number(1)) else {
        eprintln!("usage: reference barriers|floats|warp COUNT [FIRST_SEED] | reference barriers|warp --print SEED");
        return ExitCode::from(2);
    };
    let check = |seed: u64| match model {
        "barriers" => barriers::check(seed).map(|checked| format!("{checked:?}")),
        "warp" => warp::check(seed).map(|checked| format!("{checked:?}")),
        _ => floats::check(seed).map(|()| "the same".to_owned()),
    };
    let first = number(2).unwrap_or(0);
    let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
    let mut failures = 0;
    for seed in first..first.saturating_add(count) {
        let kind = check(seed).unwrap_or_else(|difference| {
            failures += 1;
            println!("seed {seed}: {difference}");
            "different".to_owned()
        });
        *kinds.entry(kind).or_default() += 1;
    }
    for (kind, count) in &kinds {
        println!("{count:8}  {kind}");
    }
    ExitCode::from(u8::from(failures > 0))
}
