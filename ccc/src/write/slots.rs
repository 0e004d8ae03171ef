//! How values come to slots of a stack and from there, as PTX text: the fields of a context one after the other, those of one width by one
//! address.

use ptx_parser::{Kernel, Reg, Type};

use crate::write::machinery::Names;
use crate::write::stack::Layout;

/// A value of the slot at `temp`, for the lanes that a guard names.
pub(crate) fn load(kernel: &Kernel, names: &Names, guard: &str, copy: Reg, ty: Type, offset: i64) -> String {
    let Names { temp, takers, .. } = names;
    let name = kernel.reg_name(copy);
    match ty {
        // The votes are over: `takers` is free until the next.
        Type::Pred => {
            format!("{guard} ld.shared.u8 {takers}, [{temp}+{offset}];\n{guard} setp.ne.u32 {name}, {takers}, 0;\n")
        }
        ty => format!("{guard} ld.shared.b{} {name}, [{temp}+{offset}];\n", ty.bits()),
    }
}

/// A value for the slot at `temp`, from the lanes that a guard names.
pub(crate) fn store(kernel: &Kernel, names: &Names, guard: &str, value: Reg, ty: Type, offset: i64) -> String {
    let Names { temp, takers, .. } = names;
    let name = kernel.reg_name(value);
    match ty {
        Type::Pred => {
            format!("selp.b32 {takers}, 1, 0, {name};\n{guard} st.shared.u8 [{temp}+{offset}], {takers};\n")
        }
        ty => format!("{guard} st.shared.b{} [{temp}+{offset}], {name};\n", ty.bits()),
    }
}

/// The address of the slot in an array of a width at offset 0, in `temp`.
pub(crate) fn address(names: &Names, width: u32) -> String {
    let Names { slot, temp, base, .. } = names;
    format!("mad.lo.u32 {temp}, {slot}, {width}, {base};\n")
}

/// The fields of a layout, those of one width together: they share an address computation.
pub(crate) fn by_width(layout: &Layout) -> Vec<(u32, Vec<usize>)> {
    let mut groups: Vec<(u32, Vec<usize>)> = Vec::new();
    for (index, field) in layout.fields.iter().enumerate() {
        match groups.iter_mut().find(|(width, _)| *width == field.width) {
            Some((_, fields)) => fields.push(index),
            None => groups.push((field.width, vec![index])),
        }
    }
    groups
}
