//! Breadth-first search on the emulator, with a kernel written by hand: no CUDA compiler is needed.
use std::sync::atomic::{AtomicU32, Ordering};

use benchmarks::bfs::{Level, Task, compare, search};
use benchmarks::graph::{Graph, Rmat, rmat};
use benchmarks::{Error, GraphSummary, Row, SuiteReport, Variant, emulators};
use device::{EmulatorOptions, LaunchConfig, Machine, OutcomeKind, Selection};

const BFS: &str = include_str!("../data/bfs.ptx");

/// The kernel with one instruction changed.
fn changed(from: &str, to: &str) -> String {
    assert_eq!(BFS.matches(from).count(), 1, "{from}");
    BFS.replace(from, to)
}

fn run(ptx: &str, task: &Task, config: &LaunchConfig, machine: Machine) -> Result<Vec<Level>, Error> {
    let options = EmulatorOptions { machine, step_budget: 1 << 22, ..EmulatorOptions::default() };
    let mut device = Selection::Emulator(options).open().unwrap();
    search(&mut *device, ptx, "bfs", task, config, &|| ())
}

fn small() -> Task {
    Task::new(Graph::from_edges(5, &[(0, 1), (0, 2), (1, 3), (2, 3), (3, 0), (4, 0)]).unwrap(), Some(0)).unwrap()
}

#[test]
fn one_thread_takes_the_instructions_that_can_be_counted_by_hand() {
    let task = Task::new(Graph::from_edges(2, &[(0, 1)]).unwrap(), None).unwrap();
    for &machine in Machine::ALL {
        let levels = run(BFS, &task, &LaunchConfig::linear(1, 1), machine).unwrap();
        let counts: Vec<_> = levels.iter().map(|level| level.run.counts).collect();
        // Before the loop 17. Vertex 0: 7 up to its edges, 3 to find them, 15 for its edge, 2 to see that there is no other, 2
        // for the step. Vertex 1 is not in the level: 7 and the step. No vertex 2: 2, and 1 to end.
        assert_eq!(counts[0].warp_instructions, Some(17 + (7 + 3 + 15 + 2 + 2) + (7 + 2) + 3));
        // Now vertex 0 is not in the level, and vertex 1 has no edge.
        assert_eq!(counts[1].warp_instructions, Some(17 + (7 + 2) + (7 + 3 + 2 + 2) + 3));
        assert_eq!(counts.len(), 2);
        for counts in counts {
            assert_eq!(counts.warp_execution_efficiency(), Some(1.0 / 32.0));
        }
    }
}

#[test]
fn every_shape_of_launch_finds_the_levels() {
    let graphs = [
        small(),
        Task::new(rmat(&Rmat::graph500(7)).unwrap(), None).unwrap(),
        Task::new(rmat(&Rmat { seed: 2, ..Rmat::graph500(8) }).unwrap().undirected().unwrap(), None).unwrap(),
        Task::new(Graph::from_edges(3, &[]).unwrap(), Some(2)).unwrap(),
        Task::new(Graph::from_edges(100, &(1..100).map(|v| (v - 1, v)).collect::<Vec<_>>()).unwrap(), None).unwrap(),
    ];
    for task in &graphs {
        for (grid, block) in [(1, 1), (3, 31), (1, 32), (2, 33), (1, 256), (5, 1024)] {
            for &machine in Machine::ALL {
                let levels = run(BFS, task, &LaunchConfig::linear(grid, block), machine).unwrap();
                assert_eq!(levels.len(), task.levels() as usize);
                assert!(levels.iter().all(|level| level.difference.is_none()), "{levels:?}");
                assert_eq!(levels.iter().map(|level| level.frontier).sum::<usize>(), task.reached());
            }
        }
    }
}

