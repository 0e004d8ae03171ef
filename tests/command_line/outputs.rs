//! Outputs that cannot be written: said once, with status 2, and nothing half-written is left behind.

use std::fs::OpenOptions;
use std::process::Stdio;

use crate::program::{Folder, command, finish, pxrw};

fn refused(output: &str) {
    for arguments in [["annotate", "examples/bfs.cu", "-o", output], ["ccc", "examples/bfs.cu", "-o", output]] {
        let ran = pxrw(arguments).ends_with(2).says(&["cannot write", output]);
        assert_eq!(ran.stdout(), "");
    }
}

#[test]
fn into_a_folder_that_is_not_there() {
    let folder = Folder::new();
    refused(&folder.argument("missing/out.ptx"));
    assert!(folder.names().is_empty());
}

#[test]
fn into_a_file_as_if_it_were_a_folder() {
    let folder = Folder::new();
    folder.file("file", "as it was");
    refused(&folder.argument("file/out.ptx"));
    assert_eq!(folder.text("file"), "as it was");
}

#[test]
fn onto_a_folder() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("out")).unwrap();
    refused(&folder.argument("out"));
    assert_eq!(folder.names(), ["out"]);
}

#[test]
fn onto_a_full_disk() {
    refused("/dev/full");
}

#[test]
fn standard_output_on_a_full_disk() {
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let ran = finish(command(["annotate", "examples/bfs.cu"]).stdout(full).stderr(Stdio::piped()));
    ran.ends_with(2).says(&["cannot write to standard output"]);
}

#[test]
fn whoever_closes_the_pipe_has_seen_enough() {
    let mut child =
        command(["annotate", "examples/bfs.cu"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
}

#[test]
fn a_wrong_input_leaves_the_old_output_alone() {
    let folder = Folder::new();
    let (input, output) = (folder.file("bad.ptx", "not PTX at all"), folder.file("out.ptx", "as it was"));
    pxrw(["ccc", &input, "-o", &output]).ends_with(2);
    assert_eq!(folder.text("out.ptx"), "as it was");
    assert_eq!(folder.names(), ["bad.ptx", "out.ptx"]);
}
