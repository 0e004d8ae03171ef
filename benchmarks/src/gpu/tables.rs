//! The tables of the report: a line for each variant of a program, and for each synthetic kernel.

use comfy_table::Table;

use super::report::{ProgramTimes, SyntheticTimes, VariantTimes};
use super::statistics::Summary;
use crate::document::{columns, grouped, percent};

/// The text of a cell without a figure.
const NOTHING: &str = "not measured";

/// The place of the ratio of what is too short to be measured.
const TOO_SHORT: &str = "too short";

/// The head of the column of warp execution efficiency.
const EFFICIENCY: &str = "warp\nexecution\nefficiency";

/// The CCC paper's programs: how much faster they are than the original, and how much fuller their warps.
pub(super) fn speedups(programs: &[&ProgramTimes]) -> Table {
    let compared = |program: &ProgramTimes, variant: &VariantTimes, first: bool| {
        let paper = program.ccc_paper();
        let faster = paper.filter(|_| variant.variant == "ccc").map(|paper| format!("{:.2}", paper.speedup));
        let fuller = match &*variant.variant {
            "original" => paper.map(|paper| format!("{} %", paper.efficiency_before)),
            "ccc" => paper.map(|paper| paper.efficiency_after.map_or_else(|| "?".into(), |after| format!("{after} %"))),
            _ => None,
        };
        let speedup = if first { String::new() } else { ratio_of(program, variant, variant.speedup, 2) };
        [speedup, faster.unwrap_or_default(), efficiency(variant), fuller.unwrap_or_default()]
    };
    lines(programs, ["speedup", "paper's", EFFICIENCY, "paper's"], compared)
}

/// The SSDE paper's programs: how much longer they take than those restructured by hand.
pub(super) fn relative(programs: &[&ProgramTimes]) -> Table {
    let compared = |program: &ProgramTimes, variant: &VariantTimes, first: bool| {
        let ratio = || ratio_of(program, variant, variant.relative_time, 3);
        [if first { String::new() } else { ratio() }, efficiency(variant)]
    };
    lines(programs, ["over S", EFFICIENCY], compared)
}

/// A line for each variant, with what it is compared by; the others are compared with the first.
fn lines<const N: usize>(
    programs: &[&ProgramTimes],
    comparison: [&str; N],
    compared: impl Fn(&ProgramTimes, &VariantTimes, bool) -> [String; N],
) -> Table {
    let mut head = vec!["program", "input", "variant", "blocks", "time in µs", "fastest to\nslowest"];
    head.extend(comparison);
    head.extend([
        "registers\nper thread",
        "local\nbytes",
        "shared bytes\nper block",
        "occupancy",
        "result as\nthe CPU's",
    ]);
    let mut table = columns(&head, 3);
    for program in programs {
        for (index, variant) in program.variants.iter().enumerate() {
            let first = index == 0;
            let once = |text: &str| if first { text.to_owned() } else { String::new() };
            let mut cells = vec![once(&program.program), once(&program.input), variant.variant.clone()];
            cells.push(once(&grouped(u64::from(program.grid))));
            cells.extend(times(variant));
            cells.extend(compared(program, variant, first));
            cells.extend(taken(variant));
            cells.push(right(variant));
            table.add_row(cells);
        }
    }
    table
}

/// The synthetic kernels, a line for each row of the paper's figures.
pub(super) fn synthetic(rows: &[SyntheticTimes]) -> Table {
    let mut table = columns(
        &[
            "figure",
            "lanes that\ntake the path",
            "multiply-adds\nin it",
            "original\nin µs",
            "speedup",
            "collected\nregardless",
            "warp execution\nefficiency before",
            "collected",
            "result as\nthe CPU's",
        ],
        0,
    );
    for row in rows {
        let short = row.variants.iter().any(|variant| variant.too_short);
        let speedup = |variant: Option<&VariantTimes>| match variant.and_then(|variant| variant.speedup) {
            None if short => TOO_SHORT.to_owned(),
            speedup => ratio(speedup, 2),
        };
        let decided = if row.left_as_it_was { "left as it was".into() } else { speedup(row.ccc()) };
        let original = row.variant("original").and_then(|variant| variant.seconds);
        table.add_row([
            row.figure.to_string(),
            row.takers.to_string(),
            row.length.to_string(),
            original.map_or_else(|| NOTHING.into(), |seconds| micros(seconds.median)),
            decided,
            speedup(row.variant("collected")),
            row.variant("original").map_or_else(|| NOTHING.into(), efficiency),
            row.variant("collected").map_or_else(|| NOTHING.into(), efficiency),
            if row.variants.iter().all(|variant| variant.results_equal) { "yes" } else { "NO" }.to_owned(),
        ]);
    }
    table
}

