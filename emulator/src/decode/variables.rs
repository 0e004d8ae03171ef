//! The variables that have been met, and where they lie.

use cranelift_entity::PrimaryMap;
use ptx_parser::{Space, Variable};
use rustc_hash::FxHashMap;

use crate::program::storage::{Global, GlobalId, SharedVariable};

/// The location of a variable or parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Location {
    /// At an offset of the block's shared memory.
    Shared(u64),
    /// At an offset of the thread's local memory. Parameters of calls live there too.
    Local(u64),
    /// In global or constant memory.
    Global(GlobalId),
    /// At an offset of the kernel's parameters.
    Param(u64),
    /// At an offset of the frame of the function that runs; see `exec/frame.rs`.
    Frame(u64),
    /// A function, at this address.
    Function(u64),
}

/// The variables that have been met.
#[derive(Default)]
pub(super) struct Variables {
    /// Those of the module by name.
    pub(super) places: FxHashMap<Box<str>, Location>,
    pub(super) globals: PrimaryMap<GlobalId, Global>,
    pub(super) shared_bytes: u64,
    pub(super) shared: Vec<SharedVariable>,
    pub(super) local_bytes: u64,
}

impl Variables {
    /// Allocates a variable in global or constant memory.
    pub(super) fn add_global(&mut self, variable: &Variable) -> Location {
        let id = self.globals.push(Global {
            name: variable.name.clone(),
            bytes: variable.bytes(),
            constant: variable.space == Space::Const,
            init: variable.init.clone().unwrap_or_default(),
        });
        let place = Location::Global(id);
        self.places.insert(variable.name.clone(), place);
        place
    }

    /// Allocates a variable in the thread's local memory.
    pub(super) fn add_local(&mut self, variable: &Variable) -> Location {
        let offset = self.local_bytes.next_multiple_of(u64::from(variable.align.max(1)));
        self.local_bytes = offset.saturating_add(variable.bytes());
        Location::Local(offset)
    }

    /// Puts a variable at an offset of the block's shared memory.
    pub(super) fn add_shared(&mut self, variable: &Variable, offset: u64) -> Location {
        self.shared_bytes = self.shared_bytes.max(offset.saturating_add(variable.bytes()));
        let bytes = variable.count.is_some().then(|| variable.bytes());
        self.shared.push(SharedVariable { name: variable.name.clone(), start: offset, bytes });
        Location::Shared(offset)
    }
}
