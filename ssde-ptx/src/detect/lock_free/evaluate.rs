//! Evaluates integer instructions (PTX ISA, "Integer Arithmetic Instructions", "Logic and Shift Instructions", "Data Movement": `prmt`).

use ptx_parser::{Mnemonic, Modifier, OpcodeData};

use super::symbolic_arithmetic::is_integer;
use super::terms::{cut, signed};

/// Returns the result for the given source operands, in their order, with the sign of the instruction's type. Returns `None` for another instruction, for types that are not integers, and for a division
/// by 0.
pub(super) fn evaluate(opcode: &OpcodeData, of: &[i64]) -> Option<i64> {
    let ty = opcode.types().first().copied().filter(|&ty| is_integer(ty))?;
    let (bits, is_signed) = (ty.bits(), ty.is_signed());
    let plain = |number: i64| cut(number.cast_unsigned(), bits);
    let wide =
        |number: i64| if is_signed { i128::from(signed(plain(number), bits)) } else { i128::from(plain(number)) };
    let width = match opcode.mnemonic() {
        Mnemonic::Popc | Mnemonic::Clz | Mnemonic::Bfind => 32,
        Mnemonic::Mul | Mnemonic::Mad if opcode.has(Modifier::Wide) => 2 * bits,
        _ => bits,
    };
    let made: u64 = match (opcode.mnemonic(), of) {
        (Mnemonic::Add, &[one, other]) => low(wide(one) + wide(other)),
        (Mnemonic::Sub, &[one, other]) => low(wide(one) - wide(other)),
        (Mnemonic::Neg, &[of]) => low(-wide(of)),
        (Mnemonic::Mul, &[one, other]) if opcode.has(Modifier::Hi) => high(plain(one), plain(other), bits, is_signed),
        (Mnemonic::Mul, &[one, other]) => low(wide(one).wrapping_mul(wide(other))),
        (Mnemonic::Mad, &[one, other, more]) if opcode.has(Modifier::Hi) => {
            high(plain(one), plain(other), bits, is_signed).wrapping_add(more.cast_unsigned())
        }
        (Mnemonic::Mad, &[one, other, more]) => low(wide(one).wrapping_mul(wide(other)).wrapping_add(i128::from(more))),
        (Mnemonic::Div, &[one, other]) => low(wide(one).checked_div(wide(other))?),
        (Mnemonic::Rem, &[one, other]) => low(wide(one).checked_rem(wide(other))?),
        (Mnemonic::Abs, &[of]) => signed(plain(of), bits).unsigned_abs(),
        (Mnemonic::Max, &[one, other]) => low(wide(one).max(wide(other))),
        (Mnemonic::Min, &[one, other]) => low(wide(one).min(wide(other))),
        (Mnemonic::And, &[one, other]) => plain(one) & plain(other),
        (Mnemonic::Or, &[one, other]) => plain(one) | plain(other),
        (Mnemonic::Xor, &[one, other]) => plain(one) ^ plain(other),
        (Mnemonic::Not, &[of]) => !plain(of),
        (Mnemonic::Shl, &[of, by]) => {
            let by = cut(by.cast_unsigned(), 32);
            if by < u64::from(bits) { plain(of) << by } else { 0 }
        }
        (Mnemonic::Shr, &[of, by]) => low(wide(of) >> cut(by.cast_unsigned(), 32).min(64)),
        (Mnemonic::Shf, &[lower, upper, by]) => {
            let both = plain(upper) << 32 | plain(lower);
            let by = if opcode.has(Modifier::Wrap) { plain(by) & 31 } else { plain(by).min(32) };
            if opcode.has(Modifier::L) { (both << by) >> 32 } else { both >> by }
        }
        (Mnemonic::Popc, &[of]) => plain(of).count_ones().into(),
        (Mnemonic::Clz, &[of]) => u64::from(plain(of).leading_zeros()) - u64::from(64 - bits),
        (Mnemonic::Bfind, &[of]) => {
            // Of a number below 0, the first bit that is not its sign.
            let found = if is_signed && wide(of) < 0 { plain(!of) } else { plain(of) };
            match found.checked_ilog2() {
                None => u64::MAX,
                Some(bit) if opcode.has(Modifier::Shiftamt) => u64::from(bits - 1 - bit),
                Some(bit) => bit.into(),
            }
        }
        (Mnemonic::Brev, &[of]) => plain(of).reverse_bits() >> (64 - bits),
        (Mnemonic::Bfe, &[of, from, length]) => {
            let (from, length) = field(from, length, bits);
            let taken = cut(plain(of).checked_shr(from).unwrap_or(0), length);
            // Behind the last bit stands the sign, or nothing.
            let found = if from >= bits { bits - 1 } else { (from + length).min(bits).saturating_sub(1) };
            let is_negative = is_signed && length > 0 && plain(of) >> found & 1 == 1;
            let known = (found + 1).saturating_sub(from).min(length);
            if is_negative { taken | !cut(u64::MAX, known) } else { taken }
        }
        (Mnemonic::Bfi, &[of, into, from, length]) => {
            let (from, length) = field(from, length, bits);
            let mask = cut(u64::MAX, length).checked_shl(from).unwrap_or(0);
            (plain(into) & !mask) | (plain(of).checked_shl(from).unwrap_or(0) & mask)
        }
        (Mnemonic::Prmt, &[lower, upper, select]) if opcode.modifiers().len() == 1 => {
            let bytes = plain(upper) << 32 | plain(lower);
            let byte = |number: u32| {
                let select = select >> (4 * number);
                let byte = (bytes >> (8 * (select & 7))) as u8;
                let sign = if byte.cast_signed().is_negative() { 0xff } else { 0 };
                if select & 8 == 0 { byte } else { sign }
            };
            (0..4).fold(0, |all, number| all | u64::from(byte(number)) << (8 * number))
        }
        (Mnemonic::Lop3, &[one, other, third, table]) => (0..bits).fold(0, |all, bit| {
            let at = |number: i64| plain(number) >> bit & 1;
            let row = at(one) << 2 | at(other) << 1 | at(third);
            all | (table.cast_unsigned() >> row & 1) << bit
        }),
        _ => return None,
    };
    Some(signed(cut(made, width), width))
}

