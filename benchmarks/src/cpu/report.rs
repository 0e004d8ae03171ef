//! The report of the suite: its fields are the keys of the JSON report.

use serde::Serialize;

use super::ways::{OPENCL, REWRITTEN};
use crate::gpu::Summary;

/// The report.
#[derive(Clone, Debug, Serialize)]
pub struct CpuReport {
    /// `cpu`.
    pub suite: String,
    /// The processor.
    pub processor: String,
    /// All host threads: the larger number of threads in the rows.
    pub threads: u32,
    /// The C++ compiler's first line about itself.
    pub compiler: String,
    /// The options of native code.
    pub flags: String,
    /// The version of PoCL; none where it is not installed.
    pub opencl: Option<String>,
    /// The architecture that the kernels were compiled for.
    pub arch: String,
    /// The programs.
    pub programs: Vec<ProgramReport>,
    /// The paper's example of a wrong result; none without `reduction`.
    pub known_answer: Option<KnownAnswer>,
}

/// A program.
#[derive(Clone, Debug, Serialize)]
pub struct ProgramReport {
    /// Its name.
    pub program: String,
    /// True if it is one of the paper's five.
    pub of_the_paper: bool,
    /// True if it relies on lanes of a warp executing in lockstep.
    pub warp_synchronous: bool,
    /// The input in words.
    pub input: String,
    /// The number of launches.
    pub launches: u32,
    /// The rounds that count.
    pub rounds: u32,
    /// Each code with each number of threads.
    pub codes: Vec<CodeReport>,
}

/// A program as one code, with a number of threads.
#[derive(Clone, Debug, Serialize)]
pub struct CodeReport {
    /// `native`, `opencl`, a treatment, `splitting after CCC`, or `emulator`.
    pub code: String,
    /// Host threads.
    pub threads: u32,
    /// True if all results were right.
    pub results_equal: bool,
    /// The problem with a result, if any.
    pub difference: Option<String>,
    /// The reason why the program was not translated, if so.
    pub refused: Option<String>,
    /// The largest error against the reference.
    pub error: f64,
    /// The time of all launches; none where a result is wrong. The emulator runs once.
    pub seconds: Option<Summary>,
    /// The time over that of native code with as many threads.
    pub over_native: Option<Summary>,
    /// The time over that of `basic` with as many threads, which counts here even where its results are wrong, as in the paper.
    pub over_basic: Option<Summary>,
    /// The time of a treatment over that of OpenCL with as many threads.
    pub over_opencl: Option<Summary>,
    /// After CCC, the time over that of the original kernel with `splitting` and as many threads.
    pub over_original: Option<Summary>,
    /// The time with one thread over this one.
    pub speedup: Option<Summary>,
}

/// The sum of ones by Reduction.
#[derive(Clone, Debug, Serialize)]
pub struct KnownAnswer {
    /// The number of ones.
    pub ones: u32,
    /// The paper's sum without implicit synchronisation, for 2^24 ones.
    pub paper_basic: Option<i32>,
    /// What each treatment gives.
    pub sums: Vec<Sum>,
}

/// A sum.
#[derive(Clone, Debug, Serialize)]
pub struct Sum {
    /// The treatment.
    pub code: String,
    /// The sum.
    pub sum: i32,
}

/// The times of a program, round by round.
pub(super) struct Rows {
    pub(super) rows: Vec<Row>,
    pub(super) launches: u32,
    pub(super) rounds: u32,
}

/// The times of one code.
pub(super) struct Row {
    pub(super) code: String,
    pub(super) threads: u32,
    pub(super) times: Vec<f64>,
    pub(super) difference: Option<String>,
    pub(super) error: f64,
    pub(super) refused: Option<String>,
}

impl Rows {
    /// The rows with their ratios.
    pub(super) fn summarised(&self) -> Vec<CodeReport> {
        self.rows.iter().map(|row| self.summary(row)).collect()
    }

    fn find(&self, code: &str, threads: u32) -> Option<&Row> {
        self.rows.iter().find(|row| row.code == code && row.threads == threads)
    }

    fn summary(&self, row: &Row) -> CodeReport {
        let right = row.is_right();
        let measured = |other: &&Row| right && !row.times.is_empty() && row.times.len() == other.times.len();
        // A wrong result has no speed.
        let native = self.find("native", row.threads).filter(|other| other.is_right() && row.code != "native");
        let basic = self.find("basic", row.threads).filter(|_| row.is_other_treatment());
        let original = self.find("splitting", row.threads).filter(|other| row.code == REWRITTEN && other.is_right());
        let opencl = self.find(OPENCL, row.threads).filter(|other| other.is_right() && row.is_treatment());
        let alone = self.find(&row.code, 1).filter(|other| other.is_right() && row.threads > 1);
        CodeReport {
            code: row.code.clone(),
            threads: row.threads,
            results_equal: right,
            difference: row.difference.clone(),
            refused: row.refused.clone(),
            error: row.error,
            seconds: Summary::of(&row.times).filter(|_| right),
            over_native: match row.code.as_str() {
                // It has run once, before the rounds.
                "emulator" => native.and_then(|native| {
                    let native = Summary::of(&native.times)?.median;
                    Summary::of(&row.times.iter().map(|time| time / native).collect::<Vec<_>>()).filter(|_| right)
                }),
                _ => native.filter(measured).and_then(|native| Summary::of_ratios(&row.times, &native.times)),
            },
            over_basic: basic.filter(measured).and_then(|basic| Summary::of_ratios(&row.times, &basic.times)),
            over_opencl: opencl.filter(measured).and_then(|opencl| Summary::of_ratios(&row.times, &opencl.times)),
            over_original: original
                .filter(measured)
                .and_then(|original| Summary::of_ratios(&row.times, &original.times)),
            speedup: alone.filter(measured).and_then(|alone| Summary::of_ratios(&alone.times, &row.times)),
        }
    }
}

