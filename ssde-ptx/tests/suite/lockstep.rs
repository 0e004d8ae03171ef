//! Atomic updates by a store and a second read, and loops that are none.
use ptx_parser::Module;
use ssde_ptx::{Lockstep, lockstep};

fn found(body: &str) -> Vec<Lockstep> {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a) {{\n.reg .pred %p<9>;\n\
         .reg .b32 %r<20>;\n.reg .b64 %rd<9>;\n.shared .align 4 .b8 buffer[64];\n\
         ld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 27;\n{body}\nret;\n}}\n"
    );
    let module = Module::parse(&text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    lockstep(&module.kernels()[0])
}

/// The loop with something in the place of the store, the read and the comparison.
fn histogram(store: &str, read: &str, compare: &str) -> String {
    format!(
        "LOOP:\nld.volatile.shared.u32 %r3, [buffer];\nadd.u32 %r4, %r3, 1;\nor.b32 %r5, %r4, %r2;\n{store}\n{read}\n\
         {compare}\n@%p1 bra LOOP;"
    )
}

const STORE: &str = "st.volatile.shared.u32 [buffer], %r5;";
const READ: &str = "ld.volatile.shared.u32 %r6, [buffer];";
const COMPARE: &str = "setp.ne.u32 %p1, %r6, %r5;";

#[test]
fn the_histogram_is_recognised() {
    let [one] = found(&histogram(STORE, READ, COMPARE))[..] else { panic!("not one") };
    assert_eq!((one.store.text.line, one.read.text.line, one.at.unwrap().text.line), (16, 17, 13));
    // Weak accesses, other orders, other spaces, what a fence stands between.
    for (store, read, compare) in [
        ("st.shared.u32 [buffer], %r5;", "ld.shared.u32 %r6, [buffer];", "setp.ne.s32 %p1, %r5, %r6;"),
        (STORE, READ, "setp.eq.u32 %p2, %r6, %r5;\nnot.pred %p1, %p2;"),
        ("st.volatile.global.u32 [%rd1+4], %r5;\nmembar.cta;", "ld.volatile.global.u32 %r6, [%rd1+4];", COMPARE),
        ("st.relaxed.gpu.global.u32 [%rd1], %r5;", "ld.relaxed.gpu.global.u32 %r6, [%rd1];", COMPARE),
        (
            "add.s64 %rd2, %rd1, 8;\nst.u32 [%rd2], %r5;",
            "add.s64 %rd3, %rd1, 8;\nld.u32 %r7, [%rd3];\nmov.u32 %r6, %r7;",
            COMPARE,
        ),
    ] {
        assert_eq!(found(&histogram(store, read, compare)).len(), 1, "{store} {read} {compare}");
    }
}

#[test]
fn what_is_not_it() {
    let none = |store: &str, read: &str, compare: &str| {
        assert_eq!(found(&histogram(store, read, compare)), [], "{store} {read} {compare}");
    };
    // Another place is read, or another value compared.
    none(STORE, "ld.volatile.shared.u32 %r6, [buffer+4];", COMPARE);
    none(STORE, "ld.volatile.global.u32 %r6, [%rd1];", COMPARE);
    none("add.s64 %rd2, %rd1, 8;\nst.u32 [%rd2], %r5;", "add.s64 %rd3, %rd1, 4;\nld.u32 %r6, [%rd3];", COMPARE);
    none(STORE, READ, "setp.ne.u32 %p1, %r6, %r4;");
    none(STORE, READ, "setp.ne.u32 %p1, %r6, 0;");
    none(STORE, READ, "setp.lt.u32 %p1, %r6, %r5;");
    // What is read is from before the store, or the store is not always made.
    none(STORE, "", "setp.ne.u32 %p1, %r3, %r5;");
    none("setp.eq.u32 %p3, %r3, 0;\n@%p3 st.volatile.shared.u32 [buffer], %r5;", READ, COMPARE);
    // All lanes store the same, or memory of the thread's own.
    none("mov.u32 %r5, 7;\nst.volatile.shared.u32 [buffer], %r5;", READ, COMPARE);
    // Something else orders the lanes.
    none(&format!("{STORE}\nbar.sync 0;"), READ, COMPARE);
    none(&format!("{STORE}\nbar.warp.sync -1;"), READ, COMPARE);
    none("atom.shared.exch.b32 %r7, [buffer], %r5;", READ, COMPARE);
}

#[test]
fn locks_are_none() {
    let compare_and_swap = "ld.volatile.global.u32 %r3, [%rd1];\nLOOP:\nmov.u32 %r4, %r3;\nor.b32 %r5, %r4, %r2;\n\
        atom.global.cas.b32 %r3, [%rd1], %r4, %r5;\nsetp.ne.u32 %p1, %r3, %r4;\n@%p1 bra LOOP;";
    let spin = "LOOP:\natom.global.cas.b32 %r3, [%rd1], 0, 1;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra LOOP;\n\
        st.volatile.global.u32 [%rd1], 0;";
    let wait = "st.volatile.global.u32 [%rd1], %r1;\nLOOP:\nld.volatile.global.u32 %r3, [%rd1];\nsetp.ne.u32 %p1, %r3, %r1;\n@%p1 bra LOOP;";
    for body in [compare_and_swap, spin, wait] {
        assert_eq!(found(body), [], "{body}");
    }
}
