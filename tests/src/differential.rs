//! Original against rewritten: the same launch on the emulator, and the same memory afterwards.

use emulator::{Checks, Launch, Machine, Memory, Outcome, Program, Report};
use ptx_parser::Module;

use crate::generate::Generated;

/// The memory after a launch, and the launch's counts.
#[derive(Debug)]
pub struct Run {
    /// The words of every buffer but the input, in order.
    pub buffers: Vec<Vec<u32>>,
    /// The emulator's report.
    pub report: Report,
}

/// Runs a generated kernel, original or rewritten, on a machine.
///
/// # Errors
/// The kernel cannot be decoded or launched, or the launch does not finish.
pub fn run(generated: &Generated, module: &Module, machine: Machine) -> Result<Run, String> {
    run_checked(generated, module, machine, Checks::default())
}

fn run_checked(generated: &Generated, module: &Module, machine: Machine, checks: Checks) -> Result<Run, String> {
    let program = Program::decode(module, "k").map_err(|error| error.to_string())?;
    let mut memory = Memory::new();
    let before = generated.buffers();
    let pointers = before.each_ref().map(|(name, words)| memory.alloc_from(words, name));
    let mut launch = Launch::new(generated.grid, 1);
    launch.block = generated.block;
    for pointer in pointers {
        launch = launch.arg(pointer);
    }
    let launch = Launch { checks, ..launch.arg(generated.n).arg(generated.salt).on(machine) };
    let report = emulator::run(&program, &mut memory, &launch).map_err(|error| error.to_string())?;
    if report.outcome != Outcome::Finished {
        return Err(format!("{:?}", report.outcome));
    }
    let mut buffers = Vec::new();
    for (pointer, (_, words)) in pointers.into_iter().zip(&before).skip(1) {
        buffers.push(memory.read::<u32>(pointer, words.len()).map_err(|error| error.to_string())?);
    }
    Ok(Run { buffers, report })
}

/// The result for a generated kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It was rewritten, and original and rewritten agree on all machines.
    Agrees {
        /// Regions that were rewritten, one at least.
        rewritten: usize,
        /// The reasons why regions were refused. One of them: their stack finds no shared memory.
        refused: Vec<String>,
        /// Accumulators that the regions fold values into, each counted for every region.
        reduced: usize,
        /// Regions whose tasks idle lanes share.
        shared: usize,
        /// Bytes of the contexts without compression.
        plain: u32,
        /// Bytes of the contexts with it.
        compressed: u32,
    },
    /// All of it was refused, with the first reason.
    Refused(String),
}

/// Rewrites a generated kernel, with and without compressed contexts, and compares it with its original on every machine.
///
/// # Errors
/// A description of the disagreement, or of what does not run.
pub fn check(generated: &Generated) -> Result<Verdict, String> {
    let original = Module::parse(&generated.ptx).map_err(|error| format!("generated text: {error}"))?;
    let expected =
        run(generated, &original, Machine::Stack).map_err(|error| format!("original on the stack machine: {error}"))?;
    agree(generated, &expected, "original", &original)?;
    no_races(generated, "original", &original)?;
    let plain = rewritten(generated, &original, false)?;
    if let Ok(Rewritten { module, .. }) = &plain {
        agree(generated, &expected, "rewritten", module)?;
        no_races(generated, "rewritten", module)?;
    }
    let compressed = match (rewritten(generated, &original, true)?, &plain) {
        (Ok(compressed), _) => compressed,
        (Err(refusal), Ok(_)) => return Err(format!("refused with compression alone ({refusal})")),
        (Err(refusal), Err(_)) => return Ok(Verdict::Refused(refusal)),
    };
    agree(generated, &expected, "compressed", &compressed.module)?;
    no_races(generated, "compressed", &compressed.module)?;
    let Rewritten { bytes, uncompressed, regions, refused, reduced, shared, .. } = compressed;
    // Where compression makes room for another region, the sums are of different regions.
    let differs = plain.is_ok_and(|plain| plain.regions == regions && plain.bytes != uncompressed);
    if bytes > uncompressed || differs {
        return Err(format!("contexts of {uncompressed} bytes are {bytes} bytes when compressed"));
    }
    let rewritten = regions.len();
    Ok(Verdict::Agrees { rewritten, refused, reduced, shared, plain: uncompressed, compressed: bytes })
}

/// A rewritten module.
struct Rewritten {
    module: Module,
    /// The numbers of the regions that were rewritten, and why others were refused.
    regions: Vec<u32>,
    refused: Vec<String>,
    reduced: usize,
    shared: usize,
    /// Bytes of its contexts.
    bytes: u32,
    /// Bytes that they would have without compression.
    uncompressed: u32,
}

