//! `pxrw nvcc` in builds: the example project by make and by CMake, and a wrapper script on PATH.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::nvcc::{contains, nvcc, reports};
use crate::program::Folder;

const PXRW: &str = env!("CARGO_BIN_EXE_pxrw");
const CHECKOUT: &str = env!("CARGO_MANIFEST_DIR");

/// A copy of the example project.
fn project() -> Folder {
    let folder = Folder::new();
    for entry in std::fs::read_dir(Path::new(CHECKOUT).join("examples/project")).unwrap() {
        let path = entry.unwrap().path();
        folder.file(path.file_name().unwrap().to_str().unwrap(), std::fs::read(&path).unwrap());
    }
    folder
}

/// Runs a part of a build, which must succeed.
pub(crate) fn succeeds(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{text}");
    text
}

/// PATH with some folders before all others.
pub(crate) fn path_with(folders: &[&Path]) -> OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(folders.iter().map(|folder| folder.to_path_buf()).chain(std::env::split_paths(&path))).unwrap()
}

/// The program has the kernels as they are rewritten, as PTX and for each architecture; its three files said so.
fn is_rewritten(program: &Path, report: &Path) {
    let bytes = std::fs::read(program).unwrap();
    for kernel in ["_Z6refine", "_Z5score", "_Z6border"] {
        assert!(contains(&bytes, &format!(".nv.shared.{kernel}")), "{kernel} has no stack");
    }
    let mut done: Vec<(String, String)> = Vec::new();
    for report in reports(report) {
        assert_eq!(report["rewritten"], true, "{report}");
        let file = Path::new(report["file"].as_str().unwrap()).file_name().unwrap().to_string_lossy().into_owned();
        done.push((file, report["arch"].as_str().unwrap().to_owned()));
    }
    done.sort();
    let expected =
        ["main.cu", "refine.cu", "score.cu"].map(|file| ["sm_80", "sm_90"].map(|arch| (file.into(), arch.into())));
    assert_eq!(done, expected.concat());
    // Without a GPU it says so; with one it checks what the kernels made.
    let said = succeeds(&mut Command::new(program));
    assert!(said.contains("no GPU") || said.contains("all as on the host"), "{said}");
}

/// Whether make is there; what only it can try is not tried without it, and the test says so.
fn has_make() -> bool {
    let there = Command::new("make").arg("--version").output().is_ok_and(|output| output.status.success());
    if !there {
        eprintln!("not tried: there is no make");
    }
    there
}

#[test]
fn make_with_another_nvcc() {
    if !has_make() {
        return;
    }
    let folder = project();
    let flags = "NVCCFLAGS=-O3 -rdc=true --no-compress -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=[sm_90,compute_90]";
    let report = folder.path("report.json");
    let mut make = Command::new("make");
    make.arg("-C").arg(folder.path("")).arg(format!("NVCC={PXRW} nvcc")).arg(flags).env("PXRW_REPORT", &report);
    make.env("PXRW_TOOLKIT_DIR", Path::new(CHECKOUT).join(".pxrw-toolkit"));
    succeeds(&mut make);
    is_rewritten(&folder.path("project"), &report);
    assert!(
        contains(&std::fs::read(folder.path("project")).unwrap(), "vote.sync.ballot"),
        "the PTX is not the rewritten one"
    );
    // The header is among what the object depends on.
    assert!(folder.text("score.d").contains("steps.cuh"), "{}", folder.text("score.d"));
    assert!(succeeds(&mut make).contains("up to date"));
}

