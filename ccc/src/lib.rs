//! Collaborative context collection (CCC): Khorasani, Gupta, Bhuyan, MICRO 2015.
//!
//! A marked `if` inside a marked loop is a *region* that few lanes of a warp take in each iteration. Instead of running it
//! with the few, a lane that wants it puts its *context*, the values that the region reads, on a stack in shared memory;
//! the region runs when the lanes that want it and the contexts on the stack together fill the warp. Whatever is left runs
//! when no lane has an iteration left.
//!
//! ```text
//! before                              after
//!                                     D:    mask, first stack slot of the warp, stack size 0
//!     @out bra X;                           @out bra PARK;
//! H:  …                               LOOP: want = false; @!active bra TAIL;
//!     @!p bra J;                      H:    …
//!     REGION                                @!p bra J;
//! J:  …                                     context = registers; want = true
//!     @more bra H;                    J:    …
//! X:  …                                     @more bra TAIL;  active = false; bra TAIL;
//!                                     TAIL: takers = ballot(want); more = any(active)
//!                                           nobody wants, but more to come: LOOP
//!                                           not a full warp, but more to come: push, LOOP
//!                                           nothing left: X
//!                                           lanes without work pop; REGION (one copy); LOOP
//!                                     PARK: active = false; bra LOOP
//! ```
//!
//! What leads to a region is not left as branches: all lanes compute `want` together where that can be done (`write/if_conversion.rs`).
//!
//! A loop may have several regions, each with a stack, a vote and a copy of its own behind `TAIL` (paper, Section 3.4), one of them in
//! another perhaps; and a region may be an inner loop that is run step by step (Sections 3.2 and 3.3), the last tasks of which idle
//! lanes share. How is shown in the heads of `write/stage.rs` and `write/share.rs`.
//!
//! # What it requires
//!
//! The directives are the user's word that iterations are independent of each other: the region of one iteration may
//! run later than it stands, together with those of other iterations and lanes. What it and the rest of its own iteration do to each other's memory is looked
//! at (`dependence.rs`). Of a loop that is run in steps, that holds for its tasks: a task is the loop and what follows it in its block; of
//! an inner `#CCC for`, it holds for the steps too.
//! Everything else is checked, and what cannot be done soundly is refused with
//! the line, the reason and what to do ([`Refusal`]).
//!
//! A value that a region hands to the code behind it is one of them, unless it is an accumulator that the directive names; then the region's part
//! of it is collected in shared memory (`reduction.rs`).
//!
//! # What it preserves
//!
//! Every lane runs its own iterations in its own order with its own registers: the region works on copies. Each context that is
//! collected is run exactly once, by some lane of the same warp. The loop is left, by all lanes together, to where each of them
//! was going. Nothing relies on lockstep: votes name a member mask that is fixed before the loop, and `bar.warp.sync`
//! stands between a push and a later pop, between a pop and a later push, and where the loop is left if code behind it may access the same memory.

mod carried;
mod complement;
mod context;
mod dependence;
mod endless;
mod extend;
mod facts;
mod grid;
mod group;
mod lift;
mod local;
mod markers;
mod place;
mod plan;
mod rank;
mod reduction;
mod refusal;
mod region;
mod report;
mod same_load;
mod split;
mod write;

pub use context::Why;
pub use context::compress::Stored;
pub use context::hoist::Hoist;
pub use context::repeatable::Obstacle;
pub use dependence::{AccessEntry, AccessPair, Link};
pub use rank::profile::Profile;
pub use rank::unmarked::Unmarked;
pub use rank::worth::Balance;
pub use rank::{Known, LOOP_RUNS, Rank};
pub use refusal::{Place, Refusal};
pub use report::{
    ContextEntry, GridReport, HoistedEntry, KernelReport, RecomputedEntry, ReductionEntry, RegionReport, Status,
};
pub use split::Whole;

use std::collections::{HashMap, HashSet};

use analysis::Multiprocessor;
use plan::Target;
use ptx_parser::{Flow, Kernel, KernelKind, Module, Reg, StmtKind};

/// What the rewriter needs to know beside the kernel.
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
    /// Whether values that a lane can compute from the rest of a context are left out of it (paper, Section 4.1).
    pub compress: bool,
    /// The most operations that computing them may take each time the region runs, in units of a 32-bit addition.
    pub recompute: u32,
    /// Which loads are executed where a context is collected (paper, Section 4.2).
    pub hoist: Hoist,
    /// Whether idle lanes share what is left of a task whose steps are independent of each other.
    pub split: bool,
    /// The most 32-bit registers per thread that a rewritten kernel may have; the compiler spills what does not fit.
    pub most_registers: Option<u32>,
    /// The lines of the directives whose paths are looked at; all if `None`.
    pub lines: Option<Vec<u32>>,
    /// The most regions of one loop that are collected; all if `None`. Those with the costliest paths are (paper, Section 4.3).
    pub most: Option<usize>,
    /// Whether, beside the costliest region of a loop, only those are collected whose stacks leave room for as many blocks on a
    /// multiprocessor as there were before.
    pub keep_occupancy: bool,
    /// Whether paths are collected too of which a profile or the directive says that this costs more than it saves.
    pub all: bool,
    /// Whether a path is refused of which it is not known that it and what follows it in its iteration access no memory in common.
    pub strict: bool,
    /// The multiprocessor that occupancy and costs are computed for.
    pub multiprocessor: Multiprocessor,
    /// 32-bit registers per thread of each kernel before the rewrite, by name, where ptxas has said it.
    pub registers: HashMap<String, u32>,
    /// How often instructions are executed; those of one kernel are added up.
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

