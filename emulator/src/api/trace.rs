//! The writer that a launch writes its trace to.

use std::io::Write;
use std::sync::{Arc, Mutex};

/// The destination of a launch's trace. A traced launch runs on one host thread.
#[derive(Clone)]
pub struct Trace(pub(crate) Arc<Mutex<Box<dyn Write + Send>>>);

impl Trace {
    /// A trace into a writer. It is worth buffering; the trace ends quietly where the writer fails.
    #[must_use]
    pub fn new(writer: impl Write + Send + 'static) -> Trace {
        Trace(Arc::new(Mutex::new(Box::new(writer))))
    }
}

impl std::fmt::Debug for Trace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Trace")
    }
}

impl PartialEq for Trace {
    /// The same writer.
    fn eq(&self, other: &Trace) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Trace {}
