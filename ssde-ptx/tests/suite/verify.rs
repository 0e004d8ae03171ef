//! Faithful outputs are accepted, and what is tampered with is refused where it was.

use ptx_parser::Module;
use ssde_ptx::{
    Certificate, Constant, Fairness, LedEdge, Mismatch, Outcome, Part, ProgramPoint, Reason, Rounds, certify,
    eliminate, same_outside, verify,
};

fn module(declared: &str, body: &str) -> Module {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a) {{\n.reg .pred %p<9>;\n\
         .reg .b32 %r<20>;\n.reg .b64 %rd<9>;\n{declared}\n{body}\n}}\n"
    );
    Module::parse(&text).unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

/// A lock that is released behind its loop. The first line is line 9 of the module.
const LOCK: &str = "ld.param.u64 %rd1, [a];
LOOP:
atom.global.cas.b32 %r2, [%rd1], 0, 1;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra LOOP;
ld.global.u32 %r4, [%rd1+8];
sub.u32 %r4, %r4, %r2;
st.global.u32 [%rd1+8], %r4;
atom.global.exch.b32 %r3, [%rd1], 0;
ret;";

/// The rewritten `LOCK`, in a layout of its own.
const FREED: &str = "mov.b32 %state, 0;
ld.param.u64 %rd1, [a];
LOOP:
atom.global.cas.b32 %r2, [%rd1], 0, 1;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra EDGE;
ld.global.u32 %r4, [%rd1+8];
sub.u32 %r4, %r4, %r2;
st.global.u32 [%rd1+8], %r4;
atom.global.exch.b32 %r3, [%rd1], 0;
SWITCH:
setp.ne.u32 %again, %state, 0;
@%again bra BACK;
ret;
EDGE:
mov.b32 %state, 1;
bra SWITCH;
BACK:
mov.b32 %state, 0;
bra LOOP;";

const STATE: &str = ".reg .b32 %state; .reg .pred %again;";

fn checked(before: &str, after: &str) -> Result<Certificate, Mismatch> {
    certify(&module("", before).kernels()[0], &module(STATE, after).kernels()[0])
}

/// The lock with one text in place of another.
fn tampered(from: &str, to: &str) -> Mismatch {
    assert_eq!(FREED.matches(from).count(), 1, "{from}");
    checked(LOCK, &FREED.replace(from, to)).unwrap_err()
}

/// The instructions at which input and output stand.
fn places(mismatch: &Mismatch) -> (&str, &str) {
    let text = |place| Option::<&ProgramPoint>::map_or(place, "none", |place| &place.text);
    (text(mismatch.before.as_ref()), text(mismatch.after.as_ref()))
}

#[test]
fn a_faithful_output_is_accepted_and_certified() {
    let certificate = checked(LOCK, FREED).unwrap();
    let names: Vec<&str> = certificate.registers.iter().map(|register| register.name.as_str()).collect();
    assert_eq!(names, ["%state", "%again"]);
    let [looped] = &certificate.loops[..] else { panic!("{:?}", certificate.loops) };
    assert!(looped.holds());
    let LedEdge { t, h, r, c } = &looped.edge;
    assert_eq!((t.name.as_str(), h.name.as_str(), r.name.as_str(), r.line), ("LOOP", "LOOP", "SWITCH", 20));
    assert_eq!(c[..], [Constant { register: "%state".into(), value: Some(1) }]);
    assert_eq!(looped.p2.values, [[Constant { register: "%state".into(), value: Some(0) }]]);
    // The fall-through behind the branch of the switch does nothing by itself; it is where the input's `ret` is.
    let added: Vec<&str> = certificate.added_blocks.iter().map(|block| block.name.as_str()).collect();
    assert_eq!((&added[..1], &added[2..]), (&["SWITCH"][..], &["EDGE", "BACK"][..]));
    let (input, output) = (module("", LOCK), module(STATE, FREED));
    verify(&input.kernels()[0], &output.kernels()[0], &certificate).unwrap();
}

