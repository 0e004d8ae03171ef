//! The last resort: all loops of a kernel go round by one dispatch, and lanes meet before whatever they do together.
//!
//! ```text
//! before                          after
//! LOOP: try                               state = 0
//!       @failed bra LOOP          AGAIN:  which state?  0: START   1: LOOP BEHIND ITS HEAD   2: GO ON
//!       release                   START:
//!       bar.sync                  LOOP:   state = 1;  bra MEET
//!       …                         BEHIND: try
//!       ret                               @failed bra LOOP
//!                                         release
//!                                         state = 3;  bra MEET
//!                                 GO ON:  …
//!                                         state = 4;  bra MEET
//!                                 MEET:   @state < 3 bra AGAIN          lanes that are here wait for those that are on their way
//!                                         @state = 4 ret                nobody is
//!                                         which state?  3: BAR
//!                                 BAR:    bar.sync
//!                                         state = 2;  bra PASSED
//!                                 PASSED: bra AGAIN
//! ```
//!
//! - Between `AGAIN` and `MEET` there is no loop that could wait: all those begin with a way to `MEET`. So all lanes come to `MEET`, and all that
//!   want to go on do, in the next round.
//! - Lanes that have come to a barrier leave for it when all others of their warp have come to one too, or have ended. Nobody is behind the barrier before
//!   that, so nobody waits for one of them.
//! - `AGAIN` dominates `MEET`, as the branch at `MEET` does what follows it, and that one `PASSED`. So these are the reconvergence points where a
//!   branch must dominate its own (paper, Section IV.A.1).
//!
//! That costs more than a switch at a safe point ([`crate::section`]), and needs to know nothing: not where the loops are entered, nor from where branch
//! tables lead to them, nor which ways through the switches can be taken.

use analysis::{Analyses, Block};
use ptx_parser::{Flow, Inst, Kernel, Label, Patch, Stmt, StmtKind, Type};

use crate::blocked::waits_for_all;
use crate::cycle::cycles;
use crate::detect::{At, learning};
use crate::refusal::Refusal;
use crate::section::{is_together, turns};
use crate::write::{distinct, falls_out, predicate};

/// Leads all loops of a kernel in which lanes could wait through one dispatch.
///
/// # Errors
/// What lanes do together that not all of the warp come to; the kernel has too many registers or labels.
pub(crate) fn dispatch(facts: &Analyses, kernel: &Kernel) -> Result<Kernel, Refusal> {
    let gates = gates(facts, kernel)?;
    let heads = heads(facts, kernel, &gates);
    let mut result = kernel.clone();
    let mut code = Code::of(&mut result, heads.len(), gates.len());
    for (index, &head) in heads.iter().enumerate() {
        code.head(facts, index, head)?;
    }
    for (index, gate) in gates.iter().enumerate() {
        code.gate(index, gate)?;
    }
    code.ends(facts)?;
    code.begin(facts)?;
    let Code { mut patch, behind, .. } = code;
    patch.append(behind);
    result.apply(patch)?;
    Ok(result)
}

/// What the lanes of a warp do together in a block, from the first to the last statement of it: who has come to the first comes to the last.
struct Gate {
    first: usize,
    last: usize,
}

/// What lanes do together, block by block.
fn gates(facts: &Analyses, kernel: &Kernel) -> Result<Vec<Gate>, Refusal> {
    let mut gates: Vec<(Block, Gate)> = Vec::new();
    for block in facts.cfg.blocks().filter(|&block| facts.cfg.is_reachable(block)) {
        for place in facts.cfg.stmts(block) {
            let StmtKind::Inst(inst) = kernel.stmts()[place].kind else { continue };
            if !is_together(kernel, inst) {
                continue;
            }
            if !waits_for_all(facts, kernel, inst) {
                return Err(Refusal::Together { at: At::of(kernel, inst) });
            }
            match gates.last_mut().filter(|(last, _)| *last == block) {
                Some((_, gate)) => gate.last = place,
                None => gates.push((block, Gate { first: place, last: place })),
            }
        }
    }
    Ok(gates.into_iter().map(|(_, gate)| gate).collect())
}

