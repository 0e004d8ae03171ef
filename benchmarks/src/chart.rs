//! Bars and curves as SVG: what the plots of all suites are drawn with.

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

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

/// What a series is drawn in: ours in blue, the paper's in orange, what was before the rewrite in a light shade.
pub(crate) const BEFORE: RGBColor = RGBColor(150, 190, 230);
pub(crate) const AFTER: RGBColor = RGBColor(20, 90, 170);
pub(crate) const PAPER_BEFORE: RGBColor = RGBColor(245, 200, 140);
pub(crate) const PAPER: RGBColor = RGBColor(210, 110, 10);

type Chart<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

pub(crate) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// One bar per program; none where there is no figure.
pub(crate) struct Bars {
    pub(crate) name: &'static str,
    pub(crate) colour: RGBColor,
    pub(crate) values: Vec<Option<f64>>,
}

/// A curve.
pub(crate) struct Curve {
    pub(crate) name: &'static str,
    pub(crate) colour: RGBColor,
    pub(crate) points: Vec<(f64, f64)>,
}

/// Returns what plotters says of a drawing that fails.
fn failed(error: impl std::fmt::Display) -> Error {
    Error::Plot { what: error.to_string() }
}

/// A plot from what paints it.
pub(crate) fn draw(file: &str, paint: impl FnOnce(&Area<'_>) -> Result<(), Error>) -> Result<Plot, Error> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        area.fill(&WHITE).map_err(failed)?;
        paint(&area)?;
        area.present().map_err(failed)?;
    }
    Ok(Plot { file: file.to_owned(), svg })
}

/// The left and the right half of a plot.
pub(crate) fn split<'a>(area: &Area<'a>) -> (Area<'a>, Area<'a>) {
    area.split_horizontally(SIZE.0 / 2)
}

/// Groups of bars, one group for each name.
pub(crate) fn bars(area: &Area<'_>, title: &str, names: &[String], series: &[Bars]) -> Result<(), Error> {
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
pub(crate) fn curves(
    area: &Area<'_>,
    title: &str,
    axis: &str,
    logarithmic: bool,
    series: &[Curve],
) -> Result<(), Error> {
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
