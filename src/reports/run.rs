//! The report of a launch: the JSON form, and the same as text.

use std::fmt::Write as _;

use device::{Report, RunReport, Scheduling};
use emulator::class_name;
use serde::Serialize;
use serde_json::Value;

use super::detail;

/// The report of `pxrw run`.
#[derive(Debug, Serialize)]
pub(crate) struct RunEntry {
    /// `kernel`, `machine`, `outcome`, `line`, `message` and the counts.
    #[serde(flatten)]
    pub(crate) report: RunReport,
    /// The name as C++ writes it, if it was mangled.
    pub(crate) demangled: Option<String>,
    pub(crate) device: String,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    /// Host threads that were asked for; none where no host thread runs the kernel.
    pub(crate) threads: Option<u16>,
    /// The file that `line` is a line of; `null` if the launch finished.
    pub(crate) file: Option<String>,
    /// The line of the PTX that the finding is about.
    pub(crate) ptx_line: Option<u32>,
    /// A digest of the PTX that ran: what lines of it mean, only this text says.
    pub(crate) ptx_digest: String,
    /// The files that buffers were written to.
    pub(crate) written: Vec<String>,
    /// Sentences about what the device did to make the kernel run.
    pub(crate) notes: Vec<String>,
}

impl RunEntry {
    /// The report for people.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = self.write(&mut text);
        text
    }

    /// The report for programs: what the emulator reports, and what every device does.
    pub(crate) fn json(&self) -> Value {
        let mut report = serde_json::to_value(&self.report.detail).unwrap_or_default();
        let entry = serde_json::to_value(self).unwrap_or_default();
        match (report.as_object_mut(), entry) {
            (Some(detail), Value::Object(entry)) => {
                detail.extend(entry);
                report
            }
            (_, entry) => entry,
        }
    }

    fn write(&self, out: &mut String) -> std::fmt::Result {
        writeln!(out, "kernel   {}", self.demangled.as_deref().unwrap_or(&self.report.kernel))?;
        writeln!(out, "device   {}", self.device)?;
        writeln!(out, "launch   {} of {}", sizes(self.grid, "block"), sizes(self.block, "thread"))?;
        let place = match (&self.file, self.report.line) {
            (Some(file), Some(line)) => format!(" at {file}:{line}"),
            _ => String::new(),
        };
        writeln!(out, "outcome  {}{place}\n", self.report.outcome)?;
        if self.report.machine.is_none() {
            let micros = self.report.time.map(in_micros);
            let (value, unit) = micros.as_deref().map_or(("not measured", ""), |micros| (micros, " µs"));
            writeln!(out, "{:<32}{value:>20}{unit}", "time (measured)")?;
        }
        for (label, value, unit) in self.figures() {
            writeln!(out, "{label:<32}{:>20}{unit}", value.as_deref().unwrap_or("not measured"))?;
        }
        if let Some(scheduling) = &self.report.scheduling {
            for (label, count) in splits(scheduling) {
                writeln!(out, "{label:<32}{:>20}", grouped(count))?;
            }
        }
        if let Some(detail) = &self.report.detail {
            for (label, value, unit) in detail::figures(detail) {
                writeln!(out, "{label:<32}{value:>20}{unit}")?;
            }
            self.write_classes(out, detail)?;
            self.write_checks(out, detail)?;
        }
        for (index, file) in self.written.iter().enumerate() {
            writeln!(out, "{}wrote {file}", if index == 0 { "\n" } else { "" })?;
        }
        Ok(())
    }

    /// Returns which classes of instructions the issue cycles go to.
    fn write_classes(&self, out: &mut String, detail: &Report) -> std::fmt::Result {
        writeln!(out, "\nissue cycles by class of instruction (modelled)")?;
        for class in &detail.classes {
            let share = class.issue_sixteenths as f64 / detail.counts.issue_sixteenths.max(1) as f64;
            let (cycles, name) = (grouped(class.issue_sixteenths.div_ceil(16)), class_name(class.class));
            writeln!(out, "  {name:<30}{cycles:>20}  {:>5} %", percent(share))?;
        }
        Ok(())
    }

    /// Returns what the checks found, and what that means for the counts.
    fn write_checks(&self, out: &mut String, detail: &Report) -> std::fmt::Result {
        let found = |name: &str, count: Option<usize>| match count {
            None => format!("not checked (`--check {name}` does)"),
            Some(0) => "none found".to_owned(),
            Some(count) => format!("{count} found"),
        };
        let races = detail.findings.races.as_ref().map(Vec::len);
        let reads = detail.findings.uninitialised.as_ref().map(Vec::len);
        writeln!(out, "\nraces                           {}", found("races", races))?;
        writeln!(out, "reads of uninitialised memory   {}", found("uninitialised", reads))?;
        if let Some(undefined) = &detail.findings.undefined {
            writeln!(out, "undefined behaviour of warps    {}", found("undefined", Some(undefined.len())))?;
        }
        let threads = self.threads.filter(|&threads| threads > 1 && races.is_none_or(|count| count > 0));
        if let Some(threads) = threads {
            writeln!(out, "with {threads} host threads, the counts of a kernel that races may differ from run to run")?;
        }
        Ok(())
    }

    /// The counts: what they are called, what they are, and in what.
    fn figures(&self) -> [(&'static str, Option<String>, &'static str); 6] {
        let counts = &self.report.counts;
        [
            ("warp instructions", counts.warp_instructions.map(grouped), ""),
            ("thread instructions", counts.thread_instructions.map(grouped), ""),
            ("warp execution efficiency", counts.warp_execution_efficiency().map(percent), " %"),
            ("  without predicated-off lanes", counts.warp_nonpred_execution_efficiency().map(percent), " %"),
            ("issue cycles (modelled)", counts.issue_cycles.map(|cycles| grouped(cycles.round() as u64)), ""),
            ("sectors of global memory", counts.sectors.map(grouped), " of 32 bytes"),
        ]
        .map(|(label, value, unit)| (label, value.clone(), if value.is_some() { unit } else { "" }))
    }
}

