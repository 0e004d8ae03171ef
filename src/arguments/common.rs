//! Options that commands share, and the forms of what they write.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::target;

/// Options that commands share.
#[derive(Args, Debug)]
pub(crate) struct Common {
    /// The GPU architecture to compile for
    #[arg(long, default_value = "sm_90", value_parser = arch)]
    pub(crate) arch: String,
    /// Form of the report
    #[arg(long, value_enum, default_value_t = ReportForm::Text)]
    pub(crate) report: ReportForm,
    /// An existing CUDA toolkit: its root, its bin folder, or an nvcc
    #[arg(long, value_name = "PATH")]
    pub(crate) cuda_path: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Emit {
    /// PTX text
    Ptx,
    /// A cubin, assembled by ptxas
    Cubin,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportForm {
    /// For people
    Text,
    /// For programs
    Json,
}

/// The form of the report of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RunReportForm {
    /// For people
    Text,
    /// For programs: all counts, per line, block of code and class
    Json,
    /// The source with the cost of each line; PTX where there is no source
    Listing,
}

/// A check of accesses to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckName {
    /// Accesses by different threads that no barrier, fence or lock orders
    Races,
    /// Reads of memory that nobody has written
    Uninitialised,
}

/// Reads `sm_90`, `sm_90a`, `sm_100f`.
pub(super) fn arch(text: &str) -> Result<String, String> {
    match target::number(text) {
        Some(_) => Ok(text.to_owned()),
        None => Err("an architecture looks like `sm_90`".to_owned()),
    }
}
