//! Evaluates integer instructions that are not linear in their operands: they move bits, divide, or choose (PTX ISA, "Integer Arithmetic Instructions", "Logic and Shift Instructions", "Data Movement": `prmt`).

use ptx_parser::{OpcodeData, Word};

use super::compute::is_integer;
use super::terms::{cut, signed};

/// The mnemonics whose result says something only if all operands are known. [`evaluate`] also computes `or` and `max`.
pub(super) const NEED_ALL: [Word; 12] = [
    Word::Abs,
    Word::Bfe,
    Word::Bfi,
    Word::Brev,
    Word::Div,
    Word::Lop3,
    Word::Min,
    Word::Mul,
    Word::Prmt,
    Word::Rem,
    Word::Shf,
    Word::Shr,
];

/// Returns the result for the given source operands, in their order, with the sign of the instruction's type. Returns `None` for another instruction, for types that are not integers, and for a division
/// by 0.
pub(super) fn evaluate(opcode: &OpcodeData, of: &[i64]) -> Option<i64> {
    let ty = opcode.types().first().copied().filter(|&ty| is_integer(ty))?;
    let (bits, is_signed) = (ty.bits(), ty.is_signed());
    let plain = |number: i64| cut(number.cast_unsigned(), bits);
    let wide =
        |number: i64| if is_signed { i128::from(signed(plain(number), bits)) } else { i128::from(plain(number)) };
    let made: u64 = match (opcode.family(), of) {
        (Word::Brev, &[of]) => plain(of).reverse_bits() >> (64 - bits),
        (Word::Abs, &[of]) => signed(plain(of), bits).unsigned_abs(),
        (Word::Or, &[one, other]) => plain(one) | plain(other),
        (Word::Max, &[one, other]) => low(wide(one).max(wide(other))),
        (Word::Min, &[one, other]) => low(wide(one).min(wide(other))),
        (Word::Mul, &[one, other]) if opcode.is(Word::Hi) && is_signed => low((wide(one) * wide(other)) >> bits),
        (Word::Mul, &[one, other]) if opcode.is(Word::Hi) => {
            ((u128::from(plain(one)) * u128::from(plain(other))) >> bits) as u64
        }
        (Word::Div, &[one, other]) => low(wide(one).checked_div(wide(other))?),
        (Word::Rem, &[one, other]) => low(wide(one).checked_rem(wide(other))?),
        (Word::Shr, &[of, by]) => low(wide(of) >> plain(by).min(64)),
        (Word::Shf, &[lower, upper, by]) => {
            let both = plain(upper) << 32 | plain(lower);
            let by = if opcode.is(Word::Wrap) { plain(by) & 31 } else { plain(by).min(32) };
            if opcode.is(Word::L) { (both << by) >> 32 } else { both >> by }
        }
        (Word::Bfe, &[of, from, length]) => {
            let (from, length) = field(from, length, bits);
            let taken = cut(plain(of).checked_shr(from).unwrap_or(0), length);
            // Behind the last bit stands the sign, or nothing.
            let found = if from >= bits { bits - 1 } else { (from + length).min(bits).saturating_sub(1) };
            let is_negative = is_signed && length > 0 && plain(of) >> found & 1 == 1;
            let known = (found + 1).saturating_sub(from).min(length);
            if is_negative { taken | !cut(u64::MAX, known) } else { taken }
        }
        (Word::Bfi, &[of, into, from, length]) => {
            let (from, length) = field(from, length, bits);
            let mask = cut(u64::MAX, length).checked_shl(from).unwrap_or(0);
            (plain(into) & !mask) | (plain(of).checked_shl(from).unwrap_or(0) & mask)
        }
        (Word::Prmt, &[lower, upper, select]) if opcode.words().count() == 1 => {
            let bytes = (plain(upper) << 32 | plain(lower)).to_le_bytes();
            let byte = |number: u32| {
                let select = select >> (4 * number);
                let byte = bytes[(select & 7).unsigned_abs() as usize];
                let sign = if byte.cast_signed().is_negative() { 0xff } else { 0 };
                if select & 8 == 0 { byte } else { sign }
            };
            (0..4).fold(0, |all, number| all | u64::from(byte(number)) << (8 * number))
        }
        (Word::Lop3, &[one, other, third, table]) => (0..bits).fold(0, |all, bit| {
            let at = |number: i64| plain(number) >> bit & 1;
            let row = at(one) << 2 | at(other) << 1 | at(third);
            all | (table.cast_unsigned() >> row & 1) << bit
        }),
        _ => return None,
    };
    Some(signed(cut(made, bits), bits))
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
            [("div.u32", &[5, 0][..]), ("abs.f32", &[5]), ("prmt.b32.f4e", &[1, 2, 3]), ("popc.b32", &[5])]
        {
            assert_eq!(evaluate(&OpcodeData::new(opcode), of), None, "{opcode}");
        }
    }
}
