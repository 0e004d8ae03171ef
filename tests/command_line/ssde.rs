//! `pxrw ssde`.

use std::process::Command;

use crate::nvcc::nvcc;
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
        "lock.cu:8 may free it, but lanes that have left the loop wait for the others before they execute it",
    ]);
    found.prints(&["kernel count: 1 loop may deadlock\n", "kernel plain: nothing found\n"]);

    let done = pxrw(["ssde", &input, "-o", &out]).ends_with(0);
    done.prints(&["kernel count: 1 loop may deadlock; rewritten; a second check finds nothing"]);
    pxrw(["ssde", &out, "--detect"]).ends_with(0).prints(&["kernel count: nothing found"]);
    for machine in ["stack", "its", "mimd", "aware"] {
        let machine = ["--machine", machine, "--report", "json"];
        let ran = pxrw(["run", &out].iter().chain(&launch[..8]).chain(&machine)).ends_with(0);
        assert_eq!(report(ran.stdout(), &["outcome"])["outcome"], "finished");
    }
}

#[test]
fn a_kernel_says_what_is_found_in_functions_that_it_calls() {
    let folder = Folder::new();
    let text = "__device__ int lock;
__device__ __noinline__ int twice(int n, int *out) {
    while (atomicCAS(&lock, 0, 1) != 0) {}
    out[n] += 1;
    atomicExch(&lock, 0);
    return n ? twice(n - 1, out) + twice(n / 2, out) : 0;
}
extern \"C\" __global__ void calls(int *out) { twice(threadIdx.x & 3, out); }
extern \"C\" __global__ void alone(int *out) { out[threadIdx.x] = 1; }
";
    let input = folder.file("calls.cu", text);
    let callee = "kernel calls: nothing found in it itself, but loops of functions that it calls may deadlock: twice(int, int*)\n";
    pxrw(["ssde", &input, "--detect"]).ends_with(1).prints(&[callee, "kernel alone: nothing found\n"]);
    // What a named kernel calls is looked at with it.
    pxrw(["ssde", &input, "--detect", "--kernel", "calls"])
        .ends_with(1)
        .prints(&[callee, "function twice(int, int*): "]);
    let alone = pxrw(["ssde", &input, "--detect", "--kernel", "alone"]).ends_with(0);
    assert_eq!(alone.stdout(), "kernel alone: nothing found\n");
    let ran = pxrw(["ssde", &input, "--report", "json", "-o", &folder.argument("out.ptx")]).ends_with(1);
    let json = report(ran.stdout(), &["kernels.1.found_in_calls.0"]);
    assert_eq!(json["kernels"][1]["found_in_calls"][0], "twice(int, int*)");
}

#[test]
fn a_loop_has_a_line_of_the_users_file() {
    let folder = Folder::new();
    let text = "extern \"C\" __global__ void k(int *lock, int *out) {
    out[1] = 2;
    asm volatile(\"{ .reg .pred p; .reg .u32 r; L: atom.cas.b32 r, [%0], 0, 1; setp.ne.u32 p, r, 0; @p bra L; }\" :: \"l\"(lock) : \"memory\");

    out[threadIdx.x]++;
    atomicExch(lock, 0);
    while (atomicCAS(lock, 0, 1) != 0) {}
    atomicExch(lock, 0);
}
";
    let input = folder.file("k.cu", text);
    // Inline assembly has no line by itself; at `-G`, atomics are functions of a header.
    pxrw(["ssde", &input, "--detect"]).ends_with(1).says(&["k.cu:3:5", "k.cu:7:5", "k.cu:8 may free it"]);
    let ran = pxrw(["ssde", &input, "--detect", "--", "-G"]).ends_with(1);
    let ran = ran.says(&["k.cu:3:5", "k.cu:7:5", "k.cu:8 may free it"]);
    assert!(!ran.stderr.contains(".hpp"), "{}", ran.stderr);
}

#[test]
fn loops_of_one_line_are_explained_once() {
    let folder = Folder::new();
    let text = "extern \"C\" __global__ void k(int *locks, int *out) {
#pragma unroll
    for (int i = 0; i < 4; ++i)
        while (atomicCAS(&locks[i], 0, 1) != 0) {}
    out[threadIdx.x] += 1;
    for (int i = 0; i < 4; ++i) atomicExch(&locks[i], 0);
}
";
    let ran = pxrw(["ssde", &folder.file("k.cu", text), "--detect"]).ends_with(1);
    let ran = ran.says(&["k.cu:4", "note: the PTX has 4 such loops from this line"]);
    assert_eq!(ran.stderr.matches("this loop may wait for ever").count(), 1, "{}", ran.stderr);
    ran.prints(&["kernel k: 4 loops may deadlock"]);
}

