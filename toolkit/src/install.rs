//! Installs the CUDA compiler into a folder of our own, so that it is either complete there or not there at all.
//!
//! ```text
//! DIR/.gitignore             the folder never shows up in a checkout's status
//! DIR/lock                   held while installing; a second process waits for it, then finds the work done
//! DIR/cuda-V.partial/        what is being fetched; a signal that ends the process removes it, or else the next run
//! DIR/cuda-V/                renamed into place in one step, after its programs ran and compiled a kernel
//! DIR/cuda-V/installed.txt   the packages and versions, written last: without it the install does not count
//! ```

use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::host_compiler::HostCompiler;
use crate::index_check::IndexCheck;
use crate::pip::{Package, Pip};
use crate::probe::{Origin, Toolkit, is_executable, probe};
use crate::progress::Progress;
use crate::scratch::Scratch;
use crate::source::CudaSource;

/// The packages that are fetched. CUDA 13.0 on purpose: drivers of its age still load its PTX (ISA 9.0).
pub const PACKAGES: [Package; 5] = [
    Package { name: "nvidia-cuda-nvcc", version: "13.0.88" },
    Package { name: "nvidia-nvvm", version: "13.0.88" },
    Package { name: "nvidia-cuda-crt", version: "13.0.88" },
    Package { name: "nvidia-cuda-runtime", version: "13.0.96" },
    Package { name: "nvidia-cuda-cccl", version: "13.0.85" },
];

/// The finished install. The name carries the compiler's version, so that programs with other pins do not fight over it.
const FINAL: &str = "cuda-13.0.88";
const PARTIAL: &str = "cuda-13.0.88.partial";
const STAMP: &str = "installed.txt";

/// The toolkit's root in the tree of the packages.
const ROOT: &str = "nvidia/cu13";

/// Bytes that pip writes in all: the archives (104 MB) and what is in them (280 MB).
const TOTAL_BYTES: u64 = 384_000_000;

/// Programs that nvcc starts besides ptxas and cicc, relative to the root.
const PROGRAMS: [&str; 7] =
    ["bin/nvcc", "bin/ptxas", "bin/cudafe++", "bin/fatbinary", "bin/nvlink", "bin/bin2c", "nvvm/bin/cicc"];

/// Files of other packages without which nothing compiles; their absence shows an install that was tampered with.
const FILES: [&str; 3] = ["nvvm/libdevice/libdevice.10.bc", "include/cuda_runtime.h", "include/crt/host_config.h"];

/// One install into one folder.
pub(crate) struct Installer {
    dir: PathBuf,
    pips: Vec<Pip>,
    /// The check before a fetch; without it, a network that does not answer is left to pip's patience.
    check: Option<IndexCheck>,
}

/// The toolkit installed in `dir`: `None` when nothing is there, an error text when it is not complete.
pub(crate) fn existing(dir: &Path) -> Option<Result<Toolkit, String>> {
    let tree = dir.join(FINAL);
    tree.symlink_metadata().is_ok().then(|| complete(dir))
}

fn complete(dir: &Path) -> Result<Toolkit, String> {
    let tree = dir.join(FINAL);
    match fs::read_to_string(tree.join(STAMP)) {
        Ok(text) if text == stamp() => {}
        Ok(_) => return Err("it was installed with other package versions".to_owned()),
        Err(e) => return Err(format!("{STAMP}: {e}")),
    }
    let toolkit = check(&tree, dir)?;
    link_libraries(&tree.join(ROOT));
    Ok(toolkit)
}

/// The packages have their libraries in `lib`, but their nvcc has the linker look for them in `lib64`. A folder that cannot be written is for those who
/// do not link.
fn link_libraries(root: &Path) {
    let link = |to: &str, at: &str| {
        let path = root.join(at);
        if path.symlink_metadata().is_err() {
            let _ = std::os::unix::fs::symlink(to, path);
        }
    };
    link("lib", "lib64");
    link("libcudart.so.13", "lib/libcudart.so");
}

/// Checks that everything is there and runs.
fn check(tree: &Path, dir: &Path) -> Result<Toolkit, String> {
    let root = tree.join(ROOT);
    if let Some(gone) = PROGRAMS.iter().chain(&FILES).find(|file| !root.join(file).is_file()) {
        return Err(format!("{gone} is missing"));
    }
    probe(&root.join("bin/nvcc"), Origin::Installed(dir.to_owned()))
}

fn stamp() -> String {
    PACKAGES.iter().map(|p| format!("{} {}\n", p.name, p.version)).collect()
}

