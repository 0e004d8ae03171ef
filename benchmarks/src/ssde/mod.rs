//! The programs of the paper on MIMD synchronisation (A. ElTantawy and T. Aamodt, "MIMD Synchronization on SIMT
//! Architectures", MICRO 2016, Table I and Figure 4).
//!
//! A program is a CUDA file and a Rust file that makes its input and looks at the result. The CUDA file has the program
//! in two forms: [`Form::Mimd`], plain code with locks and waits as for threads of a CPU, which must not be run on a
//! SIMT stack as it is, and [`Form::Simt`], restructured by hand until it can. [`Program::compile`] gives the PTX of
//! both, [`Program::input`] an input that [`Input::run`] launches either with.
//!
//! | program | what waits for what | M deadlocks on a stack |
//! | --- | --- | --- |
//! | ht | a lock per bucket of a hash table | yes |
//! | atm | two locks per transfer, in order | yes |
//! | tl, am | one lock (coarse) or a lock for a few threads (fine) | yes |
//! | cp-ds | two locks per constraint, in order | yes |
//! | bh-tb | a lock in every pointer of a tree | yes |
//! | bh-st | a cell for its parent | yes |
//! | bh-sm | a cell for its children, asked for again in the loop that writes them | no |
//! | bh-fc | nobody; the exit of a loop is read from shared memory, the same for all lanes | no |
//! | fig4-behind, -parallel, -branches, -around | the paper's scenarios, one each | yes |
//!
//! [`run_suite`] runs M, S and M after the elimination ([`Version`]) on the machines, and [`SsdeReport`] has the paper's Tables III and IV and
//! its Figures 9 to 12 ([`Figures`]) with what the paper says beside ours ([`paper`]), and whether what must hold does ([`Hold`]). A kernel that
//! the elimination refuses is said to be, and left out of averages.
//!
//! The optimisers that the paper used made the loop of M out of that of S again, by threading the jump of lanes that
//! are to try once more straight back to the test (Section II.B). nvcc 13.0 leaves the loops of all forms as they are
//! written, with `-O3` and without optimisation; the tests, which run both, would show if another one did not.

mod am;
mod atm;
mod bh_fc;
mod bh_sm;
mod bh_st;
mod bh_tb;
mod claims;
mod cp_ds;
mod detections;
mod figure4;
mod figures;
mod ht;
mod input;
mod octree;
pub mod paper;
mod plot;
mod program;
mod render;
mod report;
mod row;
mod static_code;
mod suite;
mod tl;
mod versions;

pub use crate::workload::Size;
pub use claims::Hold;
pub use detections::DetectionRow;
pub use figures::{Average, Bar, Figure9, Figure10, Figures, OnAware, Sweep};
pub use input::{Input, Ran};
pub use program::{Form, Optimisation, Program};
pub use report::{InputRow, SsdeReport};
pub use row::{Setting, SsdeRow};
pub use static_code::{Code, CodeRow};
pub use suite::{SsdeOptions, Suite, run_suite};
pub(crate) use versions::Versions;
pub use versions::{Version, labelled};