#[test]
fn a_function_that_stays_says_why() {
    let folder = Folder::new();
    let text = "namespace own { __device__ __noinline__ int turn(int *lock, int n) {
    if (n > 1) return turn(lock, n - 1) * 3 + turn(lock, n - 2);
    while (atomicCAS(lock, 0, 1) != 0) ;
    atomicExch(lock, 0);
    return 1;
} }
extern \"C\" __global__ void k(int *lock, int *out) { out[threadIdx.x] = own::turn(lock, threadIdx.x); }
";
    let out = folder.argument("out.ptx");
    let refused = pxrw(["ssde", &folder.file("turn.cu", text), "-o", &out]).ends_with(1);
    refused.prints(&["not rewritten: `own::turn(int*, int)` is not inlined: it may call itself"]);
}

#[test]
fn a_vote_in_a_function_that_is_called_on_both_ways_is_told() {
    let folder = Folder::new();
    let text = "__device__ __noinline__ int vote(int p) { return __all_sync(0xffffffffu, p); }
__device__ __noinline__ int vote_of(unsigned who, int p) { return __all_sync(who, p); }
__device__ __noinline__ int same(int p) { return __match_any_sync(0xffffffffu, p); }
extern \"C\" __global__ void count(int *w, int *out, int n) {
    while (atomicCAS(w, 0, 1) != 0) ;
    w[1]++;
    atomicExch(w, 0);
    if (WHERE) out[threadIdx.x] = VOTE(1);
    else out[threadIdx.x] = VOTE(2) + 1;
}
";
    let input =
        |condition: &str, vote: &str| folder.file("vote.cu", text.replace("WHERE", condition).replace("VOTE(", vote));
    let out = folder.argument("out.ptx");
    for level in ["-O3", "-G"] {
        for together in ["vote(", "same("] {
            let odd = input("threadIdx.x & 1", together);
            pxrw(["ssde", &odd, "-o", &out, "--", level]).ends_with(0).says(&[
                "note: assumes that all lanes of a warp take the same side of this branch\n --> ",
                "vote.cu:8:5",
                "each side has its own copy of the instruction",
            ]);
            pxrw(["ssde", &odd, "--strict", "-o", &out, "--", level]).ends_with(1).prints(&[
                "; not rewritten: a function with a warp-collective instruction is called on both sides of a branch",
            ]);
        }
        // All lanes of a warp take one way, or those of each way are asked alone.
        for (condition, vote) in [("n", "vote("), ("threadIdx.x & 1", "vote_of(__activemask(), ")] {
            let apart = pxrw(["ssde", &input(condition, vote), "--strict", "-o", &out, "--", level]).ends_with(0);
            assert!(!apart.stderr.contains("both ways"), "{}", apart.stderr);
        }
    }
}

