//! The finding of a launch that did not finish, with advice.

use device::{Description, OutcomeKind, RunReport};
use emulator::NEEDS_COOPERATION;

use super::source::Source;
use crate::diagnostics::{Diagnostic, Place};

/// The finding of a launch that did not finish.
pub(super) struct Finding {
    /// The device's message in its lines, the first without its place.
    lines: Vec<String>,
    pub(super) ptx_line: Option<u32>,
    pub(super) place: Option<Place>,
    /// About the place.
    notes: Vec<String>,
}

impl Finding {
    pub(super) fn of(report: &RunReport, source: &Source<'_>) -> Option<Finding> {
        if report.outcome == OutcomeKind::Finished {
            return None;
        }
        let message = source.with_file_names(report.message.as_deref().unwrap_or("the launch did not finish"));
        let ptx_line = first_ptx_line(&message);
        let (place, notes) = ptx_line.map(|line| source.place(line)).unzip();
        let mut lines: Vec<String> = message.lines().map(|line| line.trim().to_owned()).collect();
        if let Some(first) = lines.first_mut() {
            *first = without_place(first).to_owned();
        }
        Some(Finding { lines, ptx_line, place, notes: notes.unwrap_or_default() })
    }

    pub(super) fn diagnostic(&self, report: &RunReport, on: Description) -> Diagnostic {
        let (headline, details) = match self.lines.split_first() {
            Some((first, rest)) => (first.as_str(), rest),
            None => ("the launch did not finish", &[][..]),
        };
        // What was accessed is in the title; what lies nearby would make it too long.
        let (title, nearby) = match headline.split_once("; ") {
            Some((title, nearby)) => (title, Some(nearby.to_owned())),
            None => (headline, None),
        };
        let mut message = Diagnostic::error(title);
        message.place = self.place.clone();
        message.notes = nearby.into_iter().chain(details.iter().cloned()).collect();
        // A device with memory of its own says last what to do.
        let own_help = if on.is_in_process { None } else { message.notes.pop() };
        message.notes.extend(self.notes.iter().cloned());
        let help = match (on.is_in_process, own_help) {
            (true, _) if message.notes.iter().any(|note| note == NEEDS_COOPERATION) => {
                "`--cooperative` makes one of it"
            }
            (false, _) if report.outcome == OutcomeKind::Budget => {
                "`--timeout` gives it more time; `--device emulator` says what it waits for, if it does"
            }
            (_, Some(help)) => return message.help(help),
            (_, None) => advice(report.outcome),
        };
        message.help(help)
    }

    /// The report with the line that the message is at: PTX without `.loc` has lines of its own.
    pub(super) fn with_line(&self, report: &RunReport) -> RunReport {
        let line = self.place.as_ref().map(|place| place.position.line);
        RunReport { line: line.or(report.line), message: Some(self.lines.join("\n")), ..report.clone() }
    }
}

fn advice(outcome: OutcomeKind) -> &'static str {
    match outcome {
        OutcomeKind::SimtDeadlock => {
            "lanes of a warp wait for each other: with `--machine its`, or `aware` and its timeout, each of them gets on by itself; for older hardware, \
             let the lane \
             that has what the others wait for give it away inside the loop"
        }
        OutcomeKind::Livelock => {
            "nothing that is still running will change what these threads wait for; look at the condition of the loop"
        }
        OutcomeKind::BarrierDivergence => {
            "let all the threads that it counts on reach it: move it out of the branch or loop, or have a `.sync` operation name only the lanes that come"
        }
        OutcomeKind::Starvation => "blocks that wait for each other must all be resident: use a smaller `--grid`",
        OutcomeKind::Interrupted => "the counts are those of what ran up to then",
        OutcomeKind::Budget => "if the kernel ends at all, `--budget` gives it more steps; 0 is no limit",
        _ => "",
    }
}

/// The line of the PTX that a device's message names first.
fn first_ptx_line(message: &str) -> Option<u32> {
    let (_, rest) = message.split_once("PTX line ")?;
    let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok().filter(|&line| line > 0)
}

/// A headline without the place that stands before it, which is shown by itself: `k.cu:7 (PTX line 12): what` or `PTX line 12: what`.
fn without_place(headline: &str) -> &str {
    let Some((before, rest)) = headline.split_once("PTX line ") else { return headline };
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = rest.strip_prefix(')').unwrap_or(rest);
    match rest.strip_prefix(": ") {
        Some(what) if before.is_empty() || before.ends_with(" (") => what,
        _ => headline,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_of_a_message_is_found() {
        assert_eq!(first_ptx_line("k.cu:7 (PTX line 12): misaligned access"), Some(12));
        assert_eq!(
            first_ptx_line(
                "a barrier waits\n  waits: block 0 warp 1 lanes 0xff at PTX line 9\n  missing: at PTX line 3"
            ),
            Some(9)
        );
        assert_eq!(first_ptx_line("the step budget was used up"), None);
        assert_eq!(first_ptx_line("PTX line 0"), None);
        assert_eq!(first_ptx_line("PTX line 99999999999"), None);
    }

    #[test]
    fn the_place_is_not_said_twice() {
        assert_eq!(without_place("my k.cu:7 (PTX line 12): misaligned"), "misaligned");
        assert_eq!(without_place("PTX line 12: out-of-bounds"), "out-of-bounds");
        assert_eq!(without_place("the budget: at PTX line 12"), "the budget: at PTX line 12");
        assert_eq!(without_place("it ended"), "it ended");
    }
}
