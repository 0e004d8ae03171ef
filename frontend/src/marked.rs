//! Compiles the marked text of a translation unit, beside what nvcc compiles.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use annotate::Marking;
use ptx_parser::Module;
use toolkit::{Step, Steps};

/// A translation unit with markers: compiled when it is first asked for.
#[derive(Debug)]
pub(crate) struct Marked {
    pub(crate) marking: Marking,
    text: Vec<u8>,
    module: OnceLock<Result<Module, String>>,
}

/// The compiler of a marked text.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) steps: Steps,
    /// The step that compiles the text without markers.
    pub(crate) compile: Step,
    /// The folder for temporary files.
    pub(crate) folder: PathBuf,
}

impl Marked {
    pub(crate) fn new(marking: Marking, text: Vec<u8>) -> Marked {
        Marked { marking, text, module: OnceLock::new() }
    }

    /// Compiles it when it is first asked for; the error says why the compiler makes nothing of it.
    pub(crate) fn module(&self, job: &Job) -> Result<&Module, &str> {
        self.module.get_or_init(|| compiled(job, self.marking, &self.text)).as_ref().map_err(String::as_str)
    }
}

fn compiled(job: &Job, marking: Marking, text: &[u8]) -> Result<Module, String> {
    let input = job.steps.preprocess_for(&job.compile).and_then(Step::output).map(Path::new);
    let input = input.ok_or("the compiler does not say what it reads")?;
    let folder = job.folder.join(format!("{marking:?}"));
    let file = folder.join(input.file_name().unwrap_or_default());
    let written = fs::create_dir_all(&folder).and_then(|()| fs::write(&file, text));
    written.map_err(|error| format!("cannot write `{}`: {error}", file.display()))?;
    let step = job.compile.compiling(input, &file, &folder);
    // What the compiler leaves behind where it fails goes with the folder.
    let mut steps = job.steps.clone();
    steps.environment.push(("TMPDIR".to_owned(), folder.display().to_string()));
    let (status, said) = steps.capture(&step.line).map_err(|error| error.to_string())?;
    let ptx = step.output().and_then(|output| fs::read(output).ok()).unwrap_or_default();
    let _ = fs::remove_dir_all(&folder);
    if !status.success() {
        let first =
            said.lines().find(|line| line.contains("error")).or_else(|| said.lines().find(|line| !line.is_empty()));
        return Err(format!(
            "the compiler does not take the markers: {}",
            first.unwrap_or("it ended without a message")
        ));
    }
    Module::parse(&String::from_utf8_lossy(&ptx))
        .map_err(|errors| format!("its PTX cannot be read: {}", errors.first()))
}
