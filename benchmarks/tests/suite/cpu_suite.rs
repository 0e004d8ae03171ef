//! The suite of kernels on the CPU, with small inputs: right results where there must be such, wrong ones where lockstep matters and is not kept.
use benchmarks::cpu::{CodeReport, CpuOptions, CpuReport, Program, ProgramReport, Size, run_suite};
use benchmarks::{Plot, ccc};
use cpu::Sync;

use crate::TOOLKIT;

fn run(programs: Vec<Program>, treatments: &[Sync]) -> CpuReport {
    let options = CpuOptions {
        programs,
        treatments: treatments.to_vec(),
        size: Size::Quick,
        rounds: 1,
        threads: 2,
        cache: None,
        quiet: true,
        ..CpuOptions::default()
    };
    let mut report = run_suite(&options, &TOOLKIT).unwrap();
    // Only machines with PoCL have these.
    report.programs.iter_mut().for_each(|program| program.codes.retain(|row| row.code != "opencl"));
    report
}

fn wrong<'a>(program: &'a ProgramReport, code: &str) -> Vec<&'a CodeReport> {
    program.codes.iter().filter(|row| row.code == code && !row.results_equal).collect()
}

#[test]
fn programs_are_wrong_only_where_lockstep_is_not_kept() {
    let of_the_paper = Program::ALL.into_iter().filter(|program| program.is_of_the_paper());
    let others = [Program::Nbody, Program::Collected(ccc::Program::Hash)];
    let report = run(of_the_paper.chain(others).collect(), Sync::ALL);
    let text = report.to_text();
    assert!(report.as_expected(), "{text}");
    assert_eq!(report.programs.len(), 7);
    collected_kernels_are_compared_with_the_original_ones(&report.programs[6]);
    for program in &report.programs[..6] {
        let codes: Vec<(&str, u32)> = program.codes.iter().map(|row| (&*row.code, row.threads)).collect();
        let expected = [
            ("native", 1),
            ("basic", 1),
            ("merging", 1),
            ("splitting", 1),
            ("native", 2),
            ("basic", 2),
            ("merging", 2),
            ("splitting", 2),
            ("emulator", 2),
        ];
        assert_eq!(codes, expected);
        let relies = ["cg", "reduction", "sorting-networks"].contains(&&*program.program);
        assert_eq!(program.warp_synchronous, relies);
        assert_eq!(wrong(program, "basic").len(), if relies { 2 } else { 0 }, "{text}");
        for row in &program.codes {
            let is_basic = relies && row.code == "basic";
            // A wrong result has no speed; it is what the others are compared with all the same.
            assert_eq!(row.seconds.is_some(), !is_basic, "{} {}", program.program, row.code);
            assert_eq!(row.over_native.is_some(), !is_basic && row.code != "native");
            assert_eq!(row.over_basic.is_some(), ["merging", "splitting"].contains(&&*row.code));
        }
    }
    // 7 of 64 partial sums at each of two levels, as in the paper.
    let known = report.known_answer.as_ref().unwrap();
    let sums: Vec<(&str, i32)> = known.sums.iter().map(|sum| (&*sum.code, sum.sum)).collect();
    assert_eq!((known.ones, known.paper_basic), (65536, None));
    assert_eq!(sums, [("basic", 65536 * 49 / 4096), ("merging", 65536), ("splitting", 65536)]);
    assert!(text.contains("\nreduction of 65,536 ones: basic 784, merging 65,536, splitting 65,536\n"), "{text}");
    assert!(text.contains("\nkernels after CCC: time over that of the original ones, with splitting\n"), "{text}");
    assert!(text.contains("wrong, as it must be: reduction, basic, one thread: sum 0 is "), "{text}");
    plots_name_what_the_paper_lacks(&report);
    json_has_its_keys(&report);
    unexpected_results_are_named(report);
}

fn collected_kernels_are_compared_with_the_original_ones(program: &ProgramReport) {
    assert_eq!((&*program.program, program.codes.len(), program.of_the_paper), ("ccc-hash", 11, false));
    for row in &program.codes {
        assert!(row.results_equal && row.refused.is_none(), "{row:?}");
        assert_eq!(row.over_original.is_some(), row.code == "splitting after CCC", "{row:?}");
    }
}

fn plots_name_what_the_paper_lacks(report: &CpuReport) {
    let plots = report.plots().unwrap();
    let files: Vec<&str> = plots.iter().map(|plot| &*plot.file).collect();
    assert_eq!(files, ["figures-9-and-10.svg", "native.svg"]);
    assert!(
        plots[0].svg.contains("paper: its bars have no numbers; basic is wrong for cg, reduction, sorting-networks")
    );
    for plot in &plots {
        assert_eq!(&Plot::redraw(&plot.svg).unwrap(), plot);
    }
}

fn json_has_its_keys(report: &CpuReport) {
    let json = serde_json::to_value(report).unwrap();
    assert_eq!((&json["suite"], &json["threads"], &json["arch"]), (&"cpu".into(), &2.into(), &"sm_90".into()));
    for key in ["processor", "compiler", "flags"] {
        assert!(json[key].as_str().is_some_and(|text| !text.is_empty()), "{key}");
    }
    let program = &json["programs"][1];
    assert_eq!(
        (&program["program"], &program["launches"], &program["rounds"]),
        (&"reduction".into(), &2.into(), &1.into())
    );
    let row = &program["codes"][3];
    assert_eq!((&row["code"], &row["threads"], &row["results_equal"]), (&"splitting".into(), &1.into(), &true.into()));
    assert!(row["seconds"]["median"].as_f64().unwrap() > 0.0 && row["over_native"]["median"].as_f64().unwrap() > 0.0);
}

fn unexpected_results_are_named(mut report: CpuReport) {
    let row = report.programs[3].codes.iter_mut().find(|row| row.code == "splitting").unwrap();
    (row.results_equal, row.difference) = (false, Some("by hand".into()));
    assert!(!report.as_expected());
    let text = report.to_text();
    assert!(text.contains("\nWRONG: sgemm, splitting, one thread: by hand\n"), "{text}");
}

#[test]
fn other_programs_are_right_as_native_code_and_on_the_emulator() {
    let programs: Vec<Program> = Program::ALL.into_iter().filter(|program| !program.is_of_the_paper()).collect();
    let report = run(programs, &[]);
    let text = report.to_text();
    assert!(report.as_expected() && report.known_answer.is_none(), "{text}");
    assert_eq!(report.programs.len(), 15);
    for program in &report.programs {
        let codes: Vec<(&str, u32)> = program.codes.iter().map(|row| (&*row.code, row.threads)).collect();
        assert_eq!(codes, [("native", 1), ("native", 2), ("emulator", 2)]);
        assert!(program.codes.iter().all(|row| row.results_equal && row.refused.is_none()), "{text}");
    }
}
