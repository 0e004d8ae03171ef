//! The paper's tables and figures as SVG. Its numbers are drawn beside ours: Table III, Table IV and an average. The bars of its figures have none.

use super::DetectionRow;
use super::figures::{Figure9, Figure10, Sweep};
use super::paper;
use super::report::SsdeReport;
use super::static_code::{Code, CodeRow};
use super::versions::Version;
use crate::ccc::of_programs;
use crate::chart::{AVERAGE, Axis, Bars, Content, Figure, Panel, Plot, Role};
use crate::error::Error;

/// The reason why a program has no bar of ours.
const NO_RATIO: &str = "wrong or not measured";

/// The legend's note on figures of which the paper has no numbers.
const NO_NUMBERS: &str = "paper: its bars have no numbers";

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
        plots.extend([self.overhead("O0")?, self.overhead("O3")?, self.aware()?, self.timeouts()?, self.tables()?]);
        Ok(plots)
    }

    fn code(&self, level: &str) -> Result<Plot, Error> {
        let rows: Vec<&CodeRow> = self.static_code.iter().filter(|row| row.optimisation == level).collect();
        let ours = |version: Version, figure: &dyn Fn(&Code) -> Option<u32>| -> Vec<Option<f64>> {
            let code = |row: &&CodeRow| row.code.iter().find(|code| code.variant == version.name()).and_then(figure);
            rows.iter().map(|row| code(row).map(f64::from)).collect()
        };
        let papers = |figure: &dyn Fn(&paper::StaticCode) -> u32| -> Vec<Option<f64>> {
            rows.iter().map(|row| row.paper.as_ref().map(figure).map(f64::from)).collect()
        };
        let panel = |what: &str,
                     y: Axis,
                     figure: &dyn Fn(&Code) -> Option<u32>,
                     paper: &dyn Fn(&paper::StaticCode) -> [u32; 3]| {
            let absent = "not in its table";
            let series = vec![
                Bars::new("pxrw, S", Role::Before, NO_RATIO, ours(Version::Simt, figure)),
                Bars::new("pxrw, M+SSDE", Role::After, NO_RATIO, ours(Version::Rewritten, figure)),
                Bars::new("paper, S", Role::PaperBefore, absent, papers(&|row| paper(row)[1])),
                Bars::new("paper, M+SSDE", Role::Paper, absent, papers(&|row| paper(row)[2])),
            ];
            let names = rows.iter().map(|row| row.program.clone()).collect();
            of_programs(&format!("SSDE paper, Table III: {what}, -{level}"), y, names, series, None)
        };
        let panels = vec![
            panel("machine code", Axis::amount("static size", "instructions"), &|code| code.instructions, &|paper| {
                paper.instructions
            }),
            panel(
                "registers",
                Axis::amount("32-bit registers", "per thread"),
                &|code| Some(code.registers),
                &|paper| paper.registers,
            ),
        ];
        Figure { file: format!("table-3-{}.svg", level.to_lowercase()), panels }.draw()
    }

    fn found(&self) -> Result<Plot, Error> {
        let values = |figure: &dyn Fn(&DetectionRow) -> f64| -> Vec<Option<f64>> {
            self.detections.iter().map(|row| Some(figure(row))).collect()
        };
        let counts = vec![
            Bars::new("pxrw, in kernels that deadlock", Role::After, "", values(&|row| row.true_detections as f64)),
            Bars::new("pxrw, in others", Role::Before, "", values(&|row| row.false_detections as f64)),
            Bars::new("paper, true", Role::Paper, "", values(&|row| f64::from(row.paper.true_detections))),
            Bars::new("paper, false", Role::PaperBefore, "", values(&|row| f64::from(row.paper.false_detections))),
        ];
        let rates = vec![
            Bars::new("pxrw, in kernels that do not deadlock", Role::After, "", values(&|row| 100.0 * row.false_rate)),
            Bars::new("paper, false, of other kernels", Role::Paper, "", values(&|row| 100.0 * row.paper.false_rate)),
        ];
        let panel = |what: &str, y: Axis, series: Vec<Bars>| Panel {
            title: format!("SSDE paper, Table IV: {what}"),
            y,
            content: Content::Bars {
                of: "level of optimisation".to_owned(),
                names: self.detections.iter().map(|row| format!("-{}", row.optimisation)).collect(),
                series,
            },
            paper: None,
        };
        let panels = vec![
            panel("loops found", Axis::amount("detections", "loops"), counts),
            panel("false detections", Axis::share("share of all loops"), rates),
        ];
        Figure { file: "table-4.svg".to_owned(), panels }.draw()
    }

    /// Draws Figure 9 at a level, in the paper's order: time, instructions, efficiency.
    fn overhead(&self, level: &str) -> Result<Plot, Error> {
        let rows: Vec<&Figure9> = self.figures.figure_9.iter().filter(|row| row.optimisation == level).collect();
        let values = |figure: &dyn Fn(&Figure9) -> Option<f64>| -> Vec<Option<f64>> {
            rows.iter().map(|row| figure(row)).collect()
        };
        let names: Vec<String> = rows.iter().map(|row| row.program.clone()).collect();
        let title = |part: &str| format!("SSDE paper, Figure 9 {part}, -{level}, emulator (stack)");
        let index = usize::from(level == "O3");
        let mut time = values(&|row| row.relative_time);
        time.push(self.figures.overhead.get(index).and_then(|average| average.mean));
        let papers = vec![None; rows.len()].into_iter().chain([paper::OVERHEAD.get(index).copied()]).collect();
        let time = vec![
            Bars::new("pxrw (modelled time)", Role::After, NO_RATIO, time),
            Bars::new("paper (time, K20C)", Role::Paper, "the average of its four applications alone", papers),
        ];
        let work = vec![Bars::new("pxrw", Role::After, NO_RATIO, values(&|row| row.relative_instructions))];
        let efficiency = vec![
            Bars::new("pxrw, S", Role::Before, NO_RATIO, values(&|row| Some(100.0 * row.efficiency_of_s?))),
            Bars::new("pxrw, M+SSDE", Role::After, NO_RATIO, values(&|row| Some(100.0 * row.efficiency?))),
        ];
        let with_average = names.iter().cloned().chain([AVERAGE.to_owned()]).collect();
        let over = Axis::ratio("M+SSDE over S");
        let share = Axis::share("warp execution efficiency");
        let panels = vec![
            of_programs(&title("(a) time"), over.clone(), with_average, time, None),
            of_programs(&title("(b) warp instructions"), over, names.clone(), work, Some(NO_NUMBERS)),
            of_programs(&title("(c) warp execution efficiency"), share, names, efficiency, Some(NO_NUMBERS)),
        ];
        Figure { file: format!("figure-9-{}.svg", level.to_lowercase()), panels }.draw()
    }

    fn aware(&self) -> Result<Plot, Error> {
        let rows = &self.figures.figure_10;
        let panel = |what: &str, figures: [fn(&Figure10) -> Option<f64>; 3], paper: &str| {
            let [ssde, fifo, rounds] = figures.map(|figure| rows.iter().map(figure).collect());
            let series = vec![
                Bars::new("M+SSDE on stack", Role::Before, NO_RATIO, ssde),
                Bars::new("M on AWARE", Role::After, NO_RATIO, fifo),
                Bars::new("M on AWARE, in rounds", Role::Other, NO_RATIO, rounds),
            ];
            let title = format!("SSDE paper, Figure 10 {what}, emulator, -O3");
            let names = rows.iter().map(|row| row.program.clone()).collect();
            of_programs(&title, Axis::ratio("over S on stack"), names, series, Some(paper))
        };
        let time = "paper: its bars have no numbers; AWARE is on a par with M+SSDE on average";
        let panels = vec![
            panel("(a) modelled time", [|row| row.ssde_time, |row| row.fifo.time, |row| row.rounds.time], time),
            panel(
                "(b) warp instructions",
                [|row| row.ssde_instructions, |row| row.fifo.instructions, |row| row.rounds.instructions],
                NO_NUMBERS,
            ),
        ];
        Figure { file: "figure-10.svg".to_owned(), panels }.draw()
    }

    fn timeouts(&self) -> Result<Plot, Error> {
        let panel = sweep(
            "SSDE paper, Figure 11: time by timeout in warp instructions, AWARE, -O3",
            "time over delayed",
            &self.figures.figure_11,
            &TIMEOUT_NAMES,
            NO_NUMBERS,
        );
        Figure { file: "figure-11.svg".to_owned(), panels: vec![panel] }.draw()
    }

    fn tables(&self) -> Result<Plot, Error> {
        let panel = sweep(
            "SSDE paper, Figure 12: time by entries for splits/reconvergence points, AWARE, -O3",
            "time over 32/32",
            &self.figures.figure_12,
            &TABLE_NAMES,
            "paper: its bars have no numbers; 4/2 is 1.05 on average, 1.16 at worst",
        );
        Figure { file: "figure-12.svg".to_owned(), panels: vec![panel] }.draw()
    }
}

/// The names of the bars of Figures 11 and 12, in the order of the suite's settings.
const TIMEOUT_NAMES: [&str; 6] = ["64", "256", "1024", "4096", "16384", "delayed"];
const TABLE_NAMES: [&str; 7] = ["32/32", "16/16", "8/8", "4/4", "4/2", "2/2", "1/1"];

/// Makes a group of bars for each program, one bar for each setting.
fn sweep(title: &str, y: &str, sweeps: &[Sweep], settings: &[&str], paper: &str) -> Panel {
    let bars = |(index, name): (usize, &&str)| {
        let values = sweeps.iter().map(|sweep| sweep.bars.get(index)?.relative_time).collect();
        Bars::new(name, Role::Shade(index as u8), NO_RATIO, values)
    };
    let series = settings.iter().enumerate().map(bars).collect();
    of_programs(title, Axis::ratio(y), sweeps.iter().map(|sweep| sweep.program.clone()).collect(), series, Some(paper))
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
