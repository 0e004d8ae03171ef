//! The sources of the workspace, for tests that look at the code itself.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// Returns the Rust files of a folder and of those in it.
///
/// # Errors
/// The folder, or one in it, cannot be read.
pub fn sources(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(sources(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(files)
}
