//! The text of a rewrite (paper, Algorithm 3): the switch and the dispatch of each section, and the edges that lead there.
//!
//! ```text
//! EDGE:      mov state, 2;  bra SWITCH         a way round loop 2; a way in from outside leads to DISPATCH instead
//! SWITCH:    @state != 0 bra DISPATCH          at the point; those that have come by themselves have 0
//!            …
//! DISPATCH:  which = state;  state = 0
//!            @which == 1 bra LOOP_1;  bra LOOP_2
//! ```

use analysis::{Analyses, Block, Edge};
use ptx_parser::{Flow, Inst, Kernel, Label, Patch, Stmt, StmtKind, Type};

use crate::detect::SafePoint;
use crate::eliminate::Refusal;
use crate::section::Section;

/// Writes the sections of a kernel.
///
/// # Errors
/// An edge that would have to lead elsewhere is an entry of a branch table.
pub(crate) fn write(facts: &Analyses, kernel: &mut Kernel, sections: &[Section]) -> Result<(), Refusal> {
    let reg = kernel.new_reg("ssde_state", Type::B32);
    let state = kernel.reg_name(reg).to_owned();
    let parts: Vec<Part<'_>> = sections.iter().map(|section| Part::of(facts, kernel, section)).collect();
    let mut work = Work { facts, patch: Patch::new(), behind: Vec::new(), state };
    // A switch at the end of a block stands before the edges that lead on from there.
    for part in &parts {
        work.switch(kernel, part)?;
        work.dispatch(kernel, part)?;
    }
    for part in &parts {
        work.edges(kernel, part)?;
    }
    let end = parts.iter().find(|part| part.section.point.is_none());
    let Work { mut patch, behind, .. } = work;
    if let Some(last) = facts.cfg.blocks().last().filter(|&last| falls_out(facts, kernel, last)) {
        // A body that ends without `ret` does not run into what stands behind it.
        let end = end.filter(|end| end.section.contains(last));
        let text = end.map_or("ret;\n".to_owned(), |end| format!("bra {};\n", kernel.label_name(end.switch)));
        patch.append(kernel.fragment(&text)?);
    }
    patch.append(behind);
    Ok(kernel.apply(patch)?)
}

/// Whether the end of the body is come to behind a block.
fn falls_out(facts: &Analyses, kernel: &Kernel, last: Block) -> bool {
    let ends = |inst: Inst| {
        let flow = kernel.properties(inst).flow;
        kernel.inst(inst).guard.is_none()
            && matches!(flow, Flow::Branch | Flow::IndirectBranch | Flow::Return | Flow::Exit)
    };
    !facts.cfg.insts(last).last().is_some_and(|&inst| ends(inst))
}

/// A section and the labels that it gets.
struct Part<'a> {
    section: &'a Section,
    switch: Label,
    dispatch: Label,
    /// What stands at the point, for those who come there from outside.
    after: Label,
    /// The blocks that are come to from outside or by going round, and their labels. The number of each is one more than its index.
    targets: Vec<(Block, Label)>,
    /// Whether lanes come from the dispatch straight to the switch, by the number behind those of the targets.
    skipped: bool,
}

impl<'a> Part<'a> {
    fn of(facts: &Analyses, kernel: &mut Kernel, section: &'a Section) -> Part<'a> {
        let entered = |&block: &Block| {
            let outside = facts.cfg.preds(block).iter().any(|&pred| !section.leads_from(pred));
            outside || section.turns.iter().any(|&(_, to)| to == block)
        };
        let targets: Vec<Block> = section.blocks().filter(entered).collect();
        let point = section.point.map(|point| point.block);
        let skipped = point.is_some_and(|point| facts.cfg.preds(point).iter().any(|&pred| section.skips(pred, point)));
        Part {
            section,
            switch: kernel.new_label("ssde_switch"),
            dispatch: kernel.new_label("ssde_dispatch"),
            after: kernel.new_label("ssde_after"),
            targets: targets.into_iter().map(|block| (block, kernel.new_label("ssde_loop"))).collect(),
            skipped,
        }
    }
}

struct Work<'a> {
    facts: &'a Analyses,
    patch: Patch,
    /// What stands behind the last statement of the body.
    behind: Vec<Stmt>,
    state: String,
}

