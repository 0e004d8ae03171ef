//! The places where the parameters of a call are kept. They are in registers if all accesses agree about where values begin and how long
//! they are, else in local memory.
//!
//! A parameter variable is a place of its own: nothing else names its bytes. So a register for each value does the same as long as a load
//! reads what one store wrote, or the low part of it.

use ptx_parser::{Base, Inst, Kernel};

use crate::moves::{Instruction, Move, is_simple, operand_text};

/// An access to a parameter variable: one for each element of a vector.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Access {
    offset: i64,
    bits: u32,
    load: bool,
    /// True if it may be done by moves.
    simple: bool,
}

/// A parameter variable.
#[derive(Clone, Debug)]
pub(super) struct Store {
    pub(super) name: String,
    pub(super) bytes: u64,
    pub(super) align: u32,
    accesses: Vec<Access>,
}

/// The place where a parameter variable is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// A register for each value: offset and bits.
    Registers(Vec<(i64, u32)>),
    Local,
}

/// The most registers that a variable is kept in.
const MOST: usize = 64;

impl Store {
    pub(super) fn new(name: String, bytes: u64, align: u32) -> Store {
        Store { name, bytes, align, accesses: Vec::new() }
    }

    /// Takes an access in.
    pub(super) fn add(&mut self, kernel: &Kernel, inst: Inst) {
        let Some(Move { ty, offset, elements, load, .. }) = of_variable(kernel, inst) else {
            self.accesses.push(Access { offset: 0, bits: 0, load: true, simple: false });
            return;
        };
        for (index, element) in elements.iter().enumerate() {
            let offset = offset + index as i64 * i64::from(ty.bytes());
            let simple = is_simple(kernel, element, ty, load);
            self.accesses.push(Access { offset, bits: ty.bits(), load, simple });
        }
    }

    /// Returns where it can be kept.
    pub(super) fn form(&self) -> Form {
        let mut slots: Vec<(i64, u32)> = Vec::new();
        let mut accesses = self.accesses.clone();
        accesses.sort_by_key(|access| (access.offset, std::cmp::Reverse(access.bits)));
        for access in &accesses {
            if !access.simple || access.offset < 0 {
                return Form::Local;
            }
            let end = slots.last().map_or(0, |&(offset, bits)| offset + i64::from(bits / 8));
            match slots.last() {
                Some(&(offset, bits)) if access.offset < end => {
                    // The low part of a value may be read by itself.
                    let narrow = access.load && access.offset == offset && access.bits < bits && bits <= 64;
                    if (access.offset, access.bits) != (offset, bits) && !narrow {
                        return Form::Local;
                    }
                }
                _ => slots.push((access.offset, access.bits)),
            }
        }
        if slots.len() > MOST { Form::Local } else { Form::Registers(slots) }
    }

    /// Returns what declares it.
    pub(super) fn declaration(&self, form: &Form) -> String {
        match form {
            Form::Local => format!(".local .align {} .b8 {}[{}];\n", self.align.max(1), self.name, self.bytes),
            Form::Registers(slots) => slots
                .iter()
                .map(|&(offset, bits)| format!(".reg .b{} {};\n", bits.max(16), self.slot(offset)))
                .collect(),
        }
    }

    /// The register of the value at an offset.
    fn slot(&self, offset: i64) -> String {
        format!("%{}_{offset}", self.name)
    }

    /// An access by moves between registers. `renamed` gives the text of an operand of the original.
    pub(super) fn moves(
        &self,
        slots: &[(i64, u32)],
        kernel: &Kernel,
        inst: Inst,
        guard: &str,
        renamed: impl Fn(&str) -> String,
    ) -> String {
        let Some(access) = of_variable(kernel, inst) else { return String::new() };
        let mut out = String::new();
        for (index, element) in access.elements.iter().enumerate() {
            let offset = access.offset + index as i64 * i64::from(access.ty.bytes());
            let slot = self.slot(offset);
            let kept = slots.iter().find(|slot| slot.0 == offset).map_or(access.ty.bits(), |slot| slot.1);
            let Some(text) = operand_text(kernel, element) else { continue };
            let (opcode, text) = (Instruction::of(kernel, &access, element, kept), renamed(&text));
            let (to, from) = if access.load { (text, slot) } else { (slot, text) };
            out += &format!("{guard}{opcode} {to}, {from};\n");
        }
        out
    }
}

/// A load or store that names the variable.
fn of_variable(kernel: &Kernel, inst: Inst) -> Option<Move> {
    Move::of(kernel, inst).filter(|access| matches!(access.base, Base::Symbol(_)))
}
