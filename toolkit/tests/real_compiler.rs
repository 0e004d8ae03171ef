//! The real nvcc and ptxas: found on this machine, or fetched into the default folder on the first run.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::ffi::OsString;
use std::fs;
use std::sync::LazyLock;

use toolkit::{CudaSource, Error, Level, Message, Search, StderrProgress, Toolkit};

static TOOLKIT: LazyLock<Toolkit> =
    LazyLock::new(|| Toolkit::locate_or_install(&Search::default(), &mut StderrProgress::default()).unwrap());

const SUM: &str = "\
#include <stdio.h>
__device__ __noinline__ int twice(int a) { return 2 * a; }
__global__ void sum(const int *in, int *out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = twice(in[threadIdx.x]);
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}
";

fn compile(text: &str) -> Result<toolkit::PtxOutput, Error> {
    TOOLKIT.compile_to_ptx(&CudaSource::new(text, "dir/my kernel.cu"), "sm_90", &[])
}

type Position<'a> = (Level, Option<&'a str>, Option<u32>, Option<u32>);

/// Level, file, line and column of each message, for comparison.
fn positions(messages: &[Message]) -> Vec<Position<'_>> {
    messages.iter().map(|m| (m.level, m.file.as_deref(), m.line, m.column)).collect()
}

#[test]
fn what_was_found_is_found_again_without_a_fetch() {
    let first = TOOLKIT.clone();
    assert!(first.nvcc_version.contains('.') && first.ptxas_version.contains('.'));
    assert_eq!(Toolkit::locate(&Search::default()).unwrap(), Some(first));
}

#[test]
fn a_kernel_becomes_ptx_and_a_cubin() {
    let output = compile(SUM).unwrap();
    assert_eq!(output.messages, []);
    assert!(output.ptx.contains(".visible .entry _Z3sumPKiPi("));
    assert!(output.ptx.contains(".target sm_90"));
    // -lineinfo is on, and names the user's file.
    assert!(output.ptx.contains("dir/my kernel.cu\""), "{}", output.ptx);
    assert!(output.ptx.contains("\t.loc\t1 5 "), "{}", output.ptx);

    let cubin = TOOLKIT.assemble(&output.ptx, "sm_90", "my.ptx").unwrap();
    assert_eq!(&cubin.bytes[..4], b"\x7fELF");
    assert_eq!(cubin.resources.len(), 1);
    let sum = cubin.kernel("_Z3sumPKiPi").unwrap();
    assert!((8..=64).contains(&sum.registers), "{sum:?}");
    assert_eq!((sum.shared_bytes, sum.barriers, sum.spill_loads), (256, 1, 0), "{sum:?}");
}

#[test]
fn errors_name_the_users_file_line_and_column() {
    let error = compile("__global__ void k(int *p) {\n  int x = y + 1;\n\n  p[0] = x\n}\n__device__ int z = qq;\n")
        .unwrap_err();
    let file = Some("dir/my kernel.cu");
    assert_eq!(
        positions(error.messages()),
        [
            (Level::Error, file, Some(2), Some(11)),
            (Level::Error, file, Some(5), Some(1)),
            (Level::Error, file, Some(6), Some(20)),
        ]
    );
    let shown = error.to_string();
    assert!(shown.starts_with("dir/my kernel.cu:2:11: error: identifier \"y\" is undefined\n"), "{shown}");
}

#[test]
fn a_rewritten_text_keeps_the_users_positions() {
    let user = "__global__ void k(int *p) {\n//#CCC for\n  for (int i = 0; i < n; ++i) p[i] = 0;\n}\n";
    let rewritten = "#line 1 \"user.cu\"\n__global__ void k(int *p) {\n#pragma unroll 1\n  \
                     for (int i = 0; i < n; ++i) { asm volatile(\"//x\"); p[i] = 0; }\n}\n";
    let source = CudaSource::new(user, "user.cu").rewritten(rewritten.into());
    let error = TOOLKIT.compile_to_ptx(&source, "sm_90", &[]).unwrap_err();
    assert_eq!(positions(error.messages()), [(Level::Error, Some("user.cu"), Some(3), Some(23))]);
}

