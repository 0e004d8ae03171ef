//! The paper's table and figures as SVG, with its numbers beside ours.
//!
//! What the paper only draws has no number here: of Figures 13 and 14 it says the average and the limits, which are drawn as lines.

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

use super::paper::Paper;
use super::program::Program;
use super::report::{CccReport, Change, ProgramReport};
use super::synthetic::SyntheticRow;
use crate::error::Error;

/// A plot and the file that it belongs in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plot {
    /// The file's name, `figure-11.svg`.
    pub file: String,
    /// Its text.
    pub svg: String,
}

/// Width and height of a plot in pixels.
const SIZE: (u32, u32) = (900, 480);

/// What a series is drawn in: ours in blue, the paper's in orange, what was before CCC in a light shade.
const BEFORE: RGBColor = RGBColor(150, 190, 230);
const AFTER: RGBColor = RGBColor(20, 90, 170);
const PAPER_BEFORE: RGBColor = RGBColor(245, 200, 140);
const PAPER: RGBColor = RGBColor(210, 110, 10);

type Chart<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// One bar per program; none where there is no figure.
struct Bars {
    name: &'static str,
    colour: RGBColor,
    values: Vec<Option<f64>>,
}

/// A curve.
struct Curve {
    name: &'static str,
    colour: RGBColor,
    points: Vec<(f64, f64)>,
}

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
            let (left, right) = area.split_horizontally(SIZE.0 / 2);
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
        let names = self.with_averages(&mut series, &[None, Some(Paper::AVERAGE_SPEEDUP)]);
        draw("figure-11.svg", |area| bars(area, "Figure 11: speedup by CCC", &names, &series))
    }

    fn efficiencies(&self) -> Result<Plot, Error> {
        let mut series = [
            Bars {
                name: "ours, original",
                colour: BEFORE,
                values: self.figures(|_, change| 100.0 * change.efficiency.0),
            },
            Bars { name: "ours, CCC", colour: AFTER, values: self.figures(|_, change| 100.0 * change.efficiency.1) },
            Bars {
                name: "paper, original",
                colour: PAPER_BEFORE,
                values: self.papers(|paper| Some(f64::from(paper.efficiency_before))),
            },
            Bars {
                name: "paper, CCC",
                colour: PAPER,
                values: self.papers(|paper| paper.efficiency_after.map(f64::from)),
            },
        ];
        let title = "Figure 12: warp execution efficiency in percent";
        let (before, after) = Paper::AVERAGE_EFFICIENCY;
        let names = self.with_averages(&mut series, &[None, None, Some(before), Some(after)]);
        draw("figure-12.svg", |area| bars(area, title, &names, &series))
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
            let (left, right) = area.split_horizontally(SIZE.0 / 2);
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
        let panel = |area: &Area<'_>, takers: u32, title: &str| {
            let rows = || self.synthetic.iter().filter(|row| row.figure == 14 && row.takers == takers);
            let curve = |value: fn(&SyntheticRow) -> Option<f64>| -> Vec<(f64, f64)> {
                rows().filter_map(|row| Some((f64::from(row.length), value(row)?))).collect()
            };
            let (points, profiled) = (curve(SyntheticRow::issue_speedup), curve(SyntheticRow::profiled_speedup));
            let last = points.last().map_or(1.0, |point| point.0);
            let limit = 32.0 / f64::from(takers);
            let series = [
                Curve { name: "ours (warp instructions)", colour: AFTER, points },
                Curve { name: "ours, with a profile", colour: BEFORE, points: profiled },
                Curve { name: "the limit, as in the paper", colour: PAPER, points: vec![(1.0, limit), (last, limit)] },
            ];
            curves(area, title, "multiply-adds in the path", true, &series)
        };
        draw("figure-14.svg", |area| {
            let (left, right) = area.split_horizontally(SIZE.0 / 2);
            panel(&left, 8, "Figure 14: speedup, a quarter of the lanes")?;
            panel(&right, 24, "Figure 14: speedup, three quarters of the lanes")
        })
    }

    /// Adds a group with the average of each of our series, and the paper's of its eight programs, where all of those were run.
    fn with_averages(&self, series: &mut [Bars], papers: &[Option<f64>]) -> Vec<String> {
        let mut names = self.names();
        if self.programs.len() == Program::ALL.len() {
            for (bars, paper) in series.iter_mut().zip(papers) {
                let all: Option<f64> = bars.values.iter().copied().sum();
                bars.values.push(paper.or(all.map(|sum| sum / names.len() as f64)));
            }
            names.push("average".to_owned());
        }
        names
    }

    fn names(&self) -> Vec<String> {
        self.programs.iter().map(|program| program.program.to_uppercase()).collect()
    }
}

