//! Data races of a result that its original has not.

use std::collections::BTreeSet;

use emulator::{Race, Report};

/// Returns the first race of a result that its original has not; both were launched with the check for races.
#[must_use]
pub fn new_race<'a>(original: &Report, result: &'a Report) -> Option<&'a Race> {
    let known: BTreeSet<_> = original.findings.races.iter().flatten().map(accesses).collect();
    result.findings.races.iter().flatten().find(|race| !known.contains(&accesses(race)))
}

/// The accesses of a race, in no order: opcodes and lines of the user's source.
fn accesses(race: &Race) -> [(&str, u32); 2] {
    let mut both = [&race.first, &race.second].map(|accessor| (accessor.opcode.as_str(), accessor.site.line));
    both.sort_unstable();
    both
}