#[test]
fn a_wrapper_script_before_nvcc_on_the_path() {
    let folder = Folder::new();
    folder.file(
        "lock.cu",
        "__device__ int lock;\n__global__ void k() { while (atomicCAS(&lock, 0, 1)) {} atomicExch(&lock, 0); }\n",
    );
    let scripts = Path::new(CHECKOUT).join("scripts");
    let compiler = nvcc();
    let path = path_with(&[&scripts, compiler.parent().unwrap()]);
    let mut wrapper = Command::new(scripts.join("nvcc"));
    wrapper.args(["-ptx", "lock.cu"]).current_dir(folder.path("")).env("PATH", &path);
    succeeds(wrapper.env("PXRW_PROGRAM", PXRW).env("PXRW", "ssde"));
    assert!(folder.text("lock.ptx").contains("ssde_state"), "{}", folder.text("lock.ptx"));
}

/// A program of a package on PyPI, where it is not on PATH: cmake and ninja.
pub(crate) fn program(name: &str, tools: &Path) -> PathBuf {
    let there = Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    if there {
        return name.into();
    }
    let place = tools.join("bin").join(name);
    if !place.is_file() {
        let mut pip = Command::new("python3");
        succeeds(
            pip.args(["-m", "pip", "install", "--quiet", "--upgrade", "--target"]).arg(tools).args(["cmake", "ninja"]),
        );
    }
    place
}

#[test]
fn cmake_with_a_launcher() {
    let (folder, compiler) = (project(), nvcc());
    let tools = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cmake");
    let (cmake, ninja) = (program("cmake", &tools), program("ninja", &tools));
    let (build, report) = (folder.path("build"), folder.path("report.json"));
    let mut configure = Command::new(&cmake);
    configure.args(["-G", "Ninja", "-S"]).arg(folder.path("")).arg("-B").arg(&build).env("PYTHONPATH", &tools);
    configure.arg(format!(
        "-DCMAKE_MAKE_PROGRAM={}",
        if ninja.is_absolute() { ninja.display().to_string() } else { "ninja".into() }
    ));
    configure.arg(format!("-DCMAKE_CUDA_COMPILER={}", compiler.display()));
    configure.arg(format!("-DCMAKE_CUDA_COMPILER_LAUNCHER={PXRW};nvcc"));
    // The launcher is for compiling; what the compiler itself is found by is nvcc's own doing.
    succeeds(configure.env_remove("PXRW_REPORT"));
    succeeds(Command::new(&cmake).arg("--build").arg(&build).env("PYTHONPATH", &tools).env("PXRW_REPORT", &report));
    is_rewritten(&build.join("project"), &report);
}

/// A kernel with a marked path, in a file that plain nvcc compiles too.
fn kernel(name: &str) -> String {
    format!(
        "static __global__ void {name}(const float *a, float *out, int n) {{\n//#CCC for\n\
        \x20 for (int i = threadIdx.x; i < n; i += blockDim.x) {{\n//#CCC if\n\
        \x20   if (a[i] > 0.5f) {{ float x = a[i]; for (int k = 0; k < 40; ++k) x = x * 1.5f + sqrtf(x); out[i] = x; }}\n\
        \x20 }}\n}}\nvoid launch_{name}(float *a) {{ {name}<<<1, 32>>>(a, a, 1); }}\n"
    )
}

const TARGETS: &str = "cmake_minimum_required(VERSION 3.24)
project(targets LANGUAGES CXX CUDA)
add_library(resolved STATIC device.cu separable.cu)
set_target_properties(resolved PROPERTIES CUDA_SEPARABLE_COMPILATION ON CUDA_RESOLVE_DEVICE_SYMBOLS ON)
add_library(system INTERFACE IMPORTED)
set_target_properties(system PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${CMAKE_SOURCE_DIR}/system)
add_library(object OBJECT object.cu)
target_link_libraries(object PRIVATE system)
target_compile_options(object PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-include=${CMAKE_SOURCE_DIR}/forced.h>)
add_library(ptx OBJECT ptx.cu)
set_property(TARGET ptx PROPERTY CUDA_PTX_COMPILATION ON)
add_library(optix OBJECT ptx.cu)
set_property(TARGET optix PROPERTY CUDA_OPTIX_COMPILATION ON)
add_executable(program main.cpp $<TARGET_OBJECTS:object>)
target_precompile_headers(program PRIVATE <vector>)
target_link_libraries(program PRIVATE resolved)
";

