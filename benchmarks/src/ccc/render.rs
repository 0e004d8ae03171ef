//! The suite's report as text: what warps did, and what the kernels take, with the paper's figures beside ours.

use std::fmt::Write;

use comfy_table::{CellAlignment, Table, presets};

use super::paper::{Paper, Resource};
use super::report::{CccReport, CccRow, Change, Collected, ProgramReport};
use crate::document::Document;
use crate::document::{grouped, percent};

impl CccReport {
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
        let _ = writeln!(
            text,
            "CCC paper's programs on {}, compiled for {}, blocks of {} threads",
            self.device, self.arch, self.block
        );
        let _ = writeln!(text, "paper: MICRO 2015, on a GeForce GTX 780 with larger inputs; its speedup is of time");
        let _ = writeln!(
            text,
            "efficiency: active lanes over 32; of a program with several launches the average over the launches, as in the paper\n"
        );
        if !self.programs.is_empty() {
            text.table(self.executions(), 3);
        }
        for machine in self.machines() {
            if let Some(line) = self.average(&machine) {
                let _ = writeln!(text, "{line}");
            }
        }
        if !self.programs.is_empty() {
            let _ = writeln!(text);
            text.table(self.resources(), 2);
        }
        if !self.synthetic.is_empty() {
            let _ = writeln!(text, "\nsynthetic kernels (paper, Section 6.3), on {}", self.synthetic_machine());
            text.table(self.synthetic(), 3);
        }
        for line in self.wrong() {
            let _ = writeln!(text, "{line}");
        }
        text
    }

    fn executions(&self) -> Table {
        let mut table = Table::new();
        table.load_preset(presets::UTF8_FULL_CONDENSED);
        table.set_header([
            "program",
            "variant",
            "machine",
            "warp execution\nefficiency",
            "\npaper's",
            "warp instructions\noriginal",
            "\nrewritten",
            "issue\nspeedup",
            "paper's\nspeedup",
            "result as\nthe CPU's",
        ]);
        for program in &self.programs {
            for (before, after) in program.pairs() {
                table.add_row(execution(program, before, after));
            }
        }
        table.column_iter_mut().skip(3).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
        table
    }

    fn resources(&self) -> Table {
        let mut table = Table::new();
        table.load_preset(presets::UTF8_FULL_CONDENSED);
        table.set_header([
            "program",
            "variant",
            "input",
            "blocks",
            "marked\nlines",
            "context bytes\nper thread",
            "\npaper's",
            "shared bytes\nper block",
            "registers\nper thread",
            "\npaper's",
            "occupancy",
            "by shared\nmemory alone",
        ]);
        for program in &self.programs {
            for collected in &program.collected {
                table.add_row(taken(program, collected));
            }
        }
        table.column_iter_mut().skip(3).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
        table
    }

    fn synthetic_machine(&self) -> &str {
        self.synthetic.first().and_then(|row| row.original.machine.as_deref()).unwrap_or("hardware")
    }

    fn synthetic(&self) -> Table {
        let mut table = Table::new();
        table.load_preset(presets::UTF8_FULL_CONDENSED);
        table.set_header([
            "figure",
            "lanes that\ntake the path",
            "multiply-adds\nin it",
            "warp execution\nefficiency",
            "warp instructions\noriginal",
            "\nccc",
            "issue\nspeedup",
            "collected\nregardless",
            "with a\nprofile",
            "result as\nthe CPU's",
        ]);
        for row in &self.synthetic {
            let speedup =
                |speedup: Option<f64>| speedup.map_or_else(|| "not measured".into(), |speedup| format!("{speedup:.2}"));
            let count = |run: &device::RunReport| run.counts.warp_instructions.map_or_else(String::new, grouped);
            let efficiency = |(before, after)| format!("{} -> {}", percent(before), percent(after));
            table.add_row([
                row.figure.to_string(),
                row.takers.to_string(),
                row.length.to_string(),
                row.efficiency().map_or_else(|| "not measured".into(), efficiency),
                count(&row.original),
                count(&row.ccc),
                speedup(row.issue_speedup()),
                speedup(row.collected_speedup()),
                speedup(row.profiled_speedup()),
                if row.results_equal { "yes" } else { "NO" }.to_owned(),
            ]);
        }
        table.column_iter_mut().for_each(|column| column.set_cell_alignment(CellAlignment::Right));
        table
    }

    /// The machines in their order; the hardware has none.
    fn machines(&self) -> Vec<String> {
        let mut machines: Vec<String> = Vec::new();
        for row in self.programs.iter().flat_map(|program| &program.rows) {
            if !machines.contains(&machine(row)) {
                machines.push(machine(row));
            }
        }
        machines
    }

    /// `stack, average of 8 programs: …`, the arithmetic mean as in the paper.
    fn average(&self, on: &str) -> Option<String> {
        let changes: Vec<Change> = self
            .programs
            .iter()
            .flat_map(ProgramReport::pairs)
            .filter(|(before, after)| machine(before) == on && after.variant == "ccc")
            .filter_map(|(before, after)| Change::of(before, after))
            .collect();
        let mean = |figure: &dyn Fn(&Change) -> f64| changes.iter().map(figure).sum::<f64>() / changes.len() as f64;
        (changes.len() > 1).then(|| {
            format!(
                "{on}, average of {} programs: warp execution efficiency {} -> {} (paper's eight: {} -> {} %), issue \
                 speedup {:.2} (paper's speedup: {:.2})",
                changes.len(),
                percent(mean(&|change| change.efficiency.0)),
                percent(mean(&|change| change.efficiency.1)),
                Paper::AVERAGE_EFFICIENCY.0,
                Paper::AVERAGE_EFFICIENCY.1,
                mean(&Change::issue_speedup),
                Paper::AVERAGE_SPEEDUP
            )
        })
    }

    fn wrong(&self) -> impl Iterator<Item = String> + '_ {
        self.programs.iter().flat_map(|program| {
            program.rows.iter().filter_map(|row| {
                let difference = row.difference.as_ref()?;
                Some(format!("WRONG: {}, {} on {}: {difference}", program.program, row.variant, machine(row)))
            })
        })
    }
}

