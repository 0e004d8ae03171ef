//! All that the emulator counts, found and modelled: as figures for people, and as JSON.

use device::Report;
use emulator::{Accessor, Counts, LineCounts, Race, Spot, Undefined, UninitialisedRead, class_name};
use serde_json::{Map, Value, json};

use super::run::{grouped, percent};

/// Returns what the counts are called, what they are, and in what.
pub(crate) fn figures(report: &Report) -> Vec<(&'static str, String, &'static str)> {
    let counts = &report.counts;
    let traffic = &counts.traffic;
    let mut figures = vec![
        ("divergent branches", grouped(counts.divergent_branches), ""),
        ("barriers", grouped(counts.barriers), " by warps"),
    ];
    if let (Some(sectors), Some(coalescing)) = (counts.sectors_per_request(), counts.coalescing()) {
        let ideal = counts.ideal_sectors as f64 / traffic.requests as f64;
        figures.push(("sectors per access", format!("{sectors:.1}"), " by a warp"));
        figures.push(("  ideal", format!("{ideal:.1}"), ""));
        figures.push(("coalescing", percent(coalescing), " %"));
    }
    if traffic.shared_requests > 0 {
        figures.push(("accesses to shared memory", grouped(traffic.shared_requests), " by warps"));
        figures.push(("  bank conflicts", grouped(counts.bank_conflicts()), " passes more"));
    }
    if traffic.atomics > 0 {
        figures.push(("atomics", grouped(traffic.atomics), " by lanes"));
        figures.push(("  serialised", grouped(traffic.atomics_serialised), " behind a lane of the warp"));
    }
    let model = &report.model;
    let bound = match model.bound() {
        emulator::Bound::Issue => " bound by issue",
        emulator::Bound::Latency => " bound by latency",
        emulator::Bound::Memory => " bound by memory",
    };
    figures.push(("cycles of the launch (modelled)", grouped(model.cycles().ceil() as u64), bound));
    for (label, cycles) in [("  issue", model.issue), ("  latency", model.latency), ("  memory", model.memory)] {
        figures.push((label, grouped(cycles.ceil() as u64), ""));
    }
    figures
}

/// The keys of the JSON report that only the emulator can fill.
pub(crate) fn json(report: &Report) -> Map<String, Value> {
    let mut object = more_counts(&report.counts);
    object.insert("output".into(), json!(report.output));
    object.insert("output_lost".into(), json!(report.output_lost));
    let lines = |lines: &[LineCounts]| -> Vec<Value> {
        lines
            .iter()
            .map(|line| {
                let mut object = all_counts(&line.counts);
                object.insert("file".into(), json!(line.site.file.as_deref()));
                object.insert("line".into(), json!(line.site.line));
                object.insert("ptx_line".into(), json!(line.site.ptx_line));
                Value::Object(object)
            })
            .collect()
    };
    let blocks = report.blocks.iter().map(|block| {
        let mut object = all_counts(&block.counts);
        object.insert("first_ptx_line".into(), json!(block.first.ptx_line));
        object.insert("last_ptx_line".into(), json!(block.last.ptx_line));
        object.insert("executions".into(), json!(block.executions));
        Value::Object(object)
    });
    let classes = report.classes.iter().map(|class| {
        json!({
            "class": class_name(class.class),
            "warp_instructions": class.warp_instructions,
            "issue_cycles": class.issue_sixteenths as f64 / 16.0,
        })
    });
    let model = &report.model;
    let findings = &report.findings;
    object.extend([
        ("resident_blocks".to_owned(), json!(report.resident_blocks)),
        (
            "modelled".to_owned(),
            json!({
                "cycles": model.cycles(), "bound": model.bound().name(),
                "issue": model.issue, "latency": model.latency, "memory": model.memory,
            }),
        ),
        ("races".to_owned(), json!(findings.races.as_ref().map(|races| races.iter().map(race).collect::<Vec<_>>()))),
        (
            "uninitialised".to_owned(),
            json!(findings.uninitialised.as_ref().map(|reads| reads.iter().map(uninitialised).collect::<Vec<_>>())),
        ),
        (
            "undefined".to_owned(),
            json!(findings.undefined.as_ref().map(|found| found.iter().map(undefined).collect::<Vec<_>>())),
        ),
        ("lines".to_owned(), Value::Array(lines(&report.lines))),
        ("ptx_lines".to_owned(), Value::Array(lines(&report.ptx_lines))),
        ("blocks".to_owned(), Value::Array(blocks.collect())),
        ("classes".to_owned(), Value::Array(classes.collect())),
    ]);
    object
}

/// Returns what every device may measure, and what only the emulator counts.
fn all_counts(counts: &Counts) -> Map<String, Value> {
    let mut object = more_counts(counts);
    object.extend([
        ("warp_instructions".to_owned(), json!(counts.warp_instructions)),
        ("thread_instructions".to_owned(), json!(counts.thread_instructions)),
        ("active_lanes".to_owned(), json!(counts.active_lanes)),
        ("warp_execution_efficiency".to_owned(), json!(counts.warp_execution_efficiency())),
        ("warp_nonpred_execution_efficiency".to_owned(), json!(counts.warp_nonpred_execution_efficiency())),
        ("issue_cycles".to_owned(), json!(counts.issue_cycles())),
        ("sectors".to_owned(), json!(counts.sectors())),
    ]);
    object
}

fn more_counts(counts: &Counts) -> Map<String, Value> {
    let traffic = &counts.traffic;
    let entries = [
        ("divergent_branches", json!(counts.divergent_branches)),
        ("barriers", json!(counts.barriers)),
        ("requests", json!(traffic.requests)),
        ("ideal_sectors", json!(counts.ideal_sectors)),
        ("sectors_per_request", json!(counts.sectors_per_request())),
        ("coalescing", json!(counts.coalescing())),
        ("shared_requests", json!(traffic.shared_requests)),
        ("shared_wavefronts", json!(traffic.shared_wavefronts)),
        ("ideal_shared_wavefronts", json!(counts.ideal_wavefronts())),
        ("bank_conflicts", json!(counts.bank_conflicts())),
        ("atomics", json!(traffic.atomics)),
        ("atomics_serialised", json!(traffic.atomics_serialised)),
    ];
    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

fn race(race: &Race) -> Value {
    json!({ "at": spot(&race.spot), "first": accessor(&race.first), "second": accessor(&race.second), "count": race.count })
}

fn uninitialised(read: &UninitialisedRead) -> Value {
    json!({ "at": spot(&read.spot), "reader": accessor(&read.reader), "bytes": read.bytes, "count": read.count })
}

fn undefined(found: &Undefined) -> Value {
    let Undefined { rule, site, opcode, block, warp, lanes, count } = found;
    json!({
        "what": rule.to_string(), "file": site.file.as_deref(), "line": site.line, "ptx_line": site.ptx_line,
        "opcode": opcode, "block": block, "warp": warp, "lanes": lanes, "count": count,
    })
}

fn spot(spot: &Spot) -> Value {
    let (allocation, offset, bytes) = match &spot.allocation {
        Some((name, offset, bytes)) => (Some(name), Some(offset), Some(bytes)),
        None => (None, None, None),
    };
    json!({
        "space": spot.space.name(), "address": spot.address, "allocation": allocation, "offset": offset,
        "allocation_bytes": bytes,
    })
}

fn accessor(accessor: &Accessor) -> Value {
    json!({
        "file": accessor.site.file.as_deref(), "line": accessor.site.line, "ptx_line": accessor.site.ptx_line,
        "opcode": accessor.opcode, "block": accessor.block, "thread": accessor.thread, "writes": accessor.writes,
    })
}
