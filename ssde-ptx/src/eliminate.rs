//! Elimination (paper, Algorithm 3): lanes that would go round a detected loop meet those that have left it, before they go round.
//!
//! ```text
//! before                              after
//!                                             state = 0
//! LOOP: try                           LOOP:   try
//!       @failed bra LOOP                      @failed bra EDGE
//!       release                               release
//!       …                             SWITCH: @state != 0 bra BACK
//!                                             …
//!                                     EDGE:   state = 1;  bra SWITCH
//!                                     BACK:   which = state;  state = 0
//!                                             @which = 1 bra LOOP;  …
//! ```
//!
//! `SWITCH` stands at the loop's safe point. The back edge is now a forward edge to it and a back edge from it, so that lanes wait there for all that
//! could set them free, and only then try again. A lane that comes to the point by itself has `state` 0 and goes on: what each thread does, and in
//! which order, stays as it was. Loops with the same point share a switch; where each begins has a number of its own. Those that go on part from
//! those that go back first: behind that, whichever loop a lane goes back to, it meets the others at `SWITCH` again, so that no loop goes round
//! twice while another waits.
//!
//! A loop that is not detected but whose body holds a write that a detected loop in it waits for goes round by that loop's point as well:
//! else its lanes would keep those back that wait there.

use analysis::{Analyses, Block, Edge};
use ptx_parser::{Error, Flow, Inst, Kernel, Label, Patch, Stmt, StmtKind, Type};

use crate::cycle::{Cycle, cycles};
use crate::detect::{Detected, SafePoint, detected};
use crate::safe;

/// How often a kernel is looked at again: what a rewrite makes is a loop as well. Of what takes more rounds, one in a few hundred random kernels
/// was seen to deadlock although nothing was found in it.
const ROUNDS: usize = 4;

/// What came of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Nothing was found, nothing was changed.
    Clean,
    /// All loops that were found go round by safe points now, and nothing is found any more.
    Rewritten {
        /// How many loops.
        loops: usize,
    },
    /// A loop stays as it is, and so does the kernel.
    Refused(Refusal),
}

/// Why a loop cannot be rewritten.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// A way round the loop is an entry of a branch table.
    Table {
        /// The indirect branch.
        inst: Inst,
    },
    /// The kernel calls functions between the loop and what frees it, or is one.
    Call,
    /// Loops were still found after some rounds.
    Rounds,
    /// A text of this crate's own does not parse: a defect of this program.
    Internal(String),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refusal::Table { .. } => f.write_str("a way round the loop is an entry of a branch table"),
            Refusal::Call => {
                f.write_str("what it waits for may be in a function that is called, or behind the call of this one")
            }
            Refusal::Rounds => f.write_str("what the rewrite made was found again"),
            Refusal::Internal(error) => write!(f, "a defect of this program: {error}"),
        }
    }
}

/// Removes the SIMT-induced deadlocks of a kernel. A kernel that is refused is left as it was.
pub fn eliminate(kernel: &mut Kernel) -> Outcome {
    let mut work = kernel.clone();
    let mut loops = 0;
    for _ in 0..ROUNDS {
        let facts = Analyses::of(&work);
        let found = detected(&facts, &work);
        if found.is_empty() {
            if loops == 0 {
                return Outcome::Clean;
            }
            *kernel = work;
            return Outcome::Rewritten { loops };
        }
        loops += found.len();
        let calls = |found: &Detected| {
            let mut writes = found.writes.iter().map(|&(write, _)| write).chain(found.reads.iter().copied());
            writes.any(|inst| work.properties(inst).flow == Flow::Call)
        };
        if !facts.divergence.entry_is_uniform() || found.iter().any(calls) {
            return Outcome::Refused(Refusal::Call);
        }
        let turns = match turns(&facts, &work, &found) {
            Ok(turns) => turns,
            Err(refusal) => return Outcome::Refused(refusal),
        };
        if let Err(error) = apply(&facts, &mut work, &turns) {
            return Outcome::Refused(Refusal::Internal(error.to_string()));
        }
    }
    Outcome::Refused(Refusal::Rounds)
}

/// A back edge that leads to a safe point.
struct Turn {
    from: Block,
    to: Block,
    point: Option<SafePoint>,
}

