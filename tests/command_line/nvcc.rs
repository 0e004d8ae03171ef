//! `pxrw nvcc`: beside nvcc itself, which it stands in for.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::program::{Folder, pxrw};

/// The nvcc that the program uses.
pub(crate) fn nvcc() -> PathBuf {
    let ran = pxrw(["toolkit"]).ends_with(0);
    let line = ran.stdout().lines().find(|line| line.starts_with("nvcc")).unwrap().to_owned();
    PathBuf::from(line.split_whitespace().last().unwrap())
}

/// A command in a folder that stands in for nvcc, with the compiler that is stood in for.
pub(crate) fn stand_in(folder: &Folder, nvcc: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pxrw"));
    command.arg("nvcc").arg(nvcc).current_dir(folder.path("")).stdin(Stdio::null());
    command.env_remove("PXRW").env_remove("PXRW_REPORT");
    command
}

/// How a compiler ended, and what it said, without times and the names of temporary files.
fn said(output: &Output) -> (Option<i32>, String) {
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let timeless = text.lines().filter(|line| !line.contains("Compile time"));
    let text = timeless.map(|line| format!("{line}\n")).collect::<String>();
    let words = text.split(' ').map(|word| match word.find("tmpxft_") {
        Some(_) => "TEMPORARY",
        None => word,
    });
    (output.status.code(), words.collect::<Vec<_>>().join(" "))
}

/// The device code in an object or program.
fn device_code(file: &Path) -> Vec<u8> {
    let section = file.with_extension("section");
    let mut copy = Command::new("objcopy");
    copy.args(["-O", "binary", "--only-section=.nv_fatbin"]).args([file, &section]);
    assert!(copy.status().expect("objcopy comes with the C compiler").success());
    let bytes = fs::read(&section).unwrap();
    assert!(bytes.len() > 100, "{} has no device code", file.display());
    bytes
}

pub(crate) fn reports(path: &Path) -> Vec<Value> {
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub(crate) fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

const PLAIN: &str = "#include \"number.h\"\n__global__ void plain(int *a) { a[threadIdx.x] += NUMBER; }\n";

const LOCK: &str = "__device__ int lock;\n__global__ void count(int *total) {\n  while (atomicCAS(&lock, 0, 1) != 0) {}\n\
    \x20 __threadfence(); *total += 1; __threadfence();\n  atomicExch(&lock, 0);\n}\n";

/// A kernel whose path pays, marked in comments.
pub(crate) const COMMENTED: &str = "__global__ void marked(const float *a, float *out, int n) {
  //#CCC for
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    //#CCC if
    if (a[i] > 0.5f) {
      float x = a[i];
      for (int k = 0; k < 40; ++k) x = x * 1.5f + sqrtf(x);
      out[i] = x;
    }
  }
}
";

const MARKED: &str = "__global__ void marked(const float *a, float *out, int n) {
  #CCC for
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    #CCC if
    if (a[i] > 0.5f) {
      float x = a[i];
      for (int k = 0; k < 40; ++k) x = x * 1.5f + sqrtf(x);
      out[i] = x;
    }
  }
}
";