#[test]
fn a_wrong_level_is_noticed_where_it_is_written() {
    let wrong = changed("add.s32 %next, %current, 1;", "add.s32 %next, %current, 2;");
    let levels = run(&wrong, &small(), &LaunchConfig::linear(1, 32), Machine::Stack).unwrap();
    assert_eq!(levels.len(), 1);
    assert_eq!(levels[0].difference.as_deref(), Some("vertex 1 has level 2, the CPU says 1"));
}

#[test]
fn a_missed_edge_is_noticed() {
    let wrong = changed("setp.ge.s32 %known, %seen, 0;", "setp.ge.s32 %known, %current, 1;");
    let levels = run(&wrong, &small(), &LaunchConfig::linear(1, 32), Machine::Its).unwrap();
    assert_eq!(levels.len(), 2);
    assert_eq!(levels[1].difference.as_deref(), Some("vertex 3 has level -1, the CPU says 2"));
}

#[test]
fn a_kernel_that_does_not_say_that_it_found_something_is_noticed() {
    let wrong = changed("mov.u32 %one, 1;", "mov.u32 %one, 0;");
    let levels = run(&wrong, &small(), &LaunchConfig::linear(1, 32), Machine::Stack).unwrap();
    assert_eq!(levels.last().unwrap().difference.as_deref(), Some("`changed` is 0, but there is a next level"));
}

#[test]
fn a_fault_and_an_endless_loop_end_the_search() {
    let fault = changed("ld.global.u32 %end, [%to+4];", "ld.global.u32 %end, [%to+1000000];");
    let levels = run(&fault, &small(), &LaunchConfig::linear(1, 32), Machine::Stack).unwrap();
    assert_eq!((levels.len(), levels[0].run.outcome), (1, OutcomeKind::Fault));
    assert_eq!(levels[0].difference, levels[0].run.message);
    let endless = changed("add.s32 %edge, %edge, 1;", "add.s32 %edge, %edge, 0;");
    for &machine in Machine::ALL {
        let levels = run(&endless, &small(), &LaunchConfig::linear(1, 32), machine).unwrap();
        assert_eq!(levels.len(), 1);
        assert!(matches!(
            levels[0].run.outcome,
            OutcomeKind::Livelock | OutcomeKind::Budget | OutcomeKind::SimtDeadlock
        ));
        assert!(levels[0].difference.is_some());
    }
}

#[test]
fn a_grid_beyond_the_kernels_counter_is_refused() {
    let error = run(BFS, &small(), &LaunchConfig::linear(1 << 30, 2), Machine::Stack).unwrap_err();
    assert_eq!(
        error.to_string(),
        "2147483648 threads for 5 tasks overflow the kernel's 32-bit int; give a smaller grid"
    );
}

fn compared() -> (Task, Vec<Row>, u32) {
    let task = Task::new(rmat(&Rmat::graph500(8)).unwrap(), None).unwrap();
    // Right for the first level, wrong from the second on.
    let wrong = changed("add.s32 %next, %current, 1;", "mad.lo.s32 %next, %current, 2, 1;");
    // The known neighbours take another way to the next edge; the result is the same.
    let other = changed("@%known bra NEXT;", "@%known add.s32 %edge, %edge, 1;\n\t@%known bra EDGE;");
    let variant = |name: &str, ptx: &str| Variant { name: name.into(), ptx: ptx.into(), kernel: "bfs".into() };
    let variants = [variant("original", BFS), variant("other", &other), variant("wrong", &wrong)];
    let launches = AtomicU32::new(0);
    let devices = emulators(Machine::ALL, "sm_80");
    let count = || {
        launches.fetch_add(1, Ordering::Relaxed);
    };
    let rows = compare(&variants, &task, &LaunchConfig::linear(1, 64), &devices, &count).unwrap();
    (task, rows, launches.into_inner())
}