#[test]
fn functions_that_call_themselves_until_something_is_so_are_told() {
    let folder = Folder::new();
    let text = "__device__ __noinline__ int again(volatile int *flag, int seen);
__device__ __noinline__ int look(volatile int *flag) { return again(flag, *flag) + 1; }
__device__ __noinline__ int again(volatile int *flag, int seen) { return seen ? 1 : look(flag) * 2; }
extern \"C\" __global__ void waits(int *w, int *out) {
    if (threadIdx.x & 1) out[threadIdx.x] = look(w) != 0;
    else { out[threadIdx.x] = 2; __threadfence(); *(volatile int *)w = 1; }
}
struct node { node *left, *right; int value; };
__device__ __noinline__ int sum(const node *n) { return n ? sum(n->left) + n->value * sum(n->right) : 1; }
__device__ __noinline__ int tree(int *count, int n) {
    if (n <= 0) return atomicAdd(count, 1);
    int left = tree(count, n - 1);
    return tree(count, n - 2) * left + 1;
}
extern \"C\" __global__ void walks(node *n, int *count, int *out) { out[threadIdx.x] = sum(n) + tree(count, 3); }
";
    let input = folder.file("calls.cu", text);
    let out = folder.argument("out.ptx");
    for level in ["-O3", "-G"] {
        let told = pxrw(["ssde", &input, "-o", &out, "--", level]).ends_with(0);
        let told = told
            .says(&["note: assumes that no lane calls this function again", "calls.cu:2:1", "calls.cu:3 leads back"])
            .prints(&[
                "function look(int volatile*): nothing found, recursive calls are assumed not to wait\n",
                "function sum(node const*): nothing found\n",
                "function tree(int*, int): nothing found\n",
                "kernel walks: nothing found\n",
            ]);
        assert_eq!(told.stderr.matches("note: assumes").count(), 1, "{}", told.stderr);
        pxrw(["ssde", &input, "--verify", &out, "--", level])
            .ends_with(0)
            .says(&["note: assumes that recursive calls"]);
        let strict = pxrw(["ssde", &input, "--strict", "--verify", &out, "--", level]).ends_with(1);
        strict.says(&["warning: this function may call itself for ever", "out.ptx:"]).prints(&[
            "function look(int volatile*): yes, unchanged; recursive calls are found in it that may deadlock\n",
        ]);
    }
    pxrw(["ssde", &input, "--detect", "--strict"]).ends_with(1).prints(&["recursive calls may deadlock\n"]);
    let refused = pxrw(["ssde", &input, "--strict", "-o", &out]).ends_with(1);
    refused.prints(&["may deadlock; not rewritten: recursive calls are not rewritten as a loop\n"]);
    pxrw(["lint", &input]).ends_with(0).says(&["note: assumes that no lane calls this function again"]);
}

#[test]
fn a_function_that_nobody_calls_is_none_of_a_program_that_is_linked_alone() {
    let folder = Folder::new();
    let text = "__device__ __noinline__ void unused(int *lock) { while (atomicCAS(lock, 0, 1)) ; }
extern \"C\" __global__ void count(int *lock, int *out) {
    while (atomicCAS(lock, 0, 1)) ;
    ++*out;
    __threadfence();
    atomicExch(lock, 0);
}
";
    let input = folder.file("unused.cu", text);
    let out = folder.argument("out.ptx");
    pxrw(["ssde", &input, "-o", &out, "--", "-G"]).ends_with(0).prints(&["function unused(int*): nothing found\n"]);
    pxrw(["ssde", &input, "--verify", &out, "--", "-G"]).ends_with(0);
    pxrw(["lint", &input, "--", "-G"])
        .ends_with(1)
        .prints(&["unused.cu: 1 kernel, target sm_90: 1 loop may deadlock\n"]);
    // Another source may call it then.
    for relocatable in ["-rdc=true", "--relocatable-device-code=true"] {
        let found = pxrw(["ssde", &input, "--detect", "--", "-G", relocatable]).ends_with(1);
        found.prints(&["function unused(int*): 1 loop may deadlock\n"]);
    }
    // What is given as PTX may be linked with others.
    pxrw(["ssde", &out, "--detect"])
        .ends_with(1)
        .prints(&["unused(int*): 1 loop may deadlock\n", "count: nothing found\n"]);
    // A build says it as well.
    let object = folder.argument("k.o");
    for (linked, says) in [("-rdc=false", false), ("-rdc=true", true)] {
        let built =
            pxrw(["nvcc", "--pxrw=ssde", "-G", "-arch=sm_90", linked, "-c", &input, "-o", &object]).ends_with(0);
        assert_eq!(built.stderr.contains("unused"), says, "{}", built.stderr);
    }
}

