//! Places the panels of a figure and draws them.
//!
//! ```text
//!  title                                   wraps
//!  ■ series  ■ series  ─ 1.0  paper: …     wraps
//!   t │
//!   i │   bars or curves                   as high as the title of its axis is long, and more
//!   t │
//!   l └──────────────────
//!   e    n  n  n  n  n                     turned where they have no room side by side
//!        a  a  a  a  a
//!           title
//! ```

use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontTransform, TextStyle};

use super::axis::Ticks;
use super::legend::{Entry, SWATCH, Swatch};
use super::text::{bold_letters, number, ratio, shortened, width, wrapped};
use super::theme::Ink;
use super::{Bars, Content, Curve, Figure, Panel, Role, Scale};
use crate::error::Error;

/// The width of a plot in pixels, unless its bars take more: that of a page of the book.
const WIDTH: f64 = 760.0;

/// The least height of the space between the axes.
const HEIGHT: f64 = 230.0;

/// Sizes of letters in pixels, all different.
pub(super) const TITLE: f64 = 15.0;
pub(super) const AXIS: f64 = 13.0;
pub(super) const LEGEND: f64 = 12.0;
pub(super) const TICK: f64 = 11.0;
pub(super) const VALUE: f64 = 10.0;

/// Distances in pixels.
const MARGIN: f64 = 14.0;
const TITLE_LINE: f64 = 21.0;
const LEGEND_LINE: f64 = 18.0;
/// The least between the legend and the axes: a number above the highest bar has room in it.
const GAP: f64 = 20.0;
const AXIS_TITLE: f64 = 24.0;
const TICK_LINE: f64 = 24.0;

/// The most letters of a name below an axis.
const NAME_LETTERS: usize = 24;

/// The least pixels of a group and of a bar.
const GROUP: f64 = 18.0;
const BAR: f64 = 5.0;

/// The share of a group that its bars take.
const FILLED: f64 = 0.84;

/// Bars from this width on have an edge.
const EDGED: f64 = 4.0;

type Canvas<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Chart<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<Ticks, Ticks>>;

/// Converts what the library says of a drawing that fails.
fn failed(error: impl std::fmt::Display) -> Error {
    Error::Plot { what: error.to_string() }
}

/// Draws all panels.
///
/// # Errors
/// [`Error::Plot`].
pub(super) fn draw(figure: &Figure) -> Result<String, Error> {
    let total = figure.panels.iter().map(least_width).fold(WIDTH, f64::max);
    let layouts: Vec<Layout<'_>> = figure.panels.iter().map(|panel| Layout::of(panel, total)).collect();
    let height: f64 = layouts.iter().map(Layout::height).sum();
    let mut svg = String::new();
    {
        let canvas = SVGBackend::with_string(&mut svg, (total as u32, height as u32)).into_drawing_area();
        canvas.fill(&Ink::Background.light()).map_err(failed)?;
        let mut top = 0.0;
        for layout in &layouts {
            layout.draw(&canvas, top)?;
            top += layout.height();
        }
        canvas.present().map_err(failed)?;
    }
    Ok(svg)
}

/// Returns the width that the bars of a panel take at least, with their axis.
fn least_width(panel: &Panel) -> f64 {
    match &panel.content {
        Content::Bars { names, series, .. } => {
            120.0 + names.len() as f64 * GROUP.max(series.len() as f64 * BAR / FILLED)
        }
        Content::Curves { .. } => 0.0,
    }
}

/// A panel with its sizes.
struct Layout<'a> {
    panel: &'a Panel,
    title: Vec<String>,
    legend: Vec<Entry>,
    x: Option<Ticks>,
    y: Ticks,
    total: f64,
    left: f64,
    plot: f64,
    /// The height of the names or numbers below the horizontal axis.
    below: f64,
    turned: bool,
    /// The values above the bars; none where bars are too narrow.
    numbers: Vec<Number>,
    turn_numbers: bool,
}