#[test]
fn what_did_not_change_is_certified_without_loops() {
    let (input, output) = (module("", LOCK), module("", LOCK));
    let certificate = certify(&input.kernels()[0], &output.kernels()[0]).unwrap();
    assert_eq!((certificate.loops.len(), certificate.added_edges.len(), certificate.registers.len()), (0, 0, 0));
    assert_eq!(certificate.blocks.len(), 3);
}

#[test]
fn other_layouts_are_accepted() {
    // A table in place of comparisons, the way into the loop led through it, and numbers that are computed.
    let table = "ld.param.u64 %rd1, [a];
        mov.b32 %state, 2;
        bra SWITCH;
        LOOP:
        atom.global.cas.b32 %r2, [%rd1], 0, 1;
        setp.ne.u32 %p1, %r2, 0;
        @%p1 bra EDGE;
        ld.global.u32 %r4, [%rd1+8];
        sub.u32 %r4, %r4, %r2;
        st.global.u32 [%rd1+8], %r4;
        atom.global.exch.b32 %r3, [%rd1], 0;
        mov.b32 %state, 0;
        SWITCH:
        setp.gt.s32 %again, %state, -1;
        selp.b32 %state, %state, 7, %again;
        WAYS: .branchtargets END, LOOP, LOOP;
        brx.idx %state, WAYS;
        EDGE:
        mov.b32 %state, -2;
        add.u32 %state, %state, 7;
        and.b32 %state, %state, 3;
        bra.uni SWITCH;
        END: ret;";
    let certificate = checked(LOCK, table).unwrap();
    assert_eq!((certificate.loops.len(), certificate.led_edges.len()), (1, 1));
    assert!(certificate.loops[0].holds(), "{certificate:?}");
    // Code that nobody comes to may be anything.
    checked(LOCK, &format!("{FREED}\nst.global.u32 [%rd1], %state;")).unwrap();
}

#[test]
fn a_dropped_instruction_is_refused() {
    let mismatch = tampered("sub.u32 %r4, %r4, %r2;\n", "");
    assert_eq!(mismatch.reason, Reason::Differs(Part::Opcode));
    assert_eq!(places(&mismatch), ("sub.u32 %r4, %r4, %r2;", "st.global.u32 [%rd1+8], %r4;"));
    let lines = |place: Option<&ProgramPoint>| place.map(|place| (place.position.line, place.position.column));
    assert_eq!(lines(mismatch.before.as_ref()), Some((15, 1)));
    assert_eq!(lines(mismatch.after.as_ref()), Some((16, 1)));
    assert_eq!(
        mismatch.path.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["13:1: `@%p1 bra LOOP;` is not taken"]
    );
}

#[test]
fn swapped_instructions_are_refused() {
    let mismatch = tampered(
        "sub.u32 %r4, %r4, %r2;\nst.global.u32 [%rd1+8], %r4;",
        "st.global.u32 [%rd1+8], %r4;\nsub.u32 %r4, %r4, %r2;",
    );
    assert_eq!(places(&mismatch), ("sub.u32 %r4, %r4, %r2;", "st.global.u32 [%rd1+8], %r4;"));
}

#[test]
fn a_wrong_constant_is_refused() {
    // Whoever goes round leaves instead.
    let mismatch = tampered("mov.b32 %state, 1;", "mov.b32 %state, 0;");
    assert_eq!(mismatch.reason, Reason::Differs(Part::Kind));
    assert_eq!(places(&mismatch), ("atom.global.cas.b32 %r2, [%rd1], 0, 1;", "ret;"));
    // Whoever leaves goes round instead.
    let mismatch = tampered("BACK:\nmov.b32 %state, 0;", "BACK:\nmov.b32 %state, 1;");
    assert_eq!(places(&mismatch), ("ret;", "atom.global.cas.b32 %r2, [%rd1], 0, 1;"));
    let mismatch = tampered("setp.ne.u32 %again, %state, 0;", "setp.ne.u32 %again, %state, 1;");
    assert_eq!(mismatch.reason, Reason::Differs(Part::Kind));
}

#[test]
fn a_missing_edge_is_refused() {
    let mismatch = tampered("@%again bra BACK;\n", "");
    assert_eq!(places(&mismatch), ("atom.global.cas.b32 %r2, [%rd1], 0, 1;", "ret;"));
    let mismatch = tampered("@%p1 bra EDGE;\n", "");
    assert_eq!(mismatch.reason, Reason::Differs(Part::Guard));
    assert_eq!(places(&mismatch), ("@%p1 bra LOOP;", "ld.global.u32 %r4, [%rd1+8];"));
}

