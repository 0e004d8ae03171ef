//! `pxrw fmt`: PTX in the canonical layout.

use std::io::Read;
use std::path::{Path, PathBuf};

use ptx_parser::Module;

use crate::Verdict;
use crate::arguments::Fmt;
use crate::diagnostics::Diagnostic;
use crate::failure::Failure;
use crate::input::ptx_errors;
use crate::output;

/// A text, and its name in messages.
struct Source {
    name: String,
    path: Option<PathBuf>,
    text: String,
}

pub(crate) fn run(options: &Fmt) -> Result<Verdict, Failure> {
    if options.inputs.len() > 1 && !options.check && !options.in_place {
        let error = Diagnostic::error("several files cannot be written to one place");
        return Err(error.help("lay them out where they are with `--in-place`, or compare with `--check`").into());
    }
    output::check(options.output.as_deref())?;
    let sources = match options.inputs.as_slice() {
        [] => vec![standard_input()?],
        inputs => inputs.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?,
    };
    if options.in_place && sources.iter().any(|source| source.path.is_none()) {
        return Err(Diagnostic::error("standard input cannot be laid out in place").help("name a file").into());
    }
    // All files are read and laid out before one is written, so that wrong input changes nothing.
    let (mut layouts, mut diagnostics) = (Vec::new(), Vec::new());
    for source in &sources {
        match Module::parse(&source.text) {
            Ok(module) => layouts.push(module.canonical()),
            Err(errors) => diagnostics.extend(ptx_errors(&source.name, &source.text, &errors).diagnostics),
        }
    }
    if !diagnostics.is_empty() {
        return Err(diagnostics.into());
    }
    let mut verdict = Verdict::Done;
    for (source, layout) in sources.iter().zip(&layouts) {
        let same = source.text == *layout;
        if options.check {
            if !same {
                verdict = Verdict::Found;
                let difference = first_difference(&source.text, layout);
                output::stderr_line(&format!("{}: not in canonical layout{difference}", source.name));
            }
        } else if options.in_place {
            if !same {
                output::write(source.path.as_deref(), layout.as_bytes())?;
            }
        } else {
            output::write(options.output.as_deref(), layout.as_bytes())?;
        }
    }
    Ok(verdict)
}

/// Returns where two texts first differ.
fn first_difference(text: &str, layout: &str) -> String {
    // A text without its final line break has the same lines.
    let line = text.lines().zip(layout.lines()).position(|(one, other)| one != other);
    let line = line.unwrap_or_else(|| text.lines().count().min(layout.lines().count()));
    format!(" from line {}", line + 1)
}

fn read(path: &Path) -> Result<Source, Failure> {
    if path == Path::new("-") {
        return standard_input();
    }
    let name = path.display().to_string();
    match std::fs::read(path) {
        Ok(bytes) => source(name, Some(path.to_owned()), bytes),
        Err(error) => Err(Diagnostic::error(format!("cannot read `{name}`: {error}")).into()),
    }
}

fn standard_input() -> Result<Source, Failure> {
    let mut bytes = Vec::new();
    match std::io::stdin().lock().read_to_end(&mut bytes) {
        Ok(_) => source("standard input".to_owned(), None, bytes),
        Err(error) => Err(Diagnostic::error(format!("cannot read standard input: {error}")).into()),
    }
}

fn source(name: String, path: Option<PathBuf>, bytes: Vec<u8>) -> Result<Source, Failure> {
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Source { name, path, text }),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let error = Diagnostic::error(format!("`{name}` is not UTF-8 text: byte {at} cannot be read"));
            Err(error.help("PTX is text; is this a cubin or a fatbin?").into())
        }
    }
}
