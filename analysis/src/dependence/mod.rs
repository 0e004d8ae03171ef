//! Memory dependence: which accesses of a kernel may touch the same bytes.
//!
//! Three things are asked, the cheapest first:
//!
//! 1. **State space**: a shared and a global address are different places. A generic address is in the space of the objects that it is
//!    made from, where these are known.
//! 2. **Provenance** ([`Provenance`]): the variables and kernel parameters that an address is made from. Two variables are different objects; a
//!    pointer that the host passes does not point to the memory of a CTA; a `__restrict__` pointer is the only way to its object.
//! 3. **Offset** ([`Affine`]): the address as a sum of registers times numbers. Where two addresses differ by a number, that says
//!    all; where they differ by multiples of one, it says which offsets are possible. An index that is computed in 32 bits may wrap, and both results are
//!    looked at.
//!
//! Two accesses are compared within one iteration of a loop: a register that keeps its value for an iteration is the same in both, one that an
//! inner loop changes is not.
//!
//! Pointers are taken to stay within their objects, as C++ demands of them ([expr.add]). What is loaded from memory may point
//! anywhere.

mod access;
mod affine;
mod difference;
mod known;
mod lanes;
mod memory;
mod polynomial;
mod provenance;
mod reliance;
mod shapes;
mod ways;

pub use access::Access;
pub use affine::Affine;
pub use lanes::{Class, DependenceKind, LaneDependence, LaneDependences, Siblings, Signs};
pub use memory::{MemoryDependence, Relation};
pub use provenance::{Bases, Origin, Provenance};
pub use shapes::Shapes;