#[test]
fn a_state_that_is_not_set_is_refused() {
    let mismatch = tampered("mov.b32 %state, 0;\nld.param", "ld.param");
    assert_eq!(mismatch.reason, Reason::Unknown { register: "%again".into() });
    assert_eq!(places(&mismatch), ("ret;", "@%again bra BACK;"));
}

#[test]
fn changed_operands_are_refused() {
    for (from, to, operand) in [
        ("sub.u32 %r4, %r4, %r2;", "sub.u32 %r4, %r2, %r4;", 1),
        ("sub.u32 %r4, %r4, %r2;", "sub.u32 %r2, %r4, %r2;", 0),
        ("[%rd1+8], %r4;", "[%rd1+4], %r4;", 0),
        ("[%rd1], 0, 1;", "[%rd1], 0, 2;", 3),
    ] {
        assert_eq!(tampered(from, to).reason, Reason::Differs(Part::Operand(operand)), "{to}");
    }
    assert_eq!(tampered("sub.u32 %r4", "sub.s32 %r4").reason, Reason::Differs(Part::Opcode));
}

#[test]
fn changed_guards_are_refused() {
    for to in ["@!%p1 bra EDGE;", "@%p2 bra EDGE;", "bra EDGE;", "@%again bra EDGE;"] {
        let mismatch = tampered("@%p1 bra EDGE;", to);
        assert_eq!(places(&mismatch).0, "@%p1 bra LOOP;", "{to}");
    }
    assert_eq!(tampered("sub.u32 %r4", "@%p1 sub.u32 %r4").reason, Reason::Differs(Part::Guard));
}

#[test]
fn a_guarded_instruction_may_be_passed_by() {
    let before = "ld.param.u64 %rd1, [a];
        setp.lt.u32 %p1, %r1, 16;
        @%p1 st.global.u32 [%rd1], 1;
        @!%p2 red.global.add.u32 [%rd1], 2;
        ret;";
    let after = "mov.b32 %state, 0;
        ld.param.u64 %rd1, [a];
        setp.lt.u32 %p1, %r1, 16;
        @!%p1 bra FIRST;
        mov.b32 %state, 1;
        @%p1 st.global.u32 [%rd1], 1;
        FIRST:
        @%p2 bra SECOND;
        @!%p2 red.global.add.u32 [%rd1], 2;
        SECOND: ret;";
    checked(before, after).unwrap();
    for (from, to) in [
        // The same sense, another guard, none.
        ("@!%p1 bra FIRST;", "@%p1 bra FIRST;"),
        ("@!%p1 bra FIRST;", "@!%p2 bra FIRST;"),
        ("@!%p1 bra FIRST;", "bra FIRST;"),
        ("@%p2 bra SECOND;", "@!%p2 bra SECOND;"),
        ("@%p1 st.global.u32", "@!%p1 st.global.u32"),
        ("@%p1 st.global.u32", "st.global.u32"),
        // It leads past more than the one instruction, back to it, or before the branch once more.
        ("@!%p1 bra FIRST;", "@!%p1 bra SECOND;"),
        ("@!%p1 bra FIRST;\n", "@!%p1 bra FIRST;\n@!%p1 bra FIRST;\n"),
        ("FIRST:\n", "bra FIRST;\nFIRST:\n@%p1 st.global.u32 [%rd1], 1;\n"),
        // Where the guard holds, something else is done, or nothing.
        ("mov.b32 %state, 1;", "bra FIRST;"),
        ("mov.b32 %state, 1;", "st.global.u32 [%rd1], 2;"),
        ("mov.b32 %state, 1;", "X: bra X;"),
        ("mov.b32 %state, 1;", "mov.b32 %r1, 1;"),
        ("@!%p2 red.global.add.u32", "@!%p2 red.global.add.s32"),
    ] {
        assert!(after.contains(from), "{from}");
        assert!(checked(before, &after.replace(from, to)).is_err(), "{from} -> {to}");
    }
}