/// The back edges that are to be led elsewhere, each once.
fn turns(facts: &Analyses, kernel: &Kernel, found: &[Detected]) -> Result<Vec<Turn>, Refusal> {
    let points = safe::points(facts, found);
    let mut turns: Vec<Turn> = Vec::new();
    let mut add = |cycle: &Cycle, point: Option<SafePoint>| {
        for &to in &cycle.entries {
            for &from in facts.cfg.preds(to).iter().filter(|&&from| cycle.contains(from)) {
                let table = facts.cfg.terminator(from);
                if let Some(inst) = table.filter(|&inst| kernel.properties(inst).flow == Flow::IndirectBranch) {
                    return Err(Refusal::Table { inst });
                }
                match turns.iter_mut().find(|turn| (turn.from, turn.to) == (from, to)) {
                    Some(turn) => turn.point = safe::common(facts, turn.point, point),
                    None => turns.push(Turn { from, to, point }),
                }
            }
        }
        Ok(())
    };
    for (found, &point) in found.iter().zip(&points) {
        add(&found.cycle, point)?;
    }
    for cycle in cycles(facts) {
        if let Some(point) = inherited(facts, &cycle, found, &points) {
            add(&cycle, point)?;
        }
    }
    Ok(turns)
}

/// The point that a loop has from detected ones in it, if it holds a write that one of them waits for and the point is behind it.
fn inherited(
    facts: &Analyses,
    cycle: &Cycle,
    found: &[Detected],
    points: &[Option<SafePoint>],
) -> Option<Option<SafePoint>> {
    let holds = |found: &Detected| {
        let inner = cycle.blocks.len() > found.cycle.blocks.len()
            && found.cycle.blocks.iter().all(|&block| cycle.contains(block));
        let writes = |inst: Inst| facts.cfg.block_of(inst).is_some_and(|block| cycle.contains(block));
        inner && found.writes.iter().any(|&(write, _)| writes(write))
    };
    let inner = found.iter().zip(points).filter(|(found, _)| holds(found)).map(|(_, &point)| point);
    let behind = inner.filter(|point| point.is_none_or(|point| !cycle.contains(point.block)));
    behind.reduce(|one, other| safe::common(facts, one, other))
}

/// Leads the edges to switches at their points.
fn apply(facts: &Analyses, kernel: &mut Kernel, turns: &[Turn]) -> Result<(), Error> {
    let reg = kernel.new_reg("ssde_state", Type::B32);
    let state = kernel.reg_name(reg).to_owned();
    let mut points: Vec<Option<SafePoint>> = turns.iter().map(|turn| turn.point).collect();
    points.sort();
    points.dedup();
    let mut work = Work { facts, patch: Patch::new(), behind: Vec::new(), state };
    work.start(kernel)?;
    let labels: Vec<Label> = points.iter().map(|_| kernel.new_label("ssde_switch")).collect();
    // Where the loops begin, by number.
    let mut headers: Vec<(Block, String)> = Vec::new();
    for turn in turns {
        if headers.iter().all(|(header, _)| *header != turn.to) {
            let label = kernel.new_label("ssde_loop");
            headers.push((turn.to, kernel.label_name(label).to_owned()));
            let stmt = kernel.label_stmt(label);
            work.patch.insert_before(facts.cfg.stmts(turn.to).start, [stmt]);
        }
    }
    for turn in turns {
        let point = points.iter().position(|point| *point == turn.point).unwrap_or(0);
        let number = headers.iter().position(|(header, _)| *header == turn.to).unwrap_or(0);
        work.lead(kernel, turn, number + 1, labels[point])?;
    }
    for (point, &label) in points.iter().zip(&labels) {
        let leads = |header: Block| turns.iter().any(|turn| (turn.to, turn.point) == (header, *point));
        let back = headers.iter().enumerate().filter(|(_, (header, _))| leads(*header));
        let back: Vec<(usize, &str)> = back.map(|(number, (_, label))| (number + 1, label.as_str())).collect();
        work.switch(kernel, *point, label, &back)?;
    }
    let Work { mut patch, behind, .. } = work;
    patch.append(behind);
    kernel.apply(patch)
}

struct Work<'a> {
    facts: &'a Analyses,
    patch: Patch,
    /// What stands behind the last statement of the body.
    behind: Vec<Stmt>,
    state: String,
}

