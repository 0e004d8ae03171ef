//! The report as text: the paper's tables and figures, with its numbers beside ours.

use std::fmt::Write;

use comfy_table::{CellAlignment, Table, presets};
use device::{Machine, Order};

use super::figures::{Average, Sweep};
use super::paper;
use super::program::{Optimisation, Program};
use super::report::SsdeReport;
use super::row::{Rows, Setting, SsdeRow};
use super::static_code::{Code, CodeRow};
use super::versions::Version;
use crate::document::Document;
use crate::document::{grouped, percent};

impl SsdeReport {
    /// The report as text, with lines that end in `\n` and tables of any width.
    #[must_use]
    pub fn to_text(&self) -> String {
        self.document().to_text(None)
    }

    /// The report for a reader: lines and tables.
    #[must_use]
    pub fn document(&self) -> Document {
        let mut text = Document::default();
        // Writing to a String cannot fail.
        let _ = writeln!(text, "MIMD programs on SIMT machines, on {}, compiled for {}", self.device, self.arch);
        let _ = writeln!(text, "paper: MICRO 2016, on a Tesla K20C and in GPGPU-Sim, with larger inputs");
        let _ =
            writeln!(text, "times are modelled cycles (docs/time-model.md), ours at -O3 beside the paper's at -O2;");
        let _ = writeln!(
            text,
            "bars of the paper's figures have no numbers, so those of single programs are not readable\n"
        );
        section(&mut text, "how launches end", self.launches(), 2);
        section(
            &mut text,
            "Table III: what ptxas makes of M, S and M+SSDE (the paper's in brackets)",
            self.static_code(),
            2,
        );
        for row in &self.static_code {
            if let Some(reason) = &row.refused {
                let _ = writeln!(text, "refused: {} at -{}: {reason}", row.program, row.optimisation);
            }
        }
        if !self.detections.is_empty() {
            section(
                &mut text,
                "Table IV: detections in all kernels at hand (the paper's of other kernels)",
                self.detections(),
                1,
            );
        }
        section(&mut text, "Figure 9: M+SSDE beside S on `stack`", self.figure_9(), 2);
        section(
            &mut text,
            "Figure 10: M on AWARE with delayed reconvergence, M+SSDE and S on `stack`, at -O3",
            self.figure_10(),
            1,
        );
        let whole = "time over that with delayed reconvergence, no timeout and full tables, at -O3";
        section(
            &mut text,
            &format!("Figure 11: timeouts in warp instructions; {whole}"),
            sweep(&self.figures.figure_11, timeout),
            1,
        );
        section(
            &mut text,
            &format!("Figure 12: splits/reconvergence points on chip; {whole}"),
            sweep(&self.figures.figure_12, size),
            1,
        );
        section(
            &mut text,
            "Figure 12 in rounds; time over that with delayed reconvergence, no timeout, full tables and rounds, at -O3",
            sweep(&self.figures.figure_12_rounds, size),
            1,
        );
        for line in self.averages() {
            let _ = writeln!(text, "{line}");
        }
        let _ = writeln!(text);
        for hold in &self.holds {
            let word = hold.holds.map_or("not measured", |holds| if holds { "holds" } else { "DOES NOT HOLD" });
            let _ = writeln!(text, "{word}: {}\n  {}", hold.statement, hold.measured);
        }
        for row in self.rows.iter().filter(|row| !row.as_expected) {
            let (level, machine) = (&row.optimisation, row.run.machine.as_deref().unwrap_or("hardware"));
            let what = row.difference.as_deref().unwrap_or("it finished");
            let _ = writeln!(text, "WRONG: {}, {} at -{level} on {machine}: {what}", row.program, row.variant);
        }
        text
    }

    /// Returns how M, S and M+SSDE end on each machine.
    fn launches(&self) -> Table {
        let machines: Vec<Machine> = Machine::ALL
            .iter()
            .copied()
            .filter(|machine| self.rows.iter().any(|row| row.setting.machine == *machine))
            .collect();
        let mut head = vec!["program".to_owned(), "level".into(), "M on stack".into()];
        head.extend(["M on aware,\ndelayed points".into(), "M on aware,\ntimeout".into()]);
        head.extend(machines.iter().map(|machine| format!("M+SSDE\non {}", machine.name())));
        head.push("S on all\nmachines".into());
        let mut table = new(head);
        for (program, optimisation) in self.levels() {
            let rows = Rows(&self.rows);
            let word = |version, setting| {
                rows.get(program, optimisation, version, setting).map_or_else(String::new, SsdeRow::word)
            };
            let mut cells = vec![program.name().to_owned(), format!("-{}", optimisation.name())];
            cells.push(word(Version::Mimd, Setting::plain(Machine::Stack)));
            cells.push(word(Version::Mimd, Setting::delayed(Order::Fifo)));
            cells.push(word(Version::Mimd, Setting::plain(Machine::Aware)));
            for &machine in &machines {
                cells.push(match self.refusal(program, optimisation) {
                    Some(_) => "refused".into(),
                    None => word(Version::Rewritten, Setting::plain(machine)),
                });
            }
            let simt: Vec<String> =
                machines.iter().map(|&machine| word(Version::Simt, Setting::plain(machine))).collect();
            let other = simt.iter().find(|word| *word != "finished");
            cells.push(other.or(simt.first()).cloned().unwrap_or_default());
            table.add_row(cells);
        }
        table
    }

