//! The findings of `pxrw lint`: the JSON form, and the summary for people.

use std::fmt::Write as _;

use serde::Serialize;
use ssde_ptx::{Assumption, Lockstep};

use super::ssde::{BothWaysEntry, LoopEntry, PlaceEntry, RecursionEntry};

/// The report of `pxrw lint`.
#[derive(Debug, Default, Serialize)]
pub(crate) struct LintReport {
    pub(crate) files: Vec<FileEntry>,
    /// Not in the report where everything could be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) unreadable: Vec<UnreadableEntry>,
}

/// An input that could not be read or compiled.
#[derive(Debug, Serialize)]
pub(crate) struct UnreadableEntry {
    /// `None` for a folder, whose errors name it.
    pub(crate) file: Option<String>,
    pub(crate) errors: Vec<String>,
}

/// One file.
#[derive(Debug, Serialize)]
pub(crate) struct FileEntry {
    pub(crate) file: String,
    /// The architecture of its `.target`.
    pub(crate) target: String,
    /// True if loops that wait hang on every chip: true of targets before sm_70.
    pub(crate) every_chip: bool,
    pub(crate) kernels: Vec<KernelEntry>,
    /// Regions marked by directives that cannot be collected.
    pub(crate) directives: Vec<DirectiveEntry>,
    /// The assumptions about memory under which the other regions can be collected.
    pub(crate) assumptions: Vec<DirectiveEntry>,
}

/// One kernel or function.
#[derive(Debug, Serialize)]
pub(crate) struct KernelEntry {
    pub(crate) name: String,
    pub(crate) function: bool,
    /// Loops that may deadlock.
    pub(crate) loops: Vec<LoopEntry>,
    /// The assumptions about other loops.
    pub(crate) assumptions: Vec<Assumption<PlaceEntry>>,
    /// The branches with barriers on both ways that whole warps are assumed to take.
    pub(crate) both_ways: Vec<BothWaysEntry>,
    /// The calls by which a function is assumed not to wait for others.
    pub(crate) recursions: Vec<RecursionEntry>,
    /// The reason why `pxrw ssde` would leave the kernel as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) refused: Option<String>,
    /// Loops that need lanes in lockstep.
    pub(crate) lockstep: Vec<Lockstep<PlaceEntry>>,
    /// Accesses that are right only where the lanes of a warp run in lockstep.
    pub(crate) implicit: Vec<ImplicitEntry>,
    /// Calls behind which nothing could be looked at, and why.
    pub(crate) calls_kept: Vec<KeptEntry>,
}

/// An access whose order with that of another lane only lockstep decides.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct ImplicitEntry {
    /// The access that has to come last.
    #[serde(flatten)]
    pub(crate) at: PlaceEntry,
    /// The one that has to come first.
    pub(crate) first: PlaceEntry,
    /// `flow`: it reads what another lane stores there; `anti`: it overwrites what another lane reads there.
    pub(crate) kind: &'static str,
    /// The lane of this access against that of the first one: `<` where that one is lower, `>` where it is higher, `*` for both.
    pub(crate) lanes: &'static str,
}

/// A call that was not looked into.
#[derive(Debug, Serialize)]
pub(crate) struct KeptEntry {
    pub(crate) ptx_line: u32,
    pub(crate) why: String,
}

/// A region that cannot be collected, or what is assumed of one that can.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct DirectiveEntry {
    #[serde(flatten)]
    pub(crate) at: PlaceEntry,
    pub(crate) message: String,
    pub(crate) help: String,
}

impl FileEntry {
    /// Returns how many loops may deadlock.
    pub(crate) fn waits(&self) -> usize {
        self.kernels.iter().map(|kernel| kernel.loops.len()).sum()
    }

    /// Returns how many loops need lockstep.
    fn lockstep(&self) -> usize {
        self.kernels.iter().map(|kernel| kernel.lockstep.len()).sum()
    }
}

impl FileEntry {
    /// Returns how many accesses rely on lockstep.
    fn implicit(&self) -> usize {
        self.kernels.iter().map(|kernel| kernel.implicit.len()).sum()
    }

    /// How much was found of each kind.
    fn counts(&self) -> [usize; 4] {
        [self.waits(), self.lockstep(), self.implicit(), self.directives.len()]
    }
}

impl LintReport {
    /// Returns how much was found.
    pub(crate) fn found(&self) -> usize {
        self.files.iter().flat_map(FileEntry::counts).sum()
    }

    /// A line for each file, and one for all if there are several.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for file in &self.files {
            let found = found(file.counts());
            let kernels = file.kernels.iter().filter(|kernel| !kernel.function).count();
            // Writing to a string does not fail.
            let _ = writeln!(text, "{}: {}, target {}: {found}", file.file, counted(kernels, "kernel"), file.target);
        }
        let inputs = self.files.len() + self.unreadable.len();
        if inputs > 1 {
            let mut sums = [0; 4];
            for counts in self.files.iter().map(FileEntry::counts) {
                sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
            }
            let found = found(sums);
            let unreadable = match self.unreadable.len() {
                0 => String::new(),
                count => format!("; {count} could not be read"),
            };
            let _ = writeln!(text, "{}: {found}{unreadable}", counted(inputs, "file"));
        }
        text
    }
}

/// The numbers of loops that may deadlock, of loops that need lockstep, of accesses that rely on it, and of paths that cannot be collected, in words.
fn found(counts: [usize; 4]) -> String {
    const WORDS: [[&str; 2]; 4] = [
        ["loop may deadlock", "loops may deadlock"],
        ["loop needs lockstep", "loops need lockstep"],
        ["access relies on lockstep", "accesses rely on lockstep"],
        ["marked path cannot be collected", "marked paths cannot be collected"],
    ];
    let parts = counts.into_iter().zip(WORDS).filter(|(count, _)| *count > 0);
    let parts: Vec<String> =
        parts.map(|(count, [one, several])| format!("{count} {}", if count == 1 { one } else { several })).collect();
    if parts.is_empty() { "nothing found".to_owned() } else { parts.join(", ") }
}

/// `1 file`, `2 files`.
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
