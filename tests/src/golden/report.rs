//! The report of a rewrite, one fact per line, so that a test can name one of them.
//!
//! ```text
//! kernel bfs: shared 4096 bytes
//! region line 15 in loop line 13: context 4 bytes, stack 4096 bytes for 1024 threads (assumed)
//!   %r1 b32 4 bytes: differs between lanes: %tid.x; stored: reads %tid.x
//!   %rd2 b64: recomputed from %r1 %rd1 in 3 operations
//!   hoisted load of %r6 at line 16: 4 sectors, 4 bytes
//!   what follows runs with it
//!   assumes that the store to `b` at line 16 and the load of `a` at line 17 never meet
//!   idle lanes share tasks
//!   tasks are not shared: the loop can be left in its middle (line 19)
//!   reduces %f7 f32 by +, in another order
//!   without compression 12 bytes
//!   kept %rd1
//! grid line 12: the first blocks do the work of all
//! region line 20 in loop line 18, copy 1: refused
//! ```

use ccc::{KernelReport, RegionReport, Status};

/// The text of the reports of all kernels.
pub(crate) fn text(reports: &[KernelReport]) -> String {
    let mut text = String::new();
    for report in reports {
        text += &format!("kernel {}: shared {} bytes\n", report.name, report.shared_bytes);
        if let Some(grid) = &report.grid {
            let done = if grid.status == Status::Rewritten { "the first blocks do the work of all" } else { "refused" };
            text += &format!("grid line {}: {done}\n", grid.line);
        }
        report.regions.iter().for_each(|region| text += &region_text(region));
    }
    text
}

fn region_text(region: &RegionReport) -> String {
    let mut text = format!("region line {} in loop line {}", region.line, region.loop_line.unwrap_or(0));
    if region.instance > 0 {
        text += &format!(", copy {}", region.instance);
    }
    match &region.status {
        Status::Rewritten => {}
        Status::Refused(_) if region.copy_is_collected => return text + ": refused, another copy is collected\n",
        Status::Refused(_) => return text + ": refused\n",
        Status::LeftOut(reason) => return text + &format!(": left out: {reason}\n"),
        Status::Unreached => return text + ": left out\n",
    }
    let assumed = if region.block_assumed { " (assumed)" } else { "" };
    let (context, stack, threads) = (region.context_bytes, region.stack_bytes, region.block);
    text += &format!(": context {context} bytes, stack {stack} bytes for {threads} threads{assumed}\n");
    for value in &region.context {
        text += &format!("  {} {} {} bytes: {}", value.register, value.ty, value.bytes, value.why);
        text += &value.stored.as_ref().map_or_else(|| "\n".to_owned(), |reason| format!("; stored: {reason}\n"));
    }
    for value in &region.recomputed {
        let (register, ty) = (&value.register, value.ty);
        let from = if value.from.is_empty() { "constants".to_owned() } else { value.from.join(" ") };
        text += &format!("  {register} {ty}: recomputed from {from} in {} operations\n", value.operations);
    }
    for load in &region.hoisted {
        let sectors = load.sectors.map_or_else(|| "unknown".to_owned(), |sectors| sectors.to_string());
        let (register, line, bytes) = (&load.register, load.at.source.line, load.bytes);
        text += &format!("  hoisted load of {register} at line {line}: {sectors} sectors, {bytes} bytes\n");
    }
    if region.extended {
        text += "  what follows runs with it\n";
    }
    for pair in &region.accesses {
        let said = pair.assumption(&pair.path.to_string(), &pair.rest.to_string());
        text += &format!("  {said}\n");
    }
    match &region.split {
        Some(Ok(())) => text += "  idle lanes share tasks\n",
        Some(Err(whole)) => {
            let line =
                whole.place().map(|place| if place.source.line > 0 { place.source.line } else { place.ptx.line });
            let at = line.map(|line| format!(" (line {line})")).unwrap_or_default();
            text += &format!("  tasks are not shared: {whole}{at}\n");
        }
        None => {}
    }
    for value in &region.reductions {
        let order = if value.reordered { ", in another order" } else { "" };
        text += &format!("  reduces {} {} by {}{order}\n", value.register, value.ty, value.operator);
    }
    text += &format!("  without compression {} bytes\n", region.uncompressed_bytes);
    region.kept.iter().for_each(|register| text += &format!("  kept {register}\n"));
    text
}
