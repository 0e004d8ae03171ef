//! From a file that the user named to PTX: read, annotate, compile, parse.

use std::path::{Path, PathBuf};

use annotate::Directive;
use ptx_parser::Module;
use toolkit::{CudaSource, Search, StderrProgress, Toolkit};

use crate::diagnostics::{Diagnostic, Place};
use crate::failure::{Failure, tool_message};
use crate::sources::{Sources, directive_errors, named};

/// What a file is, by its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Language {
    Cuda,
    Ptx,
}

/// A file that was read.
pub(crate) struct Input {
    /// As the user wrote it.
    pub(crate) name: String,
    pub(crate) language: Language,
    pub(crate) source: CudaSource,
}

/// PTX, and where it comes from.
pub(crate) struct Compiled {
    pub(crate) ptx: String,
    pub(crate) module: Module,
    /// The directives of a CUDA file.
    pub(crate) directives: Vec<Directive>,
}

impl Input {
    /// Reads a file; its name must end in `.cu` or `.ptx`.
    pub(crate) fn read(path: &Path) -> Result<Input, Failure> {
        let name = path.display().to_string();
        let language = match path.extension().and_then(|extension| extension.to_str()) {
            Some("cu" | "cuh" | "cpp" | "cc" | "cxx") => Language::Cuda,
            Some("ptx") => Language::Ptx,
            _ if path.is_dir() => return Err(toolkit::Error::Directory { path: path.to_owned() }.into()),
            _ => {
                let error = Diagnostic::error(format!("`{name}` is neither CUDA source nor PTX"));
                return Err(error.help("the name must end in `.cu` or `.ptx`").into());
            }
        };
        let source = CudaSource::from_file(path)?;
        Ok(Input { name, language, source })
    }

    /// The text as it stands in the file.
    pub(crate) fn text(&self) -> &str {
        self.source.original.as_deref().unwrap_or(&self.source.text)
    }

    /// Turns the directives into markers.
    pub(crate) fn annotate(&self) -> Result<annotate::Annotated, Failure> {
        annotate::annotate(self.text(), &self.name).map_err(|errors| directive_errors(&self.name, self.text(), &errors))
    }

    /// Turns the directives into markers, also those of headers, which are copied to `scratch` for that. The directives are the file's own.
    fn with_headers(&self, scratch: &Path) -> Result<(String, Vec<Directive>), Failure> {
        let mut sources = Sources::of_text(&self.name, self.text(), scratch)?;
        let copied = sources.sources.pop().and_then(|source| Some((source.copy?, source.directives)));
        let Some((copy, directives)) = copied else { return Ok((named(&self.name, self.text()), Vec::new())) };
        let text = std::fs::read_to_string(&copy)
            .map_err(|error| Diagnostic::error(format!("cannot read `{}`: {error}", copy.display())))?;
        Ok((text, directives))
    }

    /// Compiles CUDA to PTX; PTX is taken as it is. A toolkit is looked for only where it is needed.
    pub(crate) fn compile(self, arch: &str, toolkit: &mut LazyToolkit) -> Result<Compiled, Failure> {
        let (ptx, ptx_name, directives) = match self.language {
            Language::Ptx => (self.text().to_owned(), self.name.clone(), Vec::new()),
            Language::Cuda => {
                let scratch = tempfile::Builder::new()
                    .prefix("pxrw-")
                    .tempdir()
                    .map_err(|error| Diagnostic::error(format!("cannot make a folder for temporary files: {error}")))?;
                let (text, directives) = self.with_headers(scratch.path())?;
                for (directive, note) in directives.iter().flat_map(|d| d.notes.iter().map(move |note| (d, note))) {
                    let line = if note.line > 0 { note.line } else { directive.line };
                    let place = Place::in_text(&self.name, self.text(), line, note.column);
                    Diagnostic::warning(note.message.as_str()).at(place).print();
                }
                let source = self.source.clone().rewritten(text);
                let output = toolkit.get()?.compile_to_ptx(&source, arch, &[])?;
                for message in output.messages.iter().filter(|message| message.level == toolkit::Level::Warning) {
                    tool_message(message).print();
                }
                (output.ptx, format!("{} (as PTX)", self.name), directives)
            }
        };
        let module = Module::parse(&ptx).map_err(|errors| ptx_errors(&ptx_name, &ptx, &errors))?;
        Ok(Compiled { ptx, module, directives })
    }
}

/// The errors of the PTX reader, as messages.
pub(crate) fn ptx_errors(name: &str, text: &str, errors: &ptx_parser::Errors) -> Failure {
    let messages = errors.into_iter().map(|error| {
        let diagnostic = Diagnostic::error(error.message());
        let place = match error.position() {
            Some((line, column)) => Place::in_text(name, text, line as usize, column as usize),
            None => Place { file: name.to_owned(), line: 0, column: 0, text: None },
        };
        diagnostic.at(place).help(error.help().unwrap_or_default())
    });
    messages.collect::<Vec<_>>().into()
}

/// The toolkit, found or installed when it is first asked for.
pub(crate) struct LazyToolkit {
    search: Search,
    found: Option<Toolkit>,
}

impl LazyToolkit {
    pub(crate) fn new(cuda_path: Option<&PathBuf>) -> LazyToolkit {
        LazyToolkit { search: Search { nvcc: cuda_path.cloned(), ..Search::default() }, found: None }
    }

    pub(crate) fn get(&mut self) -> Result<&Toolkit, Failure> {
        let toolkit = match self.found.take() {
            Some(toolkit) => toolkit,
            None => Toolkit::locate_or_install(&self.search, &mut StderrProgress::default())?,
        };
        Ok(self.found.insert(toolkit))
    }
}
