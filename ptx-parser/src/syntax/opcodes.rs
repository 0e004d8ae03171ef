//! The opcodes of a text: each is looked up in the table once, however many instructions have it.
//!
//! What the table says of an opcode does not depend on the text, and most texts have the same few hundred. So it is remembered beyond
//! the text, by thread: who reads many small files does not look up the same opcodes again for each.

use std::cell::RefCell;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::names::Names;
use super::scope::{Brief, KnownOpcode};
use crate::opcode::OpcodeData;
use crate::table::Memory;

/// The most opcodes that a thread remembers, and the longest: texts can be made that have any number of them.
const MOST_REMEMBERED: usize = 4096;
const LONGEST_REMEMBERED: usize = 128;

thread_local! {
    static REMEMBERED: RefCell<FxHashMap<Box<str>, Arc<OpcodeData>>> = RefCell::default();
}

/// Returns what the table says of an opcode.
pub(crate) fn look_up(text: &str) -> Arc<OpcodeData> {
    // A thread that is ending remembers nothing any more.
    if let Ok(Some(data)) = REMEMBERED.try_with(|remembered| remembered.borrow().get(text).cloned()) {
        return data;
    }
    let data = Arc::new(OpcodeData::new(text));
    if text.len() <= LONGEST_REMEMBERED {
        let _ = REMEMBERED.try_with(|remembered| {
            let mut remembered = remembered.borrow_mut();
            if remembered.len() < MOST_REMEMBERED {
                remembered.insert(text.into(), Arc::clone(&data));
            }
        });
    }
    data
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
        let data = look_up(text);
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