/// The blocks where loops in which lanes could wait begin, but for those that begin with what lanes do together: there they meet anyway.
fn heads(facts: &Analyses, kernel: &Kernel, gates: &[Gate]) -> Vec<Block> {
    let cycles = cycles(facts);
    let learning = learning(facts, kernel);
    let turns = turns(facts, cycles.iter().filter(|cycle| learning.is_in(cycle)));
    let met = |block: Block| {
        let first = facts.cfg.insts(block).first().and_then(|&inst| facts.cfg.stmt_of(kernel, inst));
        // Gates are in the order of the text.
        first.is_some_and(|first| gates.binary_search_by_key(&first, |gate| gate.first).is_ok())
    };
    let mut heads: Vec<Block> = distinct(turns.iter().map(|&(_, to)| to));
    heads.retain(|&head| !met(head));
    heads
}

/// The code of a dispatch, as it is written.
struct Code<'k> {
    kernel: &'k mut Kernel,
    patch: Patch,
    /// What stands behind the last statement of the body.
    behind: Vec<Stmt>,
    state: String,
    again: Label,
    meet: Label,
    passed: Label,
    /// Where lanes go on in a round, by state: the start, behind the heads of loops, behind what they do together.
    cases: Vec<Label>,
    /// What they do together, by the states that follow.
    gates: Vec<Label>,
}

