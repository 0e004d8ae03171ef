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
//! # Parts of a warp
//!
//! Where a vote, an exchange or a barrier of the warp names some lanes, or a mask that is computed, those that it names come together before it, whatever
//! the others do meanwhile. Then nobody waits at `MEET` until all others want to do something together; each round leads everybody through it:
//!
//! ```text
//! MEET:   @state = 4 ret
//!         here = activemask;  peers = match.any.sync(key, here)    key: which gate I want to pass, if any
//!         @state < 3 bra PASSED                                    who is on his way goes on
//!         @(members & here & ~peers) bra PASSED                    somebody whom I need is elsewhere
//!         which state?  3: SHUFFLE
//! SHUFFLE: …;  state = 2
//! PASSED: bra AGAIN                                                state 3 leads to MEET
//! ```
//!
//! - On a machine with a reconvergence stack, all lanes that have not ended are at `MEET` together, so that `here` is all of them: whoever passes has all
//!   whom he needs with him, and one that spins keeps nobody back. If all lanes stand at gates and none may pass, then nobody could pass in the original either, whose
//!   lanes wait for the same ones.
//! - Where lanes go on independently, `here` may be fewer. `match.any.sync` waits for nobody then, because those that were told of each other execute it next, and
//!   whoever passes waits for the rest at the operation itself. Who does not pass waits for somebody who is at another gate, or on his way to the same one.
//! - Barriers of the warp with one mask are one gate, which a second `match.any.sync` of the masks tells: lanes may meet at several of them (PTX ISA, "bar.warp.sync"). Those that
//!   pass go to the barrier that each of them stands at; on a reconvergence stack they wait there for ever, as in the original.
//! - The result of `activemask` itself is used by no one else.
//!
//! - Lanes for which the guard of such an instruction does not hold pass it by through a branch, and none of them is waited for there.
//!
//! The barriers of a CTA are for whole warps, also if they count threads or are not aligned: they count warps. Barriers are one gate to each other: warps
//! that are apart at two of them stay so.
//!
//! That costs more than a switch at a safe point ([`crate::rewrite::section`]), and needs to know nothing: not where the loops are entered, nor from where branch
//! tables lead to them, nor which ways through the switches can be taken.

use analysis::{Analyses, Block};
use cranelift_entity::{EntityRef, PrimaryMap, entity_impl};
use petgraph::algo::kosaraju_scc;
use petgraph::graphmap::DiGraphMap;
use ptx_parser::{
    Code, Flow, Guard, Inst, Kernel, Label, Mnemonic, Modifier, Operand, Patch, Reg, Relation, Stmt, StmtKind, Type,
};
use rustc_hash::FxHashSet;

use crate::detect::accesses::reads;
use crate::detect::blocked_region::waits_for_all;
use crate::detect::finding::At;
use crate::detect::loops::{Cycle, cycles};
use crate::detect::module_context::Context;
use crate::detect::spin_loops::is_promised;
use crate::detect::survey::may_wait;
use crate::rewrite::emit::{behind_labels, distinct, falls_out, insts};
use crate::rewrite::refusal::Refusal;
use crate::rewrite::section::{is_together, turns};

/// Leads all loops of a kernel in which lanes could wait through one dispatch.
///
/// # Errors
/// What lanes do together that not all of the warp come to; the kernel has too many registers or labels.
pub(crate) fn dispatch(facts: &Analyses, kernel: &Kernel, context: &Context) -> Result<Kernel, Refusal> {
    let gates = gates(facts, kernel, context)?;
    let heads = heads(facts, kernel, context, &gates);
    let mut result = kernel.clone();
    let mut dispatch = Dispatch::of(&mut result, heads.len(), &gates);
    for (case, &head) in dispatch.cases.keys().skip(1).zip(&heads) {
        dispatch.head(facts, case, head)?;
    }
    for (id, gate) in dispatch.gates.keys().zip(&gates) {
        dispatch.gate(id, gate)?;
    }
    dispatch.ends(facts)?;
    dispatch.begin(facts)?;
    let Dispatch { mut patch, behind, .. } = dispatch;
    patch.append(behind);
    result.apply(patch)?;
    Ok(result)
}

