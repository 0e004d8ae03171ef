//! What newer code has beside its locks: checks that trap, calls that stay, and parts of a warp that come together; what is rewritten, and what must not be.
use emulator::{FaultKind, Launch, Machine, Memory, Outcome, Program, run};
use ptx_parser::Module;
use ssde_ptx::{Done, Linked, Reason, Refusal, SeenByCallers, certify, compared, find, meetings_among, treat};

const WORDS: usize = 256;

fn parse(text: &str) -> Module {
    Module::parse(text).unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

/// A kernel of 64 threads that `functions` stand before; `%rd1` is the address of a buffer, `%r1` the thread, `%r2` its lane.
fn module_for(target: &str, functions: &str, body: &str) -> Module {
    parse(&format!(
        ".version 8.0\n.target {target}\n.address_size 64\n{functions}.visible .entry k(.param .u64 a) {{\n.reg .pred %p<9>;\n\
         .reg .b32 %r<30>;\n.reg .b64 %rd<9>;\nld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %laneid;\n{body}\n}}\n"
    ))
}

fn ran(module: &Module, machine: Machine, seed: u64) -> (Outcome, Vec<u32>) {
    let program = Program::decode(module, "k").unwrap_or_else(|error| panic!("{error}\n{module}"));
    let mut memory = Memory::new();
    let a = memory.alloc_from(&vec![0u32; WORDS], "a");
    let mut launch = Launch::new(1, 64).arg(a).on(machine);
    (launch.step_budget, launch.seed) = (50_000_000, seed);
    let report = run(&program, &mut memory, &launch).unwrap();
    (report.outcome, memory.read::<u32>(a, WORDS).unwrap())
}

/// A kernel hangs on a stack, is rewritten, certified, and leaves what the original leaves on `its`, on all machines and in several orders.
fn is_freed(original: &Module) -> Module {
    let (ended, expected) = ran(original, Machine::Its, 0);
    assert_eq!(ended, Outcome::Finished, "{ended}\n{original}");
    let (stuck, _) = ran(original, Machine::Stack, 0);
    assert!(matches!(stuck, Outcome::SimtDeadlock { .. }), "{stuck}\n{original}");
    let mut result = original.clone();
    let done = treat(&mut result, "k").unwrap().done;
    assert!(matches!(done, Done::Rewritten { .. }), "{done:?}\n{original}");
    let result = parse(&result.to_string());
    let (before, after) = (original.kernel("k").unwrap(), result.kernel("k").unwrap());
    certify(&compared(original, before, after), after).unwrap_or_else(|mismatch| panic!("{mismatch:#?}\n{result}"));
    assert_eq!(find(&result, after).findings, [], "{result}");
    for &machine in Machine::ALL {
        for seed in 0..4 {
            let (ended, found) = ran(&result, machine, seed);
            assert_eq!(ended, Outcome::Finished, "{}, seed {seed}: {ended}\n{result}", machine.name());
            assert_eq!(found, expected, "{}, seed {seed}\n{result}", machine.name());
        }
    }
    result
}

fn refusal(original: &Module) -> Refusal {
    let mut result = original.clone();
    match treat(&mut result, "k").unwrap().done {
        Done::Refused(refusal) => refusal,
        other => panic!("{other:?}\n{result}"),
    }
}

const TAKE: &str = "LOCK: atom.global.cas.b32 %r3, [%rd1], 0, 1;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra LOCK;\n";
const ADD: &str =
    "ld.volatile.global.u32 %r4, [%rd1+4];\nadd.u32 %r4, %r4, 1;\nst.volatile.global.u32 [%rd1+4], %r4;\nmembar.gl;\n";
const GIVE: &str = "atom.global.exch.b32 %r5, [%rd1], 0;\n";

#[test]
fn a_check_that_traps_keeps_nobody_back() {
    for check in [
        "@%p2 trap;\n",
        "@!%p2 bra PASSED;\ntrap;\nPASSED:\n",
        "@!%p2 bra PASSED;\nst.global.u32 [%rd1+12], 1;\ntrap;\nPASSED:\n",
    ] {
        let body = |most: u32| {
            let checked = format!("ld.volatile.global.u32 %r6, [%rd1+4];\nsetp.gt.u32 %p2, %r6, {most};\n{check}");
            module_for("sm_90", "", &format!("{TAKE}{checked}{ADD}{GIVE}ret;"))
        };
        is_freed(&body(1000));
        // One that fails ends the launch, on every machine.
        let mut fails = body(40);
        assert!(matches!(treat(&mut fails, "k").unwrap().done, Done::Rewritten { .. }));
        for &machine in Machine::ALL {
            let (ended, _) = ran(&fails, machine, 0);
            assert!(matches!(&ended, Outcome::Fault(fault) if fault.kind == FaultKind::Trap), "{ended}");
        }
    }
}

#[test]
fn what_a_trap_ends_is_no_loop_that_waits_for_ever_elsewhere() {
    // The trap is the only way out of a loop: what is behind it does not count as reached, and lanes wait for nobody there.
    let body = "AGAIN: ld.volatile.global.u32 %r3, [%rd1];\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra AGAIN;\ntrap;";
    assert_eq!(find(&module_for("sm_90", "", body), module_for("sm_90", "", body).kernel("k").unwrap()).findings, []);
}

/// A function that calls itself with what is left, and does something in between.
fn recursive(does: &str) -> String {
    format!(
        ".global .u32 word;\n.func (.param .b32 found) f(.param .b32 from) {{\n.reg .pred %p;\n.reg .b32 %r<9>;\n.reg .b64 %rd<4>;\n\
         .local .align 8 .b8 own[8];\nld.param.u32 %r1, [from];\nmov.u32 %r3, 1;\nsetp.eq.u32 %p, %r1, 0;\n@%p bra OUT;\n{does}\n\
         sub.u32 %r2, %r1, 1;\n{{\n.param .b32 less;\n.param .b32 below;\nst.param.b32 [less], %r2;\ncall (below), f, (less);\n\
         ld.param.b32 %r4, [below];\n}}\nadd.u32 %r3, %r4, 2;\nOUT:\nst.param.b32 [found], %r3;\nret;\n}}\n"
    )
}

const CALL: &str = "{\n.param .b32 from;\n.param .b32 found;\nst.param.b32 [from], 3;\ncall (found), f, (from);\nld.param.b32 %r7, [found];\n}\n\
                    red.global.add.u32 [%rd1+8], %r7;\n";

#[test]
fn calls_that_stay_and_touch_nothing_are_no_obstacle() {
    for does in [
        "",
        "st.local.u32 [own], %r1;\nld.local.u32 %r5, [own];",
        "mov.u64 %rd1, own;\ncvta.local.u64 %rd2, %rd1;\nst.u32 [%rd2+4], %r1;",
        "ld.global.u32 %r5, [word];\nadd.u32 %r3, %r3, %r5;",
        "setp.gt.u32 %p, %r1, 100;\n@%p trap;",
    ] {
        is_freed(&module_for("sm_90", &recursive(does), &format!("{TAKE}{ADD}{CALL}{GIVE}ret;")));
    }
}

#[test]
fn calls_that_may_wait_or_free_somebody_are() {
    for does in [
        "st.global.u32 [word], 1;",
        "atom.global.add.u32 %r5, [word], 1;",
        "ld.volatile.global.u32 %r5, [word];",
        "bar.sync 0;",
        "ld.param.u64 %rd1, [from];\nst.u32 [%rd1], 1;",
    ] {
        let module = module_for("sm_90", &recursive(does), &format!("{TAKE}{ADD}{CALL}{GIVE}ret;"));
        assert_eq!(refusal(&module), Refusal::Call, "{does}");
    }
}

#[test]
fn a_call_by_address_leads_to_whom_the_module_knows() {
    let functions = |linkage: &str, does: &str| {
        format!(
            "{linkage} .func (.param .b32 found) f(.param .b32 from) {{\n.reg .b32 %r<9>;\nld.param.u32 %r1, [from];\n{does}\n\
             st.param.b32 [found], %r1;\nret;\n}}\n.global .align 8 .u64 table[1] = {{f}};\n"
        )
    };
    let call = "{\n.param .b32 from;\n.param .b32 found;\nst.param.b32 [from], 3;\nproto: .callprototype (.param .b32 _) _ (.param .b32 _);\n\
                ld.global.u64 %rd4, [table];\ncall (found), %rd4, (from), proto;\nld.param.b32 %r7, [found];\n}\nred.global.add.u32 [%rd1+8], %r7;\n";
    let kernel = |target: &str, functions: &str| module_for(target, functions, &format!("{TAKE}{ADD}{call}{GIVE}ret;"));
    is_freed(&kernel("sm_90", &functions("", "add.u32 %r1, %r1, 1;")));
    is_freed(&kernel("sm_90, debug", &functions(".visible", "add.u32 %r1, %r1, 1;")));
    // It may take part: then its body is looked at.
    let acts = ".global .u32 word;\n".to_owned() + &functions("", "red.global.add.u32 [word], %r1;");
    let result = is_freed(&kernel("sm_90", &acts));
    assert!(!result.to_string().contains("call ("), "{result}");
    // It may come from another module.
    assert_eq!(refusal(&kernel("sm_90", &functions(".visible", ""))), Refusal::Call);
    let declared = format!(".extern .func other(.param .b32 from);\n{}", functions("", ""));
    assert_eq!(refusal(&kernel("sm_90, debug", &declared)), Refusal::Call);
}

#[test]
fn lanes_of_a_function_that_is_called_by_address_have_no_point_to_meet_at() {
    let take = format!(
        ".func f(.param .b64 lock) {{\n.reg .pred %p<2>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [lock];\n{TAKE}ret;\n}}\n"
    );
    let by_name = "{\n.param .b64 lock;\nst.param.b64 [lock], %rd1;\ncall f, (lock);\n}\n";
    let by_address = "{\n.param .b64 lock;\nst.param.b64 [lock], %rd1;\nproto: .callprototype _ (.param .b64 _);\nmov.u64 %rd4, f;\n\
                      call %rd4, (lock), proto;\n}\n";
    for (call, has_points) in [(by_name, true), (by_address, false)] {
        let module = module_for("sm_90", &take, &format!("{call}{ADD}{GIVE}ret;"));
        is_freed(&module);
        let found =
            meetings_among(&SeenByCallers::of(&module, Linked::WithOthers), &module, module.kernel("k").unwrap());
        match found {
            Ok(points) => assert!(has_points && points.len() == 1, "{points:?}"),
            Err(none) => assert!(!has_points && none.function.as_deref() == Some("f"), "{none:?}"),
        }
    }
}

/// The members of a lane's half of the warp.
const HALF: &str = "and.b32 %r10, %r2, 16;\nmov.u32 %r11, 0xffff;\nshl.b32 %r11, %r11, %r10;\n";

#[test]
fn parts_of_a_warp_come_together_behind_a_lock_in_it_and_beside_it() {
    // The store may be to the lock, for all that is known, so that the exchange is in the way.
    let store = "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3+512], %r12;\nret;";
    for exchange in [
        "shfl.sync.bfly.b32 %r12, %r2, 1, 31, %r11;\n",
        "vote.sync.ballot.b32 %r12, 1, %r11;\n",
        "redux.sync.add.u32 %r12, %r2, %r11;\n",
        "bar.warp.sync %r11;\nmov.u32 %r12, 5;\n",
        "shfl.sync.bfly.b32 %r12, %r2, 1, 31, %r11;\nmov.u32 %r11, %r12;\nmov.u32 %r11, -1;\nshfl.sync.bfly.b32 %r12, %r12, 16, 31, %r11;\n",
        "bar.sync 2, 64;\nmov.u32 %r12, 6;\n",
        // Barriers count warps, also those that are not aligned.
        "barrier.sync 2, 64;\nmov.u32 %r12, 6;\n",
        "mov.u32 %r12, 1;\nbarrier.sync 2, 32;\n",
        // A guard that holds for one half, for another one in each warp, and for one warp.
        "mov.u32 %r12, 1;\nsetp.lt.u32 %p3, %r2, 16;\n@%p3 vote.sync.ballot.b32 %r12, 1, %r11;\n",
        "xor.b32 %r12, %r1, %r2;\nsetp.eq.u32 %p3, %r12, %r10;\n@!%p3 shfl.sync.bfly.b32 %r12, %r1, 1, 31, %r11;\n",
        "mov.u32 %r12, 1;\nsetp.lt.u32 %p3, %r1, 32;\n@%p3 barrier.sync 2, 32;\n@!%p3 bar.sync 3, 32;\n",
        "mov.u32 %r12, 1;\nsetp.lt.u32 %p3, %r2, 16;\n@%p3 bar.warp.sync 0xffff;\n@!%p3 vote.sync.ballot.b32 %r12, %p3, %r11;\n",
    ] {
        is_freed(&module_for("sm_90", "", &format!("{HALF}{TAKE}{ADD}{GIVE}{exchange}{store}")));
    }
    // Half of the warp takes the lock, and asks its lanes while it has it; the other half spins until then.
    let leader = format!(
        "{HALF}and.b32 %r13, %r2, 15;\nsetp.ne.u32 %p2, %r13, 0;\n@%p2 bra TAKEN;\n{TAKE}TAKEN:\nbar.warp.sync %r11;\n\
         vote.sync.ballot.b32 %r12, 1, %r11;\n@%p2 bra GIVEN;\n{ADD}{GIVE}GIVEN:\nbar.warp.sync %r11;\n{store}"
    );
    is_freed(&module_for("sm_90", "", &leader));
}

#[test]
fn parts_are_refused_where_there_is_no_match() {
    let store = "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3+512], %r12;\nret;";
    let exchange = "vote.sync.ballot.b32 %r12, 1, %r11;\n";
    let module = module_for("sm_60", "", &format!("{HALF}{TAKE}{ADD}{GIVE}{exchange}{store}"));
    assert!(matches!(refusal(&module), Refusal::Together { .. }));
}

#[test]
fn the_checker_knows_a_wait_for_company_from_any_other_loop() {
    let store = "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3+512], %r12;\nret;";
    let exchange = "vote.sync.ballot.b32 %r12, 1, %r11;\n";
    let original = module_for("sm_90", "", &format!("{HALF}{TAKE}{ADD}{GIVE}{exchange}{store}"));
    let text = is_freed(&original).to_string();
    let reason = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}\n{text}");
        let tampered = parse(&text.replacen(from, to, 1));
        let (before, after) = (original.kernel("k").unwrap(), tampered.kernel("k").unwrap());
        certify(&compared(&original, before, after), after).unwrap_err().reason
    };
    let unknown = |register: &str| Reason::Unknown { register: register.into() };
    let used = |register: &str| Reason::Used { register: register.into() };
    // The lanes that are waited for must be those that are asked.
    assert_eq!(
        reason(
            "match.any.sync.b32 %ssde_peers, %ssde_want, %ssde_here",
            "match.any.sync.b32 %ssde_peers, %ssde_want, -1"
        ),
        used("%ssde_peers")
    );
    // Who need not wait must not go elsewhere.
    assert_eq!(reason("@%ssde_waits bra $ssde_passed", "@%ssde_waits bra $ssde_case"), unknown("%ssde_waits"));
    // A register of the input decides no way.
    assert_eq!(
        reason("setp.ne.u32 %ssde_waits, %ssde_peers, %ssde_here", "setp.ne.u32 %ssde_waits, %ssde_needed, 0"),
        used("%ssde_needed")
    );
}
