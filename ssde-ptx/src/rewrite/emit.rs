//! The code of a rewrite (paper, Algorithm 3): the switch and the gates of each section, and the edges that lead there.
//!
//! The state of a lane says where it is going: 0 that it follows the kernel; the number of a gate that it goes there; that number and how many gates there
//! are, that it goes there in the next round, behind the switch; the same with more times as many gates, in a later one; a larger one that it has come to the end of the section.

use std::ops::Range;

use analysis::{Analyses, Block, Edge};
use ptx_parser::{Code, Flow, Inst, Kernel, Label, Patch, Reg, Relation, Stmt, StmtKind, Type};

use crate::detect::finding::SafePoint;
use crate::rewrite::backoff::{self, Backoff};
use crate::rewrite::gates::Gates;
use crate::rewrite::refusal::Refusal;
use crate::rewrite::section::Section;

/// Writes the sections of a kernel.
///
/// # Errors
/// A loop that lanes do not wait in is entered at several blocks, or entries of tables that name one block would have to lead to several places.
pub(crate) fn write(facts: &Analyses, kernel: &mut Kernel, sections: &[Section]) -> Result<(), Refusal> {
    let state = kernel.new_reg("ssde_state", Type::B32);
    let turn = sections.iter().any(Section::is_varied).then(|| Backoff::of(kernel));
    let parts = sections.iter().map(|section| Part::of(facts, kernel, section));
    let parts: Vec<Part<'_>> = parts.collect::<Result<_, Refusal>>()?;
    let mut work = Work { facts, patch: Patch::new(), behind: Vec::new(), state, turn };
    if let Some(turn) = &work.turn {
        // Before the labels of the first block: no loop leads there.
        work.patch.insert_before(facts.cfg.stmts(facts.cfg.entry()).start, kernel.build(turn.beginning())?);
    }
    // A switch at the end of a block stands before the edges that lead on from there.
    for part in &parts {
        work.switch(kernel, part)?;
    }
    for part in &parts {
        work.edges(kernel, part)?;
    }
    let end = parts.iter().find(|part| part.section.point.is_none());
    let Work { mut patch, behind, state, .. } = work;
    if let Some(last) = facts.cfg.blocks().last().filter(|&last| falls_out(facts, kernel, last)) {
        // A body that ends without `ret` does not run into what stands behind it.
        let mut code = Code::new();
        match end.filter(|end| end.section.contains(last)) {
            Some(end) => way(&mut code, state, end.to_end(last)),
            None => code.ins().ret(),
        }
        patch.append(kernel.build(code)?);
    }
    patch.append(behind);
    Ok(kernel.apply(patch)?)
}

/// Returns true if the end of the body is come to behind a block.
pub(crate) fn falls_out(facts: &Analyses, kernel: &Kernel, last: Block) -> bool {
    let ends = |inst: Inst| {
        let flow = kernel.properties(inst).flow;
        kernel.inst(inst).guard.is_none()
            && matches!(flow, Flow::Branch | Flow::IndirectBranch | Flow::Return | Flow::Exit)
    };
    !facts.cfg.insts(last).last().is_some_and(|&inst| ends(inst))
}

/// The new target of an edge.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Way {
    /// The state that it sets, if it sets it.
    number: Option<u32>,
    place: Label,
    /// The number of gates, if lanes draw how many rounds they stand by ([`crate::rewrite::backoff`]).
    draws: Option<u32>,
}

impl Way {
    fn new(number: Option<u32>, place: Label) -> Way {
        Way { number, place, draws: None }
    }
}

/// A section and the labels that it gets.
struct Part<'a> {
    section: &'a Section,
    gates: Gates,
    /// The labels of the gates.
    labels: Vec<Label>,
    /// The first of them.
    first: Label,
    switch: Label,
    /// The code at the point, for lanes that come there from outside.
    after: Label,
    /// True if there is one gate that everybody goes through.
    single: bool,
}

