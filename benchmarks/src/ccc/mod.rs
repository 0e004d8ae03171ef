//! The programs of the CCC paper (Section 6.1), each as nvcc compiles it against the same kernel after CCC.
//!
//! A program is a CUDA file, written from the algorithm that the paper names, with the directives that pxrw has today, and
//! a Rust file that makes its input, launches it and compares the result with the CPU's. [`Program::ALL`] lists them, [`run_suite`]
//! runs those that [`CccOptions`] names on every device, [`CccReport`] shows the counts beside the paper's figures, as text and as
//! plots. [`Synthetic`] has the kernels of the paper's sensitivity analysis (Section 6.3).
//!
//! | program | what the paper collects | what is marked today |
//! | --- | --- | --- |
//! | bfs | the path of a vertex in the level, the loop over its edges in it | the same |
//! | dqg | points, by a grid-stride loop | the cell function of one atom of a point, and in it the loop over the other atoms |
//! | emies | the near field of a box | the same |
//! | ff | the three costliest of ten variations | all ten; a second rewrite takes the three costliest |
//! | hash | one step of a chain of evictions | the same |
//! | iefa | all three branches | the same |
//! | rt | the hit of a sphere | the same |
//! | sssp | as bfs | the same |

mod dqg;
mod emies;
mod ff;
mod hash;
mod iefa;
mod paper;
mod plot;
mod program;
mod races;
mod render;
mod report;
mod rt;
mod search;
mod suite;
mod synthetic;

pub use crate::chart::Plot;
pub use crate::workload::Size;
pub(crate) use crate::workload::{Instance, Threads};
pub use paper::{Paper, Resource};
pub(crate) use plot::{Efficiency, Lengths, Speedup, by_takers, efficiencies, lengths, of_programs, speedups};
pub use program::Program;
pub use report::{CccReport, CccRow, Collected, Occupancy, ProgramReport, Region};
pub(crate) use suite::Input;
pub use suite::{Built, CccOptions, Suite, run_suite};
pub(crate) use synthetic::synthetic_source;
pub use synthetic::{Case, Loop, Synthetic, SyntheticRow};
