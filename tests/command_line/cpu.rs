//! `pxrw cpu` and `pxrw run --device cpu`.

use crate::program::{Folder, Ran, command, finish, report};

/// `fill` writes its second argument to as many places as its third says; `crash` traps; `odd` has an instruction that nobody knows.
const KERNELS: &str = concat!(
    ".version 9.1\n.target sm_90\n.address_size 64\n",
    include_str!("fill.ptx"),
    "\
.visible .entry crash(.param .u64 out)
{
  .reg .b64 %o;
  ld.param.u64 %o, [out];
  st.global.u32 [%o], 7;
  trap;
}
"
);

const ODD: &str = "\
.visible .entry odd()
{
  .reg .b32 %r;
  unheard.of %r;
  unheard.of %r;
  ret;
}
";

/// Runs the program with a cache of its own, in the folder.
fn run(folder: &Folder, arguments: &[&str]) -> Ran {
    finish(command(arguments).env("PXRW_CACHE", folder.path("cache")).env_remove("CC"))
}

fn launch(folder: &Folder, kernel: &str, more: &[&str]) -> Ran {
    let input = folder.file("k.ptx", KERNELS.to_owned() + ODD);
    let launch = ["run", &input, "--kernel", kernel, "--grid", "2", "--block", "32", "--device", "cpu"];
    run(folder, &[&launch, more].concat())
}

const ARGUMENTS: [&str; 6] = ["--arg", "u32[100]=1", "--arg", "u32:7", "--arg", "u32:50"];

#[test]
fn a_kernel_has_a_time_and_no_counts() {
    let folder = Folder::new();
    let ran = launch(&folder, "fill", &ARGUMENTS).ends_with(0);
    assert_eq!(ran.stderr, "");
    ran.prints(&[
        "kernel   fill\ndevice   cpu (splitting)\nlaunch   2 blocks of 32 threads\noutcome  finished\n",
        "\ntime (measured) ",
        " µs\nwarp instructions                       not measured\n",
    ]);
    let more = ["--report", "json", "--threads", "2", "--sync", "basic"];
    let ran = launch(&folder, "fill", &[&ARGUMENTS[..], &more].concat()).ends_with(0);
    let value = report(ran.stdout(), &["seconds", "warp_instructions", "machine", "threads", "ptx_digest"]);
    assert!(value["seconds"].as_f64().is_some_and(|seconds| seconds > 0.0), "{value}");
    assert_eq!((value["device"].as_str(), value["threads"].as_u64()), (Some("cpu (basic)"), Some(2)));
    assert!(value["machine"].is_null() && value["sectors"].is_null(), "{value}");
}

#[test]
fn buffers_are_those_of_the_emulator() {
    let folder = Folder::new();
    let input = folder.file("k.ptx", KERNELS);
    for device in ["cpu", "emulator"] {
        let out = format!("u32[100]=iota>{}", folder.argument(&format!("{device}.npy")));
        let launch = ["run", &input, "--kernel", "fill", "--grid", "2", "--block", "32", "--device", device];
        run(&folder, &[&launch[..], &["--arg", &out, "--arg", "u32:7", "--arg", "u32:50"]].concat()).ends_with(0);
    }
    assert_eq!(std::fs::read(folder.path("cpu.npy")).unwrap(), std::fs::read(folder.path("emulator.npy")).unwrap());
}

#[test]
fn a_trap_has_its_line_and_leaves_the_buffers() {
    let folder = Folder::new();
    let out = format!("u32[1]=0>{}", folder.argument("out.npy"));
    let ran = launch(&folder, "crash", &["--arg", &out, "--threads", "1"]).ends_with(1);
    let line = KERNELS.lines().position(|line| line.contains("trap")).unwrap() + 1;
    let ran = ran.says(&["error: block (0,0,0) thread (0,0,0) executed `trap`", &format!("k.ptx:{line}:3"), "  trap;"]);
    ran.prints(&["outcome  fault at ", "wrote "]);
    assert!(std::fs::read(folder.path("out.npy")).unwrap().ends_with(&[7, 0, 0, 0]));
}