#[test]
fn errors_warnings_and_statuses_are_nvccs() {
    let (folder, nvcc) = (Folder::new(), nvcc());
    folder.file("number.h", "#define NUMBER 7\n");
    folder.file("plain.cu", PLAIN);
    folder.file("missing.cu", "#include \"nothing.h\"\n");
    folder.file("syntax.cu", "__global__ void k(int *a) { a[0] = ; }\n");
    folder.file("assembler.cu", "__global__ void k(int *a) { asm(\"junk.s32 %0;\" :: \"r\"(a[0])); }\n");
    folder.file("warning.cu", "__global__ void k(int *a) { int x; }\n#warning look\n");
    let cases: [&[&str]; 10] = [
        &["-c", "plain.cu"],
        &["-c", "missing.cu"],
        &["-c", "syntax.cu"],
        &["-c", "assembler.cu"],
        &["-c", "warning.cu"],
        &["warning.cu", "-o", "program"],
        &["-c", "nowhere.cu"],
        &["--no-such-option", "-c", "plain.cu"],
        &["--version"],
        &[],
    ];
    folder.file("it's.cu", "__global__ void k() { int x; }\n");
    let beside: [&[&str]; 5] = [
        &["-c", "syntax.cu", "--threads", "2"],
        &["-c", "assembler.cu", "-t", "0"],
        &["-c", "warning.cu", "--threads=2"],
        &["-c", "it's.cu"],
        &["-c", "plain.cu", "-Xptxas", "-v"],
    ];
    for case in cases.into_iter().chain(beside) {
        let theirs = Command::new(&nvcc).args(case).current_dir(folder.path("")).output().unwrap();
        // Where no kernel comes to a rewrite, one list is as good as another.
        let rewrites: &[&str] = if case.contains(&"plain.cu") { &["ccc", "ccc,ssde"] } else { &["ccc,ssde"] };
        for rewrites in rewrites {
            let ours = stand_in(&folder, &nvcc).args(case).env("PXRW", rewrites).output().unwrap();
            assert_eq!(said(&ours), said(&theirs), "{case:?}, {rewrites}");
        }
    }
}

#[test]
fn what_is_not_rewritten_has_nvccs_device_code() {
    let (folder, nvcc) = (Folder::new(), nvcc());
    folder.file("number.h", "#define NUMBER 7\n");
    folder.file("plain.cu", PLAIN);
    folder.file("options.txt", "-O2 -DX=\"a b\"\n--generate-code arch=compute_90,code=[sm_90,compute_90]");
    let arguments = ["-c", "plain.cu", "-gencode", "arch=compute_80,code=sm_80", "--options-file", "options.txt"];
    let theirs = Command::new(&nvcc).args(arguments).args(["-o", "theirs.o"]).current_dir(folder.path("")).status();
    assert!(theirs.unwrap().success());
    let expected = device_code(&folder.path("theirs.o"));
    for option in ["--pxrw=ccc", "--pxrw=ssde", "--threads=2", "--keep"] {
        let ours = stand_in(&folder, &nvcc).args(arguments).args([option, "--pxrw=ccc,ssde", "-o", "ours.o"]).status();
        assert!(ours.unwrap().success());
        assert_eq!(device_code(&folder.path("ours.o")), expected, "{option}");
    }
    assert!(folder.names().iter().any(|name| name.ends_with(".ptx")), "{:?}", folder.names());
}

