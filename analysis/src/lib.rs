//! Side tables computed from a PTX kernel.
//!
//! An analysis never edits. Each one is a struct that is computed by `Name::of(…)` from the kernel, or from the analyses that it needs. After an edit, it is computed
//! again. What an instruction reads, writes and does comes from the kernel ([`ptx_parser::Properties`]) and from no other place.
//!
//! | analysis | contents |
//! | --- | --- |
//! | [`Cfg`] | basic blocks, edges, reverse postorder |
//! | [`Dominators`], [`PostDominators`] | which block every path from the entry, or to an exit, goes through |
//! | [`Loops`] | natural loops, their nesting and exits; irreducible cycles |
//! | [`Liveness`] | which registers are read later |
//! | [`Values`] | which write each read sees: PTX registers in static single assignment form, beside the text |
//! | [`ReachingDefinitions`] | the same as sets of writing instructions |
//! | [`Invariance`] | which values cannot change while a loop runs |
//! | [`Divergence`] | which values differ between the lanes of a warp, and which blocks lanes reach apart |
//! | [`Provenance`] | the variables and parameters that values may be addresses in |
//! | [`MemoryDependence`] | which accesses of one iteration may touch the same bytes |
//! | [`LaneDependences`] | which lanes of a warp depend on accesses of others, and whether a loop over lanes keeps their order |
//! | [`Exclusion`] | which blocks of one iteration exclude each other by their conditions |
//! | [`Strides`] | by how much values grow from lane to lane: which accesses lie side by side |
//!
//! [`Analyses`] computes all of them except the last five; [`ReachingDefinitions`] is a view of its values. Analyses print as text (`describe`), except [`Provenance`] and [`Exclusion`]: one line
//! per fact, in textual order of the kernel, with its labels and register names. [`Multiprocessor`] is no analysis: it has the limits of a chip on resident blocks.
//!
//! ```
//! let text = ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() {\n  .reg .b32 %r<2>;\n  mov.u32 %r1, %tid.x;\n  ret;\n}\n";
//! let module = ptx_parser::Module::parse(text)?;
//! let kernel = &module.kernels()[0];
//! let all = analysis::Analyses::of(kernel);
//! let inst = all.cfg.insts(all.cfg.entry())[0];
//! let value = all.values.def(inst, kernel.defs(inst)[0]).expect("the instruction writes this register");
//! assert!(!all.divergence.value_is_uniform(value));
//! # Ok::<(), ptx_parser::Errors>(())
//! ```
//!
//! The crate has no errors: a kernel that parses can be analysed. If a fact is unknown, the answer is the worst case.

mod analyses;
mod cfg;
mod dependence;
mod divergence;
mod dominators;
mod exclusion;
mod liveness;
mod loop_invariance;
mod loops;
mod multiprocessor;
mod reaching_definitions;
mod shared_state;
mod ssa;
mod strides;
mod waiting;

pub use analyses::Analyses;
pub use cfg::{Block, Cfg, Edge, Successor};
pub use dependence::{
    Access, Affine, Bases, Class, DependenceKind, LaneDependence, LaneDependences, MemoryDependence, Origin,
    Provenance, Relation, Shapes, Siblings, Signs,
};
pub use divergence::{Cause, Divergence};
pub use dominators::{Dominators, PostDominators};
pub use exclusion::Exclusion;
pub use liveness::Liveness;
pub use loop_invariance::{Invariance, is_fixed_per_thread, is_repeatable};
pub use loops::{IrreducibleCycle, Loop, LoopEdge, Loops};
pub use multiprocessor::Multiprocessor;
pub use reaching_definitions::{Definitions, ReachingDefinitions};
pub use shared_state::accesses_shared_state;
pub use ssa::{User, Value, ValueKind, Values};
pub use strides::Strides;
pub use waiting::may_wait;

/// The example of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
