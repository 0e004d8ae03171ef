//! `pxrw lint`.

use crate::program::{Folder, pxrw, report};

/// A lock, the histogram that needs lockstep, a path that cannot be collected, and a kernel without anything.
const LOCK: &str = "__device__ int lock;
extern \"C\" __global__ void count(int *total) {
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    total[0] = total[0] + 1;
    __threadfence();
    atomicExch(&lock, 0);
}
";
const HISTOGRAM: &str = "extern \"C\" __global__ void hist(volatile unsigned *s, const unsigned *in) {
    unsigned count, bin = in[threadIdx.x] & 255;
    do {
        count = (threadIdx.x << 27) | ((s[bin] & 0x07FFFFFFu) + 1);
        s[bin] = count;
    } while (s[bin] != count);
}
";
const MARKED: &str = "extern \"C\" __global__ void marked(int *a, int n) {
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#CCC if
        if (a[i] > 0) { __syncthreads(); a[i] = 0; }
    }
}
";
const PLAIN: &str = "extern \"C\" __global__ void plain(int *a, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) a[i] = i;
}
";

#[test]
fn every_finding_is_explained() {
    let folder = Folder::new();
    let lock = folder.file("lock.cu", LOCK);
    let histogram = folder.file("hist.cu", HISTOGRAM);
    let marked = folder.file("marked.cu", MARKED);
    let plain = folder.file("plain.cu", PLAIN);
    let ran = pxrw(["lint", &lock, &histogram, &marked, &plain]).ends_with(1).says(&[
        "warning: this loop may wait for ever on a machine with a reconvergence stack",
        "lock.cu:3",
        "lock.cu:7 may free it, but lanes that have left the loop wait for the others before they execute it",
        "note: the target is sm_90, for which lanes are scheduled independently",
        "needs lanes that run in lockstep",
        "hist.cu:5",
        "hist.cu:6 reads again what is stored here",
        "help: use `atomicAdd`",
        "warning: this path cannot be collected",
        "marked.cu:",
    ]);
    ran.prints(&[
        "lock.cu: 1 kernel, target sm_90: 1 loop may deadlock\n",
        "hist.cu: 1 kernel, target sm_90: 1 loop needs lockstep\n",
        "marked.cu: 1 kernel, target sm_90: 1 marked path cannot be collected\n",
        "plain.cu: 1 kernel, target sm_90: nothing found\n",
    ]);
    pxrw(["lint", &plain]).ends_with(0).prints(&["nothing found"]);
}

/// A spin lock as PTX for a target.
fn spin(target: &str) -> String {
    format!(
        ".version 6.0\n.target {target}\n.address_size 64\n.visible .entry k(.param .u64 a) {{\n.reg .pred %p<9>;\n.reg .b32 %r<9>;\n\
         .reg .b64 %rd<9>;\nld.param.u64 %rd1, [a];\nLOOP:\natom.global.cas.b32 %r2, [%rd1], 0, 1;\nsetp.ne.u32 %p1, %r2, 0;\n\
         @%p1 bra LOOP;\natom.global.exch.b32 %r3, [%rd1], 0;\nret;\n}}\n"
    )
}

#[test]
fn the_target_decides_where_it_hangs() {
    let folder = Folder::new();
    let old = folder.file("old.ptx", spin("sm_61"));
    pxrw(["lint", &old]).ends_with(1).says(&[
        "old.ptx:10",
        "note: the target is sm_61, for which such loops hang on every chip",
        "ptxas writes no YIELD",
        "help: compile for sm_70 or later",
    ]);
    let new = folder.file("new.ptx", spin("sm_70"));
    pxrw(["lint", &new]).ends_with(1).says(&["the target is sm_70, for which lanes are scheduled independently"]);
    let ran = pxrw(["lint", &old, &new, "--report", "json"]).ends_with(1);
    let keys = [
        "files.0.file",
        "files.0.target",
        "files.0.kernels.0.loops.0.reads.0.ptx_line",
        "files.0.kernels.0.lockstep",
        "files.0.kernels.0.calls_kept",
        "files.0.directives",
    ];
    let report = report(ran.stdout(), &keys);
    assert_eq!(report["files"][0]["kernels"][0]["loops"][0]["instructions"], 3);
    assert_eq!((&report["files"][0]["every_chip"], &report["files"][1]["every_chip"]), (&true.into(), &false.into()));
}

#[test]
fn a_bad_input_does_not_keep_the_others_back() {
    let folder = Folder::new();
    let (bad, good) =
        (folder.file("bad.ptx", ".version 6.0\n.target sm_61\n.entry ("), folder.file("good.ptx", spin("sm_61")));
    pxrw(["lint", &bad, &good])
        .ends_with(2)
        .says(&["bad.ptx:3"])
        .prints(&["good.ptx: 1 kernel, target sm_61: 1 loop may deadlock"]);
    pxrw(["lint", "missing.ptx"]).ends_with(2).says(&["missing.ptx"]);
    pxrw(["lint"]).ends_with(2);
}

#[test]
fn a_directive_that_reaches_no_kernel_is_found() {
    let folder = Folder::new();
    let text = "template <class T> __global__ void k(T *a, int n) {\n//#CCC for\nfor (int i = 0; i < n; ++i) {\n//#CCC if\nif (a[i]) a[i] = 1;\n}\n}\n";
    let input = folder.file("k.cu", text);
    let ran = pxrw(["lint", &input]).ends_with(1);
    ran.says(&[
        "warning: the PTX contains nothing of the marked path",
        &format!("{input}:5"),
        "a template or function that no kernel uses",
    ]);
}

