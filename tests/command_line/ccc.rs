//! `pxrw ccc`.

use crate::program::{Folder, golden, pxrw, report};

/// The line of the loop over edges in the example.
fn example_line() -> usize {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/bfs.cu")).unwrap();
    1 + text.lines().position(|line| line.contains("for (int edge")).unwrap()
}

/// The line of the path of a vertex in the shortest paths, and that of its edges in it.
const SHORTEST_PATHS: (&str, u64, u64) = ("benchmarks/src/ccc/sssp.cu", 14, 19);

#[test]
fn the_example_goes_to_a_file_and_the_report_to_standard_output() {
    let folder = Folder::new();
    let ran = pxrw(["ccc", "examples/bfs.cu", "-o", &folder.argument("out.ptx")]).ends_with(0);
    assert_eq!(ran.stderr, "");
    let place = format!("examples/bfs.cu:{}  rewritten, step by step; context of 8 bytes", example_line());
    ran.prints(&[
        "kernel bfs\n",
        &place,
        "differs between lanes",
        "shared memory",
        "registers",
        "per thread (ptxas, sm_90)",
        "occupancy",
    ]);
    let ptx = folder.text("out.ptx");
    assert!(
        ptx.contains(".visible .entry bfs(") && ptx.contains("vote.sync.ballot") && !ptx.contains("CCC if_begin"),
        "{ptx}"
    );
    assert_eq!(folder.names(), ["out.ptx"]);
}

#[test]
fn without_a_file_the_result_goes_to_standard_output_and_the_report_to_standard_error() {
    let ran = pxrw(["ccc", "examples/bfs.cu", "--block", "256"])
        .ends_with(0)
        .says(&["kernel bfs\n", "per block of 256 threads\n"]);
    assert!(!ran.stdout().contains("kernel bfs\n"));
    ran.prints(&[".visible .entry bfs(", ".maxntid 256, 1, 1", "vote.sync.ballot"]);
}

#[test]
fn the_report_as_json_has_its_keys() {
    let keys = [
        "kernels.0.name",
        "kernels.0.shared_bytes",
        "kernels.0.registers_before",
        "kernels.0.registers_after",
        "kernels.0.regions.0.file",
        "kernels.0.regions.0.line",
        "kernels.0.regions.0.steps",
        "kernels.0.regions.0.status",
        "kernels.0.regions.0.reason",
        "kernels.0.regions.0.context_bytes",
        "kernels.0.regions.0.context.0.register",
        "kernels.0.regions.0.context.0.type",
        "kernels.0.regions.0.context.0.bytes",
        "kernels.0.regions.0.context.0.why",
        "kernels.0.regions.0.context.0.stored",
        "kernels.0.regions.0.recomputed",
        "kernels.0.regions.0.operations",
        "kernels.0.regions.0.uncompressed_bytes",
    ];
    let folder = Folder::new();
    let to_file = pxrw(["ccc", "examples/bfs.cu", "--report", "json", "-o", &folder.argument("out.ptx")]).ends_with(0);
    let value = report(to_file.stdout(), &keys);
    let region = &value["kernels"][0]["regions"][0];
    assert_eq!(region["file"], "examples/bfs.cu");
    assert_eq!(region["line"], example_line());
    assert_eq!(region["status"], "rewritten");
    let bytes: u64 = region["context"].as_array().unwrap().iter().map(|value| value["bytes"].as_u64().unwrap()).sum();
    assert_eq!(region["context_bytes"], bytes);
    let to_stdout = pxrw(["ccc", "examples/bfs.cu", "--report", "json"]).ends_with(0);
    assert_eq!(report(&to_stdout.stderr, &keys), value);
}

