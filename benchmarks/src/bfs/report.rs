//! The report of the suite: the JSON object of `pxrw bench bfs`, and its text, one line per level with the variants side by side.

use std::fmt::Write;

use comfy_table::{CellAlignment, Table, presets};
use device::RunReport;
use serde::Serialize;

use crate::document::{Document, grouped, percent};
use crate::variant::Resources;

/// The measurement of one variant of a program in one launch, or in all launches of a search.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The program.
    pub program: String,
    /// `original`, or the rewrite.
    pub variant: String,
    /// The level of the search that was visited; none for all levels together.
    pub level: Option<u32>,
    /// The number of vertices the level has.
    pub frontier: usize,
    /// True if the result is the CPU's.
    pub results_equal: bool,
    /// The first difference, if there is one.
    pub difference: Option<String>,
    /// The device's report; its keys stand beside those above.
    #[serde(flatten)]
    pub run: RunReport,
}

/// The input of a graph suite.
#[derive(Clone, Debug, Serialize)]
pub struct GraphSummary {
    /// The file, or what was generated.
    pub name: String,
    /// The number of vertices.
    pub vertices: u32,
    /// The number of directed edges.
    pub edges: usize,
    /// The vertex where the search starts.
    pub source: u32,
    /// The number of vertices it reaches.
    pub reached: usize,
    /// The number of levels that takes.
    pub levels: u32,
}

/// The result of a suite.
#[derive(Clone, Debug, Serialize)]
pub struct SuiteReport {
    /// The suite's name.
    pub suite: String,
    /// The device's.
    pub device: String,
    /// The architecture that the kernels were compiled for.
    pub arch: String,
    /// The input.
    pub graph: GraphSummary,
    /// Blocks per launch.
    pub grid: u32,
    /// Threads per block.
    pub block: u32,
    /// The resources of each variant.
    pub resources: Vec<Resources>,
    /// Notes for the reader on the input or the launch.
    pub notes: Vec<String>,
    /// The measurements.
    pub rows: Vec<Row>,
}

impl SuiteReport {
    /// Returns true if every variant computed what the CPU did.
    #[must_use]
    pub fn results_equal(&self) -> bool {
        self.rows.iter().all(|row| row.results_equal)
    }
}

impl SuiteReport {
    /// The report as text, with lines that end in `\n` and tables of any width.
    #[must_use]
    pub fn to_text(&self) -> String {
        self.document().to_text(None)
    }

    /// The report for a reader: lines and tables.
    #[must_use]
    pub fn document(&self) -> Document {
        let mut text = Document::default();
        let graph = &self.graph;
        // Writing to a document cannot fail.
        let _ = writeln!(
            text,
            "{} on {}: {} vertices, {} edges; from vertex {}, {} vertices in {} levels",
            self.suite,
            graph.name,
            grouped(u64::from(graph.vertices)),
            grouped(graph.edges as u64),
            graph.source,
            grouped(graph.reached as u64),
            graph.levels
        );
        let _ = writeln!(text, "device: {}, compiled for {}", self.device, self.arch);
        for note in &self.notes {
            let _ = writeln!(text, "note: {note}");
        }
        text.table(table(self), 3);
        for line in closing(self) {
            let _ = writeln!(text, "{line}");
        }
        text
    }

    fn variants(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for row in &self.rows {
            if !names.contains(&row.variant.as_str()) {
                names.push(&row.variant);
            }
        }
        names
    }

    /// The rows of one machine and level by variant, in the order in which they appear.
    fn groups(&self) -> Vec<Vec<&Row>> {
        let mut groups: Vec<Vec<&Row>> = Vec::new();
        for row in &self.rows {
            let same = |other: &Row| other.run.machine == row.run.machine && other.level == row.level;
            match groups.iter_mut().find(|group| group.first().is_some_and(|first| same(first))) {
                Some(group) => group.push(row),
                None => groups.push(vec![row]),
            }
        }
        // A variant that went on longer than the first one has its levels behind the total: sort them in.
        let machines = groups.iter().map(|group| group[0].run.machine.clone()).collect::<Vec<_>>();
        let place = |row: &Row| machines.iter().position(|machine| *machine == row.run.machine);
        groups.sort_by_key(|group| (place(group[0]), group[0].level.unwrap_or(u32::MAX)));
        groups
    }
}

