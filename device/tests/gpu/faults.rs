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
