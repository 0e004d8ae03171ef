//! The front end's results: nvcc's PTX but for what is rewritten, whatever directives stand where.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::sync::LazyLock;

use ccc::{Options, Refusal, Status};
use frontend::{Compiled, Marking};
use toolkit::{CudaSource, Search, StderrProgress, Toolkit};

static TOOLKIT: LazyLock<Toolkit> =
    LazyLock::new(|| Toolkit::locate_or_install(&Search::default(), &mut StderrProgress::default()).unwrap());

/// The headers that nvcc includes for C++17, its default, double its time.
const STANDARD: &str = "-std=c++14";

fn compile(source: &CudaSource) -> Compiled {
    frontend::compile(source, "sm_90", &[STANDARD.into()], &TOOLKIT).unwrap_or_else(|error| panic!("{error:?}")).0
}

fn compiled(text: &str) -> Compiled {
    compile(&CudaSource::new(text, "k.cu"))
}

/// The kernel's paths: why they are refused, or nothing where they are collected.
fn refusals(compiled: &Compiled) -> Vec<Option<Refusal>> {
    let rewritten = compiled.rewrite(&Options::default());
    assert!(rewritten.problems.is_empty(), "{:?}", rewritten.problems);
    let regions = rewritten.reports.iter().flat_map(|report| &report.kernel.regions);
    let refusal = |status: &Status| match status {
        Status::Rewritten | Status::Unreached => None,
        Status::Refused(refusal) | Status::LeftOut(refusal) => Some(refusal.clone()),
    };
    regions.map(|region| refusal(&region.status)).collect()
}

/// A loop with a path that pays.
const LOOP: &str = "//#CCC for\nfor (int i = threadIdx.x; i < n; i += 64) {\n//#CCC if\nif (a[i] > 3) { int y = a[i]; \
                    for (int q = 0; q < 30; ++q) y = y * 3 + q; o[i] = y; }\n}\n";

fn kernel(head: &str, body: &str) -> String {
    format!("{head}\n__global__ void k(const int *a, int *o, int n) {{\n{body}\n}}\n")
}

#[test]
fn what_is_declined_is_nvccs_byte_for_byte() {
    // Left out, because it does not pay; refused, in a loop that the user has unrolled.
    let paying = "//#CCC for\nfor (int i = 0; i < 64; ++i) {\nint x = a[i * 256 + threadIdx.x];\nacc += x * a[i];\n\
                  //#CCC if probability(0.5)\nif (x > 3) o[i] = x;\n}\no[threadIdx.x] = acc;";
    let unrolled = "//#CCC for\n#pragma unroll 8\nfor (int i = 0; i < 64; ++i) {\nint x = a[i * 256 + threadIdx.x];\n\
                    //#CCC if\nif (x > a[i]) acc += x * x;\n}\no[threadIdx.x] = acc;";
    for body in [paying, unrolled] {
        let text = kernel("", &format!("int acc = 0;\n{body}"));
        let compiled = compiled(&text);
        let rewritten = compiled.rewrite(&Options::default());
        let regions: usize = rewritten.reports.iter().map(|report| report.kernel.regions.len()).sum();
        assert!(regions > 0 && !rewritten.reports.iter().any(frontend::Report::is_rewritten));
        let nvccs =
            TOOLKIT.compile_to_ptx(&CudaSource::new(text.as_str(), "k.cu"), "sm_90", &[STANDARD.into()]).unwrap().ptx;
        assert_eq!(rewritten.module.to_string(), nvccs);
        assert_eq!(compiled.ptx, nvccs);
    }
}

#[test]
fn an_array_that_is_registers_where_the_loop_is_unrolled_is_no_reason() {
    let text = kernel(
        "",
        "int keep[8] = {};\n//#CCC for\nfor (int i = 0; i < 8; ++i) {\n//#CCC if\nif (a[i + threadIdx.x] > 3) {\n\
         int y = a[i]; for (int q = 0; q < 9; ++q) y = y * 3 + q; keep[i] = y; }\n}\n\
         int s = 0; for (int i = 0; i < 8; ++i) s = s * 3 + keep[i]; o[threadIdx.x] = s;",
    );
    let compiled = compiled(&text);
    assert!(!compiled.ptx.contains(".local"), "{}", compiled.ptx);
    let rewritten = compiled.rewrite(&Options::default());
    assert!(rewritten.reports.iter().all(|report| report.marking == Some(Marking::AsWritten)));
    let refusals = refusals(&compiled);
    assert!(!refusals.is_empty() && refusals.iter().all(|refusal| *refusal == Some(Refusal::Unrolled)), "{refusals:?}");
}

