//! Loops that look like lock-free ones because something in them moves on once the attempt has succeeded, and stays what it is until then: the value that a thread
//! expects, or its place in a list.

use super::kernel_builder::Kernel;
use super::spin::Attempt;
use crate::generate::emit::Class;

impl Kernel<'_> {
    /// The loop ends when a word of the thread's own is what the thread expects, which it learns from that word only if the attempt has succeeded.
    pub(super) fn spin_that_keeps_what_it_expects(&mut self, attempt: &Attempt) {
        self.kind("spin that keeps what it expects");
        let state = self.state();
        self.write_state(&state, "5");
        let (head, out) = (self.code.label(), self.code.label());
        let (done, expected) = (self.code.reg(Class::Pred), self.code.reg(Class::Word));
        self.code.line(format!("mov.u32 {expected}, 0;"));
        self.code.place(&head);
        let value = self.read_state(&state);
        self.code.line(format!("setp.eq.u32 {done}, {value}, {expected};"));
        self.code.line(format!("@{done} bra {out};"));
        let success = self.attempt(attempt);
        match self.code.random.below(3) {
            0 => self.code.line(format!("selp.b32 {expected}, {value}, {expected}, {success};")),
            1 => self.code.line(format!("@{success} mov.u32 {expected}, {value};")),
            _ => {
                self.code.line(format!("@!{success} bra {head};"));
                self.code.line(format!("mov.u32 {expected}, {value};"));
            }
        }
        self.code.line(format!("bra {head};"));
        self.code.place(&out);
    }

    /// A walk over a list of the thread's own, which goes on from its first node if the attempt has succeeded, and else reads the link to that node again.
    pub(super) fn spin_that_reads_its_link_again(&mut self, attempt: &Attempt) {
        self.kind("spin that reads its link again");
        let first = self.words(false, 2 * self.threads);
        let index = self.code.reg(Class::Word);
        self.code.line(format!("shl.b32 {index}, {}, 1;", self.thread));
        let list = self.word(false, first, index);
        let (base, offset) = list.parts();
        self.write_state(&list, "1");
        let (head, out, on) = (self.code.label(), self.code.label(), self.code.label());
        let [at, before, from] = [(); 3].map(|()| self.code.reg(Class::Word));
        let [bytes, address] = [(); 2].map(|()| self.code.reg(Class::Long));
        let done = self.code.reg(Class::Pred);
        self.code.line(format!("mov.u32 {at}, 1;"));
        self.code.line(format!("mov.u32 {before}, 0;"));
        self.code.place(&head);
        self.code.line(format!("setp.eq.u32 {done}, {at}, 0;"));
        self.code.line(format!("@{done} bra {out};"));
        let success = self.attempt(attempt);
        if self.code.random.chance(50) {
            self.code.line(format!("selp.b32 {from}, {at}, {before}, {success};"));
        } else {
            self.code.line(format!("mov.u32 {from}, {before};"));
            self.code.line(format!("@!{success} bra {on};"));
            self.code.line(format!("mov.u32 {from}, {at};"));
            self.code.line(format!("mov.u32 {before}, {at};"));
            self.code.place(&on);
        }
        self.code.line(format!("mul.wide.u32 {bytes}, {from}, 4;"));
        self.code.line(format!("add.s64 {address}, {base}, {bytes};"));
        self.code.line(format!("ld.volatile.global.u32 {at}, [{address}+{offset}];"));
        self.code.line(format!("bra {head};"));
        self.code.place(&out);
    }
}
