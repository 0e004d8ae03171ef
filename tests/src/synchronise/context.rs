//! The threads that come to a place of the kernel, and the number of times that they do. They are known when the kernel is made.
//!
//! Branches and numbers of iterations follow from a thread's number, the *instance* of the place (the iterations of the
//! loops around it, counted through) and an input that nobody writes. So the generator computes with [`Form::of`] what
//! the kernel computes with the instructions that [`Form::emit`] writes, and knows the threads that come to each
//! instance of each place: those that may be waited for.

use crate::generate::Random;
use crate::generate::emit::{Class, Code, Reg};

/// Words of the input, a power of two.
pub(super) const INPUT: u32 = 64;

/// The locks that the threads at a place hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Held {
    /// Nothing.
    Nothing,
    /// Locks that belong to one place alone: they may wait for what was signalled before it.
    OfPlace,
    /// A lock of a bank that many places use, too: they may take locks of banks from this one on, and wait for nothing
    /// else.
    FromBank(usize),
}

/// A place in the kernel.
#[derive(Clone, Debug)]
pub(super) struct Context {
    /// The threads that come to it, in order, per instance.
    pub(super) who: Vec<Vec<u32>>,
    /// The register that holds the instance.
    pub(super) instance: Reg,
    /// The loops around it, the outermost first.
    pub(super) loops: Vec<u32>,
    /// All threads of every block come to all instances, so that a barrier may stand here.
    pub(super) uniform: bool,
    /// The locks that these threads hold.
    pub(super) held: Held,
    /// Statements around it.
    pub(super) depth: u32,
}

impl Context {
    /// A place inside of this one that only some of its threads come to.
    pub(super) fn inside(&self, comes: impl Fn(u32, u32) -> bool) -> Context {
        let filter = |(instance, who): (usize, &Vec<u32>)| {
            who.iter().copied().filter(|&thread| comes(thread, instance as u32)).collect()
        };
        let who = self.who.iter().enumerate().map(filter).collect();
        Context { who, uniform: false, depth: self.depth + 1, ..self.clone() }
    }

    /// Returns how many instances there are.
    pub(super) fn instances(&self) -> u32 {
        self.who.len() as u32
    }
}

/// A number that follows from the thread and the instance: `((thread * a + instance * b + c) >> shift) & mask`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    a: u32,
    b: u32,
    c: u32,
    shift: u32,
    pub(super) mask: u32,
    /// The sum is an index of the input, and the word that stands there is taken.
    through_input: bool,
}

impl Form {
    /// A number below a power of two.
    pub(super) fn draw(random: &mut Random, mask: u32) -> Form {
        let through_input = random.chance(30);
        // Neighbouring lanes alike, whole warps alike, or anything.
        let (a, shift) = *random.pick(&[(1, 0), (1, 0), (1, 1), (1, 3), (1, 5), (5, 0), (7, 1)]);
        Form { a, b: random.below(4), c: random.below(64), shift, mask, through_input }
    }

    /// One that is the same for all threads.
    pub(super) fn uniform(random: &mut Random, mask: u32) -> Form {
        Form { a: 0, b: 1, c: random.below(64), shift: 0, mask, through_input: random.chance(50) }
    }

    /// The number.
    pub(super) fn of(&self, input: &[u32], thread: u32, instance: u32) -> u32 {
        let sum = thread * self.a + instance * self.b + self.c;
        let number = if self.through_input { input[(sum % INPUT) as usize] } else { sum };
        number >> self.shift & self.mask
    }

    /// Instructions that compute it.
    pub(super) fn emit(&self, code: &mut Code<'_>, thread: Reg, instance: Reg, input: Reg) -> Reg {
        let [own, sum, shifted, number] = [(); 4].map(|()| code.reg(Class::Word));
        code.line(format!("mad.lo.u32 {own}, {thread}, {}, {};", self.a, self.c));
        code.line(format!("mad.lo.u32 {sum}, {instance}, {}, {own};", self.b));
        let mut from = sum;
        if self.through_input {
            let [index, word] = [(); 2].map(|()| code.reg(Class::Word));
            code.line(format!("and.b32 {index}, {sum}, {};", INPUT - 1));
            let address = code.address(input, index);
            let opcode = *code.random.pick(&["ld.global.u32", "ld.global.nc.u32"]);
            code.line(format!("{opcode} {word}, [{address}];"));
            from = word;
        }
        code.line(format!("shr.u32 {shifted}, {from}, {};", self.shift));
        code.line(format!("and.b32 {number}, {shifted}, {};", self.mask));
        number
    }
}

/// A condition: a form is below a limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Condition {
    form: Form,
    limit: u32,
}

impl Condition {
    /// One that differs between threads.
    pub(super) fn draw(random: &mut Random) -> Condition {
        let mask = *random.pick(&[1, 1, 3, 7, 31]);
        Condition { form: Form::draw(random, mask), limit: 1 + random.below(mask) }
    }

    /// One that is the same for all threads.
    pub(super) fn uniform(random: &mut Random) -> Condition {
        Condition { form: Form::uniform(random, 3), limit: 1 + random.below(3) }
    }

    /// Returns true if it holds.
    pub(super) fn of(&self, input: &[u32], thread: u32, instance: u32) -> bool {
        self.form.of(input, thread, instance) < self.limit
    }

    /// Instructions that compute it.
    pub(super) fn emit(&self, code: &mut Code<'_>, thread: Reg, instance: Reg, input: Reg) -> Reg {
        let number = self.form.emit(code, thread, instance, input);
        let holds = code.reg(Class::Pred);
        code.line(format!("setp.lt.u32 {holds}, {number}, {};", self.limit));
        holds
    }
}
