//! `pxrw ssde`.

use crate::program::{Folder, pxrw, report};

/// A lock that is released behind the loop that takes it, and a kernel without one.
const LOCK: &str = "__device__ int lock;
extern \"C\" __global__ void count(int *total) {
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    __threadfence();
    total[0] = total[0] + 1;
    __threadfence();
    atomicExch(&lock, 0);
}
extern \"C\" __global__ void plain(int *a, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) a[i] = i;
}
";

#[test]
fn a_lock_is_found_explained_and_freed() {
    let folder = Folder::new();
    let (input, out) = (folder.file("lock.cu", LOCK), folder.argument("lock.ptx"));
    let launch = ["--kernel", "count", "--grid", "2", "--block", "64", "--arg", "i32[1]=0", "--machine", "stack"];
    pxrw(["run", &input].iter().chain(&launch)).ends_with(1);

    let found = pxrw(["ssde", &input, "--detect"]).ends_with(1).says(&[
        "warning: this loop may wait for ever on a machine with a reconvergence stack",
        "lock.cu:3",
        "while (atomicCAS(&lock, 0, 1) != 0)",
        "lock.cu:8 may free it, but lanes that have left the loop wait for the others before it",
    ]);
    found.prints(&["kernel count: 1 loop may deadlock\n", "kernel plain: nothing found\n"]);

    let done = pxrw(["ssde", &input, "-o", &out]).ends_with(0);
    done.prints(&["kernel count: 1 loop may deadlock; rewritten, and nothing is found any more"]);
    pxrw(["ssde", &out, "--detect"]).ends_with(0).prints(&["kernel count: nothing found"]);
    for machine in ["stack", "its", "mimd", "aware"] {
        let machine = ["--machine", machine, "--report", "json"];
        let ran = pxrw(["run", &out].iter().chain(&launch[..8]).chain(&machine)).ends_with(0);
        assert_eq!(report(ran.stdout(), &["outcome"])["outcome"], "finished");
    }
}

#[test]
fn the_report_as_json_has_its_keys() {
    let folder = Folder::new();
    let input = folder.file("lock.cu", LOCK);
    let ran = pxrw(["ssde", &input, "--kernel", "count", "--report", "json", "-o", &folder.argument("out.ptx")]);
    let keys = [
        "kernels.0.name",
        "kernels.0.loops.0.file",
        "kernels.0.loops.0.line",
        "kernels.0.loops.0.finding",
        "kernels.0.loops.0.reads.0.line",
        "kernels.0.loops.0.writes.0.line",
        "kernels.0.loops.0.safe_point.line",
        "kernels.0.rewritten",
        "kernels.0.recheck_clean",
    ];
    let report = report(ran.ends_with(0).stdout(), &keys);
    assert_eq!(report["kernels"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&report["kernels"][0]["rewritten"], &report["kernels"][0]["recheck_clean"]),
        (&true.into(), &true.into())
    );
}

#[test]
fn what_is_clean_comes_out_as_it_went_in() {
    let folder = Folder::new();
    let text = "// Spaced oddly.\n.version 8.0\n.target sm_90\n.address_size 64\n.entry   k( ){ ret ;  }\n";
    let input = folder.file("k.ptx", text);
    pxrw(["ssde", &input, "-o", &folder.argument("out.ptx")]).ends_with(0).prints(&["kernel k: nothing found"]);
    assert_eq!(folder.text("out.ptx"), text);
    pxrw(["ssde", &input, "--kernel", "other"]).ends_with(2).says(&["has no kernel `other`"]);
    pxrw(["ssde", "missing.ptx"]).ends_with(2).says(&["missing.ptx"]);
    pxrw(["ssde", &input, "--detect", "-o", "x.ptx"]).ends_with(2);
}

/// AWARE needs neither a timeout nor another kernel then.
#[test]
fn points_that_are_written_are_read_by_run() {
    let folder = Folder::new();
    let (input, points) = (folder.file("lock.cu", LOCK), folder.argument("points.json"));
    pxrw(["ssde", &input, "--emit", "reconvergence", "-o", &points]).ends_with(0);
    let launch = ["run", &input, "--grid", "2", "--block", "64", "--arg", "i32[1]=0", "--report", "json"];
    let aware = ["--kernel", "count", "--machine", "aware", "--aware-timeout", "never"];
    pxrw(launch.iter().chain(&aware)).ends_with(1);
    let delayed = ["--reconvergence", &points];
    let ran = pxrw(launch.iter().chain(&aware).chain(&delayed)).ends_with(0);
    assert_eq!(report(ran.stdout(), &["outcome"])["outcome"], "finished");
    let stack = ["--kernel", "count", "--machine", "stack"];
    pxrw(launch.iter().chain(&stack).chain(&delayed)).ends_with(2).says(&["`--reconvergence` says nothing"]);
    let other = folder.file("other.json", "[]");
    let other = ["--reconvergence", &other];
    pxrw(launch.iter().chain(&aware).chain(&other)).ends_with(2).says(&["says nothing of the kernel `count`"]);
}
