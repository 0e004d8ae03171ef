//! The report as text: times and speedups with the papers' figures beside them. It shows what the report has and computes averages, nothing else.

use std::fmt::Write;

use super::counts::agreement;
use super::report::{GpuReport, LeftOut, ProgramTimes, SyntheticTimes, VariantTimes};
use super::tables::{bounds, relative, right, speedups, synthetic};
use crate::ccc;
use crate::document::Document;
use crate::document::grouped;
use crate::hangs::{HangReport, HangRow};
use crate::ssde::paper;

impl GpuReport {
    /// The report as text, with lines that end in `\n` and tables of any width.
    #[must_use]
    pub fn to_text(&self) -> String {
        self.document().to_text(None)
    }

    /// The report for a reader: lines and tables.
    #[must_use]
    pub fn document(&self) -> Document {
        let mut text = Document::default();
        let _ = write!(text, "{}", self.heading());
        // Writing to a document cannot fail.
        let of = |suites: &[&str]| -> Vec<&ProgramTimes> {
            self.programs.iter().filter(|program| suites.contains(&&*program.suite)).collect()
        };
        let (collected, freed) = (of(&["bfs", "ccc"]), of(&["ssde"]));
        if !collected.is_empty() {
            let _ =
                writeln!(text, "\nCCC; the paper's speedups (MICRO 2015, Figure 11) are of time, on a GeForce GTX 780");
            text.table(speedups(&collected), 3);
            if let Some(line) = self.average_speedup() {
                let _ = writeln!(text, "{line}");
            }
        }
        if !self.synthetic.is_empty() {
            let _ = writeln!(text, "\nsynthetic kernels (CCC paper, Section 6.3)");
            text.table(synthetic(&self.synthetic), 3);
        }
        if !freed.is_empty() {
            let _ = writeln!(text, "\nSSDE; time of M+SSDE over that of S (MICRO 2016, Section V.B, on a Tesla K20C)");
            text.table(relative(&freed), 3);
            if let Some(line) = self.average_overhead() {
                let _ = writeln!(text, "{line}");
            }
        }
        if self.all_variants().any(|variant| variant.counted.is_some_and(|counted| counted.activity.is_some())) {
            let _ =
                writeln!(text, "\nwhat bounds them, by Nsight Compute; schedulers issue in that share of their cycles");
            text.table(bounds(&self.programs), 2);
        }
        if !self.hangs.is_empty() {
            let (suite, device) = ("lock".to_owned(), self.device.clone());
            let _ = writeln!(text);
            text.append(HangReport { suite, device, rows: self.hangs.clone() }.document());
            let _ = writeln!(text);
        }
        if !self.efficiency.is_empty() {
            let _ = writeln!(text, "\nthe same launches on the GPU and on the emulator");
            text.append(agreement(&self.efficiency));
        }
        for one in &self.left_out {
            let _ = writeln!(text, "{one}");
        }
        for line in self.short_of_rounds() {
            let _ = writeln!(text, "{line}");
        }
        for line in self.wrong() {
            let _ = writeln!(text, "{line}");
        }
        text
    }

    /// Returns what was measured, a line for each part: what people see while the other parts are measured.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let programs = self.programs.iter().map(|program| {
            (format!("{}, {}", program.suite, program.program), outcome(&program.variants, program.suite == "ssde"))
        });
        let synthetic = self.synthetic.iter().map(|row| (row.name(), outcome(&row.variants, false)));
        let measured = programs.chain(synthetic).map(|(name, outcome)| format!("{name}: {outcome}"));
        let hangs = self.hangs.iter().map(HangRow::line);
        measured.chain(hangs).chain(self.left_out.iter().map(LeftOut::to_string)).collect()
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
        self.shortest().iter().chain(&self.notes).for_each(|note| text.push_str(&format!("note: {note}\n")));
        text
    }

    /// Programs of which there was no time for all rounds.
    fn short_of_rounds(&self) -> Vec<String> {
        let of = |name: String, variants: &[VariantTimes]| {
            let runs = variants.iter().filter(|one| one.finished && one.seconds.is_some()).map(|one| one.runs).min()?;
            (runs < self.runs).then(|| format!("fewer rounds: {name}: there was time for {runs} of {}", self.runs))
        };
        let programs = self.programs.iter().map(|program| of(program.program.clone(), &program.variants));
        let synthetic = self.synthetic.iter().map(|row| of(row.name(), &row.variants));
        programs.chain(synthetic).flatten().collect()
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
            let name = move |variant: &VariantTimes| format!("{}, {}", row.name(), variant.variant);
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

    /// Returns the CCC paper's figures, if it is one of its programs.
    pub(super) fn ccc_paper(&self) -> Option<ccc::Paper> {
        let program = ccc::Program::ALL.into_iter().find(|program| program.name() == self.program);
        program.filter(|_| self.suite == "ccc").map(ccc::Paper::of)
    }
}

/// The time of the first variant, and what the others are compared with it; or what is wrong.
fn outcome(variants: &[VariantTimes], over: bool) -> String {
    if let Some(wrong) = variants.iter().find(|variant| !variant.results_equal) {
        return format!("{} ({}): {}", right(wrong), wrong.variant, wrong.difference.as_deref().unwrap_or("?"));
    }
    let Some((first, others)) = variants.split_first() else { return String::new() };
    let mut text = format!("{} ", first.variant);
    text += &first.seconds.map_or_else(|| "not timed".to_owned(), |seconds| format!("{:.1} µs", 1e6 * seconds.median));
    for variant in others {
        let ratio = if over { variant.relative_time } else { variant.speedup };
        let ratio = ratio.map_or_else(|| "no ratio".to_owned(), |ratio| format!("{:.3}", ratio.median));
        let what = if over { " of its time" } else { " times as fast" };
        text += &format!(", {} {ratio}{}", variant.variant, if ratio == "no ratio" { "" } else { what });
    }
    text
}

/// The arithmetic mean, and of how many.
fn mean(figures: impl Iterator<Item = f64>) -> Option<(f64, usize)> {
    let figures: Vec<f64> = figures.collect();
    (!figures.is_empty()).then(|| (figures.iter().sum::<f64>() / figures.len() as f64, figures.len()))
}

impl SyntheticTimes {
    /// The row in words.
    fn name(&self) -> String {
        format!("Figure {}, {} lanes, {} multiply-adds", self.figure, self.takers, self.length)
    }

    /// A variant by its name.
    #[must_use]
    pub fn variant(&self, name: &str) -> Option<&VariantTimes> {
        self.variants.iter().find(|variant| variant.variant == name)
    }

    /// Returns the kernel that the rewriter makes of the row's directive. In Figure 13 the directive has no probability, and everything is collected.
    pub(super) fn ccc(&self) -> Option<&VariantTimes> {
        self.variant(if self.figure == 13 { "collected" } else { "ccc" })
    }
}
