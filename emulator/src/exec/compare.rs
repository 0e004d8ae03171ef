//! Comparison, selection and predicate logic (PTX ISA, "Comparison and Selection Instructions").

use std::marker::PhantomData;

use super::float::Float;
use super::op::{Ctx, Execute, NONE, Op};
use super::payload::{Form, choices};
use super::rows::{Bits, Value, write, write_pred};

/// A comparison operator. Those of floats are false where an operand is a NaN, except the unordered ones.
pub(crate) trait Relation {
    fn holds<T: PartialOrd>(a: T, b: T) -> bool;
}

macro_rules! relations {
    ($($name:ident = |$a:ident, $b:ident| $e:expr;)*) => { $(
        pub(crate) struct $name;
        impl Relation for $name {
            #[inline(always)]
            // A negated comparison is not the opposite one where values are unordered: that is its point here.
            #[allow(clippy::nonminimal_bool, clippy::double_comparisons, clippy::eq_op, clippy::neg_cmp_op_on_partial_ord)]
            fn holds<T: PartialOrd>($a: T, $b: T) -> bool { $e }
        }
    )* };
}

relations! {
    Eq = |a, b| a == b;
    Ne = |a, b| a < b || a > b;
    Lt = |a, b| a < b;
    Le = |a, b| a <= b;
    Gt = |a, b| a > b;
    Ge = |a, b| a >= b;
    Equ = |a, b| !(a < b || a > b);
    Neu = |a, b| a != b;
    Ltu = |a, b| !(a >= b);
    Leu = |a, b| !(a > b);
    Gtu = |a, b| !(a <= b);
    Geu = |a, b| !(a < b);
    Num = |a, b| a == a && b == b;
    Nan = |a, b| !(a == a && b == b);
}

/// A float whose subnormal values count as zero.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub(crate) struct Flushed(f32);

impl Value for Flushed {
    type Bits = u32;
    #[inline(always)]
    fn from_bits(bits: u32) -> Flushed {
        Flushed(f32::from_bits(bits).flush())
    }
    #[inline(always)]
    fn to_bits(self) -> u32 {
        self.0.to_bits()
    }
}

/// The value of a predicate operand: a row times two, plus one where it is negated.
#[inline(always)]
pub(crate) fn predicate(ctx: &Ctx<'_>, operand: u32) -> u32 {
    let value = ctx.preds[(operand >> 1) as usize];
    if operand & 1 != 0 { !value } else { value }
}

choices! {
    /// A connective of a comparison and a predicate, or of two predicates.
    Connective {
        /// The first alone.
        None,
        And,
        Or,
        Xor,
    }
}

impl Connective {
    /// Combines the predicates of all lanes.
    #[inline(always)]
    fn combine(self, first: u32, second: u32) -> u32 {
        match self {
            Connective::None => first,
            Connective::And => first & second,
            Connective::Or => first | second,
            Connective::Xor => first ^ second,
        }
    }
}

/// Writes both results of a `setp`: `op.d` and `op.e`, either of which may be [`NONE`].
#[inline(always)]
fn finish(ctx: &mut Ctx<'_>, op: &Op, connective: Connective, compared: u32) {
    let with = if op.c == NONE { 0 } else { predicate(ctx, op.c) };
    if op.d != NONE {
        write_pred(ctx, op.d, connective.combine(compared, with));
    }
    if op.e != NONE {
        write_pred(ctx, op.e, connective.combine(!compared, with));
    }
}

/// `setp`: relation and type.
pub(crate) struct Compare<R, T>(PhantomData<(R, T)>);

impl<R: Relation, T: Value + PartialOrd> Form for Compare<R, T> {
    type Payload = Connective;
}

impl<R: Relation, T: Value + PartialOrd> Execute for Compare<R, T> {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let a = T::Bits::row(ctx, op.a);
        let b = T::Bits::row(ctx, op.b);
        let mut holds = [0u8; 32];
        for lane in 0..32 {
            holds[lane] = if R::holds(T::from_bits(a[lane]), T::from_bits(b[lane])) { u8::MAX } else { 0 };
        }
        finish(ctx, op, Self::payload(op), gather(&holds));
        true
    }
}

/// One bit of each of 32 bytes, which are zero or all ones: lane by lane, the compiler finds no way to do that with vectors.
#[inline(always)]
fn gather(holds: &[u8; 32]) -> u32 {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_movemask_epi8};
        let at = holds.as_ptr().cast::<__m128i>();
        // SAFETY: the array is two such vectors long, and every processor of this kind has the instructions.
        let halves = unsafe { [_mm_loadu_si128(at), _mm_loadu_si128(at.add(1))].map(|half| _mm_movemask_epi8(half)) };
        halves[0].cast_unsigned() | halves[1].cast_unsigned() << 16
    }
    #[cfg(not(target_arch = "x86_64"))]
    holds.iter().rev().fold(0, |bits, byte| bits << 1 | u32::from(byte & 1))
}

/// `selp`: `d = c ? a : b`.
pub(crate) struct Select<B>(PhantomData<B>);

impl<B: Bits> Execute for Select<B> {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let chosen = predicate(ctx, op.c);
        let (a, b) = (B::row(ctx, op.a), B::row(ctx, op.b));
        let mut values = [B::default(); 32];
        for lane in 0..32 {
            values[lane] = a[lane].choose(b[lane], chosen >> lane & 1);
        }
        write(ctx, op.d, &values);
        true
    }
}

/// `and`, `or`, `xor`, `not`, `mov` of predicates.
pub(crate) struct Logic;

impl Form for Logic {
    type Payload = Connective;
}

impl Execute for Logic {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let a = predicate(ctx, op.a);
        let b = if op.b == NONE { 0 } else { predicate(ctx, op.b) };
        write_pred(ctx, op.d, Self::payload(op).combine(a, b));
        true
    }
}
