//! What can keep a source from being compiled.

use thiserror::Error;

/// A reason why there is no PTX.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The compiler, or what runs it.
    #[error(transparent)]
    Toolkit(#[from] toolkit::Error),
    /// What the compiler made is no PTX that can be read.
    #[error("the PTX cannot be read: {}", .errors.first())]
    Ptx {
        /// Its text.
        text: String,
        /// What is wrong with it.
        errors: ptx_parser::Errors,
    },
}
