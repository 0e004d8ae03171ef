//! The folder of our own toolkit.
//!
//! In a checkout of pxrw it lives in the checkout, so that `rm -r` of the checkout removes everything; elsewhere it is a
//! cache of the user, shared by all projects.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder to install into when nothing else is said, by the first of these that applies:
///
/// 1. `PXRW_TOOLKIT_DIR`, where set;
/// 2. `.pxrw-toolkit` in the checkout of pxrw that the current directory is in: a folder with the `Cargo.toml` of the
///    workspace whose root package is `pxrw`, with no other project's `.git` in between;
/// 3. `$XDG_CACHE_HOME/pxrw/toolkit`;
/// 4. `~/.cache/pxrw/toolkit`;
/// 5. `.pxrw-toolkit` in the current directory, for a user with no home.
///
/// The folder carries its own `.gitignore`, so it never shows up in the checkout's status.
pub fn default_install_dir() -> PathBuf {
    let here = env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    choose(&here, &set)
}

fn choose(here: &Path, variable: &dyn Fn(&str) -> Option<OsString>) -> PathBuf {
    if let Some(dir) = variable("PXRW_TOOLKIT_DIR") {
        return here.join(dir);
    }
    let checkout = here.ancestors().find(|dir| is_ours(dir) || dir.join(".git").exists());
    if let Some(checkout) = checkout.filter(|dir| is_ours(dir)) {
        return checkout.join(".pxrw-toolkit");
    }
    // The XDG specification has relative paths ignored.
    let cache = variable("XDG_CACHE_HOME").map(PathBuf::from).filter(|p| p.is_absolute());
    match cache.or_else(|| Some(PathBuf::from(variable("HOME")?).join(".cache"))) {
        Some(cache) => cache.join("pxrw/toolkit"),
        None => here.join(".pxrw-toolkit"),
    }
}

/// Returns true for the root of a checkout of pxrw.
fn is_ours(dir: &Path) -> bool {
    fs::read_to_string(dir.join("Cargo.toml")).is_ok_and(|text| is_our_workspace(&text))
}

/// Returns true if a manifest has a `[workspace]` and a `[package]` named pxrw. Only section heads and one key matter, so this
/// reads lines instead of taking on a TOML parser.
fn is_our_workspace(manifest: &str) -> bool {
    let (mut section, mut workspace, mut named) = ("", false, false);
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
            workspace |= line == "[workspace]";
        } else if section == "[package]"
            && let Some((key, value)) = line.split_once('=')
        {
            named |= key.trim() == "name" && value.trim() == "\"pxrw\"";
        }
    }
    workspace && named
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables<'a>(set: &'a [(&'a str, &'a str)]) -> impl Fn(&str) -> Option<OsString> + 'a {
        move |name| set.iter().find(|(n, _)| *n == name).map(|(_, value)| OsString::from(value))
    }

    #[test]
    fn the_variable_wins() {
        let set = variables(&[("PXRW_TOOLKIT_DIR", "/t"), ("HOME", "/h")]);
        assert_eq!(choose(Path::new("/"), &set), Path::new("/t"));
        let set = variables(&[("PXRW_TOOLKIT_DIR", "t")]);
        assert_eq!(choose(Path::new("/home/me"), &set), Path::new("/home/me/t"));
    }

    #[test]
    fn a_checkout_of_pxrw_is_next() {
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("checkout/crate/src");
        fs::create_dir_all(&inner).unwrap();
        fs::write(inner.parent().unwrap().join("Cargo.toml"), "[package]\nname = \"toolkit\"\n").unwrap();
        let manifest = dir.path().join("checkout/Cargo.toml");
        fs::write(&manifest, "[workspace]\nmembers = []\n[package]\nname = \"pxrw\"\n").unwrap();
        let set = variables(&[("HOME", "/h")]);
        assert_eq!(choose(&inner, &set), dir.path().join("checkout/.pxrw-toolkit"));
        fs::create_dir(dir.path().join("checkout/.git")).unwrap();
        assert_eq!(choose(&inner, &set), dir.path().join("checkout/.pxrw-toolkit"));
        // Another project inside the checkout is no part of it.
        fs::create_dir(inner.join(".git")).unwrap();
        assert_eq!(choose(&inner, &set), Path::new("/h/.cache/pxrw/toolkit"));
    }

    #[test]
    fn another_project_gets_no_folder_of_ours() {
        let set = variables(&[("HOME", "/h")]);
        for file in [".git", "Cargo.toml"] {
            let dir = tempfile::tempdir().unwrap();
            fs::write(dir.path().join(file), "[workspace]\n[package]\nname = \"other\"\n").unwrap();
            assert_eq!(choose(dir.path(), &set), Path::new("/h/.cache/pxrw/toolkit"), "{file}");
        }
    }

    #[test]
    fn the_cache_is_last() {
        let root = Path::new("/");
        assert_eq!(choose(root, &variables(&[("XDG_CACHE_HOME", "/c"), ("HOME", "/h")])), Path::new("/c/pxrw/toolkit"));
        assert_eq!(
            choose(root, &variables(&[("XDG_CACHE_HOME", "c"), ("HOME", "/h")])),
            Path::new("/h/.cache/pxrw/toolkit")
        );
        assert_eq!(choose(root, &variables(&[])), Path::new("/.pxrw-toolkit"));
    }

    #[test]
    fn another_project_is_not_ours() {
        assert!(!is_our_workspace("[workspace]\n[package]\nname = \"other\"\n"));
        assert!(!is_our_workspace("[package]\nname = \"pxrw\"\n"));
        assert!(!is_our_workspace("[workspace]\n[dependencies]\nname = \"pxrw\"\n"));
    }
}
