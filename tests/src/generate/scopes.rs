//! Scopes of generated kernels: nvcc writes such that declare registers for addresses of shared memory, and inline assembly has them, also such that declare nothing.

use super::Random;
use super::emit::Class;

/// Instructions whose only result is their first operand.
const MNEMONICS: [&str; 13] =
    ["add", "sub", "mul", "mad", "fma", "min", "max", "and", "or", "xor", "cvt", "mov", "selp"];

/// The scopes of a kernel under way.
pub(super) struct Scopes {
    random: Random,
}

impl Scopes {
    pub(super) fn new(seed: u64) -> Scopes {
        Scopes { random: Random::new(seed) }
    }

    /// An instruction in a scope, whose result goes through a register of that scope in most cases. Other scopes have one of the same name, or the kernel has.
    pub(super) fn around(&mut self, inst: &str) -> Option<String> {
        let (opcode, operands) = inst.split_once(' ')?;
        let (to, inputs) = operands.split_once(", ")?;
        if !MNEMONICS.contains(&opcode.split('.').next()?) || !self.random.chance(25) {
            return None;
        }
        if self.random.chance(20) {
            return Some(format!("\t{{{inst}}}\n"));
        }
        let prefix = to.trim_end_matches(|c: char| c.is_ascii_digit());
        let class = Class::ALL.iter().find(|class| class.prefix() == prefix)?;
        let hidden = format!("{}{}", self.random.pick(Class::ALL).prefix(), self.random.below(9));
        let name = if inst.contains(&hidden) || self.random.chance(50) { "%tmp" } else { &hidden };
        let (ty, copy) = (class.ty(), if *class == Class::Pred { ".pred" } else { class.ty() });
        Some(format!("\t{{\n\t.reg {ty} {name};\n\t{opcode} {name}, {inputs}\n\tmov{copy} {to}, {name};\n\t}}\n"))
    }
}
