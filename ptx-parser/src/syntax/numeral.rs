//! Decimal numbers, eight bytes at a time.
//!
//! Half of what a text consists of are registers such as `%rd12`. A loop over their digits is left at another turn each time, which
//! processors cannot foresee; here all bytes are looked at together instead. The first character is the lowest byte.

/// The high bit of each byte.
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The high bit of each byte that is a digit.
#[inline(always)]
fn digits(bytes: u64) -> u64 {
    let value = bytes ^ 0x3030_3030_3030_3030;
    // Of a digit the value is at most 9, so that adding 118 does not reach the high bit.
    let other = ((value & !HIGH) + 0x7676_7676_7676_7676) | value;
    !other & HIGH
}

/// The number of the first of eight bytes that is marked by its high bit.
#[inline(always)]
fn first(marked: u64) -> Option<u32> {
    (marked != 0).then(|| marked.trailing_zeros() / 8)
}

/// Returns which of eight bytes is the first digit.
#[inline(always)]
pub(super) fn first_digit(bytes: u64) -> Option<u32> {
    first(digits(bytes))
}

/// Returns which of eight bytes is the first that is no digit.
#[inline(always)]
pub(super) fn first_other(bytes: u64) -> Option<u32> {
    first(!digits(bytes) & HIGH)
}

/// The number that the first `length` of eight bytes are, which are digits; 0 if there are none.
#[inline(always)]
pub(super) fn decimal(bytes: u64, length: u32) -> u64 {
    // The digits move to the end, behind zeros; then neighbours are added up: digits to pairs, pairs to fours, fours to all.
    let digits = (bytes & 0x0f0f_0f0f_0f0f_0f0f).checked_shl(64 - 8 * length).unwrap_or(0);
    let pairs = (digits.wrapping_mul(10) + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100) + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    (fours.wrapping_mul(10_000) + (fours >> 32)) & 0xffff_ffff
}

/// The decimal number of up to seven digits that a text begins with: its length and its value. `None` if there is none, if it is
/// longer, if the text ends with it, or if it has a leading zero, which makes numbers octal.
#[inline(always)]
pub(super) fn small(text: &[u8]) -> Option<(usize, u64)> {
    let beginning = u64::from_le_bytes(*text.first_chunk()?);
    let length = first_other(beginning).filter(|&length| length > 0)?;
    let octal = beginning as u8 == b'0' && length > 1;
    (!octal).then(|| (length as usize, decimal(beginning, length)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str) -> u64 {
        let mut rest = text.bytes();
        u64::from_le_bytes(std::array::from_fn(|_| rest.next().unwrap_or(0)))
    }

    #[test]
    fn numbers_of_every_length() {
        let mut number = 1u64;
        for length in 1..8 {
            for value in [number, number + 7, number * 9, number * 10 - 1, number * 4 + number / 3] {
                let text = format!("{value}");
                let read = bytes(&format!("{text},"));
                assert_eq!((first_digit(read), first_other(read)), (Some(0), Some(length)), "{text}");
                assert_eq!(decimal(read, length), value, "{text}");
            }
            number *= 10;
        }
    }

    #[test]
    fn every_byte_is_a_digit_or_not() {
        for byte in 0..=255u8 {
            for place in 0..8 {
                let read = u64::from_le_bytes(std::array::from_fn(|at| if at == place { byte } else { b'r' }));
                let found = first_digit(read).map(|at| at as usize);
                assert_eq!(found, byte.is_ascii_digit().then_some(place), "{byte:#x} at {place}");
                let read = u64::from_le_bytes(std::array::from_fn(|at| if at == place { byte } else { b'9' }));
                let found = first_other(read).map(|at| at as usize);
                assert_eq!(found, (!byte.is_ascii_digit()).then_some(place), "{byte:#x} at {place}");
            }
        }
    }
}