#[test]
fn retargeted_branches_are_refused() {
    assert_eq!(places(&tampered("@%p1 bra EDGE;", "@%p1 bra SWITCH;")).1, "ret;");
    assert_eq!(places(&tampered("bra LOOP;", "bra SWITCH;")).1, "ret;");
    // These lead there as well: by a way that is no better, but to the same place.
    for (from, to) in [("bra SWITCH;", "bra BACK;"), ("@%p1 bra EDGE;", "@%p1 bra LOOP;")] {
        assert_eq!(checked(LOCK, &FREED.replace(from, to)).unwrap().loops, []);
    }
}

#[test]
fn an_added_store_is_refused() {
    let mismatch = tampered("EDGE:\n", "EDGE:\nst.global.u32 [%rd1], 0;\n");
    assert_eq!(places(&mismatch), ("atom.global.cas.b32 %r2, [%rd1], 0, 1;", "st.global.u32 [%rd1], 0;"));
    assert_eq!(places(&tampered("ret;", "membar.gl;\nret;")), ("ret;", "membar.gl;"));
}

#[test]
fn a_state_that_takes_part_is_refused() {
    let used = Reason::Used { register: "%state".into() };
    for (from, to) in [
        ("EDGE:\nmov.b32 %state, 1;", "EDGE:\nmul.lo.u32 %state, %state, 1;"),
        ("sub.u32 %r4, %r4, %r2;", "sub.u32 %r4, %r4, %state;"),
        ("st.global.u32 [%rd1+8], %r4;", "st.global.u32 [%rd1+8], %state;"),
        ("EDGE:\nmov.b32 %state, 1;", "EDGE:\nmov.b32 %state, %r2;"),
        ("EDGE:\nmov.b32 %state, 1;", "EDGE:\nmov.b32 %state, %tid.x;"),
        ("EDGE:\nmov.b32 %state, 1;", "EDGE:\n@%p1 mov.b32 %state, 1;"),
        ("EDGE:\nmov.b32 %state, 1;", "EDGE:\nmov.b32 %r4, %state;"),
        ("EDGE:\nmov.b32 %state, 1;", "EDGE:\natom.global.add.u32 %state, [%rd1], 0;"),
    ] {
        assert_eq!(tampered(from, to).reason, used, "{to}");
    }
    let mismatch = tampered("sub.u32 %r4, %r4, %r2;", "sub.u32 %r4, %r4, %state;");
    assert_eq!(places(&mismatch), ("sub.u32 %r4, %r4, %r2;", "sub.u32 %r4, %r4, %state;"));
}

#[test]
fn a_promise_that_nobody_can_keep_is_refused() {
    assert_eq!(tampered("@%again bra BACK;", "@%again bra.uni BACK;").reason, Reason::Uniform);
    assert_eq!(tampered("@%p1 bra EDGE;", "@%p1 bra.uni EDGE;").reason, Reason::Differs(Part::Opcode));
}

#[test]
fn a_silent_cycle_is_refused() {
    let mismatch = tampered("BACK:\nmov.b32 %state, 0;\nbra LOOP;", "BACK:\nbra SWITCH;");
    assert_eq!(mismatch.reason, Reason::Cycle);
    assert_eq!(places(&mismatch), ("atom.global.cas.b32 %r2, [%rd1], 0, 1;", "@%again bra BACK;"));
    // Where the input does nothing for ever, so does the output.
    checked("X: bra X;", "mov.b32 %state, 0;\nX: bra Y;\nY: bra X;").unwrap();
    let mismatch = checked("X: bra X;", "mov.b32 %state, 0;\nret;").unwrap_err();
    assert_eq!(mismatch.reason, Reason::Differs(Part::Kind));
}

