//! Compiles CUDA text to PTX text with nvcc.
//!
//! The text goes to a temporary folder, never beside the user's file; a `#line` makes every message and every `.loc`
//! name the user's file all the same. nvcc runs in the current directory, because it completes that name with it.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use crate::columns;
use crate::error::{Error, WRITE_TEMPORARY};
use crate::host_compiler::{self, HostCompiler};
use crate::line_table::LineTable;
use crate::messages::{self, Message};
use crate::probe::{self, Toolkit};
use crate::process;
use crate::scratch::Scratch;
use crate::source::CudaSource;
use crate::steps::{Dryrun, Step, Steps};

/// The output of nvcc for a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PtxOutput {
    /// The PTX text, byte for byte.
    pub ptx: String,
    /// Warnings and notes, in nvcc's order.
    pub messages: Vec<Message>,
}

impl Toolkit {
    /// Compiles CUDA text for one architecture (`sm_90`) to PTX, with `-lineinfo -O3` unless `extra_args` says
    /// otherwise. Quoted includes are looked up in the source's own folder.
    ///
    /// # Errors
    /// [`Error::Tool`] when nvcc rejects the source, with positions in the user's file; [`Error::NoHostCompiler`];
    /// [`Error::NotText`]; [`Error::Io`] when the temporary folder cannot be used.
    pub fn compile_to_ptx(&self, source: &CudaSource, arch: &str, extra_args: &[OsString]) -> Result<PtxOutput, Error> {
        let job = Job::new(source, false)?;
        let mut command = Command::new(&self.nvcc);
        // nvcc's own temporary files go where they are removed even if it dies.
        command.env("TMPDIR", job.folder.path());
        job.arguments(&mut command, arch, extra_args)?;
        let finished = process::run(&mut command)?;
        let messages = job.messages(finished.status, &finished.output(), "nvcc")?;
        Ok(PtxOutput { ptx: job.ptx()?, messages })
    }

    /// The steps of the same compilation, to be run one by one. A source that has a file is compiled where it is.
    ///
    /// # Errors
    /// As [`Toolkit::compile_to_ptx`].
    pub fn ptx_steps(&self, source: &CudaSource, arch: &str, extra_args: &[OsString]) -> Result<PtxSteps, Error> {
        let job = Job::new(source, true)?;
        let mut command = Command::new(&self.nvcc);
        job.arguments(&mut command, arch, extra_args)?;
        let arguments: Vec<OsString> = command.get_args().map(OsStr::to_owned).collect();
        let variables = command
            .get_envs()
            .filter_map(|(name, value)| Some((name.to_str()?.to_owned(), value?.to_str()?.to_owned())));
        let variables: Vec<_> = variables.collect();
        match Steps::of(&self.nvcc, &arguments, job.folder.path())? {
            Dryrun::Ended(status, said) => {
                let refused = job.messages(status, &said, "nvcc");
                refused.map_err(|error| self.with_architectures(error))?;
                Err(Error::Tool { tool: "nvcc", outcome: process::describe(status), messages: Vec::new() })
            }
            Dryrun::Steps(mut steps) => {
                steps.environment.extend(variables);
                Ok(PtxSteps { steps, job })
            }
        }
    }
}

impl Toolkit {
    /// Adds to the refusal of an architecture those that nvcc compiles for.
    fn with_architectures(&self, error: Error) -> Error {
        const REFUSAL: &str = "Unsupported gpu architecture";
        let Error::Tool { tool, outcome, mut messages } = error else { return error };
        if let Some(message) = messages.iter_mut().find(|message| message.text.contains(REFUSAL)) {
            let listed =
                probe::answer(&self.nvcc, &["--list-gpu-arch"]).map(|answer| answer.stdout).unwrap_or_default();
            let numbers = listed.lines().filter_map(|line| line.trim().strip_prefix("compute_"));
            let known: Vec<String> = numbers.map(|number| format!("sm_{number}")).collect();
            if !known.is_empty() {
                message.text += &format!("\n{} compiles for {}", self.nvcc.display(), known.join(", "));
            }
            message.text +=
                "\nchoose one of those, or an older nvcc with --cuda-path; PTX with an older .target needs no nvcc";
        }
        Error::Tool { tool, outcome, messages }
    }
}