/// Shows what bounds the programs, by a profiler's counts: a line for each variant that has them.
pub(super) fn bounds(programs: &[ProgramTimes]) -> Table {
    let mut table = columns(
        &[
            "program",
            "variant",
            "warp\ninstructions",
            "schedulers\nissue",
            "warps per\nscheduler",
            "of these wait\nfor memory",
            "for shared\nmemory",
            "sectors of L2",
            "bytes of DRAM",
            "bank\nconflicts",
        ],
        2,
    );
    let mut last = None;
    for (program, variant) in programs.iter().flat_map(|program| program.variants.iter().map(move |one| (program, one)))
    {
        let Some((counted, activity)) = variant.counted.and_then(|counted| Some((counted, counted.activity?))) else {
            continue;
        };
        let first = last.replace((&program.suite, &program.program)) != Some((&program.suite, &program.program));
        let share = |part: u64, whole: u64| part as f64 / (whole as f64).max(1.0);
        table.add_row([
            if first { program.program.clone() } else { String::new() },
            variant.variant.clone(),
            grouped(counted.warp_instructions),
            percent(share(activity.issue_cycles, activity.scheduler_cycles)),
            format!("{:.1}", share(activity.warp_cycles, activity.scheduler_cycles)),
            percent(share(activity.waiting_for_memory, activity.warp_cycles)),
            percent(share(activity.waiting_for_shared_memory, activity.warp_cycles)),
            grouped(activity.l2_sectors),
            grouped(activity.dram_bytes),
            grouped(activity.bank_conflicts),
        ]);
    }
    table
}

/// The median with the quartiles, and both ends.
fn times(variant: &VariantTimes) -> [String; 2] {
    let Some(seconds) = variant.seconds else { return [NOTHING.into(), String::new()] };
    let Summary { median, lower_quartile, upper_quartile, minimum, maximum } = seconds;
    [
        format!("{} ({} to {})", micros(median), micros(lower_quartile), micros(upper_quartile)),
        format!("{} to {}", micros(minimum), micros(maximum)),
    ]
}

fn micros(seconds: f64) -> String {
    format!("{:.1}", 1e6 * seconds)
}

fn ratio(ratio: Option<Summary>, digits: usize) -> String {
    let show = |ratio: Summary| {
        let Summary { median, lower_quartile, upper_quartile, .. } = ratio;
        format!("{median:.digits$} ({lower_quartile:.digits$} to {upper_quartile:.digits$})")
    };
    ratio.map_or_else(|| NOTHING.into(), show)
}

/// The ratio of a variant to the first one, or that either is too short to have one.
fn ratio_of(program: &ProgramTimes, variant: &VariantTimes, figure: Option<Summary>, digits: usize) -> String {
    let first = program.variants.first().is_some_and(|first| first.too_short);
    if variant.too_short || first { TOO_SHORT.to_owned() } else { ratio(figure, digits) }
}

fn taken(variant: &VariantTimes) -> [String; 4] {
    let Some(taken) = variant.taken else { return std::array::from_fn(|_| NOTHING.to_owned()) };
    [
        taken.registers.to_string(),
        taken.local_bytes.to_string(),
        taken.static_shared_bytes.to_string(),
        format!("{:.0} %", 100.0 * taken.occupancy),
    ]
}

fn efficiency(variant: &VariantTimes) -> String {
    variant.counted.map_or_else(|| NOTHING.into(), |counted| percent(counted.warp_execution_efficiency))
}

/// Returns the outcome in a word.
pub(super) fn right(variant: &VariantTimes) -> String {
    match variant {
        VariantTimes { results_equal: true, .. } => "yes",
        VariantTimes { finished: false, .. } => "NOT FINISHED",
        VariantTimes { launches: 0, .. } => "NOT RUN",
        _ => "WRONG",
    }
    .to_owned()
}
