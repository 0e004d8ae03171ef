//! Programs that a build puts before nvcc: compiler caches, and compilers that call nvcc themselves.
//!
//! ```text
//! pxrw nvcc nvcc_wrapper …      nvcc_wrapper … ── nvcc            a link to this program, first on PATH
//! pxrw nvcc ccache nvcc …       ccache ── nvcc …                  the same link in nvcc's place
//! pxrw nvcc sccache nvcc …      sccache nvcc …                    only where nothing is rewritten
//! ```
//!
//! A program that is called by the name `nvcc` is `pxrw nvcc`. So a link of that name takes the place of nvcc, and what calls it needs no change.
//! ccache compares the output of the preprocessor and a text that stands for the compiler. The output has the directives as markers, and
//! [`identity`] is the text. sccache takes `nvcc --dryrun` apart and runs the steps itself, so that no PTX could be rewritten.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use super::line::{Line, Rewrites};
use super::signals;
use crate::diagnostics::Diagnostic;
use crate::failure::Failure;
use crate::input::LazyToolkit;

/// Names the real nvcc for a program that is called by the name `nvcc`.
pub(super) const REAL_NVCC: &str = "PXRW_NVCC";

/// Names a file that the link makes when it is called.
const CALLED: &str = "PXRW_CALLED";

/// A variable with the root of a toolkit, whose nvcc Kokkos' `nvcc_wrapper` calls.
const WRAPPERS_ROOT: &str = "CUDA_ROOT";

/// Extensions of nvcc's inputs. A file with one of them is not a program, whatever its permissions are.
const INPUTS: [&str; 22] = [
    "cu", "cup", "c", "cc", "cxx", "cpp", "c++", "C", "i", "ii", "gpu", "ptx", "cubin", "fatbin", "ltoir", "o", "obj",
    "a", "lib", "so", "res", "rsp",
];

/// A kind of program that stands before nvcc.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Ccache,
    Sccache,
    /// Anything else, which calls nvcc sooner or later.
    Wrapper,
}

/// A program that a command line begins with, in nvcc's place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Launcher {
    pub(super) program: PathBuf,
    pub(super) kind: Kind,
}

/// The programs that a command line begins with.
#[derive(Default)]
pub(super) struct Front {
    /// A program that calls nvcc.
    pub(super) launcher: Option<Launcher>,
    /// nvcc. Where there is a launcher, only sccache's is known here.
    pub(super) compiler: Option<PathBuf>,
}

impl Front {
    /// Takes the launcher and the compiler from the beginning of a command line.
    pub(super) fn take(arguments: &mut Vec<OsString>) -> Front {
        let mut front = Front::default();
        if let Some(compiler) = take_nvcc(arguments) {
            front.compiler = Some(compiler);
            return front;
        }
        front.launcher = arguments.first().and_then(|first| Launcher::read(first));
        arguments.drain(..usize::from(front.launcher.is_some()));
        if front.launcher.as_ref().is_some_and(|launcher| launcher.kind == Kind::Sccache) {
            front.compiler = take_nvcc(arguments);
            if front.compiler.is_none() {
                // sccache would be of no use: it compiles by no wrapper of nvcc.
                return Front::take(arguments);
            }
        }
        front
    }

    /// The front of a program that is called by the name of nvcc: a variable may name the real one.
    pub(super) fn of_stand_in() -> Front {
        let real = env::var_os(REAL_NVCC).filter(|real| !real.is_empty()).map(PathBuf::from);
        Front { launcher: None, compiler: real }
    }
}

/// Takes nvcc from the beginning of a command line.
fn take_nvcc(arguments: &mut Vec<OsString>) -> Option<PathBuf> {
    let nvcc = arguments.first().filter(|first| is_nvcc(Path::new(first))).and_then(|first| find_nvcc(first))?;
    arguments.remove(0);
    Some(nvcc)
}

impl Launcher {
    /// Recognises a launcher by the first argument.
    pub(super) fn read(first: &OsStr) -> Option<Launcher> {
        let path = Path::new(first);
        let name = path.file_name()?.to_string_lossy().into_owned();
        let is_input = path.extension().and_then(OsStr::to_str).is_some_and(|extension| INPUTS.contains(&extension));
        if name.starts_with('-') || is_input || name.contains(".so.") || first.as_encoded_bytes().starts_with(b"-") {
            return None;
        }
        let program = find(path)?;
        let kind = match name.as_str() {
            "ccache" => Kind::Ccache,
            "sccache" => Kind::Sccache,
            _ => Kind::Wrapper,
        };
        Some(Launcher { program, kind })
    }
}

