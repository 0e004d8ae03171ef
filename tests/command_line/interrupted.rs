//! Signals that end a command: its exit status, and that nothing of it is left. `pxrw nvcc` has its own tests ([`crate::signals`]).

use std::fs;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::program::{Folder, command};
use crate::signals::{ignores, lives, wait_until};

/// An nvcc that is stuck when it lists its steps, or lists a step that is stuck. Both leave something in the folder for temporary files.
const LISTING: &str = "touch \"$TMPDIR/left\"; echo $$ > PID.new; mv PID.new PID; sleep 100";
const STEP: &str = "echo '#$ echo $$ > PID.new; mv PID.new PID; sleep 100' >&2";

/// A toolkit whose nvcc does as `body` says but for its version; a folder for temporary files beside it.
fn fake_toolkit(folder: &Folder, body: &str) -> String {
    let version = "echo 'Cuda compilation tools, release 13.0, V13.0.88'";
    let body = body.replace("PID", &folder.argument("pid"));
    let nvcc = format!("case \"$*\" in --version) {version}; exit 0;; esac\n{body}");
    for (name, body) in
        [("cuda/bin/nvcc", nvcc.as_str()), ("cuda/bin/ptxas", version), ("cuda/nvvm/bin/cicc", "exit 1")]
    {
        program(folder, name, body);
    }
    let _ = fs::create_dir(folder.path("tmp"));
    folder.argument("cuda")
}

/// Writes an executable script, by a shell: the system does not execute what another thread of this process has open for writing.
fn program(folder: &Folder, name: &str, body: &str) {
    fs::create_dir_all(folder.path(name).parent().unwrap()).unwrap();
    let mut shell = Command::new("sh");
    shell
        .args(["-c", "printf '#!/bin/sh\\n%s\\n' \"$2\" > \"$1\" && chmod 755 \"$1\"", "sh"])
        .arg(folder.path(name))
        .arg(body);
    assert!(shell.status().unwrap().success());
}

/// Sends a signal to a process, or to its group, as a terminal does.
fn send(child: &Child, signal: &str, group: bool) {
    let target = if group { format!("-{}", child.id()) } else { child.id().to_string() };
    assert!(Command::new("kill").args(["-s", signal, "--", &target]).status().unwrap().success());
}

/// Starts the program, and sends a signal once a tool that it runs is stuck. Checks that nothing of either is left.
#[track_caller]
fn interrupt(command: &mut Command, folder: &Folder, signal: &str, group: bool) {
    let _ = fs::remove_file(folder.path("pid"));
    command.env("TMPDIR", folder.path("tmp")).process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    wait_until("a tool runs", || folder.path("pid").exists());
    send(&child, signal, group);
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let expected = if signal == "INT" { 130 } else { 143 };
    assert_eq!(output.status.code(), Some(expected), "{command:?}, {signal}, {group}: {said}");
    assert!(!said.contains("error"), "{command:?}, {signal}, {group}: {said}");
    wait_until("the tool ends", || !lives(&folder.text("pid")));
    let left: Vec<_> = fs::read_dir(folder.path("tmp")).unwrap().collect();
    assert!(left.is_empty(), "{command:?}, {signal}, {group}: {left:?}");
}

/// The ways in which a signal comes, but for those that this process was started to ignore.
fn ways() -> impl Iterator<Item = (&'static str, bool)> {
    let all = [("INT", true), ("INT", false), ("TERM", true), ("TERM", false)];
    all.into_iter().filter(|(signal, _)| !ignores(signal))
}

#[test]
fn every_command_that_compiles_ends_with_its_tools() {
    for body in [LISTING, STEP] {
        let folder = Folder::new();
        let cuda = fake_toolkit(&folder, body);
        let source = folder.file("k.cu", "__global__ void k() {}\n");
        let out = folder.argument("out.ptx");
        for arguments in [
            &["ccc", &source, "-o", &out][..],
            &["ssde", &source, "-o", &out],
            &["lint", &source],
            &["annotate", &source, "-o", &out],
            &["run", &source, "--grid", "1", "--block", "1"],
        ] {
            for (signal, group) in ways() {
                let mut command = command(arguments);
                interrupt(command.args(["--cuda-path", &cuda]), &folder, signal, group);
                assert_eq!(folder.names(), ["cuda", "k.cu", "pid", "tmp"], "{arguments:?}");
            }
        }
    }
}

