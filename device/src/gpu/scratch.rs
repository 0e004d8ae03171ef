//! A buffer that is overwritten before each timed launch; `launch.rs` says why.

use std::cell::Cell;

use cust::memory::DeviceBuffer;
use cust::stream::Stream;

use super::{CudaCode, memory};
use crate::Error;

/// Memory of the GPU that no kernel uses.
pub(super) struct Scratch {
    memory: DeviceBuffer<u8>,
    /// The byte that the next overwrite writes.
    value: Cell<u8>,
}

impl Scratch {
    /// Allocates so many bytes in the current context, or nothing for none. They are filled once, so that the driver's code for it is loaded.
    pub(super) fn allocate(bytes: u64) -> Result<Option<Scratch>, Error> {
        if bytes == 0 {
            return Ok(None);
        }
        Ok(Some(Scratch { memory: memory(bytes, "scratch", true)?, value: Cell::new(0) }))
    }

    /// Queues a memset of all bytes, to another value than the last one, so that each memset does change the memory.
    pub(super) fn overwrite(&self, stream: &Stream) -> Result<(), CudaCode> {
        let value = self.value.replace(!self.value.get());
        let mut all = self.memory.index(..);
        // SAFETY: nobody else reads or writes these bytes. They are given back after the stream's work, or not at all.
        Ok(unsafe { all.set_8_async(value, stream) }?)
    }
}
