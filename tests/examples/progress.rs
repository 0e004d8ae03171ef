//! Tries all small programs of a shape: `progress STEPS… [--lanes THREAD…] [--words N] [--all-actions] [--show N]`. `progress 1 2` are all programs of a lane
//! with one step and another one with two. Prints what was made of them, and some that fail.
#![allow(missing_docs)]

use std::process::ExitCode;

use tests::progress::{Count, Shape, programs, try_program};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).peekable();
    let mut numbers: Vec<usize> = Vec::new();
    let (mut lanes, mut words, mut all_actions, mut show) = (None, 1, false, 3);
    while let Some(word) = arguments.next() {
        let mut number = || arguments.next().and_then(|word| word.parse::<usize>().ok());
        match word.as_str() {
            "--all-actions" => all_actions = true,
            "--words" => words = number().unwrap_or(1),
            "--show" => show = number().unwrap_or(3),
            "--lanes" => lanes = Some(numbers.len()),
            word => numbers.extend(word.parse::<usize>().ok()),
        }
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
