//! The report as text: times and speedups with the papers' figures beside them. It shows what the report has and computes averages, nothing else.

use std::fmt::Write;

use comfy_table::{CellAlignment, Table, presets};

use super::report::{GpuReport, ProgramTimes, SyntheticTimes, VariantTimes};
use super::statistics::Summary;
use crate::ccc;
use crate::lock::LockReport;
use crate::render::grouped;
use crate::ssde::paper;

const NOTHING: &str = "not measured";

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
        if !self.lock.is_empty() {
            let (suite, device) = ("lock".to_owned(), self.device.clone());
            let _ = writeln!(text, "\n{}", LockReport { suite, device, rows: self.lock.clone() }.to_text());
        }
        for line in self.left_out.iter().map(|one| format!("left out: {}, {}: {}", one.suite, one.program, one.reason))
        {
            let _ = writeln!(text, "{line}");
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

fn table(head: &[&str], text_columns: usize) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::UTF8_FULL_CONDENSED).set_header(head);
    table.column_iter_mut().skip(text_columns).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    table
}

fn speedups(programs: &[&ProgramTimes]) -> Table {
    let mut table = table(
        &[
            "program",
            "input",
            "variant",
            "blocks",
            "time in µs",
            "fastest to\nslowest",
            "speedup",
            "paper's",
            "registers\nper thread",
            "local\nbytes",
            "shared bytes\nper block",
            "occupancy",
            "result as\nthe CPU's",
        ],
        3,
    );
    for program in programs {
        for (index, variant) in program.variants.iter().enumerate() {
            let first = index == 0;
            let name = |text: &str| if first { text.to_owned() } else { String::new() };
            let paper = program.ccc_paper().filter(|_| variant.variant == "ccc");
            let mut cells = vec![name(&program.program), name(&program.input), variant.variant.clone()];
            cells.push(name(&grouped(u64::from(program.grid))));
            cells.extend(times(variant));
            cells.push(if first { String::new() } else { ratio(variant.speedup, 2) });
            cells.push(paper.map_or_else(String::new, |paper| format!("{:.2}", paper.speedup)));
            cells.extend(taken(variant));
            cells.push(right(variant));
            table.add_row(cells);
        }
    }
    table
}

fn relative(programs: &[&ProgramTimes]) -> Table {
    let mut table = table(
        &[
            "program",
            "input",
            "variant",
            "time in µs",
            "fastest to\nslowest",
            "over S",
            "registers\nper thread",
            "local\nbytes",
            "shared bytes\nper block",
            "occupancy",
            "result as\nthe CPU's",
        ],
        3,
    );
    for program in programs {
        for (index, variant) in program.variants.iter().enumerate() {
            let first = index == 0;
            let name = |text: &str| if first { text.to_owned() } else { String::new() };
            let mut cells = vec![name(&program.program), name(&program.input), variant.variant.clone()];
            cells.extend(times(variant));
            cells.push(if first { String::new() } else { ratio(variant.relative_time, 3) });
            cells.extend(taken(variant));
            cells.push(right(variant));
            table.add_row(cells);
        }
    }
    table
}

fn synthetic(rows: &[SyntheticTimes]) -> Table {
    let mut table = table(
        &[
            "figure",
            "lanes that\ntake the path",
            "multiply-adds\nin it",
            "original\nin µs",
            "speedup",
            "collected\nregardless",
            "result as\nthe CPU's",
        ],
        0,
    );
    for row in rows {
        let speedup = |variant: Option<&VariantTimes>| ratio(variant.and_then(|variant| variant.speedup), 2);
        let decided = if row.left_as_it_was { "left as it was".into() } else { speedup(row.ccc()) };
        let original = row.variant("original").and_then(|variant| variant.seconds);
        table.add_row([
            row.figure.to_string(),
            row.takers.to_string(),
            row.length.to_string(),
            original.map_or_else(|| NOTHING.into(), |seconds| micros(seconds.median)),
            decided,
            speedup(row.variant("collected")),
            if row.variants.iter().all(|variant| variant.results_equal) { "yes" } else { "NO" }.to_owned(),
        ]);
    }
    table
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

/// The median with the quartiles, and both ends.
fn times(variant: &VariantTimes) -> [String; 2] {
    let Some(seconds) = variant.seconds else { return [NOTHING.into(), String::new()] };
    let Summary { median, lower_quartile, upper_quartile, minimum, maximum } = seconds;
    [
        format!("{} ({} to {})", micros(median), micros(lower_quartile), micros(upper_quartile)),
        format!("{} to {}", micros(minimum), micros(maximum)),
    ]
}

fn micros(seconds: f64) -> String {
    format!("{:.1}", 1e6 * seconds)
}

fn ratio(ratio: Option<Summary>, digits: usize) -> String {
    let show = |ratio: Summary| {
        let Summary { median, lower_quartile, upper_quartile, .. } = ratio;
        format!("{median:.digits$} ({lower_quartile:.digits$} to {upper_quartile:.digits$})")
    };
    ratio.map_or_else(|| NOTHING.into(), show)
}

fn taken(variant: &VariantTimes) -> [String; 4] {
    let Some(taken) = variant.taken else { return std::array::from_fn(|_| NOTHING.to_owned()) };
    [
        taken.registers.to_string(),
        taken.local_bytes.to_string(),
        taken.static_shared_bytes.to_string(),
        format!("{:.0} %", 100.0 * taken.occupancy),
    ]
}

/// What came of it, in a word.
fn right(variant: &VariantTimes) -> String {
    match variant {
        VariantTimes { results_equal: true, .. } => "yes",
        VariantTimes { finished: false, .. } => "NOT FINISHED",
        VariantTimes { launches: 0, .. } => "NOT RUN",
        _ => "WRONG",
    }
    .to_owned()
}
