//! `pxrw nvcc`: files are written as nvcc writes them, to links, pipes and where that is not possible; statuses and messages are nvcc's.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
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