fn machine(row: &CccRow) -> String {
    row.run.machine.clone().unwrap_or_else(|| "hardware".into())
}

fn execution(program: &ProgramReport, before: &CccRow, after: &CccRow) -> Vec<String> {
    let paper = &program.paper;
    let change = Change::of(before, after);
    let figure = |show: &dyn Fn(&Change) -> String| change.as_ref().map_or_else(|| "not measured".into(), show);
    let paper_after = paper.efficiency_after.map_or_else(|| "?".into(), |percent| percent.to_string());
    let wrong: Vec<&str> = [before, after].iter().filter(|row| !row.results_equal).map(|row| &*row.variant).collect();
    vec![
        program.program.clone(),
        after.variant.clone(),
        machine(before),
        figure(&|change| format!("{} -> {}", percent(change.efficiency.0), percent(change.efficiency.1))),
        format!("{} -> {paper_after} %", paper.efficiency_before),
        figure(&|change| grouped(change.instructions.0)),
        figure(&|change| grouped(change.instructions.1)),
        figure(&|change| format!("{:.2}", change.issue_speedup())),
        format!("{:.2}", paper.speedup),
        if wrong.is_empty() { "yes".into() } else { format!("NO: {}", wrong.join(", ")) },
    ]
}

fn taken(program: &ProgramReport, collected: &Collected) -> Vec<String> {
    let lines: Vec<String> = collected.regions.iter().map(|region| region.line.to_string()).collect();
    let variants = ["original", &collected.variant];
    let both = |figure: &dyn Fn(&crate::Resources) -> u32| {
        let resources = program.resources.iter().filter(|resources| variants.contains(&&*resources.variant));
        resources.map(|resources| figure(resources).to_string()).collect::<Vec<_>>().join(" -> ")
    };
    let Resource { before, after } = program.paper.registers;
    let shared = program.paper.shared_bytes;
    vec![
        program.program.clone(),
        collected.variant.clone(),
        program.input.clone(),
        grouped(u64::from(program.grid)),
        lines.join(", "),
        collected.context_bytes.to_string(),
        (shared.after - shared.before).to_string(),
        both(&|resources| resources.shared_bytes),
        both(&|resources| resources.registers),
        format!("{before} -> {after}"),
        format!("{:.0} -> {:.0} %", 100.0 * collected.occupancy.before, 100.0 * collected.occupancy.after),
        format!("{:.0} %", 100.0 * collected.occupancy.by_shared_memory),
    ]
}
