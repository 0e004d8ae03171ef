//! `pxrw run --device gpu`, on the fake driver of the `device` crate's tests, which knows a few kernels by their names.

use crate::fake_driver::{before_others, folder, folder_without_driver};
use crate::program::{Folder, Ran, command, finish, pxrw, report};

/// `fill` writes its second argument to as many places as its third says; the fake driver does it, and the emulator.
const KERNELS: &str = concat!(
    ".version 9.0\n.target sm_90\n.address_size 64\n",
    include_str!("fill.ptx"),
    "\
.visible .entry crash(.param .u64 out) { ret; }
.visible .entry hang() { ret; }
.visible .entry hello() { ret; }
"
);

/// A run of a kernel with the library path that decides which driver is found.
fn run(library_path: &std::path::Path, folder: &Folder, text: &str, kernel: &str, more: &[&str]) -> Ran {
    let input = folder.file("kernels.ptx", text);
    let launch = ["run", &input, "--kernel", kernel, "--grid", "2", "--block", "32"];
    let mut command = command(launch.iter().chain(more));
    finish(command.env("LD_LIBRARY_PATH", before_others(library_path)).env("FAKE_CUDA_LOG", folder.path("log")))
}

fn on_gpu(folder: &Folder, kernel: &str, more: &[&str]) -> Ran {
    run(self::folder(), folder, KERNELS, kernel, &[&["--device", "gpu"], more].concat())
}

const ARGUMENTS: [&str; 6] = ["--arg", "u32[100]=1", "--arg", "u32:7", "--arg", "u32:80"];

#[test]
fn a_kernel_has_a_time_and_no_counts() {
    let folder = Folder::new();
    let ran = on_gpu(&folder, "fill", &ARGUMENTS).ends_with(0);
    assert_eq!(ran.stderr, "");
    ran.prints(&[
        "kernel   fill\ndevice   gpu (Fake 0)\nlaunch   2 blocks of 32 threads\noutcome  finished\n",
        "\ntime (measured)                              2,500.0 µs\n",
        "\nwarp instructions                       not measured\n",
        "\nsectors of global memory                not measured\n",
    ]);
    let ran = on_gpu(&folder, "fill", &[&ARGUMENTS[..], &["--report", "json"]].concat()).ends_with(0);
    let value = report(ran.stdout(), &["seconds", "warp_instructions", "machine", "threads", "ptx_digest"]);
    assert!((value["seconds"].as_f64().unwrap() - 0.0025).abs() < 1e-9, "{value}");
    assert_eq!((value["device"].as_str(), value["outcome"].as_str()), (Some("gpu (Fake 0)"), Some("finished")));
    for key in
        ["machine", "threads", "line", "warp_instructions", "warp_execution_efficiency", "issue_cycles", "sectors"]
    {
        assert!(value[key].is_null(), "{key}: {value}");
    }
    let log = folder.text("log");
    assert!(log.contains("launch fill on 2 x 1 x 1 blocks of 32 x 1 x 1 threads, 0 bytes"), "{log}");
    assert_eq!(log.matches("allocate 400 bytes\n").count(), log.matches("free 400 bytes\n").count(), "{log}");
}

#[test]
fn buffers_are_those_of_the_emulator() {
    let folder = Folder::new();
    let saved = |name: &str| format!("u32[100]=iota>{}", folder.argument(name));
    let (gpu, emulator) = (saved("gpu.npy"), saved("emulator.npy"));
    on_gpu(&folder, "fill", &["--arg", &gpu, "--arg", "u32:7", "--arg", "u32:50"]).ends_with(0).prints(&["wrote "]);
    let others = ["--arg", &emulator, "--arg", "u32:7", "--arg", "u32:50"];
    run(self::folder(), &folder, KERNELS, "fill", &others).ends_with(0);
    let read = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert!(read("gpu.npy") == read("emulator.npy"));
}

#[test]
fn a_fault_is_found_and_nothing_is_written() {
    let folder = Folder::new();
    let argument = format!("u32[4]=0>{}", folder.argument("out.npy"));
    let ran = on_gpu(&folder, "crash", &["--arg", &argument]).ends_with(1);
    ran.says(&[
        "error: an access to an illegal address (CUDA error 700)",
        "help: run it with `--device emulator`, which names the line and the access",
        "warning: no buffer is written",
    ])
    .prints(&["outcome  fault\n", "time (measured)                         not measured\n"]);
    assert!(!folder.path("out.npy").exists());
    let ran = on_gpu(&folder, "crash", &["--arg", "u32[4]=0", "--report", "json"]).ends_with(1);
    let value = report(ran.stdout(), &["message"]);
    assert_eq!((value["outcome"].as_str(), value["seconds"].is_null()), (Some("fault"), true));
    // A buffer that is too short, which is a fault too.
    on_gpu(&folder, "fill", &["--arg", "u32[4]=0", "--arg", "u32:7", "--arg", "u32:5"]).ends_with(1);
}

