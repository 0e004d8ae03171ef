//! The entries of a kernel's tables: registers, labels, instructions, and where their texts are.

use cranelift_entity::packed_option::PackedOption;
use smallvec::SmallVec;

use crate::entities::{LocId, Opcode, Reg};
use crate::types::Type;

/// A half-open range of bytes of the source text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Span {
    /// First byte.
    pub(crate) start: u32,
    /// One past the last byte.
    pub(crate) end: u32,
}

/// Neighbours in the pool of operands of a kernel: those of an instruction, or the elements of a vector, tuple or bracket.
/// One pool for all of them spares an allocation per instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Run {
    /// Index of the first.
    pub(crate) start: u32,
    /// Their number.
    pub(crate) count: u32,
}

impl Run {
    /// As indices of the pool.
    pub(crate) fn indices(self) -> std::ops::Range<usize> {
        self.start as usize..self.start as usize + self.count as usize
    }
}

/// A name: from the source text, or made by an edit.
#[derive(Clone, Debug)]
pub(crate) enum Name {
    Source(Span),
    /// Boxed twice, so that the others, which nearly all are, stay small.
    Made(Box<Box<str>>),
}

/// A register.
#[derive(Clone, Debug)]
pub struct RegData {
    pub(crate) name: Name,
    /// The declared type.
    pub ty: Type,
    /// For a vector register (`.reg .v4 .f32 %v;`), its number of components; else 1.
    pub lanes: u8,
    /// The statement that declares it, see `Origin::home`.
    pub(crate) home: u64,
}

/// The home of a register that is declared at the top of the body or in the header.
pub(crate) const HOME_TOP: u64 = u64::MAX;

/// The home of a register that is mentioned and declared nowhere: only in a text with errors, so that the others are found too.
pub(crate) const HOME_NOWHERE: u64 = u64::MAX - 1;

/// A declaration `%r<28>`. Its members are made when the text mentions them; the others have no id.
#[derive(Clone, Debug)]
pub(crate) struct RegFamily {
    pub(crate) prefix: Name,
    pub(crate) count: u64,
    pub(crate) ty: Type,
    pub(crate) lanes: u8,
    pub(crate) home: u64,
    pub(crate) outermost: bool,
}

/// A label.
#[derive(Clone, Debug)]
pub(crate) struct LabelData {
    pub(crate) name: Name,
}

/// A marker.
#[derive(Clone, Debug)]
pub(crate) struct MarkerData {
    /// Without the slashes and the final blanks.
    pub(crate) text: Name,
    /// The index of its statement, if it stands in the body.
    pub(crate) index: Option<u32>,
}

/// The guard `@%p` or `@!%p` of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Guard {
    /// The predicate.
    pub reg: Reg,
    /// True if the instruction runs where the predicate is false.
    pub negated: bool,
}

/// An instruction: guard, opcode, operands.
#[derive(Clone, Debug)]
pub struct InstData {
    /// The condition under which it runs.
    pub guard: Option<Guard>,
    /// Mnemonic and modifiers.
    pub opcode: Opcode,
    /// The run of its operands, see [`Kernel::operands`](crate::Kernel::operands).
    pub(crate) operands: Run,
    pub(crate) span: Span,
    pub(crate) loc: PackedOption<LocId>,
    /// Made or changed by an edit: printed from its parts and not from the source.
    pub(crate) edited: bool,
}

/// A performance-tuning directive of a kernel header (PTX ISA, "Performance-Tuning Directives").
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PerformanceDirective {
    /// The word without its dot: `maxntid`, `reqntid`, `minnctapersm`, `maxnreg`, …
    pub name: Box<str>,
    /// Its integer arguments.
    pub values: SmallVec<[u32; 3]>,
}
