//! The names of opcodes and registers, each held once; those of registers for a trace that shows values.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::program::listing::{InstId, Named};

/// The names of opcodes and registers.
#[derive(Default)]
pub(super) struct Names<'m> {
    texts: FxHashMap<&'m str, Arc<str>>,
    /// The registers that instructions name; `Some` only for a trace.
    pub(super) named: Option<Vec<Named>>,
}

impl<'m> Names<'m> {
    /// The shared copy of a text.
    pub(super) fn shared(&mut self, text: &'m str) -> Arc<str> {
        self.texts.entry(text).or_insert_with(|| text.into()).clone()
    }

    /// Returns true if an instruction is known to read a register, or to write it.
    pub(super) fn knows(&self, inst: InstId, name: &str, written: bool) -> bool {
        let mut latest = self.named.iter().flatten().rev().take_while(|named| named.inst == inst);
        latest.any(|named| named.written == written && *named.name == *name)
    }
}
