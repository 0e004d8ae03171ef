//! Locks, ticket locks among them: taken and given back in the forms that people write.

use super::calls::Function;
use super::context::{Context, Held};
use super::kernel_builder::Kernel;
use super::memory::Word;
use super::spin::Attempt;
use crate::generate::emit::{Class, Reg};

/// Locks that any place may use, and the words that they protect.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bank {
    shared: bool,
    /// The first lock and the first protected word.
    first: u32,
    data: u32,
    /// The number of locks minus 1, as a mask: the number is a power of two.
    mask: u32,
    operation: &'static str,
}

/// The update of protected words: the result does not depend on the order.
#[derive(Clone, Debug)]
struct Update {
    /// Addresses in global memory, as operands.
    words: Vec<String>,
    operation: &'static str,
}

const OPERATIONS: [&str; 3] = ["add.u32", "xor.b32", "max.u32"];

impl Kernel<'_> {
    /// Makes the locks that any place may use.
    pub(super) fn make_banks(&mut self) {
        for _ in 0..self.code.random.below(3) {
            let shared = self.code.random.chance(40);
            let mask = *self.code.random.pick(&[1, 3, 7]);
            let first = self.words(shared, mask + 1);
            let data = self.data_words((mask + 1) * if shared { self.grid } else { 1 });
            let operation = self.operation();
            self.banks.push(Bank { shared, first, data, mask, operation });
        }
    }

    /// A critical section.
    pub(super) fn lock(&mut self, place: &Context) {
        let from = if let Held::FromBank(bank) = place.held { bank } else { 0 };
        let banks = self.banks.len() - from;
        if banks > 0 && self.code.random.chance(50) {
            let bank = from + self.code.random.below(banks as u32) as usize;
            return self.lock_of_bank(place, bank);
        }
        if !matches!(place.held, Held::FromBank(_)) {
            self.lock_of_place(place);
        }
    }

    fn lock_of_place(&mut self, place: &Context) {
        let shared = self.code.random.chance(40);
        let mask = *self.code.random.pick(&[0, 0, 0, 1, 3]);
        let count = (mask + 1) * place.instances();
        let (first, data) = (self.words(shared, count), self.data_words(count * if shared { self.grid } else { 1 }));
        self.kind(if mask == 0 { "one lock" } else { "one lock of several" });
        let number = self.number(place, mask);
        let index = self.index(place.instance, mask + 1, number);
        let word = self.word(shared, first, index);
        let words = vec![self.protected(shared, data, count, index)];
        let update = Update { words, operation: self.operation() };
        let inside = Context { held: Held::OfPlace, uniform: false, depth: place.depth + 1, ..place.clone() };
        self.hold(place, &inside, &[word], &update);
    }

    fn lock_of_bank(&mut self, place: &Context, number: usize) {
        let Bank { shared, first, data, mask, operation } = self.banks[number];
        let index = self.number(place, mask);
        let mut indices = vec![index];
        if self.code.random.chance(40) {
            self.kind("two locks");
            let [other, low, high] = [(); 3].map(|()| self.code.reg(Class::Word));
            self.code.line(format!("xor.b32 {other}, {index}, {mask};"));
            // The order in which all threads take them.
            self.code.line(format!("min.u32 {low}, {index}, {other};"));
            self.code.line(format!("max.u32 {high}, {index}, {other};"));
            indices = vec![low, high];
        } else {
            self.kind("lock of a bank");
        }
        let locks: Vec<Word> = indices.iter().map(|&index| self.word(shared, first, index)).collect();
        let words = indices.iter().map(|&index| self.protected(shared, data, mask + 1, index)).collect();
        let update = Update { words, operation };
        let held = Held::FromBank(number + 1);
        let inside = Context { held, uniform: false, depth: place.depth + 1, ..place.clone() };
        self.hold(place, &inside, &locks, &update);
    }

    /// Takes locks, does what is to be done, and gives them back, in one of the forms that people write.
    fn hold(&mut self, place: &Context, inside: &Context, locks: &[Word], update: &Update) {
        let form = self.code.random.below(if self.careful { 4 } else { 10 });
        match locks {
            _ if form == 0 => {
                self.by_lanes(|kernel| {
                    locks.iter().for_each(|lock| kernel.until(&Attempt::Take(lock.clone()), place));
                    kernel.section(inside, locks, update);
                });
            }
            [lock] if form > 4 && self.calls_for(lock) => {
                self.call(Function::Take, lock, self.unused);
                self.section(inside, locks, update);
            }
            [lock] if form < 5 => {
                self.within(&Attempt::Take(lock.clone()), |kernel| kernel.section(inside, locks, update));
            }
            [first, second] if form < 5 => {
                let both = Attempt::TakeBoth(first.clone(), second.clone());
                self.within(&both, |kernel| kernel.section(inside, locks, update));
            }
            [first, second] if form < 7 => {
                self.until(&Attempt::TakeBoth(first.clone(), second.clone()), place);
                self.section(inside, locks, update);
            }
            _ => {
                self.kind("release behind the loop");
                locks.iter().for_each(|lock| self.until(&Attempt::Take(lock.clone()), place));
                self.section(inside, locks, update);
            }
        }
    }

    /// The lanes of a warp come one after the other, so that none of them waits for another.
    fn by_lanes(&mut self, then: impl FnOnce(&mut Self)) {
        self.kind("lanes one after the other");
        let (head, next) = (self.code.label(), self.code.label());
        let (lane, own) = (self.code.reg(Class::Word), self.code.reg(Class::Word));
        let (mine, again) = (self.code.reg(Class::Pred), self.code.reg(Class::Pred));
        self.code.line(format!("mov.u32 {own}, %laneid;"));
        self.code.line(format!("mov.u32 {lane}, 0;"));
        self.code.place(&head);
        self.code.line(format!("setp.eq.u32 {mine}, {own}, {lane};"));
        self.code.line(format!("@!{mine} bra {next};"));
        then(self);
        self.code.place(&next);
        self.code.line(format!("add.u32 {lane}, {lane}, 1;"));
        self.code.line(format!("setp.lt.u32 {again}, {lane}, 32;"));
        self.code.line(format!("@{again} bra {head};"));
    }

    /// Writes the code that runs with the locks held, and their release, in one place or in two.
    fn section(&mut self, inside: &Context, locks: &[Word], update: &Update) {
        self.code.line("membar.gl;");
        let release = |kernel: &mut Self| {
            kernel.update(update);
            locks.iter().rev().for_each(|lock| kernel.give_back(lock));
        };
        if self.code.random.chance(70) {
            self.nested(inside);
            return release(self);
        }
        self.kind("release in two places");
        let (early, out) = (self.code.label(), self.code.label());
        let (condition, holds) = self.condition(inside);
        let input = self.input_words.clone();
        self.code.line(format!("@{holds} bra {early};"));
        self.nested(&inside.inside(|thread, instance| !condition.of(&input, thread, instance)));
        release(self);
        self.code.line(format!("bra {out};"));
        self.code.place(&early);
        release(self);
        self.code.place(&out);
    }

    fn update(&mut self, update: &Update) {
        for word in &update.words {
            let (old, new) = (self.code.reg(Class::Word), self.code.reg(Class::Word));
            self.code.line(format!("ld.volatile.global.u32 {old}, [{word}];"));
            self.code.line(format!("{} {new}, {old}, {};", update.operation, self.total));
            self.code.line(format!("st.volatile.global.u32 [{word}], {new};"));
        }
    }

    fn operation(&mut self) -> &'static str {
        OPERATIONS[self.code.random.below(OPERATIONS.len() as u32) as usize]
    }

    /// The word of global memory that belongs to a lock; shared locks have one in every block.
    pub(super) fn protected(&mut self, shared: bool, first: u32, count: u32, index: Reg) -> String {
        let index = if shared { self.index(self.cta, count, index) } else { index };
        let address = self.code.address(self.data, index);
        format!("{address}+{}", 4 * first)
    }

    /// A ticket lock: whoever comes takes a number, and waits until it is called.
    pub(super) fn ticket(&mut self, place: &Context) {
        self.kind("ticket");
        let shared = self.code.random.chance(40);
        let count = place.instances();
        let (next, serving) = (self.words(shared, count), self.words(shared, count));
        let data = self.data_words(count * if shared { self.grid } else { 1 });
        let instance = self.copy(place.instance);
        let (next, serving) = (self.word(shared, next, instance), self.word(shared, serving, instance));
        let words = vec![self.protected(shared, data, count, instance)];
        let update = Update { words, operation: self.operation() };
        let mine = self.code.reg(Class::Word);
        let space = if shared { "shared" } else { "global" };
        self.code.line(format!("atom.{space}.add.u32 {mine}, [{}], 1;", next.address()));
        let inside = Context { held: Held::OfPlace, uniform: false, depth: place.depth + 1, ..place.clone() };
        self.when(&Attempt::Equal(serving.clone(), mine), place, |kernel| {
            kernel.code.line("membar.gl;");
            kernel.nested(&inside);
            kernel.update(&update);
            kernel.raise(&serving, false);
        });
    }
}
