//! The examples do what they say.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, dead_code, unreachable_pub)]

use crate::common;
#[path = "../../examples/build.rs"]
mod build;
#[path = "../../examples/count.rs"]
mod count;
#[path = "../../examples/probe.rs"]
mod probe;

use crate::common::{check, sample, samples};

#[test]
fn instructions_are_counted() {
    let table = count::count(&sample("bfs.ptx")).unwrap();
    let module = common::parse(&sample("bfs.ptx"));
    let names: Vec<&str> = table.lines().filter(|line| !line.starts_with(' ')).collect();
    assert_eq!(names, module.kernels().iter().map(ptx_parser::Kernel::name).collect::<Vec<_>>());
    let counted: usize = table.lines().filter_map(|line| line.split_whitespace().next()?.parse::<usize>().ok()).sum();
    assert_eq!(counted, module.kernels().iter().map(ptx_parser::Kernel::inst_count).sum::<usize>());
    assert!(table.contains(" memory\n") && table.contains(" integer\n"), "{table}");
}

#[test]
fn a_kernel_is_built_from_nothing() {
    let module = build::saxpy().unwrap();
    let printed = check(&module);
    assert!(printed.contains(".visible .entry saxpy(\n\t.param .u32 saxpy_param_0,"), "{printed}");
    assert_eq!((module.version(), module.address_size()), (Some((9, 0)), 64));
    common::assemble(&module.canonical());
}

#[test]
fn every_loop_gets_a_probe() {
    for (name, text) in samples() {
        let (module, count) = probe::probe(&text).unwrap();
        let printed = check(&module);
        assert_eq!(printed.matches("red.global.add.u64 [loop_counts").count(), count, "{name}");
        assert_eq!(printed.matches(".b64 loop_counts[").count(), usize::from(count > 0), "{name}");
        assert!(name != "bfs.ptx" || count > 0, "bfs has loops");
    }
}
