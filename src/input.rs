//! From a file that the user named to PTX: read, compile, parse.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use frontend::{Compiled, Mistake};
use ptx_parser::{Module, Position};
use toolkit::{CudaSource, Progress, Search, StderrProgress, Toolkit};

use crate::arguments::CompilerArguments;
use crate::diagnostics::{Diagnostic, Place};
use crate::failure::{Failure, tool_message};
use crate::interruption;

/// The language of a file, by its name.
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
        if language == Language::Ptx && source.text.trim().is_empty() {
            let error = Diagnostic::error(format!("`{name}` is empty"));
            return Err(error.help("give it PTX, such as `nvcc -ptx` writes").into());
        }
        Ok(Input { name, language, source })
    }

    /// The text as it stands in the file.
    pub(crate) fn text(&self) -> &str {
        self.source.original.as_deref().unwrap_or(&self.source.text)
    }

    /// The options for nvcc with which this is compiled for an architecture.
    ///
    /// # Errors
    /// One that nvcc cannot be given here, or any for PTX.
    pub(crate) fn options(&self, compiler: &CompilerArguments, arch: &str) -> Result<Vec<OsString>, Failure> {
        if self.language == Language::Ptx {
            compiler.check_unused(&self.name)?;
        }
        compiler.for_nvcc(arch)
    }

    /// Compiles CUDA to PTX, as nvcc does with some options and with the markers of its directives; PTX is taken as it is. A toolkit is looked for only
    /// where it is needed.
    pub(crate) fn compile(
        self,
        arch: &str,
        options: &[OsString],
        toolkit: &mut LazyToolkit,
    ) -> Result<Compiled, Failure> {
        let (ptx_name, compiled) = match self.language {
            Language::Ptx => (self.name.clone(), Compiled::of_ptx(self.text().to_owned())),
            Language::Cuda => {
                let compiled = frontend::compile(&self.source, arch, options, toolkit.get()?);
                let said = compiled.map(|(compiled, messages)| {
                    for message in messages.iter().filter(|message| message.level == toolkit::Level::Warning) {
                        tool_message(message).print();
                    }
                    compiled
                });
                (format!("{} (as PTX)", self.name), said)
            }
        };
        let compiled = compiled.map_err(|error| {
            interruption::pass();
            failed(&ptx_name, error)
        })?;
        match compiled.mistakes.is_empty() {
            true => Ok(compiled),
            false => Err(compiled.mistakes.iter().map(mistake).collect::<Vec<_>>().into()),
        }
    }
}

/// Turns what keeps a file from being compiled into messages, which call the PTX `ptx`.
pub(crate) fn failed(ptx: &str, error: frontend::Error) -> Failure {
    match error {
        frontend::Error::Ptx { text, errors } => ptx_errors(ptx, &text, &errors),
        frontend::Error::Toolkit(error) => error.into(),
        error => Diagnostic::error(error.to_string()).into(),
    }
}

/// A mistake in a directive, as a message.
pub(crate) fn mistake(mistake: &Mistake) -> Diagnostic {
    let Mistake { file, error } = mistake;
    let text = std::fs::read(file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let Position { line, mut column } = error.span().position;
    // A directive that is spelled `#CCC` was read from a comment, which is two characters longer.
    let own = (line as usize).checked_sub(1).and_then(|index| text.lines().nth(index)).unwrap_or_default();
    let begin = own.chars().take_while(|c| c.is_whitespace()).count() + 1;
    let word = own.trim_start().strip_prefix('#').map(str::trim_start).and_then(|rest| rest.get(..3));
    if word.is_some_and(|word| word.eq_ignore_ascii_case("CCC")) && column as usize > begin {
        column = column.saturating_sub(2);
    }
    Diagnostic::located(file, &text, error).at(Place::in_text(file, &text, Position { line, column }))
}

/// The errors of the PTX reader, as messages.
pub(crate) fn ptx_errors(name: &str, text: &str, errors: &ptx_parser::Errors) -> Failure {
    errors.into_iter().map(|error| Diagnostic::located(name, text, error)).collect::<Vec<_>>().into()
}

/// Refuses PTX that the assembler would refuse.
pub(crate) fn refuse_errors(name: &str, text: &str, module: &Module) -> Result<(), Failure> {
    let errors = module.check().into_iter().filter(|finding| finding.level() == ptx_parser::Level::Error);
    let messages: Vec<Diagnostic> = errors.map(|error| Diagnostic::located(name, text, &error)).collect();
    if messages.is_empty() { Ok(()) } else { Err(messages.into()) }
}

/// The toolkit, found or installed when it is first asked for.
pub(crate) struct LazyToolkit {
    search: Search,
    found: Option<Toolkit>,
    /// The search is over; none was found if there is none.
    searched: bool,
}

impl LazyToolkit {
    pub(crate) fn new(cuda_path: Option<&PathBuf>) -> LazyToolkit {
        LazyToolkit { search: Search { nvcc: cuda_path.cloned(), ..Search::default() }, found: None, searched: false }
    }

    /// Looks for a toolkit, and fetches none.
    ///
    /// # Errors
    /// One that the user named cannot be used.
    pub(crate) fn is_there(&mut self) -> Result<bool, Failure> {
        self.locate()?;
        Ok(self.found.is_some())
    }

    /// Looks for a toolkit once; says what was passed over.
    fn locate(&mut self) -> Result<(), Failure> {
        if !self.searched {
            let survey = Toolkit::survey(&self.search)?;
            survey.notes.iter().for_each(|note| StderrProgress::default().note(note));
            (self.found, self.searched) = (survey.found, true);
        }
        Ok(())
    }

    pub(crate) fn get(&mut self) -> Result<&Toolkit, Failure> {
        self.locate()?;
        let toolkit = match self.found.take() {
            Some(toolkit) => toolkit,
            None => self.fetch()?,
        };
        Ok(self.found.insert(toolkit))
    }

    /// Fetches a toolkit. A signal that comes meanwhile leaves nothing of it behind, in `pxrw nvcc` too.
    fn fetch(&self) -> Result<Toolkit, Failure> {
        let _watched = interruption::watch_meanwhile();
        let found = Toolkit::install_if_reachable(&self.search.install_dir, &mut StderrProgress::default());
        Ok(found.inspect_err(|_| interruption::pass())?)
    }
}