impl<'a> Part<'a> {
    fn of(facts: &Analyses, kernel: &mut Kernel, section: &'a Section) -> Result<Part<'a>, Refusal> {
        let gates = Gates::of(facts, section).ok_or(Refusal::Ways)?;
        let point = section.point.map(|point| point.block);
        let skipped = point.is_some_and(|point| facts.cfg.preds(point).iter().any(|&pred| section.skips(pred, point)));
        let labels: Vec<Label> = gates.blocks.iter().map(|_| kernel.new_label("ssde_gate")).collect();
        Ok(Part {
            section,
            first: *labels.first().ok_or(Refusal::Ways)?,
            labels,
            switch: kernel.new_label("ssde_switch"),
            after: kernel.new_label("ssde_after"),
            single: gates.blocks.len() == 1 && !skipped && !section.is_varied(),
            gates,
        })
    }

    /// The gate behind a segment, or the switch.
    fn behind(&self, segment: usize) -> Label {
        self.labels.get(segment).copied().unwrap_or(self.switch)
    }

    /// Returns how many gates there are. A kernel has fewer blocks than its text has bytes, of which there are less than 2^32.
    fn count(&self) -> u32 {
        self.labels.len() as u32
    }

    /// Returns how many rounds lanes stand by at most.
    fn longest(&self) -> u32 {
        if self.section.is_varied() { backoff::LONGEST } else { 0 }
    }

    /// The state of lanes that are at the end of the section, and wait there for the others.
    fn done(&self) -> u32 {
        (2 + self.longest()) * self.count() + 1
    }

    /// Returns how lanes come from a block to the end of the section.
    fn to_end(&self, from: Block) -> Way {
        let segment = self.gates.segment(from);
        Way::new((segment < self.labels.len()).then_some(self.done()), self.behind(segment))
    }

    /// Returns where an edge to a block of the section leads instead; `inner` is the block itself, behind its gate.
    fn way_in(&self, from: Block, to: Block, inner: Label) -> Option<Way> {
        let number = self.gates.number(to);
        if !self.section.leads_from(from) {
            return number.map(|number| Way::new((!self.single).then_some(number as u32), self.first));
        }
        let (segment, gates) = (self.gates.segment(from), self.count());
        if self.section.is_turn((from, to)) {
            let round = if self.single { 1 } else { gates + number.unwrap_or(0) as u32 };
            let draws = self.section.is_drawn((from, to)).then_some(gates);
            return Some(Way { draws, ..Way::new(Some(round), self.behind(segment)) });
        }
        number.map(|number| match number == segment {
            // Within a loop, past the gate.
            true => Way::new(None, inner),
            false => Way::new((number != segment + 1).then_some(number as u32), self.behind(segment)),
        })
    }

    /// Returns where an edge to the beginning of the point's block leads instead.
    fn way_out(&self, from: Block, point: Block) -> Way {
        if self.section.leads_from(from) {
            self.to_end(from)
        } else if self.section.skips(from, point) {
            Way::new(Some(self.done()), self.first)
        } else {
            Way::new(None, self.after)
        }
    }
}

struct Work<'a> {
    facts: &'a Analyses,
    patch: Patch,
    /// The statements behind the last statement of the body.
    behind: Vec<Stmt>,
    state: Reg,
    /// The registers by which lanes of varied sections draw.
    turn: Option<Backoff>,
}

