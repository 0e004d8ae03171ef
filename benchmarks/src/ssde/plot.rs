//! The paper's tables and figures as SVG. What it says in numbers is drawn beside ours: Table III, Table IV, and averages as
//! lines or as the last group of bars.

use plotters::style::RGBColor;

use super::figures::{Average, Figure9, Figure10, Sweep};
use super::paper;
use super::report::SsdeReport;
use super::static_code::CodeRow;
use super::versions::Version;
use crate::chart::{AFTER, BEFORE, Bars, PAPER, PAPER_BEFORE, Plot, bars, draw, split};
use crate::error::Error;

/// Shades for the bars of a program in Figures 11 and 12, from the first to the last.
const SHADES: [RGBColor; 7] = [
    RGBColor(10, 50, 100),
    RGBColor(20, 90, 170),
    RGBColor(70, 130, 200),
    RGBColor(120, 165, 215),
    RGBColor(150, 190, 230),
    RGBColor(190, 212, 238),
    RGBColor(215, 228, 244),
];

impl SsdeReport {
    /// Tables III and IV and Figures 9 to 12 of what was run.
    ///
    /// # Errors
    /// [`Error::Plot`].
    pub fn plots(&self) -> Result<Vec<Plot>, Error> {
        let mut plots = vec![self.code("O0")?, self.code("O3")?];
        if !self.detections.is_empty() {
            plots.push(self.found()?);
        }
        plots.extend([self.efficiencies("O0")?, self.efficiencies("O3")?, self.aware()?]);
        let title = "Figure 11: time over delayed reconvergence, by timeout";
        plots.push(sweep("figure-11.svg", title, &self.figures.figure_11, &TIMEOUT_NAMES)?);
        let title = "Figure 12: time over full tables, by entries for splits/reconvergence points";
        plots.push(sweep("figure-12.svg", title, &self.figures.figure_12, &TABLE_NAMES)?);
        Ok(plots)
    }

    fn code(&self, level: &str) -> Result<Plot, Error> {
        let rows: Vec<&CodeRow> = self.static_code.iter().filter(|row| row.optimisation == level).collect();
        let names: Vec<String> = rows.iter().map(|row| row.program.clone()).collect();
        let ours = |version: Version, figure: &dyn Fn(&super::Code) -> Option<u32>| -> Vec<Option<f64>> {
            let code = |row: &&CodeRow| row.code.iter().find(|code| code.variant == version.name()).and_then(figure);
            rows.iter().map(|row| code(row).map(f64::from)).collect()
        };
        let papers = |figure: &dyn Fn(&paper::StaticCode) -> u32| -> Vec<Option<f64>> {
            rows.iter().map(|row| row.paper.as_ref().map(figure).map(f64::from)).collect()
        };
        let series = |figure: &dyn Fn(&super::Code) -> Option<u32>, paper: &dyn Fn(&paper::StaticCode) -> [u32; 3]| {
            [
                Bars { name: "S", colour: BEFORE, values: ours(Version::Simt, figure) },
                Bars { name: "M+SSDE", colour: AFTER, values: ours(Version::Rewritten, figure) },
                Bars { name: "paper, S", colour: PAPER_BEFORE, values: papers(&|row| paper(row)[1]) },
                Bars { name: "paper, M+SSDE", colour: PAPER, values: papers(&|row| paper(row)[2]) },
            ]
        };
        draw(&format!("table-3-{}.svg", level.to_lowercase()), |area| {
            let (left, right) = split(area);
            let instructions = series(&|code| code.instructions, &|paper| paper.instructions);
            bars(&left, &format!("Table III, -{level}: static instructions"), &names, &instructions)?;
            let registers = series(&|code| Some(code.registers), &|paper| paper.registers);
            bars(&right, &format!("Table III, -{level}: registers per thread"), &names, &registers)
        })
    }

    fn found(&self) -> Result<Plot, Error> {
        let names: Vec<String> = self.detections.iter().map(|row| format!("-{}", row.optimisation)).collect();
        let values = |figure: &dyn Fn(&super::DetectionRow) -> f64| {
            self.detections.iter().map(|row| Some(figure(row))).collect()
        };
        let counts = [
            Bars { name: "true", colour: AFTER, values: values(&|row| row.true_detections as f64) },
            Bars { name: "false", colour: BEFORE, values: values(&|row| row.false_detections as f64) },
            Bars { name: "paper, true", colour: PAPER, values: values(&|row| f64::from(row.paper.true_detections)) },
            Bars {
                name: "paper, false",
                colour: PAPER_BEFORE,
                values: values(&|row| f64::from(row.paper.false_detections)),
            },
        ];
        let rates = [
            Bars { name: "ours", colour: AFTER, values: values(&|row| 100.0 * row.false_rate) },
            Bars { name: "paper", colour: PAPER, values: values(&|row| 100.0 * row.paper.false_rate) },
        ];
        draw("table-4.svg", |area| {
            let (left, right) = split(area);
            bars(&left, "Table IV: detections", &names, &counts)?;
            bars(&right, "Table IV: false ones in percent of loops", &names, &rates)
        })
    }

