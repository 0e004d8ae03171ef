//! The report of a launch, the same for every device.
//!
//! The names are those of the JSON reports, and keep their meaning. A count that a device cannot take is `None`, written
//! `null`: it was not measured.

use std::fmt;
use std::ops::Add;

use emulator::{Report, Scheduling};
use serde::ser::{Serialize, SerializeStruct, Serializer};

/// The way in which a launch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum OutcomeKind {
    /// Every thread came to its end.
    Finished,
    /// Lanes spin on what their siblings, held back at a reconvergence point, would do.
    SimtDeadlock,
    /// Threads run for ever without getting anywhere.
    Livelock,
    /// A barrier waits for threads that do not come.
    BarrierDivergence,
    /// Resident blocks wait for one that is not resident.
    Starvation,
    /// The launch took more steps than it was given.
    Budget,
    /// Somebody asked it to end.
    Interrupted,
    /// A wrong access to memory, or a trap.
    Fault,
}

impl fmt::Display for OutcomeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            OutcomeKind::Finished => "finished",
            OutcomeKind::SimtDeadlock => "simt-deadlock",
            OutcomeKind::Livelock => "livelock",
            OutcomeKind::BarrierDivergence => "barrier-divergence",
            OutcomeKind::Starvation => "starvation",
            OutcomeKind::Budget => "budget",
            OutcomeKind::Interrupted => "interrupted",
            OutcomeKind::Fault => "fault",
        })
    }
}

/// The counts of one launch, or the sums of several.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    /// Instructions that warps issued.
    pub warp_instructions: Option<u64>,
    /// The same, counted once for each lane whose guard let it take effect.
    pub thread_instructions: Option<u64>,
    /// The same, counted once for each active lane, whether or not its guard was true.
    pub active_lanes: Option<u64>,
    /// Cycles that the issue of the instructions takes by the published throughput of each class; modelled.
    pub issue_cycles: Option<f64>,
    /// Sectors of 32 bytes that accesses to global memory touched, counted per access of a warp.
    pub sectors: Option<u64>,
}

impl Counts {
    /// Nothing yet: what launches are added to.
    pub const ZERO: Counts = Counts {
        warp_instructions: Some(0),
        thread_instructions: Some(0),
        active_lanes: Some(0),
        issue_cycles: Some(0.0),
        sectors: Some(0),
    };

    /// The average share of a warp's 32 lanes that are active, over the warp's instructions (nvprof's
    /// `warp_execution_efficiency`), from 0 to 1.
    #[must_use]
    pub fn warp_execution_efficiency(&self) -> Option<f64> {
        share(self.active_lanes?, self.warp_instructions?)
    }

    /// The same without the lanes whose guard is false (nvprof's `warp_nonpred_execution_efficiency`), from 0 to 1.
    #[must_use]
    pub fn warp_nonpred_execution_efficiency(&self) -> Option<f64> {
        share(self.thread_instructions?, self.warp_instructions?)
    }
}

impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut counts = serializer.serialize_struct("Counts", 7)?;
        counts.serialize_field("warp_instructions", &self.warp_instructions)?;
        counts.serialize_field("thread_instructions", &self.thread_instructions)?;
        counts.serialize_field("active_lanes", &self.active_lanes)?;
        counts.serialize_field("warp_execution_efficiency", &self.warp_execution_efficiency())?;
        counts.serialize_field("warp_nonpred_execution_efficiency", &self.warp_nonpred_execution_efficiency())?;
        counts.serialize_field("issue_cycles", &self.issue_cycles)?;
        counts.serialize_field("sectors", &self.sectors)?;
        counts.end()
    }
}

/// No instruction has no efficiency.
fn share(lanes: u64, instructions: u64) -> Option<f64> {
    (instructions > 0).then(|| lanes as f64 / (32.0 * instructions as f64))
}

impl Add for Counts {
    type Output = Counts;

