//! The functions of scalar forms: bit fields, permutations, dot products, functions of mathematics.

use ptx_parser::{Modifier, Type};

use super::compare::Connective;
use super::convert::{Number, number};
use super::float::Float;
use super::formats::Format;
use super::integer::extract;
use super::lanes::lanes;
use super::op::{Ctx, Execute, Op};
use super::payload::{Form, choices, payloads, switches};
use super::rounding::{Arithmetic, Mode, compute32, compute64};
use super::scalar::{get, scalar, set};

switches! {
    /// The modifiers `.ftz` and `.sat` of single precision.
    FloatFlags {
        /// Subnormal operands and results count as zero.
        flushes,
        /// The result is clamped to [0, 1].
        saturates,
    }
    /// The modifiers of `bfind`.
    BfindFlags { signed, shift_amount }
    /// The operands of `dp4a` and `dp2a`.
    DotFlags { a_signed, b_signed, high }
    /// The modifiers of `mul24` and `mad24`.
    Mad24Flags { signed, high }
    /// The modifiers of `szext`.
    SzextFlags { signed, wraps }
    /// The switches of `set`.
    SetFlags {
        /// Subnormal operands count as zero.
        flushes,
        /// The predicate that the comparison is combined with is negated.
        negated,
    }
    /// The selector of `slct`.
    SlctFlags {
        /// It is a single, and no signed word.
        float,
        flushes,
    }
}

choices! {
    /// The mode of `prmt`.
    PrmtMode { Selected, F4e, B4e, Rc8, Ecl, Ecr, Rc16 }
    /// The property that `testp` tests.
    FloatKind { Finite, Infinite, Number, NotANumber, Normal, Subnormal }
    /// A relation of `set` and `setp`.
    Relation { Eq, Ne, Lt, Le, Gt, Ge, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan }
    /// The bits that `set` writes where the comparison holds.
    Truth {
        /// All ones.
        Ones,
        /// One as a single.
        Single,
        /// A predicate.
        Predicate,
        /// One as a half.
        Half,
        /// One as a bfloat16.
        Bfloat,
    }
    /// An operation on two packed 16-bit integers.
    PackedOperation { Add, MinUnsigned, MaxUnsigned, MinSigned, MaxSigned }
}

payloads! {
    /// Arithmetic in any rounding.
    Directed { operation: Arithmetic, mode: Mode, flags: FloatFlags }
    /// `bfind`, with the width in bits.
    BfindForm { width: u8, flags: BfindFlags }
    /// `testp`.
    TestpForm { kind: FloatKind, double: bool }
    /// `set`, and `setp` of half precision.
    SetForm { relation: Relation, ty: Type, truth: Truth, with: Connective, flags: SetFlags }
    /// `add`, `min`, `max` of two packed 16-bit integers.
    PackedForm { operation: PackedOperation, relu: bool }
}

impl Truth {
    fn bits(self) -> u64 {
        match self {
            Truth::Ones => u64::MAX,
            Truth::Single => 0x3f80_0000,
            Truth::Predicate => 1,
            Truth::Half => 0x3c00,
            Truth::Bfloat => 0x3f80,
        }
    }
}

impl FloatFlags {
    /// Returns an operand in single precision.
    pub(crate) fn single(self, bits: u64) -> f32 {
        let value = f32::from_bits(bits as u32);
        if self.flushes { value.flush() } else { value }
    }

    /// Returns the bits of a result in single precision.
    pub(crate) fn finish(self, value: f32) -> u64 {
        let value = if self.flushes { value.flush() } else { value };
        let value = if self.saturates { value.saturate() } else { value.canonical() };
        u64::from(value.to_bits())
    }
}

/// A function of mathematics in double precision, rounded once: closer than what the hardware documents.
fn approximate(bits: u64, flags: FloatFlags, function: fn(f64) -> f64) -> u64 {
    flags.finish(function(f64::from(flags.single(bits))) as f32)
}