impl Work<'_> {
    /// Writes the switch, where lanes meet. The lanes that go round part from the others at once. So they come back to the switch, and no
    /// loop goes round twice while another one waits.
    fn switch(&mut self, kernel: &mut Kernel, part: &Part<'_>) -> Result<(), Refusal> {
        let (again, state) = (kernel.new_reg("ssde_again", Type::Pred), self.state);
        let mut code = Code::new();
        code.label(part.switch);
        if part.single {
            code.ins().setp(Relation::NotEqual, Type::U32, again, state, 0);
        } else {
            // What follows the kernel has a large number then.
            code.ins().add(Type::U32, state, state, -i64::from(part.count()));
            code.ins().setp(Relation::LessOrEqual, Type::U32, again, state, part.count() * (1 + part.longest()));
        }
        code.when(again).bra(part.first);
        let Some(point) = part.section.point else {
            code.ins().ret();
            self.behind.extend(kernel.build(code)?);
            return self.ends(kernel, part);
        };
        let mut code = kernel.build(code)?;
        if point.index == 0 {
            code.push(kernel.label_stmt(part.after));
            self.patch.insert_before(behind_labels(self.facts, kernel, point.block), code);
        } else if let Some(stmt) = self
            .facts
            .cfg
            .insts(point.block)
            .get(point.index - 1)
            .copied()
            .and_then(|inst| self.facts.cfg.stmt_of(kernel, inst))
        {
            self.patch.insert_after(stmt, code);
        }
        Ok(())
    }

    /// The gates, and the edges that lead into the section, out of it, round its loops and past what does not concern them.
    fn edges(&mut self, kernel: &mut Kernel, part: &Part<'_>) -> Result<(), Refusal> {
        for (number, (&block, &label)) in (1..).zip(part.gates.blocks.iter().zip(&part.labels)) {
            let inner = kernel.new_label("ssde_inner");
            self.gate(kernel, part, (number, block), [label, inner])?;
            self.ways_to(kernel, block, inner, |pred| part.way_in(pred, block, inner))?;
        }
        let Some(SafePoint { block, index: 0 }) = part.section.point else { return Ok(()) };
        self.ways_to(kernel, block, part.switch, |pred| {
            let way = part.way_out(pred, block);
            (way != Way::new(None, part.switch)).then_some(way)
        })
    }

    /// The gate of a number before a block, with the labels before and behind it.
    fn gate(
        &mut self,
        kernel: &mut Kernel,
        part: &Part<'_>,
        (number, block): (usize, Block),
        [label, inner]: [Label; 2],
    ) -> Result<(), Refusal> {
        let mut code = Code::new();
        code.label(label);
        if !part.single {
            let later = kernel.new_reg("ssde_later", Type::Pred);
            code.ins().setp(Relation::Greater, Type::U32, later, self.state, number as u32);
            code.when(later).bra(part.behind(number));
        }
        code.ins().mov(Type::B32, self.state, 0);
        code.label(inner);
        let code = kernel.build(code)?;
        self.patch.insert_before(self.facts.cfg.stmts(block).start, code);
        Ok(())
    }

    /// Leads the edges to a block elsewhere for which `elsewhere` says where and with which number; `label` stands at the block.
    ///
    /// Where one of them is an entry of a table, all entries that name the block lead to the same place: the labels that they name move there, and
    /// the other edges take `label`.
    fn ways_to(
        &mut self,
        kernel: &mut Kernel,
        to: Block,
        label: Label,
        elsewhere: impl Fn(Block) -> Option<Way>,
    ) -> Result<(), Refusal> {
        let facts = self.facts;
        let by_table = |kernel: &Kernel, pred: Block| {
            facts.cfg.terminator(pred).is_some_and(|inst| kernel.properties(inst).flow == Flow::IndirectBranch)
        };
        let preds = distinct(facts.cfg.preds(to).iter().copied());
        let (tables, direct): (Vec<Block>, Vec<Block>) = preds.into_iter().partition(|&pred| by_table(kernel, pred));
        let moved = tables.iter().find_map(|&pred| elsewhere(pred));
        if moved.is_some() && tables.iter().any(|&pred| elsewhere(pred) != moved) {
            return Err(Refusal::Ways);
        }
        if let Some(way) = moved {
            for (index, label) in labels(facts, kernel, to) {
                self.behind.push(label.clone());
                self.patch.remove(index);
            }
            let code = self.code(kernel, way)?;
            self.behind.extend(code);
        }
        for pred in direct {
            match elsewhere(pred) {
                Some(way) => self.lead(kernel, pred, to, way)?,
                None if moved.is_some() => self.take(pred, to, label),
                None => {}
            }
        }
        Ok(())
    }

    /// Lets the branch at the end of a block name another label for where it goes.
    fn take(&mut self, from: Block, to: Block, label: Label) {
        let taken = self.facts.cfg.succs(from).iter().any(|succ| succ.block == to && succ.edge != Edge::Fallthrough);
        if let Some(inst) = self.facts.cfg.terminator(from).filter(|_| taken) {
            self.patch.retarget(inst, label);
        }
    }

    /// Leads an edge, which is no entry of a table, to another label.
    fn lead(&mut self, kernel: &mut Kernel, from: Block, to: Block, way: Way) -> Result<(), Refusal> {
        let succs = self.facts.cfg.succs(from);
        let falls = succs.iter().any(|succ| succ.block == to && succ.edge == Edge::Fallthrough);
        let taken = succs.iter().any(|succ| succ.block == to && succ.edge != Edge::Fallthrough);
        if taken && way.number.is_none() {
            self.take(from, to, way.place);
        } else if taken {
            let edge = self.edge(kernel, way)?;
            self.take(from, to, edge);
        }
        if falls {
            let code = self.code(kernel, way)?;
            let range = self.facts.cfg.stmts(from);
            match range.clone().last() {
                Some(last) => self.patch.insert_after(last, code),
                None => self.patch.insert_before(range.end, code),
            }
        }
        Ok(())
    }

    /// The label of code that goes a way.
    fn edge(&mut self, kernel: &mut Kernel, way: Way) -> Result<Label, Refusal> {
        let edge = kernel.new_label("ssde_edge");
        self.behind.push(kernel.label_stmt(edge));
        let code = self.code(kernel, way)?;
        self.behind.extend(code);
        Ok(edge)
    }

    /// The code that goes a way.
    fn code(&self, kernel: &mut Kernel, way: Way) -> Result<Vec<Stmt>, Refusal> {
        let draws = self.turn.as_ref().zip(way.draws).zip(way.number);
        let code = match draws {
            Some(((turn, gates), number)) => turn.code(kernel, self.state, (number, gates), way.place),
            None => {
                let mut code = Code::new();
                self::way(&mut code, self.state, way);
                code
            }
        };
        Ok(kernel.build(code)?)
    }

    /// Leads every end of the kernel in a section to its switch.
    fn ends(&mut self, kernel: &mut Kernel, part: &Part<'_>) -> Result<(), Refusal> {
        let insts_of = |block: Block| insts(self.facts, kernel, block).map(move |(index, inst)| (block, index, inst));
        let ends: Vec<(Block, usize, Inst)> = part
            .section
            .blocks()
            .flat_map(insts_of)
            .filter(|&(.., inst)| matches!(kernel.properties(inst).flow, Flow::Return | Flow::Exit))
            .collect();
        for (block, index, inst) in ends {
            let way = part.to_end(block);
            let mut code = Code::new();
            match kernel.inst(inst).guard {
                None => self::way(&mut code, self.state, way),
                Some(guard) => {
                    let place = if way.number.is_none() { way.place } else { self.edge(kernel, way)? };
                    code.when(guard).bra(place);
                }
            }
            let code = kernel.build(code)?;
            self.patch.replace(index..index + 1, code);
        }
        Ok(())
    }
}

