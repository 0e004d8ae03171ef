//! The driver's error codes in words, each with what to do.
//!
//! The words are here because those of `cust` are asked of the driver, and asking panics where there is none. The meanings are those
//! of `CUresult` in the CUDA driver API's reference, up to CUDA 13.1.

use std::fmt;

use cust::error::CudaError;
use cust::sys::last_error;

/// An error code of the CUDA driver (`CUresult`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CudaCode(pub u32);

impl CudaCode {
    pub(super) const INVALID_VALUE: CudaCode = CudaCode(1);
    pub(super) const OUT_OF_MEMORY: CudaCode = CudaCode(2);
    pub(super) const UNSUPPORTED_PTX_VERSION: CudaCode = CudaCode(222);
    /// The code by which `cust` reports a size of zero, or one that no address can have.
    pub(super) const INVALID_ALLOCATION: CudaCode = CudaCode(CudaError::InvalidMemoryAllocation as u32);

    /// Returns whether a kernel that ran made the error. Nothing in the process can use the GPU after it.
    pub(super) fn is_fault(self) -> bool {
        matches!(self.0, 214 | 220 | 226 | 700 | 702 | 710 | 714..=719 | 721)
    }

    /// Returns whether the error, which ended the wait for a kernel, counts as the kernel's: a fault, or a code of unknown meaning.
    pub(super) fn ends_a_kernel(self) -> bool {
        self.is_fault() || self.0 == 999 || self.name().is_none()
    }

    /// Describes what happened.
    #[must_use]
    pub fn what(self) -> &'static str {
        self.name().unwrap_or("an error that this program has no name for")
    }

    fn name(self) -> Option<&'static str> {
        Some(match self.0 {
            1 => "a value that the driver does not take",
            2 => "the GPU has no memory left",
            3 | 4 => "the driver is not initialised, or was shut down",
            34 => "the library that was found is the CUDA toolkit's stub, not a driver",
            36 => "the driver is too old for the call",
            46 => "the GPU is busy or was taken away",
            100 => "the driver finds no GPU",
            101 => "there is no such GPU",
            102 => "the GPU has no licence for computing",
            200 => "the code is neither PTX nor a cubin",
            201 | 709 => "the GPU's context is gone",
            209 => "the code has nothing that runs on this GPU",
            214 => "an error in the GPU's memory that could not be corrected",
            216 | 708 => "the GPU's context is in use already",
            218 => "the PTX does not compile",
            220 => "an error in the link between GPUs that could not be corrected",
            221 => "the driver's PTX compiler is not installed",
            222 => "the PTX is of a newer version than the driver reads",
            223 => "the driver's PTX compiler is switched off",
            224 => "the GPU cannot keep the context to a part of its multiprocessors",
            225 => "the code waits on the GPU for kernels that it launches, which this GPU does not support",
            226 => "an exception in the kernel, which the driver contained",
            300 | 301 => "the driver cannot read the code",
            302 | 303 => "a library that the driver needs cannot be loaded",
            304 => "the operating system refused the driver something",
            400 => "a handle of something that is not there",
            401 => "the driver is not in a state for the call",
            402 => "an answer that would lose information",
            500 => "a name that is not there",
            600 => "the work is not done yet",
            700 => "an access to an illegal address",
            701 => "the launch takes more registers or shared memory than there are",
            702 => "the launch took longer than the system allows",
            703 => "the kernel uses textures in a way that the launch does not support",
            710 => "an assertion in the kernel failed",
            714 => "an error in the stack of a thread",
            715 => "an illegal instruction or a trap",
            716 => "an access to an address that is not a multiple of its size",
            717 => "an access to an address in the wrong state space",
            718 => "a jump to where there is no code",
            719 => "an exception in the kernel, often a wrong address or a trap",
            720 => "the grid of a cooperative launch does not fit the GPU at once",
            721 => "the kernel ended without freeing its tensor memory",
            800 => "the driver does not permit it",
            801 => "the GPU or its driver does not support it",
            802 => "the system is not ready for the GPU",
            803 => "the driver's library and the driver in the kernel are of different versions",
            804 => "the compatibility package of CUDA does not support this GPU",
            805 => "no connection to the MPS control daemon or server",
            806 => "a call to the MPS server failed",
            807 => "the MPS server is not ready",
            808 => "the MPS server has as many clients as it can have",
            809 => "the GPU has as many MPS connections as it can have",
            810 => "the MPS server ended this process's connection",
            811 => "the kernel launches kernels, which is not supported here",
            812 => "the kernel launches kernels by another version of CUDA's device runtime",
            900..=908 => "the call is not possible while a stream is captured into a graph",
            909 => "a wait that took longer than it may",
            910 => "the graph cannot be updated",
            911 => "an error in a device other than the GPU",
            912 => "the launch has clusters of a size that the GPU does not support",
            913 => "the kernel is not loaded",
            914 => "a resource of a kind that the call does not take",
            915 => "resources that the call does not take together",
            916 => "the GPU changes its encryption keys",
            917 => "the stream is detached from its context",
            999 => "an error that the driver has no name for",
            _ => return None,
        })
    }

    /// Tells what to do about it.
    #[must_use]
    pub fn remedy(self) -> &'static str {
        match self.0 {
            2 => "use smaller buffers, or free some first",
            34 => "take the toolkit's `stubs` folder out of the library path",
            36 => "update the driver",
            46 => "see with `nvidia-smi` who uses it",
            100 => "see with `nvidia-smi` whether there is one; `CUDA_VISIBLE_DEVICES` may hide it",
            200 => "give PTX text, or a cubin that ptxas wrote",
            209 => "compile for the architecture of this GPU: `--arch`",
            214 | 220 | 802 => "see with `nvidia-smi` what is wrong; the system may need a restart",
            218 => "correct what its compiler names; `pxrw check` explains more",
            221 => "install the whole driver, with its `libnvidia-ptxjitcompiler`",
            222 => "update the driver, or compile with an older CUDA toolkit",
            223 => "unset `CUDA_DISABLE_PTX_JIT` and `CUDA_DISABLE_JIT`",
            225 | 811 | 812 => "use a kernel that launches no kernels",
            226 | 700 | 714 | 716..=719 => "run it with `--device emulator`, which names the line and the access",
            701 => "use smaller blocks, or bound the registers with `.maxnreg`",
            702 => "use a smaller input; where a display is on the GPU, the system ends launches after some seconds",
            710 => "look at the message that the assertion printed",
            715 => "run it with `--device emulator`, which names the line of a trap",
            720 => "use a smaller grid",
            721 => "free the tensor memory with `tcgen05.dealloc` on every path",
            803 => "restart the system after an update of the driver",
            804 => "take the compatibility package out of the library path, or update the driver",
            805..=810 => "see whether the MPS control daemon runs: `nvidia-cuda-mps-control`",
            912 => "use smaller clusters",
            _ => "look the code up under `CUresult` in the reference of the CUDA driver API",
        }
    }
}

