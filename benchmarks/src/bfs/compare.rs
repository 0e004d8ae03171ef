//! Runs every variant of the kernel on every device and puts what they did side by side.
//!
//! Each search runs on one thread of the host, because two of the emulator's would race for the vertices as a GPU's do
//! and the counts would differ from run to run; different searches run at the same time.

use device::{Counts, LaunchConfig, OutcomeKind, RunReport, Selection};
use rayon::prelude::*;

use super::host::{Level, Task, search};
use super::report::Row;
use crate::error::Error;
use crate::variant::Variant;

/// Runs every variant on every device. The rows come by device, then by variant, then by level, each search closed by a
/// row for all of its levels. `on_level` is called after each launch, from any thread.
///
/// # Errors
/// As [`search`]; the first one in the order of the rows.
pub fn compare(
    variants: &[Variant],
    task: &Task,
    config: &LaunchConfig,
    devices: &[Selection],
    on_level: &(dyn Fn() + Sync),
) -> Result<Vec<Row>, Error> {
    let pairs: Vec<_> =
        devices.iter().flat_map(|device| variants.iter().map(move |variant| (device, variant))).collect();
    let searches: Vec<Result<Vec<Row>, Error>> = pairs
        .into_par_iter()
        .map(|(device, variant)| {
            let mut device = device.open()?;
            let levels = search(&mut *device, &variant.ptx, &variant.kernel, task, config, &|| on_level())?;
            Ok(rows(variant, levels))
        })
        .collect();
    let mut all = Vec::new();
    for rows in searches {
        all.extend(rows?);
    }
    Ok(all)
}

/// The rows of a search: its levels and their sum, which an interrupted search does not have.
fn rows(variant: &Variant, mut levels: Vec<Level>) -> Vec<Row> {
    let all = levels.len();
    levels.retain(|level| level.run.outcome != OutcomeKind::Interrupted);
    let total = if levels.len() == all { total(variant, &levels) } else { None };
    let each = levels.into_iter().map(|level| Row {
        program: "bfs".into(),
        variant: variant.name.clone(),
        level: Some(level.level),
        frontier: level.frontier,
        results_equal: level.difference.is_none(),
        difference: level.difference,
        run: level.run,
    });
    each.chain(total).collect()
}

/// All launches of a search together. It ended as its last launch did, the only one that may have ended badly.
fn total(variant: &Variant, levels: &[Level]) -> Option<Row> {
    let last = levels.last()?;
    let counts = levels.iter().fold(Counts::ZERO, |sum, level| sum + level.run.counts);
    let time = levels.iter().map(|level| level.run.time).sum();
    assert!(levels.iter().rev().skip(1).all(|level| level.run.outcome == OutcomeKind::Finished));
    Some(Row {
        program: "bfs".into(),
        variant: variant.name.clone(),
        level: None,
        frontier: levels.iter().map(|level| level.frontier).sum(),
        results_equal: last.difference.is_none(),
        difference: last.difference.clone(),
        run: RunReport { counts, time, ..last.run.clone() },
    })
}
