//! The one CUDA toolkit of all tests: found or fetched once, by whichever test needs it first.

use std::sync::LazyLock;

use anyhow::{Result, anyhow};
use toolkit::{Search, StderrProgress, Toolkit};

static TOOLKIT: LazyLock<Result<Toolkit, String>> = LazyLock::new(|| {
    Toolkit::locate_or_install(&Search::default(), &mut StderrProgress::default()).map_err(|error| error.to_string())
});

/// The toolkit.
///
/// # Errors
/// None was found, and none could be fetched.
pub fn toolkit() -> Result<&'static Toolkit> {
    TOOLKIT.as_ref().map_err(|error| anyhow!("{error}"))
}
