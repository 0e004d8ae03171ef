//! A toolkit: the programs that belong together, and the check that they really run.
//!
//! Finding a file called nvcc is not enough. Distributions split it from its parts, and an interrupted copy leaves
//! programs that do not start, so all three programs are run once before a toolkit is believed.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::time::Duration;

use regex::Regex;

use crate::process::{self, Finished};

/// The place of a toolkit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Named by the user: `--cuda-path`.
    Flag,
    /// Named by the user: the environment variable `CUDA_PATH`.
    CudaPath,
    /// The environment variable `CUDA_HOME`.
    CudaHome,
    /// An nvcc on `PATH`.
    Path,
    /// The folder that NVIDIA's installers use, `/usr/local/cuda`.
    UsualPlace,
    /// Fetched by [`Toolkit::install`] into this folder.
    Installed(PathBuf),
}

/// A CUDA compiler whose nvcc, ptxas and cicc were seen to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolkit {
    /// The folder that holds `bin/`, `include/` and `nvvm/`.
    pub root: PathBuf,
    /// The compiler driver.
    pub nvcc: PathBuf,
    /// The PTX assembler.
    pub ptxas: PathBuf,
    /// The device code generator that nvcc calls.
    pub cicc: PathBuf,
    /// Version of nvcc, as in `13.0.88`.
    pub nvcc_version: String,
    /// Version of ptxas, as in `13.0.88`.
    pub ptxas_version: String,
    /// The place it was found in.
    pub origin: Origin,
}

/// Exit statuses by which a shell wrapper says that the program behind it is not there or cannot be executed.
const NOT_EXECUTABLE: [i32; 2] = [126, 127];

static VERSION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\bV(\d+(?:\.\d+)+)").expect("the pattern is a constant"));

/// Runs the programs around `nvcc`; the error says which of them does not do.
pub(crate) fn probe(nvcc: &Path, origin: Origin) -> Result<Toolkit, String> {
    let nvcc = std::path::absolute(nvcc).map_err(|e| format!("{}: {e}", nvcc.display()))?;
    if !nvcc.is_file() {
        return Err(format!("there is no {}", nvcc.display()));
    }
    let nvcc_version = version_of(&nvcc)?;
    let roots = roots_of(&nvcc);
    let ptxas = find(&roots, &["bin/ptxas"]).ok_or_else(|| missing("ptxas", &roots))?;
    let ptxas_version = version_of(&ptxas)?;
    // The last two are where Debian and Ubuntu keep it when nvcc itself is in /usr/bin.
    let places = ["nvvm/bin/cicc", "bin/cicc", "lib/nvidia-cuda-toolkit/bin/cicc", "libexec/nvidia-cuda-toolkit/cicc"];
    let cicc = find(&roots, &places).ok_or_else(|| missing("cicc", &roots))?;
    starts(&cicc)?;
    let root = roots.into_iter().next().unwrap_or_default();
    Ok(Toolkit { root, nvcc, ptxas, cicc, nvcc_version, ptxas_version, origin })
}

/// The folders above `bin/`: first the one that a symbolic link leads to, then the one where the link is.
fn roots_of(nvcc: &Path) -> Vec<PathBuf> {
    let real = fs::canonicalize(nvcc).unwrap_or_else(|_| nvcc.to_owned());
    let mut roots: Vec<PathBuf> =
        [real.as_path(), nvcc].iter().filter_map(|p| Some(p.parent()?.parent()?.to_owned())).collect();
    roots.dedup();
    roots
}

fn find(roots: &[PathBuf], places: &[&str]) -> Option<PathBuf> {
    let mut candidates = roots.iter().flat_map(|root| places.iter().map(move |place| root.join(place)));
    candidates.find(|path| path.is_file())
}

fn missing(program: &str, roots: &[PathBuf]) -> String {
    let roots: Vec<String> = roots.iter().map(|r| r.display().to_string()).collect();
    format!("{program} is missing under {}", roots.join(" and "))
}

/// The variable that says how many seconds a program of a toolkit may take to say who it is; 0 for as long as it takes.
const LIMIT: &str = "PXRW_PROBE_LIMIT";

/// The time that it has otherwise. It takes less than a second, more where it is fetched over a network first.
const USUAL: Duration = Duration::from_secs(60);

/// The time that a program has, by the value of the variable.
fn limit(value: Option<&str>) -> Result<Duration, String> {
    match value.map(str::trim).filter(|value| !value.is_empty()).map(str::parse) {
        None => Ok(USUAL),
        Some(Ok(0)) => Ok(Duration::MAX),
        Some(Ok(seconds)) => Ok(Duration::from_secs(seconds)),
        Some(Err(_)) => {
            Err(format!("{LIMIT} is `{}`; give a number of seconds, or 0 for no limit", value.unwrap_or_default()))
        }
    }
}

/// Runs a program that only says something about itself.
pub(crate) fn answer(program: &Path, arguments: &[&str]) -> Result<Finished, String> {
    let limit = limit(std::env::var(LIMIT).ok().as_deref())?;
    answer_within(program, arguments, limit)
}

