//! Kernels whose blocks wait for each other, on the emulator and on the CPU.

use crate::program::{Folder, Ran, command, finish};

/// Adds to each element the one at the other end, which another block has written.
const MIRROR: &str = "#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern \"C\" __global__ void mirror(int *a, int n) {
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank();
    if (i < n) a[i] = i;
    grid.sync();
    int other = i < n ? a[n - 1 - i] : 0;
    grid.sync();
    if (i < n) a[i] += other;
}
";

fn mirror(folder: &Folder, options: &[&str]) -> Ran {
    mirror_in(folder, "8", options)
}

fn mirror_in(folder: &Folder, blocks: &str, options: &[&str]) -> Ran {
    let input = folder.file("mirror.cu", MIRROR);
    let out = format!("i32[700]=0>{}", folder.argument("out.npy"));
    let launch = ["run", &input, "--grid", blocks, "--block", "96", "--arg", &out, "--arg", "i32:700"];
    // Its header needs C++17.
    finish(command(launch.iter().chain(options)).env_remove("NVCC_PREPEND_FLAGS"))
}

#[test]
fn a_grid_that_synchronises_runs_as_a_cooperative_launch() {
    let folder = Folder::new();
    let machines = ["stack", "its", "aware", "mimd"].map(|machine| vec!["--machine", machine]);
    let treatments = ["basic", "splitting"].map(|sync| vec!["--device", "cpu", "--threads", "1", "--sync", sync]);
    for on in machines.into_iter().chain(treatments) {
        let _ = std::fs::remove_file(folder.path("out.npy"));
        mirror(&folder, &[on.as_slice(), &["--cooperative"]].concat()).ends_with(0).prints(&["outcome  finished"]);
        let bytes = std::fs::read(folder.path("out.npy")).unwrap();
        let values = &bytes[bytes.len() - 4 * 700..];
        assert!(values.chunks_exact(4).all(|word| word == 699u32.to_le_bytes()), "{on:?}");
    }
}

#[test]
fn without_it_the_message_says_what_to_do() {
    let folder = Folder::new();
    for device in ["emulator", "cpu"] {
        mirror(&folder, &["--device", device]).ends_with(1).says(&[
            "executed `trap`",
            "the kernel's blocks wait for each other, which needs a cooperative launch",
            "`--cooperative` makes one of it",
            "mirror.cu",
        ]);
    }
    let crowded = ["--cooperative", "--occupancy", "7"];
    mirror(&folder, &crowded).ends_with(2).says(&[
        "a cooperative launch of 8 blocks, of which only 7 are resident at a time",
        "or leave `--cooperative` out",
    ]);
    mirror_in(&folder, "10000", &["--cooperative", "--device", "cpu"])
        .ends_with(2)
        .says(&["a cooperative launch of 10000 blocks, of which no GPU has more than", "or leave `--cooperative` out"]);
}
