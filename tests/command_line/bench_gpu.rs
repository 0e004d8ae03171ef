//! `pxrw bench` on a GPU and `pxrw report`. The fake driver runs none of the programs, so that every result is wrong, which must be seen. Nor does the fake
//! Nsight Compute count anything: its figures are made up.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::fake_driver::{before_others, folder, folder_without_driver};
use crate::program::{Folder, Ran, command, finish, pxrw, report};

/// A suite with the library path that decides which driver is found.
fn bench(library_path: &std::path::Path, arguments: &[&str]) -> Ran {
    finish(&mut on(library_path, arguments))
}

fn on(library_path: &std::path::Path, arguments: &[&str]) -> Command {
    let mut command = command(["bench"].iter().chain(arguments));
    command.env("LD_LIBRARY_PATH", before_others(library_path));
    command
}

/// The program that stands in for Nsight Compute.
const NCU: &str = "tests/command_line/ncu.sh";

#[test]
fn without_a_driver_it_says_so_before_anything_is_compiled() {
    let none = ["--cuda-path", "/there/is/no/compiler"];
    for suite in [&["bfs"][..], &["ccc"], &["ccc", "--synthetic"], &["ssde"]] {
        let ran = bench(&folder_without_driver(), &[suite, &["--device", "gpu"], &none].concat()).ends_with(2);
        ran.says(&["error: no CUDA driver on this machine: libcuda.so.1 is not found"]);
    }
    let folder = Folder::new();
    let file = folder.argument("results.json");
    bench(&folder_without_driver(), &[&["gpu", "-o", &file][..], &none].concat())
        .ends_with(2)
        .says(&["error: no CUDA driver on this machine"]);
    assert!(!folder.path("results.json").exists());
}

#[test]
fn options_of_another_device_are_refused() {
    for suite in ["bfs", "ccc", "ssde"] {
        let ran = pxrw(["bench", suite, "--device", "gpu", "--machine", "stack"]).ends_with(2);
        ran.says(&["error: `--machine` says nothing to `--device gpu`", "a GPU is its own machine"]);
        for option in ["--runs", "--warmup", "--ordinal", "--timeout", "--ncu"] {
            let ran = pxrw(["bench", suite, option, "1"]).ends_with(2);
            ran.says(&[&format!("error: `{option}` says nothing to `--device emulator`"), "only `--device gpu`"]);
        }
    }
    pxrw(["bench", "emulator", "--device", "gpu"]).ends_with(2).says(&["--device"]);
    pxrw(["bench", "gpu", "--runs", "0"]).ends_with(2).says(&["'0'", "--runs"]);
    pxrw(["bench", "gpu", "--machine", "its"]).ends_with(2).says(&["--machine"]);
}

#[test]
fn a_suite_is_timed_and_its_file_is_shown_again() {
    let files = Folder::new();
    let file = files.argument("iefa.json");
    let suite = ["ccc", "--program", "iefa", "--tasks", "3000", "--device", "gpu", "--runs", "3", "--warmup", "1"];
    let suite = [&suite[..], &["--ncu", NCU]].concat();
    let ran = bench(folder(), &[&suite[..], &["--report", "json", "-o", &file]].concat()).ends_with(1);
    assert_eq!(ran.stdout(), "");
    let keys =
        ["suite", "gpu.name", "gpu.l2_bytes", "pxrw_version", "nvcc_version", "date", "arch", "programs.0.input"];
    let json = report(&files.text("iefa.json"), &keys);
    assert_eq!((&json["suite"], &json["arch"], &json["runs"]), (&"gpu".into(), &"sm_90".into(), &3.into()));
    let variants = json["programs"][0]["variants"].as_array().unwrap();
    assert_eq!(variants.len(), 2);
    // The fake driver has each launch take half a millisecond more than the one before, the first of them 2.5.
    for (variant, median) in variants.iter().zip([0.0045, 0.005]) {
        assert_eq!((&variant["results_equal"], &variant["runs"]), (&false.into(), &3.into()), "{variant}");
        assert!((variant["seconds"]["median"].as_f64().unwrap() - median).abs() < 1e-9, "{variant}");
        assert!(
            variant["speedup"].is_null() && variant["difference"].is_string(),
            "a wrong result has no speed: {variant}"
        );
        assert_eq!((&variant["taken"]["registers"], &variant["kernel"]), (&40.into(), &"iefa".into()));
    }
    // They were counted in a process of their own, in which the original is launched first.
    for (variant, instructions) in variants.iter().zip([1000, 2000]) {
        let counted = &variant["counted"];
        assert_eq!(
            (&counted["warp_instructions"], &counted["active_lanes"]),
            (&instructions.into(), &(24 * instructions).into())
        );
        assert_eq!(
            (&counted["warp_execution_efficiency"], &counted["warp_nonpred_execution_efficiency"]),
            (&0.75.into(), &0.5.into())
        );
    }
    let plots = files.argument("plots");
    let shown = pxrw(["report", &file, "--plots", &plots]).ends_with(1);
    shown.prints(&[
        "Fake 0, compute capability 9.0, 132 multiprocessors",
        "4500.0 (4250.0 to 5250.0)",
        "WRONG: iefa, ccc: ",
        "note: warp execution efficiency is of a run that was not timed, by Nsight Compute 2025.3.1.0",
        "┆     75.0 % ┆",
        "what bounds them, by Nsight Compute",
        "│ iefa    ┆ original ┆        1,000 ┆     80.0 % ┆       1.2 ┆       116.7 % ┆",
    ]);
    assert!(files.path("plots").join("figure-11.svg").is_file());
    assert_eq!(files.names(), ["iefa.json", "plots"]);
}