#[test]
fn barriers_on_both_ways_of_a_branch_are_told() {
    let folder = Folder::new();
    let text = "extern \"C\" __global__ void sides(int *out) {
    if (threadIdx.x & 1) {
        out[threadIdx.x] = 1; __syncwarp(); out[threadIdx.x ^ 1] += 2;
    } else {
        out[threadIdx.x] = 3; __syncwarp(); out[threadIdx.x ^ 1] += 5;
    }
}
extern \"C\" __global__ void masks(int *out, int n) {
    if (threadIdx.x & 1) { out[threadIdx.x] = 1; __syncwarp(0xaaaaaaaa); out[threadIdx.x ^ 2] += 2; }
    else { out[threadIdx.x] = 3; __syncwarp(0x55555555); out[threadIdx.x ^ 2] += 5; }
    if (n) { out[threadIdx.x] += 1; __syncwarp(); out[threadIdx.x ^ 1] += 2; }
    else { out[threadIdx.x] += 3; __syncwarp(); out[threadIdx.x ^ 1] += 5; }
}
";
    let input = folder.file("ways.cu", text);
    // It fails on a stack and ends elsewhere.
    let launch = ["run", &input, "--kernel", "sides", "--grid", "1", "--block", "32", "--arg", "i32[64]=0"];
    pxrw(launch.iter().chain(&["--machine", "stack"])).ends_with(1).says(&["waits: block 0 warp 0"]);
    pxrw(launch.iter().chain(&["--machine", "its"])).ends_with(0);
    for level in ["-O3", "-G"] {
        let told = pxrw(["ssde", &input, "--detect", "--", level]).ends_with(0);
        told.says(&["note: assumes that all lanes of a warp take the same side of this branch", "ways.cu:2:5"]).prints(
            &[
                "kernel sides: nothing found, 1 branch is assumed to be uniform in each warp\n",
                "kernel masks: nothing found\n",
            ],
        );
        let strict = pxrw(["ssde", &input, "--detect", "--strict", "--", level]).ends_with(1);
        strict.says(&["warning: lanes of a warp that diverge here"]).prints(&["1 branch may separate lanes"]);
    }
    let out = folder.argument("out.ptx");
    pxrw(["ssde", &input, "--strict", "-o", &out]).ends_with(1).prints(&["; not rewritten: "]);
    pxrw(["lint", &input])
        .ends_with(0)
        .says(&["note: assumes that all lanes of a warp take the same side of this branch"]);
    // So does the check of what was written.
    pxrw(["ssde", &input, "-o", &out]).ends_with(0);
    let verified = pxrw(["ssde", &input, "--verify", &out]).ends_with(0);
    verified.says(&["note: assumes that all lanes of a warp take the same side of this branch", "out.ptx:"]).prints(&[
        "kernel sides: yes, unchanged; nothing is found in it\n",
        "kernel masks: yes, unchanged; nothing is found in it\n",
    ]);
    let strict = pxrw(["ssde", &input, "--verify", &out, "--strict"]).ends_with(1);
    strict.says(&["warning: lanes of a warp that diverge here", "out.ptx:"]).prints(&[
        "kernel sides: yes, unchanged; branches are found in it whose lanes may deadlock\n",
        "kernel masks: yes, unchanged; nothing is found in it\n",
    ]);
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
        "kernels.0.loops.0.instructions",
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
fn the_instructions_of_a_loop_are_those_before_the_rewrite() {
    let folder = Folder::new();
    // As PTX, since another compiler may make another loop.
    let text = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a) {\n.reg .pred %p<9>;\n\
        .reg .b32 %r<9>;\n.reg .b64 %rd<9>;\nld.param.u64 %rd1, [a];\nLOOP:\natom.global.cas.b32 %r2, [%rd1], 0, 1;\n\
        setp.ne.u32 %p1, %r2, 0;\n@%p1 bra LOOP;\natom.global.exch.b32 %r3, [%rd1], 0;\nret;\n}\n";
    let (input, out) = (folder.file("k.ptx", text), folder.argument("out.ptx"));
    let instructions = "kernels.0.loops.0.instructions";
    let found = pxrw(["ssde", &input, "--detect", "--report", "json"]).ends_with(1);
    let found = report(found.stdout(), &[instructions]);
    let rewritten = pxrw(["ssde", &input, "-o", &out, "--report", "json"]).ends_with(0);
    let rewritten = report(rewritten.stdout(), &[instructions]);
    for json in [found, rewritten] {
        assert_eq!(json["kernels"][0]["loops"][0]["instructions"], 3);
    }
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

/// The lock as PTX, with a barrier behind it.
const LOCK_PTX: &str = ".version 8.0\n.target sm_90\n.address_size 64\n// A lock.\n.visible .entry k(.param .u64 a) {
.reg .pred %p<2>;
.reg .b32 %r<5>;
.reg .b64 %rd<2>;
ld.param.u64 %rd1, [a];
LOOP:
atom.global.cas.b32 %r2, [%rd1], 0, 1;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra LOOP;
atom.global.exch.b32 %r3, [%rd1], 0;
ret;
}
.visible .entry other() { ret; }
";

