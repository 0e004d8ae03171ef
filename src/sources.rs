//! The sources of a compilation as nvcc is to see them: those with directives, and what includes headers with directives, in copies.
//!
//! ```text
//! kernel.cu          #include "path.cuh"         copy   #include "/scratch/1/path.cuh"
//!    └─ path.cuh     #CCC for … #CCC if …        copy   markers
//!          └─ grid.cuh                           as it is
//! ```
//!
//! A copy begins with `#line` and the name of the file that it stands for, so that messages, `__FILE__` and line numbers are about that.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use annotate::{Annotated, Directive};
use regex::{Captures, Regex, bytes};

use crate::diagnostics::{Diagnostic, Place};
use crate::failure::Failure;

static INCLUDE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?m)^([ \t]*#[ \t]*include[ \t]*)(?:"([^"\n]+)"|<([^>\n]+)>)"#).expect("the pattern is a constant")
});

/// What a preprocessor says of the file that the next lines are from.
static LINE_MARKER: LazyLock<bytes::Regex> = LazyLock::new(|| {
    bytes::Regex::new(r#"(?m-u)^(# [0-9]+ ")((?:[^"\\\n]|\\.)*)""#).expect("the pattern is a constant")
});

/// A source that is named on the command line.
pub(crate) struct Source {
    /// As it is named.
    pub(crate) name: String,
    /// Its text.
    pub(crate) text: String,
    /// Its directives; those of headers are for all who include them, and not missed if nothing comes of them here.
    pub(crate) directives: Vec<Directive>,
    /// The files that have directives, its headers among them, each with the number of its first one.
    pub(crate) homes: Vec<(u32, String)>,
    /// What is compiled in its place.
    pub(crate) copy: Option<PathBuf>,
}

/// What stands in the places of directives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Marks {
    /// The markers that the rewriter reads.
    Markers,
    /// Nothing: what is compiled is what there would be without them.
    None,
}

/// The sources of a compilation, and the files that stand for others in it.
#[derive(Default)]
pub(crate) struct Sources {
    pub(crate) sources: Vec<Source>,
    /// The files as the user knows them, by the names of the copies that stand for them, and by their whole paths.
    originals: BTreeMap<PathBuf, PathBuf>,
}

/// A file and those that it includes.
struct File {
    /// As it was come to.
    name: PathBuf,
    text: String,
    /// What is included by which words.
    includes: Vec<(String, PathBuf)>,
    /// Whether there may be a directive in it.
    marked: bool,
}

impl Sources {
    /// Reads the sources that are named, and copies what has to be copied to `scratch`.
    ///
    /// # Errors
    /// What is wrong with a directive; a copy that cannot be written.
    pub(crate) fn of(names: &[&str], folders: &[PathBuf], scratch: &Path, marks: Marks) -> Result<Sources, Failure> {
        let mut all = Sources::default();
        for name in names {
            all.add(name, read(Path::new(name), None, folders), scratch, marks)?;
        }
        Ok(all)
    }

    /// The same for one source whose text is known, and is read for directives whatever it looks like.
    ///
    /// # Errors
    /// As [`Sources::of`].
    pub(crate) fn of_text(name: &str, text: &str, scratch: &Path) -> Result<Sources, Failure> {
        let mut all = Sources::default();
        all.add(name, read(Path::new(name), Some(text), &[]), scratch, Marks::Markers)?;
        Ok(all)
    }

    /// Adds a source that was read with what it includes; none that could not be read.
    fn add(&mut self, name: &str, files: BTreeMap<PathBuf, File>, scratch: &Path, marks: Marks) -> Result<(), Failure> {
        let Some((path, main)) = files.iter().find(|(_, file)| file.name == Path::new(name)) else { return Ok(()) };
        let (name, text) = (name.to_owned(), main.text.clone());
        let mut source = Source { name, text, directives: Vec::new(), homes: Vec::new(), copy: None };
        self.copy((&files, marks), path, &mut source, scratch)?;
        self.sources.push(source);
        Ok(())
    }

    /// Whether any of them has directives.
    pub(crate) fn are_marked(&self) -> bool {
        self.sources.iter().any(|source| source.copy.is_some())
    }

    /// The name by which the user knows a file.
    pub(crate) fn known(&self, file: &str) -> String {
        self.originals.get(Path::new(file)).map_or_else(|| file.to_owned(), |file| file.display().to_string())
    }

