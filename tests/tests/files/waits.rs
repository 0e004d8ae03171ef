//! Small kernels with locks, flags, semaphores and barriers as people write them, in `tests/kernels/waits`: compiled with and without optimisation, rewritten, and run.
//!
//! Each has a kernel `k` of a buffer of 256 zeros and the number 4, and is launched on two blocks of 64 threads. Comments at its top name builds (`O3`, `G`, or `O3:100` for one architecture):
//!
//! ```text
//! // HANGS: O3 G        it is a SIMT-induced deadlock on `stack` in some order of the sides of branches, and must be rewritten
//! // REFUSED: G         it is not rewritten
//! // NO POINTS: G       no points for AWARE's lanes to meet at let it end without a timeout
//! // GIVES UP: O3 G      it would hang, but ends by itself after more tries than are run
//! // ENDS: 64 128 0      the first numbers of the buffer in the end
//! ```
//!
//! In any build it ends on `its`. What is rewritten is certified, nothing is found in it, and it leaves the same memory as the original did there on all machines, in several
//! orders of the sides of branches and of threads. The original leaves that on AWARE without a timeout, with the points that are found for it. `cargo test -p tests --test files -- waits --ignored` builds for further architectures, and takes those of the folder `more`, which
//! is too large for every run.
use std::path::{Path, PathBuf};

use benchmarks::ssde::labelled;
use emulator::{Aware, Checks, Launch, Machine, Memory, Outcome, Program, Report, run};
use libtest_mimic::{Failed, Trial};
use ptx_parser::Module;
use ssde_ptx::{Done, Linked, SeenByCallers, certify, compared, find_among, meetings_among, same_outside, treat_among};
use tests::races::new_race;
use tests::saved::Build;

/// More than any of them takes; those that hang are found out long before.
const BUDGET: u64 = 1 << 31;

/// The tests of all kernels.
pub(crate) fn trials() -> Vec<Trial> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels/waits");
    let files = sources(&folder);
    assert!(6 * files.len() > 200, "the kernels are missing");
    let files = files.into_iter().map(|file| (file, false));
    let more = sources(&folder.join("more")).into_iter().map(|file| (file, true));
    let mut trials = Vec::new();
    for (file, rarely) in files.chain(more) {
        for (build, arch) in [("O3", 90), ("G", 90), ("O3", 75), ("O3", 100), ("G", 75), ("G", 100)] {
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let file = file.clone();
            let rarely = rarely || arch != 90;
            let trial =
                Trial::test(format!("waits::{name}::{build}::sm_{arch}"), move || check(&file, build, arch, rarely));
            trials.push(trial.with_ignored_flag(rarely));
        }
    }
    trials
}

/// The sources in a folder, in their order.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).map(|entries| entries.flatten().map(|entry| entry.path()).collect());
    let mut files: Vec<PathBuf> = entries.unwrap_or_default();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "cu"));
    files.sort();
    files
}

fn check(file: &Path, build: &str, arch: u32, rarely: bool) -> Result<(), Failed> {
    let text = std::fs::read_to_string(file)?;
    let says = |word: &str| {
        let mut lines = text.lines().take_while(|line| line.starts_with("//"));
        let one = format!("{build}:{arch}");
        let is_it = |named: &str| named == build || named == one;
        lines.any(|line| line.strip_prefix(word).is_some_and(|builds| builds.split_whitespace().any(is_it)))
    };
    let (hangs, refused) = (says("// HANGS:"), says("// REFUSED:"));
    let options: &[_] = if build == "G" { &["-G", "-std=c++17"] } else { &["-std=c++17"] };
    let arch = format!("sm_{arch}");
    let build = Build::new(file, &arch, options);
    let original = if rarely { build.compiled_now()? } else { build.module()? };
    let (outcome, expected) = launch(&original, Machine::Its, 0)?;
    if outcome != Outcome::Finished {
        return Err(format!("the original on `its`: {outcome}").into());
    }
    let ends = text.lines().find_map(|line| line.strip_prefix("// ENDS:"));
    let ends: Vec<i32> = ends.unwrap_or_default().split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    if !expected.starts_with(&ends) {
        return Err(format!("the original on `its` leaves {:?} and not {ends:?}", &expected[..ends.len()]).into());
    }
    let mut deadlocks = false;
    let gives_up = says("// GIVES UP:");
    for seed in (0..4).filter(|_| !refused && !gives_up) {
        let (outcome, _) = launch(&original, Machine::Stack, seed)?;
        let is_named = matches!(outcome, Outcome::SimtDeadlock { .. });
        if !is_named && outcome != Outcome::Finished || is_named && !hangs {
            return Err(format!("the original on `stack` with seed {seed}: {outcome}").into());
        }
        deadlocks |= is_named;
        if deadlocks {
            break;
        }
    }
    if hangs && !deadlocks && !refused {
        return Err("the original does not hang on `stack`".into());
    }
    if !refused {
        delayed(&original, &expected, says("// NO POINTS:"))?;
    }
    let rewritten = rewrite(&original, hangs, refused)?;
    let Some(rewritten) = rewritten else { return Ok(()) };
    let races = |launch: &mut Launch| launch.checks = Checks { races: true, ..Checks::default() };
    let [(before, _), (after, _)] =
        [checked(&original, Machine::Its, 0, races)?, checked(&rewritten, Machine::Its, 0, races)?];
    if let Some(race) = new_race(&before, &after) {
        return Err(format!("a race that the original has not: {race}").into());
    }
    for (machine, seeds) in [(Machine::Stack, 4), (Machine::Its, 1), (Machine::Mimd, 2), (Machine::Aware, 1)] {
        for seed in 0..seeds {
            let (outcome, memory) = launch(&rewritten, machine, seed)?;
            let name = machine.name();
            if outcome != Outcome::Finished {
                return Err(format!("rewritten, on `{name}` with seed {seed}: {outcome}").into());
            }
            if memory != expected {
                return Err(format!("rewritten, on `{name}` with seed {seed}: {memory:?} and not {expected:?}").into());
            }
        }
    }
    Ok(())
}

