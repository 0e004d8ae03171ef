//! The papers' kernels, inputs and tables.
//!
//! A suite takes a kernel of the CCC paper through the whole path (directives, nvcc, rewriter, ptxas), runs the
//! original and the rewritten kernel on the same input on every device, compares both results with the CPU's, and
//! reports what was measured ([`SuiteReport`], [`ccc::CccReport`], as JSON or as a table). [`bfs`] searches the
//! [`graph`]s that it reads or makes, level by level; [`mod@ccc`] runs the paper's eight programs. [`ssde`] has the
//! programs of the paper on MIMD synchronisation, with their inputs and checks, as plain code and restructured by hand.
//! [`gpu`] takes the time of all of them on a GPU.
//! [`cpu`] times kernels that are translated to code of the CPU against native code.
//! Beside them, [`mod@emulator`] times the emulator itself against native code, and [`efficiency`] holds its counts against those of a GPU.

pub mod bfs;
pub mod ccc;
mod chart;
pub mod cpu;
mod document;
pub mod efficiency;
pub mod emulator;
mod error;
pub mod gpu;
pub mod graph;
pub mod hangs;

mod grid_size;
mod native;
mod progress;
mod scoped_device;
mod single_launch;
pub mod ssde;
mod variant;
mod workload;

pub use bfs::{GraphSummary, Row, SuiteReport};
pub use chart::Plot;
pub use document::Document;
pub use error::{Error, FilePosition};
pub use grid_size::{SHARE, Shape};
pub use variant::{Resources, Rewrite, Rewritten, Source, Variant, Variants};

use std::sync::Arc;

use device::{EmulatorOptions, Machine, Monitor, Selection};

/// The machines of a suite that is not told which: hardware before Volta, which the papers measured, and since.
pub const MACHINES: [Machine; 2] = [Machine::Stack, Machine::Its];

/// The emulator once for each SIMT machine, with the chip of an architecture (`sm_90`), which is an H100 where the
/// emulator's table of chips has none for it.
#[must_use]
pub fn emulators(machines: &[Machine], arch: &str) -> Vec<Selection> {
    let options = EmulatorOptions { chip: grid_size::chip(arch), ..EmulatorOptions::default() };
    machines.iter().map(|&machine| Selection::Emulator(EmulatorOptions { machine, ..options.clone() })).collect()
}

/// Devices whose launches a monitor can end. A launch on a GPU cannot be ended.
pub(crate) fn watched(devices: &[Selection], monitor: &Arc<Monitor>) -> Vec<Selection> {
    let watched = |device: &Selection| match device.clone() {
        Selection::Emulator(options) => {
            Selection::Emulator(EmulatorOptions { monitor: Some(Arc::clone(monitor)), ..options })
        }
        gpu => gpu,
    };
    devices.iter().map(watched).collect()
}
