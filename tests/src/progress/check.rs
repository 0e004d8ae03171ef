//! Holds what `ssde-ptx` makes of a program against the searches, and runs the result on all machines.
//!
//! A program is of interest if some scheduler runs it for ever and a random one ends it. Then
//!
//! - one in which nothing is found must not hang on a stack, whichever side of a branch goes first;
//! - a rewritten one must end on every machine.

use emulator::{Launch, Machine, Memory, Order, Outcome};
use ptx_parser::Module;

use super::code::Code;
use super::interleave::{Ends, ends};
use super::program::Program;
use super::stack::hangs_on_stack;
use crate::synchronise::{Ssde, Treatment};

/// Warp instructions after which a launch is taken to run for ever.
const BUDGET: u64 = 1 << 20;

/// The seeds of `mimd` that are tried.
const SEEDS: u64 = 2;

/// The result of rewriting a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rewrite {
    /// Nothing was found.
    Clean,
    /// It was rewritten.
    Rewritten,
    /// It was refused.
    Refused(String),
}

/// The result for a program of interest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tried {
    /// Under which schedulers it ends as it is.
    pub ends: Ends,
    /// True if it may hang on a stack as it is.
    pub hangs: bool,
    /// The result of rewriting it.
    pub rewrite: Rewrite,
    /// The failure, if there is one.
    pub failure: Option<String>,
}

/// The counts of programs of interest, by their results.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Count {
    /// Programs that were looked at.
    pub looked_at: u64,
    /// Those of interest.
    pub of_interest: u64,
    /// Those of them that end on every weakly fair scheduler.
    pub fair: u64,
    /// Those that may hang on a stack.
    pub hanging: u64,
    /// Those in which nothing is found.
    pub clean: u64,
    /// Those that are rewritten.
    pub rewritten: u64,
    /// Those that are refused.
    pub refused: u64,
    /// Those that fail.
    pub failed: u64,
    /// Those that fail and could not hang on a stack as they were.
    pub failed_without_hang: u64,
    /// Those that fail and end on every weakly fair scheduler as they were.
    pub failed_though_fair: u64,
}

impl Count {
    /// Counts a program.
    pub fn add(&mut self, tried: Option<&Tried>) {
        self.looked_at += 1;
        let Some(Tried { ends, hangs, rewrite, failure }) = tried else { return };
        self.of_interest += 1;
        self.fair += u64::from(*ends == Ends::WhereFair);
        self.hanging += u64::from(*hangs);
        match rewrite {
            Rewrite::Clean => self.clean += 1,
            Rewrite::Rewritten => self.rewritten += 1,
            Rewrite::Refused(_) => self.refused += 1,
        }
        self.failed += u64::from(failure.is_some());
        self.failed_without_hang += u64::from(failure.is_some() && !hangs);
        self.failed_though_fair += u64::from(failure.is_some() && *ends == Ends::WhereFair);
    }
}

/// Tries a program; `None` if it is of no interest.
///
/// # Errors
/// What keeps it from being searched or run.
pub fn try_program(program: &Program) -> Result<Option<Tried>, String> {
    try_text(&program.ptx(), program.lanes.len(), &vec![0; program.words()])
}

/// Tries the kernel of a module that takes the address of some words, from what they are at first; `None` if it is of no interest.
///
/// # Errors
/// What keeps it from being searched or run.
pub fn try_text(text: &str, lanes: usize, words: &[u32]) -> Result<Option<Tried>, String> {
    let code = Code::of(text)?;
    let ends = ends(&code, lanes, words).ok_or("too many interleavings")?;
    if matches!(ends, Ends::Always | Ends::Never) {
        return Ok(None);
    }
    let hangs = hangs_on_stack(&code, lanes, words).ok_or("too many states of a stack")?;
    let module = Module::parse(text).map_err(|error| error.to_string())?;
    let mut after = module.clone();
    let rewrite = match Ssde.rewrite(&mut after) {
        Err(why) => Rewrite::Refused(why),
        Ok(()) if after.to_string() == text => Rewrite::Clean,
        Ok(()) => Rewrite::Rewritten,
    };
    let failure = match rewrite {
        Rewrite::Clean => hangs.then(|| "nothing is found, and it may hang on a stack".to_owned()),
        Rewrite::Refused(_) => None,
        Rewrite::Rewritten => fails(&module, &after, lanes, words)?,
    };
    Ok(Some(Tried { ends, hangs, rewrite, failure }))
}

/// Returns what is wrong with a rewritten program, if anything.
fn fails(before: &Module, after: &Module, lanes: usize, words: &[u32]) -> Result<Option<String>, String> {
    // What is run is what the text says.
    let after = Module::parse(&after.to_string()).map_err(|error| error.to_string())?;
    if let Err(why) = Ssde.verify(before, &after) {
        return Ok(Some(format!("not verified: {why}")));
    }
    let mut launches: Vec<(String, Launch)> = Vec::new();
    for machine in [Machine::Stack, Machine::Its] {
        launches.push((machine.name().to_owned(), Launch::new(1, lanes as u32).on(machine)));
    }
    for order in Order::ALL {
        let mut launch = Launch::new(1, lanes as u32).on(Machine::Aware);
        launch.aware.order = order;
        launches.push((format!("aware, {}", order.name()), launch));
    }
    for seed in 0..SEEDS {
        let mut launch = Launch::new(1, lanes as u32).on(Machine::Mimd);
        launch.seed = seed;
        launches.push((format!("mimd with seed {seed}"), launch));
    }
    let program = emulator::Program::decode(&after, "k").map_err(|error| error.to_string())?;
    let mut failures = Vec::new();
    for (name, mut launch) in launches {
        launch.step_budget = BUDGET;
        let mut memory = Memory::new();
        let launch = launch.arg(memory.alloc_from(words, "words"));
        let report = emulator::run(&program, &mut memory, &launch).map_err(|error| error.to_string())?;
        if report.outcome != Outcome::Finished {
            failures.push(name);
        }
    }
    Ok((!failures.is_empty()).then(|| format!("rewritten, it never ends on {}", failures.join("; "))))
}

impl Program {
    /// Returns how many words it is about.
    #[must_use]
    pub fn words(&self) -> usize {
        self.threads.iter().flatten().map(|step| step.word as usize + 1).max().unwrap_or(0)
    }
}