    /// Both together; what one of them lacks, the sum lacks.
    fn add(self, other: Counts) -> Counts {
        fn sum<T: Add<Output = T>>(one: Option<T>, other: Option<T>) -> Option<T> {
            Some(one? + other?)
        }
        Counts {
            warp_instructions: sum(self.warp_instructions, other.warp_instructions),
            thread_instructions: sum(self.thread_instructions, other.thread_instructions),
            active_lanes: sum(self.active_lanes, other.active_lanes),
            issue_cycles: sum(self.issue_cycles, other.issue_cycles),
            sectors: sum(self.sectors, other.sectors),
        }
    }
}

/// The output of a kernel, as in the report of the emulator.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Printed {
    /// The text that the kernel printed, in the order in which it was printed.
    pub output: String,
    /// The number of `printf`s that were overwritten by later ones.
    pub output_lost: u64,
}

/// The report of one launch.
///
/// As JSON: `kernel`, `machine`, `outcome`, `line`, `message`, `seconds`, the counts and efficiencies side by side, `output` and `output_lost` if they are known,
/// and `scheduling`.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct RunReport {
    /// The kernel's name.
    pub kernel: String,
    /// The SIMT machine, by its name; none where the hardware decides.
    pub machine: Option<String>,
    /// The way in which it ended.
    pub outcome: OutcomeKind,
    /// The source line of what was found, unless it finished.
    pub line: Option<u32>,
    /// The finding, in a sentence, unless it finished.
    pub message: Option<String>,
    /// Seconds that it took, measured by the device's own clock; none where there is no such clock, or where it did not finish.
    #[serde(rename = "seconds")]
    pub time: Option<f64>,
    /// The counts up to the launch's end.
    #[serde(flatten)]
    pub counts: Counts,
    /// All that the emulator reports: lines, classes, findings, the time model. Nothing on other devices. Not part of the JSON form.
    #[serde(skip)]
    pub detail: Option<Box<Report>>,
    /// The output of the kernel, on a device that gives it to its caller and is not the emulator, whose own report has it.
    #[serde(flatten)]
    pub printed: Option<Printed>,
    /// The costs of scheduling splits, on a machine that has splits.
    pub scheduling: Option<Scheduling>,
}

impl RunReport {
    /// Returns the text that the kernel printed, as far as the device gives it to its caller.
    #[must_use]
    pub fn output(&self) -> &str {
        match (&self.detail, &self.printed) {
            (Some(detail), _) => &detail.output,
            (None, Some(printed)) => &printed.output,
            (None, None) => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn half_full() -> Counts {
        Counts {
            warp_instructions: Some(10),
            thread_instructions: Some(80),
            active_lanes: Some(160),
            issue_cycles: Some(2.5),
            sectors: None,
        }
    }

    #[test]
    fn efficiency_is_out_of_32_lanes() {
        assert_eq!(half_full().warp_execution_efficiency(), Some(0.5));
        assert_eq!(half_full().warp_nonpred_execution_efficiency(), Some(0.25));
        assert_eq!(Counts::ZERO.warp_execution_efficiency(), None);
        assert_eq!(Counts::default().warp_execution_efficiency(), None);
    }

    #[test]
    fn a_sum_lacks_what_a_part_lacks() {
        let sum = Counts::ZERO + half_full() + half_full();
        assert_eq!((sum.warp_instructions, sum.issue_cycles, sum.sectors), (Some(20), Some(5.0), None));
        assert_eq!(sum.warp_execution_efficiency(), Some(0.5));
    }

    #[test]
    fn json_has_every_key_and_null_for_what_was_not_measured() {
        let report = RunReport {
            kernel: "k".into(),
            machine: Some("its".into()),
            outcome: OutcomeKind::SimtDeadlock,
            line: Some(7),
            message: Some("spins".into()),
            time: None,
            counts: half_full(),
            detail: None,
            printed: None,
            scheduling: None,
        };
        assert_eq!(
            serde_json::to_string(&report).unwrap(),
            r#"{"kernel":"k","machine":"its","outcome":"simt-deadlock","line":7,"message":"spins","seconds":null,"warp_instructions":10,"thread_instructions":80,"active_lanes":160,"warp_execution_efficiency":0.5,"warp_nonpred_execution_efficiency":0.25,"issue_cycles":2.5,"sectors":null,"scheduling":null}"#
        );
        assert_eq!(report.outcome.to_string(), "simt-deadlock");
    }
}
