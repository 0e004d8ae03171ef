//! Delayed reconvergence points for AWARE, in a kernel that is not rewritten (paper, Section IV.B, "Delayed Reconvergence"). Each branch by
//! which lanes leave a found loop reconverges at the loop's safe point.
//!
//! Loops and points are those of the kernel with the bodies of its callees in place ([`inlined`]). This is because one function may take a
//! lock and another may release it. Both are given as lines of the text, in which a function that is called twice occurs once. Hence:
//!
//! - A branch has one point for all calls of its function. This point postdominates what each call needs, and each copy of the branch.
//! - A point is a line of which the kernel has one copy. It is the line of the safe point, or else the next line that all lanes reach and
//!   that is in none of the loops. A later point blocks no lane that an earlier one would not block. If there is no such line, the point is
//!   the end of the kernel.
//!
//! If calls of a function stay, because it is recursive or called by address, a loop in it has no such line: its lanes may have to meet
//! after a return.

use std::collections::BTreeMap;

use analysis::Block;
use ptx_parser::{Flow, Inst, Kernel, KernelKind, Module};
use rustc_hash::FxHashMap;

use crate::call_targets::{called_from, is_by_address, taken};
use crate::detect::Detection;
use crate::detect::finding::{At, SafePoint};
use crate::detect::loops::Cycle;
use crate::detect::module_context::Context;
use crate::detect::safe_points;
use crate::driver::{SeenByCallers, find_among};
use crate::inline::{Inlined, inlined};

/// A branch and the point where its lanes meet, as lines of the PTX text. The text has one statement on each line, as the compiler writes
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Meeting {
    /// The line of the branch.
    pub branch: u32,
    /// The line before which its lanes may meet; `None` for the end of the kernel.
    pub point: Option<u32>,
}

/// A loop whose branches cannot be given a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoMeeting {
    /// The loop's first instruction, or the branch.
    pub at: Option<At>,
    /// The function that it is in, if calls of that stay.
    pub function: Option<String>,
}

/// The branches of a kernel whose reconvergence must be delayed, without regard to what it calls; none where nothing is found.
#[must_use]
pub fn meetings(kernel: &Kernel) -> Vec<Meeting> {
    let lines = |inst| kernel.text_position(inst).map(|at| at.line);
    points(kernel, &Detection::of(kernel, &Context::default().strictly(true)), &lines).unwrap_or_default()
}

/// The branches of a kernel and of the functions that it calls whose reconvergence must be delayed; of a function that its callers speak for, none.
///
/// # Errors
/// The first loop that is found and has no point.
pub fn meetings_among(seen: &SeenByCallers, module: &Module, kernel: &Kernel) -> Result<Vec<Meeting>, NoMeeting> {
    let own = |inst| kernel.text_position(inst).map(|at| at.line);
    if kernel.kind() == KernelKind::Func {
        if seen.contains(kernel.name()) {
            return Ok(Vec::new());
        }
        return points(kernel, &Detection::of(kernel, &seen.context(module, kernel)), &own);
    }
    let result = inlined(module, kernel).ok().filter(|result| result.calls + result.opened > 0);
    let whole = result.as_ref().map_or(kernel, |result| &result.kernel);
    stay_clean(seen, module, whole)?;
    let detection = Detection::of(whole, &seen.context(module, whole));
    match &result {
        None => points(kernel, &detection, &own),
        Some(result) => {
            let line = |inst| Inlined::text_position(result, inst).map(|at| at.line);
            let meetings = points(whole, &detection, &line)?;
            by_name(module, kernel, &meetings).map(|()| meetings)
        }
    }
}

/// Looks for loops in the functions whose calls stay.
fn stay_clean(seen: &SeenByCallers, module: &Module, whole: &Kernel) -> Result<(), NoMeeting> {
    let called = |name: &str| module.kernel(name).filter(|function| function.has_body());
    let mut stay: Vec<&str> = called_from(module, [whole]).into_iter().collect();
    stay.sort_unstable();
    for function in stay.into_iter().filter_map(called) {
        if let Some(finding) = find_among(seen, module, function).findings.first() {
            return Err(NoMeeting { at: finding.at, function: Some(function.name().to_owned()) });
        }
    }
    Ok(())
}

