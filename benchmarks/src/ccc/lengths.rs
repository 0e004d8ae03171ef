//! Figure 14 of the paper, the speedup by the length of the path, as SVG: of whatever was measured, warp instructions or times.

use crate::chart::{AFTER, Area, BEFORE, Curve, PAPER, Plot, curves, draw, split};
use crate::error::Error;

/// Speedups by the length of the path.
pub(crate) struct Lengths {
    /// With the rewrite as it is decided on.
    pub(crate) decided: Vec<(f64, f64)>,
    /// With every path collected, whatever that costs.
    pub(crate) collected: Vec<(f64, f64)>,
}

/// Draws what was measured where a quarter and where three quarters of the lanes take the path, by how many these are; `name` says what
/// [`Lengths::decided`] is.
///
/// # Errors
/// [`Error::Plot`].
pub(crate) fn lengths(name: &'static str, measured: impl Fn(u32) -> Lengths) -> Result<Plot, Error> {
    let panel = |area: &Area<'_>, takers: u32, title: &str| {
        let Lengths { decided, collected } = measured(takers);
        let last = collected.last().map_or(1.0, |point| point.0);
        let limit = 32.0 / f64::from(takers);
        let series = [
            Curve { name, colour: AFTER, points: decided },
            Curve { name: "ours, collected regardless", colour: BEFORE, points: collected },
            Curve { name: "the limit, as in the paper", colour: PAPER, points: vec![(1.0, limit), (last, limit)] },
        ];
        curves(area, title, "multiply-adds in the path", true, &series)
    };
    draw("figure-14.svg", |area| {
        let (left, right) = split(area);
        panel(&left, 8, "Figure 14: speedup, a quarter of the lanes")?;
        panel(&right, 24, "Figure 14: speedup, three quarters of the lanes")
    })
}
