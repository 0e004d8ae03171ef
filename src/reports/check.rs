//! The findings in PTX files: the JSON form, and its summary.

use serde::{Serialize, Serializer};

use crate::diagnostics::Severity;

/// The report of `pxrw check`.
#[derive(Debug, Serialize)]
pub(crate) struct CheckReport {
    pub(crate) files: Vec<FileEntry>,
}

/// One file.
#[derive(Debug, Serialize)]
pub(crate) struct FileEntry {
    pub(crate) file: String,
    /// Functions with a body; 0 if the file could not be read as PTX.
    pub(crate) kernels: usize,
    pub(crate) instructions: usize,
    pub(crate) findings: Vec<FindingEntry>,
}

/// One finding.
#[derive(Debug, Serialize)]
pub(crate) struct FindingEntry {
    /// Counted from 1; 0 for the file as a whole.
    pub(crate) line: u32,
    /// In characters, counted from 1.
    pub(crate) column: u32,
    #[serde(serialize_with = "level")]
    pub(crate) level: Severity,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

fn level<S: Serializer>(level: &Severity, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match level {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    })
}

impl CheckReport {
    /// Returns how many findings of a level there are.
    pub(crate) fn count(&self, level: Severity) -> usize {
        self.files.iter().flat_map(|file| &file.findings).filter(|finding| finding.level == level).count()
    }

    /// `2 files, 3 kernels, 120 instructions: no errors, 1 warning`
    pub(crate) fn summary(&self) -> String {
        let number = |count: usize, what: &str| match count {
            0 => format!("no {what}s"),
            1 => format!("1 {what}"),
            _ => format!("{count} {what}s"),
        };
        let sum = |of: fn(&FileEntry) -> usize| self.files.iter().map(of).sum();
        // Of a file that could not be read as PTX nothing was counted.
        let is_error = |finding: &FindingEntry| finding.level == Severity::Error;
        let is_unread = |file: &FileEntry| file.kernels == 0 && file.findings.iter().any(is_error);
        let content = match self.files.iter().any(is_unread) {
            true => String::new(),
            false => {
                let kernels = number(sum(|file| file.kernels), "kernel");
                format!(", {kernels}, {}", number(sum(|file| file.instructions), "instruction"))
            }
        };
        format!(
            "{}{content}: {}, {}\n",
            number(self.files.len(), "file"),
            number(self.count(Severity::Error), "error"),
            number(self.count(Severity::Warning), "warning"),
        )
    }
}
