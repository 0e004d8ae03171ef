//! Assembles PTX text to a cubin with `ptxas -v`, which is also the last word on whether PTX is valid.
//!
//! ptxas has a limit: of some texts it makes nothing for hours. It ends with this process, however that ends.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::error::{Error, LIMIT};
use crate::messages::{self, Message};
use crate::probe::Toolkit;
use crate::process::{self, Finished};
use crate::resources::{self, KernelResources};
use crate::scratch::Scratch;

/// The option for what is linked with other modules later.
const PART: &str = "-c";

/// The message of ptxas, without that option, for a function or variable that is in another module.
const ELSEWHERE: &str = "Unresolved extern ";

/// The time that it has otherwise.
const USUAL: Duration = Duration::from_secs(300);

/// Machine code for one architecture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cubin {
    /// The ELF file.
    pub bytes: Vec<u8>,
    /// The resources of each kernel, in the order in which ptxas reports them.
    pub resources: Vec<KernelResources>,
    /// Everything ptxas printed, warnings and `-v` information alike.
    pub messages: Vec<Message>,
}

impl Cubin {
    /// Returns what one kernel uses, by the entry's name in the PTX.
    pub fn kernel(&self, name: &str) -> Option<&KernelResources> {
        self.resources.iter().find(|kernel| kernel.name == name)
    }
}

impl Toolkit {
    /// Assembles PTX for one architecture (`sm_90`). Messages name `file_name` and count lines of `ptx`. What needs other modules is assembled to be
    /// linked with them.
    ///
    /// # Errors
    /// [`Error::Tool`] when ptxas rejects the PTX; [`Error::Slow`] when it takes longer than five minutes, or than `PXRW_PTXAS_LIMIT` says;
    /// [`Error::Io`] when the temporary folder cannot be used.
    pub fn assemble(&self, ptx: &str, arch: &str, file_name: &str) -> Result<Cubin, Error> {
        self.assemble_with(ptx, arch, file_name, &[])
    }

    /// The same with more options for ptxas, such as `-O0`.
    ///
    /// # Errors
    /// As [`Toolkit::assemble`].
    pub fn assemble_with(&self, ptx: &str, arch: &str, file_name: &str, options: &[&str]) -> Result<Cubin, Error> {
        // Without it the cubin has no line numbers even if the PTX has, and a profiler shows no source.
        let lines: &[&str] = if ptx.contains(".loc") { &["-lineinfo"] } else { &[] };
        let Run { finished, input, output, folder: _folder } =
            self.run_ptxas(ptx, arch, file_name, &[&["-v"], lines, options].concat())?;
        let mut messages = messages::parse(&finished.output());
        rename(&mut messages, &input.display().to_string(), file_name);
        if !finished.status.success() {
            return Err(Error::Tool { tool: "ptxas", outcome: process::describe(finished.status), messages });
        }
        let read = |source| Error::Io { action: "read what ptxas wrote to", path: output.clone(), source };
        let bytes = fs::read(&output).map_err(read)?;
        Ok(Cubin { bytes, resources: resources::collect(&messages), messages })
    }

    /// Has ptxas assemble a text in a folder of its own: as a whole program, or as a part of one (`-c`) if it names functions or variables that
    /// it says are elsewhere.
    ///
    /// # Errors
    /// [`Error::Start`] when ptxas cannot be run; [`Error::Slow`] when it takes too long; [`Error::Io`] when the temporary folder cannot be used.
    pub(crate) fn run_ptxas(&self, ptx: &str, arch: &str, file_name: &str, options: &[&str]) -> Result<Run, Error> {
        let limit = limit(env::var_os(LIMIT).map(|value| value.to_string_lossy().into_owned()))?;
        self.run_ptxas_within(ptx, arch, file_name, options, limit)
    }

    fn run_ptxas_within(
        &self,
        ptx: &str,
        arch: &str,
        file_name: &str,
        options: &[&str],
        limit: Duration,
    ) -> Result<Run, Error> {
        let folder = Scratch::new()?;
        let (input, output) = (folder.path().join("input.ptx"), folder.path().join("output.cubin"));
        fs::write(&input, ptx).map_err(|source| Error::Io { action: "write", path: input.clone(), source })?;
        let arch = format!("-arch={arch}");
        let run = |more: &[&str]| {
            let mut command = Command::new(&self.ptxas);
            // Its own temporary files go where they are removed even if it dies.
            command.args(options).args(more).arg(&arch).env("TMPDIR", folder.path());
            process::tie(command.arg(&input).arg("-o").arg(&output));
            let slow = || {
                let program = self.ptxas.display().to_string();
                let words = [&[program.as_str()], options, more, &[arch.as_str(), file_name]].concat();
                Error::Slow { command: words.join(" "), limit }
            };
            process::run_within(&mut command, limit)?.ok_or_else(slow)
        };
        let mut finished = run(&[])?;
        // Of a function that is an error. A variable would become one of its own, with no more than a warning.
        if finished.output().contains(ELSEWHERE) && !options.contains(&PART) {
            finished = run(&[PART])?;
        }
        Ok(Run { finished, input, output, folder })
    }
}

