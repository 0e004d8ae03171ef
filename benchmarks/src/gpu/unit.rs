//! The units that a GPU measures one by one, so that one that fails costs itself alone.

use ::ccc::Options as Rewriting;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::options::Options;
use super::report::LeftOut;
use crate::bfs;
use crate::ccc::{self, Case, synthetic_source};
use crate::hangs::Attempt;
use crate::ssde;
use crate::variant::{Rewrite, Source};

/// A unit of the measurement: a program, a row of the synthetic kernels, or an attempt that may hang.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// A kernel that does nothing: the shortest time that a launch takes.
    Empty,
    /// Breadth-first search of one graph.
    Search,
    /// A program of the CCC paper.
    Ccc(ccc::Program),
    /// A program of the SSDE paper: S and M+SSDE.
    Ssde(ssde::Program),
    /// A row of the CCC paper's synthetic kernels.
    Synthetic(Case),
    /// A program whose threads wait for each other, for one target.
    Hang(Attempt),
}

/// The kernel that does nothing.
pub(super) const EMPTY: Source =
    Source { text: "extern \"C\" __global__ void empty() {}\n", name: "empty.cu", kernel: "empty" };

impl Unit {
    /// The word in the key `suite` of its results.
    #[must_use]
    pub fn suite(self) -> &'static str {
        match self {
            Unit::Empty => "empty",
            Unit::Search => "bfs",
            Unit::Ccc(_) | Unit::Synthetic(_) => "ccc",
            Unit::Ssde(_) => "ssde",
            Unit::Hang(_) => "hangs",
        }
    }

    /// The name in reports: `iefa`, `synthetic (Figure 14, 8 lanes, 20 multiply-adds)`, `ht (M, sm_60)`.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Unit::Empty => "empty".to_owned(),
            Unit::Search => "bfs".to_owned(),
            Unit::Ccc(program) => program.name().to_owned(),
            Unit::Ssde(program) => program.name().to_owned(),
            Unit::Synthetic(Case { figure, takers, length }) => {
                format!("synthetic (Figure {figure}, {takers} lanes, {length} multiply-adds)")
            }
            Unit::Hang(Attempt { subject, version, target }) => {
                format!("{} ({}, {})", subject.name(), version.name(), target.name())
            }
        }
    }

    /// Says that it was not measured, and why.
    #[must_use]
    pub fn left_out(self, reason: String) -> LeftOut {
        LeftOut { suite: self.suite().to_owned(), program: self.name(), reason }
    }

    /// The file with its kernels.
    pub(super) fn source(self) -> Source<'static> {
        match self {
            Unit::Empty => EMPTY,
            Unit::Search => bfs::SOURCE,
            Unit::Ccc(program) => program.source(),
            Unit::Ssde(program) => program.source(),
            Unit::Synthetic(_) => synthetic_source(),
            Unit::Hang(attempt) => attempt.subject.source(),
        }
    }

    /// The ways in which `ccc` rewrites it.
    pub(super) fn rewrites(self) -> Vec<Rewrite> {
        match self {
            Unit::Search | Unit::Synthetic(_) => vec![Rewrite::usual()],
            Unit::Ccc(program) => program.rewrites(),
            Unit::Empty | Unit::Ssde(_) | Unit::Hang(_) => Vec::new(),
        }
    }

    /// A hash of what its kernels are made from: the source, the architecture, the size of a block, and the options of the rewriter.
    pub(super) fn made_from(self, arch: &str, block: u32) -> String {
        let rewrites: Vec<(&str, Rewriting)> = self.rewrites().into_iter().map(|one| (one.name, one.options)).collect();
        let parts =
            [format!("{self:?}"), self.source().text.to_owned(), arch.to_owned(), format!("{block} {rewrites:?}")];
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        hex(&hash.finalize())
    }
}

/// The first 16 bytes of a hash, in hexadecimal.
pub(super) fn hex(hash: &[u8]) -> String {
    hash.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

impl Options {
    /// Returns the units of what is asked for, in the order in which they are measured. The kernel that does nothing is the first, because the others
    /// are compared with it; what may hang is the last.
    #[must_use]
    pub fn units(&self) -> Vec<Unit> {
        let mut units = Vec::new();
        units.extend(self.empty.then_some(Unit::Empty));
        units.extend(self.search.as_ref().map(|_| Unit::Search));
        units.extend(self.ccc.iter().map(|&program| Unit::Ccc(program)));
        units.extend(self.ssde.iter().map(|&program| Unit::Ssde(program)));
        if self.synthetic {
            units.extend(Case::all().into_iter().map(Unit::Synthetic));
        }
        units.extend(self.hangs.iter().map(|&attempt| Unit::Hang(attempt)));
        units
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_programs_blocks_and_architectures_are_other_kernels() {
        let iefa = Unit::Ccc(ccc::Program::Iefa);
        let first = iefa.made_from("sm_90", 256);
        assert_eq!(first, iefa.made_from("sm_90", 256));
        assert_eq!(first.len(), 32);
        let others = [
            iefa.made_from("sm_80", 256),
            iefa.made_from("sm_90", 128),
            Unit::Ccc(ccc::Program::Rt).made_from("sm_90", 256),
        ];
        assert!(others.iter().all(|other| *other != first), "{others:?}");
    }

    #[test]
    fn what_may_hang_is_measured_last_and_the_empty_kernel_first() {
        let everything = Options::everything("sm_90");
        let units = everything.units();
        assert_eq!((units.first(), units.len()), (Some(&Unit::Empty), 1 + 8 + 15 + 30 + 49));
        let first_hang = units.iter().position(|unit| matches!(unit, Unit::Hang(_))).unwrap();
        assert!(units[first_hang..].iter().all(|unit| matches!(unit, Unit::Hang(_))));
        let mut names: Vec<String> = units.iter().map(|unit| format!("{} {}", unit.suite(), unit.name())).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), units.len());
        let json = serde_json::to_string(&units).unwrap();
        assert_eq!(serde_json::from_str::<Vec<Unit>>(&json).unwrap(), units);
    }
}