#[test]
fn a_rewrite_is_certified_and_verified() {
    let folder = Folder::new();
    let (input, out) = (folder.file("lock.ptx", LOCK_PTX), folder.argument("free.ptx"));
    let certificate = folder.argument("free.json");
    pxrw(["ssde", &input, "-o", &out, "--certificate", &certificate]).ends_with(0);
    let keys = ["kernels.0.kernel", "kernels.0.blocks.1.after.0.name", "kernels.0.added_edges.0.from.line"];
    let written = report(&folder.text("free.json"), &keys);
    assert_eq!(written["kernels"].as_array().unwrap().len(), 1, "the other kernel stayed as it was");
    let looped = &written["kernels"][0]["loops"][0];
    assert_eq!(looped["edge"]["h"]["line"], 11);
    for property in ["p1", "p2", "p3", "p4", "p5", "p6", "p7"] {
        assert_eq!(looped[property]["holds"], true, "{property}");
    }
    let claimed = ["--certificate", &certificate];
    let verified = pxrw(["ssde", &input, "--verify", &out].iter().chain(&claimed)).ends_with(0);
    verified.prints(&[
        "kernel k: yes, it does what it did; nothing is found in it\n",
        "kernel other: yes, unchanged; nothing is found in it\n",
    ]);
    let other = pxrw(["ssde", &input, "--verify", &input, "--kernel", "other"]).ends_with(0);
    other.prints(&[
        "kernel k: yes, unchanged; it was not named, and its loops are not looked at\n",
        "kernel other: yes, unchanged; nothing is found in it\n",
    ]);
    let verified = pxrw(["ssde", &input, "--verify", &out, "--report", "json"]).ends_with(0);
    let verified =
        report(verified.stdout(), &["outside", "kernels.0.reason", "kernels.0.findings", "kernels.0.branches"]);
    assert_eq!((&verified["kernels"][0]["changed"], &verified["kernels"][0]["faithful"]), (&true.into(), &true.into()));

    // What was lied about, and what a certificate is missing of.
    let pairs = format!("\"pairs\": {}", written["kernels"][0]["pairs"]);
    let lie = folder.file("lie.json", folder.text("free.json").replacen(&pairs, "\"pairs\": 99", 1));
    let refused = pxrw(["ssde", &input, "--verify", &out, "--certificate", &lie]).ends_with(1);
    refused.says(&["the certificate is wrong about the number of pairs: it claims 99, and there is "]);
    let empty = folder.file("empty.json", "{\"kernels\": []}");
    let refused = pxrw(["ssde", &input, "--verify", &out, "--certificate", &empty]).ends_with(1);
    refused.says(&["it changed, and there is no certificate of it"]);
    pxrw(["ssde", &input, "--verify", &out, "--kernel", "other"]).ends_with(1).says(&["not the kernel that was named"]);
}

#[test]
fn what_was_tampered_with_is_not_verified() {
    let folder = Folder::new();
    let (input, out) = (folder.file("lock.ptx", LOCK_PTX), folder.argument("free.ptx"));
    pxrw(["ssde", &input, "-o", &out]).ends_with(0);
    let tampered = |from: &str, to: &str| {
        let text = folder.text("free.ptx");
        assert!(text.contains(from), "{text}");
        let other = folder.file("other.ptx", text.replacen(from, to, 1));
        pxrw(["ssde", &input, "--verify", &other]).ends_with(1)
    };
    tampered("atom.global.exch.b32 %r3, [%rd1], 0;", "atom.global.exch.b32 %r3, [%rd1], 1;")
        .says(&[
            "error: kernel `k` is not rewritten faithfully: the output does not do what the input does: operand 3 differs",
            "other.ptx:",
            "atom.global.exch.b32 %r3, [%rd1], 1;",
            "the input is at 14:1: `atom.global.exch.b32 %r3, [%rd1], 0;`",
            "on the way there, in the input, 13:1: `@%p1 bra LOOP;` is not taken",
        ])
        .prints(&["kernel k: no, the output does not do what the input does", "kernel other: yes"]);
    tampered("// A lock.", "// A key.")
        .says(&["the module has changed outside of the kernels"])
        .prints(&["no: what stands outside"]);
    tampered("entry other() { ret; }", "entry other() { trap; }").prints(&["kernel other: no"]);
    // What was not rewritten is what it was, but what was looked for is still there.
    let same = pxrw(["ssde", &input, "--verify", &input]).ends_with(1);
    same.prints(&["kernel k: yes, unchanged; loops are found in it that may deadlock"]);
}