#[test]
fn dependencies_are_nvccs() {
    let (folder, nvcc) = (Folder::new(), nvcc());
    folder.file("number.h", "#define NUMBER 7\n");
    folder.file("plain.cu", PLAIN);
    for case in [
        &["-M"][..],
        &["-MM", "-MP"],
        &["-M", "-MM"],
        &["-MM", "-MD"],
        &["-MMD", "-M"],
        &["-MMD", "-c", "-MF", "rule.d"],
        &["-MD", "-c", "-MF", "rule.d", "-MMD"],
        &["-MD", "-c", "-o", "out.o", "-MT", "a b"],
    ] {
        let rule = |command: &mut Command| {
            let output = command.args(case).arg("plain.cu").current_dir(folder.path("")).output().unwrap();
            assert!(output.status.success(), "{case:?}: {}", String::from_utf8_lossy(&output.stderr));
            let written = ["rule.d", "out.d"].map(|name| fs::read_to_string(folder.path(name)).unwrap_or_default());
            for name in ["rule.d", "out.d"] {
                let _ = fs::remove_file(folder.path(name));
            }
            String::from_utf8(output.stdout).unwrap() + &written.concat()
        };
        let theirs = rule(&mut Command::new(&nvcc));
        assert!(theirs.contains("number.h"), "{theirs}");
        assert_eq!(rule(stand_in(&folder, &nvcc).arg("--pxrw=ssde")), theirs, "{case:?}");
    }
    // nvcc's variables are part of the command line.
    let flags = ["-MM", "-MT", "goal", "plain.cu"];
    let by_variable = |command: &mut Command| {
        let command = command.arg(flags[3]).env("NVCC_PREPEND_FLAGS", "-MM").env("NVCC_APPEND_FLAGS", "-MT goal");
        String::from_utf8(command.current_dir(folder.path("")).output().unwrap().stdout).unwrap()
    };
    let theirs = by_variable(&mut Command::new(&nvcc));
    assert!(theirs.starts_with("goal : plain.cu"), "{theirs}");
    assert_eq!(by_variable(stand_in(&folder, &nvcc).arg("--pxrw=ssde")), theirs);
    // What stands in for a source with directives does not show.
    folder.file("marked.cu", format!("#include \"number.h\"\n{MARKED}"));
    let output = stand_in(&folder, &nvcc).args(["-MM", "marked.cu"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.starts_with("marked.o : marked.cu \\\n") && text.contains("    number.h") && !text.contains("pxrw-nvcc"),
        "{text}"
    );
}

#[test]
fn what_is_preprocessed_is_nvccs_but_for_a_list_of_directives() {
    let (folder, nvcc) = (Folder::new(), nvcc());
    fs::create_dir(folder.path("more")).unwrap();
    folder.file("number.h", b"#define NUMBER 7\nconst char *file = __FILE__, *letter = \"\xe4\";\n");
    folder.file("more/beside.h", "int beside;\n");
    let header = MARKED.replace("marked", "header").replace("#CCC", "//#CCC");
    folder.file("more/path.cuh", format!("#include \"beside.h\"\n{header}"));
    let main = format!("#include \"number.h\"\n#include \"more/path.cuh\"\n{}", MARKED.replace("#CCC", "// #CCC"));
    folder.file("marked.cu", &main);
    let run = |command: &mut Command| command.current_dir(folder.path("")).args(["-E", "marked.cu"]).output().unwrap();
    let ours = run(&mut stand_in(&folder, &nvcc));
    assert!(ours.status.success() && ours.stderr.is_empty(), "{}", String::from_utf8_lossy(&ours.stderr));
    let theirs = run(&mut Command::new(&nvcc));
    let (same, list) = ours.stdout.split_at(theirs.stdout.len());
    assert!(same == theirs.stdout);
    let expected = "// pxrw: marked.cu:4: // #CCC for\n// pxrw: marked.cu:6: // #CCC if\n\
                    // pxrw: more/path.cuh:3: //#CCC for\n// pxrw: more/path.cuh:5: //#CCC if\n";
    assert_eq!(String::from_utf8_lossy(list), expected);
    // The same every time: those who keep what was compiled ask the preprocessor whether it may have changed.
    for again in [&[][..], &["-o", "-"]] {
        assert!(run(stand_in(&folder, &nvcc).args(again)).stdout == ours.stdout, "{again:?}");
    }
    let written = run(stand_in(&folder, &nvcc).args(["-o", "out.ii"]));
    assert!(written.status.success() && written.stdout.is_empty());
    assert!(fs::read(folder.path("out.ii")).unwrap() == ours.stdout);
    // An error that is not ours.
    let wrong = run(stand_in(&folder, &nvcc).args(["-include", "nothing.h"]));
    assert!(!wrong.status.success() && contains(&wrong.stderr, "nothing.h"), "{wrong:?}");
    // Where directives are spelled as in the paper, a copy is preprocessed, which does not show.
    folder.file("marked.cu", main.replace("// #CCC", "#CCC"));
    let spelled = run(&mut stand_in(&folder, &nvcc));
    let count = |text: &[u8], what: &str| String::from_utf8_lossy(text).matches(what).count();
    assert!(spelled.status.success() && !contains(&spelled.stdout, "pxrw-nvcc"));
    assert_eq!(count(&spelled.stdout, "\"marked.cu\""), count(&theirs.stdout, "\"marked.cu\"") + 1);
}

/// A place for a header, and how the compiler comes to it.
const PLACES: [(&str, &[&str], bool); 7] = [
    ("marked.cuh", &[], true),
    ("inc/marked.cuh", &["-Iinc"], true),
    ("inc/marked.cuh", &["-isystem", "inc"], true),
    ("inc/marked.cuh", &["-Xcompiler", "-Iinc"], true),
    ("inc/marked.cuh", &["-Xcompiler", "-isystem,inc"], true),
    ("forced.cuh", &["-include", "forced.cuh"], false),
    ("inc/marked.cuh", &[], true),
];

#[test]
fn directives_of_headers_are_carried_out_wherever_the_headers_are() {
    let nvcc = nvcc();
    for (index, (place, options, included)) in PLACES.into_iter().enumerate() {
        let folder = Folder::new();
        fs::create_dir(folder.path("inc")).unwrap();
        let header = MARKED.replace("__global__ void marked", "__device__ inline void all").replace("#CCC", "//#CCC");
        // What stands beside a header, and how it is found, does not change.
        folder.file("beside.h", "");
        folder.file("inc/beside.h", "");
        let asks = "#pragma once\n#if __has_include(\"beside.h\")\n#define MODE 1\n#else\n#define MODE 0\n#endif\n\
                    static_assert(MODE == 1, \"beside\");\n";
        folder.file(place, format!("{asks}{header}"));
        let include = if included { "#include <marked.cuh>\n" } else { "" };
        let include =
            if place == "marked.cuh" { "#include \"marked.cuh\"\n#include \"./marked.cuh\"\n" } else { include };
        let source = format!(
            "{include}__global__ void k(const float *a, float *b, int n) {{ all(a, b, n); }}\nint main() {{}}\n"
        );
        folder.file("k.cu", source);
        let mut command = stand_in(&folder, &nvcc);
        if index == 6 {
            command.env("CPATH", folder.path("inc"));
        }
        let report = folder.path("report.json");
        let ran = command.args(options).args(["-c", "k.cu", "-o", "k.o"]).env("PXRW_REPORT", &report).output().unwrap();
        assert_eq!(said(&ran), (Some(0), String::new()), "{place} {options:?}");
        let region = &reports(&report)[0]["ccc"]["kernels"][0]["regions"][0];
        assert_eq!(region["status"], "rewritten", "{place} {options:?}");
        assert!(region["file"].as_str().unwrap().ends_with(place), "{region}");
    }
}

#[test]
fn a_directive_that_reaches_no_kernel_is_a_warning() {
    let (folder, nvcc) = (Folder::new(), nvcc());
    let host =
        MARKED.replace("__global__ void marked", "void walk").replace("threadIdx.x", "0").replace("blockDim.x", "1");
    folder.file("host.cu", format!("#include <cmath>\n{host}__global__ void k() {{}}\n"));
    folder.file("unused.cu", MARKED.replace("__global__", "template <class T> __global__"));
    for (file, why) in [("host.cu", "`walk` is neither"), ("unused.cu", "a template or function that no kernel uses")] {
        let ran = stand_in(&folder, &nvcc).args(["-c", file, "-o", "k.o"]).output().unwrap();
        let (status, text) = said(&ran);
        assert_eq!(status, Some(0), "{text}");
        assert!(text.contains("the PTX contains nothing of the marked path") && text.contains(why), "{text}");
    }
}

#[test]
fn directives_in_sources_for_the_host_alone_are_a_warning() {
    let (folder, nvcc) = (Folder::new(), nvcc());
    let marked = "int sum(const int *a, int n) {\nint s = 0;\n//#CCC for\nfor (int i = 0; i < n; ++i) s += a[i];\nreturn s;\n}\n";
    folder.file("a.cpp", marked);
    folder.file("prose.cc", "// Nothing for `#CCC for` here.\nconst char *s = \"#CCC for\";\n");
    folder.file("b.cu", marked);
    for (arguments, said_of) in [
        (&["-c", "a.cpp"][..], Some("a.cpp:3")),
        (&["-c", "prose.cc"], None),
        (&["-x", "c++", "-c", "b.cu"], Some("b.cu:3")),
        (&["-E", "a.cpp"], None),
    ] {
        let ran = stand_in(&folder, &nvcc).args(arguments).output().unwrap();
        let (status, text) = said(&ran);
        assert_eq!(status, Some(0), "{text}");
        let count = text.matches("the source is compiled for the host alone").count();
        assert_eq!(count, usize::from(said_of.is_some()), "{arguments:?}: {text}");
        assert!(said_of.is_none_or(|place| text.contains(place)), "{text}");
    }
}

#[test]
fn a_directive_that_no_architecture_has_is_a_warning() {
    let (folder, nvcc) = (Folder::new(), nvcc());
    let both = format!("#if __CUDA_ARCH__ >= 900\n{MARKED}#else\n{MARKED}#endif\n");
    folder.file("both.cu", &both);
    folder.file("none.cu", format!("{both}#if 0\n//#CCC for\n#endif\n"));
    let old = ["-gencode", "arch=compute_80,code=sm_80"];
    let new = ["-gencode", "arch=compute_90,code=sm_90"];
    let own = both.lines().count() + 2;
    for (file, architectures, lines) in [
        ("both.cu", [old, new].concat(), vec![]),
        ("none.cu", [old, new].concat(), vec![own]),
        ("both.cu", old.to_vec(), lines_of_directives(&both[..both.len() / 2])),
    ] {
        let ran = stand_in(&folder, &nvcc).args(&architectures).args(["-c", file, "-o", "k.o"]).output().unwrap();
        let (status, text) = said(&ran);
        assert_eq!(status, Some(0), "{text}");
        let place = |behind: &str| {
            let (_, at) = behind.split_once(&format!("{file}:")).unwrap();
            at[..at.find(|c: char| !c.is_ascii_digit()).unwrap()].parse().unwrap()
        };
        let named: Vec<usize> = text.split("the preprocessor leaves the directive out").skip(1).map(place).collect();
        assert_eq!(named, lines, "{text}");
    }
}

#[test]
fn a_preprocessor_that_fails_for_one_architecture_is_a_warning() {
    let (folder, nvcc) = (Folder::new(), nvcc());
    let commented = MARKED.replace("#pragma CCC", "//#CCC").replace("\n#CCC", "\n//#CCC");
    folder.file("k.cu", commented);
    // A host compiler that has no room for comments.
    let script = "#!/bin/sh\ncase \"$*\" in *__CUDA_ARCH__=900*) case \" $* \" in *' -C '* | *' -CC '*) echo 'error: no room' >&2; exit 1;; esac;; \
                  esac\nexec g++ \"$@\"\n";
    folder.file("cxx", script);
    fs::set_permissions(folder.path("cxx"), fs::Permissions::from_mode(0o755)).unwrap();
    let ran = stand_in(&folder, &nvcc)
        .args(["-gencode", "arch=compute_80,code=sm_80", "-gencode", "arch=compute_90,code=sm_90", "-ccbin"])
        .args([folder.path("cxx").as_os_str(), "-c".as_ref(), "k.cu".as_ref()])
        .env("PXRW_REPORT", folder.path("report"))
        .output()
        .unwrap();
    let (status, text) = said(&ran);
    assert_eq!(status, Some(0), "{text}");
    let warning = "left out: the directive is not read: the preprocessor fails if it keeps comments: error: no room";
    assert_eq!(text.matches(warning).count(), 2, "{text}");
    let rewritten: Vec<bool> =
        reports(&folder.path("report")).iter().map(|report| report["rewritten"].as_bool().unwrap()).collect();
    assert_eq!(rewritten, [true, false]);
}

/// The lines with directives, from 1.
fn lines_of_directives(text: &str) -> Vec<usize> {
    (1..).zip(text.lines()).filter(|(_, line)| line.contains("CCC")).map(|(number, _)| number).collect()
}

#[test]
fn host_objects_do_not_depend_on_directives() {
    let (folder, nvcc) = (Folder::new(), nvcc());
    let text = "#include <cstdio>\n__host__ __device__ inline int pick(int &) { return 1; }\n\
                __host__ __device__ inline int pick(const int &) { return 2; }\n\
                __host__ __device__ inline void walk(const int *a, int *o, int s, int n, int d) {\n//#CCC for\n\
                \x20 for (int i = s; i < n; i += d) {\n//#CCC if\n    if (a[i] > 3) o[i] = pick(i);\n  }\n}\n\
                __global__ void k(const int *a, int *o, int n) { walk(a, o, threadIdx.x, n, 32); }\n\
                int main() { int a[2] = {5, 5}, o[2]; walk(a, o, 0, 2, 1); printf(\"%d %d\\n\", o[0], o[1]); }\n";
    folder.file("k.cu", text);
    let ran = stand_in(&folder, &nvcc).args(["k.cu", "-o", "program"]).output().unwrap();
    assert_eq!(said(&ran), (Some(0), String::new()));
    let program = Command::new(folder.path("program")).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&program.stdout), "1 1\n");
}

