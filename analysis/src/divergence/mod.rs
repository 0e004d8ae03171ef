//! Divergence: which values can differ between the lanes of a warp, and which blocks lanes can reach apart.
//!
//! # What is promised
//!
//! - A block is *whole-warp* if all lanes of the warp execute it, equally often: every lane passes through the same
//!   whole-warp blocks in the same order. They need not be there at the same moment: under independent thread
//!   scheduling, only a `.sync` instruction makes lanes wait for each other.
//! - A value is *uniform* if all lanes that execute its definition in the same instance get the same value. An
//!   instance of a whole-warp block is one passage through it. Between two of those, an instance is told by how often
//!   the lane has gone round each loop about the block since it entered that loop.
//! - A use is uniform if the value is and if all lanes that get there in the same instance read it from the same
//!   instance. A loop that lanes leave in different iterations breaks the second half: its counter is uniform in the
//!   loop and not behind it.
//!
//! # Where divergence comes from
//!
//! Special registers other than those of the grid and the CTA; loads, but for those from constant memory and from the
//! parameters of a `.entry` at a uniform address; atomics; exchanges between lanes; calls; unknown opcodes; addresses
//! of local memory. The result of `vote.sync.{all,any,uni,ballot}` is uniform if the mask names all lanes and the
//! block is whole-warp.
//!
//! # How it spreads
//!
//! From inputs to results; from a guard to what is written under it; from a branch to the phis at joins of its paths,
//! to the blocks that lanes reach apart, and to the uses behind loops that lanes leave apart (see the file
//! `sync_dependence.rs`). This runs until nothing changes.
//!
//! # Assumptions
//!
//! A called function returns in every lane that called it. A loop that can be left is left. In a `.func`, the caller
//! may be divergent: its parameters are divergent and none of its blocks is whole-warp. The warp starts with all of
//! its lanes in a `.entry`; lanes that do not exist, where the CTA's size is not a multiple of 32, do not count.
//! Nothing else holds an address of another thread's local memory.

mod cause;
mod solve;
mod source;
mod sync_dependence;
mod temporal;

use std::fmt::Write as _;

use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::PackedOption;
use ptx_parser::{Inst, Kernel, Reg};
use rustc_hash::FxHashMap;

pub use self::cause::Cause;
use self::solve::Solver;
use self::sync_dependence::Influences;
use crate::analyses::Analyses;
use crate::cfg::{Block, Cfg};
use crate::dominators::{Dominators, PostDominators};
use crate::loop_invariance::Invariance;
use crate::loops::{Loop, Loops};
use crate::ssa::{Value, Values};

/// The divergent values, branches, blocks and loops of a kernel, each with its cause. The head of the module defines the terms.
#[derive(Clone, Debug)]
pub struct Divergence {
    uniform_entry: bool,
    values: SecondaryMap<Value, Option<Cause>>,
    branches: SecondaryMap<Block, Option<Cause>>,
    /// The branch that makes lanes reach a block apart.
    blocks: SecondaryMap<Block, PackedOption<Inst>>,
    /// The branch by which lanes leave a loop apart.
    loops: SecondaryMap<Loop, PackedOption<Inst>>,
    /// Uses behind such a loop of a value that changes in it.
    late: FxHashMap<(Inst, Value), Inst>,
    /// The innermost of these loops in which a value changes.
    left_apart: SecondaryMap<Value, PackedOption<Loop>>,
}

impl Divergence {
    /// Computes it.
    #[must_use]
    pub fn of(
        kernel: &Kernel,
        cfg: &Cfg,
        dominators: &Dominators,
        postdominators: &PostDominators,
        loops: &Loops,
        values: &Values,
        invariance: &Invariance,
    ) -> Divergence {
        let influences = Influences::new(cfg, dominators, postdominators, loops);
        Solver::new(kernel, cfg, loops, values, invariance, influences).solve()
    }

    /// Computes it for the lanes of a warp that do not end early: a branch outside of all loops does not part them, if lanes on one of its ways only end, without anything that others
    /// see. The others are the warp from there on, and a vote that names all lanes is one of theirs.
    #[must_use]
    pub fn of_those_that_stay(kernel: &Kernel, facts: &Analyses) -> Divergence {
        let Analyses { cfg, dominators, postdominators, loops, values, invariance, .. } = facts;
        let influences = Influences::new(cfg, dominators, postdominators, loops);
        Solver::new(kernel, cfg, loops, values, invariance, influences).of_those_that_stay().solve()
    }

    /// Returns true if the whole warp starts here: true for a `.entry`, false for a `.func`, whose caller may be divergent.
    #[must_use]
    pub fn entry_is_uniform(&self) -> bool {
        self.uniform_entry
    }

    /// Returns true if all lanes that execute the value's definition in the same instance get the same value.
    #[must_use]
    pub fn value_is_uniform(&self, value: Value) -> bool {
        self.values[value].is_none()
    }

