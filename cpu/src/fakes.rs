//! Scripts that stand for compilers in the tests.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Writes an executable script.
///
/// A shell writes the file and not this process: another test that forks at the wrong moment would hold the descriptor open, and the system does not
/// execute a file that is open for writing.
pub(crate) fn script(path: &Path, body: &str) {
    let mut shell = Command::new("sh")
        .args(["-c", "cat > \"$1\" && chmod 755 \"$1\"", "sh"])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    write!(shell.stdin.take().unwrap(), "#!/bin/sh\n{body}\n").unwrap();
    assert!(shell.wait().unwrap().success());
}