#[test]
fn options_of_other_devices_are_refused() {
    let folder = Folder::new();
    let given = |device: &str, options: &[&str]| {
        let input = folder.file("k.ptx", KERNELS);
        let launch = ["run", &input, "--kernel", "fill", "--grid", "2", "--block", "32", "--device", device];
        run(&folder, &[&launch[..], options].concat()).ends_with(2)
    };
    given("cpu", &["--machine", "its", "--timeout", "3"]).says(&[
        "error: `--machine` does not apply to `--device cpu`",
        "only the emulator has machines",
        "error: `--timeout` does not apply to `--device cpu`",
        "only `--device gpu` takes it",
    ]);
    given("cpu", &["--report", "listing"]).says(&["which the CPU does not count"]);
    for device in ["emulator", "gpu"] {
        given(device, &["--sync", "basic", "--cc", "cc"]).says(&[
            &format!("`--sync` does not apply to `--device {device}`"),
            &format!("`--cc` does not apply to `--device {device}`"),
            "only `--device cpu` takes it",
        ]);
    }
    let ran = given("gpu", &["--threads", "2"]);
    assert_eq!(ran.stderr.matches("`--threads` does not apply").count(), 1, "{}", ran.stderr);
    run(&folder, &["bench", "bfs", "--device", "cpu"]).ends_with(2).says(&["no suite of `pxrw bench` runs on"]);
}

#[test]
fn a_kernel_is_compiled_once() {
    let folder = Folder::new();
    let objects = || std::fs::read_dir(folder.path("cache")).map_or(0, Iterator::count);
    launch(&folder, "fill", &ARGUMENTS).ends_with(0);
    assert_eq!(objects(), 1);
    launch(&folder, "fill", &ARGUMENTS).ends_with(0);
    assert_eq!(objects(), 1);
    // A damaged object is made again.
    let object = std::fs::read_dir(folder.path("cache")).unwrap().next().unwrap().unwrap().path();
    std::fs::write(&object, "damaged").unwrap();
    launch(&folder, "fill", &ARGUMENTS).ends_with(0);
    assert!(std::fs::metadata(&object).unwrap().len() > 1000);
    // A folder that cannot be written is a note, and an empty name no cache.
    let input = folder.file("k.ptx", KERNELS);
    let launch = ["run", &input, "--kernel", "fill", "--grid", "2", "--block", "32", "--device", "cpu"];
    let file = folder.file("file", "");
    let arguments = [&launch[..], &ARGUMENTS].concat();
    let ran = finish(command(&arguments).env("PXRW_CACHE", format!("{file}/below"))).ends_with(0);
    ran.says(&["note: the compiled kernel is not kept for later runs", "`PXRW_CACHE` names another folder"]);
    let ran = finish(command(&arguments).env("PXRW_CACHE", "")).ends_with(0);
    assert_eq!(ran.stderr, "");
}

#[test]
fn without_a_compiler_the_message_says_what_to_do() {
    let folder = Folder::new();
    let missing = ["--cc", "/no/such/cc"];
    launch(&folder, "fill", &[&ARGUMENTS[..], &missing].concat())
        .ends_with(2)
        .says(&["error: there is no C compiler: `/no/such/cc` is not a program", "apt-get install gcc"]);
}

#[test]
fn what_a_kernel_prints_comes_before_the_report_or_in_it() {
    let folder = Folder::new();
    let input = folder.file("k.ptx", include_str!("says.ptx"));
    let said = "thread 0\nthread 1\nthread 2\n";
    for device in ["cpu", "emulator"] {
        let says = |most: &str, more: &[&str]| {
            let launch = ["run", &input, "--grid", "1", "--block", "3", "--device", device, "--arg", most];
            run(&folder, &[&launch[..], more].concat())
        };
        let ran = says("u32:3", &[]).ends_with(0);
        assert!(ran.stdout().starts_with(&format!("{said}kernel   says\n")), "{}", ran.stdout());
        let ran = says("u32:3", &["--report", "json"]).ends_with(0);
        let value = report(ran.stdout(), &["output", "output_lost"]);
        assert_eq!((&value["output"], &value["output_lost"]), (&said.into(), &0.into()));
        // The condition is told whole, though its text has what separates parts of messages of a GPU.
        let ran = says("u32:2", &[]).ends_with(1);
        assert!(ran.stdout().starts_with(said), "{}", ran.stdout());
        ran.says(&["error: block (0,0,0) thread (2,0,0): a.cu:12: k: assertion `i", "< 2` failed", "k.ptx:50:5"]);
    }
}

