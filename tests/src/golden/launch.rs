//! Launches of the original and the rewritten kernel on the emulator, and what must hold for them.
//!
//! Whatever a file expects, the rewritten kernel has no data race that the original has not.

use anyhow::{Context, Result, anyhow, bail, ensure};
use emulator::{Arg, Checks, Launch, Machine, Memory, Outcome as Ending, Pointer, Program, Report};
use ptx_parser::Module;

use crate::races::new_race;

use super::arguments::{Argument, show};
use super::rewrite::Outcome;
use super::script::Launching;

/// The expectation for a launch, on every machine. Original and rewritten kernel must finish in any case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// `finished`: nothing more.
    Finished,
    /// `same-memory`: all buffers hold the same bytes, and some of them others than before the launch.
    SameMemory,
    /// `no-writes`: all buffers hold what they held before, in both kernels.
    NoWrites,
    /// `efficiency rises`: the rewritten kernel has the higher warp execution efficiency.
    EfficiencyRises,
    /// `argument N = 1 2 3`: a buffer, by the number of its argument from 0, begins with these after the rewritten kernel.
    Values {
        /// Index of the argument.
        argument: usize,
        /// Its first elements.
        values: Vec<String>,
    },
}

impl Expectation {
    /// Reads one.
    ///
    /// # Errors
    /// There is no such expectation.
    pub fn read(text: &str) -> Result<Expectation> {
        let words: Vec<&str> = text.split_whitespace().collect();
        Ok(match words.as_slice() {
            ["finished"] => Expectation::Finished,
            ["same-memory"] => Expectation::SameMemory,
            ["no-writes"] => Expectation::NoWrites,
            ["efficiency", "rises"] => Expectation::EfficiencyRises,
            ["argument", argument, "=", values @ ..] if !values.is_empty() => {
                let values = values.iter().map(|&value| value.to_owned()).collect();
                Expectation::Values { argument: argument.parse()?, values }
            }
            _ => bail!("nothing is called `{}`", text.trim()),
        })
    }
}

/// Warp instructions after which a launch is given up; golden tests are small.
const BUDGET: u64 = 50_000_000;

/// One kernel after one launch.
struct Ran {
    report: Report,
    /// The contents of each buffer, in the order of the arguments.
    buffers: Vec<Vec<u8>>,
}

/// Launches both kernels on every machine and compares.
pub(crate) fn check(launching: &Launching, outcome: &Outcome) -> Result<()> {
    let modules = outcome.original.as_ref().zip(outcome.result.as_ref());
    let (original, result) = modules.ok_or_else(|| anyhow!("there is no PTX that could be launched"))?;
    check_races(launching, original, result)?;
    let none = Checks::default();
    for &machine in Machine::ALL {
        let before = launch(launching, original, machine, none)
            .with_context(|| format!("the original on `{}`", machine.name()))?;
        let after =
            launch(launching, result, machine, none).with_context(|| format!("the result on `{}`", machine.name()))?;
        for expectation in &launching.expect {
            hold(expectation, launching, &before, &after)
                .with_context(|| format!("on machine `{}`", machine.name()))?;
        }
    }
    Ok(())
}

/// Fails for a race of the result that the original has not. One machine is enough: the order in which threads run hardly decides which accesses are ordered.
fn check_races(launching: &Launching, original: &Module, result: &Module) -> Result<()> {
    let checks = Checks { races: true, ..Checks::default() };
    let checked = |module| launch(launching, module, Machine::Its, checks).map(|ran| ran.report);
    let before = checked(original).context("the original, checked for races")?;
    let after = checked(result).context("the result, checked for races")?;
    match new_race(&before, &after) {
        Some(race) => bail!("a race that the original has not: {race}"),
        None => Ok(()),
    }
}

fn launch(launching: &Launching, module: &Module, machine: Machine, checks: Checks) -> Result<Ran> {
    let program = Program::decode(module, &launching.kernel)?;
    let mut memory = Memory::new();
    let mut launch = Launch { checks, ..Launch::new(1, 1).on(machine) };
    (launch.grid, launch.block, launch.shared_bytes) = (launching.grid, launching.block, launching.shared);
    launch.step_budget = BUDGET;
    let mut pointers: Vec<(Pointer, usize)> = Vec::new();
    for (index, argument) in launching.arguments.iter().enumerate() {
        match argument {
            Argument::Scalar(bytes) => launch.args.push(Arg::bytes(bytes)),
            Argument::Buffer { bytes, .. } => {
                let pointer = memory.alloc_from(bytes, &format!("argument {index}"));
                pointers.push((pointer, bytes.len()));
                launch.args.push(Arg::from(pointer));
            }
        }
    }
    let report = emulator::run(&program, &mut memory, &launch)?;
    ensure!(report.outcome == Ending::Finished, "{}: {}", report.outcome.name(), report.outcome);
    let buffers =
        pointers.iter().map(|&(pointer, bytes)| memory.read::<u8>(pointer, bytes)).collect::<Result<_, _>>()?;
    Ok(Ran { report, buffers })
}

/// The buffers among the arguments: index of the argument, type, bytes before the launch.
fn buffers(launching: &Launching) -> impl Iterator<Item = (usize, &str, &Vec<u8>)> {
    launching.arguments.iter().enumerate().filter_map(|(index, argument)| match argument {
        Argument::Buffer { ty, bytes } => Some((index, ty.as_str(), bytes)),
        Argument::Scalar(_) => None,
    })
}

