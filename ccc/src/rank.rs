//! The number of times that a path is run, and the worth of collecting it, as data.

use std::cmp::Ordering;
use std::fmt;

use serde::{Serialize, Serializer};

use crate::layout::WARP;

/// The number of times that an instruction in a loop is assumed to run each time the loop is entered.
pub const LOOP_RUNS: u32 = 8;

/// The worth of collecting a region.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rank {
    /// Issue cycles that a run takes a warp.
    pub cost: f64,
    /// Runs that collecting saves, per iteration of a warp.
    pub rarity: f64,
    /// The source of these numbers.
    #[serde(rename = "rarity_from")]
    pub known: RaritySource,
}

/// The source that says how rarely a path is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaritySource {
    /// A profile: how often it was.
    Profile,
    /// The directive: `probability(P)`.
    Directive,
    /// Nothing: every other lane takes it.
    Even,
}

// Both fields are never NaN.
impl Eq for Rank {}

impl RaritySource {
    /// Returns the word for it in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            RaritySource::Profile => "profile",
            RaritySource::Directive => "directive",
            RaritySource::Even => "even",
        }
    }
}

impl Serialize for RaritySource {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl fmt::Display for RaritySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RaritySource::Profile => "the profile",
            RaritySource::Directive => "the directive",
            RaritySource::Even => "what is assumed where nothing is known",
        })
    }
}

impl Rank {
    /// Issue cycles that collecting saves, per iteration of a warp.
    #[must_use]
    pub fn worth(&self) -> f64 {
        self.cost * self.rarity
    }

    /// Returns what is worth more comes first.
    #[must_use]
    pub fn order(&self, other: &Rank) -> Ordering {
        other.worth().total_cmp(&self.worth())
    }
}

/// Warp instructions per iteration of a warp.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Balance {
    /// The cost of collecting the path.
    pub cost: f64,
    /// The instructions that it saves.
    pub saved: f64,
}

// Both fields are never NaN.
impl Eq for Balance {}

/// The share of the iterations in which a warp comes to a path, of whose lanes each takes it with this probability.
pub(crate) fn share_of_iterations(probability: f64) -> f64 {
    1.0 - (1.0 - probability).powi(WARP.cast_signed())
}

/// Counts of the runs of a region.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Uses {
    /// The number of times that warps came to the marked loop.
    pub(crate) entries: f64,
    /// Iterations of the loop, by warps.
    pub(crate) iterations: f64,
    /// Runs of the region by warps; of one that is run in steps, steps.
    pub(crate) runs: f64,
    /// The same if every run had a full warp.
    pub(crate) full: f64,
}

/// Counts of the runs of a path and of its instructions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Used {
    pub(crate) uses: Uses,
    /// Instructions that warps execute in it, paths that lie in it left out.
    pub(crate) executed: f64,
    /// Those among them that copy one register to another.
    pub(crate) copied: f64,
}
