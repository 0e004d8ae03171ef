//! The grammar table: what is known of each opcode family (PTX ISA, "Instruction Set").
//!
//! Every analysis, rewriter and cost model asks this table and no other place. The rows are data, by chapter of the
//! manual ([`rows`]): which modifiers may stand, which operands follow, what the instruction does, and which PTX
//! version and target it needs. The rows of a mnemonic are compiled when a text first mentions it ([`lexicon`]); an
//! opcode is resolved against them once per distinct text ([`resolve()`]); holding an instruction against its resolved
//! form then costs a few comparisons. The versions and targets themselves are in [`targets`].
#![warn(clippy::indexing_slicing)]

mod availability;
mod comparison;
mod effect;
mod lexicon;
mod linear;
mod logic;
mod properties;
mod reduction_steps;
mod register_types;
mod resolve;
mod rows;
mod signature;
mod targets;
mod throughput;
mod typing;
mod words;

pub use availability::{Feature, Needs};
pub use comparison::{Comparison, Relation};
pub use logic::Logic;
pub use properties::{Class, Flow, Linear, Memory, Number, Operator, Ordering, Properties, Running, Scope};
pub use typing::{Reason, Typing};
pub use words::{MatrixShape, Mnemonic, Modifier};

pub(crate) use register_types::{is_untyped, type_fits};
pub(crate) use resolve::{Resolved, resolve};
pub(crate) use signature::{Geometry, Kind, Param, Signature, Width};
pub(crate) use targets::{architecture, architectures, is_version, least_version, number, versions_around};
