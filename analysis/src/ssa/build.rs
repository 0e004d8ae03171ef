//! Construction of [`Values`]: phis at iterated dominance frontiers where the register is live, then one pass over the
//! blocks that numbers writes and resolves reads, then the inputs of the phis.
//!
//! Frontiers are not kept: in a nest of loops they are quadratic in its depth. They are walked for each register, as far as it is live (Sreedhar and Gao, 1995).

use std::collections::BinaryHeap;

use super::*;
use crate::liveness::{LiveBlocks, stamp};

/// Builds the table.
pub(super) fn build(kernel: &Kernel, cfg: &Cfg, dominators: &Dominators, liveness: &Liveness) -> Values {
    let mut builder = Builder {
        kernel,
        cfg,
        values: Values {
            values: PrimaryMap::with_capacity(kernel.inst_count()),
            uses_at: SecondaryMap::with_capacity(kernel.inst_count()),
            defs_at: SecondaryMap::with_capacity(kernel.inst_count()),
            uses: Vec::with_capacity(2 * kernel.inst_count()),
            defs: Vec::with_capacity(kernel.inst_count()),
            phis: SecondaryMap::with_capacity(cfg.block_count()),
            live_in: SecondaryMap::with_capacity(cfg.block_count()),
            live_out: SecondaryMap::with_capacity(cfg.block_count()),
        },
        undefined: FxHashMap::default(),
    };
    builder.place_phis(dominators);
    // An immediate dominator stands before the block in reverse postorder, so that its values are known.
    let unreachable = cfg.blocks().filter(|&block| !cfg.is_reachable(block));
    for block in cfg.reverse_postorder().iter().copied().chain(unreachable) {
        builder.number(block, dominators.idom(block), liveness);
    }
    builder.connect_phis();
    builder.collect_users();
    builder.values
}

struct Builder<'a> {
    kernel: &'a Kernel,
    cfg: &'a Cfg,
    values: Values,
    undefined: FxHashMap<Reg, Value>,
}

impl Builder<'_> {
    fn make(&mut self, kind: ValueKind, block: Block) -> Value {
        self.values.values.push(ValueData { kind, block, old: None, inputs: SmallVec::new(), users: SmallVec::new() })
    }

    fn undefined(&mut self, reg: Reg) -> Value {
        if let Some(&value) = self.undefined.get(&reg) {
            return value;
        }
        let value = self.make(ValueKind::Undefined(reg), self.cfg.entry());
        self.undefined.insert(reg, value);
        value
    }

    fn place_phis(&mut self, dominators: &Dominators) {
        let mut frontier = Frontier::of(self.kernel, self.cfg, dominators);
        for reg in self.kernel.regs() {
            let mut joins = frontier.iterated(reg);
            joins.sort_unstable_by_key(|&join| self.cfg.rpo_index(join));
            for join in joins {
                let phi = self.make(ValueKind::Phi(join, reg), join);
                self.values.phis[join].push(phi);
            }
        }
    }

    /// Numbers the writes of a block and resolves its reads.
    fn number(&mut self, block: Block, idom: Option<Block>, liveness: &Liveness) {
        let alive = liveness.live_in(block);
        // All three lists are in the order of the registers.
        let mut phis = self.values.phis[block].clone().into_iter().peekable();
        let mut inherited = idom.map_or_else(Vec::new, |idom| picked(&self.values.live_out[idom], alive)).into_iter();
        let mut live_in = Vec::with_capacity(alive.len());
        for &reg in alive {
            let phi = phis.next_if(|&phi| self.values.reg(phi) == reg);
            let before = inherited.next().flatten();
            live_in.push((reg, phi.or(before).unwrap_or_else(|| self.undefined(reg))));
        }
        self.values.live_in[block] = live_in;
        let mut written: FxHashMap<Reg, Value> = FxHashMap::default();
        for &inst in self.cfg.insts(block) {
            self.number_inst(block, inst, &mut written);
        }
        let out = liveness.live_out(block);
        let before = picked(&self.values.live_in[block], out);
        let value = |(&reg, before): (&Reg, Option<Value>)| Some((reg, written.get(&reg).copied().or(before)?));
        self.values.live_out[block] = out.iter().zip(before).filter_map(value).collect();
    }

    fn number_inst(&mut self, block: Block, inst: Inst, written: &mut FxHashMap<Reg, Value>) {
        let start = self.values.uses.len();
        for reg in self.kernel.uses(inst) {
            if self.values.uses.iter().skip(start).all(|(used, _)| *used != reg) {
                let current = written.get(&reg).copied().or_else(|| self.values.live_in(block, reg));
                let value = current.unwrap_or_else(|| self.undefined(reg));
                self.values.uses.push((reg, value));
            }
        }
        self.values.uses_at[inst] = range(start, self.values.uses.len());
        let start = self.values.defs.len();
        for (reg, keeps) in writes(self.kernel, inst) {
            if self.values.defs.iter().skip(start).any(|(written, _)| *written == reg) {
                continue;
            }
            let value = self.make(ValueKind::Def(inst, reg), block);
            self.values.values[value].old = if keeps { self.values.at_use(inst, reg) } else { None };
            self.values.defs.push((reg, value));
            written.insert(reg, value);
        }
        self.values.defs_at[inst] = range(start, self.values.defs.len());
    }

    fn connect_phis(&mut self) {
        for &block in self.cfg.reverse_postorder() {
            for phi in self.values.phis[block].clone() {
                let reg = self.values.reg(phi);
                for &pred in self.cfg.preds(block).iter().filter(|&&pred| self.cfg.is_reachable(pred)) {
                    // Live into the block, hence live out of the predecessor.
                    if let Some(value) = self.values.live_out(pred, reg) {
                        self.values.values[phi].inputs.push((pred, value));
                    }
                }
            }
        }
    }

    fn collect_users(&mut self) {
        let values = &mut self.values;
        for block in self.cfg.blocks() {
            for &phi in &values.phis[block] {
                for (_, input) in values.values[phi].inputs.clone() {
                    add_user(&mut values.values[input].users, User::Phi(phi));
                }
            }
            for &inst in self.cfg.insts(block) {
                for &(_, value) in part(&values.uses, values.uses_at[inst]) {
                    add_user(&mut values.values[value].users, User::Inst(inst));
                }
            }
        }
    }
}

