//! Accesses to memory that threads share.

use ptx_parser::{Flow, Inst, Kernel, Memory, Space};

/// Returns true if an instruction accesses memory that lanes share.
#[must_use]
pub fn accesses_shared_state(kernel: &Kernel, inst: Inst) -> bool {
    let properties = kernel.properties(inst);
    match properties.memory {
        Memory::None | Memory::Fence => false,
        // A call is not an access; its function runs to its end.
        Memory::Unknown if properties.flow == Flow::Call => false,
        Memory::Read if kernel.opcode(inst).is_noncoherent() => false,
        _ => !matches!(properties.space, Some(Space::Const | Space::Param | Space::Local)),
    }
}
