//! The report as text.

use std::fmt::Write;

use super::report::{CodeReport, CpuReport, ProgramReport};
use super::ways::{OPENCL, REWRITTEN};
use crate::document::{Document, columns, grouped};
use crate::gpu::Summary;

impl CpuReport {
    /// The report as text, with lines that end in `\n` and tables of any width.
    #[must_use]
    pub fn to_text(&self) -> String {
        self.document().to_text(None)
    }

    /// The report for a reader: lines and tables.
    #[must_use]
    pub fn document(&self) -> Document {
        let mut text = Document::default();
        let _ = writeln!(
            text,
            "{}, {}; native: {}, {}",
            self.processor,
            threads_in_words(self.threads),
            self.compiler,
            self.flags
        );
        for threads in self.thread_counts() {
            self.times(threads, &mut text);
        }
        let _ = writeln!(
            text,
            "basic, merging, splitting: the translated kernels, times as long as native code with as many threads (median of ratios of one round); \
             wrong: the results are wrong, so that there is no speed; emulator: one run"
        );
        self.beside_opencl(&mut text);
        self.treatments(&mut text);
        self.collected(&mut text);
        self.answer(&mut text);
        self.problems(&mut text);
        text
    }

    fn times(&self, threads: u32, text: &mut Document) {
        let alone = threads == 1;
        let _ = writeln!(text, "\n{}", threads_in_words(threads));
        let mut head = vec!["program", "input", "native ms", "basic ×", "merging ×", "splitting ×"];
        head.extend(if alone {
            [].as_slice()
        } else {
            &["splitting,\none thread over all", "native,\none thread over all"]
        });
        let emulated = threads == self.threads;
        head.extend(emulated.then_some("emulator ×"));
        let mut table = columns(&head, 2);
        for program in &self.programs {
            let of = |code: &str| program.code(code, threads);
            let mut cells = vec![program.program.clone(), program.input.clone()];
            cells.push(of("native").map_or("not measured".to_owned(), |row| cell(row, milliseconds(row.seconds))));
            for code in ["basic", "merging", "splitting"] {
                cells.push(of(code).map_or("not measured".to_owned(), |row| cell(row, ratio(row.over_native))));
            }
            if !alone {
                for code in ["splitting", "native"] {
                    cells.push(ratio(of(code).and_then(|row| row.speedup)));
                }
            }
            if emulated {
                cells.push(of("emulator").map_or("not measured".to_owned(), |row| cell(row, ratio(row.over_native))));
            }
            table.add_row(cells);
        }
        text.table(table, 1);
    }

    /// Translated code beside OpenCL.
    fn beside_opencl(&self, text: &mut Document) {
        let Some(version) = &self.opencl else {
            let _ = writeln!(text, "OpenCL: not measured, because PoCL and the headers of OpenCL are not installed");
            return;
        };
        let _ = writeln!(text, "\nOpenCL by PoCL ({version}): time of the translated kernels over that of OpenCL");
        let mut table = columns(&["program", "threads", "OpenCL ms", "basic ×", "merging ×", "splitting ×"], 1);
        for program in &self.programs {
            for threads in self.thread_counts() {
                let Some(opencl) = program.code(OPENCL, threads) else { continue };
                let mut cells = vec![program.program.clone(), threads.to_string()];
                cells.push(cell(opencl, milliseconds(opencl.seconds)));
                for code in ["basic", "merging", "splitting"] {
                    let row = program.code(code, threads);
                    cells.push(row.map_or("not measured".to_owned(), |row| cell(row, ratio(row.over_opencl))));
                }
                table.add_row(cells);
            }
        }
        text.table(table, 1);
    }