#[test]
fn what_cannot_be_verified_is_an_error() {
    let folder = Folder::new();
    let input = folder.file("lock.ptx", LOCK_PTX);
    let (cuda, broken) = (folder.file("lock.cu", LOCK), folder.file("broken.ptx", "nothing"));
    pxrw(["ssde", &input, "--verify", "missing.ptx"]).ends_with(2).says(&["missing.ptx"]);
    pxrw(["ssde", &input, "--verify", &broken]).ends_with(2).says(&["broken.ptx:1"]);
    pxrw(["ssde", &input, "--verify", &cuda]).ends_with(2).says(&["is no PTX"]);
    let claimed = ["--certificate", &broken];
    pxrw(["ssde", &input, "--verify", &input].iter().chain(&claimed))
        .ends_with(2)
        .says(&["cannot read the certificate"]);
    pxrw(["ssde", &input, "--verify", &input, "-o", "x.ptx"]).ends_with(2);
    pxrw(["ssde", &input, "--detect", "--certificate", "x.json"]).ends_with(2);
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
    found.prints(&["kernel count: 1 loop may deadlock\n", "function take(): nothing found\n"]);
    let done = pxrw(["ssde", &input, "-o", &out]).ends_with(0);
    done.prints(&["1 loop may deadlock; rewritten, with its callees inlined; a second check finds nothing"]);
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
        "kernel count: 1 loop may deadlock; rewritten; a second check finds nothing\n",
    ]);
    pxrw(["ssde", &input, "--kernel", "count", "-o", &out]).ends_with(0);
    pxrw(["ssde", &input, "--kernel", "both", "--detect"]).ends_with(1).says(&["both.cu:7 reads again"]);
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
    pxrw(launch.iter().chain(&stack).chain(&delayed)).ends_with(2).says(&["`--reconvergence` does not apply"]);
    let other = folder.file("other.json", "[]");
    let other = ["--reconvergence", &other];
    pxrw(launch.iter().chain(&aware).chain(&other)).ends_with(2).says(&["has no entry for the kernel `count`"]);
}

/// The compiler draws names for what is internal to a file; it must draw the same ones for the same source.
#[test]
fn what_was_made_of_cuda_is_verified_against_it() {
    let folder = Folder::new();
    let text = LOCK.replace("__device__ int lock;", "static __device__ int lock;");
    assert_ne!(text, LOCK);
    let (input, out) = (folder.file("lock.cu", text), folder.argument("free.ptx"));
    let certificate = folder.argument("free.json");
    pxrw(["ssde", &input, "-o", &out, "--certificate", &certificate]).ends_with(0);
    let verified = pxrw(["ssde", &input, "--verify", &out, "--certificate", &certificate]).ends_with(0);
    verified.prints(&["yes, it does what it did; nothing is found in it"]);
}

/// PTX for one chip alone is checked for that chip, whatever others are compiled for.
/// Which lanes a barrier that is not aligned waits for, nothing says.
#[test]
fn what_some_lanes_do_together_is_refused_with_its_line() {
    let folder = Folder::new();
    // The halves of warps vote, on a target that has no `match`.
    let text = ".version 8.0\n.target sm_60\n.address_size 64\n.visible .entry k(.param .u64 a) {\n.reg .pred %p;\n.reg .b32 %r<6>;\n\
                .reg .b64 %rd;\nld.param.u64 %rd, [a];\nmov.u32 %r1, %laneid;\nand.b32 %r2, %r1, 16;\nmov.u32 %r3, 0xffff;\n\
                shl.b32 %r3, %r3, %r2;\nLOOP:\natom.global.cas.b32 %r4, [%rd], 0, 1;\nsetp.ne.u32 %p, %r4, 0;\n@%p bra LOOP;\n\
                atom.global.exch.b32 %r4, [%rd], 0;\nvote.sync.ballot.b32 %r5, 1, %r3;\nst.global.u32 [%rd], %r5;\nret;\n}\n";
    let (input, out) = (folder.file("some.ptx", text), folder.argument("out.ptx"));
    let refused = pxrw(["ssde", &input, "-o", &out]).ends_with(1);
    refused.prints(&["not rewritten: a barrier or warp-collective instruction is in the way", "some.ptx:18)"]);
}

