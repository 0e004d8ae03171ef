//! A body that is being copied.

use ptx_parser::{Copier, Kernel, Label, Symbol};
use rustc_hash::FxHashMap;

use super::parameter_storage::StoreId;

/// A body that is being copied.
pub(super) struct Body<'k> {
    pub(super) kernel: &'k Kernel,
    pub(super) copier: Copier<'k>,
    /// Its parameter variables that are kept elsewhere.
    pub(super) stores: FxHashMap<Symbol, StoreId>,
    /// The label that its returns lead to; `None` for the kernel itself, whose returns stay.
    pub(super) back: Option<Label>,
}

impl<'k> Body<'k> {
    /// The kernel itself, of which parts are copied.
    pub(super) fn of_kernel(kernel: &'k Kernel) -> Body<'k> {
        Body { kernel, copier: Copier::within(kernel), stores: FxHashMap::default(), back: None }
    }

    /// A function, for each of its calls.
    pub(super) fn of_function(kernel: &'k Kernel) -> Body<'k> {
        Body { kernel, copier: Copier::of(kernel), stores: FxHashMap::default(), back: None }
    }
}
