//! `pxrw nvcc`: sources from standard input and in other encodings, closed streams, `-G`, and the temporary folder.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::nvcc::{COMMENTED, contains, nvcc, stand_in};
use crate::program::Folder;

const PXRW: &str = env!("CARGO_BIN_EXE_pxrw");

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Runs a compiler with a file as its standard input.
fn fed(command: &mut Command, folder: &Folder, source: &str) -> Output {
    folder.file("input", source);
    command.stdin(fs::File::open(folder.path("input")).unwrap()).current_dir(folder.path("")).output().unwrap()
}

#[test]
fn a_source_may_come_from_standard_input() {
    let folder = Folder::new();
    let ours = |arguments: &[&str], source: &str| fed(stand_in(&folder, &nvcc()).args(arguments), &folder, source);
    let compile = ["-x", "cu", "-", "-c", "-o", "k.o", "--no-compress"];
    let ran = ours(&compile, COMMENTED);
    assert!(ran.status.success(), "{}", text(&ran));
    assert!(contains(&fs::read(folder.path("k.o")).unwrap(), "vote.sync.ballot"));
    // Nothing is rewritten: nvcc itself reads what was read before.
    for (source, rewrites) in [(COMMENTED, "--pxrw=none"), ("__global__ void k() {}\n", "--pxrw=ccc,ssde")] {
        let ran = ours(&[rewrites, "-x=cu", "-ptx", "-o", "-", "-"], source);
        assert!(ran.status.success() && contains(&ran.stdout, ".visible .entry"), "{}", text(&ran));
    }
    // Messages and statuses: the name differs in the folder alone.
    let wrong = COMMENTED.replace("float x = a[i];", "float x = ;");
    let wrong = ours(&compile, &wrong);
    assert!(
        wrong.status.code() == Some(2) && text(&wrong).contains("00000000-1_stdin(6): error: "),
        "{}",
        text(&wrong)
    );
    let theirs = |arguments: &[&str]| fed(Command::new(nvcc()).args(arguments), &folder, COMMENTED).status.code();
    for arguments in
        [&["-c", "-", "-o", "k.o"][..], &["-x", "cu", "-c", "-", "-", "-o", "k.o"], &["-x", "cu", "-", "-E"]]
    {
        assert_eq!(ours(arguments, COMMENTED).status.code(), theirs(arguments), "{arguments:?}");
    }
}

#[test]
fn closed_and_full_streams_end_nothing() {
    let folder = Folder::new();
    folder.file("k.cu", COMMENTED);
    folder.file("refused.cu", COMMENTED.replace("float x = a[i];", "float x = a[i]; __syncthreads();"));
    folder.file("bad.cu", COMMENTED.replace("float x = a[i];", "float x = ;"));
    for streams in ["2>&-", "2>/dev/full", "<&- >&- 2>&-"] {
        for (file, status) in [("k.cu", 0), ("refused.cu", 0), ("bad.cu", 2)] {
            let mut shell = Command::new("sh");
            shell.args(["-c", &format!("exec \"$@\" {streams}"), "sh", PXRW, "nvcc"]).arg(nvcc());
            shell.args(["-v", "--pxrw=ccc,ssde", "-c", file, "-o", "k.o"]).env("PXRW_REPORT", "-");
            let ran = shell.current_dir(folder.path("")).output().unwrap();
            assert_eq!(ran.status.code(), Some(status), "{file} {streams}: {}", text(&ran));
            assert!(!contains(&ran.stderr, "panicked"), "{}", text(&ran));
        }
    }
    // The other commands that write to standard error by themselves.
    folder.file("k.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n");
    for (arguments, status) in [(&["fmt", "--check", "k.ptx"][..], 1), (&["ssde", "k.ptx", "-o", "out.ptx"], 0)] {
        let mut shell = Command::new("sh");
        shell.args(["-c", "exec \"$@\" 2>/dev/full", "sh", PXRW]).args(arguments).current_dir(folder.path(""));
        assert_eq!(shell.status().unwrap().code(), Some(status), "{arguments:?}");
    }
}