    /// Returns true if all lanes that execute `inst` in the same instance see the same value in a register that it uses
    /// ([`Kernel::uses`]). False for a register that it does not use.
    #[must_use]
    pub fn use_is_uniform(&self, values: &Values, inst: Inst, reg: Reg) -> bool {
        values.at_use(inst, reg).is_some_and(|value| self.use_cause(inst, value).is_none())
    }

    /// Returns true if all lanes that come to a block in the same instance hold the same value there, the value being live
    /// there.
    #[must_use]
    pub fn is_uniform_at(&self, loops: &Loops, value: Value, block: Block) -> bool {
        self.value_is_uniform(value) && self.left_apart[value].expand().is_none_or(|id| loops.contains(id, block))
    }

    /// Returns true if lanes that come to the end of a block in the same instance can go different ways.
    #[must_use]
    pub fn branch_is_divergent(&self, block: Block) -> bool {
        self.branches[block].is_some()
    }

    /// Returns true if some lanes may execute a block while others of the warp do not, or in another order with other blocks:
    /// it is control-dependent on a divergent branch, an early return included. The blocks of a loop that lanes leave
    /// in different iterations are.
    #[must_use]
    pub fn block_is_divergent(&self, block: Block) -> bool {
        !self.uniform_entry || self.blocks[block].is_some()
    }

    /// Returns true if the whole warp executes a block together: the opposite of [`Divergence::block_is_divergent`].
    #[must_use]
    pub fn is_whole_warp(&self, block: Block) -> bool {
        !self.block_is_divergent(block)
    }

    /// Returns true if lanes can leave a loop in different iterations.
    #[must_use]
    pub fn is_left_apart(&self, id: Loop) -> bool {
        self.loops[id].is_some()
    }

    /// Returns the reason why a value is divergent; `None` if it is uniform.
    #[must_use]
    pub fn reason_value(&self, value: Value) -> Option<Cause> {
        self.values[value]
    }

    /// Returns the reason why a use is divergent; `None` if it is uniform, or if the instruction does not use the register.
    #[must_use]
    pub fn reason_use(&self, values: &Values, inst: Inst, reg: Reg) -> Option<Cause> {
        values.at_use(inst, reg).and_then(|value| self.use_cause(inst, value))
    }

    /// Returns the reason why the branch at the end of a block is divergent; `None` if it is not.
    #[must_use]
    pub fn reason_branch(&self, block: Block) -> Option<Cause> {
        self.branches[block]
    }

    /// Returns the reason why a block is divergent: [`Cause::Join`] with the branch at which lanes part, or [`Cause::Entry`].
    #[must_use]
    pub fn reason_block(&self, block: Block) -> Option<Cause> {
        match self.blocks[block].expand() {
            Some(branch) => Some(Cause::Join(branch)),
            None => (!self.uniform_entry).then_some(Cause::Entry),
        }
    }

    fn use_cause(&self, inst: Inst, value: Value) -> Option<Cause> {
        self.values[value].or_else(|| self.late.get(&(inst, value)).map(|&branch| Cause::LoopExit(branch)))
    }

    /// Per block, whether it is whole-warp, then one line per value that it defines and one for its branch.
    #[must_use]
    pub fn describe(&self, kernel: &Kernel, cfg: &Cfg, loops: &Loops, values: &Values) -> String {
        let line = |inst| kernel.text_position(inst).map_or_else(|| format!("{inst}"), |at| format!("L{}", at.line));
        let verdict = |cause: Option<Cause>| match cause {
            Some(cause) => format!("divergent: {}", cause.describe(kernel)),
            None => "uniform".to_owned(),
        };
        let mut text = String::new();
        for block in cfg.blocks() {
            let reach = match self.reason_block(block) {
                Some(Cause::Join(branch)) => format!("lanes part at {}", line(branch)),
                Some(_) => "lanes may arrive apart".to_owned(),
                None => "whole warp".to_owned(),
            };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{}: {reach}", cfg.name(kernel, block));
            for &phi in values.phis(block) {
                let _ = writeln!(text, "  {} {}", values.name(kernel, cfg, phi), verdict(self.values[phi]));
            }
            for &inst in cfg.insts(block) {
                for &(reg, value) in values.uses(inst) {
                    if let Some(branch) = self.late.get(&(inst, value)) {
                        let (at, reg, branch) = (line(inst), kernel.reg_name(reg), line(*branch));
                        let _ = writeln!(text, "  {at} reads {reg} behind a loop left apart at {branch}");
                    }
                }
                for &(_, value) in values.defs(inst) {
                    let _ = writeln!(text, "  {} {}", values.name(kernel, cfg, value), verdict(self.values[value]));
                }
            }
            if let Some(branch) = cfg.terminator(block).filter(|_| cfg.ways(block) > 1) {
                let _ = writeln!(text, "  branch at {} {}", line(branch), verdict(self.branches[block]));
            }
        }
        for id in loops.iter().filter(|&id| self.is_left_apart(id)) {
            let _ = writeln!(text, "{id} at {} is left apart", cfg.name(kernel, loops.header(id)));
        }
        text
    }
}
