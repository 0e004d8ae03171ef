//! Asks ptxas whether a PTX text is valid, and nothing else: without optimisation, and no machine code is kept.
//!
//! This is the question that tools of this project are held against. [`Toolkit::assemble`] is for those who want the cubin.

use std::path::Path;

use crate::assemble::Run;
use crate::error::Error;
use crate::messages::{self, Level, Message};
use crate::probe::Toolkit;
use crate::process;

/// The verdict of ptxas on a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// It made machine code of it.
    Accepted,
    /// It refused it, with these errors in its own order; the closing "aborted due to errors" is left out.
    Refused(Vec<Message>),
    /// It did neither, but ended as described.
    Crashed(String),
}

impl Toolkit {
    /// Returns whether ptxas takes a text for an architecture (`sm_90`). Lines in the messages are those of the text.
    ///
    /// # Errors
    /// [`Error::Start`] when ptxas cannot be run; [`Error::Slow`] when it takes too long; [`Error::Io`] when the temporary folder cannot be used.
    pub fn judge(&self, ptx: &str, arch: &str) -> Result<Judgement, Error> {
        let Run { finished, input, .. } = self.run_ptxas(ptx, arch, "the text", &["-O0"])?;
        if finished.status.success() {
            return Ok(Judgement::Accepted);
        }
        let errors = errors(&finished.output(), &input);
        match errors.is_empty() {
            true => Ok(Judgement::Crashed(process::describe(finished.status))),
            false => Ok(Judgement::Refused(errors)),
        }
    }
}

/// The errors of an output, without the name of the temporary file, which means nothing to anybody.
fn errors(output: &str, input: &Path) -> Vec<Message> {
    let mut errors = messages::parse(output);
    errors.retain(|message| message.level == Level::Error && !message.text.contains("aborted due to errors"));
    for message in &mut errors {
        message.file = None;
        message.text = message.text.replace(&input.display().to_string(), "the text");
    }
    errors
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fakes;
    use crate::probe::{Origin, probe};

    /// Returns what a toolkit says whose ptxas is a script.
    fn judged(ptxas: &str) -> Judgement {
        let dir = tempfile::tempdir().unwrap();
        let nvcc = fakes::toolkit(dir.path(), fakes::Fake::Working);
        let toolkit = probe(&nvcc, Origin::Path).unwrap();
        fakes::script(&toolkit.ptxas, ptxas);
        toolkit.judge("", "sm_90").unwrap()
    }

    #[test]
    fn errors_are_told_from_warnings_and_from_crashes() {
        assert_eq!(judged("exit 0"), Judgement::Accepted);
        let Judgement::Crashed(how) = judged("kill -SEGV $$") else { unreachable!("it says nothing") };
        assert!(how.contains("SIGSEGV"), "{how}");
        let refused = judged(
            "echo \"ptxas $3, line 2; warning : odd\"; echo \"ptxas $3, line 3; error   : Unknown symbol 'x'\"
             echo 'ptxas fatal   : Ptx assembly aborted due to errors'; exit 255",
        );
        let Judgement::Refused(errors) = refused else { unreachable!("it refuses") };
        assert_eq!(errors.len(), 1);
        assert_eq!((errors[0].line, errors[0].text.as_str()), (Some(3), "Unknown symbol 'x'"));
    }
}
