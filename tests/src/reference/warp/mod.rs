//! Operations of a warp: random small kernels in which lanes part, and what the PTX ISA says that they do ("shfl.sync", "vote.sync", "match.sync",
//! "redux.sync", "elect.sync", "bar.warp.sync", "activemask").
//!
//! The model (`model.rs`) knows a kernel as steps (`kernel.rs`), and neither its PTX nor anything of the emulator. Lanes that have ended need not come to an operation that names
//! them; all others have to be at the same instruction with the same mask, by whichever calls. Only `bar.warp.sync` may be met at several. An operation for which that never comes to be waits for ever.

mod generate;
mod kernel;
mod model;

use emulator::{Aware, Checks, Launch, Machine, Memory, Order, Outcome, Program, run};
use ptx_parser::Module;

pub use kernel::Kernel;
use kernel::WORDS;
use model::{Judged, judge};

/// The result of checking a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Checked {
    /// All machines leave the same memory as the model.
    Same,
    /// All but the stack do; there lanes do not come together, and it says so.
    NotOnStack,
    /// Lanes do what is undefined, which every machine names.
    Undefined,
    /// Lanes wait for ever.
    Hangs,
    /// The values that lanes read depend on who comes first, so that nothing is compared.
    Races,
}

/// The settings with which a kernel is run.
struct Run {
    machine: Machine,
    seed: u64,
    aware: Aware,
}

fn runs() -> Vec<Run> {
    let run = |machine, seed| Run { machine, seed, aware: Aware::default() };
    let rounds = Aware { order: Order::Rounds, timeout: Some(64), split_entries: Some(2), ..Aware::default() };
    let mut runs = vec![run(Machine::Stack, 0), run(Machine::Its, 0), run(Machine::Aware, 0)];
    runs.push(Run { machine: Machine::Aware, seed: 0, aware: rounds });
    runs.extend((0..3).map(|seed| run(Machine::Mimd, seed)));
    runs
}

/// Runs the kernel of a seed on all machines, and compares with the model.
///
/// # Errors
/// The machine that does what the ISA does not allow, as a text with the kernel.
pub fn check(seed: u64) -> Result<Checked, String> {
    let kernel = Kernel::of(seed);
    let (text, lines) = kernel.text();
    let judged = judge(&kernel);
    let module = Module::parse(&text).map_err(|error| format!("{error}\n{text}"))?;
    let program = Program::decode(&module, "k").map_err(|error| format!("{error}\n{text}"))?;
    let mut stack_ends = true;
    for run in runs() {
        let finished = one(&kernel, &judged, &lines, &program, &run)
            .map_err(|what| format!("{} (seed {}): {what}\n{text}", run.machine.name(), run.seed))?;
        stack_ends &= finished || run.machine != Machine::Stack;
    }
    Ok(match () {
        () if !judged.broken.is_empty() => Checked::Undefined,
        () if judged.races => Checked::Races,
        () if judged.hangs => Checked::Hangs,
        () if !stack_ends => Checked::NotOnStack,
        () => Checked::Same,
    })
}

/// One run; whether it ended as a whole.
fn one(kernel: &Kernel, judged: &Judged, lines: &[u32], program: &Program, how: &Run) -> Result<bool, String> {
    let mut memory = Memory::new();
    let out = memory.alloc(4 * WORDS as u64 * u64::from(kernel.threads), "out");
    let mut launch = Launch::new(1, kernel.threads).arg(out).on(how.machine);
    (launch.seed, launch.aware) = (how.seed, how.aware.clone());
    launch.step_budget = 1 << 20;
    launch.checks = Checks { undefined: true, ..Checks::default() };
    let report = run(program, &mut memory, &launch).map_err(|error| error.to_string())?;
    let named = report.findings.undefined.unwrap_or_default();
    let finished = report.outcome == Outcome::Finished;
    let stack = how.machine == Machine::Stack;
    if !finished && !matches!(report.outcome, Outcome::BarrierDivergence { .. }) {
        return Err(format!("{}", report.outcome));
    }
    if !judged.broken.is_empty() {
        // Behind what is undefined anything may follow; but it has to be said. A stack that stops at lanes that cannot come has said enough.
        let named = |(step, _): &(usize, &str)| named.iter().any(|what| what.site.ptx_line == lines[*step]);
        if judged.broken.iter().any(named) || (stack && !finished) {
            return Ok(finished);
        }
        return Err(format!("it names nothing of what is undefined: {:?}", judged.broken));
    }
    if judged.races {
        return Ok(finished);
    }
    if let Some(strange) = named.first() {
        return Err(format!("it says without a reason: {strange}"));
    }
    match (judged.hangs, finished) {
        (true, true) => return Err("it ends, and lanes should wait for ever".to_owned()),
        (false, false) if !stack => return Err(format!("{}", report.outcome)),
        (_, false) => return Ok(false),
        (false, true) => {}
    }
    let got = memory.read::<u32>(out, WORDS * kernel.threads as usize).map_err(|error| error.to_string())?;
    for (thread, (got, expected)) in got.chunks_exact(WORDS).zip(&judged.words).enumerate() {
        if expected.is_none_or(|expected| expected != got) {
            return Err(format!("thread {thread} leaves {got:x?} and not {expected:x?}"));
        }
    }
    Ok(true)
}
