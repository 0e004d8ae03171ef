//! A program that is a fixed list of launches over some buffers.

use std::borrow::Cow;
use std::sync::{Arc, Mutex};

use device::{Argument, Device, KernelHandle, LaunchConfig};

use crate::error::Error;
use crate::native::Counterpart;
use crate::single_launch::upload;
use crate::workload::Verdict;

/// A program that launches its kernels and checks the results.
pub(super) trait Runs: Counterpart + Send + Sync {
    /// Runs it on a device.
    ///
    /// # Errors
    /// The device's error for the code or a launch.
    fn run(&self, device: &mut dyn Device, ptx: &str) -> Result<Verdict, Error>;
}

/// The check of a program's results, in the order in which the program lists them. Native code has the same one.
pub(super) type Check = Arc<dyn Fn(&[Vec<u8>]) -> Verdict + Send + Sync>;

/// A parameter of a kernel.
#[derive(Clone, Debug)]
pub(super) enum Parameter {
    /// One of the buffers.
    Buffer(usize),
    /// A number.
    Number(Argument),
}

impl<T: Into<Argument>> From<T> for Parameter {
    fn from(number: T) -> Parameter {
        Parameter::Number(number.into())
    }
}

/// A launch.
#[derive(Clone, Debug)]
pub(super) struct Launch {
    pub(super) kernel: &'static str,
    pub(super) config: LaunchConfig,
    pub(super) parameters: Vec<Parameter>,
}

/// The buffers, the launches and the check.
pub(super) struct Launches {
    /// The names and first contents of the buffers.
    pub(super) buffers: Vec<(&'static str, Vec<u8>)>,
    pub(super) launches: Vec<Launch>,
    /// The buffers that have the results in the end.
    pub(super) results: Vec<usize>,
    /// The buffers that native code reads, in their order.
    pub(super) native_reads: Vec<usize>,
    pub(super) check: Check,
}

impl Counterpart for Launches {
    fn buffers(&self) -> Vec<Cow<'_, [u8]>> {
        self.native_reads.iter().map(|&index| Cow::Borrowed(self.buffers[index].1.as_slice())).collect()
    }

    fn verdict(&self, results: &[Vec<u8>]) -> Verdict {
        (self.check)(results)
    }
}

/// The most results that a check remembers.
const REMEMBERED: usize = 3;

/// A check that looks at the same results once: native code and the treatments may round in different ways, but each of them does so in every round.
pub(super) fn once(check: impl Fn(&[Vec<u8>]) -> Verdict + Send + Sync + 'static) -> Check {
    let seen: Mutex<Vec<(Vec<Vec<u8>>, Verdict)>> = Mutex::new(Vec::new());
    Arc::new(move |results| {
        let Ok(mut seen) = seen.lock() else { return check(results) };
        if let Some((_, verdict)) = seen.iter().find(|(before, _)| before == results) {
            return verdict.clone();
        }
        let verdict = check(results);
        if seen.len() < REMEMBERED {
            seen.push((results.to_vec(), verdict.clone()));
        }
        verdict
    })
}

impl Runs for Launches {
    fn run(&self, device: &mut dyn Device, ptx: &str) -> Result<Verdict, Error> {
        Ok(self.results(device, ptx)?.map_or_else(|unfinished| unfinished, |results| (self.check)(&results)))
    }
}

impl Launches {
    /// Runs it and returns the results, or what is to say of a launch that did not finish.
    ///
    /// # Errors
    /// The device's error for the code or a launch.
    pub(super) fn results(&self, device: &mut dyn Device, ptx: &str) -> Result<Result<Vec<Vec<u8>>, Verdict>, Error> {
        let upload = |(label, bytes): &(&'static str, Vec<u8>)| upload(device, label, bytes);
        let buffers = self.buffers.iter().map(upload).collect::<Result<Vec<_>, _>>()?;
        let mut kernels: Vec<(&str, KernelHandle)> = Vec::new();
        for launch in &self.launches {
            let known = kernels.iter().find(|(name, _)| *name == launch.kernel).map(|(_, kernel)| *kernel);
            let kernel = match known {
                Some(kernel) => kernel,
                None => device.load(ptx, launch.kernel)?,
            };
            kernels.push((launch.kernel, kernel));
            let argument = |parameter: &Parameter| match parameter {
                Parameter::Buffer(index) => Argument::Buffer(buffers[*index]),
                Parameter::Number(number) => number.clone(),
            };
            let arguments: Vec<Argument> = launch.parameters.iter().map(argument).collect();
            let run = device.launch(kernel, &launch.config, &arguments)?;
            if let Some(verdict) = Verdict::unfinished(&run) {
                return Ok(Err(verdict));
            }
        }
        let result = |&index: &usize| {
            let mut bytes = vec![0; self.buffers[index].1.len()];
            device.download(buffers[index], 0, &mut bytes).map(|()| bytes)
        };
        Ok(Ok(self.results.iter().map(result).collect::<Result<_, _>>()?))
    }
}
