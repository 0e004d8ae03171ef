//! Loops whose state is in memory that all threads could see: what decides whether a thread leaves is read from a word of its own, in global or in
//! shared memory, and an attempt of the same iteration has written it.

use super::kernel_builder::Kernel;
use super::memory::Word;
use super::spin::Attempt;
use crate::generate::emit::{Class, Reg};

impl Kernel<'_> {
    /// A word of the thread's own, which is 0.
    pub(super) fn state(&mut self) -> Word {
        let shared = self.code.random.chance(50);
        let count = if shared { self.block } else { self.threads };
        let first = self.words(shared, count);
        let own = if shared { self.local } else { self.thread };
        let word = self.word(shared, first, own);
        self.write_state(&word, "0");
        word
    }

    pub(super) fn write_state(&mut self, word: &Word, value: &str) {
        self.code.line(format!("st.volatile.{}.u32 [{}], {value};", word.space(), word.written()));
    }

    pub(super) fn read_state(&mut self, word: &Word) -> Reg {
        let value = self.code.reg(Class::Word);
        self.code.line(format!("ld.volatile.{}.u32 {value}, [{}];", word.space(), word.address()));
        value
    }

    /// The outcome of an attempt is written, and read back by the test that leaves.
    pub(super) fn spin_with_state_in_memory(&mut self, attempt: &Attempt) {
        self.kind("spin with its state in memory");
        let state = self.state();
        let (head, out) = (self.code.label(), self.code.label());
        let (done, word) = (self.code.reg(Class::Pred), self.code.reg(Class::Word));
        self.code.place(&head);
        let value = self.read_state(&state);
        self.code.line(format!("setp.ne.u32 {done}, {value}, 0;"));
        self.code.line(format!("@{done} bra {out};"));
        let success = self.attempt(attempt);
        if self.code.random.chance(50) {
            self.code.line(format!("selp.b32 {word}, 1, 0, {success};"));
            self.write_state(&state, &word.to_string());
        } else {
            self.code.line(format!("@{success} st.volatile.{}.u32 [{}], 7;", state.space(), state.written()));
        }
        self.code.line(format!("bra {head};"));
        self.code.place(&out);
    }
}
