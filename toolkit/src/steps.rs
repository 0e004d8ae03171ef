//! The steps by which nvcc gets from its arguments to its output, as `nvcc --dryrun` lists them.
//!
//! ```text
//! #$ TOP=/usr/local/cuda/bin/..                         what nvcc sets for them
//! #$ gcc -E -x c++ … "k.cu" -o "/tmp/…cpp1.ii"          preprocess
//! #$ "$CICC_PATH/cicc" … -o "/tmp/….ptx"                compile, once for each architecture
//! #$ ptxas -arch=sm_90 "/tmp/….ptx" -o "/tmp/….cubin"   assemble
//! #$ fatbinary … ; gcc -c … ; g++ …                     pack, compile the host's part, link
//! ```
//!
//! nvcc hands each line to a shell, and so does [`Steps::start`]. Whoever runs them may change a source before it is preprocessed, and the PTX before it is
//! assembled and packed.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};

use crate::error::Error;
use crate::scratch;

/// The prefix of every line that nvcc lists.
const MARK: &str = "#$ ";

/// The steps that nvcc would run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps {
    /// The variables that the steps are run with.
    pub environment: Vec<(String, String)>,
    /// In nvcc's order.
    pub steps: Vec<Step>,
    /// The warnings that nvcc printed beside the steps.
    pub messages: String,
}

/// The answer of nvcc to a dry run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dryrun {
    /// It has steps.
    Steps(Steps),
    /// It ended with an error, as it would have without being asked: its exit status, and what it said.
    Ended(ExitStatus, String),
}

/// One program that nvcc would run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The line as a shell reads it.
    pub line: String,
}

impl Steps {
    /// Asks nvcc what it would do. Temporary files of the steps have names in `scratch`.
    ///
    /// # Errors
    /// [`Error::Start`] when nvcc cannot be run.
    pub fn of(nvcc: &Path, arguments: &[OsString], scratch: &Path) -> Result<Dryrun, Error> {
        let mut command = Command::new(nvcc);
        command.arg("--dryrun").args(arguments).env("TMPDIR", scratch).stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        let cannot = |source| Error::Start { tool: nvcc.to_owned(), source };
        let child = {
            let _not_ending = scratch::hold_end();
            command.spawn().map_err(cannot)?
        };
        let output = child.wait_with_output().map_err(cannot)?;
        let said = String::from_utf8_lossy(&output.stderr);
        match output.status.success() {
            true => {
                let mut steps = Steps::read(&said);
                // The programs have temporary files of their own, which go away with the folder even if they are killed.
                steps.environment.extend(scratch.to_str().map(|folder| ("TMPDIR".to_owned(), folder.to_owned())));
                Ok(Dryrun::Steps(steps))
            }
            false => {
                let messages = said.lines().filter(|line| !line.starts_with(MARK)).map(|line| format!("{line}\n"));
                Ok(Dryrun::Ended(output.status, messages.collect()))
            }
        }
    }

    /// Returns true if the kernels are compiled to PTX, for one architecture at least; also where no kernel is compiled at all.
    #[must_use]
    pub fn make_ptx(&self) -> bool {
        self.steps.iter().any(|step| step.ptx().is_some()) || !self.steps.iter().any(|step| step.hides_ptx().is_some())
    }

    /// Returns true if the compiler of the kernels leaves every variable in memory, as with `-G`.
    #[must_use]
    pub fn are_unoptimised(&self) -> bool {
        let mut compilers = self.steps.iter().filter(|step| step.program() == "cicc").peekable();
        compilers.peek().is_some() && compilers.all(|step| step.line.split(' ').any(|word| word == "-O0"))
    }

    fn read(said: &str) -> Steps {
        let mut read = Steps { environment: Vec::new(), steps: Vec::new(), messages: String::new() };
        for line in said.lines() {
            match line.strip_prefix(MARK) {
                None => read.messages += &format!("{line}\n"),
                Some(line) => match assignment(line).filter(|_| read.steps.is_empty()) {
                    Some((name, value)) => read.environment.push((name.to_owned(), value.to_owned())),
                    None => read.steps.push(Step { line: shown(line).to_owned() }),
                },
            }
        }
        read
    }

