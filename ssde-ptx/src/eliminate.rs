//! Elimination (paper, Algorithm 3): lanes that would go round a detected loop meet those that have left it, before they go round.
//!
//! ```text
//! before                              after
//! LOOP: try                           LOOP:   try
//!       @failed bra LOOP                      @failed bra EDGE
//!       release                               release
//!       …                             SWITCH: @state != 0 bra BACK
//!                                             …
//!                                     EDGE:   state = 1;  bra SWITCH
//!                                     BACK:   state = 0;  bra LOOP
//! ```
//!
//! `SWITCH` stands at the loop's safe point. The back edge is now a forward edge to it and a back edge from it, so that lanes wait there for all that
//! could set them free, and only then try again. A lane that comes to the point by itself has `state` 0 and goes on: what each thread does, and in
//! which order, stays as it was. Which loops share a switch, [`crate::section`] decides; [`crate::write`] writes it.
//!
//! In what comes of it nothing may be found any more. Where something is, all loops of the kernel try again with one switch at its end.

use analysis::Analyses;
use ptx_parser::{Flow, Kernel};

use crate::detect::{Detected, Survey, survey};
use crate::funnel::funnel;
use crate::refusal::Refusal;
use crate::section::{Section, sections, unchecked};
use crate::write::write;

/// The most sections of a kernel whose lanes meet before barriers.
const MOST_FUNNELS: usize = 8;

/// What came of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Nothing was found, nothing was changed.
    Clean,
    /// All loops that were found go round by safe points now, and nothing is found any more.
    Rewritten {
        /// How many loops.
        loops: usize,
    },
    /// A loop stays as it is, and so does the kernel.
    Refused(Refusal),
}

/// Removes the SIMT-induced deadlocks of a kernel. A kernel that is refused is left as it was.
pub fn eliminate(kernel: &mut Kernel) -> Outcome {
    let facts = Analyses::of(kernel);
    let found = survey(&facts, kernel);
    if found.detected.is_empty() {
        return Outcome::Clean;
    }
    let calls = |found: &Detected| {
        let mut insts = found.writes.iter().map(|&(write, _)| write).chain(found.reads.iter().copied());
        insts.any(|inst| kernel.properties(inst).flow == Flow::Call)
    };
    if !facts.divergence.entry_is_uniform() || found.detected.iter().any(calls) {
        return Outcome::Refused(Refusal::Call);
    }
    match freed(&facts, kernel, &found) {
        Ok(result) => {
            *kernel = result;
            Outcome::Rewritten { loops: found.detected.len() }
        }
        Err(refusal) => Outcome::Refused(refusal),
    }
}

/// The kernel with its sections written, if nothing is found in it any more.
fn freed(facts: &Analyses, kernel: &Kernel, found: &Survey) -> Result<Kernel, Refusal> {
    let early = sections(facts, kernel, found).and_then(|sections| written(facts, kernel, &sections));
    if early.is_ok() {
        return early;
    }
    let late = Section::to_the_end(facts, kernel, found).and_then(|section| written(facts, kernel, &[section]));
    match (late, &early) {
        (Err(_), Err(Refusal::Together { .. })) => before_barriers(kernel).or(early),
        (late, _) => late.or(early),
    }
}

/// The same where lanes meet before the barriers in a section.
fn before_barriers(kernel: &Kernel) -> Result<Kernel, Refusal> {
    let mut result = kernel.clone();
    // One after the other, since each makes another kernel.
    for _ in 0..MOST_FUNNELS {
        let facts = Analyses::of(&result);
        let found = survey(&facts, &result);
        let sections = unchecked(&facts, &found);
        let Some(section) = sections.iter().find(|section| section.together(&facts, &result).next().is_some()) else {
            return written(&facts, &result, &sections);
        };
        let Some(funnelled) = funnel(&facts, &result, section)? else { break };
        result = funnelled;
    }
    Err(Refusal::Again)
}

fn written(facts: &Analyses, kernel: &Kernel, sections: &[Section]) -> Result<Kernel, Refusal> {
    let mut result = kernel.clone();
    write(facts, &mut result, sections)?;
    let facts = Analyses::of(&result);
    match survey(&facts, &result).detected.is_empty() {
        true => Ok(result),
        false => Err(Refusal::Again),
    }
}
