//! The certificate, from the relation: every step of it is followed again, and what it goes through is noted.

use std::collections::{BTreeMap, BTreeSet};

use analysis::Block;
use ptx_parser::{Flow, Inst, Memory};

use super::code::Code;
use super::explore::Relation;
use super::silent_steps::Stop;
use super::trace::{self, Arrival, Edge, Step};
use crate::certificate::{
    AddedRegister, BlockMatch, BlockRef, Certificate, Constant, EdgeRef, Fairness, Kept, LedEdge, Others,
    RewrittenLoop, Rounds, Unchanged,
};

/// The facts that are collected from all steps.
#[derive(Default)]
struct Facts {
    matches: BTreeMap<Block, BTreeSet<Block>>,
    edges: BTreeSet<Edge>,
    steps: Vec<Step>,
}

impl Facts {
    fn of(relation: &Relation<'_>) -> Facts {
        let mut facts = Facts::default();
        for node in relation.nodes.values() {
            let blocks = relation.before.block(node.before).zip(relation.after.block(node.after));
            facts.add_match(blocks);
        }
        for transition in relation.transitions() {
            for step in trace::follow(relation, transition) {
                if !step.added && step.before.len() == step.after.len() {
                    // Blocks that only branch are matched by those that do so in their place.
                    let pairs = step.before.iter().zip(&step.after);
                    pairs.for_each(|(&(_, before), &(_, after))| facts.add_match(Some((before, after))));
                }
                facts.edges.extend(&step.after);
                // A step that joins another one goes on as that does.
                facts.steps.extend(Some(step).filter(|step| step.stop != Stop::Joined));
            }
        }
        facts
    }

    fn add_match(&mut self, blocks: Option<(Block, Block)>) {
        if let Some((before, after)) = blocks {
            self.matches.entry(before).or_default().insert(after);
        }
    }
}

/// Derives the certificate of a relation without a mismatch.
pub(super) fn certificate(relation: &Relation<'_>) -> Certificate {
    let facts = Facts::of(relation);
    let (before, after) = (&relation.before, &relation.after);
    let matched: BTreeSet<Block> = facts.matches.values().flatten().copied().collect();
    let come_to: BTreeSet<Block> = facts.edges.iter().flat_map(|&(from, to)| [from, to]).collect();
    let new = |block: &Block| !matched.contains(block);
    let added_edges = facts.edges.iter().filter(|(from, to)| new(from) || new(to));
    let registers = relation.added.regs.values().map(|&reg| AddedRegister {
        name: after.kernel.reg_name(reg).to_owned(),
        ty: after.kernel.reg(reg).ty.to_string(),
    });
    let blocks = facts.matches.iter().map(|(&block, others)| BlockMatch {
        before: named(before, block),
        after: others.iter().map(|&other| named(after, other)).collect(),
    });
    let (loops, led_edges) = led(relation, &facts);
    let weak = loops.iter().any(|looped| looped.rounds == Rounds::Fixed);
    Certificate {
        kernel: after.kernel.name().to_owned(),
        pairs: relation.nodes.len(),
        registers: registers.collect(),
        blocks: blocks.collect(),
        added_blocks: come_to.iter().filter(|block| new(block)).map(|&block| named(after, block)).collect(),
        added_edges: added_edges
            .map(|&(from, to)| EdgeRef { from: named(after, from), to: named(after, to) })
            .collect(),
        led_edges,
        loops,
        fairness: if weak { Fairness::Weak } else { Fairness::Random },
    }
}