/// Refuses branches in functions that are called by address: nothing says behind which of these calls a point is.
fn by_name(module: &Module, kernel: &Kernel, meetings: &[Meeting]) -> Result<(), NoMeeting> {
    let body = |name: &str| module.kernel(name).filter(|function| function.has_body());
    let reached = called_from(module, [kernel]);
    let calls_by_address = |kernel: &Kernel| kernel.insts().any(|inst| is_by_address(kernel, inst));
    if !calls_by_address(kernel) && !reached.iter().filter_map(|name| body(name)).any(calls_by_address) {
        return Ok(());
    }
    let addressed: Vec<&Kernel> = taken(module).into_iter().filter_map(body).collect();
    let below = called_from(module, addressed.iter().copied());
    for function in addressed.into_iter().chain(below.into_iter().filter_map(body)) {
        let line = |inst| function.text_position(inst).map(|at| at.line);
        let is_one = |&inst: &Inst| meetings.iter().any(|meeting| line(inst) == Some(meeting.branch));
        if let Some(inst) = function.insts().find(is_one) {
            return Err(NoMeeting { at: Some(At::of(function, inst)), function: Some(function.name().to_owned()) });
        }
    }
    Ok(())
}

/// A branch of a line, in all copies.
#[derive(Default)]
struct Copies<'a> {
    /// The point at which all that have been looked at may meet.
    point: Option<Option<SafePoint>>,
    /// The found loops that they leave.
    loops: Vec<&'a Cycle>,
}

/// The points of the branches of a kernel, of which `line` gives the lines of the text.
fn points(
    kernel: &Kernel,
    detection: &Detection,
    line: &dyn Fn(Inst) -> Option<u32>,
) -> Result<Vec<Meeting>, NoMeeting> {
    let Detection { facts, survey } = detection;
    let branches = |block: Block| {
        let inst = facts.cfg.terminator(block)?;
        matches!(kernel.properties(inst).flow, Flow::Branch | Flow::IndirectBranch).then_some(inst)
    };
    let mut wanted: BTreeMap<u32, Copies<'_>> = BTreeMap::new();
    let also = |copies: &mut Copies<'_>, safe: Option<SafePoint>| {
        copies.point = Some(copies.point.map_or(safe, |point| safe_points::common(facts, point, safe)));
    };
    for (id, safe) in safe_points::points(facts, survey) {
        let cycle = &survey.cycles[survey.detected[id].cycle];
        for inst in cycle.deciding.iter().filter_map(|&block| branches(block)) {
            let Some(line) = line(inst) else {
                return Err(NoMeeting { at: Some(At::of(kernel, inst)), function: None });
            };
            let copies = wanted.entry(line).or_default();
            also(copies, safe);
            copies.loops.push(cycle);
        }
    }
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let mut copies: FxHashMap<u32, u32> = FxHashMap::default();
    for inst in facts.cfg.blocks().flat_map(|block| facts.cfg.insts(block)) {
        line(*inst).into_iter().for_each(|line| *copies.entry(line).or_default() += 1);
    }
    for block in facts.cfg.blocks() {
        if let Some(copies) = branches(block).and_then(line).and_then(|line| wanted.get_mut(&line)) {
            also(copies, facts.postdominators.ipdom(block).map(|block| SafePoint { block, index: 0 }));
        }
    }
    let single = |inst: &Inst| line(*inst).filter(|line| copies.get(line) == Some(&1));
    let at = |Copies { point, loops }: &Copies<'_>| {
        let mut at = point.flatten();
        while let Some(SafePoint { block, index }) = at {
            if loops.iter().all(|cycle| !cycle.contains(facts, block))
                && let Some(line) = facts.cfg.insts(block).iter().skip(index).find_map(single)
            {
                return Some(line);
            }
            at = facts.postdominators.ipdom(block).map(|block| SafePoint { block, index: 0 });
        }
        None
    };
    Ok(wanted.iter().map(|(&branch, copies)| Meeting { branch, point: at(copies) }).collect())
}
