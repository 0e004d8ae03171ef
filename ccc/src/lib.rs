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
//! What leads to a region is not left as branches: all lanes compute `want` together where that can be done (`emit/if_conversion.rs`).
//!
//! A loop may have several regions, each with a stack, a vote and a copy of its own behind `TAIL` (paper, Section 3.4), one of them in
//! another perhaps; and a region may be an inner loop that is run step by step (Sections 3.2 and 3.3), the last tasks of which idle
//! lanes share. How is shown in the heads of `emit/stage.rs` and `emit/work_sharing.rs`.
//!
//! # The parts
//!
//! In the order in which they are used:
//!
//! - `driver.rs`: all kernels of a module. `options.rs`: what it is told. `decide.rs`: loop after loop, which of its paths are collected.
//! - `markers.rs`: where the directives are in the PTX. `prepare/`: edits that make more paths possible, such as the loop over blocks of `#CCC grid`.
//! - `facts/`: the side tables of the kernel. `region/`: what a path is in the control flow, and what forbids it. `refusal/`: why a path stays.
//! - `memory/`: what a path and the rest of its iteration do to each other's memory. `reduction.rs`: the values that a path may hand on. `split/`: whether a task may be cut.
//! - `context/`: what travels. `cost/`: how often a path is run, and what collecting it is worth. `layout.rs`: the stacks. `plan/`: all that is decided about a loop.
//! - `emit/`: the edit. `report.rs`: what was done, as the structs that reports are made of; `report_text.rs`: the parts of it that name files.
//!
//! `place.rs`, `source_names.rs`, `rank.rs` and `access_pair.rs` are data that most of these name.
//!
//! # What it requires
//!
//! The directives are the user's word that iterations are independent of each other: the region of one iteration may
//! run later than it stands, together with those of other iterations and lanes. What it and the rest of its own iteration do to each other's memory is looked
//! at (`memory/`). Of a loop that is run in steps, that holds for its tasks: a task is the loop and what follows it in its block; of
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

mod access_pair;
mod context;
mod cost;
mod decide;
mod driver;
mod emit;
mod facts;
mod layout;
mod markers;
mod memory;
mod options;
mod origin;
mod plan;
mod prepare;
mod rank;
mod reduction;
mod refusal;
mod region;
mod report;
mod report_text;
mod source_names;
mod split;

pub use access_pair::{AccessEntry, AccessPair, Link};
pub use context::rematerialization::Stored;
pub use context::value::Why;
pub use cost::marker_overhead::Unmarked;
pub use driver::rewrite_module;
pub use facts::rematerializable::Obstacle;
pub use layout::{LARGEST_CTA, WARP};
pub use options::{Hoist, Options, Profile, RECOMPUTE};
pub use origin::Origin;
pub use rank::{Balance, LOOP_RUNS, Rank, RaritySource};
pub use refusal::Refusal;
pub use report::{
    ContextEntry, GridReport, HoistedEntry, KernelReport, RecomputedEntry, ReductionEntry, RegionReport, Status,
};
pub use report_text::{Assumed, Names, PlacedAccess, Ranked, Sharing};
pub use split::unsplittable::Unsplittable;
