//! Tries all small programs of a shape: `progress STEPS… [--lanes THREAD…] [--words N] [--all-actions] [--show N]`. `progress 1 2` are all programs of a lane
//! with one step and another one with two. `progress --attempts COUNT [FIRST_SEED] [--show N]` tries random loops that look as if they waited for nobody. Prints what was made of them, and some
//! that fail.
#![allow(missing_docs)]

use std::process::ExitCode;

use rayon::prelude::*;
use tests::progress::{Count, Ends, Shape, Tried, attempt, programs, try_program, try_text};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).peekable();
    let mut numbers: Vec<usize> = Vec::new();
    let (mut lanes, mut words, mut all_actions, mut show, mut attempts) = (None, 1, false, 3, false);
    while let Some(word) = arguments.next() {
        let mut number = || arguments.next().and_then(|word| word.parse::<usize>().ok());
        match word.as_str() {
            "--all-actions" => all_actions = true,
            "--attempts" => attempts = true,
            "--words" => words = number().unwrap_or(1),
            "--show" => show = number().unwrap_or(3),
            "--lanes" => lanes = Some(numbers.len()),
            word => numbers.extend(word.parse::<usize>().ok()),
        }
    }
    if attempts {
        return try_attempts(&numbers, show);
    }
    let of_lanes = lanes.map(|at| numbers.split_off(at));
    let mut shape = Shape::new(&numbers);
    (shape.words, shape.all_actions) = (words as u32, all_actions);
    shape.lanes = of_lanes.unwrap_or(shape.lanes);
    let (mut count, mut shown) = (Count::default(), 0);
    for program in programs(&shape) {
        match try_program(&program) {
            Ok(tried) => {
                count.add(tried.as_ref());
                if let Some(tried) = tried.filter(|tried| tried.failure.is_some() && shown < show) {
                    shown += 1;
                    println!("{}\n{tried:?}\n{:?}\n", program.ptx(), program.threads);
                }
            }
            Err(what) => println!("{what}: {program:?}"),
        }
    }
    println!("{count:#?}");
    ExitCode::from(u8::from(count.failed > 0))
}

/// Tries the random loops of some seeds. Those fail that end wherever each lane runs again and again, but not once they are treated.
fn try_attempts(numbers: &[usize], show: usize) -> ExitCode {
    let (count, first) = match *numbers {
        [count] => (count as u64, 0),
        [count, first] => (count as u64, first as u64),
        _ => {
            eprintln!("usage: progress --attempts COUNT [FIRST_SEED] [--show N]");
            return ExitCode::from(2);
        }
    };
    let seeds = (first..first.saturating_add(count)).into_par_iter();
    let all = seeds.map(|seed| {
        let program = attempt(seed);
        (seed, try_text(&program.ptx, program.lanes, &program.words))
    });
    let (mut counts, mut not_searched, mut shown) = (Count::default(), 0, 0);
    let fails = |tried: &Tried| tried.failure.is_some() && tried.ends == Ends::WhereFair;
    for (seed, tried) in all.collect::<Vec<_>>() {
        match tried {
            Ok(tried) => {
                counts.add(tried.as_ref());
                if let Some(tried) = tried.filter(|tried| fails(tried) && shown < show) {
                    shown += 1;
                    let program = attempt(seed);
                    println!(
                        "seed {seed}: {tried:?}\n{} lanes, words {:?}\n{}",
                        program.lanes, program.words, program.ptx
                    );
                }
            }
            Err(_) => not_searched += 1,
        }
    }
    println!("{counts:#?}\n{not_searched} have too many states to be searched");
    ExitCode::from(u8::from(counts.failed_though_fair > 0))
}
