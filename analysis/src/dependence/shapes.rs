//! The shapes of CTAs, as far as they decide which threads are lanes of one warp.
//!
//! Warps consist of 32 threads with consecutive numbers `x + size.x * (y + size.y * z)` (PTX ISA, "Thread Hierarchy"). So two lanes of a warp lie in one row of their CTA, or
//! in rows that are as far apart as the width of the CTA says.

use super::polynomial::Axis;

/// The lanes of a warp.
pub(super) const LANES: i32 = 32;

/// A shape of CTAs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    /// A multiple of 32 threads in x: warps lie in rows and begin at a multiple of 32.
    Rows,
    /// One row.
    Line,
    /// As many threads in x, fewer than 32, and warps that lie in a plane of one `tid.z`.
    Width(i32),
    /// Any.
    Any,
}

/// A set of shapes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Shapes(u64);

impl std::fmt::Debug for Shapes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Shapes({:#x})", self.0)
    }
}

impl Shapes {
    /// All shapes.
    pub const ALL: Shapes = Shapes(u64::MAX);
    /// CTAs whose warps lie in rows: of one dimension, or with a multiple of 32 threads in x.
    pub const ROWS: Shapes = Shapes(0b11);

    /// The bits: bit 0 for a multiple of 32 threads in x; bit 1 for one row; bit 1 + w for w threads in x, from 1 to 31, where all lanes of each warp have one `tid.z`; bit 33
    /// for any other shape.
    #[must_use]
    pub fn bits(self) -> u64 {
        self.0 & ((1 << 34) - 1)
    }

    /// Returns true if it has all shapes of another set.
    #[must_use]
    pub fn has(self, other: Shapes) -> bool {
        other.bits() & !self.0 == 0
    }

    /// The shapes that are in both.
    #[must_use]
    pub fn and(self, other: Shapes) -> Shapes {
        Shapes(self.0 & other.0)
    }

    pub(super) fn add(&mut self, shape: Shape) {
        self.0 |= match shape {
            Shape::Rows => 1,
            Shape::Line => 2,
            Shape::Width(width) => 2 << width,
            Shape::Any => 1 << 33,
        };
    }
}

/// Two lanes of a warp: how far the second one is from the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Apart {
    pub(super) lane: i32,
    pub(super) x: i32,
    pub(super) y: i32,
}

impl Shape {
    /// All shapes, those of narrow CTAs and others only if `wanted`.
    pub(super) fn all(wanted: bool) -> impl Iterator<Item = Shape> {
        let narrow = (1..LANES).map(Shape::Width).chain([Shape::Any]);
        [Shape::Rows, Shape::Line].into_iter().chain(narrow.filter(move |_| wanted))
    }

    /// Returns true if all lanes of a warp have the same number in a dimension.
    pub(super) fn is_common(self, axis: Axis) -> bool {
        match self {
            Shape::Rows | Shape::Line => axis != Axis::X,
            Shape::Width(_) => axis == Axis::Z,
            Shape::Any => false,
        }
    }

    /// Returns the size of a dimension, where the shape says it.
    pub(super) fn size(self, axis: Axis) -> Option<i64> {
        match (self, axis) {
            (Shape::Width(width), Axis::X) => Some(width.into()),
            (Shape::Line, Axis::Y | Axis::Z) => Some(1),
            _ => None,
        }
    }

    /// What the size of a dimension is a multiple of.
    pub(super) fn divisor(self, axis: Axis) -> i64 {
        if self == Shape::Rows && axis == Axis::X { LANES.into() } else { 1 }
    }

    /// All pairs of lanes, but for those of a lane and itself.
    pub(super) fn pairs(self) -> Vec<Apart> {
        let lanes = (1 - LANES..LANES).filter(|&lane| lane != 0);
        match self {
            Shape::Width(width) => lanes
                .flat_map(|lane| {
                    let rows = lane.div_euclid(width);
                    [rows, rows + 1].map(|y| Apart { lane, x: lane - width * y, y })
                })
                .filter(|apart| apart.x.abs() < width)
                .collect(),
            // What tells lanes of other shapes apart than their number is not known.
            _ => lanes.map(|lane| Apart { lane, x: lane, y: 0 }).collect(),
        }
    }

    /// Returns true if a warp may have two lanes with these `%tid.x`, where it lies in a row.
    pub(super) fn has_both(self, one: i32, other: i32) -> bool {
        one >= 0 && other >= 0 && one.div_euclid(LANES) == other.div_euclid(LANES)
    }
}