#[test]
fn marked_paths_are_collected_on_the_way() {
    let (folder, nvcc) = (Folder::new(), nvcc());
    folder.file("marked.cu", MARKED);
    let archs = ["-gencode", "arch=compute_80,code=sm_80", "-gencode", "arch=compute_90,code=[sm_90,compute_90]"];
    let arguments = ["-c", "marked.cu", "--no-compress", "-o", "marked.o", "--threads", "2"];
    let report = folder.path("report.json");
    let ran = stand_in(&folder, &nvcc).args(arguments).args(archs).env("PXRW_REPORT", &report).output().unwrap();
    assert_eq!(said(&ran), (Some(0), String::new()));
    let code = device_code(&folder.path("marked.o"));
    assert!(contains(&code, "vote.sync.ballot") && contains(&code, ".nv.shared._Z6marked"), "not rewritten");
    let mut said_of: Vec<(String, bool)> = reports(&report)
        .iter()
        .map(|report| {
            let region = &report["ccc"]["kernels"][0]["regions"][0];
            assert_eq!(
                (&report["file"], &region["line"], &region["file"]),
                (&"marked.cu".into(), &5.into(), &"marked.cu".into())
            );
            (report["arch"].as_str().unwrap().to_owned(), region["status"] == "rewritten")
        })
        .collect();
    said_of.sort();
    assert_eq!(said_of, [("sm_80".to_owned(), true), ("sm_90".to_owned(), true)]);

    // Directives are no errors where nothing is collected, and leave no trace in the device code.
    let none = stand_in(&folder, &nvcc).args(["--pxrw=none", "-ptx", "marked.cu", "-o", "-"]).output().unwrap();
    assert!(none.status.success() && !contains(&none.stdout, "vote.sync"));
    assert!(!contains(&none.stdout, "CCC"));
    folder.file("long.cu", MARKED.replace("#CCC for", "#CCC for \\\n const"));
    let long = stand_in(&folder, &nvcc).args(["--pxrw=none", "-ptx", "long.cu", "-o", "-"]).output().unwrap();
    assert!(long.status.success(), "{}", String::from_utf8_lossy(&long.stderr));
    // As CMake wants it: what nvcc sets, and then each step.
    let verbose = stand_in(&folder, &nvcc).args(["-v", "-ptx", "marked.cu"]).output().unwrap();
    let text = String::from_utf8(verbose.stderr).unwrap();
    assert!(text.contains("#$ LIBRARIES=") && text.contains("cicc"), "{text}");
    let shown = stand_in(&folder, &nvcc).args(["-ptx", "marked.cu", "-o", "-"]).output().unwrap();
    assert!(shown.status.success() && contains(&shown.stdout, "vote.sync"));
}

