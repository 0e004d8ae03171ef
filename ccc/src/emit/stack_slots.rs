//! The code that brings values to slots of a stack and from there: the fields of a context one after the other, those of one width by one
//! address.

use ptx_parser::{Base, Code, Guard, Reg, Relation, Space, Type};

use crate::context::value::Source;
use crate::emit::loop_registers::Names;
use crate::layout::Field;

/// A context value on the stack, and in registers.
pub(crate) struct Slot {
    pub(crate) source: Source,
    pub(crate) ty: Type,
    pub(crate) field: Field,
    /// The register that the region works on.
    pub(crate) copy: Reg,
    /// The register that holds the value until the stage decides, if not the copy; see [`crate::context::preserved_values`].
    pub(crate) lasting: Option<Reg>,
}

/// Loads a value from the slot at `temp`, in the lanes of a guard.
pub(crate) fn load(code: &mut Code, names: &Names, guard: Guard, copy: Reg, ty: Type, offset: i64) {
    let Names { temp, takers, .. } = *names;
    match ty {
        // The votes are over: `takers` is free until the next.
        Type::Pred => {
            code.when(guard).ld(Space::Shared, Type::U8, takers, Base::Reg(temp), offset);
            code.when(guard).setp(Relation::NotEqual, Type::U32, copy, takers, 0);
        }
        ty => code.when(guard).ld(Space::Shared, Type::untyped(ty.bits()), copy, Base::Reg(temp), offset),
    }
}

/// Stores a value in the slot at `temp`, from the lanes of a guard.
pub(crate) fn store(code: &mut Code, names: &Names, guard: Guard, value: Reg, ty: Type, offset: i64) {
    let Names { temp, takers, .. } = *names;
    match ty {
        Type::Pred => {
            code.ins().selp(Type::B32, takers, 1, 0, value);
            code.when(guard).st(Space::Shared, Type::U8, Base::Reg(temp), offset, takers);
        }
        ty => code.when(guard).st(Space::Shared, Type::untyped(ty.bits()), Base::Reg(temp), offset, value),
    }
}

/// Computes the address of the slot in an array of a width at offset 0, in `temp`.
pub(crate) fn address(code: &mut Code, names: &Names, width: u32) {
    let Names { slot, temp, base, .. } = *names;
    code.ins().mad_lo(Type::U32, temp, slot, width, base);
}

/// Groups slots of one width: they share an address computation.
pub(crate) fn by_width(slots: &[Slot]) -> Vec<(u32, Vec<&Slot>)> {
    let mut groups: Vec<(u32, Vec<&Slot>)> = Vec::new();
    for slot in slots {
        match groups.iter_mut().find(|(width, _)| *width == slot.field.width) {
            Some((_, slots)) => slots.push(slot),
            None => groups.push((slot.field.width, vec![slot])),
        }
    }
    groups
}
