//! `pxrw nvcc`: stands in for nvcc in a build, and rewrites the PTX of each architecture on its way.
//!
//! ```text
//! nvcc --dryrun …      preprocess ── compile ─────────────┬── assemble ── pack ── host ── link
//!                          │                              │
//!                     directives ── compile again ── rewritten kernels
//! ```
//!
//! Where there is nothing to do, without a directive and without `--pxrw=ssde`, nvcc itself takes the place of this process.
//! [`launch`] has what may stand before nvcc, [`signals`] what signals do.

mod build;
mod launch;
mod line;
mod rewrite;
mod scan;
mod signals;
mod standard_input;

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Mutex;

use clap::CommandFactory;
use toolkit::{Dryrun, Step, Steps, exit_code};

use ptx_parser::Position;

use crate::arguments::{Arguments, Nvcc};
use crate::diagnostics::{Diagnostic, Place};
use crate::failure::Failure;
use crate::input::LazyToolkit;
use crate::output;
use crate::reports::nvcc::Reports;
use crate::sources::Sources;
use build::Build;
use launch::Kind;
use line::Line;
use rewrite::Rewriter;
use signals::Imitated;
use standard_input::StandardInput;

pub(crate) use launch::is_nvcc;

/// The ways to call this program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Called {
    /// As `pxrw nvcc`.
    Command,
    /// By the name of nvcc, through a link.
    ByNvccsName,
}

/// Runs the command.
///
/// # Errors
/// The arguments or a directive are wrong; nvcc cannot be found; a file cannot be written.
pub(crate) fn run(options: &Nvcc, called: Called) -> Result<ExitCode, Failure> {
    let ended = compile(options, called);
    // What failed because a signal ended the steps is not told.
    signals::pass();
    ended
}