impl<'a> Layout<'a> {
    fn of(panel: &'a Panel, total: f64) -> Layout<'a> {
        let y = Ticks::of(panel.y.scale, &values(panel));
        let labels = y.labelled.iter().map(|(_, label)| width(label, TICK)).fold(0.0, f64::max);
        let left = MARGIN + AXIS_TITLE + labels + 10.0;
        let (mut x, mut below, mut turned) = (None, TICK_LINE, false);
        let (mut written, mut turn_numbers) = (Vec::new(), false);
        match &panel.content {
            Content::Bars { names, series, .. } => {
                let longest = names.iter().map(|name| width(&shown(name), TICK)).fold(0.0, f64::max);
                turned = longest + 6.0 > (total - left - MARGIN) / names.len().max(1) as f64;
                below = if turned { longest + 12.0 } else { TICK_LINE };
                let group = (total - left - MARGIN) / names.len().max(1) as f64;
                let bar = (group * FILLED / series.len().max(1) as f64).floor();
                written = numbers(series, panel.y.scale, &y);
                let widest = written.iter().map(|number| width(&number.text, VALUE)).fold(0.0, f64::max);
                turn_numbers = widest + 2.0 > bar;
                if turn_numbers && VALUE + 2.0 > bar {
                    written.clear();
                }
            }
            Content::Curves { x: axis, series } => {
                let places: Vec<f64> = series.iter().flat_map(|curve| &curve.points).map(|point| point.0).collect();
                x = Some(Ticks::of(axis.scale, &places));
            }
        }
        Layout {
            title: wrapped(&panel.title, bold_letters(total - 2.0 * MARGIN, TITLE)),
            legend: Entry::of(panel, &y, total - 2.0 * MARGIN, LEGEND),
            plot: HEIGHT.max(width(&panel.y.label(), AXIS) + 8.0),
            panel,
            x,
            y,
            total,
            left,
            below,
            turned,
            numbers: written,
            turn_numbers,
        }
    }

    /// The space above the axes.
    fn above(&self) -> f64 {
        let rows = self.legend.last().map_or(0, |entry| entry.row + 1);
        MARGIN + self.title.len() as f64 * TITLE_LINE + rows as f64 * LEGEND_LINE + self.gap()
    }

    /// The space between the legend and the axes: the numbers above the highest bars have room in it.
    fn gap(&self) -> f64 {
        if !self.turn_numbers {
            return GAP;
        }
        // The line at 1.0 may lift a number.
        let from = |top: f64| if self.panel.y.scale == Scale::Ratio { top.max(self.y.place(1.0)) } else { top };
        let room = |top: f64| (self.y.to - from(top)) / (self.y.to - self.y.from) * self.plot;
        let lacks = |number: &Number| width(&number.text, VALUE) + 10.0 - room(number.top);
        self.numbers.iter().map(lacks).fold(GAP, f64::max)
    }

    /// The space right of the axes: half of the last tick's label has room in it.
    fn right(&self) -> f64 {
        let last = self.x.as_ref().and_then(|x| x.labelled.last());
        MARGIN.max(last.map_or(0.0, |(_, label)| width(label, TICK) / 2.0 + 2.0)).ceil()
    }

    fn height(&self) -> f64 {
        (self.above() + self.plot + self.below + AXIS_TITLE + MARGIN / 2.0).ceil()
    }

    fn draw(&self, canvas: &Canvas<'_>, top: f64) -> Result<(), Error> {
        let write = Pen { canvas };
        for (line, line_text) in self.title.iter().enumerate() {
            let style = text(TITLE, HPos::Left, VPos::Top);
            let style = TextStyle { font: style.font.style(FontStyle::Bold), ..style };
            write.text(line_text, &style, MARGIN, top + MARGIN + line as f64 * TITLE_LINE)?;
        }
        let legend = top + MARGIN + self.title.len() as f64 * TITLE_LINE;
        for entry in &self.legend {
            let y = legend + (entry.row as f64 + 0.5) * LEGEND_LINE;
            write.swatch(entry.swatch, MARGIN + entry.x, y)?;
            let indent = if matches!(entry.swatch, Swatch::None) { 0.0 } else { SWATCH };
            write.text(&entry.text, &text(LEGEND, HPos::Left, VPos::Center), MARGIN + entry.x + indent, y)?;
        }
        let area = canvas.clone().shrink((0, top as i32), (self.total as u32, self.height() as u32));
        match &self.panel.content {
            Content::Bars { of, names, series } => {
                let mut chart = self.axes(&area, &Ticks::groups(names.len()), of, false)?;
                self.names(&write, &chart, names)?;
                bars(&mut chart, &self.y, series)?;
                self.reference(&mut chart, names.len().max(1) as f64)?;
                self.numbers(&write, &chart)
            }
            Content::Curves { x: axis, series } => {
                let Some(x) = &self.x else { return Ok(()) };
                let mut chart = self.axes(&area, x, &axis.label(), true)?;
                self.reference(&mut chart, x.to)?;
                series.iter().try_for_each(|curve| draw_curve(&mut chart, x, &self.y, curve))
            }
        }
    }

    /// Draws axes, ticks, their labels and the titles.
    fn axes<'c>(&self, area: &Canvas<'c>, x: &Ticks, title: &str, vertical_lines: bool) -> Result<Chart<'c>, Error> {
        let [above, left, below] = [self.above(), self.left, self.below + AXIS_TITLE].map(|size| size.ceil() as i32);
        let mut chart = ChartBuilder::on(area)
            .margin_top(above)
            .margin_right(self.right() as i32)
            .margin_left((MARGIN / 2.0) as i32)
            .margin_bottom((MARGIN / 2.0) as i32)
            .y_label_area_size(left - (MARGIN / 2.0) as i32)
            .x_label_area_size(below)
            .build_cartesian_2d(x.clone(), self.y.clone())
            .map_err(failed)?;
        let (x_label, y_label) = (|at: &f64| label(x, *at), |at: &f64| label(&self.y, *at));
        let mut mesh = chart.configure_mesh();
        if !vertical_lines {
            mesh.disable_x_mesh();
        }
        mesh.bold_line_style(Ink::Grid.light())
            .light_line_style(Ink::FaintGrid.light())
            .axis_style(Ink::Axis.light())
            .x_label_formatter(&x_label)
            .y_label_formatter(&y_label)
            .label_style(text(TICK, HPos::Center, VPos::Top))
            .axis_desc_style(text(AXIS, HPos::Center, VPos::Top))
            .x_desc(title)
            .y_desc(self.panel.y.label())
            .draw()
            .map_err(failed)?;
        Ok(chart)
    }

    /// Writes the names of the groups below their bars.
    fn names(&self, write: &Pen<'_, '_>, chart: &Chart<'_>, names: &[String]) -> Result<(), Error> {
        for (group, name) in names.iter().enumerate() {
            let (x, y) = chart.backend_coord(&(group as f64 + 0.5, self.y.from));
            let (style, below) = match self.turned {
                true => (text(TICK, HPos::Right, VPos::Center).transform(FontTransform::Rotate270), 7.0),
                false => (text(TICK, HPos::Center, VPos::Top), 7.0),
            };
            write.text(&shown(name), &style, f64::from(x), f64::from(y) + below)?;
        }
        Ok(())
    }

    /// Draws the line at 1.0 of a ratio.
    fn reference(&self, chart: &mut Chart<'_>, end: f64) -> Result<(), Error> {
        if self.panel.y.scale != Scale::Ratio {
            return Ok(());
        }
        let begin = self.x.as_ref().map_or(0.0, |x| x.from);
        let at = self.y.place(1.0);
        let line = PathElement::new([(begin, at), (end, at)], Ink::Reference.light().stroke_width(2));
        chart.draw_series([line]).map(|_| ()).map_err(failed)
    }

    /// Writes the values above their bars.
    fn numbers(&self, write: &Pen<'_, '_>, chart: &Chart<'_>) -> Result<(), Error> {
        let line = f64::from(chart.backend_coord(&(0.0, self.y.place(1.0))).1);
        for Number { text: number, sides: [from, to], top } in &self.numbers {
            let left = f64::from(chart.backend_coord(&(*from, self.y.from)).0);
            let (right, top) = chart.backend_coord(&(*to, *top));
            let (style, takes) = match self.turn_numbers {
                true => (
                    text(VALUE, HPos::Left, VPos::Center).transform(FontTransform::Rotate270),
                    width(number, VALUE) + 2.0,
                ),
                false => (text(VALUE, HPos::Center, VPos::Bottom), VALUE + 2.0),
            };
            let mut bottom = f64::from(top) - 2.0;
            // Not across the line at 1.0.
            if self.panel.y.scale == Scale::Ratio && (line - 3.0..line + takes + 3.0).contains(&bottom) {
                bottom = line - 3.0;
            }
            write.text(number, &style, (left + f64::from(right)) / 2.0, bottom)?;
        }
        Ok(())
    }
}