/// Runs the original on AWARE without a timeout, with the points that are found for it.
fn delayed(original: &Module, expected: &[i32], impossible: bool) -> Result<(), Failed> {
    let kernel = original.kernel("k").ok_or("there is no kernel `k`")?;
    let meetings = match meetings_among(&SeenByCallers::of(original, Linked::WithOthers), original, kernel) {
        Ok(_) if impossible => return Err("it is expected to have no points".into()),
        Err(_) if impossible => return Ok(()),
        meetings => meetings.map_err(|loop_| format!("no points: {loop_:?}"))?,
    };
    if meetings.is_empty() {
        return Ok(());
    }
    let (text, reconvergence) = labelled(&original.to_string(), &meetings);
    let module = Module::parse(&text).map_err(|errors| errors.to_string())?;
    let aware = Aware { timeout: None, reconvergence, ..Aware::default() };
    for seed in 0..2 {
        let change = |launch: &mut Launch| launch.aware = aware.clone();
        let (report, memory) = checked(&module, Machine::Aware, seed, change)?;
        if report.outcome != Outcome::Finished || memory != expected {
            return Err(format!("on AWARE without a timeout, with {meetings:?}: {}, {memory:?}", report.outcome).into());
        }
    }
    Ok(())
}

/// The rewritten module; none if nothing was found, or refused.
fn rewrite(original: &Module, hangs: bool, refused: bool) -> Result<Option<Module>, Failed> {
    let mut module = original.clone();
    let seen = SeenByCallers::of(&module, Linked::WithOthers);
    let names: Vec<String> =
        module.kernels().iter().filter(|kernel| kernel.has_body()).map(|kernel| kernel.name().to_owned()).collect();
    let mut changed = false;
    for name in &names {
        match treat_among(&seen, &mut module, name).map(|treated| treated.done) {
            Some(Done::Rewritten { .. }) => changed = true,
            Some(Done::Refused(_)) if refused => return Ok(None),
            Some(Done::Clean) => {}
            other => return Err(format!("`{name}`: {other:?}").into()),
        }
    }
    if refused || hangs && !changed {
        return Err(format!("it is expected to be {}", if refused { "refused" } else { "rewritten" }).into());
    }
    if !changed {
        return Ok(None);
    }
    let result = Module::parse(&module.to_string()).map_err(|errors| errors.to_string())?;
    same_outside(original, &result)?;
    let left = SeenByCallers::of_rewrite(original, &result, Linked::WithOthers);
    for (before, after) in original.kernels().iter().zip(result.kernels()).filter(|(before, _)| before.has_body()) {
        let certificate = certify(&compared(original, before, after), after)?;
        if !certificate.loops.iter().all(ssde_ptx::RewrittenLoop::holds) {
            return Err(format!("{:#?}", certificate.loops).into());
        }
        if !find_among(&left, &result, after).findings.is_empty() {
            return Err("something is found in what was made".into());
        }
    }
    Ok(Some(result))
}

/// The outcome of a launch, and what it leaves.
fn launch(module: &Module, machine: Machine, seed: u64) -> Result<(Outcome, Vec<i32>), Failed> {
    let (report, memory) = checked(module, machine, seed, |_| {})?;
    Ok((report.outcome, memory))
}

/// A launch that is changed before it runs: its report, and what it leaves.
fn checked(
    module: &Module,
    machine: Machine,
    seed: u64,
    change: impl FnOnce(&mut Launch),
) -> Result<(Report, Vec<i32>), Failed> {
    let program = Program::decode(module, "k")?;
    let mut memory = Memory::new();
    let buffer = memory.alloc_from(&[0i32; 256], "m");
    let mut launch = Launch { seed, step_budget: BUDGET, ..Launch::new(2, 64).arg(buffer).arg(4i32).on(machine) };
    change(&mut launch);
    let report = run(&program, &mut memory, &launch)?;
    let memory = memory.read::<i32>(buffer, 256)?;
    Ok((report, memory))
}
