//! A GPU behind the trait, on the fake driver: what goes to the driver, what comes back, and what is said where it refuses.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod faults;
mod launching;
mod loading;
mod memory;
mod opening;
mod real;

#[path = "../fake_driver/mod.rs"]
mod fake_driver;

use device::{Device, Gpu, GpuOptions};

/// Kernels that the fake driver knows by their names. Only their parameters matter here; what runs is in the driver.
const KERNELS: &str = "\
.version 9.0
.target sm_90
.address_size 64
.visible .entry fill(.param .u64 out, .param .u32 value, .param .u32 count) { ret; }
.visible .entry widths(.param .u64 out, .param .u8 a, .param .u16 b, .param .f32 c, .param .u64 d) { ret; }
.visible .entry whole(.param .align 8 .b8 s[24]) { ret; }
.visible .entry narrow() { ret; }
.visible .entry greedy() { ret; }
.visible .entry crash() { ret; }
.visible .entry hang() { ret; }
.visible .entry empty() { ret; }
";

fn gpu() -> Gpu {
    Gpu::open(&GpuOptions::default()).unwrap()
}

fn words(device: &dyn Device, buffer: device::Buffer, count: usize) -> Vec<u32> {
    let mut bytes = vec![0; count * 4];
    device.download(buffer, 0, &mut bytes).unwrap();
    bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

/// How many lines of the log begin so.
fn count(log: &str, begin: &str) -> usize {
    log.lines().filter(|line| line.starts_with(begin)).count()
}

/// All that was taken from the driver was given back, and nothing was asked that it does not know.
#[track_caller]
fn assert_all_given_back(log: &str) {
    for (taken, given) in [
        ("allocate", "free"),
        ("make event", "destroy event"),
        ("make stream", "destroy stream"),
        ("retain context", "release context"),
    ] {
        assert!(count(log, taken) > 0 || taken.ends_with("event") || taken == "allocate", "{log}");
        assert_eq!(count(log, taken), count(log, given), "{taken}\n{log}");
    }
    assert!(!log.contains("unknown") && !log.contains("waits for ever"), "{log}");
    assert!(log.trim_end().ends_with("release context 0"), "the context goes last:\n{log}");
}