#[test]
fn a_path_in_another_one_is_reported_and_can_be_collected_alone() {
    let folder = Folder::new();
    let out = folder.argument("out.ptx");
    let (file, outer, inner) = SHORTEST_PATHS;
    let ccc = ["ccc", file, "--block", "64", "-o", &out];
    let both = pxrw(ccc).ends_with(0);
    let place = format!("sssp.cu:{inner}  rewritten, step by step, in the path of line {outer}; context of");
    both.prints(&[&format!("sssp.cu:{outer}  rewritten; context of"), &place]);
    let json = pxrw(ccc.iter().chain(&["--report", "json"])).ends_with(0);
    let regions = &report(json.stdout(), &["kernels.0.regions.1.outer_line"])["kernels"][0]["regions"];
    assert_eq!((&regions[0]["line"], &regions[1]["outer_line"]), (&outer.into(), &outer.into()));

    for line in [outer, inner] {
        let json = pxrw(ccc.iter().chain(&["--report", "json", "--path", &line.to_string()])).ends_with(0);
        let regions = report(json.stdout(), &[])["kernels"][0]["regions"].clone();
        assert_eq!((regions.as_array().unwrap().len(), &regions[0]["line"]), (1, &line.into()), "{regions}");
    }
    let before = folder.text("out.ptx");
    pxrw(ccc.iter().chain(&["--path", "3"]))
        .ends_with(2)
        .says(&["has no marked path at line 3", "there are paths at these lines: 14, 19"]);
    assert_eq!(folder.text("out.ptx"), before);
}

#[test]
fn a_bound_on_registers_and_whole_tasks_are_asked_for() {
    let folder = Folder::new();
    let out = folder.argument("out.ptx");
    let ccc = ["ccc", "examples/bfs.cu", "--block", "64", "-o", &out];
    pxrw(ccc.iter().chain(&["--registers", "24"])).ends_with(0).prints(&["-> 24 per thread"]);
    assert!(folder.text("out.ptx").contains(".maxnreg 24\n"), "{}", folder.text("out.ptx"));
    pxrw(ccc.iter().chain(&["--registers", "15"])).ends_with(2).says(&["15 is not in 16..=255"]);
    pxrw(ccc).ends_with(0).prints(&["idle lanes share what is left of a task"]);
    pxrw(ccc.iter().chain(&["--no-split"])).ends_with(0).prints(&["one lane runs a task to its end: not wanted"]);
}

#[test]
fn contexts_are_compressed_unless_said_otherwise() {
    let folder = Folder::new();
    let (key, out) = (golden("ccc/compress_key.cu"), folder.argument("out.ptx"));
    let run = |options: &[&str]| {
        let ran = pxrw([&["ccc", &key, "-o", &out], options].concat()).ends_with(0);
        ran.stdout().to_owned()
    };
    let compressed = run(&[]);
    assert!(compressed.contains("context of 12 bytes (32 without compression)"), "{compressed}");
    assert!(compressed.contains("  recomputed  from %"), "{compressed}");
    let bounded = run(&["--recompute", "4"]);
    assert!(bounded.contains("context of 20 bytes (32 without compression)"), "{bounded}");
    let plain = run(&["--no-compress"]);
    assert!(plain.contains("context of 32 bytes,") && !plain.contains("recomputed"), "{plain}");

    let json = pxrw(["ccc", &key, "--report", "json", "-o", &out]).ends_with(0);
    let region = &report(json.stdout(), &[])["kernels"][0]["regions"][0];
    assert_eq!((region["context_bytes"].as_u64(), region["uncompressed_bytes"].as_u64()), (Some(12), Some(32)));
    let again = region["recomputed"].as_array().unwrap();
    assert_eq!(again.len(), 3, "{region}");
    assert_eq!(again[0]["from"][0], region["context"][1]["register"]);
    pxrw(["ccc", &key, "--no-compress", "--recompute", "3"]).ends_with(2);
}

