//! The places where the parameters of a call are kept. They are in registers if all accesses agree about where values begin and how long
//! they are, else in local memory.
//!
//! A parameter variable is a place of its own: nothing else names its bytes. So a register for each value does the same as long as a load
//! reads what one store wrote, or the low part of it.

use cranelift_entity::entity_impl;
use ptx_parser::{Base, Code, Guard, Inst, Kernel, Operand, Reg, Stmt, Symbol, Type};

use super::body::Body;
use crate::moves::{Instruction, Move, is_simple};

/// An access to a parameter variable: one for each element of a vector.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Access {
    offset: i64,
    bits: u32,
    load: bool,
    /// True if it may be done by moves.
    simple: bool,
}

/// Names a [`Store`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct StoreId(u32);
entity_impl!(StoreId, "store");

/// A parameter variable.
#[derive(Clone, Debug)]
pub(super) struct Store {
    pub(super) place: Place,
    accesses: Vec<Access>,
}

/// The form in which a parameter variable is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// A register for each value: offset and bits.
    Registers(Vec<(i64, u32)>),
    Local,
}

/// The place where a parameter variable is kept.
#[derive(Clone, Debug)]
pub(super) enum Place {
    Registers(Vec<Slot>),
    Local(Symbol),
}

/// The register of a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    offset: i64,
    bits: u32,
    reg: Reg,
}

/// The most registers that a variable is kept in.
const MOST: usize = 64;

impl Store {
    /// Declares what a variable of some bytes is kept in. Its names begin with `name`.
    pub(super) fn declare(
        into: &mut Kernel,
        name: &str,
        (bytes, align): (u64, u32),
        form: &Form,
    ) -> (Store, Vec<Stmt>) {
        let (place, stmts) = match form {
            Form::Local => {
                let (symbol, stmt) = into.declare_local(name, align.max(1), bytes);
                (Place::Local(symbol), vec![stmt])
            }
            Form::Registers(values) => {
                let declare = |&(offset, bits): &(i64, u32)| {
                    let ty = Type::untyped(bits.max(16));
                    let (reg, stmt) = into.declare_reg(&format!("%{name}_{offset}"), ty);
                    (Slot { offset, bits, reg }, stmt)
                };
                let (slots, stmts) = values.iter().map(declare).unzip();
                (Place::Registers(slots), stmts)
            }
        };
        (Store { place, accesses: Vec::new() }, stmts)
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
}

/// An access to a parameter variable by moves between registers.
pub(super) fn moves(
    into: &mut Kernel,
    body: &mut Body<'_>,
    inst: Inst,
    (guard, slots): (Option<Guard>, &[Slot]),
) -> Result<Code, ptx_parser::Error> {
    let mut code = Code::new();
    let Some(access) = of_variable(body.kernel, inst) else { return Ok(code) };
    for (index, element) in access.elements.iter().enumerate() {
        let offset = access.offset + index as i64 * i64::from(access.ty.bytes());
        let Some(slot) = slots.iter().find(|slot| slot.offset == offset) else { continue };
        let instruction = Instruction::of(body.kernel, &access, element, slot.bits);
        match body.copier.operand(into, element)? {
            // Nobody wants the value.
            Operand::Sink => {}
            Operand::Reg(to) if access.load => instruction.write(code.guarded(guard), to, slot.reg.into()),
            from => instruction.write(code.guarded(guard), slot.reg, from),
        }
    }
    Ok(code)
}

/// A load or store that names the variable.
fn of_variable(kernel: &Kernel, inst: Inst) -> Option<Move> {
    Move::of(kernel, inst).filter(|access| matches!(access.base, Base::Symbol(_)))
}
