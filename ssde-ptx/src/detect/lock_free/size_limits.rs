//! The limits on the sizes of numbers, loops and expressions that are examined.

/// The greatest depth to which sums and predicates are followed.
pub(super) const DEEPEST: u32 = 40;

/// From so many rounds on, in each of which it reads memory once, a loop goes on for seconds.
pub(super) const MANY: u128 = 1 << 24;

/// The largest loop that is looked at, in blocks.
pub(super) const LARGEST: usize = 1500;

/// The greatest step of a counter whose number is as great as its loop lets it become, which is not looked at.
pub(super) const GREATEST_STEP: i64 = 4096;
