//! CUDA text on its way to nvcc, with the name that its messages are to carry.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// A `.cu` text and what is known about where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CudaSource {
    /// The text to compile: the user's, or a rewritten one with the same line numbers (`#line` may open it).
    pub text: String,
    /// The file as the user named it. Messages and `.loc` carry this name.
    pub name: String,
    /// The folder in which `#include "…"` is looked up: that of the user's file.
    pub include_dir: Option<PathBuf>,
    /// The text that the user wrote, if `text` is a rewritten version of it; columns of messages are checked against it.
    pub original: Option<String>,
    /// The file that has this text, byte for byte.
    pub path: Option<PathBuf>,
}

impl CudaSource {
    /// A text with no file behind it; its quoted includes are looked up nowhere.
    pub fn new(text: impl Into<String>, name: impl Into<String>) -> CudaSource {
        CudaSource { text: text.into(), name: name.into(), include_dir: None, original: None, path: None }
    }

    /// Reads a file. Bytes that are not UTF-8 (older sources have Latin-1 comments) become U+FFFD.
    ///
    /// # Errors
    /// [`Error::Missing`], [`Error::Directory`] or [`Error::Unreadable`].
    pub fn from_file(path: &Path) -> Result<CudaSource, Error> {
        let bytes = fs::read(path).map_err(|source| match source.kind() {
            ErrorKind::NotFound => Error::Missing { path: path.to_owned() },
            ErrorKind::IsADirectory => Error::Directory { path: path.to_owned() },
            _ => Error::Unreadable { path: path.to_owned(), source },
        })?;
        let include_dir = match path.parent() {
            Some(parent) if parent.as_os_str().is_empty() => Some(PathBuf::from(".")),
            other => other.map(Path::to_path_buf),
        };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Ok(CudaSource {
            text,
            name: path.display().to_string(),
            include_dir,
            original: None,
            path: Some(path.to_owned()),
        })
    }

    /// The same source with a rewritten text; the text it had becomes the original.
    #[must_use]
    pub fn rewritten(self, text: String) -> CudaSource {
        let original = self.original.or(Some(self.text));
        CudaSource { text, original, path: None, ..self }
    }

    /// The text with a `#line` on top, unless it brings its own, so that no message names a temporary file.
    pub(crate) fn text_for_nvcc(&self) -> String {
        let text = self.text.strip_prefix('\u{feff}').unwrap_or(&self.text);
        if text.starts_with("#line") {
            return text.to_owned();
        }
        let name: String = self.name.replace(['\n', '\r'], " ").replace('\\', "\\\\").replace('"', "\\\"");
        format!("#line 1 \"{name}\"\n{text}")
    }

    /// A file name for the temporary copy. nvcc builds symbol names from it, and hands it to a shell.
    pub(crate) fn stem(&self) -> String {
        let stem = Path::new(&self.name).file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        let safe: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).take(64).collect();
        if safe.is_empty() { "kernel".to_owned() } else { safe }
    }

    /// Refuses text that no compiler should see: on binary noise the preprocessor prints for minutes.
    pub(crate) fn check_is_text(&self) -> Result<(), Error> {
        match self.text.find('\0') {
            None => Ok(()),
            Some(at) => {
                let line = 1 + self.text.bytes().take(at).filter(|byte| *byte == b'\n').count();
                Err(Error::NotText { file: self.name.clone(), line })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_put_on_top_once() {
        let source = CudaSource::new("\u{feff}int x;\n", "a \"b\"\\c.cu");
        assert_eq!(source.text_for_nvcc(), "#line 1 \"a \\\"b\\\"\\\\c.cu\"\nint x;\n");
        let source = source.rewritten("#line 1 \"k.cu\"\nint y;\n".into());
        assert_eq!(source.text_for_nvcc(), "#line 1 \"k.cu\"\nint y;\n");
        assert_eq!(source.original.as_deref(), Some("\u{feff}int x;\n"));
    }

    #[test]
    fn stems_are_safe_for_a_shell() {
        assert_eq!(CudaSource::new("", "dir/-my $(kernel).v2.cu").stem(), "_my___kernel__v2");
        assert_eq!(CudaSource::new("", "").stem(), "kernel");
    }

    #[test]
    fn unusable_inputs_are_told_apart() {
        let dir = tempfile::tempdir().unwrap();
        assert!(matches!(CudaSource::from_file(dir.path()), Err(Error::Directory { .. })));
        assert!(matches!(CudaSource::from_file(&dir.path().join("no.cu")), Err(Error::Missing { .. })));
        let latin = dir.path().join("latin.cu");
        fs::write(&latin, b"// caf\xe9\n").unwrap();
        assert_eq!(CudaSource::from_file(&latin).unwrap().text, "// caf\u{fffd}\n");
        // A file used as a folder is neither missing nor a directory.
        assert!(matches!(CudaSource::from_file(&latin.join("x.cu")), Err(Error::Unreadable { .. })));
    }

    #[test]
    fn noise_is_refused_at_its_line() {
        let error = CudaSource::new("a\nb\0\n", "n.cu").check_is_text().unwrap_err();
        assert_eq!(error.to_string(), "n.cu:2: is not text: there is a NUL byte on this line");
    }
}