#[test]
fn a_compiler_is_a_command_and_must_compile() {
    let folder = Folder::new();
    for (program, why) in [("/bin/true", "it makes no object of a C text"), ("/bin/cat", "/bin/cat: ")] {
        let named = launch(&folder, "fill", &[&ARGUMENTS[..], &["--cc", program]].concat()).ends_with(2);
        named.says(&[&format!("error: `{program}`, which `--cc` names, is no C compiler: {why}")]);
        let input = folder.file("k.ptx", KERNELS);
        let object = folder.argument("x.so");
        finish(command(["cpu", &input, "-o", &object]).env("PXRW_CACHE", "").env("CC", program))
            .ends_with(2)
            .says(&[&format!("error: `{program}`, which the variable `CC` names, is no C compiler: {why}")]);
        assert!(!folder.path("x.so").exists());
    }
    launch(&folder, "fill", &[&ARGUMENTS[..], &["--cc", "cc -O1"]].concat())
        .ends_with(0)
        .prints(&["outcome  finished"]);
    let input = folder.file("k.ptx", KERNELS);
    let text = folder.argument("x.c");
    for output in [&["-o", &text][..], &[]] {
        run(&folder, &[&["cpu", &input, "--cc", "cc"], output].concat())
            .ends_with(2)
            .says(&["error: `--cc` has no effect: the C text is not compiled", "leave it out, or let `-o` name"]);
    }
    assert!(!folder.path("x.c").exists());
}

#[test]
fn of_a_text_and_its_header_both_are_written_or_none() {
    let folder = Folder::new();
    let input = folder.file("k.ptx", KERNELS);
    // The header has room, and the text has not.
    let limited = "ulimit -f 8; trap '' XFSZ; exec \"$@\"";
    let program = command(["cpu", &input, "-o", &folder.argument("x.c")]);
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", limited, "sh"]).arg(program.get_program()).args(program.get_args());
    finish(&mut shell).ends_with(2).says(&["error: cannot write `", "x.c`"]);
    assert_eq!(folder.names(), ["k.ptx"]);
}

#[test]
fn c_goes_to_standard_output_and_the_report_to_standard_error() {
    let folder = Folder::new();
    let input = folder.file("k.ptx", KERNELS);
    let ran = run(&folder, &["cpu", &input]).ends_with(0);
    let ran = ran.prints(&["fill_launch_packed(", "crash_launch_packed("]);
    let ran = ran.says(&["fill: translated, launched by `fill_launch_packed`\ncrash: translated"]);
    assert!(!ran.stdout().contains("translated, launched"));
    let ran = run(&folder, &["cpu", &input, "--kernel", "fill"]).ends_with(0);
    assert!(!ran.stdout().contains("crash_launch_packed"));
    assert_eq!(folder.names(), ["k.ptx"]);
}

#[test]
fn files_are_c_with_a_header_or_an_object() {
    let folder = Folder::new();
    let input = folder.file("k.ptx", KERNELS);
    let (source, object) = (folder.argument("x.c"), folder.argument("x.so"));
    let ran = run(&folder, &["cpu", &input, "-o", &source]).ends_with(0);
    ran.prints(&["fill: translated", &format!("wrote {source}\n"), &format!("wrote {}\n", folder.argument("x.h"))]);
    assert!(folder.text("x.c").contains("fill_launch_packed") && folder.text("x.h").contains("fill_launch_packed"));
    let ran = run(&folder, &["cpu", &input, "-o", &object, "--report", "json"]).ends_with(0);
    let value = report(ran.stdout(), &["kernels.0.name", "kernels.0.function", "notes", "refusals", "written.0"]);
    assert_eq!(
        (&value["kernels"][0]["status"], &value["kernels"][0]["param_bytes"]),
        (&"translated".into(), &16.into())
    );
    assert!(std::fs::read(&object).unwrap().starts_with(b"\x7fELF"));
    run(&folder, &["cpu", &input, "-o", &folder.argument("x.txt")])
        .ends_with(2)
        .says(&["is neither C nor a shared object", "must end in `.c` or `.so`"]);
    run(&folder, &["cpu", &input, "-o", &folder.argument("none/x.c")]).ends_with(2).says(&["there is no folder"]);
}

#[test]
fn a_refused_kernel_is_left_out_with_its_line() {
    let folder = Folder::new();
    let text = KERNELS.to_owned() + ODD;
    let input = folder.file("k.ptx", &text);
    let output = folder.argument("x.c");
    let line = text.lines().position(|line| line.contains("unheard.of")).unwrap() + 1;
    let ran = run(&folder, &["cpu", &input, "-o", &output]).ends_with(1);
    let ran =
        ran.says(&["error: `unheard.of` is not translated to C: ", &format!("k.ptx:{line}:3"), "there are 2 of them"]);
    ran.prints(&["fill: translated", "odd: refused\n"]);
    assert!(folder.text("x.c").contains("fill_launch_packed") && !folder.text("x.c").contains("odd_launch_packed"));
    let ran = run(&folder, &["cpu", &input, "--kernel", "odd", "-o", &folder.argument("y.c"), "--report", "json"]);
    let ran = ran.ends_with(1);
    let value = report(ran.stdout(), &["kernels", "refusals.0.reason", "refusals.0.file"]);
    assert_eq!((&value["kernels"][0]["status"], &value["refusals"][0]["line"]), (&"refused".into(), &line.into()));
    assert!(!folder.path("y.c").exists() && !folder.path("y.h").exists());
    launch(&folder, "odd", &[]).ends_with(2).says(&["`unheard.of` is not translated to C", "--device emulator"]);
}

