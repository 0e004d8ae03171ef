//! A device that is lent for one run: what the run allocates is given back after it, and its launches are timed.

use std::time::Instant;

use device::{Argument, Buffer, Device, Error, KernelHandle, LaunchConfig, OutcomeKind, RunReport};

/// A device, with what was allocated on it since.
pub(crate) struct ScopedDevice<'d> {
    device: &'d mut dyn Device,
    buffers: Vec<Buffer>,
    /// The reason why a launch did not finish. A GPU then answers nothing any more.
    pub(crate) unfinished: Option<String>,
    /// The time of all launches, by the device's clock where it has one and by the host's otherwise.
    pub(crate) seconds: f64,
    /// The number of launches.
    pub(crate) launches: u32,
}

impl<'d> ScopedDevice<'d> {
    /// Lends a device.
    pub(crate) fn new(device: &'d mut dyn Device) -> ScopedDevice<'d> {
        ScopedDevice { device, buffers: Vec::new(), unfinished: None, seconds: 0.0, launches: 0 }
    }

    /// Frees what is still allocated. After a launch that did not finish the device may refuse, and all memory goes with the process.
    ///
    /// # Errors
    /// The device's error.
    pub(crate) fn give_back(self) -> Result<(), Error> {
        for buffer in self.buffers {
            let freed = self.device.free(buffer);
            if self.unfinished.is_none() {
                freed?;
            }
        }
        Ok(())
    }
}

impl Device for ScopedDevice<'_> {
    fn name(&self) -> String {
        self.device.name()
    }

    fn load(&mut self, ptx: &str, kernel: &str) -> Result<KernelHandle, Error> {
        self.device.load(ptx, kernel)
    }

    fn alloc(&mut self, bytes: u64, label: &str) -> Result<Buffer, Error> {
        let buffer = self.device.alloc(bytes, label)?;
        self.buffers.push(buffer);
        Ok(buffer)
    }

    fn reserve(&mut self, bytes: u64, label: &str) -> Result<Buffer, Error> {
        let buffer = self.device.reserve(bytes, label)?;
        self.buffers.push(buffer);
        Ok(buffer)
    }

    fn upload(&mut self, buffer: Buffer, offset: u64, data: &[u8]) -> Result<(), Error> {
        self.device.upload(buffer, offset, data)
    }

    fn download(&self, buffer: Buffer, offset: u64, data: &mut [u8]) -> Result<(), Error> {
        self.device.download(buffer, offset, data)
    }

    fn free(&mut self, buffer: Buffer) -> Result<(), Error> {
        self.buffers.retain(|&other| other != buffer);
        self.device.free(buffer)
    }

    fn launch(
        &mut self,
        kernel: KernelHandle,
        config: &LaunchConfig,
        arguments: &[Argument],
    ) -> Result<RunReport, Error> {
        let start = Instant::now();
        let run = self.device.launch(kernel, config, arguments)?;
        self.launches += 1;
        self.seconds += run.time.unwrap_or_else(|| start.elapsed().as_secs_f64());
        if run.outcome != OutcomeKind::Finished {
            let what = || format!("the launch ended as {}", run.outcome);
            self.unfinished = Some(run.message.clone().unwrap_or_else(what));
        }
        Ok(run)
    }
}
