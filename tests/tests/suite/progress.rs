//! All small programs of some shapes, whose end depends on who runs when: rewritten, they end.
//!
//! `cargo run --release -p tests --example progress -- 2 2` tries larger ones.
use ptx_parser::Module;
use rayon::prelude::*;
use ssde_ptx::find;
use tests::progress::{
    Code, Count, Ends, Rewrite, Shape, attempt, ends, hangs_on_stack, programs, try_program, try_text,
};

/// How many random loops are tried.
const SEEDS: u64 = 8000;

/// Tries all programs of a shape; tells what failed.
fn tried(shape: &Shape) -> (Count, Vec<String>) {
    let (mut count, mut failures) = (Count::default(), Vec::new());
    let programs: Vec<_> = programs(shape).collect();
    let all: Vec<_> = programs.par_iter().map(|program| try_program(program).unwrap()).collect();
    for (program, tried) in programs.iter().zip(all) {
        count.add(tried.as_ref());
        let failure = tried.and_then(|tried| tried.failure);
        failures.extend(failure.map(|failure| format!("{failure}:\n{}", program.ptx())));
    }
    (count, failures)
}

#[test]
fn what_could_end_does_when_it_is_rewritten() {
    let all_actions = |steps: &[usize]| Shape { all_actions: true, ..Shape::new(steps) };
    let shared = |steps, lanes| Shape { lanes: vec![0; lanes], ..all_actions(&[steps]) };
    let shapes = [
        (all_actions(&[1, 1]), 196, 44, 36),
        (Shape::new(&[1, 1, 1]), 512, 72, 54),
        (Shape { words: 2, ..Shape::new(&[1, 1]) }, 256, 28, 24),
        (Shape { lanes: vec![0, 1, 1], ..all_actions(&[1, 1]) }, 196, 30, 22),
        (shared(2, 2), 576, 24, 16),
        (shared(2, 3), 576, 24, 16),
    ];
    for (shape, looked_at, of_interest, hanging) in shapes {
        let (count, failures) = tried(&shape);
        let seen = (count.looked_at, count.of_interest, count.hanging);
        assert_eq!(seen, (looked_at, of_interest, hanging), "{shape:?}");
        // In those that no stack hangs in, a lane alone leaves.
        let made = (count.rewritten, count.clean, count.refused);
        assert_eq!(made, (hanging, of_interest - hanging, 0), "{shape:?}");
        assert!(failures.is_empty(), "{shape:?}: {}", failures[0]);
    }
}

#[test]
fn what_no_stack_could_hang_in_ends_when_it_is_rewritten() {
    let (count, failures) = tried(&Shape::new(&[1, 2]));
    assert_eq!((count.looked_at, count.of_interest, count.hanging), (1568, 279, 194));
    assert_eq!((count.failed_without_hang, count.failed_though_fair), (0, 0), "{}", failures[0]);
    // In these, one lane has to come between two steps of an iteration of the other one, which runs by itself in each round.
    assert_eq!(count.failed, 3, "{failures:?}");
}

/// `cargo run --release -p tests --example progress -- --attempts 100000` tries more.
#[test]
fn no_wait_is_lost_among_loops_that_look_as_if_they_waited_for_nobody() {
    let tried: Vec<_> = (0..SEEDS)
        .into_par_iter()
        .filter_map(|seed| {
            let program = attempt(seed);
            let tried = try_text(&program.ptx, program.lanes, &program.words).ok().flatten()?;
            (tried.ends == Ends::WhereFair).then_some((seed, tried))
        })
        .collect();
    let failures: Vec<_> = tried.iter().filter(|(_, tried)| tried.failure.is_some()).collect();
    assert!(failures.is_empty(), "{failures:?}");
    let count = |hangs: bool, is: fn(&Rewrite) -> bool| {
        tried.iter().filter(|(_, tried)| tried.hangs == hangs && is(&tried.rewrite)).count()
    };
    let (hanging, refused) = (count(true, |_| true), count(true, |rewrite| matches!(rewrite, Rewrite::Refused(_))));
    assert!(hanging > 100 && refused == 0, "{hanging} hang, {refused} of them refused");
    assert!(count(false, |rewrite| *rewrite == Rewrite::Clean) > 0);
}