/// What plotters says of a drawing that fails.
fn failed(error: impl std::fmt::Display) -> Error {
    Error::Plot { what: error.to_string() }
}

fn draw(file: &str, paint: impl FnOnce(&Area<'_>) -> Result<(), Error>) -> Result<Plot, Error> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        area.fill(&WHITE).map_err(failed)?;
        paint(&area)?;
        area.present().map_err(failed)?;
    }
    Ok(Plot { file: file.to_owned(), svg })
}

/// Groups of bars, one group for each name.
fn bars(area: &Area<'_>, title: &str, names: &[String], series: &[Bars]) -> Result<(), Error> {
    let top =
        series.iter().flat_map(|bars| &bars.values).flatten().fold(f64::MIN_POSITIVE, |top, &value| top.max(value));
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 16))
        .margin(8)
        .x_label_area_size(30)
        .y_label_area_size(45)
        .build_cartesian_2d(-0.5..names.len() as f64 - 0.5, 0.0..1.25 * top)
        .map_err(failed)?;
    // Names stand below the whole numbers; whatever else the library picks for a label stays empty.
    let name = |at: &f64| {
        let named = names.get(at.round().max(0.0) as usize).filter(|_| (at - at.round()).abs() < 1e-6 && *at > -0.5);
        named.cloned().unwrap_or_default()
    };
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(names.len())
        .x_label_formatter(&name)
        .label_style(("sans-serif", 11))
        .draw()
        .map_err(failed)?;
    let width = 0.8 / series.len() as f64;
    for (index, bars) in series.iter().enumerate() {
        let colour = bars.colour;
        let left = |program: usize| program as f64 - 0.4 + index as f64 * width;
        let drawn = bars.values.iter().enumerate().filter_map(|(program, value)| {
            let corners = [(left(program), 0.0), (left(program) + width, (*value)?)];
            Some(Rectangle::new(corners, colour.filled()))
        });
        chart
            .draw_series(drawn)
            .map_err(failed)?
            .label(bars.name)
            .legend(move |(x, y)| Rectangle::new([(x, y - 4), (x + 12, y + 4)], colour.filled()));
    }
    legend(&mut chart)
}

/// Lines through points; the horizontal axis counts in powers if `logarithmic`.
fn curves(area: &Area<'_>, title: &str, axis: &str, logarithmic: bool, series: &[Curve]) -> Result<(), Error> {
    let points = || series.iter().flat_map(|curve| &curve.points);
    let top = points().fold(f64::MIN_POSITIVE, |top, point| top.max(point.1));
    let last = points().fold(2.0_f64, |last, point| last.max(point.0));
    // Powers of ten, drawn at their logarithms.
    let place = move |x: f64| if logarithmic { x.max(1.0).log10() } else { x };
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 16))
        .margin(8)
        .x_label_area_size(40)
        .y_label_area_size(45)
        .build_cartesian_2d(0.0..place(last) * 1.02, 0.0..1.25 * top)
        .map_err(failed)?;
    let label = |x: &f64| if logarithmic { format!("{:.0}", 10_f64.powf(*x)) } else { format!("{x:.0}") };
    chart
        .configure_mesh()
        .x_desc(axis)
        .x_labels(8)
        .x_label_formatter(&label)
        .label_style(("sans-serif", 11))
        .draw()
        .map_err(failed)?;
    for curve in series {
        let colour = curve.colour;
        let line = curve.points.iter().map(|&(x, y)| (place(x), y));
        chart
            .draw_series(LineSeries::new(line, colour.stroke_width(2)))
            .map_err(failed)?
            .label(curve.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 12, y)], colour.stroke_width(2)));
    }
    legend(&mut chart)
}

fn legend(chart: &mut Chart<'_>) -> Result<(), Error> {
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK)
        .label_font(("sans-serif", 11))
        .draw()
        .map_err(failed)
}
