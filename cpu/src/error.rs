//! The errors that keep translated kernels from being compiled or loaded. A kernel without a translation is a [`Refusal`](crate::Refusal).

use std::io;
use std::path::PathBuf;

/// An error of compiling, caching or loading.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no C compiler.
    #[error(
        "there is no C compiler: {tried}; install one, such as by `apt-get install gcc libc6-dev`, or name it with `--cc` or the \
         variable `CC`"
    )]
    NoCompiler {
        /// The names that were looked for, and where.
        tried: String,
    },
    /// The C compiler cannot be started, or does not say its version.
    #[error("the C compiler `{program}`{named} does not run: {why}; name another one with `--cc` or the variable `CC`", program = .program.display())]
    Unusable {
        /// The compiler.
        program: PathBuf,
        /// Says where its name is from, behind a comma; empty if nobody has named it.
        named: &'static str,
        /// The reason.
        why: String,
    },
    /// What is named is a program, but no C compiler.
    #[error(
        "`{program}`{named} is no C compiler: {why}; name one with `--cc` or the variable `CC`, or neither for that of the system",
        program = .program.display()
    )]
    NotACompiler {
        /// The program.
        program: PathBuf,
        /// Says where its name is from, behind a comma; empty if nobody has named it.
        named: &'static str,
        /// The reason.
        why: String,
    },
    /// The C compiler refuses the translation.
    #[error("the C compiler `{program}` does not compile the translated kernel: {message}; {help}", program = .program.display())]
    Compile {
        /// The compiler.
        program: PathBuf,
        /// Its first error.
        message: String,
        /// The advice for the user.
        help: &'static str,
    },
    /// A temporary file cannot be made, written or read.
    #[error("cannot {action} `{path}`: {source}; `TMPDIR` names another folder for temporary files", path = .path.display())]
    Io {
        /// The action that failed.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The system does not load the compiled kernel.
    #[error(
        "the compiled kernel cannot be loaded: {why}; `TMPDIR` names another folder for temporary files if programs may not run from this one"
    )]
    Load {
        /// The reason that the system gives.
        why: String,
    },
    /// The compiled object has no function for the kernel.
    #[error("the compiled object has no function `{function}`; this is a defect of pxrw, please report it")]
    NoFunction {
        /// The function.
        function: String,
    },
    /// A compiled kernel ended in a way that does not exist.
    #[error(
        "the compiled kernel ended with outcome {0}, which does not exist; this is a defect of pxrw, please report it"
    )]
    Outcome(u32),
}