impl<'k> Code<'k> {
    fn of(kernel: &'k mut Kernel, heads: usize, gates: usize) -> Code<'k> {
        let state = kernel.new_reg("ssde_state", Type::B32);
        let [again, meet, passed] = ["ssde_again", "ssde_meet", "ssde_passed"].map(|stem| kernel.new_label(stem));
        Code {
            state: kernel.reg_name(state).to_owned(),
            patch: Patch::new(),
            behind: Vec::new(),
            again,
            meet,
            passed,
            cases: (0..=heads + gates).map(|_| kernel.new_label("ssde_case")).collect(),
            gates: (0..gates).map(|_| kernel.new_label("ssde_gate")).collect(),
            kernel,
        }
    }

    /// The state of lanes that have come to the end of the kernel.
    fn done(&self) -> usize {
        self.cases.len() + self.gates.len()
    }

    /// The way to where lanes meet, with a state, and what stands behind it.
    fn meeting(&mut self, state: usize, behind: Option<Label>) -> Result<Vec<Stmt>, Refusal> {
        self.way(state, self.meet, behind)
    }

    fn way(&mut self, state: usize, to: Label, behind: Option<Label>) -> Result<Vec<Stmt>, Refusal> {
        let text = format!("mov.b32 {}, {state};\nbra {};\n", self.state, self.kernel.label_name(to));
        let mut code = self.kernel.fragment(&text)?;
        code.extend(behind.map(|label| self.kernel.label_stmt(label)));
        Ok(code)
    }

    /// Lanes that come to where a loop begins meet, and go on in the next round.
    fn head(&mut self, facts: &Analyses, index: usize, head: Block) -> Result<(), Refusal> {
        let number = 1 + index;
        let code = self.meeting(number, Some(self.cases[number]))?;
        let range = facts.cfg.stmts(head);
        let labels = self.kernel.stmts()[range.clone()].iter();
        let labels = labels.take_while(|stmt| matches!(stmt.kind, StmtKind::Label(_))).count();
        self.patch.insert_before(range.start + labels, code);
        Ok(())
    }

    /// Lanes that come to what they do together meet, do it when all others are there, and go on in the next round.
    fn gate(&mut self, index: usize, gate: &Gate) -> Result<(), Refusal> {
        let before = self.meeting(self.cases.len() + index, Some(self.gates[index]))?;
        self.patch.insert_before(gate.first, before);
        let number = self.cases.len() - self.gates.len() + index;
        let behind = self.way(number, self.passed, Some(self.cases[number]))?;
        self.patch.insert_after(gate.last, behind);
        Ok(())
    }

    /// Whoever comes to an end of the kernel waits for the others first.
    fn ends(&mut self, facts: &Analyses) -> Result<(), Refusal> {
        let ended = self.kernel.new_label("ssde_ended");
        let falls = facts.cfg.blocks().last().is_some_and(|last| falls_out(facts, self.kernel, last));
        let returns = |kernel: &Kernel, inst: Inst| matches!(kernel.properties(inst).flow, Flow::Return | Flow::Exit);
        let mut guarded = false;
        for index in 0..self.kernel.stmts().len() {
            let StmtKind::Inst(inst) = self.kernel.stmts()[index].kind else { continue };
            if !returns(self.kernel, inst) {
                continue;
            }
            let code = match self.kernel.inst(inst).guard {
                None => self.meeting(self.done(), None)?,
                Some(guard) => {
                    guarded = true;
                    let not = if guard.negated { "!" } else { "" };
                    let name = self.kernel.reg_name(guard.reg);
                    let text = format!("@{not}{name} bra {};\n", self.kernel.label_name(ended));
                    self.kernel.fragment(&text)?
                }
            };
            self.patch.replace(index..index + 1, code);
        }
        if guarded || falls {
            let way = self.meeting(self.done(), None)?;
            self.behind.extend(guarded.then(|| self.kernel.label_stmt(ended)));
            self.behind.extend(way);
        }
        Ok(())
    }

    /// The dispatch itself: before the first statement, and where lanes meet.
    fn begin(&mut self, facts: &Analyses) -> Result<(), Refusal> {
        let mut code = self.kernel.fragment(&format!("mov.b32 {}, 0;\n", self.state))?;
        code.push(self.kernel.label_stmt(self.again));
        let cases = self.cases.clone();
        self.choice(0, &cases, &mut code)?;
        code.push(self.kernel.label_stmt(cases[0]));
        // Before the labels of the first block: no loop leads there.
        self.patch.insert_before(facts.cfg.stmts(facts.cfg.entry()).start, code);
        let mut code = vec![self.kernel.label_stmt(self.meet)];
        let (again, ended) = (predicate(self.kernel, "ssde_on"), predicate(self.kernel, "ssde_done"));
        let (state, count) = (&self.state, cases.len());
        let mut text =
            format!("setp.lt.u32 {again}, {state}, {count};\n@{again} bra {};\n", self.kernel.label_name(self.again));
        text += &match self.gates.is_empty() {
            true => "ret;\n".to_owned(),
            false => format!("setp.eq.u32 {ended}, {state}, {};\n@{ended} ret;\n", self.done()),
        };
        code.extend(self.kernel.fragment(&text)?);
        if !self.gates.is_empty() {
            let gates = self.gates.clone();
            self.choice(count, &gates, &mut code)?;
            code.push(self.kernel.label_stmt(self.passed));
            let text = format!("bra {};\n", self.kernel.label_name(self.again));
            code.extend(self.kernel.fragment(&text)?);
        }
        self.behind.extend(code);
        Ok(())
    }

    /// Goes to the label of a lane's state, by halves.
    fn choice(&mut self, first: usize, labels: &[Label], code: &mut Vec<Stmt>) -> Result<(), Refusal> {
        if let [label] = *labels {
            let text = format!("bra {};\n", self.kernel.label_name(label));
            code.extend(self.kernel.fragment(&text)?);
            return Ok(());
        }
        let (low, high) = labels.split_at(labels.len() / 2);
        let (upper, less) = (self.kernel.new_label("ssde_upper"), predicate(self.kernel, "ssde_less"));
        let (state, middle) = (&self.state, first + low.len());
        let text = format!("setp.ge.u32 {less}, {state}, {middle};\n@{less} bra {};\n", self.kernel.label_name(upper));
        code.extend(self.kernel.fragment(&text)?);
        self.choice(first, low, code)?;
        code.push(self.kernel.label_stmt(upper));
        self.choice(middle, high, code)
    }
}