#[test]
fn loads_and_reductions_are_reported_and_loads_stay_where_they_are_if_asked_for() {
    let folder = Folder::new();
    let (loads, sums, out) = (golden("ccc/hoisted_loads.cu"), golden("ccc/reductions.cu"), folder.argument("out.ptx"));
    let text = pxrw(["ccc", &loads, "--kernel", "relax", "--hoist-loads", "-o", &out]).ends_with(0);
    let wanted = "4 sectors for 32 neighbours, for 4 bytes of context";
    assert!(text.stdout().contains(wanted), "{}", text.stdout());
    let plain = pxrw(["ccc", &loads, "--kernel", "relax", "--no-hoist-loads", "-o", &out]).ends_with(0);
    assert!(!plain.stdout().contains("sectors"), "{}", plain.stdout());

    let json = pxrw(["ccc", &sums, "--kernel", "floats", "--report", "json", "-o", &out]).ends_with(0);
    let region = &report(json.stdout(), &[])["kernels"][0]["regions"][0];
    let reductions = region["reductions"].as_array().unwrap();
    let reordered: Vec<_> = reductions.iter().map(|one| (&one["operator"], &one["reordered"])).collect();
    assert_eq!(reordered.len(), 4, "{region}");
    assert!(reordered.iter().all(|(operator, reordered)| (*operator == "+") == (*reordered == true)), "{region}");
    let text = pxrw(["ccc", &sums, "--kernel", "floats", "-o", &out]).ends_with(0);
    assert!(text.stdout().contains("by + for the thread of the iteration, in another order"), "{}", text.stdout());
}

#[test]
fn a_cubin_is_an_elf_file() {
    let folder = Folder::new();
    pxrw(["ccc", "examples/bfs.cu", "--emit", "cubin", "--arch", "sm_80", "-o", &folder.argument("out.cubin")])
        .ends_with(0);
    let bytes = std::fs::read(folder.path("out.cubin")).unwrap();
    assert!(bytes.starts_with(b"\x7fELF"), "{:?}", &bytes[..16]);
}

#[test]
fn marked_ptx_is_an_input_too() {
    let ran = pxrw(["ccc", &golden("ccc/widths.ptx"), "--arch", "sm_75"])
        .ends_with(0)
        .says(&["kernel widths\n", "rewritten"]);
    ran.prints(&["vote.sync.ballot"]);
}

#[test]
fn a_refused_region_ends_with_status_1_and_names_line_reason_and_remedy() {
    let source = "__global__ void k(int n, const int *key, int *out) {\n\
                  #CCC for\n\
                  for (int i = threadIdx.x; i < n; i += blockDim.x) {\n\
                  #CCC if\n\
                  if (key[i] == 7) {\n\
                  out[i] = 7;\n\
                  __syncthreads();\n\
                  out[i + n] = out[i + 1];\n\
                  }\n}\n}\n";
    let folder = Folder::new();
    let input = folder.file("barrier.cu", source);
    let ran = pxrw(["ccc", &input, "-o", &folder.argument("out.ptx")]).ends_with(1);
    let place = format!("{input}:7");
    let ran = ran.says(&[
        "error: not rewritten: the marked path has `bar",
        &place,
        "__syncthreads();",
        "help: move the barrier",
    ]);
    ran.prints(&["kernel k(int, int const*, int*)\n", "refused", "unchanged"]);
    assert!(!folder.text("out.ptx").contains("vote.sync"));

    let json = pxrw(["ccc", &input, "--report", "json", "-o", &folder.argument("out.ptx")]).ends_with(1);
    let region = &report(json.stdout(), &[])["kernels"][0]["regions"][0];
    assert_eq!(region["status"], "refused");
    assert!(region["reason"].as_str().unwrap().contains("must execute together"), "{region}");
}