/// The value of a bar, and the bar's place.
struct Number {
    text: String,
    sides: [f64; 2],
    top: f64,
}

/// Returns the values of all bars.
fn numbers(series: &[Bars], scale: Scale, y: &Ticks) -> Vec<Number> {
    let mut numbers = Vec::new();
    for (index, bars) in series.iter().enumerate() {
        for (group, value) in bars.values.iter().enumerate() {
            let Some(value) = value.filter(|&value| y.shows(value)) else { continue };
            let text = match scale {
                Scale::Share if value.fract() == 0.0 => format!("{value:.0}"),
                Scale::Share => format!("{value:.1}"),
                Scale::Ratio => ratio(value),
                _ => number(value),
            };
            let top = y.place(value).max(y.place(y.base));
            numbers.push(Number { text, sides: sides(group, index, series.len()), top });
        }
    }
    numbers
}

impl Ranged for Ticks {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, place: &f64, (begin, end): (i32, i32)) -> i32 {
        RangedCoordf64::from(self.from..self.to).map(place, (begin, end))
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        match hint.weight().allow_light_points() {
            true => self.minor.clone(),
            false => self.labelled.iter().map(|(at, _)| *at).collect(),
        }
    }

    fn range(&self) -> Range<f64> {
        self.from..self.to
    }
}

