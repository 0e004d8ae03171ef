//! Runs every file under `tests/golden/` as a test of its own: `cargo test -p tests --test golden -- bfs`.
//!
//! What a file can say is described in the library's module `golden`.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::path::{Path, PathBuf};

use libtest_mimic::{Arguments, Trial};

fn main() {
    let arguments = Arguments::from_args();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    let mut files = Vec::new();
    collect(&folder, &mut files);
    files.sort();
    assert!(!files.is_empty(), "no golden tests in {}", folder.display());
    let trials = files.into_iter().map(|file| {
        let name = file.strip_prefix(&folder).unwrap().display().to_string();
        Trial::test(name.clone(), move || {
            tests::golden::check(&file, &name).map_err(|error| format!("{error:#}").into())
        })
    });
    libtest_mimic::run(&arguments, trials.collect()).exit();
}

/// The programs of a folder and of those in it.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.extension().and_then(|extension| extension.to_str()) {
            _ if path.is_dir() => collect(&path, files),
            Some("cu" | "ptx") => files.push(path),
            _ => panic!("{} is neither a `.cu` nor a `.ptx`", path.display()),
        }
    }
}
