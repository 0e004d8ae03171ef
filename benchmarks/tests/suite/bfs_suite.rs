//! The whole suite, with the CUDA compiler: annotated source to table.
use benchmarks::Error;
use benchmarks::bfs::{BfsOptions, Suite, run_suite};

use crate::TOOLKIT;

#[test]
fn the_rewritten_kernel_finds_the_same_levels_with_fuller_warps() {
    let options = BfsOptions { scale: 11, quiet: true, ..BfsOptions::default() };
    let report = run_suite(&options, &TOOLKIT).unwrap();
    assert!(report.results_equal(), "{}", report.to_text());
    let totals: Vec<_> = report.rows.iter().filter(|row| row.level.is_none()).collect();
    assert_eq!(totals.len(), 4);
    for pair in totals.chunks(2) {
        let [before, after] = pair else { panic!("two variants per machine") };
        assert_eq!((before.variant.as_str(), after.variant.as_str()), ("original", "ccc"));
        let efficiency = |row: &benchmarks::Row| row.run.counts.warp_execution_efficiency().unwrap();
        assert!(efficiency(after) > efficiency(before), "{}", report.to_text());
    }
    let [original, ccc] = report.resources.as_slice() else { panic!("two variants") };
    assert!(original.registers > 0 && ccc.registers > 0);
    // One context of four bytes at least for each of the block's threads.
    assert_eq!(original.shared_bytes, 0);
    assert!(ccc.shared_bytes >= 4 * 256, "{}", ccc.shared_bytes);
}

#[test]
fn options_that_cannot_be_are_refused_before_anything_is_compiled() {
    let refused = |options: BfsOptions| Suite::prepare(&options).err().unwrap();
    let small = || BfsOptions { scale: 6, quiet: true, ..BfsOptions::default() };
    assert!(matches!(refused(BfsOptions { scale: 27, ..small() }), Error::Scale { scale: 27, limit: 26 }));
    assert!(matches!(refused(BfsOptions { source: Some(64), ..small() }), Error::Source { .. }));
    assert!(matches!(refused(BfsOptions { block: 2000, ..small() }), Error::Block { block: 2000 }));
    assert!(matches!(refused(BfsOptions { grid: Some(0), ..small() }), Error::Grid));
    assert!(matches!(refused(BfsOptions { graph: Some("none".into()), ..small() }), Error::Open { .. }));
}

#[test]
fn an_architecture_that_does_not_exist_is_the_compilers_error() {
    let options = BfsOptions { scale: 6, quiet: true, arch: "sm_1".into(), ..BfsOptions::default() };
    assert!(matches!(run_suite(&options, &TOOLKIT), Err(Error::Toolkit(_))));
}
