//! The report of `pxrw cpu`: which kernels were translated, and why others were not.

use std::fmt::Write as _;

use serde::Serialize;

use super::lanes::LanesEntry;
use super::ssde::PlaceEntry;

/// The report of `pxrw cpu`.
#[derive(Debug, Serialize)]
pub(crate) struct CpuReport {
    pub(crate) kernels: Vec<KernelEntry>,
    /// The reasons why kernels were not translated.
    pub(crate) refusals: Vec<RefusalEntry>,
    /// The assumptions of the translation, a sentence for each.
    pub(crate) notes: Vec<String>,
    /// The files that were written.
    pub(crate) written: Vec<String>,
}

/// A kernel that was to be translated.
#[derive(Debug, Serialize)]
pub(crate) struct KernelEntry {
    pub(crate) name: String,
    pub(crate) status: Status,
    /// The C function that launches it; `null` if it was refused.
    pub(crate) function: Option<String>,
    /// The size of its parameters in bytes; `null` if it was refused.
    pub(crate) param_bytes: Option<u64>,
    /// What is known of the lanes of its warps, with `--explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) lanes: Option<LanesEntry>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Status {
    Translated,
    Refused,
}

/// An instruction or declaration that is not translated.
#[derive(Debug, Serialize)]
pub(crate) struct RefusalEntry {
    /// The kernel or function that it is in.
    pub(crate) kernel: String,
    #[serde(flatten)]
    pub(crate) at: PlaceEntry,
    /// The instruction, or the name of what is declared.
    pub(crate) what: String,
    pub(crate) reason: String,
}

impl CpuReport {
    /// Returns true if a kernel was not translated.
    pub(crate) fn is_incomplete(&self) -> bool {
        self.kernels.iter().any(|kernel| kernel.status == Status::Refused)
    }

    /// The report for people. The reasons of refusals are messages of their own.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for kernel in &self.kernels {
            // Writing to a string does not fail.
            let _ = match &kernel.function {
                Some(function) => writeln!(text, "{}: translated, launched by `{function}`", kernel.name),
                None => writeln!(text, "{}: refused", kernel.name),
            };
            if let Some(lanes) = &kernel.lanes {
                text += &lanes.text();
            }
        }
        self.written.iter().for_each(|file| {
            let _ = writeln!(text, "wrote {file}");
        });
        text
    }
}
