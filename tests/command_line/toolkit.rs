//! `pxrw toolkit`.

use crate::program::{Folder, pxrw};

#[test]
fn it_says_what_is_used_and_its_version() {
    // Another test may be the one that fetches the compiler; this one only needs it to be there.
    pxrw(["ccc", "examples/bfs.cu"]).ends_with(0);
    let ran = pxrw(["toolkit"]).ends_with(0).prints(&["nvcc ", "ptxas ", "from "]);
    let version = ran.stdout().split_whitespace().nth(1).unwrap();
    assert!(version.split('.').all(|part| part.parse::<u32>().is_ok()), "{version}");
}

#[test]
fn a_toolkit_that_the_user_names_must_work() {
    let folder = Folder::new();
    let path = folder.argument("nothing");
    pxrw(["toolkit", "--cuda-path", &path]).ends_with(2).says(&["cannot be used", &path]);
    pxrw(["ccc", "examples/bfs.cu", "--cuda-path", &path]).ends_with(2).says(&["cannot be used", &path]);
}