#[test]
fn a_directive_makes_more_folders_and_all_of_them_go() {
    let folder = Folder::new();
    let cuda = fake_toolkit(&folder, LISTING);
    // It is compiled from a copy.
    let text =
        "__global__ void k(int *a) {\n#CCC for\n for (int i = 0; i < 9; ++i) {\n#CCC if\n if (a[i]) a[i] = 2; }\n}\n";
    let source = folder.file("k.cu", text);
    for (signal, group) in ways() {
        interrupt(&mut command(["ccc", &source, "--cuda-path", &cuda]), &folder, signal, group);
    }
}

#[test]
fn an_interrupted_install_is_not_there() {
    let folder = Folder::new();
    fs::create_dir(folder.path("tmp")).unwrap();
    // The part of pip that is asked for its settings, and the part that fetches.
    let pid = folder.argument("pid");
    let fetch = format!(
        "while [ $# -gt 0 ]; do [ \"$1\" = --target ] && echo half > \"$2/half\"; shift; done; echo $$ > {pid}.new; mv {pid}.new {pid}; sleep 100"
    );
    // An index in a folder needs no network.
    let settings = "case \"$*\" in *'config list'*) echo \"global.index-url='/index'\"; exit 0;; esac";
    program(&folder, "bin/python3", &format!("{settings}\n{fetch}"));
    // There is a compiler of C++, but none of CUDA.
    let path = std::env::join_paths([folder.path("bin"), "/usr/bin".into(), "/bin".into()]).unwrap();
    let out = folder.argument("out");
    let install = &["toolkit", "install"][..];
    let compile = ["ccc", "examples/bfs.cu", "-o", &out];
    let build = ["nvcc", "-c", "examples/bfs.cu", "-o", &out];
    let has_compiler = crate::toolkit::is_installed() || Path::new("/usr/bin/nvcc").exists();
    for arguments in if has_compiler { vec![install] } else { vec![install, &compile, &build] } {
        for (signal, group) in ways() {
            let mut command = command(arguments);
            command.env("PATH", &path).env("PXRW_TOOLKIT_DIR", folder.path("toolkit"));
            command.env_remove("CUDA_PATH").env_remove("CUDA_HOME");
            interrupt(&mut command, &folder, signal, group);
            let left: Vec<_> =
                fs::read_dir(folder.path("toolkit")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            assert!(left.iter().all(|name| name == ".gitignore" || name == "lock"), "{left:?}");
            assert!(!Path::new(&out).exists());
        }
    }
}

#[test]
fn commands_without_tools_end_too() {
    let folder = Folder::new();
    fs::create_dir(folder.path("tmp")).unwrap();
    let pipe = folder.argument("k.ptx");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for arguments in [&["check", &pipe][..], &["fmt", &pipe], &["fmt", "-"], &["lint", &pipe]] {
        for (signal, group) in ways() {
            let mut command = command(arguments);
            command.env("TMPDIR", folder.path("tmp")).process_group(0).stdin(Stdio::piped());
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            // It has a second thread once it waits for signals; then it reads.
            let threads = format!("/proc/{}/task", child.id());
            wait_until("it waits for signals", || fs::read_dir(&threads).is_ok_and(|threads| threads.count() > 1));
            send(&child, signal, group);
            let expected = if signal == "INT" { 130 } else { 143 };
            assert_eq!(child.wait().unwrap().code(), Some(expected), "{arguments:?}");
        }
    }
    assert_eq!(folder.names(), ["k.ptx", "tmp"]);
}

/// A kernel that ends when another thread writes, which none does.
const ENDLESS: &str = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a) {\n.reg .pred %p<2>;\n.reg .b32 %r<2>;\n\
    .reg .b64 %rd<2>;\nld.param.u64 %rd1, [a];\nLOOP:\nadd.u32 %r1, %r1, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra LOOP;\nbra LOOP;\nret;\n}\n";

#[test]
fn a_launch_ends_with_its_report() {
    let folder = Folder::new();
    let ptx = folder.file("k.ptx", ENDLESS);
    for (signal, group) in ways() {
        let mut command = command(["run", &ptx, "--grid", "1", "--block", "32", "--arg", "i32[1]=0"]);
        command.args(["--budget", "0"]).process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_secs(1));
        send(&child, signal, group);
        let output = child.wait_with_output().unwrap();
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        let expected = if signal == "INT" { 130 } else { 143 };
        assert_eq!(output.status.code(), Some(expected), "{output:?}");
        assert!(shown.contains("interrupted"), "{output:?}");
    }
}

