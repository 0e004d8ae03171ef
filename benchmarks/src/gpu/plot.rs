//! The papers' figures of time as SVG, ours beside the numbers that the papers have.

use super::report::{GpuReport, ProgramTimes, SyntheticTimes, VariantTimes};
use crate::ccc::{Efficiency, Lengths, Speedup, by_takers, efficiencies, lengths, of_programs, speedups};
use crate::chart::{AVERAGE, Axis, Bars, Curve, Figure, Plot, Role};
use crate::error::Error;
use crate::ssde::paper;

/// The reasons why a program has no bar.
const NO_RATIO: &str = "wrong, too short or not measured";
const NOT_COUNTED: &str = "wrong or not counted";

impl GpuReport {
    /// Figures 11 and 12 of the CCC paper, its Figures 13 and 14, and the SSDE programs, as far as they were timed.
    ///
    /// # Errors
    /// [`Error::Plot`].
    pub fn plots(&self) -> Result<Vec<Plot>, Error> {
        let of = |suite: &str| -> Vec<&ProgramTimes> {
            self.programs.iter().filter(|program| program.suite == suite).collect()
        };
        let (collected, freed) = (of("ccc"), of("ssde"));
        let mut plots = Vec::new();
        if !collected.is_empty() {
            plots.push(self.speedups(&collected)?);
            plots.extend(self.efficiencies(&collected)?);
        }
        if self.synthetic.iter().any(|row| row.figure == 13) {
            plots.push(self.divergence()?);
        }
        if self.synthetic.iter().any(|row| row.figure == 14) {
            plots.push(self.lengths()?);
        }
        if !freed.is_empty() {
            plots.push(self.freed(&freed)?);
        }
        Ok(plots)
    }

    fn speedups(&self, programs: &[&ProgramTimes]) -> Result<Plot, Error> {
        let of = |program: &&ProgramTimes| Speedup {
            program: program.program.clone(),
            ours: program.variant("ccc").and_then(|variant| Some(variant.speedup?.median)),
            paper: program.ccc_paper(),
        };
        let programs: Vec<Speedup> = programs.iter().map(of).collect();
        speedups("time", &self.gpu.name, NO_RATIO, &programs)
    }

    /// Draws the programs that were counted.
    fn efficiencies(&self, programs: &[&ProgramTimes]) -> Result<Option<Plot>, Error> {
        let counted = |program: &ProgramTimes, variant: &str| {
            Some(right(program.variant(variant)?)?.counted?.warp_execution_efficiency)
        };
        let both = |program: &&ProgramTimes| Efficiency {
            program: program.program.clone(),
            ours: counted(program, "original").zip(counted(program, "ccc")),
            paper: program.ccc_paper(),
        };
        let all: Vec<Efficiency> = programs.iter().map(both).collect();
        if all.iter().all(|program| program.ours.is_none()) {
            return Ok(None);
        }
        efficiencies(&self.gpu.name, NOT_COUNTED, &all).map(Some)
    }

    fn freed(&self, programs: &[&ProgramTimes]) -> Result<Plot, Error> {
        let ours = |program: &&ProgramTimes| program.variant("M+SSDE")?.relative_time.map(|time| time.median);
        let [_, full] = paper::OVERHEAD;
        let papers = vec![None; programs.len()].into_iter().chain([Some(full)]);
        // An average of ours would be that of the one program that takes thousands of times as long.
        let series = vec![
            Bars::new("pxrw", Role::After, NO_RATIO, programs.iter().map(ours).chain([None]).collect()),
            Bars::new("paper (K20C)", Role::Paper, "the average of its four applications alone", papers.collect()),
        ];
        let names = programs.iter().map(|program| program.program.clone()).chain([AVERAGE.to_owned()]).collect();
        let title = format!("SSDE paper, Figure 9: time of M+SSDE over that of S at -O3, {}", self.gpu.name);
        let panel = of_programs(&title, Axis::ratio("time over that of S"), names, series, None);
        Figure { file: "ssde-time.svg".to_owned(), panels: vec![panel] }.draw()
    }

    fn divergence(&self) -> Result<Plot, Error> {
        let rows: Vec<&SyntheticTimes> = self.synthetic.iter().filter(|row| row.figure == 13).collect();
        let times = |variant: &str| -> Vec<(f64, f64)> {
            let time = |row: &&SyntheticTimes| {
                Some((f64::from(row.takers), 1e6 * right(row.variant(variant)?)?.seconds?.median))
            };
            rows.iter().filter_map(time).collect()
        };
        let speedup = |row: &&SyntheticTimes| Some((f64::from(row.takers), row.ccc()?.speedup?.median));
        let time = vec![
            Curve::new("pxrw, original", Role::Before, times("original")),
            Curve::new("pxrw, CCC", Role::After, times("collected")),
        ];
        let ratio = vec![Curve::new("pxrw, CCC", Role::After, rows.iter().filter_map(speedup))];
        let absent = "paper: its curves have no numbers";
        let title = |what| format!("CCC paper, Figure 13: {what}, {}", self.gpu.name);
        let panels = vec![
            by_takers(title("time"), Axis::amount("time", "µs"), time, absent),
            by_takers(title("speedup, where launches are long enough"), Axis::ratio("speedup"), ratio, absent),
        ];
        Figure { file: "figure-13.svg".to_owned(), panels }.draw()
    }

    fn lengths(&self) -> Result<Plot, Error> {
        lengths("pxrw (time), where collected", "pxrw, collected regardless of the cost", &self.gpu.name, |takers| {
            let rows = || self.synthetic.iter().filter(move |row| row.figure == 14 && row.takers == takers);
            // What is left as it was is the same kernel: its speedup is 1 without being measured, and is not drawn.
            let curve = |of: fn(&SyntheticTimes) -> Option<&VariantTimes>| -> Vec<(f64, f64)> {
                rows().filter_map(|row| Some((f64::from(row.length), of(row)?.speedup?.median))).collect()
            };
            Lengths { decided: curve(SyntheticTimes::ccc), collected: curve(|row| row.variant("collected")) }
        })
    }
}

/// A variant whose results are right: a time of anything else says nothing.
fn right(variant: &VariantTimes) -> Option<&VariantTimes> {
    Some(variant).filter(|variant| variant.results_equal)
}