#[test]
fn changed_declarations_are_refused() {
    let said = |before: &str, after: &str| {
        let (before, after) = (Module::parse(before).unwrap(), Module::parse(after).unwrap());
        match certify(&before.kernels()[0], &after.kernels()[0]).unwrap_err().reason {
            Reason::Declared { what, .. } => what,
            other => panic!("{other}"),
        }
    };
    let text = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n.maxntid 64, 1, 1\n{\n\
        .shared .align 4 .b8 s[64];\n.pragma \"nounroll\";\nret;\n}\n";
    assert_eq!(said(text, &text.replace("s[64]", "s[68]")), "a declaration");
    assert_eq!(said(text, &text.replace(".align 4", ".align 8")), "a declaration");
    assert_eq!(said(text, &text.replace(".b8 s[64];", ".b8 s[64];\n.local .b8 l[4];")), "a declaration");
    assert_eq!(said(text, &text.replace(".maxntid 64", ".maxntid 32")), "the header");
    assert_eq!(said(text, &text.replace(".u64 a", ".u32 a")), "the header");
    assert_eq!(said(text, &text.replace(".pragma \"nounroll\";\n", "")), "a directive");
    let said = |after: &str| {
        let (before, after) = (Module::parse(text).unwrap(), Module::parse(after).unwrap());
        same_outside(&before, &after).map_err(|mismatch| mismatch.to_string())
    };
    assert_eq!(said(&text.replace("ret;", "exit;")), Ok(()));
    assert!(said(&text.replace("sm_90", "sm_80")).unwrap_err().contains("what stands outside of kernels changed"));
    assert!(said(&text.replace("entry k", "entry l")).is_err());
    assert!(said(&format!("{text}.global .u32 g;\n")).is_err());
}

#[test]
fn scopes_do_not_confuse_names() {
    let body = |inner: &str| {
        format!("ld.param.u64 %rd1, [a];\nmov.u32 %r1, 1;\n{{\n.reg .b32 %r1;\nmov.u32 %r1, 2;\n}}\n{inner}\nret;")
    };
    let after = body("st.global.u32 [%rd1], %r1;")
        .replace("mov.u32 %r1, 2;\n}\nst.global.u32 [%rd1], %r1;", "mov.u32 %r1, 2;\nst.global.u32 [%rd1], %r1;\n}");
    let mismatch = checked(&body("st.global.u32 [%rd1], %r1;"), &after).unwrap_err();
    assert_eq!(mismatch.reason, Reason::Differs(Part::Operand(1)));
}

#[test]
fn a_certificate_that_lies_is_refused() {
    let (input, output) = (module("", LOCK), module(STATE, FREED));
    let (input, output) = (&input.kernels()[0], &output.kernels()[0]);
    let honest = certify(input, output).unwrap();
    let refused = |lie: &dyn Fn(&mut Certificate)| {
        let mut certificate = honest.clone();
        lie(&mut certificate);
        match verify(input, output, &certificate).unwrap_err().reason {
            Reason::Certificate { what, .. } => what.to_string(),
            other => panic!("{other}"),
        }
    };
    assert_eq!(refused(&|it| it.kernel = "other".into()), "the kernel's name");
    assert_eq!(refused(&|it| it.pairs += 1), "the number of pairs");
    assert_eq!(refused(&|it| drop(it.registers.pop())), "register 2");
    assert_eq!(refused(&|it| it.blocks[1].after.clear()), "block 2");
    assert_eq!(refused(&|it| drop(it.added_blocks.remove(0))), "added block 1");
    assert_eq!(refused(&|it| drop(it.added_edges.pop())), "added edge 6");
    assert_eq!(refused(&|it| it.led_edges.push(it.loops[0].edge.clone())), "led edge 1");
    assert_eq!(refused(&|it| it.loops[0].edge.c[0].value = Some(3)), "loop 1, edge, c, value");
    assert_eq!(refused(&|it| it.loops[0].p2.holds = false), "loop 1, p2");
    let json = serde_json::to_string(&honest).unwrap();
    assert_eq!(serde_json::from_str::<Certificate>(&json).unwrap(), honest);
}

#[test]
fn what_the_rewriter_makes_is_certified() {
    let input = module("", LOCK);
    let mut output = input.clone();
    assert!(matches!(eliminate(&mut output.kernels_mut()[0]), Outcome::Rewritten { .. }));
    for output in [Module::parse(&output.to_string()).unwrap(), output] {
        let certificate = certify(&input.kernels()[0], &output.kernels()[0]).unwrap();
        assert!(certificate.loops.len() == 1 && certificate.loops[0].holds(), "{certificate:?}");
    }
}

/// Returns what becomes of the lock where a lane that failed may stand by for a round.
fn drawn() -> String {
    let draw = "mov.u32 %draw, %laneid;\nmov.b32 %state, 0;\n";
    let edge = "EDGE:\nmov.b32 %state, 1;\nmad.lo.u32 %draw, %draw, 5, 7;\nsetp.lt.s32 %even, %draw, 0;\n\
                @%even bra SWITCH;\nmov.b32 %state, 2;\n";
    let back = "BACK:\nsetp.gt.u32 %waits, %state, 1;\nadd.u32 %state, %state, -1;\n@%waits bra SWITCH;\n";
    FREED
        .replace("mov.b32 %state, 0;\nld.", &format!("{draw}ld."))
        .replace("EDGE:\nmov.b32 %state, 1;\n", edge)
        .replace("BACK:\nmov.b32 %state, 0;\n", back)
}

const DRAWN: &str = ".reg .b32 %state, %draw; .reg .pred %again, %even, %waits;";

fn drawn_checked(after: &str) -> Result<Certificate, Mismatch> {
    certify(&module("", LOCK).kernels()[0], &module(DRAWN, after).kernels()[0])
}

#[test]
fn lanes_may_draw_how_long_they_stand_by() {
    let certificate = drawn_checked(&drawn()).unwrap();
    let [looped] = &certificate.loops[..] else { panic!("{:?}", certificate.loops) };
    assert!(looped.holds() && looped.rounds == Rounds::Drawn, "{looped:?}");
    assert_eq!((certificate.fairness, checked(LOCK, FREED).unwrap().fairness), (Fairness::Random, Fairness::Weak));
    // Where nothing is written, one order is as good as another.
    let spin = "X: ld.volatile.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra X;\nret;";
    let freed = "mov.b32 %state, 0;\nX: ld.volatile.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra EDGE;\n\
                 SWITCH: setp.ne.u32 %again, %state, 0;\n@%again bra BACK;\nret;\nEDGE: mov.b32 %state, 1;\nbra SWITCH;\n\
                 BACK: mov.b32 %state, 0;\nbra X;";
    let certificate = checked(spin, freed).unwrap();
    assert_eq!((certificate.loops[0].rounds, certificate.fairness), (Rounds::Silent, Fairness::Random));
}

#[test]
fn what_is_drawn_may_decide_nothing_else() {
    let refused = |from: &str, to: &str| {
        let text = drawn();
        assert_eq!(text.matches(from).count(), 1, "{from}\n{text}");
        drawn_checked(&text.replace(from, to)).unwrap_err().reason
    };
    // It may stand by for ever, if it draws the same again and again.
    let again = "BACK:\nmad.lo.u32 %draw, %draw, 5, 7;\nsetp.lt.s32 %waits, %draw, 0;\n@%waits bra SWITCH;\nmov.b32 %state, 0;\n";
    let back = "BACK:\nsetp.gt.u32 %waits, %state, 1;\nadd.u32 %state, %state, -1;\n@%waits bra SWITCH;\n";
    assert_eq!(refused(back, again), Reason::Cycle);
    // One of the ways leaves.
    assert_eq!(refused("mov.b32 %state, 2;", "mov.b32 %state, 0;"), Reason::Differs(Part::Kind));
    // Others see it.
    let used = Reason::Used { register: "%draw".into() };
    assert_eq!(refused("[%rd1+8], %r4;", "[%rd1+8], %draw;"), used);
    assert_eq!(refused("mov.u32 %draw, %laneid;", "mov.u32 %draw, %tid.x;"), used);
    assert_eq!(refused("mov.u32 %draw, %laneid;", "mov.u32 %draw, %r2;"), used);
    assert_eq!(refused("mov.u32 %draw, %laneid;", "mov.u32 %draw, %clock;"), used);
    // Without the lane's number, nothing was drawn.
    assert_eq!(refused("mov.u32 %draw, %laneid;\n", ""), used);
    assert_eq!(
        refused("@%even bra SWITCH;", "@%even mov.b32 %state, 1;"),
        Reason::Unknown { register: "%even".into() }
    );
}
