//! `pxrw bench`.

use crate::program::{Folder, pxrw, report};

#[test]
fn a_small_graph_gives_equal_levels_on_both_machines() {
    // Few threads, so that each has many vertices and contexts are really stacked.
    let graph = ["--scale", "9", "--grid", "2", "--block", "64"];
    let ran = pxrw(["bench", "bfs", "--report", "json"].iter().chain(&graph)).ends_with(0);
    let value = report(
        ran.stdout(),
        &["suite", "device", "rows.0.program", "rows.0.variant", "rows.0.warp_execution_efficiency"],
    );
    let rows = value["rows"].as_array().unwrap();
    assert!(rows.len() >= 4, "original and rewritten on two machines: {rows:#?}");
    for row in rows {
        assert_eq!(row["results_equal"], true, "{row}");
    }
}

#[test]
fn a_graph_that_cannot_be_read_is_an_error_at_its_line() {
    let folder = Folder::new();
    let graph = folder.file("graph.txt", "0 1\n1 2\n2 x\n");
    pxrw(["bench", "bfs", "--graph", &graph]).ends_with(2).says(&["graph.txt", "3"]);
    pxrw(["bench", "bfs", "--graph", &folder.argument("no.txt")]).ends_with(2).says(&["no.txt"]);
}

#[test]
fn a_program_of_the_paper_is_run_before_and_after() {
    let arguments = ["bench", "ccc", "--program", "iefa", "--tasks", "3000", "--machine", "its"];
    let text = pxrw(arguments).ends_with(0);
    text.prints(&["iefa", "41 -> 97 %", "2.72", "3000 values"]);
    let ran = pxrw(arguments.iter().chain(&["--report", "json"])).ends_with(0);
    let value = report(ran.stdout(), &["suite", "programs.0.paper.speedup", "programs.0.rows.1.results_equal"]);
    let programs = value["programs"].as_array().unwrap();
    assert_eq!((programs.len(), programs[0]["tasks"].as_u64()), (1, Some(3000)));
    let rows = programs[0]["rows"].as_array().unwrap();
    let efficiency = |row: usize| rows[row]["warp_execution_efficiency"].as_f64().unwrap();
    assert!(rows.len() == 2 && efficiency(1) > efficiency(0), "{rows:#?}");
    pxrw(["bench", "ccc", "--program", "dijkstra"]).ends_with(2).says(&["dijkstra", "sssp"]);
    pxrw(["bench", "ccc", "--tasks", "0"]).ends_with(2).says(&["0"]);
    pxrw(["bench", "ccc", "--tasks", "4000000000"]).ends_with(2).says(&["4000000000 tasks", "134217728"]);
}

#[test]
fn plots_are_files_in_a_folder_that_is_made() {
    let folder = Folder::new();
    let plots = folder.argument("plots");
    let arguments = ["bench", "ccc", "--program", "iefa", "--tasks", "3000", "--machine", "stack", "--plots"];
    let ran = pxrw(arguments.iter().chain(&[plots.as_str()])).ends_with(0);
    ran.prints(&["synthetic kernels (paper, Section 6.3)", "iefa"]);
    let mut names: Vec<_> =
        std::fs::read_dir(&plots).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["figure-11.svg", "figure-12.svg", "figure-13.svg", "figure-14.svg", "table-1.svg"]);
    assert!(std::fs::read_to_string(format!("{plots}/figure-11.svg")).unwrap().contains("IEFA"));
    let file = folder.file("file", "");
    pxrw(arguments.iter().chain(&[file.as_str()])).ends_with(2).says(&["cannot make the folder", "--plots FOLDER"]);
    pxrw(["bench", "ccc", "--paper", "--tasks", "5"]).ends_with(2).says(&["--paper", "--tasks"]);
}

