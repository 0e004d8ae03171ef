//! The options of the rewriter.

use std::collections::{HashMap, HashSet};

use analysis::Multiprocessor;

use crate::cost::marker_overhead::Unmarked;

/// Settings of the rewriter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The largest number of threads of a CTA that the kernel is launched with, where the kernel itself does not say
    /// (`.maxntid`, `.reqntid`) and the directive neither. The rewritten kernel carries it as `.maxntid`.
    pub block: Option<u32>,
    /// The names of the kernels to look at, as in the text; all if `None`.
    pub kernels: Option<Vec<String>>,
    /// Static shared memory that a CTA may have, in bytes: 48 KiB on every chip.
    pub shared_limit: u64,
    /// Bytes of dynamic shared memory that the kernel is launched with.
    pub dynamic_shared: u64,
    /// True if values that a lane can compute from the rest of a context are left out of it (paper, Section 4.1).
    pub compress: bool,
    /// The most operations that computing them may take each time the region runs, in units of a 32-bit addition.
    pub recompute: u32,
    /// The loads that are executed where a context is collected (paper, Section 4.2).
    pub hoist: Hoist,
    /// True if idle lanes share what is left of a task whose steps are independent of each other.
    pub split: bool,
    /// The most 32-bit registers per thread that a rewritten kernel may have; the compiler spills what does not fit.
    pub most_registers: Option<u32>,
    /// The lines of the directives whose paths are looked at; all if `None`.
    pub lines: Option<Vec<u32>>,
    /// The most regions of one loop that are collected; all if `None`. Those with the costliest paths are (paper, Section 4.3).
    pub most: Option<usize>,
    /// True if stacks must leave room for as many blocks on a multiprocessor as there were before. The costliest region of a loop is
    /// collected in any case.
    pub keep_occupancy: bool,
    /// True if paths are collected too of which a profile or the directive says that this costs more than it saves.
    pub all: bool,
    /// True if a path is refused of which it is not known that it and what follows it in its iteration access no memory in common.
    pub strict: bool,
    /// The multiprocessor that occupancy and costs are computed for.
    pub multiprocessor: Multiprocessor,
    /// 32-bit registers per thread of each kernel before the rewrite, by name, where ptxas has said it.
    pub registers: HashMap<String, u32>,
    /// Counts of executed instructions; those of one kernel are added up.
    pub profiles: Vec<Profile>,
    /// The loops of the kernels as the compiler leaves them without markers, where it was asked.
    pub unmarked: Unmarked,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            block: None,
            kernels: None,
            shared_limit: 48 << 10,
            dynamic_shared: 0,
            compress: true,
            recompute: RECOMPUTE,
            hoist: Hoist::WhereFree,
            split: true,
            most_registers: None,
            lines: None,
            most: None,
            keep_occupancy: false,
            all: false,
            strict: false,
            multiprocessor: Multiprocessor::HOPPER,
            registers: HashMap::new(),
            profiles: Vec::new(),
            unmarked: Unmarked::default(),
        }
    }
}

impl Options {
    /// Returns the static shared memory that a CTA may have, stacks included. `used` is what it has already.
    ///
    /// A launch has so many bytes of static and dynamic shared memory together. If the kernel as it is needs more than any kernel may have, its program opts in
    /// to the most that the chip has (`cudaFuncSetAttribute`). If not, it must not be made to.
    #[must_use]
    pub fn static_limit(&self, used: u64) -> u64 {
        let Multiprocessor { shared_bytes, reserved_shared_bytes, .. } = self.multiprocessor;
        let together = match used + self.dynamic_shared > self.shared_limit {
            true => u64::from(shared_bytes.saturating_sub(reserved_shared_bytes)),
            false => self.shared_limit,
        };
        together.saturating_sub(self.dynamic_shared).min(self.shared_limit)
    }
}

/// The operations that a region may do again unless [`Options::recompute`] says otherwise: fewer than storing, loading and counting a
/// context of three or four words takes.
pub const RECOMPUTE: u32 = 16;

/// The loads that leave the path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hoist {
    /// None.
    Never,
    /// Those whose values take no more bytes than the sectors that one access of a warp touches, if the context does not grow by them.
    WhereFree,
    /// The same, also if the context grows.
    WhereNeighbours,
    /// All that can be, for trying out whether the result is the same.
    Always,
}

/// Counts of the executed instructions of a kernel, as the emulator makes them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// The kernel's name, as in the PTX.
    pub kernel: String,
    /// By line of the PTX, which has one instruction: how often a warp executed it, and with how many active lanes in all.
    pub lines: HashMap<u32, (u64, u64)>,
}

/// The settings, and facts of the module that the kernel is in.
#[derive(Clone, Debug)]
pub(crate) struct Target<'o> {
    /// The PTX version of the module.
    pub(crate) version: (u32, u32),
    /// The number of the module's target, as 90 of `sm_90`.
    pub(crate) chip: Option<u32>,
    /// Bytes of shared memory that the module declares outside of kernels.
    pub(crate) module_shared: u64,
    /// The functions in which threads may end.
    pub(crate) ending: HashSet<String>,
    pub(crate) options: &'o Options,
}
