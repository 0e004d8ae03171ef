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
fn into_a_folder_that_is_not_there_before_anything_is_measured() {
    let folder = Folder::new();
    let (output, ptx) = (folder.argument("missing/out"), folder.file("k.ptx", STORES));
    let suites = ["bfs", "ccc", "ssde", "cpu", "emulator", "lock", "efficiency"].map(|suite| vec!["bench", suite]);
    // No graph, no results and no PTX are read before.
    for arguments in suites.into_iter().chain([vec!["fmt", &ptx], vec!["report", &ptx]]) {
        let ran = pxrw([&arguments[..], &["-o", &output]].concat()).ends_with(2);
        ran.says(&["cannot write", &output, "there is no folder"]);
    }
}

#[cfg(unix)]
#[test]
fn through_links() {
    use std::os::unix::fs::symlink;

    let folder = Folder::new();
    let ptx = folder.file("k.ptx", STORES);
    let layout = pxrw(["fmt", &ptx]).ends_with(0).stdout().to_owned();
    assert_ne!(layout, STORES);
    folder.file("there", STORES);
    std::fs::create_dir(folder.path("elsewhere")).unwrap();
    for (link, leads) in [("link", "there"), ("elsewhere/again", "../link"), ("dangling", "elsewhere/new")] {
        symlink(leads, folder.path(link)).unwrap();
        pxrw(["fmt", &ptx, "-o", &folder.argument(link)]).ends_with(0);
        assert!(std::fs::symlink_metadata(folder.path(link)).unwrap().is_symlink(), "{link}");
        assert_eq!(folder.text(link), layout);
    }
    folder.file("there", STORES);
    pxrw(["fmt", "-i", &folder.argument("elsewhere/again")]).ends_with(0);
    assert_eq!((folder.text("there"), folder.text("elsewhere/new")), (layout.clone(), layout));
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
fn onto_the_input() {
    let folder = Folder::new();
    let (source, kernel) = ("__global__ void k(int *a) { *a = 1; }\n", STORES);
    let (cuda, ptx) = (folder.file("k.cu", source), folder.file("k.ptx", kernel));
    let otherwise = folder.argument("./k.cu");
    for arguments in [["annotate", &cuda, "-o", &cuda], ["ccc", &cuda, "-o", &otherwise], ["ssde", &ptx, "-o", &ptx]] {
        pxrw(arguments).ends_with(2).says(&["is the input, and the result would take its place", "name another file"]);
    }
    pxrw(["ssde", &cuda, "--certificate", &cuda]).ends_with(2).says(&["is the input"]);
    assert_eq!((folder.text("k.cu").as_str(), folder.text("k.ptx").as_str()), (source, kernel));
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
fn help_and_version_on_a_full_disk() {
    for option in ["--help", "--version"] {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let ran = finish(command([option]).stdout(full).stderr(Stdio::piped()));
        ran.ends_with(2).says(&["cannot write to standard output"]);
    }
}

const STORES: &str = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a) {\n\
    .reg .b64 %rd1; .reg .b32 %r1;\nld.param.u64 %rd1, [a]; mov.u32 %r1, 1; st.global.u32 [%rd1], %r1; ret; }\n";

#[test]
fn a_trace_on_a_full_disk() {
    let folder = Folder::new();
    let input = folder.file("k.ptx", STORES);
    let (out, whole) = (folder.argument("out.npy"), folder.argument("trace"));
    let saved = format!("u32[1]=0>{out}");
    let run = ["run", &input, "--grid", "1", "--block", "32", "--arg", &saved];
    let ran = pxrw(run.iter().chain(&["--trace=/dev/full"])).ends_with(2);
    // What the kernel did is not lost with it.
    ran.says(&["the trace is not whole: cannot write to `/dev/full`"]).prints(&["finished"]);
    assert_eq!(folder.names(), ["k.ptx", "out.npy"]);
    pxrw(run.iter().chain(&[&*format!("--trace={whole}")])).ends_with(0);
    assert!(folder.text("trace").contains("st.global.u32"));
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut to_stderr = command(run.iter().chain(&["--trace"]));
    assert_eq!(to_stderr.stdout(Stdio::null()).stderr(full).status().unwrap().code(), Some(2));
}

#[test]
fn a_folder_that_takes_no_file_is_found_out_before_the_launch() {
    let folder = Folder::new();
    let input = folder.file("k.ptx", STORES);
    let ran = pxrw(["run", &input, "--grid", "1", "--block", "32", "--arg", "u32[1]=0>/proc/o.npy"]).ends_with(2);
    assert_eq!(ran.stdout(), "");
    let ran = ran.says(&["cannot write `/proc/o.npy`", "help: name a file in a folder that may be written"]);
    assert!(!ran.stderr.contains(".pxrw-"), "{}", ran.stderr);
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