/// The rewritten module, or the reason of a refusal.
fn rewritten(generated: &Generated, original: &Module, compress: bool) -> Result<Result<Rewritten, String>, String> {
    let mut module = original.clone();
    // Some kernels are told how large their blocks are, the others must do with the largest stack.
    let block = generated.seed.is_multiple_of(2).then(|| generated.block.iter().product());
    // The default, a limit that binds often, and one that never does.
    let recompute = [ccc::RECOMPUTE, 3, 1000][(generated.seed % 3) as usize];
    let hoist = [ccc::Hoist::Never, ccc::Hoist::WhereFree, ccc::Hoist::WhereNeighbours, ccc::Hoist::Always];
    let hoist = hoist[(generated.seed / 2 % 4) as usize];
    // Some leave all but the costliest path of a loop, or those that would cost occupancy, where they are.
    let most = generated.seed.is_multiple_of(7).then_some(1);
    let keep_occupancy = generated.seed.is_multiple_of(3);
    let split = !generated.seed.is_multiple_of(11);
    let options =
        ccc::Options { block, compress, recompute, hoist, split, most, keep_occupancy, ..ccc::Options::default() };
    let reports = ccc::rewrite_module(&mut module, &options);
    let regions: Vec<_> = reports.iter().flat_map(|report| &report.regions).collect();
    if regions.is_empty() {
        return Err("no region was found".to_owned());
    }
    let refusals: Vec<String> = regions
        .iter()
        .filter_map(|region| match &region.status {
            ccc::Status::Refused(refusal) | ccc::Status::LeftOut(refusal) => Some(refusal.to_string()),
            ccc::Status::Rewritten | ccc::Status::Unreached => None,
        })
        .collect();
    if let Some(refusal) = refusals.first()
        && refusals.len() == regions.len()
    {
        if module.to_string() != generated.ptx {
            return Err(format!("refused ({refusal}) but changed"));
        }
        return Ok(Err(refusal.clone()));
    }
    if regions.iter().any(|region| region.operations > u64::from(recompute)) {
        return Err(format!("a region computes more again than {recompute} operations"));
    }
    // What is run is what the text says, as ptxas would read it.
    let text = module.to_string();
    let module = Module::parse(&text).map_err(|error| format!("rewritten text: {error}\n{text}"))?;
    let bytes = regions.iter().map(|region| region.context_bytes).sum();
    let uncompressed = regions.iter().map(|region| region.uncompressed_bytes).sum();
    let reduced = regions.iter().map(|region| region.reductions.len()).sum();
    let shared = regions.iter().filter(|region| matches!(region.split, Some(Ok(())))).count();
    let done =
        regions.iter().filter(|region| region.status == ccc::Status::Rewritten).map(|region| region.id).collect();
    Ok(Ok(Rewritten { module, regions: done, refused: refusals, reduced, shared, bytes, uncompressed }))
}

/// Runs a module on every machine and compares what it leaves with what is expected.
fn agree(generated: &Generated, expected: &Run, name: &str, module: &Module) -> Result<(), String> {
    for &machine in Machine::ALL {
        let actual =
            run(generated, module, machine).map_err(|error| format!("{name} on {}: {error}", machine.name()))?;
        for (index, (expected, actual)) in expected.buffers.iter().zip(&actual.buffers).enumerate() {
            if let Some(at) = expected.iter().zip(actual).position(|(expected, actual)| expected != actual) {
                let (expected, actual) = (expected[at], actual[at]);
                return Err(format!(
                    "{name} on {}: buffer {index} word {at} is {actual:#x}, not {expected:#x}",
                    machine.name()
                ));
            }
        }
    }
    Ok(())
}

/// Runs a module with the check for races, which finds hardly more on other machines.
fn no_races(generated: &Generated, name: &str, module: &Module) -> Result<(), String> {
    let checks = Checks { races: true, ..Checks::default() };
    let run = run_checked(generated, module, Machine::Its, checks).map_err(|error| format!("{name}: {error}"))?;
    match run.report.findings.races.iter().flatten().next() {
        Some(race) => Err(format!("{name}: {race}")),
        None => Ok(()),
    }
}

/// The text of a generated kernel with its regions rewritten; `None` if all are refused.
///
/// # Errors
/// The rewritten text does not parse, or a refusal changed something.
pub fn rewritten_text(generated: &Generated) -> Result<Option<String>, String> {
    let original = Module::parse(&generated.ptx).map_err(|error| format!("generated text: {error}"))?;
    Ok(rewritten(generated, &original, true)?.ok().map(|rewritten| rewritten.module.to_string()))
}