scalar! {
    Sin: FloatFlags = |[a, _, _], flags| approximate(a, flags, f64::sin);
    Cos: FloatFlags = |[a, _, _], flags| approximate(a, flags, f64::cos);
    Ex2: FloatFlags = |[a, _, _], flags| approximate(a, flags, f64::exp2);
    Lg2: FloatFlags = |[a, _, _], flags| approximate(a, flags, f64::log2);
    Tanh: FloatFlags = |[a, _, _], flags| approximate(a, flags, f64::tanh);

    /// Single precision in any rounding.
    Directed32: Directed = |[a, b, c], Directed { operation, mode, flags }| {
        let [a, b, c] = [a, b, c].map(|bits| flags.single(bits));
        flags.finish(compute32(operation, a, b, c, mode))
    };
    /// Double precision in any rounding.
    Directed64: Directed = |[a, b, c], Directed { operation, mode, .. }| {
        let [a, b, c] = [a, b, c].map(f64::from_bits);
        compute64(operation, a, b, c, mode).canonical().to_bits()
    };
    /// `bfind`
    Bfind: BfindForm = |[a, _, _], BfindForm { width, flags }| {
        let width = u32::from(width);
        let value = a << (64 - width);
        let value = if flags.signed && value >> 63 != 0 { !value & u64::MAX << (64 - width) } else { value };
        if value == 0 {
            u64::from(u32::MAX)
        } else {
            let position = width - 1 - value.leading_zeros();
            u64::from(if flags.shift_amount { width - 1 - position } else { position })
        }
    };
    /// Signed `bfe`; the payload is the width.
    BfeSigned: u8 = |[a, position, length], width| {
        let width = u32::from(width);
        let value = ((a << (64 - width)).cast_signed() >> (64 - width)).cast_unsigned();
        let (position, length) = ((position & 255) as u32, (length & 255) as u32);
        if length == 0 {
            0
        } else {
            // Beyond the value its sign continues, which the extension to 64 bits already holds.
            let shifted = (value.cast_signed() >> position.min(63)).cast_unsigned();
            let sign_at = (position + length - 1).min(width - 1);
            let sign = value >> sign_at & 1;
            let low = extract(shifted, 0, length);
            if sign != 0 && length < 64 { low | u64::MAX << length } else { low }
        }
    };
    /// `prmt`
    Prmt: PrmtMode = |[a, b, selector], mode| u64::from(permute(a as u32, b as u32, selector as u32, mode));
    /// `dp4a`
    Dp4a: DotFlags = |[a, b, c], flags| {
        let byte = |value: u64, index: u32, signed: bool| {
            let byte = (value >> (8 * index)) as u8;
            if signed { i64::from(byte.cast_signed()) } else { i64::from(byte) }
        };
        let products = (0..4).map(|i| byte(a, i, flags.a_signed) * byte(b, i, flags.b_signed));
        products.sum::<i64>().wrapping_add(c.cast_signed()).cast_unsigned()
    };
    /// `dp2a`
    Dp2a: DotFlags = |[a, b, c], flags| {
        let half = |index: u32| {
            let half = (a >> (16 * index)) as u16;
            if flags.a_signed { i64::from(half.cast_signed()) } else { i64::from(half) }
        };
        let byte = |index: u32| {
            let byte = (b >> (8 * (index + if flags.high { 2 } else { 0 }))) as u8;
            if flags.b_signed { i64::from(byte.cast_signed()) } else { i64::from(byte) }
        };
        (half(0) * byte(0) + half(1) * byte(1)).wrapping_add(c.cast_signed()).cast_unsigned()
    };
    /// `mul24` and `mad24`
    Mad24: Mad24Flags = |[a, b, c], flags| {
        let part = |value: u64| {
            let shifted = (value as u32) << 8;
            if flags.signed { i64::from(shifted.cast_signed() >> 8) } else { i64::from(shifted >> 8) }
        };
        let product = part(a) * part(b);
        (product >> if flags.high { 16 } else { 0 }).wrapping_add(c.cast_signed()).cast_unsigned()
    };
    /// `mad.hi.sat.s32`; of 24 bits if the payload is true, `mad24.hi.sat.s32`.
    MadSat: bool = |[a, b, c], narrow| {
        let part = |bits: u64| {
            let value = (bits as u32).cast_signed();
            i64::from(if narrow { value << 8 >> 8 } else { value })
        };
        let product = (part(a) * part(b)) >> if narrow { 16 } else { 32 };
        let sum = i64::from(product as i32) + i64::from((c as u32).cast_signed());
        sum.clamp(i64::from(i32::MIN), i64::from(i32::MAX)).cast_unsigned()
    };
    /// `fns`: the place of the n-th set bit of `a` from bit `b` on; negative `n` looks downwards.
    Fns: () = |[mask, base, offset], ()| {
        let (base, offset) = (base as u32, (offset as u32).cast_signed());
        let set = |position: &u32| mask >> position & 1 != 0;
        let skip = (offset.unsigned_abs() as usize).saturating_sub(1);
        let found = match offset {
            _ if base > 31 => None,
            0 => Some(base).filter(set),
            1.. => (base..32).filter(set).nth(skip),
            _ => (0..=base).rev().filter(set).nth(skip),
        };
        u64::from(found.unwrap_or(u32::MAX))
    };
    /// `max.relu.s32` if the payload is true, else `min.relu.s32`.
    ExtremeRelu: bool = |[a, b, _], larger| {
        let (a, b) = ((a as u32).cast_signed(), (b as u32).cast_signed());
        u64::from((if larger { a.max(b) } else { a.min(b) }).max(0).cast_unsigned())
    };
    /// `szext`
    Szext: SzextFlags = |[a, position, _], flags| {
        let position = if flags.wraps { position & 31 } else { (position & 0xffff_ffff).min(32) } as u32;
        match (position, flags.signed) {
            (0, _) => 0,
            (32.., _) => a,
            (bits, false) => a & ((1 << bits) - 1),
            (bits, true) => ((a << (64 - bits)).cast_signed() >> (64 - bits)).cast_unsigned(),
        }
    };
    /// `bmsk.wrap` if the payload is true, else `bmsk.clamp`.
    Bmsk: bool = |[position, length, _], wraps| {
        let limit = |value: u64| if wraps { value & 31 } else { (value & 0xffff_ffff).min(32) };
        let (position, length) = (limit(position), limit(length));
        ((1u64 << length) - 1) << position
    };
    /// `copysign`; the payload is the width.
    CopySign: u8 = |[a, b, _], width| {
        let sign = 1u64 << (width - 1);
        a & sign | b & (sign - 1)
    };
    /// `testp`
    Testp: TestpForm = |[a, _, _], TestpForm { kind, double }| {
        let category = if double { f64::from_bits(a).classify() } else { f32::from_bits(a as u32).classify() };
        use std::num::FpCategory;
        u64::from(match kind {
            FloatKind::Finite => !matches!(category, FpCategory::Infinite | FpCategory::Nan),
            FloatKind::Infinite => category == FpCategory::Infinite,
            FloatKind::Number => category != FpCategory::Nan,
            FloatKind::NotANumber => category == FpCategory::Nan,
            FloatKind::Normal => category == FpCategory::Normal,
            FloatKind::Subnormal => category == FpCategory::Subnormal,
        })
    };
    /// `slct`: `c >= 0 ? a : b`.
    Slct: SlctFlags = |[a, b, c], SlctFlags { float, flushes }| {
        let flags = FloatFlags { flushes, saturates: false };
        let chosen = if float { flags.single(c) >= 0.0 } else { (c as u32).cast_signed() >= 0 };
        if chosen { a } else { b }
    };
    /// `set`, and `setp` of half precision.
    Set: SetForm = |[a, b, c], form| result(compared(a, b, c, form), form);
    /// `set` with a result of 16 bits.
    SetNarrow: SetForm = |[a, b, c], form| result(compared(a, b, c, form), form) & 0xffff;
    /// `set` of two packed halves: each half of the result by the halves that it belongs to.
    SetPair: SetForm = |[a, b, c], form| {
        let part = |shift: u32| result(compared(a >> shift & 0xffff, b >> shift & 0xffff, c, form), form) & 0xffff;
        part(16) << 16 | part(0)
    };
    /// `add`, `min`, `max` of two packed 16-bit integers.
    Packed16: PackedForm = |[a, b, _], PackedForm { operation, relu }| {
        let part = |shift: u32| {
            let (x, y) = ((a >> shift) as u16, (b >> shift) as u16);
            let (sx, sy) = (x.cast_signed(), y.cast_signed());
            let result = match operation {
                PackedOperation::Add => x.wrapping_add(y),
                PackedOperation::MinUnsigned => x.min(y),
                PackedOperation::MaxUnsigned => x.max(y),
                PackedOperation::MinSigned => sx.min(sy).cast_unsigned(),
                PackedOperation::MaxSigned => sx.max(sy).cast_unsigned(),
            };
            let result = if relu && result.cast_signed() < 0 { 0 } else { result };
            u64::from(result) << shift
        };
        part(0) | part(16)
    };
}

