//! The synthetic kernels of the CCC paper, what collecting costs an iteration, and the plots, with the CUDA compiler.
use benchmarks::ccc::{CccOptions, CccReport, Loop, Program, Size, Synthetic, SyntheticRow, run_suite};
use benchmarks::emulators;
use device::{Machine, RunReport};

use crate::TOOLKIT;

/// One warp, so that what an iteration costs is a quotient of whole numbers.
const BLOCK: u32 = 32;

fn row(kernels: &Synthetic, takers: u32, length: u32, iterations: u32) -> SyntheticRow {
    let size = Loop { iterations: BLOCK * iterations, grid: 1, block: BLOCK };
    let row = kernels.row(size, 13, takers, length, &emulators(&[Machine::Stack], "sm_90")[0]).unwrap();
    assert!(row.results_equal, "{takers} of {length}, {iterations} iterations");
    row
}

/// Warp instructions that the rewrite adds to an iteration: what a thousand more of them cost, without set-up and drain.
fn added(kernels: &Synthetic, takers: u32, length: u32) -> f64 {
    let [short, long] = [1000, 2000].map(|iterations| row(kernels, takers, length, iterations));
    let count = |run: &RunReport| run.counts.warp_instructions.unwrap() as f64;
    let grown = |of: fn(&SyntheticRow) -> &RunReport| count(of(&long)) - count(of(&short));
    (grown(|row| &row.ccc) - grown(|row| &row.original)) / 1000.0
}

/// The bounds are this project's own: no more than 12 warp instructions where nobody diverges, no more than 8 where nobody takes the path.
#[test]
fn an_iteration_without_divergence_costs_little_more() {
    let kernels = Synthetic::new(BLOCK, "sm_90", &TOOLKIT).unwrap();
    let (all, none) = (added(&kernels, 32, 20), added(&kernels, 0, 20));
    assert!((1.0..=12.0).contains(&all), "{all} where all lanes take the path");
    assert!((1.0..=8.0).contains(&none), "{none} where none does");
}

#[test]
fn paths_of_any_length_give_the_same_on_every_machine() {
    let kernels = Synthetic::new(64, "sm_90", &TOOLKIT).unwrap();
    for device in emulators(Machine::ALL, "sm_90") {
        for (takers, length) in [(0, 1), (1, 500), (24, 5), (32, 2)] {
            // Not a multiple of the threads, so that lanes run out of iterations.
            let size = Loop { iterations: 1000, grid: 3, block: 64 };
            assert!(kernels.row(size, 14, takers, length, &device).unwrap().results_equal, "{takers} of {length}");
        }
    }
}

#[test]
fn warps_stay_full_whatever_the_divergence_and_long_paths_near_the_limit() {
    let options = CccOptions {
        programs: vec![Program::Iefa, Program::Rt],
        size: Size::Tasks(2048),
        synthetic: true,
        quiet: true,
        devices: emulators(&[Machine::Stack], "sm_90"),
        ..CccOptions::default()
    };
    let report = run_suite(&options, &TOOLKIT).unwrap();
    assert!(report.results_equal());
    let of = |figure: u32| report.synthetic.iter().filter(move |row| row.figure == figure);
    for row in of(13) {
        let (before, after) = row.efficiency().unwrap();
        // The paper's is 96.6 on the average.
        assert!(after >= before && after > 0.966, "{} lanes: {before} -> {after}", row.takers);
    }
    for (takers, limit) in [(8, 4.0), (24, 4.0 / 3.0)] {
        let curve = |speedup: fn(&SyntheticRow) -> Option<f64>| -> Vec<f64> {
            of(14).filter(|row| row.takers == takers).map(|row| speedup(row).unwrap()).collect()
        };
        let collected = curve(SyntheticRow::collected_speedup);
        assert!(collected.is_sorted() && collected[0] < 1.0, "{collected:?}");
        let longest = *collected.last().unwrap();
        assert!(longest > 0.75 * limit && longest < limit, "{collected:?}");
        // The share of the lanes says which paths are too short, as a profile does, and changes nothing for the others.
        let better: Vec<f64> = collected.iter().map(|speedup| speedup.max(1.0)).collect();
        assert_eq!(curve(SyntheticRow::issue_speedup), better);
        assert_eq!(curve(SyntheticRow::profiled_speedup), better);
    }
    let text = report.to_text();
    assert!(text.contains("synthetic kernels (paper, Section 6.3), on stack\n"), "{text}");
    plots_hold_the_series(&report);
}

fn plots_hold_the_series(report: &CccReport) {
    let plots = report.plots().unwrap();
    let files: Vec<&str> = plots.iter().map(|plot| plot.file.as_str()).collect();
    assert_eq!(files, ["table-1.svg", "figure-11.svg", "figure-12.svg", "figure-13.svg", "figure-14.svg"]);
    let svg = |file: usize| plots[file].svg.as_str();
    for plot in &plots {
        assert!(plot.svg.starts_with("<svg ") && plot.svg.trim_end().ends_with("</svg>"), "{}", plot.svg);
    }
    // A bar for each program, and one beside its name in the legend.
    let bars = |svg: &str, colour: &str| {
        svg.split("<rect ").skip(1).filter(|rect| rect.contains(&format!("fill=\"{colour}\""))).count()
    };
    let (before, after, paper_before, paper) = ("#7AAEE0", "#145AAA", "#F6CE96", "#D26E0A");
    assert_eq!([after, paper].map(|colour| bars(svg(1), colour)), [3, 3]);
    assert_eq!([before, after, paper_before, paper].map(|colour| bars(svg(2), colour)), [3; 4]);
    for text in ["IEFA", "RT", "pxrw, original", "paper, CCC"] {
        assert!(svg(2).contains(text), "{text}");
    }
    // As many points as rows.
    let longest = |svg: &str| {
        let lines = svg.split("points=\"").skip(1).filter_map(|rest| rest.split('"').next());
        lines.map(|points| points.split_whitespace().count()).max().unwrap()
    };
    assert_eq!((longest(svg(3)), longest(svg(4))), (12, 9));
}
