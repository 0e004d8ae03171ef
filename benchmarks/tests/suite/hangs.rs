//! The spin lock hangs where lanes wait for each other, ends where they are scheduled independently, and ends everywhere once rewritten. So do the programs
//! of the SSDE paper.
use benchmarks::hangs::{Attempt, Case, HangReport, HangRow, Subject, Target, cases};
use benchmarks::ssde::{Program, Version};
use device::OutcomeKind;
use toolkit::Toolkit;

use crate::TOOLKIT;

fn built(attempts: &[Attempt], toolkit: &Toolkit) -> Vec<Case> {
    let cases: Vec<Case> = cases(attempts, toolkit).unwrap().into_iter().map(Result::unwrap).collect();
    for Case { attempt, variant } in &cases {
        assert!(variant.ptx.contains(&format!(".target {}\n", attempt.target.name())), "{}", variant.ptx);
        toolkit.assemble(&variant.ptx, "sm_90", "case.ptx").unwrap();
    }
    cases
}

#[test]
fn the_target_decides_until_it_is_rewritten() {
    let cases = built(&Attempt::spin_lock(), &TOOLKIT);
    let rows: Vec<HangRow> = cases.iter().map(|case| case.emulate().unwrap()).collect();
    let came =
        |index: usize| (rows[index].version.as_str(), rows[index].target, rows[index].outcome, rows[index].right);
    // What is expected to hang comes last.
    assert_eq!(came(0), ("M", Target::Sm70, OutcomeKind::Finished, Some(true)));
    assert_eq!(came(1), ("M+SSDE", Target::Sm60, OutcomeKind::Finished, Some(true)));
    assert_eq!(came(2), ("M+SSDE", Target::Sm70, OutcomeKind::Finished, Some(true)));
    assert_eq!(came(3), ("M", Target::Sm60, OutcomeKind::SimtDeadlock, None));
    let mut report = HangReport { suite: "lock".into(), device: "emulator".into(), rows };
    assert!(report.is_as_expected());
    let text = report.to_text();
    assert!(text.contains("hangs: simt-deadlock") && text.contains("ends, result as the CPU's"), "{text}");
    report.rows[0].right = Some(false);
    assert!(!report.is_as_expected() && report.to_text().contains("ends with a WRONG result"));
    report.rows[0].right = Some(true);
    let late = Some("the launch did not end within 5s".to_owned());
    (report.rows[1].outcome, report.rows[1].message, report.rows[1].right) = (OutcomeKind::Budget, late, None);
    assert!(!report.is_as_expected(), "the rewritten lock must end");
    assert!(report.to_text().contains("does not end: the launch did not end within 5s"), "{}", report.to_text());
}

/// A lock that is released behind its loop deadlocks; masses of cells never do.
#[test]
fn programs_of_the_paper_hang_by_their_target() {
    let toolkit = &TOOLKIT;
    let outcomes = |program: Program| {
        let of = |attempt: &Attempt| attempt.subject == Subject::Paper(program);
        let attempts: Vec<Attempt> = Attempt::all().into_iter().filter(of).collect();
        let rows = built(&attempts, toolkit).into_iter().map(|case| case.emulate().unwrap());
        rows.map(|row| (row.version, row.target, row.outcome, row.right)).collect::<Vec<_>>()
    };
    let ended = (OutcomeKind::Finished, Some(true));
    let row = |version: Version, target: Target, (outcome, right): (OutcomeKind, Option<bool>)| {
        (version.name().to_owned(), target, outcome, right)
    };
    let [sm60, sm70] = Target::ALL;
    let hangs = (OutcomeKind::SimtDeadlock, None);
    let expected =
        [row(Version::Mimd, sm70, ended), row(Version::Rewritten, sm60, ended), row(Version::Mimd, sm60, hangs)];
    assert_eq!(outcomes(Program::Behind), expected);
    let expected =
        [row(Version::Mimd, sm60, ended), row(Version::Mimd, sm70, ended), row(Version::Rewritten, sm60, ended)];
    assert_eq!(outcomes(Program::BhSm), expected);
    assert_eq!(Attempt::all().len(), 4 + 3 * Program::ALL.len());
}