fn result(holds: bool, form: SetForm) -> u64 {
    if holds { form.truth.bits() } else { 0 }
}

/// Returns true if the comparison of a `set` holds, combined with its predicate.
pub(crate) fn compared(a: u64, b: u64, c: u64, form: SetForm) -> bool {
    let SetForm { relation, ty, with: connective, flags, .. } = form;
    let value = |bits: u64| match Format::of(ty) {
        Some(format) if flags.flushes && format.is_subnormal(bits as u32) => Number::Float(0.0),
        _ => number(ty, bits),
    };
    let holds = relation.holds(value(a), value(b), flags.flushes && ty == Type::F32);
    let with = c & 1 != u64::from(flags.negated);
    match connective {
        Connective::None => holds,
        Connective::And => holds && with,
        Connective::Or => holds || with,
        Connective::Xor => holds != with,
    }
}

/// `setp` of two packed halves: the first result is for the lower, the second for the upper one.
pub(crate) struct SetpPair;

impl Form for SetpPair {
    type Payload = SetForm;
}

impl Execute for SetpPair {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let form = Self::payload(op);
        for lane in lanes(ctx.mask) {
            let [a, b, c] = [op.a, op.b, op.c].map(|row| get(ctx, row, lane));
            for (row, shift) in [(op.d, 0), (op.e, 16)] {
                let holds = compared(a >> shift & 0xffff, b >> shift & 0xffff, c, form);
                set(ctx, row, lane, u64::from(holds));
            }
        }
        true
    }
}

