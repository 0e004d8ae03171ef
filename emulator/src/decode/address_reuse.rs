//! Accesses of a block of code by one address row: what the first of them finds out about the row holds for the others.
//!
//! Compilers compute an address once and reach its neighbours by offsets (`[%r8]`, `[%r8+64]`, `[%r8+128]`, …). How the lanes' addresses
//! stand to each other does not depend on the offset, so that it need not be asked again as long as nobody writes the row and
//! the same lanes run, which is the case within a block for instructions without a guard.

use std::ops::Range;

use cranelift_entity::PrimaryMap;

use super::current_inst::Target;
use crate::exec::address_pattern::{Share, link};
use crate::exec::op::{NONE, Op};
use crate::program::code::OpId;

/// An access whose row still holds what it held.
struct Access {
    /// The tagged row.
    row: u32,
    target: Target,
    /// Bytes per lane.
    bytes: u32,
    /// The offset: others share what is known if theirs is a multiple of four away, so that banks stay the same too.
    offset: u64,
    op: OpId,
    slot: Option<u32>,
}

/// The accesses of the current block whose rows have not been written since.
#[derive(Default)]
pub(super) struct Repeated {
    accesses: Vec<Access>,
    /// Slots that the current block uses.
    used: u32,
    /// The most that any block uses.
    pub(super) most: u32,
    /// The access that is being decoded: where to, and bytes per lane.
    pub(super) coming: Option<(Target, u32)>,
}

impl Repeated {
    /// Nothing is known of any row.
    pub(super) fn forget_all(&mut self) {
        self.accesses.clear();
    }

    /// Another block begins.
    pub(super) fn start(&mut self) {
        self.accesses.clear();
        self.used = 0;
    }

    /// The op at the end of the list may be a load or store, by its row `a`.
    pub(super) fn note(&mut self, ops: &mut PrimaryMap<OpId, Op>) {
        let Some((op, &new)) = ops.last() else { return };
        let Repeated { accesses, used, most, coming } = self;
        let Some((target, bytes)) = coming.take().filter(|_| new.guard == NONE) else { return };
        let same = |access: &&mut Access| {
            (access.row, access.target, access.bytes) == (new.a, target, bytes)
                && access.offset.wrapping_sub(new.imm).is_multiple_of(4)
        };
        let Some(first) = accesses.iter_mut().find(same) else {
            accesses.push(Access { row: new.a, target, bytes, offset: new.imm, op, slot: None });
            return;
        };
        let slot = *first.slot.get_or_insert_with(|| {
            *used += 1;
            *used - 1
        });
        *most = (*most).max(*used);
        ops[first.op].b = link(slot, Share::Gives);
        ops[op].b = link(slot, Share::Takes);
    }

    /// Returns true if nothing is known of any row.
    pub(super) fn is_empty(&self) -> bool {
        self.accesses.is_empty()
    }

    /// Rows are written: what is known of them does not hold any more.
    pub(super) fn forget(&mut self, rows: &Range<u32>) {
        self.accesses.retain(|access| !rows.contains(&access.row));
    }
}
