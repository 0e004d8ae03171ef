//! Tries random kernels: `random_kernels COUNT [FIRST_SEED]`. Prints the verdicts counted by kind, and every failing seed.
#![allow(missing_docs)]

use std::collections::BTreeMap;
use std::process::ExitCode;

use tests::differential::{Verdict, check};
use tests::generate::kernel;

fn main() -> ExitCode {
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let [count, rest @ ..] = numbers.as_slice() else {
        eprintln!("usage: random_kernels COUNT [FIRST_SEED]");
        return ExitCode::from(2);
    };
    let first = rest.first().copied().unwrap_or(0);
    let mut verdicts: BTreeMap<String, u64> = BTreeMap::new();
    let mut failures = 0;
    let (mut plain, mut compressed, mut folds) = (0u64, 0u64, 0);
    for seed in first..first.saturating_add(*count) {
        let verdict = match check(&kernel(seed)) {
            Ok(Verdict::Agrees { rewritten, refused, reduced, plain: without, compressed: with }) => {
                folds += reduced;
                plain += u64::from(without);
                compressed += u64::from(with);
                format!("same memory, with and without compressed contexts; regions: {rewritten}, refused: {refused}")
            }
            // Register names and numbers differ from kernel to kernel; the reason does not.
            Ok(Verdict::Refused(reason)) => {
                let words = reason.split(" (").next().unwrap_or(&reason);
                format!("refused: {}", words.replace(|c: char| c.is_ascii_digit(), "").replace("  ", " "))
            }
            Err(what) => {
                failures += 1;
                println!("seed {seed}: {what}");
                "FAILED".to_owned()
            }
        };
        *verdicts.entry(verdict).or_default() += 1;
    }
    for (verdict, count) in &verdicts {
        println!("{count:8}  {verdict}");
    }
    println!("contexts of {plain} bytes are {compressed} bytes when compressed");
    println!("{folds} accumulators that regions fold values into");
    ExitCode::from(u8::from(failures > 0))
}