/// The number of threads of the largest CTA that any chip runs.
pub const LARGEST_CTA: u32 = 1024;

/// The number of lanes of a warp.
pub const WARP: u32 = 32;

/// Applies CCC to every marked region of every kernel of a module.
///
/// A region that is refused is left as it was and reported with the reason. The reports come in the order of the kernels;
/// kernels without a marker have none.
pub fn rewrite_module(module: &mut Module, options: &Options) -> Vec<KernelReport> {
    let shared = module.variables().iter().filter(|v| v.space == ptx_parser::Space::Shared);
    let target = Target {
        version: module.version().unwrap_or((1, 0)),
        chip: module.target().iter().find_map(|word| chip_number(word)),
        module_shared: shared.map(|v| v.bytes()).sum(),
        ending: ending(module),
        options,
    };
    let meant = |kernel: &&mut Kernel| {
        options.kernels.as_ref().is_none_or(|names| names.iter().any(|name| name == kernel.name()))
    };
    let kernels = module.kernels_mut().iter_mut().filter(meant);
    let reports = kernels.map(|kernel| rewrite_kernel(kernel, &target));
    reports.filter(|report| report.grid.is_some() || !report.regions.is_empty()).collect()
}

/// The functions in which threads may end (`exit`), themselves or in one that they call.
fn ending(module: &Module) -> HashSet<String> {
    let functions: Vec<&Kernel> =
        module.kernels().iter().filter(|one| one.kind() == KernelKind::Func && one.has_body()).collect();
    let mut ending: HashSet<String> = HashSet::new();
    loop {
        let ends = |function: &Kernel| {
            function.stmts().iter().any(|stmt| match stmt.kind {
                StmtKind::Inst(inst) => match function.properties(inst).flow {
                    Flow::Exit => true,
                    Flow::Call => function.callee_name(inst).is_some_and(|name| ending.contains(name)),
                    _ => false,
                },
                _ => false,
            })
        };
        let more = functions.iter().filter(|one| !ending.contains(one.name()) && ends(one));
        let more: Vec<String> = more.map(|one| one.name().to_owned()).collect();
        if more.is_empty() {
            return ending;
        }
        ending.extend(more);
    }
}

/// Returns the number of a target such as `sm_90a`.
fn chip_number(target: &str) -> Option<u32> {
    target.strip_prefix("sm_")?.trim_end_matches(|letter: char| letter.is_ascii_lowercase()).parse().ok()
}

/// Applies CCC to every marked region of a kernel.
fn rewrite_kernel(kernel: &mut Kernel, target: &Target<'_>) -> KernelReport {
    let mut report = KernelReport::new(kernel);
    // Refusals must leave the kernel as it was, so that a copy is worked on.
    let mut work = kernel.clone();
    // Code is moved and copied out of scopes, and names registers.
    let written: Vec<(Reg, String)> = work.regs().map(|reg| (reg, work.reg_name(reg).to_owned())).collect();
    let written = match work.widen_register_scopes() {
        true => written.into_iter().map(|(reg, name)| (work.reg_name(reg).to_owned(), name)).collect(),
        false => HashMap::new(),
    };
    // First, because it makes the loop that regions of the kernel are in.
    if let Some(site) = grid::sites(&work).first() {
        let status = match grid::repeat(&mut work, site) {
            Ok(()) => {
                kernel.clone_from(&work);
                Status::Rewritten
            }
            Err(refusal) => Status::Refused(refusal),
        };
        report.grid = Some(GridReport { id: site.id, line: site.line, status });
    }
    let outcome = group::rewrite_all(&mut work, target, &mut report);
    let outcome = outcome.and_then(|()| match target.options.most_registers {
        Some(most) => work.add_directive("maxnreg", &[most]),
        None => Ok(()),
    });
    let collected = report.regions.iter().any(|region| region.status == Status::Rewritten);
    match outcome {
        Ok(()) if collected => *kernel = work,
        Ok(()) => {}
        Err(error) => {
            report.regions.clear();
            report.fail(&markers::sites(kernel), &error);
        }
    }
    report.name_as_written(&written);
    report.finish(kernel);
    report
}
