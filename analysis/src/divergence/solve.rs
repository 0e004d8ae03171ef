//! The fixed point of divergence: sources first, then a worklist of values and branches that have become divergent.

use std::collections::VecDeque;

use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::PackedOption;
use ptx_parser::{Flow, Inst, Kernel, KernelKind, Memory, Space};
use rustc_hash::{FxHashMap, FxHashSet};

use super::source::{self, Results};
use super::sync_dependence::{Influences, Join};
use super::temporal::Escapes;
use super::{Cause, Divergence};
use crate::cfg::{Block, Cfg};
use crate::loop_invariance::Invariance;
use crate::loops::{Loop, Loops};
use crate::ssa::{User, Value, ValueKind, Values};

enum Work {
    Value(Value),
    Branch(Block),
}

/// The state of the fixed point: what has been found, and what of it has not yet been spread.
pub(super) struct Solver<'a> {
    kernel: &'a Kernel,
    cfg: &'a Cfg,
    loops: &'a Loops,
    values: &'a Values,
    invariance: &'a Invariance,
    influences: Influences<'a>,
    /// Reads behind loops, once a loop was found that lanes leave apart.
    escapes: Option<Escapes>,
    /// Votes whose results are uniform unless lanes reach their block apart.
    votes: SecondaryMap<Block, Vec<Inst>>,
    work: VecDeque<Work>,
    /// True if lanes that end early are left out.
    of_those_that_stay: bool,
    found: Divergence,
}

