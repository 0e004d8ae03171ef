//! The findings of a launch's checks, as messages at the user's lines.

use emulator::{Findings, Race, Rule, Undefined, UninitialisedRead};

use super::source::Source;
use crate::diagnostics::{Diagnostic, Severity};

/// The most findings of a kind that are shown one by one.
const SHOWN: usize = 10;

/// One message per finding, the first of each kind.
pub(super) fn diagnostics(findings: &Findings, source: &Source<'_>) -> Vec<Diagnostic> {
    let reads = findings.uninitialised.as_deref().unwrap_or_default();
    let races = findings.races.as_deref().unwrap_or_default();
    let mut messages: Vec<Diagnostic> = reads.iter().take(SHOWN).map(|found| uninitialised(found, source)).collect();
    messages.extend(races.iter().take(SHOWN).map(|found| race(found, source)));
    let broken = findings.undefined.as_deref().unwrap_or_default();
    messages.extend(broken.iter().take(SHOWN).map(|found| undefined(found, source)));
    let more: usize = [reads.len(), races.len(), broken.len()].map(|count| count.saturating_sub(SHOWN)).iter().sum();
    if more > 0 {
        messages.push(Diagnostic::warning(format!("{more} findings more; `--report json` has them")));
    }
    messages
}

fn uninitialised(found: &UninitialisedRead, source: &Source<'_>) -> Diagnostic {
    let title = format!("read of uninitialised memory: {} bytes at {}", found.bytes, found.spot);
    source
        .locate(Diagnostic::error(title), found.reader.site.ptx_line)
        .note(format!("{}{}", source.with_file_names(&found.reader.to_string()), times(found.count)))
        .help("write the memory before it is read; a buffer that the kernel may read gets its values with `=INIT`")
}

fn race(found: &Race, source: &Source<'_>) -> Diagnostic {
    let title = format!("race on {}", found.spot);
    source
        .locate(Diagnostic::error(title), found.second.site.ptx_line)
        .note(source.with_file_names(&found.first.to_string()))
        .note(format!("{}{}", source.with_file_names(&found.second.to_string()), times(found.count)))
        .help("nothing orders the two: put a barrier between them, use atomics, or release and acquire with fences around a flag")
}

/// Returns what may do no harm is a warning.
fn undefined(found: &Undefined, source: &Source<'_>) -> Diagnostic {
    let Undefined { rule, opcode, block, warp, lanes, count, .. } = found;
    let title = format!("undefined behaviour: {rule}");
    let severity = if rule.may_be_harmless() { Severity::Warning } else { Severity::Error };
    source
        .locate(Diagnostic { severity, ..Diagnostic::error(title) }, found.site.ptx_line)
        .note(format!("`{opcode}`, block {block}, warp {warp}, lanes 0x{lanes:08x}{}", times(*count)))
        .help(advice(*rule))
}

fn advice(rule: Rule) -> &'static str {
    match rule {
        Rule::NotMember { .. } | Rule::NoMembers => {
            "name every lane that executes the instruction: `__activemask()` before the branch is not enough where lanes part, `__ballot_sync` of the condition is"
        }
        Rule::Source { .. } => {
            "the value that they get is undefined: it must not be used, or all lanes that are read from must take part"
        }
        Rule::BarrierNumber { .. } => "number the barriers of a block from 0 to 15",
        Rule::BarrierCount { .. } => "round the count up to whole warps",
        Rule::BarrierCounts { .. } => {
            "give all that meet at a barrier the same count of threads, or use another barrier"
        }
        Rule::BarrierKinds => "use another barrier for the reduction",
        Rule::BarrierTwice { .. } => "let the warp wait at another barrier until this one has opened",
        Rule::BarrierDivergence => {
            "let the lanes of a warp meet at one barrier, behind the branch, or use `barrier.sync`, which need not be aligned"
        }
        Rule::BarrierPassed => {
            "if they were meant to wait as well, move the barrier out of the branch or loop; if they return early, the compiler has joined their last steps with code \
             behind the barrier, and hardware lets them end"
        }
        Rule::BranchIndex { .. } => "check the index before the branch",
        Rule::ClusterWaitFirst => "let every thread execute `barrier.cluster.arrive` before `barrier.cluster.wait`",
        Rule::ClusterArriveTwice => "let every thread execute `barrier.cluster.wait` before it arrives again",
        Rule::ConstantWritten => {
            "write to a `__device__` variable or a buffer; only the host sets `__constant__` memory"
        }
        Rule::ParameterWritten => "write to a copy of the parameter",
    }
}

fn times(count: u64) -> String {
    if count > 1 { format!("; {count} times in all") } else { String::new() }
}
