//! Data races of rewritten programs that the originals have not.
//!
//! Some of the programs have races by design: threads store the level of a node that others read, and those that read it early store the same. Which of these
//! accesses meet depends on the order of threads. So a race is new if a write of it is in no race of the original, by opcode and line of the source.

use std::collections::BTreeSet;

use device::{
    Argument, Buffer, Checks, Device, Emulated, EmulatorOptions, Error as DeviceError, KernelHandle, LaunchConfig,
    RunReport,
};

use super::suite::{Built, Input};
use crate::workload::Size;
use crate::{Error, Variant};

/// A write: its opcode and line.
type Write = (String, u32);

impl Built {
    /// Runs all variants with an input of this size and returns the races that rewritten kernels have and the original has not, as text. Launches of a
    /// program that takes several are all looked at.
    ///
    /// # Errors
    /// A size that the program or the device cannot have.
    pub fn new_races(&self, size: Size, grid: Option<u32>) -> Result<Vec<String>, Error> {
        let input = Input::new(self.program, size, self.block, grid, &self.arch)?;
        let races = |variant: &Variant| {
            let checks = Checks { races: true, ..Checks::default() };
            let inner = Emulated::new(EmulatorOptions { checks, ..EmulatorOptions::default() });
            let mut device = Watched { inner, races: Vec::new() };
            input.instance.work.run(&mut device, variant, &input.config)?;
            Ok::<_, Error>(device.races)
        };
        let known: BTreeSet<Write> =
            races(&self.variants.original)?.into_iter().flat_map(|(writes, _)| writes).collect();
        let mut found = Vec::new();
        for rewritten in &self.variants.rewritten {
            let is_new = |(writes, _): &(Vec<Write>, String)| !writes.iter().all(|write| known.contains(write));
            let fresh = races(&rewritten.variant)?.into_iter().filter(is_new);
            found.extend(fresh.map(|(_, text)| format!("{}: {text}", rewritten.variant.name)));
        }
        Ok(found)
    }
}

/// An emulator that remembers the races of all launches.
struct Watched {
    inner: Emulated,
    races: Vec<(Vec<Write>, String)>,
}

impl Device for Watched {
    fn name(&self) -> String {
        self.inner.name()
    }

    fn load(&mut self, ptx: &str, kernel: &str) -> Result<KernelHandle, DeviceError> {
        self.inner.load(ptx, kernel)
    }

    fn alloc(&mut self, bytes: u64, label: &str) -> Result<Buffer, DeviceError> {
        self.inner.alloc(bytes, label)
    }

    fn upload(&mut self, buffer: Buffer, offset: u64, data: &[u8]) -> Result<(), DeviceError> {
        self.inner.upload(buffer, offset, data)
    }

    fn download(&self, buffer: Buffer, offset: u64, data: &mut [u8]) -> Result<(), DeviceError> {
        self.inner.download(buffer, offset, data)
    }

    fn free(&mut self, buffer: Buffer) -> Result<(), DeviceError> {
        self.inner.free(buffer)
    }

    fn launch(
        &mut self,
        kernel: KernelHandle,
        config: &LaunchConfig,
        arguments: &[Argument],
    ) -> Result<RunReport, DeviceError> {
        let report = self.inner.launch(kernel, config, arguments)?;
        let races = report.detail.iter().filter_map(|detail| detail.findings.races.as_ref()).flatten();
        for race in races {
            let writes = [&race.first, &race.second].into_iter().filter(|accessor| accessor.writes);
            let writes = writes.map(|accessor| (accessor.opcode.clone(), accessor.site.line)).collect();
            self.races.push((writes, race.to_string()));
        }
        Ok(report)
    }
}