fn compile(options: &Nvcc, called: Called) -> Result<ExitCode, Failure> {
    let chosen = std::env::var("PXRW").ok().filter(|list| !list.is_empty());
    let mut line = match called {
        Called::Command => Line::read(&options.arguments, chosen.as_deref())?,
        Called::ByNvccsName => Line::read_as_nvcc(&options.arguments, chosen.as_deref())?,
    };
    launch::note_call();
    line.arguments.iter().filter(|argument| has_unreadable_name(argument)).for_each(|name| warn_of_name(name));
    let mut toolkit = LazyToolkit::new(line.compiler.as_ref());
    if let Some(answer) = answer_without_nvcc(&line, &mut toolkit)? {
        return Ok(answer);
    }
    if line.asks_identity {
        let identity = launch::identity([nvcc(&line, &mut toolkit)?.as_path()], line.rewrites);
        output::write(None, format!("{identity}\n").as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(launcher) = line.launcher.as_ref().filter(|launcher| launcher.kind != Kind::Sccache) {
        return launch::run(launcher, &line, &mut toolkit);
    }
    if !line.only_asks() && !line.has(&["-E", "--preprocess", "-M", "--generate-dependencies", "-MM"]) {
        warn_of_host_sources(&line);
    }
    let by_sccache = line.is_dryrun() && launch::is_sccache_asking();
    if !by_sccache && line.standard_input().is_none() && (line.only_asks() || line.sources().is_empty()) {
        return Err(become_nvcc(&nvcc(&line, &mut toolkit)?, &line, None));
    }
    // What signals do while it is fetched is not what they do while it runs.
    nvcc(&line, &mut toolkit)?;
    let scratch = signals::make_scratch(Imitated::Nvcc);
    // nvcc needs one too, and says so in its own way.
    let Ok(scratch) = scratch else { return Err(become_nvcc(&nvcc(&line, &mut toolkit)?, &line, None)) };
    let input = StandardInput::read(&mut line, scratch.path())?;
    let names = line.sources();
    let marked = scan::may_have_directives(&names, &line.all_words);
    if !marked && !line.rewrites.ssde {
        let nvcc = nvcc(&line, &mut toolkit)?;
        let input = input.map(|input| input.reopen(&mut line.arguments)).transpose()?;
        drop(scratch);
        return Err(become_nvcc(&nvcc, &line, input));
    }
    if by_sccache {
        let error = Diagnostic::error("sccache runs nvcc's steps itself, so that nothing would be rewritten");
        return Err(error.help("put pxrw before it: `pxrw nvcc sccache nvcc ...`").into());
    }
    let sources = Sources::of(&names, scratch.path())?;
    signals::pass();
    let steps = match Steps::of(&nvcc(&line, &mut toolkit)?, &line.untimed(), scratch.path())? {
        Dryrun::Steps(mut steps) => {
            let preprocessors = steps.steps.iter_mut().filter(|step| step.preprocesses());
            preprocessors.for_each(|step| step.line = sources.copied(&step.line));
            // nvcc removes what its steps leave behind where they fail.
            steps.environment.push(("TMPDIR".to_owned(), scratch.path().display().to_string()));
            steps
        }
        Dryrun::Ended(status, said) => {
            signals::settle(status);
            signals::pass();
            output::stderr_text(&said);
            return Ok(ExitCode::from(exit_code(status)));
        }
    };
    let outputs = steps.steps.iter().filter_map(Step::output).map(PathBuf::from);
    signals::guard_outputs(outputs.filter(|output| !output.starts_with(scratch.path())));
    let rewriter = Rewriter {
        rewrites: line.rewrites,
        toolkit: signals::settle_failed(toolkit.get())?,
        relocatable: line.is_relocatable(),
        reports: Reports::of(std::env::var_os("PXRW_REPORT")),
        said: Mutex::default(),
        unread: Mutex::default(),
    };
    // A signal leaves nothing behind if everything temporary is in one folder.
    let _ = tempfile::env::override_temp_dir(scratch.path());
    let build = Build { line: &line, steps: &steps, sources: &sources, rewriter: &rewriter, scratch: scratch.path() };
    build.run().map(ExitCode::from)
}

/// Answers what needs no compilation where there is no nvcc, so that none is fetched for it: `--help`, `--version`, and a command line without an
/// input, or with a source that does not exist. `None` for all else.
fn answer_without_nvcc(line: &Line, toolkit: &mut LazyToolkit) -> Result<Option<ExitCode>, Failure> {
    let asks = |names: &[&str]| line.has(names);
    let (help, version) = (asks(&["--help", "-h"]), asks(&["--version", "-V"]));
    let problem = match line.missing_source() {
        Some(source) => Some(format!("`{source}` is not there")),
        None => (!line.has_input()).then(|| "no input file is named".to_owned()),
    };
    let answers = help || version || problem.is_some();
    if line.compiler.is_some() || line.launcher.is_some() || line.asks_identity || !answers || toolkit.is_there()? {
        return Ok(None);
    }
    let fetched =
        "no nvcc is found, and none is fetched for this; `pxrw toolkit install` fetches one, and so does a compilation";
    if let Some(problem) = problem.filter(|_| !help && !version) {
        let error = Diagnostic::error(problem).note(fetched);
        return Err(error.help("name a source, as in `pxrw nvcc -c kernel.cu`").into());
    }
    let mut command = Arguments::command();
    let text = match command.find_subcommand_mut("nvcc").filter(|_| help) {
        Some(nvcc) => nvcc.clone().bin_name("pxrw nvcc").render_long_help().to_string(),
        None => command.render_version(),
    };
    output::write(None, text.as_bytes())?;
    Diagnostic::remark(fetched).print();
    Ok(Some(ExitCode::SUCCESS))
}

/// The compiler that the command line begins with, or that the toolkit has.
fn nvcc(line: &Line, toolkit: &mut LazyToolkit) -> Result<std::path::PathBuf, Failure> {
    match &line.compiler {
        Some(compiler) => Ok(compiler.clone()),
        None => Ok(toolkit.get()?.nvcc.clone()),
    }
}

/// Goes on as nvcc, called by sccache if the command line says so; returns only the reason why that cannot be.
fn become_nvcc(nvcc: &Path, line: &Line, input: Option<File>) -> Failure {
    let mut command = match &line.launcher {
        Some(launcher) => Command::new(&launcher.program),
        None => Command::new(nvcc),
    };
    if line.launcher.is_some() {
        command.arg(nvcc);
    }
    if let Some(input) = input {
        command.stdin(input);
    }
    let error = command.args(&line.arguments).exec();
    Diagnostic::error(format!("cannot start {}: {error}", command.get_program().display())).into()
}

/// Returns true for a CUDA source with a directive whose name is not UTF-8. nvcc's own list of steps cannot name it.
fn has_unreadable_name(argument: &OsStr) -> bool {
    argument.to_str().is_none()
        && Path::new(argument).extension().is_some_and(|extension| extension == "cu")
        && std::fs::read(argument).is_ok_and(|text| launch::has_directive(&text))
}

/// Says of sources that no code for a GPU is made of that their directives are not read.
fn warn_of_host_sources(line: &Line) {
    for name in line.host_sources() {
        let Ok(text) = std::fs::read(name) else { continue };
        let text = String::from_utf8_lossy(&text);
        if let Some(first) = annotate::written(&text, name).first() {
            Diagnostic::warning("the directives are not read: the source is compiled for the host alone")
                .at(Place::in_text(name, &text, Position::new(first.line, 0)))
                .help("give it the extension `.cu`, or compile it with `-x cu`")
                .print();
        }
    }
}

fn warn_of_name(name: &OsStr) {
    let title = format!("`{}` is not rewritten: its name is not UTF-8", name.to_string_lossy());
    Diagnostic::warning(title).help("rename the file").print();
}

/// Says that an option leaves no path that could be collected.
fn explain_local_memory(line: &Line) -> Diagnostic {
    let (option, instead) = match line.has(&["-G", "--device-debug"]) {
        true => ("-G", "; `-lineinfo` keeps the line numbers"),
        false => ("-Xcicc -O0", ""),
    };
    let title = format!("no path is collected: with `{option}` the compiler keeps every variable in local memory");
    Diagnostic::warning(title).help(format!("compile without `{option}` what is to be rewritten{instead}"))
}
