//! Fake CUDA tools for the tests: shell scripts that answer as the real ones do, or fail in one chosen way.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The way in which a fake toolkit is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fake {
    Working,
    NvccFails,
    NoVersion,
    NoPtxas,
    NoCicc,
    CiccCrashes,
    CiccTruncated,
}

const PRINT_VERSION: &str = "echo 'Cuda compilation tools, release 12.9, V12.9.1'";

/// The script of a fake nvcc: it prints its version, or writes an empty module to the file after `-o`.
pub(crate) const NVCC: &str = r#"
out=
for argument; do
  case "$previous" in -o) out=$argument;; esac
  previous=$argument
done
if [ -n "$out" ]; then echo '.version 9.0' > "$out"; else echo 'Cuda compilation tools, release 12.9, V12.9.1'; fi
"#;

/// Writes an executable script.
///
/// The file is written by a shell and not by this process: another test that forks at the wrong moment would hold the
/// descriptor open, and the kernel refuses to execute a file that is open for writing.
pub(crate) fn script(path: &Path, body: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut shell = Command::new("sh")
        .args(["-c", "cat > \"$1\" && chmod 755 \"$1\"", "sh"])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    shell.stdin.take().unwrap().write_all(format!("#!/bin/sh\n{body}\n").as_bytes()).unwrap();
    assert!(shell.wait().unwrap().success());
}

/// Lays out a toolkit under `root` and returns its nvcc.
pub(crate) fn toolkit(root: &Path, fake: Fake) -> PathBuf {
    let nvcc = root.join("bin/nvcc");
    let nvcc_body = match fake {
        Fake::NvccFails => "exit 3",
        Fake::NoVersion => "echo hello",
        _ => NVCC,
    };
    script(&nvcc, nvcc_body);
    if fake != Fake::NoPtxas {
        script(&root.join("bin/ptxas"), PRINT_VERSION);
    }
    let cicc = root.join("nvvm/bin/cicc");
    match fake {
        Fake::NoCicc => {}
        Fake::CiccCrashes => script(&cicc, "kill -SEGV $$"),
        Fake::CiccTruncated => {
            script(&cicc, "");
            fs::write(&cicc, b"\x7fELF").unwrap();
        }
        _ => script(&cicc, "exit 1"),
    }
    nvcc
}
