//! `pxrw bench … --device gpu`, `bench gpu` and `pxrw report`. The fake driver runs none of the programs, so that every result is wrong, which must be seen. Nor
//! does the fake Nsight Compute count anything: its figures are made up.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::fake_driver::{before_others, folder, folder_lacking, folder_without_driver};
use crate::program::{Folder, Ran, command, finish, heed_interrupts, pxrw, report};

/// A suite with the library path that decides which driver is found.
fn bench(library_path: &std::path::Path, arguments: &[&str]) -> Ran {
    finish(&mut on(library_path, arguments))
}

fn on(library_path: &std::path::Path, arguments: &[&str]) -> Command {
    let mut command = command(["bench"].iter().chain(arguments));
    command.env("LD_LIBRARY_PATH", before_others(library_path));
    command
}

/// Interrupts a process as Ctrl-C does.
fn interrupt(child: &std::process::Child) {
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
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
        ran.says(&["error: `--machine` does not apply to `--device gpu`", "a GPU is its own machine"]);
        for option in ["--runs", "--warmup", "--ordinal", "--timeout", "--ncu"] {
            let ran = pxrw(["bench", suite, option, "1"]).ends_with(2);
            ran.says(&[&format!("error: `{option}` does not apply to `--device emulator`"), "only `--device gpu`"]);
        }
    }
    pxrw(["bench", "emulator", "--device", "gpu"]).ends_with(2).says(&["--device"]);
    pxrw(["bench", "gpu", "--runs", "0"]).ends_with(2).says(&["'0'", "--runs"]);
    pxrw(["bench", "gpu", "--machine", "its"]).ends_with(2).says(&["--machine"]);
    let ran = pxrw(["bench", "gpu", "--ncu", "/there/is/no/ncu"]).ends_with(2);
    ran.says(&["error: `--ncu` has no effect without `--counters-only`"]);
    pxrw(["bench", "gpu", "--minutes", "0"]).ends_with(2).says(&["a number of minutes above 0"]);
    pxrw(["bench", "gpu", "--prepare", "x", "--from", "y"]).ends_with(2).says(&["cannot be used with"]);
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

/// The names of the programs in a report.
fn programs(json: &Value) -> Vec<&str> {
    json["programs"].as_array().unwrap().iter().map(|program| program["program"].as_str().unwrap()).collect()
}

/// The reason why a program is left out.
fn reason<'j>(json: &'j Value, program: &str) -> &'j str {
    let left_out = json["left_out"].as_array().unwrap();
    let found = left_out.iter().find(|one| one["program"] == program);
    found.unwrap_or_else(|| panic!("{program} is not left out: {left_out:#?}"))["reason"].as_str().unwrap()
}

/// Two programs, of which the first one fails in some way.
fn two_programs(settings: &[(&str, &str)]) -> (Ran, Value) {
    let suite = ["ccc", "--program", "iefa", "--program", "rt", "--tasks", "100", "--runs", "2", "--warmup", "0"];
    let options = ["--device", "gpu", "--no-ncu", "--timeout", "0.5", "--report", "json"];
    let ran = finish(on(folder(), &[&suite[..], &options].concat()).envs(settings.iter().copied())).ends_with(1);
    let json = serde_json::from_str(ran.stdout()).unwrap();
    (ran, json)
}

#[test]
fn what_fails_costs_one_program() {
    let (ran, json) = two_programs(&[("FAKE_CUDA_REFUSE", "iefa")]);
    assert_eq!(programs(&json), ["rt"]);
    assert!(reason(&json, "iefa").contains("(CUDA error 218)"), "{json}");
    ran.says(&["left out: ccc, iefa: the GPU's driver does not load the code", "ccc, rt: WRONG (original): "]);

    let (ran, json) = two_programs(&[("FAKE_CUDA_CRASH", "iefa")]);
    assert_eq!(programs(&json), ["rt"]);
    assert_eq!(
        reason(&json, "iefa"),
        "its process ended with signal: 11 (SIGSEGV) (core dumped)".replace(
            " (core dumped)",
            if reason(&json, "iefa").ends_with("(core dumped)") { " (core dumped)" } else { "" },
        )
    );
    ran.says(&["left out: ccc, iefa: its process ended with signal: 11"]);

    for (name, value, says) in [
        ("FAKE_CUDA_FAULT", "iefa", "an access to an illegal address (CUDA error 700)"),
        ("FAKE_CUDA_FAULT", "iefa:735", "(CUDA error 735)"),
        ("FAKE_CUDA_HANG", "iefa", "did not end within 500ms"),
    ] {
        let (ran, json) = two_programs(&[(name, value)]);
        assert_eq!(programs(&json), ["iefa", "rt"], "{name}={value}");
        let first = &json["programs"][0]["variants"][0];
        assert_eq!(first["finished"], false, "{name}={value}");
        assert!(first["difference"].as_str().unwrap().contains(says), "{first}");
        assert_eq!(json["programs"][1]["variants"][1]["runs"], 2, "{name}={value}");
        ran.says(&["ccc, iefa: NOT FINISHED (original): ", says]);
    }
}