#[test]
fn a_function_without_a_body_is_named_where_it_is_called_or_its_address_is_taken() {
    let folder = Folder::new();
    let text = ".version 9.0\n.target sm_90\n.address_size 64\n.extern .func other();\n.extern .func free(.param .b64 p);\n\
        .visible .entry k(.param .u64 a) {\n.reg .b64 %a;\nmov.u64 %a, free;\nst.global.u64 [%a], %a;\ncall other;\nret;\n}\n";
    let input = folder.file("k.ptx", text);
    let ran = run(&folder, &["cpu", &input, "-o", &folder.argument("x.so")]).ends_with(1);
    let ran = ran.says(&["`mov.u64` is not translated to C: the module has no body of `free`", "k.ptx:8:1"]);
    ran.says(&["`call` is not translated to C: the module has no body of `other`", "k.ptx:10:1"]);
    assert!(!folder.path("x.so").exists());
}

#[test]
fn input_without_a_kernel_is_an_error() {
    let folder = Folder::new();
    let input = folder.file("k.ptx", ".version 9.0\n.target sm_90\n.address_size 64\n.func f() { ret; }\n");
    run(&folder, &["cpu", &input]).ends_with(2).says(&["has no kernel"]);
    let input = folder.file("k.ptx", KERNELS);
    run(&folder, &["cpu", &input, "--kernel", "other"]).ends_with(2).says(&["has no kernel `other`"]);
}

/// Two levels of a reduction that one warp makes without a barrier, on lines 8 to 15.
const TAIL: &str = "\
.version 9.0
.target sm_90
.address_size 64
.visible .entry tail(.param .u64 out)
{
  .reg .b32 %r<9>; .shared .align 4 .b8 s[512];
  mov.u32 %r1, %tid.x; shl.b32 %r1, %r1, 2; mov.u32 %r2, s; add.u32 %r1, %r1, %r2;
  ld.volatile.shared.u32 %r3, [%r1+64];
  ld.volatile.shared.u32 %r4, [%r1];
  add.u32 %r4, %r4, %r3;
  st.volatile.shared.u32 [%r1], %r4;
  ld.volatile.shared.u32 %r3, [%r1+32];
  ld.volatile.shared.u32 %r4, [%r1];
  add.u32 %r4, %r4, %r3;
  st.volatile.shared.u32 [%r1], %r4;
  ret;
}
";

#[test]
fn dependences_between_lanes_are_explained() {
    let folder = Folder::new();
    let (input, output) = (folder.file("tail.ptx", TAIL), folder.path("tail.c"));
    let output = output.display().to_string();
    let ran = run(&folder, &["cpu", &input, "-o", &output, "--explain"]).ends_with(0).prints(&[
        "  dependences: 4 between lanes of a warp, ",
        "line 8               line 11              anti    (<)             benign      certain\n",
        "line 11              line 12              flow    (>)             reversible  certain\n",
        "  cuts: 1 in blocks whose warps lie in rows, ",
        "        in front of `ld.volatile.shared.u32`, line 12: dependence ",
    ]);
    assert!(ran.stdout().lines().all(|line| line.chars().count() <= 100), "{}", ran.stdout());
    let ran = run(&folder, &["cpu", &input, "-o", &output, "--explain", "--report", "json"]).ends_with(0);
    let keys =
        ["kernels.0.lanes.dependences.0.source.ptx_line", "kernels.0.lanes.assumptions", "kernels.0.lanes.siblings"];
    let value = report(ran.stdout(), &keys);
    let lanes = &value["kernels"][0]["lanes"];
    let cut = lanes["cuts"].as_array().unwrap().iter().find(|cut| cut["in_rows"] == true).unwrap();
    let demands = &lanes["dependences"][cut["dependence"].as_u64().unwrap() as usize];
    assert_eq!(
        (&cut["ptx_line"], &demands["sink"]["ptx_line"], &demands["class"]),
        (&12.into(), &12.into(), &"reversible".into())
    );
    assert_eq!(lanes["shapes_without_cuts"], 0);
    // Without the option, nothing is said.
    let ran = run(&folder, &["cpu", &input, "-o", &output]).ends_with(0);
    assert!(!ran.stdout().contains("dependences"), "{}", ran.stdout());
}
