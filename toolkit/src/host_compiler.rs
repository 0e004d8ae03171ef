//! The C++ compiler that nvcc preprocesses with.
//!
//! nvcc asks for `gcc` by name. A machine may have only another one, or a gcc without its C++ half; both are found out
//! before anything large is fetched, and said plainly instead of by nvcc's "Failed to preprocess host compiler
//! properties".

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::Command;

use crate::error::Error;
use crate::messages::Message;
use crate::probe::on_path;
use crate::process;

/// The host compiler, and the way in which nvcc learns of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HostCompiler {
    /// nvcc finds it by itself: `gcc` is on `PATH`, or `NVCC_CCBIN` names one.
    Default(PathBuf),
    /// To be named with `-ccbin`.
    Named(PathBuf),
}

impl HostCompiler {
    /// The compiler for `search_path`, by name only; nothing is run.
    ///
    /// # Errors
    /// [`Error::NoHostCompiler`] when none is on the path.
    pub(crate) fn find(search_path: Option<&OsStr>, ccbin: Option<OsString>) -> Result<HostCompiler, Error> {
        if let Some(ccbin) = ccbin.filter(|value| !value.is_empty()) {
            return Ok(HostCompiler::Default(ccbin.into()));
        }
        let named = |name| on_path(name, search_path).next();
        if let Some(gcc) = named("gcc") {
            return Ok(HostCompiler::Default(gcc));
        }
        let other = ["g++", "clang++", "c++"].into_iter().find_map(named);
        other
            .map(HostCompiler::Named)
            .ok_or_else(|| Error::NoHostCompiler { detail: "neither gcc, g++, clang++ nor c++ is there".to_owned() })
    }

    /// The compiler of this process's environment.
    ///
    /// # Errors
    /// As [`HostCompiler::find`].
    pub(crate) fn of_process() -> Result<HostCompiler, Error> {
        HostCompiler::find(env::var_os("PATH").as_deref(), env::var_os("NVCC_CCBIN"))
    }

    /// The options for nvcc.
    pub(crate) fn arguments(&self) -> Vec<OsString> {
        match self {
            HostCompiler::Default(_) => Vec::new(),
            HostCompiler::Named(path) => vec!["-ccbin".into(), path.into()],
        }
    }

    /// Has it preprocess an empty C++ file, which needs its C++ half.
    ///
    /// # Errors
    /// [`Error::NoHostCompiler`] with what it said.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let (HostCompiler::Default(path) | HostCompiler::Named(path)) = self;
        // NVCC_CCBIN may name a folder or a compiler with options; nvcc knows what that means, we do not.
        if !path.is_file() {
            return Ok(());
        }
        let finished = process::run(Command::new(path).args(["-E", "-x", "c++", "/dev/null"]))?;
        if finished.status.success() {
            return Ok(());
        }
        let said = finished.stderr.trim();
        Err(Error::NoHostCompiler { detail: format!("{} does not preprocess C++: {said}", path.display()) })
    }
}

/// The same complaint out of nvcc's messages, for a toolkit that was not installed by us.
pub(crate) fn complaint(messages: &[Message]) -> Option<Error> {
    const SIGNS: [&str; 4] = [
        "Failed to preprocess host compiler properties",
        "cc1plus",
        "gcc: No such file or directory",
        "Cannot find compiler",
    ];
    let message = messages.iter().find(|m| {
        // A message with a position is about the user's code, whatever words it quotes.
        m.file.is_none() && SIGNS.iter().any(|sign| m.text.contains(sign)) && !m.text.contains(".cu:")
    })?;
    Some(Error::NoHostCompiler { detail: format!("nvcc says: {}", message.text) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fakes::script;
    use crate::messages::parse;

    #[test]
    fn gcc_is_left_to_nvcc_and_another_one_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = Some(dir.path().as_os_str());
        let error = HostCompiler::find(path, None).unwrap_err().to_string();
        assert!(error.contains("install g++"), "{error}");
        script(&dir.path().join("clang++"), "");
        let clang = HostCompiler::find(path, None).unwrap();
        assert_eq!(clang.arguments(), [OsString::from("-ccbin"), dir.path().join("clang++").into()]);
        script(&dir.path().join("gcc"), "");
        assert!(HostCompiler::find(path, None).unwrap().arguments().is_empty());
    }

    #[test]
    fn a_gcc_without_its_cpp_half_is_found_out() {
        let dir = tempfile::tempdir().unwrap();
        script(&dir.path().join("gcc"), "echo \"gcc: fatal error: cannot execute 'cc1plus'\" >&2; exit 1");
        let gcc = HostCompiler::find(Some(dir.path().as_os_str()), None).unwrap();
        let error = gcc.check().unwrap_err().to_string();
        assert!(error.contains("cc1plus"), "{error}");
    }

    #[test]
    fn nvccs_own_complaint_is_recognised_and_users_errors_are_not() {
        let output = "gcc: No such file or directory\nnvcc fatal   : Failed to preprocess host compiler properties.\n";
        assert!(complaint(&parse(output)).is_some());
        assert!(complaint(&parse("k.cu(1): error: identifier \"cc1plus\" is undefined\n")).is_none());
    }
}
