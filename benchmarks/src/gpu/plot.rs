//! The papers' figures of time as SVG, ours beside what the papers say in numbers.

use super::report::{GpuReport, ProgramTimes, SyntheticTimes, VariantTimes};
use crate::ccc::{Efficiency, Lengths, Paper, efficiencies, lengths};
use crate::chart::{AFTER, BEFORE, Bars, Curve, PAPER, Plot, bars, curves, draw, split};
use crate::error::Error;
use crate::ssde::paper;

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
        let ours = |program: &&ProgramTimes| program.variant("ccc")?.speedup.map(|speedup| speedup.median);
        let mut series = [
            Bars { name: "ours (time)", colour: AFTER, values: programs.iter().map(ours).collect() },
            Bars {
                name: "paper (time, GTX 780)",
                colour: PAPER,
                values: programs.iter().map(|program| program.ccc_paper().map(|paper| paper.speedup)).collect(),
            },
        ];
        let names = with_average(programs, &mut series, Paper::AVERAGE_SPEEDUP, str::to_uppercase);
        let title = format!("Figure 11: speedup by CCC, {}", self.gpu.name);
        draw("figure-11.svg", |area| bars(area, &title, &names, &series))
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
        let title = format!("Figure 12: warp execution efficiency in percent, {}", self.gpu.name);
        efficiencies(&title, &all).map(Some)
    }

    fn freed(&self, programs: &[&ProgramTimes]) -> Result<Plot, Error> {
        let ours = |program: &&ProgramTimes| program.variant("M+SSDE")?.relative_time.map(|time| time.median);
        let mut series = [
            Bars { name: "ours (time)", colour: AFTER, values: programs.iter().map(ours).collect() },
            Bars { name: "paper's average (time, K20C)", colour: PAPER, values: vec![None; programs.len()] },
        ];
        let [_, full] = paper::OVERHEAD;
        let names = with_average(programs, &mut series, full, str::to_owned);
        let title = format!("M+SSDE over S at -O3, {}", self.gpu.name);
        draw("ssde-time.svg", |area| bars(area, &title, &names, &series))
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
        let time = [
            Curve { name: "original", colour: BEFORE, points: times("original") },
            Curve { name: "CCC", colour: AFTER, points: times("collected") },
        ];
        let ratio = [Curve { name: "CCC", colour: AFTER, points: rows.iter().filter_map(speedup).collect() }];
        let axis = "lanes that take the path";
        draw("figure-13.svg", |area| {
            let (left, right) = split(area);
            curves(&left, "Figure 13: time in microseconds", axis, false, &time)?;
            curves(&right, "Figure 13: speedup", axis, false, &ratio)
        })
    }

    fn lengths(&self) -> Result<Plot, Error> {
        lengths("ours (time), where collected", |takers| {
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

/// Adds a group with our average of what was timed, and the paper's of its programs.
fn with_average(
    programs: &[&ProgramTimes],
    series: &mut [Bars; 2],
    paper: f64,
    name: fn(&str) -> String,
) -> Vec<String> {
    let mut names: Vec<String> = programs.iter().map(|program| name(&program.program)).collect();
    let [ours, papers] = series;
    let timed: Vec<f64> = ours.values.iter().copied().flatten().collect();
    ours.values.push((!timed.is_empty()).then(|| timed.iter().sum::<f64>() / timed.len() as f64));
    papers.values.push(Some(paper));
    names.push("average".to_owned());
    names
}