#[test]
fn a_search_ends_with_the_levels_that_it_has() {
    // Launches for some times as long as the test waits, of which the first ones are short.
    let mut command = command(["bench", "bfs", "--scale", "20", "--machine", "stack", "--report", "json"]);
    command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    // The launches begin when the compiler is done, and the process has no children any more.
    let threads = format!("/proc/{}/task", child.id());
    let has_none = || {
        let threads = fs::read_dir(&threads).into_iter().flatten().flatten();
        let children = threads.map(|thread| fs::read_to_string(thread.path().join("children")).unwrap_or_default());
        children.collect::<String>().trim().is_empty()
    };
    wait_until("the compiler runs", || !has_none());
    let idle = || {
        std::thread::sleep(std::time::Duration::from_millis(500));
        has_none()
    };
    wait_until("the launches run", || (0..4).all(|_| idle()));
    send(&child, "TERM", false);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(143), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("interrupted: the report has what was measured until then"), "{said}");
    let report = crate::program::report(std::str::from_utf8(&output.stdout).unwrap(), &["rows", "graph.levels"]);
    let rows = report["rows"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["outcome"] == "finished"), "{rows:?}");
    let total = report["graph"]["levels"].as_u64().unwrap() as usize;
    assert!(rows.len() < 2 * (total + 1), "{} rows", rows.len());
}

#[test]
fn a_c_compiler_that_is_stuck_ends_and_leaves_nothing() {
    let folder = Folder::new();
    fs::create_dir(folder.path("tmp")).unwrap();
    let input =
        folder.file("k.ptx", ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n  ret;\n}\n");
    let stuck = "case \"$*\" in *--version*) echo 1; exit 0;; esac\ntouch \"$TMPDIR/left\"; echo $$ > PID.new; mv PID.new PID; sleep 100";
    program(&folder, "cc", &stuck.replace("PID", &folder.argument("pid")));
    let (compiler, object) = (folder.argument("cc"), folder.argument("k.so"));
    let run = ["run", &input, "--device", "cpu", "--grid", "1", "--block", "1", "--cc", &compiler];
    for (signal, group) in ways() {
        interrupt(&mut command(run), &folder, signal, group);
        interrupt(&mut command(["cpu", &input, "-o", &object, "--cc", &compiler]), &folder, signal, group);
    }
    assert!(!Path::new(&object).exists());
}

#[test]
fn a_kernel_on_the_cpu_that_never_ends_is_ended() {
    let folder = Folder::new();
    fs::create_dir(folder.path("tmp")).unwrap();
    let endless = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\nLOOP:\n  bra LOOP;\n}\n";
    let input = folder.file("k.ptx", endless);
    let run = ["run", &input, "--device", "cpu", "--grid", "4", "--block", "32"];
    for (signal, group) in ways() {
        let mut command = command(run);
        command.env("TMPDIR", folder.path("tmp")).process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        // The object is a file only until it is loaded.
        let is_loaded = || {
            let maps = fs::read_to_string(format!("/proc/{}/maps", child.id())).unwrap_or_default();
            maps.contains("loaded.so (deleted)")
        };
        wait_until("the kernel is loaded", is_loaded);
        send(&child, signal, group);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(if signal == "INT" { 130 } else { 143 }), "{signal}, {group}");
        assert_eq!(fs::read_dir(folder.path("tmp")).unwrap().count(), 0, "{signal}, {group}");
    }
}

#[test]
fn a_kernel_on_the_cpu_that_crashes_leaves_nothing() {
    let folder = Folder::new();
    fs::create_dir(folder.path("tmp")).unwrap();
    let wrong = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n  .reg .b64 %p;\n  \
                 ld.param.u64 %p, [p];\n  st.global.u32 [%p], 1;\n  ret;\n}\n";
    let input = folder.file("k.ptx", wrong);
    let run = ["run", &input, "--device", "cpu", "--grid", "1", "--block", "1", "--arg", "u64:16"];
    let status = command(run).env("TMPDIR", folder.path("tmp")).stderr(Stdio::null()).status().unwrap();
    assert_eq!(status.signal(), Some(signal_hook::consts::SIGSEGV));
    assert_eq!(fs::read_dir(folder.path("tmp")).unwrap().count(), 0);
}