impl Relation {
    /// Returns the relation that a modifier names.
    pub(crate) fn of(modifier: Modifier) -> Option<Relation> {
        Some(match modifier {
            Modifier::Eq => Relation::Eq,
            Modifier::Ne => Relation::Ne,
            Modifier::Lt => Relation::Lt,
            Modifier::Le => Relation::Le,
            Modifier::Gt => Relation::Gt,
            Modifier::Ge => Relation::Ge,
            Modifier::Equ => Relation::Equ,
            Modifier::Neu => Relation::Neu,
            Modifier::Ltu => Relation::Ltu,
            Modifier::Leu => Relation::Leu,
            Modifier::Gtu => Relation::Gtu,
            Modifier::Geu => Relation::Geu,
            Modifier::Num => Relation::Num,
            Modifier::Nan => Relation::Nan,
            _ => return None,
        })
    }

    fn holds(self, a: Number, b: Number, flush: bool) -> bool {
        let order = match (a, b) {
            (Number::Integer(a), Number::Integer(b)) => Some(a.cmp(&b)),
            (Number::Float(a), Number::Float(b)) if flush => {
                f64::from((a as f32).flush()).partial_cmp(&f64::from((b as f32).flush()))
            }
            (Number::Float(a), Number::Float(b)) => a.partial_cmp(&b),
            _ => None,
        };
        use Relation::*;
        match (self, order) {
            (Num, order) => order.is_some(),
            (Nan, order) => order.is_none(),
            (Eq | Ne | Lt | Le | Gt | Ge, None) => false,
            (Equ | Neu | Ltu | Leu | Gtu | Geu, None) => true,
            (Eq | Equ, Some(order)) => order.is_eq(),
            (Ne | Neu, Some(order)) => order.is_ne(),
            (Lt | Ltu, Some(order)) => order.is_lt(),
            (Le | Leu, Some(order)) => order.is_le(),
            (Gt | Gtu, Some(order)) => order.is_gt(),
            (Ge | Geu, Some(order)) => order.is_ge(),
        }
    }
}

fn permute(a: u32, b: u32, selector: u32, mode: PrmtMode) -> u32 {
    let pair = u64::from(b) << 32 | u64::from(a);
    let byte = |index: u32| (pair >> (8 * (index & 7)) & 0xff) as u32;
    let s = selector & 3;
    let nibble = |position: u32| {
        let nibble = selector >> (4 * position) & 15;
        let value = byte(nibble & 7);
        // The top bit of the selector asks for the byte's sign in all bits.
        if nibble & 8 == 0 {
            value
        } else if value & 0x80 != 0 {
            0xff
        } else {
            0
        }
    };
    let bytes: [u32; 4] = match mode {
        PrmtMode::Selected => [0, 1, 2, 3].map(nibble),
        PrmtMode::F4e => [0, 1, 2, 3].map(|i| byte(s + i)),
        PrmtMode::B4e => [0, 1, 2, 3].map(|i| byte(s.wrapping_sub(i))),
        PrmtMode::Rc8 => [byte(s); 4],
        PrmtMode::Ecl => [0, 1, 2, 3].map(|i: u32| byte(i.max(s))),
        PrmtMode::Ecr => [0, 1, 2, 3].map(|i: u32| byte(i.min(s))),
        PrmtMode::Rc16 => [0, 1, 0, 1].map(|i| byte((s & 1) * 2 + i)),
    };
    bytes[0] | bytes[1] << 8 | bytes[2] << 16 | bytes[3] << 24
}

/// `bfi`: inserts the low `op.e` bits of `a` into `b` at `c`; the payload is the width. Four operands, so not a scalar form.
pub(crate) struct Bfi;

impl Form for Bfi {
    type Payload = u8;
}

impl Execute for Bfi {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let width = u64::from(Self::payload(op));
        for lane in lanes(ctx.mask) {
            let (a, b) = (get(ctx, op.a, lane), get(ctx, op.b, lane));
            let (position, length) = (get(ctx, op.c, lane) & 255, get(ctx, op.e, lane) & 255);
            let ones = if length < 64 { (1u64 << length) - 1 } else { u64::MAX };
            let field = if position < width { ones << position } else { 0 };
            let moved = if position < width { a << position } else { 0 };
            set(ctx, op.d, lane, b & !field | moved & field);
        }
        true
    }
}
