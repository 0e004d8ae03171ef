//! `pxrw check`: what is wrong with PTX files, all of it in one run, without an assembler.

use std::path::Path;

use ptx_parser::{Finding, Level, Located, Module, Position};

use crate::Verdict;
use crate::arguments::Check;
use crate::diagnostics::{Diagnostic, Place, Severity};
use crate::failure::Failure;
use crate::output;
use crate::reports::check::{CheckReport, FileEntry, FindingEntry};

/// The most findings of a file that the text report shows; the rest is counted.
const SHOWN: usize = 100;

pub(crate) fn run(options: &Check) -> Result<Verdict, Failure> {
    let files = options.files.iter().map(|path| check(path)).collect::<Result<Vec<_>, Failure>>()?;
    let (texts, entries): (Vec<String>, Vec<FileEntry>) = files.into_iter().unzip();
    let report = CheckReport { files: entries };
    let text = output::shown(options.report, &report, || as_text(&report, &texts))?;
    output::write(None, text.as_bytes())?;
    Ok(if report.count(Severity::Error) > 0 { Verdict::Found } else { Verdict::Done })
}

/// Reads and checks a file; gives its text as well.
fn check(path: &Path) -> Result<(String, FileEntry), Failure> {
    let name = path.display().to_string();
    let bytes = read(path, &name)?;
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            let Position { line, column } = Position::of(&text, valid);
            let help = Some("PTX is ASCII; other characters may stand in comments and strings, as UTF-8".to_owned());
            let message = "the text is not UTF-8".to_owned();
            let findings = vec![FindingEntry { line, column, level: Severity::Error, message, help }];
            return Ok((text, FileEntry { file: name, kernels: 0, instructions: 0, findings }));
        }
    };
    let module = Module::parse(&text);
    // Of a text with errors there is no module to be had, so that it is read again by what goes on behind them.
    let findings = module.as_ref().map_or_else(|_| ptx_parser::check(&text), Module::check).iter().map(entry).collect();
    let bodies = module.iter().flat_map(Module::kernels).filter(|kernel| kernel.has_body());
    let (kernels, instructions) = bodies.fold((0, 0), |(n, all), kernel| (n + 1, all + kernel.inst_count()));
    Ok((text, FileEntry { file: name, kernels, instructions, findings }))
}

fn entry(finding: &Finding) -> FindingEntry {
    let Position { line, column } = finding.position().unwrap_or_default();
    let level = match finding.level() {
        Level::Error => Severity::Error,
        Level::Warning => Severity::Warning,
    };
    FindingEntry { line, column, level, message: finding.message(), help: finding.help() }
}

fn read(path: &Path, name: &str) -> Result<Vec<u8>, Failure> {
    let cuda = path.extension().is_some_and(|extension| extension == "cu" || extension == "cuh");
    if cuda {
        let error = Diagnostic::error(format!("`{name}` is CUDA source; this command reads PTX"));
        return Err(error.help("compile it with `nvcc -ptx` first").into());
    }
    if path.is_dir() {
        return Err(toolkit::Error::Directory { path: path.to_owned() }.into());
    }
    std::fs::read(path).map_err(|error| Diagnostic::error(format!("cannot read `{name}`: {error}")).into())
}

/// The findings with their source lines, then what there was in all.
fn as_text(report: &CheckReport, texts: &[String]) -> String {
    let mut out = String::new();
    for (entry, text) in report.files.iter().zip(texts) {
        let lines: Vec<&str> = text.split('\n').collect();
        for finding in entry.findings.iter().take(SHOWN) {
            let diagnostic = Diagnostic { severity: finding.level, ..Diagnostic::error(finding.message.as_str()) };
            let position = Position { line: finding.line, column: finding.column };
            let line = (finding.line as usize).checked_sub(1).and_then(|index| lines.get(index)).copied();
            let place = Place::in_line(&entry.file, line, position);
            let diagnostic = diagnostic.at(place).help(finding.help.as_deref().unwrap_or_default());
            out += &diagnostic.text();
            out.push_str("\n\n");
        }
        if let Some(more @ 1..) = entry.findings.len().checked_sub(SHOWN) {
            out += &format!("{}: {more} more findings are not shown\n\n", entry.file);
        }
    }
    out + &report.summary()
}
