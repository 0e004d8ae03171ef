//! The instructions that code is written with, one method for each.
//!
//! A result comes first, then the sources, as in PTX. A method takes the type that the opcode ends with; that registers and literals go with it is
//! looked at by [`Kernel::build`](crate::Kernel::build). What a method does is what the PTX ISA says of the instruction of its name.

use super::{Code, Item, New, Part};
use crate::entities::{Label, Reg};
use crate::opcode::OpcodeData;
use crate::operand::{Base, Operand};
use crate::table::{Operator, Relation};
use crate::tables::Guard;
use crate::types::{Space, Type};

/// An instruction of which the guard is written and the rest is not.
#[must_use]
pub struct Ins<'c> {
    code: &'c mut Code,
    guard: Option<Guard>,
}

/// Makes the methods of instructions that are a word, a type and operands.
macro_rules! instructions {
    ($($(#[$doc:meta])* $name:ident($($source:ident),+) = $opcode:literal;)*) => {
        $(
            $(#[$doc])*
            pub fn $name(self, ty: Type, to: Reg, $($source: impl Into<Operand>),+) {
                self.typed($opcode, ty, [to.into(), $($source.into()),+]);
            }
        )*
    };
}

impl<'c> Ins<'c> {
    pub(super) fn new(code: &'c mut Code, guard: Option<Guard>) -> Ins<'c> {
        Ins { code, guard }
    }

    fn put(self, opcode: String, operands: impl IntoIterator<Item = Operand>) {
        self.put_parts(opcode, operands.into_iter().map(Part::Operand));
    }

    fn put_parts(self, opcode: String, parts: impl IntoIterator<Item = Part>) {
        let operands = parts.into_iter().collect();
        self.code.items.push(Item::Inst(New { guard: self.guard, opcode, operands }));
    }

    fn typed<const N: usize>(self, opcode: &str, ty: Type, operands: [Operand; N]) {
        self.put(format!("{opcode}{ty}"), operands);
    }

    instructions! {
        /// `mov`: a register, a literal, a special register or the address of a variable.
        mov(from) = "mov";
        /// `not`
        not(from) = "not";
        /// `add`
        add(a, b) = "add";
        /// `sub`
        sub(a, b) = "sub";
        /// `mul.lo`: the low half of the product.
        mul_lo(a, b) = "mul.lo";
        /// `mul.wide`: the whole product, twice as wide as `ty`.
        mul_wide(a, b) = "mul.wide";
        /// `mad.lo`: `a * b + c`, of the product the low half.
        mad_lo(a, b, c) = "mad.lo";
        /// `mad.wide`: `a * b + c`, twice as wide as `ty`.
        mad_wide(a, b, c) = "mad.wide";
        /// `div`, of integers.
        div(a, b) = "div";
        /// `rem`, of integers.
        rem(a, b) = "rem";
        /// `min`
        min(a, b) = "min";
        /// `max`
        max(a, b) = "max";
        /// `and`
        and(a, b) = "and";
        /// `or`
        or(a, b) = "or";
        /// `shl`
        shl(a, by) = "shl";
        /// `shr`
        shr(a, by) = "shr";
        /// `popc`: how many bits are set.
        popc(from) = "popc";
        /// `bfind`: the number of the highest bit that is set, -1 if none is.
        bfind(from) = "bfind";
        /// `selp`: `a` where the predicate holds, else `b`.
        selp(a, b, predicate) = "selp";
        /// `lop3`: the bits that a table of 8 bits makes of three.
        lop3(a, b, c, table) = "lop3";
    }

    /// `cvt`, between integers.
    pub fn cvt(self, to_type: Type, from_type: Type, to: Reg, from: impl Into<Operand>) {
        self.put(format!("cvt{to_type}{from_type}"), [to.into(), from.into()]);
    }

    /// Copies a value of a type as it is, bit for bit: `mov`, or `cvt` for 8 bits, which `mov` does not take.
    pub fn copy(self, ty: Type, to: Reg, from: impl Into<Operand>) {
        match ty {
            Type::Pred => self.mov(ty, to, from),
            ty if ty.bits() == 8 => self.cvt(Type::U8, Type::U8, to, from),
            ty => self.mov(Type::untyped(ty.bits()), to, from),
        }
    }

    /// Puts two or four registers together, the lowest bits first; `ty` is the type of the whole (PTX ISA, "mov").
    pub fn pack(self, ty: Type, to: Reg, parts: impl IntoIterator<Item = Reg>) {
        let parts = Part::Vector(parts.into_iter().collect());
        self.put_parts(format!("mov{ty}"), [Part::Operand(to.into()), parts]);
    }

    /// Takes a register apart into two or four, the lowest bits first; `ty` is the type of the whole (PTX ISA, "mov").
    pub fn unpack(self, ty: Type, parts: impl IntoIterator<Item = Reg>, from: Reg) {
        let parts = Part::Vector(parts.into_iter().collect());
        self.put_parts(format!("mov{ty}"), [parts, Part::Operand(from.into())]);
    }

    /// Sets a predicate to a constant.
    pub fn set(self, to: Reg, value: bool) {
        self.mov(Type::Pred, to, if value { -1 } else { 0 });
    }

    /// Sets a predicate to whether a guard holds.
    pub fn test(self, to: Reg, guard: impl Into<Guard>) {
        match guard.into() {
            Guard { reg, negated: true } => self.not(Type::Pred, to, reg),
            Guard { reg, negated: false } => self.mov(Type::Pred, to, reg),
        }
    }

    /// `setp`
    pub fn setp(self, relation: Relation, ty: Type, to: Reg, a: impl Into<Operand>, b: impl Into<Operand>) {
        self.put(format!("setp.{}{ty}", relation.word()), [to.into(), a.into(), b.into()]);
    }

    /// `setp` whose result is and-ed with a predicate.
    pub fn setp_and(
        self,
        relation: Relation,
        ty: Type,
        to: Reg,
        a: impl Into<Operand>,
        b: impl Into<Operand>,
        with: impl Into<Operand>,
    ) {
        self.setp_with(relation, "and", ty, [to.into(), a.into(), b.into(), with.into()]);
    }

    /// `setp` whose result is or-ed with a predicate.
    pub fn setp_or(
        self,
        relation: Relation,
        ty: Type,
        to: Reg,
        a: impl Into<Operand>,
        b: impl Into<Operand>,
        with: impl Into<Operand>,
    ) {
        self.setp_with(relation, "or", ty, [to.into(), a.into(), b.into(), with.into()]);
    }

    fn setp_with(self, relation: Relation, connective: &str, ty: Type, operands: [Operand; 4]) {
        self.put(format!("setp.{}.{connective}{ty}", relation.word()), operands);
    }

    /// Combines two values of a type: integers as they are, floats rounded to the nearest and not fused with another instruction. With `flushes`,
    /// subnormal floats are 0 (`.ftz`).
    pub fn combine(
        self,
        operator: Operator,
        ty: Type,
        flushes: bool,
        to: Reg,
        a: impl Into<Operand>,
        b: impl Into<Operand>,
    ) {
        let modifier = match operator {
            Operator::Add | Operator::Multiply if ty.is_float() => ".rn",
            Operator::Multiply => ".lo",
            _ => "",
        };
        let flush = if flushes { ".ftz" } else { "" };
        self.put(format!("{}{modifier}{flush}{ty}", operator.mnemonic()), [to.into(), a.into(), b.into()]);
    }

    /// `fma.rn`, of floats: `a * b + c`, rounded once.
    pub fn fma(self, ty: Type, to: Reg, a: impl Into<Operand>, b: impl Into<Operand>, c: impl Into<Operand>) {
        self.put(format!("fma.rn{ty}"), [to.into(), a.into(), b.into(), c.into()]);
    }

    /// `cvta.to`: makes an address in a state space of a generic one; `ty` is the type of addresses.
    pub fn cvta_to(self, space: Space, ty: Type, to: Reg, from: impl Into<Operand>) {
        self.put(format!("cvta.to{space}{ty}"), [to.into(), from.into()]);
    }

    /// `bra`
    pub fn bra(self, label: Label) {
        self.put("bra".to_owned(), [label.into()]);
    }

    /// `ret`
    pub fn ret(self) {
        self.put("ret".to_owned(), []);
    }

    /// `trap`
    pub fn trap(self) {
        self.put("trap".to_owned(), []);
    }

    /// `bar.warp.sync`: waits for the lanes of a mask, and orders their accesses.
    pub fn bar_warp_sync(self, mask: impl Into<Operand>) {
        self.put("bar.warp.sync".to_owned(), [mask.into()]);
    }

    /// `vote.sync.any`: whether a predicate holds in any lane of a mask.
    pub fn vote_any(self, to: Reg, predicate: impl Into<Operand>, mask: impl Into<Operand>) {
        self.put("vote.sync.any.pred".to_owned(), [to.into(), predicate.into(), mask.into()]);
    }

    /// `vote.sync.ballot`: the lanes of a mask in which a predicate holds.
    pub fn vote_ballot(self, to: Reg, predicate: impl Into<Operand>, mask: impl Into<Operand>) {
        self.put("vote.sync.ballot.b32".to_owned(), [to.into(), predicate.into(), mask.into()]);
    }

    /// `shfl.sync.idx`, over the whole warp: the value of the lane of a number.
    pub fn shfl_idx(self, to: Reg, value: Reg, lane: impl Into<Operand>, mask: impl Into<Operand>) {
        let last_lane = 31;
        self.put("shfl.sync.idx.b32".to_owned(), [to.into(), value.into(), lane.into(), last_lane.into(), mask.into()]);
    }

    /// `activemask`: the lanes that execute it together.
    pub fn activemask(self, to: Reg) {
        self.put("activemask.b32".to_owned(), [to.into()]);
    }

    /// `match.any.sync`: the lanes of a mask that have the same value.
    pub fn match_any(self, to: Reg, value: impl Into<Operand>, mask: impl Into<Operand>) {
        self.put("match.any.sync.b32".to_owned(), [to.into(), value.into(), mask.into()]);
    }

    /// `ld`: loads from `base + offset` in a state space; the offset is in bytes.
    pub fn ld(self, space: Space, ty: Type, to: Reg, base: Base, offset: i64) {
        self.put(format!("ld{}{ty}", word_of(space)), [to.into(), at(base, offset)]);
    }

    /// `ld.volatile`
    pub fn ld_volatile(self, space: Space, ty: Type, to: Reg, base: Base, offset: i64) {
        self.put(format!("ld.volatile{}{ty}", word_of(space)), [to.into(), at(base, offset)]);
    }

    /// `st`: stores at `base + offset` in a state space; the offset is in bytes.
    pub fn st(self, space: Space, ty: Type, base: Base, offset: i64, value: impl Into<Operand>) {
        self.put(format!("st{}{ty}", word_of(space)), [at(base, offset), value.into()]);
    }

    /// `red`: combines a value with what is at `base + offset`, atomically.
    pub fn red(self, space: Space, operator: Operator, ty: Type, base: Base, offset: i64, value: impl Into<Operand>) {
        self.put(format!("red{}.{}{ty}", word_of(space), operator.mnemonic()), [at(base, offset), value.into()]);
    }

    /// `atom.cas`: puts `new` at `base + offset` if `expected` is there, and gives what was there.
    pub fn atom_cas(
        self,
        space: Space,
        ty: Type,
        to: Reg,
        (base, offset): (Base, i64),
        expected: impl Into<Operand>,
        new: impl Into<Operand>,
    ) {
        self.put(format!("atom{}.cas{ty}", word_of(space)), [to.into(), at(base, offset), expected.into(), new.into()]);
    }

    /// An instruction with the opcode of another one, which is written a second time with other operands.
    pub fn with_opcode(self, opcode: &OpcodeData, operands: impl IntoIterator<Item = Operand>) {
        self.put(opcode.text().to_owned(), operands);
    }
}

fn at(base: Base, offset: i64) -> Operand {
    Operand::Address(base, offset.into())
}

/// The modifier of a state space; an access by generic addresses has none.
fn word_of(space: Space) -> String {
    if space == Space::Generic { String::new() } else { space.to_string() }
}
