//! From the file to its result, by the same crates and in the same order as the command line.

use std::path::Path;

use annotate::{Marking, Unit};
use anyhow::{Context, Result, anyhow, bail, ensure};
use ccc::{Options, Status};
use frontend::Compiled;
use ptx_parser::{Located, Module};

use crate::saved::Build;

use super::report;
use super::script::{Refused, Run, Script};

/// The outcome of a rewrite.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The PTX before the rewrite; none for `annotate`.
    pub(crate) original: Option<Module>,
    /// The result, read again from its text: what runs is what ptxas gets.
    pub(crate) result: Option<Module>,
    /// The text of the result.
    pub(crate) text: String,
    /// The report.
    pub(crate) report: String,
    /// The refusals, each with the line that the message points at.
    pub(crate) refusals: Vec<Refused>,
}

impl Outcome {
    /// Returns true if the text is not that of the original.
    pub(crate) fn is_changed(&self) -> bool {
        self.original.as_ref().is_some_and(|original| original.to_string() != self.text)
    }

    /// Returns everything that came out: report and refusals in comments, and the text.
    pub(crate) fn whole(&self) -> String {
        let refused = self.refusals.iter().map(|Refused { line, text }| format!("refused line {line}: {text}\n"));
        let said = self.report.clone() + &refused.collect::<String>();
        let said: String = said.lines().map(|line| format!("//! {line}\n")).collect();
        match self.original.is_none() || self.is_changed() {
            true => said + &self.text,
            false => said + "//! unchanged\n",
        }
    }
}

/// Does what the script says.
pub(crate) fn run(script: &Script, text: &str, file: &Path, name: &str) -> Result<Outcome> {
    match &script.run {
        Run::Annotate => annotated(text, name),
        Run::Print => with_ptx(script, text, file, |compiled| printed(&compiled.ptx)),
        Run::Ssde => with_ptx(script, text, file, |compiled| super::ssde::rewritten(&compiled.ptx)),
        Run::Ccc(options) => with_ptx(script, text, file, |compiled| rewritten(compiled, options)),
    }
}

/// The text itself, once it was read.
fn printed(ptx: &str) -> Result<Outcome> {
    let module = Module::parse(ptx).context("the PTX does not parse")?;
    ensure!(module.to_string() == ptx, "what is printed differs from what was read:\n{module}");
    Ok(Outcome {
        original: Some(module.clone()),
        result: Some(module),
        text: ptx.to_owned(),
        report: String::new(),
        refusals: Vec::new(),
    })
}

/// The file with markers. Nothing of it is preprocessed, so that it shows what stands where.
fn annotated(text: &str, name: &str) -> Result<Outcome> {
    ensure!(name.ends_with(".cu"), "directives stand in CUDA source");
    let (unit, mistakes) = Unit::read(text, None, name).map_err(|error| anyhow!("{name}:{}: {error}", error.span()))?;
    let text = match mistakes.is_empty() {
        true => unit.marked(annotate::Options { marking: Marking::Rolled, constant_evaluation: true, without: &[] }),
        false => String::new(),
    };
    let report = mistakes
        .iter()
        .map(|error| format!("{}: {error}; {}\n", error.span(), error.help().unwrap_or_default()))
        .collect();
    let refusals = mistakes
        .iter()
        .map(|error| Refused { line: error.span().position.line as usize, text: error.to_string() })
        .collect();
    Ok(Outcome { original: None, result: None, text, report, refusals })
}

/// Does something with the PTX that is looked at: the file itself, or what nvcc made of it.
fn with_ptx(script: &Script, text: &str, file: &Path, work: impl Fn(&Compiled) -> Result<Outcome>) -> Result<Outcome> {
    if file.extension().is_some_and(|extension| extension == "ptx") {
        return work(&Compiled::of_ptx(text.to_owned()).context("the PTX does not parse")?);
    }
    Build::new(file, &script.arch, &[]).with(work)
}

fn rewritten(compiled: &Compiled, options: &Options) -> Result<Outcome> {
    let rewritten = compiled.rewrite(options);
    ensure!(rewritten.problems.is_empty(), "{}", rewritten.problems.concat());
    let reports: Vec<_> = rewritten.reports.into_iter().map(|report| report.kernel).collect();
    let grids = reports.iter().filter_map(|report| report.grid.as_ref()).map(|grid| (&grid.status, grid.line));
    let regions = reports.iter().flat_map(|report| &report.regions).map(|region| (&region.status, region.line));
    let marked: Vec<_> = grids.chain(regions).collect();
    if marked.is_empty() {
        bail!("no marker reached the PTX:\n{}", compiled.ptx);
    }
    let mut refusals = Vec::new();
    for (status, line) in &marked {
        let Status::Refused(refusal) = status else { continue };
        let line = match refusal.place() {
            Some(place) if place.source.line > 0 => place.source.line,
            Some(place) if place.ptx.line > 0 => place.ptx.line,
            _ => *line,
        };
        refusals.push(Refused { line: line as usize, text: refusal.to_string() });
    }
    let text = rewritten.module.to_string();
    let same = text == compiled.ptx;
    ensure!(refusals.len() < marked.len() || same, "everything was refused, but the PTX was changed:\n{text}");
    let result = Module::parse(&text).with_context(|| format!("the result does not parse:\n{text}"))?;
    let original = compiled.module.clone();
    Ok(Outcome { original: Some(original), result: Some(result), text, report: report::text(&reports), refusals })
}