#[test]
fn a_source_in_latin_1_is_compiled_as_by_nvcc() {
    let folder = Folder::new();
    let source = [b"// caf\xe9\n".as_slice(), COMMENTED.replace("float x", "/* X */ float x").as_bytes()].concat();
    let source: Vec<u8> = source.into_iter().map(|byte| if byte == b'X' { 0xe9 } else { byte }).collect();
    folder.file("k.cu", &source);
    let compile = |file: &OsStr| {
        stand_in(&folder, &nvcc()).args(["-c", "-o", "k.o", "--no-compress"]).arg(file).output().unwrap()
    };
    let ran = compile(OsStr::new("k.cu"));
    assert!(ran.status.success() && text(&ran).is_empty(), "{}", text(&ran));
    assert!(contains(&fs::read(folder.path("k.o")).unwrap(), "vote.sync.ballot"));
    // A message shows the line, whatever its bytes are.
    let refused = String::from_utf8_lossy(&source).replace("float x = a[i];", "float x = a[i]; __syncthreads();");
    folder.file("refused.cu", refused.replace('\u{fffd}', "X"));
    let bytes = fs::read(folder.path("refused.cu")).unwrap();
    folder.file("refused.cu", bytes.iter().map(|&byte| if byte == b'X' { 0xe9 } else { byte }).collect::<Vec<u8>>());
    let ran = compile(OsStr::new("refused.cu"));
    assert!(
        ran.status.success() && text(&ran).contains("warning: not rewritten: the marked path has"),
        "{}",
        text(&ran)
    );
    // nvcc itself compiles a file with such a name; it warns of it, and so do we.
    let name = OsString::from_vec(b"caf\xe9.cu".to_vec());
    fs::write(folder.path("").join(&name), COMMENTED).unwrap();
    let ran = compile(&name);
    let theirs = Command::new(nvcc()).args(["-c", "-o", "k.o"]).arg(&name).current_dir(folder.path("")).status();
    assert_eq!(ran.status.code(), theirs.unwrap().code());
    assert!(text(&ran).contains("is not rewritten: its name is not UTF-8"), "{}", text(&ran));
}

#[test]
fn what_g_makes_impossible_is_said_once() {
    let folder = Folder::new();
    folder.file("k.cu", COMMENTED);
    let archs = ["-gencode", "arch=compute_80,code=sm_80", "-gencode", "arch=compute_90,code=[sm_90,compute_90]"];
    for options in [&["-G"][..], &["--device-debug"], &["-Xcicc", "-O0"]] {
        let mut command = stand_in(&folder, &nvcc());
        let ran =
            command.args(options).args(archs).args(["-c", "k.cu", "-o", "k.o", "--no-compress"]).output().unwrap();
        let said = text(&ran);
        assert!(ran.status.success() && said.matches("warning").count() == 1, "{said}");
        assert!(said.contains("the compiler keeps every variable in local memory"), "{said}");
        let object = fs::read(folder.path("k.o")).unwrap();
        assert!(!contains(&object, "vote.sync.ballot") && !contains(&object, "//#CCC"));
    }
    let ran =
        stand_in(&folder, &nvcc()).args(["-lineinfo", "-c", "k.cu", "-o", "k.o", "--no-compress"]).output().unwrap();
    assert!(ran.status.success() && text(&ran).is_empty(), "{}", text(&ran));
    assert!(contains(&fs::read(folder.path("k.o")).unwrap(), "vote.sync.ballot"));
}

#[test]
fn nothing_is_left_in_the_temporary_folder() {
    let folder = Folder::new();
    fs::create_dir(folder.path("tmp")).unwrap();
    folder.file("k.cu", COMMENTED);
    folder.file("plain.cu", "__global__ void k() {}\n");
    folder.file("bad.cu", COMMENTED.replace("float x = a[i];", "float x = ;"));
    folder.file("wrong.cu", COMMENTED.replace("CCC if", "CCC fi"));
    folder.file("missing.cu", format!("#include \"nothing.h\"\n{COMMENTED}"));
    folder.file("wrapper", "#!/bin/sh\nexec nvcc \"$@\"\n");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(folder.path("wrapper"), mode).unwrap();
    let cases: [&[&str]; 10] = [
        &["-c", "k.cu"],
        &["-c", "plain.cu"],
        &["-c", "plain.cu", "--pxrw=ssde"],
        &["-c", "bad.cu", "--threads", "2"],
        &["-c", "wrong.cu"],
        &["-c", "missing.cu"],
        &["-E", "k.cu", "-o", "k.ii"],
        &["-M", "k.cu", "-o", "k.d"],
        &["-c", "k.cu", "-no-such-option"],
        &["-c", "k.cu", "-o", "/dev/full"],
    ];
    let clean = |command: &mut Command, what: &[&str]| {
        command.env("TMPDIR", folder.path("tmp")).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
        let left: Vec<_> = fs::read_dir(folder.path("tmp")).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert!(left.is_empty(), "{what:?} leaves {left:?}");
    };
    for case in cases {
        clean(stand_in(&folder, &nvcc()).args(case), case);
    }
    let mut wrapper = Command::new(PXRW);
    wrapper.args(["nvcc", "./wrapper", "-c", "k.cu"]).current_dir(folder.path("")).env("PXRW_NVCC", nvcc());
    clean(&mut wrapper, &["wrapper"]);
    let input = |name: &str| fs::File::open(Path::new(&folder.path(name))).unwrap();
    for name in ["k.cu", "plain.cu", "bad.cu"] {
        clean(stand_in(&folder, &nvcc()).args(["-x", "cu", "-", "-c", "-o", "k.o"]).stdin(input(name)), &[name]);
    }
}