#[test]
fn cmake_with_all_kinds_of_targets_and_a_script_as_the_compiler() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let tools = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cmake");
    let (cmake, ninja) = (program("cmake", &tools), program("ninja", &tools));
    std::fs::create_dir(folder.path("system")).unwrap();
    folder.file("CMakeLists.txt", TARGETS);
    folder.file("device.cu", "__device__ float twice(float x) { return 2 * x; }\n");
    let user = "extern __device__ float twice(float);\n__global__ void user(float *a) { *a = twice(*a); }\n";
    folder.file("separable.cu", format!("{user}{}", kernel("separable")));
    folder.file("forced.h", "#define FORCED 1\n");
    folder.file("system/system.h", "#define SYSTEM 1\n");
    folder.file("beside.cuh", kernel("beside"));
    let object = "#include \"beside.cuh\"\n#include <system.h>\n#if !FORCED || !SYSTEM\n#error\n#endif\n";
    folder.file("object.cu", format!("{object}{}", kernel("object")));
    folder.file("ptx.cu", kernel("ptx").replace("static ", ""));
    let declared = ["separable", "beside", "object"].map(|name| format!("void launch_{name}(float *);\n")).concat();
    let used = "int main(int n, char **) { std::vector<float> a(1); if (n > 9) { launch_separable(&a[0]); \
        launch_beside(&a[0]); launch_object(&a[0]); } }\n";
    folder.file("main.cpp", declared + used);
    let script = folder.file("compiler", format!("#!/bin/sh\nexec {PXRW} nvcc {} \"$@\"\n", nvcc().display()));
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let (build, report) = (folder.path("build"), folder.path("report.json"));
    let mut configure = Command::new(&cmake);
    configure.args(["-G", "Ninja", "-S"]).arg(folder.path("")).arg("-B").arg(&build).env("PYTHONPATH", &tools);
    let ninja = if ninja.is_absolute() { ninja.display().to_string() } else { "ninja".into() };
    configure.arg(format!("-DCMAKE_MAKE_PROGRAM={ninja}")).arg(format!("-DCMAKE_CUDA_COMPILER={script}"));
    // What it finds out the compiler's default to be, it asks for.
    succeeds(configure.arg("-DCMAKE_CUDA_ARCHITECTURES=80").env_remove("PXRW_REPORT").env_remove("NVCC_PREPEND_FLAGS"));
    let make = || {
        let mut make = Command::new(&cmake);
        make.env("PYTHONPATH", &tools).env("PXRW_REPORT", &report).env_remove("NVCC_PREPEND_FLAGS");
        succeeds(make.arg("--build").arg(&build))
    };
    let said = make();
    assert_eq!(said.matches("warning").count(), 1, "{said}");
    assert!(said.contains("nothing is rewritten: with `-optix-ir`"), "{said}");
    let mut places: Vec<String> = Vec::new();
    for report in reports(&report) {
        for kernel in report["ccc"]["kernels"].as_array().unwrap() {
            let region = &kernel["regions"][0];
            let file = Path::new(region["file"].as_str().unwrap()).file_name().unwrap().to_string_lossy().into_owned();
            places.push(format!("{file} {}", region["status"].as_str().unwrap()));
        }
    }
    places.sort();
    assert_eq!(places, ["beside.cuh", "object.cu", "ptx.cu", "separable.cu"].map(|file| format!("{file} rewritten")));
    // Ninja knows what each object depends on: a touched header has that one compiled, and nothing else.
    assert!(make().contains("no work to do"));
    for header in ["beside.cuh", "forced.h", "system/system.h"] {
        let text = folder.text(header);
        std::thread::sleep(std::time::Duration::from_millis(20));
        folder.file(header, text);
        let said = make();
        assert!(said.contains("object.cu.o") && !said.contains("separable.cu.o"), "{header}: {said}");
    }
}
