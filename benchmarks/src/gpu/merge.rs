//! Joins reports: those of processes that measured one unit each, and those of two runs, one of which took times and the other one counts.

use std::collections::HashMap;

use super::report::{GpuReport, ProgramTimes, SyntheticTimes, VariantTimes};
use super::statistics::Summary;
use crate::hangs::HangRow;

/// A launch is measured if it takes this many times as long as one of a kernel that does nothing. What is added to either, by the events and by the
/// start of the kernel, is then a tenth of the time at most.
const SHORTEST: f64 = 10.0;

/// The note of a report that has times alone.
pub const NOT_COUNTED: &str = "warp execution efficiency is counted by a second command, `pxrw bench gpu --counters-only`; `pxrw report` joins both files";

impl GpuReport {
    /// Adds the results of further units of the same run.
    pub fn append(&mut self, part: GpuReport) {
        self.programs.extend(part.programs);
        self.synthetic.extend(part.synthetic);
        self.hangs.extend(part.hangs);
        self.efficiency.extend(part.efficiency);
        self.left_out.extend(part.left_out);
        part.notes.into_iter().for_each(|note| self.note(note));
    }

    /// Joins two reports of one GPU: variants that both have keep their times and get the counts of the other one, and what only one has is added.
    ///
    /// # Errors
    /// A sentence, if they are of different GPUs, architectures, versions or inputs, or if both have times of the same variants.
    pub fn join(mut self, other: GpuReport) -> Result<GpuReport, String> {
        let device = |report: &GpuReport| {
            let gpu = &report.gpu;
            (gpu.name.clone(), gpu.compute_capability, gpu.multiprocessors, report.arch.clone())
        };
        if device(&self) != device(&other) {
            let of = |report: &GpuReport| format!("{} for {}", report.gpu.name.trim(), report.arch);
            return Err(format!("one is of {}, the other one of {}", of(&self), of(&other)));
        }
        if (&self.pxrw_version, &self.nvcc_version) != (&other.pxrw_version, &other.nvcc_version) {
            let of = |report: &GpuReport| format!("pxrw {} with nvcc {}", report.pxrw_version, report.nvcc_version);
            return Err(format!("one is of {}, the other one of {}", of(&self), of(&other)));
        }
        for program in &self.programs {
            let launch = |one: &ProgramTimes| (one.input.clone(), one.grid, one.block);
            let theirs = other.programs.iter().find(|one| one.is_same_program(program));
            if let Some(theirs) = theirs.filter(|theirs| launch(theirs) != launch(program)) {
                let (name, one, two) = (&program.program, &program.input, &theirs.input);
                return Err(format!("{name} has another input or launch in one than in the other: {one}, {two}"));
            }
        }
        let timed = [&self, &other].map(|report| report.all_variants().any(|one| one.seconds.is_some()));
        if timed == [false, true] {
            return other.join(self);
        }
        let theirs = other.keys();
        let both = || self.keys().into_iter().find(|key| theirs.contains(key));
        if let ([true, true], Some(both)) = (timed, both()) {
            return Err(format!("both have times of `{both}`; one of them must be of `--counters-only`"));
        }
        let counted = |report: &GpuReport| report.all_variants().any(|variant| variant.counted.is_some());
        if let (true, true, Some(both)) = (counted(&self), counted(&other), both()) {
            return Err(format!("both have counts of `{both}`; give one file with counts"));
        }
        self.adopt_counts(&other);
        self.add_missing(other);
        if self.all_variants().any(|variant| variant.counted.is_some()) {
            self.notes.retain(|note| note != NOT_COUNTED);
        }
        Ok(self)
    }

    /// Adds what the other one has alone.
    fn add_missing(&mut self, other: GpuReport) {
        for program in other.programs {
            if !self.programs.iter().any(|one| one.is_same_program(&program)) {
                self.programs.push(program);
            }
        }
        for row in other.synthetic {
            let key = |row: &SyntheticTimes| (row.figure, row.takers, row.length);
            if !self.synthetic.iter().any(|one| key(one) == key(&row)) {
                self.synthetic.push(row);
            }
        }
        for row in other.hangs {
            let key = |row: &HangRow| (row.program.clone(), row.version.clone(), row.target);
            if !self.hangs.iter().any(|one| key(one) == key(&row)) {
                self.hangs.push(row);
            }
        }
        if self.efficiency.is_empty() {
            self.efficiency = other.efficiency;
        }
        for one in other.left_out {
            if !self.left_out.contains(&one) {
                self.left_out.push(one);
            }
        }
        other.notes.into_iter().for_each(|note| self.note(note));
    }

    /// Takes over what was counted in another run. Variants that it does not have keep what they have.
    pub fn adopt_counts(&mut self, run: &GpuReport) {
        let counted = run.all_variants().map(|variant| variant.counted);
        let counted: HashMap<String, _> = run.keys().into_iter().zip(counted).collect();
        for (key, variant) in self.keys().iter().zip(self.all_variants_mut()) {
            variant.counted = counted.get(key).copied().flatten().or(variant.counted);
        }
    }

    /// Takes away all times: those of a run that a profiler watched say nothing.
    pub fn forget_times(&mut self) {
        for variant in self.all_variants_mut() {
            (variant.seconds, variant.speedup, variant.relative_time) = (None, None, None);
        }
    }

    /// Takes away the ratios of what is too short to be measured, which is compared with the kernel that does nothing.
    pub fn mark_short(&mut self) {
        let Some(empty) = self.empty_kernel() else { return };
        let is_short = |variant: &VariantTimes| {
            let launch = variant.seconds.map(|seconds| seconds.median / f64::from(variant.launches.max(1)));
            launch.is_some_and(|seconds| seconds < SHORTEST * empty.median)
        };
        let programs = self.programs.iter_mut().filter(|program| program.suite != "empty");
        let programs = programs.map(|program| &mut program.variants);
        for variants in programs.chain(self.synthetic.iter_mut().map(|row| &mut row.variants)) {
            variants.iter_mut().for_each(|variant| variant.too_short = is_short(variant));
            let first = variants.first().is_some_and(|first| first.too_short);
            for variant in variants.iter_mut().filter(|variant| first || variant.too_short) {
                (variant.speedup, variant.relative_time) = (None, None);
            }
        }
    }

    /// Returns the time of the kernel that does nothing.
    fn empty_kernel(&self) -> Option<Summary> {
        self.programs.iter().find(|program| program.suite == "empty")?.variants.first()?.seconds
    }

    /// Returns in words how long the shortest launch is that is measured; none without a kernel that does nothing.
    pub(super) fn shortest(&self) -> Option<String> {
        let empty = self.empty_kernel()?;
        Some(format!(
            "a kernel that does nothing takes {:.2} µs ({:.2} to {:.2}); launches that take less than {SHORTEST} times as long are too short to be compared",
            1e6 * empty.median,
            1e6 * empty.lower_quartile,
            1e6 * empty.upper_quartile
        ))
    }
}

impl ProgramTimes {
    /// Returns true if both are of one program.
    fn is_same_program(&self, other: &ProgramTimes) -> bool {
        self.suite == other.suite && self.program == other.program
    }
}
