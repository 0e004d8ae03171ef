//! Sections that would hold a barrier: their lanes meet before it.
//!
//! ```text
//! before                                after
//! OUTER: loop A …                       OUTER: loop A …
//!        bar.sync                              whither = 1;  bra MEET
//!        loop B …                       GO_ON: bar.sync
//!        @more bra OUTER                       loop B …
//!        …                                     @more bra OUTER
//!                                              whither = 0
//!                                       MEET:  @whither == 1 bra GO_ON
//!                                              …
//! ```
//!
//! What follows a loop ends at barriers, which nobody passes while a lane is in the loop. So lanes that have left loop B may meet those that have not before the
//! next barrier as well as behind the loop around both. With one place for either, `MEET`, which all lanes come to, a section can end there. Which
//! way a lane goes on is the same for all of its warp, as far as all threads come to each barrier. Who comes to a barrier from before the section goes
//! straight on.

use analysis::{Analyses, Block, Edge};
use ptx_parser::{Inst, Kernel, Patch, Type};

use crate::blocked::waits_for_all;
use crate::detect::SafePoint;
use crate::refusal::Refusal;
use crate::section::Section;
use crate::write::distinct;

/// The kernel with one place before the point of a section where those meet as well that have come to a barrier in it; `None` if there is anything
/// else in it that lanes do together, or if the point is the end of the kernel.
///
/// # Errors
/// The kernel has too many registers or labels.
pub(crate) fn funnel(facts: &Analyses, kernel: &Kernel, section: &Section) -> Result<Option<Kernel>, Refusal> {
    let barriers: Vec<Inst> = section.together(facts, kernel).collect();
    let Some(SafePoint { block, index }) = section.point else { return Ok(None) };
    let place = |inst: Inst| facts.cfg.stmt_of(kernel, inst);
    let places: Option<Vec<usize>> = barriers.iter().map(|&inst| place(inst)).collect();
    let Some(places) = places.filter(|_| barriers.iter().all(|&inst| waits_for_all(kernel, inst))) else {
        return Ok(None);
    };
    // Before the instruction at the point; behind the last one of a block nothing is known to be.
    let Some(at) = facts.cfg.insts(block).get(index).and_then(|&inst| place(inst)) else { return Ok(None) };
    let mut result = kernel.clone();
    let whither = result.new_reg("ssde_whither", Type::B32);
    let whither = result.reg_name(whither).to_owned();
    let goes_on = result.new_reg("ssde_goes_on", Type::Pred);
    let goes_on = result.reg_name(goes_on).to_owned();
    let meet = result.new_label("ssde_meet");
    let mut patch = Patch::new();
    let mut text = String::new();
    for ((number, place), barrier) in (1..).zip(places).zip(barriers) {
        let label = result.new_label("ssde_barrier");
        let name = result.label_name(label).to_owned();
        for way in ways_in(facts, section, barrier) {
            match way {
                WayIn::Taken(branch) => patch.retarget(branch, label),
                WayIn::Behind(stmt) => patch.insert_after(stmt, result.fragment(&format!("bra {name};\n"))?),
            }
        }
        let lead = format!("mov.b32 {whither}, {number};\nbra {};\n", result.label_name(meet));
        let mut code = result.fragment(&lead)?;
        code.push(result.label_stmt(label));
        patch.insert_before(place, code);
        text += &format!("setp.eq.u32 {goes_on}, {whither}, {number};\n@{goes_on} bra {name};\n");
    }
    let mut code = result.fragment(&format!("mov.b32 {whither}, 0;\n"))?;
    code.push(result.label_stmt(meet));
    code.extend(result.fragment(&text)?);
    patch.insert_before(at, code);
    result.apply(patch)?;
    Ok(Some(result))
}

/// A way from outside of a section to a barrier.
enum WayIn {
    /// By a branch.
    Taken(Inst),
    /// Behind a statement.
    Behind(usize),
}

/// The ways that lead from outside of a section straight to a barrier in it: who comes by one of them has been in no loop of the section.
fn ways_in(facts: &Analyses, section: &Section, barrier: Inst) -> Vec<WayIn> {
    let Some(block) = facts.cfg.block_of(barrier).filter(|&block| facts.cfg.insts(block).first() == Some(&barrier))
    else {
        return Vec::new();
    };
    let way = |pred: Block| {
        let edges = facts.cfg.succs(pred).iter().filter(move |edge| edge.block == block);
        edges.filter_map(move |edge| match edge.edge {
            Edge::Taken => facts.cfg.terminator(pred).map(WayIn::Taken),
            Edge::Fallthrough => facts.cfg.stmts(pred).last().map(WayIn::Behind),
            Edge::Indirect => None,
        })
    };
    let preds = distinct(facts.cfg.preds(block));
    preds.into_iter().filter(|&pred| !section.leads_from(pred)).flat_map(way).collect()
}
