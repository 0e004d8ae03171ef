//! The result of `pxrw ssde --verify`: the JSON form, and the summary for people.

use std::fmt::Write as _;

use serde::Serialize;

/// The report of `pxrw ssde --verify`.
#[derive(Debug, Serialize)]
pub(crate) struct VerifyReport {
    /// The problem outside of kernels; `None` if there is none.
    pub(crate) outside: Option<String>,
    pub(crate) kernels: Vec<VerifiedKernel>,
}

/// One kernel.
#[derive(Debug, Serialize)]
pub(crate) struct VerifiedKernel {
    pub(crate) name: String,
    /// True for a function that kernels call.
    pub(crate) function: bool,
    /// True if its text is another.
    pub(crate) changed: bool,
    /// True if it does what it did.
    pub(crate) faithful: bool,
    /// The reason why it is not faithful.
    pub(crate) reason: Option<String>,
    /// The place in the input at which this shows.
    pub(crate) before: Option<String>,
    /// The place in the output at which this shows.
    pub(crate) after: Option<String>,
    /// The number of its loops that may deadlock. `None` if `--kernel` named another kernel: then its loops were not checked.
    pub(crate) findings: Option<usize>,
    /// The number of its branches at which lanes may part that then wait for each other at barriers. 0 without `--strict`: whole warps are assumed to take one way.
    pub(crate) branches: usize,
    /// By how many calls a function may call itself until another lane frees it. 0 without `--strict`.
    pub(crate) calls: usize,
}

impl VerifiedKernel {
    /// Returns true if the rewrite is faithful and leaves nothing that may deadlock.
    fn is_done(&self) -> bool {
        self.faithful && self.findings.unwrap_or(0) == 0 && self.branches == 0 && self.calls == 0
    }
}

impl VerifyReport {
    /// Returns true if all kernels do what they did, and nothing is found in any.
    pub(crate) fn is_faithful(&self) -> bool {
        self.outside.is_none() && self.kernels.iter().all(VerifiedKernel::is_done)
    }

    /// A line for each kernel.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        if let Some(what) = &self.outside {
            // Writing to a string does not fail.
            let _ = writeln!(text, "no: {what}");
        }
        for VerifiedKernel { name, function, changed, reason, before, after, findings, branches, calls, .. } in
            &self.kernels
        {
            let mut said = match (reason, changed) {
                (Some(reason), _) => format!("no, {reason}"),
                (None, true) => "yes, it does what it did".to_owned(),
                (None, false) => "yes, unchanged".to_owned(),
            };
            if let (Some(before), Some(after)) = (before, after) {
                said += &format!(" (input {before}, output {after})");
            }
            said += match findings {
                None => "; it was not named, and its loops are not looked at",
                Some(0) if *branches > 0 => "; branches are found in it whose lanes may deadlock",
                Some(0) if *calls > 0 => "; recursive calls are found in it that may deadlock",
                Some(0) => "; nothing is found in it",
                Some(_) => "; loops are found in it that may deadlock",
            };
            let kind = if *function { "function" } else { "kernel" };
            let _ = writeln!(text, "{kind} {name}: {said}");
        }
        text
    }
}
