//! Elimination (paper, Algorithm 3): lanes that would go round a detected loop meet those that have left it, before they go round.
//!
//! ```text
//! before                              after
//! LOOP: try                           LOOP:   try
//!       @failed bra LOOP                      @failed bra EDGE
//!       release                               release
//!       …                             SWITCH: @state != 0 bra BACK
//!                                             …
//!                                     EDGE:   state = 1;  bra SWITCH
//!                                     BACK:   state = 0;  bra LOOP
//! ```
//!
//! `SWITCH` stands at the loop's safe point. The back edge is now a forward edge to it and a back edge from it, so that lanes wait there for all that
//! could set them free, and only then try again. A lane that comes to the point by itself has `state` 0 and goes on: what each thread does, and in
//! which order, stays as it was. Which loops share a switch, [`crate::rewrite::section`] decides; [`crate::rewrite::emit`] writes it.
//!
//! In what comes of it nothing may be found any more. Where something is, or where lanes cannot meet there, all loops of the kernel try again with one
//! switch at its end, and if that does not do either, by one dispatch ([`mod@crate::rewrite::dispatch`]).

pub(crate) mod backoff;
pub(crate) mod dispatch;
pub(crate) mod emit;
pub(crate) mod gates;
pub(crate) mod order_dependence;
pub(crate) mod refusal;
pub(crate) mod section;

use analysis::Analyses;
use ptx_parser::{Code, Flow, Kernel, Module, Patch, StmtKind};

use crate::detect::Detection;
use crate::detect::module_context::Context;
use crate::detect::survey::{Detected, Survey};
use crate::rewrite::emit::write;
use crate::rewrite::refusal::Refusal;
use crate::rewrite::section::{Section, sections};

/// The result for a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Nothing was found, nothing was changed.
    Clean,
    /// All loops that were found go round by safe points now, and a second check finds nothing.
    Rewritten {
        /// The number of loops.
        loops: usize,
    },
    /// A loop stays as it is, and so does the kernel.
    Refused(Refusal),
}

/// Removes the SIMT-induced deadlocks of a kernel, and assumes nothing of lock-free loops. A kernel that is refused is left as it was.
pub fn eliminate(kernel: &mut Kernel) -> Outcome {
    let context = Context::default().strictly(true);
    let detection = Detection::of(kernel, &context);
    eliminate_detected(kernel, &detection, &context)
}

/// The same where the kernel was looked at already.
pub(crate) fn eliminate_detected(
    kernel: &mut Kernel,
    Detection { facts, survey: found }: &Detection,
    context: &Context,
) -> Outcome {
    if found.detected.is_empty() {
        return Outcome::Clean;
    }
    let calls = |found: &Detected| {
        let mut insts = found.writes.iter().map(|&(write, _)| write).chain(found.reads.iter().copied());
        insts.any(|inst| kernel.properties(inst).flow == Flow::Call)
    };
    if !facts.divergence.entry_is_uniform() || found.detected.values().any(calls) {
        return Outcome::Refused(Refusal::Call);
    }
    let freed = match without_promises(kernel) {
        Ok(Some(free)) => {
            let Detection { facts, survey } = Detection::of(&free, context);
            freed(&facts, &free, &survey, context)
        }
        Ok(None) => freed(facts, kernel, found, context),
        Err(refusal) => Err(refusal),
    };
    match freed {
        Ok(result) => {
            *kernel = result;
            Outcome::Rewritten { loops: found.detected.len() }
        }
        Err(refusal) => Outcome::Refused(refusal),
    }
}

/// The kernel without promises that all lanes of a warp go the same way at a branch: they may come there in other company. `None` if it makes none.
fn without_promises(kernel: &Kernel) -> Result<Option<Kernel>, Refusal> {
    let mut result = kernel.clone();
    let mut patch = Patch::new();
    for (index, stmt) in kernel.stmts().iter().enumerate() {
        let StmtKind::Inst(inst) = stmt.kind else { continue };
        let parts = match kernel.properties(inst).flow {
            Flow::Branch => kernel.inst(inst).guard.is_some(),
            flow => flow == Flow::IndirectBranch,
        };
        if let Some(free) = kernel.opcode(inst).without_promise().filter(|_| parts) {
            let mut code = Code::new();
            code.guarded(kernel.inst(inst).guard).with_opcode(&free, kernel.operands(inst).iter().copied());
            patch.replace(index..index + 1, result.build(code)?);
        }
    }
    if patch.is_empty() {
        return Ok(None);
    }
    result.apply(patch)?;
    Ok(Some(result))
}

/// Leads all loops of a kernel in which lanes could wait through one dispatch, whatever was found in it: what [`eliminate`] does last. A kernel that is
/// refused is left as it was. `module` is what it is part of.
///
/// # Errors
/// What keeps lanes from meeting.
pub fn dispatch(module: &Module, kernel: &mut Kernel) -> Result<(), Refusal> {
    let context = &Context::of(module, kernel);
    let free = without_promises(kernel)?.unwrap_or_else(|| kernel.clone());
    *kernel = crate::rewrite::dispatch::dispatch(&Analyses::beside_traps(&free), &free, context)
        .and_then(|result| clean(result, context))?;
    Ok(())
}

/// The kernel with its sections written, if nothing is found in it any more.
fn freed(facts: &Analyses, kernel: &Kernel, found: &Survey, context: &Context) -> Result<Kernel, Refusal> {
    let early = sections(facts, kernel, context, found).and_then(|sections| written(facts, kernel, &sections, context));
    let late = || {
        Section::to_the_end(facts, kernel, context, found)
            .and_then(|section| written(facts, kernel, &[section], context))
    };
    let last = || crate::rewrite::dispatch::dispatch(facts, kernel, context).and_then(|result| clean(result, context));
    early.or_else(|_| late()).or_else(|_| last())
}

fn written(facts: &Analyses, kernel: &Kernel, sections: &[Section], context: &Context) -> Result<Kernel, Refusal> {
    let mut result = kernel.clone();
    write(facts, &mut result, sections)?;
    clean(result, context)
}

/// Returns what was made of a kernel, if nothing is found in it.
fn clean(result: Kernel, context: &Context) -> Result<Kernel, Refusal> {
    match Detection::of(&result, context).survey.detected.is_empty() {
        true => Ok(result),
        false => Err(Refusal::Again),
    }
}
