//! The spin lock hangs where lanes wait for each other, ends where they are scheduled independently, and ends everywhere once rewritten.
#![allow(clippy::unwrap_used, missing_docs)]

use benchmarks::lock::{LockReport, Target, cases};
use device::OutcomeKind;
use toolkit::{Search, StderrProgress, Toolkit};

#[test]
fn the_target_decides_until_it_is_rewritten() {
    let toolkit = Toolkit::locate_or_install(&Search::default(), &mut StderrProgress::default()).unwrap();
    let cases = cases(&toolkit).unwrap();
    for case in &cases {
        assert!(case.ptx.contains(&format!(".target {}\n", case.target.name())), "{}", case.ptx);
        toolkit.assemble(&case.ptx, "sm_90", "lock.ptx").unwrap();
    }
    let rows: Vec<_> = cases.iter().map(|case| case.emulate().unwrap()).collect();
    let came =
        |index: usize| (rows[index].version.as_str(), rows[index].target, rows[index].outcome, rows[index].right);
    assert_eq!(came(0), ("M", Target::Sm60, Some(OutcomeKind::SimtDeadlock), None));
    assert_eq!(came(1), ("M+SSDE", Target::Sm60, Some(OutcomeKind::Finished), Some(true)));
    assert_eq!(came(2), ("M", Target::Sm70, Some(OutcomeKind::Finished), Some(true)));
    assert_eq!(came(3), ("M+SSDE", Target::Sm70, Some(OutcomeKind::Finished), Some(true)));
    let mut report = LockReport { suite: "lock".into(), device: "emulator".into(), rows };
    assert!(report.is_freed());
    let text = report.to_text();
    assert!(text.contains("hangs: simt-deadlock") && text.contains("ends, every thread counted once"), "{text}");
    (report.rows[1].outcome, report.rows[1].right) = (None, None);
    assert!(!report.is_freed() && report.to_text().contains("hangs: the process was ended"));
}
