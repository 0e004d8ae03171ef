//! Loops that count while they wait, so that they look as if they came to an end: the end goes on with the counter or with another one, is so far that nobody waits for it, or the
//! counter begins anew. And one whose swap never finds what it has read, since the thread itself changes a part of the word in between.

use super::kernel_builder::Kernel;
use super::spin::Attempt;
use crate::generate::emit::Class;

impl Kernel<'_> {
    /// Each try that fails moves the limit that the tries are counted to, which is in memory of the thread's own.
    pub(super) fn spin_that_moves_its_limit(&mut self, attempt: &Attempt) {
        self.kind("spin that moves its limit");
        let limit = self.state();
        self.write_state(&limit, "2");
        let (head, out) = (self.code.label(), self.code.label());
        let [tries, next] = [(); 2].map(|()| self.code.reg(Class::Word));
        let [done, never] = [(); 2].map(|()| self.code.reg(Class::Pred));
        let has_other_end = self.code.random.chance(50);
        self.code.line(format!("mov.u32 {tries}, 0;"));
        self.code.place(&head);
        if has_other_end {
            self.code.line(format!("setp.gt.u32 {never}, {}, 1000000;", self.thread));
            self.code.line(format!("@{never} bra {out};"));
        }
        let value = self.read_state(&limit);
        self.code.line(format!("setp.ge.u32 {done}, {tries}, {value};"));
        self.code.line(format!("@{done} bra {out};"));
        let success = self.attempt(attempt);
        self.code.line(format!("add.u32 {tries}, {tries}, 1;"));
        match self.code.random.below(3) {
            0 => self.code.line(format!("add.u32 {next}, {value}, 1;")),
            1 => self.code.line(format!("add.u32 {next}, {tries}, 2;")),
            _ => self.code.line(format!("add.u32 {next}, {value}, 3;")),
        }
        self.code.line(format!("selp.b32 {next}, 0, {next}, {success};"));
        self.write_state(&limit, &next.to_string());
        self.code.line(format!("bra {head};"));
        self.code.place(&out);
    }

    /// Each try that fails moves the limit in a register, to where a second counter is, at once or a round later.
    pub(super) fn spin_whose_limit_follows(&mut self, attempt: &Attempt) {
        self.kind("spin whose limit follows");
        let (head, out) = (self.code.label(), self.code.label());
        let [tries, limit, later, pace] = [(); 4].map(|()| self.code.reg(Class::Word));
        let done = self.code.reg(Class::Pred);
        let is_late = self.code.random.chance(40);
        let ahead = 2 + self.code.random.below(12);
        self.code.line(format!("mov.u32 {tries}, 0;"));
        self.code.line(format!("mov.u32 {limit}, {ahead};"));
        self.code.line(format!("mov.u32 {later}, {ahead};"));
        self.code.line(format!("mov.u32 {pace}, 5;"));
        self.code.place(&head);
        self.code.line(format!("setp.ge.u32 {done}, {tries}, {limit};"));
        self.code.line(format!("@{done} bra {out};"));
        self.code.line(format!("add.u32 {tries}, {tries}, 1;"));
        let success = self.attempt_strongly(attempt);
        let to = if is_late { later } else { limit };
        if is_late {
            self.code.line(format!("mov.u32 {limit}, {later};"));
        }
        self.code.line(format!("add.u32 {pace}, {pace}, 1;"));
        self.code.line(format!("@!{success} add.u32 {to}, {pace}, {ahead};"));
        self.code.line(format!("@{success} bra {out};"));
        self.code.line(format!("bra {head};"));
        self.code.place(&out);
    }

    /// Tries are counted to a limit that is far away until one succeeds, or that the counter has passed already and must not.
    pub(super) fn spin_to_a_far_limit(&mut self, attempt: &Attempt) {
        self.kind("spin to a far limit");
        // To a hundred million the emulator counts in a minute, and lanes go on without what they wait for.
        let far = *self.code.random.pick(&["0xffffffff", "0x7fffffff"]);
        match self.code.random.below(8) {
            0 => return self.spin_past_a_limit(attempt),
            1 => return self.spin_to_a_chosen_limit(attempt, far),
            2 => return self.spin_to_a_stored_limit(attempt, far),
            3 | 4 => {
                let limit = self.made_limit();
                return self.count_up_to(attempt, &mut |_| limit.clone());
            }
            _ => {}
        }
        let head = self.code.label();
        let [tries, limit] = [(); 2].map(|()| self.code.reg(Class::Word));
        let again = self.code.reg(Class::Pred);
        self.code.line(format!("mov.u32 {tries}, 0;"));
        self.code.place(&head);
        self.code.line(format!("add.u32 {tries}, {tries}, 1;"));
        let success = self.attempt_strongly(attempt);
        self.code.line(format!("selp.b32 {limit}, 0, {far}, {success};"));
        self.code.line(format!("setp.lt.u32 {again}, {tries}, {limit};"));
        self.code.line(format!("@{again} bra {head};"));
    }

    /// The counter has passed its limit already.
    fn spin_past_a_limit(&mut self, attempt: &Attempt) {
        let head = self.code.label();
        let [tries, limit] = [(); 2].map(|()| self.code.reg(Class::Word));
        let again = self.code.reg(Class::Pred);
        self.code.line(format!("mov.u32 {tries}, 100;"));
        self.code.place(&head);
        self.code.line(format!("add.u32 {tries}, {tries}, 1;"));
        let success = self.attempt_strongly(attempt);
        self.code.line(format!("selp.b32 {limit}, {tries}, 50, {success};"));
        self.code.line(format!("setp.ne.u32 {again}, {tries}, {limit};"));
        self.code.line(format!("@{again} bra {head};"));
    }

    /// The limit is one of two constants, which of them is decided before the loop.
    fn spin_to_a_chosen_limit(&mut self, attempt: &Attempt, far: &str) {
        let [limit, bit] = [(); 2].map(|()| self.code.reg(Class::Word));
        let is_odd = self.code.reg(Class::Pred);
        self.code.line(format!("and.b32 {bit}, {}, 1;", self.thread));
        self.code.line(format!("setp.ne.u32 {is_odd}, {bit}, 0;"));
        if self.code.random.chance(50) {
            self.code.line(format!("selp.b32 {limit}, {far}, 0x40000000, {is_odd};"));
        } else {
            let on = self.code.label();
            self.code.line(format!("mov.u32 {limit}, {far};"));
            self.code.line(format!("@{is_odd} bra {on};"));
            self.code.line(format!("or.b32 {limit}, {bit}, 0x40000000;"));
            self.code.place(&on);
        }
        self.count_up_to(attempt, &mut |_| limit.to_string());
    }

    /// A limit that is far away in each thread, made by arithmetic of its number, by an instruction on bits, or by way of an atomic.
    fn made_limit(&mut self) -> String {
        let [odd, limit] = [(); 2].map(|()| self.code.reg(Class::Word));
        let thread = self.thread;
        self.code.line(format!("or.b32 {odd}, {thread}, 1;"));
        match self.code.random.below(13) {
            0 => self.code.line(format!("brev.b32 {limit}, {odd};")),
            1 => self.code.line(format!("shf.r.wrap.b32 {limit}, {odd}, {odd}, 1;")),
            2 => self.code.line(format!("bfi.b32 {limit}, {odd}, {thread}, 31, 1;")),
            3 => self.code.line(format!("lop3.b32 {limit}, {thread}, {odd}, {odd}, 0x03;")),
            4 => self.code.line(format!("prmt.b32 {limit}, {thread}, 0x7f7f7f7f, 0x7650;")),
            5 => self.code.line(format!("sub.u32 {limit}, 0xfffffff0, {thread};")),
            6 => self.code.line(format!("not.b32 {limit}, {thread};")),
            7 => self.code.line(format!("neg.s32 {limit}, {odd};")),
            // No block has as many threads.
            8 => self.code.line(format!("sub.u32 {limit}, {thread}, 1024;")),
            9 => {
                let zeros = self.code.reg(Class::Word);
                self.code.line(format!("clz.b32 {zeros}, {odd};"));
                self.code.line(format!("shl.b32 {limit}, 255, {zeros};"));
            }
            10 => {
                let half = self.code.reg(Class::Word);
                self.code.line(format!("shl.b32 {half}, {odd}, 15;"));
                self.code.line(format!("bfe.s32 {limit}, {half}, 0, 16;"));
            }
            11 => {
                let word = self.state();
                self.write_state(&word, "0xfffffff1");
                self.code.line(format!("atom.{}.or.b32 {limit}, [{}], 0;", word.space(), word.written()));
                self.write_state(&word, "0");
            }
            _ => {
                let ones = self.code.reg(Class::Word);
                self.code.line(format!("and.b32 {odd}, {thread}, 1;"));
                self.code.line(format!("mov.u32 {ones}, 0xffffffff;"));
                self.code.line(format!("shr.u32 {limit}, {ones}, {odd};"));
            }
        }
        limit.to_string()
    }

    /// The limit is in memory of the thread's own, and read in each round.
    fn spin_to_a_stored_limit(&mut self, attempt: &Attempt, far: &str) {
        let limit = self.state();
        self.write_state(&limit, far);
        self.count_up_to(attempt, &mut |kernel| kernel.read_state(&limit).to_string());
    }

    /// Tries until one succeeds, or there were as many as a limit says that is read in each round.
    fn count_up_to(&mut self, attempt: &Attempt, limit: &mut dyn FnMut(&mut Self) -> String) {
        let (head, out) = (self.code.label(), self.code.label());
        let tries = self.code.reg(Class::Word);
        let again = self.code.reg(Class::Pred);
        self.code.line(format!("mov.u32 {tries}, 0;"));
        self.code.place(&head);
        let success = self.attempt_strongly(attempt);
        self.code.line(format!("@{success} bra {out};"));
        self.code.line(format!("add.u32 {tries}, {tries}, 1;"));
        let limit = limit(self);
        self.code.line(format!("setp.lt.u32 {again}, {tries}, {limit};"));
        self.code.line(format!("@{again} bra {head};"));
        self.code.place(&out);
    }

    /// A counter that begins anew where the attempt has failed.
    pub(super) fn spin_that_counts_again(&mut self, attempt: &Attempt) {
        self.kind("spin that counts again");
        let (head, on) = (self.code.label(), self.code.label());
        let left = self.code.reg(Class::Word);
        let goes_on = self.code.reg(Class::Pred);
        let rounds = 1 + self.code.random.below(3);
        self.code.line(format!("mov.u32 {left}, {rounds};"));
        self.code.place(&head);
        self.code.line(format!("sub.u32 {left}, {left}, 1;"));
        self.code.line(format!("setp.ne.u32 {goes_on}, {left}, 0;"));
        self.code.line(format!("@{goes_on} bra {on};"));
        let success = self.attempt_strongly(attempt);
        if self.code.random.chance(50) {
            self.code.line(format!("selp.b32 {left}, 0, {rounds}, {success};"));
        } else {
            self.code.line(format!("@!{success} mov.u32 {left}, {rounds};"));
        }
        self.code.place(&on);
        self.code.line(format!("setp.ne.u32 {goes_on}, {left}, 0;"));
        self.code.line(format!("@{goes_on} bra {head};"));
    }

    /// A swap of what was read in a word, of which the thread changes a byte before if the attempt has failed.
    pub(super) fn spin_that_spoils_its_word(&mut self, attempt: &Attempt) {
        self.kind("spin that spoils its word");
        let first = self.words(false, self.threads);
        let word = self.word(false, first, self.thread);
        let (base, offset) = word.parts();
        let head = self.code.label();
        let [found, failed, byte] = [(); 3].map(|()| self.code.reg(Class::Word));
        let again = self.code.reg(Class::Pred);
        let at = self.code.random.below(4);
        self.code.place(&head);
        let old = self.read_state(&word);
        let success = self.attempt(attempt);
        self.code.line(format!("selp.b32 {failed}, 0, 1, {success};"));
        self.code.line(format!("shr.u32 {byte}, {old}, {};", 8 * at));
        self.code.line(format!("add.u32 {byte}, {byte}, {failed};"));
        self.code.line(format!("st.volatile.global.u8 [{base}+{}], {byte};", offset + at));
        self.code.line(format!("atom.global.cas.b32 {found}, [{base}+{offset}], {old}, {old};"));
        self.code.line(format!("setp.ne.u32 {again}, {found}, {old};"));
        self.code.line(format!("@{again} bra {head};"));
        // How often it has failed is nothing that two machines agree on.
        self.write_state(&word, "0");
    }
}
