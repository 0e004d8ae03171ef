//! Values: PTX registers in static single assignment form, as a table beside the text.
//!
//! PTX writes a register as often as it likes. Here every write is a value of its own, and where writes from several
//! paths meet, a phi is a value too; each read is told which value it sees. Phis stand at the iterated dominance
//! frontiers of the writes (Cytron et al., 1991), and only where the register is live.
//!
//! A write that keeps part of what was there (guarded, or one component of a vector register) is a value that has the
//! old value among its inputs ([`Values::old`]). A register that is read before it is written has an `Undefined` value
//! at the entry; parameters are memory in PTX, so that no other value exists there. (A function may take a register
//! parameter; that register's value at the entry is the argument.)
//!
//! Unreachable blocks are left out: their instructions define values, but what they read from before their block is
//! undefined, and no phi has an input from them.

mod build;
mod predicates;

pub(crate) use build::writes;

use std::fmt::Write as _;

use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl};
use ptx_parser::{Inst, Kernel, Operand, Reg, Running};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::cfg::{Block, Cfg};
use crate::dominators::Dominators;
use crate::liveness::Liveness;

/// The most copies that a number or a truth value is followed through.
const MOST_COPIES: usize = 8;

/// A value of a register.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value(u32);
entity_impl!(Value, "v");

/// The origin of a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ValueKind {
    /// An instruction writes it.
    Def(Inst, Reg),
    /// Values of several predecessors of a block meet.
    Phi(Block, Reg),
    /// Nothing has written the register since the entry.
    Undefined(Reg),
}

impl ValueKind {
    /// The register that holds the value.
    #[must_use]
    pub fn reg(self) -> Reg {
        match self {
            ValueKind::Def(_, reg) | ValueKind::Phi(_, reg) | ValueKind::Undefined(reg) => reg,
        }
    }
}

/// A reader of a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum User {
    /// An instruction: as an operand, as its guard, or because its write keeps part of it.
    Inst(Inst),
    /// A phi.
    Phi(Value),
}

#[derive(Clone, Debug)]
struct ValueData {
    kind: ValueKind,
    block: Block,
    /// For a definition, the old value if the write keeps part of it.
    old: Option<Value>,
    /// For a phi, one value per reachable predecessor, in the order of [`Cfg::preds`].
    inputs: SmallVec<[(Block, Value); 2]>,
    users: SmallVec<[User; 2]>,
}

/// The values of a kernel.
#[derive(Clone, Debug)]
pub struct Values {
    values: PrimaryMap<Value, ValueData>,
    /// Per instruction, the ranges of `reads` and `defs`.
    uses_at: SecondaryMap<Inst, (u32, u32)>,
    defs_at: SecondaryMap<Inst, (u32, u32)>,
    uses: Vec<(Reg, Value)>,
    defs: Vec<(Reg, Value)>,
    phis: SecondaryMap<Block, Vec<Value>>,
    /// Per block, the values of the registers live there, by register.
    live_in: SecondaryMap<Block, Vec<(Reg, Value)>>,
    live_out: SecondaryMap<Block, Vec<(Reg, Value)>>,
}

impl Values {
    /// Numbers the values.
    #[must_use]
    pub fn of(kernel: &Kernel, cfg: &Cfg, dominators: &Dominators, liveness: &Liveness) -> Values {
        build::build(kernel, cfg, dominators, liveness)
    }

