//! The rounds: all variants of a program take turns on one device, and every result is looked at.
//!
//! ```text
//!  warm-up   original ccc …     not counted: code is loaded, clocks rise
//!  round 1   original ccc …
//!  round 2   … ccc original     reversed, so that nobody always runs behind the same one
//! ```
//!
//! A time is the sum of the times of a run's launches, by the device's own clock; copies lie outside. Two times of one round are compared with each
//! other, so that what drifts during the measurement is on both sides.

use std::time::{Duration, Instant};

use device::{Device, Emulated, Gpu, LaunchConfig};

use super::counts::Counted;
use super::options::Rounds;
use super::report::{Taken, VariantTimes};
use super::statistics::Summary;
use crate::error::Error;
use crate::scoped_device::ScopedDevice;
use crate::variant::Variant;
use crate::workload::{Ran, Work};

/// A device with a clock.
pub trait Timed: Device {
    /// Returns the resources that a variant takes in such a launch; `None` where the device does not know them.
    ///
    /// # Errors
    /// The device's error for the code or the launch.
    fn taken(&mut self, variant: &Variant, config: &LaunchConfig) -> Result<Option<Taken>, device::Error>;
}

impl Timed for Gpu {
    fn taken(&mut self, variant: &Variant, config: &LaunchConfig) -> Result<Option<Taken>, device::Error> {
        let kernel = self.load(&variant.ptx, &variant.kernel)?;
        let (properties, occupancy) = (self.kernel_properties(kernel)?, self.occupancy(kernel, config)?);
        Ok(Some(Taken {
            registers: properties.registers,
            local_bytes: properties.local_bytes,
            static_shared_bytes: properties.static_shared_bytes,
            resident_blocks: occupancy.blocks,
            occupancy: occupancy.share(),
        }))
    }
}

/// It has no clock, so that its rows have no times; but it counts.
impl Timed for Emulated {
    fn taken(&mut self, _: &Variant, _: &LaunchConfig) -> Result<Option<Taken>, device::Error> {
        Ok(None)
    }
}

/// The results of a variant so far.
#[derive(Default)]
struct Seen {
    taken: Option<Taken>,
    /// One for each counted run; none as soon as a run had none.
    times: Vec<Option<f64>>,
    launches: u32,
    counted: Option<Counted>,
    difference: Option<String>,
    unfinished: bool,
}

/// The end of a run, with the reason if it did not end well.
enum Ended {
    Well(Box<Ran>),
    Unfinished(String),
}

/// Runs all variants, the original first in the order of `variants`, on a device that nothing else uses. There are fewer rounds, but one that counts, where
/// another one would go beyond `end`.
///
/// A result that is wrong, or other than the original's, is in its row; so is a launch that does not finish, after which nothing else runs.
///
/// # Errors
/// The device's error for the code or a launch.
pub(super) fn time(
    device: &mut dyn Timed,
    work: &dyn Work,
    variants: &[Variant],
    config: &LaunchConfig,
    rounds: Rounds,
    end: Option<Instant>,
) -> Result<Vec<VariantTimes>, Error> {
    let mut seen = Vec::new();
    for variant in variants {
        seen.push(Seen { taken: device.taken(variant, config)?, ..Seen::default() });
    }
    let mut original: Option<Vec<u8>> = None;
    let mut longest = Duration::ZERO;
    'all: for round in 0..rounds.warmup + rounds.runs {
        let began = Instant::now();
        if round > rounds.warmup && end.is_some_and(|end| began + longest > end) {
            break;
        }
        for index in order(round, variants.len()) {
            let ended = run(device, work, &variants[index], config)?;
            let seen = &mut seen[index];
            let ran = match ended {
                Ended::Well(ran) => *ran,
                Ended::Unfinished(what) => {
                    (seen.unfinished, seen.difference) = (true, Some(what));
                    break 'all;
                }
            };
            let same = *original.get_or_insert_with(|| ran.result.clone()) == ran.result;
            let other = "the result is the CPU's but not the original kernel's bit for bit";
            let difference = ran.verdict.difference.or_else(|| (!same).then(|| other.to_owned()));
            seen.launches = ran.launches;
            seen.counted = Counted::of(&ran.run.counts);
            seen.difference = seen.difference.take().or(difference);
            if round >= rounds.warmup {
                seen.times.push(ran.run.time);
            }
        }
        longest = longest.max(began.elapsed());
    }
    Ok(rows(variants, seen))
}

/// Returns the order of the variants in a round: every second round is reversed.
fn order(round: u32, variants: usize) -> Vec<usize> {
    if round.is_multiple_of(2) { (0..variants).collect() } else { (0..variants).rev().collect() }
}

fn run(device: &mut dyn Timed, work: &dyn Work, variant: &Variant, config: &LaunchConfig) -> Result<Ended, Error> {
    let mut held = ScopedDevice::new(device);
    let ran = work.run(&mut held, variant, config);
    // What is asked of a GPU after a fault fails for that reason.
    let unfinished = held.unfinished.clone();
    let given_back = held.give_back();
    if let Some(what) = unfinished {
        return Ok(Ended::Unfinished(what));
    }
    let ran = ran?;
    given_back?;
    Ok(Ended::Well(Box::new(ran)))
}

fn rows(variants: &[Variant], seen: Vec<Seen>) -> Vec<VariantTimes> {
    let times: Vec<Option<Vec<f64>>> =
        seen.iter().map(|seen| seen.times.iter().copied().collect::<Option<Vec<f64>>>()).collect();
    let right: Vec<bool> = seen.iter().map(|seen| seen.difference.is_none()).collect();
    let row = |(index, (variant, seen)): (usize, (&Variant, Seen))| {
        let (before, own) = (times.first().and_then(Option::as_ref), times[index].as_ref());
        // A wrong result has no speed, and what stopped early has fewer rounds.
        let comparable = index > 0 && right[0] && right[index];
        let pair = before.zip(own).filter(|(before, own)| comparable && before.len() == own.len());
        let not_run = || (seen.launches == 0).then(|| "not run, because another variant did not finish".to_owned());
        let difference = seen.difference.clone().or_else(not_run);
        VariantTimes {
            variant: variant.name.clone(),
            kernel: variant.kernel.clone(),
            launches: seen.launches,
            runs: seen.times.len() as u32,
            finished: !seen.unfinished,
            results_equal: difference.is_none(),
            difference,
            seconds: own.and_then(|own| Summary::of(own)),
            speedup: pair.and_then(|(before, own)| Summary::of_ratios(before, own)),
            relative_time: pair.and_then(|(before, own)| Summary::of_ratios(own, before)),
            taken: seen.taken,
            counted: seen.counted,
            too_short: false,
        }
    };
    variants.iter().zip(seen).enumerate().map(row).collect()
}
