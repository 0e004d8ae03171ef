//! Kernel arguments as a LAUNCH line writes them.
//!
//! A scalar is `TYPE:VALUE`, a buffer `TYPE[COUNT]=INIT`, where INIT is a number, `iota` (0, 1, 2, …), `step:N` (0, N, 2N, …), `rand:SEED`
//! (integers over their whole range, floats in [0, 1)), or `below:N:SEED` (whole numbers from 0 to N - 1).

use anyhow::{Context, Result, anyhow, bail};
use emulator::Element;

/// One argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// The bytes of a number.
    Scalar(Vec<u8>),
    /// The bytes of a buffer, and the type of its elements.
    Buffer {
        /// Name of the type.
        ty: String,
        /// The contents before the launch.
        bytes: Vec<u8>,
    },
}

impl Argument {
    /// Reads an argument.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(text: &str) -> Result<Argument> {
        if let Some((ty, value)) = text.split_once(':').filter(|(ty, _)| !ty.contains('[')) {
            return Ok(Argument::Scalar(elements(ty, 1, value)?));
        }
        let parts = text.split_once('[').and_then(|(ty, rest)| Some((ty, rest.split_once("]=")?)));
        let (ty, (count, init)) = parts.ok_or_else(|| anyhow!("write `TYPE:VALUE` or `TYPE[COUNT]=INIT`"))?;
        let bytes = elements(ty, count.parse().context("the count is no number")?, init)?;
        Ok(Argument::Buffer { ty: ty.to_owned(), bytes })
    }
}

/// `count` elements, as bytes.
fn elements(ty: &str, count: usize, init: &str) -> Result<Vec<u8>> {
    Ok(match ty {
        "u8" => fill(count, &numbers(init, |bits| bits as u8 as f64)?, |n| n as u8),
        "i8" => fill(count, &numbers(init, |bits| bits as i8 as f64)?, |n| n as i8),
        "u16" => fill(count, &numbers(init, |bits| bits as u16 as f64)?, |n| n as u16),
        "i16" => fill(count, &numbers(init, |bits| bits as i16 as f64)?, |n| n as i16),
        "u32" => fill(count, &numbers(init, |bits| bits as u32 as f64)?, |n| n as u32),
        "i32" => fill(count, &numbers(init, |bits| bits as i32 as f64)?, |n| n as i32),
        "u64" => fill(count, &numbers(init, |bits| bits as f64)?, |n| n as u64),
        "i64" => fill(count, &numbers(init, |bits| bits as i64 as f64)?, |n| n as i64),
        "f32" => fill(count, &numbers(init, fraction)?, |n| n as f32),
        "f64" => fill(count, &numbers(init, fraction)?, |n| n),
        _ => bail!("there is no type `{ty}`"),
    })
}

/// The element of an index, as a number.
type Numbers = Box<dyn Fn(u64) -> f64>;

fn numbers(init: &str, random: fn(u64) -> f64) -> Result<Numbers> {
    let words: Vec<&str> = init.split(':').collect();
    Ok(match words.as_slice() {
        ["iota"] => Box::new(|index| index as f64),
        ["step", step] => {
            let step: f64 = step.parse()?;
            Box::new(move |index| index as f64 * step)
        }
        ["rand", seed] => {
            let seed: u64 = seed.parse()?;
            Box::new(move |index| random(scramble(seed, index)))
        }
        ["below", limit, seed] => {
            let (limit, seed): (u64, u64) = (limit.parse()?, seed.parse()?);
            Box::new(move |index| (scramble(seed, index) % limit.max(1)) as f64)
        }
        [number] => {
            let number: f64 = number.parse().with_context(|| format!("`{number}` is no number"))?;
            Box::new(move |_| number)
        }
        _ => bail!("nothing fills a buffer with `{init}`"),
    })
}

fn fill<T: Element>(count: usize, numbers: &Numbers, convert: impl Fn(f64) -> T) -> Vec<u8> {
    let values: Vec<T> = (0..).take(count).map(|index| convert(numbers(index))).collect();
    let mut bytes = vec![0; count * T::BYTES];
    T::put_all(&values, &mut bytes);
    bytes
}

/// The upper bits as a number in [0, 1) that a float holds exactly.
fn fraction(bits: u64) -> f64 {
    (bits >> 40) as f64 / (1u64 << 24) as f64
}

/// A number that looks random and depends on nothing but seed and index (SplitMix64).
fn scramble(seed: u64, index: u64) -> u64 {
    let mut z = seed.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add((index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The elements of a buffer as they are written in an EXPECT line.
pub(crate) fn show(ty: &str, bytes: &[u8]) -> Vec<String> {
    fn all<T: Element + std::fmt::Display>(bytes: &[u8]) -> Vec<String> {
        T::get_all(bytes).iter().map(ToString::to_string).collect()
    }
    match ty {
        "u8" => all::<u8>(bytes),
        "i8" => all::<i8>(bytes),
        "u16" => all::<u16>(bytes),
        "i16" => all::<i16>(bytes),
        "u32" => all::<u32>(bytes),
        "i32" => all::<i32>(bytes),
        "u64" => all::<u64>(bytes),
        "i64" => all::<i64>(bytes),
        "f32" => all::<f32>(bytes),
        _ => all::<f64>(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        match Argument::read(text).unwrap() {
            Argument::Buffer { ty, bytes } => show(&ty, &bytes),
            Argument::Scalar(bytes) => bytes.iter().map(u8::to_string).collect(),
        }
    }

    #[test]
    fn buffers_are_filled_as_they_say() {
        assert_eq!(shown("i32[3]=iota"), ["0", "1", "2"]);
        assert_eq!(shown("i16[3]=step:-5"), ["0", "-5", "-10"]);
        assert_eq!(shown("f32[2]=1.5"), ["1.5", "1.5"]);
        assert_eq!(shown("u16:258"), ["2", "1"]);
        assert_eq!(shown("u8[0]=0"), [""; 0]);
    }

    #[test]
    fn random_values_depend_on_the_seed_alone() {
        assert_eq!(shown("i32[50]=rand:1"), shown("i32[50]=rand:1"));
        assert_ne!(shown("i32[50]=rand:1"), shown("i32[50]=rand:2"));
        let small: Vec<u32> = shown("u32[200]=below:3:9").iter().map(|number| number.parse().unwrap()).collect();
        assert!((0..3).all(|number| small.contains(&number)) && small.iter().all(|&number| number < 3));
        assert!(shown("f32[100]=rand:4").iter().all(|number| (0.0..1.0).contains(&number.parse::<f32>().unwrap())));
    }

    #[test]
    fn mistakes_are_errors() {
        for text in ["i32", "i33:1", "i32[x]=0", "i32[4]=iot", "i32[4]=below:3", "i32:many"] {
            assert!(Argument::read(text).is_err(), "{text}");
        }
    }
}
