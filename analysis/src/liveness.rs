//! Liveness: which registers hold a value that is read later.
//!
//! A register is live at a point if some path from there reads it before anything overwrites it. A guarded write keeps
//! the register's value in the lanes whose guard is false, so that it counts as a read of its destination
//! ([`Kernel::uses`]); the same holds for a write of one component of a vector register.
//!
//! The sets are found register by register: from each block that reads the register before writing it, backwards until
//! a block that writes it. That takes time in proportion to the size of the answer, and most registers of compiled
//! kernels live within one block.

use std::fmt::Write as _;

use cranelift_entity::{EntityRef, EntitySet, SecondaryMap};
use ptx_parser::{Inst, Kernel, Reg};

use crate::cfg::{Block, Cfg};

/// The live registers of every block.
#[derive(Clone, Debug)]
pub struct Liveness {
    live_in: SecondaryMap<Block, Vec<Reg>>,
    live_out: SecondaryMap<Block, Vec<Reg>>,
}

impl Liveness {
    /// Computes the sets.
    #[must_use]
    pub fn of(kernel: &Kernel, cfg: &Cfg) -> Liveness {
        let blocks = cfg.block_count();
        let mut live_in: SecondaryMap<Block, Vec<Reg>> = SecondaryMap::with_capacity(blocks);
        let mut live_out: SecondaryMap<Block, Vec<Reg>> = SecondaryMap::with_capacity(blocks);
        let mut search = LiveBlocks::of(kernel, cfg);
        for reg in kernel.regs() {
            search.find(reg, |block| live_in[block].push(reg), |block| live_out[block].push(reg));
        }
        Liveness { live_in, live_out }
    }

    /// The registers live where a block begins, in the order of their ids.
    #[must_use]
    pub fn live_in(&self, block: Block) -> &[Reg] {
        &self.live_in[block]
    }

    /// The registers live where a block ends, in the order of their ids.
    #[must_use]
    pub fn live_out(&self, block: Block) -> &[Reg] {
        &self.live_out[block]
    }

    /// Returns true if a register is live where a block begins.
    #[must_use]
    pub fn is_live_in(&self, block: Block, reg: Reg) -> bool {
        self.live_in[block].binary_search(&reg).is_ok()
    }

    /// Returns true if a register is live where a block ends.
    #[must_use]
    pub fn is_live_out(&self, block: Block, reg: Reg) -> bool {
        self.live_out[block].binary_search(&reg).is_ok()
    }

    /// The registers live just before an instruction, in the order of their ids; none for an instruction that is not
    /// placed. Takes time in proportion to the rest of the block.
    #[must_use]
    pub fn live_before(&self, kernel: &Kernel, cfg: &Cfg, inst: Inst) -> Vec<Reg> {
        self.live_at(kernel, cfg, inst, true)
    }

    /// The registers live just after an instruction, on any of its ways if it is a branch, in the order of their ids.
    #[must_use]
    pub fn live_after(&self, kernel: &Kernel, cfg: &Cfg, inst: Inst) -> Vec<Reg> {
        self.live_at(kernel, cfg, inst, false)
    }

    fn live_at(&self, kernel: &Kernel, cfg: &Cfg, inst: Inst, before: bool) -> Vec<Reg> {
        let Some(block) = cfg.block_of(inst) else { return Vec::new() };
        let mut live = EntitySet::new();
        live.extend(self.live_out[block].iter().copied());
        for &other in cfg.insts(block).iter().rev() {
            if other == inst && !before {
                break;
            }
            step_back(kernel, other, &mut live);
            if other == inst {
                break;
            }
        }
        live.iter().collect()
    }

    /// One line per block: the registers live into it and out of it.
    #[must_use]
    pub fn describe(&self, kernel: &Kernel, cfg: &Cfg) -> String {
        let mut text = String::new();
        for block in cfg.blocks() {
            let names = |regs: &[Reg]| {
                let names: Vec<&str> = regs.iter().map(|&reg| kernel.reg_name(reg)).collect();
                if names.is_empty() { "-".to_owned() } else { names.join(" ") }
            };
            let (before, after) = (names(self.live_in(block)), names(self.live_out(block)));
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{}: in {before}; out {after}", cfg.name(kernel, block));
        }
        text
    }
}

/// Computes the registers that are live before an instruction from those that are live after it.
fn step_back(kernel: &Kernel, inst: Inst, live: &mut EntitySet<Reg>) {
    for reg in kernel.defs(inst) {
        live.remove(reg);
    }
    // A guarded or partial write is among the uses, which undoes the removal.
    live.extend(kernel.uses(inst));
}

type RegBlocks = SecondaryMap<Reg, Vec<Block>>;

/// The blocks in which one register after the other is live, with scratch space that is reused.
pub(crate) struct LiveBlocks<'a> {
    cfg: &'a Cfg,
    exposed: RegBlocks,
    writers: RegBlocks,
    /// The register for which a block was last found to have it live in, live out, or written.
    seen_in: SecondaryMap<Block, u32>,
    seen_out: SecondaryMap<Block, u32>,
    written: SecondaryMap<Block, u32>,
}

impl<'a> LiveBlocks<'a> {
    pub(crate) fn of(kernel: &Kernel, cfg: &'a Cfg) -> LiveBlocks<'a> {
        let (exposed, writers) = exposed_and_writers(kernel, cfg);
        let never = SecondaryMap::<Block, u32>::with_default(u32::MAX);
        LiveBlocks { cfg, exposed, writers, seen_in: never.clone(), seen_out: never.clone(), written: never }
    }

    /// Tells the blocks that a register is live into and out of, each once.
    pub(crate) fn find(&mut self, reg: Reg, mut into: impl FnMut(Block), mut out: impl FnMut(Block)) {
        let stamp = stamp(reg);
        self.writers[reg].iter().for_each(|&block| self.written[block] = stamp);
        let mut stack = self.exposed[reg].clone();
        while let Some(block) = stack.pop() {
            if std::mem::replace(&mut self.seen_in[block], stamp) == stamp {
                continue;
            }
            into(block);
            for &pred in self.cfg.preds(block) {
                if std::mem::replace(&mut self.seen_out[pred], stamp) != stamp {
                    out(pred);
                    if self.written[pred] != stamp {
                        stack.push(pred);
                    }
                }
            }
        }
    }

    /// Returns true if the register that was searched for last is live where a block begins.
    pub(crate) fn is_live_in(&self, block: Block, reg: Reg) -> bool {
        self.seen_in[block] == stamp(reg)
    }

    /// The blocks that write a register, in textual order.
    pub(crate) fn writers(&self, reg: Reg) -> &[Block] {
        &self.writers[reg]
    }
}

/// Returns what marks a block for a register.
pub(crate) fn stamp(reg: Reg) -> u32 {
    u32::try_from(reg.index()).unwrap_or(u32::MAX)
}

/// For each register, the blocks that use it before they write it, and the blocks that write it.
fn exposed_and_writers(kernel: &Kernel, cfg: &Cfg) -> (RegBlocks, RegBlocks) {
    let (mut exposed, mut writers) = (RegBlocks::new(), RegBlocks::new());
    for block in cfg.blocks() {
        for &inst in cfg.insts(block) {
            for reg in kernel.uses(inst) {
                if writers[reg].last() != Some(&block) && exposed[reg].last() != Some(&block) {
                    exposed[reg].push(block);
                }
            }
            for reg in kernel.defs(inst) {
                if writers[reg].last() != Some(&block) {
                    writers[reg].push(block);
                }
            }
        }
    }
    (exposed, writers)
}
