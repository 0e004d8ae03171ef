//! The time that each unit may take, so that all of them together end in time.
//!
//! A unit may take its estimate and half of the time that no estimate claims. Where there is less time than all estimates together, it has its
//! proportion of the time. The others get the time that it does not use. A unit has fewer rounds where its share is too short, and is left
//! out where no time is left.

use std::time::{Duration, Instant};

use benchmarks::gpu::{Options, Rehearsal, Unit};

/// Seconds that a process takes to start, with the driver in it.
const START: f64 = 1.0;

/// The time for a launch that is expected to hang.
pub(super) const HANG: Duration = Duration::from_secs(5);

/// Seconds of a launch that may hang and is not expected to.
const SHORT: f64 = 0.2;

/// Seconds of a unit without an estimate.
const UNKNOWN: f64 = 5.0;

/// The time that is left, and the units that it is for.
pub(super) struct Budget {
    /// The end; `None` if there is time for everything.
    end: Option<Instant>,
    /// The units that are still to be measured, with their estimates in seconds.
    left: Vec<(Unit, f64)>,
}

impl Budget {
    /// Returns a budget of `time` from now on, for the units of some options.
    pub(super) fn new(time: Duration, options: &Options, rehearsal: Option<&Rehearsal>) -> Budget {
        let left = options.units().into_iter().map(|unit| (unit, estimate(unit, options, rehearsal))).collect();
        Budget { end: Some(Instant::now() + time), left }
    }

    /// Returns a budget without an end, for the units of some options.
    pub(super) fn unlimited(options: &Options) -> Budget {
        Budget { end: None, ..Budget::new(Duration::ZERO, options, None) }
    }

    /// Returns the estimate of all units that are still to be measured.
    pub(super) fn estimate(&self) -> Duration {
        Duration::from_secs_f64(self.claimed())
    }

    fn claimed(&self) -> f64 {
        self.left.iter().map(|(_, seconds)| seconds).sum()
    }

    /// Returns true if no time is left.
    pub(super) fn is_over(&self) -> bool {
        self.remaining().is_some_and(|left| left.is_zero())
    }

    /// Returns the time that some units may take together; `None` without an end.
    pub(super) fn share(&self, units: &[Unit]) -> Option<Duration> {
        let own = self.left.iter().filter(|(unit, _)| units.contains(unit)).map(|(_, seconds)| seconds).sum();
        Some(Duration::from_secs_f64(share(self.remaining()?.as_secs_f64(), self.claimed(), own)))
    }

    /// Returns the time that is left; `None` without an end.
    pub(super) fn remaining(&self) -> Option<Duration> {
        Some(self.end?.saturating_duration_since(Instant::now()))
    }

    /// Returns true if a unit is still to be measured.
    pub(super) fn is_pending(&self, unit: Unit) -> bool {
        self.left.iter().any(|(other, _)| *other == unit)
    }

    /// Removes a unit from those that are still to be measured.
    pub(super) fn done(&mut self, unit: Unit) {
        self.left.retain(|(other, _)| *other != unit);
    }
}

/// Returns the seconds for units that claim `own` of the `claimed` seconds, where `left` seconds are left.
fn share(left: f64, claimed: f64, own: f64) -> f64 {
    let claimed = claimed.max(own);
    if left > claimed { own + (left - claimed) / 2.0 } else { left * own / claimed }
}

/// Returns the seconds of a unit: those of the host in a rehearsal, or the time for a launch that is expected to hang.
fn estimate(unit: Unit, options: &Options, rehearsal: Option<&Rehearsal>) -> f64 {
    let host = || rehearsal.and_then(|rehearsal| rehearsal.seconds(unit, options.size, options.rounds));
    match unit {
        Unit::Hang(attempt) if attempt.is_expected_to_hang() => START + HANG.as_secs_f64(),
        Unit::Hang(_) => SHORT,
        // One process measures all rows.
        Unit::Synthetic(_) => host().unwrap_or(UNKNOWN),
        _ => START + host().unwrap_or(UNKNOWN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_time_that_is_left_over_goes_to_each() {
        assert_eq!(share(120.0, 12.0, 3.0), 3.0 + 54.0);
        assert_eq!(share(120.0, 9.0, 9.0), 9.0 + 55.5);
        // Too little time for all.
        assert_eq!((share(6.0, 12.0, 3.0), share(6.0, 12.0, 9.0)), (1.5, 4.5));
        assert_eq!(share(0.0, 12.0, 3.0), 0.0);
    }

    #[test]
    fn what_hangs_is_counted_with_the_time_that_it_is_given() {
        let options = Options::everything("sm_90");
        let mut budget = Budget::new(Duration::from_secs(3600), &options, None);
        let units = options.units();
        // 24 programs and 30 rows without an estimate; 13 programs and the spin lock hang, 35 attempts end.
        let all = 24.0 * (START + UNKNOWN) + 30.0 * UNKNOWN + 14.0 * 6.0 + 35.0 * SHORT;
        assert!((budget.estimate().as_secs_f64() - all).abs() < 1e-6, "{:?}", budget.estimate());
        budget.done(units[0]);
        assert!((budget.estimate().as_secs_f64() - all + START + UNKNOWN).abs() < 1e-6);
        let together = budget.share(&units[1..3]).unwrap() + Duration::from_secs(1);
        assert!(together > budget.share(&units[1..2]).unwrap() + Duration::from_secs(5), "two have more than one");
        assert!(Budget::new(Duration::ZERO, &options, None).is_over());
        let unlimited = Budget::unlimited(&options);
        assert_eq!((unlimited.share(&units), unlimited.is_over()), (None, false));
    }
}
