//! The effect of an instruction on memory, as the checks see it. It is decoded once, and examined before the
//! instruction runs.

use ptx_parser::{Memory, Ordering, Properties};

use super::space::{LOCAL_WINDOW, MemorySpace, SHARED_WINDOW, in_window};

/// The effect on the bytes at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Read,
    Write,
    /// `atom`, `red`.
    Update,
    /// No bytes: `fence`, `membar`.
    Fence,
    /// `cp.async`: copy number `op.imm` of the program.
    Copy,
    /// The copies of the thread up to here are one more group.
    Commit,
    /// All groups of the thread are done but so many of the latest.
    Wait(u32),
    /// All copies of the thread are done.
    WaitAll,
}

/// A memory instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Access {
    pub(crate) kind: Kind,
    /// `None` for a generic address, which is told by its window.
    pub(crate) space: Option<MemorySpace>,
    /// Per lane.
    pub(crate) bytes: u8,
    /// Volatile, relaxed, acquire, release or atomic: two such accesses do not race (PTX ISA, "Morally Strong Operations").
    pub(crate) strong: bool,
    /// True if it acquires: later accesses see what other threads released.
    pub(crate) acquires: bool,
    /// True if it releases what the thread did before it.
    pub(crate) releases: bool,
}

impl Access {
    /// The access of an opcode that moves `bytes` bytes per lane in a space; `None` for one that only matters to caches.
    ///
    /// Every strong read counts as an acquire, and so does every atomic: code that spins on a flag often leaves the fence behind it out.
    /// A release must be written as one, or be a fence.
    pub(crate) fn of(properties: &Properties, space: Option<MemorySpace>, bytes: u8) -> Option<Access> {
        let kind = match properties.memory {
            Memory::Read => Kind::Read,
            Memory::Write => Kind::Write,
            Memory::Atomic => Kind::Update,
            Memory::Fence => Kind::Fence,
            Memory::None | Memory::Unknown => return None,
        };
        let strong = kind == Kind::Update || properties.ordering != Ordering::Weak;
        let releasing =
            matches!(properties.ordering, Ordering::Release | Ordering::AcquireRelease | Ordering::Sequential);
        let fence = kind == Kind::Fence;
        Some(Access {
            kind,
            space,
            bytes,
            strong,
            acquires: fence || strong && kind != Kind::Write,
            releases: fence || releasing,
        })
    }

    /// An instruction that orders what its thread does in both directions, and has its own way with memory, if any.
    pub(crate) fn ordering(kind: Kind, space: Option<MemorySpace>) -> Access {
        Access { kind, space, bytes: 0, strong: true, acquires: true, releases: true }
    }

    /// `cp.async` and what belongs to it: nothing but the bytes that it moves, if any.
    pub(crate) fn copying(kind: Kind) -> Access {
        Access { kind, space: None, bytes: 0, strong: false, acquires: false, releases: false }
    }

    /// The space and the address in it of a lane's access.
    pub(crate) fn place(&self, address: u64) -> (MemorySpace, u64) {
        if let Some(space) = self.space {
            return (space, address);
        }
        if let Some(offset) = in_window(address, SHARED_WINDOW) {
            (MemorySpace::Shared, offset)
        } else if let Some(offset) = in_window(address, LOCAL_WINDOW) {
            (MemorySpace::Local, offset)
        } else {
            (MemorySpace::Global, address)
        }
    }
}
