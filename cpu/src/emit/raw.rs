//! Registers that hold floats as floats of C.
//!
//! A register holds bits, and arithmetic gives the canonical NaN for any NaN. On the host a NaN has other bits, and the comparison that finds it costs more than the operation.
//! Arithmetic does not distinguish between NaNs. So a register that only arithmetic writes is a `float` or `double` of C with any NaN, and its bits are made canonical where
//! something reads them. A register that a load writes keeps its bits, because a load and a store keep those of a NaN.

use ptx_parser::{Inst, Kernel, Mnemonic, Modifier, Operand, Reg, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// Finds the registers of a kernel or function that hold floats, with their types: `.f32` or `.f64`.
pub(crate) fn registers(kernel: &Kernel) -> FxHashMap<Reg, Type> {
    let mut found: FxHashMap<Reg, Type> = FxHashMap::default();
    let mut others: FxHashSet<Reg> = FxHashSet::default();
    let mut moves: Vec<(Reg, Reg)> = Vec::new();
    for inst in kernel.insts() {
        let defs = kernel.defs(inst);
        match (arithmetic(kernel, inst), defs.as_slice()) {
            (_, []) => {}
            (Some(ty), [reg]) if kernel.reg(*reg).ty.bits() == ty.bits() && kernel.reg(*reg).lanes <= 1 => {
                if *found.entry(*reg).or_insert(ty) != ty {
                    others.insert(*reg);
                }
            }
            (None, [reg]) if is_move(kernel, inst) => match kernel.operands(inst).get(1) {
                Some(Operand::Reg(from)) => moves.push((*reg, *from)),
                Some(operand) if is_number(operand) => {}
                _ => {
                    others.insert(*reg);
                }
            },
            _ => others.extend(defs),
        }
    }
    // A register that is moved from another holds what that holds.
    loop {
        let before = found.len();
        for (to, from) in &moves {
            if let Some(&ty) = found.get(from).filter(|ty| ty.bits() == kernel.reg(*to).ty.bits())
                && kernel.reg(*to).lanes <= 1
            {
                found.entry(*to).or_insert(ty);
            }
        }
        if found.len() == before {
            break;
        }
    }
    loop {
        let dropped: Vec<Reg> = moves
            .iter()
            .filter(|(to, from)| found.contains_key(to) && (others.contains(from) || found.get(from) != found.get(to)))
            .map(|(to, _)| *to)
            .chain(others.iter().copied())
            .filter(|reg| found.contains_key(reg))
            .collect();
        if dropped.is_empty() {
            return found;
        }
        for reg in dropped {
            found.remove(&reg);
            others.insert(reg);
        }
    }
}

/// The type of an instruction that computes with floats in the default rounding, and for which all NaNs are the same.
pub(crate) fn arithmetic(kernel: &Kernel, inst: Inst) -> Option<Type> {
    let opcode = kernel.opcode(inst);
    let [ty @ (Type::F32 | Type::F64)] = *opcode.types() else { return None };
    let other =
        [Modifier::Ftz, Modifier::Sat, Modifier::Rz, Modifier::Rm, Modifier::Rp, Modifier::Approx, Modifier::Full];
    let plain = !opcode.has_any(&other);
    matches!(
        opcode.mnemonic(),
        Mnemonic::Add | Mnemonic::Sub | Mnemonic::Mul | Mnemonic::Fma | Mnemonic::Mad | Mnemonic::Div | Mnemonic::Sqrt
    )
    .then_some(ty)
    .filter(|_| plain)
}

fn is_move(kernel: &Kernel, inst: Inst) -> bool {
    kernel.opcode(inst).mnemonic() == Mnemonic::Mov
        && matches!(kernel.opcode(inst).types(), [Type::F32 | Type::F64 | Type::B32 | Type::B64])
}

/// Returns true for a constant that is a number.
fn is_number(operand: &Operand) -> bool {
    match *operand {
        Operand::Float32(bits) => !f32::from_bits(bits).is_nan(),
        Operand::Float64(bits) => !f64::from_bits(bits).is_nan(),
        Operand::Int(value) => value == 0,
        _ => false,
    }
}
