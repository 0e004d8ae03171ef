//! `pxrw nvcc`: files are written as nvcc writes them, to links, pipes and where that is not possible; statuses and messages are nvcc's.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::nvcc::{COMMENTED, nvcc, stand_in};
use crate::program::Folder;

/// nvcc, and the program in its place, each in a folder of its own with the same source.
fn both(source: &str, prepare: impl Fn(&Folder)) -> [(Folder, Command); 2] {
    let make = |ours: bool| {
        let folder = Folder::new();
        folder.file("k.cu", source);
        prepare(&folder);
        let mut command = match ours {
            true => stand_in(&folder, &nvcc()),
            false => Command::new(nvcc()),
        };
        command.current_dir(folder.path("")).stdin(Stdio::null()).args(["-arch=sm_80", "k.cu"]);
        (folder, command)
    };
    [make(false), make(true)]
}

/// The status and the messages, without the names of temporary files.
fn ended(command: &mut Command) -> (Option<i32>, String) {
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let words = text.split([' ', '\n']).map(|word| if word.contains("tmpxft_") { "TEMPORARY" } else { word });
    (output.status.code(), words.collect::<Vec<_>>().join(" "))
}

#[test]
fn what_is_there_is_written_over_through_links() {
    for arguments in
        [&["-ptx", "-o", "out"][..], &["-E", "-o", "out"], &["-M", "-o", "out"], &["-MD", "-MF", "out", "-c"]]
    {
        let prepare = |folder: &Folder| {
            folder.file("there", "old");
            fs::hard_link(folder.path("there"), folder.path("hard")).unwrap();
            symlink("there", folder.path("out")).unwrap();
            fs::set_permissions(folder.path("there"), fs::Permissions::from_mode(0o640)).unwrap();
        };
        let seen = both(COMMENTED, prepare).map(|(folder, mut command)| {
            assert!(command.args(arguments).status().unwrap().success(), "{arguments:?}");
            assert!(fs::symlink_metadata(folder.path("out")).unwrap().is_symlink(), "{arguments:?}");
            assert_ne!(folder.text("hard"), "old");
            let data = fs::metadata(folder.path("hard")).unwrap();
            (data.nlink(), data.mode(), folder.text("hard").contains("vote.sync"))
        });
        // What goes through the link is rewritten.
        assert_eq!(seen[0], (2, seen[1].1, false));
        assert_eq!((seen[1].0, seen[1].2), (2, arguments[0] == "-ptx"), "{arguments:?}");
    }
}

#[test]
fn ptx_goes_to_pipes_and_devices() {
    let [_, (folder, mut command)] = both(COMMENTED, |_| {});
    assert!(Command::new("mkfifo").arg(folder.path("pipe")).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = folder.path("pipe");
        move || fs::read_to_string(pipe).unwrap()
    });
    assert_eq!(ended(command.args(["-ptx", "-o", "pipe"])), (Some(0), String::new()));
    assert!(reader.join().unwrap().contains("vote.sync"));
    let [_, (_kept, mut command)] = both(COMMENTED, |_| {});
    assert_eq!(ended(command.args(["-ptx", "-o", "/dev/null"])), (Some(0), String::new()));
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
}

#[test]
fn directives_are_carried_out_where_warnings_are_silenced() {
    let [_, (folder, mut command)] = both(COMMENTED, |_| {});
    assert_eq!(ended(command.args(["-w", "-ptx"])), (Some(0), String::new()));
    assert!(folder.text("k.ptx").contains("vote.sync"));
}

#[test]
fn what_cannot_be_written_ends_as_with_nvcc() {
    for arguments in [
        &["-ptx", "-o", "no/k.ptx"][..],
        &["-E", "-o", "no/k.i"],
        &["-M", "-o", "no/k.d"],
        &["-MD", "-MF", "no/k.d", "-c"],
        &["-MD", "-MF", ".", "-c"],
        &["-MD", "-c", "-o", "no/k.o"],
    ] {
        let [theirs, ours] =
            both(COMMENTED, |_| {}).map(|(folder, mut command)| (ended(command.args(arguments)), folder.names()));
        assert_eq!(ours, theirs, "{arguments:?}");
    }
    let [theirs, ours] =
        both(COMMENTED, |_| {}).map(|(_, mut command)| ended(command.arg("-c").env("TMPDIR", "/no/such")).0);
    assert_eq!(ours, theirs);
}

#[test]
fn rules_for_make_are_about_the_object_unless_an_output_is_named() {
    for arguments in [
        &["-MD", "-ptx"][..],
        &["-MD", "-cubin"],
        &["-MMD", "-fatbin"],
        &["-MD", "-ptx", "-o", "x.ptx"],
        &["-x", "cu", "-MD", "-c", "-o", "x.o", "-include", "z.h"],
        &["-MD", "-c"],
    ] {
        let rules = both(COMMENTED, |folder| drop(folder.file("z.h", ""))).map(|(folder, mut command)| {
            assert!(command.args(arguments).status().unwrap().success(), "{arguments:?}");
            let named = |name: &String| Path::new(name).extension().is_some_and(|extension| extension == "d");
            folder
                .names()
                .iter()
                .filter(|name| named(name))
                .map(|name| (name.clone(), folder.text(name)))
                .collect::<Vec<_>>()
        });
        assert_eq!(rules[0], rules[1], "{arguments:?}");
        assert_eq!(rules[0].len(), 1);
    }
}

