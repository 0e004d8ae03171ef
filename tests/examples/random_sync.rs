//! Tries random kernels whose threads wait for each other: `random_sync [--dispatch] COUNT [FIRST_SEED]`, or `random_sync --print
//! SEED` to see one. All that does not end on the stack must be detected by `ssde-ptx`, and end when it is rewritten; with `--dispatch`, by one
//! dispatch for all loops, which is what it does last.
//! Prints how they ended on the stack, in all and by construct, what was made of them, and every failing seed.
#![allow(missing_docs)]

use std::collections::BTreeMap;
use std::process::ExitCode;

use rayon::prelude::*;
use tests::synchronise::{Dispatch, OnStack, Ssde, Treated, Treatment, Tried, check, kernel};

const DEADLOCK: &str = "SIMT-induced deadlock on the stack";

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let dispatches = arguments.first().is_some_and(|word| word == "--dispatch");
    arguments.drain(..usize::from(dispatches));
    let treatment: &(dyn Treatment + Sync) = if dispatches { &Dispatch } else { &Ssde };
    let mut treatments: BTreeMap<String, u64> = BTreeMap::new();
    let number = |at: usize| arguments.get(at).and_then(|word| word.parse::<u64>().ok());
    if let (Some("--print"), Some(seed)) = (arguments.first().map(String::as_str), number(1)) {
        print!("{}", kernel(seed).ptx);
        return ExitCode::SUCCESS;
    }
    let Some(count) = number(0) else {
        eprintln!("usage: random_sync [--dispatch] COUNT [FIRST_SEED] | random_sync --print SEED");
        return ExitCode::from(2);
    };
    let first = number(1).unwrap_or(0);
    let mut verdicts: BTreeMap<&str, u64> = BTreeMap::new();
    let mut constructs: BTreeMap<&str, BTreeMap<&str, u64>> = BTreeMap::new();
    let mut failures = 0;
    let tried = (first..first.saturating_add(count)).into_par_iter().map(|seed| {
        let kernel = kernel(seed);
        let tried = check(&kernel, &[treatment]);
        if let Err(what) = &tried {
            println!("seed {seed}: {what}");
        }
        (kernel.kinds, tried)
    });
    for (kinds, tried) in tried.collect::<Vec<_>>() {
        if let Ok(Tried { on_stack, treated }) = &tried
            && let [treated] = treated.as_slice()
        {
            let ended = if *on_stack == OnStack::Finished { "ended on the stack before" } else { "did not end before" };
            let treated = match treated {
                Treated::Clean => "nothing detected".to_owned(),
                Treated::Rewritten => "detected and rewritten".to_owned(),
                Treated::Refused(reason) => format!("detected and refused: {reason}"),
            };
            *treatments.entry(format!("{treated}; {ended}")).or_default() += 1;
        }
        let verdict = match tried {
            Ok(Tried { on_stack: OnStack::Finished, .. }) => "finished on all machines",
            Ok(Tried { on_stack: OnStack::Deadlock, .. }) => DEADLOCK,
            Ok(Tried { on_stack: OnStack::NotSeen, .. }) => "given up on the stack, still running and writing",
            Err(_) => {
                failures += 1;
                "FAILED"
            }
        };
        *verdicts.entry(verdict).or_default() += 1;
        for kind in kinds {
            *constructs.entry(kind).or_default().entry(verdict).or_default() += 1;
        }
    }
    for (verdict, count) in &verdicts {
        println!("{count:8}  {verdict}");
    }
    for (treated, count) in &treatments {
        println!("{count:8}  {treated}");
    }
    println!("\n   kernels  deadlock  construct");
    for (kind, verdicts) in &constructs {
        let deadlocks = verdicts.get(DEADLOCK).copied().unwrap_or(0);
        println!("{:10}  {deadlocks:8}  {kind}", verdicts.values().sum::<u64>());
    }
    ExitCode::from(u8::from(failures > 0))
}