    /// The step that preprocesses what a step compiles.
    #[must_use]
    pub fn preprocess_for(&self, compile: &Step) -> Option<&Step> {
        let writes = |step: &&Step| {
            step.preprocesses() && step.output().is_some_and(|output| compile.names(&format!("\"{output}\"")))
        };
        self.steps.iter().find(writes)
    }

    /// Runs a line with nothing to read, and returns its status and what it wrote to both streams.
    ///
    /// # Errors
    /// [`Error::Start`] when there is no shell.
    pub fn capture(&self, line: &str) -> Result<(ExitStatus, String), Error> {
        let finished = crate::process::run(&mut self.command(line))?;
        let output = finished.output();
        Ok((finished.status, output))
    }

    /// Starts a line; what it reads and prints is what this process reads and prints.
    ///
    /// # Errors
    /// [`Error::Start`] when there is no shell.
    pub fn start(&self, line: &str) -> Result<Child, Error> {
        self.command(line).spawn().map_err(|source| Error::Start { tool: "sh".into(), source })
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new("sh");
        command.arg("-c").arg(line).envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// The exit status of a step as nvcc would hand it on: for a step that died of a signal, its number.
#[must_use]
pub fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().or(status.signal()).unwrap_or(0);
    u8::try_from(code).unwrap_or(u8::MAX)
}

/// A line whose program writes to the streams of this process: with `--threads`, nvcc puts what each says into files and shows them later.
fn shown(line: &str) -> &str {
    match line.rsplit_once(" > ") {
        Some((command, files)) if files.contains("_stdout 2>") && files.trim_end().ends_with("_stderr") => command,
        _ => line,
    }
}

/// `NAME=value`.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('=')?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then_some((name, value))
}

impl Step {
    /// Returns true if it preprocesses a source.
    #[must_use]
    pub fn preprocesses(&self) -> bool {
        !matches!(self.program(), "cudafe++" | "cicc" | "ptxas" | "fatbinary" | "nvlink" | "rm")
            && self.line.contains(" -E ")
    }

    /// Returns whether it lists the files that a source depends on, and where: nvcc does that itself, from what the steps before it preprocessed.
    #[must_use]
    pub fn dependencies(&self) -> Option<Option<&Path>> {
        let rest = self.line.strip_prefix("-- Filter Dependencies --")?.trim();
        Some(rest.strip_prefix('>').map(|file| Path::new(file.trim().trim_matches('"'))))
    }

    /// Returns true if it works for one architecture and needs of the steps before it only those whose output it names.
    #[must_use]
    pub fn is_of_an_architecture(&self) -> bool {
        self.preprocesses() || matches!(self.program(), "cicc" | "ptxas")
    }

    /// The file of PTX that it makes, if it compiles a kernel; none with `-dlto` or `-optix-ir`, where what is made is no PTX. `-` stands for
    /// standard output.
    #[must_use]
    pub fn ptx(&self) -> Option<&Path> {
        self.output().filter(|_| self.program() == "cicc" && self.hides_ptx().is_none()).map(Path::new)
    }

