//! Random numbers from a seed: the orders in which threads and warps run.

/// Numbers drawn one after the other (Steele et al., "Fast Splittable Pseudorandom Number Generators", SplitMix64).
#[derive(Clone, Debug)]
pub(crate) struct SplitMix(u64);

impl SplitMix {
    /// The numbers of a seed and a place to draw at.
    pub(crate) fn new(seed: u64, place: u64) -> SplitMix {
        let mut draw = SplitMix(seed ^ place.wrapping_mul(0xd6e8_feb8_6659_fd93));
        draw.0 = draw.next();
        draw
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below a limit of at most 2^32; 0 if that is 0.
    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        (((self.next() >> 32) * u64::from(limit)) >> 32) as u32
    }

    /// Puts a list in an order of its own.
    pub(crate) fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last as u32 + 1) as usize);
        }
    }
}
