//! Loops that wait for other warps and CTAs: which of them keep back what they wait for, and what the machines say.
use emulator::{Launch, Machine, Memory, Program};
use ptx_parser::Module;
use ssde_ptx::{Finding, detect};

fn module(directives: &str, body: &str) -> Module {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.global .u32 one;\n.global .u32 two;\n\
         .visible .entry k(.param .u64 a, .param .u64 b)\n{directives}\n{{\n.reg .pred %p<9>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n\
         ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\n{body}\nret;\n}}\n"
    );
    Module::parse(&text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

fn with(directives: &str, body: &str) -> Vec<Finding> {
    detect(&module(directives, body).kernels()[0])
}

/// How a launch of some blocks of one warp ends; both parameters are the second element of an array of zeros.
fn ends(body: &str, machine: Machine, blocks: u32) -> String {
    let program = Program::decode(&module("", body), "k").unwrap();
    let mut memory = Memory::new();
    let array = memory.alloc_from(&[0u32; 64], "array").offset(4);
    let launch = Launch::new(blocks, 32).on(machine).arg(array).arg(array);
    emulator::run(&program, &mut memory, &launch).unwrap().outcome.name().to_owned()
}

/// Two CTAs: lane 0 of each waits for what another lane of the other one writes, on the other way of a branch.
const ACROSS: &str = "
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    setp.eq.u32 %p1, %r2, 0;
    setp.eq.u32 %p2, %r1, 0;
    @%p1 bra FIRST;
    @%p2 bra SECOND_WAITS;
    st.volatile.global.u32 [one], 1;
    bra DONE;
SECOND_WAITS:
    ld.volatile.global.u32 %r3, [two];
    setp.eq.u32 %p3, %r3, 0;
    @%p3 bra SECOND_WAITS;
    bra DONE;
FIRST:
    @%p2 bra FIRST_WAITS;
    st.volatile.global.u32 [two], 1;
    bra DONE;
FIRST_WAITS:
    ld.volatile.global.u32 %r3, [one];
    setp.eq.u32 %p3, %r3, 0;
    @%p3 bra FIRST_WAITS;
DONE:";

#[test]
fn two_loops_that_keep_back_what_the_other_one_waits_for_are_found() {
    assert_eq!(with("", ACROSS).len(), 2);
    assert_eq!(
        (ends(ACROSS, Machine::Stack, 2), ends(ACROSS, Machine::Mimd, 2)),
        ("simt-deadlock".into(), "finished".into())
    );
}

/// One lane waits for another CTA and tells the next one, under a condition.
fn leader(condition: &str, telling: &str) -> String {
    format!(
        "{condition}
    @%p1 bra LEADER;
    bra DONE;
LEADER:
WAIT:
    ld.volatile.global.u32 %r9, [one];
    setp.eq.u32 %p2, %r9, 0;
    @%p2 bra WAIT;
{telling}
    st.volatile.global.u32 [one], 1;
DONE:"
    )
}

#[test]
fn a_lane_that_is_alone_keeps_nobody_back_but_itself() {
    let first = "mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;";
    let all = "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\nmov.u32 %r3, %tid.z;\n";
    let either = format!("{all}or.b32 %r4, %r1, %r2;\nor.b32 %r4, %r4, %r3;\nsetp.eq.u32 %p1, %r4, 0;");
    let sum = format!("{all}add.s32 %r4, %r1, %r2;\nadd.s32 %r4, %r4, %r3;\nsetp.eq.u32 %p1, %r4, 0;");
    let rank = format!(
        "{all}mov.u32 %r5, %ntid.x;\nmov.u32 %r6, %ntid.y;\nmad.lo.s32 %r4, %r3, %r6, %r2;\nmad.lo.s32 %r4, %r4, %r5, %r1;\n\
         setp.eq.u32 %p1, %r4, 0;"
    );
    let anded = format!(
        "{all}setp.eq.u32 %p3, %r1, 3;\nsetp.eq.u32 %p4, %r2, 1;\nsetp.ne.u32 %p5, %r3, 0;\nnot.pred %p5, %p5;\n\
         and.pred %p1, %p3, %p4;\nand.pred %p1, %p1, %p5;"
    );
    let lane = "mov.u32 %r1, %laneid;\nsetp.eq.u32 %p1, %r1, 7;";
    for alone in [&*either, &*sum, &*rank, &*anded, lane] {
        assert_eq!(with("", &leader(alone, "")), [], "{alone}");
    }
    assert_eq!(with(".reqntid 128", &leader(first, "")), []);
    // Four lanes of a warp have that number where rows are of eight threads; and `.maxntid` speaks of all dimensions together.
    for directives in ["", ".maxntid 128", ".reqntid 8, 4"] {
        assert_eq!(with(directives, &leader(first, "")).len(), 1, "{directives}");
    }
    // Of the sum of other numbers nothing is known: two large ones make 0.
    let other = format!(
        "{all}mul.lo.s32 %r2, %r2, %r2;\nadd.s32 %r4, %r1, %r2;\nadd.s32 %r4, %r4, %r3;\nsetp.eq.u32 %p1, %r4, 0;"
    );
    for several in
        [&*other, "mov.u32 %r1, %laneid;\nsetp.lt.u32 %p1, %r1, 7;", "mov.u32 %r1, %laneid;\nsetp.ne.u32 %p1, %r1, 7;"]
    {
        assert_eq!(with("", &leader(several, "")).len(), 1, "{several}");
    }
}

#[test]
fn a_lane_that_is_alone_keeps_back_another_one_that_writes() {
    let two = |reader: u32, writer: u32| {
        let body = format!(
            "mov.u32 %r1, %laneid;\nsetp.eq.u32 %p1, %r1, {reader};\nsetp.eq.u32 %p3, %r1, {writer};\n@!%p1 bra MEET;\n\
             WAIT:\nld.volatile.global.u32 %r9, [one];\nsetp.eq.u32 %p2, %r9, 0;\n@%p2 bra WAIT;\n\
             MEET:\n@!%p3 bra DONE;\nst.volatile.global.u32 [one], 1;\nDONE:"
        );
        (with("", &body).len(), ends(&body, Machine::Stack, 1))
    };
    // A thread that waits for what it writes itself waits for ever on any machine.
    assert_eq!(two(3, 3), (0, "livelock".into()));
    assert_eq!(two(3, 4), (1, "simt-deadlock".into()));
}

/// Lane 0 waits for one element of an array, and all lanes meet before another one is written.
fn link(read: &str, written: &str) -> String {
    format!(
        "
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    setp.ne.u32 %p1, %r1, 0;
    mul.wide.u32 %rd4, %r2, 4;
    add.s64 %rd5, %rd1, %rd4;
    add.s32 %r3, %r2, -1;
    mul.wide.u32 %rd6, %r3, 4;
    add.s64 %rd7, %rd1, %rd6;
    @%p1 bra MEET;
WAIT:
    ld.volatile.global.u32 %r9, [{read}];
    setp.eq.u32 %p2, %r9, 0;
    @%p2 bra WAIT;
MEET:
    st.volatile.global.u32 [{written}], 1;"
    )
}

#[test]
fn what_is_passed_on_from_block_to_block_is_not_kept_back_by_who_waits_for_it() {
    for (read, written) in [("%rd7", "%rd5"), ("%rd5+-4", "%rd5"), ("%rd5", "%rd7"), ("%rd5+4", "%rd5")] {
        assert_eq!(with("", &link(read, written)), [], "{read} {written}");
    }
    // The element before the array's first is written by nobody, so that the first block must not wait for it.
    let first = "mov.u32 %r5, %ctaid.x;\nsetp.ne.u32 %p4, %r5, 0;\n@%p4 bra OTHERS;\nst.volatile.global.u32 [%rd1+-4], 1;\nOTHERS:";
    let chain = format!("{first}{}", link("%rd5+-4", "%rd5"));
    for machine in Machine::ALL {
        assert_eq!(ends(&chain, *machine, 5), "finished");
    }
    // The same element, one that overlaps, another array that may be the same one.
    for (read, written) in [("%rd5", "%rd5"), ("%rd5+2", "%rd5"), ("%rd7+4", "%rd5"), ("%rd7", "%rd2")] {
        assert_eq!(with("", &link(read, written)).len(), 1, "{read} {written}");
    }
}

#[test]
fn a_chain_that_may_come_round_is_none() {
    // Who waits for the block before, and then for the one behind.
    let both = link("%rd7", "%rd5")
        + "
    @%p1 bra DONE;
BACK:
    ld.volatile.global.u32 %r9, [%rd5+4];
    setp.eq.u32 %p2, %r9, 0;
    @%p2 bra BACK;
DONE:
    st.volatile.global.u32 [%rd5], 2;";
    assert_eq!(with("", &both).len(), 2);
    // The one before the first is the last.
    let ring = "
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r4, %nctaid.x;
    setp.ne.u32 %p1, %r1, 0;
    setp.eq.u32 %p3, %r2, 0;
    selp.b32 %r3, %r4, %r2, %p3;
    add.s32 %r3, %r3, -1;
    mul.wide.u32 %rd4, %r2, 4;
    add.s64 %rd5, %rd1, %rd4;
    mul.wide.u32 %rd6, %r3, 4;
    add.s64 %rd7, %rd1, %rd6;
    @%p1 bra MEET;
WAIT:
    ld.volatile.global.u32 %r9, [%rd7];
    setp.eq.u32 %p2, %r9, 0;
    @%p2 bra WAIT;
MEET:
    st.volatile.global.u32 [%rd5], 1;";
    assert_eq!(with("", ring).len(), 1);
    assert_eq!(
        (ends(ring, Machine::Stack, 5), ends(ring, Machine::Mimd, 5)),
        ("simt-deadlock".into(), "finished".into())
    );
}
