//! `ssde` golden tests: what the rewriter makes of a file, and what the checker says of that, one fact per line.
//!
//! ```text
//! kernel k: 40 pairs
//! register %ssde_state .b32
//! block LOOP line 12 is $ssde_loop line 20
//! added block $ssde_switch line 30
//! added edge $ssde_switch to $ssde_back
//! led edge entry to LOOP by $ssde_switch with %ssde_state = 1
//! loop from LOOP to LOOP by $ssde_switch with %ssde_state = 1: p1 to p7 hold, rounds fixed
//! fairness weak
//! ```

use anyhow::{Context, Result, ensure};
use ptx_parser::Module;
use ssde_ptx::{Certificate, LedEdge, Outcome as Eliminated, certify, detect, eliminate, same_outside};

use super::rewrite::Outcome;
use super::script::Refused;

/// Rewrites all kernels of a module; each that changed must be certified, and nothing found in it.
pub(crate) fn rewritten(ptx: &str) -> Result<Outcome> {
    let original = Module::parse(ptx).context("the PTX does not parse")?;
    let mut module = original.clone();
    let mut refusals = Vec::new();
    for kernel in module.kernels_mut().iter_mut().filter(|kernel| kernel.has_body()) {
        let first = detect(kernel).first().and_then(|finding| finding.at).map_or(0, |at| at.text.line);
        if let Eliminated::Refused(refusal) = eliminate(kernel) {
            refusals.push(Refused { line: first as usize, text: refusal.to_string() });
        }
    }
    let text = module.to_string();
    let result = Module::parse(&text).with_context(|| format!("the result does not parse:\n{text}"))?;
    same_outside(&original, &result)?;
    let mut report = String::new();
    for (before, after) in original.kernels().iter().zip(result.kernels()).filter(|(before, _)| before.has_body()) {
        let certificate = certify(before, after).with_context(|| format!("`{}`:\n{text}", before.name()))?;
        ensure!(certificate.loops.iter().all(ssde_ptx::RewrittenLoop::holds), "{:#?}", certificate.loops);
        let clean = certificate.registers.is_empty() || detect(after).is_empty();
        ensure!(clean, "something is found in `{}` after the rewrite:\n{text}", after.name());
        described(&mut report, &certificate);
    }
    Ok(Outcome { original: Some(original), result: Some(result), text, report, refusals })
}

fn described(report: &mut String, certificate: &Certificate) {
    let mut line = |text: String| *report += &(text + "\n");
    line(format!("kernel {}: {} pairs", certificate.kernel, certificate.pairs));
    certificate.registers.iter().for_each(|register| line(format!("register {} {}", register.name, register.ty)));
    for block in &certificate.blocks {
        let after: Vec<String> =
            block.after.iter().map(|after| format!("{} line {}", after.name, after.line)).collect();
        line(format!("block {} line {} is {}", block.before.name, block.before.line, after.join(", ")));
    }
    certificate.added_blocks.iter().for_each(|block| line(format!("added block {} line {}", block.name, block.line)));
    certificate.added_edges.iter().for_each(|edge| line(format!("added edge {} to {}", edge.from.name, edge.to.name)));
    certificate.led_edges.iter().for_each(|edge| line(format!("led edge {}", way(edge))));
    for looped in &certificate.loops {
        let rounds = format!("{:?}", looped.rounds).to_lowercase();
        line(format!("loop {}: p1 to p7 hold, rounds {rounds}", way(&looped.edge)));
    }
    line(format!("fairness {:?}", certificate.fairness).to_lowercase());
}

fn way(edge: &LedEdge) -> String {
    let value = |value: Option<u64>| value.map_or("unknown".to_owned(), |value| value.to_string());
    let constants = edge.c.iter().map(|constant| format!("{} = {}", constant.register, value(constant.value)));
    let constants: Vec<String> = constants.collect();
    format!("from {} to {} by {} with {}", edge.t.name, edge.h.name, edge.r.name, constants.join(", "))
}
