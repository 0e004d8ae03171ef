//! Makes what follows a path a part of its task, where it depends on what the path does to memory ([`crate::memory`]).
//!
//! ```text
//!     @!p bra J;                              @!p bra J;
//!     st [b+i], x;                            st [b+i], x;
//! J:  ld y, [b+i];                        J:  ld y, [b+i];
//!     st [out+i], y;                          st [out+i], y;
//!     add i, i, n;                        E:  // #CCC task_end 2
//!                                             add i, i, n;
//! ```
//!
//! The task ends behind the last instruction that may depend on the path. Lanes that do not take the path run what was there, the task has a copy of it,
//! as for tasks of loops that are run in steps ([`crate::region::step`]). So the task is one piece of the iteration again, and what is behind it depends on
//! nothing in it.
//!
//! That place must be one that every way from the path comes to, in no inner loop. What stands between may not need other lanes, and may leave nothing in
//! registers to the code behind it. If that cannot be, the kernel stays as it is, and the path is refused, or the report says what is assumed.

use analysis::Block;
use ptx_parser::{Error, Inst, Kernel, Marker, Patch, StmtKind};
use rustc_hash::FxHashSet;

use crate::facts::Facts;
use crate::markers::{Kind, Site};
use crate::memory;
use crate::prepare::lift;
use crate::reduction::Accumulators;
use crate::region::{Region, rules};

/// The most places that are tried for the end of a task.
const MOST_PLACES: usize = 8;

/// Ends the tasks of some paths where nothing depends on them any more. `all` are the marked regions of the kernel.
///
/// # Errors
/// None that a kernel as it was read could cause: a fresh label and a comment fit everywhere.
pub(crate) fn extend(kernel: &mut Kernel, sites: &mut [Site], all: &[Site]) -> Result<(), Error> {
    for site in sites {
        for stmt in ends(kernel, site, all) {
            if let Some((with_task, extended)) = extended(kernel, site, all, stmt)? {
                (*kernel, *site) = (with_task, extended);
                break;
            }
        }
    }
    Ok(())
}

/// Takes away the markers of where tasks end.
///
/// # Errors
/// None that a kernel as it was read could cause.
pub(crate) fn unmark<'s>(kernel: &mut Kernel, sites: impl Iterator<Item = &'s Site>) -> Result<(), Error> {
    let mut patch = Patch::new();
    for index in sites.filter_map(|site| kernel.index_of(site.task_end?)) {
        patch.remove(index);
    }
    kernel.apply(patch)
}

/// The kernel with the task of a path ending behind a statement, and the path with that end, if it can be collected then.
fn extended(kernel: &Kernel, site: &Site, all: &[Site], stmt: usize) -> Result<Option<(Kernel, Site)>, Error> {
    let mut candidate = kernel.clone();
    let extended = Site { task_end: Some(split(&mut candidate, site, stmt)?), ..site.clone() };
    lift::lift(&mut candidate, std::slice::from_ref(&extended))?;
    Ok(is_possible(&candidate, &extended, all).then_some((candidate, extended)))
}

/// The statements behind which the task of a path may end, the first of them first; none if it ends there already, or cannot end further on. What is
/// loaded for a store belongs to the task with that store, so that the task may have to end behind a later access than the last one that depends on it.
fn ends(kernel: &Kernel, site: &Site, all: &[Site]) -> Vec<usize> {
    let facts = Facts::of(kernel);
    let Ok(region) = Region::of(&facts, site) else { return Vec::new() };
    let dependents: FxHashSet<Inst> =
        memory::dependents(&facts, &region, site, all).unwrap_or_default().into_iter().collect();
    if dependents.is_empty() {
        return Vec::new();
    }
    let marked_loop = region.marked_loop;
    let free = |block: Block| !facts.cfg.insts(block).iter().any(|inst| dependents.contains(inst));
    let own = |&block: &Block| facts.loops.contains(marked_loop, block);
    let behind = |block: Block| {
        let next = facts.cfg.distinct_succs(block).into_iter();
        next.flat_map(|next| facts.ahead(marked_loop, next).iter().collect::<Vec<_>>())
    };
    let chain = std::iter::successors(Some(region.exit), |&block| facts.postdominators.ipdom(block)).take_while(own);
    let level = |&block: &Block| facts.loops.innermost(block) == Some(marked_loop);
    let mut places = Vec::new();
    for block in chain.skip_while(|&block| !behind(block).all(free)).filter(level) {
        let stmts = facts.cfg.stmts_of(kernel, block).take_while(|(_, stmt)| !matches!(stmt.kind, StmtKind::Inst(_)));
        let labels = stmts.filter(|(_, stmt)| matches!(stmt.kind, StmtKind::Label(_)));
        places.extend(labels.last().map(|(index, _)| index));
        for &inst in facts.cfg.insts(block) {
            if dependents.contains(&inst) {
                places.clear();
            }
            let properties = kernel.properties(inst);
            if !properties.is_pure() && !properties.is_terminator() {
                places.extend(facts.cfg.stmt_of(kernel, inst));
            }
        }
    }
    places.truncate(MOST_PLACES);
    places
}

/// Has a block begin behind a statement, where the task of a path ends. Returns its marker, which also keeps the block apart from one that begins
/// right behind it.
fn split(kernel: &mut Kernel, site: &Site, stmt: usize) -> Result<Marker, Error> {
    let label = kernel.new_label("ccc_behind");
    let label = kernel.label_stmt(label);
    let marker = kernel.new_marker(&format!("#CCC task_end {}", site.id));
    let mut patch = Patch::new();
    patch.insert_after(stmt, [label, kernel.marker_stmt(marker)]);
    kernel.apply(patch)?;
    Ok(marker)
}

/// Returns true if a path with what follows it may be collected.
fn is_possible(kernel: &Kernel, site: &Site, all: &[Site]) -> bool {
    let facts = Facts::of(kernel);
    let Ok(region) = Region::of(&facts, site) else { return false };
    let begins = |other: &Site| {
        let inside = facts.block_of_marker(other.marker).is_some_and(|block| region.shared.contains(block));
        other.marker != site.marker && inside
    };
    // Lanes would come to the marked path behind it in two places.
    if all.iter().any(begins) {
        return false;
    }
    // A path with accumulators begins with none of what the iteration has folded.
    let parts = Accumulators::default().parts(&facts, &region, site);
    rules::check_region(&facts, &region).is_ok() && parts.is_ok_and(|parts| parts.is_empty() || site.kind != Kind::If)
}