impl fmt::Display for CudaCode {
    /// `an access to an illegal address (CUDA error 700)`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (CUDA error {})", self.what(), self.0)
    }
}

impl From<CudaError> for CudaCode {
    /// Converts the error of the driver call that this thread made last: `cust` does not know every number.
    fn from(error: CudaError) -> CudaCode {
        match error {
            CudaError::UnknownError => CudaCode(last_error()),
            error => CudaCode(error as u32),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_words_without_a_driver() {
        let code = CudaCode::from(CudaError::IllegalAddress);
        assert_eq!(code.to_string(), "an access to an illegal address (CUDA error 700)");
        assert_eq!(CudaCode(222).to_string(), "the PTX is of a newer version than the driver reads (CUDA error 222)");
        assert_eq!(CudaCode(735).to_string(), "an error that this program has no name for (CUDA error 735)");
        for number in 0..1000 {
            let code = CudaCode(number);
            assert!(!code.what().is_empty() && !code.remedy().is_empty(), "{number}");
        }
    }

    #[test]
    fn faults_are_what_kernels_make() {
        let faults: Vec<u32> = (0..1000).filter(|&number| CudaCode(number).is_fault()).collect();
        assert_eq!(faults, [214, 220, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721]);
        for (code, ends) in [(700, true), (735, true), (999, true), (2, false), (701, false), (720, false)] {
            assert_eq!(CudaCode(code).ends_a_kernel(), ends, "{code}");
        }
    }
}
