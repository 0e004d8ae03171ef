//! The plots of the book are what their commands make, as far as that can be seen without running these for minutes.
//!
//! `PXRW_BLESS=1` draws them again: those of a GPU from the saved results, the others from the numbers that they carry. Numbers change by the commands
//! that `docs/results.md` names.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use benchmarks::Plot;
use benchmarks::ccc::{self, CccOptions};
use benchmarks::gpu::GpuReport;
use benchmarks::ssde::{self, Program, SsdeOptions};
use device::Machine;
use serde_json::Value;
use toolkit::{Search, StderrProgress, Toolkit};

fn toolkit() -> Toolkit {
    Toolkit::locate_or_install(&Search::default(), &mut StderrProgress::default()).unwrap()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The plots in a folder, by name.
fn saved(folder: &str) -> BTreeMap<String, String> {
    let folder = root().join("docs/figures").join(folder);
    let files = fs::read_dir(&folder).unwrap().map(|file| file.unwrap());
    files.map(|file| (file.file_name().into_string().unwrap(), fs::read_to_string(file.path()).unwrap())).collect()
}

/// Holds the plots in a folder against those that are made now.
fn check(folder: &str, made: Vec<Plot>) {
    let before = saved(folder);
    if env::var_os("PXRW_BLESS").is_some() {
        for plot in &made {
            fs::write(root().join("docs/figures").join(folder).join(&plot.file), &plot.svg).unwrap();
        }
    }
    let made: BTreeMap<String, String> = made.into_iter().map(|plot| (plot.file, plot.svg)).collect();
    assert!(before.keys().eq(made.keys()), "{folder}: {:?}, made: {:?}", before.keys(), made.keys());
    for (file, svg) in &made {
        assert!(
            before[file] == *svg,
            "docs/figures/{folder}/{file} is drawn in another way now; `PXRW_BLESS=1` draws it again"
        );
    }
}

/// The numbers of a saved plot: by panel, series and group.
fn numbers(folder: &str, file: &str) -> Vec<BTreeMap<String, BTreeMap<String, f64>>> {
    let svg = fs::read_to_string(root().join("docs/figures").join(folder).join(file)).unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let carried = document.descendants().find(|node| node.has_tag_name("metadata")).unwrap().text().unwrap();
    let figure: Value = serde_json::from_str(carried).unwrap();
    let panel = |panel: &Value| {
        let bars = &panel["content"]["bars"];
        let names: Vec<&str> = bars["names"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        let of = |series: &Value| {
            let values = series["values"].as_array().unwrap().iter().map(Value::as_f64);
            let values = names.iter().zip(values).filter_map(|(name, value)| Some((name.to_lowercase(), value?)));
            (series["name"].as_str().unwrap().to_owned(), values.collect())
        };
        bars["series"].as_array().unwrap().iter().map(of).collect()
    };
    figure["panels"].as_array().unwrap().iter().map(panel).collect()
}

/// The cells of a table of the chapter: of the one whose head has all of these columns.
fn table(columns: &[&str]) -> Vec<Vec<String>> {
    let text = fs::read_to_string(root().join("docs/results.md")).unwrap();
    let cells =
        |line: &str| -> Vec<String> { line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect() };
    let mut lines = text.lines();
    let head = lines.find(|line| {
        line.starts_with('|') && columns.iter().all(|column| cells(line).iter().any(|cell| cell == column))
    });
    let head = cells(head.unwrap_or_else(|| panic!("no table with {columns:?}")));
    let places: Vec<usize> =
        columns.iter().map(|column| head.iter().position(|cell| cell == column).unwrap()).collect();
    let rows = lines.skip(1).take_while(|line| line.starts_with('|'));
    rows.map(|line| places.iter().map(|&place| cells(line)[place].clone()).collect()).collect()
}

/// Fails unless a number of the chapter is the rounded one of a plot.
fn assert_rounded(shown: &str, exact: f64, of: &str) {
    let digits = shown.split_once('.').map_or(0, |(_, digits)| digits.len());
    let shown: f64 = shown.parse().unwrap_or_else(|_| panic!("{of}: `{shown}` is no number"));
    let half = 0.5 * 10_f64.powi(-(digits as i32));
    assert!((shown - exact).abs() <= half * 1.01 + 1e-5 * exact, "{of}: the chapter says {shown}, the plot {exact}");
}

#[test]
fn plots_of_a_gpu_are_those_of_the_saved_results() {
    let read = |name: &str| -> GpuReport {
        let text = fs::read_to_string(root().join("benchmarks/results").join(name)).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    let times = read("nvidia-h100-2026-11-27.json");
    let report = times.join(read("nvidia-h100-2026-11-27-counters.json")).unwrap();
    check("h100", report.plots().unwrap());
}

#[test]
fn other_plots_are_drawn_from_the_numbers_that_they_carry() {
    for folder in ["ccc", "ssde", "cpu"] {
        check(folder, saved(folder).values().map(|svg| Plot::redraw(svg).unwrap()).collect());
    }
}

#[test]
fn the_synthetic_kernels_still_give_their_plots() {
    let options = CccOptions { programs: Vec::new(), synthetic: true, quiet: true, ..CccOptions::default() };
    let made = ccc::run_suite(&options, &toolkit()).unwrap().plots().unwrap();
    let saved = saved("ccc");
    assert_eq!(made.len(), 2);
    for plot in made {
        assert!(saved[&plot.file] == plot.svg, "`pxrw bench ccc --plots docs/figures/ccc` makes another {}", plot.file);
    }
}

#[test]
fn small_programs_still_give_the_numbers_of_the_plots() {
    let programs = vec![Program::Behind, Program::Parallel, Program::Branches, Program::Around, Program::TlFine];
    let options = SsdeOptions {
        programs: programs.clone(),
        machines: vec![Machine::Stack],
        detections: false,
        quiet: true,
        ..SsdeOptions::default()
    };
    let report = ssde::run_suite(&options, &toolkit()).unwrap();
    for (level, file) in [("O0", "figure-9-o0.svg"), ("O3", "figure-9-o3.svg")] {
        let [time, work, efficiency] = <[_; 3]>::try_from(numbers("ssde", file)).unwrap();
        let rows: Vec<_> = report.figures.figure_9.iter().filter(|row| row.optimisation == level).collect();
        assert_eq!(rows.len(), programs.len());
        for row in rows {
            let saved = [
                (time["pxrw (modelled time)"][&row.program], row.relative_time.unwrap()),
                (work["pxrw"][&row.program], row.relative_instructions.unwrap()),
                (efficiency["pxrw, S"][&row.program], 100.0 * row.efficiency_of_s.unwrap()),
                (efficiency["pxrw, M+SSDE"][&row.program], 100.0 * row.efficiency.unwrap()),
            ];
            for (saved, now) in saved {
                let same = (saved - now).abs() <= 1e-5 * now;
                assert!(
                    same,
                    "{}, -{level}: {saved} is {now} now; run `pxrw bench ssde --plots docs/figures/ssde`",
                    row.program
                );
            }
        }
    }
}

#[test]
fn plots_have_the_numbers_of_the_chapters_tables() {
    let speedups = numbers("ccc", "figure-11.svg").remove(0);
    let efficiencies = numbers("ccc", "figure-12.svg").remove(0);
    let mut rows = 0;
    for row in table(&["program", "issue speedup", "warp execution efficiency"]) {
        let [program, speedup, efficiency] = <[String; 3]>::try_from(row).unwrap();
        // Other ways of rewriting are not in the plots.
        let Some(&exact) = speedups["pxrw (warp instructions)"].get(&program) else { continue };
        assert_rounded(&speedup, exact, &program);
        let (before, after) = efficiency.split_once('→').unwrap();
        let percent = |text: &str| text.trim().trim_end_matches(" %").to_owned();
        assert_rounded(&percent(before), efficiencies["pxrw, original"][&program], &program);
        assert_rounded(&percent(after), efficiencies["pxrw, CCC"][&program], &program);
        rows += 1;
    }
    assert_eq!(rows, 8);
    let [time, work, efficiency] = <[_; 3]>::try_from(numbers("ssde", "figure-9-o3.svg")).unwrap();
    let unoptimised = numbers("ssde", "figure-9-o0.svg").remove(0);
    let columns = ["program", "efficiency, S → M+SSDE", "instructions over S", "time over S", "at `-O0`"];
    let rows = table(&columns);
    assert_eq!(rows.len(), 15);
    for row in rows {
        let [program, both, instructions, over, at_o0] = <[String; 5]>::try_from(row).unwrap();
        let (before, after) = both.trim_end_matches(" %").split_once(" → ").unwrap();
        assert_rounded(before, efficiency["pxrw, S"][&program], &program);
        assert_rounded(after, efficiency["pxrw, M+SSDE"][&program], &program);
        assert_rounded(&instructions, work["pxrw"][&program], &program);
        assert_rounded(&over, time["pxrw (modelled time)"][&program], &program);
        assert_rounded(&at_o0, unoptimised["pxrw (modelled time)"][&program], &program);
    }
    let [counts, shares] = <[_; 2]>::try_from(numbers("ssde", "table-4.svg")).unwrap();
    let rows = table(&["", "`-O0`", "`-O3`"]);
    for (level, place) in [("-o0", 1), ("-o3", 2)] {
        let cell = |name: &str| rows.iter().find(|row| row[0].starts_with(name)).unwrap()[place].trim_end_matches(" %");
        let (true_ones, others) = (counts["pxrw, in kernels that deadlock"][level], counts["pxrw, in others"][level]);
        assert_rounded(cell("loops found"), true_ones + others, level);
        assert_rounded(cell("of these, in kernels that do not deadlock"), others, level);
        assert_rounded(cell("the latter"), shares["pxrw, in kernels that do not deadlock"][level], level);
    }
}

#[test]
fn plots_of_the_cpu_have_the_numbers_of_the_chapters_tables() {
    let alone = numbers("cpu", "native.svg").remove(0);
    let rows = table(&["program", "basic", "merging", "splitting"]);
    assert_eq!(rows.len(), benchmarks::cpu::Program::ALL.len());
    for row in rows {
        for (code, shown) in ["pxrw, basic", "pxrw, merging", "pxrw, splitting"].iter().zip(&row[1..]) {
            match alone[*code].get(&row[0]) {
                Some(&exact) => assert_rounded(shown, exact, &row[0]),
                None => assert_eq!((shown.as_str(), *code), ("wrong", "pxrw, basic"), "{}", row[0]),
            }
        }
    }
    let all = numbers("cpu", "figures-9-and-10.svg");
    let rows = table(&["program", "merging over basic", "splitting over basic"]);
    assert_eq!(rows.len(), 5);
    for row in rows {
        let both = ["pxrw, merging", "pxrw, splitting"].iter().zip(&row[1..]);
        both.for_each(|(code, shown)| assert_rounded(shown, all[0][*code][&row[0]], &row[0]));
    }
}

#[test]
fn the_chapter_shows_or_links_all_plots() {
    let chapter = fs::read_to_string(root().join("docs/results.md")).unwrap();
    for folder in ["h100", "ccc", "ssde", "cpu"] {
        assert!(chapter.contains(&format!("--plots docs/figures/{folder}\n")), "no command for docs/figures/{folder}");
        for file in saved(folder).keys() {
            assert!(
                chapter.contains(&format!("](figures/{folder}/{file})")),
                "{folder}/{file} is not in docs/results.md"
            );
        }
    }
}
