//! The output of results: to standard output, or to a file that is written completely or not at all.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;

use crate::arguments::common::ReportForm;
use crate::diagnostics::Diagnostic;
use crate::failure::Failure;

/// A report as JSON, with a line end behind it.
pub(crate) fn json(report: &impl Serialize) -> Result<String, Failure> {
    let json = serde_json::to_string_pretty(report);
    // A report that is not there must not pass for an empty one.
    json.map(|json| json + "\n").map_err(|error| {
        let title = format!("the report cannot be written as JSON: {error}");
        Diagnostic::error(title).help("this is a defect of pxrw, please report it; `--report text` has the same").into()
    })
}

/// A report in the form that was asked for. The text is only made if it is wanted.
pub(crate) fn shown(
    form: ReportForm,
    report: &impl Serialize,
    text: impl FnOnce() -> String,
) -> Result<String, Failure> {
    match form {
        ReportForm::Text => Ok(text()),
        ReportForm::Json => json(report),
    }
}

/// The number of columns for what goes to a file, or to standard output: those of a terminal, or as many as `COLUMNS` says of it. `None` for files and
/// pipes, where lines have any length.
pub(crate) fn width(output: Option<&Path>) -> Option<u16> {
    if output.is_some() || !std::io::stdout().is_terminal() {
        return None;
    }
    let said =
        std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).filter(|&columns: &u16| columns > 0);
    said.or_else(|| terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| width.0))
}

/// Prints a line on standard error. A standard error that is closed or full ends nothing.
pub(crate) fn stderr_line(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// Prints a text on standard error, as [`stderr_line`] does.
pub(crate) fn stderr_text(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Held while a file is written and not yet at its place.
static WRITING: Mutex<()> = Mutex::new(());

/// Waits for files that are being written, and holds back others until the result is dropped.
pub(crate) fn hold_writes() -> MutexGuard<'static, ()> {
    WRITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the one path of the place that a path leads to, by whatever spelling or link.
pub(crate) fn place(path: &Path) -> PathBuf {
    let end = behind_links(path);
    let in_folder = || Some(folder_of(&end).canonicalize().ok()?.join(end.file_name()?));
    path.canonicalize().ok().or_else(in_folder).unwrap_or_else(|| path.to_owned())
}

/// Returns where a path leads to if it is a symbolic link, to something or to nothing yet.
fn behind_links(path: &Path) -> PathBuf {
    let mut place = path.to_owned();
    // As many links as Linux follows.
    for _ in 0..40 {
        let Ok(next) = std::fs::read_link(&place) else { break };
        place = folder_of(&place).join(next);
    }
    place
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Checks that a file can be written as far as its folder goes, before there is anything to write.
///
/// # Errors
/// There is no such folder, or no file can be made in it.
pub(crate) fn check(output: Option<&Path>) -> Result<(), Failure> {
    let Some(path) = output else { return Ok(()) };
    let folder = folder_of(path);
    if !folder.is_dir() {
        let title = format!("cannot write `{}`: there is no folder `{}`", path.display(), folder.display());
        return Err(Diagnostic::error(title).help("make the folder, or name another file").into());
    }
    refusal(path).map_or(Ok(()), |error| Err(refused(path, &error)))
}

/// Checks that a result does not take the place of what it is made from.
///
/// # Errors
/// Both paths lead to one file.
pub(crate) fn check_apart(output: Option<&Path>, input: &Path) -> Result<(), Failure> {
    let Some(output) = output.filter(|output| !is_special(output) && place(output) == place(input)) else {
        return Ok(());
    };
    let title = format!("`{}` is the input, and the result would take its place", output.display());
    Err(Diagnostic::error(title).help("name another file").into())
}

/// Returns the reason for which no file can be made where a path leads to.
pub(crate) fn refusal(path: &Path) -> Option<std::io::Error> {
    let _complete = hold_writes();
    if is_special(path) { None } else { temporary_in(folder_of(&place(path))).err() }
}

/// Returns true for a device or pipe, such as /dev/null, which is no file that could be replaced.
fn is_special(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// Makes a file that goes away unless it is renamed.
fn temporary_in(folder: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let made = tempfile::Builder::new().prefix(".pxrw-").tempfile_in(folder);
    // The error has the name of the temporary file, which means nothing to the user.
    made.map_err(|error| error.kind().into())
}

/// Writes bytes to a file, or to standard output. A file is written beside its place first and then renamed, so that a full disk or an
/// interruption leaves what was there before. That place is where links lead: what is renamed to a link would take its place.
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
    write_files(&[(path, bytes)])
}

/// Writes several files, as [`write`] does: all of them, or none if one cannot be written.
pub(crate) fn write_files(files: &[(&Path, &[u8])]) -> Result<(), Failure> {
    let (special, plain): (Vec<_>, Vec<_>) = files.iter().partition(|(path, _)| is_special(path));
    {
        let _complete = hold_writes();
        let begin = |(path, bytes): (&Path, &[u8])| begin(path, bytes).map_err(|error| refused(path, &error));
        let begun: Vec<Begun> = plain.iter().map(|&&one| begin(one)).collect::<Result<_, _>>()?;
        for (one, (path, _)) in begun.into_iter().zip(&plain) {
            one.file.persist(&one.place).map_err(|error| refused(path, &error.error))?;
        }
    }
    special.iter().try_for_each(|(path, bytes)| std::fs::write(path, bytes).map_err(|error| refused(path, &error)))
}

/// A file that is written, and not yet at its place.
struct Begun {
    file: tempfile::NamedTempFile,
    place: PathBuf,
}

/// Writes a file beside its place.
fn begin(path: &Path, bytes: &[u8]) -> std::io::Result<Begun> {
    if path.is_dir() {
        return Err(std::io::Error::from(std::io::ErrorKind::IsADirectory));
    }
    let place = place(path);
    let mut file = temporary_in(folder_of(&place))?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    set_permissions(path, file.as_file())?;
    Ok(Begun { file, place })
}

/// Writes a file as compilers do: what is there is written over, through links and to devices, and keeps its permissions.
///
/// # Errors
/// The file cannot be opened or written.
pub(crate) fn overwrite(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    // A pipe may wait for its reader.
    let _complete = std::fs::metadata(path).map_or(true, |metadata| metadata.is_file()).then(hold_writes);
    std::fs::File::create(path)?.write_all(bytes)
}

fn refused(path: &Path, error: &std::io::Error) -> Failure {
    let title = format!("cannot write `{}`: {error}", path.display());
    let help = "nothing was written there; what was there before is unchanged; name a file in a folder that may be written and has room";
    Diagnostic::error(title).help(help).into()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_that_json_cannot_hold_is_an_error_and_not_nothing() {
        // Keys of JSON are texts, so that this map is none.
        let report = std::collections::BTreeMap::from([([1, 2], 3)]);
        let failure = json(&report).unwrap_err();
        assert!(failure.diagnostics[0].title.starts_with("the report cannot be written as JSON: "), "{failure:?}");
        assert_eq!(json(&[1, 2]).unwrap(), "[\n  1,\n  2\n]\n");
    }
}
