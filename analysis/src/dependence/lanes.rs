//! Accesses of different lanes of a warp: which of them have no byte in common.
//!
//! Two lanes of a warp that lie in one row of their CTA differ in `%tid.x` by a number from 1 to 31, and in nothing else that all lanes of the warp share. So an address
//! `u + c * %tid.x`, where `u` is the same for all lanes, differs between them by a multiple of `c`. An index of 32 bits that is extended may have wrapped: then its
//! difference is one of two numbers, and both are looked at.

use super::affine::{Affine, Affines, Atom, Difference, Gap, extended_difference};
use super::{Access, MemoryDependence};
use crate::ssa::Value;

/// The lanes of a warp.
const LANES: i128 = 32;

/// The register that tells the lanes of a row from each other.
const LANE: &str = "%tid.x";

/// Special registers that are the same for all lanes of a row.
const OF_A_ROW: &[&str] = &["%tid.y", "%tid.z", "%ntid.", "%ctaid.", "%nctaid.", "%nsmid", "%gridid"];

impl MemoryDependence<'_> {
    /// Returns true if two different lanes of a warp, whose threads lie in one row of their CTA (equal `%tid.y` and `%tid.z`, so that `%tid.x` differs by 1 to 31), never
    /// access a common byte by these accesses. `same` says of a value whether all lanes of a warp have the same one wherever these accesses read it.
    #[must_use]
    pub fn are_disjoint_in_a_row(&self, one: &Access, other: &Access, same: &impl Fn(Value) -> bool) -> bool {
        let (Some(first), Some(second)) = (self.address_with_products(one), self.address_with_products(other)) else {
            return false;
        };
        // Addresses of a window may be kept in 32 bits.
        let (first, second) = if first.bits == second.bits { (first, second) } else { (first.low(), second.low()) };
        let Some(gap) = LaneGap::of(&first, &second, same) else { return false };
        let lanes = (1 - LANES..LANES).filter(|&lanes| lanes != 0);
        let gap = Gap::one_of(first.bits, lanes.flat_map(|lanes| gap.differences(lanes)).collect());
        gap.overlaps(one.bytes, other.bytes) == Difference::Never
    }

    fn address_with_products(&self, access: &Access) -> Option<Affine> {
        let affines = Affines { known: &self.sums_with_products, products: true, ..self.affines() };
        match self.addresses(access.inst)[..] {
            [(base, offset)] => affines.address(access.inst, base, offset),
            _ => None,
        }
    }
}

/// The difference of two addresses of two lanes, by how many lanes these are apart.
struct LaneGap {
    /// The difference without what depends on the lane.
    constant: i128,
    /// The factor of the part that depends on it.
    factor: i128,
    /// The part that depends on it.
    part: Part,
}

/// A part of an address that depends on the lane.
enum Part {
    None,
    /// `%tid.x` itself.
    Lane,
    /// `by` times the lane plus a number, modulo 2^32.
    Extended {
        by: i128,
        constant: i128,
    },
}

impl LaneGap {
    /// Compares two addresses. `None` if they differ in more than a number and the lane.
    fn of(one: &Affine, other: &Affine, same: &impl Fn(Value) -> bool) -> Option<LaneGap> {
        let constant = i128::from(one.constant) - i128::from(other.constant);
        let (first, rest) = split(one, same)?;
        let (second, other_rest) = split(other, same)?;
        if rest != other_rest {
            return None;
        }
        let (factor, part) = match (first, second) {
            (None, None) => (0, Part::None),
            (Some((one, factor)), Some((other, as_large))) if factor == as_large => {
                let part = match (one, other) {
                    (Atom::Special(_), Atom::Special(_)) => Part::Lane,
                    (Atom::Extended { signed, sum }, Atom::Extended { signed: as_signed, sum: other })
                        if signed == as_signed && sum.terms == other.terms =>
                    {
                        let by = sum.terms.get(&Atom::Special(LANE.to_owned())).copied()?;
                        let constant = i128::from(sum.constant) - i128::from(other.constant);
                        Part::Extended { by: i128::from(by), constant }
                    }
                    _ => return None,
                };
                (i128::from(factor), part)
            }
            _ => return None,
        };
        Some(LaneGap { constant, factor, part })
    }

    /// Returns the possible differences of the two addresses if the lane of the first is `lanes` further.
    fn differences(&self, lanes: i128) -> Vec<i128> {
        let parts = match self.part {
            Part::None => vec![0],
            Part::Lane => vec![lanes],
            Part::Extended { by, constant } => extended_difference(by * lanes + constant),
        };
        parts.into_iter().map(|part| part * self.factor + self.constant).collect()
    }
}

/// A term that depends on the lane, with its factor.
type LaneTerm<'a> = (&'a Atom, i64);

/// Takes the term that depends on the lane out of a sum. `None` if there are several, or another one that lanes may not have in common.
fn split<'a>(sum: &'a Affine, same: &impl Fn(Value) -> bool) -> Option<(Option<LaneTerm<'a>>, Vec<LaneTerm<'a>>)> {
    let (moving, rest): (Vec<_>, Vec<_>) =
        sum.terms.iter().map(|(atom, &times)| (atom, times)).partition(|(atom, _)| depends_on_lane(atom));
    let is_simple = |atom: &Atom| match atom {
        Atom::Special(_) => true,
        Atom::Extended { .. } => {
            atom.parts().all(|part| is_lane(part) || !depends_on_lane(part) && is_common(part, same))
        }
        _ => false,
    };
    let fits = moving.len() <= 1
        && moving.iter().all(|(atom, _)| is_simple(atom))
        && rest.iter().all(|(atom, _)| is_common(atom, same));
    fits.then(|| (moving.first().copied(), rest))
}

fn is_lane(atom: &Atom) -> bool {
    matches!(atom, Atom::Special(name) if name == LANE)
}

fn depends_on_lane(atom: &Atom) -> bool {
    is_lane(atom) || atom.parts().any(depends_on_lane)
}

/// Returns true if all lanes of a row have the same value.
fn is_common(atom: &Atom, same: &impl Fn(Value) -> bool) -> bool {
    match atom {
        Atom::Origin(_) => true,
        Atom::Special(name) => OF_A_ROW.iter().any(|prefix| name.starts_with(prefix)),
        Atom::Value(value) | Atom::Low(value) => same(*value),
        Atom::Extended { .. } | Atom::Product { .. } => atom.parts().all(|part| is_common(part, same)),
    }
}
