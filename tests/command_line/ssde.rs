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

#[test]
fn a_lock_in_functions_is_found_and_freed() {
    let folder = Folder::new();
    let text = "__device__ int lock;
__device__ __noinline__ void take() {
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
}
__device__ __noinline__ void give() {
    atomicExch(&lock, 0);
}
extern \"C\" __global__ void count(int *total) {
    take();
    total[0] = total[0] + 1;
    __threadfence();
    give();
}
";
    let (input, out) = (folder.file("calls.cu", text), folder.argument("calls.ptx"));
    let found = pxrw(["ssde", &input, "--detect"]).ends_with(1).says(&["calls.cu:3", "calls.cu:7 may free it"]);
    found.prints(&["kernel count: 1 loop may deadlock\n", "kernel take(): nothing found\n"]);
    let done = pxrw(["ssde", &input, "-o", &out]).ends_with(0);
    done.prints(&[
        "1 loop may deadlock; rewritten with the functions that it calls in it, and nothing is found any more",
    ]);
    pxrw(["ssde", &out, "--detect"]).ends_with(0);
    let launch = ["--kernel", "count", "--grid", "2", "--block", "64", "--arg", "i32[1]=0", "--machine", "stack"];
    pxrw(["run", &input].iter().chain(&launch)).ends_with(1);
    pxrw(["run", &out].iter().chain(&launch)).ends_with(0);
}

#[test]
fn a_kernel_that_needs_lockstep_is_left_alone() {
    let folder = Folder::new();
    let text = "__device__ int lock;
extern \"C\" __global__ void both(volatile unsigned *s, const unsigned *in) {
    unsigned count, bin = in[threadIdx.x] & 255;
    do {
        count = (threadIdx.x << 27) | ((s[bin] & 0x07FFFFFFu) + 1);
        s[bin] = count;
    } while (s[bin] != count);
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    atomicExch(&lock, 0);
}
extern \"C\" __global__ void count(int *total) {
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    total[0] = total[0] + 1;
    __threadfence();
    atomicExch(&lock, 0);
}
";
    let (input, out) = (folder.file("both.cu", text), folder.argument("both.ptx"));
    let ran = pxrw(["ssde", &input, "-o", &out]).ends_with(1).says(&[
        "makes an atomic update of a store and a second read",
        "both.cu:6",
        "help: use `atomicAdd`",
        "`--kernel` chooses others",
    ]);
    ran.prints(&[
        ", 1 loop needs lockstep; not rewritten: the loop around ",
        "both.cu:6 needs lanes that run in lockstep\n",
        "kernel count: 1 loop may deadlock; rewritten, and nothing is found any more\n",
    ]);
    pxrw(["ssde", &input, "--kernel", "count", "-o", &out]).ends_with(0);
    pxrw(["ssde", &input, "--kernel", "both", "--detect"]).ends_with(1).says(&["both.cu:7 reads again"]);
}
