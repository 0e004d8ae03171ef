//! The memory of a kernel: words to synchronise on, words that are protected, and tables that say who waits for whom.
//!
//! Every statement allocates its words anew, one set for each instance of its place, but for the locks of banks, which
//! many places use.

use super::context::Context;
use super::kernel_builder::Kernel;
use crate::generate::emit::{Class, Reg};

/// A word in memory that threads synchronise on.
#[derive(Clone, Debug)]
pub(super) struct Word {
    /// In shared memory; else in global memory.
    pub(super) shared: bool,
    base: Reg,
    /// The same address by another name of the memory, for those who write there.
    other: Option<Reg>,
    /// In bytes, behind the base.
    offset: u32,
}

impl Word {
    /// The address as an operand, without brackets.
    pub(super) fn address(&self) -> String {
        format!("{}+{}", self.base, self.offset)
    }

    /// The address for those who write.
    pub(super) fn written(&self) -> String {
        format!("{}+{}", self.other.unwrap_or(self.base), self.offset)
    }

    /// The register and the bytes behind it that make the address.
    pub(super) fn parts(&self) -> (Reg, u32) {
        (self.base, self.offset)
    }

    /// The name of its state space.
    pub(super) fn space(&self) -> &'static str {
        if self.shared { "shared" } else { "global" }
    }
}

impl Kernel<'_> {
    /// The word of a register's number, behind so many others.
    pub(super) fn word(&mut self, shared: bool, first: u32, index: Reg) -> Word {
        if !shared {
            let address = self.code.address(self.sync, index);
            return Word { shared, base: address, other: None, offset: 4 * first };
        }
        let (offset, address) = (self.code.reg(Class::Word), self.code.reg(Class::Word));
        self.code.line(format!("shl.b32 {offset}, {index}, 2;"));
        self.code.line(format!("add.u32 {address}, {}, {offset};", self.shared));
        let other = self.two_views.then(|| {
            let other = self.code.reg(Class::Word);
            self.code.line(format!("add.u32 {other}, {}, {offset};", self.other_view));
            other
        });
        Word { shared, base: address, other, offset: 4 * first }
    }

    /// A word in global memory, at an address that only the constant tells from those of others.
    pub(super) fn known_word(&self, number: u32) -> Word {
        Word { shared: false, base: self.sync, other: None, offset: 4 * number }
    }

    /// Words for locks and flags, all 0.
    pub(super) fn words(&mut self, shared: bool, count: u32) -> u32 {
        let words = if shared { &mut self.shared_words } else { &mut self.sync_words };
        *words += count;
        *words - count
    }

    pub(super) fn data_words(&mut self, count: u32) -> u32 {
        self.data_words += count;
        self.data_words - count
    }

    /// `instance * stride + index`.
    pub(super) fn index(&mut self, instance: Reg, stride: u32, index: Reg) -> Reg {
        let number = self.code.reg(Class::Word);
        self.code.line(format!("mad.lo.u32 {number}, {instance}, {stride}, {index};"));
        number
    }

    pub(super) fn copy(&mut self, register: Reg) -> Reg {
        let copy = self.code.reg(Class::Word);
        self.code.line(format!("mov.u32 {copy}, {register};"));
        copy
    }

    /// A table of four words per instance and thread, for those who come; loads the row of the own thread.
    pub(super) fn table(
        &mut self,
        place: &Context,
        mut row: impl FnMut(&mut Self, u32, &[u32], u32) -> [u32; 4],
    ) -> [Reg; 4] {
        let first = self.plan_words.len() as u32;
        for (instance, who) in place.who.iter().enumerate() {
            for thread in 0..self.threads {
                let words =
                    if who.binary_search(&thread).is_ok() { row(self, instance as u32, who, thread) } else { [0; 4] };
                self.plan_words.extend(words);
            }
        }
        let number = self.index(place.instance, self.threads, self.thread);
        let (offset, address) = (self.code.reg(Class::Long), self.code.reg(Class::Long));
        let row = [(); 4].map(|()| self.code.reg(Class::Word));
        self.code.line(format!("mul.wide.u32 {offset}, {number}, 16;"));
        self.code.line(format!("add.s64 {address}, {}, {offset};", self.plan));
        let [a, b, c, d] = row;
        self.code.line(format!("ld.global.v4.u32 {{{a}, {b}, {c}, {d}}}, [{address}+{}];", 4 * first));
        row
    }
}