#[test]
fn what_a_kernel_prints_comes_first() {
    let folder = Folder::new();
    let ran = on_gpu(&folder, "hello", &[]).ends_with(0);
    assert!(ran.stdout().starts_with("hello from 64 threads\nkernel   hello\n"), "{}", ran.stdout());
}

#[test]
fn a_launch_may_be_given_up() {
    let folder = Folder::new();
    let ran = on_gpu(&folder, "hang", &["--timeout", "0.05"]).ends_with(1);
    ran.says(&["error: the launch did not end within 50ms", "`--timeout` gives it more time"])
        .prints(&["outcome  budget"]);
    on_gpu(&folder, "hang", &["--timeout", "0"]).ends_with(2).says(&["a number of seconds above 0"]);
}

#[test]
fn refused_ptx_is_shown_at_its_line() {
    let folder = Folder::new();
    let text = KERNELS.replace("  mov.u32 %t, %tid.x;", "  mov.u32 %t, %tid.x; // driver_does_not_know");
    let ran =
        run(self::folder(), &folder, &text, "fill", &[&["--device", "gpu"][..], &ARGUMENTS].concat()).ends_with(2);
    ran.says(&[
        "error: the GPU's driver does not load the code: Unknown symbol 'driver_does_not_know'",
        "kernels.ptx:12:",
        "mov.u32 %t, %tid.x;",
        "note: the PTX does not compile (CUDA error 218)",
    ]);
    let newer = KERNELS.replace("sm_90", "sm_100");
    let ran =
        run(self::folder(), &folder, &newer, "fill", &[&["--device", "gpu"][..], &ARGUMENTS].concat()).ends_with(2);
    ran.says(&["(CUDA error 209)", "help: it is for sm_100, and this GPU is sm_90: compile it with `--arch sm_90`"]);
}

#[test]
fn ptx_is_lowered_for_an_older_driver_and_it_says_so() {
    let folder = Folder::new();
    let input = folder.file("kernels.ptx", KERNELS);
    let on_older = |input: &str, more: &[&str]| {
        let launch = ["run", input, "--device", "gpu", "--kernel", "fill", "--grid", "2", "--block", "32"];
        let mut command = command(launch.iter().chain(&ARGUMENTS).chain(more));
        finish(command.env("LD_LIBRARY_PATH", before_others(self::folder())).env("FAKE_CUDA_VERSION", "12040"))
    };
    let lowered = "the driver (CUDA 12.4) reads PTX up to 8.4: `.version 9.0` was lowered to 8.4";
    let note = lowered;
    let ran = on_older(&input, &[]).ends_with(0);
    assert_eq!(ran.stderr, format!("note: {note}\n\n"));
    let ran = on_older(&input, &["--report", "json"]).ends_with(0);
    assert_eq!((report(ran.stdout(), &["notes"])["notes"].clone(), &*ran.stderr), (serde_json::json!([note]), ""));
    let unknown = KERNELS.replace("  mov.u32 %t, %tid.x;", "  mov.u32 %t, %tid.x; // driver_does_not_know");
    let ran = on_older(&folder.file("unknown.ptx", &unknown), &[]).ends_with(2);
    ran.says(&["Unknown symbol 'driver_does_not_know'", "unknown.ptx:12:", &format!("note: {lowered}\n")]);
}

#[test]
fn launches_that_cannot_be_made_are_the_users_mistake() {
    let folder = Folder::new();
    let large = ["--arg", "u32[300000]=0", "--arg", "u32:7", "--arg", "u32:5"];
    on_gpu(&folder, "fill", &large).ends_with(2).says(&["no memory for the 1200000 bytes of the buffer"]);
    // It is the GPU's memory that counts, not the host's.
    let larger = ["--arg", "u32[2^45]=0", "--arg", "u32:7", "--arg", "u32:5"];
    on_gpu(&folder, "fill", &larger).ends_with(2).says(&["no memory for the 140737488355328 bytes of the buffer"]);
    on_gpu(&folder, "fill", &["--arg", "u32:7"]).ends_with(2).says(&["has 3 parameters, but 1 argument is given"]);
    let shared = [&ARGUMENTS[..], &["--shared", "1000000"]].concat();
    on_gpu(&folder, "fill", &shared).ends_with(2).says(&[
        "error: the launch is not possible: kernel `fill` takes 1001024 bytes of shared memory per block",
        "help: change `--grid`, `--block` or `--shared`",
    ]);
    let input = folder.file("kernels.ptx", KERNELS);
    let grid = ["run", &input, "--kernel", "hang", "--device", "gpu", "--grid", "1,70000", "--block", "32"];
    let mut command = command(grid);
    let ran = finish(command.env("LD_LIBRARY_PATH", before_others(self::folder()))).ends_with(2);
    ran.says(&["the grid has 70000 blocks in y; this GPU takes 1 to 65535"]);
    on_gpu(&folder, "hang", &["--ordinal", "1"]).ends_with(2).says(&["there is no GPU 1: the driver shows 1"]);
}