#[test]
fn what_fails_leaves_nothing_and_is_said_once() {
    // In the device's code; while it is preprocessed; in what the assembler reads.
    let wrong = COMMENTED.replace("out[i] = x;", "out[i] = x; int y = nothing;");
    let missing = format!("{COMMENTED}#include <no/such.h>");
    let assembler = COMMENTED.replace("out[i] = x;", "out[i] = x; asm(\"nosuch.op;\");");
    for (source, arguments) in [(&wrong, &["-ptx"][..]), (&wrong, &["-c"]), (&missing, &["-E"]), (&assembler, &["-c"])]
    {
        let [theirs, ours] =
            both(source, |folder| fs::create_dir(folder.path("tmp")).unwrap()).map(|(folder, mut command)| {
                let output = command.args(arguments).env("TMPDIR", folder.path("tmp")).output().unwrap();
                let left: Vec<_> =
                    fs::read_dir(folder.path("tmp")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
                assert!(left.is_empty(), "{arguments:?}: {left:?}");
                let ptxas = |text: &str| text.lines().filter(|line| line.contains("ptxas")).count();
                let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
                (output.status.code(), output.stdout, ptxas(&stderr), folder.names())
            });
        assert_eq!(ours, theirs, "{arguments:?}");
    }
}

#[test]
fn the_host_compilers_own_lists_of_dependencies_are_nvccs() {
    let rules = both(COMMENTED, |_| {}).map(|(folder, mut command)| {
        assert!(command.arg("-c").env("DEPENDENCIES_OUTPUT", "rules").status().unwrap().success());
        folder.text("rules").matches("k.o: k.cu").count()
    });
    assert_eq!(rules[0], rules[1]);
}

/// A compiler with an assembler that accepts nothing in which lanes vote, as rewritten kernels have them do.
fn compiler_without_votes(folder: &Folder) -> PathBuf {
    let real = nvcc();
    let (bin, home) = (real.parent().unwrap(), real.parent().and_then(Path::parent).unwrap());
    let copy = folder.path("cuda");
    fs::create_dir_all(copy.join("bin")).unwrap();
    for (from, to) in [(home, copy.clone()), (bin, copy.join("bin"))] {
        for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
            let name = entry.file_name();
            if name != "bin" && name != "nvcc" && name != "ptxas" {
                symlink(entry.path(), to.join(name)).unwrap();
            }
        }
    }
    // nvcc finds its programs beside the file that it is.
    fs::copy(&real, copy.join("bin/nvcc")).unwrap();
    let script = format!(
        "#!/bin/sh\nfor file in \"$@\"; do case $file in *.ptx) if grep -q vote.sync \"$file\"; then echo refused >&2; exit 255; fi;; esac; done\nexec '{}' \"$@\"\n",
        bin.join("ptxas").display()
    );
    folder.file("cuda/bin/ptxas", script);
    fs::set_permissions(copy.join("bin/ptxas"), fs::Permissions::from_mode(0o755)).unwrap();
    copy.join("bin/nvcc")
}

#[test]
fn a_build_goes_on_without_what_ptxas_does_not_accept() {
    let folder = Folder::new();
    folder.file("k.cu", COMMENTED);
    let compiler = compiler_without_votes(&folder);
    fs::create_dir(folder.path("temporary")).unwrap();
    let arguments = ["-arch=sm_80", "-cubin", "k.cu", "-o", "k.cubin"];
    for threads in [&[][..], &["-t", "2"]] {
        let ran = stand_in(&folder, &compiler)
            .env("TMPDIR", folder.path("temporary"))
            .args(arguments)
            .args(threads)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert_eq!(ran.status.code(), Some(0), "{said}");
        assert!(said.contains("warning: ptxas does not accept the rewritten PTX; this is a defect of pxrw"), "{said}");
        assert!(!said.contains("refused"), "{said}");
        let ours = fs::read(folder.path("k.cubin")).unwrap();
        assert!(Command::new(nvcc()).current_dir(folder.path("")).args(arguments).status().unwrap().success());
        assert_eq!(fs::read(folder.path("k.cubin")).unwrap(), ours);
        // What is to be reported is kept; nothing else is.
        let left: Vec<_> = fs::read_dir(folder.path("temporary")).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(left.len(), 1, "{left:?}");
        assert!(
            said.contains(&left[0].display().to_string())
                && fs::read_to_string(&left[0]).unwrap().contains("vote.sync")
        );
        fs::remove_file(&left[0]).unwrap();
    }
    // What is wrong with the source's own, ptxas says as ever.
    folder.file(
        "own.cu",
        "__global__ void k(int *a) { asm volatile(\"nonsense;\"); a[0] = 1; }\n".to_owned() + COMMENTED,
    );
    let own = ["-arch=sm_80", "-cubin", "own.cu"];
    let theirs = Command::new(nvcc()).current_dir(folder.path("")).args(own).output().unwrap();
    let ours = stand_in(&folder, &nvcc()).args(own).output().unwrap();
    let count = |bytes: &[u8]| String::from_utf8_lossy(bytes).matches("nonsense").count();
    assert_eq!((ours.status, count(&ours.stderr)), (theirs.status, count(&theirs.stderr)));
}
