//! The suite's report as text: what warps did, and what the kernels take, with the paper's figures beside ours.

use std::fmt::Write;

use comfy_table::{CellAlignment, Table, presets};

use super::paper::{Paper, Resource};
use super::report::{CccReport, CccRow, Change, ProgramReport};
use crate::render::{grouped, percent};

impl CccReport {
    /// The report as text, with lines that end in `\n`.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "CCC paper's programs on {}, compiled for {}, blocks of {} threads",
            self.device, self.arch, self.block
        );
        let _ = writeln!(text, "paper: MICRO 2015, on a GeForce GTX 780 with larger inputs; its speedup is of time\n");
        let _ = writeln!(text, "{}", self.executions());
        for machine in self.machines() {
            if let Some(line) = self.average(&machine) {
                let _ = writeln!(text, "{line}");
            }
        }
        let _ = writeln!(text, "\n{}", self.resources());
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
            "machine",
            "warp execution\nefficiency",
            "\npaper's",
            "warp instructions\noriginal",
            "\nccc",
            "issue\nspeedup",
            "paper's\nspeedup",
            "result as\nthe CPU's",
        ]);
        for program in &self.programs {
            for (before, after) in pairs(program) {
                table.add_row(execution(program, before, after));
            }
        }
        table.column_iter_mut().skip(2).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
        table
    }

    fn resources(&self) -> Table {
        let mut table = Table::new();
        table.load_preset(presets::UTF8_FULL_CONDENSED);
        table.set_header([
            "program",
            "input",
            "blocks",
            "marked\nlines",
            "context bytes\nper thread",
            "\npaper's",
            "shared bytes\nper block",
            "registers\nper thread",
            "\npaper's",
        ]);
        for program in &self.programs {
            table.add_row(taken(program));
        }
        table.column_iter_mut().skip(2).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
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
            .flat_map(pairs)
            .filter(|(before, _)| machine(before) == on)
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

/// The rows of a program two by two: original and rewritten.
fn pairs(program: &ProgramReport) -> impl Iterator<Item = (&CccRow, &CccRow)> {
    program.rows.as_chunks::<2>().0.iter().map(|[before, after]| (before, after))
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

fn taken(program: &ProgramReport) -> Vec<String> {
    let lines: Vec<String> = program.regions.iter().map(|region| region.line.to_string()).collect();
    let both = |figure: &dyn Fn(&crate::Resources) -> u32| {
        program.resources.iter().map(|resources| figure(resources).to_string()).collect::<Vec<_>>().join(" -> ")
    };
    let Resource { before, after } = program.paper.registers;
    let shared = program.paper.shared_bytes;
    vec![
        program.program.clone(),
        program.input.clone(),
        grouped(u64::from(program.grid)),
        lines.join(", "),
        program.context_bytes.to_string(),
        (shared.after - shared.before).to_string(),
        both(&|resources| resources.shared_bytes),
        both(&|resources| resources.registers),
        format!("{before} -> {after}"),
    ]
}
