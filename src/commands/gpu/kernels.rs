//! The kernels that workers are given: in a folder that `--prepare` left, or in one for temporary files, compiled now.

use std::fs;
use std::path::{Path, PathBuf};

use benchmarks::gpu::{Kernels, Options, Rehearsal};
use device::GpuProperties;

use crate::commands::bench::explain;
use crate::diagnostics::Diagnostic;
use crate::failure::Failure;
use crate::input::LazyToolkit;

/// The file in a prepared folder that says how long the host takes for each part.
pub(super) const REHEARSAL: &str = "rehearsal.json";

/// Kernels in a folder.
pub(super) struct Prepared {
    pub(super) kernels: Kernels,
    pub(super) folder: PathBuf,
    /// How long the host takes for each part, where that was tried.
    pub(super) rehearsals: Vec<Rehearsal>,
    /// Removes a folder for temporary files.
    _temporary: Option<tempfile::TempDir>,
}

impl Prepared {
    /// Compiles the kernels of all parts.
    pub(super) fn compile(options: &Options, cuda_path: Option<&PathBuf>) -> Result<Prepared, Failure> {
        let mut toolkit = LazyToolkit::new(cuda_path);
        let kernels =
            Kernels::build(&options.units(), options.block, &options.arch, toolkit.get()?).map_err(explain)?;
        let temporary = tempfile::Builder::new().prefix("pxrw-").tempdir();
        let written = temporary.and_then(|folder| kernels.save(folder.path()).map(|_| folder));
        let folder = written.map_err(|error| Diagnostic::error(format!("cannot write the kernels: {error}")))?;
        let path = folder.path().to_owned();
        Ok(Prepared { kernels, folder: path, rehearsals: Vec::new(), _temporary: Some(folder) })
    }

    /// Reads the kernels of a folder.
    pub(super) fn read(folder: &Path, gpu: &GpuProperties) -> Result<Prepared, Failure> {
        let again =
            "`pxrw bench gpu --prepare FOLDER` makes such a folder, on a machine with a CUDA compiler or a network";
        let kernels = Kernels::load(folder).map_err(|error| Diagnostic::error(error.to_string()).help(again))?;
        let own = gpu.arch();
        if number(&kernels.arch) > number(&own) {
            let title = format!("the kernels were prepared for {}, and this GPU is {own}", kernels.arch);
            return Err(Diagnostic::error(title).help(format!("prepare them with `--arch {own}`")).into());
        }
        // Without it there is no estimate, and all parts have the same share of the time.
        let rehearsals = fs::read_to_string(folder.join(REHEARSAL)).ok();
        let rehearsals = rehearsals.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        Ok(Prepared { kernels, folder, rehearsals, _temporary: None })
    }
}

/// The number of an architecture: 90 for `sm_90a`.
fn number(arch: &str) -> Option<u32> {
    crate::target::number(arch)
}