#[test]
fn what_cannot_be_collected_is_a_warning_and_the_build_goes_on() {
    let (folder, nvcc) = (Folder::new(), nvcc());
    folder.file("bad.cu", MARKED.replace("float x = a[i];", "float x = a[i]; __syncthreads();"));
    let arguments =
        ["-c", "bad.cu", "-gencode", "arch=compute_80,code=sm_80", "-gencode", "arch=compute_90,code=sm_90"];
    let ran = stand_in(&folder, &nvcc).args(arguments).env("PXRW_REPORT", "-").output().unwrap();
    let (status, text) = said(&ran);
    assert_eq!(status, Some(0), "{text}");
    assert_eq!(text.matches("warning: not rewritten: the marked path has `bar").count(), 1, "{text}");
    assert!(text.contains("--> bad.cu:5") && text.contains("bad.cu for sm_90: as the compiler made it"), "{text}");
    assert!(folder.path("bad.o").is_file());
}

#[test]
fn loops_that_deadlock_are_freed_if_that_is_wanted() {
    let (folder, nvcc) = (Folder::new(), nvcc());
    folder.file("lock.cu", LOCK);
    let give = "__device__ __noinline__ void give(int *at, int n) { if (n > 0) { give(at, n - 1); at[n] = n; } else atomicExch(at, 0); }\n";
    folder.file("some.cu", give.to_owned() + &LOCK.replace("atomicExch(&lock, 0)", "give(&lock, *total & 3)"));
    let ptx = |command: &mut Command| {
        let ran = command.args(["-ptx", "-o", "out.ptx"]).output().unwrap();
        (said(&ran), folder.text("out.ptx"))
    };
    let (quiet, plain) = ptx(stand_in(&folder, &nvcc).arg("lock.cu"));
    assert!(quiet == (Some(0), String::new()) && !plain.contains("ssde_"));
    for command in [stand_in(&folder, &nvcc).arg("--pxrw=ssde"), stand_in(&folder, &nvcc).env("PXRW", "ccc,ssde")] {
        let (quiet, freed) = ptx(command.arg("lock.cu"));
        assert!(quiet == (Some(0), String::new()) && freed.contains("ssde_state"), "{quiet:?}");
        folder.file("freed.ptx", &freed);
        pxrw(["ssde", &folder.argument("freed.ptx"), "--detect"]).ends_with(0);
    }
    let ((status, text), kept) = ptx(stand_in(&folder, &nvcc).args(["--pxrw=ssde", "some.cu"]));
    assert!(status == Some(0) && !kept.contains("ssde_"), "{text}");
    assert!(
        text.contains("warning: this loop may wait for ever") && text.contains("is not rewritten: what it waits for"),
        "{text}"
    );
}

