//! What the checks of a launch found, as messages at the user's lines.

use emulator::{Findings, Race, UninitialisedRead};

use super::source::Source;
use crate::diagnostics::Diagnostic;

/// How many findings of a kind are shown one by one.
const SHOWN: usize = 10;

/// One message per finding, the first of each kind.
pub(super) fn diagnostics(findings: &Findings, source: &Source<'_>) -> Vec<Diagnostic> {
    let reads = findings.uninitialised.as_deref().unwrap_or_default();
    let races = findings.races.as_deref().unwrap_or_default();
    let mut messages: Vec<Diagnostic> = reads.iter().take(SHOWN).map(|found| uninitialised(found, source)).collect();
    messages.extend(races.iter().take(SHOWN).map(|found| race(found, source)));
    let more = reads.len().saturating_sub(SHOWN) + races.len().saturating_sub(SHOWN);
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

fn times(count: u64) -> String {
    if count > 1 { format!("; {count} times in all") } else { String::new() }
}
