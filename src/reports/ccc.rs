//! What collaborative context collection did to a file: the JSON form, and the same as text.

use std::fmt::Write as _;

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
    /// What became of `#CCC grid`; `null` where the kernel has none.
    pub(crate) grid: Option<GridEntry>,
    pub(crate) regions: Vec<RegionEntry>,
    /// Static shared memory per block, in bytes.
    pub(crate) shared_bytes_before: u64,
    pub(crate) shared_bytes: u64,
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

/// A kernel's `#CCC grid`.
#[derive(Debug, Serialize)]
pub(crate) struct GridEntry {
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) status: RegionStatus,
    pub(crate) reason: Option<String>,
    pub(crate) help: Option<String>,
}

/// One marked region.
#[derive(Debug, Serialize)]
pub(crate) struct RegionEntry {
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) loop_line: Option<u32>,
    /// What is assumed of memory: that these two accesses never meet.
    pub(crate) assumptions: Vec<AssumptionEntry>,
    /// True if what follows the path in its iteration is run with it, because it depends on it.
    pub(crate) extended: bool,
    /// True if it is a loop that is run step by step.
    pub(crate) steps: bool,
    /// The line of the path that it lies in, if that one is collected too.
    pub(crate) outer_line: Option<u32>,
    pub(crate) status: RegionStatus,
    pub(crate) reason: Option<String>,
    pub(crate) help: Option<String>,
    /// True for a refused copy of a path of which the compiler made several in one loop and another one is rewritten.
    pub(crate) copy_is_rewritten: bool,
    pub(crate) context: Vec<ContextEntry>,
    pub(crate) recomputed: Vec<RecomputedEntry>,
    pub(crate) reductions: Vec<ReductionEntry>,
    pub(crate) hoisted: Vec<HoistedEntry>,
    /// Whether idle lanes share what is left of a task; `null` for a path that is not run in steps.
    pub(crate) sharing: Option<SharingEntry>,
    /// What computing them takes each time the path runs, in units of a 32-bit addition.
    pub(crate) operations: u64,
    pub(crate) context_bytes: u32,
    /// What the context would be if nothing were computed from it.
    pub(crate) uncompressed_bytes: u32,
    pub(crate) stack_bytes: u64,
    /// What collecting it is worth; `null` for one that is refused.
    pub(crate) rank: Option<RankEntry>,
}

/// Two accesses of one iteration, one in the path and one behind it, of which it is not known that they access different memory.
#[derive(Debug, Serialize)]
pub(crate) struct AssumptionEntry {
    /// For people, with both places.
    pub(crate) message: String,
    pub(crate) path: AccessEntry,
    pub(crate) rest: AccessEntry,
}

/// An access to memory.
#[derive(Debug, Serialize)]
pub(crate) struct AccessEntry {
    /// What it does to which variable or parameter: ``the store to `out` ``; the instruction where that is not known.
    pub(crate) access: String,
    /// The variable, parameter or function; `null` where it is not known.
    pub(crate) object: Option<String>,
    pub(crate) opcode: String,
    pub(crate) file: String,
    /// 0 where it is not known.
    pub(crate) line: u32,
    /// The line of the PTX text that was rewritten.
    pub(crate) ptx_line: u32,
}

impl AccessEntry {
    /// The access with its place.
    pub(crate) fn placed(&self) -> String {
        match self.line {
            0 => format!("{} at line {} of the PTX", self.access, self.ptx_line),
            line => format!("{} at {}:{line}", self.access, self.file),
        }
    }
}

/// What collecting a region is worth, beside the others of its loop.
#[derive(Debug, Serialize)]
pub(crate) struct RankEntry {
    /// From 1, the costliest of the loop.
    pub(crate) place: usize,
    /// The number of the loop's regions that have a place.
    pub(crate) of: usize,
    /// Issue cycles that a run takes a warp (modelled): 32 lanes over the throughput of each instruction.
    pub(crate) cost: f64,
    /// Runs that collecting saves, per iteration of a warp.
    pub(crate) rarity: f64,
    /// `profile`, `directive`, or `even` where nothing is known.
    pub(crate) rarity_from: String,
}

/// What became of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum RegionStatus {
    Rewritten,
    Refused,
    LeftOut,
}

/// One value of a context.
#[derive(Debug, Serialize)]
pub(crate) struct ContextEntry {
    pub(crate) register: String,
    #[serde(rename = "type")]
    pub(crate) ty: String,
    pub(crate) bytes: u32,
    pub(crate) why: String,
    /// Why the path does not compute it; `null` without compression, and for special registers.
    pub(crate) stored: Option<String>,
}

/// One value that the path computes from the context.
#[derive(Debug, Serialize)]
pub(crate) struct RecomputedEntry {
    pub(crate) register: String,
    #[serde(rename = "type")]
    pub(crate) ty: String,
    /// The registers from which it is computed: those of the context first, then those that every lane knows.
    pub(crate) from: Vec<String>,
    /// Operations, those that it shares with others included.
    pub(crate) operations: u64,
}

/// One load that is executed before the path.
#[derive(Debug, Serialize)]
pub(crate) struct HoistedEntry {
    pub(crate) register: String,
    /// By which the context grows for it.
    pub(crate) bytes: u32,
    /// Of 32 bytes, for 32 neighbouring lanes; `null` where it is not known.
    pub(crate) sectors: Option<u32>,
    pub(crate) file: String,
    pub(crate) line: u32,
}

