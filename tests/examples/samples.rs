//! Runs the kernels of the kinds that CUDA's samples and libcu++ show on every machine: `samples SEEDS [NAME]`. Prints each that is
//! wrong, and where.
#![allow(missing_docs)]

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(seeds) = arguments.first().and_then(|word| word.parse().ok()) else {
        eprintln!("usage: samples SEEDS [NAME]");
        return ExitCode::from(2);
    };
    let wanted = arguments.get(1);
    let mut samples = tests::samples::all();
    samples.retain(|sample| wanted.is_none_or(|name| sample.name.contains(name.as_str())));
    let (mut right, mut wrong) = (0, 0);
    for sample in samples {
        match sample.check(seeds) {
            Ok(()) => right += 1,
            Err(what) => {
                wrong += 1;
                println!("{}: {}: {what}", sample.file, sample.name);
            }
        }
    }
    println!("{right} of {} kernels do what they must", right + wrong);
    ExitCode::from(u8::from(wrong > 0))
}
