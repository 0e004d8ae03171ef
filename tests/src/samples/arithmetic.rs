//! Arithmetic that the compiler makes of several instructions each.

use super::{Expected, Sample, sample};

/// The words of a number, folded into one.
fn folded(x: u128) -> i32 {
    (x >> 96 ^ x >> 64 ^ x >> 32 ^ x) as i32
}

/// Two numbers of 128 bits from each: the second is shorter by up to 119 bits.
fn widened((index, number): (usize, &i32)) -> (u128, u128) {
    let a = u64::from(number.cast_unsigned()).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(index as u64);
    let b = (a ^ a >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (u128::from(a) << 64 | u128::from(b), (u128::from(b) << 64 | u128::from(a)) >> (index % 120) | 1)
}

pub(super) fn samples() -> Vec<Sample> {
    let shapes = [(2, 75, 140), (1, 128, 100)];
    let by_number = |name, expected: Expected| sample(name, &shapes, expected);
    vec![
        by_number("wide_division", |numbers, _| {
            let both = |(x, y)| [folded(x / y), folded(x % y)];
            numbers.iter().enumerate().map(widened).flat_map(both).collect()
        }),
        by_number("wide_signed_division", |numbers, _| {
            let both = |(x, y): (u128, u128)| {
                let (x, y) = (x.cast_signed(), y.cast_signed());
                [x.wrapping_div(y), x.wrapping_rem(y)].map(|word| folded(word.cast_unsigned()))
            };
            numbers.iter().enumerate().map(widened).flat_map(both).collect()
        }),
        by_number("wide_sums", |numbers, _| {
            let both = |(x, y): (u128, u128)| {
                let sum = x.wrapping_mul(y).wrapping_sub(x << 7).wrapping_add(y);
                [folded(sum), i32::from(x < y) + 2 * i32::from(x.cast_signed() < y.cast_signed())]
            };
            numbers.iter().enumerate().map(widened).flat_map(both).collect()
        }),
    ]
}
