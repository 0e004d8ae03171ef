//! The command line of pxrw: arguments in, reports out. No algorithm lives here.
//!
//! A link to the program that is called `nvcc` or `pxrw-nvcc` is `pxrw nvcc`.
//!
//! Exit status: 0 done; 1 something was found or refused; 2 the input or the arguments are wrong; 128 and its number after a signal, 130 after Ctrl-C.

#![warn(clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::indexing_slicing))]

mod arguments;
mod commands;
mod cpp_text;
mod diagnostics;
mod failure;
mod input;
mod inputs;
mod interruption;
mod kernels;
mod launch_arguments;
mod machine_options;
mod output;
mod profile;
mod reconvergence;
mod reports;
mod sources;
mod target;

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anstream::ColorChoice;
use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::arguments::{Arguments, Command, Nvcc, is_nvccs, spelled};
use crate::commands::nvcc::Called;
use crate::diagnostics::Diagnostic;
use crate::failure::Failure;

fn main() -> ExitCode {
    let mut words = std::env::args_os();
    if words.next().is_some_and(|name| commands::nvcc::is_nvcc(Path::new(&name))) {
        let options = Nvcc { arguments: words.collect() };
        return ended(commands::nvcc::run(&options, Called::ByNvccsName));
    }
    let words: Vec<OsString> = std::env::args_os().collect();
    let words = if is_nvccs(&words) { words } else { spelled(words.into_iter()) };
    color(&words).write_global();
    let arguments = match Arguments::try_parse_from(&words) {
        Ok(arguments) => arguments,
        Err(error) => {
            let error = for_nvcc(error, &words);
            return ExitCode::from(if shown(&error) && !error.use_stderr() { 0 } else { 2 });
        }
    };
    if !matches!(arguments.command, Command::Nvcc(_)) {
        interruption::watch();
    }
    let outcome = match &arguments.command {
        Command::Annotate(options) => commands::annotate::run(options),
        Command::Ccc(options) => commands::ccc::run(options),
        Command::Check(options) => commands::check::run(options),
        Command::Cpu(options) => commands::cpu::run(options),
        Command::Fmt(options) => commands::fmt::run(options),
        Command::Lint(options) => commands::lint::run(options),
        Command::Run(options) => commands::run::run(options),
        Command::Ssde(options) => commands::ssde::run(options),
        Command::Bench(options) => commands::bench::run(options),
        Command::Report(options) => commands::report::run(options),
        Command::Toolkit(options) => commands::toolkit::run(options),
        Command::Nvcc(options) => return ended(commands::nvcc::run(options, Called::Command)),
    };
    interruption::pass();
    ended(outcome.map(ExitCode::from))
}

/// Says of an unknown option with one dash that nvcc's stand behind two.
fn for_nvcc(mut error: clap::Error, words: &[OsString]) -> clap::Error {
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidArg) else { return error };
    let is_short = unknown.starts_with('-') && !unknown.starts_with("--");
    let mut words = words.iter().filter_map(|word| word.to_str());
    let word = words.find(|word| is_short && word.len() > 2 && word.starts_with(unknown.as_str()));
    if let (ErrorKind::UnknownArgument, Some(word)) = (error.kind(), word) {
        let tip = format!("options for nvcc stand behind `--`: `-- {word}`");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// Prints what the reader of the arguments has to say: an error, `--help` or `--version`. Returns false if it cannot be written; a closed pipe has seen enough.
fn shown(message: &clap::Error) -> bool {
    let flushed = message.print().and_then(|()| std::io::stdout().flush());
    match flushed {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Diagnostic::error(format!("cannot write to standard output: {error}")).print();
            false
        }
        _ => true,
    }
}

/// Returns the last value of `--color`. It is read before all else, because errors in the other arguments are coloured by it too.
fn color(words: &[OsString]) -> ColorChoice {
    let nexts = words.iter().skip(1).map(Some).chain([None]);
    let values = words.iter().zip(nexts).take_while(|(word, _)| *word != "--");
    let values = values.filter_map(|(word, next)| match word.to_str()? {
        "--color" => next?.to_str(),
        word => word.strip_prefix("--color="),
    });
    match values.last() {
        Some("always") => ColorChoice::Always,
        Some("never") => ColorChoice::Never,
        _ => ColorChoice::Auto,
    }
}

/// The exit status of a command that ended, or failed, which is then said.
fn ended(outcome: Result<ExitCode, Failure>) -> ExitCode {
    match outcome {
        Ok(code) => code,
        Err(Failure { diagnostics }) => {
            for diagnostic in diagnostics {
                diagnostic.print();
            }
            ExitCode::from(2)
        }
    }
}

/// The result of a command, as its exit status.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// All was done.
    Done = 0,
    /// Something was found or refused.
    Found = 1,
    /// Something could not be read, which was said.
    Unreadable = 2,
    /// The user ended it: 128 and the number of the signal, as shells have it.
    Interrupted = 130,
}

impl From<Verdict> for ExitCode {
    fn from(verdict: Verdict) -> ExitCode {
        ExitCode::from(if verdict == Verdict::Interrupted { interruption::status() } else { verdict as u8 })
    }
}