#[test]
fn an_older_driver_gets_older_ptx_and_the_report_says_so() {
    for (version, ptx) in [("12040", Some("CUDA 12.4) reads PTX up to 8.4")), ("12080", Some("8.7")), ("13000", None)] {
        let (_, json) = two_programs(&[("FAKE_CUDA_VERSION", version)]);
        assert_eq!(programs(&json), ["iefa", "rt"], "{version}");
        let notes = json["notes"].to_string();
        match ptx {
            Some(ptx) => assert!(notes.contains(ptx) && notes.contains("was lowered to"), "{version}: {notes}"),
            None => assert!(!notes.contains("lowered"), "{version}: {notes}"),
        }
    }
}

#[test]
fn a_driver_without_a_function_is_named_before_anything_is_compiled() {
    let none = ["--cuda-path", "/there/is/no/compiler"];
    for suite in [&["bfs", "--device", "gpu"][..], &["gpu"]] {
        let ran = bench(&folder_lacking("cuMemsetD8Async"), &[suite, &none].concat()).ends_with(2);
        ran.says(&["error: the CUDA driver of this machine has no function `cuMemsetD8Async`"]);
    }
}

/// Everything is prepared here, and measured by a program that finds no compiler, no Python, no home folder and no checkout, on a driver that is older and on which
/// programs fail in all ways. All others are measured.
#[test]
fn what_is_prepared_is_measured_where_there_is_nothing_but_a_driver() {
    let files = Folder::new();
    // What was prepared before is replaced.
    let prepared = files.argument("prepared");
    std::fs::create_dir_all(files.path("prepared/ptx")).unwrap();
    let [_, _, old] = ["kernels.json", "pxrw", "ptx/old.ptx"].map(|name| files.file(&format!("prepared/{name}"), "{}"));
    let ran = pxrw(["bench", "gpu", "--prepare", &prepared, "--tasks", "100"]).ends_with(0);
    ran.prints(&["kernels for sm_90 by nvcc ", "./pxrw bench gpu --from . "]);
    let mut names: Vec<String> =
        std::fs::read_dir(&prepared).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["kernels.json", "ptx", "pxrw", "rehearsal.json"]);
    assert!(!Path::new(&old).exists());
    let elsewhere = Folder::new();
    let measure = |options: &[&str], settings: &[(&str, &str)]| {
        let mut command = Command::new(Path::new(&prepared).join("pxrw"));
        command.env_clear().current_dir(elsewhere.path("")).stdin(Stdio::null());
        command.env("LD_LIBRARY_PATH", folder()).env("FAKE_CUDA_MEMORY", "16000000").envs(settings.iter().copied());
        let common = ["bench", "gpu", "--from", &prepared, "--tasks", "100"];
        finish(command.args([&common[..], options].concat()))
    };
    let (locked, file) = (elsewhere.argument("locked"), elsewhere.argument("times.json"));
    let settings = [
        ("FAKE_CUDA_REFUSE", "iefa"),
        ("FAKE_CUDA_FAULT", "ray_trace:735"),
        ("FAKE_CUDA_CRASH", "hash"),
        ("FAKE_CUDA_HANG", "ht"),
        ("FAKE_CUDA_WAITS_AT_EXIT", ""),
        ("FAKE_CUDA_VERSION", "12040"),
        ("FAKE_CUDA_EXCLUSIVE", &locked),
    ];
    let rounds = ["--runs", "1", "--warmup", "0", "--timeout", "0.5", "--minutes", "60"];
    let timed = measure(&[&rounds[..], &["-o", &file]].concat(), &settings).ends_with(1);
    let timed =
        timed.says(&["103 units on Fake 0: about ", " minutes by the rehearsal", "60.0 minutes at most", "results: "]);
    let json = report(
        &elsewhere.text("times.json"),
        &["programs.0.variants.0.seconds", "synthetic.29.variants", "hangs.48.program"],
    );
    // All but those that are left out; rt and ht are there, and did not finish.
    assert_eq!(programs(&json).len(), 22, "{:?}", programs(&json));
    let left_out = json["left_out"].as_array().unwrap();
    assert_eq!(left_out.len(), 2, "{left_out:#?}");
    assert!(reason(&json, "iefa").contains("CUDA error 218") && reason(&json, "hash").contains("signal: 11"), "{json}");
    let unfinished: Vec<&str> = json["programs"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|program| program["variants"].as_array().unwrap().iter().any(|variant| variant["finished"] == false))
        .map(|program| program["program"].as_str().unwrap())
        .collect();
    assert_eq!(unfinished, ["rt", "ht"]);
    // A lock for an old target hangs, as does each attempt at the hash table, and the units behind it are measured all the same.
    let hangs = json["hangs"].as_array().unwrap();
    let given_up: Vec<&Value> = hangs.iter().filter(|row| row["outcome"] == "budget").collect();
    let mut names: Vec<&str> = given_up.iter().map(|row| row["program"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["ht", "ht", "ht", "lock"]);
    let message = given_up.iter().map(|row| row["message"].as_str().unwrap());
    let limits: Vec<bool> = message.map(|message| message.contains("within 5s")).collect();
    assert_eq!(
        limits.iter().filter(|&&long| long).count(),
        2,
        "the time of those that are expected to hang: {hangs:#?}"
    );
    assert_eq!((hangs.len(), &hangs[0]["right"], &hangs[0]["target"]), (49, &Value::from(true), &Value::from("sm70")));
    let notes = json["notes"].to_string();
    assert!(notes.contains("was lowered to 8.4") && notes.contains("behind a memset of 2000000 bytes"), "{notes}");
    timed.prints(&[
        "note: a kernel that does nothing takes ",
        "which of them hang?",
        "left out: ccc, hash: its process ended with signal",
    ]);

    // Counters are a file of their own; both together are one report.
    let counters = elsewhere.argument("counters.json");
    let ncu = Path::new(env!("CARGO_MANIFEST_DIR")).join(NCU);
    let options = ["--counters-only", "--ncu", ncu.to_str().unwrap(), "-o", &counters];
    let path = std::env::var("PATH").unwrap();
    measure(&options, &[("PATH", &path)]).ends_with(1).says(&[
        "counting on Fake 0: ",
        "counted: iefa (",
        "counted: synthetic (Figure 13, 1 lanes, 20 multiply-adds), ",
    ]);
    let counted = report(
        &elsewhere.text("counters.json"),
        &["programs.22.variants.1.counted.active_lanes", "synthetic.29.variants"],
    );
    assert_eq!(counted["programs"].as_array().unwrap().len(), 23);
    assert!(counted["programs"][0]["variants"][0]["seconds"].is_null());
    // The emulator has no right results to be held against.
    let left_out = counted["left_out"].as_array().unwrap();
    let is_wrong =
        |one: &Value| one["reason"].as_str().unwrap().starts_with("the emulator is not compared with it: on the GPU: ");
    assert!(left_out.len() > 46 && left_out.iter().all(is_wrong), "{left_out:#?}");
    let plots = elsewhere.argument("plots");
    let joined = pxrw(["report", &counters, &file, "--plots", &plots]).ends_with(1);
    joined.prints(&[
        "what bounds them, by Nsight Compute",
        "which of them hang?",
        "note: a kernel that does nothing takes ",
    ]);
    for plot in ["figure-11.svg", "figure-13.svg", "figure-14.svg", "ssde-time.svg"] {
        assert!(Path::new(&plots).join(plot).is_file(), "{plot}");
    }
    pxrw(["report", &file, &file])
        .ends_with(2)
        .says(&["cannot be joined", "both have times of `empty empty original`"]);

    // Without time, all but what was begun is left out, and the file says so.
    let late = measure(&["--minutes", "0.0001"], &[]).ends_with(1);
    let name = late.stderr.rsplit("results: ").next().unwrap().split(' ').next().unwrap();
    assert!(name.starts_with("benchmarks/results/fake-0-"), "{name}");
    let json = report(&elsewhere.text(name), &["left_out.101.reason"]);
    assert_eq!(reason(&json, "iefa"), "there was no time left for it");

    // A second run of the day has a file of its own.
    let again = measure(&["--minutes", "0.0001"], &[]).ends_with(1);
    again.says(&[&format!("results: {}-2.json", name.trim_end_matches(".json"))]);

    // An interruption ends the measurement with what there is.
    let interrupted = elsewhere.argument("interrupted.json");
    heed_interrupts();
    let mut command = Command::new(Path::new(&prepared).join("pxrw"));
    command
        .args(["bench", "gpu", "--from", &prepared, "--timeout", "60", "-o", &interrupted])
        .args(["--runs", "1", "--warmup", "0"]);
    command
        .env_clear()
        .env("LD_LIBRARY_PATH", folder())
        .env("FAKE_CUDA_MEMORY", "16000000")
        .env("FAKE_CUDA_HANG", "iefa");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(std::fs::File::create("/dev/full").unwrap());
    let child = command.spawn().unwrap();
    // iefa, which hangs, comes behind hash.
    let unfinished = loop {
        let text = std::fs::read_to_string(elsewhere.path("interrupted.json")).unwrap_or_default();
        match serde_json::from_str::<Value>(&text) {
            Ok(json) if programs(&json).contains(&"hash") => break json,
            _ => std::thread::sleep(std::time::Duration::from_millis(50)),
        }
    };
    assert_eq!(reason(&unfinished, "rt"), "the command ended before it was measured");
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("left out: ccc, rt: the measurement was interrupted"));
    let json = report(&elsewhere.text("interrupted.json"), &["programs.5.program"]);
    assert_eq!(reason(&json, "iefa"), "the measurement was interrupted");
    pxrw(["report", &interrupted, "-o", &interrupted])
        .ends_with(2)
        .says(&["the tables would replace the results in `"]);

    // A program that did not prepare the folder does not measure it.
    let other = on(folder(), &["gpu", "--from", &prepared, "--tasks", "100"]).output().unwrap();
    let said = String::from_utf8_lossy(&other.stderr).into_owned();
    assert!(
        said.contains("were prepared by another pxrw") && said.contains("help: run the program in that folder"),
        "{said}"
    );

    // What is something else is left alone.
    let wrong = elsewhere.argument("");
    pxrw(["bench", "gpu", "--prepare", &wrong])
        .ends_with(2)
        .says(&["it has something else in it, `", "help: name another folder"]);
    pxrw(["bench", "gpu", "--from", &prepared, "--arch", "sm_80"]).ends_with(2).says(&["cannot be used with"]);
    measure(&[], &[("FAKE_CUDA_CAPABILITY", "8")]).ends_with(2).says(&[
        "error: the kernels were prepared for sm_90, and this GPU is sm_80",
        "help: prepare them with `--arch sm_80`",
    ]);
    std::fs::remove_file(Path::new(&prepared).join("kernels.json")).unwrap();
    measure(&[], &[])
        .ends_with(2)
        .says(&["has no prepared kernels: ", "help: `pxrw bench gpu --prepare FOLDER` makes such a folder"]);
}

