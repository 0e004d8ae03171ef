//! Compiles C to a shared object with the system's C compiler.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::UNIX_EPOCH;

use crate::Error;

/// The options of the compiler. Results must be those of PTX: no operations are fused, and no error of a math function is asked for.
const FLAGS: [&str; 8] = [
    "-std=c11",
    "-march=native",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-ffp-contract=off",
    "-fPIC",
    "-shared",
    "-pthread",
];

/// The longest text, in bytes, that is optimised in full. Of one twice as long, whose lanes take turns in a large switch, that takes gcc 44 seconds, and `-O2` six.
const LONG: usize = 200_000;

/// Returns true if an object has an instruction that scatters or gathers lanes of a vector with addresses of 32 bits. gcc 11 and 12 write it for stores to an array of 64-bit
/// addresses plus a number of 32 bits that is the same for all, and what it executes is wrong: the prefix cuts off the upper half of the whole sum.
///
/// The instruction begins with the prefix for addresses of 32 bits and a VEX or EVEX prefix of the second opcode map (Intel 64 manual, volume 2, sections 2.3 and 2.7).
fn truncates_vector_addresses(object: &[u8]) -> bool {
    let is_gather = |opcode: u8| (0x90..=0x93).contains(&opcode);
    let is_scatter = |opcode: u8| (0xa0..=0xa3).contains(&opcode);
    // An address with an index has 4 as its register.
    let has_index = |modrm: u8| modrm & 7 == 4 && modrm >> 6 != 3;
    let vex = |code: &[u8]| matches!(*code, [0x67, 0xc4, map, _, opcode, modrm, ..] if map & 0x1f == 2 && is_gather(opcode) && has_index(modrm));
    let evex = |code: &[u8]| {
        matches!(*code, [0x67, 0x62, map, more, _, opcode, modrm, ..]
            if map & 0xf == 2 && more & 4 == 4 && (is_gather(opcode) || is_scatter(opcode)) && has_index(modrm))
    };
    object.windows(7).any(|code| vex(code) || evex(code))
}

/// Returns the options for a text.
pub(crate) fn flags(source: &str) -> Vec<&'static str> {
    let optimisation = if source.len() > LONG { "-O2" } else { "-O3" };
    FLAGS.into_iter().chain([optimisation]).collect()
}

/// The libraries, which must stand behind the source.
pub(crate) const LIBRARIES: [&str; 1] = ["-lm"];

/// The compilers that are looked for where none is named.
const USUAL: [&str; 3] = ["cc", "gcc", "clang"];

/// The name of the C text in messages of the compiler.
const SOURCE: &str = "kernel.c";

/// The name of the object.
const OBJECT: &str = "kernel.so";

/// A full disk, in a message of the compiler.
const NO_SPACE: &str = "No space left";

/// The longest message of the compiler that is shown, in bytes.
const LONGEST: usize = 500;

/// A C compiler of this machine.
#[derive(Clone, Debug)]
pub struct Compiler {
    program: PathBuf,
    /// The words that stand before all options, such as those behind `ccache` in the variable `CC`.
    leading: Vec<OsString>,
    /// Says where its name is from, see [`Error::Unusable`].
    named: &'static str,
    identity: String,
}

impl Compiler {
    /// Finds the compiler that is named, by its path or by a name on `PATH`; else that of the variable `CC`, else the system's. Words behind a name that is
    /// a program stand before all options.
    ///
    /// # Errors
    /// [`Error::NoCompiler`] or [`Error::Unusable`].
    pub fn find(named: Option<&Path>) -> Result<Compiler, Error> {
        if let Some(named) = named {
            let missing = || format!("`{}` is not a program, by its path or on `PATH`", named.display());
            return Compiler::of(command(named.as_os_str()), ", which `--cc` names,", missing);
        }
        if let Some(words) = env::var_os("CC").filter(|words| !words.to_string_lossy().trim().is_empty()) {
            let missing = || "the variable `CC` names none".to_owned();
            return Compiler::of(command(&words), ", which the variable `CC` names,", missing);
        }
        let found = USUAL.iter().find_map(|name| command(OsStr::new(name)));
        Compiler::of(found, "", || "`cc`, `gcc` and `clang` are not on `PATH`".to_owned())
    }

