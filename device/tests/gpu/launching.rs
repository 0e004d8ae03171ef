//! Launches: what the driver is given, what comes back, how long it took.

use device::{Argument, Device, Error, Gpu, GpuOptions, LaunchConfig, OutcomeKind, Selection};

use crate::fake_driver::in_child;
use crate::{KERNELS, assert_all_given_back, count, gpu, words};

#[test]
fn a_kernel_runs_and_its_time_is_taken() {
    let log = in_child(&[], || {
        let mut device = Selection::Gpu(GpuOptions::default()).open().unwrap();
        assert_eq!(device.name(), "gpu (Fake 0)");
        let kernel = device.load(KERNELS, "fill").unwrap();
        let out = device.alloc(40, "out").unwrap();
        let config = LaunchConfig {
            grid: [2, 1, 1],
            block: [2, 2, 1],
            dynamic_shared: 64,
            opt_in_shared: false,
            cooperative: false,
        };
        let report = device.launch(kernel, &config, &[out.into(), 7_u32.into(), 100_u32.into()]).unwrap();
        assert_eq!((report.kernel.as_str(), report.machine, report.outcome), ("fill", None, OutcomeKind::Finished));
        assert_eq!((report.time, report.line, report.message), (Some(0.0025), None, None));
        assert_eq!(report.counts, device::Counts::default());
        // Eight threads, and zeros behind them.
        assert_eq!(words(device.as_ref(), out, 10), [7, 7, 7, 7, 7, 7, 7, 7, 0, 0]);
        device.free(out).unwrap();
    });
    let Some(log) = log else { return };
    assert!(log.contains("launch fill on 2 x 1 x 1 blocks of 2 x 2 x 1 threads, 64 bytes of shared memory\n"), "{log}");
    assert_eq!((count(&log, "load module"), count(&log, "unload module")), (1, 1));
    assert_all_given_back(&log);
}

#[test]
fn arguments_have_the_width_of_their_parameters() {
    let log = in_child(&[], || {
        let mut device = gpu();
        let kernel = device.load(KERNELS, "widths").unwrap();
        let out = device.alloc(16, "out").unwrap();
        let arguments = [out.into(), 1_u8.into(), 0x203_u16.into(), 1_f32.into(), 0x0405_0607_0809_0a0b_u64.into()];
        device.launch(kernel, &LaunchConfig::linear(1, 1), &arguments).unwrap();
        let mut bytes = [0; 16];
        device.download(out, 0, &mut bytes).unwrap();
        assert_eq!(bytes, [1, 3, 2, 0, 0, 0x80, 0x3f, 11, 10, 9, 8, 7, 6, 5, 4, 0]);

        let config = LaunchConfig::linear(1, 1);
        let missing = device.launch(kernel, &config, &[out.into()]).unwrap_err();
        assert!(missing.to_string().contains("has 5 parameters, but 1 arguments are given"), "{missing}");
        let wide = [out.into(), 1_u32.into(), 0_u16.into(), 1_f32.into(), 0_u64.into()];
        let wide = device.launch(kernel, &config, &wide).unwrap_err();
        assert!(wide.to_string().contains("parameter 1 (`a`) of kernel `widths` has 1 bytes"), "{wide}");
    });
    if let Some(log) = log {
        assert_eq!(count(&log, "launch"), 1, "{log}");
    }
}

#[test]
fn structures_are_handed_over_whole_with_the_addresses_in_them() {
    in_child(&[], || {
        let mut device = gpu();
        let kernel = device.load(KERNELS, "whole").unwrap();
        let out = device.alloc(16, "out").unwrap();
        let arguments = [Argument::Bytes { bytes: (0..24).collect(), addresses: vec![(0, out)] }];
        device.launch(kernel, &LaunchConfig::linear(1, 1), &arguments).unwrap();
        let mut bytes = [0; 16];
        device.download(out, 0, &mut bytes).unwrap();
        assert_eq!(bytes.to_vec(), (8..24).collect::<Vec<u8>>());
    });
}

#[test]
fn cooperative_launches_are_made_as_such() {
    let log = in_child(&[], || {
        let mut device = gpu();
        let kernel = device.load(KERNELS, "empty").unwrap();
        let config = LaunchConfig { cooperative: true, ..LaunchConfig::linear(1000, 32) };
        assert_eq!(device.launch(kernel, &config, &[]).unwrap().outcome, OutcomeKind::Finished);
        let crowded = LaunchConfig { grid: [1001, 1, 1], ..config };
        let error = device.launch(kernel, &crowded, &[]).unwrap_err().to_string();
        assert!(error.contains("does not fit the GPU at once"), "{error}");
    });
    if let Some(log) = log {
        assert_eq!((count(&log, "all blocks together"), count(&log, "launch")), (2, 1), "{log}");
    }
}

