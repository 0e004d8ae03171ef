//! Has a block begin where a path ends.

use std::collections::BTreeSet;

use analysis::{Cfg, Liveness};
use ptx_parser::{Error, Kernel, Patch, Stmt, StmtKind};

use crate::markers::Site;

/// Lets a block begin behind each end marker of some regions. Behind the marker, the compiler may have put what belongs to the code
/// after the path, such as reloading a value that a store in the path could have changed.
///
/// Arithmetic of that code it may have put before the marker of a task, where all lanes come: then the marker moves up.
///
/// # Errors
/// None that a kernel as it was read could cause: a fresh label fits everywhere.
pub(crate) fn split(kernel: &mut Kernel, sites: &[Site]) -> Result<(), Error> {
    let markers = sites.iter().flat_map(|site| &site.ends);
    // Copies of a region have the same ones.
    let ends: BTreeSet<usize> = markers.filter_map(|&marker| kernel.index_of(marker)).collect();
    let earlier: Vec<usize> = ends.iter().map(|&end| last_effect(kernel, end)).collect();
    let mut patch = Patch::new();
    for (end, earlier) in ends.into_iter().zip(earlier) {
        let label = kernel.new_label("ccc_behind");
        let label = kernel.label_stmt(label);
        match kernel.stmts().get(end) {
            Some(marker) if earlier < end => {
                patch.insert_before(earlier, [marker.clone(), label]);
                patch.remove(end);
            }
            _ => patch.insert_after(end, [label]),
        }
    }
    kernel.apply(patch)
}

/// The statement that the end marker at `end` may stand before: behind the last one that is more than arithmetic whose result is used
/// further on. At the end of a branch there is no such arithmetic: what other lanes need, the compiler does where they come to it.
fn last_effect(kernel: &Kernel, end: usize) -> usize {
    let is_step = |stmt: &Stmt| {
        matches!(stmt.kind,
        StmtKind::Marker(marker) if kernel.marker_text(marker).starts_with("#CCC step_end"))
    };
    if !kernel.stmts().get(end).is_some_and(is_step) {
        return end;
    }
    let cfg = Cfg::of(kernel);
    let liveness = Liveness::of(kernel, &cfg);
    let mut first = end;
    for (index, stmt) in kernel.stmts().iter().enumerate().take(end).rev() {
        match stmt.kind {
            // Arithmetic.
            StmtKind::Inst(inst) if kernel.properties(inst).is_pure() => {
                let live = liveness.live_after(kernel, &cfg, inst);
                if kernel.defs(inst).is_empty() || !kernel.defs(inst).iter().all(|reg| live.contains(reg)) {
                    break;
                }
                first = index;
            }
            StmtKind::Loc(_) => {}
            _ => break,
        }
    }
    first
}
