//! The paper's Figures 9 to 12 and its averages, computed from the rows.
//!
//! Times are modelled cycles of launches that finished with the right result; where one of the two did not, there is no ratio.

use device::{Machine, Order};
use serde::Serialize;

use super::program::{Optimisation, Program};
use super::row::{Rows, Setting, TABLES, TIMEOUTS};
use super::versions::Version;

/// Figure 9: M+SSDE beside S, on the stack.
#[derive(Clone, Debug, Serialize)]
pub struct Figure9 {
    /// The program.
    pub program: String,
    /// `O0` or `O3`.
    pub optimisation: String,
    /// Warp execution efficiency of S, from 0 to 1.
    pub efficiency_of_s: Option<f64>,
    /// The same of M+SSDE.
    pub efficiency: Option<f64>,
    /// Warp instructions of M+SSDE over those of S.
    pub relative_instructions: Option<f64>,
    /// Modelled cycles of M+SSDE over those of S.
    pub relative_time: Option<f64>,
    /// Modelled cycles of S at -O0 over those of M+SSDE at this level.
    pub speedup_over_unoptimised_s: Option<f64>,
}

/// Figure 10: M on AWARE with delayed reconvergence, beside M+SSDE and S on the stack, at -O3.
#[derive(Clone, Debug, Serialize)]
pub struct Figure10 {
    /// The program.
    pub program: String,
    /// Modelled cycles of M+SSDE over those of S.
    pub ssde_time: Option<f64>,
    /// Warp instructions of M+SSDE over those of S.
    pub ssde_instructions: Option<f64>,
    /// M on AWARE, whose splits run first in, first out, as the paper's.
    pub fifo: OnAware,
    /// M on AWARE, whose splits run in rounds.
    pub rounds: OnAware,
}

/// The costs of M on AWARE.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct OnAware {
    /// Modelled cycles over those of S on the stack.
    pub time: Option<f64>,
    /// Modelled cycles over those of M+SSDE on the stack.
    pub over_ssde: Option<f64>,
    /// Warp instructions over those of S on the stack.
    pub instructions: Option<f64>,
}

/// One bar of Figure 11 or 12, at -O3.
#[derive(Clone, Debug, Serialize)]
pub struct Bar {
    /// The setting that it ran on.
    #[serde(flatten)]
    pub setting: Setting,
    /// Modelled cycles over those of AWARE in the same order with delayed reconvergence, no timeout and full tables.
    pub relative_time: Option<f64>,
    /// Entries of both tables that were spilled and filled.
    pub moved_entries: u64,
}

/// A program of Figure 11 or 12.
#[derive(Clone, Debug, Serialize)]
pub struct Sweep {
    /// The program.
    pub program: String,
    /// Its bars.
    pub bars: Vec<Bar>,
}

/// An average over programs, with how many it is of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Average {
    /// The arithmetic mean; none of no program.
    pub mean: Option<f64>,
    /// The largest.
    pub worst: Option<f64>,
    /// The number of programs that have the ratio.
    pub programs: usize,
    /// The arithmetic mean of those that the paper's figures have.
    pub mean_of_papers: Option<f64>,
    /// The number of those.
    pub papers_programs: usize,
}

/// All of them.
#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    /// By level, and by program.
    pub figure_9: Vec<Figure9>,
    /// By program.
    pub figure_10: Vec<Figure10>,
    /// Timeouts without delayed reconvergence.
    pub figure_11: Vec<Sweep>,
    /// Sizes of the tables with delayed reconvergence.
    pub figure_12: Vec<Sweep>,
    /// The same where splits run in rounds, over full tables and rounds.
    pub figure_12_rounds: Vec<Sweep>,
    /// M+SSDE over S in modelled time at -O0 and -O3.
    pub overhead: [Average; 2],
    /// The same where kernels of one application are added up, as the paper's Figure 8 does.
    pub overhead_by_application: [Average; 2],
    /// S at -O0 over M+SSDE at -O3.
    pub speedup: Average,
    /// M on AWARE over M+SSDE: first in, first out, and in rounds.
    pub aware_over_ssde: [Average; 2],
    /// Tables of 4 and 2 entries over full ones: first in, first out, and in rounds.
    pub small_tables: [Average; 2],
}

const STACK: Machine = Machine::Stack;

