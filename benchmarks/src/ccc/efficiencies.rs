//! Figure 12 of the paper, warp execution efficiency before and after, as SVG: of whatever counted it.

use super::paper::Paper;
use super::program::Program;
use crate::chart::{AFTER, BEFORE, Bars, PAPER, PAPER_BEFORE, Plot, bars, draw};
use crate::error::Error;

/// The warp execution efficiency of a program.
pub(crate) struct Efficiency {
    /// The program's name.
    pub(crate) program: String,
    /// Ours, from 0 to 1, without CCC and with it.
    pub(crate) ours: Option<(f64, f64)>,
    /// What the paper says of it.
    pub(crate) paper: Option<Paper>,
}

/// Draws ours beside the paper's, and the averages where all of its programs are there.
///
/// # Errors
/// [`Error::Plot`].
pub(crate) fn efficiencies(title: &str, programs: &[Efficiency]) -> Result<Plot, Error> {
    let ours = |pick: fn((f64, f64)) -> f64| -> Vec<Option<f64>> {
        programs.iter().map(|program| program.ours.map(|both| 100.0 * pick(both))).collect()
    };
    let papers = |pick: fn(&Paper) -> Option<u32>| -> Vec<Option<f64>> {
        programs.iter().map(|program| pick(program.paper.as_ref()?).map(f64::from)).collect()
    };
    let mut series = [
        Bars { name: "ours, original", colour: BEFORE, values: ours(|both| both.0) },
        Bars { name: "ours, CCC", colour: AFTER, values: ours(|both| both.1) },
        Bars { name: "paper, original", colour: PAPER_BEFORE, values: papers(|paper| Some(paper.efficiency_before)) },
        Bars { name: "paper, CCC", colour: PAPER, values: papers(|paper| paper.efficiency_after) },
    ];
    let names = programs.iter().map(|program| program.program.to_uppercase()).collect();
    let (before, after) = Paper::AVERAGE_EFFICIENCY;
    let names = with_averages(names, &mut series, &[None, None, Some(before), Some(after)]);
    draw("figure-12.svg", |area| bars(area, title, &names, &series))
}

/// Adds a group with the average of each of our series, and the paper's of its eight programs, where all of those are there.
pub(super) fn with_averages(mut names: Vec<String>, series: &mut [Bars], papers: &[Option<f64>]) -> Vec<String> {
    if names.len() == Program::ALL.len() {
        for (bars, paper) in series.iter_mut().zip(papers) {
            let all: Option<f64> = bars.values.iter().copied().sum();
            bars.values.push(paper.or(all.map(|sum| sum / names.len() as f64)));
        }
        names.push("average".to_owned());
    }
    names
}
