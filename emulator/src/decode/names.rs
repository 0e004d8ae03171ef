//! What instructions call their registers, for a trace that shows values.

use super::{Decoder, View};
use crate::program::listing::Named;

impl<'m> Decoder<'m> {
    /// Remembers what an instruction calls its registers, if anybody wants to know.
    pub(super) fn note_names(&mut self, view: &View<'_, 'm>, id: u32) {
        if self.named.is_none() {
            return;
        }
        let kernel = view.frame.kernel;
        let used = kernel.uses(view.inst).into_iter().map(|reg| (reg, false));
        for (reg, written) in used.chain(kernel.defs(view.inst).into_iter().map(|reg| (reg, true))) {
            let mut named = self.named.iter().flatten().rev().take_while(|named| named.inst == id);
            let text = kernel.reg_name(reg);
            // An instruction may read a register twice.
            let known = named.any(|named| named.written == written && *named.name == *text);
            if known || kernel.carry_flag() == Some(reg) {
                continue;
            }
            let (row, ty) = (self.row(view.frame, reg), kernel.reg(reg).ty);
            let name = self.opcode_names.entry(text).or_insert_with(|| text.into()).clone();
            self.named.get_or_insert_default().push(Named { inst: id, row, written, ty, name });
        }
    }
}