#[test]
fn an_intrinsic_is_refused_where_the_user_calls_it() {
    let source = "__global__ void k(int n, const int *key, int *out) {\n\
                  #CCC for\n\
                  for (int i = threadIdx.x; i < n; i += blockDim.x) {\n\
                  #CCC if\n\
                  if (key[i / 64] == 0) {\n\
                  out[i] = __shfl_xor_sync(~0u, i, 1);\n\
                  }\n}\n}\n";
    let folder = Folder::new();
    let input = folder.file("shuffle.cu", source);
    pxrw(["ccc", &input]).ends_with(1).says(&["has `shfl.sync", &format!("{input}:6")]);
}

#[test]
fn what_the_compiler_drops_is_left_out_and_said() {
    let source = "template <class T> __global__ void k(int n, T *out) {\n\
                  #CCC for\n\
                  for (int i = threadIdx.x; i < n; i += blockDim.x) {\n\
                  #CCC if\n\
                  if (out[i] == 7) out[i] = 8;\n\
                  }\n}\n";
    let folder = Folder::new();
    let input = folder.file("unused.cu", source);
    let ran = pxrw(["ccc", &input, "--report", "json"]).ends_with(1);
    // Messages come before the report only in the text form.
    let region = &report(&ran.stderr, &[])["kernels"][0]["regions"][0];
    assert_eq!((region["status"].as_str(), region["line"].as_u64()), (Some("left-out"), Some(5)));
    pxrw(["ccc", &input]).ends_with(1).says(&["left out", "unused.cu:5"]);
}

#[test]
fn a_file_without_directives_stays_as_it_is() {
    let folder = Folder::new();
    let input = folder.file("plain.cu", "__global__ void k(int *out) { out[threadIdx.x] = 7; }\n");
    let ran = pxrw(["ccc", &input]).ends_with(0).says(&["no region is marked"]);
    assert!(!ran.stdout().contains("vote.sync"));
    ran.prints(&[".visible .entry _Z1kPi("]);
}

#[test]
fn a_file_may_have_any_name() {
    let folder = Folder::new();
    let input = folder.file("größe (1) 'x' $HOME.cu", std::fs::read("examples/bfs.cu").unwrap());
    pxrw(["ccc", &input, "-o", &folder.argument("aus gabe.ptx")]).ends_with(0).prints(&["größe (1) 'x' $HOME.cu:"]);
}

/// A kernel whose loop, with its directives, is in a header, and that header includes another one from beside it.
#[test]
fn directives_of_headers_are_carried_out() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("inc")).unwrap();
    folder.file(
        "inc/work.h",
        "__device__ inline float work(float x) { for (int k = 0; k < 40; ++k) x = x * x + 0.5f; return x; }\n",
    );
    let header = "#pragma once\n#include \"work.h\"\n__device__ inline void all(const float *a, float *b, int n) {\n\
        //#CCC for\nfor (int i = threadIdx.x; i < n; i += blockDim.x) {\n#pragma CCC if\nif (a[i] > 0.9f) b[i] = work(a[i]);\n}\n}\n";
    let name = folder.file("inc/path.h", header);
    let text = "#include \"inc/path.h\"\n__global__ void k(const float *a, float *b, int n) { all(a, b, n); }\n";
    let (input, out) = (folder.file("k.cu", text), folder.argument("k.ptx"));
    let ran = pxrw(["ccc", &input, "-o", &out]).ends_with(0);
    ran.prints(&[&format!("{name}:7  rewritten")]);
    assert!(folder.text("k.ptx").contains("vote.sync.ballot"));
    // What is wrong there is said there.
    folder.file("inc/path.h", header.replace("CCC if", "CCC fi"));
    pxrw(["ccc", &input]).ends_with(2).says(&[&format!("{name}:6:")]);
}

