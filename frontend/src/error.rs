//! The reasons why a source cannot be compiled.

use thiserror::Error;

/// A reason why there is no PTX.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The compiler, or what runs it.
    #[error(transparent)]
    Toolkit(#[from] toolkit::Error),
    /// The compiler's output cannot be read as PTX.
    #[error("the PTX cannot be read: {}", .errors.first())]
    Ptx {
        /// Its text.
        text: String,
        /// The errors in it.
        errors: ptx_parser::Errors,
    },
}
