//! The programs of the paper on MIMD synchronisation, with the CUDA compiler: which form finishes on which machine, and
//! that the results are the CPU's.
use std::sync::OnceLock;

use benchmarks::Error;
use benchmarks::emulators;
use benchmarks::ssde::{Form, Input, Optimisation, Program, Size};
use device::{Checks, EmulatorOptions, Machine, OutcomeKind, Selection};

use crate::TOOLKIT;

/// The PTX of a program with optimisation, which several tests run.
fn optimised(program: Program) -> &'static str {
    static OF_ALL: [OnceLock<String>; Program::ALL.len()] = [const { OnceLock::new() }; Program::ALL.len()];
    OF_ALL[program as usize].get_or_init(|| program.compile(Optimisation::Full, "sm_90", &TOOLKIT).unwrap())
}

/// Few, and so many that threads of several warps and blocks contend.
fn sizes(program: Program) -> [u32; 2] {
    match program {
        Program::TlFine | Program::TlCoarse => [33, 160],
        Program::Behind | Program::Parallel | Program::Branches | Program::Around => [32, 160],
        Program::BhFc => [61, 300],
        _ => [61, 600],
    }
}

/// M deadlocks on the stack if that is what it shows, and finishes elsewhere; S finishes everywhere.
fn check(program: Program) {
    let unoptimised = program.compile(Optimisation::None, "sm_90", &TOOLKIT).unwrap();
    for (optimisation, ptx) in [(Optimisation::Full, optimised(program)), (Optimisation::None, &*unoptimised)] {
        for tasks in sizes(program) {
            let input = program.input(Size::Tasks(tasks)).unwrap();
            for form in [Form::Mimd, Form::Simt] {
                for machine in Machine::ALL {
                    let deadlocks = form == Form::Mimd && *machine == Machine::Stack && program.deadlocks();
                    let what = format!("{} {form:?} {optimisation:?}, {}", program.name(), input.description);
                    expect(&input, ptx, &program.kernel(form), *machine, deadlocks, &what);
                }
            }
        }
    }
}

fn expect(input: &Input, ptx: &str, kernel: &str, machine: Machine, deadlocks: bool, what: &str) {
    let options = EmulatorOptions { machine, step_budget: 1 << 26, ..EmulatorOptions::default() };
    let ran = input.run(ptx, kernel, &Selection::Emulator(options)).unwrap();
    let expected = if deadlocks { OutcomeKind::SimtDeadlock } else { OutcomeKind::Finished };
    assert_eq!(ran.report.outcome, expected, "{what} on {}: {:?}", machine.name(), ran.difference);
    if !deadlocks {
        assert_eq!(ran.difference, None, "{what} on {}", machine.name());
    }
}

macro_rules! programs {
    ($($name:ident: $program:ident,)*) => {
        $(#[test]
        fn $name() {
            check(Program::$program);
        })*

        #[test]
        fn every_program_is_tried() {
            assert_eq!([$(Program::$program),*], Program::ALL);
        }
    };
}

programs! {
    ht: Ht,
    atm: Atm,
    cp_ds: CpDs,
    bh_tb: BhTb,
    bh_sm: BhSm,
    bh_st: BhSt,
    bh_fc: BhFc,
    tl_fine: TlFine,
    tl_coarse: TlCoarse,
    am_fine: AmFine,
    am_coarse: AmCoarse,
    figure_4_behind: Behind,
    figure_4_parallel: Parallel,
    figure_4_branches: Branches,
    figure_4_around: Around,
}

/// Small inputs deadlock because threads contend; those of one thread cannot.
#[test]
fn one_thread_waits_for_nobody() {
    for program in Program::ALL.into_iter().filter(|&program| program != Program::Parallel) {
        let ptx = optimised(program);
        let input = program.input(Size::Tasks(1)).unwrap();
        for device in emulators(Machine::ALL, "sm_90") {
            let ran = input.run(ptx, &program.kernel(Form::Mimd), &device).unwrap();
            assert_eq!((ran.report.outcome, ran.difference), (OutcomeKind::Finished, None), "{}", program.name());
        }
    }
}

#[test]
fn no_task_and_too_many_are_refused() {
    for tasks in [0, u32::MAX] {
        assert!(matches!(Program::Ht.input(Size::Tasks(tasks)), Err(Error::Tasks { .. })));
    }
}

/// What is shared is volatile or atomic, and ordered by fences.
#[test]
fn nothing_is_read_before_it_is_written_and_nothing_races() {
    let checks = Checks { uninitialised: true, races: true, undefined: true };
    for program in Program::ALL {
        let ptx = optimised(program);
        let input = program.input(Size::Tasks(160)).unwrap();
        for form in [Form::Mimd, Form::Simt] {
            for seed in 0..3 {
                let options = EmulatorOptions { machine: Machine::Mimd, seed, checks, ..EmulatorOptions::default() };
                let ran = input.run(ptx, &program.kernel(form), &Selection::Emulator(options)).unwrap();
                assert_eq!((ran.report.outcome, ran.difference), (OutcomeKind::Finished, None), "{}", program.name());
                let findings = ran.report.detail.unwrap().findings;
                assert!(findings.is_empty(), "{} {form:?}, seed {seed}: {findings:#?}", program.name());
            }
        }
    }
}
