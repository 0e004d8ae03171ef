//! The findings and rewrites of `pxrw ssde`: the JSON form, and the summary for people.

use std::fmt::Write as _;

use serde::Serialize;
use ssde_ptx::{Assumption, BothWays, Finding, Lockstep, Recursion};

/// The report of `pxrw ssde`.
#[derive(Debug, Serialize)]
pub(crate) struct SsdeReport {
    pub(crate) kernels: Vec<KernelEntry>,
}

/// One kernel or function.
#[derive(Debug, Serialize)]
pub(crate) struct KernelEntry {
    pub(crate) name: String,
    /// True if it is a function that kernels call.
    pub(crate) function: bool,
    /// The reason why none of its calls was looked into; not in the report if they were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) calls_kept: Option<String>,
    /// The functions that its calls which stay lead to, by way of others too.
    #[serde(skip)]
    pub(crate) calls: Vec<String>,
    /// Those of them that loops are found in, and stay.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) found_in_calls: Vec<String>,
    /// The loops that were found.
    pub(crate) loops: Vec<LoopEntry>,
    /// The assumptions about loops that were not found.
    pub(crate) assumptions: Vec<Assumption<PlaceEntry>>,
    /// The branches with barriers on both ways.
    pub(crate) both_ways: Vec<BothWaysEntry>,
    /// The calls by which a function may wait for others.
    pub(crate) recursions: Vec<RecursionEntry>,
    /// The loops that need lanes in lockstep.
    pub(crate) lockstep: Vec<Lockstep<PlaceEntry>>,
    /// True if its loops go round by safe points now.
    pub(crate) rewritten: bool,
    /// True if its calls were replaced by the bodies of what they call.
    pub(crate) inlined: bool,
    /// True if nothing is found in what is there now.
    pub(crate) recheck_clean: bool,
    /// The reason why it was not rewritten.
    pub(crate) reason: Option<String>,
}

/// One loop.
#[derive(Debug, Serialize)]
pub(crate) struct LoopEntry {
    pub(crate) file: String,
    pub(crate) line: u32,
    /// Always true: loops of which nothing was found are not listed.
    pub(crate) finding: bool,
    #[serde(flatten)]
    pub(crate) found: Finding<PlaceEntry>,
}

/// A branch with barriers on both ways, at which lanes of one warp wait for each other.
#[derive(Debug, Serialize)]
pub(crate) struct BothWaysEntry {
    #[serde(flatten)]
    pub(crate) found: BothWays<PlaceEntry>,
    /// True if lanes of one warp are assumed not to part at it.
    pub(crate) assumed: bool,
}

/// A call that leads back to the function that it is in, or that is called by it.
#[derive(Debug, Serialize)]
pub(crate) struct RecursionEntry {
    #[serde(flatten)]
    pub(crate) found: Recursion<PlaceEntry>,
    /// True if the call is assumed to wait for nobody.
    pub(crate) assumed: bool,
}

/// The sentences that say what is assumed of a loop.
pub(crate) fn sentences(assumption: &Assumption<PlaceEntry>) -> Vec<String> {
    let lines = |places: &[PlaceEntry]| {
        let mut lines: Vec<String> = Vec::new();
        for line in places.iter().map(PlaceEntry::shown) {
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        lines.join(", ")
    };
    let about = |places: &[PlaceEntry], before: &str, behind: &str| {
        (!places.is_empty()).then(|| format!("{before}{}{behind}", lines(places)))
    };
    let sentences = [
        about(&assumption.ends, "what it follows or counts comes to an end: ", ""),
        about(&assumption.steps, "lanes do not undo for ever what each of them does at ", ""),
        about(&assumption.apart, "what is stored at ", " is not what it reads"),
        about(&assumption.helps, "the word that holds it up is the one that is compared and swapped at ", ""),
        about(&assumption.ahead, "a slot has a number ahead of the counter only after that was moved on at ", ""),
        about(&assumption.unmarked, "no link is marked where a walk begins: ", ""),
        about(
            &assumption.raced,
            "the PTX ISA promises nothing about what other threads write to the words that it reads, since that is a data race: ",
            "",
        ),
    ];
    sentences.into_iter().flatten().collect()
}

/// An instruction.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct PlaceEntry {
    pub(crate) file: String,
    /// 0 if the compiler did not say it.
    pub(crate) line: u32,
    /// The line of the PTX; 0 if the compiler made it from CUDA and no file has it.
    pub(crate) ptx_line: u32,
}

