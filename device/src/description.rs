//! The properties and abilities of a device, as data. Callers decide by them, so that they need not know which device they have.

/// A device as the command line and the benchmarks see it. Each device has one, in its own file.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// Its name on the command line and in reports.
    pub name: &'static str,
    /// Says in one line what it is.
    pub about: &'static str,
    /// Names it in sentences: `a GPU`.
    pub noun: &'static str,
    /// True if it counts what warps do, per line too.
    pub counts: bool,
    /// True if it runs a SIMT machine of the caller's choice.
    pub has_machines: bool,
    /// True if kernels run on threads of this process, and in its memory.
    pub is_in_process: bool,
    /// True if a launch can be watched, and has ended when it is given up. Otherwise only the end of the process ends it.
    pub can_stop: bool,
    /// True if buffers can be read after a launch that did not finish.
    pub keeps_memory: bool,
    /// True if it runs clusters of several blocks.
    pub has_clusters: bool,
    /// The figures that suites of benchmarks take on it; `None` if they do not run on it.
    pub suites: Option<Figures>,
}

/// The figures that benchmarks take on a device.
#[derive(Clone, Copy, Debug)]
pub enum Figures {
    /// The emulator counts what warps do. Inputs are small.
    Counts,
    /// Launches are timed on a [`Gpu`](crate::Gpu). Inputs are large.
    Times,
}