impl<'a> Solver<'a> {
    pub(super) fn new(
        kernel: &'a Kernel,
        cfg: &'a Cfg,
        loops: &'a Loops,
        values: &'a Values,
        invariance: &'a Invariance,
        influences: Influences<'a>,
    ) -> Solver<'a> {
        Solver {
            kernel,
            cfg,
            loops,
            values,
            invariance,
            influences,
            escapes: None,
            votes: SecondaryMap::new(),
            work: VecDeque::new(),
            of_those_that_stay: false,
            found: Divergence {
                uniform_entry: kernel.kind() == KernelKind::Entry,
                values: SecondaryMap::with_capacity(values.count()),
                branches: SecondaryMap::with_capacity(cfg.block_count()),
                blocks: SecondaryMap::with_capacity(cfg.block_count()),
                loops: SecondaryMap::new(),
                late: FxHashMap::default(),
                left_apart: SecondaryMap::new(),
            },
        }
    }

    /// The same of the lanes that do not end early.
    pub(super) fn of_those_that_stay(self) -> Solver<'a> {
        Solver { of_those_that_stay: true, ..self }
    }

    pub(super) fn solve(mut self) -> Divergence {
        self.seed();
        self.run();
        self.note_loops_left_apart();
        self.found
    }

    fn seed(&mut self) {
        for value in self.values.iter() {
            if let ValueKind::Undefined(reg) = self.values.kind(value) {
                let name = self.kernel.reg_name(reg);
                let params = self.kernel.params();
                if params.iter().any(|param| param.space == Space::Reg && &*param.name == name) {
                    self.mark_value(value, Cause::Argument(reg));
                }
            }
        }
        for block in self.cfg.blocks() {
            for &inst in self.cfg.insts(block) {
                if self.values.defs(inst).is_empty() {
                    continue;
                }
                match source::results(self.kernel, self.values, inst) {
                    Results::Divergent(cause) => self.mark_results(inst, cause),
                    Results::SameInWarp if !self.found.uniform_entry => self.mark_results(inst, Cause::Exchange(inst)),
                    Results::SameInWarp => self.votes[block].push(inst),
                    Results::FollowInputs => {}
                }
            }
        }
    }

    fn run(&mut self) {
        while let Some(work) = self.work.pop_front() {
            match work {
                Work::Value(value) => {
                    if let Some(cause) = self.found.values[value] {
                        for &user in self.values.users(value) {
                            self.taint(value, user, cause);
                        }
                    }
                }
                Work::Branch(block) => self.part(block),
            }
        }
    }

    fn mark_value(&mut self, value: Value, cause: Cause) {
        if self.found.values[value].is_none() {
            self.found.values[value] = Some(cause);
            self.work.push_back(Work::Value(value));
        }
    }

    fn mark_results(&mut self, inst: Inst, cause: Cause) {
        for &(_, value) in self.values.defs(inst) {
            self.mark_value(value, cause);
        }
    }

    /// A user sees a divergent value.
    fn taint(&mut self, value: Value, user: User, cause: Cause) {
        let inst = match user {
            User::Phi(phi) => return self.mark_value(phi, cause),
            User::Inst(inst) => inst,
        };
        if let Some(block) = self.cfg.block_of(inst).filter(|&block| self.cfg.terminator(block) == Some(inst))
            && self.cfg.ways(block) > 1
            && self.found.branches[block].is_none()
        {
            self.found.branches[block] = Some(cause);
            self.work.push_back(Work::Branch(block));
        }
        if self.values.defs(inst).is_empty() {
            return;
        }
        // The lanes' contributions to a vote may differ, but not whether they take part.
        let reads = if source::results(self.kernel, self.values, inst) == Results::SameInWarp {
            let guard = self.kernel.inst(inst).guard.and_then(|guard| self.values.at_use(inst, guard.reg));
            guard == Some(value)
        } else {
            let reads = self.kernel.reads(inst);
            reads.into_iter().any(|reg| self.values.at_use(inst, reg) == Some(value))
        };
        for &(_, def) in self.values.defs(inst) {
            if reads || self.values.old(def) == Some(value) {
                self.mark_value(def, cause);
            }
        }
    }

    /// Lanes part at the end of a block.
    fn part(&mut self, branch: Block) {
        let (Some(inst), true) = (self.cfg.terminator(branch), self.cfg.is_reachable(branch)) else { return };
        if self.of_those_that_stay && self.ends_early(branch) {
            return;
        }
        let influence = self.influences.of(branch);
        for join in influence.joins {
            for &phi in self.values.phis(join.block) {
                if self.found.values[phi].is_none() && self.mixes(join, phi) {
                    self.mark_value(phi, Cause::Join(inst));
                }
            }
        }
        for block in influence.blocks {
            if self.found.blocks[block].is_none() {
                self.found.blocks[block] = inst.into();
                for vote in std::mem::take(&mut self.votes[block]) {
                    self.mark_results(vote, Cause::Exchange(vote));
                }
            }
        }
        for id in influence.loops {
            if self.found.loops[id].is_none() {
                self.found.loops[id] = inst.into();
                self.leave_apart(id, inst);
            }
        }
    }

    /// Returns true if lanes only end behind a branch that is in no loop, or go on: those that end do nothing that others see, or wait for, before that.
    fn ends_early(&self, branch: Block) -> bool {
        let does_nothing = |&inst: &Inst| {
            let properties = self.kernel.properties(inst);
            matches!(properties.memory, Memory::None | Memory::Read)
                && matches!(properties.flow, Flow::Next | Flow::Branch | Flow::Return | Flow::Exit)
                && !properties.convergent
        };
        let is_in_loop = |block: Block| self.loops.innermost(block).is_some() || self.loops.is_irreducible(block);
        let only_ends = |first: Block| {
            let (mut seen, mut work) = (FxHashSet::from_iter([first]), vec![first]);
            while let Some(block) = work.pop() {
                if !self.cfg.insts(block).iter().all(does_nothing) || is_in_loop(block) {
                    return false;
                }
                work.extend(self.cfg.distinct_succs(block).into_iter().filter(|&next| seen.insert(next)));
            }
            true
        };
        !is_in_loop(branch) && (self.cfg.exits(branch) || self.cfg.distinct_succs(branch).into_iter().any(only_ends))
    }

    /// Returns true if a phi at a join takes different values for lanes that parted at the branch last looked at.
    fn mixes(&mut self, join: Join, phi: Value) -> bool {
        let (values, influences) = (self.values, &mut self.influences);
        let inputs = values.phi_inputs(phi).iter();
        let mut arriving = inputs.filter(|(pred, _)| influences.arrives(join.block, *pred));
        join.across_iterations || {
            let first = arriving.next().map(|(_, value)| *value);
            arriving.any(|(_, value)| Some(*value) != first)
        }
    }

    /// Lanes leave a loop in different iterations: behind it, what changes in it differs.
    fn leave_apart(&mut self, id: Loop, branch: Inst) {
        let cause = Cause::LoopExit(branch);
        let (cfg, loops, values, invariance) = (self.cfg, self.loops, self.values, self.invariance);
        let escapes = self.escapes.get_or_insert_with(|| Escapes::of(cfg, loops, values, invariance));
        for (value, user) in escapes.take(loops, id) {
            if let User::Inst(inst) = user {
                self.found.late.entry((inst, value)).or_insert(branch);
            }
            self.taint(value, user, cause);
        }
    }

    fn note_loops_left_apart(&mut self) {
        // Of each loop, the innermost one around it, or itself, that is left apart. Outer loops come first.
        let mut apart: SecondaryMap<Loop, PackedOption<Loop>> = SecondaryMap::new();
        for id in self.loops.iter() {
            let around = self.loops.parent(id).and_then(|parent| apart[parent].expand());
            apart[id] = if self.found.is_left_apart(id) { Some(id) } else { around }.into();
        }
        for value in self.values.iter() {
            self.found.left_apart[value] = self.invariance.changes_in(value).and_then(|id| apart[id].expand()).into();
        }
    }
}
