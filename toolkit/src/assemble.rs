//! Assembles PTX text to a cubin with `ptxas -v`, which is also the last word on whether PTX is valid.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::error::Error;
use crate::messages::{self, Message};
use crate::probe::Toolkit;
use crate::process::{self, Finished};
use crate::resources::{self, KernelResources};
use crate::scratch::Scratch;

/// The option for what is linked with other modules later.
const PART: &str = "-c";

/// What ptxas says without that option of a function or variable that is in another module.
const ELSEWHERE: &str = "Unresolved extern ";

/// Machine code for one architecture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cubin {
    /// The ELF file.
    pub bytes: Vec<u8>,
    /// What each kernel uses, in the order in which ptxas reports them.
    pub resources: Vec<KernelResources>,
    /// Everything ptxas printed, warnings and `-v` information alike.
    pub messages: Vec<Message>,
}

impl Cubin {
    /// What one kernel uses, by the entry's name in the PTX.
    pub fn kernel(&self, name: &str) -> Option<&KernelResources> {
        self.resources.iter().find(|kernel| kernel.name == name)
    }
}

impl Toolkit {
    /// Assembles PTX for one architecture (`sm_90`). Messages name `file_name` and count lines of `ptx`. What needs other modules is assembled to be
    /// linked with them.
    ///
    /// # Errors
    /// [`Error::Tool`] when ptxas rejects the PTX; [`Error::Io`] when the temporary folder cannot be used.
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
            self.run_ptxas(ptx, arch, &[&["-v"], lines, options].concat())?;
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
    /// [`Error::Start`] when ptxas cannot be run; [`Error::Io`] when the temporary folder cannot be used.
    pub(crate) fn run_ptxas(&self, ptx: &str, arch: &str, options: &[&str]) -> Result<Run, Error> {
        let folder = Scratch::new()?;
        let (input, output) = (folder.path().join("input.ptx"), folder.path().join("output.cubin"));
        fs::write(&input, ptx).map_err(|source| Error::Io { action: "write", path: input.clone(), source })?;
        let run = |more: &[&str]| {
            let mut command = Command::new(&self.ptxas);
            // Its own temporary files go where they are removed even if it dies.
            command.args(options).args(more).arg(format!("-arch={arch}")).env("TMPDIR", folder.path());
            process::run(command.arg(&input).arg("-o").arg(&output))
        };
        let mut finished = run(&[])?;
        // Of a function that is an error. A variable would become one of its own, with no more than a warning.
        if finished.output().contains(ELSEWHERE) && !options.contains(&PART) {
            finished = run(&[PART])?;
        }
        Ok(Run { finished, input, output, folder })
    }
}

/// A run of ptxas that ended.
pub(crate) struct Run {
    pub(crate) finished: Finished,
    /// The text it was given, which its messages name.
    pub(crate) input: PathBuf,
    /// Where it wrote the cubin.
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
            let finished = toolkit.run_ptxas("", "sm_90", options).unwrap().finished;
            let said = fs::read_to_string(dir.path().join("runs")).unwrap();
            fs::remove_file(dir.path().join("runs")).unwrap();
            let parts =
                said.lines().map(|line| line.split(' ').filter(|&word| word == "-c").count()).collect::<Vec<_>>();
            (parts, finished.status.success())
        };
        let function =
            "case \"$*\" in *-c*) ;; *) echo \"ptxas fatal   : Unresolved extern function 'f'\"; exit 255;; esac";
        assert_eq!(runs(function, &[]), (vec![0, 1], true));
        assert_eq!(runs(function, &["-c"]), (vec![1], true));
        let variable = "echo \"ptxas warning : Unresolved extern variable 'v' in whole program compilation\"";
        assert_eq!(runs(variable, &[]), (vec![0, 1], true));
        assert_eq!(runs("echo 'ptxas fatal   : no'; exit 1", &[]), (vec![0], false));
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
