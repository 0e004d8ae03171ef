//! The legend of a panel: its series, the line at 1.0, and the numbers that the paper does not have.

use super::axis::Ticks;
use super::text::{letters, width, wrapped};
use super::{AVERAGE, Bars, Content, Panel, Role, Scale};

/// The pixels that a sign takes.
pub(super) const SWATCH: f64 = 24.0;

/// The sign before a text of the legend.
#[derive(Clone, Copy, Debug)]
pub(super) enum Swatch {
    Bar(Role),
    Curve(Role),
    Reference,
    None,
}

/// A line of text in the legend, at its place in the panel.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) x: f64,
    pub(super) row: usize,
    pub(super) swatch: Swatch,
    pub(super) text: String,
}

impl Entry {
    /// The entries of a panel in rows of `room` pixels, in letters of a size.
    pub(super) fn of(panel: &Panel, y: &Ticks, room: f64, size: f64) -> Vec<Entry> {
        placed(entries(panel, y), room, size)
    }
}

/// The entries of the legend: the series, the line at 1.0, and what the paper does not say.
fn entries(panel: &Panel, y: &Ticks) -> Vec<(Swatch, String)> {
    let mut entries: Vec<(Swatch, String)> = match &panel.content {
        Content::Bars { names, series, .. } => {
            series.iter().map(|bars| (Swatch::Bar(bars.role), named(bars, names, y))).collect()
        }
        Content::Curves { series, .. } => {
            series.iter().map(|curve| (Swatch::Curve(curve.role), curve.name.clone())).collect()
        }
    };
    if panel.y.scale == Scale::Ratio {
        let bars_begin = y.logarithmic && matches!(panel.content, Content::Bars { .. });
        let more = if bars_begin { ", bars begin here" } else { "" };
        entries.push((Swatch::Reference, format!("1.0: no difference{more}")));
    }
    entries.extend(panel.paper.iter().map(|paper| (Swatch::None, paper.clone())));
    entries
}

/// The name of a series, with the bars that it does not have. Not every series has an average.
fn named(bars: &Bars, names: &[String], y: &Ticks) -> String {
    let is_missing = |group: usize| bars.values.get(group).copied().flatten().is_none_or(|value| !y.shows(value));
    let groups = || names.iter().enumerate().filter(|(_, name)| *name != AVERAGE);
    let missing: Vec<&str> = groups().filter(|(group, _)| is_missing(*group)).map(|(_, name)| name.as_str()).collect();
    let Bars { name, absent, .. } = bars;
    let note = match (missing.len(), groups().count()) {
        (0, _) => return name.clone(),
        (some, all) if some == all => absent.clone(),
        (1..=3, _) => format!("{absent}: {}", missing.join(", ")),
        (some, all) => format!("{absent}: {some} of {all}"),
    };
    match name.strip_suffix(')') {
        Some(noted) => format!("{noted}; {note})"),
        None => format!("{name} ({note})"),
    }
}

/// Puts entries side by side as long as there is room.
fn placed(entries: Vec<(Swatch, String)>, room: f64, size: f64) -> Vec<Entry> {
    let mut placed: Vec<Entry> = Vec::new();
    let (mut x, mut row) = (0.0, 0);
    for (swatch, text) in entries {
        let indent = if matches!(swatch, Swatch::None) { 0.0 } else { SWATCH };
        let takes = indent + width(&text, size);
        if x > 0.0 && x + takes > room {
            (x, row) = (0.0, row + 1);
        }
        for (line, text) in wrapped(&text, letters(room - indent, size)).into_iter().enumerate() {
            if line > 0 {
                row += 1;
            }
            let swatch = if line == 0 { swatch } else { Swatch::None };
            placed.push(Entry { x: if line == 0 { x } else { indent }, row, swatch, text });
        }
        x += takes + 16.0;
    }
    placed
}
