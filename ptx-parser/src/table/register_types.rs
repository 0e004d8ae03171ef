//! The types of registers that may hold a value of each type (PTX ISA, "Operand Type Checking", "Operand Size Exceeding Instruction-Type
//! Size").

use std::sync::LazyLock;

use super::signature::Width;
use crate::types::Type;

/// A set of types, a bit each.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct TypeSet(u64);

// A bit for each type.
const _: () = assert!(Type::ALL.len() <= 64);

/// For each type that an instruction may ask for, the registers of just its width that may hold it, and those of a wider one too.
/// Each operand of each new opcode asks, so that the answers are worked out once.
static HOLDING: LazyLock<Vec<(TypeSet, TypeSet)>> = LazyLock::new(|| {
    let fitting = |wanted, width| {
        let types = Type::ALL.iter().filter(|&&ty| type_fits(wanted, ty, width));
        TypeSet(types.fold(0, |set, &ty| set | 1 << ty as u64))
    };
    Type::ALL.iter().map(|&wanted| (fitting(wanted, Width::Exact), fitting(wanted, Width::OrWider))).collect()
});

impl TypeSet {
    /// The types of registers that may hold a value of a type.
    pub(super) fn holding(wanted: Type, width: Width) -> TypeSet {
        let (exact, or_wider) = HOLDING.get(wanted as usize).copied().unwrap_or_default();
        if width == Width::OrWider { or_wider } else { exact }
    }

    #[inline]
    pub(crate) fn has(self, ty: Type) -> bool {
        self.0 >> ty as u64 & 1 != 0
    }
}

/// Returns true if a register of a type may hold a value of the type that an instruction asks for.
pub(crate) fn type_fits(wanted: Type, reg: Type, width: Width) -> bool {
    use Type::*;
    // A register of two halves is 32 untyped bits.
    let reg = if reg == F16x2 { B32 } else { reg };
    let same = wanted.bits() == reg.bits();
    let wider = width == Width::OrWider && reg.bits() > wanted.bits();
    let untyped = is_untyped(reg);
    match wanted {
        Pred => reg == Pred,
        _ if reg == Pred => false,
        // Formats that no register is declared as need untyped registers of just their width.
        Bf16 => reg == B16,
        F16x2 | Bf16x2 | F32x2 => untyped && (same || wider),
        _ if wanted.is_float() => (same || wider) && (untyped || same && reg.is_float()),
        B8 | B16 | B32 | B64 | B128 => same || wider,
        _ => (same || wider) && !reg.is_float(),
    }
}

/// Returns true if a register of the type holds just bits.
pub(crate) fn is_untyped(ty: Type) -> bool {
    matches!(ty, Type::B8 | Type::B16 | Type::B32 | Type::B64 | Type::B128)
}