    fn of(
        command: Option<(PathBuf, Vec<OsString>)>,
        named: &'static str,
        missing: impl Fn() -> String,
    ) -> Result<Compiler, Error> {
        let (program, leading) = command.ok_or_else(|| Error::NoCompiler { tried: missing() })?;
        let answer = run(Command::new(&program).args(&leading).arg("--version"));
        let unusable = |why: String| Error::Unusable { program: program.clone(), named, why };
        let answer = answer.map_err(|error| unusable(error.to_string()))?;
        if !answer.status.success() {
            return Err(unusable(format!("`--version` ends with {}", answer.status)));
        }
        let identity = identity(&program, &leading, &answer.stdout);
        Ok(Compiler { program, leading, named, identity })
    }

    /// Returns what tells it from other compilers: its path, size, time of modification and version.
    #[must_use]
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// Compiles a C text to a shared object, and returns its bytes. Temporary files are made in a folder of their own in `scratch`, or else among the
    /// temporary files of the system.
    ///
    /// # Errors
    /// [`Error::Compile`] with the compiler's message, or [`Error::Io`].
    pub fn compile(&self, source: &str, scratch: Option<&Path>) -> Result<Vec<u8>, Error> {
        let folder = temporary_folder(scratch)?;
        let text = folder.path().join(SOURCE);
        fs::write(&text, source).map_err(io("write", &text))?;
        let object = self.object(folder.path(), &flags(source))?;
        if !truncates_vector_addresses(&object) {
            return Ok(object);
        }
        let without: Vec<&str> = flags(source).into_iter().chain(["-fno-tree-vectorize"]).collect();
        self.object(folder.path(), &without)
    }

    /// Compiles the text in a folder with some options.
    fn object(&self, folder: &Path, flags: &[&str]) -> Result<Vec<u8>, Error> {
        let object = folder.join(OBJECT);
        let mut command = Command::new(&self.program);
        command.args(&self.leading).args(flags).args(["-o", OBJECT, SOURCE]).args(LIBRARIES);
        // The compiler's own temporary files go away with the folder, also if it is killed.
        let done = run(command.current_dir(folder).env("TMPDIR", folder));
        let done = done.map_err(|error| self.unusable(&error))?;
        let said = String::from_utf8_lossy(&done.stderr);
        let message = || first_error(&said).unwrap_or_else(|| format!("it ends with {}", done.status));
        if (!done.status.success() || !object.exists()) && !said.contains(NO_SPACE) && !self.compiles(folder)? {
            let why = if done.status.success() { "it makes no object of a C text".to_owned() } else { message() };
            return Err(Error::NotACompiler { program: self.program.clone(), named: self.named, why });
        }
        if !done.status.success() {
            return Err(Error::Compile { program: self.program.clone(), message: message(), help: advice(&said) });
        }
        fs::read(&object).map_err(io("read", &object))
    }

    /// Returns true if it compiles a text without headers, in a folder for temporary files.
    fn compiles(&self, folder: &Path) -> Result<bool, Error> {
        let (text, object) = (folder.join("least.c"), folder.join("least.o"));
        fs::write(&text, "int pxrw;\n").map_err(io("write", &text))?;
        let mut command = Command::new(&self.program);
        command.args(&self.leading).args(["-c", "-o"]).arg(&object).arg(&text);
        let done = run(command.current_dir(folder).env("TMPDIR", folder)).map_err(|error| self.unusable(&error))?;
        Ok(done.status.success() && object.exists())
    }