/// A compilation to PTX, step by step.
#[derive(Debug)]
pub struct PtxSteps {
    /// The steps; those that preprocess and compile are among them.
    pub steps: Steps,
    job: Job,
}

impl PtxSteps {
    /// Runs a step, and returns what it said.
    ///
    /// # Errors
    /// [`Error::Tool`] when it fails, with positions in the user's file; [`Error::Start`].
    pub fn run(&self, step: &Step) -> Result<Vec<Message>, Error> {
        let (status, said) = self.steps.capture(&step.line)?;
        let said = if status.success() && step.only_checks() { "" } else { &said };
        self.job.messages(status, said, step.tool())
    }

    /// The PTX that the steps made.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn ptx(&self) -> Result<String, Error> {
        self.job.ptx()
    }

    /// The folder for temporary files, which goes away with this.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.job.folder.path()
    }
}

/// A source, and where it is compiled.
#[derive(Debug)]
struct Job {
    source: CudaSource,
    /// The text that is compiled.
    text: String,
    folder: Scratch,
    input: PathBuf,
    output: PathBuf,
}

impl Job {
    /// A source that has a file is compiled from there if `in_place` says so.
    fn new(source: &CudaSource, in_place: bool) -> Result<Job, Error> {
        source.check_is_text()?;
        let path = source.path.clone().filter(|path| in_place && is_plain(path.as_os_str()));
        let text = if path.is_some() { source.text.clone() } else { source.text_for_nvcc() };
        let folder = folder_of(&source.name, &text)?;
        let copy = folder.path().join(format!("{}.cu", source.stem()));
        let output = copy.with_extension("ptx");
        let input = match path {
            Some(path) => path,
            None => {
                fs::write(&copy, &text).map_err(|e| Error::Io { action: "write", path: copy.clone(), source: e })?;
                copy
            }
        };
        Ok(Job { source: source.clone(), text, folder, input, output })
    }

    fn arguments(&self, command: &mut Command, arch: &str, extra_args: &[OsString]) -> Result<(), Error> {
        command.arg("-ptx").arg(format!("-arch={arch}"));
        command.args(default_options(extra_args));
        if !mentions(extra_args, &["-ccbin", "--compiler-bindir"]) {
            command.args(HostCompiler::of_process()?.arguments());
        }
        if self.input.starts_with(self.folder.path()) {
            add_include_folder(command, self.source.include_dir.as_deref());
        }
        // Whatever its name ends in.
        command.args(extra_args).args(["-x", "cu", "-o"]).arg(&self.output).arg(&self.input);
        Ok(())
    }

    /// A tool's message about the user's file.
    fn messages(&self, status: ExitStatus, said: &str, tool: &'static str) -> Result<Vec<Message>, Error> {
        let mut messages = messages::parse(said);
        // nvcc leaves the PTX there when the assembler rejects it, which is what leads back to the user's line.
        let ptx = fs::read(&self.output).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        lead_back(&mut messages, &self.output, ptx.as_deref().unwrap_or_default(), &self.source);
        let original = self.source.original.as_deref().unwrap_or(&self.source.text);
        columns::settle(&mut messages, &self.source.name, &self.text, original);
        if status.success() {
            return Ok(messages);
        }
        let outcome = process::describe(status);
        // A full disk looks like a compiler that does not work.
        self.check_room()?;
        let no_compiler = host_compiler::complaint(&messages);
        Err(no_compiler.unwrap_or(Error::Tool { tool, outcome, messages }))
    }

    /// Checks that temporary files can be written.
    fn check_room(&self) -> Result<(), Error> {
        /// More than the smallest file that a disk has room for within itself.
        const ROOM: usize = 1 << 16;
        let path = self.folder.path().join("room");
        let written = fs::write(&path, vec![1; ROOM]);
        let _ = fs::remove_file(&path);
        written.map_err(|source| Error::Io { action: WRITE_TEMPORARY, path: env::temp_dir(), source })
    }