#[test]
fn what_is_assumed_of_a_loop_is_named() {
    // The last one has two swaps of one word, of which the first makes the second fail.
    for seed in (0..500).chain([904_659]) {
        let text = attempt(seed).ptx;
        let module = Module::parse(&text).unwrap_or_else(|errors| panic!("{errors}"));
        for ssde_ptx::Assumption { ends, steps, apart, helps, ahead, unmarked, raced, .. } in
            find(&module, &module.kernels()[0]).assumptions
        {
            let names = [ends, steps, apart, helps, ahead, unmarked, raced].iter().any(|places| !places.is_empty());
            assert!(names, "seed {seed}:\n{text}");
        }
    }
}

/// A kernel whose lanes 0 and 1 run two texts; `%rd1` is the address of two words.
fn code(zero: &str, one: &str) -> Code {
    let ptx = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 words)\n{{\n\
         .reg .b32 %r<9>;\n.reg .b64 %rd<2>;\n.reg .pred %p<3>;\nld.param.u64 %rd1, [words];\nmov.u32 %r1, %laneid;\n\
         setp.ne.u32 %p1, %r1, 0;\n@%p1 bra ONE;\n{zero}bra END;\nONE:\n{one}END:\nret;\n}}\n"
    );
    Code::of(&ptx).unwrap()
}

/// Waits until a word is 1.
const WAIT: &str = "WAIT: ld.volatile.global.u32 %r2, [%rd1];\nsetp.ne.u32 %p1, %r2, 1;\n@%p1 bra WAIT;\n";

#[test]
fn the_search_tells_schedulers_apart() {
    let set = "st.volatile.global.u32 [%rd1], 1;\n";
    let both = |one: &str| {
        let code = code(WAIT, one);
        (ends(&code, 2, &[0; 2]).unwrap(), hangs_on_stack(&code, 2, &[0; 2]).unwrap())
    };
    assert_eq!(both(set), (Ends::WhereFair, true));
    assert_eq!(both("st.volatile.global.u32 [%rd1+4], 1;\n"), (Ends::Never, true));
    // It takes a scheduler that looks between the two stores.
    let toggle = format!(
        "A: {set}st.volatile.global.u32 [%rd1], 0;\nld.volatile.global.u32 %r2, [%rd1+4];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra A;\n"
    );
    let waits = format!("{WAIT}st.volatile.global.u32 [%rd1+4], 1;\n");
    let searched = code(&waits, &toggle);
    assert_eq!(
        (ends(&searched, 2, &[0; 2]), hangs_on_stack(&searched, 2, &[0; 2])),
        (Some(Ends::WhereRandom), Some(true))
    );
    assert_eq!(
        (ends(&code("", set), 2, &[0; 2]), hangs_on_stack(&code("", set), 2, &[0; 2])),
        (Some(Ends::Always), Some(false))
    );
}

#[test]
fn a_stack_runs_either_side_first() {
    // Each side leaves after at most two exchanges, whoever was there before.
    let side = |own: u32| {
        format!(
            "L{own}: atom.global.exch.b32 %r2, [%rd1], {};\nsetp.eq.u32 %p1, %r2, {};\n@%p1 bra L{own};\n",
            own + 1,
            2 - own
        )
    };
    let searched = code(&side(0), &side(1));
    assert_eq!(hangs_on_stack(&searched, 2, &[0]), Some(false));
    // Only if lane 1 goes first does lane 0 find what it waits for.
    let searched = code(WAIT, "st.volatile.global.u32 [%rd1], 1;\n");
    assert_eq!(hangs_on_stack(&searched, 2, &[0]), Some(true));
    assert_eq!(hangs_on_stack(&searched, 1, &[0]), Some(true));
}