#[test]
fn warnings_come_back_with_their_number() {
    let output = compile("__global__ void k(int *p) {\n  int unused = 3;\n  p[0] = 1;\n}\n").unwrap();
    assert_eq!(positions(&output.messages), [(Level::Warning, Some("dir/my kernel.cu"), Some(2), Some(7))]);
    assert_eq!(output.messages[0].code.as_deref(), Some("177-D"));
}

#[test]
fn a_mistake_in_inline_assembly_leads_back_to_its_line() {
    let error = compile("__global__ void k() {\n\n  asm volatile(\"frob.u32 r1;\");\n}\n").unwrap_err();
    let first = &error.messages()[0];
    assert_eq!((first.file.as_deref(), first.line), (Some("dir/my kernel.cu"), Some(3)));
    assert!(first.text.starts_with("Not a name of any known instruction: 'frob'"), "{first}");
}

#[test]
fn preprocessor_and_option_errors() {
    let error = compile("int a;\n#include \"nope.h\"\n").unwrap_err();
    assert_eq!(positions(error.messages()), [(Level::Error, Some("dir/my kernel.cu"), Some(2), Some(10))]);
    let error = TOOLKIT.compile_to_ptx(&CudaSource::new("", "k.cu"), "sm_1", &[]).unwrap_err();
    assert!(error.to_string().contains("'sm_1'"), "{error}");
    let bad = [OsString::from("--frob")];
    let error = TOOLKIT.compile_to_ptx(&CudaSource::new("", "k.cu"), "sm_90", &bad).unwrap_err();
    assert!(error.to_string().contains("Unknown option '--frob'"), "{error}");
}

#[test]
fn quoted_includes_are_found_beside_the_source() {
    let dir = tempfile::tempdir().unwrap();
    for folder in ["plain", "odd, $(name)"] {
        let folder = dir.path().join(folder);
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("size.h"), "#define SIZE 7\n").unwrap();
        fs::write(folder.join("k.cu"), "#include \"size.h\"\n__device__ int a[SIZE];\n").unwrap();
        let source = CudaSource::from_file(&folder.join("k.cu")).unwrap();
        let ptx = TOOLKIT.compile_to_ptx(&source, "sm_90", &[]).unwrap().ptx;
        assert!(ptx.contains("a[28]"), "{ptx}");
    }
    // Only quoted ones: a header of the user's must not hide the system's.
    let folder = dir.path().join("plain");
    fs::write(folder.join("stdlib.h"), "#error hidden\n").unwrap();
    let source = CudaSource::from_file(&folder.join("k.cu")).unwrap();
    TOOLKIT.compile_to_ptx(&source, "sm_90", &[]).unwrap();
}

#[test]
fn bad_ptx_is_reported_at_its_line() {
    let ptx = compile(SUM).unwrap().ptx.replace("bar.sync", "bar.sink");
    let line = 1 + ptx.lines().position(|l| l.contains("bar.sink")).unwrap();
    let error = TOOLKIT.assemble(&ptx, "sm_90", "my file.ptx").unwrap_err();
    let first = &error.messages()[0];
    assert_eq!((first.file.as_deref(), first.line), (Some("my file.ptx"), u32::try_from(line).ok()));
    assert!(matches!(error, Error::Tool { tool: "ptxas", .. }));
}

#[test]
fn noise_is_an_error_and_not_a_hang() {
    let error = compile("int a;\n\0\n").unwrap_err();
    assert!(matches!(error, Error::NotText { line: 2, .. }));
    let mut noise = String::new();
    let mut seed = 1_u32;
    while noise.len() < 3_000_000 {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        noise.push(char::from(33 + (seed >> 16) as u8 % 94));
        if seed >> 24 == 7 {
            noise.push('\n');
        }
    }
    assert!(matches!(compile(&noise), Err(Error::Tool { tool: "nvcc", .. })));
    assert!(matches!(TOOLKIT.assemble(&noise, "sm_90", "noise.ptx"), Err(Error::Tool { tool: "ptxas", .. })));
    for empty in ["", "\n"] {
        assert!(compile(empty).is_ok());
        assert!(TOOLKIT.assemble(empty, "sm_90", "empty.ptx").is_err());
    }
}
