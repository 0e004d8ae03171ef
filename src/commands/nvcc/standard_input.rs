//! A source on standard input: `pxrw nvcc -x cu - -c -o k.o`.
//!
//! nvcc copies standard input to a temporary file and compiles that. The copy is made here, because directives have to be read before nvcc runs.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::line::Line;
use crate::diagnostics::Diagnostic;
use crate::failure::Failure;

/// A source that was read from standard input.
pub(super) struct StandardInput {
    copy: PathBuf,
    position: usize,
}

impl StandardInput {
    /// Reads standard input to a file in `scratch` if it is a CUDA source of the command line. The command line gets the name of the file.
    ///
    /// # Errors
    /// Standard input cannot be read, or the file cannot be written.
    pub(super) fn read(line: &mut Line, scratch: &Path) -> Result<Option<StandardInput>, Failure> {
        let Some(position) = line.standard_input() else { return Ok(None) };
        // The same name as nvcc's: it is in messages, and an output without a name is named after it.
        let copy = scratch.join(format!("tmpxft_{:08x}_00000000-1_stdin", std::process::id()));
        let mut text = Vec::new();
        let copied = std::io::stdin().lock().read_to_end(&mut text).and_then(|_| fs::write(&copy, text));
        copied.map_err(|error| Diagnostic::error(format!("cannot read the source on standard input: {error}")))?;
        line.name_standard_input(position, &copy.display().to_string());
        Ok(Some(StandardInput { copy, position }))
    }

    /// Opens what was read, for nvcc itself; the command line names standard input again.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub(super) fn reopen(&self, arguments: &mut [OsString]) -> Result<File, Failure> {
        if let Some(argument) = arguments.get_mut(self.position) {
            *argument = "-".into();
        }
        let opened = File::open(&self.copy);
        opened.map_err(|error| Diagnostic::error(format!("cannot read `{}`: {error}", self.copy.display())).into())
    }
}