/// Rounds of a lock, a vote of the whole warp, and the lock again.
#[test]
fn lanes_meet_before_a_vote() {
    let lock = "while (atomicCAS(&lock, 0, 1) != 0) {}\n __threadfence(); total[0] += 1; __threadfence(); atomicExch(&lock, 0);\n";
    let text = format!(
        "__device__ int lock;\nextern \"C\" __global__ void count(int *total) {{\n\
         for (int i = 0; i < 3; i++) {{\n{lock}\nif (__any_sync(~0u, total[0] > 1000)) return;\n{lock}\n}}\n}}\n"
    );
    let folder = Folder::new();
    let (input, out) = (folder.file("vote.cu", &text), folder.argument("vote.ptx"));
    let launch = ["--kernel", "count", "--grid", "2", "--block", "48", "--arg", "i32[1]=0", "--machine"];
    pxrw(["run", &input].iter().chain(&launch).chain(&["stack"])).ends_with(1);
    pxrw(["ssde", &input, "-o", &out]).ends_with(0).prints(&["rewritten; a second check finds nothing"]);
    pxrw(["ssde", &input, "--verify", &out]).ends_with(0);
    for machine in ["stack", "its", "mimd", "aware"] {
        pxrw(["run", &out].iter().chain(&launch).chain(&[machine])).ends_with(0);
    }
}

#[test]
fn ptx_of_a_newer_target_is_assembled_for_that() {
    let folder = Folder::new();
    let text = ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 a) {\n.reg .pred %p;\n.reg .b32 %r;\n\
                .reg .b64 %rd;\nld.param.u64 %rd, [a];\nLOOP:\natom.global.cas.b32 %r, [%rd], 0, 1;\nsetp.ne.u32 %p, %r, 0;\n\
                @%p bra LOOP;\natom.global.exch.b32 %r, [%rd], 0;\nret;\n}\n";
    let input = folder.file("lock.ptx", text);
    let done = pxrw(["ssde", &input, "-o", &folder.argument("out.ptx")]).ends_with(0);
    done.prints(&["kernel k: 1 loop may deadlock; rewritten; a second check finds nothing"]);
    // It has no marked path, which is no error.
    pxrw(["ccc", &input, "-o", &folder.argument("out.ptx")]).ends_with(0);
}

/// PTX that is linked with other modules later: the lock and a function are elsewhere.
#[test]
fn what_needs_other_modules_is_assembled_as_a_part() {
    let folder = Folder::new();
    let text = LOCK_PTX
        .replace("// A lock.", ".extern .global .align 4 .u32 lock;\n.extern .func elsewhere ();")
        .replace("ld.param.u64 %rd1, [a];", "mov.u64 %rd1, lock;")
        .replace("other() { ret; }", "other() { { call.uni elsewhere, (); } ret; }");
    let input = folder.file("part.ptx", text);
    let ptxas = |file: &str, options: &[&str]| {
        let mut command = Command::new(nvcc().with_file_name("ptxas"));
        command.args(options).args(["-arch=sm_90", file, "-o", &folder.argument("ptxas.cubin")]).output().unwrap()
    };
    let whole = ptxas(&input, &[]);
    assert!(String::from_utf8_lossy(&whole.stderr).contains("Unresolved extern function"), "{whole:?}");

    pxrw(["check", &input]).ends_with(0);
    let out = folder.argument("out.ptx");
    pxrw(["ssde", &input, "-o", &out])
        .ends_with(0)
        .prints(&["kernel k: 1 loop may deadlock; rewritten; a second check finds nothing"]);
    let part = ptxas(&out, &["-c"]);
    assert!(part.status.success(), "{part:?}");
    pxrw(["ssde", &input, "--verify", &out]).ends_with(0);
    // What comes of it is to be linked, and does not have a lock of its own.
    let cubin = folder.argument("out.cubin");
    pxrw(["ccc", &out, "--emit", "cubin", "-o", &cubin]).ends_with(0);
    const RELOCATABLE: [u8; 2] = [1, 0];
    assert_eq!(std::fs::read(&cubin).unwrap()[16..18], RELOCATABLE, "the type of the ELF file");
}