/// The time that ptxas has, by the value of the variable.
fn limit(value: Option<String>) -> Result<Duration, Error> {
    let Some(value) = value.filter(|value| !value.is_empty()) else { return Ok(USUAL) };
    match value.trim().parse::<u64>() {
        Ok(0) => Ok(Duration::MAX),
        Ok(seconds) => Ok(Duration::from_secs(seconds)),
        Err(_) => Err(Error::Limit { value }),
    }
}

/// A run of ptxas that ended.
pub(crate) struct Run {
    pub(crate) finished: Finished,
    /// The text it was given, which its messages name.
    pub(crate) input: PathBuf,
    /// The path of the cubin that it wrote.
    output: PathBuf,
    /// Holds both files, which go away with it.
    folder: Scratch,
}

/// Puts the user's name wherever a message has the temporary one.
fn rename(messages: &mut [Message], temporary: &str, file_name: &str) {
    for message in messages {
        if message.file.as_deref() == Some(temporary) {
            message.file = Some(file_name.to_owned());
        }
        message.text = message.text.replace(temporary, file_name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fakes;
    use crate::messages::parse;
    use crate::probe::{Origin, probe};

    #[test]
    fn what_needs_other_modules_is_assembled_as_a_part() {
        let dir = tempfile::tempdir().unwrap();
        let toolkit = probe(&fakes::toolkit(dir.path(), fakes::Fake::Working), Origin::Path).unwrap();
        let runs = |script: &str, options: &[&str]| {
            fakes::script(&toolkit.ptxas, &format!("echo \"$@\" >> {}/runs; {script}", dir.path().display()));
            let finished = toolkit.run_ptxas("", "sm_90", "k.ptx", options).unwrap().finished;
            let said = fs::read_to_string(dir.path().join("runs")).unwrap();
            fs::remove_file(dir.path().join("runs")).unwrap();
            let parts =
                said.lines().map(|line| line.split(' ').filter(|&word| word == "-c").count()).collect::<Vec<_>>();
            (parts, finished.status.success())
        };
        let function =
            "case \" $* \" in *' -c '*) ;; *) echo \"ptxas fatal   : Unresolved extern function 'f'\"; exit 255;; esac";
        assert_eq!(runs(function, &[]), (vec![0, 1], true));
        assert_eq!(runs(function, &["-c"]), (vec![1], true));
        let variable = "echo \"ptxas warning : Unresolved extern variable 'v' in whole program compilation\"";
        assert_eq!(runs(variable, &[]), (vec![0, 1], true));
        assert_eq!(runs("echo 'ptxas fatal   : no'; exit 1", &[]), (vec![0], false));
    }

    #[test]
    fn one_that_takes_too_long_is_stopped_and_named() {
        let dir = tempfile::tempdir().unwrap();
        let toolkit = probe(&fakes::toolkit(dir.path(), fakes::Fake::Working), Origin::Path).unwrap();
        let mark = dir.path().join("process");
        fakes::script(&toolkit.ptxas, &format!("echo $$ > {}; exec sleep 100", mark.display()));
        // Under load, a process takes a while to start.
        let limit = Duration::from_secs(2);
        let error = toolkit.run_ptxas_within("", "sm_90", "my.ptx", &["-v"], limit).err().unwrap();
        let expected = format!(
            "`{} -v -arch=sm_90 my.ptx` did not end within 2 seconds, and was stopped\nhelp: PXRW_PTXAS_LIMIT=SECONDS gives it longer",
            toolkit.ptxas.display()
        );
        assert!(error.to_string().starts_with(&expected), "{error}");
        let process = fs::read_to_string(mark).unwrap();
        assert!(!PathBuf::from(format!("/proc/{}", process.trim())).exists());
    }

    #[test]
    fn the_limit_is_a_number_of_seconds() {
        let of = |value: &str| limit(Some(value.to_owned())).map_err(|error| error.to_string());
        assert_eq!(limit(None).unwrap(), Duration::from_secs(300));
        assert_eq!(of(""), Ok(Duration::from_secs(300)));
        assert_eq!(of("20"), Ok(Duration::from_secs(20)));
        assert_eq!(of("0"), Ok(Duration::MAX));
        assert!(of("5m").unwrap_err().starts_with("PXRW_PTXAS_LIMIT is `5m`\nhelp: "));
    }

    #[test]
    fn messages_name_the_users_file() {
        let output = "ptxas /tmp/a/input.ptx, line 1; fatal   : Missing .version directive at start of file \
                      '/tmp/a/input.ptx'\n";
        let mut messages = parse(output);
        rename(&mut messages, "/tmp/a/input.ptx", "out.ptx");
        let expected = "out.ptx:1: error: Missing .version directive at start of file 'out.ptx'";
        assert_eq!(messages[0].to_string(), expected);
    }
}