/// Loops that collecting adds read a stack that only their own warp writes, so that there is nothing to free.
#[test]
fn loops_that_collecting_adds_are_left_alone() {
    let (folder, nvcc) = (Folder::new(), nvcc());
    let spread = "extern \"C\" __global__ void k(int n, const int *__restrict__ in, int *__restrict__ out) {
#CCC for
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
            int a = i * 2, e = a + ((unsigned)in[i] >> 26);
#CCC for
            for (int j = a; j < e; j++) atomicAdd(out + (j & 2047), j ^ in[j % n]);
        }
    }\n";
    folder.file("spread.cu", spread);
    folder.file("both.cu", spread.to_owned() + LOCK);
    let ptx = |file: &str, rewrites: &str| {
        let ran = stand_in(&folder, &nvcc).args([file, rewrites, "-ptx", "-o", "out.ptx"]).output().unwrap();
        assert_eq!(said(&ran).0, Some(0), "{}", said(&ran).1);
        folder.text("out.ptx")
    };
    let collected = ptx("spread.cu", "--pxrw=ccc");
    assert!(collected.contains("ccc_"));
    assert_eq!(ptx("spread.cu", "--pxrw=ccc,ssde"), collected);
    let both = ptx("both.cu", "--pxrw=ccc,ssde");
    let begin = both.find(".entry k(").unwrap();
    let kernel = &both[begin..begin + both[begin..].find("\n}").unwrap()];
    assert!(kernel.contains("ccc_") && !kernel.contains("ssde_") && both.contains("ssde_state"), "{both}");
}