impl Figures {
    pub(super) fn of(programs: &[Program], rows: Rows<'_>) -> Figures {
        let (none, full) = (Optimisation::None, Optimisation::Full);
        let stack = |program, optimisation, version| rows.cycles(program, optimisation, version, Setting::plain(STACK));
        let overhead = |optimisation| {
            move |program| {
                Some(stack(program, optimisation, Version::Rewritten)? / stack(program, optimisation, Version::Simt)?)
            }
        };
        let speedup = |program| Some(stack(program, none, Version::Simt)? / stack(program, full, Version::Rewritten)?);
        let mimd = |program, setting| rows.cycles(program, full, Version::Mimd, setting);
        let aware_over_ssde = |order| {
            let over =
                |program| Some(mimd(program, Setting::delayed(order))? / stack(program, full, Version::Rewritten)?);
            Average::of(programs, over)
        };
        let small_tables = |order| {
            let cycles = |program, sizes| mimd(program, Setting::tables(sizes, order));
            Average::of(programs, |program| Some(cycles(program, (4, 2))? / cycles(program, TABLES[0])?))
        };
        let by_application = |optimisation| {
            let time = |version| move |program| stack(program, optimisation, version);
            Average::of_applications(programs, time(Version::Rewritten), time(Version::Simt))
        };
        let mut timeouts: Vec<Setting> = TIMEOUTS.map(Setting::timeout).to_vec();
        timeouts.push(Setting::delayed(Order::Fifo));
        let sweep = |settings: &[Setting], order| -> Vec<Sweep> {
            programs.iter().map(|&program| Sweep::of(program, settings, Setting::delayed(order), rows)).collect()
        };
        let tables = |order| sweep(&TABLES.map(|sizes| Setting::tables(sizes, order)), order);
        Figures {
            figure_9: Optimisation::ALL
                .iter()
                .flat_map(|&level| programs.iter().map(move |&program| Figure9::of(program, level, rows)))
                .collect(),
            figure_10: programs.iter().map(|&program| Figure10::of(program, rows)).collect(),
            figure_11: sweep(&timeouts, Order::Fifo),
            figure_12: tables(Order::Fifo),
            figure_12_rounds: tables(Order::Rounds),
            overhead: [Average::of(programs, overhead(none)), Average::of(programs, overhead(full))],
            overhead_by_application: [by_application(none), by_application(full)],
            speedup: Average::of(programs, speedup),
            aware_over_ssde: Order::ALL.map(aware_over_ssde),
            small_tables: Order::ALL.map(small_tables),
        }
    }
}

impl Figure9 {
    fn of(program: Program, optimisation: Optimisation, rows: Rows<'_>) -> Figure9 {
        let row = |version| {
            let row = rows.get(program, optimisation, version, Setting::plain(STACK));
            row.filter(|row| row.results_equal)
        };
        let (simt, rewritten) = (row(Version::Simt), row(Version::Rewritten));
        let unoptimised = rows.cycles(program, Optimisation::None, Version::Simt, Setting::plain(STACK));
        let efficiency = |row: Option<&super::SsdeRow>| row?.run.counts.warp_execution_efficiency();
        let instructions = |row: Option<&super::SsdeRow>| Some(row?.run.counts.warp_instructions? as f64);
        let cycles = |row: Option<&super::SsdeRow>| row?.cycles();
        let ratio = |one: Option<f64>, other: Option<f64>| Some(one? / other?);
        Figure9 {
            program: program.name().into(),
            optimisation: optimisation.name().into(),
            efficiency_of_s: efficiency(simt),
            efficiency: efficiency(rewritten),
            relative_instructions: ratio(instructions(rewritten), instructions(simt)),
            relative_time: ratio(cycles(rewritten), cycles(simt)),
            speedup_over_unoptimised_s: ratio(unoptimised, cycles(rewritten)),
        }
    }
}

impl Figure10 {
    fn of(program: Program, rows: Rows<'_>) -> Figure10 {
        let row =
            |version, setting| rows.get(program, Optimisation::Full, version, setting).filter(|row| row.results_equal);
        let simt = row(Version::Simt, Setting::plain(STACK));
        let rewritten = row(Version::Rewritten, Setting::plain(STACK));
        let time =
            |one: Option<&super::SsdeRow>, other: Option<&super::SsdeRow>| Some(one?.cycles()? / other?.cycles()?);
        let instructions = |one: Option<&super::SsdeRow>| {
            Some(one?.run.counts.warp_instructions? as f64 / simt?.run.counts.warp_instructions? as f64)
        };
        let aware = |order| {
            let aware = row(Version::Mimd, Setting::delayed(order));
            OnAware { time: time(aware, simt), over_ssde: time(aware, rewritten), instructions: instructions(aware) }
        };
        Figure10 {
            program: program.name().into(),
            ssde_time: time(rewritten, simt),
            ssde_instructions: instructions(rewritten),
            fifo: aware(Order::Fifo),
            rounds: aware(Order::Rounds),
        }
    }
}

