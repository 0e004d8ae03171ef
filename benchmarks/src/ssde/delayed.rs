//! Where the loops that [`ssde_ptx::detect`] finds have AWARE's lanes meet: each branch that lanes leave such a loop by, and the
//! loop's safe point (paper, Section IV.B, "Delayed Reconvergence").
//!
//! A launch names points by labels. A safe point may lie in the middle of straight-line code, so that a label is put
//! there: at the beginning of its line, so that all lines keep their numbers.

use std::collections::BTreeMap;

use analysis::{Analyses, Block};
use device::{Branch, Reconvergence};
use ptx_parser::{Flow, Inst, Kernel};
use ssde_ptx::{Finding, SafePoint, detect};

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
    let findings = detect(kernel);
    if findings.is_empty() {
        return Vec::new();
    }
    let facts = Analyses::of(kernel);
    let line = |inst: Inst| kernel.text_position(inst).map_or(0, |(line, _)| line);
    let mut points: BTreeMap<u32, (Inst, Option<SafePoint>)> = BTreeMap::new();
    for finding in &findings {
        for branch in leaving(&facts, kernel, finding) {
            let entry = points.entry(line(branch)).or_insert((branch, finding.safe));
            entry.1 = common(&facts, entry.1, finding.safe);
        }
    }
    let at = |safe: Option<SafePoint>| Finding { safe, ..findings[0].clone() }.meets_at(kernel);
    points.into_iter().map(|(branch, (_, safe))| Meeting { branch, point: at(safe).map(|at| at.text.0) }).collect()
}

/// A text with labels at the points, and what a launch of it is told.
#[must_use]
pub fn labelled(ptx: &str, meetings: &[Meeting]) -> (String, Vec<Reconvergence>) {
    let name = |line: u32| format!("$pxrw_meet_{line}");
    let mut text = String::with_capacity(ptx.len() + 32 * meetings.len());
    for (number, line) in (1..).zip(ptx.split_inclusive('\n')) {
        if meetings.iter().any(|meeting| meeting.point == Some(number)) {
            text += &name(number);
            text += ": ";
        }
        text += line;
    }
    let wish =
        |meeting: &Meeting| Reconvergence { branch: Branch::Line(meeting.branch), point: meeting.point.map(name) };
    (text, meetings.iter().map(wish).collect())
}

/// The branches by which lanes leave the loop of a finding.
fn leaving(facts: &Analyses, kernel: &Kernel, finding: &Finding) -> Vec<Inst> {
    let blocks = blocks(facts, finding);
    let leaves = |block: &Block| facts.cfg.distinct_succs(*block).iter().any(|next| !blocks.contains(next));
    let branches = blocks.iter().filter(|block| leaves(block)).filter_map(|&block| facts.cfg.terminator(block));
    branches.filter(|&inst| matches!(kernel.properties(inst).flow, Flow::Branch | Flow::IndirectBranch)).collect()
}

/// The blocks of its loop: those on the ways back to a branch that avoid the point where the lanes of the branch meet
/// (`ssde_ptx`'s `cycle.rs` says why).
fn blocks(facts: &Analyses, finding: &Finding) -> Vec<Block> {
    let mut all: Vec<Block> = Vec::new();
    for branch in facts.cfg.blocks().filter(|&block| facts.cfg.ways(block) > 1) {
        if facts.postdominators.ipdom(branch) != finding.meeting {
            continue;
        }
        let ahead = reach(branch, finding.meeting, |block| facts.cfg.distinct_succs(block).to_vec());
        if !ahead.contains(&branch) {
            continue;
        }
        let behind = reach(branch, finding.meeting, |block| facts.cfg.preds(block).to_vec());
        let mut cycle: Vec<Block> = ahead.into_iter().filter(|block| behind.contains(block)).collect();
        cycle.sort();
        let entered = |block: &&Block| {
            **block == facts.cfg.entry() || facts.cfg.preds(**block).iter().any(|pred| !cycle.contains(pred))
        };
        if cycle.iter().find(entered) == Some(&finding.header) {
            all.extend(&cycle);
        }
    }
    all.sort();
    all.dedup();
    all
}

fn reach(start: Block, point: Option<Block>, next: impl Fn(Block) -> Vec<Block>) -> Vec<Block> {
    let mut seen = Vec::new();
    let mut work = next(start);
    while let Some(block) = work.pop() {
        if Some(block) != point && !seen.contains(&block) {
            seen.push(block);
            work.extend(next(block));
        }
    }
    seen
}

/// The nearest point that postdominates both.
fn common(facts: &Analyses, one: Option<SafePoint>, other: Option<SafePoint>) -> Option<SafePoint> {
    let (one, other) = (one?, other?);
    let block = facts.postdominators.common(one.block, other.block)?;
    let index = [one, other].iter().filter(|point| point.block == block).map(|point| point.index).max();
    Some(SafePoint { block, index: index.unwrap_or(0) })
}

#[cfg(test)]
mod tests {
    use ptx_parser::Module;

    use super::*;

    /// Figure 1 of the paper.
    const LOCK: &str = ".version 9.0\n.target sm_90\n.address_size 64\n.global .u32 lock;\n.entry k() {\n\
        .reg .pred %p<2>; .reg .b32 %r<4>;\n\
        LOOP:\n\
        atom.global.cas.b32 %r1, [lock], 0, 1;\n\
        setp.ne.u32 %p1, %r1, 0;\n\
        @%p1 bra LOOP;\n\
        atom.global.exch.b32 %r2, [lock], 0;\n\
        mov.u32 %r3, 0;\n\
        ret;\n}\n";

    #[test]
    fn lanes_meet_behind_the_release_and_lines_keep_their_numbers() {
        let module = Module::parse(LOCK).unwrap();
        let found = meetings(module.kernel("k").unwrap());
        assert_eq!(found, [Meeting { branch: 10, point: Some(12) }]);
        let (text, wishes) = labelled(LOCK, &found);
        assert!(text.contains("\n$pxrw_meet_12: mov.u32 %r3, 0;\n"), "{text}");
        assert_eq!(text.lines().count(), LOCK.lines().count());
        assert_eq!(wishes[0].point.as_deref(), Some("$pxrw_meet_12"));
    }
}