/// All kernels of both papers go to the driver, and every figure of the report is one of theirs.
#[test]
fn all_suites_are_timed_into_one_file() {
    let files = Folder::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let ncu = root.join(NCU);
    let suite = ["gpu", "--tasks", "100", "--runs", "1", "--warmup", "0", "--ncu", ncu.to_str().unwrap()];
    let mut gpu = on(folder(), &suite);
    // In a folder of its own, where it makes one for the results; the compiler is the one that all tests use.
    let toolkit = root.join(std::env::var_os("PXRW_TOOLKIT_DIR").unwrap_or_else(|| ".pxrw-toolkit".into()));
    gpu.current_dir(files.path("")).env("PXRW_TOOLKIT_DIR", toolkit).env("FAKE_CUDA_MEMORY", "16000000");
    let timed = finish(&mut gpu).ends_with(1).says(&["results: benchmarks/results/fake-0-"]);
    let name = timed.stderr.rsplit("results: ").next().unwrap().trim();
    let (file, plots) = (files.argument(name), files.argument("plots"));
    let keys =
        ["programs.22.variants.1.seconds", "synthetic.29.variants", "programs.22.variants.1.counted.active_lanes"];
    let json = report(&files.text(name), &[&keys[..], &["synthetic.29.variants.1.counted.active_lanes"]].concat());
    assert_eq!(name, format!("benchmarks/results/fake-0-{}.json", json["date"].as_str().unwrap()));
    assert_eq!(json["programs"].as_array().unwrap().len(), 23);
    // The emulator has no wrong results to be held against.
    let left_out = json["left_out"].as_array().unwrap();
    let is_wrong =
        |one: &Value| one["reason"].as_str().unwrap().starts_with("the emulator is not held against it: on the GPU: ");
    assert!(left_out.len() > 46 && left_out.iter().all(is_wrong), "{json}");
    assert_eq!(json["efficiency"], serde_json::json!([]));
    let nowhere = files.argument("no/such/folder.json");
    bench(folder(), &["gpu", "-o", &nowhere]).ends_with(2).says(&["cannot write", "name a file in an existing folder"]);
    let shown = pxrw(["report", &file, "--plots", &plots]).ends_with(1);
    assert_eq!(shown.stdout(), timed.stdout());
    for plot in ["figure-11.svg", "figure-13.svg", "figure-14.svg", "ssde-time.svg"] {
        assert!(files.path("plots").join(plot).is_file(), "{plot}");
    }
}

#[test]
fn what_is_not_counted_is_said_with_the_reason() {
    let suite = ["ccc", "--program", "iefa", "--tasks", "500", "--device", "gpu", "--runs", "1", "--warmup", "0"];
    let with = |options: &[&str]| on(folder(), &[&suite[..], options].concat());
    let note = "note: warp execution efficiency is not measured: ";
    let forbidden = "ERR_NVGPUCTRPERM - no permission";
    let ran = finish(with(&["--ncu", NCU]).env("FAKE_NCU_SAYS", format!("==ERROR== {forbidden}"))).ends_with(1);
    ran.prints(&[&format!("{note}Nsight Compute counted nothing: {forbidden}"), "┆ not measured ┆"]);
    let other = "\"ID\",\"Kernel Name\"\n\"\",\"\"";
    let ran = finish(with(&["--ncu", NCU]).env("FAKE_NCU_SAYS", other)).ends_with(1);
    ran.prints(&[&format!("{note}Nsight Compute's counts are not those of the run: it did not see all launches")]);
    finish(&mut with(&["--no-ncu"])).ends_with(1).prints(&[&format!("{note}`--no-ncu` was given")]);
    let nowhere = finish(&mut with(&["--ncu", "/there/is/no/ncu"])).ends_with(2);
    nowhere.says(&["error: Nsight Compute at /there/is/no/ncu cannot be used", "help: `--ncu` names"]);
    finish(&mut with(&["--no-ncu", "--ncu", NCU])).ends_with(2).says(&["cannot be used with"]);
}

