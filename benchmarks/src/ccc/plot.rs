//! The figures of the CCC paper as SVG, with its numbers beside ours: those of this suite, and what the times on a GPU share with them.
//!
//! The paper draws the curves of Figures 13 and 14 without numbers. It says an average and the limits, which are lines here.

use super::paper::Paper;
use super::program::Program;
use super::report::{CccReport, Change, ProgramReport};
use super::synthetic::SyntheticRow;
use crate::chart::{AVERAGE, Axis, Bars, Content, Curve, Figure, Panel, Plot, Role};
use crate::error::Error;

/// The reason why a program has no bar of ours.
const NOT_MEASURED: &str = "not measured";

/// The reason why a program has no bar of the paper's.
const NOT_READABLE: &str = "no number in the paper";

/// The speedup of a program.
pub(crate) struct Speedup {
    /// The program's name.
    pub(crate) program: String,
    /// Ours.
    pub(crate) ours: Option<f64>,
    /// The paper's numbers of it.
    pub(crate) paper: Option<Paper>,
}

/// The warp execution efficiency of a program.
pub(crate) struct Efficiency {
    /// The program's name.
    pub(crate) program: String,
    /// Ours, from 0 to 1, without CCC and with it.
    pub(crate) ours: Option<(f64, f64)>,
    /// The paper's numbers of it.
    pub(crate) paper: Option<Paper>,
}

/// Speedups by the length of the path.
pub(crate) struct Lengths {
    /// With the rewrite as it is decided on.
    pub(crate) decided: Vec<(f64, f64)>,
    /// With every path collected, whatever that costs.
    pub(crate) collected: Vec<(f64, f64)>,
}

/// Makes a panel of programs.
pub(crate) fn of_programs(title: &str, y: Axis, names: Vec<String>, series: Vec<Bars>, paper: Option<&str>) -> Panel {
    let content = Content::Bars { of: "program".to_owned(), names, series };
    Panel { title: title.to_owned(), y, content, paper: paper.map(str::to_owned) }
}

/// Draws Figure 11. Ours is a quotient of `measure`; `absent` is the reason why a program has none.
///
/// # Errors
/// [`Error::Plot`].
pub(crate) fn speedups(measure: &str, device: &str, absent: &str, programs: &[Speedup]) -> Result<Plot, Error> {
    let papers = programs.iter().map(|program| Some(program.paper?.speedup)).collect();
    let mut series = vec![
        Bars::new(&format!("pxrw ({measure})"), Role::After, absent, programs.iter().map(|one| one.ours).collect()),
        Bars::new("paper (time, GTX 780)", Role::Paper, NOT_READABLE, papers),
    ];
    let mut names = upper(programs.iter().map(|program| program.program.as_str()));
    add_averages(&mut names, &mut series, &[None, Some(Paper::AVERAGE_SPEEDUP)]);
    let title = format!("CCC paper, Figure 11: speedup by CCC, {device}");
    let panel = of_programs(&title, Axis::ratio("speedup"), names, series, None);
    Figure { file: "figure-11.svg".to_owned(), panels: vec![panel] }.draw()
}

/// Draws Figure 12.
///
/// # Errors
/// [`Error::Plot`].
pub(crate) fn efficiencies(device: &str, absent: &str, programs: &[Efficiency]) -> Result<Plot, Error> {
    let ours = |pick: fn((f64, f64)) -> f64| -> Vec<Option<f64>> {
        programs.iter().map(|program| program.ours.map(|both| 100.0 * pick(both))).collect()
    };
    let papers = |pick: fn(&Paper) -> Option<u32>| -> Vec<Option<f64>> {
        programs.iter().map(|program| pick(program.paper.as_ref()?).map(f64::from)).collect()
    };
    let mut series = vec![
        Bars::new("pxrw, original", Role::Before, absent, ours(|both| both.0)),
        Bars::new("pxrw, CCC", Role::After, absent, ours(|both| both.1)),
        Bars::new("paper, original", Role::PaperBefore, NOT_READABLE, papers(|paper| Some(paper.efficiency_before))),
        Bars::new("paper, CCC", Role::Paper, NOT_READABLE, papers(|paper| paper.efficiency_after)),
    ];
    let (before, after) = Paper::AVERAGE_EFFICIENCY;
    let mut names = upper(programs.iter().map(|program| program.program.as_str()));
    add_averages(&mut names, &mut series, &[None, None, Some(before), Some(after)]);
    let title = format!("CCC paper, Figure 12: warp execution efficiency, {device}");
    let panel = of_programs(&title, Axis::share("warp execution efficiency"), names, series, None);
    Figure { file: "figure-12.svg".to_owned(), panels: vec![panel] }.draw()
}

