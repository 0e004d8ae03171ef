//! A program with its input: what runs it on a device, and what native code gets.

use super::launches::{Check, Launches, Runs};
use crate::workload::Verdict;

/// A program with its input.
pub(super) struct Case {
    /// The input in words.
    pub(super) input: String,
    /// The kernels, in the order of their first launches.
    pub(super) kernels: Vec<&'static str>,
    /// The launches with the check.
    pub(super) work: Box<dyn Runs>,
    /// The native program's part; `None` where there is none.
    pub(super) native: Option<NativeCase>,
}

/// What the native program gets, and the check of what it gives.
pub(super) struct NativeCase {
    /// The kernel's name there.
    pub(super) kernel: &'static str,
    /// The size of the input.
    pub(super) size: u32,
    /// The input.
    pub(super) input: Vec<u8>,
    /// The bytes of each result.
    pub(super) results: Vec<usize>,
    pub(super) check: Check,
}

impl Case {
    /// Makes a case of launches. The native kernel `native` of this size reads the given buffers.
    pub(super) fn new(input: String, launches: Launches, native: &'static str, size: u32, reads: &[usize]) -> Case {
        let mut kernels: Vec<&'static str> = launches.launches.iter().map(|launch| launch.kernel).collect();
        let mut seen = std::collections::BTreeSet::new();
        kernels.retain(|kernel| seen.insert(*kernel));
        let native = NativeCase {
            kernel: native,
            size,
            input: reads.iter().flat_map(|&index| launches.buffers[index].1.iter().copied()).collect(),
            results: launches.result_bytes(),
            check: launches.check.clone(),
        };
        Case { input, kernels, work: Box::new(launches), native: Some(native) }
    }
}

impl NativeCase {
    /// Checks what the native program gave.
    pub(super) fn verdict(&self, output: &[u8]) -> Verdict {
        let mut rest = output;
        let mut results = Vec::new();
        for &bytes in &self.results {
            let Some((result, more)) = rest.split_at_checked(bytes) else { break };
            results.push(result.to_vec());
            rest = more;
        }
        if results.len() < self.results.len() || !rest.is_empty() {
            let what = format!("the native program gave {} bytes, not {}", output.len(), self.results.iter().sum::<usize>());
            return Verdict { difference: Some(what), error: f64::INFINITY };
        }
        (self.check)(&results)
    }
}
