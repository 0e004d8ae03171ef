//! Holds the parser and its checks against ptxas on mutated texts: `mutations COUNT [SEED] [--dropped] [--all] [FILES…]`.
//!
//! Without files the parser's own samples are mutated. `--dropped` leaves only the kinds that drop something. Prints what the two disagree on
//! (with `--all` also where only ptxas refuses and it is no syntax, or where only the line differs), then a table by kind. The exit status is 1 if
//! something was refused that ptxas accepts, or something accepted that ptxas refuses for its syntax.
#![allow(missing_docs)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use tests::mutations::{Kind, Sample, Verdict, run};
use tests::saved::toolkit;

struct Arguments {
    count: usize,
    seed: u64,
    dropped: bool,
    all: bool,
    files: Vec<PathBuf>,
}

fn arguments() -> Option<Arguments> {
    let mut numbers = Vec::new();
    let mut read = Arguments { count: 0, seed: 0, dropped: false, all: false, files: Vec::new() };
    for word in std::env::args().skip(1) {
        match word.as_str() {
            "--dropped" => read.dropped = true,
            "--all" => read.all = true,
            _ => match word.parse::<u64>() {
                Ok(number) => numbers.push(number),
                Err(_) => read.files.push(word.into()),
            },
        }
    }
    read.count = usize::try_from(*numbers.first()?).ok()?;
    read.seed = numbers.get(1).copied().unwrap_or(0);
    Some(read)
}

fn main() -> Result<ExitCode> {
    let Some(arguments) = arguments() else {
        eprintln!("usage: mutations COUNT [SEED] [--dropped] [--all] [FILES…]");
        return Ok(ExitCode::from(2));
    };
    let toolkit = toolkit()?;
    let files = if arguments.files.is_empty() { tests::mutations::own_samples()? } else { arguments.files };
    let mut samples = Vec::new();
    for file in &files {
        match read(file).and_then(|text| Sample::new(&file.display().to_string(), text, toolkit)) {
            Ok(sample) => samples.push(sample),
            Err(error) => println!("left out: {error}"),
        }
    }
    let kinds: &[Kind] = if arguments.dropped { Kind::DROPPED } else { Kind::ALL };
    let table = run(&samples, kinds, (arguments.count, arguments.seed), toolkit, &mut |trial| {
        let minor = matches!(trial.verdict, Verdict::Missed | Verdict::OtherLine | Verdict::NoOpinion);
        if trial.verdict.is_wrong() || minor && arguments.all {
            println!("{trial}");
        }
    })?;
    println!("{} texts\n{table}", samples.len());
    Ok(ExitCode::from(u8::from(table.count(Verdict::is_wrong) > 0)))
}

fn read(file: &Path) -> Result<String> {
    std::fs::read_to_string(file).with_context(|| file.display().to_string())
}