impl Row {
    fn is_right(&self) -> bool {
        self.difference.is_none() && self.refused.is_none()
    }

    fn is_treatment(&self) -> bool {
        self.code == "basic" || self.is_other_treatment()
    }

    fn is_other_treatment(&self) -> bool {
        matches!(self.code.as_str(), "merging" | "splitting")
    }
}

impl ProgramReport {
    /// Returns the row of a code with a number of threads.
    #[must_use]
    pub fn code(&self, code: &str, threads: u32) -> Option<&CodeReport> {
        self.codes.iter().find(|row| row.code == code && row.threads == threads)
    }
}

impl CpuReport {
    /// True if every result is right that must be: all but those of `basic` for programs that rely on lockstep, and those of PoCL, which this project does not make.
    #[must_use]
    pub fn as_expected(&self) -> bool {
        let expected = |program: &ProgramReport, row: &CodeReport| {
            row.code == OPENCL || program.warp_synchronous && row.code == "basic" && row.refused.is_none()
        };
        let programs = self
            .programs
            .iter()
            .all(|program| program.codes.iter().all(|row| row.results_equal || expected(program, row)));
        let known = self.known_answer.iter().all(KnownAnswer::is_right);
        programs && known
    }

    /// The numbers of host threads.
    pub(super) fn thread_counts(&self) -> Vec<u32> {
        let mut counts = vec![1, self.threads];
        counts.dedup();
        counts
    }
}

impl KnownAnswer {
    /// True if all treatments that keep lockstep have the right sum.
    fn is_right(&self) -> bool {
        self.sums.iter().all(|sum| sum.code == "basic" || u32::try_from(sum.sum) == Ok(self.ones))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(code: &str, threads: u32, times: &[f64], difference: Option<&str>) -> Row {
        Row {
            code: code.to_owned(),
            threads,
            times: times.to_vec(),
            difference: difference.map(str::to_owned),
            error: 0.0,
            refused: None,
        }
    }

    #[test]
    fn ratios_are_of_one_round_and_of_as_many_threads() {
        let rows = Rows {
            rows: vec![
                row("native", 1, &[1.0, 2.0, 4.0], None),
                row("basic", 1, &[2.0, 4.0, 8.0], Some("wrong")),
                row("splitting", 1, &[3.0, 6.0, 12.0], None),
                row("native", 2, &[0.5, 1.0, 2.0], None),
                row("splitting", 2, &[1.5, 3.0, 6.0], None),
                row("emulator", 2, &[20.0], None),
                row("opencl", 1, &[6.0, 3.0, 3.0], None),
            ],
            launches: 1,
            rounds: 3,
        };
        let all = rows.summarised();
        let median = |summary: Option<Summary>| summary.map(|summary| summary.median);
        assert_eq!((median(all[0].seconds), all[0].over_native), (Some(2.0), None));
        // A wrong result has no speed, but is what the others are compared with.
        assert_eq!((all[1].results_equal, all[1].seconds, all[1].over_native), (false, None, None));
        assert_eq!(
            (median(all[2].over_native), median(all[2].over_basic), all[2].speedup),
            (Some(3.0), Some(1.5), None)
        );
        // 3 / 6, 6 / 3 and 12 / 3.
        assert_eq!((median(all[2].over_opencl), all[0].over_opencl, all[4].over_opencl), (Some(2.0), None, None));
        assert_eq!(
            (median(all[4].over_native), all[4].over_basic, median(all[4].speedup)),
            (Some(3.0), None, Some(2.0))
        );
        assert_eq!((median(all[3].speedup), median(all[5].over_native)), (Some(2.0), Some(20.0)));
    }

    #[test]
    fn only_basic_may_be_wrong_and_only_where_lockstep_matters() {
        let report = |code: &str, warp_synchronous: bool| {
            let rows = Rows { rows: vec![row(code, 1, &[1.0], Some("wrong"))], launches: 1, rounds: 1 };
            let program = ProgramReport {
                program: "p".to_owned(),
                of_the_paper: true,
                warp_synchronous,
                input: String::new(),
                launches: 1,
                rounds: 1,
                codes: rows.summarised(),
            };
            CpuReport {
                suite: "cpu".to_owned(),
                processor: String::new(),
                threads: 1,
                compiler: String::new(),
                flags: String::new(),
                opencl: None,
                arch: String::new(),
                programs: vec![program],
                known_answer: None,
            }
        };
        assert!(report("basic", true).as_expected());
        assert!(!report("basic", false).as_expected());
        assert!(!report("splitting", true).as_expected());
        assert!(report("opencl", false).as_expected());
        let sums = |code: &str, sum| KnownAnswer {
            ones: 64,
            paper_basic: None,
            sums: vec![Sum { code: code.to_owned(), sum }],
        };
        assert!(sums("basic", 7).is_right() && sums("merging", 64).is_right() && !sums("merging", 7).is_right());
    }
}
