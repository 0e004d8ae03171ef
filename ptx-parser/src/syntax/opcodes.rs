//! The opcodes of a text: each is looked up in the table once, however many instructions have it.

use std::sync::Arc;

use super::names::Names;
use crate::entities::Opcode;
use crate::opcode::OpcodeData;
use crate::table::{Flow, Memory};

/// What reading an instruction needs to know of its opcode.
#[derive(Clone, Copy)]
pub(crate) struct Brief {
    pub(crate) opcode: Opcode,
    pub(crate) flow: Flow,
    /// Whether it accesses memory.
    pub(crate) accesses: bool,
    /// Whether it reads or writes the carry flag.
    pub(crate) carry: bool,
}

/// An opcode of the text, looked up in the table once, and its id in the last kernel that has it.
pub(super) struct KnownOpcode {
    data: Arc<OpcodeData>,
    brief: Brief,
    kernel: u32,
}

impl<'a> Names<'a> {
    /// The opcode of an instruction's head.
    #[inline]
    pub(crate) fn opcode(&mut self, text: &'a str) -> Brief {
        if let Some(known) = self.opcodes.get_mut(text) {
            if known.kernel != self.kernels {
                known.kernel = self.kernels;
                known.brief.opcode = self.kernel.opcodes.push(Arc::clone(&known.data));
            }
            return known.brief;
        }
        self.new_opcode(text)
    }

    #[cold]
    fn new_opcode(&mut self, text: &'a str) -> Brief {
        let data = Arc::new(OpcodeData::new(text));
        let known = self.outer.and_then(|outer| outer.opcode(text));
        let opcode = known.unwrap_or_else(|| self.kernel.opcodes.push(Arc::clone(&data)));
        let properties = data.properties();
        let brief = Brief {
            opcode,
            flow: properties.flow,
            accesses: properties.memory != Memory::None,
            carry: properties.known && (properties.carry_in || properties.carry_out),
        };
        self.opcodes.insert(text, KnownOpcode { data, brief, kernel: self.kernels });
        brief
    }
}
