//! `pxrw run --machine stack`: lanes that spin while they count, and orders of the sides of branches.

use crate::program::{Folder, Ran, pxrw, report};

/// A kernel of PTX with one parameter, a buffer, that `%rd1` holds, on two warps.
fn run(body: &str, more: &[&str]) -> Ran {
    let folder = Folder::new();
    let text = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a) {{\n\
         .reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\nld.param.u64 %rd1, [a];\n{body}\nret;\n}}\n"
    );
    let input = folder.file("k.ptx", &text);
    let launch = ["run", &input, "--grid", "1", "--block", "64", "--arg", "i32[256]=0"];
    let machine: &[&str] = if more.contains(&"--machine") { &[] } else { &["--machine", "stack"] };
    pxrw(launch.iter().chain(machine).chain(more))
}

const COUNTED: &str = "
    mov.u32 %r2, 0;
    LOCK: atom.global.cas.b32 %r1, [%rd1], 0, 1;
    setp.ne.u32 %p1, %r1, 0;
    add.u32 %r2, %r2, 1;
    @%p1 bra LOCK;
    st.global.u32 [%rd1+4], %r2;
    atom.global.exch.b32 %r1, [%rd1], 0;";

/// The lane that the others wait for jumps away.
const ONE_ORDER: &str = "
    mov.u32 %r1, %tid.x;
    setp.eq.u32 %p1, %r1, 3;
    @%p1 bra SET;
    SPIN: ld.volatile.global.u32 %r2, [%rd1];
    setp.eq.u32 %p2, %r2, 0;
    @%p2 bra SPIN;
    bra OUT;
    SET: st.volatile.global.u32 [%rd1], 1;
    OUT:";

#[test]
fn lanes_that_count_their_tries_are_named() {
    let ran = run(COUNTED, &["--report", "json"]).ends_with(1);
    let value = report(ran.stdout(), &["outcome", "ptx_line"]);
    assert_eq!((value["outcome"].as_str(), value["ptx_line"].as_u64()), (Some("simt-deadlock"), Some(11)));
    run(COUNTED, &["--machine", "its"]).ends_with(0);
}

#[test]
fn a_launch_that_ends_says_by_which_order_it_would_not() {
    let ran = run(ONE_ORDER, &[]).ends_with(0).prints(&["finished"]);
    let error = ran.stderr;
    assert!(
        error.contains("warning: with other sides of branches first, by `--seed 1`: SIMT-induced deadlock"),
        "{error}"
    );
    run(ONE_ORDER, &["--seed", "1"]).ends_with(1).prints(&["simt-deadlock"]);
    let json = run(ONE_ORDER, &["--report", "json"]).ends_with(0);
    let value = report(json.stdout(), &["notes"]);
    assert!(value["notes"][0].as_str().is_some_and(|note| note.contains("`--seed 1`")), "{value}");
    // Nothing is drawn on other machines, and where no lane waits for another one no order is tried.
    assert_eq!(run(ONE_ORDER, &["--machine", "its"]).ends_with(0).stderr, "");
    assert_eq!(run("st.global.u32 [%rd1], 1;", &[]).ends_with(0).stderr, "");
}

#[test]
fn orders_that_were_tried_are_said_to_prove_nothing() {
    // The second warp waits for the first one.
    let body = "
        mov.u32 %r1, %tid.x;
        setp.lt.u32 %p1, %r1, 32;
        @%p1 bra SET;
        SPIN: ld.volatile.global.u32 %r2, [%rd1];
        setp.eq.u32 %p2, %r2, 0;
        @%p2 bra SPIN;
        bra OUT;
        SET: st.volatile.global.u32 [%rd1], 1;
        OUT:";
    let ran = run(body, &[]).ends_with(0);
    let error = ran.stderr;
    assert!(error.contains("the launch ended with `--seed` 0, 1, 2, 3") && error.contains("proves nothing"), "{error}");
}