/// A part of a block that the lanes of a warp execute together, from its first to its last statement. A lane that reaches the first reaches
/// the last.
struct Gate {
    first: usize,
    last: usize,
    who: Who,
    /// The guard of its instruction, if it has one: the other lanes go past the gate.
    guard: Option<Guard>,
}

/// The lanes that have to come to a gate before any of them passes it.
#[derive(Clone, Copy, PartialEq)]
enum Who {
    /// All of the warp that have not ended, as is known of the instruction.
    All,
    /// All of the warp, at this barrier or another one.
    Warp,
    /// Those of a mask, a number or a register, at this instruction.
    Members(Operand),
    /// Those of a mask, at this barrier or at another one with the mask.
    Meeting(Operand),
}

impl Who {
    /// The lanes that an instruction waits for.
    fn of(facts: &Analyses, kernel: &Kernel, context: &Context, inst: Inst) -> Option<Who> {
        if waits_for_all(facts, kernel, inst) {
            return Some(Who::All);
        }
        let (properties, opcode) = (kernel.properties(inst), kernel.opcode(inst));
        if !context.has_match {
            return None;
        }
        let is_barrier = [Mnemonic::Bar, Mnemonic::Barrier].contains(&opcode.mnemonic());
        let of_cta = is_barrier && !opcode.has(Modifier::Cluster) && !opcode.has(Modifier::Warp);
        if of_cta || opcode.has(Modifier::Aligned) {
            return Some(Who::Warp);
        }
        let mask = match *kernel.operands(inst).last().filter(|_| properties.waits_for_named)? {
            Operand::Int(mask) => (mask as u32).into(),
            Operand::Reg(mask) => mask.into(),
            _ => return None,
        };
        Some(if is_barrier { Who::Meeting(mask) } else { Who::Members(mask) })
    }
}

/// Returns what lanes do together, block by block.
fn gates(facts: &Analyses, kernel: &Kernel, context: &Context) -> Result<Vec<Gate>, Refusal> {
    let mut gates: Vec<(Block, Gate)> = Vec::new();
    for block in facts.cfg.blocks().filter(|&block| facts.cfg.is_reachable(block)) {
        for (place, inst) in insts(facts, kernel, block) {
            if !is_together(kernel, inst) {
                continue;
            }
            let Some(who) = Who::of(facts, kernel, context, inst) else {
                return Err(Refusal::Together { at: At::of(kernel, inst) });
            };
            match gates.last_mut().filter(|(last, gate)| *last == block && gate.takes(kernel, &who, (inst, place))) {
                Some((_, gate)) => gate.last = place,
                None => {
                    let guard = kernel.inst(inst).guard;
                    gates.push((block, Gate { first: place, last: place, who, guard }));
                }
            }
        }
    }
    Ok(gates.into_iter().map(|(_, gate)| gate).collect())
}

impl Gate {
    /// Returns true if those who have passed it are all that the instruction at a place behind it, in the same block, waits for.
    fn takes(&self, kernel: &Kernel, who: &Who, (inst, place): (Inst, usize)) -> bool {
        let writes = |stmt: &Stmt| match stmt.kind {
            StmtKind::Inst(inst) => kernel.defs(inst).into_iter().any(|reg| match who {
                Who::Members(mask) => *mask == Operand::Reg(reg),
                _ => false,
            }),
            _ => false,
        };
        // At barriers, those who pass may go on from several places.
        let is_one = self.who == *who && !matches!(who, Who::Meeting(_));
        let all_come = self.guard.is_none() && kernel.inst(inst).guard.is_none();
        is_one && all_come && !kernel.stmts().iter().take(place).skip(self.first).any(writes)
    }
}

