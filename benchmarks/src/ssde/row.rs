//! The measurements of one version of a program in one launch, and the setting of the launch.

use device::{Aware, Machine, Order, OutcomeKind, RunReport};
use serde::{Serialize, Serializer};

use super::program::{Optimisation, Program};
use super::versions::Version;

/// Figure 11's timeouts, in warp instructions; the last is what `aware` has unless it is told otherwise.
pub(super) const TIMEOUTS: [u64; 5] = [1 << 6, 1 << 8, 1 << 10, 1 << 12, 1 << 14];

/// Figure 12's tables: entries for splits and for reconvergence points, the largest first.
pub(super) const TABLES: [(u32, u32); 7] = [(32, 32), (16, 16), (8, 8), (4, 4), (4, 2), (2, 2), (1, 1)];

/// The machine of a launch and its settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Setting {
    /// The machine; its name is a key of the row already.
    #[serde(skip)]
    pub machine: Machine,
    /// On `aware`, warp instructions after which lanes no longer wait for others; none is never.
    pub timeout: Option<u64>,
    /// On `aware`, whether lanes of loops that were found meet at their safe points.
    pub delayed: bool,
    /// On `aware`, entries of the split table and of the reconvergence table on chip; none is as many as it takes.
    pub split_entries: Option<u32>,
    /// The latter.
    pub reconvergence_entries: Option<u32>,
    /// On `aware`, in which order splits run: `fifo` is the paper's.
    #[serde(serialize_with = "name")]
    pub order: Order,
}

fn name<S: Serializer>(order: &Order, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(order.name())
}

impl Setting {
    /// A machine as it comes: `aware` has a timeout then.
    #[must_use]
    pub fn plain(machine: Machine) -> Setting {
        let timeout = (machine == Machine::Aware).then(|| Aware::default().timeout).flatten();
        Setting {
            machine,
            timeout,
            delayed: false,
            split_entries: None,
            reconvergence_entries: None,
            order: Order::Fifo,
        }
    }

    /// `aware` with delayed reconvergence and without timeout.
    #[must_use]
    pub fn delayed(order: Order) -> Setting {
        Setting { timeout: None, delayed: true, order, ..Setting::plain(Machine::Aware) }
    }

    /// `aware` with another timeout.
    #[must_use]
    pub fn timeout(timeout: u64) -> Setting {
        Setting { timeout: Some(timeout), ..Setting::plain(Machine::Aware) }
    }

    /// [`Setting::delayed`] with small tables.
    #[must_use]
    pub fn tables((splits, points): (u32, u32), order: Order) -> Setting {
        Setting { split_entries: Some(splits), reconvergence_entries: Some(points), ..Setting::delayed(order) }
    }
}

/// The measurements of one version of a program in one launch.
#[derive(Clone, Debug, Serialize)]
pub struct SsdeRow {
    /// The program.
    pub program: String,
    /// `O0` or `O3`.
    pub optimisation: String,
    /// `M`, `S` or `M+SSDE`.
    pub variant: String,
    /// The setting of the launch, beside the machine.
    #[serde(flatten)]
    pub setting: Setting,
    /// The end that the launch must have: M of a program that deadlocks must do so on `stack`, and all else finish.
    pub expected: String,
    /// True if it ended so, and with the right result if it finished.
    pub as_expected: bool,
    /// True if the result is the CPU's; a launch that did not finish has none.
    pub results_equal: bool,
    /// The difference from the CPU's result, or the reason why it did not finish.
    pub difference: Option<String>,
    /// Cycles of the emulator's time model: modelled, not measured.
    pub modelled_cycles: Option<f64>,
    /// The resource that bounds these cycles.
    pub modelled_bound: Option<String>,
    /// The device's report; its keys are beside those above.
    #[serde(flatten)]
    pub run: RunReport,
}

impl SsdeRow {
    /// The modelled cycles of a launch that finished with the right result.
    #[must_use]
    pub fn cycles(&self) -> Option<f64> {
        self.modelled_cycles.filter(|&cycles| self.results_equal && cycles > 0.0)
    }

    /// Returns how it ended, in a word.
    #[must_use]
    pub fn word(&self) -> String {
        match (self.run.outcome, self.results_equal) {
            (OutcomeKind::Finished, true) => "finished".into(),
            (OutcomeKind::Finished, false) => "WRONG".into(),
            (outcome, _) => outcome.to_string(),
        }
    }
}

/// The rows, to look them up.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a>(pub(super) &'a [SsdeRow]);

impl<'a> Rows<'a> {
    pub(super) fn get(
        self,
        program: Program,
        optimisation: Optimisation,
        version: Version,
        setting: Setting,
    ) -> Option<&'a SsdeRow> {
        self.0.iter().find(|row| {
            row.program == program.name()
                && row.optimisation == optimisation.name()
                && row.variant == version.name()
                && row.setting == setting
        })
    }

    /// The modelled cycles of a launch that finished.
    pub(super) fn cycles(
        self,
        program: Program,
        optimisation: Optimisation,
        version: Version,
        setting: Setting,
    ) -> Option<f64> {
        self.get(program, optimisation, version, setting)?.cycles()
    }
}