    /// What a preprocessor wrote, with the files in its line markers as the user knows them.
    pub(crate) fn known_in_markers(&self, preprocessed: &[u8]) -> Vec<u8> {
        let quoted = |file: &Path| escaped(&file.display().to_string());
        let names: BTreeMap<String, String> =
            self.originals.iter().map(|(file, known)| (quoted(file), quoted(known))).collect();
        let rename = |found: &bytes::Captures<'_>| {
            let known = std::str::from_utf8(&found[2]).ok().and_then(|file| names.get(file));
            known.map_or_else(|| found[0].to_vec(), |known| [&found[1], known.as_bytes(), b"\""].concat())
        };
        LINE_MARKER.replace_all(preprocessed, rename).into_owned()
    }

    /// A line of a preprocessor with the copies in the places of the sources.
    pub(crate) fn copied(&self, line: &str) -> String {
        let mut line = line.to_owned();
        for source in &self.sources {
            let Some(copy) = &source.copy else { continue };
            let folder = Path::new(&source.name).parent().filter(|folder| *folder != Path::new(""));
            let folder = folder.unwrap_or(Path::new("."));
            let instead = format!("-iquote \"{}\" \"{}\"", folder.display(), copy.display());
            line = line.replace(&format!("\"{}\"", source.name), &instead);
        }
        line
    }

    /// Copies the files that have directives, and those that include them.
    fn copy(
        &mut self,
        (files, marks): (&BTreeMap<PathBuf, File>, Marks),
        source: &Path,
        main: &mut Source,
        scratch: &Path,
    ) -> Result<(), Failure> {
        let mut copies: BTreeMap<&Path, Annotated> = BTreeMap::new();
        let mut first = 1;
        let replace = match marks {
            Marks::Markers => annotate::annotate_from,
            Marks::None => annotate::without_directives,
        };
        for (path, file) in files.iter().filter(|(_, file)| file.marked) {
            let name = file.name.display().to_string();
            let annotated =
                replace(&file.text, &name, first).map_err(|errors| directive_errors(&name, &file.text, &errors))?;
            if !annotated.directives.is_empty() {
                main.homes.push((first, name));
                first += annotated.directives.len() as u32;
                copies.insert(path, annotated);
            }
        }
        // Whoever includes a copy has to be one.
        while let Some((path, file)) = files.iter().find(|(path, file)| {
            !copies.contains_key(path.as_path())
                && file.includes.iter().any(|(_, header)| copies.contains_key(header.as_path()))
        }) {
            let name = file.name.display().to_string();
            let text = named(&name, &file.text);
            copies.insert(path, Annotated { text, prologue_lines: 1, directives: Vec::new() });
        }
        if copies.is_empty() {
            return Ok(());
        }
        // Copies include by whole paths what is included by what stands beside the file.
        let whole = files.values().filter_map(|file| Some((std::path::absolute(&file.name).ok()?, file.name.clone())));
        self.originals.extend(whole);
        let begun = self.originals.len();
        let places: BTreeMap<&Path, PathBuf> = copies
            .keys()
            .enumerate()
            .filter_map(|(index, path)| {
                Some((*path, scratch.join((begun + index).to_string()).join(path.file_name()?)))
            })
            .collect();
        for (path, annotated) in copies {
            let (Some(file), Some(place)) = (files.get(path), places.get(path)) else { continue };
            let text = led(&annotated.text, file, (files, &places));
            let folder = place.parent().unwrap_or(scratch);
            let written = fs::create_dir_all(folder).and_then(|()| fs::write(place, text));
            written.map_err(|error| Diagnostic::error(format!("cannot write `{}`: {error}", place.display())))?;
            self.originals.insert(place.clone(), file.name.clone());
            if path == source {
                (main.copy, main.directives) = (Some(place.clone()), annotated.directives);
            }
        }
        Ok(())
    }
}

/// What is wrong with the directives of a file, as messages.
pub(crate) fn directive_errors(name: &str, text: &str, errors: &[annotate::Error]) -> Failure {
    let messages = errors.iter().map(|error| {
        let place = Place::in_text(name, text, error.place().line, error.place().column);
        Diagnostic::error(error.to_string()).at(place).help(error.help())
    });
    messages.collect::<Vec<_>>().into()
}

/// A text with the name of its file in `#line` on top.
pub(crate) fn named(name: &str, text: &str) -> String {
    format!("#line 1 \"{}\"\n{}", escaped(name), text.trim_start_matches('\u{feff}'))
}

/// A file's name as it stands between quotes.
fn escaped(name: &str) -> String {
    name.replace('\\', "\\\\").replace('"', "\\\"")
}

/// A text that includes copies where there are any, and what stands beside the file that it is from.
fn led(text: &str, file: &File, (files, places): (&BTreeMap<PathBuf, File>, &BTreeMap<&Path, PathBuf>)) -> String {
    let lead = |found: &Captures<'_>| {
        let words = found.get(2).or(found.get(3)).map_or("", |words| words.as_str());
        let header = file.includes.iter().find(|(included, _)| included == words).map(|(_, header)| header.as_path());
        let copy = header.and_then(|header| places.get(header).cloned());
        // Only what is quoted is looked for beside the file.
        let beside = || std::path::absolute(&files.get(header.filter(|_| found.get(2).is_some())?)?.name).ok();
        match copy.or_else(beside) {
            Some(place) => format!("{}\"{}\"", &found[1], place.display()),
            None => found[0].to_owned(),
        }
    };
    INCLUDE.replace_all(text, lead).into_owned()
}

/// Reads a file and all that it includes, as far as that is found beside it or in folders that the command line names. What cannot be read is left to nvcc.
/// Each is known by its path without links, so that one that is included in two ways is one. The text of the first may be known.
fn read(main: &Path, mut known: Option<&str>, folders: &[PathBuf]) -> BTreeMap<PathBuf, File> {
    let mut files = BTreeMap::new();
    let mut work = vec![main.to_owned()];
    while let Some(name) = work.pop() {
        let asked = known.is_some();
        let path = fs::canonicalize(&name).ok().or(asked.then(|| name.clone()));
        let Some(path) = path.filter(|path| !files.contains_key(path)) else { continue };
        let text = match known.take() {
            Some(text) => Some(text.to_owned()),
            None => fs::read(&name).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        };
        let Some(text) = text else { continue };
        let beside = name.parent().unwrap_or(Path::new(""));
        let mut includes = Vec::new();
        for found in INCLUDE.captures_iter(&text) {
            let quoted = found.get(2).map(|words| beside.join(words.as_str()));
            let words = found.get(2).or(found.get(3)).map_or("", |words| words.as_str());
            let mut places = quoted.into_iter().chain(folders.iter().map(|folder| folder.join(words)));
            let header =
                places.find_map(|place| fs::canonicalize(&place).ok().filter(|path| path.is_file()).zip(Some(place)));
            if let Some((path, place)) = header {
                work.push(place);
                includes.push((words.to_owned(), path));
            }
        }
        let marked = asked || text.contains("CCC");
        files.insert(path, File { name, text, includes, marked });
    }
    files
}