    fn ptx(&self) -> Result<String, Error> {
        let bytes = fs::read(&self.output);
        let bytes = bytes.map_err(|source| Error::Io {
            action: "read what nvcc wrote to",
            path: self.output.clone(),
            source,
        })?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// A folder for one compilation, which has the same name for the same source. nvcc makes names of internal variables from where the source stands, so that
/// it would else give another text each time. Where somebody compiles the same source at the same time, the name is a random one.
fn folder_of(name: &str, text: &str) -> Result<Scratch, Error> {
    let bytes = name.bytes().chain([0]).chain(text.bytes());
    // FNV-1a.
    let hash =
        bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    Scratch::named(&format!("pxrw-{hash:016x}")).or_else(|_| Scratch::new())
}

/// `-lineinfo -O3`, less what the caller decides; nvcc warns about an option that is given twice.
fn default_options(extra_args: &[OsString]) -> Vec<&'static str> {
    let mut options = Vec::new();
    if !mentions(extra_args, &["-lineinfo", "--generate-line-info", "-G", "--device-debug"]) {
        options.push("-lineinfo");
    }
    let optimizes = |arg: &OsString| arg.to_string_lossy().starts_with("-O");
    if !extra_args.iter().any(optimizes) && !mentions(extra_args, &["--optimize"]) {
        options.push("-O3");
    }
    options
}

/// Returns true if one of `names` is among the arguments, alone or as `name=value`.
fn mentions(arguments: &[OsString], names: &[&str]) -> bool {
    arguments.iter().any(|argument| {
        let argument = argument.to_string_lossy();
        names.contains(&argument.split('=').next().unwrap_or_default())
    })
}

/// Quoted includes only (`-iquote`), as if the source were compiled in its own folder: with `-I` a `string.h` beside
/// the user's file would hide the system's. nvcc hands the option on by way of a shell and splits it at commas, so a
/// folder with unusual characters in its name goes by environment variable instead, which acts as `-I` does.
fn add_include_folder(command: &mut Command, folder: Option<&Path>) {
    let Some(folder) = folder else { return };
    if is_plain(folder.as_os_str()) {
        command.args([OsStr::new("-Xcompiler"), OsStr::new("-iquote"), OsStr::new("-Xcompiler"), folder.as_os_str()]);
        return;
    }
    let before = env::var_os("CPATH").filter(|value| !value.is_empty());
    let folders = before.iter().flat_map(env::split_paths).chain([folder.to_owned()]);
    // A folder with a colon in its name cannot be passed at all; then its includes are reported as missing.
    if let Ok(joined) = env::join_paths(folders.collect::<Vec<PathBuf>>()) {
        command.env("CPATH", joined);
    }
}

/// Returns true if a path goes through nvcc and a shell as it is.
fn is_plain(path: &OsStr) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "/._-+@".contains(c);
    path.to_str().is_some_and(|text| !text.is_empty() && !text.starts_with(['-', '@']) && text.chars().all(plain))
}

/// Gives each message that ptxas made about the temporary PTX the position in the user's file that the PTX names.
fn lead_back(messages: &mut [Message], ptx_file: &Path, ptx: &str, source: &CudaSource) {
    let ptx_name = ptx_file.display().to_string();
    let mut table = None;
    for message in messages.iter_mut() {
        if message.file.as_deref() == Some(ptx_name.as_str()) {
            let table = table.get_or_insert_with(|| LineTable::of(ptx));
            let position = message.line.and_then(|line| table.source_of(line));
            message.file = Some(position.map_or(source.name.as_str(), |(file, _)| file).to_owned());
            message.line = position.map(|(_, line)| line);
            message.text.push_str(" (in the PTX of this line)");
        }
        // nvcc completes the name in #line with the current directory for `.file`; the user's own spelling is shown.
        if message.file.as_deref().is_some_and(|file| is_same_file(file, &source.name)) {
            message.file = Some(source.name.clone());
        }
        message.text = message.text.replace(&ptx_name, &source.name);
    }
}

