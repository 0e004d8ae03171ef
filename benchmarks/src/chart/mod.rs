//! Plots as SVG: groups of bars and curves, for the screen and for paper.
//!
//! ```text
//!  */plot.rs: numbers of a report ──> mod.rs: Figure ──> axis.rs: ticks ──┐
//!                                                       text.rs: sizes, legend.rs ──> draw.rs: places, lines, bars ──> theme.rs: colours ──> SVG
//! ```
//!
//! - Every axis has a title, and every axis of numbers a unit ([`Axis`]).
//! - Shares reach from 0 to 100 %. A ratio has a line at 1.0. A logarithmic axis reaches from one power of ten to another.
//! - No two texts overlap: names turn, lines of a legend wrap, and the plot grows until all of them have room.
//! - The legend names the paper's series, or says that the paper has no numbers ([`Panel::paper`]).
//! - One file serves light and dark. It has a background of its own, so that it can be read on any page. Where the page is dark (`prefers-color-scheme`),
//!   so is the plot; in `<img>`, browsers go by the `color-scheme` of the page, which mdBook sets for each of its themes. On paper it is light.
//! - The file carries the numbers that it shows (`<metadata>`, as JSON), and [`Plot::redraw`] draws them again.

mod axis;
mod draw;
mod legend;
#[cfg(test)]
mod tests;
mod text;
mod theme;

use serde::{Deserialize, Serialize};

pub(crate) use theme::Role;

use crate::error::Error;

/// A plot and the file that it belongs in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plot {
    /// The file's name, `figure-11.svg`.
    pub file: String,
    /// Its text.
    pub svg: String,
}

impl Plot {
    /// Draws the numbers that a plot carries again. The same numbers give the same text.
    ///
    /// # Errors
    /// [`Error::Plot`] if the text is no plot of this program.
    pub fn redraw(svg: &str) -> Result<Plot, Error> {
        theme::carried(svg)?.draw()
    }
}

/// The panels of a plot, one below the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Figure {
    /// The name of the file.
    pub(crate) file: String,
    /// The panels.
    pub(crate) panels: Vec<Panel>,
}

impl Figure {
    /// Draws it.
    ///
    /// # Errors
    /// [`Error::Plot`].
    pub(crate) fn draw(&self) -> Result<Plot, Error> {
        Ok(Plot { file: self.file.clone(), svg: theme::finish(&draw::draw(self)?, self)? })
    }
}

/// One system of axes with its title and its legend.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Panel {
    /// The title, which names the figure of the paper.
    pub(crate) title: String,
    /// The vertical axis.
    pub(crate) y: Axis,
    /// The series.
    pub(crate) content: Content,
    /// The numbers that the paper does not give; none where its series stand beside ours.
    pub(crate) paper: Option<String>,
}

/// The series of a panel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Content {
    /// Groups of bars.
    Bars {
        /// The title of the horizontal axis.
        of: String,
        /// The names of the groups.
        names: Vec<String>,
        /// The series; each has a bar in every group.
        series: Vec<Bars>,
    },
    /// Lines through points.
    Curves {
        /// The horizontal axis.
        x: Axis,
        /// The series.
        series: Vec<Curve>,
    },
}

/// The name of a group that has averages of the others.
pub(crate) const AVERAGE: &str = "average";

/// One bar per group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Bars {
    /// Its name in the legend.
    pub(crate) name: String,
    /// Its colour.
    pub(crate) role: Role,
    /// The reason for bars that are not there.
    pub(crate) absent: String,
    /// The values, by group.
    pub(crate) values: Vec<Option<f64>>,
}

impl Bars {
    /// Makes a series of values; what is not a number is not there. The name in the legend says which bars are missing, for the reason `absent`.
    pub(crate) fn new(name: &str, role: Role, absent: &str, values: Vec<Option<f64>>) -> Bars {
        let values = values.into_iter().map(|value| value.filter(|value| value.is_finite()).map(text::rounded));
        Bars { name: name.to_owned(), role, absent: absent.to_owned(), values: values.collect() }
    }
}

/// A curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Curve {
    /// Its name in the legend.
    pub(crate) name: String,
    /// Its colour and its marks.
    pub(crate) role: Role,
    /// Its points, from the left to the right.
    pub(crate) points: Vec<(f64, f64)>,
}

impl Curve {
    /// Makes a series of points.
    pub(crate) fn new(name: &str, role: Role, points: impl IntoIterator<Item = (f64, f64)>) -> Curve {
        let points = points.into_iter().filter(|(x, y)| x.is_finite() && y.is_finite());
        let points = points.map(|(x, y)| (text::rounded(x), text::rounded(y))).collect();
        Curve { name: name.to_owned(), role, points }
    }
}

/// An axis of numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Axis {
    /// The quantity, `speedup`.
    pub(crate) title: String,
    /// The unit, `%`.
    pub(crate) unit: String,
    /// Its range and its ticks.
    pub(crate) scale: Scale,
}

/// The kinds of axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Scale {
    /// A share, from 0 to 100 %.
    Share,
    /// A ratio, with a line at 1.0; logarithmic where it is large.
    Ratio,
    /// An amount, from 0; logarithmic where the largest one is far from the smallest.
    Amount,
    /// Lanes of a warp.
    Lanes,
    /// Powers of ten.
    Decades,
}

impl Axis {
    /// Makes an axis from 0 to 100 %.
    pub(crate) fn share(title: &str) -> Axis {
        Axis { title: title.to_owned(), unit: "%".to_owned(), scale: Scale::Share }
    }

    /// Makes an axis with a line at 1.0.
    pub(crate) fn ratio(title: &str) -> Axis {
        Axis { title: title.to_owned(), unit: "×".to_owned(), scale: Scale::Ratio }
    }

    /// Makes an axis from 0.
    pub(crate) fn amount(title: &str, unit: &str) -> Axis {
        Axis { title: title.to_owned(), unit: unit.to_owned(), scale: Scale::Amount }
    }

    /// Makes an axis of the lanes of a warp that take a path.
    pub(crate) fn lanes() -> Axis {
        Axis { title: "active lanes on the path".to_owned(), unit: "of 32".to_owned(), scale: Scale::Lanes }
    }

    /// Makes an axis of the lengths of paths.
    pub(crate) fn lengths() -> Axis {
        Axis { title: "length of the path".to_owned(), unit: "multiply-adds".to_owned(), scale: Scale::Decades }
    }

    /// The title with the unit.
    fn label(&self) -> String {
        format!("{} ({})", self.title, self.unit)
    }
}
