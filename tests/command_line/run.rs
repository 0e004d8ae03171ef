//! `pxrw run`.

use crate::program::{Folder, pxrw, report};

const SAXPY: &str = "extern \"C\" __global__ void saxpy(int n, float a, const float *x, float *y) {\n\
                     int i = blockIdx.x * blockDim.x + threadIdx.x;\n\
                     if (i < n) y[i] = a * x[i] + y[i];\n\
                     }\n";

fn saxpy(folder: &Folder, more: &[&str]) -> crate::program::Ran {
    let input = folder.file("saxpy.cu", SAXPY);
    let launch =
        ["run", &input, "--kernel", "saxpy", "--grid", "4", "--block", "256", "--arg", "i32:1000", "--arg", "f32:2"];
    pxrw(launch.iter().chain(&["--arg", "f32[1000]=iota"]).chain(more))
}

#[test]
fn a_kernel_is_run_and_counted() {
    let folder = Folder::new();
    for machine in ["stack", "its", "mimd", "aware"] {
        let ran = saxpy(&folder, &["--arg", "f32[1000]=1", "--machine", machine, "--report", "json"]).ends_with(0);
        let value = report(
            ran.stdout(),
            &[
                "kernel",
                "machine",
                "outcome",
                "warp_instructions",
                "thread_instructions",
                "warp_execution_efficiency",
                "warp_nonpred_execution_efficiency",
                "issue_cycles",
                "sectors",
            ],
        );
        assert_eq!((value["outcome"].as_str(), value["machine"].as_str()), (Some("finished"), Some(machine)));
        let efficiency = value["warp_execution_efficiency"].as_f64().unwrap();
        if machine == "mimd" {
            assert_eq!(efficiency, 1.0 / 32.0, "every thread runs on its own");
        } else {
            assert!(efficiency > 0.9 && efficiency < 1.0, "the last warp has 8 lanes with work: {efficiency}");
        }
    }
    saxpy(&folder, &["--arg", "f32[1000]=1"]).ends_with(0).prints(&["saxpy", "finished"]);
}

