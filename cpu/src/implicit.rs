//! Implicit synchronisation: the instructions in front of which lanes of a warp meet, because on a GPU they execute in lockstep.

use ptx_parser::{Inst, Kernel, Memory, Space};

/// Returns true if an instruction accesses memory that lanes share.
pub(crate) fn accesses_shared_state(kernel: &Kernel, inst: Inst) -> bool {
    let properties = kernel.properties(inst);
    match properties.memory {
        Memory::None | Memory::Fence => false,
        Memory::Read if kernel.opcode(inst).is_noncoherent() => false,
        _ => !matches!(properties.space, Some(Space::Const | Space::Param | Space::Local)),
    }
}
