//! The registers that the region works on: copies of its own, so that a lane that runs it for another keeps its values.
//!
//! In compiled code the register of a context value is often used again for the loop's own step; popping a context into it
//! would corrupt the loop. So every register that the region writes, and every one that it gets from the context or computes from it, has a
//! copy.

use ptx_parser::{Error, Inst, Kernel, Operand, Reg, Special};
use rustc_hash::FxHashMap;

use crate::context::value::{Context, Source};

/// The registers that the region uses in the places of others.
#[derive(Default)]
pub(crate) struct Copies {
    regs: FxHashMap<Reg, Reg>,
    specials: Vec<(Special, Reg)>,
    owner: Option<Reg>,
}

impl Copies {
    /// Makes a fresh register for every one that the region writes, gets from the context or computes from it.
    pub(crate) fn new(kernel: &mut Kernel, context: &Context) -> Copies {
        const STEM: &str = "ccc_x";
        let mut copies = Copies::default();
        let carry = kernel.carry_flag();
        for value in &context.values {
            let copy = kernel.new_reg(STEM, value.ty);
            match value.source {
                Source::Reg(reg) | Source::Loaded(reg) => {
                    copies.regs.insert(reg, copy);
                }
                Source::Special(special) => copies.specials.push((special, copy)),
                Source::Owner => copies.owner = Some(copy),
            }
        }
        for value in &context.recomputed {
            copies.regs.entry(value.reg).or_insert_with(|| kernel.new_reg(STEM, value.ty));
        }
        // The carry flag has no name that could be another; that no lane needs its own is checked with the context.
        for &reg in context.written.iter().filter(|&&reg| Some(reg) != carry) {
            let ty = kernel.reg(reg).ty;
            copies.regs.entry(reg).or_insert_with(|| kernel.new_reg(STEM, ty));
        }
        copies
    }

    /// The copy of a context value.
    pub(crate) fn of(&self, source: Source) -> Option<Reg> {
        match source {
            Source::Reg(reg) | Source::Loaded(reg) => self.regs.get(&reg).copied(),
            Source::Owner => self.owner,
            Source::Special(special) => self.specials.iter().find(|(other, _)| *other == special).map(|(_, reg)| *reg),
        }
    }

    /// Lets an instruction of the region work on the copies.
    ///
    /// # Errors
    /// The instruction would not print: a copy has another type than its register.
    pub(crate) fn rename(&self, kernel: &mut Kernel, inst: Inst) -> Result<(), Error> {
        kernel.rename(inst, |reg| self.regs.get(&reg).copied().unwrap_or(reg))?;
        kernel.edit_operands(inst, |operand| {
            if let Operand::Special(special) = *operand
                && let Some(copy) = self.of(Source::Special(special))
            {
                *operand = Operand::Reg(copy);
            }
        })
    }
}
