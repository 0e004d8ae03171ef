//! The rounds of a program: native code and every treatment take turns, and every result is looked at.
//!
//! ```text
//!  warm-up   native (opencl) basic merging splitting, one thread and all; the emulator once
//!  round 1   native basic merging splitting …
//!  round 2   … splitting merging basic native      reversed, so that none always runs behind the same one
//! ```
//!
//! A time is the sum of the times of a program's launches; copies lie outside. Native code takes its own time around the same work. Two times of one
//! round are compared with each other, so that what drifts during the measurement is on both sides.

use std::time::{Duration, Instant};

use device::Device;

use super::case::Case;
use super::report::{Row, Rows};
use super::ways::{Code, Devices, Texts, Way};
use crate::error::Error;
use crate::native::{Call, Native};
use crate::scoped_device::ScopedDevice;

/// Runs of each way in a round; the best one counts. A way that takes longer than [`LONG`] runs once.
const RUNS: u32 = 2;

/// Seconds after which one run of a round is enough.
const LONG: f64 = 0.25;

/// What a way gave so far.
#[derive(Default)]
struct Seen {
    /// One for each counted round.
    times: Vec<f64>,
    /// The time of the warm-up.
    first: f64,
    launches: u32,
    error: f64,
    difference: Option<String>,
}

/// A program that is ready to run.
pub(super) struct Measured<'a> {
    pub(super) case: &'a Case,
    pub(super) texts: &'a Texts,
    pub(super) native: &'a Native,
}

impl Measured<'_> {
    /// Runs all ways of `devices` in rounds: as many as `rounds`, but only one where a second would go beyond `limit`.
    ///
    /// # Errors
    /// The device's error for a launch, or that of the native program. A wrong result is a row.
    pub(super) fn time(
        &self,
        devices: &mut Devices,
        rounds: u32,
        limit: Duration,
        is_over: &dyn Fn() -> bool,
    ) -> Result<Rows, Error> {
        let ways = devices.ways();
        let mut all: Vec<Seen> = Vec::new();
        for way in &ways {
            let mut seen = Seen::default();
            seen.first = self.run(devices, *way, 1, &mut seen)?;
            all.push(seen);
        }
        let (began, mut counted, mut longest) = (Instant::now(), 0, Duration::ZERO);
        while counted < rounds && !is_over() && (counted == 0 || began.elapsed() + longest <= limit) {
            let start = Instant::now();
            for index in order(counted, ways.len()) {
                let (way, seen) = (ways[index], &mut all[index]);
                // The emulator's time is that of its only run.
                if way.code == Code::Emulator {
                    continue;
                }
                let runs = if seen.first > LONG { 1 } else { RUNS };
                let seconds = self.run(devices, way, runs, seen)?;
                seen.times.push(seconds);
            }
            longest = longest.max(start.elapsed());
            counted += 1;
        }
        let launches = all.iter().map(|seen| seen.launches).max().unwrap_or(0);
        let rows = ways.iter().zip(&all).map(|(way, seen)| Row {
            code: way.code.name().to_owned(),
            threads: way.threads,
            times: if way.code == Code::Emulator { vec![seen.first] } else { seen.times.clone() },
            difference: seen.difference.clone(),
            error: seen.error,
            refused: None,
        });
        Ok(Rows { rows: rows.collect(), launches, rounds: counted })
    }

    /// Runs one way, and returns the best time in seconds.
    fn run(&self, devices: &mut Devices, way: Way, runs: u32, seen: &mut Seen) -> Result<f64, Error> {
        match way.code {
            Code::Native => {
                let (kernel, size) = self.case.native;
                let ran = self.native.run(Call { kernel, size, buffers: &self.case.work.buffers() }, runs, way.threads);
                Ok(self.look_at(ran?, seen))
            }
            Code::OpenCl => {
                let (kernel, size) = (self.case.opencl.unwrap_or_default(), self.case.native.1);
                let call = Call { kernel, size, buffers: &self.case.work.buffers() };
                match self.native.run_opencl(call, runs, way.threads) {
                    Ok(ran) => Ok(self.look_at(ran, seen)),
                    // A broken installation costs its own rows.
                    Err(error) => {
                        seen.difference = seen.difference.take().or_else(|| Some(error.to_string()));
                        Ok(f64::NAN)
                    }
                }
            }
            Code::Translated(_) | Code::Rewritten | Code::Emulator => {
                let Some(device) = devices.device(way) else { return Ok(f64::NAN) };
                let mut least = f64::INFINITY;
                for _ in 0..runs {
                    least = least.min(self.run_on(device, self.texts.of(way.code), seen)?);
                }
                Ok(least)
            }
        }
    }

    fn run_on(&self, device: &mut dyn Device, ptx: &str, seen: &mut Seen) -> Result<f64, Error> {
        let mut held = ScopedDevice::new(device);
        let verdict = self.case.work.run(&mut held, ptx);
        let (seconds, launches, unfinished) = (held.seconds, held.launches, held.unfinished.clone());
        let given_back = held.give_back();
        if let Some(what) = unfinished {
            seen.difference = seen.difference.take().or(Some(what));
            return Ok(seconds);
        }
        let verdict = verdict?;
        given_back?;
        seen.launches = launches;
        seen.error = seen.error.max(verdict.error);
        seen.difference = seen.difference.take().or(verdict.difference);
        Ok(seconds)
    }

    /// Checks the results of a program of its own, and returns its time.
    fn look_at(&self, (seconds, results): (f64, Vec<Vec<u8>>), seen: &mut Seen) -> f64 {
        let verdict = self.case.work.verdict(&results);
        seen.error = seen.error.max(verdict.error);
        seen.difference = seen.difference.take().or(verdict.difference);
        seconds
    }
}

/// Returns the order of the ways in a round: every second round is reversed.
fn order(round: u32, ways: usize) -> Vec<usize> {
    if round.is_multiple_of(2) { (0..ways).collect() } else { (0..ways).rev().collect() }
}
