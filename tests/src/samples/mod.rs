//! Kernels of the kinds that CUDA's samples and libcu++ show, on every machine, with results that plain Rust computes.
//!
//! All of them are in `tests/kernels/samples` and have the same parameters: numbers, results, words that begin as 0, and how many numbers there are. A [`Sample`]
//! says how to launch one, and what it must leave. What a machine cannot finish by its nature, as the stack a lock that each lane takes, is expected of it.

mod arithmetic;
mod groups;
mod reductions;
mod sorts;
mod synchronisation;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use emulator::{Aware, Checks, Launch, Machine, Memory, Order, Outcome, Program, run};
use ptx_parser::Module;

use crate::generate::Random;
use crate::saved::Build;

/// Words that a kernel has to itself, and that begin as 0.
const SCRATCH: usize = 4096;

/// A launch: blocks, threads of each, and the number that the kernel is told.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    blocks: usize,
    threads: usize,
    n: usize,
}

type Expected = fn(&[i32], Shape) -> Vec<i32>;

/// A kernel and what it must do.
#[derive(Clone)]
pub struct Sample {
    /// The file and the kernel in it.
    pub file: &'static str,
    /// See `file`.
    pub name: &'static str,
    shapes: Vec<Shape>,
    expected: Expected,
    /// The number of numbers that it is given.
    numbers: fn(Shape) -> usize,
    /// The way in which it ends on the stack.
    on_stack: &'static str,
}

/// A kernel that is told how many numbers there are.
fn sample(name: &'static str, shapes: &[(usize, usize, usize)], expected: Expected) -> Sample {
    let shape = |&(blocks, threads, n): &(usize, usize, usize)| Shape { blocks, threads, n };
    Sample {
        file: "",
        name,
        shapes: shapes.iter().map(shape).collect(),
        expected,
        numbers: |shape| shape.n,
        on_stack: "finished",
    }
}

impl Sample {
    fn given(self, numbers: fn(Shape) -> usize) -> Sample {
        Sample { numbers, ..self }
    }

    /// The stack cannot finish it, for lanes wait that others of their warp would have to let go on.
    fn deadlocks_on_stack(self) -> Sample {
        Sample { on_stack: "simt-deadlock", ..self }
    }

    /// Runs it on all machines, on those that draw an order with so many seeds.
    ///
    /// # Errors
    /// What was wrong first on each machine, line by line.
    pub fn check(&self, seeds: u64) -> Result<(), String> {
        let module = compile(self.file)?;
        let program = Program::decode(&module, self.name).map_err(|error| error.to_string())?;
        let mut wrong = Vec::new();
        for (index, &shape) in self.shapes.iter().enumerate() {
            let mut random = Random::new(index as u64);
            let number = |_| random.below(2000).cast_signed() - 1000;
            let numbers: Vec<i32> = (0..(self.numbers)(shape)).map(number).collect();
            let expected = (self.expected)(&numbers, shape);
            for &machine in Machine::ALL {
                let seeds = if machine == Machine::Mimd { seeds } else { 1 };
                let one = |seed| self.one(&program, shape, (&numbers, &expected), (machine, seed, Order::Fifo));
                let mut what = (0..seeds).find_map(|seed| Some((seed, one(seed).err()?)));
                if machine == Machine::Aware && what.is_none() {
                    let rounds = self.one(&program, shape, (&numbers, &expected), (machine, 0, Order::Rounds));
                    what = rounds.err().map(|what| (0, format!("in rounds: {what}")));
                }
                if let Some((seed, what)) = what {
                    wrong.push(format!("{shape:?} on {} (seed {seed}): {what}", machine.name()));
                }
            }
        }
        if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
    }

