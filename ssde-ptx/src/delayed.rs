//! Where AWARE may have lanes meet in a kernel as it is (paper, Section IV.B, "Delayed Reconvergence"): each branch that lanes leave a found loop by
//! reconverges at the loop's safe point.

use std::collections::BTreeMap;

use analysis::Analyses;
use ptx_parser::{Flow, Inst, Kernel};

use crate::detect::{SafePoint, instruction_at, survey};
use crate::safe;

/// Where the lanes of a branch are to meet, in lines of the PTX text, which has one statement on each, as the compiler
/// writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Meeting {
    /// The line of the branch.
    pub branch: u32,
    /// The line before which its lanes may meet; `None` for the end of the kernel.
    pub point: Option<u32>,
}

/// The branches of a kernel whose reconvergence must be delayed; none where nothing is found.
#[must_use]
pub fn meetings(kernel: &Kernel) -> Vec<Meeting> {
    let facts = Analyses::of(kernel);
    let survey = survey(&facts, kernel);
    let line = |inst: Inst| kernel.text_position(inst).map_or(0, |(line, _)| line);
    let mut points: BTreeMap<u32, Option<SafePoint>> = BTreeMap::new();
    for (found, safe) in survey.detected.iter().zip(safe::points(&facts, &survey)) {
        for inst in survey.cycles[found.index].deciding.iter().filter_map(|&block| facts.cfg.terminator(block)) {
            if matches!(kernel.properties(inst).flow, Flow::Branch | Flow::IndirectBranch) {
                let point = points.entry(line(inst)).or_insert(safe);
                *point = safe::common(&facts, *point, safe);
            }
        }
    }
    let at = |safe: Option<SafePoint>| instruction_at(&facts.cfg, safe?).map(line);
    points.into_iter().map(|(branch, safe)| Meeting { branch, point: at(safe) }).collect()
}
