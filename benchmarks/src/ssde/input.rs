//! An input of a program, and what came of launching a kernel with it.

use device::{Device, LaunchConfig, RunReport, Selection};

use crate::error::Error;
use crate::single_launch::{Check, Once, Value};
use crate::variant::Variant;
use crate::workload::{self, Verdict, Work};

/// Threads of a block. `bh_fc.cu` counts on whole warps, and on no more than four.
const BLOCK: u32 = 128;

/// An input, with the launch that it is for. It fits all forms of a program.
pub struct Input {
    /// The input in words.
    pub description: String,
    /// The launch.
    pub config: LaunchConfig,
    work: Once,
}

/// The result of a launch.
#[derive(Clone, Debug)]
pub struct Ran {
    /// The launch's end and counts.
    pub report: RunReport,
    /// The problem with the result, if any. The result of a launch that did not finish is never right.
    pub difference: Option<String>,
}

impl Input {
    /// An input from its parts; the check looks at the outputs, in the order of the parameters.
    pub(super) fn new(description: String, config: LaunchConfig, values: Vec<Value>, check: Check) -> Input {
        Input { description, config, work: Once::new(values, false, check) }
    }

    /// Launches a kernel of a PTX text on a device of its own.
    ///
    /// # Errors
    /// What the device says of the text or of the launch. A deadlock or a wrong result is no error.
    pub fn run(&self, ptx: &str, kernel: &str, device: &Selection) -> Result<Ran, Error> {
        let variant = Variant { name: kernel.into(), ptx: ptx.into(), kernel: kernel.into() };
        let ran = self.work.run(&mut *device.open()?, &variant, &self.config)?;
        Ok(Ran { report: ran.run, difference: ran.verdict.difference })
    }
}

impl Work for Input {
    fn run(&self, device: &mut dyn Device, variant: &Variant, config: &LaunchConfig) -> Result<workload::Ran, Error> {
        self.work.run(device, variant, config)
    }
}

/// A launch of at least so many threads: of fewer than a block's, just these, else of whole blocks.
pub(super) fn launch(threads: u32) -> LaunchConfig {
    let block = threads.clamp(1, BLOCK);
    LaunchConfig::linear(threads.div_ceil(block).max(1), block)
}

/// The same in whole warps.
pub(super) fn launch_warps(threads: u32) -> LaunchConfig {
    launch(threads.max(1).next_multiple_of(ccc::WARP))
}

/// Threads of a launch.
pub(super) fn threads(config: &LaunchConfig) -> u32 {
    config.grid[0] * config.block[0]
}

/// A result that is wrong.
pub(super) fn wrong(what: String) -> Verdict {
    Verdict { difference: Some(what), error: 0.0 }
}

/// Returns whether two integers are the same, in the measure of [`Verdict::compare`].
pub(super) fn differ<T: PartialEq>(found: &T, expected: &T) -> f64 {
    f64::from(u8::from(found != expected))
}