/// The blocks where loops in which lanes could wait begin, but for those that begin with what lanes do together: there they meet anyway.
fn heads(facts: &Analyses, kernel: &Kernel, context: &Context, gates: &[Gate]) -> Vec<Block> {
    let cycles = cycles(facts);
    let waits = may_wait(facts, kernel, context, &cycles);
    let waiting: Vec<&Cycle> = waits.iter().map(|id| &cycles[id]).collect();
    let turns = turns(facts, waiting.iter().copied());
    let learns: FxHashSet<Block> =
        facts.cfg.blocks().filter(|&block| may_learn(facts, kernel, context, &waiting, block)).collect();
    let met = |block: Block| {
        let first = facts.cfg.insts(block).first().and_then(|&inst| facts.cfg.stmt_of(kernel, inst));
        // Gates are in the order of the text.
        first.is_some_and(|first| gates.binary_search_by_key(&first, |gate| gate.first).is_ok())
    };
    let mut heads: Vec<Block> = distinct(turns.iter().map(|&(_, to)| to));
    heads.retain(|&head| !met(head));
    // A loop in another one may go round without coming to where that is entered.
    loop {
        let more = entered(facts, &learns, |block| heads.binary_search(&block).is_ok() || is_gate(facts, gates, block));
        if more.is_empty() {
            return heads;
        }
        heads = distinct(heads.into_iter().chain(more));
    }
}

/// Returns true if lanes do something together in a block.
fn is_gate(facts: &Analyses, gates: &[Gate], block: Block) -> bool {
    let stmts = facts.cfg.stmts(block);
    gates.iter().any(|gate| stmts.contains(&gate.first))
}

/// Returns true if lanes may learn in a block of something that another thread does: also by weak reads, in loops that may wait.
fn may_learn(facts: &Analyses, kernel: &Kernel, context: &Context, waiting: &[&Cycle], block: Block) -> bool {
    let insts = facts.cfg.insts(block);
    let in_a_wait = || waiting.iter().any(|cycle| cycle.contains(facts, block));
    insts.iter().any(|&inst| is_promised(kernel, inst))
        || (insts.iter().any(|&inst| reads(facts, kernel, context, inst)) && in_a_wait())
}

/// Returns where the loops are entered in which lanes could wait and that come by none of some blocks.
fn entered(facts: &Analyses, learns: &FxHashSet<Block>, cut: impl Fn(Block) -> bool) -> Vec<Block> {
    let mut graph: DiGraphMap<Block, ()> = DiGraphMap::new();
    for block in facts.cfg.blocks().filter(|&block| facts.cfg.is_reachable(block)) {
        for next in facts.cfg.distinct_succs(block).into_iter().filter(|&next| !cut(next)) {
            graph.add_edge(block, next, ());
        }
    }
    let goes_round = |part: &Vec<Block>| match *part.as_slice() {
        [block] => graph.contains_edge(block, block),
        _ => true,
    };
    let may_wait = |part: &Vec<Block>| part.iter().any(|block| learns.contains(block));
    let parts = kosaraju_scc(&graph).into_iter().filter(|part| goes_round(part) && may_wait(part));
    parts
        .flat_map(|part| {
            let outside = |&block: &Block| facts.cfg.preds(block).iter().any(|pred| !part.contains(pred));
            part.iter().copied().filter(outside).collect::<Vec<Block>>()
        })
        .collect()
}

/// A state in which lanes go on in a round, and the place where they do: the start, behind the heads of loops, behind the gates.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Case(u32);
entity_impl!(Case, "case");

impl Case {
    const START: Case = Case(0);
}

/// Names a gate, in the order of the text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct GateId(u32);
entity_impl!(GateId, "gate");

/// A dispatch, as it is written.
struct Dispatch<'k> {
    kernel: &'k mut Kernel,
    patch: Patch,
    /// The statements behind the last statement of the body.
    behind: Vec<Stmt>,
    state: Reg,
    again: Label,
    meet: Label,
    passed: Label,
    cases: PrimaryMap<Case, Label>,
    /// The gates, whose states follow.
    gates: PrimaryMap<GateId, Label>,
    /// The registers for the key of a gate and for the lanes that it needs, if parts of a warp meet.
    parts: Option<[Reg; 2]>,
    /// True if parts come together at barriers, so that those with different masks have one key.
    meeting: bool,
}

