//! Construction of [`Values`]: phis at iterated dominance frontiers where the register is live, then one pass over the
//! blocks that numbers writes and resolves reads, then the inputs of the phis.

use super::*;

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
    builder.place_phis(&frontiers(cfg, dominators), liveness);
    // An immediate dominator stands before the block in reverse postorder, so that its values are known.
    let unreachable = cfg.blocks().filter(|&block| !cfg.is_reachable(block));
    for block in cfg.reverse_postorder().iter().copied().chain(unreachable) {
        builder.number(block, dominators.idom(block), liveness);
    }
    builder.connect_phis();
    builder.collect_users();
    builder.values
}

/// The dominance frontier of each reachable block: the blocks where its dominance ends.
fn frontiers(cfg: &Cfg, dominators: &Dominators) -> SecondaryMap<Block, Vec<Block>> {
    let mut frontiers: SecondaryMap<Block, Vec<Block>> = SecondaryMap::with_capacity(cfg.block_count());
    for &join in cfg.reverse_postorder() {
        let Some(idom) = dominators.idom(join) else { continue };
        if cfg.preds(join).len() < 2 {
            continue;
        }
        for &pred in cfg.preds(join).iter().filter(|&&pred| cfg.is_reachable(pred)) {
            let mut runner = Some(pred);
            while let Some(block) = runner.filter(|&block| block != idom) {
                // Who came this way before for this join went all the way up.
                if frontiers[block].last() == Some(&join) {
                    break;
                }
                frontiers[block].push(join);
                runner = dominators.idom(block);
            }
        }
    }
    frontiers
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

    fn place_phis(&mut self, frontiers: &SecondaryMap<Block, Vec<Block>>, liveness: &Liveness) {
        let mut writers: SecondaryMap<Reg, Vec<Block>> = SecondaryMap::new();
        for &block in self.cfg.reverse_postorder() {
            for &inst in self.cfg.insts(block) {
                for reg in self.kernel.defs(inst) {
                    if writers[reg].last() != Some(&block) {
                        writers[reg].push(block);
                    }
                }
            }
        }
        // The register for which a block last got a phi, or was last looked at.
        let mut placed = SecondaryMap::<Block, u32>::with_default(u32::MAX);
        let mut queued = placed.clone();
        for reg in self.kernel.regs() {
            let stamp = u32::try_from(reg.index()).unwrap_or(u32::MAX);
            let mut stack = std::mem::take(&mut writers[reg]);
            stack.iter().for_each(|&block| queued[block] = stamp);
            while let Some(block) = stack.pop() {
                for &join in &frontiers[block] {
                    // Where the register is dead, so is every phi that would need this one.
                    if placed[join] == stamp || !liveness.is_live_in(join, reg) {
                        continue;
                    }
                    placed[join] = stamp;
                    let phi = self.make(ValueKind::Phi(join, reg), join);
                    self.values.phis[join].push(phi);
                    if std::mem::replace(&mut queued[join], stamp) != stamp {
                        stack.push(join);
                    }
                }
            }
        }
    }

    /// Numbers the writes of a block and resolves its reads.
    fn number(&mut self, block: Block, idom: Option<Block>, liveness: &Liveness) {
        let mut current: FxHashMap<Reg, Value> = FxHashMap::default();
        let phis: FxHashMap<Reg, Value> =
            self.values.phis[block].iter().map(|&phi| (self.values.reg(phi), phi)).collect();
        let mut live_in = Vec::with_capacity(liveness.live_in(block).len());
        for &reg in liveness.live_in(block) {
            let inherited = || idom.and_then(|idom| self.values.live_out(idom, reg));
            let value = phis.get(&reg).copied().or_else(inherited).unwrap_or_else(|| self.undefined(reg));
            live_in.push((reg, value));
            current.insert(reg, value);
        }
        self.values.live_in[block] = live_in;
        for &inst in self.cfg.insts(block) {
            self.number_inst(block, inst, &mut current);
        }
        let live_out = liveness.live_out(block).iter().filter_map(|&reg| Some((reg, *current.get(&reg)?)));
        self.values.live_out[block] = live_out.collect();
    }

    fn number_inst(&mut self, block: Block, inst: Inst, current: &mut FxHashMap<Reg, Value>) {
        let start = self.values.uses.len();
        for reg in self.kernel.uses(inst) {
            if self.values.uses[start..].iter().all(|(used, _)| *used != reg) {
                let value = current.get(&reg).copied().unwrap_or_else(|| self.undefined(reg));
                self.values.uses.push((reg, value));
            }
        }
        self.values.uses_at[inst] = range(start, self.values.uses.len());
        let start = self.values.defs.len();
        for (reg, keeps) in writes(self.kernel, inst) {
            if self.values.defs[start..].iter().any(|(written, _)| *written == reg) {
                continue;
            }
            let value = self.make(ValueKind::Def(inst, reg), block);
            self.values.values[value].old = if keeps { self.values.at_use(inst, reg) } else { None };
            self.values.defs.push((reg, value));
            current.insert(reg, value);
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
                let (start, end) = values.uses_at[inst];
                for &(_, value) in &values.uses[start as usize..end as usize] {
                    add_user(&mut values.values[value].users, User::Inst(inst));
                }
            }
        }
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
