//! Operands: random bits, and what is special in each format.

use ptx_parser::Type;

/// A generator of numbers (Marsaglia, "Xorshift RNGs").
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 11) % limit
    }

    /// A float whose exponent field has some bits and whose fraction has others. `last` is an earlier operand.
    fn float(&mut self, exponent: u32, fraction: u32, last: u64) -> u64 {
        let (ones, top) = ((1u64 << fraction) - 1, (1u64 << exponent) - 1);
        let bias = top >> 1;
        let sign = (self.next() >> 63) << (exponent + fraction);
        // Fractions near those that rounding to fewer digits takes for a tie.
        let digits = self.below(u64::from(fraction)) as u32 + 1;
        let tie = 1u64 << (digits - 1);
        let ties = self.next() & ones & !((tie << 1) - 1);
        let near = [0, tie, tie + 1, tie - 1, tie];
        let fractions = [self.next() & ones, ties | near[self.below(5) as usize] & ones, 0, ones];
        let chosen = fractions[self.below(4) as usize];
        let around = |random: &mut Random, center: u64, spread: u64| {
            (center + random.below(2 * spread + 1)).saturating_sub(spread).min(top)
        };
        // The ends of the ranges of f16 and of single precision.
        let half = [bias.saturating_sub(16), bias + 16][self.below(2) as usize];
        let single = [bias.saturating_sub(137), bias + 127][self.below(2) as usize];
        // The ends of the ranges of integers.
        let power = bias + [7, 8, 15, 16, 31, 32, 63, 64][self.below(8) as usize];
        let field = match self.below(10) {
            0 => self.next() & top,
            1 => [0, 1, 2, top - 1, top - 2, top][self.below(6) as usize],
            2 => around(self, bias, 3),
            3 | 4 => around(self, bias, 20.min(bias)),
            5 => around(self, half, 12),
            6 => around(self, single, 16),
            7 => return sign | [0, top][self.below(2) as usize] << fraction,
            8 if power < top => {
                // A power of two, or a neighbour.
                return (sign | power << fraction).wrapping_add(self.below(3)).wrapping_sub(1);
            }
            _ => {
                // Near an earlier operand, so that digits cancel.
                let moved = last.wrapping_add(self.below(7)).wrapping_sub(3);
                return (moved & ((1 << (exponent + fraction)) - 1)) | sign;
            }
        };
        sign | field.min(top) << fraction | chosen
    }

    /// Three floats: a product that is a tie for its format, and the smallest number that is added.
    fn tie(&mut self, exponent: u32, fraction: u32) -> [u64; 3] {
        let bias = (1u64 << (exponent - 1)) - 1;
        let sign = exponent + fraction;
        // Three times this number has one binary digit more than the format, and the last one is set.
        let least = (2u64 << fraction) / 3 + 1;
        let number = (least + self.below((2 << fraction) / 3 - 1)) | 1;
        let place = 63 - number.leading_zeros();
        let code = (bias + u64::from(place)) << fraction | (number << (fraction - place)) & ((1 << fraction) - 1);
        let three = (bias + 1) << fraction | 1 << (fraction - 1);
        let digits = [three, code, self.below(2)];
        digits.map(|bits| bits | (self.next() >> 63) << sign)
    }

    /// An integer that is close to a tie for a format with some digits.
    fn long_integer(&mut self) -> u64 {
        let digits = [8, 11, 24, 53][self.below(4) as usize];
        let top = 1 << (digits - 1) | self.next() & ((1 << (digits - 1)) - 1);
        let shift = self.below(65 - digits - 1);
        ((top << 1 | 1) << shift).wrapping_add(self.below(3)).wrapping_sub(1)
    }

    fn value(&mut self, ty: Type, last: u64) -> u64 {
        let mut two = |exponent, fraction, bits| {
            let upper = self.float(exponent, fraction, last >> bits);
            upper << bits | self.float(exponent, fraction, last)
        };
        match ty {
            Type::F16 => self.float(5, 10, last),
            Type::Bf16 => self.float(8, 7, last),
            Type::F32 => self.float(8, 23, last),
            Type::F64 => self.float(11, 52, last),
            Type::F16x2 => two(5, 10, 16),
            Type::Bf16x2 => two(8, 7, 16),
            Type::F32x2 => two(8, 23, 32),
            _ => {
                let integers =
                    [0u64, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];
                match self.below(6) {
                    4 => self.long_integer(),
                    5 => self.long_integer().wrapping_neg(),
                    0 => integers[self.below(11) as usize].wrapping_add(self.below(5)).wrapping_sub(2),
                    1 => self.next(),
                    2 => self.next() >> self.below(64),
                    _ => (self.next() >> self.below(64)).wrapping_neg(),
                }
            }
        }
    }
}

/// Returns rows of four words: operands of the given types in registers of the given widths. What is above a value is random.
pub(super) fn operands(types: &[(Type, u32)], rows: usize, seed: u64) -> Vec<u64> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ seed << 17);
    let mut words = Vec::with_capacity(4 * rows);
    for _ in 0..rows {
        let mut last = random.next();
        let tie = match (types, random.below(8)) {
            (&[(a, _), (b, _), (c, _)], 0) if a == b && a == c => match a {
                Type::F16 => Some(random.tie(5, 10)),
                Type::F16x2 => Some(random.tie(5, 10).map(|bits| bits << 16 | bits)),
                Type::Bf16 => Some(random.tie(8, 7)),
                Type::Bf16x2 => Some(random.tie(8, 7).map(|bits| bits << 16 | bits)),
                Type::F32 => Some(random.tie(8, 23)),
                Type::F64 => Some(random.tie(11, 52)),
                _ => None,
            },
            _ => None,
        };
        if let Some(operands) = tie {
            words.extend(operands);
            words.push(0);
            continue;
        }
        for index in 0..4 {
            let Some(&(ty, width)) = types.get(index) else {
                words.push(0);
                continue;
            };
            last = random.value(ty, last);
            let ones = u64::MAX >> (64 - ty.bits());
            let above = random.next() & !ones & (u64::MAX >> (64 - width));
            words.push(last & ones | above);
        }
    }
    words
}
