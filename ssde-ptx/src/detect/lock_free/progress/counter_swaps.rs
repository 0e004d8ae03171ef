//! Swaps by which a lane moves a counter on itself.
//!
//! ```text
//! t = tail; …no slot of the segment t % SEGMENTS is free…
//! if (t + 1 - head >= SEGMENTS) return full;
//! CAS(&tail, t, t + 1);                                       as many rounds as there are segments
//! ```
//!
//! Without such an end, a lane moves the counter round and round a ring until another lane fills or empties a slot: that is no step. So is none by which a counter goes away from what it is
//! compared with.

use analysis::Value;
use ptx_parser::{Inst, Linear, Mnemonic, Operand};
use rustc_hash::FxHashSet;

use super::counter_ends::Counting;
use super::loop_facts::LoopFacts;
use crate::detect::alias::bytes;

impl LoopFacts<'_> {
    /// The writes that have to be elsewhere for a comparison and swap, by all that it counts, to come to an end; `None` if nothing on the way to it says that it does.
    pub(super) fn comes_to_end(&self, swap: Inst, wanted: Value) -> Option<Vec<Inst>> {
        let Some(number) = self.counts_by(swap, wanted) else {
            return (!self.may_turn(swap, wanted)).then(Vec::new);
        };
        let wanted = FxHashSet::from_iter([self.origin(wanted)]);
        let counting = Counting::by(number, bytes(self.kernel, swap) as u32 * 8);
        let tests = self.on_the_way_to(self.facts.cfg.block_of(swap)?).into_iter();
        tests.filter_map(|test| self.is_before_end(test, &wanted, counting)).next()
    }

    /// The number that a comparison and swap adds to what it compares with, perhaps round a ring.
    fn counts_by(&self, swap: Inst, wanted: Value) -> Option<i64> {
        let (values, kernel) = (&self.facts.values, self.kernel);
        let (_, new) = self.swaps().find(|&(inst, _)| inst == swap)?;
        let mut new = self.origin(new);
        let made = values.made_by(kernel, new)?;
        if let (Mnemonic::Rem | Mnemonic::And, [_, of, _]) = (kernel.opcode(made).mnemonic(), kernel.operands(made)) {
            new = self.origin(values.of_operand(made, of)?);
        }
        let made = values.made_by(kernel, new)?;
        let number = match (kernel.properties(made).linear, kernel.operands(made)) {
            (Some(Linear::Sum), [_, of, Operand::Int(number)]) => (of, *number),
            (Some(Linear::Difference), [_, of, Operand::Int(number)]) => (of, number.wrapping_neg()),
            _ => return None,
        };
        (values.of_operand(made, number.0).map(|of| self.origin(of)) == Some(self.origin(wanted))).then_some(number.1)
    }
}
