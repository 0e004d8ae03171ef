//! The report as text: times and speedups with the papers' figures beside them. It shows what the report has and computes averages, nothing else.

use std::fmt::Write;

use super::agreement::agreement;
use super::report::{GpuReport, ProgramTimes, SyntheticTimes, VariantTimes};
use super::tables::{bounds, relative, right, speedups, synthetic};
use crate::ccc;
use crate::lock::LockReport;
use crate::render::grouped;
use crate::ssde::paper;

impl GpuReport {
    /// The report as text, with lines that end in `\n`.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = self.heading();
        // Writing to a String cannot fail.
        let of = |suites: &[&str]| -> Vec<&ProgramTimes> {
            self.programs.iter().filter(|program| suites.contains(&&*program.suite)).collect()
        };
        let (collected, freed) = (of(&["bfs", "ccc"]), of(&["ssde"]));
        if !collected.is_empty() {
            let _ =
                writeln!(text, "\nCCC; the paper's speedups (MICRO 2015, Figure 11) are of time, on a GeForce GTX 780");
            let _ = writeln!(text, "{}", speedups(&collected));
            if let Some(line) = self.average_speedup() {
                let _ = writeln!(text, "{line}");
            }
        }
        if !self.synthetic.is_empty() {
            let _ = writeln!(text, "\nsynthetic kernels (CCC paper, Section 6.3)");
            let _ = writeln!(text, "{}", synthetic(&self.synthetic));
        }
        if !freed.is_empty() {
            let _ = writeln!(text, "\nSSDE; time of M+SSDE over that of S (MICRO 2016, Section V.B, on a Tesla K20C)");
            let _ = writeln!(text, "{}", relative(&freed));
            if let Some(line) = self.average_overhead() {
                let _ = writeln!(text, "{line}");
            }
        }
        if self.all_variants().any(|variant| variant.counted.is_some_and(|counted| counted.activity.is_some())) {
            let _ =
                writeln!(text, "\nwhat bounds them, by Nsight Compute; schedulers issue in that share of their cycles");
            let _ = writeln!(text, "{}", bounds(&self.programs));
        }
        if !self.lock.is_empty() {
            let (suite, device) = ("lock".to_owned(), self.device.clone());
            let _ = writeln!(text, "\n{}", LockReport { suite, device, rows: self.lock.clone() }.to_text());
        }
        if !self.efficiency.is_empty() {
            let _ = writeln!(text, "\nthe same launches on the GPU and on the emulator");
            text.push_str(&agreement(&self.efficiency));
        }
        for one in &self.left_out {
            let _ = writeln!(text, "{one}");
        }
        for line in self.wrong() {
            let _ = writeln!(text, "{line}");
        }
        text
    }

    fn heading(&self) -> String {
        let gpu = &self.gpu;
        let (major, minor) = gpu.compute_capability;
        let (cuda, cuda_minor) = gpu.driver_version;
        let mut text = format!(
            "{}, compute capability {major}.{minor}, {} multiprocessors at up to {:.0} MHz, {} bytes of L2, {} bytes of memory\n",
            gpu.name,
            gpu.multiprocessors,
            gpu.clock_hz as f64 / 1e6,
            grouped(gpu.l2_bytes),
            grouped(gpu.memory_bytes)
        );
        let _ = writeln!(
            text,
            "{}: pxrw {}, nvcc {}, driver for CUDA {cuda}.{cuda_minor}, compiled for {}",
            self.date, self.pxrw_version, self.nvcc_version, self.arch
        );
        let _ = writeln!(
            text,
            "{} rounds after {} of warm-up; a figure is the median over the rounds, with the quartiles behind it",
            self.runs, self.warmup
        );
        self.notes.iter().for_each(|note| text.push_str(&format!("note: {note}\n")));
        text
    }

    /// The arithmetic mean of what `ccc` makes of the CCC paper's programs, as in the paper.
    fn average_speedup(&self) -> Option<String> {
        let of = |program: &ProgramTimes| program.variant("ccc")?.speedup.map(|speedup| speedup.median);
        let programs = self.programs.iter().filter(|program| program.suite == "ccc");
        let (mean, count) = mean(programs.filter_map(of))?;
        Some(format!(
            "average speedup of {count} programs by `ccc`: {mean:.2} (paper's eight: {:.2})",
            ccc::Paper::AVERAGE_SPEEDUP
        ))
    }

    fn average_overhead(&self) -> Option<String> {
        let of = |program: &ProgramTimes| program.variant("M+SSDE")?.relative_time.map(|time| time.median);
        let programs = self.programs.iter().filter(|program| program.suite == "ssde");
        let (mean, count) = mean(programs.filter_map(of))?;
        let [_, full] = paper::OVERHEAD;
        Some(format!("average time of M+SSDE over S, {count} programs: {mean:.3} (paper's applications: {full:.3})"))
    }

    fn wrong(&self) -> Vec<String> {
        let programs = self.programs.iter().flat_map(|program| {
            program.variants.iter().map(move |variant| (format!("{}, {}", program.program, variant.variant), variant))
        });
        let synthetic = self.synthetic.iter().flat_map(|row| {
            let name = move |variant: &VariantTimes| {
                format!(
                    "Figure {}, {} lanes, {} multiply-adds, {}",
                    row.figure, row.takers, row.length, variant.variant
                )
            };
            row.variants.iter().map(move |variant| (name(variant), variant))
        });
        let wrong = programs.chain(synthetic).filter(|(_, variant)| !variant.results_equal);
        let line = |(name, variant): (String, &VariantTimes)| {
            format!("{}: {name}: {}", right(variant), variant.difference.as_deref().unwrap_or("?"))
        };
        wrong.map(line).collect()
    }
}

impl ProgramTimes {
    /// A variant by its name.
    #[must_use]
    pub fn variant(&self, name: &str) -> Option<&VariantTimes> {
        self.variants.iter().find(|variant| variant.variant == name)
    }

    /// What the CCC paper says of it, if it is one of its programs.
    pub(super) fn ccc_paper(&self) -> Option<ccc::Paper> {
        let program = ccc::Program::ALL.into_iter().find(|program| program.name() == self.program);
        program.filter(|_| self.suite == "ccc").map(ccc::Paper::of)
    }
}

/// The arithmetic mean, and of how many.
fn mean(figures: impl Iterator<Item = f64>) -> Option<(f64, usize)> {
    let figures: Vec<f64> = figures.collect();
    (!figures.is_empty()).then(|| (figures.iter().sum::<f64>() / figures.len() as f64, figures.len()))
}

impl SyntheticTimes {
    /// A variant by its name.
    #[must_use]
    pub fn variant(&self, name: &str) -> Option<&VariantTimes> {
        self.variants.iter().find(|variant| variant.variant == name)
    }

    /// What the rewriter makes of the row's directive; in Figure 13, where it says nothing, everything is collected.
    pub(super) fn ccc(&self) -> Option<&VariantTimes> {
        self.variant(if self.figure == 13 { "collected" } else { "ccc" })
    }
}
