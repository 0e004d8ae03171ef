//! Reaching definitions: which writes a register may hold the result of.
//!
//! A write reaches a point if some path leads from it there on which nothing overwrites the register. A guarded write
//! does not overwrite (it keeps the old value in lanes whose guard is false), nor does the write of one component of a
//! vector.
//!
//! Kept as sets per block, this is quadratic in the length of a kernel. It is a view of [`Values`] instead: what
//! reaches a read are the writes found by following the phis and the guarded writes that its value comes from.

use std::fmt::Write as _;

use cranelift_entity::{EntitySet, SecondaryMap};
use ptx_parser::{Inst, Kernel, Reg};
use rustc_hash::FxHashMap;

use crate::cfg::{Block, Cfg};
use crate::ssa::{User, Value, ValueKind, Values, writes};

/// The writes of a register that reach a point.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Definitions {
    /// The instructions, in the order of their ids.
    pub insts: Vec<Inst>,
    /// True if there is also a path from the entry on which nothing overwrites the register.
    pub undefined: bool,
}

/// The reaching definitions of a kernel.
#[derive(Clone, Debug)]
pub struct ReachingDefinitions<'a> {
    cfg: &'a Cfg,
    values: &'a Values,
    /// Per register, who writes it, by block and in order, and whether the write keeps part of what was there.
    writers: SecondaryMap<Reg, FxHashMap<Block, Vec<(Inst, bool)>>>,
}

impl<'a> ReachingDefinitions<'a> {
    /// Prepares the view.
    #[must_use]
    pub fn of(kernel: &Kernel, cfg: &'a Cfg, values: &'a Values) -> ReachingDefinitions<'a> {
        let mut writers: SecondaryMap<Reg, FxHashMap<Block, Vec<(Inst, bool)>>> = SecondaryMap::new();
        for block in cfg.blocks() {
            for &inst in cfg.insts(block) {
                for (reg, keeps) in writes(kernel, inst) {
                    writers[reg].entry(block).or_default().push((inst, keeps));
                }
            }
        }
        ReachingDefinitions { cfg, values, writers }
    }

    /// Returns what reaches an instruction, of a register that it uses ([`Kernel::uses`]); nothing for other registers.
    #[must_use]
    pub fn at_use(&self, inst: Inst, reg: Reg) -> Definitions {
        self.values.at_use(inst, reg).map(|value| self.of_value(value)).unwrap_or_default()
    }

    /// The writes that a value may come from.
    #[must_use]
    pub fn of_value(&self, value: Value) -> Definitions {
        let (mut seen, mut stack) = (EntitySet::new(), vec![value]);
        let mut found = Definitions::default();
        while let Some(value) = stack.pop() {
            if !seen.insert(value) {
                continue;
            }
            match self.values.kind(value) {
                ValueKind::Def(inst, _) => {
                    found.insts.push(inst);
                    stack.extend(self.values.old(value));
                }
                ValueKind::Phi(..) => stack.extend(self.values.phi_inputs(value).iter().map(|(_, input)| *input)),
                ValueKind::Undefined(_) => found.undefined = true,
            }
        }
        found.sorted()
    }

    /// Returns what reaches the begin of a block, of any register, live or not. Walks back through the graph up to the writes.
    #[must_use]
    pub fn at_block_entry(&self, block: Block, reg: Reg) -> Definitions {
        let undefined = block == self.cfg.entry();
        self.walk(self.cfg.preds(block).to_vec(), reg, Definitions { insts: Vec::new(), undefined })
    }

    /// Returns what reaches the end of a block, of any register, live or not. Walks back through the graph up to the writes.
    #[must_use]
    pub fn at_block_exit(&self, block: Block, reg: Reg) -> Definitions {
        self.walk(vec![block], reg, Definitions::default())
    }

    fn walk(&self, mut stack: Vec<Block>, reg: Reg, mut found: Definitions) -> Definitions {
        let mut seen = EntitySet::new();
        while let Some(block) = stack.pop() {
            if !self.cfg.is_reachable(block) || !seen.insert(block) {
                continue;
            }
            let mut writers = self.writers[reg].get(&block).map_or(&[][..], Vec::as_slice).iter().rev();
            let overwritten = writers.any(|&(inst, keeps)| {
                found.insts.push(inst);
                !keeps
            });
            if !overwritten {
                found.undefined |= block == self.cfg.entry();
                stack.extend(self.cfg.preds(block));
            }
        }
        found.sorted()
    }

    /// The instructions that use what an instruction writes to a register, in the order of their ids.
    #[must_use]
    pub fn uses_of(&self, inst: Inst, reg: Reg) -> Vec<Inst> {
        let (mut seen, mut users) = (EntitySet::new(), EntitySet::new());
        let mut stack: Vec<Value> = self.values.def(inst, reg).into_iter().collect();
        while let Some(value) = stack.pop() {
            if !seen.insert(value) {
                continue;
            }
            for &user in self.values.users(value) {
                match user {
                    User::Phi(phi) => stack.push(phi),
                    User::Inst(user) => {
                        users.insert(user);
                        let kept = self.values.defs(user).iter().map(|(_, def)| *def);
                        stack.extend(kept.filter(|&def| self.values.old(def) == Some(value)));
                    }
                }
            }
        }
        users.iter().collect()
    }

    /// One line per instruction and register that it uses: the lines of the PTX text whose writes reach it.
    #[must_use]
    pub fn describe(&self, kernel: &Kernel) -> String {
        let line = |inst| kernel.text_position(inst).map_or_else(|| format!("{inst}"), |at| format!("L{}", at.line));
        let mut text = String::new();
        for inst in self.cfg.blocks().flat_map(|block| self.cfg.insts(block)).copied() {
            for &(reg, value) in self.values.uses(inst) {
                let found = self.of_value(value);
                let mut from: Vec<String> = found.insts.iter().copied().map(line).collect();
                from.extend(found.undefined.then(|| "undefined".to_owned()));
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{}: {} from {}", line(inst), kernel.reg_name(reg), from.join(", "));
            }
        }
        text
    }
}

impl Definitions {
    fn sorted(mut self) -> Definitions {
        self.insts.sort_unstable();
        self.insts.dedup();
        self
    }
}