/// A copy that the compiler peels off is no failure, one of the whole loop is.
#[test]
fn a_copy_of_a_collected_path_is_noted() {
    let folder = Folder::new();
    let (file, out) = (golden("ccc/peeled.ptx"), folder.argument("out.ptx"));
    let ccc = ["ccc", &file, "--block", "64", "-o", &out];
    let ran = pxrw(ccc.iter().chain(&["--kernel", "peeled"])).ends_with(0);
    ran.says(&["note: another copy that the compiler made of the path is rewritten; this one is not rewritten: the compiler leaves no loop"])
        .prints(&["refused, of a path that the compiler copied and of which another copy is rewritten: the compiler leaves no loop"]);
    let ran = pxrw(ccc.iter().chain(&["--kernel", "called_twice"])).ends_with(1);
    ran.says(&["error: not rewritten: the compiler leaves no loop"])
        .prints(&["refused: the compiler leaves no loop", "rewritten; context"]);
}

/// Stacks that do not fit beside the dynamic shared memory of a launch are left out, and the emulator refuses what a GPU would.
#[test]
fn dynamic_shared_memory_takes_the_place_of_stacks() {
    let folder = Folder::new();
    let (file, out) = (golden("ccc/peeled.ptx"), folder.argument("out.ptx"));
    let ccc = ["ccc", &file, "--kernel", "peeled", "--block", "1024", "-o", &out];
    let left = "a launch may have 40960 bytes of dynamic shared memory per block, 224256 where it opts in";
    pxrw(ccc.iter().chain(&["--shared", "40960"])).ends_with(0).prints(&["rewritten; context of 8 bytes", left]);
    let launch = |shared: &str, more: &[&str]| {
        let run = ["run", &out, "--kernel", "peeled", "--grid", "1", "--block", "64", "--shared", shared];
        let arguments = ["--arg", "i32:100", "--arg", "i32[100]=iota", "--arg", "i32[100]=0"];
        pxrw(run.iter().chain(&arguments).chain(more))
    };
    launch("40960", &[]).ends_with(0);
    let refused = launch("40961", &[]).ends_with(2);
    refused.says(&[
        "a block needs 49153 bytes of shared memory, 8192 that the kernel declares and 40961 of the launch",
        "add `--opt-in-shared`",
    ]);
    launch("40961", &["--opt-in-shared"]).ends_with(0);
    let ran = pxrw(ccc.iter().chain(&["--shared", "40964"])).ends_with(1);
    ran.says(&["the stack needs 8192 bytes of shared memory for CTAs of 1024 threads; 8188 bytes are left"]);
    // A program that launches it with so much opts in already.
    pxrw(ccc.iter().chain(&["--shared", "60000"])).ends_with(0).prints(&["rewritten; context of 8 bytes"]);
}

/// With `-G`, sections of the PTX describe the code byte by byte; that is said once, and not as a defect.
#[test]
fn debug_information_is_named() {
    let folder = Folder::new();
    let text = "extern \"C\" __global__ void k(const int *in, int *out, int n) {\n#CCC for\nfor (int i = threadIdx.x; i < n; i += blockDim.x) {\n\
                #CCC if\nif (in[i] & 1) { int y = in[i]; for (int k = 0; k < 9; ++k) y = y * 3 + k; out[i] = y; }\n}\n}\n";
    let (file, out) = (folder.file("k.cu", text), folder.argument("out.ptx"));
    let ran = pxrw(["ccc", &file, "-o", &out, "--", "-G"]).ends_with(1);
    let ran = ran
        .says(&["error: not rewritten: the program is compiled with debug information (`-G`)", "compile without `-G`"]);
    let said = ran.stderr.matches("error:").count();
    assert_eq!(said, 1, "{}", ran.stderr);
    assert!(!ran.stderr.contains("defect") && !ran.stdout().contains("bytes  "), "{}\n{}", ran.stderr, ran.stdout());
}

