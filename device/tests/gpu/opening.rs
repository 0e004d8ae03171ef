//! Drivers and GPUs that are there and that are not, and what is said of them.

use device::{Device, Gpu, GpuOptions, KernelOccupancy, KernelProperties, LaunchConfig, Selection};

use crate::fake_driver::{folder_with_other_driver, folder_without_driver, in_child, with_driver_of};
use crate::{KERNELS, gpu, words};

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
        let error = Gpu::open(&GpuOptions { ordinal: 2, timeout: None }).err().unwrap();
        let expected = "there is no GPU 2: the driver shows 2, counted from 0; `nvidia-smi` lists them";
        assert_eq!(error.to_string(), expected);
    });
}

#[test]
fn a_driver_that_does_not_start_says_why() {
    // The last one is newer than the bindings.
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
        let expected = "no CUDA driver on this machine: libcuda.so.1 is not found; `--device emulator` needs none";
        assert_eq!(error.to_string(), expected);
    });
}

#[test]
fn the_gpu_and_its_kernels_are_described() {
    in_child(&[("FAKE_CUDA_DEVICES", "2")], || {
        let mut device = Gpu::open(&GpuOptions { ordinal: 1, timeout: None }).unwrap();
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
