//! Looks for a toolkit that is already on the machine: flag, `CUDA_PATH`, `CUDA_HOME`, `PATH`, `/usr/local/cuda`, our
//! install, in this order.
//!
//! The flag and `CUDA_PATH` name a toolkit for us. If it does not work, that is an error: another compiler would be a
//! surprise. All other places may hold something else: `CUDA_HOME` is set for many programs, and an nvcc on `PATH` may
//! be a leftover. There a broken toolkit is passed over with a note.

use std::env;
use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::install::{self, Installer};
use crate::install_dir::default_install_dir;
use crate::probe::{Origin, Toolkit, on_path, probe};
use crate::progress::Progress;

/// The places to look at that the user can choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// `--cuda-path`: a toolkit's root, its `bin` folder, or an nvcc.
    pub nvcc: Option<PathBuf>,
    /// The folder that [`Toolkit::install`] uses; see [`default_install_dir`].
    pub install_dir: PathBuf,
}

impl Default for Search {
    fn default() -> Search {
        Search { nvcc: None, install_dir: default_install_dir() }
    }
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// The first toolkit that works.
    pub found: Option<Toolkit>,
    /// One sentence for each place that was passed over because it has no toolkit that works.
    pub notes: Vec<String>,
}

/// The folder that NVIDIA's installers link to the newest toolkit.
const USUAL_PLACE: &str = "/usr/local/cuda";

/// The variables and the folder that steer the search. Tests pass their own instead of those of the process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Environment {
    pub(crate) cuda_path: Option<OsString>,
    pub(crate) cuda_home: Option<OsString>,
    pub(crate) path: Option<OsString>,
    /// A toolkit's root that is tried after `PATH`.
    pub(crate) usual_place: Option<PathBuf>,
}

impl Environment {
    fn of_process() -> Environment {
        let set = |name| env::var_os(name).filter(|value| !value.is_empty());
        Environment {
            cuda_path: set("CUDA_PATH"),
            cuda_home: set("CUDA_HOME"),
            path: set("PATH"),
            usual_place: Some(PathBuf::from(USUAL_PLACE)),
        }
    }
}

impl Toolkit {
    /// Looks for a toolkit without touching the network; `None` when there is none that works.
    ///
    /// Looks at these places, in this order: the flag, `CUDA_PATH`, `CUDA_HOME`, `PATH`, `/usr/local/cuda`, the install
    /// folder.
    ///
    /// # Errors
    /// [`Error::Unusable`] when the flag or `CUDA_PATH` names something that is not a working toolkit. A `CUDA_HOME`
    /// without a working nvcc is passed over.
    pub fn locate(options: &Search) -> Result<Option<Toolkit>, Error> {
        Ok(Toolkit::survey(options)?.found)
    }

    /// As [`Toolkit::locate`], and says what was passed over and why.
    ///
    /// # Errors
    /// As [`Toolkit::locate`].
    pub fn survey(options: &Search) -> Result<Survey, Error> {
        survey_in(options, &Environment::of_process())
    }

    /// Looks for a toolkit and installs one when there is none. Unlike [`Toolkit::install`], it does not wait for a
    /// package index that cannot be reached.
    ///
    /// # Errors
    /// As [`Toolkit::locate`] and [`Toolkit::install`], and [`Error::Unreachable`].
    pub fn locate_or_install(options: &Search, progress: &mut dyn Progress) -> Result<Toolkit, Error> {
        let survey = Toolkit::survey(options)?;
        for note in &survey.notes {
            progress.note(note);
        }
        match survey.found {
            Some(toolkit) => Ok(toolkit),
            None => Toolkit::install_if_reachable(&options.install_dir, progress),
        }
    }

    /// Installs a toolkit after a search that found none, as [`Toolkit::locate_or_install`] does.
    ///
    /// # Errors
    /// As [`Toolkit::install`], and [`Error::Unreachable`].
    pub fn install_if_reachable(dir: &Path, progress: &mut dyn Progress) -> Result<Toolkit, Error> {
        Installer::checking_index(dir).install(progress)
    }