    /// The numbers of the paper's Figures 9 and 10.
    fn treatments(&self, text: &mut Document) {
        let of_the_paper: Vec<&ProgramReport> = self.programs.iter().filter(|program| program.of_the_paper).collect();
        if of_the_paper.is_empty() {
            return;
        }
        let _ =
            writeln!(text, "\nFigures 9 and 10 of the paper: time over that of basic, whether basic is right or not");
        let mut table =
            columns(&["program", "basic", "threads", "merging ×", "splitting ×", "merging over splitting"], 2);
        for program in of_the_paper {
            for threads in self.thread_counts() {
                let of = |code: &str| program.code(code, threads);
                let over = |code: &str| of(code).and_then(|row| row.over_basic);
                let both = over("merging").zip(over("splitting")).map(|(one, other)| one.median / other.median);
                table.add_row([
                    program.program.clone(),
                    of("basic")
                        .map_or("not measured", |row| if row.results_equal { "right" } else { "wrong" })
                        .to_owned(),
                    threads.to_string(),
                    ratio(over("merging")),
                    ratio(over("splitting")),
                    both.map_or_else(|| "not measured".to_owned(), |both| format!("{both:.2}")),
                ]);
            }
        }
        text.table(table, 1);
        let _ = writeln!(text, "the paper's bars have no numbers");
    }

    /// The effect of CCC.
    fn collected(&self, text: &mut Document) {
        let rows = |program: &ProgramReport| {
            let of = |threads: u32| program.code(REWRITTEN, threads).map(|row| cell(row, ratio(row.over_original)));
            self.thread_counts().into_iter().map(of).collect::<Option<Vec<String>>>()
        };
        let all: Vec<(&ProgramReport, Vec<String>)> =
            self.programs.iter().filter_map(|program| Some((program, rows(program)?))).collect();
        if all.is_empty() {
            return;
        }
        let _ = writeln!(text, "\nkernels after CCC: time over that of the original ones, with splitting");
        let counts = self.thread_counts();
        let heads: Vec<String> = counts.iter().map(|&threads| threads_in_words(threads)).collect();
        let mut table =
            columns(&["program"].into_iter().chain(heads.iter().map(String::as_str)).collect::<Vec<_>>(), 1);
        for (program, cells) in all {
            table.add_row([program.program.clone()].into_iter().chain(cells));
        }
        text.table(table, 1);
    }

    fn answer(&self, text: &mut Document) {
        let Some(known) = &self.known_answer else { return };
        let sums: Vec<String> =
            known.sums.iter().map(|sum| format!("{} {}", sum.code, grouped(sum.sum.unsigned_abs().into()))).collect();
        let paper = known
            .paper_basic
            .map_or(String::new(), |sum| format!(" (the paper: basic {})", grouped(sum.unsigned_abs().into())));
        let _ = writeln!(text, "\nreduction of {} ones: {}{paper}", grouped(known.ones.into()), sums.join(", "));
    }

    fn problems(&self, text: &mut Document) {
        for program in &self.programs {
            for row in &program.codes {
                let what = format!("{}, {}, {}", program.program, row.code, threads_in_words(row.threads));
                if let Some(reason) = &row.refused {
                    let _ = writeln!(text, "REFUSED: {what}: {reason}");
                }
                if let Some(difference) = &row.difference {
                    let expected = program.warp_synchronous && row.code == "basic";
                    let word = if expected { "wrong, as it must be" } else { "WRONG" };
                    let _ = writeln!(text, "{word}: {what}: {difference}");
                }
            }
        }
    }
}

pub(super) fn threads_in_words(threads: u32) -> String {
    if threads == 1 { "one thread".to_owned() } else { format!("{threads} threads") }
}

/// A figure, or the reason why there is none.
fn cell(row: &CodeReport, figure: String) -> String {
    match (&row.refused, &row.difference) {
        (Some(_), _) => "refused".to_owned(),
        (None, Some(_)) => "wrong".to_owned(),
        (None, None) => figure,
    }
}

fn milliseconds(seconds: Option<Summary>) -> String {
    seconds.map_or_else(|| "not measured".to_owned(), |seconds| format!("{:.2}", 1e3 * seconds.median))
}

fn ratio(ratio: Option<Summary>) -> String {
    ratio.map_or_else(|| "not measured".to_owned(), |ratio| format!("{:.2}", ratio.median))
}