#[test]
fn a_comment_before_a_directive_of_the_preprocessor_hides_nothing() {
    let text = kernel("/* so many */ #define STEP 64", &LOOP.replace("64", "STEP"));
    assert_eq!(refusals(&compiled(&text)), [None]);
}

#[test]
fn directives_are_found_in_the_arguments_and_the_bodies_of_macros() {
    let dispatch = "#define DISPATCH(type, ...) { using scalar = type; __VA_ARGS__(); }";
    let text = kernel(dispatch, &format!("DISPATCH(int, [&] {{\n{LOOP}}});"));
    assert_eq!(refusals(&compiled(&text)), [None]);
    let bodies = "#define COLLECT _Pragma(\"CCC for\")\n#define RARELY _Pragma(\"CCC if\")\n#define EACH(i, n) for (int i = threadIdx.x; i < n; i += 64)";
    let text = kernel(
        bodies,
        "COLLECT EACH(i, n) {\nRARELY if (a[i] > 3) { int y = a[i]; for (int q = 0; q < 30; ++q) y = y * 3 + q; o[i] = y; } }",
    );
    assert_eq!(refusals(&compiled(&text)), [None]);
}

#[test]
fn a_loop_that_has_its_test_at_the_bottom_is_run_in_steps_as_any_other() {
    for steps in [
        "do { x = x & 1 ? 3 * x + 1 : x / 2; ++st; } while (x > 1);",
        "while (x > 1) { x = x & 1 ? 3 * x + 1 : x / 2; ++st; }",
    ] {
        let body = format!(
            "//#CCC for\nfor (int i = threadIdx.x; i < n; i += blockDim.x) {{\nunsigned x = a[i] & 1023; int st = 0;\n//#CCC while\n{steps}\no[i] = st; }}"
        );
        assert_eq!(refusals(&compiled(&kernel("", &body))), [None], "{steps}");
    }
}

#[test]
fn what_is_internal_to_a_unit_has_one_name() {
    // Nothing external: the compiler makes the names of these of the number of its process.
    let text = format!(
        "static __device__ int twice(int x) {{ return 2 * x; }}\nstatic __device__ int counter;\n\
         template <int (*F)(int)> static __global__ void k(const int *a, int *o, int n) {{\n{}}}\n\
         namespace {{ struct A {{ int x; }}; template <class T> __global__ void k(T t, const int *a, int *o, int n) {{\n{LOOP}}}\n\
         template __global__ void k(A, const int *, int *, int); }}\n\
         template __global__ void k<twice>(const int *, int *, int);\n",
        LOOP.replace("o[i] = y;", "o[i] = F(y); atomicAdd(&counter, 1);")
    );
    let compiled = compiled(&text);
    assert!(compiled.ptx.contains("_INTERNAL_"), "{}", compiled.ptx);
    assert_eq!(refusals(&compiled), [None, None]);
    let rewritten = compiled.rewrite(&Options::default());
    TOOLKIT.assemble(&rewritten.module.to_string(), "sm_90", "rewritten").unwrap();
}

#[test]
fn a_path_of_which_nothing_but_a_value_is_left_hands_that_on() {
    for path in ["found = i;", "found = 1;"] {
        let text = kernel(
            "",
            &format!(
                "int found = 0;\n//#CCC for\nfor (int i = threadIdx.x; i < n; i += 64) {{\n//#CCC if\nif (a[i] > 3) {{ {path} }}\n}}\no[threadIdx.x] = found;"
            ),
        );
        let refused = refusals(&compiled(&text));
        assert!(matches!(&refused[..], [Some(Refusal::LiveOut { .. })]), "{path}: {refused:?}");
    }
}

#[test]
fn a_load_that_the_compiler_moves_into_a_path_belongs_to_it() {
    let path = "unsigned x = a[i];\n//#CCC if\nif (b[i] & 1) { for (int q = 0; q < 30; ++q) x = x * 1664525u + 1013904223u ^ (x >> 7); o[i] = x; }\n";
    let text = |behind: &str| {
        format!(
            "__global__ void k(unsigned *a, const unsigned *b, unsigned *o, int n) {{\n//#CCC for\n\
             for (int i = threadIdx.x; i < n; i += blockDim.x) {{\n{path}{behind}}}\n}}\n"
        )
    };
    assert_eq!(refusals(&compiled(&text(""))), [None]);
    assert_eq!(refusals(&compiled(&text("__shared__ int s; s = i;"))), [None]);
    // Put off, the load would come behind the store: the lanes that want the path execute it where it stands, and its value travels.
    let stored = compiled(&text("a[i] = 0;"));
    let reports = stored.rewrite(&Options::default()).reports;
    let region = &reports[0].kernel.regions[0];
    assert_eq!(region.status, ccc::Status::Rewritten);
    assert!(region.context.iter().any(|value| value.why.to_string().contains("ld.global")), "{:?}", region.context);
    // Of two pointers without `__restrict__`, it is said what is assumed.
    let named: Vec<_> = region.accesses.iter().map(|pair| (pair.path.text(), pair.rest.text())).collect();
    assert_eq!(named, [("the store to `o`".to_owned(), "the store to `a`".to_owned())]);
}