/// Returns the label of a tick.
fn label(ticks: &Ticks, at: f64) -> String {
    let found = ticks.labelled.iter().find(|(place, _)| (place - at).abs() < 1e-9 * (1.0 + at.abs()));
    found.map(|(_, label)| label.clone()).unwrap_or_default()
}

/// The numbers that the vertical axis is for.
fn values(panel: &Panel) -> Vec<f64> {
    match &panel.content {
        Content::Bars { series, .. } => series.iter().flat_map(|bars| &bars.values).copied().flatten().collect(),
        Content::Curves { series, .. } => series.iter().flat_map(|one| &one.points).map(|point| point.1).collect(),
    }
}

/// Returns a name as it is written below an axis.
fn shown(name: &str) -> String {
    shortened(name, NAME_LETTERS)
}

/// The left and the right side of a bar.
fn sides(group: usize, index: usize, all: usize) -> [f64; 2] {
    let width = FILLED / all.max(1) as f64;
    let left = group as f64 + (1.0 - FILLED) / 2.0 + index as f64 * width;
    [left, left + width]
}

fn bars(chart: &mut Chart<'_>, y: &Ticks, series: &[Bars]) -> Result<(), Error> {
    let base = y.place(y.base);
    for (index, bars) in series.iter().enumerate() {
        for (group, value) in bars.values.iter().enumerate() {
            let Some(value) = value.filter(|&value| y.shows(value)) else { continue };
            let [left, right] = sides(group, index, series.len());
            let corners = [(left, base), (right, y.place(value))];
            let wide = chart.backend_coord(&(right, base)).0 - chart.backend_coord(&(left, base)).0;
            let colour = Ink::Of(bars.role).light();
            chart.draw_series([Rectangle::new(corners, colour.filled())]).map_err(failed)?;
            if f64::from(wide) >= EDGED {
                chart.draw_series([Rectangle::new(corners, Ink::Axis.light().stroke_width(1))]).map_err(failed)?;
            }
        }
    }
    Ok(())
}

