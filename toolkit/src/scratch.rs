//! Folders for temporary files, and the end of the process while they exist.
//!
//! A signal that ends the process runs no destructors. [`end_all`] does their work: it ends the child processes, removes the folders, and keeps
//! other threads from starting or making new ones.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, getpid, kill_process, set_child_subreaper};
use tempfile::TempDir;

use crate::error::{CREATE_TEMPORARY, Error};

/// The time between two looks at processes that are ending.
const PAUSE: Duration = Duration::from_millis(10);

/// The looks at processes that are ending before they are killed, and before this process no longer waits for them.
const PATIENCE: u32 = 100;

/// The folders that exist. A thread that ends the process holds it to the end.
static FOLDERS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn folders() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    FOLDERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A folder for temporary files. It is removed when this is dropped, and by [`end_all`].
#[derive(Debug)]
pub struct Scratch {
    /// `None` for a folder that is removed by [`end_all`] alone.
    folder: Option<TempDir>,
    path: PathBuf,
}

impl Scratch {
    /// Makes a folder with a name of its own.
    ///
    /// # Errors
    /// [`Error::Io`] when it cannot be made.
    pub fn new() -> Result<Scratch, Error> {
        Scratch::of(|| tempfile::Builder::new().prefix("pxrw-").tempdir())
    }

    /// Makes a folder with this name among the temporary files.
    ///
    /// # Errors
    /// [`Error::Io`] when it cannot be made, or exists.
    pub(crate) fn named(name: &str) -> Result<Scratch, Error> {
        Scratch::of(|| tempfile::Builder::new().prefix(name).rand_bytes(0).tempdir())
    }

    fn of(make: impl FnOnce() -> std::io::Result<TempDir>) -> Result<Scratch, Error> {
        let mut folders = folders();
        let cannot = |source| Error::Io { action: CREATE_TEMPORARY, path: env::temp_dir(), source };
        let folder = make().map_err(cannot)?;
        let path = folder.path().to_owned();
        folders.insert(path.clone());
        Ok(Scratch { folder: Some(folder), path })
    }

    /// Has [`end_all`] remove a folder while this exists; otherwise its owner removes it.
    pub(crate) fn watching(path: &Path) -> Scratch {
        folders().insert(path.to_owned());
        Scratch { folder: None, path: path.to_owned() }
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let mut folders = folders();
        drop(self.folder.take());
        folders.remove(&self.path);
    }
}

/// Returns unless another thread ends the process. While the result exists, none does; a child process is started meanwhile.
pub(crate) fn hold_end() -> impl Sized {
    folders()
}

/// Ends all processes that descend from this one, and removes the folders for temporary files. Afterwards no thread starts a process or makes a folder, so
/// that the caller can end the process.
pub fn end_all() {
    let folders = folders();
    end_descendants(folders.iter().map(PathBuf::as_path));
    // Whoever waits for the lock waits for the end of the process.
    std::mem::forget(folders);
}

/// Ends all processes that descend from this one, and removes the folders that they write to.
pub fn end_descendants<'f>(scratch: impl Iterator<Item = &'f Path> + Clone) {
    // What a child leaves behind becomes a child of this process, and is found.
    let _ = set_child_subreaper(Some(getpid()));
    let mut quiet = 0;
    for look in 0..2 * PATIENCE {
        let signal = if look < PATIENCE { Signal::TERM } else { Signal::KILL };
        let living = descendants(std::process::id());
        for &process in &living {
            if let Some(process) = Pid::from_raw(process as i32) {
                let _ = kill_process(process, signal);
            }
        }
        let mut there = false;
        for folder in scratch.clone().filter(|folder| folder.exists()) {
            let _ = fs::remove_dir_all(folder);
            there = true;
        }
        quiet = if living.is_empty() && !there { quiet + 1 } else { 0 };
        // A second look finds what another thread had begun before the first.
        if quiet == 2 {
            return;
        }
        thread::sleep(PAUSE);
    }
}

/// The processes that descend from a process and have not ended.
fn descendants(ancestor: u32) -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    // `pid (name) state parent …`, where the name may have any character.
    let all: Vec<(u32, u32)> = processes
        .filter_map(|process| {
            let line = fs::read(format!("/proc/{process}/stat")).ok()?;
            let line = String::from_utf8_lossy(&line).into_owned();
            let mut words = line.rsplit_once(") ")?.1.split(' ');
            let state = words.next()?;
            let parent = words.next()?.parse().ok()?;
            (!matches!(state, "Z" | "X")).then_some((process, parent))
        })
        .collect();
    let mut found = vec![ancestor];
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        found.extend(all.iter().filter(|&&(_, of)| of == parent).map(|&(process, _)| process));
        next += 1;
    }
    found.split_off(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descendants_are_found_at_any_depth() {
        let mut shell = std::process::Command::new("sh").args(["-c", "sh -c 'sleep 100; :'; :"]).spawn().unwrap();
        while descendants(shell.id()).len() < 2 {
            thread::sleep(PAUSE);
        }
        assert!(descendants(std::process::id()).contains(&shell.id()));
        for process in descendants(shell.id()) {
            let _ = kill_process(Pid::from_raw(process as i32).unwrap(), Signal::KILL);
        }
        let _ = shell.kill();
        shell.wait().unwrap();
        assert!(!descendants(std::process::id()).contains(&shell.id()));
    }

    #[test]
    fn a_folder_goes_away_with_its_owner_and_is_known_until_then() {
        let scratch = Scratch::new().unwrap();
        let path = scratch.path().to_owned();
        assert!(path.is_dir() && folders().contains(&path));
        drop(scratch);
        assert!(!path.exists() && !folders().contains(&path));
    }

    #[test]
    fn a_watched_folder_is_its_owners() {
        let folder = tempfile::tempdir().unwrap();
        let watched = Scratch::watching(folder.path());
        assert!(folders().contains(folder.path()));
        drop(watched);
        assert!(folder.path().is_dir() && !folders().contains(folder.path()));
    }
}