/// Whether idle lanes share what is left of a task of steps.
#[derive(Debug, Serialize)]
pub(crate) struct SharingEntry {
    pub(crate) shared: bool,
    /// Why not.
    pub(crate) reason: Option<String>,
}

/// One accumulator that the path adds to.
#[derive(Debug, Serialize)]
pub(crate) struct ReductionEntry {
    pub(crate) register: String,
    pub(crate) operator: String,
    #[serde(rename = "type")]
    pub(crate) ty: String,
    /// True if the result can differ in the last bits, because floats are added or multiplied in another order.
    pub(crate) reordered: bool,
}

impl CccReport {
    /// Returns true if every directive was carried out, but for paths that are left out for the sake of costlier ones.
    pub(crate) fn is_complete(&self) -> bool {
        let done = |region: &RegionEntry| {
            region.status == RegionStatus::Rewritten
                || region.copy_is_rewritten
                || (region.status == RegionStatus::LeftOut && region.rank.is_some())
        };
        let complete = |kernel: &KernelEntry| {
            let mut grid = kernel.grid.iter().map(|grid| grid.status);
            grid.all(|status| status == RegionStatus::Rewritten) && kernel.regions.iter().all(done)
        };
        self.kernels.iter().all(complete)
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
        if let Some(grid) = &self.grid {
            match &grid.reason {
                None => writeln!(out, "  grid line {}: the first blocks do the work of all", grid.line)?,
                Some(reason) => writeln!(out, "  grid line {}: refused: {reason}", grid.line)?,
            }
        }
        // The compiler may have copied a path: of copies that have the same fate, one is shown.
        let mut shown: Vec<(String, usize)> = Vec::new();
        for region in &self.regions {
            let mut text = String::new();
            region.write(&mut text)?;
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
        if !self.regions.iter().any(|region| region.status == RegionStatus::Rewritten) {
            let repeats = self.grid.as_ref().is_some_and(|grid| grid.status == RegionStatus::Rewritten);
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
            "  shared memory  {} -> {} bytes per block of {} threads{assumed}",
            self.shared_bytes_before, self.shared_bytes, self.block
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

impl RegionEntry {
    fn write(&self, out: &mut String) -> std::fmt::Result {
        let status = match self.status {
            RegionStatus::Rewritten => "rewritten",
            RegionStatus::Refused => "refused",
            RegionStatus::LeftOut => "left out",
        };
        write!(out, "  {}:{}  {status}", self.file, self.line)?;
        if self.steps {
            write!(out, ", step by step")?;
        }
        if let Some(outer) = self.outer_line {
            write!(out, ", in the path of line {outer}")?;
        }
        match (&self.reason, self.status) {
            (Some(reason), _) if self.copy_is_rewritten => {
                writeln!(out, ", of a path that the compiler copied and of which another copy is rewritten: {reason}")?;
            }
            (Some(reason), _) => writeln!(out, ": {reason}")?,
            (None, _) => {
                write!(out, "; context of {} bytes", self.context_bytes)?;
                if !self.recomputed.is_empty() {
                    write!(out, " ({} without compression)", self.uncompressed_bytes)?;
                }
                writeln!(out, ", stack of {} bytes per block", self.stack_bytes)?;
            }
        }
        if let Some(rank) = self.rank.as_ref().filter(|rank| rank.of > 1) {
            writeln!(
                out,
                "      costliest {} of {}: {:.1} issue cycles (modelled) times rarity {:.2} ({})",
                rank.place, rank.of, rank.cost, rank.rarity, rank.rarity_from
            )?;
        }
        let names = self.context.iter().map(|value| &value.register);
        let names = names.chain(self.recomputed.iter().map(|value| &value.register));
        let names = names.chain(self.reductions.iter().map(|value| &value.register));
        let width = names.map(String::len).max().unwrap_or(0);
        for value in &self.context {
            write!(out, "      {:width$}  {:5}  {:2} bytes  {}", value.register, value.ty, value.bytes, value.why)?;
            match &value.stored {
                Some(reason) => writeln!(out, "; stored: {reason}")?,
                None => writeln!(out)?,
            }
        }
        for value in &self.recomputed {
            let from = if value.from.is_empty() { "constants".to_owned() } else { value.from.join(", ") };
            let operations = if value.operations == 1 { "operation" } else { "operations" };
            writeln!(
                out,
                "      {:width$}  {:5}   recomputed  from {from}, {} {operations}",
                value.register, value.ty, value.operations
            )?;
        }
        for load in &self.hoisted {
            let sectors = load.sectors.map_or_else(|| "an unknown number of".to_owned(), |sectors| sectors.to_string());
            writeln!(
                out,
                "      {:width$}  loaded before the path ({}:{}): {sectors} sectors for 32 neighbours, for {} bytes of context",
                load.register, load.file, load.line, load.bytes
            )?;
        }
        if self.extended {
            writeln!(out, "      what follows it in its iteration is run with it, because it depends on it")?;
        }
        for assumption in &self.assumptions {
            writeln!(out, "      {}", assumption.message)?;
        }
        match self.sharing.as_ref().map(|sharing| &sharing.reason) {
            Some(None) => writeln!(out, "      idle lanes share what is left of a task")?,
            Some(Some(reason)) => writeln!(out, "      one lane runs a task to its end: {reason}")?,
            None => {}
        }
        for value in &self.reductions {
            let order = if value.reordered { ", in another order than before: last bits can differ" } else { "" };
            writeln!(
                out,
                "      {:width$}  {:5}   reduced     by {} for the thread of the iteration{order}",
                value.register, value.ty, value.operator
            )?;
        }
        Ok(())
    }
}
