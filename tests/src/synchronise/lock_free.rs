//! Loops that wait for nobody, whatever others do, beside those that wait; and some that only look like them.
//!
//! What they leave behind does not depend on the order of threads: a word is combined with what each thread gives by an operation that is associative and
//! commutative, and how often a thread has tried is not kept.

use super::context::Context;
use super::kernel_builder::Kernel;
use super::spin::Attempt;
use crate::generate::emit::{Class, Reg};

impl Kernel<'_> {
    /// A statement of its own.
    pub(super) fn lock_free(&mut self, place: &Context) {
        match self.code.random.below(6) {
            0 => self.lock_free_update(place),
            1 => self.push(place),
            2 => self.claim(place),
            3 => self.help(place),
            4 => self.claim_bit(place),
            _ => self.count_down(place),
        }
    }

    /// A word of results is combined with what the thread has computed: read, compute, compare and swap.
    fn lock_free_update(&mut self, place: &Context) {
        self.kind("lock-free update");
        let operation = *self.code.random.pick(&["add.u32", "xor.b32", "max.u32"]);
        let first = self.data_words(place.instances());
        let address = self.code.address(self.data, place.instance);
        let head = self.code.label();
        let [seen, old, new] = [(); 3].map(|()| self.code.reg(Class::Word));
        let again = self.code.reg(Class::Pred);
        let word = format!("{address}+{}", 4 * first);
        let total = self.total;
        if self.code.random.chance(50) {
            self.code.line(format!("ld.volatile.global.u32 {old}, [{word}];"));
            self.code.place(&head);
            self.code.line(format!("mov.u32 {seen}, {old};"));
        } else {
            self.code.place(&head);
            self.code.line(format!("ld.volatile.global.u32 {seen}, [{word}];"));
        }
        self.code.line(format!("{operation} {new}, {seen}, {total};"));
        self.code.line(format!("atom.global.cas.b32 {old}, [{word}], {seen}, {new};"));
        self.code.line(format!("setp.ne.u32 {again}, {old}, {seen};"));
        self.code.line(format!("@{again} bra {head};"));
    }

    /// The thread's node is put at the head of a list that nobody reads.
    fn push(&mut self, place: &Context) {
        self.kind("lock-free push");
        let (head_word, nodes) = (self.words(false, place.instances()), self.words(false, self.threads));
        let instance = self.copy(place.instance);
        let (list, node) = (self.word(false, head_word, instance), self.word(false, nodes, self.thread));
        let head = self.code.label();
        let [first, old, own] = [(); 3].map(|()| self.code.reg(Class::Word));
        let again = self.code.reg(Class::Pred);
        self.code.line(format!("add.u32 {own}, {}, 1;", self.thread));
        self.code.place(&head);
        self.code.line(format!("ld.volatile.global.u32 {first}, [{}];", list.address()));
        self.code.line(format!("st.volatile.global.u32 [{}], {first};", node.address()));
        self.code.line("membar.gl;");
        self.code.line(format!("atom.global.cas.b32 {old}, [{}], {first}, {own};", list.address()));
        self.code.line(format!("setp.ne.u32 {again}, {old}, {first};"));
        self.code.line(format!("@{again} bra {head};"));
    }

    /// A slot that is free is looked for, as often as there are slots: one for each thread.
    fn claim(&mut self, place: &Context) {
        self.kind("lock-free claim");
        let slots = self.words(false, place.instances() * self.threads);
        let (head, out) = (self.code.label(), self.code.label());
        let [slot, old, own, number] = [(); 4].map(|()| self.code.reg(Class::Word));
        let [free, more] = [(); 2].map(|()| self.code.reg(Class::Pred));
        self.code.line(format!("mov.u32 {slot}, 0;"));
        self.code.line(format!("add.u32 {own}, {}, 1;", self.thread));
        self.code.place(&head);
        self.code.line(format!("mad.lo.u32 {number}, {}, {}, {slot};", place.instance, self.threads));
        let word = self.word(false, slots, number);
        self.code.line(format!("atom.global.cas.b32 {old}, [{}], 0, {own};", word.address()));
        self.code.line(format!("setp.eq.u32 {free}, {old}, 0;"));
        self.code.line(format!("@{free} bra {out};"));
        self.code.line(format!("add.u32 {slot}, {slot}, 1;"));
        self.code.line(format!("setp.lt.u32 {more}, {slot}, {};", self.threads));
        self.code.line(format!("@{more} bra {head};"));
        self.code.place(&out);
    }

    /// A number is made larger and odd; who finds it odd makes it even first, instead of waiting.
    fn help(&mut self, place: &Context) {
        self.kind("lock-free help");
        let first = self.words(false, place.instances());
        let instance = self.copy(place.instance);
        let word = self.word(false, first, instance);
        let (head, even) = (self.code.label(), self.code.label());
        let [seen, old, new, bit] = [(); 4].map(|()| self.code.reg(Class::Word));
        let [is_even, again] = [(); 2].map(|()| self.code.reg(Class::Pred));
        let address = word.address();
        self.code.place(&head);
        self.code.line(format!("ld.volatile.global.u32 {seen}, [{address}];"));
        self.code.line(format!("and.b32 {bit}, {seen}, 1;"));
        self.code.line(format!("setp.eq.u32 {is_even}, {bit}, 0;"));
        self.code.line(format!("@{is_even} bra {even};"));
        self.code.line(format!("and.b32 {new}, {seen}, -2;"));
        self.code.line(format!("atom.global.cas.b32 {old}, [{address}], {seen}, {new};"));
        self.code.line(format!("bra {head};"));
        self.code.place(&even);
        self.code.line(format!("add.u32 {new}, {seen}, 3;"));
        self.code.line(format!("atom.global.cas.b32 {old}, [{address}], {seen}, {new};"));
        self.code.line(format!("setp.ne.u32 {again}, {old}, {seen};"));
        self.code.line(format!("@{again} bra {head};"));
    }

    /// The lowest clear bit of a word is set, if there is one.
    fn claim_bit(&mut self, place: &Context) {
        self.kind("lock-free claim of a bit");
        let first = self.words(false, place.instances());
        let instance = self.copy(place.instance);
        let word = self.word(false, first, instance);
        let (head, out) = (self.code.label(), self.code.label());
        let [seen, old, bit, mask] = [(); 4].map(|()| self.code.reg(Class::Word));
        let [full, again] = [(); 2].map(|()| self.code.reg(Class::Pred));
        let address = word.address();
        self.code.place(&head);
        self.code.line(format!("ld.volatile.global.u32 {seen}, [{address}];"));
        self.code.line(format!("setp.eq.u32 {full}, {seen}, -1;"));
        self.code.line(format!("@{full} bra {out};"));
        self.code.line(format!("not.b32 {bit}, {seen};"));
        self.code.line(format!("brev.b32 {bit}, {bit};"));
        self.code.line(format!("bfind.shiftamt.u32 {bit}, {bit};"));
        self.code.line(format!("mov.u32 {mask}, 1;"));
        self.code.line(format!("shl.b32 {mask}, {mask}, {bit};"));
        self.code.line(format!("atom.global.or.b32 {old}, [{address}], {mask};"));
        self.code.line(format!("and.b32 {old}, {old}, {mask};"));
        self.code.line(format!("setp.ne.u32 {again}, {old}, 0;"));
        self.code.line(format!("@{again} bra {head};"));
        self.code.place(&out);
    }

    /// A word is raised, and all threads lower it to 0.
    fn count_down(&mut self, place: &Context) {
        self.kind("lock-free count down");
        let first = self.words(false, place.instances());
        let instance = self.copy(place.instance);
        let word = self.word(false, first, instance);
        let (head, out) = (self.code.label(), self.code.label());
        let [seen, old, new] = [(); 3].map(|()| self.code.reg(Class::Word));
        let none = self.code.reg(Class::Pred);
        let address = word.address();
        self.code.line(format!("red.global.add.u32 [{address}], 3;"));
        self.code.place(&head);
        self.code.line(format!("ld.volatile.global.u32 {seen}, [{address}];"));
        self.code.line(format!("setp.eq.u32 {none}, {seen}, 0;"));
        self.code.line(format!("@{none} bra {out};"));
        self.code.line(format!("sub.u32 {new}, {seen}, 1;"));
        self.code.line(format!("atom.global.cas.b32 {old}, [{address}], {seen}, {new};"));
        self.code.line(format!("bra {head};"));
        self.code.place(&out);
    }

    /// Threads count a word up one after the other, each by comparing and swapping the number that the one before it has made: they wait, although they look as if they did not.
    pub(super) fn count_in_turn(&mut self, place: &Context) {
        self.kind("count in turn by comparing and swapping");
        let first = self.words(false, place.instances());
        let instance = self.copy(place.instance);
        let word = self.word(false, first, instance);
        let rank = self.table(place, |_, _, who, thread| {
            [who.iter().copied().filter(|&other| other < thread).count() as u32, 0, 0, 0]
        })[0];
        self.until(&Attempt::Advance(word, rank), place);
    }

    /// Writes the code that a lane repeats while it waits for something else: it looks like work that ends. `link` is the lane's own from
    /// try to try.
    pub(super) fn busy(&mut self, link: Reg) {
        let first = self.words(false, 8);
        let index = self.code.reg(Class::Word);
        let follows = self.code.random.chance(30);
        let number = if follows { format!("and.b32 {index}, {link}, 7;") } else { format!("mov.u32 {index}, 0;") };
        self.code.line(number);
        let word = self.word(false, first, index);
        let [seen, old, new] = [(); 3].map(|()| self.code.reg(Class::Word));
        let [test, other] = [(); 2].map(|()| self.code.reg(Class::Pred));
        let address = word.address();
        self.code.line(format!("ld.volatile.global.u32 {seen}, [{address}];"));
        if follows {
            self.code.line(format!("mov.u32 {link}, {seen};"));
            self.code.line(format!("setp.eq.u32 {test}, {link}, 7;"));
            return self.code.line(format!("@{test} st.volatile.global.u32 [{address}], 7;"));
        }
        let skip = self.code.label();
        // Memory stays as it is in the end: who changes it for ever cannot be told from who gets on.
        match self.code.random.below(4) {
            0 => {
                self.code.line(format!("add.u32 {new}, {seen}, 1;"));
                self.code.line(format!("setp.ge.u32 {other}, {seen}, 5;"));
                self.code.line(format!("@{other} bra {skip};"));
            }
            1 => self.code.line(format!("or.b32 {new}, {seen}, 2;")),
            2 => self.code.line(format!("max.u32 {new}, {seen}, {};", self.thread)),
            _ => {
                self.code.line(format!("mov.u32 {new}, {};", self.thread));
                self.code.line(format!("setp.ge.u32 {other}, {seen}, {new};"));
                self.code.line(format!("@{other} bra {skip};"));
            }
        }
        self.code.line(format!("atom.global.cas.b32 {old}, [{address}], {seen}, {new};"));
        if self.code.random.chance(50) {
            self.code.line(format!("setp.ne.u32 {test}, {old}, {seen};"));
            self.code.line(format!("@{test} st.volatile.global.u32 [{address}+4], 1;"));
        }
        self.code.place(&skip);
    }
}
