//! The bytes that have been written: as ranges while nothing runs, as a bit per byte while a checked launch runs.

use std::ops::Range;

/// Ranges of bytes, sorted and apart from each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Written(Vec<Range<u64>>);

impl Written {
    /// Adds a range; those that it touches become one with it.
    pub(crate) fn add(&mut self, range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        let first = self.0.partition_point(|known| known.end < range.start);
        let end = self.0.partition_point(|known| known.start <= range.end);
        let touched = self.0.iter().take(end).skip(first);
        let merged = touched.fold(range, |merged, known| merged.start.min(known.start)..merged.end.max(known.end));
        self.0.splice(first..end, [merged]);
    }

    /// One bit for each of so many bytes.
    pub(crate) fn bits(&self, bytes: u64) -> Bits {
        let mut bits = Bits::new(bytes);
        for range in &self.0 {
            bits.set(range.start, range.end.min(bytes).saturating_sub(range.start));
        }
        bits
    }
}

/// One bit per byte.
#[derive(Clone, Debug)]
pub(crate) struct Bits {
    words: Vec<u64>,
    bytes: u64,
}

impl Bits {
    /// So many bytes, none of them written.
    pub(crate) fn new(bytes: u64) -> Bits {
        Bits { words: vec![0; bytes.div_ceil(64) as usize], bytes }
    }

    /// The words that a range lies in, and its bits in each. What lies beyond the end is left out.
    fn parts(&self, at: u64, length: u64) -> impl Iterator<Item = (usize, u64)> + use<> {
        let end = at.saturating_add(length).min(self.bytes);
        let words = if at < end { at / 64..(end - 1) / 64 + 1 } else { 0..0 };
        words.map(move |word| {
            let from = at.saturating_sub(64 * word);
            let unused = 64 - (end - 64 * word).min(64);
            (word as usize, u64::MAX << from & u64::MAX >> unused)
        })
    }

    /// Bytes are written.
    pub(crate) fn set(&mut self, at: u64, length: u64) {
        for (word, bits) in self.parts(at, length) {
            if let Some(known) = self.words.get_mut(word) {
                *known |= bits;
            }
        }
    }

    /// Returns true if all bytes of a range have been written. Bytes beyond the end count as written: they are another check's matter.
    pub(crate) fn has(&self, at: u64, length: u64) -> bool {
        self.parts(at, length).all(|(word, bits)| self.words.get(word).is_none_or(|known| known & bits == bits))
    }

    /// The written bytes as ranges.
    pub(crate) fn ranges(&self) -> Written {
        let mut written = Written::default();
        for (index, &word) in self.words.iter().enumerate() {
            let base = 64 * index as u64;
            let mut rest = word;
            while rest != 0 {
                let from = rest.trailing_zeros();
                let length = (rest >> from).trailing_ones();
                let range = base + u64::from(from)..base + u64::from(from + length);
                match written.0.last_mut() {
                    Some(last) if last.end == range.start => last.end = range.end,
                    _ => written.0.push(range),
                }
                rest = if from + length >= 64 { 0 } else { rest & u64::MAX << (from + length) };
            }
        }
        written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_touch_become_one() {
        let mut written = Written::default();
        for range in [10..20, 30..40, 50..60, 20..25, 38..55, 0..0] {
            written.add(range);
        }
        assert_eq!(written.0, [10..25, 30..60]);
        written.add(0..100);
        assert_eq!(written, Written(vec![Range { start: 0, end: 100 }]));
    }

    #[test]
    fn bits_and_ranges_say_the_same() {
        let mut written = Written::default();
        for range in [0..1, 60..70, 128..192, 255..300] {
            written.add(range);
        }
        let bits = written.bits(300);
        assert_eq!(bits.ranges(), written);
        for (at, length, all) in [(0, 1, true), (0, 2, false), (60, 10, true), (59, 2, false), (128, 64, true)] {
            assert_eq!(bits.has(at, length), all, "{length} bytes at {at}");
        }
        assert!(bits.has(299, 1000) && bits.has(u64::MAX, 4), "what lies beyond the end is not asked about");
    }
}
