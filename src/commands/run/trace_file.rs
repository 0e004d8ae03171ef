//! The file of a trace. If it cannot be written, the emulator goes on; the error is reported after the launch.

use std::fs::File;
use std::io::{self, BufWriter, Write, stderr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use device::Trace;

use crate::diagnostics::Diagnostic;
use crate::failure::Failure;

/// A trace that is written, to a file or to standard error.
pub(super) struct Traced {
    /// The file, for messages.
    path: Option<PathBuf>,
    out: Arc<Mutex<Out>>,
}

struct Out {
    writer: BufWriter<Box<dyn Write + Send>>,
    error: Option<io::Error>,
}

impl Traced {
    /// Opens what `--trace` names; `None` where there is no such option.
    pub(super) fn of(option: &Option<Option<PathBuf>>) -> Result<Option<Traced>, Failure> {
        let Some(path) = option else { return Ok(None) };
        let writer: Box<dyn Write + Send> = match path {
            None => Box::new(stderr()),
            Some(path) => Box::new(File::create(path).map_err(|error| {
                let title = format!("cannot write the trace to `{}`: {error}", path.display());
                Diagnostic::error(title).help("name a file that may be written: `--trace=FILE`")
            })?),
        };
        let out = Out { writer: BufWriter::new(writer), error: None };
        Ok(Some(Traced { path: path.clone(), out: Arc::new(Mutex::new(out)) }))
    }

    /// The writer for the emulator.
    pub(super) fn writer(&self) -> Trace {
        Trace::new(Handle(Arc::clone(&self.out)))
    }

    /// Writes what is left, and says what kept a part of the trace from being written.
    pub(super) fn problem(self) -> Option<Diagnostic> {
        let mut out = locked(&self.out);
        let flushed = out.writer.flush().err();
        let error = out.error.take().or(flushed)?;
        // Whoever closed the pipe has seen enough.
        if error.kind() == io::ErrorKind::BrokenPipe {
            return None;
        }
        let to = self.path.as_ref().map_or("standard error".to_owned(), |path| format!("`{}`", path.display()));
        let title = format!("the trace is not whole: cannot write to {to}: {error}");
        Some(Diagnostic::error(title).help("make room, or name another file: `--trace=FILE`"))
    }
}

struct Handle(Arc<Mutex<Out>>);

impl Write for Handle {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut out = locked(&self.0);
        let written = out.writer.write(bytes);
        if let Err(error) = &written
            && out.error.is_none()
        {
            out.error = Some(copy(error));
        }
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        locked(&self.0).writer.flush()
    }
}

/// The same error again, which the emulator gets as well.
fn copy(error: &io::Error) -> io::Error {
    error.raw_os_error().map_or_else(|| error.kind().into(), io::Error::from_raw_os_error)
}

fn locked(out: &Mutex<Out>) -> MutexGuard<'_, Out> {
    out.lock().unwrap_or_else(PoisonError::into_inner)
}
