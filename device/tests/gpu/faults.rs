//! Kernels that do what they may not, or do not end.

use std::time::Duration;

use device::{Argument, Device, Gpu, GpuOptions, LaunchConfig, OutcomeKind};

use crate::fake_driver::in_child;
use crate::{KERNELS, assert_all_given_back, count, gpu, words};

#[test]
fn a_kernel_that_faults_is_an_outcome_and_ends_the_gpu() {
    let log = in_child(&[], || {
        let mut device = gpu();
        let (crash, fill) = (device.load(KERNELS, "crash").unwrap(), device.load(KERNELS, "fill").unwrap());
        let out = device.alloc(4, "out").unwrap();
        let config = LaunchConfig::linear(1, 32);
        let report = device.launch(crash, &config, &[]).unwrap();
        assert_eq!((report.outcome, report.time), (OutcomeKind::Fault, None));
        let expected = "an access to an illegal address (CUDA error 700); run it with `--device emulator`, which names \
                        the line and the access";
        assert_eq!(report.message.unwrap(), expected);

        let lost = "the GPU cannot be used any more in this process: kernel `crash` ended by an access to an \
                    illegal address (CUDA error 700); start the program again";
        let arguments = [out.into(), 1_u32.into(), 1_u32.into()];
        assert_eq!(device.launch(fill, &config, &arguments).unwrap_err().to_string(), lost);
        assert_eq!(device.download(out, 0, &mut [0; 4]).unwrap_err().to_string(), lost);
        assert_eq!(device.alloc(4, "more").unwrap_err().to_string(), lost);
        assert_eq!(device.time(fill, &config, &arguments, 0, 1).unwrap_err().to_string(), lost);
        assert_eq!(device.free(out).unwrap_err().to_string(), lost);
    });
    if let Some(log) = log {
        assert_eq!(count(&log, "launch"), 1, "{log}");
        assert_all_given_back(&log);
    }
}

#[test]
fn an_access_beyond_a_buffer_is_a_fault() {
    in_child(&[], || {
        let mut device = gpu();
        let kernel = device.load(KERNELS, "fill").unwrap();
        let out = device.alloc(4, "out").unwrap();
        let arguments = [Argument::Buffer(out), 1_u32.into(), 2_u32.into()];
        let report = device.launch(kernel, &LaunchConfig::linear(1, 32), &arguments).unwrap();
        assert_eq!(report.outcome, OutcomeKind::Fault);
        // Another GPU object of the same process has the same context; there the driver itself says it.
        let error = Gpu::open(&GpuOptions::default()).err().unwrap().to_string();
        assert!(error.contains("an access to an illegal address (CUDA error 700)"), "{error}");
    });
}

#[test]
fn a_launch_may_be_given_up() {
    let log = in_child(&[], || {
        let options = GpuOptions { timeout: Some(Duration::from_millis(30)), ..GpuOptions::default() };
        let mut device = Gpu::open(&options).unwrap();
        let (fill, hang) = (device.load(KERNELS, "fill").unwrap(), device.load(KERNELS, "hang").unwrap());
        let (out, config) = (device.alloc(4, "out").unwrap(), LaunchConfig::linear(1, 1));
        let arguments = [out.into(), 5_u32.into(), 1_u32.into()];
        assert_eq!(device.launch(fill, &config, &arguments).unwrap().outcome, OutcomeKind::Finished);
        assert_eq!(words(&device, out, 1), [5]);
        let report = device.launch(hang, &config, &[]).unwrap();
        assert_eq!(report.outcome, OutcomeKind::Budget);
        assert_eq!(report.message.unwrap(), "the launch did not end within 30ms; it runs on until this process ends");
        let error = device.launch(fill, &config, &arguments).unwrap_err().to_string();
        assert!(error.contains("kernel `hang` still runs after 30ms"), "{error}");
    });
    if let Some(log) = log {
        // Nothing that would wait for the kernel is called.
        assert!(!log.contains("waits for ever") && count(&log, "free") == 0 && count(&log, "release") == 0, "{log}");
    }
}

const UNKNOWN: (&str, &str) = ("FAKE_CUDA_FAULT", "greed,narrow:735");

#[test]
fn an_unknown_error_of_a_kernel_is_a_fault() {
    let log = in_child(&[UNKNOWN], || ends_by_an_unknown_error(None));
    log.iter().for_each(|log| assert_all_given_back(log));
}

#[test]
fn an_unknown_error_of_a_kernel_that_has_a_timeout_is_a_fault() {
    let log = in_child(&[UNKNOWN], || ends_by_an_unknown_error(Some(Duration::from_secs(10))));
    log.iter().for_each(|log| assert_all_given_back(log));
}

#[test]
fn an_unknown_error_at_a_later_launch_is_a_fault() {
    let log = in_child(&[UNKNOWN], || {
        let mut device = gpu();
        let kernel = device.load(KERNELS, "narrow").unwrap();
        let error = device.time(kernel, &LaunchConfig::linear(1, 1), &[], 1, 1).unwrap_err().to_string();
        assert!(
            error.starts_with("kernel `narrow` has no time: an error that this program has no name for"),
            "{error}"
        );
        assert!(device.alloc(4, "more").unwrap_err().to_string().contains("cannot be used any more"));
    });
    log.iter().for_each(|log| assert_all_given_back(log));
}

