//! From the file to its result, by the same crates and in the same order as the command line.

use anyhow::{Context, Result, anyhow, bail, ensure};
use ccc::{Options, Status};
use ptx_parser::Module;
use toolkit::CudaSource;

use super::compiler::toolkit;
use super::report;
use super::script::{Refused, Run, Script};

/// What came out.
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
    /// What was refused, and where the message points.
    pub(crate) refusals: Vec<Refused>,
}

/// Does what the script says.
pub(crate) fn run(script: &Script, text: &str, name: &str) -> Result<Outcome> {
    match &script.run {
        Run::Annotate => annotated(text, name),
        Run::Print => {
            let ptx = ptx_of(script, text, name)?;
            let module = Module::parse(&ptx).context("the PTX does not parse")?;
            ensure!(module.to_string() == ptx, "what is printed differs from what was read:\n{module}");
            Ok(Outcome {
                original: Some(module.clone()),
                result: Some(module),
                text: ptx,
                report: String::new(),
                refusals: Vec::new(),
            })
        }
        Run::Ssde => super::ssde::rewritten(&ptx_of(script, text, name)?),
        Run::Ccc(options) => rewritten(&ptx_of(script, text, name)?, options),
    }
}

fn annotated(text: &str, name: &str) -> Result<Outcome> {
    ensure!(name.ends_with(".cu"), "directives stand in CUDA source");
    let (text, errors) = match annotate::annotate(text, name) {
        // The prologue is the same for all files; checks are about the user's lines.
        Ok(annotated) => (
            annotated.text.lines().skip(annotated.prologue_lines).map(|line| format!("{line}\n")).collect(),
            Vec::new(),
        ),
        Err(errors) => (String::new(), errors),
    };
    let report = errors.iter().map(|error| format!("{}: {error}; {}\n", error.place(), error.help())).collect();
    let refusals = errors.iter().map(|error| Refused { line: error.place().line, text: error.to_string() }).collect();
    Ok(Outcome { original: None, result: None, text, report, refusals })
}

/// The PTX that is looked at: the file itself, or what nvcc makes of it.
fn ptx_of(script: &Script, text: &str, name: &str) -> Result<String> {
    if name.ends_with(".ptx") {
        return Ok(text.to_owned());
    }
    let annotated = annotate::annotate(text, name).map_err(|errors| {
        anyhow!("{}", errors.iter().map(|error| format!("{name}:{}: {error}\n", error.place())).collect::<String>())
    })?;
    let source = CudaSource::new(text, name).rewritten(annotated.text);
    Ok(toolkit()?.compile_to_ptx(&source, &script.arch, &[])?.ptx)
}

fn rewritten(ptx: &str, options: &Options) -> Result<Outcome> {
    let original = Module::parse(ptx).context("the PTX does not parse")?;
    let mut module = original.clone();
    let reports = ccc::rewrite_module(&mut module, options);
    let grids = reports.iter().filter_map(|report| report.grid.as_ref()).map(|grid| (&grid.status, grid.line));
    let regions = reports.iter().flat_map(|report| &report.regions).map(|region| (&region.status, region.line));
    let marked: Vec<_> = grids.chain(regions).collect();
    if marked.is_empty() {
        bail!("no marker reached the PTX:\n{ptx}");
    }
    let mut refusals = Vec::new();
    for (status, line) in &marked {
        let Status::Refused(refusal) = status else { continue };
        let line = match refusal.place() {
            Some(place) if place.line > 0 => place.line,
            Some(place) if place.ptx_line > 0 => place.ptx_line,
            _ => *line,
        };
        refusals.push(Refused { line: line as usize, text: refusal.to_string() });
    }
    let text = module.to_string();
    ensure!(refusals.len() < marked.len() || text == ptx, "everything was refused, but the PTX was changed:\n{text}");
    let result = Module::parse(&text).with_context(|| format!("the result does not parse:\n{text}"))?;
    Ok(Outcome { original: Some(original), result: Some(result), text, report: report::text(&reports), refusals })
}