#[test]
fn sources_of_any_encoding_are_compiled_where_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("latin.cu");
    let mut bytes = b"// caf\xe9\n".to_vec();
    bytes.extend(kernel("", LOOP).bytes());
    std::fs::write(&path, bytes).unwrap();
    let compiled = compile(&CudaSource::from_file(&path).unwrap());
    assert_eq!(refusals(&compiled), [None]);
    // The name is the user's own, also within the source.
    assert!(compiled.ptx.contains("latin.cu\""));
}

#[test]
fn markers_that_the_compiler_does_not_take_leave_its_ptx() {
    let text = kernel(
        "struct Bits { int low : 5; };",
        "Bits s = {};\n//#CCC for reduce(+:s.low)\nfor (int i = threadIdx.x; i < n; i += 64) {\n//#CCC if\nif (a[i] > 3) s.low += a[i];\n}\no[threadIdx.x] = s.low;",
    );
    // A loop of which the compiler does not take the markers holds no other one back.
    let other = format!("__global__ void other(const int *a, int *o, int n) {{\n{LOOP}}}\n");
    for (text, collected) in [(text.clone(), 0), (text.clone() + &other, 1), (other + &text, 1)] {
        let compiled = compiled(&text);
        let rewritten = compiled.rewrite(&Options::default());
        assert!(rewritten.problems.is_empty(), "{:?}", rewritten.problems);
        let unreached = compiled.unreached(&rewritten);
        assert_eq!(unreached.len(), 1, "{unreached:?}");
        assert!(
            unreached[0].message().contains("the compiler does not take the markers of the loop: "),
            "{unreached:?}"
        );
        assert!(unreached[0].help().contains("`reduce`"));
        assert_eq!(rewritten.reports.iter().filter(|report| report.is_rewritten()).count(), collected);
        assert_eq!(
            rewritten.module.kernel("k").map(ToString::to_string),
            compiled.module.kernel("k").map(ToString::to_string)
        );
    }
}

#[test]
fn directives_that_mark_nothing_are_named() {
    let body = "#define RARELY /*#CCC if*/\n#define SHOWN \"//#CCC if\"\n";
    let text = kernel(body, &LOOP.replace("//#CCC if", "RARELY"));
    let one = compiled(&text);
    assert_eq!(one.mistakes.len(), 1);
    assert_eq!(one.mistakes[0].error.span().position.to_string(), "1:1");
    assert_eq!(
        one.mistakes[0].error.to_string(),
        "the preprocessor drops the comment with a CCC directive in the definition of `RARELY`"
    );
    let rewritten = one.rewrite(&Options::default());
    let unreached = one.unreached(&rewritten);
    assert_eq!(unreached.len(), 1);
    assert_eq!(unreached[0].message(), "nothing is marked in the loop itself");
    // A directive in the arguments of a macro has everything read once more; what was found in definitions stays.
    let text = format!("#define WHOLE(...) __VA_ARGS__\n{}", kernel(body, &format!("WHOLE({LOOP})")));
    let both = compiled(&text);
    assert_eq!(both.mistakes.len(), 1, "{:?}", both.mistakes);
    assert_eq!(refusals(&both), [None]);
}

