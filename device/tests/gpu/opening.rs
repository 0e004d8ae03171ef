//! Drivers and GPUs that are there and that are not, and what is said of them.

use device::{
    ComputeMode, CudaCode, Device, Error, Gpu, GpuOptions, KernelOccupancy, KernelProperties, LaunchConfig, Selection,
};

use crate::fake_driver::{folder_lacking, folder_with_other_driver, folder_without_driver, in_child, with_driver_of};
use crate::{KERNELS, assert_all_given_back, count, gpu, words};

#[test]
fn a_gpu_may_go_to_another_thread() {
    in_child(&[], || {
        let mut device = gpu();
        let out = device.alloc(4, "out").unwrap();
        std::thread::spawn(move || {
            let kernel = device.load(KERNELS, "fill").unwrap();
            device.launch(kernel, &LaunchConfig::linear(1, 1), &[out.into(), 3_u32.into(), 1_u32.into()]).unwrap();
            assert_eq!(words(&device, out, 1), [3]);
        })
        .join()
        .unwrap();
    });
}

#[test]
fn a_gpu_that_is_not_there_is_named() {
    in_child(&[("FAKE_CUDA_DEVICES", "2")], || {
        let error = Gpu::open(&GpuOptions { ordinal: 2, ..GpuOptions::default() }).err().unwrap();
        let expected = "there is no GPU 2: the driver shows 2, counted from 0; `nvidia-smi` lists them";
        assert_eq!(error.to_string(), expected);
        assert_eq!(Gpu::describe(2).unwrap_err().to_string(), expected);
    });
}

#[test]
fn a_driver_that_does_not_start_says_why() {
    // The bindings do not know the last one.
    for (code, expected) in [
        ("100", "the driver finds no GPU (CUDA error 100); see with `nvidia-smi`"),
        ("803", "of different versions (CUDA error 803); restart"),
        ("46", "the GPU is busy or was taken away (CUDA error 46)"),
        ("12345", "an error that this program has no name for (CUDA error 12345)"),
    ] {
        in_child(&[("FAKE_CUDA_INIT", code), ("EXPECTED", expected)], || {
            let error = Selection::Gpu(GpuOptions::default()).open().err().unwrap().to_string();
            assert!(error.starts_with("the CUDA driver cannot start: "), "{error}");
            assert!(error.contains(&std::env::var("EXPECTED").unwrap()), "{error}");
        });
    }
}

#[test]
fn a_machine_without_a_driver_says_so() {
    with_driver_of(folder_without_driver, || {
        let error = Selection::Gpu(GpuOptions::default()).open().err().unwrap();
        let expected =
            "no CUDA driver on this machine: libcuda.so.1 is not found; what runs on the emulator needs none";
        assert_eq!(error.to_string(), expected);
    });
}

#[test]
fn the_gpu_and_its_kernels_are_described() {
    in_child(&[("FAKE_CUDA_DEVICES", "2")], || {
        let mut device = Gpu::open(&GpuOptions { ordinal: 1, ..GpuOptions::default() }).unwrap();
        let gpu = device.properties().clone();
        assert_eq!((gpu.name.as_str(), gpu.ordinal, gpu.arch()), ("Fake 1", 1, "sm_90".to_owned()));
        assert_eq!((gpu.multiprocessors, gpu.l2_bytes, gpu.memory_bytes), (132, 52_428_800, 1 << 20));
        assert_eq!((gpu.clock_hz, gpu.driver_version), (1_980_000_000, (13, 1)));
        assert_eq!((gpu.block, gpu.grid), ([1024, 1024, 64], [2_147_483_647, 65535, 65535]));
        let kernel = device.load(KERNELS, "narrow").unwrap();
        let expected =
            KernelProperties { registers: 40, local_bytes: 16, static_shared_bytes: 1024, threads_per_block: 256 };
        assert_eq!(device.kernel_properties(kernel).unwrap(), expected);
        let occupancy =
            device.occupancy(kernel, &LaunchConfig { block: [8, 8, 2], ..LaunchConfig::linear(9, 1) }).unwrap();
        assert_eq!(occupancy, KernelOccupancy { blocks: 12, warps: 48, most_warps: 64 });
        assert_eq!(occupancy.share(), 0.75);
        assert!(device.occupancy(kernel, &LaunchConfig::linear(1, 512)).is_err());
    });
}