#[test]
fn rows_come_by_device_variant_and_level_with_a_total() {
    let (task, rows, launches) = compared();
    let levels = task.levels();
    assert!(levels >= 3);
    let mut expected = Vec::new();
    for machine in Machine::ALL.iter().map(|machine| machine.name()) {
        for (variant, ran) in [("original", levels), ("other", levels), ("wrong", 2)] {
            expected.extend((0..ran).map(|level| (machine, variant, Some(level))));
            expected.push((machine, variant, None));
        }
    }
    let found: Vec<_> =
        rows.iter().map(|row| (row.run.machine.as_deref().unwrap(), row.variant.as_str(), row.level)).collect();
    assert_eq!(found, expected);
    assert_eq!(launches, Machine::ALL.len() as u32 * (levels + levels + 2));
    for row in &rows {
        assert_eq!(row.results_equal, row.variant != "wrong" || row.level == Some(0));
    }
    for total in rows.iter().filter(|row| row.level.is_none()) {
        let parts = rows
            .iter()
            .filter(|row| row.level.is_some() && row.variant == total.variant && row.run.machine == total.run.machine);
        let sum: u64 = parts.map(|row| row.run.counts.warp_instructions.unwrap()).sum();
        assert_eq!(total.run.counts.warp_instructions, Some(sum));
    }
    // Host threads take turns differently from run to run; the rows may not.
    let again = compared().1;
    assert_eq!(serde_json::to_string(&again).unwrap(), serde_json::to_string(&rows).unwrap());
}

#[test]
fn the_report_reads_as_text_and_as_json() {
    let (task, rows, _) = compared();
    let levels = task.levels();
    let report = SuiteReport {
        suite: "bfs".into(),
        device: "emulator".into(),
        arch: "sm_80".into(),
        graph: GraphSummary {
            name: "R-MAT scale 8 seed 1".into(),
            vertices: 256,
            edges: 4096,
            source: task.source(),
            reached: task.reached(),
            levels,
        },
        grid: 1,
        block: 64,
        resources: Vec::new(),
        notes: vec!["by hand".into()],
        rows,
    };
    assert!(!report.results_equal());
    let text = report.to_text();
    assert!(text.starts_with("bfs on R-MAT scale 8 seed 1: 256 vertices, 4,096 edges; from vertex "), "{text}");
    assert!(text.contains("\nnote: by hand\n"));
    let cells = |machine: &str, level: &str| {
        let line = text.lines().find(|line| {
            let cells: Vec<_> = line.split(['│', '┆']).map(str::trim).collect();
            cells.get(1) == Some(&machine) && cells.get(2) == Some(&level)
        });
        line.unwrap_or_else(|| panic!("{machine} {level} in {text}"))
            .split(['│', '┆'])
            .map(str::trim)
            .collect::<Vec<_>>()
    };
    // Machine, level, vertices, three measures for three variants each, and whether the results are equal.
    assert_eq!(cells("stack", "0").len(), 1 + 3 + 9 + 1 + 1);
    assert_eq!(cells("stack", "0")[13], "yes");
    assert_eq!(cells("stack", "1")[13], "NO: wrong");
    let last = (levels - 1).to_string();
    assert_eq!((cells("its", &last)[6], cells("its", &last)[13]), ("", "yes"));
    assert_eq!(cells("its", "all")[13], "NO: wrong");
    let wrong = text.lines().find(|line| line.starts_with("WRONG: wrong on stack, level 1: vertex ")).unwrap();
    assert!(wrong.ends_with(" has level 3, the CPU says 2"), "{wrong}");
    assert!(text.contains("\nits, original to other: warp execution efficiency "), "{text}");

    let json = serde_json::to_value(&report).unwrap();
    assert_eq!((&json["suite"], &json["device"]), (&"bfs".into(), &"emulator".into()));
    let row = &json["rows"][0];
    let keys = [
        "program",
        "variant",
        "level",
        "results_equal",
        "kernel",
        "machine",
        "outcome",
        "line",
        "warp_instructions",
        "thread_instructions",
        "warp_execution_efficiency",
        "warp_nonpred_execution_efficiency",
        "issue_cycles",
        "sectors",
    ];
    for key in keys {
        assert!(row.get(key).is_some(), "{key} in {row}");
    }
    assert_eq!(row["outcome"], "finished");
}