    fn unusable(&self, error: &std::io::Error) -> Error {
        Error::Unusable { program: self.program.clone(), named: self.named, why: error.to_string() }
    }
}

/// Makes a folder for temporary files that goes away when it is dropped.
pub(crate) fn temporary_folder(scratch: Option<&Path>) -> Result<tempfile::TempDir, Error> {
    let parent = scratch.map_or_else(env::temp_dir, Path::to_owned);
    let folder = tempfile::Builder::new().prefix("pxrw-cpu-").tempdir_in(&parent);
    folder.map_err(io("make a folder in", &parent))
}

/// Describes a failed action on a file.
pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::Io { action, path, source }
}

/// Runs a program without input, with messages in English.
fn run(command: &mut Command) -> std::io::Result<Output> {
    command.stdin(Stdio::null()).env("LC_ALL", "C").output()
}

/// Finds a program by its path, or by its name on `PATH`.
fn program(name: &OsStr) -> Option<PathBuf> {
    let is_executable = |path: &PathBuf| {
        fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
    };
    if Path::new(name).components().count() != 1 {
        // The compiler is started in another folder.
        return std::path::absolute(name).ok().filter(is_executable);
    }
    let path = env::var_os("PATH")?;
    let folders = env::split_paths(&path).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(name)).find(is_executable)
}

/// Finds a program, and the words behind its name: in a command, of which all may be the name.
fn command(words: &OsStr) -> Option<(PathBuf, Vec<OsString>)> {
    if let Some(program) = program(words) {
        return Some((program, Vec::new()));
    }
    let mut words = words.to_str()?.split_whitespace().map(OsString::from);
    let program = program(&words.next()?)?;
    Some((program, words.collect()))
}

fn identity(program: &Path, leading: &[OsString], version: &[u8]) -> String {
    let metadata = fs::metadata(program).ok();
    let modified = metadata.as_ref().and_then(|metadata| metadata.modified().ok());
    let modified = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let size = metadata.map(|metadata| metadata.len());
    let version = String::from_utf8_lossy(version);
    format!("{program:?} {leading:?} {size:?} {modified:?} {version}")
}

/// Finds the first error in what a compiler says.
fn first_error(said: &str) -> Option<String> {
    let mut lines = said.lines().map(str::trim).filter(|line| !line.is_empty());
    let line = lines.clone().find(|line| line.contains("error:") || line.contains("error ")).or_else(|| lines.next());
    line.map(|line| line.chars().take(LONGEST).collect())
}

