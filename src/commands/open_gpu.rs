//! A GPU that is opened once, for suites to run on.

use std::mem::ManuallyDrop;
use std::path::PathBuf;
use std::time::Duration;

use benchmarks::gpu::{GpuReport, GpuSummary, Options, Suite, Target, Timed};
use device::{Gpu, GpuOptions, GpuProperties};

use super::bench::explain;
use crate::failure::Failure;
use crate::input::LazyToolkit;

/// It stays open, so that its context is made once. To give it back would wait for a launch that was given up; the end of the process does not.
pub(super) struct OpenGpu {
    selected: GpuOptions,
    gpu: ManuallyDrop<Gpu>,
}

impl OpenGpu {
    /// Opens the GPU of a number, on which a launch may take so long.
    pub(super) fn open(ordinal: u32, timeout: Duration) -> Result<OpenGpu, Failure> {
        let selected = GpuOptions { ordinal, timeout: Some(timeout), ..GpuOptions::default() };
        let gpu = Gpu::open(&selected).map_err(|error| explain(error.into()))?;
        Ok(OpenGpu { selected, gpu: ManuallyDrop::new(gpu) })
    }

    /// What the driver says of it.
    pub(super) fn properties(&self) -> &GpuProperties {
        self.gpu.properties()
    }

    /// What reports say of it.
    pub(super) fn summary(&self) -> GpuSummary {
        self.properties().into()
    }

    /// Runs a suite, with the compiler that the user names, if any.
    pub(super) fn run(&self, options: &Options, cuda_path: Option<&PathBuf>) -> Result<GpuReport, Failure> {
        let open = || Ok(Box::new(Gpu::open(&self.selected)?) as Box<dyn Timed>);
        // What is wrong with the sizes or the graph is said before a compiler is fetched.
        let suite = Suite::prepare(options, Target { summary: self.summary(), open: &open }).map_err(explain)?;
        suite.run(LazyToolkit::new(cuda_path).get()?).map_err(explain)
    }
}