#[test]
fn times_of_steps_that_nvcc_did_not_run_are_not_written() {
    let (folder, nvcc) = (Folder::new(), nvcc());
    folder.file("marked.cu", MARKED);
    for (option, file) in [("-time", "times.csv"), ("-fdevice-time-trace", "trace")] {
        let ran = stand_in(&folder, &nvcc).args(["-c", option, file, "marked.cu"]).output().unwrap();
        let (status, text) = said(&ran);
        let warning = format!("warning: no times are written: with `{option}` nvcc takes those of its own steps");
        assert!(status == Some(0) && text.contains(&warning) && text.contains("PXRW=none"), "{text}");
    }
    assert_eq!(folder.names(), ["marked.cu", "marked.o"]);
    let none = ["-c", "-time", "times.csv", "marked.cu"];
    folder.file("marked.cu", "__global__ void k() {}\n");
    assert_eq!(said(&stand_in(&folder, &nvcc).args(none).output().unwrap()), (Some(0), String::new()));
    assert!(folder.text("times.csv").contains("marked.cu , ptxas , "), "{}", folder.text("times.csv"));
}

#[test]
fn what_is_compiled_without_ptx_is_not_rewritten_and_that_is_said() {
    let (folder, nvcc) = (Folder::new(), nvcc());
    folder.file("lock.cu", LOCK);
    folder.file("marked.cu", MARKED);
    for (option, other) in [("-dlto", "-dc"), ("-optix-ir", "--pxrw=ccc,ssde")] {
        for (file, rewrites) in [("lock.cu", "--pxrw=ssde"), ("marked.cu", "--pxrw=ccc")] {
            let ran = stand_in(&folder, &nvcc).args([rewrites, option, other, file, "-o", "ours"]).output().unwrap();
            let (status, text) = said(&ran);
            assert_eq!(status, Some(0), "{text}");
            let warning = match option {
                "-dlto" => "warning: only the PTX is rewritten: with `-dlto` the compiler makes other code beside it",
                _ => "warning: nothing is rewritten: with `-optix-ir` the compiler makes no PTX",
            };
            assert_eq!(text.matches("warning").count(), 1, "{text}");
            assert!(text.contains(warning) && text.contains(&format!("compile without `{option}`")), "{text}");
        }
    }
    let theirs =
        Command::new(&nvcc).args(["-optix-ir", "lock.cu", "-o", "theirs"]).current_dir(folder.path("")).status();
    assert!(theirs.unwrap().success());
    stand_in(&folder, &nvcc).args(["--pxrw=ssde", "-optix-ir", "lock.cu", "-o", "ours"]).output().unwrap();
    assert_eq!(fs::read(folder.path("ours")).unwrap(), fs::read(folder.path("theirs")).unwrap());
    assert_eq!(
        said(&stand_in(&folder, &nvcc).args(["-optix-ir", "lock.cu"]).output().unwrap()),
        (Some(0), String::new())
    );
}

