//! The options of a measurement: which programs, how large, how often.

use serde::{Deserialize, Serialize};

use crate::bfs::{self, BfsOptions};
use crate::ccc;
use crate::error::Error;
use crate::grid_size::Shape;
use crate::hangs::Attempt;
use crate::ssde;
use crate::workload::Size;

/// The number of runs of each variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rounds {
    /// Before anything is counted.
    pub warmup: u32,
    /// Counted.
    pub runs: u32,
}

impl Default for Rounds {
    fn default() -> Rounds {
        Rounds { warmup: 2, runs: 15 }
    }
}

/// The programs to measure, and how. As JSON they are given to another process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Options {
    /// Set to time a kernel that does nothing, which the others are compared with.
    pub empty: bool,
    /// Breadth-first search of one graph; its devices, block and grid do not count.
    pub search: Option<BfsOptions>,
    /// Programs of the CCC paper.
    pub ccc: Vec<ccc::Program>,
    /// The synthetic kernels of its Figures 13 and 14.
    pub synthetic: bool,
    /// Programs of the SSDE paper.
    pub ssde: Vec<ssde::Program>,
    /// Programs whose threads wait for each other, which may hang.
    pub hangs: Vec<Attempt>,
    /// The number of tasks of each program.
    pub size: Size,
    /// The architecture to compile for: that of the GPU, or an older one.
    pub arch: String,
    /// Threads per block of the search and of the CCC paper's programs.
    pub block: u32,
    /// Blocks per launch of those that stride; as many as the GPU holds at once if not given (CCC paper, Section 3.1).
    pub grid: Option<u32>,
    /// Tasks that each of their threads has at least, on the average: fewer blocks are launched where there are not so many.
    pub share: u32,
    /// The number of runs of each variant.
    pub rounds: Rounds,
}

impl Options {
    /// Returns options without any program, for GPUs of an architecture.
    #[must_use]
    pub fn nothing(arch: &str) -> Options {
        Options {
            empty: false,
            search: None,
            ccc: Vec::new(),
            synthetic: false,
            ssde: Vec::new(),
            hangs: Vec::new(),
            size: Size::Gpu,
            arch: arch.to_owned(),
            block: 256,
            grid: None,
            share: 1,
            rounds: Rounds::default(),
        }
    }

    /// All of both papers, for GPUs of an architecture.
    #[must_use]
    pub fn everything(arch: &str) -> Options {
        Options {
            empty: true,
            ccc: ccc::Program::ALL.to_vec(),
            synthetic: true,
            ssde: ssde::Program::ALL.to_vec(),
            hangs: Attempt::all(),
            ..Options::nothing(arch)
        }
    }

    /// Checks what can be wrong without a GPU and a compiler: sizes, the launch, and the graph of the search where its file or source is given.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<(), Error> {
        self.ccc.iter().try_for_each(|program| ccc::Program::check(program.tasks(self.size)))?;
        self.ssde.iter().try_for_each(|program| ssde::Program::check(program.tasks(self.size)))?;
        Shape::choose(1, 1, self.block, self.grid, &self.arch)?;
        match &self.search {
            Some(search) if search.graph.is_some() || search.source.is_some() => bfs::task(search).map(|_| ()),
            _ => Ok(()),
        }
    }
}