impl Work<'_> {
    /// Where lanes meet: those that are going round a loop go on to the dispatch. The others part from them at once, so that whoever goes round comes
    /// here again, and no loop goes round twice while another waits.
    fn switch(&mut self, kernel: &mut Kernel, part: &Part<'_>) -> Result<(), Refusal> {
        let (again, state) = (predicate(kernel, "ssde_again"), &self.state);
        let dispatch = kernel.label_name(part.dispatch);
        let text = format!("setp.ne.u32 {again}, {state}, 0;\n@{again} bra {dispatch};\n");
        let mut code = vec![kernel.label_stmt(part.switch)];
        let Some(point) = part.section.point else {
            code.extend(kernel.fragment(&(text + "ret;\n"))?);
            self.behind.extend(code);
            return self.ends(kernel, part);
        };
        code.extend(kernel.fragment(&text)?);
        let range = self.facts.cfg.stmts(point.block);
        let place = |inst: Inst| range.clone().find(|&stmt| kernel.stmts()[stmt].kind == StmtKind::Inst(inst));
        if point.index == 0 {
            code.push(kernel.label_stmt(part.after));
            let labels =
                kernel.stmts()[range.clone()].iter().take_while(|stmt| matches!(stmt.kind, StmtKind::Label(_)));
            self.patch.insert_before(range.start + labels.count(), code);
        } else if let Some(stmt) = self.facts.cfg.insts(point.block).get(point.index - 1).copied().and_then(place) {
            self.patch.insert_after(stmt, code);
        }
        Ok(())
    }

    /// The way into the section: whoever comes here goes on to the target of his number.
    fn dispatch(&mut self, kernel: &mut Kernel, part: &Part<'_>) -> Result<(), Refusal> {
        let targets = part.targets.iter().map(|&(_, label)| label);
        let labels: Vec<Label> = targets.chain(part.skipped.then_some(part.switch)).collect();
        let [others @ .., last] = labels.as_slice() else { return Ok(()) };
        let (mut tests, mut ways) = (String::new(), String::new());
        for (index, &target) in others.iter().enumerate() {
            let which = predicate(kernel, "ssde_which");
            tests += &format!("setp.eq.u32 {which}, {}, {};\n", self.state, index + 1);
            ways += &format!("@{which} bra {};\n", kernel.label_name(target));
        }
        let text = format!("{tests}mov.b32 {}, 0;\n{ways}bra {};\n", self.state, kernel.label_name(*last));
        self.behind.push(kernel.label_stmt(part.dispatch));
        self.behind.extend(kernel.fragment(&text)?);
        Ok(())
    }

    /// The edges by which the section's loops go round, and those that lead into it, or past it to its point.
    fn edges(&mut self, kernel: &mut Kernel, part: &Part<'_>) -> Result<(), Refusal> {
        let facts = self.facts;
        for (index, &(target, label)) in part.targets.iter().enumerate() {
            self.patch.insert_before(facts.cfg.stmts(target).start, [kernel.label_stmt(label)]);
            self.ways_to(kernel, target, label, |pred| {
                if part.section.turns.contains(&(pred, target)) {
                    return Some((Some(index + 1), part.switch));
                }
                let number = (part.targets.len() > 1 || part.skipped).then_some(index + 1);
                (!part.section.leads_from(pred)).then_some((number, part.dispatch))
            })?;
        }
        let Some(SafePoint { block, index: 0 }) = part.section.point else { return Ok(()) };
        self.ways_to(kernel, block, part.switch, |pred| {
            if part.section.skips(pred, block) {
                return Some((Some(part.targets.len() + 1), part.dispatch));
            }
            (!part.section.leads_from(pred)).then_some((None, part.after))
        })
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
        elsewhere: impl Fn(Block) -> Option<(Option<usize>, Label)>,
    ) -> Result<(), Refusal> {
        let facts = self.facts;
        let table = |kernel: &Kernel, pred: Block| {
            let inst = facts.cfg.terminator(pred)?;
            (kernel.properties(inst).flow == Flow::IndirectBranch).then_some((inst, elsewhere(pred)))
        };
        let preds = distinct(facts.cfg.preds(to));
        let tables: Vec<_> = preds.iter().filter_map(|&pred| table(kernel, pred)).collect();
        let moved = tables.iter().find_map(|&(_, way)| way);
        if let Some(&(inst, _)) = tables.iter().find(|&&(_, way)| moved.is_some() && way != moved) {
            return Err(Refusal::Table { inst });
        }
        if let Some((number, place)) = moved {
            let range = facts.cfg.stmts(to);
            for index in range.take_while(|&index| matches!(kernel.stmts()[index].kind, StmtKind::Label(_))) {
                self.behind.push(kernel.stmts()[index].clone());
                self.patch.remove(index);
            }
            let code = self.way(kernel, number, place);
            self.behind.extend(kernel.fragment(&code)?);
        }
        let direct: Vec<Block> = preds.into_iter().filter(|&pred| table(kernel, pred).is_none()).collect();
        for pred in direct {
            match elsewhere(pred) {
                Some((number, place)) => self.lead(kernel, pred, to, number, place)?,
                None if moved.is_some() => self.take(pred, to, label),
                None => {}
            }
        }
        Ok(())
    }

    /// The code that goes to a place with a number in the state, if there is one.
    fn way(&self, kernel: &Kernel, number: Option<usize>, place: Label) -> String {
        let state = number.map_or(String::new(), |number| format!("mov.b32 {}, {number};\n", self.state));
        format!("{state}bra {};\n", kernel.label_name(place))
    }

    /// Lets the branch at the end of a block name another label for where it goes.
    fn take(&mut self, from: Block, to: Block, label: Label) {
        let taken = self.facts.cfg.succs(from).iter().any(|succ| succ.block == to && succ.edge != Edge::Fallthrough);
        if let Some(inst) = self.facts.cfg.terminator(from).filter(|_| taken) {
            self.patch.retarget(inst, label);
        }
    }

    /// Leads an edge, which is no entry of a table, to another label, with a number in the state if there is one.
    fn lead(
        &mut self,
        kernel: &mut Kernel,
        from: Block,
        to: Block,
        number: Option<usize>,
        place: Label,
    ) -> Result<(), Refusal> {
        let succs = self.facts.cfg.succs(from);
        let falls = succs.iter().any(|succ| succ.block == to && succ.edge == Edge::Fallthrough);
        let taken = succs.iter().any(|succ| succ.block == to && succ.edge != Edge::Fallthrough);
        let code = self.way(kernel, number, place);
        if taken && number.is_none() {
            self.take(from, to, place);
        } else if taken {
            let edge = kernel.new_label("ssde_edge");
            self.behind.push(kernel.label_stmt(edge));
            self.behind.extend(kernel.fragment(&code)?);
            self.take(from, to, edge);
        }
        if falls {
            let code = kernel.fragment(&code)?;
            let range = self.facts.cfg.stmts(from);
            match range.clone().last() {
                Some(last) => self.patch.insert_after(last, code),
                None => self.patch.insert_before(range.end, code),
            }
        }
        Ok(())
    }

    /// Leads every end of the kernel in a section to its switch.
    fn ends(&mut self, kernel: &mut Kernel, part: &Part<'_>) -> Result<(), Refusal> {
        let name = kernel.label_name(part.switch).to_owned();
        let blocks: Vec<Block> = part.section.blocks().collect();
        for index in blocks.into_iter().flat_map(|block| self.facts.cfg.stmts(block)) {
            let StmtKind::Inst(inst) = kernel.stmts()[index].kind else { continue };
            if !matches!(kernel.properties(inst).flow, Flow::Return | Flow::Exit) {
                continue;
            }
            let guard = kernel.inst(inst).guard;
            let guard = guard.map_or(String::new(), |guard| {
                format!("@{}{} ", if guard.negated { "!" } else { "" }, kernel.reg_name(guard.reg))
            });
            let code = kernel.fragment(&format!("{guard}bra {name};\n"))?;
            self.patch.replace(index..index + 1, code);
        }
        Ok(())
    }
}

fn predicate(kernel: &mut Kernel, stem: &str) -> String {
    let reg = kernel.new_reg(stem, Type::Pred);
    kernel.reg_name(reg).to_owned()
}

/// Each of some blocks once.
fn distinct(blocks: &[Block]) -> Vec<Block> {
    let mut blocks = blocks.to_vec();
    blocks.sort_unstable();
    blocks.dedup();
    blocks
}
