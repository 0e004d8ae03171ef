//! How long parts may take, so that all of them together end in time.
//!
//! Each part may take its estimate and half of the time that no part is estimated to take. Where there is less time than all estimates together, it has its part of
//! what there is. What it does not use, the others have. A part has fewer rounds where its share is too short, and is left out where nothing is left.

use std::time::{Duration, Instant};

use benchmarks::gpu::{Rehearsal, Rounds, Unit};
use benchmarks::hangs::{Subject, Target};
use benchmarks::ssde::Version;

/// Seconds that a process takes to start, and the driver in it.
const START: f64 = 1.0;

/// Seconds that a launch of what may hang has: what ends takes less than one.
pub(super) const HANG: Duration = Duration::from_secs(5);

/// Seconds of a part of which nothing is known.
const UNKNOWN: f64 = 5.0;

/// The time that is left, and what it is for.
pub(super) struct Budget {
    /// The end; none if there is time for everything.
    end: Option<Instant>,
    /// The parts that are still to come, with their estimates in seconds.
    left: Vec<(Unit, f64)>,
}

impl Budget {
    /// So much time from now on for these parts.
    pub(super) fn new(time: Duration, units: &[Unit], rehearsals: &[Rehearsal], rounds: Rounds) -> Budget {
        let left = units.iter().map(|&unit| (unit, estimate(unit, rehearsals, rounds))).collect();
        Budget { end: Some(Instant::now() + time), left }
    }

    /// As much time as it takes.
    pub(super) fn unlimited() -> Budget {
        Budget { end: None, left: Vec::new() }
    }

    /// The estimate of all parts that are still to come.
    pub(super) fn estimate(&self) -> Duration {
        Duration::from_secs_f64(self.left.iter().map(|(_, seconds)| seconds).sum())
    }

    /// Whether no time is left.
    pub(super) fn is_over(&self) -> bool {
        self.remaining().is_some_and(|left| left.is_zero())
    }

    /// The time that a part may take; `None` if it has as much as it takes.
    pub(super) fn share(&self, unit: Unit) -> Option<Duration> {
        let left = self.remaining()?;
        let all: f64 = self.left.iter().map(|(_, seconds)| seconds).sum();
        let own = self.left.iter().find(|(other, _)| *other == unit).map_or(UNKNOWN, |(_, seconds)| *seconds);
        let (left, all) = (left.as_secs_f64(), all.max(own));
        let share = if left > all { own + (left - all) / 2.0 } else { left * own / all };
        Some(Duration::from_secs_f64(share))
    }

    /// All of the time that is left; `None` if there is as much as it takes.
    pub(super) fn remaining(&self) -> Option<Duration> {
        Some(self.end?.saturating_duration_since(Instant::now()))
    }

    /// Takes a part from those that are still to come.
    pub(super) fn done(&mut self, unit: Unit) {
        self.left.retain(|(other, _)| *other != unit);
    }
}

/// The seconds of a part: what the host took in a rehearsal, or the time that a launch which may hang has.
fn estimate(unit: Unit, rehearsals: &[Rehearsal], rounds: Rounds) -> f64 {
    if let Unit::Hang(attempt) = unit {
        let deadlocks = match attempt.subject {
            Subject::SpinLock => true,
            Subject::Paper(program) => program.deadlocks(),
        };
        let hangs = attempt.version == Version::Mimd && attempt.target == Target::Sm60 && deadlocks;
        return if hangs { START + HANG.as_secs_f64() } else { 0.2 };
    }
    let start = if matches!(unit, Unit::Synthetic(_)) { 0.0 } else { START };
    let host = rehearsals.iter().find(|rehearsal| rehearsal.unit == unit);
    start + host.map_or(UNKNOWN, |rehearsal| rehearsal.seconds(rounds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchmarks::ccc::Program;
    use benchmarks::hangs::Attempt;

    #[test]
    fn parts_have_shares_by_their_estimates_and_what_is_left_over_goes_to_the_others() {
        let (short, long) = (Unit::Ccc(Program::Iefa), Unit::Ccc(Program::Dqg));
        let rehearsal = |unit, setup| Rehearsal { unit, setup, round: 1.0 };
        let rounds = Rounds { warmup: 0, runs: 2 };
        let rehearsals = [rehearsal(short, 0.0), rehearsal(long, 6.0)];
        let mut budget = Budget::new(Duration::from_secs(120), &[short, long], &rehearsals, rounds);
        // 1 + 2 and 1 + 6 + 2 seconds.
        assert_eq!(budget.estimate(), Duration::from_secs(12));
        let share = |budget: &Budget, unit| budget.share(unit).unwrap().as_secs_f64();
        assert!(
            (share(&budget, short) - (3.0 + 54.0)).abs() < 1.0 && (share(&budget, long) - (9.0 + 54.0)).abs() < 1.0
        );
        budget.done(short);
        assert!((share(&budget, long) - (9.0 + 55.5)).abs() < 1.0);
        let tight = Budget::new(Duration::from_secs(6), &[short, long], &rehearsals, rounds);
        assert!((share(&tight, short) - 1.5).abs() < 0.1 && (share(&tight, long) - 4.5).abs() < 0.1);
        assert!(!budget.is_over() && Budget::new(Duration::ZERO, &[short], &rehearsals, rounds).is_over());
        let unlimited = Budget::unlimited();
        assert_eq!((unlimited.share(short), unlimited.is_over()), (None, false));
    }

    #[test]
    fn what_hangs_is_counted_with_the_time_that_it_is_given() {
        let attempts = Attempt::all();
        let units: Vec<Unit> = attempts.into_iter().map(Unit::Hang).collect();
        let budget = Budget::new(Duration::from_secs(1), &units, &[], Rounds::default());
        // 13 programs and the spin lock hang, 35 attempts end.
        assert!((budget.estimate().as_secs_f64() - (14.0 * 6.0 + 35.0 * 0.2)).abs() < 1e-6, "{:?}", budget.estimate());
    }
}
