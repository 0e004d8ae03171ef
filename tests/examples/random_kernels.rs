//! Tries random kernels: `random_kernels COUNT [FIRST_SEED]`, or `random_kernels --print SEED` and `--rewritten SEED` to see one. Prints the verdicts counted
//! by kind, why regions were left out of kernels that were rewritten, and every failing seed.
#![allow(missing_docs)]

use std::collections::BTreeMap;
use std::process::ExitCode;

use rayon::prelude::*;
use tests::differential::{Verdict, check, rewritten_text};
use tests::generate::kernel;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| arguments.get(at).and_then(|word| word.parse::<u64>().ok());
    match (arguments.first().map(String::as_str), number(1)) {
        (Some("--print"), Some(seed)) => {
            print!("{}", kernel(seed).ptx);
            return ExitCode::SUCCESS;
        }
        (Some("--rewritten"), Some(seed)) => {
            return match rewritten_text(&kernel(seed)) {
                Ok(text) => {
                    print!("{}", text.unwrap_or_default());
                    ExitCode::SUCCESS
                }
                Err(what) => {
                    eprintln!("{what}");
                    ExitCode::FAILURE
                }
            };
        }
        _ => {}
    }
    let Some(count) = number(0) else {
        eprintln!(
            "usage: random_kernels COUNT [FIRST_SEED] | random_kernels --print SEED | random_kernels --rewritten SEED"
        );
        return ExitCode::from(2);
    };
    let first = number(1).unwrap_or(0);
    let mut verdicts: BTreeMap<String, u64> = BTreeMap::new();
    let mut left_out: BTreeMap<String, u64> = BTreeMap::new();
    let mut failures = 0;
    let (mut plain, mut compressed, mut folds, mut splits) = (0u64, 0u64, 0, 0);
    let tried = (first..first.saturating_add(count)).into_par_iter().map(|seed| {
        let tried = check(&kernel(seed));
        if let Err(what) = &tried {
            println!("seed {seed}: {what}");
        }
        tried
    });
    for tried in tried.collect::<Vec<_>>() {
        let verdict = match tried {
            Ok(Verdict::Agrees { rewritten, refused, reduced, shared, plain: without, compressed: with }) => {
                folds += reduced;
                splits += shared;
                plain += u64::from(without);
                compressed += u64::from(with);
                for reason in refused {
                    *left_out.entry(plain_words(&reason)).or_default() += 1;
                }
                format!("same memory, with and without compressed contexts; regions: {rewritten}")
            }
            Ok(Verdict::Refused(reason)) => format!("refused: {}", plain_words(&reason)),
            Err(_) => {
                failures += 1;
                "FAILED".to_owned()
            }
        };
        *verdicts.entry(verdict).or_default() += 1;
    }
    for (verdict, count) in &verdicts {
        println!("{count:8}  {verdict}");
    }
    for (reason, count) in &left_out {
        println!("{count:8}  regions of these left out: {reason}");
    }
    println!("contexts of {plain} bytes are {compressed} bytes when compressed");
    println!("{splits} regions whose tasks idle lanes share");
    println!("{folds} accumulators that regions fold values into");
    ExitCode::from(u8::from(failures > 0))
}

/// A refusal without what differs from kernel to kernel: register names and numbers.
fn plain_words(reason: &str) -> String {
    let words = reason.split(" (").next().unwrap_or(reason);
    words.replace(|c: char| c.is_ascii_digit(), "").replace("  ", " ")
}
