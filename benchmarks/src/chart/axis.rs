//! The range of an axis and its ticks.

use super::Scale;
use super::text::number;
use crate::document::grouped;

/// A ratio above this, or an amount so many times the smallest one, has a logarithmic axis.
const LARGE_RATIO: f64 = 20.0;
const LARGE_SPREAD: f64 = 1000.0;

/// The most ticks of a linear axis that starts at 0, without that one.
const STEPS: f64 = 6.0;

/// An axis with its range: places on it are numbers, or the logarithms of these.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ticks {
    /// True if places are logarithms.
    pub(super) logarithmic: bool,
    /// The place of its beginning.
    pub(super) from: f64,
    /// The place of its end.
    pub(super) to: f64,
    /// The value at which bars begin.
    pub(super) base: f64,
    /// The places of the labelled ticks, with the labels.
    pub(super) labelled: Vec<(f64, String)>,
    /// The places of thinner lines.
    pub(super) minor: Vec<f64>,
}

impl Ticks {
    /// Chooses the range that shows all values.
    pub(super) fn of(scale: Scale, values: &[f64]) -> Ticks {
        let largest = values.iter().copied().fold(0.0, f64::max);
        let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
        match scale {
            Scale::Share => Ticks::linear(20.0, 5),
            Scale::Lanes => Ticks::linear(4.0, 8),
            Scale::Decades => Ticks::decades(smallest.min(largest), largest, smallest.min(largest)),
            Scale::Ratio if largest > LARGE_RATIO && smallest > 0.0 => Ticks::decades(smallest.min(1.0), largest, 1.0),
            Scale::Amount if smallest > 0.0 && largest > LARGE_SPREAD * smallest => {
                Ticks::decades(smallest, largest, smallest)
            }
            // The line at 1.0 is in the picture even where all are below.
            Scale::Ratio => Ticks::up_to(largest.max(1.0) * 1.05),
            Scale::Amount => Ticks::up_to(largest),
        }
    }

    /// The places of groups of bars, which are one wide and have no ticks.
    pub(super) fn groups(all: usize) -> Ticks {
        let to = all.max(1) as f64;
        Ticks { logarithmic: false, from: 0.0, to, base: 0.0, labelled: Vec::new(), minor: Vec::new() }
    }

    /// The place of a value.
    pub(super) fn place(&self, value: f64) -> f64 {
        if self.logarithmic { value.log10() } else { value }
    }

    /// Returns true if the axis has room for a value.
    pub(super) fn shows(&self, value: f64) -> bool {
        let place = self.place(value);
        place >= self.from - 1e-9 && place <= self.to + 1e-9
    }

    /// Ticks from 0 on.
    fn linear(step: f64, steps: u32) -> Ticks {
        let labelled = (0..=steps).map(|index| f64::from(index) * step).map(|at| (at, number(at))).collect();
        Ticks { logarithmic: false, from: 0.0, to: step * f64::from(steps), base: 0.0, labelled, minor: Vec::new() }
    }

    /// Ticks at round numbers from 0 to the first one that is not below a value.
    fn up_to(largest: f64) -> Ticks {
        let largest = if largest > 0.0 { largest } else { 1.0 };
        let power = 10_f64.powf((largest / STEPS).log10().floor());
        let fits = |step: &f64| (largest / step).ceil() <= STEPS;
        let step = [1.0, 2.0, 2.5, 5.0, 10.0].map(|step| step * power).into_iter().find(fits).unwrap_or(20.0 * power);
        let steps = (largest / step).ceil().max(1.0) as u32;
        let mut ticks = Ticks::linear(step, steps);
        for (at, label) in &mut ticks.labelled {
            // Large numbers in groups, small ones with all digits of the step.
            *label = if step >= 1.0 && at.fract() == 0.0 { grouped(*at as u64) } else { decimal(*at, step) };
        }
        ticks
    }

    /// A tick at each power of ten, from one that is not above the smallest value to one that is not below the largest.
    fn decades(smallest: f64, largest: f64, base: f64) -> Ticks {
        let sane = |value: f64| if value.is_finite() && value > 0.0 { value } else { 1.0 };
        let first = (sane(smallest).log10() + 1e-9).floor() as i32;
        let last = ((sane(largest).log10() - 1e-9).ceil() as i32).max(first + 1);
        let label = |power: i32| match power {
            0..=6 => grouped(10_u64.pow(power.unsigned_abs())),
            -4..0 => decimal(10_f64.powi(power), 10_f64.powi(power)),
            _ => format!("1e{power}"),
        };
        let every = ((last - first) as usize / 8 + 1).max(1);
        let labelled = (first..=last).step_by(every).map(|power| (f64::from(power), label(power))).collect();
        let minor = match last - first {
            ..=4 => (first..last)
                .flat_map(|power| (2..10).map(move |digit| f64::from(power) + f64::from(digit).log10()))
                .collect(),
            _ => Vec::new(),
        };
        let base = if base == 1.0 { 1.0 } else { 10_f64.powi(first) };
        Ticks { logarithmic: true, from: f64::from(first), to: f64::from(last), base, labelled, minor }
    }
}

/// Writes a tick with as many digits as the step between ticks has.
fn decimal(value: f64, step: f64) -> String {
    let mut digits = 0;
    while digits < 12 && ((step * 10_f64.powi(digits)).round() / 10_f64.powi(digits) - step).abs() > 1e-9 * step {
        digits += 1;
    }
    format!("{value:.*}", digits.unsigned_abs() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale, values: &[f64]) -> Vec<String> {
        Ticks::of(scale, values).labelled.into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn shares_reach_from_0_to_100() {
        for values in [&[][..], &[0.0], &[3.5], &[100.0]] {
            assert_eq!(labels(Scale::Share, values), ["0", "20", "40", "60", "80", "100"]);
        }
    }

    #[test]
    fn large_ratios_have_decades_around_one() {
        assert_eq!(labels(Scale::Ratio, &[0.9, 6034.0]), ["0.1", "1", "10", "100", "1,000", "10,000"]);
        assert_eq!(labels(Scale::Ratio, &[30.0, 100.0]), ["1", "10", "100"]);
        // There is no logarithm of 0.
        assert_eq!(labels(Scale::Ratio, &[0.0, 100.0]).first().unwrap(), "0");
    }

    #[test]
    fn linear_ticks_are_round_and_reach_beyond_the_largest_value() {
        assert_eq!(labels(Scale::Ratio, &[0.2, 0.4]), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0", "1.2"]);
        assert_eq!(labels(Scale::Ratio, &[4.15]), ["0", "1", "2", "3", "4", "5"]);
        assert_eq!(labels(Scale::Amount, &[0.0, 1899.0]), ["0", "500", "1,000", "1,500", "2,000"]);
        assert_eq!(labels(Scale::Amount, &[]), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(Scale::Amount, &[0.0149])[..3], ["0.0000", "0.0025", "0.0050"]);
        for largest in [1e-7, 0.03, 0.5, 1.0, 7.7, 99.0, 1234.0, 5e9] {
            let ticks = Ticks::of(Scale::Amount, &[largest]);
            assert!(ticks.shows(largest) && ticks.labelled.len() <= 7 && ticks.to < 3.0 * largest, "{ticks:?}");
        }
    }

    #[test]
    fn lengths_have_decades() {
        assert_eq!(labels(Scale::Decades, &[1.0, 500.0]), ["1", "10", "100", "1,000"]);
        assert_eq!(labels(Scale::Decades, &[]), ["1", "10"]);
    }
}
