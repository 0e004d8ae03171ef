//! What nvcc makes of annotated files: markers reach the PTX, in pairs, and the copies have registers.
//!
//! nvcc is `$PXRW_TEST_NVCC` or the one on `PATH`; without one these tests say so and pass, because the tests of the
//! whole project run with a compiler in any case.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::path::{Path, PathBuf};
use std::process::Command;

use annotate::annotate;

fn nvcc() -> Option<PathBuf> {
    let named = std::env::var_os("PXRW_TEST_NVCC").map(PathBuf::from);
    let nvcc = named.unwrap_or_else(|| "nvcc".into());
    let works = Command::new(&nvcc).arg("--version").output().is_ok_and(|out| out.status.success());
    if !works {
        eprintln!("skipped: no nvcc (set PXRW_TEST_NVCC)");
    }
    works.then_some(nvcc)
}

struct Compiler {
    nvcc: PathBuf,
    folder: PathBuf,
}

impl Compiler {
    /// A folder of this test's own; `None` without nvcc.
    fn new(test: &str) -> Option<Self> {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
        std::fs::create_dir_all(&folder).unwrap();
        Some(Self { nvcc: nvcc()?, folder })
    }

    /// Standard output file and standard error of nvcc, which must succeed.
    fn run(&self, text: &str, options: &[&str]) -> (String, String) {
        let (input, output) = (self.folder.join("annotated.cu"), self.folder.join("out"));
        std::fs::write(&input, text).unwrap();
        let out = Command::new(&self.nvcc)
            .args(options)
            .arg("-o")
            .arg(&output)
            .arg(&input)
            .current_dir(&self.folder)
            .output();
        let out = out.unwrap();
        let messages = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.success(), "nvcc {options:?}:\n{messages}\n{text}");
        (String::from_utf8_lossy(&std::fs::read(&output).unwrap()).into_owned(), messages)
    }

    fn ptx(&self, source: &str, options: &[&str]) -> String {
        let annotated = annotate(source, "user.cu").unwrap();
        self.run(&annotated.text, &[&["-ptx", "-arch=sm_90", "-extended-lambda"], options].concat()).0
    }
}

fn markers(ptx: &str) -> Vec<&str> {
    ptx.lines().filter_map(|line| line.trim().strip_prefix("//#CCC ")).collect()
}

/// Every begin has its end, and for as many times; nvcc may have copied both.
fn check_pairs(ptx: &str, directives: usize) {
    let markers = markers(ptx);
    for id in 1..=directives {
        let count = |what: &str| {
            let prefix = [format!("for_{what} {id}"), format!("if_{what} {id}")];
            let is = |m: &&&str| prefix.iter().any(|p| **m == p.as_str() || m.starts_with(&format!("{p} ")));
            markers.iter().filter(is).count()
        };
        assert!(count("begin") > 0, "directive {id} left no marker:\n{markers:#?}");
        assert_eq!(count("begin"), count("end"), "directive {id}:\n{markers:#?}");
    }
}

#[test]
fn golden_files_compile_and_their_markers_pair_up() {
    let Some(compiler) = Compiler::new("golden") else { return };
    // `copies` and `shapes` have branches that never end or that call what is nowhere defined: they must compile, no more.
    for (name, paired) in [
        ("bfs", true),
        ("spellings", true),
        ("not_directives", true),
        ("scopes", false),
        ("conditionals", false),
        ("shapes", false),
        ("copies", false),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.cu"));
        let source = std::fs::read_to_string(path).unwrap();
        let ptx = compiler.ptx(&source, &["-rdc=true"]);
        assert!(!markers(&ptx).is_empty(), "{name}");
        if paired {
            check_pairs(&ptx, annotate(&source, "user.cu").unwrap().directives.len());
        }
    }
}

/// A grid-stride loop over `TYPE` with a branch that reads the loop variable in several places.
const TYPED: &str = "\
__global__ void k(TYPE n, int *a, const int *b) {
  #CCC for const block(256)
  for (TYPE i = START; i < n; i += 3) {
    //#CCC if
    if (a[(long long)(i - START)] > 0) a[(long long)(i - START) + 1] = b[4 * (long long)(i - START)] + 7;
  }
}
";

#[test]
fn loop_variables_of_every_width_get_a_register() {
    let Some(compiler) = Compiler::new("types") else { return };
    let types = [
        ("int", "%r"),
        ("unsigned", "%r"),
        ("long long", "%rd"),
        ("size_t", "%rd"),
        ("short", "%rs"),
        ("unsigned char", "%rs"),
        ("float", "%f"),
        ("double", "%fd"),
        ("const char *", "%rd"),
    ];
    for standard in ["-std=c++14", "-std=c++17"] {
        for (name, register) in types {
            let start = if name.ends_with('*') { "(const char *)b" } else { "0" };
            let source = TYPED.replace("TYPE", name).replace("START", start);
            let ptx = compiler.ptx(&source, &[standard]);
            let found = markers(&ptx);
            assert_eq!(found.len(), 4, "{name}:\n{ptx}");
            assert_eq!(found[0], "for_begin 1 const block 256 line 3");
            let context = found[1].strip_prefix("if_begin 2 loop 1 line 5 ctx ").unwrap();
            assert_eq!(context.trim_end_matches(|c: char| c.is_ascii_digit()), register, "{name}");
            assert_eq!(found[2..], ["if_end 2", "for_end 1"]);
            let copied = ptx.lines().any(|line| {
                let line = line.trim();
                // An 8-bit variable is widened on its way into the register.
                (line.starts_with("mov.") || line.starts_with("and.") || line.starts_with("cvt."))
                    && line.split_whitespace().nth(1) == Some(&format!("{context},"))
            });
            assert!(copied, "{name}: nothing is copied into {context}:\n{ptx}");
        }
    }
}

