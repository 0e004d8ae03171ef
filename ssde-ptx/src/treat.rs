//! A kernel of a module as a whole: its loops and those of the functions that it calls.
//!
//! [`detect`](crate::detect()) and [`eliminate`](crate::eliminate()) look at one body, for which a call may do anything. Here, what a kernel calls is
//! put in the place of the calls first (`inline`), so that a loop in one function and the write that frees it in another are seen together. The
//! text changes only if something is found.

use std::borrow::Cow;

use ptx_parser::{Flow, Inst, Kernel, KernelKind, Module, Operand};

use crate::detect::{At, Detection, Finding, Write};
use crate::eliminate::{Outcome, eliminate, eliminate_detected};
use crate::inline::{Inlined, KeptCall, Open, Shape, inlined, inlined_and, insts};
use crate::lockstep::{Lockstep, lockstep_detected};
use crate::refusal::Refusal;

/// What was found in a kernel.
#[derive(Clone, Debug)]
pub struct Found {
    /// The loops. Where calls were replaced, blocks and instructions are those of [`Found::kernel`].
    pub findings: Vec<Finding>,
    /// The loops that need the lanes of a warp to run in lockstep.
    pub lockstep: Vec<Lockstep>,
    /// What was looked at: the kernel, or a copy of it in which calls are replaced by bodies and scopes with labels are open.
    pub kernel: Kernel,
    /// How many calls were replaced.
    pub inlined: usize,
    /// How many scopes with labels were opened.
    pub opened: usize,
    /// The calls that stay, and why.
    pub kept: Vec<KeptCall>,
}

/// What came of a kernel.
#[derive(Clone, Debug)]
pub struct Treated {
    /// What was found before.
    pub found: Found,
    /// What was done.
    pub done: Done,
}

/// What was done with a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Done {
    /// Nothing was found, nothing was changed.
    Clean,
    /// Nothing is found any more.
    Rewritten {
        /// Whether calls were replaced by the bodies of what they call.
        inlined: bool,
    },
    /// The kernel is as it was: a loop in it needs lanes that run in lockstep, see [`Found::lockstep`].
    Lockstep,
    /// The kernel is as it was.
    Refused(Refusal),
}

/// Finds the loops of a kernel, and of the functions that it calls, that may deadlock.
///
/// Of a function that is called only where its body is looked at in place, nothing is found: its callers say it.
#[must_use]
pub fn find(module: &Module, kernel: &Kernel) -> Found {
    look_at(module, kernel).0
}

/// Finds the loops of a kernel, and gives what is known of [`Found::kernel`] then; of a function that its callers speak for, nothing is.
fn look_at(module: &Module, kernel: &Kernel) -> (Found, Option<Detection>) {
    let of = |kept| {
        let detection = Detection::of(kernel);
        let lockstep = lockstep_detected(kernel, &detection);
        let findings = detection.findings(kernel);
        (Found { findings, lockstep, kernel: kernel.clone(), inlined: 0, opened: 0, kept }, Some(detection))
    };
    if kernel.kind() == KernelKind::Func {
        if is_seen_by_callers(module, kernel) {
            let (findings, lockstep, kept) = (Vec::new(), Vec::new(), Vec::new());
            return (Found { findings, lockstep, kernel: kernel.clone(), inlined: 0, opened: 0, kept }, None);
        }
        return of(Vec::new());
    }
    match inlined(module, kernel) {
        Ok(result) if result.calls + result.opened > 0 => {
            let detection = Detection::of(&result.kernel);
            let findings = detection.findings(&result.kernel).into_iter().map(|finding| placed(finding, &result));
            let findings = findings.collect();
            let at = |at: At| moved(at, &result);
            let lockstep = lockstep_detected(&result.kernel, &detection).into_iter();
            let lockstep =
                lockstep.map(|found| Lockstep { store: at(found.store), read: at(found.read), at: found.at.map(at) });
            let lockstep = lockstep.collect();
            let Inlined { kernel, calls: inlined, opened, kept, .. } = result;
            (Found { findings, lockstep, inlined, opened, kept, kernel }, Some(detection))
        }
        Ok(result) => of(result.kept),
        Err(why) => of(vec![KeptCall { text: (0, 0), why }]),
    }
}

/// Removes the SIMT-induced deadlocks of a kernel of a module. Calls are replaced only where that is needed for it; a kernel that is refused, or of
/// which nothing is found, is left as it was. `None` if the module has no kernel or function of the name with a body.
pub fn treat(module: &mut Module, name: &str) -> Option<Treated> {
    let index = module.kernels().iter().position(|kernel| kernel.name() == name && kernel.has_body())?;
    let (found, detection) = look_at(module, &module.kernels()[index]);
    let done = match detection.filter(|_| !found.findings.is_empty()) {
        None => Done::Clean,
        Some(_) if !found.lockstep.is_empty() => Done::Lockstep,
        Some(detection) => rewrite(module, index, &found, &detection),
    };
    Some(Treated { found, done })
}