/// The edges of the input that lead through a switch for which they set a register: loops, and others.
fn led(relation: &Relation<'_>, facts: &Facts) -> (Vec<RewrittenLoop>, Vec<LedEdge>) {
    let cfg = &relation.before.cfg;
    let mut steps: BTreeMap<LedEdge, (Edge, Block, Vec<&Step>)> = BTreeMap::new();
    for step in &facts.steps {
        let set = |arrival: &&Arrival| arrival.set && step.from.is_some();
        let Some(arrival) = step.switches.first().filter(set) else { continue };
        // Where the input passes blocks that only branch, the edge that goes back is meant.
        let back = |&&(t, h): &&Edge| cfg.rpo_index(t) >= cfg.rpo_index(h);
        let Some(&(t, h)) = step.before.iter().find(back).or(step.before.first()) else { continue };
        let edge = LedEdge {
            t: named(&relation.before, t),
            h: named(&relation.before, h),
            r: named(&relation.after, arrival.at),
            c: arrival.asked.clone(),
        };
        steps.entry(edge).or_insert(((t, h), arrival.at, Vec::new())).2.push(step);
    }
    let mut switches: BTreeMap<Block, Vec<(&Step, &Arrival)>> = BTreeMap::new();
    for step in &facts.steps {
        step.switches.iter().for_each(|arrival| switches.entry(arrival.at).or_default().push((step, arrival)));
    }
    let instructions = relation.instructions();
    let (mut loops, mut led) = (Vec::new(), Vec::new());
    for (edge, ((t, h), r, steps)) in steps {
        match cfg.rpo_index(t) >= cfg.rpo_index(h) {
            true => {
                let arrivals = switches.get(&r).map_or(&[][..], Vec::as_slice);
                let p1 = Unchanged { holds: true, instructions };
                loops.push(properties(relation, p1, arrivals, ((t, h), edge, r), &steps));
            }
            false => led.push(edge),
        }
    }
    (loops, led)
}

/// The properties of a loop, by the steps that come to its switch.
fn properties(
    relation: &Relation<'_>,
    p1: Unchanged,
    arrivals: &[(&Step, &Arrival)],
    (back, edge, r): (Edge, LedEdge, Block),
    steps: &[&Step],
) -> RewrittenLoop {
    let mine = |step: &Step| steps.iter().any(|mine| std::ptr::eq(*mine, step));
    let others: Vec<(&Step, &Arrival)> = arrivals.iter().copied().filter(|(step, _)| !mine(step)).collect();
    let leads_to_h = |step: &Step| steps.iter().any(|mine| mine.stop == step.stop);
    let values: BTreeSet<Vec<Constant>> = others.iter().map(|(_, arrival)| arrival.asked.clone()).collect();
    let apart = others.iter().all(|(step, arrival)| arrival.asked != edge.c || leads_to_h(step));
    let blocks = |blocks: &mut dyn Iterator<Item = Option<Block>>| -> Vec<BlockRef> {
        let blocks: BTreeSet<Block> = blocks.flatten().collect();
        blocks.into_iter().map(|block| named(&relation.after, block)).collect()
    };
    // The exploration has compared the instructions and ways that these are about: a step is here only if it leads to a pair. Of p6, a
    // step is among those of a loop only if it sets `c` on its way.
    let kept = |blocks: Vec<BlockRef>| Kept { holds: true, blocks };
    let from = blocks(&mut steps.iter().map(|step| step.from));
    let rounds = match steps.iter().any(|step| step.drawn) {
        true => Rounds::Drawn,
        false if writes(&relation.before, back) => Rounds::Fixed,
        false => Rounds::Silent,
    };
    RewrittenLoop {
        rounds,
        p1,
        p2: Others { holds: apart, values: values.into_iter().collect() },
        p3: kept(blocks(&mut others.iter().map(|(step, _)| step.from))),
        p4: kept(blocks(&mut steps.iter().map(|step| step.to))),
        p5: kept(blocks(&mut others.iter().map(|(step, _)| step.to))),
        p6: kept(from),
        p7: kept(blocks(&mut std::iter::once(Some(r)))),
        edge,
    }
}

/// Returns true if anything on the ways that a back edge closes may write.
fn writes(code: &Code<'_>, (t, h): Edge) -> bool {
    let (mut seen, mut work) = (BTreeSet::from([h]), vec![t]);
    while let Some(block) = work.pop() {
        if seen.insert(block) {
            work.extend(code.cfg.preds(block));
        }
    }
    let writes = |&inst: &Inst| {
        let properties = code.kernel.properties(inst);
        properties.flow == Flow::Call || !matches!(properties.memory, Memory::None | Memory::Read | Memory::Fence)
    };
    seen.iter().any(|&block| code.cfg.insts(block).iter().any(writes))
}

fn named(code: &Code<'_>, block: Block) -> BlockRef {
    let first = code.cfg.insts(block).first();
    let line = first.and_then(|&inst| code.kernel.text_position(inst)).map_or(0, |at| at.line);
    BlockRef { line, name: code.cfg.name(code.kernel, block) }
}
