//! The programs by name.

use super::work::Instance;
use super::{dqg, emies, ff, hash, iefa, rt, search};
use crate::bfs;
use crate::error::Error;
use crate::variant::Source;

/// A program of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// Breadth-first search, level by level.
    Bfs,
    /// Weights of quadrature points, by pairs of atoms.
    Dqg,
    /// Potential of sources in near and far boxes.
    Emies,
    /// Fractal flames with ten variations.
    Ff,
    /// Cuckoo hashing.
    Hash,
    /// The inverse error function in double precision.
    Iefa,
    /// A ray tracer with 80 spheres.
    Rt,
    /// Shortest paths from one vertex, round by round.
    Sssp,
}

impl Program {
    /// All of them, in the order of the paper's Table 1.
    pub const ALL: [Program; 8] = [
        Program::Bfs,
        Program::Dqg,
        Program::Emies,
        Program::Ff,
        Program::Hash,
        Program::Iefa,
        Program::Rt,
        Program::Sssp,
    ];

    /// The program's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Program::Bfs => "bfs",
            Program::Dqg => "dqg",
            Program::Emies => "emies",
            Program::Ff => "ff",
            Program::Hash => "hash",
            Program::Iefa => "iefa",
            Program::Rt => "rt",
            Program::Sssp => "sssp",
        }
    }

    /// The annotated kernel.
    #[must_use]
    pub fn source(self) -> Source {
        match self {
            Program::Bfs => bfs::SOURCE,
            Program::Dqg => dqg::SOURCE,
            Program::Emies => emies::SOURCE,
            Program::Ff => ff::SOURCE,
            Program::Hash => hash::SOURCE,
            Program::Iefa => iefa::SOURCE,
            Program::Rt => rt::SOURCE,
            Program::Sssp => search::SOURCE,
        }
    }

    /// How many tasks (values, rays, points, observers, pairs, vertices) the emulator gets through in about a second.
    #[must_use]
    pub fn tasks(self) -> u32 {
        match self {
            Program::Bfs | Program::Sssp => 1 << 14,
            Program::Dqg => 1 << 11,
            Program::Emies => 1 << 11,
            Program::Ff | Program::Hash | Program::Iefa => 1 << 17,
            Program::Rt => 1 << 15,
        }
    }

    /// The program with an input of `tasks` tasks, the same on each run.
    ///
    /// # Errors
    /// [`Error::Tasks`] for more than the program's input can have, or none at all.
    pub(super) fn instance(self, tasks: u32) -> Result<Instance, Error> {
        if !(1..=LARGEST).contains(&tasks) {
            return Err(Error::Tasks { tasks, limit: LARGEST });
        }
        match self {
            Program::Bfs => search::levels(tasks),
            Program::Dqg => Ok(dqg::instance(tasks)),
            Program::Emies => Ok(emies::instance(tasks)),
            Program::Ff => Ok(ff::instance(tasks)),
            Program::Hash => Ok(hash::instance(tasks)),
            Program::Iefa => Ok(iefa::instance(tasks)),
            Program::Rt => Ok(rt::instance(tasks)),
            Program::Sssp => search::distances(tasks),
        }
    }
}

/// The paper's largest input has 100 million tasks; kernels count with an `int` and must not come near its end.
const LARGEST: u32 = 1 << 27;
