//! A device that runs nothing: memory to copy to and from, and launches that end at once. It shows what the host's part of a measurement takes.

use ptx_parser::Module;

use crate::{Argument, Buffer, Counts, Device, Error, KernelHandle, LaunchConfig, OutcomeKind, RunReport};

/// Memory and nothing else.
#[derive(Debug, Default)]
pub struct Idle {
    kernels: Vec<String>,
    buffers: Vec<Option<Allocated>>,
    /// Memory that was freed. To allocate on a GPU takes none of the host's pages, so that the same ones are taken again.
    unused: Vec<Vec<u8>>,
}

#[derive(Debug)]
struct Allocated {
    label: String,
    bytes: Vec<u8>,
}

impl Idle {
    fn allocated(&self, buffer: Buffer) -> Result<&Allocated, Error> {
        self.buffers.get(buffer.0).and_then(Option::as_ref).ok_or(Error::UnknownBuffer)
    }

    /// The place of an access to a buffer that lies within it.
    fn range(&self, buffer: Buffer, offset: u64, bytes: usize) -> Result<std::ops::Range<usize>, Error> {
        let allocated = self.allocated(buffer)?;
        let size = allocated.bytes.len();
        let start = usize::try_from(offset).ok();
        let range = start.and_then(|start| Some(start..start.checked_add(bytes)?)).filter(|range| range.end <= size);
        range.ok_or_else(|| {
            let label = allocated.label.clone();
            Error::Range { label, size: size as u64, offset, bytes: bytes as u64 }
        })
    }
}

impl Device for Idle {
    fn name(&self) -> String {
        "idle".into()
    }

    fn load(&mut self, ptx: &str, kernel: &str) -> Result<KernelHandle, Error> {
        crate::find(&Module::parse(ptx)?, kernel)?;
        self.kernels.push(kernel.to_owned());
        Ok(KernelHandle(self.kernels.len() - 1))
    }

    fn alloc(&mut self, bytes: u64, label: &str) -> Result<Buffer, Error> {
        let buffer = self.reserve(bytes, label)?;
        if let Some(Some(allocated)) = self.buffers.get_mut(buffer.0) {
            allocated.bytes.fill(0);
        }
        Ok(buffer)
    }

    fn reserve(&mut self, bytes: u64, label: &str) -> Result<Buffer, Error> {
        let label = label.to_owned();
        let size = usize::try_from(bytes).map_err(|_| Error::OutOfMemory { label: label.clone(), bytes })?;
        let known = self.unused.iter().position(|unused| unused.len() == size);
        let memory = match known {
            Some(index) => self.unused.swap_remove(index),
            None => {
                let mut memory = Vec::new();
                if memory.try_reserve_exact(size).is_err() {
                    return Err(Error::OutOfMemory { label, bytes });
                }
                memory.resize(size, 0);
                memory
            }
        };
        self.buffers.push(Some(Allocated { label, bytes: memory }));
        Ok(Buffer(self.buffers.len() - 1))
    }

    fn upload(&mut self, buffer: Buffer, offset: u64, data: &[u8]) -> Result<(), Error> {
        let range = self.range(buffer, offset, data.len())?;
        let allocated = self.buffers.get_mut(buffer.0).and_then(Option::as_mut);
        if let Some(place) = allocated.and_then(|allocated| allocated.bytes.get_mut(range)) {
            place.copy_from_slice(data);
        }
        Ok(())
    }

    fn download(&self, buffer: Buffer, offset: u64, data: &mut [u8]) -> Result<(), Error> {
        let range = self.range(buffer, offset, data.len())?;
        if let Some(bytes) = self.allocated(buffer)?.bytes.get(range) {
            data.copy_from_slice(bytes);
        }
        Ok(())
    }

    fn free(&mut self, buffer: Buffer) -> Result<(), Error> {
        let freed = self.buffers.get_mut(buffer.0).and_then(Option::take).ok_or(Error::UnknownBuffer)?;
        self.unused.push(freed.bytes);
        Ok(())
    }

    fn launch(&mut self, kernel: KernelHandle, _: &LaunchConfig, _: &[Argument]) -> Result<RunReport, Error> {
        let kernel = self.kernels.get(kernel.0).ok_or(Error::UnknownKernel)?;
        Ok(RunReport {
            kernel: kernel.clone(),
            machine: None,
            outcome: OutcomeKind::Finished,
            line: None,
            message: None,
            time: None,
            counts: Counts::default(),
            detail: None,
            printed: None,
            scheduling: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_and_no_kernel_runs() {
        let mut device = Idle::default();
        let ptx = ".version 7.0\n.target sm_70\n.address_size 64\n.entry trap() { trap; }\n";
        let kernel = device.load(ptx, "trap").unwrap();
        assert!(matches!(device.load(ptx, "other"), Err(Error::NoKernel { .. })));
        let buffer = device.alloc(4, "four").unwrap();
        device.upload(buffer, 1, &[7, 8]).unwrap();
        let run = device.launch(kernel, &LaunchConfig::linear(1, 1), &[]).unwrap();
        assert_eq!((run.outcome, run.time), (OutcomeKind::Finished, None));
        let mut bytes = [1; 4];
        device.download(buffer, 0, &mut bytes).unwrap();
        assert_eq!(bytes, [0, 7, 8, 0]);
        let beyond = device.upload(buffer, 3, &[1, 2]).unwrap_err().to_string();
        assert!(beyond.contains("bytes 3 to 5 are not within the 4 bytes of buffer `four`"), "{beyond}");
        device.free(buffer).unwrap();
        let again = device.alloc(4, "four").unwrap();
        device.download(again, 0, &mut bytes).unwrap();
        assert_eq!(bytes, [0; 4], "memory that is used again is zeroed");
        assert!(device.free(buffer).is_err() && device.download(buffer, 0, &mut bytes).is_err());
    }
}
