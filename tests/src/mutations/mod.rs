//! Mutated PTX: the parser and its checks against ptxas.
//!
//! A text that ptxas accepts is changed at one random place ([`Mutation`]), and both are asked what they think of it. Nothing
//! that ptxas accepts may be refused, nothing that it refuses for its syntax may be accepted, and what both refuse should be
//! reported at the line that is wrong.
//!
//! Everything follows from a seed.

mod mutation;
mod table;
mod tokens;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use ptx_parser::{Level, Located, Module};
use toolkit::{Judgement, Toolkit};

pub use mutation::{Kind, Mutation, Source};
pub use table::{Row, Table};

use crate::generate::Random;

/// A PTX text that is mutated.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The name in messages.
    pub name: String,
    /// The PTX text.
    pub text: String,
    /// The architecture for which it is assembled.
    arch: String,
}

impl Sample {
    /// Takes a text that both accept as it is.
    ///
    /// # Errors
    /// One of the two refuses it, or ptxas cannot be run.
    pub fn new(name: &str, text: String, toolkit: &Toolkit) -> Result<Sample> {
        let sample = Sample { name: name.to_owned(), arch: arch(&text), text };
        match (ours(&sample.text).first(), toolkit.judge(&sample.text, &sample.arch)?) {
            (Some(error), _) => Err(anyhow!("{name}:{}: {}", error.line, error.message)),
            (None, Judgement::Accepted) => Ok(sample),
            (None, Judgement::Refused(errors)) => Err(anyhow!("{name}: ptxas: {}", errors[0])),
            (None, Judgement::Crashed(how)) => Err(anyhow!("{name}: ptxas: {how}")),
        }
    }
}

/// The samples of the parser's own tests.
///
/// # Errors
/// Their folder cannot be read.
pub fn own_samples() -> Result<Vec<PathBuf>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ptx-parser/tests/data");
    let entries = std::fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "ptx"));
    files.sort();
    Ok(files)
}

/// The first architecture that a text names, or the oldest one that is still assembled.
fn arch(text: &str) -> String {
    let target = text.split_once(".target").and_then(|(_, behind)| behind.lines().next()).unwrap_or("");
    let mut words = target.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let number = |word: &str| word.strip_prefix("sm_")?.trim_end_matches(['a', 'f']).parse::<u32>().ok();
    let found =
        words.find(|word| number(word).is_some()).filter(|word| number(word).is_some_and(|number| number >= 75));
    found.unwrap_or("sm_75").to_owned()
}

/// An error of ours.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Complaint {
    /// Its line, counted from 1.
    pub line: u32,
    /// The message.
    pub message: String,
}

/// Returns what the parser refuses in a text, or else what its checks do.
#[must_use]
pub fn ours(text: &str) -> Vec<Complaint> {
    match Module::parse(text) {
        Err(errors) => errors.into_iter().map(complaint).collect(),
        Ok(module) => {
            let findings = module.check().into_iter().filter(|finding| finding.level() == Level::Error);
            findings.map(|finding| complaint(&finding)).collect()
        }
    }
}

fn complaint(error: &impl Located) -> Complaint {
    Complaint { line: error.position().map_or(0, |at| at.line), message: error.message() }
}

/// The comparison of our verdict with that of ptxas.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Verdict {
    /// The mutation did no harm.
    BothAccept,
    /// Both refuse, and our first error is at ptxas's line or at the line of the mutation (or beside it, where nothing is left of that line).
    RightLine,
    /// Both refuse, but our first error is at another line.
    OtherLine,
    /// We refuse what ptxas accepts.
    OnlyWe,
    /// ptxas refuses for what it calls syntax; we accept.
    MissedSyntax,
    /// ptxas refuses for another reason; we accept.
    Missed,
    /// ptxas gives no opinion: it crashed.
    NoOpinion,
}

impl Verdict {
    /// Returns true if this must not be.
    #[must_use]
    pub fn is_wrong(self) -> bool {
        matches!(self, Verdict::OnlyWe | Verdict::MissedSyntax)
    }
}

/// A mutation and what came of it.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The sample's name.
    pub sample: String,
    /// The mutation, with its line in the mutated text.
    pub mutation: Mutation,
    /// The mutation, told.
    pub what: String,
    /// The mutated line.
    pub source_line: String,
    /// The comparison.
    pub verdict: Verdict,
    /// Our errors.
    pub ours: Vec<Complaint>,
    /// The verdict of ptxas.
    pub theirs: Judgement,
}

impl std::fmt::Display for Trial {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Trial { sample, mutation, what, source_line, verdict, ours, theirs } = self;
        writeln!(f, "{verdict:?}: {} {sample}:{}: {what}", mutation.kind.name(), mutation.line)?;
        writeln!(f, "    text:  {}", source_line.trim())?;
        match ours.first() {
            Some(error) => writeln!(f, "    ours:  {}: {}", error.line, error.message)?,
            None => writeln!(f, "    ours:  accepted")?,
        }
        match theirs {
            Judgement::Accepted => write!(f, "    ptxas: accepted"),
            Judgement::Refused(errors) => {
                write!(f, "    ptxas: {}: {}", errors[0].line.unwrap_or(0), errors[0].text)
            }
            Judgement::Crashed(how) => write!(f, "    ptxas: {how}"),
        }
    }
}

