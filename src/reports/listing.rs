//! The source of a kernel with what each line cost: heat, share of the issue cycles, warp instructions, active lanes, and what is
//! remarkable about its branches and accesses.
//!
//! Lines of a file that is at hand are shown as they are, with those around them; of others only the numbers. PTX without
//! `.loc` lines is listed itself.

use std::fmt::Write as _;

use device::RunReport;
use emulator::{Counts, LineCounts};

use super::run::{grouped, percent};

/// Lines around those that have counts.
const AROUND: usize = 2;

/// Lines, from 1, in their order, and their counts.
type Lines = Vec<(usize, Counts)>;

/// A file with the counts of its lines.
struct File {
    name: String,
    text: Option<String>,
    lines: Lines,
}

/// See the module.
pub(crate) struct Listing {
    kernel: String,
    files: Vec<File>,
    /// Issue cycles of the kernel, and of its most expensive line, in sixteenths.
    total: u64,
    most: u64,
}

impl Listing {
    /// The listing of a launch of a kernel by its shown name. `text_of` gives the name and the text of a file, of the PTX for `None`.
    pub(crate) fn of(
        report: &RunReport,
        kernel: &str,
        text_of: impl Fn(Option<&str>) -> (String, Option<String>),
    ) -> Listing {
        let (lines, ptx_lines) =
            report.detail.as_ref().map(|detail| (&detail.lines[..], &detail.ptx_lines[..])).unwrap_or_default();
        let has_source = lines.iter().any(|line| line.site.file.is_some() && line.site.line > 0);
        let mut files: Vec<(Option<&str>, Lines)> = Vec::new();
        let at = |line: &LineCounts| if has_source { line.site.line } else { line.site.ptx_line } as usize;
        for line in if has_source { lines } else { ptx_lines }.iter().filter(|line| line.counts.warp_instructions > 0) {
            let name = line.site.file.as_deref().filter(|_| has_source);
            match files.iter_mut().find(|(known, _)| *known == name) {
                Some((_, lines)) => lines.push((at(line), line.counts)),
                None => files.push((name, vec![(at(line), line.counts)])),
            }
        }
        let mut shown = Vec::new();
        for (file, mut lines) in files {
            // What the compiler made without a line of the source has none to be shown at.
            let (name, text) =
                if has_source && file.is_none() { ("no line of the source".into(), None) } else { text_of(file) };
            lines.sort_by_key(|(line, _)| *line);
            shown.push(File { name, text, lines });
        }
        let all = shown.iter().flat_map(|file| &file.lines).map(|(_, counts)| counts.issue_sixteenths);
        let (total, most) = (all.clone().sum(), all.max().unwrap_or(0));
        Listing { kernel: kernel.to_owned(), files: shown, total, most }
    }

    /// The listing for people.
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        // Writing to a string does not fail.
        let _ = self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) -> std::fmt::Result {
        writeln!(out, "kernel {}: share of the modelled issue cycles, warp instructions, active lanes", self.kernel)?;
        for file in &self.files {
            writeln!(out, "\n{}", file.name)?;
            let texts: Vec<&str> = file.text.as_deref().unwrap_or_default().lines().collect();
            let mut shown = 0;
            for (index, (line, counts)) in file.lines.iter().enumerate() {
                let first = line.saturating_sub(AROUND).max(shown + 1).max(1);
                if shown > 0 && first > shown + 1 && !texts.is_empty() {
                    writeln!(out, "{:47}...", "")?;
                }
                for before in first..*line {
                    self.row(out, None, before, &texts)?;
                }
                self.row(out, Some(counts), *line, &texts)?;
                shown = *line;
                let next = file.lines.get(index + 1).map_or(usize::MAX, |(next, _)| *next);
                for after in (line + 1..next).take(AROUND).filter(|after| *after <= texts.len()) {
                    self.row(out, None, after, &texts)?;
                    shown = after;
                }
            }
        }
        Ok(())
    }

    /// One line: its numbers, if it has any, and its text.
    fn row(&self, out: &mut String, counts: Option<&Counts>, line: usize, texts: &[&str]) -> std::fmt::Result {
        let text = line.checked_sub(1).and_then(|index| texts.get(index)).copied().unwrap_or_default();
        let Some(counts) = counts else {
            return writeln!(out, "{}", format!("{:47}{line:>5}  {text}", "").trim_end());
        };
        let share = counts.issue_sixteenths as f64 / self.total.max(1) as f64;
        let heat = (4 * counts.issue_sixteenths).div_ceil(self.most.max(1)) as usize;
        let (instructions, active) = (grouped(counts.warp_instructions), percent(counts.warp_execution_efficiency()));
        let numbers = format!("{:<5}{:>6} %{instructions:>18}{active:>8} %", "#".repeat(heat.min(4)), percent(share));
        let text = format!("{numbers:<47}{line:>5}  {text}");
        writeln!(out, "{}", text.trim_end())?;
        let remarks = remarks(counts);
        if remarks.is_empty() { Ok(()) } else { writeln!(out, "{:54}^ {}", "", remarks.join(", ")) }
    }
}

/// Returns what is worth knowing about a line besides what it cost.
fn remarks(counts: &Counts) -> Vec<String> {
    let mut remarks = Vec::new();
    if counts.divergent_branches > 0 {
        remarks.push(format!("{} divergent branches", grouped(counts.divergent_branches)));
    }
    if let Some(sectors) =
        counts.sectors_per_request().filter(|_| counts.coalescing().is_some_and(|share| share < 0.95))
    {
        let ideal = counts.ideal_sectors as f64 / counts.traffic.requests as f64;
        remarks.push(format!("{sectors:.1} sectors per access where {ideal:.1} would do"));
    }
    if counts.bank_conflicts() > 0 {
        let per_access = |passes: u64| passes as f64 / counts.traffic.shared_requests.max(1) as f64;
        let (taken, ideal) = (per_access(counts.traffic.shared_wavefronts), per_access(counts.ideal_wavefronts()));
        remarks.push(format!("bank conflicts: {taken:.1} passes per access where {ideal:.1} would do"));
    }
    if counts.traffic.atomics_serialised > 0 {
        remarks.push(format!("{} atomics serialised", grouped(counts.traffic.atomics_serialised)));
    }
    remarks
}