#[test]
fn the_emulator_is_held_against_a_gpu_that_counts() {
    let suite = ["efficiency", "--tasks", "100", "--ncu", NCU];
    let ran = finish(on(folder(), &suite).env("FAKE_CUDA_MEMORY", "16000000")).ends_with(1);
    ran.prints(&[
        "gpu (Fake 0), compiled for sm_90, Nsight Compute 2025.3.1.0",
        "no kernel was counted on both",
        "left out: ccc, iefa (ccc): on the GPU: value 0 is 0, the CPU says",
    ]);
    let refused = finish(on(folder(), &suite).env("FAKE_NCU_SAYS", "==ERROR== no")).ends_with(2);
    refused.says(&["error: warp execution efficiency is not measured: Nsight Compute counted nothing: no", "help: "]);
    bench(&folder_without_driver(), &suite).ends_with(2).says(&["error: no CUDA driver on this machine"]);
    pxrw(["bench", "efficiency", "--help"]).ends_with(0).prints(&["Example: pxrw bench efficiency", "--ncu"]);
    let request = Folder::new().file("request.json", "{}");
    let profiled = ["profiled", &request, "-o", "report.json", "--ordinal", "0", "--timeout", "5"];
    let mut watched = on(folder(), &profiled);
    // It ends with its standard input, which is open here.
    let (input, _open) = std::io::pipe().unwrap();
    finish(watched.stdin(input)).ends_with(2).says(&["error: cannot read what is to be run: "]);
    assert!(!pxrw(["bench", "--help"]).ends_with(0).stdout().contains("profiled"));
}

#[test]
fn what_the_gpu_has_no_room_for_is_left_out() {
    let suite = ["ccc", "--program", "dqg", "--program", "iefa", "--tasks", "500", "--runs", "1", "--report", "json"];
    let ran = bench(folder(), &[&suite[..], &["--device", "gpu", "--no-ncu"]].concat()).ends_with(1);
    // The pairs of atoms alone take more than the megabyte that the fake GPU has.
    let json = report(ran.stdout(), &["programs.0.program", "left_out.0.program"]);
    assert_eq!((&json["programs"][0]["program"], &json["left_out"][0]["program"]), (&"iefa".into(), &"dqg".into()));
    assert!(json["left_out"][0]["reason"].as_str().unwrap().contains("no memory for the"), "{json}");
}

#[test]
fn a_damaged_or_foreign_file_is_an_error_at_its_place() {
    let folder = Folder::new();
    let damaged = folder.file("damaged.json", "{\n  \"suite\": \"gpu\",\n  \"device\": }\n");
    pxrw(["report", &damaged]).ends_with(2).says(&[
        "error: these are no results of a GPU",
        "damaged.json:3:13",
        "help: ",
    ]);
    let short = folder.file("short.json", "{\n  \"suite\": \"gpu\"\n}\n");
    pxrw(["report", &short]).ends_with(2).says(&["missing field `device`", "short.json:3:1"]);
    let foreign = folder.file("foreign.json", "{\"suite\": \"ccc\", \"device\": \"emulator\"}");
    pxrw(["report", &foreign]).ends_with(2).says(&["has results of the suite `ccc`, not of a GPU"]);
    let other = folder.file("other.json", "[1, 2]");
    pxrw(["report", &other]).ends_with(2).says(&["these are no results of a GPU", "other.json:1:"]);
    pxrw(["report", &folder.argument("none.json")]).ends_with(2).says(&["cannot read", "none.json"]);
    pxrw(["report", "--help"]).ends_with(0).prints(&["Example: pxrw report", "--plots"]);
    pxrw(["bench", "gpu", "--help"]).ends_with(0).prints(&[
        "Example: pxrw bench gpu",
        "--runs",
        "Every variant runs once",
    ]);
}
