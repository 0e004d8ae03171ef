//! Runs the program, and makes the files that it is run on.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Once};

use serde_json::Value;
use signal_hook::consts::SIGINT;

/// What one run of the program came to.
pub(crate) struct Ran {
    pub(crate) status: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

/// Has the programs that tests start end at SIGINT, even if the tests were started in the background of a shell, which has their children ignore it.
pub(crate) fn heed_interrupts() {
    static DONE: Once = Once::new();
    // A signal that has a handler here has its default effect in a child; and in this process it has that as well.
    let heed = || signal_hook::flag::register_conditional_default(SIGINT, Arc::new(AtomicBool::new(true)));
    DONE.call_once(|| assert!(heed().is_ok()));
}

/// The program with its arguments, in the checkout, so that every test uses the same CUDA compiler.
pub(crate) fn command<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Command {
    heed_interrupts();
    let mut command = Command::new(env!("CARGO_BIN_EXE_pxrw"));
    command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).stdin(Stdio::null());
    command
}

/// Runs the program. Whatever it is given, it ends by itself, without a panic, with one of its three statuses.
pub(crate) fn pxrw<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Ran {
    finish(&mut command(arguments))
}

pub(crate) fn finish(command: &mut Command) -> Ran {
    let output = command.output().unwrap();
    let stderr = String::from_utf8(output.stderr).expect("messages are UTF-8");
    assert!(!stderr.contains("panicked at"), "{command:?}\n{stderr}");
    let status = output.status.code().unwrap_or_else(|| panic!("{command:?} was killed\n{stderr}"));
    assert!((0..=2).contains(&status), "{command:?} ended with status {status}\n{stderr}");
    Ran { status, stdout: output.stdout, stderr }
}

impl Ran {
    pub(crate) fn stdout(&self) -> &str {
        std::str::from_utf8(&self.stdout).unwrap()
    }

    /// Checks the status; both streams are shown if it is another.
    #[track_caller]
    pub(crate) fn ends_with(self, status: i32) -> Ran {
        assert_eq!(self.status, status, "stdout:\n{}\nstderr:\n{}", String::from_utf8_lossy(&self.stdout), self.stderr);
        self
    }

    /// Checks that standard error has each of the texts.
    #[track_caller]
    pub(crate) fn says(self, texts: &[&str]) -> Ran {
        for text in texts {
            assert!(self.stderr.contains(text), "no `{text}` in standard error:\n{}", self.stderr);
        }
        self
    }

    /// Checks that standard output has each of the texts.
    #[track_caller]
    pub(crate) fn prints(self, texts: &[&str]) -> Ran {
        for text in texts {
            assert!(self.stdout().contains(text), "no `{text}` in standard output:\n{}", self.stdout());
        }
        self
    }
}

/// A folder for the files of one test; it goes away with them.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Writes a file and gives its path as an argument.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        std::fs::write(self.path(name), content).unwrap();
        self.argument(name)
    }

    pub(crate) fn argument(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    /// The names of what is in the folder, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// A file of the golden tests, which serves as an input here.
pub(crate) fn golden(name: &str) -> String {
    Path::new("tests/golden").join(name).to_str().unwrap().to_owned()
}

/// Reads a JSON report and checks that it has the keys; `a.0.b` is key `b` of the first element of `a`.
#[track_caller]
pub(crate) fn report(text: &str, keys: &[&str]) -> Value {
    let value: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in the report:\n{text}"));
    for key in keys {
        let pointer = format!("/{}", key.replace('.', "/"));
        assert!(value.pointer(&pointer).is_some(), "no key `{key}` in the report:\n{text}");
    }
    value
}
