//! Loops that try until they succeed, in all the shapes that hide what they wait for.
//!
//! An [`Attempt`] is a few instructions that leave a predicate: the lock was free, the flag is up, it is this thread's
//! turn. A loop around it ends when it holds, and what is to be done then stands behind the loop ([`Kernel::until`]),
//! where a lane of a reconvergence stack does not come while others of its warp spin; or in it ([`Kernel::within`]),
//! where it does.

use super::calls::Function;
use super::context::Context;
use super::kernel_builder::Kernel;
use super::memory::Word;
use crate::generate::emit::{Class, Reg};

/// The attempt that a loop repeats.
#[derive(Clone, Debug)]
pub(super) enum Attempt {
    /// To make a word 1 that is 0.
    Take(Word),
    /// To take one lock and then another, and to give the first back if the second is not to be had.
    TakeBoth(Word, Word),
    /// To find a number in a word that is at least this.
    Reach(Word, Reg),
    /// To find this number in a word.
    Equal(Word, Reg),
    /// To find this number in a word, and to make it one more.
    Advance(Word, Reg),
}

impl Kernel<'_> {
    /// Writes a loop that ends when the attempt succeeds.
    pub(super) fn until(&mut self, attempt: &Attempt, place: &Context) {
        match self.code.random.below(19) {
            18 => self.spin_whose_limit_follows(attempt),
            17 => self.spin_to_a_far_limit(attempt),
            16 => self.spin_that_moves_its_limit(attempt),
            15 => self.spin_that_counts_again(attempt),
            14 => self.spin_that_spoils_its_word(attempt),
            13 => self.spin_that_keeps_what_it_expects(attempt),
            12 => self.spin_that_reads_its_link_again(attempt),
            11 => self.spin_by_table(attempt),
            10 => match attempt {
                Attempt::Reach(word, number) => self.counting_spin("ge", word, *number),
                Attempt::Equal(word, number) => self.counting_spin("eq", word, *number),
                _ => self.plain_spin(attempt),
            },
            9 => self.spin_with_state_in_memory(attempt),
            0 | 1 => self.plain_spin(attempt),
            2 => self.inverted_spin(attempt),
            3 => self.nested_spin(attempt),
            4 => self.two_loops(attempt),
            5 => self.irreducible_spin(attempt, place),
            6 => self.predicated_spin(attempt),
            7 => self.spin_with_two_exits(attempt),
            _ => self.spin_behind_reads(attempt),
        }
    }

    /// Writes a loop that does something when the attempt succeeds, and then ends.
    pub(super) fn within(&mut self, attempt: &Attempt, mut then: impl FnMut(&mut Self)) {
        let (head, next) = (self.code.label(), self.code.label());
        let by_register = self.code.random.chance(50);
        let done = self.code.reg(Class::Word);
        self.kind(if by_register { "work inside the loop, done flag" } else { "work inside the loop" });
        self.code.line(format!("mov.u32 {done}, 0;"));
        self.code.place(&head);
        let success = self.attempt(attempt);
        self.code.line(format!("@!{success} bra {next};"));
        then(self);
        self.code.line(format!("mov.u32 {done}, 1;"));
        self.code.place(&next);
        if by_register {
            let again = self.code.reg(Class::Pred);
            self.code.line(format!("setp.eq.u32 {again}, {done}, 0;"));
            self.code.line(format!("@{again} bra {head};"));
        } else {
            self.code.line(format!("@!{success} bra {head};"));
        }
    }

    fn plain_spin(&mut self, attempt: &Attempt) {
        let head = self.code.label();
        self.kind("spin");
        self.code.place(&head);
        let success = self.attempt(attempt);
        self.code.line(format!("@!{success} bra {head};"));
    }

    /// Counts how often it was so, up to a number: while it is not, the count stays what it is. A loop that counts is no wait by weak reads.
    fn counting_spin(&mut self, relation: &str, word: &Word, number: Reg) {
        let head = self.code.label();
        let [count, more] = [(); 2].map(|()| self.code.reg(Class::Word));
        let again = self.code.reg(Class::Pred);
        self.kind("spin that counts");
        self.code.line(format!("mov.u32 {count}, 0;"));
        self.code.place(&head);
        let success = self.compare_by(relation, word, number, false);
        let (step, last) = (1 + self.code.random.below(3), 1 + self.code.random.below(4));
        if self.code.random.chance(50) {
            self.code.line(format!("selp.u32 {more}, {step}, 0, {success};"));
            self.code.line(format!("add.u32 {count}, {count}, {more};"));
        } else {
            self.code.line(format!("add.u32 {more}, {count}, {step};"));
            self.code.line(format!("selp.u32 {count}, {more}, {count}, {success};"));
        }
        self.code.line(format!("setp.lt.u32 {again}, {count}, {last};"));
        self.code.line(format!("@{again} bra {head};"));
    }

    /// A table says whether to try again: its entry is the attempt itself, which another label and a declaration may stand before.
    fn spin_by_table(&mut self, attempt: &Attempt) {
        self.kind("spin by a table");
        let [table, before, head, out] = [(); 4].map(|()| self.code.label());
        let number = self.code.reg(Class::Word);
        self.code.line(format!("{table}: .branchtargets {out}, {head};"));
        if self.code.random.chance(50) {
            self.code.place(&before);
            self.code.line(format!(".reg .b32 %between_{};", before.trim_start_matches('$')));
        }
        self.code.place(&head);
        let success = self.attempt(attempt);
        self.code.line(format!("selp.b32 {number}, 0, 1, {success};"));
        self.code.line(format!("brx.idx {number}, {table};"));
        self.code.place(&out);
    }

    /// A whole warp looks until all of its lanes have seen what they wait for; the mask may be made long before.
    pub(super) fn look_together(&mut self, word: &Word, number: Reg) {
        self.kind("spin of a whole warp");
        let (head, all) = (self.code.label(), self.code.reg(Class::Pred));
        let mask = self.code.reg(Class::Word);
        self.code.line(format!("mov.b32 {mask}, -1;"));
        self.code.place(&head);
        let seen = self.compare("ge", word, number);
        let members = if self.code.random.chance(70) { mask.to_string() } else { "0xffffffff".to_owned() };
        self.code.line(format!("vote.sync.all.pred {all}, {seen}, {members};"));
        self.code.line(format!("@!{all} bra {head};"));
    }

    /// The way out is the taken side, and there is something to do before the next try.
    fn inverted_spin(&mut self, attempt: &Attempt) {
        let (head, out) = (self.code.label(), self.code.label());
        let link = self.code.random.chance(50).then(|| self.copy(self.thread));
        self.kind(if link.is_some() { "spin that is busy meanwhile" } else { "spin with a pause" });
        self.code.place(&head);
        let success = self.attempt(attempt);
        self.code.line(format!("@{success} bra {out};"));
        match link {
            Some(link) => self.busy(link),
            None => self.pause(),
        }
        self.code.line(format!("bra {head};"));
        self.code.place(&out);
    }

    /// A few tries in an inner loop, which both success and failure leave.
    fn nested_spin(&mut self, attempt: &Attempt) {
        let (outer, inner) = (self.code.label(), self.code.label());
        let (tries, again) = (self.code.reg(Class::Word), self.code.reg(Class::Pred));
        self.kind("spin in a loop of a loop");
        self.code.place(&outer);
        self.code.line(format!("mov.u32 {tries}, 0;"));
        self.code.place(&inner);
        let success = self.attempt(attempt);
        self.code.line(format!("add.u32 {tries}, {tries}, 1;"));
        self.code.line(format!("setp.lt.and.u32 {again}, {tries}, 3, !{success};"));
        self.code.line(format!("@{again} bra {inner};"));
        self.code.line(format!("@!{success} bra {outer};"));
    }

    /// After a few tries the thread goes to another loop, so that the first one has two exits.
    fn two_loops(&mut self, attempt: &Attempt) {
        let [first, second, out] = [(); 3].map(|()| self.code.label());
        let (tries, again) = (self.code.reg(Class::Word), self.code.reg(Class::Pred));
        self.kind("spin in one loop, then in another");
        self.code.line(format!("mov.u32 {tries}, 0;"));
        self.code.place(&first);
        let success = self.attempt(attempt);
        self.code.line(format!("@{success} bra {out};"));
        self.code.line(format!("add.u32 {tries}, {tries}, 1;"));
        self.code.line(format!("setp.lt.u32 {again}, {tries}, 4;"));
        self.code.line(format!("@{again} bra {first};"));
        self.code.place(&second);
        let success = self.attempt(attempt);
        self.code.line(format!("@!{success} bra {second};"));
        self.code.place(&out);
    }

    /// Some threads enter the loop in its middle.
    fn irreducible_spin(&mut self, attempt: &Attempt, place: &Context) {
        let [head, middle, out] = [(); 3].map(|()| self.code.label());
        self.kind("spin entered in two places");
        let (_, enters) = self.condition(place);
        self.code.line(format!("@{enters} bra {middle};"));
        self.code.place(&head);
        if self.code.random.chance(50) {
            let success = self.attempt(attempt);
            self.code.line(format!("@{success} bra {out};"));
        } else {
            self.pause();
        }
        self.code.place(&middle);
        let success = self.attempt(attempt);
        self.code.line(format!("@!{success} bra {head};"));
        self.code.place(&out);
    }

    /// The attempt's outcome is carried to the branch through a select, and decides what a predicated instruction does.
    fn predicated_spin(&mut self, attempt: &Attempt) {
        let head = self.code.label();
        let (word, again, paused) =
            (self.code.reg(Class::Word), self.code.reg(Class::Pred), self.code.reg(Class::Word));
        self.kind("spin on a select");
        self.code.line(format!("mov.u32 {paused}, 0;"));
        self.code.place(&head);
        let success = self.attempt(attempt);
        self.code.line(format!("@!{success} xor.b32 {paused}, {paused}, 1;"));
        self.code.line(format!("selp.b32 {word}, 5, 9, {success};"));
        self.code.line(format!("setp.gt.u32 {again}, {word}, 7;"));
        self.code.line(format!("@{again} bra {head};"));
    }

    /// A word that says that all is lost, which nobody ever writes, is looked at too. Who finds that it is ends at once in some kernels: then all loops around are left as well, and the
    /// lanes that part in the spin meet at the end of the kernel: nothing in it needs whole warps then.
    fn spin_with_two_exits(&mut self, attempt: &Attempt) {
        let [head, lost, out] = [(); 3].map(|()| self.code.label());
        let (word, is_lost) = (self.code.reg(Class::Word), self.code.reg(Class::Pred));
        let ends = self.code.random.chance(50) && !self.comes_together();
        self.parted |= ends;
        self.kind(if ends { "spin that the end of the kernel is an exit of" } else { "spin with two exits" });
        self.code.place(&head);
        let success = self.attempt(attempt);
        self.code.line(format!("@{success} bra {out};"));
        self.code.line(format!("ld.volatile.global.u32 {word}, [{}+{}];", self.sync, 4 * super::NEVER));
        self.code.line(format!("setp.ne.u32 {is_lost}, {word}, 0;"));
        self.code.line(format!("@{is_lost} bra {lost};"));
        self.code.line(format!("bra {head};"));
        self.code.place(&lost);
        self.code.line(format!("mov.u32 {}, 0;", self.total));
        if ends {
            self.code.line(format!("bra {};", self.exit));
        }
        self.code.place(&out);
    }

    /// Reads until there is hope, and only then tries; what is read goes through local memory.
    fn spin_behind_reads(&mut self, attempt: &Attempt) {
        let (Attempt::Take(word) | Attempt::TakeBoth(word, _)) = attempt else {
            return self.spin_through_local_memory(attempt);
        };
        let head = self.code.label();
        let (value, busy) = (self.code.reg(Class::Word), self.code.reg(Class::Pred));
        self.kind("spin on a read, then try");
        self.code.place(&head);
        self.code.line(format!("ld.volatile.{}.u32 {value}, [{}];", word.space(), word.address()));
        self.code.line(format!("setp.ne.u32 {busy}, {value}, 0;"));
        self.code.line(format!("@{busy} bra {head};"));
        let success = self.attempt(attempt);
        self.code.line(format!("@!{success} bra {head};"));
    }

    fn spin_through_local_memory(&mut self, attempt: &Attempt) {
        let head = self.code.label();
        let (out, back) = (self.code.reg(Class::Word), self.code.reg(Class::Word));
        let again = self.code.reg(Class::Pred);
        self.kind("spin through local memory");
        self.code.place(&head);
        let success = self.attempt(attempt);
        self.code.line(format!("selp.b32 {out}, 0, 1, {success};"));
        self.code.line(format!("st.local.u32 [scratch+4], {out};"));
        self.code.line(format!("ld.local.u32 {back}, [scratch+4];"));
        self.code.line(format!("setp.ne.u32 {again}, {back}, 0;"));
        self.code.line(format!("@{again} bra {head};"));
    }

    /// Something that takes a moment.
    fn pause(&mut self) {
        let (a, b) = (self.code.reg(Class::Word), self.code.reg(Class::Word));
        self.code.line(format!("mov.u32 {a}, {};", self.thread));
        self.code.line(format!("mad.lo.u32 {b}, {a}, 3, {a};"));
    }

    /// One try; the predicate says whether it succeeded.
    pub(super) fn attempt(&mut self, attempt: &Attempt) -> Reg {
        match attempt {
            Attempt::Take(word) => self.take(word),
            Attempt::TakeBoth(first, second) => {
                let (behind, both) = (self.code.label(), self.code.reg(Class::Pred));
                let got = self.take(first);
                self.code.line(format!("setp.ne.u32 {both}, {}, {};", self.thread, self.thread));
                self.code.line(format!("@!{got} bra {behind};"));
                let too = self.take(second);
                self.code.line(format!(
                    "@!{too} atom.{}.exch.b32 {}, [{}], 0;",
                    first.space(),
                    self.unused,
                    first.address()
                ));
                self.code.line(format!("selp.b32 {}, 1, 0, {too};", self.unused));
                self.code.line(format!("setp.ne.u32 {both}, {}, 0;", self.unused));
                self.code.place(&behind);
                both
            }
            Attempt::Reach(word, number) => self.compare("ge", word, *number),
            Attempt::Equal(word, number) => self.compare("eq", word, *number),
            Attempt::Advance(word, number) => {
                let [old, next] = [(); 2].map(|()| self.code.reg(Class::Word));
                let holds = self.code.reg(Class::Pred);
                let (space, address) = (word.space(), word.address());
                self.code.line(format!("add.u32 {next}, {number}, 1;"));
                self.code.line(format!("atom.{space}.cas.b32 {old}, [{address}], {number}, {next};"));
                self.code.line(format!("setp.eq.u32 {holds}, {old}, {number};"));
                holds
            }
        }
    }

    /// The same by no weak read: of a loop that counts as well, the ISA promises nothing then.
    pub(super) fn attempt_strongly(&mut self, attempt: &Attempt) -> Reg {
        match attempt {
            Attempt::Reach(word, number) => self.compare_by("ge", word, *number, false),
            Attempt::Equal(word, number) => self.compare_by("eq", word, *number, false),
            _ => self.attempt(attempt),
        }
    }

    fn take(&mut self, word: &Word) -> Reg {
        let (old, got) = (self.code.reg(Class::Word), self.code.reg(Class::Pred));
        if self.calls_for(word) {
            self.call(Function::Try, word, old);
            self.code.line(format!("setp.eq.u32 {got}, {old}, 0;"));
            return got;
        }
        let (space, address) = (word.space(), word.address());
        let text = match self.code.random.below(4) {
            0 => format!("atom.{space}.exch.b32 {old}, [{address}], 1;"),
            1 => format!("atom.acquire.gpu.{space}.cas.b32 {old}, [{address}], 0, 1;"),
            _ => format!("atom.{space}.cas.b32 {old}, [{address}], 0, 1;"),
        };
        self.code.line(text);
        self.code.line(format!("setp.eq.u32 {got}, {old}, 0;"));
        got
    }

    fn compare(&mut self, relation: &str, word: &Word, number: Reg) -> Reg {
        let weakly = self.code.random.chance(12);
        self.compare_by(relation, word, number, weakly)
    }

    fn compare_by(&mut self, relation: &str, word: &Word, number: Reg, weakly: bool) -> Reg {
        let (value, holds) = (self.code.reg(Class::Word), self.code.reg(Class::Pred));
        let (space, address) = (word.space(), word.address());
        let text = match self.code.random.below(7) {
            _ if weakly => {
                self.kind("spin on a weak read");
                format!("ld.{space}{} {value}, [{address}];", self.code.random.pick(&[".cg.u32", ".cv.u32", ".u32"]))
            }
            0 => format!("atom.{space}.add.u32 {value}, [{address}], 0;"),
            1 => format!("ld.acquire.gpu.{space}.u32 {value}, [{address}];"),
            _ => format!("ld.volatile.{space}.u32 {value}, [{address}];"),
        };
        self.code.line(text);
        self.code.line(format!("setp.{relation}.u32 {holds}, {value}, {number};"));
        holds
    }

    /// Gives a lock back.
    pub(super) fn give_back(&mut self, word: &Word) {
        if self.calls_for(word) {
            return self.call(Function::Give, word, self.unused);
        }
        self.code.line("membar.gl;");
        let (space, address) = (word.space(), word.written());
        let text = match self.code.random.below(3) {
            0 => format!("st.volatile.{space}.u32 [{address}], 0;"),
            1 => format!("st.release.gpu.{space}.u32 [{address}], 0;"),
            _ => format!("atom.{space}.exch.b32 {}, [{address}], 0;", self.unused),
        };
        self.code.line(text);
    }

    /// Raises a flag or counter by one.
    pub(super) fn raise(&mut self, word: &Word, only_writer: bool) {
        self.code.line("membar.gl;");
        let (space, address) = (word.space(), word.written());
        let text = match self.code.random.below(3) {
            0 if only_writer => format!("st.volatile.{space}.u32 [{address}], 1;"),
            1 if only_writer => format!("atom.{space}.exch.b32 {}, [{address}], 1;", self.unused),
            _ => format!("red.{space}.add.u32 [{address}], 1;"),
        };
        self.code.line(text);
    }
}
