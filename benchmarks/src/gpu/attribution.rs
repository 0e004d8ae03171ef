//! Attributes a profiler's counts of launches to the variants that launched them.
//!
//! A profiler sees launches, one after the other, and the names of their kernels, which the variants of a program share. So the run that it watched is one
//! round without warm-up, whose report says how many launches each variant made: in the order of the report, they are those that the
//! profiler saw. Where the names or the number do not fit, nothing is counted rather than something wrong.

use std::collections::HashSet;

use device::Counts;
use toolkit::{Activity, LaunchCounts};

use super::counts::Counted;
use super::options::Rounds;
use super::report::{GpuReport, VariantTimes};

/// The rounds of a run that is watched: a second round would change the order of the variants.
pub const WATCHED: Rounds = Rounds { warmup: 0, runs: 1 };

impl GpuReport {
    /// The report of a run of [`WATCHED`] rounds with what was counted of its launches.
    ///
    /// # Errors
    /// In a sentence, if the launches are not those of the report.
    pub fn with_counts(mut self, launches: &[LaunchCounts]) -> Result<GpuReport, String> {
        let counted = self.attribute(launches)?;
        self.all_variants_mut().zip(counted).for_each(|(variant, counted)| variant.counted = Some(counted));
        Ok(self)
    }

    /// Returns the counts of each variant, in the order of the report.
    fn attribute(&self, launches: &[LaunchCounts]) -> Result<Vec<Counted>, String> {
        let kernels: HashSet<&str> = self.all_variants().map(|variant| &*variant.kernel).collect();
        // What a driver launches for itself, to fill memory for example, is not one of them.
        let mut launches = launches.iter().filter(|launch| kernels.contains(&*launch.kernel));
        let mut all = Vec::new();
        for variant in self.all_variants() {
            if !variant.finished {
                return Err(format!("a launch of `{}` did not finish", variant.kernel));
            }
            let (mut sum, mut activity) = (Counts::ZERO, Some(Activity::default()));
            for _ in 0..variant.launches {
                let launch = launches.next().filter(|launch| launch.kernel == variant.kernel);
                let launch = launch.ok_or_else(|| format!("it did not see all launches of `{}`", variant.kernel))?;
                sum = sum + counts(launch);
                activity = activity.zip(launch.activity).map(|(one, other)| one + other);
            }
            if sum.active_lanes > sum.warp_instructions.map(|count| count.saturating_mul(u64::from(ccc::WARP))) {
                return Err(format!("it counted more than {} lanes per warp in `{}`", ccc::WARP, variant.kernel));
            }
            let counted = Counted::of(&sum).ok_or_else(|| format!("it saw no instruction of `{}`", variant.kernel))?;
            all.push(Counted { activity, ..counted });
        }
        match launches.next() {
            Some(launch) => Err(format!("it saw more launches of `{}` than there were", launch.kernel)),
            None => Ok(all),
        }
    }

    /// Returns a key for each variant, in the order of the report.
    pub(crate) fn keys(&self) -> Vec<String> {
        let programs = self.programs.iter().flat_map(|program| {
            program
                .variants
                .iter()
                .map(move |variant| format!("{} {} {}", program.suite, program.program, variant.variant))
        });
        let synthetic = self.synthetic.iter().flat_map(|row| {
            row.variants
                .iter()
                .map(move |variant| format!("figure {} {} {} {}", row.figure, row.takers, row.length, variant.variant))
        });
        programs.chain(synthetic).collect()
    }

    pub(super) fn all_variants_mut(&mut self) -> impl Iterator<Item = &mut VariantTimes> {
        let programs = self.programs.iter_mut().flat_map(|program| &mut program.variants);
        programs.chain(self.synthetic.iter_mut().flat_map(|row| &mut row.variants))
    }
}

fn counts(launch: &LaunchCounts) -> Counts {
    Counts {
        warp_instructions: Some(launch.warp_instructions),
        thread_instructions: Some(launch.thread_instructions),
        active_lanes: Some(launch.active_lanes),
        ..Counts::ZERO
    }
}