fn answer_within(program: &Path, arguments: &[&str], limit: Duration) -> Result<Finished, String> {
    let finished = process::run_within(Command::new(program).args(arguments), limit).map_err(|e| e.to_string())?;
    finished.ok_or_else(|| {
        let command = [&[program.display().to_string().as_str()], arguments].concat().join(" ");
        let waited = limit.as_secs_f64();
        format!("`{command}` did not end within {waited} seconds, and was stopped; {LIMIT}=SECONDS gives it longer")
    })
}

/// `13.0.88` from the line `Cuda compilation tools, release 13.0, V13.0.88`.
fn version_of(program: &Path) -> Result<String, String> {
    let finished = answer(program, &["--version"])?;
    if !finished.status.success() {
        return Err(format!("{} --version ended with {}", program.display(), process::describe(finished.status)));
    }
    let output = finished.output();
    let version = VERSION.captures(&output).map(|found| found[1].to_owned());
    version.ok_or_else(|| format!("{} --version prints no CUDA version", program.display()))
}

/// cicc has no option that only prints something: without input it complains and exits with 1, which shows that it runs.
fn starts(program: &Path) -> Result<(), String> {
    let finished = answer(program, &[])?;
    match finished.status.code() {
        Some(code) if !NOT_EXECUTABLE.contains(&code) => Ok(()),
        _ => Err(format!("{} does not run: {}", program.display(), process::describe(finished.status))),
    }
}

/// Returns true for a file that somebody may execute.
pub(crate) fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

/// The first executable called `name` in the folders of `search_path`.
pub(crate) fn on_path<'a>(
    name: &'a str,
    search_path: Option<&'a std::ffi::OsStr>,
) -> impl Iterator<Item = PathBuf> + 'a {
    let folders = search_path.into_iter().flat_map(std::env::split_paths);
    folders.filter(|f| !f.as_os_str().is_empty()).map(move |f| f.join(name)).filter(|p| is_executable(p))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fakes::{self, Fake};

    #[test]
    fn a_program_that_does_not_answer_is_named_and_stopped() {
        let dir = tempfile::tempdir().unwrap();
        let nvcc = dir.path().join("nvcc");
        fakes::script(&nvcc, "exec sleep 100");
        let error = answer_within(&nvcc, &["--version"], Duration::from_millis(50)).unwrap_err();
        assert!(error.contains("nvcc --version` did not end within 0.05 seconds"), "{error}");
        assert!(error.contains("PXRW_PROBE_LIMIT=SECONDS"), "{error}");
    }

    #[test]
    fn the_limit_is_the_users() {
        assert_eq!(limit(None), Ok(USUAL));
        assert_eq!(limit(Some(" ")), Ok(USUAL));
        assert_eq!(limit(Some("7")), Ok(Duration::from_secs(7)));
        assert_eq!(limit(Some("0")), Ok(Duration::MAX));
        assert!(limit(Some("soon")).is_err_and(|error| error.contains("PXRW_PROBE_LIMIT is `soon`")));
    }

    #[test]
    fn a_complete_toolkit_is_described() {
        let dir = tempfile::tempdir().unwrap();
        let nvcc = fakes::toolkit(dir.path(), Fake::Working);
        let toolkit = probe(&nvcc, Origin::Path).unwrap();
        assert_eq!((toolkit.nvcc_version.as_str(), toolkit.ptxas_version.as_str()), ("12.9.1", "12.9.1"));
        assert_eq!(toolkit.cicc, toolkit.root.join("nvvm/bin/cicc"));
    }

    #[test]
    fn a_link_leads_to_the_toolkit_behind_it() {
        let dir = tempfile::tempdir().unwrap();
        let nvcc = fakes::toolkit(&dir.path().join("cuda"), Fake::Working);
        let link = dir.path().join("bin/nvcc");
        fs::create_dir(dir.path().join("bin")).unwrap();
        std::os::unix::fs::symlink(&nvcc, &link).unwrap();
        let toolkit = probe(&link, Origin::Path).unwrap();
        assert_eq!(toolkit.root, fs::canonicalize(dir.path().join("cuda")).unwrap());
        assert_eq!(toolkit.nvcc, link);
    }

    #[test]
    fn each_defect_is_named() {
        let cases = [
            (Fake::NvccFails, "nvcc --version ended with exit status 3"),
            (Fake::NoPtxas, "ptxas is missing under"),
            (Fake::NoCicc, "cicc is missing under"),
            (Fake::CiccCrashes, "cicc does not run: killed by signal 11 (SIGSEGV)"),
            (Fake::CiccTruncated, "cannot start"),
            (Fake::NoVersion, "nvcc --version prints no CUDA version"),
        ];
        for (fake, expected) in cases {
            let dir = tempfile::tempdir().unwrap();
            let reason = probe(&fakes::toolkit(dir.path(), fake), Origin::Path).unwrap_err();
            assert!(reason.contains(expected), "{fake:?}: {reason}");
        }
    }
}
