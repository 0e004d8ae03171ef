//! What the program says about itself, and to arguments that it does not understand.

use crate::program::pxrw;

#[test]
fn every_command_explains_itself_with_an_example() {
    for command in [
        &[][..],
        &["annotate"],
        &["ccc"],
        &["cpu"],
        &["run"],
        &["ssde"],
        &["lint"],
        &["bench"],
        &["report"],
        &["toolkit"],
    ] {
        let ran = pxrw(command.iter().chain(&["--help"])).ends_with(0);
        assert_eq!(ran.stderr, "");
        let example = format!("Example: pxrw {}", command.first().copied().unwrap_or_default());
        ran.prints(&["Usage: pxrw", &example]);
    }
    // Its `--help` is nvcc's.
    pxrw(["help", "nvcc"]).ends_with(0).prints(&["Usage: pxrw nvcc", "Example: pxrw nvcc ", "PXRW_REPORT"]);
}

#[test]
fn the_version_is_that_of_the_package() {
    assert_eq!(pxrw(["--version"]).ends_with(0).stdout(), format!("pxrw {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn arguments_that_make_no_sense_end_with_status_2() {
    for (arguments, complaint) in [
        (&[][..], "Usage: pxrw"),
        (&["cccc", "examples/bfs.cu"], "unrecognized subcommand 'cccc'"),
        (&["ccc"], "<INPUT>"),
        (&["ccc", "examples/bfs.cu", "--blok", "64"], "--blok"),
        (&["ccc", "examples/bfs.cu", "--block", "0"], "'0'"),
        (&["ccc", "examples/bfs.cu", "--block", "1025"], "'1025'"),
        (&["ccc", "examples/bfs.cu", "--block", "many"], "'many'"),
        (&["ccc", "examples/bfs.cu", "--arch", "volta"], "looks like `sm_90`"),
        (&["ccc", "examples/bfs.cu", "--emit", "sass"], "'sass'"),
        (&["ccc", "examples/bfs.cu", "--report", "xml"], "'xml'"),
        (&["run", "examples/bfs.cu", "--grid", "0", "--block", "32"], "not a number from 1 to 2147483647"),
        (&["run", "examples/bfs.cu", "--grid", "1,2,3,4", "--block", "32"], "at most three"),
        (&["run", "examples/bfs.cu", "--grid", "1"], "--block"),
        (&["run", "examples/bfs.cu", "--grid", "1", "--block", "32", "--machine", "turing"], "'turing'"),
        (&["bench", "dfs"], "'dfs'"),
        (&["bench", "bfs", "--scale", "99"], "99"),
    ] {
        let ran = pxrw(arguments).ends_with(2);
        assert_eq!(ran.stdout(), "", "{arguments:?}");
        ran.says(&[complaint]);
    }
}