/// Rewrites the kernel of an index in which something was found; `detection` is of [`Found::kernel`].
fn rewrite(module: &mut Module, index: usize, found: &Found, detection: &Detection) -> Done {
    let is_another = found.inlined + found.opened > 0;
    let mut plain = module.kernels()[index].clone();
    let mut outcome = match is_another {
        true => eliminate(&mut plain),
        false => eliminate_detected(&mut plain, detection),
    };
    // Without the calls' bodies it may look clean although it is not.
    let frees = matches!(outcome, Outcome::Rewritten { .. });
    if frees && (found.inlined == 0 || find(module, &plain).findings.is_empty()) {
        module.kernels_mut()[index] = plain;
        return Done::Rewritten { inlined: false };
    }
    if is_another {
        let mut whole = found.kernel.clone();
        outcome = eliminate_detected(&mut whole, detection);
        if matches!(outcome, Outcome::Rewritten { .. }) {
            module.kernels_mut()[index] = whole;
            return Done::Rewritten { inlined: found.inlined > 0 };
        }
    }
    // Where a label has to be put into a scope that had none, that is opened too.
    if matches!(outcome, Outcome::Refused(Refusal::Internal(_)))
        && let Ok(Inlined { mut kernel, .. }) = inlined_and(module, &module.kernels()[index], Open::All)
    {
        outcome = eliminate(&mut kernel);
        if matches!(outcome, Outcome::Rewritten { .. }) {
            module.kernels_mut()[index] = kernel;
            return Done::Rewritten { inlined: found.inlined > 0 };
        }
    }
    match outcome {
        Outcome::Refused(refusal) => Done::Refused(refusal),
        // What was found then lies behind calls that stay.
        Outcome::Clean | Outcome::Rewritten { .. } => Done::Refused(Refusal::Call),
    }
}

/// What a kernel of a module has to be compared with to see whether another one is a faithful rewrite of it: itself, or itself with its calls replaced
/// by bodies and its scopes with labels open if the other one has fewer of them.
///
/// That this changes nothing is not for the checker to say; it is shown by running both.
#[must_use]
pub fn compared<'k>(module: &Module, kernel: &'k Kernel, after: &Kernel) -> Cow<'k, Kernel> {
    let (was, is) = (Shape::of(kernel), Shape::of(after));
    if is.calls >= was.calls && is.scopes >= was.scopes {
        return Cow::Borrowed(kernel);
    }
    let whole = |open: Open| {
        let index = module.kernels().iter().position(|other| other.name() == kernel.name())?;
        let mut whole = module.clone();
        whole.kernels_mut()[index] = inlined_and(module, kernel, open).ok()?.kernel;
        // As its text says it, without what is declared nowhere any more.
        Module::parse(&whole.to_string()).ok()?.kernel(kernel.name()).cloned()
    };
    let labelled = whole(Open::Labelled).filter(|labelled| Shape::of(labelled).scopes <= is.scopes);
    labelled.or_else(|| whole(Open::All)).map_or(Cow::Borrowed(kernel), Cow::Owned)
}

/// An instruction with its place in the text of the function that it is from.
fn moved(at: At, result: &Inlined) -> At {
    At { text: result.text_position(at.inst).unwrap_or(at.text), ..at }
}

/// Gives the instructions of a finding their places in the text of the functions that they are from.
fn placed(finding: Finding, result: &Inlined) -> Finding {
    let at = |at: At| moved(at, result);
    Finding {
        at: finding.at.map(at),
        meets_at: finding.meets_at.map(at),
        reads: finding.reads.into_iter().map(at).collect(),
        writes: finding.writes.into_iter().map(|write| Write { at: at(write.at), ..write }).collect(),
        ..finding
    }
}

/// Whether whatever calls a function sees its body: it cannot be called from other modules or by its address, and none of its calls stays.
fn is_seen_by_callers(module: &Module, function: &Kernel) -> bool {
    let name = function.name();
    if is_linked(function) {
        return false;
    }
    let names = |operand: &Operand, kernel: &Kernel| matches!(operand, Operand::Symbol(symbol, _) if kernel.symbol_name(*symbol) == name);
    let initial = |variable: &ptx_parser::Variable| {
        variable.init.iter().flat_map(|init| &init.addresses).any(|address| *address.name == *name)
    };
    if module.variables().iter().any(initial) {
        return false;
    }
    let entries = module.kernels().iter().filter(|kernel| kernel.kind() == KernelKind::Entry && kernel.has_body());
    entries.into_iter().all(|entry| {
        let whole = inlined(module, entry).map_or_else(|_| entry.clone(), |result| result.kernel);
        insts(&whole).all(|inst| {
            !may_call_a_body(module, &whole, inst) && !whole.operands(inst).iter().any(|operand| names(operand, &whole))
        })
    })
}

/// Whether an instruction is a call that stays and may lead to some function of the module, by way of others too.
fn may_call_a_body(module: &Module, kernel: &Kernel, inst: Inst) -> bool {
    kernel.properties(inst).flow == Flow::Call
        && kernel.operands(inst).iter().any(|operand| match operand {
            Operand::Symbol(symbol, _) => module.kernel(kernel.symbol_name(*symbol)).is_some_and(Kernel::has_body),
            Operand::Reg(_) => true,
            _ => false,
        })
}

/// Whether other modules may call a function.
fn is_linked(function: &Kernel) -> bool {
    let header = function.header_tokens();
    let before = header.split(".func").next().unwrap_or("");
    [".visible", ".weak", ".common", ".extern"].iter().any(|word| before.contains(word))
}