    fn levels(&self) -> impl Iterator<Item = (Program, Optimisation)> + '_ {
        let ran = |program: &Program| self.programs.iter().any(|row| row.program == program.name());
        let programs = Program::ALL.into_iter().filter(ran);
        programs.flat_map(|program| Optimisation::ALL.map(|optimisation| (program, optimisation)))
    }

    fn refusal(&self, program: Program, optimisation: Optimisation) -> Option<&str> {
        let is = |row: &&CodeRow| row.program == program.name() && row.optimisation == optimisation.name();
        self.static_code.iter().find(is)?.refused.as_deref()
    }

    fn static_code(&self) -> Table {
        let mut table = new([
            "program",
            "level",
            "loops found\n(paper's T+F)",
            "instructions\nM",
            "\nS",
            "\nM+SSDE",
            "registers + stack\nM",
            "\nS",
            "\nM+SSDE",
        ]);
        for row in &self.static_code {
            let mut cells = vec![row.program.clone(), format!("-{}", row.optimisation)];
            let loops = row.paper.map(|paper| format!(" ({}+{})", paper.true_loops, paper.false_loops));
            cells.push(format!("{}{}", row.loops_found, loops.unwrap_or_default()));
            let cell =
                |version: Version, ours: &dyn Fn(&Code) -> String, papers: &dyn Fn(&paper::StaticCode) -> String| {
                    let code = row.code.iter().find(|code| code.variant == version.name());
                    let papers = row.paper.as_ref().map(|paper| format!(" ({})", papers(paper))).unwrap_or_default();
                    code.map_or_else(|| "refused".into(), ours) + &papers
                };
            for (index, version) in Version::ALL.into_iter().enumerate() {
                let ours = |code: &Code| code.instructions.map_or_else(|| "?".into(), |count| count.to_string());
                cells.push(cell(version, &ours, &|paper| paper.instructions[index].to_string()));
            }
            for (index, version) in Version::ALL.into_iter().enumerate() {
                let ours = |code: &Code| format!("{}+{}", code.registers, code.stack_bytes);
                let papers =
                    |paper: &paper::StaticCode| format!("{}+{}", paper.registers[index], paper.stack_bytes[index]);
                cells.push(cell(version, &ours, &papers));
            }
            table.add_row(cells);
        }
        right(table, 2)
    }

    fn detections(&self) -> Table {
        let mut table = new([
            "level",
            "kernels",
            "branches",
            "loops",
            "detections",
            "true",
            "false",
            "false rate",
            "missed",
            "false in",
        ]);
        for row in &self.detections {
            let of = |ours: usize, papers: u32| format!("{ours} ({papers})");
            let paper = &row.paper;
            let kernels: Vec<String> = row.falsely.iter().map(|(kernel, count)| format!("{kernel} {count}")).collect();
            table.add_row([
                format!("-{}", row.optimisation),
                of(row.kernels, paper.kernels),
                of(row.branches, paper.branches),
                of(row.loops, paper.loops),
                of(row.detections, paper.detections),
                of(row.true_detections, paper.true_detections),
                of(row.false_detections, paper.false_detections),
                format!("{:.2} % ({:.2} %)", 100.0 * row.false_rate, 100.0 * paper.false_rate),
                if row.missed.is_empty() { "none".into() } else { row.missed.join(", ") },
                kernels.join("\n"),
            ]);
        }
        right(table, 1)
    }

    fn figure_9(&self) -> Table {
        let mut table = new([
            "program",
            "level",
            "warp execution\nefficiency of S",
            "\nof M+SSDE",
            "warp instructions\nover S",
            "time\nover S",
            "S at -O0\nover it",
        ]);
        for row in &self.figures.figure_9 {
            let efficiency = |efficiency: Option<f64>| efficiency.map_or_else(|| "-".into(), percent);
            table.add_row([
                row.program.clone(),
                format!("-{}", row.optimisation),
                efficiency(row.efficiency_of_s),
                efficiency(row.efficiency),
                ratio(row.relative_instructions),
                ratio(row.relative_time),
                ratio(row.speedup_over_unoptimised_s),
            ]);
        }
        right(table, 2)
    }

    fn figure_10(&self) -> Table {
        let mut table = new([
            "program",
            "time over S\nM+SSDE",
            "\nAWARE",
            "\nin rounds",
            "AWARE over\nM+SSDE",
            "\nin rounds",
            "instructions over S\nM+SSDE",
            "\nAWARE",
            "\nin rounds",
            "cycles of S",
        ]);
        for row in &self.figures.figure_10 {
            let simt = self.rows.iter().find(|other| {
                (&*other.program, &*other.optimisation, &*other.variant) == (&*row.program, "O3", "S")
                    && other.setting == Setting::plain(Machine::Stack)
            });
            table.add_row([
                row.program.clone(),
                ratio(row.ssde_time),
                ratio(row.fifo.time),
                ratio(row.rounds.time),
                ratio(row.fifo.over_ssde),
                ratio(row.rounds.over_ssde),
                ratio(row.ssde_instructions),
                ratio(row.fifo.instructions),
                ratio(row.rounds.instructions),
                simt.and_then(SsdeRow::cycles).map_or_else(|| "-".into(), |cycles| grouped(cycles.round() as u64)),
            ]);
        }
        right(table, 1)
    }

    fn averages(&self) -> Vec<String> {
        let figures = &self.figures;
        let line = |what: &str, average: &Average, paper: &str| {
            let papers = average.mean_of_papers.map_or_else(String::new, |mean| {
                format!(", {mean:.3} of the {} that the paper's figures have", average.papers_programs)
            });
            format!("{what}: {} on the average of {}{papers} (paper: {paper})", ratio(average.mean), average.programs)
        };
        let levels = [0, 1].map(|level| ["-O0", "-O3"][level]);
        let mut lines = Vec::new();
        for (index, level) in levels.into_iter().enumerate() {
            let paper = format!("{:.3}, of its four applications", paper::OVERHEAD[index]);
            lines.push(line(&format!("M+SSDE over S at {level}, programs"), &figures.overhead[index], &paper));
            let applications = &figures.overhead_by_application[index];
            let what = format!("M+SSDE over S at {level}, the kernels of an application added up");
            lines.push(format!("{what}: {} on the average of {}", ratio(applications.mean), applications.programs));
        }
        lines.push(line("S at -O0 over M+SSDE at -O3", &figures.speedup, &format!("{:.3}", paper::SPEEDUP)));
        for (index, order) in ["", " in rounds"].into_iter().enumerate() {
            let average = &figures.aware_over_ssde[index];
            lines.push(line(&format!("AWARE{order} over M+SSDE at -O3"), average, "on par"));
        }
        let [mean, worst] = paper::SMALL_TABLES;
        for (index, order) in ["", ", in rounds"].into_iter().enumerate() {
            let (average, paper) = (&figures.small_tables[index], format!("{mean:.2}, at worst {worst:.2}"));
            let tables = line(&format!("4 splits and 2 points on chip{order}"), average, &paper);
            lines.push(format!("{tables}; at worst {}", ratio(average.worst)));
        }
        lines
    }
}