impl Sweep {
    fn of(program: Program, settings: &[Setting], whole: Setting, rows: Rows<'_>) -> Sweep {
        let row = |setting| rows.get(program, Optimisation::Full, Version::Mimd, setting);
        let whole = row(whole).and_then(super::SsdeRow::cycles);
        let bar = |&setting: &Setting| {
            let row = row(setting);
            let scheduling = row.and_then(|row| row.run.scheduling).unwrap_or_default();
            let cycles = row.and_then(super::SsdeRow::cycles);
            Bar {
                setting,
                relative_time: cycles.zip(whole).map(|(cycles, whole)| cycles / whole),
                moved_entries: scheduling.split_spills
                    + scheduling.split_fills
                    + scheduling.reconvergence_spills
                    + scheduling.reconvergence_fills,
            }
        };
        Sweep { program: program.name().into(), bars: settings.iter().map(bar).collect() }
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

impl Average {
    pub(super) fn of(programs: &[Program], ratio: impl Fn(Program) -> Option<f64>) -> Average {
        let all: Vec<(Program, f64)> =
            programs.iter().filter_map(|&program| Some((program, ratio(program)?))).collect();
        let values: Vec<f64> = all.iter().map(|&(_, value)| value).collect();
        let papers: Vec<f64> =
            all.iter().filter(|(program, _)| program.is_in_figures()).map(|&(_, value)| value).collect();
        Average {
            mean: mean(&values),
            worst: values.iter().copied().reduce(f64::max),
            programs: values.len(),
            mean_of_papers: mean(&papers),
            papers_programs: papers.len(),
        }
    }

    /// Computes the average over applications instead of programs. It takes those of the paper's Figure 8 of which all kernels have both
    /// times.
    fn of_applications(
        programs: &[Program],
        one: impl Fn(Program) -> Option<f64>,
        other: impl Fn(Program) -> Option<f64>,
    ) -> Average {
        let barnes_hut = [Program::BhTb, Program::BhSm, Program::BhSt, Program::BhFc];
        let applications: [&[Program]; 4] = [&[Program::Ht], &[Program::Atm], &[Program::CpDs], &barnes_hut];
        let ratio = |kernels: &&[Program]| {
            let ran = kernels.iter().all(|kernel| programs.contains(kernel));
            let sum = |time: &dyn Fn(Program) -> Option<f64>| -> Option<f64> {
                kernels.iter().map(|&kernel| time(kernel)).sum()
            };
            Some(sum(&one)? / sum(&other)?).filter(|_| ran)
        };
        let values: Vec<f64> = applications.iter().filter_map(ratio).collect();
        Average {
            mean: mean(&values),
            worst: values.iter().copied().reduce(f64::max),
            programs: values.len(),
            mean_of_papers: mean(&values),
            papers_programs: values.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averages_are_of_the_programs_that_have_the_ratio() {
        let ratio = |program| match program {
            Program::Ht => Some(1.2),
            Program::Atm => Some(1.0),
            Program::TlFine => Some(2.0),
            _ => None,
        };
        let average = Average::of(&Program::ALL, ratio);
        assert!((average.mean.unwrap() - 1.4).abs() < 1e-12 && (average.mean_of_papers.unwrap() - 1.1).abs() < 1e-12);
        assert_eq!((average.worst, average.programs, average.papers_programs), (Some(2.0), 3, 2));
        assert_eq!(Average::of(&[], ratio), Average::default());
    }

    #[test]
    fn kernels_of_an_application_are_added_up() {
        let one = |program| Some(if program == Program::BhFc { 90.0 } else { 20.0 });
        let other = |program| Some(if program == Program::BhFc { 90.0 } else { 10.0 });
        let average = Average::of_applications(&Program::ALL, one, other);
        // Three applications of one kernel at 2, and (20 * 3 + 90) / (10 * 3 + 90).
        assert!((average.mean.unwrap() - (6.0 + 1.25) / 4.0).abs() < 1e-12);
        assert_eq!(Average::of_applications(&[Program::BhTb], one, other).programs, 0);
    }
}