/// Without optimisations, a task is extended by a path that reads what the task writes. Braces around its loop do not change that, so that nobody is told to
/// write some.
#[test]
fn a_path_that_depends_on_a_task_is_named_as_part_of_it() {
    let folder = Folder::new();
    let text = "extern \"C\" __global__ void k(const int *in, int *out, int *halves, int n) {\n#CCC for\nfor (int i = threadIdx.x; i < n; i += blockDim.x) {\n\
                {\nint x = in[i];\n#CCC while\nwhile (x > 100) { x = x / 2; }\nhalves[i] = x;\n}\n#CCC if\nif (in[i] > 7) { out[i] = halves[i] * 3; }\n}\n}\n";
    let (file, out) = (folder.file("k.cu", text), folder.argument("out.ptx"));
    let ran = pxrw(["ccc", &file, "-o", &out, "--block", "64", "--", "-Xcicc", "-O0"]).ends_with(1);
    let message =
        "is executed as a part of the marked path of line 7: what follows that path in its iteration depends on it";
    let ran = ran.says(&["k.cu:11:", message, "mark one of the two"]);
    assert!(!ran.stderr.contains("braces"), "{}", ran.stderr);
    ran.prints(&["k.cu:7  rewritten, step by step"]);
}

/// Without optimisations, what the source cannot change is not asked of it: no function is inlined, not even `atomicAdd`. With `-G` it is debug information.
#[test]
fn options_that_leave_calls_and_local_memory_are_named() {
    let folder = Folder::new();
    let text = "extern \"C\" __global__ void k(const unsigned *in, unsigned *out, int n) {\n#CCC for\nfor (int i = threadIdx.x; i < n; i += blockDim.x) {\n\
                #CCC if\nif (in[i] & 1) { atomicAdd(&out[in[i] % 8], 3u); }\n}\n}\n";
    let (file, out) = (folder.file("k.cu", text), folder.argument("out.ptx"));
    let ran = pxrw(["ccc", &file, "-o", &out, "--", "-G"]).ends_with(1);
    ran.says(&["compiled with debug information (`-G`)", "help: compile without `-G`"]);
    let ran = pxrw(["ccc", &file, "-o", &out, "--", "-Xcicc", "-O0"]).ends_with(1);
    let ran = ran.says(&[
        "atomicAdd",
        "without optimisations, the compiler inlines no function",
        "help: compile without `-Xcicc -O0`",
    ]);
    assert!(!ran.stderr.contains("__forceinline__"), "{}", ran.stderr);
}

/// A line is that of the compiled file, where a function of a header that calls another one is called, or it is told with the name of its file.
#[test]
fn lines_of_headers_are_told_with_their_file() {
    let folder = Folder::new();
    let slot = "\n\n\n__device__ inline void put(volatile int *p, int x) { *p = x; }\n__device__ inline void both(volatile int *p, int x) { put(p, x); }\n";
    folder.file("slot.h", slot);
    let body = "__shared__ volatile int slot[64];\n//#CCC for\nfor (int i = threadIdx.x; i < n; i += blockDim.x) {\n//#CCC if\n\
                if (in[i] > 5) {\nboth(slot + threadIdx.x, in[i]);\nout[i] = slot[threadIdx.x];\n}\n}\n";
    let own = format!(
        "#include \"slot.h\"\n__global__ void k(int n, const int *__restrict__ in, int *__restrict__ out) {{\n{body}}}\n"
    );
    let file = folder.file("own.cu", own);
    let ran = pxrw(["ccc", &file, "-o", &folder.argument("own.ptx")]).ends_with(1);
    ran.says(&["the store to `slot` at line 8 of the marked path", "the load of `slot` at line 9", "own.cu:9:"]);
    let kernel = "__global__ void k(int n, const int *__restrict__ in, int *__restrict__ out) {\n";
    let name = folder.file("all.h", format!("#include \"slot.h\"\n{kernel}{body}}}\n"));
    let file = folder.file("other.cu", "\n#include \"all.h\"\n");
    let ran = pxrw(["ccc", &file, "-o", &folder.argument("other.ptx")]).ends_with(1);
    let said =
        [format!("the store to `slot` at {name}:8 of the marked path"), format!("the load of `slot` at {name}:9 of")];
    ran.says(&said.each_ref().map(String::as_str));
}
