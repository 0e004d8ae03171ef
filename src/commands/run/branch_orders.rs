//! Other orders of the sides of branches, for a launch that ended on `stack`: nothing says which side hardware runs first, and where lanes wait for lanes of
//! their warp it may decide whether the launch ends.

use device::{DeviceName, OutcomeKind, RunReport};

use super::finding::Finding;
use super::source::Source;
use crate::diagnostics::{Diagnostic, Severity};
use crate::failure::Failure;

/// The orders that are tried: the taken side first, the other one first, and two drawn ones.
const SEEDS: [u64; 4] = [0, 1, 2, 3];
/// A launch that issued more warp instructions is not repeated.
const LONGEST: u64 = 1 << 28;
/// The warp instructions that each of them has more than the launch took.
const SPARE: u64 = 1 << 22;

/// Runs a launch that took `steps` with `seed` in other orders. `launch` runs it with a seed and a step budget. Returns what is to be said.
pub(super) fn compare(
    (seed, steps): (u64, u64),
    source: &Source<'_>,
    mut launch: impl FnMut(u64, u64) -> Result<RunReport, Failure>,
) -> Result<Vec<Diagnostic>, Failure> {
    let waits = "lanes of a warp may wait for each other in this kernel";
    if steps > LONGEST {
        let title =
            format!("{waits}, and no other order of the sides of branches was tried, because the launch is long");
        return Ok(vec![
            Diagnostic::remark(title)
                .help("`--seed 1` has the side first that is not taken, other seeds draw an order"),
        ]);
    }
    let mut ended = vec![seed];
    let mut open = Vec::new();
    let mut found = Vec::new();
    for other in SEEDS.into_iter().filter(|&other| other != seed) {
        let report = launch(other, 4 * steps + SPARE)?;
        match report.outcome {
            OutcomeKind::Finished => ended.push(other),
            OutcomeKind::Budget => open.push(other),
            OutcomeKind::Interrupted => return Ok(found),
            _ => found.extend(failure(&report, source, other)),
        }
    }
    if found.is_empty() {
        ended.sort_unstable();
        let more =
            if open.is_empty() { String::new() } else { format!("; whether it ends with {} is open", list(&open)) };
        found.push(Diagnostic::remark(format!("{waits}; the launch ended with {}{more}", list(&ended))).help(
            "this proves nothing about other orders of the sides of branches; `pxrw lint` says which loops wait",
        ));
    }
    Ok(found)
}

fn list(seeds: &[u64]) -> String {
    let seeds: Vec<String> = seeds.iter().map(u64::to_string).collect();
    format!("`--seed` {}", seeds.join(", "))
}

/// The finding of a launch that did not end well, as one of another order.
fn failure(report: &RunReport, source: &Source<'_>, seed: u64) -> Option<Diagnostic> {
    let message = Finding::of(report, source)?.diagnostic(report, DeviceName::Emulator.description());
    let title = format!("with other sides of branches first, by `--seed {seed}`: {}", message.title);
    Some(Diagnostic { severity: Severity::Warning, title, ..message })
}