fn hold(expectation: &Expectation, launching: &Launching, before: &Ran, after: &Ran) -> Result<()> {
    match expectation {
        Expectation::Finished => {}
        Expectation::SameMemory => {
            for ((index, ty, _), (left, right)) in buffers(launching).zip(before.buffers.iter().zip(&after.buffers)) {
                compare(ty, left, right).with_context(|| format!("argument {index}"))?;
            }
            let untouched = buffers(launching).zip(&before.buffers).all(|((_, _, initial), bytes)| initial == bytes);
            ensure!(
                !untouched,
                "the original writes nothing at all, so that equal memory means nothing; expect `no-writes`"
            );
        }
        Expectation::NoWrites => {
            for (who, ran) in [("the original", before), ("the result", after)] {
                for ((index, ty, initial), bytes) in buffers(launching).zip(&ran.buffers) {
                    compare(ty, initial, bytes).with_context(|| format!("{who} writes to argument {index}"))?;
                }
            }
        }
        Expectation::EfficiencyRises => {
            let efficiency = |ran: &Ran| ran.report.counts.warp_execution_efficiency();
            let (before, after) = (efficiency(before), efficiency(after));
            ensure!(after > before, "the warp execution efficiency goes from {before:.3} to {after:.3}");
        }
        Expectation::Values { argument, values } => {
            let mut all = buffers(launching).zip(&after.buffers);
            let found = all.find(|((index, ..), _)| index == argument);
            let ((_, ty, _), bytes) = found.ok_or_else(|| anyhow!("argument {argument} is no buffer"))?;
            let shown = show(ty, bytes);
            ensure!(
                shown.starts_with(values),
                "argument {argument} is {}",
                shown[..shown.len().min(values.len())].join(" ")
            );
        }
    }
    Ok(())
}

/// The first elements that differ, if any do.
fn compare(ty: &str, left: &[u8], right: &[u8]) -> Result<()> {
    if left == right {
        return Ok(());
    }
    let (left, right) = (show(ty, left), show(ty, right));
    let pairs = left.iter().zip(&right).enumerate().filter(|(_, (left, right))| left != right);
    let differing: Vec<String> = pairs.map(|(index, (left, right))| format!("[{index}] {left} and {right}")).collect();
    let first = differing.iter().take(8).cloned().collect::<Vec<_>>().join(", ");
    bail!("{} of {} elements differ: {first}", differing.len(), left.len());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A kernel in which each thread writes its number times `factor`.
    fn module(factor: u32) -> Module {
        let text = format!(
            ".version 9.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 out) {{\n.reg .b32 %r<3>;\n.reg .b64 %rd<4>;\n\
             ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n\
             mul.lo.u32 %r2, %r1, {factor};\nst.global.u32 [%rd3], %r2;\nret;\n}}\n"
        );
        Module::parse(&text).unwrap()
    }

    fn checked(before: u32, after: u32, expect: &str) -> Result<()> {
        let script = format!("// RUN: print\n// LAUNCH: k 1 4 u32[4]=0\n// EXPECT: {expect}\n");
        let script = super::super::script::Script::read(&script)?;
        let modules = (Some(module(before)), Some(module(after)));
        let (text, report, refusals) = (String::new(), String::new(), Vec::new());
        check(&script.launches[0], &Outcome { original: modules.0, result: modules.1, text, report, refusals })
    }

    #[test]
    fn expectations_hold_where_they_hold() {
        checked(3, 3, "finished, same-memory, argument 0 = 0 3 6 9").unwrap();
        checked(0, 0, "no-writes").unwrap();
    }

    /// The result stores to one word from all threads, behind what expectations look at.
    #[test]
    fn races_of_the_result_are_found() {
        let racing = module(1).to_string().replace("ret;", "st.global.u32 [%rd1+16], %r1;\nret;");
        let script = "// RUN: print\n// LAUNCH: k 1 4 u32[8]=0\n// EXPECT: finished\n";
        let script = super::super::script::Script::read(script).unwrap();
        let outcome = |original: Module, result| {
            let (text, report, refusals) = (String::new(), String::new(), Vec::new());
            Outcome { original: Some(original), result: Some(result), text, report, refusals }
        };
        let racing = Module::parse(&racing).unwrap();
        let error = check(&script.launches[0], &outcome(module(1), racing.clone())).unwrap_err().to_string();
        assert!(error.contains("a race that the original has not"), "{error}");
        check(&script.launches[0], &outcome(racing.clone(), racing)).unwrap();
    }

    #[test]
    fn expectations_fail_where_they_do_not_hold() {
        for (before, after, expect, complaint) in [
            (3, 4, "same-memory", "3 of 4 elements differ: [1] 3 and 4, [2] 6 and 8"),
            (0, 0, "same-memory", "means nothing"),
            (0, 1, "no-writes", "the result writes to argument 0"),
            (1, 1, "efficiency rises", "goes from 0.125 to 0.125"),
            (3, 3, "argument 0 = 0 3 7", "is 0 3 6"),
            (3, 3, "argument 1 = 0", "no buffer"),
        ] {
            let error = format!("{:#}", checked(before, after, expect).unwrap_err());
            assert!(error.contains(complaint), "{expect}: {error}");
        }
    }
}
