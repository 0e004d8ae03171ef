//! The sources that a command line names, as nvcc is to see them: where they are, but for those with directives that no preprocessor lets pass.
//!
//! ```text
//! k.cu     #CCC for            copy    #line 1 "k.cu"
//!                                      //#CCC for
//! ```

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::bytes;

use crate::diagnostics::Diagnostic;
use crate::failure::Failure;

/// The preprocessor's line marker: it names the file that the next lines are from.
static LINE_MARKER: LazyLock<bytes::Regex> = LazyLock::new(|| {
    bytes::Regex::new(r#"(?m-u)^(# [0-9]+ ")((?:[^"\\\n]|\\.)*)""#).expect("the pattern is a constant")
});

/// A source that is named on the command line.
pub(crate) struct Source {
    /// As it is named.
    pub(crate) name: String,
    /// Its text, for messages.
    pub(crate) text: String,
    /// The file that is preprocessed in its place, where directives are spelled `#CCC`.
    copy: Option<PathBuf>,
}

/// The sources of a compilation.
#[derive(Default)]
pub(crate) struct Sources {
    pub(crate) sources: Vec<Source>,
}

impl Sources {
    /// Reads the sources that are named, and copies to `scratch` what no preprocessor takes. What cannot be read is left to nvcc.
    ///
    /// # Errors
    /// A copy that cannot be written.
    pub(crate) fn of(names: &[&str], scratch: &Path) -> Result<Sources, Failure> {
        let mut sources = Vec::new();
        for name in names {
            let Ok(bytes) = fs::read(name) else { continue };
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let copy = match frontend::with_directives_in_comments(bytes) {
                Some(changed) => Some(copied(name, &changed, &scratch.join(sources.len().to_string()))?),
                None => None,
            };
            sources.push(Source { name: (*name).to_owned(), text, copy });
        }
        Ok(Sources { sources })
    }

    /// The name by which the user knows a file.
    pub(crate) fn known(&self, file: &str) -> String {
        let source = self.sources.iter().find(|source| source.copy.as_deref() == Some(Path::new(file)));
        // What stands beside a copied source without a folder is found in the current one, by another name than without the copy.
        let beside = || file.strip_prefix("./").filter(|_| self.sources.iter().any(|source| source.copy.is_some()));
        source.map_or_else(|| beside().unwrap_or(file).to_owned(), |source| source.name.clone())
    }

    /// Returns what a preprocessor wrote, with the files in its line markers as the user knows them.
    pub(crate) fn known_in_markers(&self, preprocessed: &[u8]) -> Vec<u8> {
        let rename = |found: &bytes::Captures<'_>| {
            let written = std::str::from_utf8(&found[2]).ok();
            let file = written.map(|file| self.known(file)).filter(|known| Some(known.as_str()) != written);
            file.map_or_else(|| found[0].to_vec(), |known| [&found[1], escaped(&known).as_bytes(), b"\""].concat())
        };
        LINE_MARKER.replace_all(preprocessed, rename).into_owned()
    }

    /// The source that a preprocessor reads.
    pub(crate) fn read_by(&self, line: &str) -> Option<&Source> {
        let is_named = |file: &Path| line.contains(&format!("\"{}\"", file.display()));
        let named =
            |source: &&Source| is_named(Path::new(&source.name)) || source.copy.as_deref().is_some_and(is_named);
        self.sources.iter().find(named)
    }

    /// A line of a preprocessor with the copies in the places of the sources.
    pub(crate) fn copied(&self, line: &str) -> String {
        let mut line = line.to_owned();
        for source in &self.sources {
            let Some(copy) = &source.copy else { continue };
            let folder = Path::new(&source.name).parent().filter(|folder| *folder != Path::new(""));
            let folder = folder.unwrap_or(Path::new("."));
            let base = format!("-Wno-builtin-macro-redefined \"-D__BASE_FILE__=\\\"{}\\\"\"", source.name);
            let instead = format!("{base} -iquote \"{}\" \"{}\"", folder.display(), copy.display());
            line = line.replace(&format!("\"{}\"", source.name), &instead);
        }
        line
    }
}

/// Writes what stands for a source into a folder.
fn copied(name: &str, text: &[u8], folder: &Path) -> Result<PathBuf, Failure> {
    let place = folder.join(Path::new(name).file_name().unwrap_or_default());
    let text = [named(name).as_bytes(), text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)].concat();
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(&place, text));
    written.map_err(|error| Diagnostic::error(format!("cannot write `{}`: {error}", place.display())))?;
    Ok(place)
}

/// The line by which a text is from a file.
fn named(name: &str) -> String {
    format!("#line 1 \"{}\"\n", escaped(name))
}

/// A file's name as it stands between quotes.
fn escaped(name: &str) -> String {
    name.replace('\\', "\\\\").replace('"', "\\\"")
}
