//! The random numbers that generated inputs are made of.
//!
//! A benchmark's input must be the same on every machine and with every version of every dependency, so the generator
//! is written out here: xoshiro256** (Blackman and Vigna, "Scrambled Linear Pseudorandom Number Generators", ACM TOMS
//! 2021), its state filled by SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators",
//! OOPSLA 2014) as its authors advise.

/// A seeded generator of random numbers.
#[derive(Clone, Debug)]
pub(crate) struct Random {
    state: [u64; 4],
}

impl Random {
    /// The generator of a seed; every seed is fine.
    pub(crate) fn new(seed: u64) -> Random {
        let mut counter = seed;
        Random { state: std::array::from_fn(|_| split_mix(&mut counter)) }
    }

    /// 64 random bits.
    pub(crate) fn next(&mut self) -> u64 {
        let [a, b, c, d] = self.state;
        let result = b.wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let (c, d) = (c ^ a, d ^ b);
        self.state = [a ^ d, b ^ c, c ^ (b << 17), d.rotate_left(45)];
        result
    }

    /// A number in `[0, 1)` with 53 random bits.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// A number below `bound`, each equally likely; 0 if `bound` is 0.
    ///
    /// The high half of a 32 by 32 bit product scales; products whose low half falls into the remainder of 2^32 by
    /// `bound` would favour some results and are drawn again (Lemire, "Fast Random Integer Generation in an Interval",
    /// ACM TOMACS 2019).
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        if bound == 0 {
            return 0;
        }
        let surplus = bound.wrapping_neg() % bound;
        loop {
            let product = (self.next() >> 32) * u64::from(bound);
            if product as u32 >= surplus {
                return (product >> 32) as u32;
            }
        }
    }

    /// A random order of `0..count` (Fisher and Yates' shuffle).
    pub(crate) fn permutation(&mut self, count: u32) -> Vec<u32> {
        let mut order: Vec<u32> = (0..count).collect();
        for last in (1..count).rev() {
            order.swap(last as usize, self.below(last + 1) as usize);
        }
        order
    }
}

fn split_mix(counter: &mut u64) -> u64 {
    *counter = counter.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut bits = *counter;
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_mix_gives_the_published_numbers() {
        let mut counter = 1_234_567;
        let numbers = [split_mix(&mut counter), split_mix(&mut counter), split_mix(&mut counter)];
        assert_eq!(numbers, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn xoshiro_gives_the_published_numbers() {
        let mut random = Random { state: [1, 2, 3, 4] };
        let numbers: [u64; 4] = std::array::from_fn(|_| random.next());
        assert_eq!(numbers, [11_520, 0, 1_509_978_240, 1_215_971_899_390_074_240]);
    }

    #[test]
    fn numbers_stay_in_their_range_and_fill_it() {
        let mut random = Random::new(0);
        assert_eq!(random.below(0), 0);
        assert_eq!(random.below(1), 0);
        let mut seen = [0_u32; 6];
        for _ in 0..6000 {
            seen[random.below(6) as usize] += 1;
            assert!((0.0..1.0).contains(&random.unit()));
        }
        // Five standard deviations of a fair die thrown 6000 times are 144.
        assert!(seen.iter().all(|count| count.abs_diff(1000) < 144), "{seen:?}");
    }

    #[test]
    fn a_permutation_has_every_number_once() {
        let mut order = Random::new(3).permutation(1000);
        assert_ne!(order, (0..1000).collect::<Vec<_>>());
        order.sort_unstable();
        assert_eq!(order, (0..1000).collect::<Vec<_>>());
        assert_eq!(Random::new(3).permutation(0), [0; 0]);
    }
}