    /// Fetches the CUDA 13.0 compiler with pip (about 104 MB, 280 MB unpacked) into `dir`, checks that it works, and
    /// returns it. Finds out by itself when a complete install is there already; repairs one that is not. Two processes
    /// may call this at once: the second waits for the first.
    ///
    /// # Errors
    /// [`Error::NoPip`], [`Error::NoHostCompiler`], [`Error::Fetch`], [`Error::BrokenInstall`], or [`Error::Io`] when
    /// `dir` cannot be written.
    pub fn install(dir: &Path, progress: &mut dyn Progress) -> Result<Toolkit, Error> {
        Installer::new(dir).install(progress)
    }
}

/// Searches as [`Toolkit::survey`] does, with the given variables.
pub(crate) fn survey_in(options: &Search, environment: &Environment) -> Result<Survey, Error> {
    let named = [
        ("--cuda-path", Origin::Flag, options.nvcc.clone()),
        ("CUDA_PATH", Origin::CudaPath, environment.cuda_path.clone().map(PathBuf::from)),
    ];
    for (name, origin, path) in named {
        if let Some(path) = path {
            let toolkit =
                probe(&nvcc_at(&path), origin).map_err(|reason| Error::Unusable { path, origin: name, reason })?;
            return Ok(Survey { found: Some(toolkit), notes: Vec::new() });
        }
    }
    let mut notes = Vec::new();
    for (name, origin, nvcc) in unnamed(environment) {
        let reason = match nvcc.is_file() {
            true => match probe(&nvcc, origin) {
                Ok(toolkit) => return Ok(Survey { found: Some(toolkit), notes }),
                Err(reason) => reason,
            },
            false => "there is no nvcc in it".to_owned(),
        };
        notes.push(format!("passing over {name}: {reason}"));
    }
    match install::existing(&options.install_dir) {
        Some(Ok(toolkit)) => Ok(Survey { found: Some(toolkit), notes }),
        Some(Err(reason)) => {
            let dir = options.install_dir.display();
            notes.push(format!("the install in {dir} is incomplete ({reason}); the next install repairs it"));
            Ok(Survey { found: None, notes })
        }
        None => Ok(Survey { found: None, notes }),
    }
}

/// The nvccs to try that nobody named for us, in their order, each with its name in a note. Only the one of `CUDA_HOME`
/// may be missing.
fn unnamed(environment: &Environment) -> Vec<(String, Origin, PathBuf)> {
    let home = environment.cuda_home.as_ref().map(Path::new);
    let home = home.map(|home| (format!("CUDA_HOME={}", home.display()), Origin::CudaHome, nvcc_at(home)));
    let on_path: Vec<PathBuf> =
        on_path("nvcc", environment.path.as_deref()).filter(|nvcc| !is_stand_in(nvcc)).collect();
    let usual = environment.usual_place.as_ref().map(|root| root.join("bin/nvcc"));
    // The same program is not tried twice.
    let usual = usual.filter(|nvcc| nvcc.is_file() && !is_stand_in(nvcc) && !on_path.contains(nvcc));
    let on_path = on_path.into_iter().map(|nvcc| (format!("{} on PATH", nvcc.display()), Origin::Path, nvcc));
    let usual = usual.map(|nvcc| (nvcc.display().to_string(), Origin::UsualPlace, nvcc));
    home.into_iter().chain(on_path).chain(usual).collect()
}

/// Returns true for a script or a link that calls us in nvcc's place: it would have us look for ourselves.
#[must_use]
pub fn is_stand_in(program: &Path) -> bool {
    let target = std::fs::canonicalize(program).ok();
    let is_named_as_we_are = |target: &Path| target.file_name().is_some_and(|name| name == "pxrw");
    if target.as_deref().is_some_and(|target| is_named_as_we_are(target) || is_this_program(target)) {
        return true;
    }
    let mut begin = Vec::new();
    let read = std::fs::File::open(program).and_then(|file| file.take(4096).read_to_end(&mut begin));
    let text = String::from_utf8_lossy(&begin);
    read.is_ok() && text.starts_with("#!") && text.contains("pxrw")
}