fn is_same_file(file: &str, name: &str) -> bool {
    file == name || env::current_dir().is_ok_and(|here| Path::new(file) == here.join(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fakes::{self, Fake};
    use crate::probe::{Origin, probe};

    fn options(extra: &[&str]) -> Vec<&'static str> {
        default_options(&extra.iter().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn the_callers_options_replace_ours() {
        assert_eq!(options(&["-std=c++17"]), ["-lineinfo", "-O3"]);
        assert_eq!(options(&["-O1", "-lineinfo"]), Vec::<&str>::new());
        assert_eq!(options(&["-G"]), ["-O3"]);
        assert_eq!(options(&["--optimize=2"]), ["-lineinfo"]);
    }

    #[test]
    fn assembler_messages_lead_back_to_the_source() {
        let ptx = "\t.file\t1 \"/src/k.cu\"\n\t.loc\t1 7 2\n\tfrob;\n";
        let mut messages = messages::parse("ptxas /tmp/x/k.ptx, line 3; error   : Not a name: 'frob'\n");
        lead_back(&mut messages, Path::new("/tmp/x/k.ptx"), ptx, &CudaSource::new("", "/src/k.cu"));
        assert_eq!(messages[0].to_string(), "/src/k.cu:7: error: Not a name: 'frob' (in the PTX of this line)");
    }

    #[test]
    fn a_compiler_that_dies_is_reported_with_its_signal() {
        let dir = tempfile::tempdir().unwrap();
        let nvcc = fakes::toolkit(dir.path(), Fake::Working);
        let toolkit = probe(&nvcc, Origin::Flag).unwrap();
        let source = CudaSource::new("int a;\n", "k.cu");
        assert_eq!(toolkit.compile_to_ptx(&source, "sm_90", &[]).unwrap().ptx, ".version 9.0\n");
        fakes::script(&nvcc, "kill -SEGV $$");
        let error = toolkit.compile_to_ptx(&source, "sm_90", &[]).unwrap_err();
        assert_eq!(error.to_string(), "nvcc failed without a message (killed by signal 11 (SIGSEGV))");
        fakes::script(&nvcc, "exit 0");
        let error = toolkit.compile_to_ptx(&source, "sm_90", &[]).unwrap_err();
        assert!(matches!(error, Error::Io { action: "read what nvcc wrote to", .. }), "{error}");
    }

    #[test]
    fn an_architecture_that_is_not_there_comes_with_those_that_are() {
        let dir = tempfile::tempdir().unwrap();
        let nvcc = fakes::toolkit(dir.path(), Fake::Working);
        let toolkit = probe(&nvcc, Origin::Flag).unwrap();
        let listing = "case \"$1\" in --list-gpu-arch) printf 'compute_75\\ncompute_90\\n'; exit 0;; esac\n\
            echo \"nvcc fatal   : Unsupported gpu architecture 'sm_70'\" >&2; exit 1";
        fakes::script(&nvcc, listing);
        let error = toolkit.ptx_steps(&CudaSource::new("int a;\n", "k.cu"), "sm_70", &[]).unwrap_err();
        let text = &error.messages()[0].text;
        assert!(text.contains("compiles for sm_75, sm_90\n") && text.contains("--cuda-path"), "{text}");
    }

    #[test]
    fn a_folder_that_takes_no_files_is_not_blamed_on_the_host_compiler() {
        let dir = tempfile::tempdir().unwrap();
        let nvcc = fakes::toolkit(dir.path(), Fake::Working);
        let toolkit = probe(&nvcc, Origin::Flag).unwrap();
        let source = CudaSource::new("int b;\n", "k.cu");
        fakes::script(&nvcc, "echo 'gcc: No such file or directory' >&2; exit 1");
        assert!(matches!(toolkit.ptx_steps(&source, "sm_90", &[]), Err(Error::NoHostCompiler { .. })));
        fakes::script(&nvcc, "rm -r \"$TMPDIR\"; echo 'gcc: No such file or directory' >&2; exit 1");
        let error = toolkit.ptx_steps(&source, "sm_90", &[]).unwrap_err().to_string();
        assert!(error.starts_with("cannot write temporary files to ") && error.contains("in TMPDIR"), "{error}");
    }

    #[test]
    fn an_odd_folder_goes_by_environment() {
        let mut command = Command::new("nvcc");
        add_include_folder(&mut command, Some(Path::new("/a b/$(c),d")));
        assert_eq!(command.get_args().count(), 0);
        let (name, value) = command.get_envs().next().unwrap();
        assert_eq!(name, "CPATH");
        assert!(value.unwrap().to_string_lossy().ends_with("/a b/$(c),d"));
    }
}