impl Installer {
    pub(crate) fn new(dir: &Path) -> Installer {
        // pip and nvcc get paths from us and may run elsewhere, so a relative folder must not stay relative.
        Installer { dir: std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned()), pips: Pip::usual(), check: None }
    }

    /// An installer that fails within a second if the package index cannot be reached.
    pub(crate) fn checking_index(dir: &Path) -> Installer {
        Installer { check: Some(IndexCheck::of_process()), ..Installer::new(dir) }
    }

    /// See [`Toolkit::install`].
    pub(crate) fn install(&self, progress: &mut dyn Progress) -> Result<Toolkit, Error> {
        let lock = self.lock(progress)?;
        match existing(&self.dir) {
            Some(Ok(toolkit)) => return Ok(toolkit),
            Some(Err(reason)) => {
                progress.note(&format!("repairing the install in {}: {reason}", self.dir.display()));
                remove(&self.dir.join(FINAL))?;
            }
            None => {}
        }
        // Everything that the machine must have is checked before anything large is fetched.
        let checked = self.check.as_ref().map_or(Ok(true), IndexCheck::check_variables)?;
        HostCompiler::of_process()?.check()?;
        let (pip, settings) = Pip::first_working(&self.pips)?;
        if let (false, Some(check), Some(settings)) = (checked, &self.check, &settings) {
            check.check_settings(settings)?;
        }
        progress.begin(&self.what(), &self.dir, TOTAL_BYTES);
        let result = self.fetch(pip, lock, progress);
        progress.end(result.is_ok());
        result
    }

    fn what(&self) -> String {
        let names: Vec<String> = PACKAGES.iter().map(|p| format!("{} {}", p.name, p.version)).collect();
        format!("the CUDA compiler with pip (104 MB, 280 MB unpacked): {}", names.join(", "))
    }

    fn fetch(&self, pip: &Pip, lock: File, progress: &mut dyn Progress) -> Result<Toolkit, Error> {
        let partial = self.dir.join(PARTIAL);
        remove(&partial)?;
        let _removed_by_signals = Scratch::watching(&partial);
        let result = self.fetch_into(&partial, pip, lock, progress);
        // Gone on success too: its tree was renamed, its scratch folder has served.
        let removed = remove(&partial);
        let toolkit = result?;
        removed?;
        Ok(toolkit)
    }

    fn fetch_into(&self, partial: &Path, pip: &Pip, lock: File, progress: &mut dyn Progress) -> Result<Toolkit, Error> {
        let (tree, scratch) = (partial.join("tree"), partial.join("scratch"));
        for folder in [&tree, &scratch] {
            fs::create_dir_all(folder).map_err(io_error("create", folder))?;
        }
        pip.install(&PACKAGES, &tree, &scratch, lock.try_clone().map_err(io_error("lock", &self.dir))?, progress)?;
        self.verify(&tree).map_err(|reason| Error::BrokenInstall { dir: self.dir.clone(), reason })?;
        let stamp_file = tree.join(STAMP);
        fs::write(&stamp_file, stamp()).map_err(io_error("write", &stamp_file))?;
        let target = self.dir.join(FINAL);
        fs::rename(&tree, &target).map_err(io_error("rename the install to", &target))?;
        complete(&self.dir).map_err(|reason| Error::BrokenInstall { dir: self.dir.clone(), reason })
    }

    /// Runs every program once, and all of them together on an empty kernel.
    fn verify(&self, tree: &Path) -> Result<(), String> {
        make_executable(&tree.join(ROOT)).map_err(|e| e.to_string())?;
        let toolkit = check(tree, &self.dir)?;
        let empty = CudaSource::new("__global__ void empty() {}\n", "empty.cu");
        toolkit.compile_to_ptx(&empty, "sm_90", &[]).map_err(|e| e.to_string())?;
        Ok(())
    }

    /// Creates the folder and takes its lock, waiting for another process if need be.
    fn lock(&self, progress: &mut dyn Progress) -> Result<File, Error> {
        fs::create_dir_all(&self.dir).map_err(io_error("create the install folder", &self.dir))?;
        let ignore = self.dir.join(".gitignore");
        if !ignore.exists() {
            fs::write(&ignore, "*\n").map_err(io_error("write", &ignore))?;
        }
        let path = self.dir.join("lock");
        let options = File::options().read(true).write(true).create(true).truncate(false).open(&path);
        let file = options.map_err(io_error("lock", &path))?;
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => {
                progress.note(&format!("waiting for another process that installs into {}", self.dir.display()));
            }
            Err(TryLockError::Error(e)) => return Err(io_error("lock", &path)(e)),
        }
        file.lock().map_err(io_error("lock", &path))?;
        Ok(file)
    }
}

/// pip keeps the executable bits of an archive; some file systems and old versions of pip do not.
fn make_executable(root: &Path) -> Result<(), Error> {
    for program in PROGRAMS.iter().map(|p| root.join(p)).filter(|p| p.is_file() && !is_executable(p)) {
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755))
            .map_err(io_error("make executable", &program))?;
    }
    Ok(())
}

/// Removes a file or a whole folder; one that is not there is fine.
fn remove(path: &Path) -> Result<(), Error> {
    let result = match path.symlink_metadata() {
        Ok(data) if data.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(_) => return Ok(()),
    };
    result.map_err(io_error("remove", path))
}

fn io_error(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::Io { action, path, source }
}

#[cfg(test)]
#[path = "install_tests.rs"]
mod tests;
