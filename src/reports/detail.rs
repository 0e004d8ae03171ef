//! The figures for people of what only the emulator counts and models.

use device::Report;

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
