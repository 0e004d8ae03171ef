//! Compares the emulator with independent models: `reference barriers COUNT [FIRST_SEED]`, or `reference barriers --print SEED` to see a case.
//! Prints how many cases there were of each kind, and every case in which the two differ.
#![allow(missing_docs)]

use std::collections::BTreeMap;
use std::process::ExitCode;

use tests::reference::barriers;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| arguments.get(at).and_then(|word| word.parse::<u64>().ok());
    let model = arguments.first().map(String::as_str);
    if let (Some("barriers"), Some("--print"), Some(seed)) = (model, arguments.get(1).map(String::as_str), number(2)) {
        print!("{}", barriers::Kernel::of(seed).ptx());
        return ExitCode::SUCCESS;
    }
    let (Some("barriers"), Some(count)) = (model, number(1)) else {
        eprintln!("usage: reference barriers COUNT [FIRST_SEED] | reference barriers --print SEED");
        return ExitCode::from(2);
    };
    let first = number(2).unwrap_or(0);
    let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
    let mut failures = 0;
    for seed in first..first.saturating_add(count) {
        let kind = match barriers::check(seed) {
            Ok(checked) => format!("{checked:?}"),
            Err(what) => {
                failures += 1;
                println!("seed {seed}: {what}");
                "DIFFERENT".into()
            }
        };
        *kinds.entry(kind).or_default() += 1;
    }
    for (kind, count) in &kinds {
        println!("{count:8}  {kind}");
    }
    ExitCode::from(u8::from(failures > 0))
}
