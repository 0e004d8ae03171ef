//! Summaries of many runs: the median and the quartiles, which one slow run does not move, and both ends.

use serde::{Deserialize, Serialize};

/// The distribution of a figure over the rounds, in the unit of the figure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Half of the rounds are below it.
    pub median: f64,
    /// A quarter of the rounds are below it.
    pub lower_quartile: f64,
    /// A quarter of the rounds are above it.
    pub upper_quartile: f64,
    /// The smallest.
    pub minimum: f64,
    /// The largest.
    pub maximum: f64,
}

impl Summary {
    /// Summarises one figure per round; `None` without a round, or where a figure is not finite, as a ratio to a time of 0 is.
    #[must_use]
    pub fn of(figures: &[f64]) -> Option<Summary> {
        if !figures.iter().all(|figure| figure.is_finite()) {
            return None;
        }
        let mut sorted = figures.to_vec();
        sorted.sort_by(f64::total_cmp);
        Some(Summary {
            median: quantile(&sorted, 0.5)?,
            lower_quartile: quantile(&sorted, 0.25)?,
            upper_quartile: quantile(&sorted, 0.75)?,
            minimum: *sorted.first()?,
            maximum: *sorted.last()?,
        })
    }

    /// Summarises the ratios of two figures of the same round. A drift from round to round, such as of a clock, is in both figures.
    #[must_use]
    pub fn of_ratios(over: &[f64], under: &[f64]) -> Option<Summary> {
        let ratios: Vec<f64> = over.iter().zip(under).map(|(over, under)| over / under).collect();
        Summary::of(&ratios)
    }
}

/// The figure below which a share of the sorted ones lies; between two of them, on the line through both.
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let place = share * sorted.len().checked_sub(1)? as f64;
    let (below, above) = (sorted.get(place.floor() as usize)?, sorted.get(place.ceil() as usize)?);
    Some(below + (above - below) * place.fract())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_lie_on_the_line_between_their_neighbours() {
        let summary = Summary::of(&[4.0, 1.0, 3.0, 2.0]).unwrap();
        assert_eq!((summary.minimum, summary.maximum), (1.0, 4.0));
        assert_eq!((summary.lower_quartile, summary.median, summary.upper_quartile), (1.75, 2.5, 3.25));
        let odd = Summary::of(&[5.0, 100.0, 1.0, 4.0, 2.0]).unwrap();
        assert_eq!((odd.lower_quartile, odd.median, odd.upper_quartile), (2.0, 4.0, 5.0));
        let one = Summary::of(&[7.0]).unwrap();
        assert_eq!((one.lower_quartile, one.median, one.maximum), (7.0, 7.0, 7.0));
    }

    #[test]
    fn nothing_has_no_median() {
        assert_eq!(Summary::of(&[]), None);
        assert_eq!(Summary::of(&[1.0, f64::NAN]), None);
        assert_eq!(Summary::of_ratios(&[1.0], &[0.0]), None);
    }

    #[test]
    fn ratios_are_of_the_same_round() {
        // Everything takes twice as long in the second round; the ratio is 2 in both.
        let ratios = Summary::of_ratios(&[2.0, 4.0], &[1.0, 2.0]).unwrap();
        assert_eq!((ratios.minimum, ratios.median, ratios.maximum), (2.0, 2.0, 2.0));
    }
}
