//! Runs a kernel on all machines: on the fair ones it must end with one memory, on the stack it may deadlock.
//!
//! `mimd` runs it first, with several seeds: that it ends there, always with the same memory, is what the generator
//! promises. Then come the fair machines that have warps, and the stack. A [`Treatment`] says which kernels will
//! deadlock on the stack, and removes that; it is held to both.

use emulator::{Aware, Launch, Machine, Memory, Order, Outcome, Program, Reconvergence};
use ptx_parser::Module;

use super::Synchronised;

/// The seeds of `mimd` that are compared with one more.
const SEEDS: u64 = 3;

/// Warp instructions after which a launch is given up.
const BUDGET: u64 = 1 << 29;

/// The same on `its`, where lanes that meet wait whole rounds of turns for others that spin: what ends takes thousands of times as many as on `stack`.
const BUDGET_OF_ITS: u64 = 1 << 33;

/// The same on `stack` for a kernel as it is, which may go round for ever there: what ends takes few. What does not is to be detected anyway.
const BUDGET_AS_IT_IS: u64 = 1 << 22;

/// A treatment that should find SIMT-induced deadlocks, and remove them.
pub trait Treatment {
    /// Returns what an error calls it.
    fn name(&self) -> &'static str;

    /// Returns true if the kernels of a module may deadlock on a reconvergence stack.
    fn detects(&self, module: &Module) -> bool;

    /// Rewrites a module so that it does not.
    ///
    /// # Errors
    /// Why it cannot be rewritten; the module is as it was.
    fn rewrite(&self, module: &mut Module) -> Result<(), String>;

    /// Checks without running it that a rewritten module does what it did before; both were read from text.
    ///
    /// # Errors
    /// Where it does not.
    fn verify(&self, before: &Module, after: &Module) -> Result<(), String> {
        let _ = (before, after);
        Ok(())
    }

    /// Returns where lanes may meet instead, so that the module ends as it is on an `aware` machine without a timeout; `None`
    /// if the treatment does not say.
    fn safe_points(&self, module: &Module) -> Option<Vec<Reconvergence>> {
        let _ = module;
        None
    }
}

/// The end of a kernel on the stack.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum OnStack {
    /// With the same memory as on the other machines.
    Finished,
    /// In a SIMT-induced deadlock.
    Deadlock,
    /// Not before it was given up. Lanes that try for ever and write to memory meanwhile are not told from lanes that
    /// get on.
    NotSeen,
}

/// The result of treating a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Treated {
    /// Nothing was detected, and nothing changed.
    Clean,
    /// The deadlock that was detected is gone: the kernel ends on all machines.
    Rewritten,
    /// Something was detected, and the rewrite refused, for this reason.
    Refused(String),
}

/// The results for a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tried {
    /// The end of the original kernel on the stack.
    pub on_stack: OnStack,
    /// The result of each treatment, in the order in which they were given.
    pub treated: Vec<Treated>,
}

/// Tries a kernel on every machine, and what each treatment makes of it.
///
/// # Errors
/// What does not run, end or agree, on which machine; a deadlock that was not detected; one that is left or detected
/// after the rewrite; a rewrite that the checker does not accept; a kernel that was rewritten although nothing was detected.
pub fn check(kernel: &Synchronised, treatments: &[&dyn Treatment]) -> Result<Tried, String> {
    let module = Module::parse(&kernel.ptx).map_err(|error| format!("generated text: {error}"))?;
    let expected = ends(kernel, &module, Machine::Mimd, SEEDS)?;
    agrees_where_fair(kernel, &module, &expected)?;
    let mut on_stack = launch(kernel, Machine::Stack, 0);
    on_stack.step_budget = BUDGET_AS_IT_IS;
    let on_stack = match launched(kernel, &module, on_stack)? {
        (Outcome::Finished, data) => {
            same(&expected, &data, "stack")?;
            OnStack::Finished
        }
        (Outcome::SimtDeadlock { .. }, _) => OnStack::Deadlock,
        (Outcome::Budget { .. }, _) => OnStack::NotSeen,
        (other, _) => return Err(format!("stack: {other}")),
    };
    let treated = |treatment: &&dyn Treatment| {
        let treated = treated(kernel, &module, &expected, *treatment, on_stack);
        treated.map_err(|what| format!("{}: {what}", treatment.name()))
    };
    Ok(Tried { on_stack, treated: treatments.iter().map(treated).collect::<Result<_, _>>()? })
}

/// Runs a form of a kernel where every thread is on its own.
///
/// # Errors
/// What does not run, or which of the expected results it does not leave.
pub fn leaves(kernel: &Synchronised, module: &Module, expected: &[u32]) -> Result<(), String> {
    same(expected, &ends(kernel, module, Machine::Mimd, 0)?, Machine::Mimd.name())
}

/// Returns what a form of a kernel leaves on a machine on which it must end.
///
/// # Errors
/// What does not run, or how it ends otherwise.
pub fn results(kernel: &Synchronised, module: &Module, machine: Machine) -> Result<Vec<u32>, String> {
    ends(kernel, module, machine, 0)
}

