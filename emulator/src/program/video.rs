//! Video instructions, described by what they do with which parts of their operands.

/// The operation on two elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Action {
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// `|a - b|`
    Difference,
    /// The smaller one.
    Min,
    /// The larger one.
    Max,
    /// The mean, rounded up where the sum is not negative.
    Average,
    /// Shifted left.
    Left,
    /// Shifted right.
    Right,
    /// Tests a relation: eq, ne, lt, le, gt, ge.
    Compare(u8),
    /// `a * b + c` in full.
    MultiplyAdd,
}

/// The combination of the results with operand `c`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Second {
    /// The result is the whole register; of SIMD instructions, elements outside the mask come from `c`.
    Merge,
    /// `c` plus the results.
    Add,
    /// The smaller one of `c` and the result.
    Min,
    /// The larger one.
    Max,
}

/// A source: which elements of what size, with or without sign.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    /// Numbers of the elements; for SIMD instructions they count on into the second source.
    pub(crate) elements: [u8; 4],
    /// Bits of an element: 8, 16 or 32.
    pub(crate) bits: u32,
    pub(crate) signed: bool,
    pub(crate) negated: bool,
}

/// A video instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    pub(crate) action: Action,
    pub(crate) second: Second,
    /// The number of elements that are computed: 1, 2 or 4.
    pub(crate) count: u32,
    pub(crate) sources: [Source; 2],
    /// True if the result, and `c` with it, has a sign.
    pub(crate) signed: bool,
    pub(crate) saturate: bool,
    /// Elements of the result that are written: bit `i` for element `i`; of scalar forms the element's number and size.
    pub(crate) mask: u32,
    /// For a scalar form with a merge: the size in bits of the element that is written. Otherwise 32.
    pub(crate) part: u32,
    /// `.wrap` of a shift.
    pub(crate) wrap: bool,
    /// `.po`: one more.
    pub(crate) plus_one: bool,
    pub(crate) negate_c: bool,
    /// The number of bits by which a product is shifted right.
    pub(crate) scale: u32,
}
