//! The programs of the CCC paper, whose kernels and checks are those of that suite.

use std::borrow::Cow;

use device::{Device, LaunchConfig};

use super::case::Case;
use super::launches::Runs;
use crate::ccc::{self, Input};
use crate::error::Error;
use crate::native::Counterpart;
use crate::variant::Variant;
use crate::workload::{Size, Verdict, Work};

/// Threads of a block, as in that suite.
pub(super) const BLOCK: u32 = 256;

/// Tasks of a thread, on the average: enough that a block's work is more than its start, and enough blocks for all host threads.
const TASKS: u32 = 16;

/// A program with its launch.
struct Collected {
    work: Box<dyn Work>,
    kernel: &'static str,
    config: LaunchConfig,
}

impl Collected {
    fn counterpart(&self) -> Option<&dyn Counterpart> {
        self.work.counterpart()
    }
}

impl Counterpart for Collected {
    fn buffers(&self) -> Vec<Cow<'_, [u8]>> {
        self.counterpart().map(Counterpart::buffers).unwrap_or_default()
    }

    fn verdict(&self, results: &[Vec<u8>]) -> Verdict {
        let missing = || Verdict { difference: Some("nothing checks native code".to_owned()), error: f64::INFINITY };
        self.counterpart().map_or_else(missing, |counterpart| counterpart.verdict(results))
    }
}

impl Runs for Collected {
    fn run(&self, device: &mut dyn Device, ptx: &str) -> Result<Verdict, Error> {
        let variant = Variant { name: "original".to_owned(), ptx: ptx.to_owned(), kernel: self.kernel.to_owned() };
        Ok(self.work.run(device, &variant, &self.config)?.verdict)
    }
}

/// A program with an input of so many tasks.
///
/// # Errors
/// A size that the program cannot have.
pub(super) fn case(program: ccc::Program, tasks: u32, arch: &str) -> Result<Case, Error> {
    let grid = (tasks / TASKS / BLOCK).max(1);
    let Input { instance, config, .. } = Input::new(program, Size::Tasks(tasks), BLOCK, Some(grid), arch)?;
    let kernel = program.source().kernel;
    let (input, tasks) = (instance.input, instance.tasks);
    let work = Collected { work: instance.work, kernel, config };
    Ok(Case { input, kernels: vec![kernel], work: Box::new(work), native: (program.name(), tasks), opencl: None })
}
