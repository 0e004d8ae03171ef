//! The memory that the instructions of a kernel access, and how two accesses are related.

use ptx_parser::{Kernel, Space};

use super::access::Access;
use super::affine::{Affines, Difference, Known};
use super::provenance::{Bases, Origin, Provenance};
use crate::cfg::Cfg;
use crate::loop_invariance::Invariance;
use crate::loops::{Loop, Loops};
use crate::ssa::{Value, Values};

/// The relation of two accesses that one thread makes in one iteration of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Relation {
    /// They have no byte in common.
    Disjoint,
    /// They have a byte in common whenever both are executed.
    Overlapping,
    /// They are in one object, or may be as far as is seen, and may have bytes in common there.
    SameObject,
    /// They may have bytes in common.
    Unknown,
}

/// The memory that the instructions of a kernel access, and how two accesses are related.
#[derive(Debug)]
pub struct MemoryDependence<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) cfg: &'a Cfg,
    pub(super) loops: &'a Loops,
    pub(super) values: &'a Values,
    pub(super) invariance: &'a Invariance,
    pub(super) provenance: Provenance,
    pub(super) sums: Known,
    /// The same with products.
    pub(super) sums_with_products: Known,
    /// The names of kernel parameters that are `__restrict__` pointers.
    pub(super) restricted: Vec<String>,
}

impl<'a> MemoryDependence<'a> {
    /// Computes what addresses are made from. `restricted` are the numbers of the kernel's parameters that are `__restrict__` pointers,
    /// counted from 0; PTX does not say.
    #[must_use]
    pub fn of(
        kernel: &'a Kernel,
        cfg: &'a Cfg,
        loops: &'a Loops,
        values: &'a Values,
        invariance: &'a Invariance,
        restricted: &[usize],
    ) -> MemoryDependence<'a> {
        let provenance = Provenance::of(kernel, cfg, values);
        let name = |&number: &usize| kernel.params().get(number).map(|param| param.name.to_string());
        let restricted = restricted.iter().filter_map(name).collect();
        MemoryDependence {
            kernel,
            cfg,
            loops,
            values,
            invariance,
            provenance,
            sums: Known::default(),
            sums_with_products: Known::default(),
            restricted,
        }
    }

    /// The kernel.
    #[must_use]
    pub fn kernel(&self) -> &'a Kernel {
        self.kernel
    }

    /// Returns how two accesses are related in one iteration of a loop, the innermost one that holds both.
    #[must_use]
    pub fn relation(&self, one: &Access, other: &Access, iteration_of: Loop) -> Relation {
        if self.are_in_different_objects(one, other) {
            return Relation::Disjoint;
        }
        if let (Some(first), Some(second)) = (&one.address, &other.address) {
            let fixed = |value| self.is_fixed(value, iteration_of);
            match first.minus(second, &fixed).overlaps(one.bytes, other.bytes) {
                Difference::Never => return Relation::Disjoint,
                Difference::Always => return Relation::Overlapping,
                Difference::Sometimes => {}
            }
        }
        if has_common_origin(one, other) { Relation::SameObject } else { Relation::Unknown }
    }

    /// Returns true if two accesses are in different objects, wherever in them: that holds for any two threads and iterations.
    #[must_use]
    pub fn are_in_different_objects(&self, one: &Access, other: &Access) -> bool {
        let spaces = matches!((one.space, other.space), (Some(one), Some(other)) if one != other);
        // Compilers also read a pointer that is one of several in this way, where the kernel writes through another name for it.
        let unchanging = (one.noncoherent || other.noncoherent) && !has_common_origin(one, other);
        spaces || unchanging || self.objects_differ(&one.bases, &other.bases)
    }

    /// Returns true if one thread's accesses in any two iterations of a loop have a byte in common, since their addresses are the same in all iterations.
    #[must_use]
    pub fn meet_in_all_iterations(&self, one: &Access, other: &Access, id: Loop) -> bool {
        let (Some(first), Some(second)) = (&one.address, &other.address) else { return false };
        let same =
            |value| !self.loops.is_irreducible(self.values.block(value)) && self.invariance.is_invariant_in(value, id);
        matches!(first.minus(second, &same).overlaps(one.bytes, other.bytes), Difference::Always)
    }

    /// Returns true if a value is computed once at most in an iteration of a loop.
    pub(super) fn is_fixed(&self, value: Value, iteration_of: Loop) -> bool {
        let inner = |id: Loop| id != iteration_of && self.loops.common_of(id, iteration_of) == Some(iteration_of);
        !self.loops.is_irreducible(self.values.block(value)) && !self.invariance.changes_in(value).is_some_and(inner)
    }

    pub(super) fn objects_differ(&self, one: &Bases, other: &Bases) -> bool {
        !one.is_unknown()
            && !other.is_unknown()
            && one.origins().iter().all(|&one| other.origins().iter().all(|&other| self.differ(one, other)))
    }

    pub(super) fn differ(&self, one: Origin, other: Origin) -> bool {
        let is_restricted = |origin: Origin| match origin {
            Origin::Parameter(symbol, 0) => self.restricted.iter().any(|name| name == self.kernel.symbol_name(symbol)),
            _ => false,
        };
        match (one, other) {
            _ if one == other => false,
            (Origin::Variable(_) | Origin::DynamicShared, Origin::Variable(_) | Origin::DynamicShared) => true,
            _ if is_restricted(one) || is_restricted(other) => true,
            (Origin::Parameter(..), Origin::Parameter(..)) => false,
            (variable, Origin::Parameter(..)) | (Origin::Parameter(..), variable) => {
                !matches!(self.space_of(variable), Some(Space::Global) | None)
            }
        }
    }

    /// The state space of an object.
    pub(super) fn space_of(&self, origin: Origin) -> Option<Space> {
        match origin {
            Origin::Variable(symbol) => self.kernel.variable_in_scope(symbol).map(|variable| variable.space),
            Origin::DynamicShared => Some(Space::Shared),
            // What the host passes is no address in the memory of a CTA or a thread.
            Origin::Parameter(..) => Some(Space::Global),
        }
    }

    /// The name of an object for people: that of the variable, or of the parameter.
    #[must_use]
    pub fn origin_name(&self, origin: Origin) -> String {
        match origin {
            Origin::Variable(symbol) => self.kernel.symbol_name(symbol).to_owned(),
            Origin::DynamicShared => "dynamic shared memory".to_owned(),
            Origin::Parameter(symbol, 0) => self.kernel.symbol_name(symbol).to_owned(),
            Origin::Parameter(symbol, offset) => format!("{}+{offset}", self.kernel.symbol_name(symbol)),
        }
    }

    pub(super) fn affines(&self) -> Affines<'_> {
        Affines { kernel: self.kernel, values: self.values, known: &self.sums, products: false }
    }

    /// One line per access: what it does, to which bytes, and what its address is made from.
    #[must_use]
    pub fn describe(&self) -> String {
        use std::fmt::Write as _;
        let mut text = String::new();
        for block in self.cfg.blocks() {
            for &inst in self.cfg.insts(block) {
                if let Some(access) = self.access(inst) {
                    // Writing to a string cannot fail.
                    let _ = writeln!(text, "{}: {}", self.cfg.name(self.kernel, block), access.text(self));
                }
            }
        }
        text
    }
}

/// Returns true if one object is known that both may access.
fn has_common_origin(one: &Access, other: &Access) -> bool {
    one.bases.origins().iter().any(|origin| other.bases.origins().contains(origin))
}