/// The values that a list has for some registers, both in the order of the registers.
fn picked(values: &[(Reg, Value)], regs: &[Reg]) -> Vec<Option<Value>> {
    // Of a much longer list, few are looked at.
    if regs.len() < values.len() / 16 {
        return regs.iter().map(|&reg| find(values, reg)).collect();
    }
    let mut rest = values.iter().peekable();
    let mut pick = |&reg: &Reg| {
        while rest.next_if(|(other, _)| *other < reg).is_some() {}
        rest.next_if(|(other, _)| *other == reg).map(|&(_, value)| value)
    };
    regs.iter().map(&mut pick).collect()
}

/// The search for joins, with scratch space that is reused from register to register.
struct Frontier<'a> {
    cfg: &'a Cfg,
    dominators: &'a Dominators,
    live: LiveBlocks<'a>,
    /// The register for which a block was last walked over, found to be a join, or put into the queue.
    walked: SecondaryMap<Block, u32>,
    joined: SecondaryMap<Block, u32>,
    queued: SecondaryMap<Block, u32>,
}

impl<'a> Frontier<'a> {
    fn of(kernel: &Kernel, cfg: &'a Cfg, dominators: &'a Dominators) -> Frontier<'a> {
        let (never, live) = (SecondaryMap::with_default(u32::MAX), LiveBlocks::of(kernel, cfg));
        Frontier { cfg, dominators, live, walked: never.clone(), joined: never.clone(), queued: never }
    }

    /// The blocks of the iterated dominance frontier of those that write a register, as far as it is live there.
    ///
    /// Deeper writes come first, so that no block is walked over twice. Below a block where the register is dead, nothing is missed: where it is live
    /// again, all ways from there have written it, and each such write and the join of several is walked from by itself.
    fn iterated(&mut self, reg: Reg) -> Vec<Block> {
        let mut lives = false;
        self.live.find(reg, |_| lives = true, |_| ());
        if !lives {
            return Vec::new();
        }
        let stamp = stamp(reg);
        let writers = self.live.writers(reg).iter().copied().filter(|&block| self.cfg.is_reachable(block));
        let mut queue: BinaryHeap<(u32, Block)> = writers.map(|block| (self.dominators.depth(block), block)).collect();
        queue.iter().for_each(|&(_, block)| self.queued[block] = stamp);
        let (mut joins, mut stack) = (Vec::new(), Vec::new());
        while let Some((depth, root)) = queue.pop() {
            stack.push(root);
            while let Some(block) = stack.pop() {
                for join in self.cfg.distinct_succs(block) {
                    let below = self.dominators.idom(join) == Some(block) || self.dominators.depth(join) > depth;
                    // Where the register is dead, so is every phi that would need this one.
                    if below || self.joined[join] == stamp || !self.live.is_live_in(join, reg) {
                        continue;
                    }
                    self.joined[join] = stamp;
                    joins.push(join);
                    if std::mem::replace(&mut self.queued[join], stamp) != stamp {
                        queue.push((self.dominators.depth(join), join));
                    }
                }
                for &child in self.dominators.children(block) {
                    if self.walked[child] != stamp && self.live.is_live_in(child, reg) {
                        self.walked[child] = stamp;
                        stack.push(child);
                    }
                }
            }
        }
        joins
    }
}

/// A user's mentions of one value come one after the other, so that looking at the last one finds a repetition.
fn add_user(users: &mut SmallVec<[User; 2]>, user: User) {
    if users.last() != Some(&user) {
        users.push(user);
    }
}

fn range(start: usize, end: usize) -> (u32, u32) {
    // A kernel's text is below 4 GiB, and each use takes at least two bytes of it.
    (u32::try_from(start).unwrap_or(u32::MAX), u32::try_from(end).unwrap_or(u32::MAX))
}

/// The registers that an instruction writes, and whether the write keeps part of what was there: under a guard, of one
/// component, or by an opcode that may or may not write its operand.
pub(crate) fn writes(kernel: &Kernel, inst: Inst) -> SmallVec<[(Reg, bool); 4]> {
    let guarded = kernel.inst(inst).guard.is_some();
    let known = kernel.properties(inst).known;
    let mut writes = SmallVec::new();
    kernel.visit(inst, |reg, access| {
        if access.write {
            // `addc.cc` reads the carry flag and then overwrites it; these are two accesses in one.
            let replaced = known && kernel.carry_flag() == Some(reg);
            writes.push((reg, guarded || (access.read && !replaced)));
        }
    });
    writes
}
