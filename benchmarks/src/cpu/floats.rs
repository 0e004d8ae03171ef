//! Floats as inputs, and their comparison.

use crate::graph::random::Random;
use crate::workload::Verdict;

/// Numbers from -1 to 1, the same for a seed.
pub(super) fn signed_units(count: usize, seed: u64) -> Vec<f32> {
    let mut random = Random::new(seed);
    (0..count).map(|_| (2.0 * random.unit() - 1.0) as f32).collect()
}

/// Compares floats: the error is relative to the largest expected one, or to 1 if that is larger.
pub(super) fn close(what: &str, found: &[f32], expected: &[f64], bound: f64) -> Verdict {
    let scale = expected.iter().fold(1.0, |most: f64, value| most.max(value.abs()));
    let found: Vec<f64> = found.iter().copied().map(f64::from).collect();
    Verdict::compare(what, &found, expected, bound, |a, b| (a - b).abs() / scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_relative_to_the_largest_value() {
        assert_eq!(close("v", &[101.0, 0.0], &[100.0, 0.0], 0.011).difference, None);
        assert_eq!(close("v", &[0.5], &[0.25], 0.1).difference.as_deref(), Some("v 0 is 0.5, the CPU says 0.25"));
        assert!(close("v", &[f32::NAN], &[0.25], 0.1).difference.is_some());
    }
}
