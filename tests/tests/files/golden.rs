//! Golden tests: ptxas takes every rewrite, and what is neither rewritten by `ccc` nor by `ssde-ptx` is as expected.
//!
//! `cargo test -p tests --test files -- ptxas::ccc/bfs`. The rewrites themselves are compared, and run, by the tests of their rooms:
//! `cargo test -p ccc --test golden`. The library's module `golden` says what a file can say.

use std::path::Path;

use libtest_mimic::Trial;
use tests::golden::{assemble, check, folder};

/// The tests of all files.
pub(crate) fn trials() -> Vec<Trial> {
    let checked = |file: &Path, name: &str| check(file, name).map_err(|error| format!("{error:#}"));
    let mut trials: Vec<Trial> = ["annotate", "print"]
        .into_iter()
        .flat_map(|name| golden::trials(&folder(), name, &["cu", "ptx"], checked))
        .collect();
    for file in golden::files(&folder(), &["cu", "ptx"]) {
        let name = file.strip_prefix(folder()).unwrap_or(&file).display().to_string();
        let ptxas = move || assemble(&file).map_err(|error| format!("{error:#}").into());
        trials.push(Trial::test(format!("ptxas::{name}"), ptxas));
    }
    trials
}