    fn efficiencies(&self, level: &str) -> Result<Plot, Error> {
        let rows: Vec<&Figure9> = self.figures.figure_9.iter().filter(|row| row.optimisation == level).collect();
        let values = |figure: &dyn Fn(&Figure9) -> Option<f64>| -> Vec<Option<f64>> {
            rows.iter().map(|row| figure(row)).collect()
        };
        let mut names: Vec<String> = rows.iter().map(|row| row.program.clone()).collect();
        let efficiency = [
            Bars { name: "S", colour: BEFORE, values: values(&|row| Some(100.0 * row.efficiency_of_s?)) },
            Bars { name: "M+SSDE", colour: AFTER, values: values(&|row| Some(100.0 * row.efficiency?)) },
        ];
        let mut relative = [
            Bars { name: "warp instructions", colour: BEFORE, values: values(&|row| row.relative_instructions) },
            Bars { name: "time (modelled)", colour: AFTER, values: values(&|row| row.relative_time) },
            Bars { name: "paper's average time", colour: PAPER, values: vec![None; rows.len()] },
        ];
        let level_index = usize::from(level == "O3");
        draw(&format!("figure-9-{}.svg", level.to_lowercase()), |area| {
            let (left, right) = split(area);
            bars(&left, &format!("Figure 9, -{level}: warp execution efficiency in percent"), &names, &efficiency)?;
            let average = &self.figures.overhead[level_index];
            append(&mut names, &mut relative, average, 1, 2, paper::OVERHEAD[level_index]);
            bars(&right, &format!("Figure 9, -{level}: M+SSDE over S"), &names, &relative)
        })
    }

    fn aware(&self) -> Result<Plot, Error> {
        let rows = &self.figures.figure_10;
        let names: Vec<String> = rows.iter().map(|row| row.program.clone()).collect();
        let values =
            |figure: &dyn Fn(&Figure10) -> Option<f64>| -> Vec<Option<f64>> { rows.iter().map(figure).collect() };
        let times = [
            Bars { name: "M+SSDE on stack", colour: BEFORE, values: values(&|row| row.ssde_time) },
            Bars { name: "M on AWARE, delayed", colour: AFTER, values: values(&|row| row.fifo.time) },
            Bars { name: "the same in rounds", colour: SHADES[1], values: values(&|row| row.rounds.time) },
        ];
        let instructions = [
            Bars { name: "M+SSDE on stack", colour: BEFORE, values: values(&|row| row.ssde_instructions) },
            Bars { name: "M on AWARE, delayed", colour: AFTER, values: values(&|row| row.fifo.instructions) },
            Bars { name: "the same in rounds", colour: SHADES[1], values: values(&|row| row.rounds.instructions) },
        ];
        draw("figure-10.svg", |area| {
            let (left, right) = split(area);
            bars(&left, "Figure 10: time (modelled) over S on stack", &names, &times)?;
            bars(&right, "Figure 10: warp instructions over S on stack", &names, &instructions)
        })
    }
}

/// What the bars of Figures 11 and 12 are called, in the order of the suite's settings.
const TIMEOUT_NAMES: [&str; 6] = ["64", "256", "1024", "4096", "16384", "delayed"];
const TABLE_NAMES: [&str; 7] = ["32/32", "16/16", "8/8", "4/4", "4/2", "2/2", "1/1"];

/// A group of bars for each program, one bar for each setting.
fn sweep(file: &str, title: &str, sweeps: &[Sweep], settings: &[&'static str]) -> Result<Plot, Error> {
    let names: Vec<String> = sweeps.iter().map(|sweep| sweep.program.clone()).collect();
    let series: Vec<Bars> = settings
        .iter()
        .enumerate()
        .map(|(index, &name)| Bars {
            name,
            colour: SHADES[index % SHADES.len()],
            values: sweeps.iter().map(|sweep| sweep.bars.get(index).and_then(|bar| bar.relative_time)).collect(),
        })
        .collect();
    draw(file, |area| bars(area, title, &names, &series))
}

/// Adds a group with our average and the paper's.
fn append(names: &mut Vec<String>, series: &mut [Bars], average: &Average, ours: usize, papers: usize, paper: f64) {
    names.push("average".into());
    for (index, bars) in series.iter_mut().enumerate() {
        bars.values.push(match index {
            _ if index == ours => average.mean,
            _ if index == papers => Some(paper),
            _ => None,
        });
    }
}

#[cfg(test)]
mod tests {
    use device::Order;

    use super::*;
    use crate::ssde::row::{Setting, TABLES, TIMEOUTS};

    #[test]
    fn bars_have_the_names_of_their_settings() {
        let mut timeouts: Vec<String> = TIMEOUTS.iter().map(u64::to_string).collect();
        timeouts.push("delayed".into());
        assert_eq!(timeouts, TIMEOUT_NAMES);
        let tables = TABLES.map(|sizes| {
            let Setting { split_entries, reconvergence_entries, .. } = Setting::tables(sizes, Order::Fifo);
            format!("{}/{}", split_entries.unwrap(), reconvergence_entries.unwrap())
        });
        assert_eq!(tables, TABLE_NAMES);
    }
}