/// Returns what the scheduling of splits took.
fn splits(scheduling: &Scheduling) -> [(&'static str, u64); 5] {
    [
        ("splits", scheduling.splits),
        ("  at most at a time", u64::from(scheduling.most_splits)),
        ("reconvergence timeouts", scheduling.timeouts),
        ("splits spilled", scheduling.split_spills),
        ("reconvergence points spilled", scheduling.reconvergence_spills),
    ]
}

pub(super) fn percent(share: f64) -> String {
    format!("{:.1}", share * 100.0)
}

/// `1,234,567`
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `1,234.5` microseconds
fn in_micros(seconds: f64) -> String {
    let tenths = (seconds * 1e7).round() as u64;
    format!("{}.{}", grouped(tenths / 10), tenths % 10)
}

/// `4 blocks`, `8 x 4 threads`
fn sizes([x, y, z]: [u32; 3], what: &str) -> String {
    let plural = if [x, y, z] == [1; 3] { "" } else { "s" };
    match (y, z) {
        (1, 1) => format!("{x} {what}{plural}"),
        (_, 1) => format!("{x} x {y} {what}{plural}"),
        _ => format!("{x} x {y} x {z} {what}{plural}"),
    }
}

#[cfg(test)]
mod tests {
    use device::{Counts, OutcomeKind};

    use super::*;

    fn entry(outcome: OutcomeKind, counts: Counts) -> RunEntry {
        let found = outcome != OutcomeKind::Finished;
        let report = RunReport {
            kernel: "_Z1kPf".into(),
            machine: Some("its".into()),
            outcome,
            line: found.then_some(7),
            message: found.then(|| "out of bounds".into()),
            time: None,
            counts,
            detail: None,
            printed: None,
            scheduling: None,
        };
        RunEntry {
            report,
            demangled: Some("k(float*)".into()),
            device: "emulator (its, sm_90)".into(),
            grid: [4, 1, 1],
            block: [8, 4, 1],
            threads: Some(1),
            file: found.then(|| "k.cu".into()),
            ptx_line: found.then_some(12),
            ptx_digest: "0".into(),
            written: vec!["y.npy".into()],
            notes: Vec::new(),
        }
    }

    #[test]
    fn figures_stand_below_each_other() {
        let counts = Counts {
            warp_instructions: Some(1_234_567),
            thread_instructions: Some(32_000_000),
            active_lanes: Some(1_234_567 * 32),
            issue_cycles: Some(999.5),
            sectors: Some(12),
        };
        let expected = "\
kernel   k(float*)
device   emulator (its, sm_90)
launch   4 blocks of 8 x 4 threads
outcome  finished

warp instructions                          1,234,567
thread instructions                       32,000,000
warp execution efficiency                      100.0 %
  without predicated-off lanes                  81.0 %
issue cycles (modelled)                        1,000
sectors of global memory                          12 of 32 bytes

wrote y.npy
";
        assert_eq!(entry(OutcomeKind::Finished, counts).text(), expected);
    }

    #[test]
    fn what_was_not_measured_says_so() {
        let text = entry(OutcomeKind::Fault, Counts::default()).text();
        assert!(text.contains("outcome  fault at k.cu:7\n"), "{text}");
        assert_eq!(text.matches("        not measured\n").count(), 6);
    }

    #[test]
    fn a_gpu_has_a_time_and_no_counts() {
        let mut entry = entry(OutcomeKind::Finished, Counts::default());
        (entry.report.machine, entry.report.time, entry.threads) = (None, Some(0.001_234_56), None);
        let text = entry.text();
        assert!(
            text.contains("\n\ntime (measured)                              1,234.6 µs\nwarp instructions "),
            "{text}"
        );
        assert_eq!(text.matches("        not measured\n").count(), 6);
        entry.report.time = None;
        assert_eq!(entry.text().matches("        not measured\n").count(), 7);
        assert_eq!(serde_json::to_value(entry).unwrap()["seconds"], serde_json::Value::Null);
    }

    #[test]
    fn json_has_the_keys_of_every_run() {
        let json = serde_json::to_value(entry(OutcomeKind::Fault, Counts::ZERO)).unwrap();
        for key in [
            "kernel",
            "machine",
            "outcome",
            "line",
            "warp_instructions",
            "thread_instructions",
            "issue_cycles",
            "sectors",
        ] {
            assert!(!json[key].is_null(), "{key}");
        }
        assert_eq!((&json["outcome"], &json["file"], &json["ptx_line"]), (&"fault".into(), &"k.cu".into(), &12.into()));
        let object = json.as_object().unwrap();
        assert!(
            object.contains_key("warp_execution_efficiency")
                && object.contains_key("warp_nonpred_execution_efficiency")
        );
    }
}