/// Draws Figure 14: what was measured where a quarter and where three quarters of the lanes take the path, by how many these are. `decided` and
/// `collected` name the two curves.
///
/// # Errors
/// [`Error::Plot`].
pub(crate) fn lengths(
    decided: &str,
    collected: &str,
    device: &str,
    measured: impl Fn(u32) -> Lengths,
) -> Result<Plot, Error> {
    let panel = |takers: u32, title: &str| {
        let lengths = measured(takers);
        let last = lengths.collected.last().map_or(10.0, |point| point.0);
        let limit = 32.0 / f64::from(takers);
        let series = vec![
            Curve::new(collected, Role::Before, lengths.collected),
            Curve::new(decided, Role::After, lengths.decided),
            Curve::new("the limit that the paper names", Role::Paper, [(1.0, limit), (last, limit)]),
        ];
        Panel {
            title: title.to_owned(),
            y: Axis::ratio("speedup"),
            content: Content::Curves { x: Axis::lengths(), series },
            paper: Some("paper: its curves have no numbers".to_owned()),
        }
    };
    let panels = vec![
        panel(8, &format!("CCC paper, Figure 14: speedup, a quarter of the lanes, {device}")),
        panel(24, &format!("CCC paper, Figure 14: speedup, three quarters of the lanes, {device}")),
    ];
    Figure { file: "figure-14.svg".to_owned(), panels }.draw()
}

/// Makes a panel of Figure 13.
pub(crate) fn by_takers(title: String, y: Axis, series: Vec<Curve>, paper: &str) -> Panel {
    Panel { title, y, content: Content::Curves { x: Axis::lanes(), series }, paper: Some(paper.to_owned()) }
}

/// Adds a group with the average of each of our series, and the paper's of its eight programs, where all of those are there.
fn add_averages(names: &mut Vec<String>, series: &mut [Bars], papers: &[Option<f64>]) {
    if names.len() != Program::ALL.len() {
        return;
    }
    for (bars, paper) in series.iter_mut().zip(papers) {
        let all: Option<f64> = bars.values.iter().copied().sum();
        let average = paper.or(all.map(|sum| sum / names.len() as f64));
        *bars = Bars::new(&bars.name, bars.role, &bars.absent, bars.values.iter().copied().chain([average]).collect());
    }
    names.push(AVERAGE.to_owned());
}

fn upper<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    names.map(str::to_uppercase).collect()
}

impl CccReport {
    /// Table 1 and Figures 11 and 12 of the programs that were run, on the first of the machines, and Figures 13 and 14 of the
    /// synthetic kernels if those were.
    ///
    /// # Errors
    /// [`Error::Plot`].
    pub fn plots(&self) -> Result<Vec<Plot>, Error> {
        let mut plots = Vec::new();
        if !self.programs.is_empty() {
            let speedup = |program: &ProgramReport| Speedup {
                program: program.program.clone(),
                ours: program.change().map(|change| change.issue_speedup()),
                paper: Some(program.paper),
            };
            let efficiency = |program: &ProgramReport| Efficiency {
                program: program.program.clone(),
                ours: program.change().map(|change| change.efficiency),
                paper: Some(program.paper),
            };
            let speedup: Vec<_> = self.programs.iter().map(speedup).collect();
            let efficiency: Vec<_> = self.programs.iter().map(efficiency).collect();
            plots.push(self.table()?);
            plots.push(speedups("warp instructions", &self.on(), NOT_MEASURED, &speedup)?);
            plots.push(efficiencies(&self.on(), NOT_MEASURED, &efficiency)?);
        }
        if !self.synthetic.is_empty() {
            plots.push(self.divergence()?);
            plots.push(self.lengths()?);
        }
        Ok(plots)
    }

    /// The device in words.
    fn on(&self) -> String {
        let of_programs = self.programs.iter().flat_map(|program| &program.rows).map(|row| &row.run);
        let mut runs = of_programs.chain(self.synthetic.iter().map(|row| &row.original));
        match runs.next().and_then(|run| run.machine.as_deref()) {
            Some(machine) => format!("{} ({machine})", self.device),
            None => self.device.clone(),
        }
    }

