//! The effects of collaborative context collection on a file: the command's additions to the JSON form of [`KernelReport`], and all of it
//! as text.

use std::fmt::Write as _;

use ccc::{KernelReport, RegionReport, Status};
use serde::Serialize;

/// The report of `pxrw ccc`.
#[derive(Debug, Serialize)]
pub(crate) struct CccReport {
    pub(crate) arch: String,
    pub(crate) kernels: Vec<KernelEntry>,
}

/// One kernel.
#[derive(Debug, Serialize)]
pub(crate) struct KernelEntry {
    pub(crate) name: String,
    /// The name as C++ writes it, if it was mangled.
    pub(crate) demangled: Option<String>,
    /// The way in which its loops were marked, where something of it is rewritten.
    pub(crate) marking: Option<String>,
    /// The rewriter's report.
    #[serde(flatten)]
    pub(crate) report: KernelReport,
    /// The most dynamic shared memory per block that a launch may have, in bytes: by default, and where it opts in (`cudaFuncSetAttribute`); `null` for an
    /// architecture whose limits are not known.
    pub(crate) dynamic_shared_most: u64,
    pub(crate) dynamic_shared_most_opt_in: Option<u64>,
    /// Per thread, from ptxas; `null` if it was not run.
    pub(crate) registers_before: Option<u32>,
    pub(crate) registers_after: Option<u32>,
    /// Threads per block that occupancy and stack are computed for.
    pub(crate) block: u32,
    /// True if that number was assumed because nobody said it.
    pub(crate) block_assumed: bool,
    /// Resident warps over the most that a multiprocessor holds, 0 to 1; `null` for an architecture whose limits are not known.
    pub(crate) occupancy_before: Option<f64>,
    pub(crate) occupancy_after: Option<f64>,
}

impl CccReport {
    /// Returns true if every directive was carried out, but for paths that are left out for the sake of costlier ones.
    pub(crate) fn is_complete(&self) -> bool {
        let done = |region: &RegionReport| match &region.status {
            Status::Rewritten => true,
            Status::Refused(_) => region.copy_is_collected,
            Status::LeftOut(_) => region.rank.is_some(),
            Status::Unreached => false,
        };
        let complete = |report: &KernelReport| {
            let mut grid = report.grid.iter().map(|grid| &grid.status);
            grid.all(|status| *status == Status::Rewritten) && report.regions.iter().all(done)
        };
        self.kernels.iter().all(|kernel| complete(&kernel.report))
    }

    /// The report for people.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for kernel in &self.kernels {
            // Writing to a string does not fail.
            let _ = kernel.write(&mut text, &self.arch);
        }
        text
    }
}

impl KernelEntry {
    fn write(&self, out: &mut String, arch: &str) -> std::fmt::Result {
        writeln!(out, "kernel {}", self.demangled.as_deref().unwrap_or(&self.name))?;
        let KernelReport { grid, regions, shared_bytes_before, shared_bytes, .. } = &self.report;
        if let Some(grid) = grid {
            match &grid.reason {
                None => writeln!(out, "  grid line {}: the first blocks do the work of all", grid.line)?,
                Some(reason) => writeln!(out, "  grid line {}: refused: {reason}", grid.line)?,
            }
        }
        // The compiler may have copied a path: of copies that have the same fate, one is shown.
        let mut shown: Vec<(String, usize)> = Vec::new();
        for region in regions {
            let mut text = String::new();
            write_region(region, &mut text)?;
            match shown.iter_mut().find(|(other, _)| *other == text) {
                Some((_, copies)) => *copies += 1,
                None => shown.push((text, 1)),
            }
        }
        for (text, copies) in shown {
            match text.split_once('\n') {
                Some((first, rest)) if copies > 1 => write!(out, "{first} ({copies} copies)\n{rest}")?,
                _ => out.push_str(&text),
            }
        }
        if !regions.iter().any(|region| region.status == Status::Rewritten) {
            let repeats = grid.as_ref().is_some_and(|grid| grid.status == Status::Rewritten);
            return if repeats { Ok(()) } else { writeln!(out, "  unchanged") };
        }
        if let Some(marking) = &self.marking {
            writeln!(out, "  compiled with  {marking}")?;
        }
        let assumed = if self.block_assumed {
            ", assumed; `--block N`, or `block(N)` behind `#CCC for` or `#CCC grid`, says better"
        } else {
            ""
        };
        writeln!(
            out,
            "  shared memory  {shared_bytes_before} -> {shared_bytes} bytes per block of {} threads{assumed}",
            self.block
        )?;
        let opted_in = self
            .dynamic_shared_most_opt_in
            .map_or_else(String::new, |bytes| format!(", {bytes} where it opts in (`cudaFuncSetAttribute`)"));
        writeln!(
            out,
            "  dynamic        a launch may have {} bytes of dynamic shared memory per block{opted_in}",
            self.dynamic_shared_most
        )?;
        let number = |value: Option<u32>| value.map_or_else(|| "not measured".to_owned(), |value| value.to_string());
        writeln!(
            out,
            "  registers      {} -> {} per thread (ptxas, {arch})",
            number(self.registers_before),
            number(self.registers_after)
        )?;
        let share =
            |value: Option<f64>| value.map_or_else(|| "not known".to_owned(), |value| format!("{:.0}%", value * 100.0));
        writeln!(
            out,
            "  occupancy      {} -> {} of a multiprocessor's warps ({arch})",
            share(self.occupancy_before),
            share(self.occupancy_after)
        )
    }
}

