//! The tests of the benchmarks as one program, which is linked once and runs its long tests side by side.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod bfs_runs;
mod bfs_suite;
mod ccc_suite;
mod cpu_suite;
mod efficiency;
mod gpu_suite;
mod graph_files;
mod hangs;
mod ssde_kernels;
mod ssde_suite;
mod synthetic;

use std::sync::LazyLock;

use toolkit::{Search, StderrProgress, Toolkit};

/// The CUDA compiler, which is looked for once.
static TOOLKIT: LazyLock<Toolkit> =
    LazyLock::new(|| Toolkit::locate_or_install(&Search::default(), &mut StderrProgress::default()).unwrap());
