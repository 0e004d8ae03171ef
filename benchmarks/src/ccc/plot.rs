//! The paper's table and figures as SVG, with its numbers beside ours.
//!
//! What the paper only draws has no number here: of Figures 13 and 14 it says the average and the limits, which are drawn as lines.

use super::efficiencies::{Efficiency, efficiencies, with_averages};
use super::lengths::{Lengths, lengths};
use super::paper::Paper;
use super::report::{CccReport, Change, ProgramReport};
use super::synthetic::SyntheticRow;
use crate::chart::{AFTER, BEFORE, Bars, Curve, PAPER, PAPER_BEFORE, Plot, bars, curves, draw, split};
use crate::error::Error;

impl CccReport {
    /// Table 1 and Figures 11 and 12 of the programs that were run, on the first of the machines, and Figures 13 and 14 of the
    /// synthetic kernels if those were.
    ///
    /// # Errors
    /// [`Error::Plot`].
    pub fn plots(&self) -> Result<Vec<Plot>, Error> {
        let mut plots = Vec::new();
        if !self.programs.is_empty() {
            plots.push(self.table()?);
            plots.push(self.speedups()?);
            plots.push(self.efficiencies()?);
        }
        if !self.synthetic.is_empty() {
            plots.push(self.divergence()?);
            plots.push(self.lengths()?);
        }
        Ok(plots)
    }

    fn figures(&self, figure: impl Fn(&ProgramReport, &Change) -> f64) -> Vec<Option<f64>> {
        let of = |program: &ProgramReport| {
            let (before, after) = program.pairs().next()?;
            Change::of(before, after).map(|change| figure(program, &change))
        };
        self.programs.iter().map(of).collect()
    }

    fn papers(&self, figure: impl Fn(&Paper) -> Option<f64>) -> Vec<Option<f64>> {
        self.programs.iter().map(|program| figure(&program.paper)).collect()
    }

    fn table(&self) -> Result<Plot, Error> {
        let added = |program: &ProgramReport| program.collected.first().map(|one| f64::from(one.context_bytes));
        let registers = |program: &ProgramReport, variant: usize| {
            program.resources.get(variant).map(|resources| f64::from(resources.registers))
        };
        let shared = [
            Bars { name: "ours", colour: AFTER, values: self.programs.iter().map(added).collect() },
            Bars {
                name: "paper",
                colour: PAPER,
                values: self.papers(|paper| Some(f64::from(paper.shared_bytes.after - paper.shared_bytes.before))),
            },
        ];
        let used = [
            Bars {
                name: "ours, original",
                colour: BEFORE,
                values: self.programs.iter().map(|program| registers(program, 0)).collect(),
            },
            Bars {
                name: "ours, CCC",
                colour: AFTER,
                values: self.programs.iter().map(|program| registers(program, 1)).collect(),
            },
            Bars {
                name: "paper, original",
                colour: PAPER_BEFORE,
                values: self.papers(|paper| Some(f64::from(paper.registers.before))),
            },
            Bars {
                name: "paper, CCC",
                colour: PAPER,
                values: self.papers(|paper| Some(f64::from(paper.registers.after))),
            },
        ];
        let names = self.names();
        draw("table-1.svg", |area| {
            let (left, right) = split(area);
            bars(&left, "Table 1: bytes of shared memory per thread", &names, &shared)?;
            bars(&right, "Table 1: registers per thread", &names, &used)
        })
    }

    fn speedups(&self) -> Result<Plot, Error> {
        let mut series = [
            Bars {
                name: "ours (warp instructions)",
                colour: AFTER,
                values: self.figures(|_, change| change.issue_speedup()),
            },
            Bars { name: "paper (time, GTX 780)", colour: PAPER, values: self.papers(|paper| Some(paper.speedup)) },
        ];
        let names = with_averages(self.names(), &mut series, &[None, Some(Paper::AVERAGE_SPEEDUP)]);
        draw("figure-11.svg", |area| bars(area, "Figure 11: speedup by CCC", &names, &series))
    }

    fn efficiencies(&self) -> Result<Plot, Error> {
        let ours = self
            .figures(|_, change| change.efficiency.0)
            .into_iter()
            .zip(self.figures(|_, change| change.efficiency.1));
        let programs = self.programs.iter().zip(ours).map(|(program, (before, after))| Efficiency {
            program: program.program.clone(),
            ours: before.zip(after),
            paper: Some(program.paper),
        });
        efficiencies("Figure 12: warp execution efficiency in percent", &programs.collect::<Vec<_>>())
    }

    fn divergence(&self) -> Result<Plot, Error> {
        let rows = || self.synthetic.iter().filter(|row| row.figure == 13);
        let curve = |name, colour, value: &dyn Fn(&SyntheticRow) -> Option<f64>| Curve {
            name,
            colour,
            points: rows().filter_map(|row| Some((f64::from(row.takers), value(row)?))).collect(),
        };
        let millions = |count: Option<u64>| count.map(|count| count as f64 / 1e6);
        let work = [
            curve("original", BEFORE, &|row| millions(row.original.counts.warp_instructions)),
            curve("CCC", AFTER, &|row| millions(row.ccc.counts.warp_instructions)),
        ];
        let efficiency = [
            curve("original", BEFORE, &|row| Some(100.0 * row.efficiency()?.0)),
            curve("CCC", AFTER, &|row| Some(100.0 * row.efficiency()?.1)),
            Curve { name: "paper, CCC on average", colour: PAPER, points: vec![(1.0, 96.6), (32.0, 96.6)] },
        ];
        draw("figure-13.svg", |area| {
            let (left, right) = split(area);
            curves(&left, "Figure 13: millions of warp instructions", "lanes that take the path", false, &work)?;
            curves(
                &right,
                "Figure 13: warp execution efficiency in percent",
                "lanes that take the path",
                false,
                &efficiency,
            )
        })
    }

    fn lengths(&self) -> Result<Plot, Error> {
        lengths("ours (warp instructions)", |takers| {
            let rows = || self.synthetic.iter().filter(move |row| row.figure == 14 && row.takers == takers);
            let curve = |speedup: fn(&SyntheticRow) -> Option<f64>| -> Vec<(f64, f64)> {
                rows().filter_map(|row| Some((f64::from(row.length), speedup(row)?))).collect()
            };
            Lengths { decided: curve(SyntheticRow::issue_speedup), collected: curve(SyntheticRow::collected_speedup) }
        })
    }

    fn names(&self) -> Vec<String> {
        self.programs.iter().map(|program| program.program.to_uppercase()).collect()
    }
}
