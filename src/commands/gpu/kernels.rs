//! The kernels that workers get: from a folder that `--prepare` filled, or compiled now into a temporary folder.

use std::fs;
use std::path::{Path, PathBuf};

use benchmarks::gpu::{Kernels, Options, Rehearsal, hash_of};
use device::GpuProperties;
use toolkit::Scratch;

use crate::commands::suite::explain;
use crate::diagnostics::Diagnostic;
use crate::failure::Failure;
use crate::input::LazyToolkit;
use crate::target::number;

/// The file of a prepared folder with the seconds that the host takes for each unit.
pub(super) const REHEARSAL: &str = "rehearsal.json";

/// Kernels in a folder.
pub(super) struct Prepared {
    pub(super) kernels: Kernels,
    pub(super) folder: PathBuf,
    /// The seconds that the host takes for each unit, where they were measured.
    pub(super) rehearsal: Option<Rehearsal>,
    /// Removes a temporary folder.
    _temporary: Option<Scratch>,
}

impl Prepared {
    /// Compiles the kernels of all units.
    pub(super) fn compile(options: &Options, cuda_path: Option<&PathBuf>) -> Result<Prepared, Failure> {
        let mut toolkit = LazyToolkit::new(cuda_path);
        let kernels =
            Kernels::build(&options.units(), options.block, &options.arch, toolkit.get()?).map_err(explain)?;
        let folder = Scratch::new()?;
        let written = kernels.save(folder.path()).map(|_| folder);
        let folder = written.map_err(|error| {
            let title = format!("cannot write the kernels to `{}`: {error}", std::env::temp_dir().display());
            Diagnostic::error(title).help("TMPDIR names another folder for temporary files")
        })?;
        let path = folder.path().to_owned();
        Ok(Prepared { kernels, folder: path, rehearsal: None, _temporary: Some(folder) })
    }

    /// Reads the kernels of a folder that this program prepared.
    pub(super) fn read(folder: &Path, gpu: &GpuProperties) -> Result<Prepared, Failure> {
        let again =
            "`pxrw bench gpu --prepare FOLDER` makes such a folder, on a machine with a CUDA compiler or a network";
        let kernels = Kernels::load(folder).map_err(|error| Diagnostic::error(error.to_string()).help(again))?;
        if kernels.program.is_some() && kernels.program != own_hash() {
            let title = format!("the kernels of `{}` were prepared by another pxrw", folder.display());
            let own =
                format!("run the program in that folder, `{}`, or prepare them again", folder.join("pxrw").display());
            return Err(Diagnostic::error(title).help(own).into());
        }
        let own = gpu.arch();
        if number(&kernels.arch) > number(&own) {
            let title = format!("the kernels were prepared for {}, and this GPU is {own}", kernels.arch);
            return Err(Diagnostic::error(title).help(format!("prepare them with `--arch {own}`")).into());
        }
        // Without it there is no estimate, and all units have the same share of the time.
        let rehearsal = fs::read_to_string(folder.join(REHEARSAL)).ok();
        let rehearsal = rehearsal.and_then(|text| serde_json::from_str(&text).ok());
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        Ok(Prepared { kernels, folder, rehearsal, _temporary: None })
    }
}

/// Returns a hash of the program that runs.
fn own_hash() -> Option<String> {
    let program = std::env::current_exe().ok()?;
    Some(hash_of(fs::read(program).ok()?))
}