    /// The option of nvcc by which it compiles to something that is no PTX.
    #[must_use]
    pub fn hides_ptx(&self) -> Option<&'static str> {
        const HIDE: [(&str, &str); 2] = [("-lto", "-dlto"), ("--emit-optix-ir", "-optix-ir")];
        let has = |option: &str| self.program() == "cicc" && self.line.split(' ').any(|word| word == option);
        HIDE.iter().find(|(own, _)| has(own)).map(|(_, option)| *option)
    }

    /// Returns true if it compiles for linking with the device code of other sources (`-rdc=true`, `-dc`).
    #[must_use]
    pub fn is_relocatable(&self) -> bool {
        self.program() == "cicc" && self.line.split(' ').any(|word| word == "--device-c")
    }

    /// Returns what it writes, where its line says so.
    #[must_use]
    pub fn output(&self) -> Option<&str> {
        let (_, name) = self.line.rsplit_once(" -o \"")?;
        name.split_once('"').map(|(name, _)| name)
    }

    /// The same step with another output.
    #[must_use]
    pub fn writing(&self, file: &Path) -> Step {
        let line = match self.output() {
            Some(output) => self.line.replace(&format!(" -o \"{output}\""), &format!(" -o \"{}\"", file.display())),
            None => format!("{} -o \"{}\"", self.line.trim_end(), file.display()),
        };
        Step { line }
    }

    /// The same preprocessor with comments in its output, but for those of macros.
    #[must_use]
    pub fn keeping_comments(&self) -> Step {
        Step { line: self.line.replacen(" -E ", " -E -C ", 1) }
    }

    /// The same preprocessor with comments in its output, those in definitions of macros among them, and with macros as they are written (GCC manual,
    /// `-fdirectives-only`).
    #[must_use]
    pub fn expanding_no_macros(&self) -> Step {
        Step { line: self.line.replacen(" -E ", " -E -CC -fdirectives-only ", 1) }
    }

    /// The compiler of a device's code for another text, without warnings. All that it writes goes to `folder`.
    #[must_use]
    pub fn compiling(&self, instead: &Path, text: &Path, folder: &Path) -> Step {
        /// Options that name a file that is written.
        const WRITES: [&str; 3] = ["--gen_c_file_name", "--stub_file_name", "--gen_device_file_name"];
        let mut line = self.line.replace(&format!("\"{}\"", instead.display()), &format!("\"{}\"", text.display()));
        let generates = line.contains(" --gen_module_id_file ");
        let ids = generates.then_some("--module_id_file_name");
        for option in WRITES.into_iter().chain(ids) {
            let option = format!(" {option} \"");
            let Some(start) = line.find(&option).map(|at| at + option.len()) else { continue };
            let Some(end) = line[start..].find('"').map(|length| start + length) else { continue };
            let name = Path::new(&line[start..end]).file_name().map(|name| folder.join(name)).unwrap_or_default();
            line.replace_range(start..end, &name.display().to_string());
        }
        let program = line.find("cicc").map_or(0, |at| at + line[at..].find(' ').unwrap_or(0));
        if !line.split(' ').any(|word| word == "-w") {
            line.insert_str(program, " -w");
        }
        Step { line }.writing(&folder.join("marked.ptx"))
    }

    /// The number behind an option, as in `--gnu_version=120200`.
    #[must_use]
    pub fn number(&self, option: &str) -> Option<u32> {
        let (_, behind) = self.line.split_once(&format!(" {option}="))?;
        behind.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    }

    /// The temporary file that it removes; nvcc does not mind if there is none.
    #[must_use]
    pub fn removes(&self) -> Option<&Path> {
        self.line.strip_prefix("rm ").map(|file| Path::new(file.trim().trim_matches('"')))
    }

    /// Returns true if it assembles a file of PTX.
    #[must_use]
    pub fn assembles(&self, ptx: &Path) -> bool {
        self.program() == "ptxas" && self.names(&ptx.display().to_string())
    }

    /// Returns true if it only has the assembler look at PTX. nvcc shows what that says if it fails, and nothing else.
    pub(crate) fn only_checks(&self) -> bool {
        self.program() == "ptxas" && self.output().is_none()
    }

    /// Returns true if it names a file.
    #[must_use]
    pub fn names(&self, file: &str) -> bool {
        self.line.contains(file)
    }

    /// The name of the program in messages.
    pub(crate) fn tool(&self) -> &'static str {
        match self.program() {
            "ptxas" => "ptxas",
            _ => "nvcc",
        }
    }

    /// The name of the program, without its folder.
    fn program(&self) -> &str {
        let word = match self.line.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next(),
            None => self.line.split(' ').next(),
        };
        let word = word.unwrap_or_default();
        word.rsplit('/').next().unwrap_or(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "nvcc warning : old\n#$ _SPACE_= \n#$ CICC_PATH=/c/nvvm/bin\n#$ gcc -DA=1 -E -x c++  \"k.cu\" -o \"/t/k.ii\" \n\
        #$ \"$CICC_PATH/cicc\" -arch compute_80  \"/t/k.ii\" -o \"/t/k.ptx\"\n#$ ptxas -arch=sm_80 \"/t/k.ptx\"  -o \"/t/k.cubin\" \n\
        #$ gcc -c -DX=E -x c++ \"/t/k.cpp\" -o \"k.o\" \n#$ rm /t/k.fatbin\n";

    #[test]
    fn a_list_is_read() {
        let Steps { environment, steps, messages } = Steps::read(SAID);
        assert_eq!(messages, "nvcc warning : old\n");
        assert_eq!(environment, [("_SPACE_".into(), " ".into()), ("CICC_PATH".into(), "/c/nvvm/bin".into())]);
        let facts = |step: &Step| (step.preprocesses(), step.is_of_an_architecture(), step.ptx().is_some());
        let all: Vec<_> = steps.iter().map(facts).collect();
        assert_eq!(
            all,
            [
                (true, true, false),
                (false, true, true),
                (false, true, false),
                (false, false, false),
                (false, false, false)
            ]
        );
        assert_eq!(steps[1].ptx(), Some(Path::new("/t/k.ptx")));
        assert_eq!((steps[2].output(), steps[2].only_checks()), (Some("/t/k.cubin"), false));
        assert_eq!((steps[4].removes(), steps[3].removes()), (Some(Path::new("/t/k.fatbin")), None));
        let apart = Steps::read(
            "#$ cicc \"a > b\" -o \"k.ptx\"  > /t/1_stdout 2>/t/1_stderr\n#$ -- Filter Dependencies -- > k.d\n",
        );
        assert_eq!(apart.steps[0].line, "cicc \"a > b\" -o \"k.ptx\" ");
        assert_eq!(apart.steps[1].dependencies(), Some(Some(Path::new("k.d"))));
        let relocatable = Step { line: steps[1].line.replacen(" -arch", " --device-c -arch", 1) };
        assert!(relocatable.is_relocatable() && steps.iter().all(|step| !step.is_relocatable()));
        for (own, option) in [("-lto", "-dlto"), ("--emit-optix-ir", "-optix-ir")] {
            let step = Step { line: format!("cicc {own} \"a.ii\" -o \"a.ir\"") };
            assert_eq!((step.hides_ptx(), step.ptx()), (Some(option), None));
            let mut hidden = Steps { steps: vec![step], ..apart.clone() };
            assert!(apart.make_ptx() && !hidden.make_ptx());
            hidden.steps.extend(apart.steps.clone());
            assert!(hidden.make_ptx());
        }
        assert_eq!(steps[1].hides_ptx(), None);
    }

    #[test]
    fn steps_have_the_variables_that_nvcc_sets() {
        let steps = Steps::read("#$ HERE=a b\n#$ true\n");
        let status = steps.start("test \"$HERE\" = 'a b' && exit 7").unwrap().wait().unwrap();
        assert_eq!(exit_code(status), 7);
        assert_eq!(exit_code(steps.start("kill -9 $$").unwrap().wait().unwrap()), 9);
    }

    #[test]
    fn temporary_files_of_the_programs_go_away_with_the_folder() {
        let dir = tempfile::tempdir().unwrap();
        let nvcc = dir.path().join("nvcc");
        crate::fakes::script(&nvcc, "echo '#$ A=1' >&2; echo '#$ ptxas \"k.ptx\"' >&2");
        let Dryrun::Steps(steps) = Steps::of(&nvcc, &[], dir.path()).unwrap() else { panic!("it has none") };
        let (_, said) = steps.capture("echo $A $TMPDIR").unwrap();
        assert_eq!(said.trim(), format!("1 {}", dir.path().display()));
        assert!(steps.steps[0].only_checks());
    }

    #[test]
    fn nvcc_that_fails_says_why() {
        let dir = tempfile::tempdir().unwrap();
        let nvcc = dir.path().join("nvcc");
        crate::fakes::script(&nvcc, "echo 'nvcc fatal   : no' >&2; echo '#$ A=1' >&2; exit 1");
        let Dryrun::Ended(status, said) = Steps::of(&nvcc, &[], dir.path()).unwrap() else { panic!("it has steps") };
        assert_eq!((status.code(), said.as_str()), (Some(1), "nvcc fatal   : no\n"));
    }
}