/// Returns true for a name of nvcc, and for the names by which this program stands in for it.
pub(crate) fn is_nvcc(program: &Path) -> bool {
    let name = program.file_name().and_then(OsStr::to_str);
    name.is_some_and(|name| name == "nvcc" || name.starts_with("nvcc-") || name == "pxrw-nvcc")
}

/// Finds a program as a shell does; without a `/` in its name, on PATH.
fn find(name: &Path) -> Option<PathBuf> {
    match name.as_os_str().as_encoded_bytes().contains(&b'/') {
        true => Some(name.to_owned()).filter(|path| is_executable(path)),
        false => on_path(name).next(),
    }
}

/// Finds the real nvcc that a word names. A stand-in for nvcc on PATH is passed over.
fn find_nvcc(word: &OsStr) -> Option<PathBuf> {
    let path = Path::new(word);
    match word.as_encoded_bytes().contains(&b'/') {
        true => Some(path.to_owned()).filter(|path| is_executable(path)),
        false => on_path(path).find(|nvcc| !toolkit::is_stand_in(nvcc)),
    }
}

fn on_path(name: &Path) -> impl Iterator<Item = PathBuf> {
    let folders: Vec<PathBuf> = env::var_os("PATH").iter().flat_map(env::split_paths).collect();
    let places =
        folders.into_iter().filter(|folder| !folder.as_os_str().is_empty()).map(move |folder| folder.join(name));
    places.filter(|place| is_executable(place)).collect::<Vec<_>>().into_iter()
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// Returns all that decides about a result beside what a cache sees by itself: this program, the compilers, and the rewrites.
pub(super) fn identity<'a>(compilers: impl IntoIterator<Item = &'a Path>, rewrites: Rewrites) -> String {
    let of_file = |path: &Path| {
        let state = path.metadata().map(|file| format!("{} {}.{:09}", file.size(), file.mtime(), file.mtime_nsec()));
        format!("{} {}", path.display(), state.unwrap_or_default())
    };
    // The place of this program does not matter.
    let own = env::current_exe().ok().and_then(|program| program.metadata().ok());
    let own = own.map(|file| format!("{} {}.{:09}", file.size(), file.mtime(), file.mtime_nsec()));
    let compilers: String = compilers.into_iter().map(|path| format!("\n{}", of_file(path))).collect();
    format!("pxrw {} {}\nrewrites {rewrites}{compilers}", env!("CARGO_PKG_VERSION"), own.unwrap_or_default())
}

/// Notes that the link was called, for [`run`].
pub(super) fn note_call() {
    if let Some(file) = env::var_os(CALLED) {
        let _ = std::fs::write(file, "");
    }
}

/// Returns true if sccache, which takes nvcc's steps apart, is what asks for them.
pub(super) fn is_sccache_asking() -> bool {
    let parent = std::os::unix::process::parent_id();
    std::fs::read_to_string(format!("/proc/{parent}/comm")).is_ok_and(|name| name.trim_end() == "sccache")
}