fn table(report: &SuiteReport) -> Table {
    let variants = report.variants();
    let mut table = Table::new();
    table.load_preset(presets::UTF8_FULL_CONDENSED);
    let mut head = ["machine", "level", "vertices"].map(|word| format!("\n\n\n{word}")).to_vec();
    for measure in ["warp\nexecution\nefficiency", "\nwarp\ninstructions", "issue\ncycles\n(modelled)"] {
        head.extend(variants.iter().map(|variant| format!("{measure}\n{variant}")));
    }
    head.push("\nresult\nas the\nCPU's".into());
    table.set_header(head);
    for group in report.groups() {
        table.add_row(line(&group, &variants));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn line(group: &[&Row], variants: &[&str]) -> Vec<String> {
    let machine = group[0].run.machine.clone().unwrap_or_else(|| "hardware".into());
    let level = group[0].level.map_or_else(|| "all".into(), |level| level.to_string());
    let mut cells = vec![machine, level, grouped(group[0].frontier as u64)];
    let rows = || variants.iter().map(|variant| group.iter().find(|row| row.variant == *variant));
    for row in rows() {
        cells.push(measured(row.map(|row| row.run.counts.warp_execution_efficiency()), percent));
    }
    for row in rows() {
        cells.push(measured(row.map(|row| row.run.counts.warp_instructions), grouped));
    }
    for row in rows() {
        cells.push(measured(row.map(|row| row.run.counts.issue_cycles), |cycles| grouped(cycles.round() as u64)));
    }
    let wrong: Vec<&str> = group.iter().filter(|row| !row.results_equal).map(|row| row.variant.as_str()).collect();
    cells.push(if wrong.is_empty() { "yes".into() } else { format!("NO: {}", wrong.join(", ")) });
    cells
}

/// A figure, `not measured` where the device has none, and nothing where the variant did not come this far.
fn measured<T>(figure: Option<Option<T>>, show: impl Fn(T) -> String) -> String {
    match figure {
        None => String::new(),
        Some(None) => "not measured".into(),
        Some(Some(figure)) => show(figure),
    }
}

/// Returns what ptxas says, what went wrong, and per machine what each rewrite changed in all.
fn closing(report: &SuiteReport) -> Vec<String> {
    let mut lines = Vec::new();
    for resources in &report.resources {
        let spills = match resources.spill_bytes {
            0 => String::new(),
            bytes => format!(", {bytes} bytes spilled"),
        };
        lines.push(format!(
            "{}: {} registers per thread, {} bytes of shared memory per block{spills}",
            resources.variant,
            resources.registers,
            grouped(u64::from(resources.shared_bytes))
        ));
    }
    for row in report.rows.iter().filter(|row| row.level.is_some()) {
        if let Some(difference) = &row.difference {
            let at = row.run.line.map_or_else(String::new, |line| format!(", line {line}"));
            let machine = row.run.machine.as_deref().unwrap_or("hardware");
            let level = row.level.unwrap_or_default();
            lines.push(format!("WRONG: {} on {machine}, level {level}{at}: {difference}", row.variant));
        }
    }
    let totals: Vec<&Row> = report.rows.iter().filter(|row| row.level.is_none()).collect();
    for total in &totals {
        let before = totals.iter().find(|other| other.run.machine == total.run.machine);
        if let Some(before) = before.filter(|before| before.variant != total.variant) {
            lines.extend(change(before, total));
        }
    }
    lines
}

/// `stack, original to ccc: warp execution efficiency 30.1 % to 71.5 %, warp instructions -20.3 %, …`
fn change(before: &Row, after: &Row) -> Option<String> {
    let (old, new) = (&before.run.counts, &after.run.counts);
    let machine = after.run.machine.as_deref().unwrap_or("hardware");
    let efficiency = (old.warp_execution_efficiency()?, new.warp_execution_efficiency()?);
    let mut line = format!(
        "{machine}, {} to {}: warp execution efficiency {} to {} ({} points)",
        before.variant,
        after.variant,
        percent(efficiency.0),
        percent(efficiency.1),
        signed(100.0 * (efficiency.1 - efficiency.0))
    );
    let counts = [
        ("warp instructions", old.warp_instructions.map(|n| n as f64), new.warp_instructions.map(|n| n as f64)),
        ("issue cycles (modelled)", old.issue_cycles, new.issue_cycles),
        ("sectors", old.sectors.map(|n| n as f64), new.sectors.map(|n| n as f64)),
    ];
    for (name, old, new) in counts {
        if let (Some(old), Some(new)) = (old.filter(|&old| old > 0.0), new) {
            let _ = write!(line, ", {name} {} %", signed(100.0 * (new / old - 1.0)));
        }
    }
    Some(line)
}

/// A change with its sign and one digit behind the point; what rounds to nothing is `+0.0`, never `-0.0`.
fn signed(change: f64) -> String {
    format!("{:+.1}", (10.0 * change).round() / 10.0 + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_have_a_sign_unless_there_is_none() {
        assert_eq!([12.34, -12.36, 0.04, -0.04, 0.0].map(signed), ["+12.3", "-12.4", "+0.0", "+0.0", "+0.0"]);
    }
}
