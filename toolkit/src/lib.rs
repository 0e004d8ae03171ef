//! Finds or installs nvcc and ptxas, runs them, and turns what they print into [`Message`]s; finds Nsight Compute, and reads what it counts.
//!
//! The rest of the project never starts a CUDA tool itself. It asks [`Toolkit::locate_or_install`] for a toolkit,
//! hands it CUDA text ([`Toolkit::compile_to_ptx`]) or PTX text ([`Toolkit::assemble`]), and gets back text, a cubin,
//! or an [`Error`] whose messages name the user's own file and line. No GPU and no driver are needed for any of this, but for what a [`Profiler`] does.
//!
//! ```text
//! flag, variables, PATH, usual places ── search ──┐
//!                   pip ── install ───────────────┤
//!                                              Toolkit ── compile ── PTX text  + messages
//!                                                      ├─ assemble ─ cubin, registers per kernel + messages
//!                                                      └─ judge ──── accepted, or the errors
//! ```
//!
//! Linux only: that is where the packages that [`Toolkit::install`] fetches exist.

#![warn(clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::indexing_slicing))]

mod assemble;
mod columns;
mod compile;
mod count;
mod dependencies;
mod error;
mod host_compiler;
mod index_check;
mod install;
mod install_dir;
mod judge;
mod launch_counts;
mod line_table;
mod messages;
mod pip;
mod pip_settings;
mod probe;
mod process;
mod profiler;
mod progress;
mod resources;
mod scratch;
mod search;
mod source;
mod steps;

#[cfg(test)]
mod fakes;

pub use assemble::Cubin;
pub use compile::{PtxOutput, PtxSteps};
pub use dependencies::{DependencyRule, file_of_marker, files, files_read};
pub use error::Error;
pub use install::PACKAGES;
pub use install_dir::default_install_dir;
pub use judge::Judgement;
pub use launch_counts::{Activity, LaunchCounts};
pub use messages::{Level, Message};
pub use pip::Package;
pub use probe::{Origin, Toolkit};
pub use process::end_after;
pub use profiler::Profiler;
pub use progress::{Progress, Silent, StderrProgress};
pub use resources::KernelResources;
pub use scratch::{Scratch, end_all, end_descendants};
pub use search::{Search, Survey, is_stand_in};
pub use source::CudaSource;
pub use steps::{Dryrun, Step, Steps, exit_code};
