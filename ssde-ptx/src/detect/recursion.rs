//! Functions that call themselves, or each other, until something is so: a wait that no loop of the text makes.
//!
//! ```text
//! int wait_for(volatile int *flag) { return *flag ? 1 : again(flag) * 2; }
//! int again(volatile int *flag)    { return wait_for(flag) + 1; }
//! ```
//!
//! The function is looked at as if it began anew where it calls itself, with what it calls in the place of the calls. Arguments that change from call to call are not
//! seen there, as those by which a function walks along a tree, and nothing is rewritten. So these are no findings; the user is told what is assumed.
//!
//! Who calls itself until a weak read gives something else is not among them (`module_context.rs`).

use analysis::Block;
use ptx_parser::{Code, Error, Flow, Inst, Kernel, Module, Patch, StmtKind};

use crate::call_targets::called_from;
use crate::detect::Detection;
use crate::detect::finding::{At, Recursion};
use crate::detect::module_context::Context;
use crate::inline::{Inlined, inlined_but};

/// The calls by which a function may wait for others, one for each read that it may wait for.
pub(crate) fn recursions(module: &Module, function: &Kernel, context: impl Fn(&Kernel) -> Context) -> Vec<Recursion> {
    let name = function.name();
    if !called_from(module, [function]).contains(name) {
        return Vec::new();
    }
    let Ok(inlined) = inlined_but(module, function, name) else { return Vec::new() };
    let leads_back = |inst: Inst| {
        let callee = inlined.kernel.callee_name(inst).and_then(|callee| module.kernel(callee));
        callee.is_some_and(|callee| callee.name() == name || called_from(module, [callee]).contains(name))
    };
    let Ok(Some(Looped { kernel, calls })) = looped(&inlined, leads_back) else { return Vec::new() };
    let detection = Detection::of(&kernel, &context(&kernel));
    let block_of =
        |inst: Inst| detection.facts.cfg.blocks().find(|&block| detection.facts.cfg.insts(block).contains(&inst));
    let calls: Vec<(Block, Inst)> = calls.iter().filter_map(|&(jump, call)| Some((block_of(jump)?, call))).collect();
    let mut found: Vec<Recursion> = Vec::new();
    for detected in detection.survey.detected.values().filter(|detected| !detected.weak) {
        let cycle = &detection.survey.cycles[detected.cycle];
        let call = calls.iter().find(|(block, _)| cycle.contains(&detection.facts, *block));
        let Some((&(_, call), &read)) = call.zip(detected.reads.first()) else { continue };
        let at = |kernel: &Kernel, inst: Inst| inlined.place(At::of(kernel, inst));
        let (call, read) = (at(&inlined.kernel, call), at(&kernel, read));
        if found.iter().all(|other| other.read != read) {
            found.push(Recursion { call, read });
        }
    }
    found
}

/// A function that begins anew where it called itself.
struct Looped {
    kernel: Kernel,
    /// The branches to its beginning, and the calls that these were.
    calls: Vec<(Inst, Inst)>,
}

/// Replaces the calls that lead back to a function by branches to its beginning; `None` if there is none.
fn looped(inlined: &Inlined, leads_back: impl Fn(Inst) -> bool) -> Result<Option<Looped>, Error> {
    let mut kernel = inlined.kernel.clone();
    let calls: Vec<(usize, Inst)> = kernel
        .stmts()
        .iter()
        .enumerate()
        .filter_map(|(index, stmt)| match stmt.kind {
            StmtKind::Inst(inst) if kernel.properties(inst).flow == Flow::Call && leads_back(inst) => {
                Some((index, inst))
            }
            _ => None,
        })
        .collect();
    let first = kernel
        .stmts()
        .iter()
        .position(|stmt| matches!(stmt.kind, StmtKind::Inst(_) | StmtKind::Open | StmtKind::Label(_)));
    let Some(first) = first.filter(|_| !calls.is_empty()) else { return Ok(None) };
    let beginning = kernel.new_label("$again");
    let mut patch = Patch::new();
    patch.insert_before(first, [kernel.label_stmt(beginning)]);
    let mut jumps = Vec::new();
    for (index, call) in calls {
        let mut code = Code::new();
        code.guarded(kernel.inst(call).guard).bra(beginning);
        let jump = kernel.build(code)?;
        jumps.extend(jump.iter().filter_map(|stmt| match stmt.kind {
            StmtKind::Inst(inst) => Some((inst, call)),
            _ => None,
        }));
        patch.replace(index..index + 1, jump);
    }
    kernel.apply(patch)?;
    Ok(Some(Looped { kernel, calls: jumps }))
}