#[test]
fn options_of_another_device_are_refused() {
    let folder = Folder::new();
    for (option, long) in [
        (&["--machine", "its"][..], "machine"),
        (&["--chip", "sm_90"], "chip"),
        (&["--occupancy", "4"], "occupancy"),
        (&["--threads", "1"], "threads"),
        (&["--seed", "0"], "seed"),
        (&["--aware-timeout", "never"], "aware-timeout"),
        (&["--reconvergence", "file"], "reconvergence"),
        (&["--budget", "10000000000"], "budget"),
        (&["--check", "races"], "check"),
        (&["--trace"], "trace"),
    ] {
        let ran = on_gpu(&folder, "fill", &[&ARGUMENTS[..], option].concat()).ends_with(2);
        ran.says(&[&format!("error: `--{long}` does not apply to `--device gpu`"), "only the emulator has machines"]);
    }
    let both = [&ARGUMENTS[..], &["--machine", "its", "--trace", "--trace-values"]].concat();
    on_gpu(&folder, "fill", &both).ends_with(2).says(&[
        "`--machine` does not",
        "`--trace` does not",
        "`--trace-values` does not",
    ]);
    let listing = [&ARGUMENTS[..], &["--report", "listing"]].concat();
    on_gpu(&folder, "fill", &listing).ends_with(2).says(&["which a GPU does not count"]);
    for option in ["--ordinal", "--timeout"] {
        let ran =
            run(self::folder(), &folder, KERNELS, "fill", &[&ARGUMENTS[..], &[option, "1"]].concat()).ends_with(2);
        ran.says(&[
            &format!("error: `{option}` does not apply to `--device emulator`"),
            "only `--device gpu` takes it",
        ]);
    }
    assert!(!folder.path("log").exists(), "no driver was asked");
}

#[test]
fn without_a_driver_it_says_so() {
    let folder = Folder::new();
    let more = [&["--device", "gpu"][..], &ARGUMENTS].concat();
    let ran = run(&folder_without_driver(), &folder, KERNELS, "fill", &more).ends_with(2);
    ran.says(&[
        "error: no CUDA driver on this machine: libcuda.so.1 is not found; what runs on the emulator needs none",
    ]);
    run(&folder_without_driver(), &folder, KERNELS, "fill", &ARGUMENTS).ends_with(0);
}

#[test]
fn the_help_says_which_options_are_whose() {
    let ran = pxrw(["run", "--help"]).ends_with(0);
    let (emulator, gpu) = (ran.stdout().find("Options of the emulator:"), ran.stdout().find("Options of a GPU:"));
    let place = |option: &str| ran.stdout().find(&format!("\n      {option} "));
    assert!(emulator.is_some() && emulator < place("--machine") && place("--machine") < gpu, "{}", ran.stdout());
    assert!(place("--seed") < gpu && place("--budget") < gpu && gpu < place("--ordinal"), "{}", ran.stdout());
    assert!(place("--grid") < emulator && place("--arch") < emulator, "{}", ran.stdout());
}

/// The launch that is expected to hang comes last, in a process of its own. The others run before it.
#[test]
fn a_lock_that_hangs_is_given_up_and_the_others_run() {
    let folder = Folder::new();
    let mut bench = command(["bench", "lock", "--device", "gpu", "--seconds", "1", "--report", "json"]);
    bench.env("LD_LIBRARY_PATH", before_others(self::folder())).env("FAKE_CUDA_LOG", folder.path("log"));
    let value = report(finish(&mut bench).ends_with(0).stdout(), &["rows.3.outcome"]);
    let came = |row: &serde_json::Value| (row["outcome"].as_str().unwrap().to_owned(), row["right"].as_bool());
    let all: Vec<_> = value["rows"].as_array().unwrap().iter().map(came).collect();
    let ends = || ("finished".to_owned(), Some(true));
    assert_eq!(all, [ends(), ends(), ends(), ("budget".to_owned(), None)]);
    assert_eq!((&value["device"], &value["rows"][1]["device"]), (&"gpu".into(), &"gpu (Fake 0)".into()));
    assert_eq!(folder.text("log").matches("launch count on 2 x 1 x 1 blocks of 64 x 1 x 1 threads").count(), 4);
    let mut bench = command(["bench", "lock", "--device", "gpu"]);
    finish(bench.env("LD_LIBRARY_PATH", before_others(&folder_without_driver())))
        .ends_with(2)
        .says(&["no CUDA driver"]);
}
