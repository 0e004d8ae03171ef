//! Launching a program and looking at its result: what the programs of all suites have in common.

use device::{Device, LaunchConfig, OutcomeKind, RunReport};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::native::Counterpart;
use crate::variant::Variant;

/// The size of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Size {
    /// A size that the emulator runs in a second or two.
    Emulator,
    /// A size that does not fit the L2 cache of a GPU, where the program has buffers of that size at all. The CPU computes its reference in
    /// seconds.
    Gpu,
    /// As in the paper: for a GPU.
    Paper,
    /// So many tasks.
    Tasks(u32),
}

/// A program that launches a kernel as often as it takes, and checks the result.
pub(crate) trait Work: Send + Sync {
    /// Runs a variant on a device that nothing else uses.
    fn run(&self, device: &mut dyn Device, variant: &Variant, config: &LaunchConfig) -> Result<Ran, Error>;

    /// Returns what native code of the same program reads and gives, if there is such code.
    fn counterpart(&self) -> Option<&dyn Counterpart> {
        None
    }
}

/// The result of running a variant.
pub(crate) struct Ran {
    /// All launches together.
    pub(crate) run: RunReport,
    /// The number of launches.
    pub(crate) launches: u32,
    /// Their warp execution efficiency, on the average; none where the device does not count it.
    pub(crate) efficiency: Option<f64>,
    /// The part of the kernel's output that has the same bits in any order of the tasks.
    pub(crate) result: Vec<u8>,
    /// The CPU's verdict on it.
    pub(crate) verdict: Verdict,
}

/// The average of the launches' warp execution efficiencies; none without one for each of them.
pub(crate) fn average(efficiencies: &[Option<f64>]) -> Option<f64> {
    let sum: Option<f64> = efficiencies.iter().copied().sum();
    sum.filter(|_| !efficiencies.is_empty()).map(|sum| sum / efficiencies.len() as f64)
}

/// The CPU's verdict on a result.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Verdict {
    /// The problem with the result, if any.
    pub(crate) difference: Option<String>,
    /// The largest error against the CPU, in the measure that the program's file states; 0 for equal bits.
    pub(crate) error: f64,
}

impl Verdict {
    /// For a launch that did not finish, whose result says nothing.
    pub(crate) fn unfinished(run: &RunReport) -> Option<Verdict> {
        let what = || run.message.clone().unwrap_or_else(|| format!("the launch ended as {}", run.outcome));
        (run.outcome != OutcomeKind::Finished).then(|| Verdict { difference: Some(what()), error: 0.0 })
    }

    /// Compares one by one: `error` says how far apart two elements are, and more than `bound` (or no number) is too far.
    pub(crate) fn compare<T: std::fmt::Display>(
        what: &str,
        found: &[T],
        expected: &[T],
        bound: f64,
        error: impl Fn(&T, &T) -> f64,
    ) -> Verdict {
        let mut verdict = Verdict::default();
        for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
            let error = error(found, expected);
            // A NaN is no number to be below the bound.
            let good = error <= bound;
            if !good && verdict.difference.is_none() {
                verdict.difference = Some(format!("{what} {index} is {found}, the CPU says {expected}"));
            }
            verdict.error = if error.is_nan() { error } else { verdict.error.max(error) };
        }
        if found.len() != expected.len() && verdict.difference.is_none() {
            verdict.difference = Some(format!("there are {} results, the CPU has {}", found.len(), expected.len()));
        }
        verdict
    }
}

/// The way in which the tasks of a program become threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Threads {
    /// A grid-stride loop: any grid will do.
    Stride,
    /// A thread per task.
    One,
}

/// A program with its input.
pub(crate) struct Instance {
    /// The input in words.
    pub(crate) input: String,
    /// The number of tasks it has.
    pub(crate) tasks: u32,
    /// The way in which they become threads.
    pub(crate) threads: Threads,
    /// The work that launches them.
    pub(crate) work: Box<dyn Work>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_launch_counts_the_same() {
        assert_eq!(average(&[Some(0.5), Some(1.0)]), Some(0.75));
        assert_eq!(average(&[Some(0.5), None]), None);
        assert_eq!(average(&[]), None);
    }

    #[test]
    fn what_is_too_far_or_no_number_is_named() {
        let compare = |found: &[f64]| Verdict::compare("value", found, &[1.0, 2.0], 0.1, |a, b| (a - b).abs());
        assert_eq!(compare(&[1.0, 2.0]), Verdict::default());
        assert_eq!(compare(&[1.0, 2.0625]), Verdict { difference: None, error: 0.0625 });
        assert_eq!(compare(&[1.0, 2.5]).difference.as_deref(), Some("value 1 is 2.5, the CPU says 2"));
        assert_eq!(compare(&[f64::NAN, 2.0]).difference.as_deref(), Some("value 0 is NaN, the CPU says 1"));
        assert_eq!(compare(&[1.0]).difference.as_deref(), Some("there are 1 results, the CPU has 2"));
    }
}