/// Returns the upper half of a product.
fn high(one: u64, other: u64, bits: u32, is_signed: bool) -> u64 {
    if is_signed {
        low((i128::from(signed(one, bits)) * i128::from(signed(other, bits))) >> bits)
    } else {
        ((u128::from(one) * u128::from(other)) >> bits) as u64
    }
}

/// Returns the lower half.
fn low(number: i128) -> u64 {
    number as u64
}

/// Returns first bit and length of a bit field; of both the instruction takes a byte.
fn field(from: i64, length: i64, bits: u32) -> (u32, u32) {
    ((from & 0xff) as u32, ((length & 0xff) as u32).min(bits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn makes(opcode: &str, of: &[i64], result: i64) {
        let opcode = OpcodeData::new(opcode);
        assert_eq!(evaluate(&opcode, of), Some(result), "{} of {of:?}", opcode.text());
    }

    #[test]
    fn results_are_those_of_the_isa() {
        makes("add.s32", &[i64::from(i32::MAX), 1], i64::from(i32::MIN));
        makes("sub.u32", &[1, 2], -1);
        makes("neg.s32", &[5], -5);
        makes("mul.lo.u32", &[1 << 20, 1 << 13], 0);
        makes("mul.wide.u32", &[-1, 2], 0x1_ffff_fffe);
        makes("mul.wide.s32", &[-1, 2], -2);
        makes("mad.lo.s32", &[3, 4, 5], 17);
        makes("mad.hi.u32", &[-1, 16, 2], 17);
        makes("mad.wide.u32", &[-1, 2, 1 << 33], 0x3_ffff_fffe);
        makes("and.b32", &[12, -4], 12);
        makes("xor.b32", &[12, 10], 6);
        makes("not.b32", &[0], -1);
        makes("shl.b32", &[31, 27], i64::from((31u32 << 27).cast_signed()));
        makes("shl.b32", &[1, 32], 0);
        makes("shl.b64", &[1, 40], 1 << 40);
        makes("popc.b32", &[-1], 32);
        makes("popc.b64", &[-1], 64);
        makes("clz.b32", &[1], 31);
        makes("clz.b64", &[0], 64);
        makes("bfind.u32", &[0], -1);
        makes("bfind.u32", &[20], 4);
        makes("bfind.shiftamt.u32", &[20], 27);
        makes("bfind.s32", &[-1], -1);
        makes("bfind.s64", &[-9], 3);
        makes("brev.b32", &[1], i64::from(i32::MIN));
        makes("brev.b64", &[2], 1 << 62);
        makes("abs.s32", &[-5], 5);
        makes("or.b32", &[9, 3], 11);
        makes("max.u32", &[-1, 7], -1);
        makes("min.u32", &[-1, 7], 7);
        makes("min.s32", &[-1, 7], -1);
        makes("mul.hi.u32", &[-1, 16], 15);
        makes("mul.hi.s32", &[-1, 16], -1);
        makes("mul.hi.u64", &[-1, -1], -2);
        makes("div.u32", &[-1, 31], 0x0842_1084);
        makes("div.s32", &[-62, 31], -2);
        makes("rem.u32", &[-1, 32], 31);
        makes("shr.u32", &[-1, 4], 0x0fff_ffff);
        makes("shr.s32", &[-16, 2], -4);
        makes("shr.u32", &[-1, 32], 0);
        makes("shf.l.wrap.b32", &[i64::from(i32::MIN), 0, 33], 1);
        makes("shf.r.wrap.b32", &[1, 1, 1], i64::from(i32::MIN));
        makes("shf.l.clamp.b32", &[7, 5, 99], 7);
        makes("bfe.u32", &[0xabcd, 4, 8], 0xbc);
        makes("bfe.s32", &[1, 0, 1], -1);
        makes("bfe.s32", &[i64::from(i32::MIN), 31, 4], -1);
        makes("bfe.s32", &[i64::from(i32::MIN), 40, 4], -1);
        makes("bfe.u32", &[-1, 3, 0], 0);
        makes("bfi.b32", &[1, 3, 31, 1], i64::from(i32::MIN) + 3);
        makes("bfi.b64", &[-1, 0, 32, 32], i64::MIN >> 31);
        makes("prmt.b32", &[0x80, 0x11, 0x8884], i64::from(0xffff_ff11_u32.cast_signed()));
        makes("lop3.b32", &[12, 10, 9, 0x96], 12 ^ 10 ^ 9);
        makes("lop3.b32", &[12, 10, 9, 1], !(12 | 10 | 9));
    }

    #[test]
    fn others_are_unknown() {
        for (opcode, of) in
            [("div.u32", &[5, 0][..]), ("abs.f32", &[5]), ("prmt.b32.f4e", &[1, 2, 3]), ("vadd.s32.s32.s32", &[5, 6])]
        {
            assert_eq!(evaluate(&OpcodeData::new(opcode), of), None, "{opcode}");
        }
    }
}