/// Appends a table of which the first `keys` columns say what a row is of.
fn section(text: &mut Document, title: &str, table: Table, keys: usize) {
    // Writing to a document cannot fail.
    let _ = writeln!(text, "{title}");
    text.table(table, keys);
    let _ = writeln!(text);
}

/// The bars of a figure; those of the last column but one stand in Figure 12 beside what moves between chip and memory.
fn sweep(sweeps: &[Sweep], head: fn(&Setting) -> String) -> Table {
    let first = sweeps.first().map_or(&[][..], |sweep| &sweep.bars);
    let mut names = vec!["program".to_owned()];
    names.extend(first.iter().map(|bar| head(&bar.setting)));
    let moves = sweeps.iter().flat_map(|sweep| &sweep.bars).any(|bar| bar.moved_entries > 0);
    if moves {
        names.push("entries moved\nat 4/2".into());
    }
    let mut table = new(names);
    for sweep in sweeps {
        let mut cells = vec![sweep.program.clone()];
        cells.extend(sweep.bars.iter().map(|bar| ratio(bar.relative_time)));
        if moves {
            let at = sweep.bars.iter().find(|bar| bar.setting == Setting::tables((4, 2), bar.setting.order));
            cells.push(at.map_or_else(String::new, |bar| grouped(bar.moved_entries)));
        }
        table.add_row(cells);
    }
    let mut cells = vec!["average".to_owned()];
    cells.extend((0..first.len()).map(|index| {
        let times: Vec<f64> = sweeps.iter().filter_map(|sweep| sweep.bars[index].relative_time).collect();
        ratio((!times.is_empty()).then(|| times.iter().sum::<f64>() / times.len() as f64))
    }));
    table.add_row(cells);
    right(table, 1)
}

fn timeout(setting: &Setting) -> String {
    match setting.timeout {
        Some(timeout) => timeout.to_string(),
        None => "delayed".into(),
    }
}

fn size(setting: &Setting) -> String {
    match (setting.split_entries, setting.reconvergence_entries) {
        (Some(splits), Some(points)) => format!("{splits}/{points}"),
        _ => "full".into(),
    }
}

/// A ratio, or a dash where there is none.
fn ratio(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| "-".into(), |ratio| format!("{ratio:.3}"))
}

fn new<T: Into<String>>(head: impl IntoIterator<Item = T>) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::UTF8_FULL_CONDENSED);
    table.set_header(head.into_iter().map(Into::into).collect::<Vec<String>>());
    table
}

/// Numbers stand at the right.
fn right(mut table: Table, from: usize) -> Table {
    table.column_iter_mut().skip(from).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    table
}
