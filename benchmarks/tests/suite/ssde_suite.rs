//! The suite of the paper on MIMD synchronisation with small inputs: how launches end, what the tables say, the keys of the
//! JSON form.
use std::sync::LazyLock;

use benchmarks::Error;
use benchmarks::ssde::{Program, Setting, Size, SsdeOptions, SsdeReport, Version, run_suite};
use device::{Machine, Order, OutcomeKind};

use crate::TOOLKIT;

fn run(programs: &[Program], tasks: u32, detections: bool) -> SsdeReport {
    let options = SsdeOptions {
        programs: programs.to_vec(),
        size: Size::Tasks(tasks),
        detections,
        quiet: true,
        ..SsdeOptions::default()
    };
    run_suite(&options, &TOOLKIT).unwrap()
}

/// All programs, with a few warps each.
static ALL: LazyLock<SsdeReport> = LazyLock::new(|| run(&Program::ALL, 96, true));

#[test]
fn every_launch_ends_as_it_must_and_finished_ones_are_right() {
    assert!(ALL.as_expected(), "{}", ALL.to_text());
    for row in &ALL.rows {
        let what = format!("{} {} -{} on {:?}", row.program, row.variant, row.optimisation, row.setting);
        let deadlocks = row.expected == "simt-deadlock";
        assert_eq!(row.results_equal, !deadlocks, "{what}: {:?}", row.difference);
        assert!(row.modelled_cycles.unwrap() > 0.0 && row.run.counts.warp_instructions.unwrap() > 0, "{what}");
    }
    for program in Program::ALL {
        for level in ["O0", "O3"] {
            let mimd = |setting| {
                let rows = ALL.rows.iter().filter(|row| (&*row.program, &*row.optimisation) == (program.name(), level));
                rows.filter(|row| row.variant == Version::Mimd.name()).find(|row| row.setting == setting).unwrap()
            };
            let stack = mimd(Setting::plain(Machine::Stack)).run.outcome;
            let expected = if program.deadlocks() { OutcomeKind::SimtDeadlock } else { OutcomeKind::Finished };
            assert_eq!(stack, expected, "{} -{level}", program.name());
            for setting in Order::ALL.map(Setting::delayed) {
                assert_eq!(mimd(setting).run.outcome, OutcomeKind::Finished, "{} -{level}", program.name());
            }
        }
    }
}

/// A kernel is refused or has been rewritten and run on all machines; averages are of the latter.
#[test]
fn what_is_refused_is_said_and_left_out_of_averages() {
    let refused = |level: &str| {
        let rows = ALL.static_code.iter().filter(|row| row.optimisation == level);
        rows.filter(|row| row.refused.is_some()).count()
    };
    for (index, level) in ["O0", "O3"].into_iter().enumerate() {
        assert_eq!(ALL.figures.overhead[index].programs, Program::ALL.len() - refused(level));
        let rewritten = ALL.rows.iter().filter(|row| row.optimisation == level && row.variant == "M+SSDE");
        assert_eq!(rewritten.count(), Machine::ALL.len() * (Program::ALL.len() - refused(level)));
    }
    let text = ALL.to_text();
    for row in ALL.static_code.iter().filter(|row| row.refused.is_some()) {
        let line = format!("refused: {} at -{}: {}\n", row.program, row.optimisation, row.refused.as_deref().unwrap());
        assert!(text.contains(&line), "{line} in {text}");
    }
    // Its lanes walk a tree together, with barriers of the warp, and wait for nobody.
    let others = ALL.static_code.iter().filter(|row| row.refused.is_some() && row.program != "bh-fc");
    assert_eq!(others.count(), 0, "{text}");
}

#[test]
fn tables_have_the_papers_figures_beside_ours() {
    let text = ALL.to_text();
    for part in ["Table III", " (184) ", " (16+0) ", "Table IV", "(5.05 %)", "(4.13 %)", "Figure 9", "Figure 10"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    for part in ["Figure 11", "delayed", "Figure 12", "4/2", "(paper: 1.082", "(paper: 1.109", "(paper: 1.447"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains("WRONG"), "{text}");
    for row in &ALL.detections {
        assert!(row.kernels > 60 && row.loops > row.false_detections && row.true_detections >= 13, "{row:?}");
        assert!(row.missed.is_empty(), "{row:?}");
        assert_eq!(row.detections, row.true_detections + row.false_detections);
    }
    for row in &ALL.static_code {
        assert!(row.code.iter().all(|code| code.registers > 0 && code.instructions > Some(10)), "{row:?}");
    }
}

#[test]
fn json_has_its_keys() {
    let report = run(&[Program::Behind], 64, false);
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!((&json["suite"], &json["device"]), (&"ssde".into(), &"emulator".into()));
    for key in ["arch", "programs", "static_code", "detections", "holds"] {
        assert!(json.get(key).is_some(), "{key}");
    }
    for key in ["figure_9", "figure_10", "figure_11", "figure_12", "overhead", "small_tables", "aware_over_ssde"] {
        assert!(json["figures"].get(key).is_some(), "{key}");
    }
    let rows = json["rows"].as_array().unwrap();
    let row = &rows[0];
    for key in [
        "program",
        "optimisation",
        "variant",
        "machine",
        "timeout",
        "delayed",
        "split_entries",
        "reconvergence_entries",
        "expected",
        "as_expected",
        "results_equal",
        "outcome",
        "warp_instructions",
        "warp_execution_efficiency",
        "modelled_cycles",
        "modelled_bound",
        "scheduling",
    ] {
        assert!(row.get(key).is_some(), "{key} in {row}");
    }
    // What only AWARE has.
    assert!(rows.iter().any(|row| row["split_entries"] == 4 && row["reconvergence_entries"] == 2));
    assert!(rows.iter().any(|row| row["timeout"] == 64 && row["delayed"] == false));
    let plots: Vec<String> = report.plots().unwrap().into_iter().map(|plot| plot.file).collect();
    let expected = ["table-3-o0.svg", "table-3-o3.svg", "figure-9-o0.svg", "figure-9-o3.svg", "figure-10.svg"];
    assert_eq!(plots, [&expected[..], &["figure-11.svg", "figure-12.svg"]].concat());
}

#[test]
fn a_launch_that_ends_otherwise_is_named() {
    let mut report = run(&[Program::Behind], 32, false);
    let row = report.rows.iter_mut().find(|row| row.variant == "S").unwrap();
    (row.as_expected, row.results_equal, row.difference) = (false, false, Some("by hand".into()));
    assert!(!report.as_expected());
    let text = report.to_text();
    assert!(text.contains("WRONG: fig4-behind, S at -O0 on stack: by hand\n"), "{text}");
}

#[test]
fn some_machines_do_for_some_figures() {
    let options = SsdeOptions {
        programs: vec![Program::TlFine],
        size: Size::Tasks(64),
        machines: vec![Machine::Stack],
        detections: false,
        quiet: true,
        ..SsdeOptions::default()
    };
    let report = run_suite(&options, &TOOLKIT).unwrap();
    assert!(report.figures.overhead[1].mean.is_some() && report.figures.aware_over_ssde[1].mean.is_none());
    assert!(report.to_text().contains("not measured: "));
    assert!(!report.plots().unwrap().is_empty());
}

#[test]
fn sizes_that_cannot_be_are_refused() {
    let options = SsdeOptions { size: Size::Tasks(0), quiet: true, ..SsdeOptions::default() };
    assert!(matches!(run_suite(&options, &TOOLKIT), Err(Error::Tasks { tasks: 0, .. })));
}