fn advice(said: &str) -> &'static str {
    if said.contains("No such file or directory") || said.contains("file not found") {
        "the headers or libraries of C are not installed: `apt-get install libc6-dev` or the like installs them"
    } else if said.contains("-march") {
        "use a newer compiler, or another one with `--cc` or the variable `CC`"
    } else if said.contains(NO_SPACE) {
        "free some disk space, or let `TMPDIR` name another folder"
    } else {
        "this is a defect of pxrw, please report it with the kernel"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(folder: &Path, name: &str, text: &str) -> PathBuf {
        let path = folder.join(name);
        crate::fakes::script(&path, text);
        path
    }

    #[test]
    fn vector_addresses_of_32_bits_are_found() {
        let scatter = [0x67, 0x62, 0xb2, 0x7d, 0x4b, 0xa1, 0xa4, 0x38, 0x48, 0x02, 0, 0];
        let gather = [0x67, 0xc4, 0xe2, 0xf5, 0x92, 0x04, 0x10, 0x90];
        for code in [&scatter[..], &gather[..]] {
            assert!(truncates_vector_addresses(code));
            assert!(!truncates_vector_addresses(&code[1..]));
            assert!(truncates_vector_addresses(&[&[0x90; 9], code].concat()));
        }
        let other = [0x67, 0x62, 0xb2, 0x7d, 0x4b, 0xa4, 0xa4, 0x38];
        assert!(!truncates_vector_addresses(&other));
    }

    #[test]
    fn an_object_is_made_and_nothing_is_left() {
        let scratch = tempfile::tempdir().unwrap();
        let compiler = Compiler::find(None).unwrap();
        let object = compiler.compile("int answer(void) { return 42; }\n", Some(scratch.path())).unwrap();
        assert!(object.starts_with(b"\x7fELF"));
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
    }

    #[test]
    fn the_compilers_message_is_told() {
        let scratch = tempfile::tempdir().unwrap();
        let compiler = Compiler::find(None).unwrap();
        let error = compiler.compile("\nint answer = later;\n", Some(scratch.path())).unwrap_err().to_string();
        assert!(error.contains("does not compile the translated kernel: kernel.c:2:14: error: "), "{error}");
        assert!(error.contains("this is a defect of pxrw"), "{error}");
        let error = compiler.compile("#include <no_such_header.h>\n", Some(scratch.path())).unwrap_err().to_string();
        assert!(error.contains("apt-get install libc6-dev"), "{error}");
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_compiler_that_is_not_there_or_does_not_run_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let missing = Compiler::find(Some(&folder.path().join("cc"))).unwrap_err().to_string();
        assert!(missing.contains("is not a program") && missing.contains("apt-get install gcc"), "{missing}");
        let missing = Compiler::find(Some(Path::new("pxrw-no-such-compiler"))).unwrap_err().to_string();
        assert!(missing.contains("`pxrw-no-such-compiler` is not a program"), "{missing}");
        let broken = script(folder.path(), "broken", "exit 3");
        let broken = Compiler::find(Some(&broken)).unwrap_err().to_string();
        assert!(broken.contains("`--version` ends with exit status: 3") && broken.contains("`--cc`"), "{broken}");
        for (name, text) in [
            ("silent", "exit 0"),
            ("copies", "case $1 in --version) ;; *) echo \"invalid option\" >&2; exit 1 ;; esac"),
        ] {
            let compiler = Compiler::find(Some(&script(folder.path(), name, text))).unwrap();
            let error = compiler.compile("int a;", Some(folder.path())).unwrap_err().to_string();
            let why = if name == "silent" { "it makes no object of a C text" } else { "invalid option" };
            assert!(
                error.contains(&format!("{name}`, which `--cc` names, is no C compiler: {why}; name one")),
                "{error}"
            );
        }
        let nowhere = Compiler::find(Some(Path::new("cc"))).unwrap().compile("", Some(&folder.path().join("none")));
        assert!(nowhere.unwrap_err().to_string().contains("TMPDIR"));
    }

    #[test]
    fn a_compiler_may_have_options_or_blanks_in_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let text = "case \"$*\" in *--version*) echo 1 ;; *) echo \"$1\" > \"$0.log\"; exec cc \"$@\" ;; esac";
        let blank = script(folder.path(), "my cc", text);
        Compiler::find(Some(&blank)).unwrap().compile("int a;", None).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("my cc.log")).unwrap(), "-std=c11\n");
        let plain = script(folder.path(), "cc", text);
        let both = PathBuf::from(format!("{} -DA=1  -O1", plain.display()));
        Compiler::find(Some(&both)).unwrap().compile("int a[A];", None).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("cc.log")).unwrap(), "-DA=1\n");
        let missing = Compiler::find(Some(&folder.path().join("none -O1"))).unwrap_err().to_string();
        assert!(missing.contains("none -O1` is not a program"), "{missing}");
    }

    #[test]
    fn compilers_are_told_from_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let first = Compiler::find(Some(&script(folder.path(), "one", "echo 1"))).unwrap();
        let other = Compiler::find(Some(&script(folder.path(), "two", "echo 1"))).unwrap();
        let newer = Compiler::find(Some(&script(folder.path(), "one", "echo 2"))).unwrap();
        assert_ne!(first.identity(), other.identity());
        assert_ne!(first.identity(), newer.identity());
    }
}