/// Goes a way on which nobody draws.
fn way(code: &mut Code, state: Reg, Way { number, place, .. }: Way) {
    if let Some(number) = number {
        code.ins().mov(Type::B32, state, number);
    }
    code.ins().bra(place);
}

/// The labels that a block begins with. Declarations may stand among them.
fn labels<'k>(facts: &Analyses, kernel: &'k Kernel, block: Block) -> Vec<(usize, &'k Stmt)> {
    let head = stmts(facts, kernel, block).take_while(|(_, stmt)| !matches!(stmt.kind, StmtKind::Inst(_)));
    head.filter(|(_, stmt)| matches!(stmt.kind, StmtKind::Label(_))).collect()
}

/// The statements of a block, each with its index.
fn stmts<'k>(facts: &Analyses, kernel: &'k Kernel, block: Block) -> impl Iterator<Item = (usize, &'k Stmt)> {
    let Range { start, end } = facts.cfg.stmts(block);
    kernel.stmts().iter().enumerate().take(end).skip(start)
}

/// The instructions of a block, each with the index of its statement.
pub(crate) fn insts(facts: &Analyses, kernel: &Kernel, block: Block) -> impl Iterator<Item = (usize, Inst)> {
    stmts(facts, kernel, block).filter_map(|(index, stmt)| match stmt.kind {
        StmtKind::Inst(inst) => Some((index, inst)),
        _ => None,
    })
}

/// The statement before which something stands that all who come to a block by its labels execute.
pub(crate) fn behind_labels(facts: &Analyses, kernel: &Kernel, block: Block) -> usize {
    labels(facts, kernel, block).last().map_or(facts.cfg.stmts(block).start, |(last, _)| last + 1)
}

/// Each of some blocks once.
pub(crate) fn distinct(blocks: impl IntoIterator<Item = Block>) -> Vec<Block> {
    let mut blocks: Vec<Block> = blocks.into_iter().collect();
    blocks.sort_unstable();
    blocks.dedup();
    blocks
}