#[test]
fn what_is_wrong_with_our_own_is_said_before_anything_is_compiled() {
    let (folder, nvcc) = (Folder::new(), nvcc());
    folder.file("plain.cu", "__global__ void k() {}\n");
    let ends = |command: &mut Command, texts: &[&str]| {
        let (status, text) = said(&command.output().unwrap());
        assert_eq!(status, Some(2), "{text}");
        texts.iter().for_each(|part| assert!(text.contains(part), "no `{part}` in\n{text}"));
    };
    ends(stand_in(&folder, &nvcc).args(["--pxrw=cccc", "-c", "plain.cu"]), &["`cccc` in --pxrw is not a rewrite"]);
    ends(stand_in(&folder, &nvcc).args(["-c", "plain.cu"]).env("PXRW", "x"), &["`x` in PXRW is not a rewrite"]);
    let report = folder.path("no/report");
    let mut unwritable = stand_in(&folder, &nvcc);
    ends(
        unwritable.args(["--pxrw=ssde", "-c", "plain.cu"]).env("PXRW_REPORT", report),
        &["cannot write the report to"],
    );
    assert!(!folder.path("plain.o").exists());
}

#[test]
fn a_mistake_in_a_directive_is_a_warning_and_the_others_are_carried_out() {
    let (folder, nvcc) = (Folder::new(), nvcc());
    folder.file("marked.cu", format!("{}{}", MARKED.replace("marked", "wrong").replace("#CCC if", "#CCC fi"), MARKED));
    let ran = stand_in(&folder, &nvcc).args(["-ptx", "marked.cu", "-o", "-"]).output().unwrap();
    let (status, text) = said(&ran);
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("warning: unknown CCC directive `fi`") && text.contains("--> marked.cu:4:"), "{text}");
    assert!(contains(&ran.stdout, "vote.sync.ballot"));
}