#[test]
fn translated_kernels_are_timed_against_native_code() {
    let folder = Folder::new();
    let plots = folder.argument("plots");
    let arguments =
        ["bench", "cpu", "--program", "reduction", "--quick", "--rounds", "2", "--threads", "2", "--sync", "splitting"];
    let ran = pxrw(arguments.iter().chain(&["--plots", plots.as_str(), "--report", "json"])).ends_with(0);
    let value = report(ran.stdout(), &["suite", "processor", "compiler", "flags", "programs.0.program"]);
    // Only machines with PoCL have rows of OpenCL.
    let codes = value["programs"][0]["codes"].as_array().unwrap();
    let codes: Vec<_> = codes.iter().filter(|row| row["code"] != "opencl").collect();
    let found: Vec<_> =
        codes.iter().map(|row| (row["code"].as_str().unwrap(), row["threads"].as_u64().unwrap())).collect();
    assert_eq!(found, [("native", 1), ("splitting", 1), ("native", 2), ("splitting", 2), ("emulator", 2)]);
    assert!(codes.iter().all(|row| row["results_equal"] == true && row["seconds"]["median"].as_f64().unwrap() > 0.0));
    assert_eq!(value["known_answer"]["sums"][0]["sum"], 65536);
    for file in ["figures-9-and-10.svg", "native.svg"] {
        assert!(std::fs::read_to_string(format!("{plots}/{file}")).unwrap().contains("reduction"), "{file}");
    }
    pxrw(["bench", "cpu", "--program", "sort"]).ends_with(2).says(&["sort", "sorting-networks"]);
    pxrw(["bench", "cpu", "--sync", "all"]).ends_with(2).says(&["all", "splitting"]);
}

#[test]
fn the_emulator_is_timed_against_native_code() {
    let arguments = ["bench", "emulator", "--kernel", "saxpy", "--kernel", "bfs", "--rounds", "1", "--report", "json"];
    let ran = pxrw(arguments).ends_with(0);
    let value = report(ran.stdout(), &["suite", "compiler", "flags", "rows.0.kernel", "rows.0.seconds"]);
    let rows = value["rows"].as_array().unwrap();
    let what = |row: &serde_json::Value| ["kernel", "machine", "threads", "undefined"].map(|key| row[key].to_string());
    let ways = [("stack", 1, false), ("its", 1, false), ("stack", 2, false), ("stack", 1, true)];
    let expected: Vec<_> = ["saxpy", "bfs"]
        .iter()
        .flat_map(|kernel| {
            ways.map(|(machine, threads, undefined)| {
                [format!("\"{kernel}\""), format!("\"{machine}\""), threads.to_string(), undefined.to_string()]
            })
        })
        .collect();
    assert_eq!(rows.iter().map(what).collect::<Vec<_>>(), expected);
    for row in rows {
        assert!(
            row["native_seconds"].as_f64().unwrap() > 0.0 && row["warp_instructions"].as_u64().unwrap() > 1000,
            "{row}"
        );
    }
    let none = pxrw(["bench", "emulator", "--kernel", "sort"]);
    none.ends_with(2).says(&["sort", "saxpy"]);
}

#[test]
fn mimd_programs_deadlock_on_the_stack_and_are_freed() {
    let folder = Folder::new();
    let plots = folder.argument("plots");
    let arguments = ["bench", "ssde", "--program", "fig4-behind", "--program", "tl-fg", "--tasks", "64"];
    let ran = pxrw(arguments.iter().chain(&["--report", "json", "--plots", &plots])).ends_with(0);
    let json = report(ran.stdout(), &["suite", "device", "rows.0.modelled_cycles", "figures.overhead.1.mean"]);
    let rows = json["rows"].as_array().unwrap();
    let stack = rows.iter().find(|row| row["variant"] == "M" && row["machine"] == "stack").unwrap();
    assert_eq!((&stack["outcome"], &stack["results_equal"]), (&"simt-deadlock".into(), &false.into()));
    for file in ["table-3-o3.svg", "figure-9-o3.svg", "figure-10.svg", "figure-11.svg", "figure-12.svg"] {
        assert!(std::path::Path::new(&plots).join(file).is_file(), "{file}");
    }
    pxrw(["bench", "ssde", "--program", "bakery"]).ends_with(2).says(&["bakery", "tl-cg"]);
}