/// Mutates samples in turn, with the kinds in turn, and gives each trial to `tell` as it is made. No mutation is tried twice; where the samples
/// have no more places there are fewer than `count`.
///
/// # Errors
/// ptxas cannot be run.
pub fn run(
    samples: &[Sample],
    kinds: &[Kind],
    (count, seed): (usize, u64),
    toolkit: &Toolkit,
    tell: &mut dyn FnMut(&Trial),
) -> Result<Table> {
    let mut random = Random::new(seed);
    let sources: Vec<Source<'_>> = samples.iter().map(|sample| Source::new(&sample.text)).collect();
    let mut tried = BTreeSet::new();
    let mut table = Table::default();
    // Small texts have few places, so that some draws give nothing new.
    for &kind in kinds.iter().cycle().take(count.saturating_mul(20)) {
        if tried.len() >= count || sources.is_empty() {
            break;
        }
        let index = random.below(sources.len() as u32) as usize;
        let Some(mutation) = sources[index].mutate(kind, &mut random) else { continue };
        if tried.insert((index, mutation.clone())) {
            let trial = try_one(&samples[index], mutation, toolkit)?;
            tell(&trial);
            table.add(trial.mutation.kind, trial.verdict);
        }
    }
    Ok(table)
}

fn try_one(sample: &Sample, mutation: Mutation, toolkit: &Toolkit) -> Result<Trial> {
    let text = mutation.apply(&sample.text);
    let ours = ours(&text);
    let theirs = toolkit.judge(&text, &sample.arch)?;
    let verdict = verdict(&ours, &theirs, &right_lines(&text, mutation.line));
    let source_line = text.lines().nth(mutation.line.saturating_sub(1) as usize).unwrap_or("").to_owned();
    let what = mutation.describe(&sample.text);
    Ok(Trial { sample: sample.name.clone(), mutation, what, source_line, verdict, ours, theirs })
}

/// The lines at which a mutation may be reported: its own or, if that is empty now, the ones around it that are not.
fn right_lines(text: &str, line: u32) -> Vec<u32> {
    let lines: Vec<&str> = text.lines().collect();
    let at = (line as usize).saturating_sub(1).min(lines.len());
    let full = |index: &usize| lines.get(*index).is_some_and(|line| !line.trim().is_empty());
    let mut right = vec![line];
    if !full(&at) {
        let around = (0..at).rev().find(full).into_iter().chain((at..lines.len()).find(full));
        right.extend(around.filter_map(|index| u32::try_from(index + 1).ok()));
    }
    right
}

fn verdict(ours: &[Complaint], theirs: &Judgement, lines: &[u32]) -> Verdict {
    match (ours.first(), theirs) {
        (_, Judgement::Crashed(_)) => Verdict::NoOpinion,
        (None, Judgement::Accepted) => Verdict::BothAccept,
        (Some(_), Judgement::Accepted) => Verdict::OnlyWe,
        (None, Judgement::Refused(errors)) => {
            let syntax = |text: &str| text.contains("Parsing error") || text.contains("syntax error");
            if errors.iter().any(|error| syntax(&error.text)) { Verdict::MissedSyntax } else { Verdict::Missed }
        }
        (Some(first), Judgement::Refused(errors)) => {
            let same = lines.contains(&first.line) || errors.iter().any(|error| error.line == Some(first.line));
            if same { Verdict::RightLine } else { Verdict::OtherLine }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_architecture_is_that_of_the_target() {
        assert_eq!(arch(".version 8.0\n.target sm_90a, debug\n"), "sm_90a");
        assert_eq!(arch(".version 1.4\n.target sm_10\n"), "sm_75");
        assert_eq!(arch(""), "sm_75");
    }

    #[test]
    fn an_empty_line_counts_as_those_around_it() {
        assert_eq!(right_lines("a\n\nb\nc\n", 2), [2, 1, 3]);
        assert_eq!(right_lines("a\n\nb\nc\n", 3), [3]);
        assert_eq!(right_lines("a\n\n", 2), [2, 1]);
    }

    #[test]
    fn opinions_are_compared() {
        let we = |line| vec![Complaint { line, message: String::new() }];
        assert_eq!(verdict(&[], &Judgement::Accepted, &[3]), Verdict::BothAccept);
        assert_eq!(verdict(&we(3), &Judgement::Accepted, &[3]), Verdict::OnlyWe);
        assert_eq!(verdict(&[], &Judgement::Refused(Vec::new()), &[3]), Verdict::Missed);
        assert_eq!(verdict(&we(3), &Judgement::Refused(Vec::new()), &[3]), Verdict::RightLine);
        assert_eq!(verdict(&we(4), &Judgement::Refused(Vec::new()), &[3]), Verdict::OtherLine);
        assert_eq!(verdict(&we(4), &Judgement::Crashed(String::new()), &[3]), Verdict::NoOpinion);
    }
}