/// Writes the lines of one region.
fn write_region(region: &RegionReport, out: &mut String) -> std::fmt::Result {
    let status = match region.status {
        Status::Rewritten => "rewritten",
        Status::Refused(_) => "refused",
        Status::LeftOut(_) | Status::Unreached => "left out",
    };
    write!(out, "  {}:{}  {status}", region.file, region.line)?;
    if region.steps {
        write!(out, ", step by step")?;
    }
    if let Some(outer) = region.outer_line {
        write!(out, ", in the path of line {outer}")?;
    }
    match &region.reason {
        Some(reason) if region.copy_is_collected => {
            writeln!(out, ", of a path that the compiler copied and of which another copy is rewritten: {reason}")?;
        }
        Some(reason) => writeln!(out, ": {reason}")?,
        None => {
            write!(out, "; context of {} bytes", region.context_bytes)?;
            if !region.recomputed.is_empty() {
                write!(out, " ({} without compression)", region.uncompressed_bytes)?;
            }
            writeln!(out, ", stack of {} bytes per block", region.stack_bytes)?;
        }
    }
    if let Some(ranked) = region.ranked.filter(|ranked| ranked.of > 1) {
        let rank = ranked.rank;
        writeln!(
            out,
            "      costliest {} of {}: {:.1} issue cycles (modelled) times rarity {:.2} ({})",
            ranked.place,
            ranked.of,
            rank.cost,
            rank.rarity,
            rank.known.name()
        )?;
    }
    let names = region.context.iter().map(|value| &value.register);
    let names = names.chain(region.recomputed.iter().map(|value| &value.register));
    let names = names.chain(region.reductions.iter().map(|value| &value.register));
    let width = names.map(String::len).max().unwrap_or(0);
    for value in &region.context {
        write!(out, "      {:width$}  {:5}  {:2} bytes  {}", value.register, value.ty, value.bytes, value.why)?;
        match &value.stored {
            Some(reason) => writeln!(out, "; stored: {reason}")?,
            None => writeln!(out)?,
        }
    }
    for value in &region.recomputed {
        let from = if value.from.is_empty() { "constants".to_owned() } else { value.from.join(", ") };
        let operations = if value.operations == 1 { "operation" } else { "operations" };
        writeln!(
            out,
            "      {:width$}  {:5}   recomputed  from {from}, {} {operations}",
            value.register, value.ty, value.operations
        )?;
    }
    for load in &region.hoisted {
        let sectors = load.sectors.map_or_else(|| "an unknown number of".to_owned(), |sectors| sectors.to_string());
        writeln!(
            out,
            "      {:width$}  loaded before the path ({}:{}): {sectors} sectors for 32 neighbours, for {} bytes of context",
            load.register, load.file, load.line, load.bytes
        )?;
    }
    if region.extended {
        writeln!(out, "      what follows it in its iteration is run with it, because it depends on it")?;
    }
    for assumption in &region.assumptions {
        writeln!(out, "      {}", assumption.message)?;
    }
    match region.sharing.as_ref().map(|sharing| &sharing.reason) {
        Some(None) => writeln!(out, "      idle lanes share what is left of a task")?,
        Some(Some(reason)) => writeln!(out, "      one lane runs a task to its end: {reason}")?,
        None => {}
    }
    for value in &region.reductions {
        let order = if value.reordered { ", in another order than before: last bits can differ" } else { "" };
        writeln!(
            out,
            "      {:width$}  {:5}   reduced     by {} for the thread of the iteration{order}",
            value.register, value.ty, value.operator
        )?;
    }
    Ok(())
}
