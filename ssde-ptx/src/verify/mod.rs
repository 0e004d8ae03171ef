//! The checker: whether a kernel does what another does, thread by thread (ElTantawy and Aamodt, "Correctness Discussion of a SIMT-induced
//! Deadlock Elimination Algorithm", Section 4.2.A).
//!
//! It knows nothing of the rewriter and shares no code with it but the parser and the control-flow graph. It finds the simulation relation of
//! the two texts (`explore.rs`), whatever the added code looks like, as long as that
//!
//! - works on registers that only the output has, and on constants: moves, sums, selections, comparisons, branches, branch tables (`added_registers.rs`);
//! - comes to an end (`silent_steps.rs`).
//!
//! All else must be the same (`instruction_equality.rs`, `declarations.rs`). What the relation says of blocks, edges and loops is the certificate (`trace.rs`,
//! `derive.rs`).
//!
//! The relation is that of one thread whose loads see the same memory; the report lifts it to all threads by that the output neither
//! reorders nor repeats what memory sees. Which lanes of a warp run together is what the rewrite changes, and not looked at here.
//!
//! Names are compared, so that both kernels had best been read from text.

mod added_registers;
mod code;
mod declarations;
mod derive;
mod explore;
mod instruction_equality;
mod mismatch;
mod silent_steps;
mod trace;

use ptx_parser::{Kernel, Module};

pub use mismatch::{Decision, Mismatch, Part, ProgramPoint, Reason};

use crate::certificate::Certificate;
use code::Code;
use explore::Relation;

/// Derives the certificate of an output.
///
/// # Errors
/// Where the output does not do what the input does.
pub fn certify(before: &Kernel, after: &Kernel) -> Result<Certificate, Mismatch> {
    declarations::kernel(before, after)?;
    let relation = Relation::of(Code::of(before), Code::of(after))?;
    Ok(derive::certificate(&relation))
}

/// Derives the certificate of an output and compares it with one that was given.
///
/// # Errors
/// Where the output does not do what the input does, or what the certificate claims without being so.
pub fn verify(before: &Kernel, after: &Kernel, certificate: &Certificate) -> Result<(), Mismatch> {
    match certificate.difference(&certify(before, after)?) {
        None => Ok(()),
        Some(difference) => Err(Mismatch::whole(Reason::Certificate {
            what: difference.what.into(),
            claimed: difference.claimed.into(),
            found: difference.found.into(),
        })),
    }
}

/// Compares two modules but for the bodies of kernels: all else must be the same byte for byte.
///
/// # Errors
/// What is not.
pub fn same_outside(before: &Module, after: &Module) -> Result<(), Mismatch> {
    declarations::module(before, after)
}
