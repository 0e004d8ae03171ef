//! The programs by name.

use ::ccc::{Hoist, Options};
use serde::{Deserialize, Serialize};

use super::{dqg, emies, ff, hash, iefa, rt, search};
use crate::bfs;
use crate::error::Error;
use crate::variant::{Rewrite, Source};
use crate::workload::Instance;
use crate::workload::Size;

/// The line of the path of a vertex in `sssp.cu`, in which that of its edges lies.
const OUTER_PATH_OF_SSSP: u32 = 14;

/// A program of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

    /// Says in one line what it is.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Program::Bfs => "Breadth-first search; tasks are vertices",
            Program::Dqg => "Weights of quadrature points; tasks are points",
            Program::Emies => "Potential in near and far boxes; tasks are observers",
            Program::Ff => "Fractal flames; tasks are points",
            Program::Hash => "Cuckoo hashing; tasks are pairs of key and value",
            Program::Iefa => "Inverse error function; tasks are values",
            Program::Rt => "Ray tracer; tasks are rays",
            Program::Sssp => "Shortest paths; tasks are vertices",
        }
    }

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
    pub fn source(self) -> Source<'static> {
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

    /// The ways in which it is rewritten: as users find the rewriter, and what the paper compares with that.
    #[must_use]
    pub fn rewrites(self) -> Vec<Rewrite> {
        let usual = || Rewrite::usual().options;
        let mut rewrites = vec![Rewrite::usual()];
        match self {
            // As the paper did with one of its programs: what 32 registers do not hold is spilled, a word or two.
            Program::Dqg | Program::Emies => {
                rewrites = vec![Rewrite { name: "ccc", options: Options { most_registers: Some(32), ..usual() } }];
            }
            Program::Ff => {
                rewrites.push(Rewrite { name: "costliest 3", options: Options { most: Some(3), ..usual() } });
            }
            Program::Hash => {
                rewrites.push(Rewrite { name: "uncompressed", options: Options { compress: false, ..usual() } });
            }
            Program::Sssp => {
                let options = Options { hoist: Hoist::WhereNeighbours, ..usual() };
                rewrites.push(Rewrite { name: "loads hoisted", options });
                let options = Options { lines: Some(vec![OUTER_PATH_OF_SSSP]), ..usual() };
                rewrites.push(Rewrite { name: "outer path only", options });
                rewrites.push(Rewrite { name: "whole tasks", options: Options { split: false, ..usual() } });
            }
            _ => {}
        }
        rewrites
    }

    /// Returns how many tasks (values, rays, points, observers, pairs, vertices) its input has.
    #[must_use]
    pub fn tasks(self, size: Size) -> u32 {
        match (size, self) {
            (Size::Tasks(tasks), _) => tasks,
            (Size::Emulator, Program::Bfs | Program::Sssp | Program::Rt) => 1 << 16,
            (Size::Emulator, Program::Dqg) => 1 << 13,
            (Size::Emulator, Program::Emies) => 1 << 14,
            (Size::Emulator, Program::Ff | Program::Hash | Program::Iefa) => 1 << 19,
            // An H200 has some 50 MB of L2, and 270336 threads of it are resident. Buffers take 151 MB of bfs (33.6 million edges), 75 of dqg, 117 of
            // emies, 403 of ff, 283 of hash, 268 of iefa and of rt and 147 of sssp (16.8 million edges and as many weights); a thread of those that
            // stride has 4 to 124 tasks. What bounds them is the host: the CPU's reference, which for a point of dqg goes over all
            // pairs of its molecule's atoms, and 17 runs of each variant, of which inputs and results are copied and looked at; sssp has five variants
            // and several launches in each.
            (Size::Gpu, Program::Sssp) => 1 << 20,
            (Size::Gpu, Program::Bfs | Program::Dqg) => 1 << 21,
            (Size::Gpu, Program::Emies) => 1 << 22,
            (Size::Gpu, Program::Ff) => 1 << 25,
            (Size::Gpu, Program::Hash | Program::Iefa | Program::Rt) => 1 << 24,
            // LiveJournal has 4.8 million vertices and 69 million edges, an R-MAT graph of this size 4.2 and 67.
            (Size::Paper, Program::Bfs | Program::Sssp) => 1 << 22,
            // The paper does not say how many points and observers there are.
            (Size::Paper, Program::Dqg | Program::Emies) => 1 << 20,
            (Size::Paper, Program::Ff) => 10_000_000,
            (Size::Paper, Program::Hash | Program::Iefa) => 100_000_000,
            (Size::Paper, Program::Rt) => 8_800_000,
        }
    }

    /// Checks that a program can have so many tasks.
    ///
    /// # Errors
    /// [`Error::Tasks`] for more than that, or none at all.
    pub(crate) fn check(tasks: u32) -> Result<(), Error> {
        if (1..=LARGEST).contains(&tasks) { Ok(()) } else { Err(Error::Tasks { tasks, limit: LARGEST }) }
    }

    /// The program with an input of `tasks` tasks, the same on each run.
    ///
    /// # Errors
    /// [`Error::Tasks`] for more than the program's input can have, or none at all.
    pub(crate) fn instance(self, tasks: u32) -> Result<Instance, Error> {
        Program::check(tasks)?;
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