#[test]
fn a_buffer_goes_to_a_file_and_comes_from_one() {
    let folder = Folder::new();
    let output = folder.argument("y.npy");
    saxpy(&folder, &["--arg", &format!("f32[1000]=1>{output}")]).ends_with(0);
    let bytes = std::fs::read(folder.path("y.npy")).unwrap();
    assert!(bytes.starts_with(b"\x93NUMPY") && bytes.len() > 4000, "{} bytes", bytes.len());
    let values: Vec<f32> =
        bytes[bytes.len() - 4000..].chunks(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
    assert_eq!((values[0], values[1], values[999]), (1.0, 3.0, 1999.0));
    saxpy(&folder, &["--arg", &format!("f32[1000]={output}>{output}")]).ends_with(0);
    let bytes = std::fs::read(folder.path("y.npy")).unwrap();
    assert_eq!(bytes[bytes.len() - 4..], 3997f32.to_le_bytes());
}

#[test]
fn an_access_out_of_bounds_is_found_at_its_line() {
    let folder = Folder::new();
    let ran = saxpy(&folder, &["--arg", "f32[999]=1"]).ends_with(1);
    ran.says(&["saxpy.cu:3"]).prints(&["fault"]);
    let json = saxpy(&folder, &["--arg", "f32[999]=1", "--report", "json"]).ends_with(1);
    let value = report(json.stdout(), &["line"]);
    assert_eq!((value["outcome"].as_str(), value["line"].as_u64()), (Some("fault"), Some(3)));
}

#[test]
fn a_lock_deadlocks_on_one_machine_and_not_on_the_other() {
    let source = "extern \"C\" __global__ void lock(int *mutex, int *count) {\n\
                  while (atomicCAS(mutex, 0, 1) != 0) {}\n\
                  *count += 1;\n\
                  __threadfence();\n\
                  atomicExch(mutex, 0);\n\
                  }\n";
    let folder = Folder::new();
    let input = folder.file("lock.cu", source);
    let launch =
        ["run", &input, "--grid", "1", "--block", "32", "--arg", "i32[1]=0", "--arg", "i32[1]=0", "--report", "json"];
    let stack = pxrw(launch.iter().chain(&["--machine", "stack"])).ends_with(1);
    let value = report(stack.stdout(), &[]);
    assert_eq!((value["outcome"].as_str(), value["line"].as_u64()), (Some("simt-deadlock"), Some(2)));
    let its = pxrw(launch.iter().chain(&["--machine", "its"])).ends_with(0);
    assert_eq!(report(its.stdout(), &[])["outcome"], "finished");
    // AWARE needs its timeout, or a later point for the loop to reconverge: the end of the kernel.
    let aware = |more: &[&str]| pxrw(launch.iter().chain(&["--machine", "aware"]).chain(more));
    let never = ["--aware-timeout", "never"];
    assert_eq!(report(aware(&never).ends_with(1).stdout(), &[])["outcome"], "simt-deadlock");
    let timeouts = |stdout: &str| report(stdout, &["scheduling"])["scheduling"]["timeouts"].as_u64();
    let small = aware(&["--aware-timeout", "100", "--aware-entries", "1/1"]).ends_with(0);
    assert!(timeouts(small.stdout()) > Some(0));
    let delayed = folder.file("delayed.txt", "$L__BB0_1 exit # the loop\n");
    let delayed = ["--aware-timeout", "never", "--reconvergence", &delayed];
    for order in ["fifo", "rounds"] {
        let ran = aware(&[&delayed[..], &["--aware-order", order]].concat()).ends_with(0);
        assert_eq!(timeouts(ran.stdout()), Some(0), "{order}");
    }
    aware(&["--aware-order", "lifo"]).ends_with(2).says(&["`fifo` or `rounds`"]);
    let wrong = folder.file("wrong.txt", "$L__BB9_9 exit\n");
    aware(&["--reconvergence", &wrong]).ends_with(2).says(&["no label `$L__BB9_9`", "`$L__BB0_1`"]);
    let its = launch.iter().chain(&["--machine", "its"]).chain(&never);
    pxrw(its).ends_with(2).says(&["`--aware-timeout` does not apply to `--machine its`"]);
}

#[test]
fn a_launch_that_cannot_be_made_is_the_users_mistake() {
    let folder = Folder::new();
    let input = folder.file("saxpy.cu", SAXPY);
    let launch = |more: &[&str]| pxrw(["run", &input, "--grid", "1", "--block", "32"].iter().chain(more)).ends_with(2);
    launch(&[]).says(&["error"]);
    launch(&["--kernel", "saxpi"]).says(&["saxpi", "saxpy"]);
    launch(&["--arg", "i32:1", "--arg", "f32:2", "--arg", "f32[4]=0"]).says(&["error"]);
    launch(&["--arg", "i32:1", "--arg", "f32:2", "--arg", "f32[4]=0", "--arg", "f32[4]=soon"]).says(&["soon"]);
    launch(&["--arg", "i64:1", "--arg", "f32:2", "--arg", "f32[4]=0", "--arg", "f32[4]=0"]).says(&["error"]);
    let too_many = ["run", &input, "--grid", "1", "--block", "2048", "--arg", "i32:1", "--arg", "f32:2"];
    pxrw(too_many.iter().chain(&["--arg", "f32[4]=0", "--arg", "f32[4]=0"])).ends_with(2).says(&["1024"]);
}

#[test]
fn what_a_kernel_prints_comes_first() {
    let folder = Folder::new();
    let text = "#include <cstdio>\nextern \"C\" __global__ void hello() { printf(\"thread %d\\n\", threadIdx.x); }\n";
    let input = folder.file("hello.cu", text);
    let launch = ["run", &input, "--kernel", "hello", "--grid", "1", "--block", "2"];
    let ran = pxrw(launch).ends_with(0);
    assert!(ran.stdout().starts_with("thread 0\nthread 1\nkernel   hello\n"), "{}", ran.stdout());
    let ran = pxrw(launch.iter().chain(&["--report", "json"])).ends_with(0);
    assert_eq!(report(ran.stdout(), &["output"])["output"], "thread 0\nthread 1\n");
}

#[test]
fn a_launch_of_a_shape_that_is_not_possible_says_what_to_change() {
    let folder = Folder::new();
    let launch = |directive: &str, options: &[&str], texts: &[&str]| {
        let text =
            format!(".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{directive}\n{{ ret; }}\n");
        let input = folder.file("k.ptx", text);
        pxrw(["run", &input].iter().chain(options)).ends_with(2).says(texts);
    };
    let one = ["--grid", "2", "--block", "32"];
    launch(
        ".explicitcluster\n.reqnctapercluster 2, 1, 1",
        &one,
        &["clusters of 2 blocks", "remove `__cluster_dims__`"],
    );
    let wide = ["--grid", "1", "--block", "65"];
    launch(".maxntid 64", &wide, &["at most 64", "`__launch_bounds__`", "`.maxntid`"]);
    launch("", &["--grid", "1", "--block", "1025"], &["help: change `--grid`, `--block` or `--shared`"]);
    for grid in ["2147483648", "0", "x"] {
        let said = format!("`{grid}` is not a number from 1 to 2147483647");
        launch("", &["--grid", grid, "--block", "32"], &[&said]);
    }
}