/// Draws a curve with a mark at each point. The paper's are levels, which have none.
fn draw_curve(chart: &mut Chart<'_>, x: &Ticks, y: &Ticks, curve: &Curve) -> Result<(), Error> {
    let shown = curve.points.iter().filter(|point| x.shows(point.0) && y.shows(point.1));
    let points: Vec<(f64, f64)> = shown.map(|point| (x.place(point.0), y.place(point.1))).collect();
    let colour = Ink::Of(curve.role).light();
    let stroke = colour.stroke_width(2);
    match curve.role {
        Role::Paper | Role::PaperBefore => {
            chart.draw_series(DashedLineSeries::new(points, 6, 4, stroke)).map_err(failed)?;
        }
        Role::Before => {
            chart.draw_series(LineSeries::new(points.iter().copied(), stroke)).map_err(failed)?;
            chart.draw_series(points.iter().map(|&at| TriangleMarker::new(at, 5, colour.filled()))).map_err(failed)?;
        }
        _ => {
            chart.draw_series(LineSeries::new(points.iter().copied(), stroke)).map_err(failed)?;
            chart.draw_series(points.iter().map(|&at| Circle::new(at, 4, colour.filled()))).map_err(failed)?;
        }
    }
    Ok(())
}

/// The library's unit of the size of a font, in pixels of the drawing.
const POINTS: f64 = 1.24;

/// Returns the style of a text of the drawing.
fn text(size: f64, horizontal: HPos, vertical: VPos) -> TextStyle<'static> {
    let style = TextStyle::from(("sans-serif", size * POINTS).into_font()).pos(Pos::new(horizontal, vertical));
    TextStyle { color: Ink::Text.light().to_backend_color(), ..style }
}

/// Writes and draws at pixels of the whole drawing.
struct Pen<'p, 'a> {
    canvas: &'p Canvas<'a>,
}

impl Pen<'_, '_> {
    fn text(&self, text: &str, style: &TextStyle<'_>, x: f64, y: f64) -> Result<(), Error> {
        self.canvas.draw_text(text, style, (x as i32, y as i32)).map_err(failed)
    }

    fn swatch(&self, swatch: Swatch, x: f64, y: f64) -> Result<(), Error> {
        let (x, y) = (x as i32, y as i32);
        let line = |ink: Ink| PathElement::new([(x, y), (x + 18, y)], ink.light().stroke_width(2));
        match swatch {
            Swatch::Bar(role) => {
                let corners = [(x + 3, y - 5), (x + 15, y + 5)];
                self.canvas.draw(&Rectangle::new(corners, Ink::Of(role).light().filled())).map_err(failed)?;
                self.canvas.draw(&Rectangle::new(corners, Ink::Axis.light().stroke_width(1))).map_err(failed)
            }
            Swatch::Curve(role) => {
                let (ink, colour) = (Ink::Of(role), Ink::Of(role).light().filled());
                match role {
                    Role::Paper | Role::PaperBefore => {
                        for from in [x, x + 10] {
                            let dash = PathElement::new([(from, y), (from + 6, y)], ink.light().stroke_width(2));
                            self.canvas.draw(&dash).map_err(failed)?;
                        }
                        Ok(())
                    }
                    Role::Before => {
                        self.canvas.draw(&line(ink)).map_err(failed)?;
                        self.canvas.draw(&TriangleMarker::new((x + 9, y), 5, colour)).map_err(failed)
                    }
                    _ => {
                        self.canvas.draw(&line(ink)).map_err(failed)?;
                        self.canvas.draw(&Circle::new((x + 9, y), 4, colour)).map_err(failed)
                    }
                }
            }
            Swatch::Reference => self.canvas.draw(&line(Ink::Reference)).map_err(failed),
            Swatch::None => Ok(()),
        }
    }
}