    fn table(&self) -> Result<Plot, Error> {
        let added = |program: &ProgramReport| program.collected.first().map(|one| f64::from(one.context_bytes));
        let registers = |variant: usize| {
            let of = |program: &ProgramReport| Some(f64::from(program.resources.get(variant)?.registers));
            self.programs.iter().map(of).collect()
        };
        let papers = |pick: fn(&Paper) -> u32| -> Vec<Option<f64>> {
            self.programs.iter().map(|program| Some(f64::from(pick(&program.paper)))).collect()
        };
        let shared = vec![
            Bars::new("pxrw", Role::After, NOT_MEASURED, self.programs.iter().map(added).collect()),
            Bars::new("paper", Role::Paper, "", papers(|paper| paper.shared_bytes.after - paper.shared_bytes.before)),
        ];
        let used = vec![
            Bars::new("pxrw, original", Role::Before, NOT_MEASURED, registers(0)),
            Bars::new("pxrw, CCC", Role::After, NOT_MEASURED, registers(1)),
            Bars::new("paper, original", Role::PaperBefore, "", papers(|paper| paper.registers.before)),
            Bars::new("paper, CCC", Role::Paper, "", papers(|paper| paper.registers.after)),
        ];
        let names = upper(self.programs.iter().map(|program| program.program.as_str()));
        let title = "CCC paper, Table 1: shared memory that CCC adds";
        let shared =
            of_programs(title, Axis::amount("added shared memory", "bytes per thread"), names.clone(), shared, None);
        let title = "CCC paper, Table 1: registers";
        let used = of_programs(title, Axis::amount("32-bit registers", "per thread"), names, used, None);
        Figure { file: "table-1.svg".to_owned(), panels: vec![shared, used] }.draw()
    }

    fn divergence(&self) -> Result<Plot, Error> {
        let curve = |name, role, value: &dyn Fn(&SyntheticRow) -> Option<f64>| {
            let rows = self.synthetic.iter().filter(|row| row.figure == 13);
            Curve::new(name, role, rows.filter_map(|row| Some((f64::from(row.takers), value(row)?))))
        };
        let millions = |count: Option<u64>| count.map(|count| count as f64 / 1e6);
        let work = vec![
            curve("pxrw, original", Role::Before, &|row| millions(row.original.counts.warp_instructions)),
            curve("pxrw, CCC", Role::After, &|row| millions(row.ccc.counts.warp_instructions)),
        ];
        let efficiency = vec![
            curve("pxrw, original", Role::Before, &|row| Some(100.0 * row.efficiency()?.0)),
            curve("pxrw, CCC", Role::After, &|row| Some(100.0 * row.efficiency()?.1)),
            Curve::new("paper, CCC on average", Role::Paper, [(0.0, 96.6), (32.0, 96.6)]),
        ];
        let panels = vec![
            by_takers(
                format!("CCC paper, Figure 13: work, {}", self.on()),
                Axis::amount("warp instructions", "millions"),
                work,
                "paper: its curves, of time, have no numbers",
            ),
            by_takers(
                format!("CCC paper, Figure 13: warp execution efficiency, {}", self.on()),
                Axis::share("warp execution efficiency"),
                efficiency,
                "paper: its curves have no numbers",
            ),
        ];
        Figure { file: "figure-13.svg".to_owned(), panels }.draw()
    }

    fn lengths(&self) -> Result<Plot, Error> {
        let collected = "pxrw, collected regardless of the cost";
        lengths("pxrw (warp instructions)", collected, &self.on(), |takers| {
            let curve = |speedup: fn(&SyntheticRow) -> Option<f64>| -> Vec<(f64, f64)> {
                let rows = self.synthetic.iter().filter(|row| row.figure == 14 && row.takers == takers);
                rows.filter_map(|row| Some((f64::from(row.length), speedup(row)?))).collect()
            };
            Lengths { decided: curve(SyntheticRow::issue_speedup), collected: curve(SyntheticRow::collected_speedup) }
        })
    }
}

impl ProgramReport {
    /// Returns the change by the first way of rewriting on the first device.
    fn change(&self) -> Option<Change> {
        let (before, after) = self.pairs().next()?;
        Change::of(before, after)
    }
}