#[test]
fn a_folder_is_searched_and_summed_up() {
    let folder = Folder::new();
    for inner in ["src/deep", "src/.hidden", "src/build"] {
        std::fs::create_dir_all(folder.path(inner)).unwrap();
    }
    let good = folder.file("src/deep/old.ptx", spin("sm_61"));
    folder.file("src/new.ptx", spin("sm_70"));
    let bad = folder.file("src/bad.ptx", ".version 6.0\n.target sm_61\n.entry (");
    folder.file("src/.hidden/h.ptx", spin("sm_61"));
    folder.file("src/build/b.ptx", spin("sm_61"));
    folder.file("src/.gitignore", "build\n");
    folder.file("src/notes.txt", "no PTX");
    let all = folder.argument("src");
    let ran = pxrw(["lint", &all]).ends_with(2).says(&["bad.ptx:3"]).prints(&[
        "old.ptx: 1 kernel, target sm_61: 1 loop may deadlock\n",
        "new.ptx: 1 kernel, target sm_70: 1 loop may deadlock\n",
        "\n3 files: 2 loops may deadlock; 1 could not be read\n",
    ]);
    assert!(!ran.stdout().contains("h.ptx") && !ran.stdout().contains("b.ptx"), "{}", ran.stdout());
    let json = pxrw(["lint", &all, "--report", "json"]).ends_with(2);
    let report = report(json.stdout(), &["files.1.kernels.0.loops.0", "unreadable.0.errors.0"]);
    assert_eq!((&report["unreadable"][0]["file"], report["files"].as_array().unwrap().len()), (&bad.clone().into(), 2));
    std::fs::remove_file(bad).unwrap();
    // The folder and a file in it are one file.
    pxrw(["lint", &good, &all]).ends_with(1).prints(&["\n2 files: 2 loops may deadlock\n"]);
    let one = pxrw(["lint", &good, "--report", "json"]).ends_with(1);
    assert!(!one.stdout().contains("unreadable") && one.stdout().starts_with("{\n  \"files\": ["), "{}", one.stdout());
}

#[test]
fn a_folder_with_nothing_to_look_at_is_an_error() {
    let folder = Folder::new();
    let plain = folder.file("plain.ptx", ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() { ret; }\n");
    std::fs::create_dir(folder.path("empty")).unwrap();
    let empty = folder.argument("empty");
    pxrw(["lint", &empty]).ends_with(2).says(&[
        "there is no .cu and no .ptx file in",
        &empty,
        "name such a file itself",
    ]);
    pxrw(["lint", &empty, &plain]).ends_with(2).prints(&["plain.ptx: 1 kernel, target sm_90: nothing found"]);
}

/// A kernel whose lanes store and load shared memory, with something in between.
fn lanes(between: &str, load: &str) -> String {
    format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{{\n.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<4>; .shared .align 4 .b8 s[512];\n\
         mov.u32 %r1, %tid.x; shl.b32 %r1, %r1, 2; mov.u32 %r2, s; add.u32 %r1, %r1, %r2; ld.param.u64 %rd1, [a];\n\
         st.volatile.shared.u32 [%r1], %r1;\n{between}\n{load}\nst.global.u32 [%rd1], %r3;\nret;\n}}\n"
    )
}

#[test]
fn accesses_that_rely_on_lockstep_are_named() {
    let folder = Folder::new();
    let next = "ld.volatile.shared.u32 %r3, [%r1+4];";
    let found = folder.file("found.ptx", lanes("", next));
    let ran = pxrw(["lint", &found]).ends_with(1).says(&[
        "warning: this reads what a higher lane of the warp stores, and only lockstep makes it come after that",
        "found.ptx:10",
        "note: the store is at ",
        "found.ptx:8, and no barrier lies between",
        "`volatile` does not make them",
        "help: put `__syncwarp()` between the two",
    ]);
    ran.prints(&["1 access relies on lockstep"]);
    let before = folder
        .file("before.ptx", lanes("ld.volatile.shared.u32 %r3, [%r1+4];", "st.volatile.shared.u32 [%r1+8], %r3;"));
    pxrw(["lint", &before]).ends_with(1).says(&["this overwrites what a higher lane of the warp reads"]);
    let first = folder.file("first.ptx", lanes("", "ld.volatile.shared.u32 %r3, [s];"));
    pxrw(["lint", &first]).ends_with(1).says(&["this reads what a lower lane of the warp stores"]);
    let json = pxrw(["lint", &found, "--report", "json"]).ends_with(1);
    let value = report(json.stdout(), &["files.0.kernels.0.implicit.0.first.ptx_line"]);
    let entry = &value["files"][0]["kernels"][0]["implicit"][0];
    assert_eq!((&entry["line"], &entry["kind"], &entry["lanes"]), (&10.into(), &"flow".into(), &">".into()));
    // What meets in between, what is a lane's own, what is one place for all lanes, and what is not known.
    let vote = "setp.eq.u32 %p1, %r1, 0; vote.sync.any.pred %p2, %p1, -1;";
    for (between, load) in [
        ("bar.sync 0;", next),
        ("bar.warp.sync -1;", next),
        (vote, next),
        ("", "ld.volatile.shared.u32 %r3, [%r1];"),
        ("", "ld.volatile.shared.u32 %r3, [%r1+128];"),
        ("ld.global.u32 %r4, [%rd1]; add.u32 %r1, %r1, %r4;", next),
        ("", "ld.relaxed.cta.shared.u32 %r3, [%r1+4];"),
        ("", "atom.shared.add.u32 %r3, [%r1+4], 1;"),
    ] {
        let clean = folder.file("clean.ptx", lanes(between, load));
        pxrw(["lint", &clean]).ends_with(0).prints(&["nothing found"]);
    }
    let half = "bar.warp.sync 0xffff;";
    pxrw(["lint", &folder.file("half.ptx", lanes(half, next))]).ends_with(1).prints(&["1 access relies on lockstep"]);
}