fn ends_by_an_unknown_error(timeout: Option<Duration>) {
    let mut device = Gpu::open(&GpuOptions { timeout, ..GpuOptions::default() }).unwrap();
    let kernel = device.load(KERNELS, "narrow").unwrap();
    let report = device.launch(kernel, &LaunchConfig::linear(1, 1), &[]).unwrap();
    let expected = "an error that this program has no name for (CUDA error 735); look the code up";
    let message = report.message.unwrap();
    assert!(report.outcome == OutcomeKind::Fault && message.starts_with(expected), "{message}");
    let error = device.alloc(4, "more").unwrap_err().to_string();
    assert!(error.contains("kernel `narrow` ended by an error that this program has no name for"), "{error}");
}

#[test]
fn kernels_hang_by_a_setting() {
    in_child(&[("FAKE_CUDA_HANG", "narrow")], || {
        let options = GpuOptions { timeout: Some(Duration::from_millis(20)), ..GpuOptions::default() };
        let mut device = Gpu::open(&options).unwrap();
        let kernel = device.load(KERNELS, "narrow").unwrap();
        let report = device.launch(kernel, &LaunchConfig::linear(1, 1), &[]).unwrap();
        assert_eq!(report.outcome, OutcomeKind::Budget);
    });
}

#[test]
fn a_kernel_may_crash_the_process() {
    use std::os::unix::process::ExitStatusExt;
    // `in_child` wants children that end well, so this one starts another.
    in_child(&[("FAKE_CUDA_CRASH", "narrow")], || {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.args(["faults::the_process_that_crashes", "--exact"]).env("CRASHES", "yes");
        assert_eq!(command.output().unwrap().status.signal(), Some(11));
    });
}

#[test]
fn the_process_that_crashes() {
    if std::env::var("CRASHES").is_ok() {
        let mut device = gpu();
        let (empty, narrow) = (device.load(KERNELS, "empty").unwrap(), device.load(KERNELS, "narrow").unwrap());
        device.launch(empty, &LaunchConfig::linear(1, 1), &[]).unwrap();
        let _ = device.launch(narrow, &LaunchConfig::linear(1, 1), &[]);
    }
}

#[test]
fn a_launch_that_does_not_start_is_no_fault() {
    for code in ["1", "701", "720", "735"] {
        in_child(&[("FAKE_CUDA_FAIL", &format!("cuLaunchKernel:{code}"))], || {
            let mut device = gpu();
            let kernel = device.load(KERNELS, "narrow").unwrap();
            let error = device.launch(kernel, &LaunchConfig::linear(1, 1), &[]).unwrap_err().to_string();
            let failing = std::env::var("FAKE_CUDA_FAIL").unwrap();
            let code = failing.split_once(':').unwrap().1;
            assert!(error.starts_with("the CUDA driver cannot launch the kernel: "), "{error}");
            assert!(error.contains(&format!("(CUDA error {code})")), "{error}");
            device.alloc(4, "more").unwrap();
        });
    }
}

#[test]
fn a_launch_that_meets_an_earlier_fault_is_a_fault() {
    in_child(&[("FAKE_CUDA_FAIL", "cuLaunchKernel:700")], || {
        let mut device = gpu();
        let kernel = device.load(KERNELS, "narrow").unwrap();
        assert_eq!(device.launch(kernel, &LaunchConfig::linear(1, 1), &[]).unwrap().outcome, OutcomeKind::Fault);
    });
}

/// All calls of the driver whose answer somebody looks at.
#[test]
fn every_call_keeps_the_number_of_its_error() {
    for (function, doing) in [
        ("cuStreamCreateWithPriority", "make a stream"),
        ("cuModuleLoadDataEx", "does not load the code"),
        ("cuModuleGetFunction", "find the kernel in the code"),
        ("cuFuncGetAttribute", "find the kernel in the code"),
        ("cuFuncSetAttribute", "give a block so much shared memory"),
        ("cuOccupancyMaxActiveBlocksPerMultiprocessor", "say how many blocks a multiprocessor holds"),
        ("cuMemAlloc_v2", "allocate memory"),
        ("cuMemsetD8_v2", "allocate memory"),
        ("cuMemcpyHtoD_v2", "copy to the GPU"),
        ("cuMemcpyDtoH_v2", "copy from the GPU"),
        ("cuEventCreate", "make an event"),
        ("cuEventRecord", "launch the kernel"),
        ("cuEventSynchronize", "a fault"),
        ("cuEventElapsedTime", "a fault"),
        ("cuStreamSynchronize", "a fault"),
        ("cuMemsetD8Async", "launch the kernel"),
    ] {
        in_child(&[("FAKE_CUDA_FAIL", &format!("{function}:1735")), ("DOING", doing)], || {
            let error = use_everything().unwrap_err().to_string();
            let doing = std::env::var("DOING").unwrap();
            assert!(error.contains(&doing) && error.contains("no name for (CUDA error 1735)"), "{error}");
        });
    }
}

/// Calls each function of the driver; a launch that faults is an error here.
fn use_everything() -> Result<(), Box<dyn std::error::Error>> {
    let mut device = Gpu::open(&GpuOptions { scratch_bytes: 64, ..GpuOptions::default() })?;
    let kernel = device.load(KERNELS, "narrow")?;
    let config = LaunchConfig { dynamic_shared: 100_000, opt_in_shared: true, ..LaunchConfig::linear(1, 32) };
    device.occupancy(kernel, &config)?;
    let buffer = device.alloc(4, "buffer")?;
    device.upload(buffer, 0, &[1])?;
    device.download(buffer, 0, &mut [0])?;
    let report = device.launch(kernel, &config, &[])?;
    report.message.map_or(Ok(()), |message| Err(format!("a fault: {message}").into()))
}