/// Runs a launcher with a link to this program in nvcc's place.
pub(super) fn run(launcher: &Launcher, line: &Line, toolkit: &mut LazyToolkit) -> Result<ExitCode, Failure> {
    let failed = |error: std::io::Error| Diagnostic::error(format!("cannot make a link in nvcc's place: {error}"));
    let scratch = signals::make_scratch(signals::Imitated::Other).map_err(failed)?;
    let folder = scratch.path().join("bin");
    let (link, called) = (folder.join("nvcc"), scratch.path().join("called"));
    let made = || {
        std::fs::create_dir(&folder)?;
        std::os::unix::fs::symlink(env::current_exe()?, &link)
    };
    made().map_err(failed)?;

    let mut arguments = line.arguments.clone();
    let mut command = Command::new(&launcher.program);
    let named = take_nvcc(&mut arguments);
    if named.is_some() {
        command.arg(&link);
    }
    let mut real = named.or_else(|| Front::of_stand_in().compiler);
    let root = env::var_os(WRAPPERS_ROOT).filter(|root| !root.is_empty()).map(|root| Path::new(&root).join("bin/nvcc"));
    if let Some(nvcc) = root.filter(|nvcc| is_executable(nvcc) && !toolkit::is_stand_in(nvcc)) {
        real = real.or(Some(nvcc));
        command.env(WRAPPERS_ROOT, scratch.path());
    }
    let real = match real.or_else(|| find_nvcc(OsStr::new("nvcc"))) {
        Some(real) => real,
        None => toolkit.get()?.nvcc.clone(),
    };
    if launcher.kind == Kind::Ccache {
        let inner = arguments.first().and_then(|first| Launcher::read(first)).map(|launcher| launcher.program);
        let identity = identity(inner.as_deref().into_iter().chain([real.as_path()]), line.rewrites);
        command.env("CCACHE_COMPILERCHECK", format!("string:{identity}"));
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder.clone()).chain(env::split_paths(&path));
    command.env("PATH", env::join_paths(folders).unwrap_or(path.clone()));
    command.env("PXRW", line.rewrites.to_string()).env(CALLED, &called).env(REAL_NVCC, &real).args(&arguments);
    let cannot = |error| Diagnostic::error(format!("cannot start {}: {error}", launcher.program.display()));
    let status = signals::run(|| command.spawn()).map_err(cannot)?.map_err(cannot)?;
    if launcher.kind == Kind::Wrapper && status.success() && !called.exists() {
        warn_of_no_call(&launcher.program, &arguments);
    }
    drop(scratch);
    if let Some(signal) = status.signal() {
        let _ = signal_hook::low_level::emulate_default_handler(signal);
    }
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)))
}

/// Returns true for a text that may have a directive.
pub(super) fn has_directive(text: &[u8]) -> bool {
    text.windows(4).any(|window| window == b"CCC " || window == b"CCC\t")
}

/// Warns that a wrapper succeeded and did not call nvcc by its name, if it was given a file with a directive.
fn warn_of_no_call(wrapper: &Path, arguments: &[OsString]) {
    let is_marked = |file: &&OsString| std::fs::read(file).is_ok_and(|text| has_directive(&text));
    if let Some(file) = arguments.iter().find(is_marked) {
        let (file, wrapper) = (Path::new(file).display(), wrapper.display());
        Diagnostic::warning(format!("nothing is rewritten in `{file}`: `{wrapper}` called no `nvcc` on PATH"))
            .help("let the wrapper find nvcc on PATH, or put `pxrw nvcc` where it names nvcc")
            .print();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launcher_is_a_program_and_not_an_input() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, mode: u32| {
            let path = folder.path().join(name);
            std::fs::write(&path, "#!/bin/sh\n").unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            path
        };
        let kind = |path: &Path| Launcher::read(path.as_os_str()).map(|launcher| launcher.kind);
        assert_eq!(kind(&file("nvcc_wrapper", 0o755)), Some(Kind::Wrapper));
        assert_eq!(kind(&file("ccache", 0o755)), Some(Kind::Ccache));
        assert_eq!(kind(&file("sccache", 0o755)), Some(Kind::Sccache));
        for (name, mode) in [("k.cu", 0o755), ("k.o", 0o755), ("libk.so.1", 0o755), ("wrapper", 0o644)] {
            assert_eq!(kind(&file(name, mode)), None, "{name}");
        }
        assert_eq!(Launcher::read(OsStr::new("-c")), None);
        assert_eq!(Launcher::read(OsStr::new("no-such-program")), None);
        assert_eq!(Launcher::read(OsStr::new("sh")).map(|launcher| launcher.kind), Some(Kind::Wrapper));
    }

    #[test]
    fn an_identity_names_all_that_decides() {
        let folder = tempfile::tempdir().unwrap();
        let nvcc = folder.path().join("nvcc");
        std::fs::write(&nvcc, "1").unwrap();
        let (ccc, both) =
            (Rewrites { ccc: true, ssde: false, strict: false }, Rewrites { ccc: true, ssde: true, strict: false });
        let first = identity([nvcc.as_path()], ccc);
        assert_eq!(first, identity([nvcc.as_path()], ccc));
        assert_ne!(first, identity([nvcc.as_path()], both));
        std::fs::write(&nvcc, "12").unwrap();
        assert_ne!(first, identity([nvcc.as_path()], ccc));
    }

    #[test]
    fn names_of_nvcc() {
        for name in ["nvcc", "/usr/bin/nvcc", "nvcc-12.9", "pxrw-nvcc"] {
            assert!(is_nvcc(Path::new(name)), "{name}");
        }
        assert!(!is_nvcc(Path::new("pxrw")) && !is_nvcc(Path::new("nvcc_wrapper")));
    }
}