    /// All values.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Value> + use<> {
        self.values.keys()
    }

    /// Returns how many values there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.values.len()
    }

    /// Returns where a value comes from.
    #[must_use]
    pub fn kind(&self, value: Value) -> ValueKind {
        self.values[value].kind
    }

    /// The register that holds a value.
    #[must_use]
    pub fn reg(&self, value: Value) -> Reg {
        self.values[value].kind.reg()
    }

    /// The block in which a value comes into being: the entry for an undefined one.
    #[must_use]
    pub fn block(&self, value: Value) -> Block {
        self.values[value].block
    }

    /// The value of `reg` that an instruction sees, if it uses that register ([`Kernel::uses`]).
    #[must_use]
    pub fn at_use(&self, inst: Inst, reg: Reg) -> Option<Value> {
        self.uses(inst).iter().find(|(used, _)| *used == reg).map(|(_, value)| *value)
    }

    /// The value of an operand of an instruction, if that is a register.
    #[must_use]
    pub fn of_operand(&self, inst: Inst, operand: &Operand) -> Option<Value> {
        match operand {
            Operand::Reg(reg) => self.at_use(inst, *reg),
            _ => None,
        }
    }

    /// Returns true if an operand of an instruction, its member mask, names all 32 lanes: by a number that is written there, or that every write copies which the
    /// register may come from. On ways on which it was never written it is no mask at all, so that nobody goes there.
    #[must_use]
    pub fn names_all_lanes(&self, kernel: &Kernel, inst: Inst, mask: &Operand) -> bool {
        let all = |number: i64| number.cast_unsigned() as u32 == u32::MAX;
        if let Operand::Int(number) = mask {
            return all(*number);
        }
        let mut work: Vec<Value> = self.of_operand(inst, mask).into_iter().collect();
        let mut known: FxHashSet<Value> = work.iter().copied().collect();
        let mut written = false;
        while let Some(value) = work.pop() {
            match self.kind(value) {
                ValueKind::Undefined(_) => continue,
                ValueKind::Phi(..) => {
                    let inputs = self.phi_inputs(value).iter().map(|&(_, input)| input);
                    work.extend(inputs.filter(|&input| known.insert(input)));
                }
                ValueKind::Def(..) => {
                    if !self.copied_to(kernel, value).is_some_and(all) {
                        return false;
                    }
                    written = true;
                }
            }
        }
        written
    }

    /// The number that an operand of an instruction is: written there, or copied to the register that is.
    #[must_use]
    pub fn constant(&self, kernel: &Kernel, inst: Inst, operand: &Operand) -> Option<i64> {
        if let Operand::Int(number) = operand {
            return Some(*number);
        }
        self.copied_to(kernel, self.of_operand(inst, operand)?)
    }

    /// The number that a value is a copy of, by way of some copies at most.
    #[must_use]
    pub fn copied_to(&self, kernel: &Kernel, value: Value) -> Option<i64> {
        let mut value = value;
        for _ in 0..MOST_COPIES {
            let made = self.made_by(kernel, value)?;
            if kernel.properties(made).running != Some(Running::Copy) {
                return None;
            }
            match kernel.operands(made) {
                [_, Operand::Int(number)] => return Some(*number),
                [_, from @ Operand::Reg(_)] => value = self.of_operand(made, from)?,
                _ => return None,
            }
        }
        None
    }

    /// The instruction that makes a value, if that is executed always and not under a guard.
    #[must_use]
    pub fn made_by(&self, kernel: &Kernel, value: Value) -> Option<Inst> {
        match self.kind(value) {
            ValueKind::Def(inst, _) if kernel.inst(inst).guard.is_none() => Some(inst),
            _ => None,
        }
    }

    /// The registers that an instruction uses, each once, and the values that it sees.
    #[must_use]
    pub fn uses(&self, inst: Inst) -> &[(Reg, Value)] {
        part(&self.uses, self.uses_at[inst])
    }

    /// The value that an instruction makes of a register that it writes.
    #[must_use]
    pub fn def(&self, inst: Inst, reg: Reg) -> Option<Value> {
        self.defs(inst).iter().find(|(written, _)| *written == reg).map(|(_, value)| *value)
    }

    /// The registers that an instruction writes, each once, and the values that it makes.
    #[must_use]
    pub fn defs(&self, inst: Inst) -> &[(Reg, Value)] {
        part(&self.defs, self.defs_at[inst])
    }

    /// The phis of a block, by register.
    #[must_use]
    pub fn phis(&self, block: Block) -> &[Value] {
        &self.phis[block]
    }

    /// The inputs of a phi, with the predecessor that each comes from; nothing for other values.
    #[must_use]
    pub fn phi_inputs(&self, value: Value) -> &[(Block, Value)] {
        &self.values[value].inputs
    }

    /// The value that a guarded or partial write keeps part of.
    #[must_use]
    pub fn old(&self, value: Value) -> Option<Value> {
        self.values[value].old
    }

    /// The values from which a value is computed: the inputs of a phi, or what the instruction reads and the old value
    /// if it keeps part of it. Not what the instruction uses only because its other results keep something.
    #[must_use]
    pub fn inputs(&self, kernel: &Kernel, value: Value) -> SmallVec<[Value; 4]> {
        let data = &self.values[value];
        let mut inputs: SmallVec<[Value; 4]> = data.inputs.iter().map(|(_, input)| *input).collect();
        if let ValueKind::Def(inst, _) = data.kind {
            inputs.extend(kernel.reads(inst).into_iter().filter_map(|reg| self.at_use(inst, reg)));
            inputs.extend(data.old);
        }
        inputs
    }

    /// Returns who reads a value, each once.
    #[must_use]
    pub fn users(&self, value: Value) -> &[User] {
        &self.values[value].users
    }

    /// The value that a register has where a block begins; `None` if the register is not live there.
    #[must_use]
    pub fn live_in(&self, block: Block, reg: Reg) -> Option<Value> {
        find(&self.live_in[block], reg)
    }

    /// The value that a register has where a block ends; `None` if the register is not live there.
    #[must_use]
    pub fn live_out(&self, block: Block, reg: Reg) -> Option<Value> {
        find(&self.live_out[block], reg)
    }

    /// Returns what a value is called in messages: `%r1@L7` for what line 7 of the PTX text writes, `%r1@LOOP` for a phi,
    /// `%r1@undefined`.
    #[must_use]
    pub fn name(&self, kernel: &Kernel, cfg: &Cfg, value: Value) -> String {
        let reg = kernel.reg_name(self.reg(value));
        match self.kind(value) {
            ValueKind::Def(inst, _) => match kernel.text_position(inst) {
                Some(at) => format!("{reg}@L{}", at.line),
                None => format!("{reg}@{inst}"),
            },
            ValueKind::Phi(block, _) => format!("{reg}@{}", cfg.name(kernel, block)),
            ValueKind::Undefined(_) => format!("{reg}@undefined"),
        }
    }

    /// Per block, one line per phi with its inputs and one per instruction with the values that it uses and defines.
    #[must_use]
    pub fn describe(&self, kernel: &Kernel, cfg: &Cfg) -> String {
        let mut text = String::new();
        let names = |values: &[(Reg, Value)]| {
            let names: Vec<String> = values.iter().map(|(_, value)| self.name(kernel, cfg, *value)).collect();
            if names.is_empty() { "-".to_owned() } else { names.join(" ") }
        };
        for block in cfg.blocks() {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{}:", cfg.name(kernel, block));
            for &phi in self.phis(block) {
                let input = |(pred, value): &(Block, Value)| {
                    format!("{} from {}", self.name(kernel, cfg, *value), cfg.name(kernel, *pred))
                };
                let inputs: Vec<String> = self.phi_inputs(phi).iter().map(input).collect();
                let _ = writeln!(text, "  {} = phi {}", self.name(kernel, cfg, phi), inputs.join(", "));
            }
            for &inst in cfg.insts(block) {
                let opcode = kernel.opcode(inst);
                let _ = writeln!(text, "  {} = {opcode} {}", names(self.defs(inst)), names(self.uses(inst)));
            }
        }
        text
    }
}

/// The part of a pool that belongs to an instruction. The range is from where that is built, so that it lies in the pool.
fn part(pool: &[(Reg, Value)], (start, end): (u32, u32)) -> &[(Reg, Value)] {
    &pool[start as usize..end as usize]
}

fn find(values: &[(Reg, Value)], reg: Reg) -> Option<Value> {
    let index = values.binary_search_by_key(&reg, |(reg, _)| *reg).ok()?;
    values.get(index).map(|&(_, value)| value)
}
