//! A program with its input: what runs it on a device, and what native code gets.

use super::launches::{Launches, Runs};

/// A program with its input.
pub(super) struct Case {
    /// The input in words.
    pub(super) input: String,
    /// The kernels, in the order of their first launches.
    pub(super) kernels: Vec<&'static str>,
    /// The launches with the check.
    pub(super) work: Box<dyn Runs>,
    /// The kernel's name in the native program, and the size of the input.
    pub(super) native: (&'static str, u32),
    /// The kernel's name in the OpenCL program; `None` if it has none.
    pub(super) opencl: Option<&'static str>,
}

impl Case {
    /// Makes a case of launches, with the native kernel `native` for this size.
    pub(super) fn new(input: String, launches: Launches, native: &'static str, size: u32) -> Case {
        let mut kernels: Vec<&'static str> = Vec::new();
        for launch in &launches.launches {
            if !kernels.contains(&launch.kernel) {
                kernels.push(launch.kernel);
            }
        }
        Case { input, kernels, work: Box::new(launches), native: (native, size), opencl: None }
    }
}