impl PlaceEntry {
    /// The place for people: CUDA that was compiled without line numbers has the PTX's only.
    pub(crate) fn shown(&self) -> String {
        match (self.line, self.ptx_line) {
            (0, 0) => self.file.clone(),
            (0, line) => format!("line {line} of the PTX of {}", self.file),
            (line, _) => format!("{}:{line}", self.file),
        }
    }
}

impl SsdeReport {
    /// The report of some kernels and functions, each with what is found in others that it calls.
    pub(crate) fn of(mut kernels: Vec<KernelEntry>) -> SsdeReport {
        let found = kernels.iter().filter(|kernel| kernel.function && !kernel.loops.is_empty() && !kernel.rewritten);
        let found: Vec<String> = found.map(|kernel| kernel.name.clone()).collect();
        for kernel in &mut kernels {
            let calls = kernel.calls.iter().filter(|&name| *name != kernel.name && found.contains(name));
            kernel.found_in_calls = calls.cloned().collect();
        }
        SsdeReport { kernels }
    }

    /// Counts the loops that were found, those that need lockstep included. With `--strict`, branches with barriers on both ways count too, and so do functions
    /// that may call themselves until another lane frees them.
    pub(crate) fn found(&self) -> usize {
        let branches = |kernel: &KernelEntry| kernel.both_ways.iter().filter(|branch| !branch.assumed).count();
        let calls = |kernel: &KernelEntry| kernel.recursions.iter().filter(|call| !call.assumed).count();
        let loops = |kernel: &KernelEntry| kernel.loops.len() + kernel.lockstep.len();
        self.kernels.iter().map(|kernel| loops(kernel) + branches(kernel) + calls(kernel)).sum()
    }

    /// Returns true if every kernel is clean now.
    pub(crate) fn is_clean(&self) -> bool {
        self.kernels.iter().all(|kernel| kernel.recheck_clean)
    }

    /// A line for each kernel and function.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for entry in &self.kernels {
            let KernelEntry {
                name,
                function,
                calls_kept,
                loops,
                lockstep,
                rewritten,
                inlined,
                reason,
                recheck_clean,
                ..
            } = entry;
            let left = if *recheck_clean { "nothing" } else { "no loop" };
            let assumed = match entry.assumptions.len() {
                0 => String::new(),
                1 => ", 1 loop is assumed not to wait".to_owned(),
                several => format!(", {several} loops are assumed not to wait"),
            };
            let found = match loops.len() {
                0 if !lockstep.is_empty() => "no loop may deadlock".to_owned(),
                0 => "nothing found".to_owned(),
                1 => "1 loop may deadlock".to_owned(),
                several => format!("{several} loops may deadlock"),
            };
            let done = match (rewritten, reason) {
                (true, _) if *inlined => {
                    format!("; rewritten, with its callees inlined; a second check finds {left}")
                }
                (true, _) => format!("; rewritten; a second check finds {left}"),
                (false, Some(reason)) => format!("; not rewritten: {reason}"),
                (false, None) => String::new(),
            };
            let lanes = match lockstep.len() {
                0 => String::new(),
                1 => ", 1 loop needs lockstep".to_owned(),
                several => format!(", {several} loops need lockstep"),
            };
            let calls = match calls_kept {
                Some(why) => {
                    format!("; its calls are not analysed; the functions that they call are analysed separately: {why}")
                }
                None => String::new(),
            };
            let ways = match entry.both_ways.as_slice() {
                [] => String::new(),
                [BothWaysEntry { assumed: true, .. }] => ", 1 branch is assumed to be uniform in each warp".to_owned(),
                [BothWaysEntry { assumed: true, .. }, ..] => {
                    format!(", {} branches are assumed to be uniform in each warp", entry.both_ways.len())
                }
                [_] => ", 1 branch may separate lanes that wait for each other".to_owned(),
                several => format!(", {} branches may separate lanes that wait for each other", several.len()),
            };
            let again = match entry.recursions.as_slice() {
                [] => "",
                [RecursionEntry { assumed: true, .. }, ..] => ", recursive calls are assumed not to wait",
                _ => ", recursive calls may deadlock",
            };
            let callees = match (entry.found_in_calls.join(", "), loops.len()) {
                (names, _) if names.is_empty() => String::new(),
                (names, 0) => format!(" in it itself, but loops of functions that it calls may deadlock: {names}"),
                (names, _) => format!(", and loops of functions that it calls: {names}"),
            };
            let kind = if *function { "function" } else { "kernel" };
            // Writing to a string does not fail.
            let _ = writeln!(text, "{kind} {name}: {found}{callees}{assumed}{ways}{again}{lanes}{done}{calls}");
        }
        text
    }
}