#[test]
fn the_loop_is_not_unrolled() {
    let Some(compiler) = Compiler::new("unroll") else { return };
    let source = "__global__ void k(int *a) {\n#CCC for\n#pragma unroll 4\nfor (int i = 0; i < 16; ++i) {\n\
                  #CCC if\nif (a[i] > 0) a[i] = 7;\n}\n}\n";
    assert_eq!(markers(&compiler.ptx(source, &[])).len(), 4);
    let plain = source.replace("#CCC", "//").replace("#pragma unroll 4", "");
    let (ptx, _) = compiler.run(&plain, &["-ptx", "-arch=sm_90"]);
    assert!(ptx.matches("st.global").count() > 1, "nvcc unrolls this loop when it is not told otherwise:\n{ptx}");
}

#[test]
fn debug_builds_have_one_marker_per_place() {
    let Some(compiler) = Compiler::new("debug") else { return };
    let ptx = compiler.ptx(&TYPED.replace("TYPE", "int").replace("START", "0"), &["-G"]);
    let expected = ["for_begin 1 const block 256 line 3", "if_begin 2 loop 1 line 5", "if_end 2", "for_end 1"];
    assert_eq!(markers(&ptx), expected);
}

#[test]
fn lines_are_the_users() {
    let Some(compiler) = Compiler::new("lines") else { return };
    let ptx = compiler.ptx(&TYPED.replace("TYPE", "int").replace("START", "0"), &["-lineinfo"]);
    let lines: Vec<&str> =
        ptx.lines().filter_map(|l| l.trim().strip_prefix(".loc")?.split_whitespace().nth(1)).collect();
    assert!(lines.contains(&"5") && lines.iter().all(|line| ["1", "3", "5", "6", "7"].contains(line)), "{lines:?}");
    assert!(ptx.lines().any(|line| line.contains(".file") && line.contains("user.cu\"")), "{ptx}");
    let wrong = annotate(&TYPED.replace("TYPE", "int").replace("+ 7", "+ undefined_name"), "user.cu").unwrap();
    std::fs::write(compiler.folder.join("wrong.cu"), wrong.text).unwrap();
    let out =
        Command::new(&compiler.nvcc).args(["-ptx", "-arch=sm_90", "wrong.cu"]).current_dir(&compiler.folder).output();
    let messages = String::from_utf8_lossy(&out.unwrap().stderr).into_owned();
    assert!(messages.contains("user.cu(5): error"), "{messages}");
}

#[test]
fn host_code_of_a_host_and_device_function_has_no_markers() {
    let Some(compiler) = Compiler::new("host") else { return };
    let source = "template <class T> __host__ __device__ T sum(T n) {\n  T s = 0;\n  //#CCC for\n  for (T i = 0; i < n; ++i)\n\
                  #pragma CCC if\n    if (i % 3) s += i;\n  return s;\n}\n\
                  __global__ void k(int *a) { *a = sum(*a) + sum(3LL); }\n\
                  int main() { k<<<1, 32>>>(nullptr); return sum(4); }\n";
    let annotated = annotate(source, "user.cu").unwrap();
    let (_, messages) =
        compiler.run(&annotated.text, &["-c", "-arch=sm_90", "-Xcompiler", "-Wall,-Wno-unknown-pragmas"]);
    assert_eq!(messages.trim(), "");
    compiler.run(source, &["-c", "-arch=sm_90"]);
    check_pairs(&compiler.ptx(source, &[]), 2);
}

#[test]
fn a_write_that_the_text_hides_is_an_error_of_nvcc() {
    let Some(compiler) = Compiler::new("hidden") else { return };
    std::fs::write(compiler.folder.join("hidden.h"), "__device__ inline void advance_by_two(int &x) { x += 2; }\n")
        .unwrap();
    let source = "#include \"hidden.h\"\n__global__ void k(int n, int *a) {\n#CCC for\nfor (int i = 0; i < n; ++i)\n\
                  #CCC if\n if (a[i]) advance_by_two(i);\n}\n";
    let annotated = annotate(source, "user.cu").unwrap();
    std::fs::write(compiler.folder.join("hidden.cu"), annotated.text).unwrap();
    let out = Command::new(&compiler.nvcc).args(["-ptx", "hidden.cu"]).current_dir(&compiler.folder).output().unwrap();
    assert!(!out.status.success());
    assert!(String::from_utf8_lossy(&out.stderr).contains("user.cu(6): error"));
}
