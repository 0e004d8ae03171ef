//! The parts of a report that need the names of files, or all regions of a kernel together.

use serde::Serialize;

use crate::access_pair::{AccessEntry, AccessPair};
use crate::origin::Origin;
use crate::rank::Rank;
use crate::refusal::Refusal;
use crate::report::{KernelReport, RegionReport, Status};

/// The names of places, as the user knows them.
pub trait Names {
    /// Returns the file of an index of the PTX's `.file` directives.
    fn file(&self, index: Option<u32>) -> String;

    /// Returns the file of a directive by its number, or by an index of the PTX where that is all that is known.
    fn directive_file(&self, id: u32, index: Option<u32>) -> String;

    /// Names a place inside a sentence.
    fn place(&self, place: Origin) -> String;

    /// Names the place that a sentence is about, to be put behind it; `None` leaves it out.
    fn subject(&self, place: Origin) -> Option<String>;
}

/// Two accesses of one iteration, one in the path and one behind it, of which it is not known that they access different memory.
#[derive(Clone, Debug, Serialize)]
pub struct Assumed {
    /// A sentence with both places.
    pub message: String,
    /// The access in the path.
    pub path: PlacedAccess,
    /// The access behind it.
    pub rest: PlacedAccess,
}

/// An access to memory with its place.
#[derive(Clone, Debug, Serialize)]
pub struct PlacedAccess {
    /// Its effect and the variable or parameter: ``the store to `out` ``; the instruction where that is not known.
    pub access: String,
    /// The variable, parameter or function; `None` where it is not known.
    pub object: Option<String>,
    /// The opcode.
    pub opcode: String,
    /// The file.
    pub file: String,
    /// The user's line; 0 where it is not known.
    pub line: u32,
    /// The line of the PTX text that was rewritten.
    pub ptx_line: u32,
}

/// The answer to whether idle lanes share what is left of a task of steps.
#[derive(Clone, Debug, Serialize)]
pub struct Sharing {
    /// True if they do.
    pub shared: bool,
    /// The reason why not.
    pub reason: Option<String>,
}

/// The worth of collecting a region, and its place among the others of its loop.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Ranked {
    /// Its place, from 1, the costliest of the loop.
    pub place: usize,
    /// The number of the loop's regions that have a place.
    pub of: usize,
    /// The worth of collecting it.
    #[serde(flatten)]
    pub rank: Rank,
}

impl KernelReport {
    /// Fills in what depends on the names of files, and on all regions together.
    pub fn describe(&mut self, names: &impl Names) {
        if let Some(grid) = &mut self.grid {
            grid.file = names.directive_file(grid.id, None);
            (grid.reason, grid.help) = explained(&grid.status, names);
        }
        let ranked: Vec<Option<Ranked>> = self.regions.iter().map(|region| ranked(region, &self.regions)).collect();
        for (region, ranked) in self.regions.iter_mut().zip(ranked) {
            region.ranked = ranked;
            region.file = names.directive_file(region.id, region.file_index);
            (region.reason, region.help) = explained(&region.status, names);
            region.assumptions = region.accesses.iter().map(|accesses| Assumed::of(accesses, names)).collect();
            region.hoisted.iter_mut().for_each(|load| load.file = names.file(load.at.file));
            region.sharing = region.split.as_ref().map(|split| Sharing {
                shared: split.is_ok(),
                reason: split.as_ref().err().map(|whole| about(whole.to_string(), whole.place(), names)),
            });
        }
    }
}

impl Assumed {
    /// Describes two accesses.
    pub fn of(accesses: &AccessPair, names: &impl Names) -> Assumed {
        let (path, rest) = (PlacedAccess::of(&accesses.path, names), PlacedAccess::of(&accesses.rest, names));
        Assumed { message: accesses.assumption(&path.text(), &rest.text()), path, rest }
    }
}

impl PlacedAccess {
    fn of(access: &AccessEntry, names: &impl Names) -> PlacedAccess {
        PlacedAccess {
            access: access.text(),
            object: access.object.clone(),
            opcode: access.opcode.clone(),
            file: names.file(access.at.file),
            line: access.at.source.line,
            ptx_line: access.at.ptx.line,
        }
    }

    /// Returns the access with its place.
    fn text(&self) -> String {
        match self.line {
            0 => format!("{} at line {} of the PTX", self.access, self.ptx_line),
            line => format!("{} at {}:{line}", self.access, self.file),
        }
    }
}

impl Refusal {
    /// Returns the reason, with the names of the places in it.
    pub fn named(&self, names: &impl Names) -> String {
        self.text(|place| names.place(place))
    }
}

/// Returns why a region was not rewritten, and what to do.
fn explained(status: &Status, names: &impl Names) -> (Option<String>, Option<String>) {
    match status {
        Status::Rewritten | Status::Unreached => (None, None),
        Status::Refused(refusal) => {
            (Some(about(refusal.named(names), refusal.place(), names)), Some(refusal.help().to_owned()))
        }
        Status::LeftOut(refusal) => (Some(refusal.named(names)), Some(refusal.help().to_owned())),
    }
}

/// Puts the place that a sentence is about behind it.
fn about(sentence: String, place: Option<Origin>, names: &impl Names) -> String {
    match place.and_then(|place| names.subject(place)) {
        Some(place) => format!("{sentence} ({place})"),
        None => sentence,
    }
}

/// Returns the place of a region among those of its loop.
fn ranked(region: &RegionReport, all: &[RegionReport]) -> Option<Ranked> {
    let rank = region.rank?;
    let others = || {
        all.iter().filter(|other| other.loop_line == region.loop_line).filter_map(|other| Some((other, other.rank?)))
    };
    // Equals stand as their directives do.
    let costlier = others().filter(|(other, theirs)| {
        theirs.order(&rank).then((other.id, other.instance).cmp(&(region.id, region.instance))).is_lt()
    });
    Some(Ranked { place: 1 + costlier.count(), of: others().count(), rank })
}
