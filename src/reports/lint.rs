//! What `pxrw lint` found: the JSON form, and the summary for people.

use std::fmt::Write as _;

use serde::Serialize;

use super::ssde::{LockstepEntry, LoopEntry, PlaceEntry};

/// The report of `pxrw lint`.
#[derive(Debug, Serialize)]
pub(crate) struct LintReport {
    pub(crate) files: Vec<FileEntry>,
}

/// One file.
#[derive(Debug, Serialize)]
pub(crate) struct FileEntry {
    pub(crate) file: String,
    /// The architecture of its `.target`.
    pub(crate) target: String,
    /// Whether loops that wait hang on every chip: true of targets before sm_70.
    pub(crate) every_chip: bool,
    pub(crate) kernels: Vec<KernelEntry>,
    /// Regions marked by directives that cannot be collected.
    pub(crate) directives: Vec<DirectiveEntry>,
}

/// One kernel or function.
#[derive(Debug, Serialize)]
pub(crate) struct KernelEntry {
    pub(crate) name: String,
    pub(crate) function: bool,
    /// Loops that may deadlock.
    pub(crate) loops: Vec<LoopEntry>,
    /// Loops that need lanes in lockstep.
    pub(crate) lockstep: Vec<LockstepEntry>,
    /// Calls behind which nothing could be looked at, and why.
    pub(crate) calls_kept: Vec<KeptEntry>,
}

/// A call that was not looked into.
#[derive(Debug, Serialize)]
pub(crate) struct KeptEntry {
    pub(crate) ptx_line: u32,
    pub(crate) why: String,
}

/// A region that cannot be collected.
#[derive(Debug, Serialize)]
pub(crate) struct DirectiveEntry {
    #[serde(flatten)]
    pub(crate) at: PlaceEntry,
    pub(crate) message: String,
    pub(crate) help: String,
}

impl FileEntry {
    /// How many loops may deadlock.
    pub(crate) fn waits(&self) -> usize {
        self.kernels.iter().map(|kernel| kernel.loops.len()).sum()
    }

    /// How many loops need lockstep.
    fn lockstep(&self) -> usize {
        self.kernels.iter().map(|kernel| kernel.lockstep.len()).sum()
    }
}

impl LintReport {
    /// How much was found.
    pub(crate) fn found(&self) -> usize {
        self.files.iter().map(|file| file.waits() + file.lockstep() + file.directives.len()).sum()
    }

    /// A line for each file.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for file in &self.files {
            let of = |count: usize, one: &str, several: &str| match count {
                0 => None,
                1 => Some(format!("1 {one}")),
                count => Some(format!("{count} {several}")),
            };
            let parts = [
                of(file.waits(), "loop may deadlock", "loops may deadlock"),
                of(file.lockstep(), "loop needs lockstep", "loops need lockstep"),
                of(file.directives.len(), "marked path cannot be collected", "marked paths cannot be collected"),
            ];
            let parts: Vec<String> = parts.into_iter().flatten().collect();
            let found = if parts.is_empty() { "nothing found".to_owned() } else { parts.join(", ") };
            let kernels = file.kernels.iter().filter(|kernel| !kernel.function).count();
            let kernels = if kernels == 1 { "1 kernel".to_owned() } else { format!("{kernels} kernels") };
            // Writing to a string does not fail.
            let _ = writeln!(text, "{}: {kernels}, target {}: {found}", file.file, file.target);
        }
        text
    }
}