/// Holds a treatment to what it says and does.
fn treated(
    kernel: &Synchronised,
    module: &Module,
    expected: &[u32],
    treatment: &dyn Treatment,
    on_stack: OnStack,
) -> Result<Treated, String> {
    let detected = treatment.detects(module);
    if let Some(points) = treatment.safe_points(module) {
        for order in Order::ALL {
            let mut aware = launch(kernel, Machine::Aware, 0);
            aware.aware = Aware { timeout: None, reconvergence: points.clone(), order, ..aware.aware };
            let what = format!("aware with safe points, {}", order.name());
            match launched(kernel, module, aware)? {
                (Outcome::Finished, data) => same(expected, &data, &what)?,
                (other, _) => return Err(format!("{what}: {other}")),
            }
        }
    }
    if on_stack != OnStack::Finished && !detected {
        return Err("what does not end on the stack was not detected".to_owned());
    }
    let mut rewritten = module.clone();
    let refusal = treatment.rewrite(&mut rewritten).err();
    let text = rewritten.to_string();
    if (refusal.is_some() || !detected) && text != kernel.ptx {
        return Err("nothing was detected, or it was refused, and the text changed".to_owned());
    }
    match refusal {
        Some(reason) => return Ok(Treated::Refused(reason)),
        None if !detected => return Ok(Treated::Clean),
        None => {}
    }
    // What is run is what the text says, as ptxas would read it.
    let rewritten = Module::parse(&text).map_err(|error| format!("rewritten text: {error}\n{text}"))?;
    if treatment.detects(&rewritten) {
        return Err("something is detected after the rewrite".to_owned());
    }
    treatment.verify(module, &rewritten).map_err(|what| format!("not verified: {what}"))?;
    agrees_where_fair(kernel, &rewritten, expected)?;
    same(expected, &ends(kernel, &rewritten, Machine::Stack, 0)?, "stack")?;
    Ok(Treated::Rewritten)
}

/// The kernel ends on the fair machines, with the memory that is expected.
fn agrees_where_fair(kernel: &Synchronised, module: &Module, expected: &[u32]) -> Result<(), String> {
    let mimd = (0..SEEDS).map(|seed| (Machine::Mimd, seed));
    for (machine, seed) in mimd.chain([(Machine::Its, 0), (Machine::Aware, 0)]) {
        same(expected, &ends(kernel, module, machine, seed)?, &format!("{} with seed {seed}", machine.name()))?;
    }
    Ok(())
}

fn same(expected: &[u32], actual: &[u32], machine: &str) -> Result<(), String> {
    match expected.iter().zip(actual).position(|(expected, actual)| expected != actual) {
        None => Ok(()),
        Some(at) => Err(format!("{machine}: word {at} of the results is {:#x}, not {:#x}", actual[at], expected[at])),
    }
}

/// The results of a launch that must finish.
fn ends(kernel: &Synchronised, module: &Module, machine: Machine, seed: u64) -> Result<Vec<u32>, String> {
    match run(kernel, module, machine, seed)? {
        (Outcome::Finished, data) => Ok(data),
        (other, _) => Err(format!("{} with seed {seed}: {other}", machine.name())),
    }
}

/// Returns how a kernel ends on a machine, and the results that it leaves.
fn run(kernel: &Synchronised, module: &Module, machine: Machine, seed: u64) -> Result<(Outcome, Vec<u32>), String> {
    launched(kernel, module, launch(kernel, machine, seed))
}

/// A launch without arguments; the tables of `aware`, its timeout and its order differ from kernel to kernel.
fn launch(kernel: &Synchronised, machine: Machine, seed: u64) -> Launch {
    let mut launch = Launch::new(kernel.grid, kernel.block).on(machine);
    (launch.seed, launch.step_budget) = (seed, if machine == Machine::Its { BUDGET_OF_ITS } else { BUDGET });
    let (timeout, splits, points) =
        [(1 << 14, None, None), (1 << 12, Some(4), Some(2)), (100, Some(1), Some(1))][(kernel.seed % 3) as usize];
    launch.shared_bytes = kernel.dynamic_bytes;
    launch.aware.timeout = Some(timeout);
    (launch.aware.split_entries, launch.aware.reconvergence_entries) = (splits, points);
    launch.aware.order = Order::ALL[(kernel.seed / 3 % 2) as usize];
    launch
}

/// Returns how a launch ends, and the results that it leaves.
fn launched(kernel: &Synchronised, module: &Module, launch: Launch) -> Result<(Outcome, Vec<u32>), String> {
    let program = Program::decode(module, "k").map_err(|error| error.to_string())?;
    let mut memory = Memory::new();
    let [sync, data, plan, input] = kernel.buffers().map(|(name, words)| memory.alloc_from(&words, name));
    let launch = launch.arg(sync).arg(data).arg(plan).arg(input);
    let report = emulator::run(&program, &mut memory, &launch).map_err(|error| error.to_string())?;
    let data = memory.read(data, kernel.data_words as usize).map_err(|error| error.to_string())?;
    Ok((report.outcome, data))
}