/// A driver that does not return is killed, and the units behind it are measured.
#[test]
fn a_process_that_does_not_end_is_killed() {
    let lock = ["lock", "--device", "gpu", "--seconds", "1"];
    let stalled = finish(on(folder(), &lock).env("FAKE_CUDA_STALL", "count")).ends_with(2);
    stalled.says(&["error: lock (M, sm_60): its process did not end within 21 seconds and was killed"]);
    let waits = finish(on(folder(), &lock).env("FAKE_CUDA_WAITS_AT_EXIT", "")).ends_with(0);
    waits.prints(&["does not end: the launch did not end within 1s", "ends, result as the CPU's"]);
}

#[test]
fn a_gpu_that_another_process_has_for_itself_is_said_to_be() {
    let (_, json) = two_programs(&[("FAKE_CUDA_COMPUTE_MODE", "2")]);
    assert_eq!(programs(&json), [""; 0]);
    assert!(reason(&json, "rt").contains("prohibited"), "{json}");
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
    let files = Folder::new();
    let request = files.file("request.json", "{}");
    let mut worker = on(folder(), &["worker", &request, "-o", "report.json"]);
    // It ends with its standard input, which is open here.
    let (input, _open) = std::io::pipe().unwrap();
    finish(worker.stdin(input)).ends_with(2).says(&["error: cannot read what is to be run: "]);
    assert!(!pxrw(["bench", "--help"]).ends_with(0).stdout().contains("worker"));
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
        "error: these are not results of a GPU",
        "damaged.json:3:13",
        "help: ",
    ]);
    let short = folder.file("short.json", "{\n  \"suite\": \"gpu\"\n}\n");
    pxrw(["report", &short]).ends_with(2).says(&["missing field `device`", "short.json:3:1"]);
    let foreign = folder.file("foreign.json", "{\"suite\": \"ccc\", \"device\": \"emulator\"}");
    pxrw(["report", &foreign]).ends_with(2).says(&["has results of the suite `ccc`, not of a GPU"]);
    let other = folder.file("other.json", "[1, 2]");
    pxrw(["report", &other]).ends_with(2).says(&["these are not results of a GPU", "other.json:1:"]);
    pxrw(["report", &folder.argument("none.json")]).ends_with(2).says(&["cannot read", "none.json"]);
    pxrw(["report", "--help"]).ends_with(0).prints(&["Example: pxrw report", "--plots"]);
    pxrw(["bench", "gpu", "--help"]).ends_with(0).prints(&[
        "Examples: pxrw bench gpu",
        "--runs",
        "Every variant runs once",
    ]);
}
