//! The one runner of golden tests.
//!
//! A golden test is a file, and beside it the whole output that is expected of it: `NAME.expected` for `NAME`. [`trials`] makes a test of each file of a
//! folder, [`hold`] compares. With `PXRW_BLESS=1`, `hold` writes today's output instead; read the difference before you keep it.
//!
//! [`saved`] keeps what the CUDA compiler made of a source beside it, so that tests need no compiler.

#![warn(clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::indexing_slicing))]
// Tests that cannot be read must not pass.
#![allow(clippy::panic)]

mod difference;
pub mod saved;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{env, fs};

use libtest_mimic::{Arguments, Trial};

/// The variable that has expectations written anew.
pub const BLESS: &str = "PXRW_BLESS";

/// Returns true if expectations are to be written anew.
#[must_use]
pub fn is_blessing() -> bool {
    env::var_os(BLESS).is_some_and(|value| !value.is_empty() && value != *"0")
}

/// Returns the path of a file with a further ending: `k.cu.expected` of `k.cu`.
#[must_use]
pub fn beside(file: &Path, ending: &str) -> PathBuf {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    file.with_file_name(format!("{name}.{ending}"))
}

/// Returns the file that holds what is expected of a file.
#[must_use]
pub fn expectation(file: &Path) -> PathBuf {
    beside(file, "expected")
}

/// Compares an output with what is expected of `file`; writes it instead if [`is_blessing`].
///
/// # Errors
/// The difference, and what to do; or a file that cannot be read or written.
pub fn hold(file: &Path, actual: &str) -> Result<(), String> {
    hold_as(file, actual, is_blessing())
}

fn hold_as(file: &Path, actual: &str, bless: bool) -> Result<(), String> {
    let path = expectation(file);
    let expected = fs::read_to_string(&path);
    if expected.as_ref().is_ok_and(|expected| expected == actual) {
        return Ok(());
    }
    if bless {
        return fs::write(&path, actual).map_err(|error| format!("cannot write `{}`: {error}", path.display()));
    }
    let shown = path.display();
    let what_to_do = format!("if this is what it should be, `{BLESS}=1` with the same command writes it there");
    match expected {
        Ok(expected) => {
            let difference = difference::between(&expected, actual);
            Err(format!("the output differs from `{shown}` (- expected, + actual):\n{difference}{what_to_do}"))
        }
        Err(error) => Err(format!("cannot read `{shown}`: {error}\nthe output is:\n{actual}{what_to_do}")),
    }
}

/// Returns the files of a folder, and of the folders in it, that have one of some endings, in order. Files that stand beside a test are none:
/// `k.cu.expected`, `k.cu.ptx` and `k.cu.ptx.gz`.
///
/// # Panics
/// If a folder cannot be read, or if a file beside a test belongs to none.
#[must_use]
pub fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    collect(folder, endings, &mut files);
    files.sort();
    assert!(!files.is_empty(), "no golden tests in {}", folder.display());
    files
}

fn collect(folder: &Path, endings: &[&str], files: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("cannot read {}: {error}", folder.display()));
    for entry in entries {
        let path = entry.unwrap_or_else(|error| panic!("cannot read {}: {error}", folder.display())).path();
        let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        if path.is_dir() {
            collect(&path, endings, files);
        } else if let Some(of) = owner(&path) {
            assert!(of.is_file(), "`{}` belongs to `{}`, which is not there: remove it", path.display(), of.display());
        } else if endings.contains(&ending) {
            files.push(path);
        } else {
            panic!("`{}` has none of the endings {endings:?}", path.display());
        }
    }
}

/// Returns the test that a file stands beside: `k.cu` for `k.cu.expected`, `k.cu.ptx` and `k.cu.ptx.gz`.
fn owner(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let of = [".expected", ".ptx", ".ptx.gz"].iter().find_map(|ending| name.strip_suffix(ending))?;
    // A test may be PTX itself.
    of.contains('.').then(|| path.with_file_name(of))
}

/// Returns a test for each file of a folder in `root`, named after its path in `root`. `check` gets the path and the name.
pub fn trials<F>(root: &Path, folder: &str, endings: &[&str], check: F) -> Vec<Trial>
where
    F: Fn(&Path, &str) -> Result<(), String> + Copy + Send + 'static,
{
    let trial = |file: PathBuf| {
        let name = file.strip_prefix(root).unwrap_or(&file).display().to_string();
        Trial::test(name.clone(), move || check(&file, &name).map_err(Into::into))
    };
    files(&root.join(folder), endings).into_iter().map(trial).collect()
}

/// Runs tests by the arguments of the process, and ends it.
pub fn run_trials(trials: Vec<Trial>) -> ! {
    libtest_mimic::run(&Arguments::from_args(), trials).exit()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use super::*;

    #[test]
    fn an_output_is_held_to_what_was_blessed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("k.cu");
        let missing = hold_as(&file, "one\n", false).unwrap_err();
        assert!(missing.contains("cannot read") && missing.contains("PXRW_BLESS=1"), "{missing}");
        hold_as(&file, "one\ntwo\n", true).unwrap();
        hold_as(&file, "one\ntwo\n", false).unwrap();
        let changed = hold_as(&file, "one\nthree\n", false).unwrap_err();
        assert!(changed.contains("-two\n+three\n") && changed.contains("PXRW_BLESS=1"), "{changed}");
        // The end of the last line counts.
        assert!(hold_as(&file, "one\ntwo", false).is_err());
    }

    #[test]
    fn files_beside_a_test_are_no_tests() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.cu", "b.cu.expected", "b.cu.ptx", "c.cu", "c.cu.ptx.gz", "a.ptx", "a.ptx.expected"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let files: Vec<PathBuf> = files(folder.path(), &["cu", "ptx"]);
        assert_eq!(files, ["a.ptx", "b.cu", "c.cu"].map(|name| folder.path().join(name)));
    }

    #[test]
    #[should_panic(expected = "which is not there: remove it")]
    fn an_expectation_of_nothing_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("gone.cu.expected"), "").unwrap();
        let _ = files(folder.path(), &["cu"]);
    }
}
