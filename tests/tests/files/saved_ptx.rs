//! PTX that was saved beside sources: of some it is made anew, and must be the same.
//!
//! The sample is the sources whose hash begins with some digits. `cargo test -p tests --test files -- compiled_again --include-ignored` takes
//! all. Only the version of nvcc that made a file is held to it.

use std::path::{Path, PathBuf};

use libtest_mimic::Trial;
use tests::saved::{Build, root};

/// The share of sources that is compiled again in every run: one of so many.
const SHARE: u8 = 32;

/// The tests of all sources of which PTX was saved.
pub(crate) fn trials() -> Vec<Trial> {
    let mut sources = Vec::new();
    ["golden", "kernels", "lock_free"].iter().for_each(|folder| saved(&root().join(folder), &mut sources));
    sources.sort();
    let trial = |source: PathBuf| {
        let name = source.strip_prefix(root()).unwrap_or(&source).display().to_string();
        let taken = golden::saved::hash(&source).is_ok_and(|hash| is_taken(&hash));
        let check = move || {
            let builds = Build::all(&source);
            // Without a build nothing would be compared.
            anyhow::ensure!(!builds.is_empty(), "no build is saved beside `{}`", source.display());
            builds.iter().try_for_each(Build::is_current)
        };
        let check = move || check().map_err(|error| format!("{error:#}").into());
        Trial::test(format!("compiled_again::{name}"), check).with_ignored_flag(!taken)
    };
    sources.into_iter().map(trial).collect()
}

fn is_taken(hash: &str) -> bool {
    hash.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()).is_some_and(|byte| byte % SHARE == 0)
}

/// Adds the sources of a folder, and of the folders in it, that have PTX beside them.
fn saved(folder: &Path, sources: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            saved(&path, sources);
        } else if path.extension().is_some_and(|ending| ending == "cu") && golden::saved::path(&path).is_file() {
            sources.push(path);
        }
    }
}
