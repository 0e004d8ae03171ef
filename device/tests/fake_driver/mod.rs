//! The fake CUDA driver (`cuda.c`): compiled, and tests run on it.
//!
//! A driver is looked for once in a process, where `LD_LIBRARY_PATH` said when the process began. So a test that needs one runs itself
//! again as a child, with the folder of the fake driver there:
//!
//! ```text
//!  test ── in_child ──> the same test, alone, LD_LIBRARY_PATH=…/fake-driver ──> body
//!    └── what the driver was called with <── the log of the driver ──┘
//! ```
//!
//! The settings at the head of `cuda.c` make the driver older, the GPU busy, or kernels fault, hang and crash.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::{env, fs};

/// The test that a child process is to run.
const TEST: &str = "FAKE_DRIVER_TEST";

/// The folder with the fake driver, which is compiled at the first call.
pub(crate) fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| driver_in("fake-driver", &source()))
}

/// A folder with a fake driver that lacks one function.
pub(crate) fn folder_lacking(function: &str) -> PathBuf {
    let text = fs::read_to_string(source()).unwrap();
    let others = text.replace(&format!("CUresult {function}("), &format!("CUresult other_{function}("));
    assert!(others != text, "the fake driver has no {function} anyway");
    let name = format!("fake-driver-without-{function}");
    let renamed = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.{}.c", std::process::id()));
    fs::write(&renamed, others).unwrap();
    let folder = driver_in(&name, &renamed);
    fs::remove_file(renamed).unwrap();
    folder
}

/// Makes a folder of a name with the driver that is compiled from a source.
fn driver_in(name: &str, source: &Path) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    // Several tests may compile it at a time: each to a name of its own.
    let compiled = folder.join(format!("libcuda.{}.so", std::process::id()));
    compile(source, &compiled);
    // A real driver has both names on a machine for developers, and must not be found before the fake one.
    fs::copy(&compiled, compiled.with_extension("copy")).unwrap();
    fs::rename(compiled.with_extension("copy"), folder.join("libcuda.so")).unwrap();
    fs::rename(compiled, folder.join("libcuda.so.1")).unwrap();
    folder
}

/// A folder with a driver that is no driver of CUDA: a library with none of its functions.
pub(crate) fn folder_with_other_driver() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("other-driver");
    fs::create_dir_all(&folder).unwrap();
    let source = folder.join("empty.c");
    fs::write(&source, "int nothing;\n").unwrap();
    compile(&source, &folder.join("libcuda.so"));
    folder
}

/// Found from the folder of either package that has such tests.
fn source() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let places = ["tests/fake_driver/cuda.c", "device/tests/fake_driver/cuda.c"].map(|place| package.join(place));
    places.into_iter().find(|place| place.is_file()).expect("the fake driver's source is in the checkout")
}

fn compile(source: &Path, to: &Path) {
    let compilers =
        env::var("CC").map_or_else(|_| ["cc", "gcc", "clang"].map(str::to_owned).to_vec(), |name| vec![name]);
    for compiler in &compilers {
        let mut command = Command::new(compiler);
        command.args(["-std=c11", "-O1", "-Wall", "-Wextra", "-shared", "-fPIC", "-o"]).arg(to).arg(source);
        let Ok(output) = command.output() else { continue };
        let messages = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && messages.is_empty(), "{compiler} on the fake CUDA driver:\n{messages}");
        return;
    }
    panic!("no C compiler ({}): these tests need one, as README.md says; `CC` may name it", compilers.join(", "));
}

/// A folder in which every name of a driver is a file that is none, so that a real one is not found either.
pub(crate) fn folder_without_driver() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-driver");
    fs::create_dir_all(&folder).unwrap();
    for name in ["libcuda.so", "libcuda.so.1", "libnvcuda.so", "libnvcuda.so.1"] {
        fs::write(folder.join(name), "this is no library\n").unwrap();
    }
    folder
}

/// Runs the body on the fake driver. The process that the test began in gets the driver's log; the child, in which the body runs, nothing.
/// A test may do so several times with different settings, but with the same body: the child runs each of them with its own settings.
#[track_caller]
pub(crate) fn in_child<F: FnOnce()>(settings: &[(&str, &str)], body: F) -> Option<String> {
    let test = test_of::<F>();
    if env::var(TEST).is_ok_and(|running| running == test) {
        body();
        return None;
    }
    Some(run_again(&test, Some(folder()), settings))
}

/// Runs the body where a folder says which driver there is.
#[track_caller]
pub(crate) fn with_driver_of<F: FnOnce()>(folder: impl FnOnce() -> PathBuf, body: F) {
    let test = test_of::<F>();
    if env::var(TEST).is_ok_and(|running| running == test) {
        return body();
    }
    run_again(&test, Some(&folder()), &[]);
}

/// Runs the body in a process of its own, with the driver of this machine.
#[track_caller]
pub(crate) fn alone<F: FnOnce()>(body: F) {
    let test = test_of::<F>();
    if env::var(TEST).is_ok_and(|running| running == test) {
        return body();
    }
    run_again(&test, None, &[]);
}

/// The name of the test that a closure stands in, as the test program knows it.
fn test_of<F>() -> String {
    let name = std::any::type_name::<F>();
    let function = name.split("::{{closure}}").next().unwrap_or(name);
    function.split_once("::").map_or(function, |(_, test)| test).to_owned()
}

#[track_caller]
fn run_again(test: &str, library_path: Option<&Path>, settings: &[(&str, &str)]) -> String {
    let log =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}.{}.log", test.replace("::", "."), std::process::id()));
    let mut command = Command::new(env::current_exe().unwrap());
    command.args([test, "--exact", "--nocapture", "--include-ignored"]).env(TEST, test);
    if let Some(folder) = library_path {
        command.env("LD_LIBRARY_PATH", before_others(folder));
    }
    command.env("FAKE_CUDA_LOG", &log).envs(settings.iter().copied());
    let output = command.output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && stdout.contains("1 passed"), "{test} as a child:\n{stdout}\n{stderr}");
    let text = fs::read_to_string(&log).unwrap_or_default();
    let _ = fs::remove_file(log);
    text
}

/// A library path in which the folder comes first.
pub(crate) fn before_others(folder: &Path) -> std::ffi::OsString {
    let others = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let others = env::split_paths(&others).filter(|other| !other.as_os_str().is_empty());
    env::join_paths([folder.to_owned()].into_iter().chain(others)).unwrap()
}
