//! Compiles the marked text of a translation unit, beside what nvcc compiles.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use annotate::Marking;
use ptx_parser::Module;
use toolkit::{Step, Steps};

use crate::directives::{Located, Source};
use crate::internal_names;

/// The reason why there is no PTX of a marked text that was not saved.
const NOT_SAVED: &str = "the PTX of this way of marking was not saved";

/// A translation unit with markers: compiled when it is first asked for.
#[derive(Debug)]
pub(crate) struct Marked {
    pub(crate) marking: Marking,
    text: Vec<u8>,
    compiled: OnceLock<Result<Text, String>>,
    module: OnceLock<Result<Taken, String>>,
}

/// The PTX that the compiler makes of a marked text.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) ptx: String,
    /// The loops that are left unmarked, with what the compiler says of them.
    pub(crate) not_taken: BTreeMap<u32, String>,
}

/// A marked text as the compiler leaves it.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) module: Module,
    /// The loops that are left unmarked, because the compiler does not take their markers, with what it says of them.
    pub(crate) not_taken: BTreeMap<u32, String>,
}

/// The origin of marked texts.
#[derive(Debug)]
pub(crate) enum Origin {
    /// There are none: the module is PTX, and may have its markers already.
    Ptx,
    /// The compiler makes them.
    Compiler(Box<Job>),
    /// The compiler made them before.
    Saved,
}

/// The compiler of a marked text.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) steps: Steps,
    /// The step that compiles the text without markers.
    pub(crate) compile: Step,
    /// The folder for temporary files.
    pub(crate) folder: PathBuf,
    /// The text that is marked.
    pub(crate) source: Source,
}

impl Marked {
    pub(crate) fn new(marking: Marking, text: Vec<u8>) -> Marked {
        Marked { marking, text, compiled: OnceLock::new(), module: OnceLock::new() }
    }

    /// One that was compiled before.
    pub(crate) fn compiled(marking: Marking, compiled: Result<Text, String>) -> Marked {
        Marked { marking, text: Vec::new(), compiled: OnceLock::from(compiled), module: OnceLock::new() }
    }

    /// Returns what was made of it; `None` until it is asked for.
    pub(crate) fn asked(&self) -> Option<Result<&Text, &str>> {
        self.compiled.get().map(|compiled| compiled.as_ref().map_err(String::as_str))
    }

    /// Returns true if it was asked for and is not among what was saved.
    pub(crate) fn is_missing(&self) -> bool {
        matches!(self.asked(), Some(Err(NOT_SAVED)))
    }

    /// Compiles it when it is first asked for; the error says why the compiler makes nothing of it.
    pub(crate) fn ptx(&self, origin: &Origin, directives: &[Located]) -> Result<&Text, &str> {
        let compiled = self.compiled.get_or_init(|| match origin {
            Origin::Compiler(job) => self.taken(job, directives),
            Origin::Saved | Origin::Ptx => Err(NOT_SAVED.to_owned()),
        });
        compiled.as_ref().map_err(String::as_str)
    }

    /// Compiles and reads it, with the internal names of `plain`, the PTX of the text without markers.
    pub(crate) fn module(&self, origin: &Origin, directives: &[Located], plain: &str) -> Result<&Taken, &str> {
        let module = self.module.get_or_init(|| {
            let Text { ptx, not_taken } = self.ptx(origin, directives)?;
            let module = Module::parse(&internal_names::renamed(ptx.clone(), plain))
                .map_err(|errors| format!("its PTX cannot be read: {}", errors.first()))?;
            Ok(Taken { module, not_taken: not_taken.clone() })
        });
        module.as_ref().map_err(String::as_str)
    }

    /// Compiles it, without the loops in which the compiler finds something wrong: a `reduce` of a variable that does not exist.
    fn taken(&self, job: &Job, directives: &[Located]) -> Result<Text, String> {
        let mut not_taken = BTreeMap::new();
        let mut compiled = compiled(job, self.marking, &self.text);
        while let Err(Problem::Rejected { first, line: Some((file, line)) }) = &compiled {
            let above =
                |one: &&Located| one.file == *file && one.directive.line.min(one.directive.target_line) <= *line;
            let Some(wrong) = directives.iter().filter(above).max_by_key(|one| one.directive.line) else { break };
            let number = wrong.directive.loop_id.unwrap_or(wrong.directive.id);
            if not_taken.insert(number, first.clone()).is_some() {
                break;
            }
            let without: Vec<u32> = not_taken.keys().copied().collect();
            let Some(text) = job.source.marked(self.marking, &without) else { break };
            compiled = self::compiled(job, self.marking, &text);
        }
        match compiled {
            Ok(ptx) => Ok(Text { ptx, not_taken }),
            Err(problem) => Err(problem.to_string()),
        }
    }
}

/// The reason why nothing comes of a marked text.
#[derive(Debug)]
enum Problem {
    /// The compiler finds something wrong: what it says first, without the place, and the file and line of that.
    Rejected { first: String, line: Option<(String, usize)> },
    /// Something else.
    Other(String),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Other(what) => f.write_str(what),
            Problem::Rejected { first, line: None } => write!(f, "the compiler does not take the markers: {first}"),
            Problem::Rejected { first, line: Some((file, line)) } => {
                write!(f, "the compiler does not take the markers: {file}({line}): {first}")
            }
        }
    }
}

impl Problem {
    /// Reads what the compiler says: `k.cu(7): error: identifier "s" is undefined`.
    fn rejected(said: &str) -> Problem {
        let first =
            said.lines().find(|line| line.contains("error")).or_else(|| said.lines().find(|line| !line.is_empty()));
        let first = first.unwrap_or("it ended without a message");
        let placed = first.split_once("): ").and_then(|(place, what)| {
            let (file, line) = place.rsplit_once('(')?;
            Some((what.to_owned(), (file.to_owned(), line.parse().ok()?)))
        });
        match placed {
            Some((what, line)) => {
                let what = what.strip_prefix("error: ").unwrap_or(&what).to_owned();
                Problem::Rejected { first: what, line: Some(line) }
            }
            None => Problem::Rejected { first: first.to_owned(), line: None },
        }
    }
}

fn compiled(job: &Job, marking: Marking, text: &[u8]) -> Result<String, Problem> {
    let input = job.steps.preprocess_for(&job.compile).and_then(Step::output).map(Path::new);
    let input = input.ok_or_else(|| Problem::Other("the compiler does not say what it reads".to_owned()))?;
    let folder = job.folder.join(format!("{marking:?}"));
    let file = folder.join(input.file_name().unwrap_or_default());
    let written = fs::create_dir_all(&folder).and_then(|()| fs::write(&file, text));
    written.map_err(|error| Problem::Other(format!("cannot write `{}`: {error}", file.display())))?;
    let step = job.compile.compiling(input, &file, &folder);
    // What the compiler leaves behind where it fails goes with the folder.
    let mut steps = job.steps.clone();
    steps.environment.push(("TMPDIR".to_owned(), folder.display().to_string()));
    let (status, said) = steps.capture(&step.line).map_err(|error| Problem::Other(error.to_string()))?;
    let ptx = step.output().and_then(|output| fs::read(output).ok()).unwrap_or_default();
    let _ = fs::remove_dir_all(&folder);
    if !status.success() {
        return Err(Problem::rejected(&said));
    }
    Ok(String::from_utf8_lossy(&ptx).into_owned())
}
