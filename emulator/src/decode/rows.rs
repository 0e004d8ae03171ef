//! The rows of a kernel, as they are handed out.

use ptx_parser::Type;

use crate::program::registers::{TAG_PRED, TAG64, untagged};

/// The file of rows that an operand of a type is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Width {
    /// Rows of 32 bits: all types up to 32 bits but predicates.
    W32,
    /// Rows of 64 bits.
    W64,
    /// Predicates.
    Pred,
}

impl Width {
    pub(super) fn of(ty: Type) -> Width {
        match ty.bits() {
            1 => Width::Pred,
            bits if bits <= 32 => Width::W32,
            _ => Width::W64,
        }
    }

    pub(super) fn tag(self) -> u32 {
        match self {
            Width::W32 => 0,
            Width::W64 => TAG64,
            Width::Pred => TAG_PRED,
        }
    }

    /// The file of a tagged row.
    pub(super) fn of_row(row: u32) -> Width {
        match row / TAG64 {
            0 => Width::W32,
            1 => Width::W64,
            _ => Width::Pred,
        }
    }
}

/// The rows that are taken.
#[derive(Default)]
pub(super) struct Rows {
    /// The number of rows in each file.
    pub(super) counts: [u32; 3],
    /// The predicate row of the carry flag.
    carry: Option<u32>,
}

impl Rows {
    /// Takes a row and returns its number with the tag.
    pub(super) fn take(&mut self, width: Width) -> u32 {
        let [words, wide, preds] = &mut self.counts;
        let next = match width {
            Width::W32 => words,
            Width::W64 => wide,
            Width::Pred => preds,
        };
        *next += 1;
        (*next - 1) | width.tag()
    }

    /// The predicate row of the carry flag.
    pub(super) fn carry(&mut self) -> u32 {
        match self.carry {
            Some(row) => row,
            None => {
                let row = untagged(self.take(Width::Pred));
                self.carry = Some(row);
                row
            }
        }
    }
}
