//! The driver's data on a GPU and on a kernel.

use std::fmt;

use cust::CudaApiVersion;
use cust::device::{Device, DeviceAttribute};
use cust::function::{Function, FunctionAttribute};
use serde::Serialize;

use super::driver;
use super::error_code::CudaCode;

/// A setting of a GPU, made by its administrator, that keeps processes off it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComputeMode {
    /// One process at a time may use the GPU.
    Exclusive,
    /// No process may use the GPU.
    Prohibited,
}

impl ComputeMode {
    /// Asks the driver; `None` for the default mode, and for one that is not known.
    pub(super) fn of(device: Device) -> Option<ComputeMode> {
        match device.get_attribute(DeviceAttribute::ComputeMode) {
            Ok(2) => Some(ComputeMode::Prohibited),
            Ok(3) => Some(ComputeMode::Exclusive),
            _ => None,
        }
    }
}

impl fmt::Display for ComputeMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ComputeMode::Exclusive => {
                "the GPU is in exclusive-process mode and another process uses it; end that process, or have its administrator set \
                 the default mode"
            }
            ComputeMode::Prohibited => {
                "the GPU is in prohibited mode: no process may use it; have its administrator set the default mode"
            }
        })
    }
}

/// A GPU, and what it can hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GpuProperties {
    /// The driver's name for it: `NVIDIA H200`.
    pub name: String,
    /// Its number among the GPUs that the driver shows, counted from 0.
    pub ordinal: u32,
    /// Major and minor: `(9, 0)`.
    pub compute_capability: (u32, u32),
    /// Streaming multiprocessors.
    pub multiprocessors: u32,
    /// Bytes of the L2 cache.
    pub l2_bytes: u64,
    /// Bytes of memory, all of it, whoever uses it.
    pub memory_bytes: u64,
    /// The highest clock of the multiprocessors, in Hz. What it ran at during a launch, nothing here says.
    pub clock_hz: u64,
    /// The newest CUDA version that the driver supports, major and minor: `(13, 0)`.
    pub driver_version: (u32, u32),
    /// The most threads that are resident on a multiprocessor.
    pub threads_per_multiprocessor: u32,
    /// The most threads of a block.
    pub threads_per_block: u32,
    /// The most threads of a block in x, y and z.
    pub block: [u32; 3],
    /// The most blocks of a grid in x, y and z.
    pub grid: [u32; 3],
    /// The most bytes of shared memory that every kernel may have per block.
    pub shared_bytes_per_block: u32,
    /// The most bytes of shared memory per block of a kernel that asks for it.
    pub most_shared_bytes_per_block: u32,
}

impl GpuProperties {
    /// Asks the driver.
    pub(super) fn of(device: Device, ordinal: u32) -> Result<GpuProperties, CudaCode> {
        use DeviceAttribute as A;
        let get = |attribute| Ok::<u32, CudaCode>(device.get_attribute(attribute)?.max(0).cast_unsigned());
        // The driver says it in kHz.
        let clock_hz = u64::from(get(A::ClockRate)?) * 1000;
        let version = CudaApiVersion::get()?;
        Ok(GpuProperties {
            name: device.name()?,
            ordinal,
            compute_capability: (get(A::ComputeCapabilityMajor)?, get(A::ComputeCapabilityMinor)?),
            multiprocessors: get(A::MultiprocessorCount)?,
            l2_bytes: get(A::L2CacheSize)?.into(),
            memory_bytes: device.total_memory()? as u64,
            clock_hz,
            driver_version: (version.major().max(0).cast_unsigned(), version.minor().max(0).cast_unsigned()),
            threads_per_multiprocessor: get(A::MaxThreadsPerMultiprocessor)?,
            threads_per_block: get(A::MaxThreadsPerBlock)?,
            block: [get(A::MaxBlockDimX)?, get(A::MaxBlockDimY)?, get(A::MaxBlockDimZ)?],
            grid: [get(A::MaxGridDimX)?, get(A::MaxGridDimY)?, get(A::MaxGridDimZ)?],
            shared_bytes_per_block: get(A::MaxSharedMemoryPerBlock)?,
            most_shared_bytes_per_block: driver::most_shared_bytes(device.as_raw())?,
        })
    }

    /// The architecture as `--arch` and `.target` name it: `sm_90`.
    #[must_use]
    pub fn arch(&self) -> String {
        format!("sm_{}", self.arch_number())
    }

    /// 90 for `sm_90`.
    pub(super) fn arch_number(&self) -> u32 {
        let (major, minor) = self.compute_capability;
        major * 10 + minor
    }
}

/// The resources of a kernel, as the driver's compiler or ptxas compiled it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct KernelProperties {
    /// Registers per thread.
    pub registers: u32,
    /// Bytes of local memory per thread: arrays, and registers that were spilled.
    pub local_bytes: u32,
    /// Bytes of shared memory per block that the kernel declares.
    pub static_shared_bytes: u32,
    /// The most threads of a block that the kernel can be launched with.
    pub threads_per_block: u32,
}

impl KernelProperties {
    /// Asks the driver.
    pub(super) fn of(kernel: &Function<'_>) -> Result<KernelProperties, CudaCode> {
        let get = |attribute| Ok::<u32, CudaCode>(kernel.get_attribute(attribute)?.max(0).cast_unsigned());
        Ok(KernelProperties {
            registers: get(FunctionAttribute::NumRegisters)?,
            local_bytes: get(FunctionAttribute::LocalSizeBytes)?,
            static_shared_bytes: get(FunctionAttribute::SharedMemorySizeBytes)?,
            threads_per_block: get(FunctionAttribute::MaxThreadsPerBlock)?,
        })
    }
}

/// The number of blocks of a kernel that a multiprocessor holds at a time (`cuOccupancyMaxActiveBlocksPerMultiprocessor`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct KernelOccupancy {
    /// Resident blocks per multiprocessor.
    pub blocks: u32,
    /// Resident warps per multiprocessor.
    pub warps: u32,
    /// The most warps that a multiprocessor holds.
    pub most_warps: u32,
}

impl KernelOccupancy {
    /// Computes the occupancy from the resident blocks of a multiprocessor and the threads of a block.
    pub(super) fn of(blocks: u32, threads: u32, gpu: &GpuProperties) -> KernelOccupancy {
        KernelOccupancy {
            blocks,
            warps: blocks * threads.div_ceil(32),
            most_warps: gpu.threads_per_multiprocessor / 32,
        }
    }

    /// The share of the warps that a multiprocessor holds, from 0 to 1.
    #[must_use]
    pub fn share(&self) -> f64 {
        f64::from(self.warps) / f64::from(self.most_warps.max(1))
    }
}
