//! The state that accesses of a block of code by one address row share.

/// The address pattern of a half warp.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pattern {
    /// No lane is active.
    Idle,
    /// All sixteen lanes, one behind the other.
    Unit,
    /// All sixteen lanes the same address.
    Uniform,
    /// Anything else.
    Scatter,
}

/// The facts about an address row that the first access of a block leaves for later ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AddressFacts {
    /// The row's entries of lanes 0 and 16.
    pub(crate) bases: [u64; 2],
    pub(crate) patterns: [Pattern; 2],
    /// The passes of shared memory that the access takes.
    pub(crate) passes: Passes,
}

impl AddressFacts {
    /// Nothing is known.
    pub(crate) const NOTHING: AddressFacts =
        AddressFacts { bases: [0; 2], patterns: [Pattern::Scatter; 2], passes: Passes::NONE };
}

/// The number of passes that shared memory takes for a warp's access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Passes {
    pub(crate) taken: u16,
    /// Those among them that there are because a part of the warp asks a bank for two words.
    pub(crate) conflicts: u16,
}

impl Passes {
    pub(crate) const NONE: Passes = Passes { taken: 0, conflicts: 0 };
}