    fn one(
        &self,
        program: &Program,
        shape: Shape,
        (numbers, expected): (&[i32], &[i32]),
        (machine, seed, order): (Machine, u64, Order),
    ) -> Result<(), String> {
        let mut memory = Memory::new();
        let given = memory.alloc_from(numbers, "in");
        let out = memory.alloc_from(&vec![0i32; expected.len()], "out");
        let scratch = memory.alloc_from(&[0i32; SCRATCH], "scratch");
        let mut launch = Launch::new(shape.blocks as u32, shape.threads as u32).on(machine);
        launch = launch.arg(given).arg(out).arg(scratch).arg(shape.n as i32);
        launch.seed = seed;
        launch.aware = Aware { order, ..Aware::default() };
        let must = if machine == Machine::Stack { self.on_stack } else { "finished" };
        launch.step_budget = 1 << 26;
        launch.checks = Checks { undefined: true, ..Checks::default() };
        let report = run(program, &mut memory, &launch).map_err(|error| error.to_string())?;
        if report.outcome.name() != must {
            return Err(format!("it must end as {must}: {}", report.outcome));
        }
        if let Some(named) = report.findings.undefined.iter().flatten().find(|one| !one.rule.may_be_harmless()) {
            return Err(named.to_string());
        }
        if report.outcome != Outcome::Finished {
            return Ok(());
        }
        let got = memory.read::<i32>(out, expected.len()).map_err(|error| error.to_string())?;
        match (0..got.len()).find(|&index| got[index] != expected[index]) {
            Some(index) => Err(format!("word {index} is {} and not {}", got[index], expected[index])),
            None => Ok(()),
        }
    }
}

/// All kernels.
#[must_use]
pub fn all() -> Vec<Sample> {
    let of = |file, samples: Vec<Sample>| samples.into_iter().map(move |sample| Sample { file, ..sample });
    of("arithmetic", arithmetic::samples())
        .chain(of("reductions", reductions::samples()))
        .chain(of("sorts", sorts::samples()))
        .chain(of("waits", synchronisation::waits()))
        .chain(of("library", synchronisation::library()))
        .chain(of("groups", groups::samples()))
        .chain(of("wide_groups", groups::wide()))
        .collect()
}

/// The module of a file, compiled once per process.
fn compile(file: &'static str) -> Result<Module, String> {
    static MODULES: Mutex<BTreeMap<&str, Module>> = Mutex::new(BTreeMap::new());
    let mut modules = MODULES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(module) = modules.get(file) {
        return Ok(module.clone());
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels/samples").join(file).with_extension("cu");
    let module = Build::new(&path, "sm_90", &["-std=c++17"]).module().map_err(|error| format!("{error:#}"))?;
    modules.insert(file, module.clone());
    Ok(module)
}

/// The numbers of each block, one per thread; 0 for those that there are not.
fn blocks(numbers: &[i32], shape: Shape) -> Vec<Vec<i32>> {
    let of = |index: usize| if index < shape.n { numbers.get(index).copied().unwrap_or(0) } else { 0 };
    let block = |block: usize| (0..shape.threads).map(|thread| of(block * shape.threads + thread)).collect();
    (0..shape.blocks).map(block).collect()
}

/// Returns what each tile of so many threads leaves, one word or several; the last of a block may be smaller.
fn by_tile(numbers: &[i32], shape: Shape, size: usize, leaves: impl Fn(&[i32], usize) -> Vec<i32>) -> Vec<i32> {
    let tiles = |block: Vec<i32>| -> Vec<i32> {
        block.chunks(size).enumerate().flat_map(|(index, tile)| leaves(tile, index)).collect()
    };
    blocks(numbers, shape).into_iter().flat_map(tiles).collect()
}

fn by_block(numbers: &[i32], shape: Shape, leaves: impl Fn(&[i32]) -> Vec<i32>) -> Vec<i32> {
    by_tile(numbers, shape, shape.threads, |block, _| leaves(block))
}

/// The sum of all up to each.
fn running_sums(numbers: &[i32]) -> Vec<i32> {
    let add = |sum: &mut i32, number: &i32| {
        *sum += number;
        Some(*sum)
    };
    numbers.iter().scan(0, add).collect()
}

fn sum(numbers: &[i32]) -> i32 {
    numbers.iter().sum()
}
fn most(numbers: &[i32]) -> i32 {
    numbers.iter().copied().max().unwrap_or(0)
}
fn least(numbers: &[i32]) -> i32 {
    numbers.iter().copied().min().unwrap_or(0)
}
fn odd(number: &i32) -> bool {
    number & 1 == 1
}

/// As many numbers as threads.
fn one_each(shape: Shape) -> usize {
    shape.blocks * shape.threads
}