#[test]
fn directives_that_the_preprocessor_leaves_out_are_named() {
    let head = "#define WHOLE(...) __VA_ARGS__\n#if 0\nit's not code\n#endif\n/* Documentation:\n#CCC if\n*/";
    let left_out = format!("#ifndef __CUDA_ARCH__\n#pragma CCC for\n#endif\n#if 0\n{LOOP}#else\n{LOOP}#endif\n");
    // What is read is not named: pragmas and operands of macros, on whatever line they come out, and accumulators on lines of their own.
    let read = "int s = 0;\nWHOLE(\n//#CCC for\nfor (int i = 0; i < n; ++i) {\n/*#CCC if*/\nif (a[i] > 3) { int y = a[i]; for (int q = 0; q < 30; ++q) \
                y = y * 3 + q; o[i] = y; }\n})\n//#CCC reduce(+:s)\n//#CCC for\nfor (int i = 0; i < n; ++i) {\n_Pragma(\"CCC if\")\nif (a[i] > 5) { int y = \
                a[i]; for (int q = 0; q < 30; ++q) y = y * 3 + q; s += y; }\n}\no[0] = s;\n#line 500 \"other.h\"\n#if 0\n//#CCC if\n#endif\n";
    let text = kernel(head, &(left_out + read));
    let line = |nth: usize| text[..text.match_indices("#CCC").nth(nth).unwrap().0].matches('\n').count() + 1;
    let compiled = compiled(&text);
    assert!(compiled.mistakes.is_empty(), "{:?}", compiled.mistakes);
    let pragma = text[..text.find("#pragma CCC").unwrap()].matches('\n').count() + 1;
    let expected = [("k.cu", pragma), ("k.cu", line(1)), ("k.cu", line(2)), ("other.h", 501)];
    let unread: Vec<(&str, usize)> = compiled.unread.iter().map(|one| (one.file.as_str(), one.line)).collect();
    assert_eq!(unread, expected, "{text}");
    assert_eq!(compiled.unread[0].message(), "the preprocessor leaves the directive out");
    let rewritten = compiled.rewrite(&Options::default());
    assert_eq!(compiled.unreached(&rewritten), compiled.unread);
}

#[test]
fn directives_that_a_macro_drops_are_named() {
    let path = |number: u32| {
        format!("if (a[i] % {number} == 0) {{ int y = a[i]; for (int q = 0; q < 30; ++q) y = y * 3 + q; o[i] = y; }}")
    };
    let (three, five) = (path(3), path(5));
    let body = format!(
        "//#CCC for\nfor (int i = threadIdx.x; i < n; i += 64) {{\nFIRST(\n//#CCC if\n{three},\n//#CCC if\n{five}\n)\n}}\nSECOND(\n//#CCC for\n, ;)\n#line 40\n\
         //#CCC for\nfor (int i = threadIdx.x; i < n; i += 64) {{\n//#CCC if\n{five}\n}}"
    );
    let compiled = compiled(&kernel("#define FIRST(x, y) x\n#define SECOND(x, y) y", &body));
    let said: Vec<_> = compiled.unread.iter().map(|one| (one.line, one.message())).collect();
    let expected = [
        (6, "the preprocessor leaves out 1 of the 2 directives in these arguments".to_owned()),
        (14, "the preprocessor leaves the directive out".to_owned()),
    ];
    assert_eq!(said, expected);
    assert!(compiled.mistakes.is_empty(), "{:?}", compiled.mistakes);
    assert_eq!(refusals(&compiled), [None, None]);
}

#[test]
fn a_function_that_the_compiler_evaluates_is_marked() {
    let head = "constexpr __host__ __device__ int sum(const int *a, int n) {\nint s = 0;\n//#CCC for reduce(+:s)\nfor (int i = 0; i < n; i += 1) {\n\
                //#CCC if\nif (a[i] > 3) { int y = a[i]; for (int q = 0; q < 50; ++q) y = y * 3 + q; s += y; }\n}\nreturn s;\n}\n\
                constexpr int three[3] = {1, 2, 3};\nstatic_assert(sum(three, 3) == 0, \"\");";
    for standard in ["-std=c++17", "-std=c++20"] {
        let source = CudaSource::new(kernel(head, "o[threadIdx.x] = sum(a + threadIdx.x, n);"), "k.cu");
        let (compiled, _) = frontend::compile(&source, "sm_90", &[standard.into()], &TOOLKIT).unwrap();
        assert_eq!(refusals(&compiled), [None], "{standard}");
    }
}

#[test]
fn an_address_that_a_task_and_the_code_behind_it_share_is_no_value_of_the_task() {
    // The compiler computes `o + i` once, behind the steps, which a lane without any skips.
    let body = "//#CCC for\nfor (int i = threadIdx.x; i < n; i += 32) {\n{\nint s = 0, x = a[i] & 255;\n//#CCC while\n\
                while (x > 1) { x = x & 1 ? 3 * x + 1 : x / 2; ++s; }\natomicAdd(o + i, s);\n}\natomicAdd(o + i, 7);\n}";
    assert_eq!(refusals(&compiled(&kernel("", body))), [None]);
}
