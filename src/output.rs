//! Where results go: standard output, or a file that is there whole or not at all.

use std::io::Write;
use std::path::Path;

use crate::diagnostics::Diagnostic;
use crate::failure::Failure;

/// Writes bytes to a file, or to standard output. A file is written beside its place first and then renamed, so that a full disk or an
/// interruption leaves what was there before.
pub(crate) fn write(output: Option<&Path>, bytes: &[u8]) -> Result<(), Failure> {
    let Some(path) = output else {
        let mut stdout = std::io::stdout().lock();
        return match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
            // Whoever closed the pipe has seen enough.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            Err(error) => Err(Diagnostic::error(format!("cannot write to standard output: {error}")).into()),
            Ok(()) => Ok(()),
        };
    };
    // A device such as /dev/null is no file that could be replaced.
    if std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
        return std::fs::write(path, bytes).map_err(|error| refused(path, &error));
    }
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let write = || -> std::io::Result<()> {
        if path.is_dir() {
            return Err(std::io::Error::from(std::io::ErrorKind::IsADirectory));
        }
        let mut file = tempfile::Builder::new().prefix(".pxrw-").tempfile_in(folder)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        set_permissions(path, file.as_file())?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    };
    write().map_err(|error| refused(path, &error))
}

fn refused(path: &Path, error: &std::io::Error) -> Failure {
    let title = format!("cannot write `{}`: {error}", path.display());
    Diagnostic::error(title).help("nothing was written there; what was there before is unchanged").into()
}

/// The permissions of the file that is replaced, or those that a new file gets; a temporary file is private.
#[cfg(unix)]
fn set_permissions(path: &Path, file: &std::fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = match std::fs::metadata(path) {
        Ok(metadata) => metadata.permissions().mode(),
        Err(_) => 0o644,
    };
    file.set_permissions(std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set_permissions(_: &Path, _: &std::fs::File) -> std::io::Result<()> {
    Ok(())
}
