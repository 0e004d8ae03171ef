//! The instructions of a kernel as its text has them: position, cost and name.

use std::sync::Arc;

use cranelift_entity::{EntityRef, PrimaryMap, entity_impl};
use ptx_parser::{Class, Type};

use crate::api::error::Site;
use crate::memory::access::Access;

/// The number of an instruction: index of its counters and of its position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct InstId(u32);
entity_impl!(InstId, "inst");

impl InstId {
    /// Returns the instruction before this one, if it is not the first.
    pub(crate) fn previous(self) -> Option<InstId> {
        self.index().checked_sub(1).map(InstId::new)
    }

    /// Returns the instruction behind this one.
    pub(crate) fn next(self) -> InstId {
        InstId::new(self.index() + 1)
    }
}

/// The instructions of a kernel by their numbers.
#[derive(Clone, Default)]
pub(crate) struct Listing {
    pub(crate) insts: PrimaryMap<InstId, InstMeta>,
    /// The source files by the numbers that `.loc` gives them.
    pub(crate) files: Vec<(u32, Arc<str>)>,
    /// The registers that instructions name, by instruction; empty unless the kernel was decoded for a trace with
    /// values.
    pub(crate) named: Vec<Named>,
}

impl Listing {
    pub(crate) fn file(&self, index: u32) -> Option<&str> {
        self.files.iter().find(|(number, _)| *number == index).map(|(_, name)| &**name)
    }

    /// Returns where an instruction comes from.
    pub(crate) fn site(&self, inst: &InstMeta) -> Site {
        let file = self.files.iter().find(|(number, _)| *number == inst.file).map(|(_, name)| name.clone());
        Site { ptx_line: inst.ptx_line, file: file.filter(|_| inst.line > 0), line: inst.line }
    }
}

/// A decoded instruction's position, cost and name.
#[derive(Clone, Debug)]
pub(crate) struct InstMeta {
    pub(crate) ptx_line: u32,
    pub(crate) file: u32,
    pub(crate) line: u32,
    pub(crate) class: Class,
    pub(crate) repeats: u8,
    /// True if lanes are counted apart because it has a guard.
    pub(crate) guarded: bool,
    pub(crate) opcode: Arc<str>,
    /// True if its result depends on which lanes of a warp happen to run together.
    pub(crate) asks_who_is_together: bool,
    /// The effect of the instruction on memory.
    pub(crate) access: Option<Access>,
}

/// A register that an instruction names.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    pub(crate) inst: InstId,
    /// Tagged.
    pub(crate) row: u32,
    pub(crate) written: bool,
    pub(crate) ty: Type,
    pub(crate) name: Arc<str>,
}
