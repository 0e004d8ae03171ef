//! `pxrw nvcc` and signals: the exit status is nvcc's, and nothing is left behind.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::builds::path_with;
use crate::nvcc::{nvcc, stand_in};
use crate::program::Folder;

const MARKED: &str =
    "__global__ void k(int *a) {\n#CCC for\n for (int i = 0; i < 9; ++i) {\n#CCC if\n if (a[i]) a[i] *= 2; }\n}\n";

/// A host compiler that waits in its last step, with half of the object written, and says which process it is. That process itself waits: a child of it that
/// starts when the signal has been sent would outlive it.
fn slow_compiler(folder: &Folder) -> PathBuf {
    fs::create_dir(folder.path("bin")).unwrap();
    let script = "#!/bin/sh\ncase \"$*\" in *' -c '*) echo half > k.o; echo $$ > pid.new; mv pid.new pid; exec sleep 100;; esac\nexec /usr/bin/gcc \"$@\"\n";
    folder.file("bin/gcc", script);
    fs::set_permissions(folder.path("bin/gcc"), fs::Permissions::from_mode(0o755)).unwrap();
    folder.path("bin")
}

pub(crate) fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(100), "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Returns true if a process has not ended.
pub(crate) fn lives(process: &str) -> bool {
    let state = fs::read_to_string(format!("/proc/{}/stat", process.trim())).unwrap_or_default();
    state.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

/// Sends a signal to a compiler in its last step, to it alone or to its group; returns how it ended, and its messages.
fn interrupted(command: &mut Command, folder: &Folder, signal: &str, group: bool) -> (ExitStatus, String) {
    let bin = folder.path("bin");
    let _ = fs::remove_file(folder.path("pid"));
    let _ = fs::remove_file(folder.path("k.o"));
    let messages = fs::File::create(folder.path("messages")).unwrap();
    command.args(["-c", "k.cu", "-o", "k.o"]).env("PATH", path_with(&[&bin])).env("TMPDIR", folder.path("tmp"));
    let mut child = command.process_group(0).stderr(messages).spawn().unwrap();
    wait_until("the compiler starts", || folder.path("pid").exists());
    let target = if group { format!("-{}", child.id()) } else { child.id().to_string() };
    assert!(Command::new("kill").args(["-s", signal, "--", &target]).status().unwrap().success());
    let status = child.wait().unwrap();
    (status, folder.text("messages"))
}

/// Returns true if this process was started with a signal ignored: hangups by `nohup`, interrupts in the background of a script. Then so are its children.
pub(crate) fn ignores(signal: &str) -> bool {
    let number = match signal {
        "HUP" => 1,
        "INT" => 2,
        _ => return false,
    };
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    u64::from_str_radix(ignored.trim(), 16).unwrap() >> (number - 1) & 1 != 0
}

#[test]
fn a_signal_ends_all_steps_and_leaves_nothing() {
    let folder = Folder::new();
    folder.file("k.cu", MARKED);
    slow_compiler(&folder);
    fs::create_dir(folder.path("tmp")).unwrap();
    let signals = [("TERM", false), ("TERM", true), ("HUP", false), ("HUP", true), ("INT", true)];
    for (signal, group) in signals.into_iter().filter(|(signal, _)| !ignores(signal)) {
        let (ours, text) = interrupted(&mut stand_in(&folder, &nvcc()), &folder, signal, group);
        let left: Vec<_> = fs::read_dir(folder.path("tmp")).unwrap().collect();
        assert!(left.is_empty() && !folder.path("k.o").exists(), "{signal}: {left:?}, {:?}", folder.names());
        wait_until("the step ends", || !lives(&folder.text("pid")));
        let expected = match signal {
            "TERM" => (Some(255), None),
            "HUP" => (None, Some(1)),
            // The shell of the step dies of the signal, or its program did and it says so.
            _ => (ours.code().filter(|code| [2, 130].contains(code)), None),
        };
        assert_eq!((ours.code(), ours.signal()), expected, "{signal}, {group}: {text}");
        assert_eq!(text.contains("nvcc: Terminated"), signal == "TERM", "{text}");
    }
}

#[test]
fn exit_statuses_are_nvccs() {
    let folder = Folder::new();
    folder.file("k.cu", MARKED.replace("#CCC", "//#CCC"));
    slow_compiler(&folder);
    fs::create_dir(folder.path("tmp")).unwrap();
    let signals = [("TERM", false), ("HUP", true), ("INT", true)];
    for (signal, group) in signals.into_iter().filter(|(signal, _)| !ignores(signal)) {
        let mut theirs = Command::new(nvcc());
        theirs.current_dir(folder.path("")).stdin(Stdio::null());
        let (theirs, _) = interrupted(&mut theirs, &folder, signal, group);
        // nvcc leaves its steps and its files; ours is about the status.
        let _ = Command::new("kill").arg(folder.text("pid").trim()).status();
        let (ours, text) = interrupted(&mut stand_in(&folder, &nvcc()), &folder, signal, group);
        assert_eq!((ours.code(), ours.signal()), (theirs.code(), theirs.signal()), "{signal}: {text}");
    }
}

#[test]
fn a_signal_that_is_ignored_stays_ignored() {
    let folder = Folder::new();
    folder.file("k.cu", MARKED);
    let bin = slow_compiler(&folder);
    let script = fs::read_to_string(bin.join("gcc")).unwrap().replace("exec sleep 100", "sleep 1");
    fs::write(bin.join("gcc"), script).unwrap();
    fs::create_dir(folder.path("tmp")).unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' HUP; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_pxrw"), "nvcc"]).arg(nvcc());
    command.current_dir(folder.path("")).stdin(Stdio::null());
    let (status, text) = interrupted(&mut command, &folder, "HUP", false);
    assert!(status.success(), "{status}: {text}");
}

#[test]
fn a_wrapper_dies_with_what_it_started() {
    let folder = Folder::new();
    folder.file("k.cu", MARKED);
    slow_compiler(&folder);
    fs::create_dir(folder.path("tmp")).unwrap();
    folder.file("wrapper", "#!/bin/sh\nnvcc \"$@\"\nexit $?\n");
    fs::set_permissions(folder.path("wrapper"), fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_pxrw"));
    command.args(["nvcc", "./wrapper"]).current_dir(folder.path("")).stdin(Stdio::null());
    command.env_remove("CUDA_ROOT").env("PXRW_NVCC", nvcc());
    let (status, text) = interrupted(&mut command, &folder, "TERM", false);
    assert_eq!(status.signal(), Some(15), "{status}: {text}");
    let left: Vec<_> = fs::read_dir(folder.path("tmp")).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
    wait_until("the step ends", || !lives(&folder.text("pid")));
}
