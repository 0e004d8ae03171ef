//! The command line of pxrw: arguments in, reports out. No algorithm lives here.
//!
//! A link to the program that is called `nvcc` or `pxrw-nvcc` is `pxrw nvcc`.
//!
//! Exit status: 0 done; 1 something was found or refused; 2 the input or the arguments are wrong; 130 interrupted.

mod arguments;
mod commands;
mod diagnostics;
mod failure;
mod input;
mod kernels;
mod launch_arguments;
mod machine_options;
mod output;
mod profile;
mod reconvergence;
mod reports;
mod sources;
mod target;

use std::path::Path;
use std::process::ExitCode;

use clap::Parser;

use crate::arguments::{Arguments, Command, Nvcc};
use crate::commands::nvcc::Called;
use crate::failure::Failure;

fn main() -> ExitCode {
    let mut words = std::env::args_os();
    if words.next().is_some_and(|name| commands::nvcc::is_nvcc(Path::new(&name))) {
        let options = Nvcc { arguments: words.collect() };
        return ended(commands::nvcc::run(&options, Called::ByNvccsName));
    }
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // `--help` and `--version` are no errors; a closed pipe behind them neither.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    let outcome = match &arguments.command {
        Command::Annotate(options) => commands::annotate::run(options),
        Command::Ccc(options) => commands::ccc::run(options),
        Command::Check(options) => commands::check::run(options),
        Command::Fmt(options) => commands::fmt::run(options),
        Command::Lint(options) => commands::lint::run(options),
        Command::Run(options) => commands::run::run(options),
        Command::Ssde(options) => commands::ssde::run(options),
        Command::Bench(options) => commands::bench::run(options),
        Command::Report(options) => commands::report::run(options),
        Command::Toolkit(options) => commands::toolkit::run(options),
        Command::Nvcc(options) => return ended(commands::nvcc::run(options, Called::Command)),
    };
    ended(outcome.map(|verdict| ExitCode::from(verdict as u8)))
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

/// What a command came to, as its exit status.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// All was done.
    Done = 0,
    /// Something was found or refused.
    Found = 1,
    /// The user ended it: 128 and the number of the signal, as shells have it.
    Interrupted = 130,
}