impl<'k> Dispatch<'k> {
    fn of(kernel: &'k mut Kernel, heads: usize, gates: &[Gate]) -> Dispatch<'k> {
        let parts = gates.iter().any(|gate| gate.who != Who::All);
        let parts = parts.then(|| ["ssde_key", "ssde_needed"].map(|stem| kernel.new_reg(stem, Type::B32)));
        let meeting = gates.iter().any(|gate| matches!(gate.who, Who::Meeting(_)));
        let gates = gates.len();
        let state = kernel.new_reg("ssde_state", Type::B32);
        let [again, meet, passed] = ["ssde_again", "ssde_meet", "ssde_passed"].map(|stem| kernel.new_label(stem));
        Dispatch {
            state,
            patch: Patch::new(),
            behind: Vec::new(),
            again,
            meet,
            passed,
            cases: (0..=heads + gates).map(|_| kernel.new_label("ssde_case")).collect(),
            gates: (0..gates).map(|_| kernel.new_label("ssde_gate")).collect(),
            parts,
            meeting,
            kernel,
        }
    }

    /// Returns how many states there are in which lanes go on in a round. A kernel has fewer blocks than its text has bytes, of which there are less than 2^32.
    fn count(&self) -> u32 {
        self.cases.len() as u32
    }

    /// The state of lanes that have come to the end of the kernel.
    fn done(&self) -> u32 {
        self.count() + self.gates.len() as u32
    }

    /// The way to where lanes meet, with a state, and what stands behind it.
    fn meeting(&self, state: u32, behind: Option<Label>, code: &mut Code) {
        self.way(state, self.meet, behind, code);
    }

    fn way(&self, state: u32, to: Label, behind: Option<Label>, code: &mut Code) {
        code.ins().mov(Type::B32, self.state, state);
        code.ins().bra(to);
        if let Some(behind) = behind {
            code.label(behind);
        }
    }

    /// Lanes that come to where a loop begins meet, and go on in the next round.
    fn head(&mut self, facts: &Analyses, case: Case, head: Block) -> Result<(), Refusal> {
        let mut code = Code::new();
        self.meeting(case.as_u32(), Some(self.cases[case]), &mut code);
        let code = self.kernel.build(code)?;
        self.patch.insert_before(behind_labels(facts, self.kernel, head), code);
        Ok(())
    }

    /// Lanes that come to what they do together meet, do it when all others are there, and go on in the next round.
    fn gate(&mut self, id: GateId, gate: &Gate) -> Result<(), Refusal> {
        let state = self.count() + id.as_u32();
        let case = Case::new(self.cases.len() - self.gates.len() + id.index());
        let mut before = Code::new();
        if let Some(guard) = gate.guard {
            before.unless(guard).bra(self.cases[case]);
        }
        if let Some([key, needed]) = self.parts {
            let (key_number, who) = match gate.who {
                Who::Members(mask) => (state, mask),
                // Barriers are one gate, those of a mask as well.
                Who::Meeting(mask) => (self.done() + 1, mask),
                Who::All | Who::Warp => (self.done(), Operand::Int(-1)),
            };
            before.ins().mov(Type::B32, key, key_number);
            before.ins().mov(Type::B32, needed, who);
        }
        self.meeting(state, Some(self.gates[id]), &mut before);
        let mut behind = Code::new();
        self.way(case.as_u32(), self.passed, Some(self.cases[case]), &mut behind);
        self.patch.insert_before(gate.first, self.kernel.build(before)?);
        self.patch.insert_after(gate.last, self.kernel.build(behind)?);
        Ok(())
    }

    /// Whoever comes to an end of the kernel waits for the others first.
    fn ends(&mut self, facts: &Analyses) -> Result<(), Refusal> {
        let ended = self.kernel.new_label("ssde_ended");
        let falls = facts.cfg.blocks().last().is_some_and(|last| falls_out(facts, self.kernel, last));
        let returns = |kernel: &Kernel, inst: Inst| matches!(kernel.properties(inst).flow, Flow::Return | Flow::Exit);
        let mut guarded = false;
        let ends = self.kernel.stmts().iter().enumerate().filter_map(|(index, stmt)| match stmt.kind {
            StmtKind::Inst(inst) if returns(self.kernel, inst) => Some((index, inst)),
            _ => None,
        });
        for (index, inst) in ends.collect::<Vec<_>>() {
            let mut code = Code::new();
            match self.kernel.inst(inst).guard {
                None => self.meeting(self.done(), None, &mut code),
                Some(guard) => {
                    guarded = true;
                    code.when(guard).bra(ended);
                }
            }
            self.patch.replace(index..index + 1, self.kernel.build(code)?);
        }
        if guarded || falls {
            let mut code = Code::new();
            if guarded {
                code.label(ended);
            }
            self.meeting(self.done(), None, &mut code);
            self.behind.extend(self.kernel.build(code)?);
        }
        Ok(())
    }

    /// The dispatch itself: before the first statement, and where lanes meet.
    fn begin(&mut self, facts: &Analyses) -> Result<(), Refusal> {
        let mut code = Code::new();
        code.ins().mov(Type::B32, self.state, 0);
        code.label(self.again);
        let cases = self.cases.clone();
        if self.parts.is_some() {
            let stays = self.predicate("ssde_stays");
            code.ins().setp(Relation::GreaterOrEqual, Type::U32, stays, self.state, self.count());
            code.when(stays).bra(self.meet);
        }
        self.choice(0, cases.as_values_slice(), &mut code);
        code.label(cases[Case::START]);
        // Before the labels of the first block: no loop leads there.
        self.patch.insert_before(facts.cfg.stmts(facts.cfg.entry()).start, self.kernel.build(code)?);
        let mut code = Code::new();
        code.label(self.meet);
        match self.parts {
            Some([key, needed]) => self.part(key, needed, &mut code),
            None => self.whole(&mut code),
        }
        self.behind.extend(self.kernel.build(code)?);
        Ok(())
    }

    /// Writes the code of the meeting point if whole warps meet.
    fn whole(&mut self, code: &mut Code) {
        let (again, ended) = (self.predicate("ssde_on"), self.predicate("ssde_done"));
        code.ins().setp(Relation::Less, Type::U32, again, self.state, self.count());
        code.when(again).bra(self.again);
        if self.gates.is_empty() {
            code.ins().ret();
            return;
        }
        code.ins().setp(Relation::Equal, Type::U32, ended, self.state, self.done());
        code.when(ended).ret();
        self.pass(code);
    }

    /// Writes the code of the meeting point if parts of a warp meet.
    fn part(&mut self, key: Reg, needed: Reg, code: &mut Code) {
        use Type::{B32, U32};
        let [ended, going, waits] = ["ssde_done", "ssde_going", "ssde_waits"].map(|stem| self.predicate(stem));
        let [want, here, peers] =
            ["ssde_want", "ssde_here", "ssde_peers"].map(|stem| self.kernel.new_reg(stem, Type::B32));
        code.ins().setp(Relation::Equal, U32, ended, self.state, self.done());
        code.when(ended).ret();
        code.ins().setp(Relation::Less, U32, going, self.state, self.count());
        code.ins().selp(B32, want, -1, key, going);
        code.ins().activemask(here);
        code.ins().match_any(peers, want, here);
        if self.meeting {
            let fellows = self.kernel.new_reg("ssde_fellows", Type::B32);
            code.ins().match_any(fellows, needed, here);
            code.ins().and(B32, peers, peers, fellows);
        }
        code.ins().and(B32, here, here, needed);
        code.ins().and(B32, peers, peers, here);
        code.ins().setp(Relation::NotEqual, U32, waits, peers, here);
        code.when(going).bra(self.passed);
        code.when(waits).bra(self.passed);
        self.pass(code);
    }

    /// Lanes that may pass go to their gates, and all come back to the next round.
    fn pass(&mut self, code: &mut Code) {
        let gates = self.gates.clone();
        self.choice(self.count(), gates.as_values_slice(), code);
        code.label(self.passed);
        code.ins().bra(self.again);
    }

    /// Goes to the label of a lane's state, by halves.
    fn choice(&mut self, first: u32, labels: &[Label], code: &mut Code) {
        if let [label] = *labels {
            code.ins().bra(label);
            return;
        }
        let (low, high) = labels.split_at(labels.len() / 2);
        let (upper, less) = (self.kernel.new_label("ssde_upper"), self.predicate("ssde_less"));
        let middle = first + low.len() as u32;
        code.ins().setp(Relation::GreaterOrEqual, Type::U32, less, self.state, middle);
        code.when(less).bra(upper);
        self.choice(first, low, code);
        code.label(upper);
        self.choice(middle, high, code);
    }

    fn predicate(&mut self, stem: &str) -> Reg {
        self.kernel.new_reg(stem, Type::Pred)
    }
}