#[test]
fn a_driver_that_lacks_a_function_is_refused() {
    with_driver_of(folder_with_other_driver, || {
        let error = Gpu::open(&GpuOptions::default()).err().unwrap();
        let expected =
            "the CUDA driver of this machine has no function `cuCtxSetCurrent`; use a driver of CUDA 11.4 or newer";
        assert_eq!(error.to_string(), expected);
    });
}

#[test]
fn a_driver_that_lacks_one_function_is_refused() {
    with_driver_of(
        || folder_lacking("cuMemsetD8Async"),
        || {
            let error = Gpu::describe(0).unwrap_err();
            assert!(matches!(error, Error::OtherDriver { function: "cuMemsetD8Async" }), "{error}");
        },
    );
}

#[test]
fn a_gpu_is_described_without_being_taken() {
    let log = in_child(&[("FAKE_CUDA_DEVICES", "2")], || {
        let described = Gpu::describe(1).unwrap();
        assert_eq!((described.name.as_str(), described.driver_version), ("Fake 1", (13, 1)));
    });
    if let Some(log) = log {
        assert_eq!((count(&log, "cuInit"), count(&log, "retain context")), (1, 0), "{log}");
    }
}

#[test]
fn a_described_gpu_is_the_one_that_is_opened() {
    let log = in_child(&[("FAKE_CUDA_DEVICES", "2")], || {
        let described = Gpu::describe(0).unwrap();
        assert_eq!(gpu().properties(), &described);
    });
    if let Some(log) = log {
        assert_all_given_back(&log);
    }
}

#[test]
fn a_gpu_for_one_process_is_taken_by_one() {
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("exclusive.{}", std::process::id()));
    in_child(&[("FAKE_CUDA_EXCLUSIVE", file.to_str().unwrap())], || {
        let first = gpu();
        // In this process, whose context is shared.
        drop(gpu());
        let lock = std::env::var("FAKE_CUDA_EXCLUSIVE").unwrap();
        in_another_process(&lock, "exclusive");
        drop(first);
        in_another_process(&lock, "free");
    });
    let _ = std::fs::remove_file(file);
}

/// Opens the GPU in a process of its own, by the next test.
fn in_another_process(lock: &str, expected: &str) {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["opening::another_process_opens_the_gpu", "--exact", "--nocapture"]);
    let output = command.env("FAKE_CUDA_EXCLUSIVE", lock).env("EXPECTED_OF_ANOTHER", expected).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn another_process_opens_the_gpu() {
    match std::env::var("EXPECTED_OF_ANOTHER").as_deref() {
        Ok("exclusive") => {
            let error = Gpu::open(&GpuOptions::default()).err().unwrap();
            assert!(
                matches!(error, Error::ComputeMode { mode: ComputeMode::Exclusive, code: CudaCode(46) }),
                "{error}"
            );
            let expected = "the GPU is in exclusive-process mode and another process uses it; end that process, or have its \
                            administrator set the default mode";
            assert_eq!(error.to_string(), expected);
            Gpu::describe(0).unwrap();
        }
        Ok(_) => drop(gpu()),
        Err(_) => {}
    }
}

#[test]
fn the_compute_mode_explains_every_error() {
    let prohibited =
        "the GPU is in prohibited mode: no process may use it; have its administrator set the default mode";
    let exclusive = "the GPU is in exclusive-process mode and another process uses it";
    for (mode, code, expected) in [
        ("2", "46", prohibited),
        ("2", "101", prohibited),
        ("3", "999", exclusive),
        ("3", "1234", exclusive),
        (
            "0",
            "46",
            "the CUDA driver cannot make a context on the GPU: the GPU is busy or was taken away (CUDA error 46)",
        ),
        (
            "0",
            "1234",
            "the CUDA driver cannot make a context on the GPU: an error that this program has no name for (CUDA error 1234)",
        ),
    ] {
        let failing = format!("cuDevicePrimaryCtxRetain:{code}");
        in_child(&[("FAKE_CUDA_COMPUTE_MODE", mode), ("FAKE_CUDA_FAIL", &failing), ("EXPECTED", expected)], || {
            let error = Gpu::open(&GpuOptions::default()).err().unwrap().to_string();
            assert!(error.starts_with(&std::env::var("EXPECTED").unwrap()), "{error}");
        });
    }
}

#[test]
fn a_prohibited_gpu_is_not_taken() {
    in_child(&[("FAKE_CUDA_COMPUTE_MODE", "2")], || {
        let error = Gpu::open(&GpuOptions::default()).err().unwrap();
        assert!(matches!(error, Error::ComputeMode { mode: ComputeMode::Prohibited, .. }), "{error}");
    });
}