impl Work<'_> {
    /// At the start of the kernel, no lane has been led anywhere.
    fn start(&mut self, kernel: &mut Kernel) -> Result<(), Error> {
        let first = kernel.stmts().iter().position(|stmt| matches!(stmt.kind, StmtKind::Inst(_) | StmtKind::Label(_)));
        let code = kernel.fragment(&format!("mov.b32 {}, 0;\n", self.state))?;
        self.patch.insert_before(first.unwrap_or(0), code);
        Ok(())
    }

    /// A back edge becomes a way to the switch, with its number.
    fn lead(&mut self, kernel: &mut Kernel, turn: &Turn, number: usize, switch: Label) -> Result<(), Error> {
        let facts = self.facts;
        let code = format!("mov.b32 {}, {number};\nbra {};\n", self.state, kernel.label_name(switch));
        let taken = facts.cfg.succs(turn.from).iter().any(|s| s.block == turn.to && s.edge != Edge::Fallthrough);
        let falls = facts.cfg.succs(turn.from).iter().any(|s| s.block == turn.to && s.edge == Edge::Fallthrough);
        if taken && let Some(inst) = facts.cfg.terminator(turn.from) {
            let edge = kernel.new_label("ssde_edge");
            let stmts = kernel.fragment(&code)?;
            self.behind.push(kernel.label_stmt(edge));
            self.behind.extend(stmts);
            self.patch.retarget(inst, edge);
        }
        if falls {
            let stmts = kernel.fragment(&code)?;
            let range = facts.cfg.stmts(turn.from);
            match range.clone().last() {
                Some(last) => self.patch.insert_after(last, stmts),
                None => self.patch.insert_before(range.end, stmts),
            }
        }
        Ok(())
    }

    /// Where lanes meet: those that are going round a loop go on to it.
    fn switch(
        &mut self,
        kernel: &mut Kernel,
        point: Option<SafePoint>,
        label: Label,
        back: &[(usize, &str)],
    ) -> Result<(), Error> {
        let state = self.state.clone();
        let mut predicate = || {
            let reg = kernel.new_reg("ssde_again", Type::Pred);
            kernel.reg_name(reg).to_owned()
        };
        let again = predicate();
        let [others @ .., (_, last)] = back else { return Ok(()) };
        let others: Vec<(String, usize, &str)> =
            others.iter().map(|&(number, header)| (predicate(), number, header)).collect();
        let dispatch = kernel.new_label("ssde_back");
        let name = kernel.label_name(dispatch).to_owned();
        let text = format!("setp.ne.u32 {again}, {state}, 0;\n@{again} bra {name};\n");
        let mut ways = String::new();
        for (which, number, _) in &others {
            ways += &format!("setp.eq.u32 {which}, {state}, {number};\n");
        }
        ways += &format!("mov.b32 {state}, 0;\n");
        for (which, _, header) in &others {
            ways += &format!("@{which} bra {header};\n");
        }
        let ways = kernel.fragment(&format!("{ways}bra {last};\n"))?;
        self.behind.push(kernel.label_stmt(dispatch));
        self.behind.extend(ways);
        let mut code = vec![kernel.label_stmt(label)];
        let Some(point) = point else {
            // All ways out of the kernel lead here.
            self.ends(kernel, label);
            let stmts = kernel.fragment(&(text + "ret;\n"))?;
            code.extend(stmts);
            // Before the edges, so that a body that ends without `ret` comes here.
            code.append(&mut self.behind);
            self.behind = code;
            return Ok(());
        };
        code.extend(kernel.fragment(&text)?);
        let before = self.facts.cfg.insts(point.block).get(point.index).copied();
        let range = self.facts.cfg.stmts(point.block);
        let place = |inst: Inst| range.clone().find(|&stmt| kernel.stmts()[stmt].kind == StmtKind::Inst(inst));
        let behind_labels = || {
            let stmts = &kernel.stmts()[range.clone()];
            let last = stmts.iter().rposition(|stmt| matches!(stmt.kind, StmtKind::Label(_)));
            range.start + last.map_or(0, |label| label + 1)
        };
        let index = match before.and_then(place) {
            Some(index) if point.index > 0 => index,
            Some(_) => behind_labels(),
            None if point.index == 0 => behind_labels(),
            None => range.end,
        };
        self.patch.insert_before(index, code);
        Ok(())
    }

    /// Leads every end of the kernel to a label.
    fn ends(&mut self, kernel: &mut Kernel, label: Label) {
        let name = kernel.label_name(label).to_owned();
        for index in 0..kernel.stmts().len() {
            let StmtKind::Inst(inst) = kernel.stmts()[index].kind else { continue };
            if !matches!(kernel.properties(inst).flow, Flow::Return | Flow::Exit) {
                continue;
            }
            let guard = kernel.inst(inst).guard;
            let guard = guard.map_or(String::new(), |guard| {
                format!("@{}{} ", if guard.negated { "!" } else { "" }, kernel.reg_name(guard.reg))
            });
            if let Ok(code) = kernel.fragment(&format!("{guard}bra {name};\n")) {
                self.patch.replace(index..index + 1, code);
            }
        }
    }
}