/// Returns true for the program that runs, also under another name.
fn is_this_program(target: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let own = env::current_exe().and_then(std::fs::metadata);
    let other = std::fs::metadata(target);
    own.ok().zip(other.ok()).is_some_and(|(own, other)| (own.dev(), own.ino()) == (other.dev(), other.ino()))
}

/// The nvcc that a user means who names a root, a `bin` folder, or the program.
fn nvcc_at(path: &Path) -> PathBuf {
    let in_bin = path.join("bin/nvcc");
    let beside = path.join("nvcc");
    match path.is_dir() {
        true if !in_bin.is_file() && beside.is_file() => beside,
        true => in_bin,
        false => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fakes::{Fake, toolkit};

    #[test]
    fn links_and_scripts_that_lead_to_us_are_passed_over() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            std::fs::write(dir.path().join(name), text).unwrap();
            dir.path().join(name)
        };
        let link = |target: &Path, name: &str| {
            std::os::unix::fs::symlink(target, dir.path().join(name)).unwrap();
            dir.path().join(name)
        };
        assert!(is_stand_in(&link(&file("pxrw", "another build"), "nvcc")));
        assert!(is_stand_in(&link(&env::current_exe().unwrap(), "nvcc-13")));
        assert!(is_stand_in(&file("script", "#!/bin/sh\nexec pxrw nvcc \"$@\"\n")));
        assert!(!is_stand_in(&link(&file("nvcc-12", "#!/bin/sh\n"), "nvcc-11")));
    }

    /// A machine with a toolkit in each place: `flag`, `env`, `home`, `path`, `usual` under `dir`, and nothing installed.
    fn everywhere(dir: &Path, fake_on_path: Fake) -> (Search, Environment) {
        for name in ["flag", "env", "home", "usual"] {
            toolkit(&dir.join(name), Fake::Working);
        }
        toolkit(&dir.join("path"), fake_on_path);
        let search = Search { nvcc: Some(dir.join("flag")), install_dir: dir.join("own") };
        let environment = Environment {
            cuda_path: Some(dir.join("env").into()),
            cuda_home: Some(dir.join("home").into()),
            path: Some(dir.join("path/bin").into()),
            usual_place: Some(dir.join("usual")),
        };
        (search, environment)
    }

    fn found(search: &Search, environment: &Environment) -> (String, Origin) {
        let toolkit = survey_in(search, environment).unwrap().found.unwrap();
        (toolkit.root.file_name().unwrap().to_string_lossy().into_owned(), toolkit.origin)
    }

    #[test]
    fn flag_then_cuda_path_then_cuda_home_then_path_then_the_usual_place() {
        let dir = tempfile::tempdir().unwrap();
        let (mut search, mut environment) = everywhere(dir.path(), Fake::Working);
        assert_eq!(found(&search, &environment), ("flag".into(), Origin::Flag));
        search.nvcc = None;
        assert_eq!(found(&search, &environment), ("env".into(), Origin::CudaPath));
        environment.cuda_path = None;
        assert_eq!(found(&search, &environment), ("home".into(), Origin::CudaHome));
        environment.cuda_home = None;
        assert_eq!(found(&search, &environment), ("path".into(), Origin::Path));
        environment.path = None;
        assert_eq!(found(&search, &environment), ("usual".into(), Origin::UsualPlace));
        environment.usual_place = None;
        assert_eq!(survey_in(&search, &environment).unwrap(), Survey::default());
    }

    #[test]
    fn the_flag_may_name_the_root_the_bin_folder_or_nvcc() {
        let dir = tempfile::tempdir().unwrap();
        toolkit(dir.path(), Fake::Working);
        for place in ["", "bin", "bin/nvcc"] {
            let search = Search { nvcc: Some(dir.path().join(place)), install_dir: dir.path().join("own") };
            let toolkit = survey_in(&search, &Environment::default()).unwrap().found.unwrap();
            assert_eq!(toolkit.nvcc, dir.path().join("bin/nvcc"), "{place}");
        }
    }

    #[test]
    fn a_broken_toolkit_that_the_user_named_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        toolkit(dir.path(), Fake::NoCicc);
        let search = Search { nvcc: Some(dir.path().to_owned()), install_dir: dir.path().join("own") };
        let error = survey_in(&search, &Environment::default()).unwrap_err().to_string();
        assert!(error.contains("from --cuda-path") && error.contains("cicc is missing"), "{error}");

        let environment = Environment { cuda_path: Some("/nonexistent".into()), ..Environment::default() };
        let error = survey_in(&Search { nvcc: None, ..search }, &environment).unwrap_err().to_string();
        assert!(error.contains("/nonexistent (from CUDA_PATH)"), "{error}");
    }

    #[test]
    fn a_broken_nvcc_on_path_is_passed_over_with_a_note() {
        let dir = tempfile::tempdir().unwrap();
        toolkit(&dir.path().join("old"), Fake::NvccFails);
        toolkit(&dir.path().join("new"), Fake::Working);
        let path = env::join_paths([dir.path().join("old/bin"), dir.path().join("new/bin")]).unwrap();
        let environment = Environment { path: Some(path), ..Environment::default() };
        let search = Search { nvcc: None, install_dir: dir.path().join("own") };
        let survey = survey_in(&search, &environment).unwrap();
        assert_eq!(survey.found.unwrap().nvcc, dir.path().join("new/bin/nvcc"));
        assert_eq!(survey.notes.len(), 1);
        assert!(survey.notes[0].contains("old/bin/nvcc on PATH: "), "{:?}", survey.notes);
    }

    #[test]
    fn a_cuda_home_without_a_working_nvcc_is_passed_over_with_a_note() {
        let dir = tempfile::tempdir().unwrap();
        let (search, environment) = everywhere(dir.path(), Fake::Working);
        let search = Search { nvcc: None, ..search };
        let other = dir.path().join("other");
        std::fs::create_dir_all(other.join("bin")).unwrap();
        let with_home =
            |home: &Path| Environment { cuda_path: None, cuda_home: Some(home.into()), ..environment.clone() };
        let survey = survey_in(&search, &with_home(&other)).unwrap();
        assert_eq!(survey.found.unwrap().origin, Origin::Path);
        assert_eq!(survey.notes, [format!("passing over CUDA_HOME={}: there is no nvcc in it", other.display())]);

        toolkit(&other, Fake::NoCicc);
        let survey = survey_in(&search, &with_home(&other)).unwrap();
        assert_eq!(survey.found.unwrap().origin, Origin::Path);
        assert!(survey.notes[0].starts_with("passing over CUDA_HOME=") && survey.notes[0].contains("cicc is missing"));

        // CUDA_PATH names a toolkit for us.
        let environment = Environment { cuda_path: Some(dir.path().join("own").into()), ..with_home(&other) };
        assert!(matches!(survey_in(&search, &environment), Err(Error::Unusable { origin: "CUDA_PATH", .. })));
    }

    #[test]
    fn a_broken_toolkit_in_the_usual_place_is_passed_over_with_one_note() {
        let dir = tempfile::tempdir().unwrap();
        toolkit(dir.path(), Fake::NvccFails);
        let search = Search { nvcc: None, install_dir: dir.path().join("own") };
        let environment = Environment { usual_place: Some(dir.path().to_owned()), ..Environment::default() };
        let survey = survey_in(&search, &environment).unwrap();
        assert_eq!(survey.found, None);
        let nvcc = dir.path().join("bin/nvcc");
        let note = format!("passing over {0}: {0} --version ended with exit status 3", nvcc.display());
        assert_eq!(survey.notes, [note]);

        // On PATH as well, it is tried once.
        let environment = Environment { path: Some(dir.path().join("bin").into()), ..environment };
        let survey = survey_in(&search, &environment).unwrap();
        assert_eq!(survey.notes.len(), 1);
        assert!(survey.notes[0].contains("nvcc on PATH: "), "{:?}", survey.notes);
    }
}
