//! The files that a command line names, by themselves or by the folders that they are in.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use crate::diagnostics::Diagnostic;
use crate::failure::Failure;

/// The files of a folder that are looked at. Headers are looked at where they are included.
const LOOKED_AT: [&str; 2] = ["cu", "ptx"];

/// Returns the files in their order, those of a folder by name, and each once. What cannot be read is among them as a failure.
///
/// In folders, hidden files and what git ignores are left out. A file that is named is never left out.
pub(crate) fn files(named: &[PathBuf]) -> Vec<Result<PathBuf, Failure>> {
    let mut files = Vec::new();
    for path in named {
        match path.is_dir() {
            true => files.extend(in_folder(path)),
            false => files.push(Ok(path.clone())),
        }
    }
    let mut seen = BTreeSet::new();
    files.retain(|file| file.as_ref().map_or(true, |file| seen.insert(file.canonicalize().unwrap_or(file.clone()))));
    files
}

fn in_folder(folder: &Path) -> Vec<Result<PathBuf, Failure>> {
    let mut files = Vec::new();
    let walk = WalkBuilder::new(folder).require_git(false).sort_by_file_name(Ord::cmp).build();
    for entry in walk {
        match entry {
            Ok(entry) => {
                let extension = entry.path().extension().and_then(|extension| extension.to_str());
                let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
                if !is_folder && extension.is_some_and(|extension| LOOKED_AT.contains(&extension)) {
                    files.push(Ok(entry.into_path()));
                }
            }
            Err(error) => files.push(Err(Diagnostic::error(format!("cannot read: {error}")).into())),
        }
    }
    if files.is_empty() {
        let error = Diagnostic::error(format!("there is no .cu and no .ptx file in `{}`", folder.display()));
        let help = "hidden files and what .gitignore lists are left out; name such a file itself";
        files.push(Err(error.help(help).into()));
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(named: &[PathBuf], root: &Path) -> Vec<String> {
        let files = files(named);
        let name = |file: Result<PathBuf, Failure>| match file {
            Ok(file) => file.strip_prefix(root).unwrap().to_str().unwrap().to_owned(),
            Err(failure) => failure.diagnostics[0].title.clone(),
        };
        files.into_iter().map(name).collect()
    }

    #[test]
    fn folders_are_searched_but_not_what_is_hidden_or_built() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for inner in ["b/c", ".hidden", "target", "empty"] {
            std::fs::create_dir_all(root.join(inner)).unwrap();
        }
        for file in ["z.cu", "b/c/k.ptx", "b/a.cu", "b/a.cuh", "b/a.txt", ".hidden/h.cu", "target/t.ptx", ".x.cu"] {
            std::fs::write(root.join(file), "").unwrap();
        }
        std::fs::write(root.join(".gitignore"), "target/\n").unwrap();
        assert_eq!(names(&[root.to_owned()], root), ["b/a.cu", "b/c/k.ptx", "z.cu"]);
        // What is named is looked at, once.
        let named = ["target/t.ptx", "z.cu", "."].map(|name| root.join(name));
        assert_eq!(names(&named, root), ["target/t.ptx", "z.cu", "b/a.cu", "b/c/k.ptx"]);
        let nothing = names(&[root.join("empty")], root);
        assert!(nothing[0].starts_with("there is no .cu and no .ptx file in "), "{nothing:?}");
    }
}
