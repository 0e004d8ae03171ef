//! Two blocks that each wait for what the other one does in code of its own.
//!
//! Half of the threads of each block wait, and the other half raise a counter for those of the other block: what a loop waits for is not behind it and
//! on no other way of a branch that leads to it, but beside another loop that waits for what is beside the first one.

use super::context::{Context, Held};
use super::kernel_builder::Kernel;
use super::spin::Attempt;
use crate::generate::emit::Class;

impl Kernel<'_> {
    /// Writes the exchange, at the end of a kernel of two blocks.
    pub(super) fn across(&mut self, place: &Context) {
        self.kind("exchange between blocks");
        let first = self.words(false, 2);
        let place = Context { held: Held::Nothing, uniform: false, depth: place.depth + 1, ..place.clone() };
        let (block, parity) = (self.block, self.code.random.below(2));
        // How many raise the counter that a thread waits for.
        let raised = self.table(&place, |_, _, who, thread| {
            let raises = |&&other: &&u32| other / block != thread / block && (other % block) % 2 != parity;
            [who.iter().filter(raises).count() as u32, 0, 0, 0]
        })[0];
        let half = self.code.reg(Class::Word);
        let (waits, is_first) = (self.code.reg(Class::Pred), self.code.reg(Class::Pred));
        self.code.line(format!("and.b32 {half}, {}, 1;", self.local));
        self.code.line(format!("setp.eq.u32 {waits}, {half}, {parity};"));
        self.code.line(format!("setp.eq.u32 {is_first}, {}, 0;", self.cta));
        let (second, done) = (self.code.label(), self.code.label());
        self.code.line(format!("@{is_first} bra {second};"));
        for cta in [1, 0] {
            if cta == 0 {
                self.code.place(&second);
            }
            let [own, other] = [cta, 1 - cta].map(|cta| self.known_word(first + cta));
            let (beside, waits_first) = (self.code.label(), self.code.random.chance(50));
            self.code.line(format!("@{}{waits} bra {beside};", if waits_first { "!" } else { "" }));
            for waits in [waits_first, !waits_first] {
                if waits != waits_first {
                    self.code.place(&beside);
                }
                if waits {
                    self.until(&Attempt::Reach(other.clone(), raised), &place);
                } else {
                    self.raise(&own, false);
                }
                self.code.line(format!("bra {done};"));
            }
        }
        self.code.place(&done);
    }
}