#[test]
fn launches_that_cannot_be_made_are_refused() {
    let log = in_child(&[], || {
        let mut device = gpu();
        let (narrow, greedy) = (device.load(KERNELS, "narrow").unwrap(), device.load(KERNELS, "greedy").unwrap());
        let config = LaunchConfig::linear(1, 32);
        for (config, expected) in [
            (
                LaunchConfig { grid: [1, 70_000, 1], ..config },
                "the grid has 70000 blocks in y; this GPU takes 1 to 65535",
            ),
            (LaunchConfig { grid: [0, 1, 1], ..config }, "the grid has 0 blocks in x"),
            (LaunchConfig::linear(1, 2048), "the block has 2048 threads in x; this GPU takes 1 to 1024"),
            (LaunchConfig::linear(1, 512), "kernel `narrow` takes at most 256, by its 40 registers"),
            (LaunchConfig { dynamic_shared: 1 << 20, ..config }, "this GPU has 232448"),
        ] {
            let error = device.launch(narrow, &config, &[]).unwrap_err().to_string();
            assert!(error.starts_with("the launch is not possible") && error.contains(expected), "{error}");
        }
        let error = device.launch(greedy, &config, &[]).unwrap_err().to_string();
        assert!(
            error.contains("cannot launch the kernel: the launch takes more registers or shared memory"),
            "{error}"
        );
        // What was refused did no harm.
        assert_eq!(device.launch(narrow, &config, &[]).unwrap().outcome, OutcomeKind::Finished);
        let other = gpu();
        assert!(matches!(other.kernel_properties(narrow), Err(Error::UnknownKernel)));
    });
    if let Some(log) = log {
        assert_eq!(count(&log, "launch"), 2, "{log}");
        assert_all_given_back(&log);
    }
}

#[test]
fn more_shared_memory_is_asked_for() {
    let log = in_child(&[], || {
        let mut device = gpu();
        let kernel = device.load(KERNELS, "narrow").unwrap();
        let config = LaunchConfig { dynamic_shared: 100_000, opt_in_shared: true, ..LaunchConfig::linear(1, 32) };
        let small = LaunchConfig { dynamic_shared: 48 << 10, ..config };
        assert_eq!(device.launch(kernel, &small, &[]).unwrap().outcome, OutcomeKind::Finished);
        assert_eq!(device.launch(kernel, &config, &[]).unwrap().outcome, OutcomeKind::Finished);
        assert_eq!(device.occupancy(kernel, &config).unwrap().blocks, 1);
    });
    if let Some(log) = log {
        // With the 1024 bytes that it declares, 48 KiB are more than every kernel may have.
        assert!(log.contains("allow 49152 bytes") && log.contains("allow 100000 bytes"), "{log}");
    }
}

#[test]
fn many_launches_are_timed_one_by_one() {
    let log = in_child(&[], || {
        let mut device = gpu();
        let kernel = device.load(KERNELS, "fill").unwrap();
        let out = device.alloc(4, "out").unwrap();
        let (config, arguments) = (LaunchConfig::linear(1, 1), [out.into(), 5_u32.into(), 1_u32.into()]);
        let times = device.time(kernel, &config, &arguments, 2, 3).unwrap();
        // The two launches before them are not among them.
        let expected = [0.0035, 0.004, 0.0045];
        let near = times.iter().zip(expected).all(|(time, expected)| (time - expected).abs() < 1e-8);
        assert!(times.len() == 3 && near, "{times:?}");
        assert!(device.time(kernel, &config, &arguments, 1, 0).unwrap().is_empty());
        let crash = device.load(KERNELS, "crash").unwrap();
        let error = device.time(crash, &config, &[], 1, 2).unwrap_err().to_string();
        assert!(error.starts_with("kernel `crash` has no time: an access to an illegal address"), "{error}");
    });
    if let Some(log) = log {
        let events: Vec<&str> = log.lines().filter_map(|line| line.split([' ', '\n']).next()).collect();
        let order = [
            "launch", "launch", "record", "launch", "record", "record", "launch", "record", "record", "launch",
            "record",
        ];
        assert!(events.windows(order.len()).any(|window| window == order), "{log}");
        assert_all_given_back(&log);
    }
}

#[test]
fn scratch_is_overwritten_before_each_timed_launch() {
    let log = in_child(&[], || {
        let mut device = Gpu::open(&GpuOptions { scratch_bytes: 4096, ..GpuOptions::default() }).unwrap();
        let (empty, config) = (device.load(KERNELS, "empty").unwrap(), LaunchConfig::linear(1, 1));
        let times = device.time(empty, &config, &[], 1, 2).unwrap();
        assert_eq!(device.launch(empty, &config, &[]).unwrap().outcome, OutcomeKind::Finished);
        // The memset of the fake driver takes a millisecond.
        assert!(times.len() == 2 && times.iter().all(|time| (time - 2e-6).abs() < 1e-8), "{times:?}");
    });
    let Some(log) = log else { return };
    let queued = log.lines().filter(|line| ["memset", "record", "launch"].iter().any(|word| line.starts_with(word)));
    let queued: Vec<&str> = queued.map(|line| line.split(" on ").next().unwrap()).collect();
    let timed = |value| {
        [format!("memset 4096 bytes to {value}"), "record event".into(), "launch empty".into(), "record event".into()]
    };
    let expected = [vec!["launch empty".to_owned()], timed(0).into(), timed(255).into(), timed(0).into()].concat();
    assert_eq!(queued, expected, "{log}");
    assert_all_given_back(&log);
}

#[test]
fn scratch_needs_memory() {
    let log = in_child(&[], || {
        let error = Gpu::open(&GpuOptions { scratch_bytes: 2 << 20, ..GpuOptions::default() }).err().unwrap();
        assert!(matches!(&error, Error::OutOfMemory { label, bytes: 0x20_0000 } if label == "scratch"), "{error}");
    });
    if let Some(log) = log {
        assert_all_given_back(&log);
    }
}
