//! The driver's error codes in words, each with what to do.
//!
//! The words are here because those of `cust` are asked of the driver, and asking panics where there is none. The meanings are those
//! of `CUresult` in the CUDA driver API's reference.

use std::fmt;

use cust::error::CudaError;

/// An error code of the CUDA driver (`CUresult`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CudaCode(pub u32);

impl CudaCode {
    pub(super) const INVALID_VALUE: CudaCode = CudaCode(1);
    pub(super) const OUT_OF_MEMORY: CudaCode = CudaCode(2);
    pub(super) const NOT_FOUND: CudaCode = CudaCode(500);
    /// What `cust` calls a size of zero, or one that no address can have.
    pub(super) const INVALID_ALLOCATION: CudaCode = CudaCode(CudaError::InvalidMemoryAllocation as u32);

    /// A kernel that ran made it. Nothing in the process can use the GPU after it.
    pub(super) fn is_fault(self) -> bool {
        matches!(self.0, 214 | 220 | 700 | 702 | 710 | 714..=719)
    }

    /// What happened.
    #[must_use]
    pub fn what(self) -> &'static str {
        match self.0 {
            1 => "a value that the driver does not take",
            2 => "the GPU has no memory left",
            3 | 4 => "the driver is not initialised, or was shut down",
            34 => "the library that was found is the CUDA toolkit's stub, not a driver",
            46 => "the GPU is busy or was taken away",
            100 => "the driver finds no GPU",
            101 => "there is no such GPU",
            200 => "the code is neither PTX nor a cubin",
            201 | 709 => "the GPU's context is gone",
            209 => "the code has nothing that runs on this GPU",
            214 => "an error in the GPU's memory that could not be corrected",
            218 => "the PTX does not compile",
            220 => "an error in the link between GPUs that could not be corrected",
            221 => "the driver's PTX compiler is not installed",
            222 => "the PTX is of a newer version than the driver reads",
            300 | 301 => "the driver cannot read the code",
            400 => "a handle of something that is not there",
            500 => "a name that is not there",
            700 => "an access to an illegal address",
            701 => "the launch takes more registers or shared memory than there are",
            702 => "the launch took longer than the system allows",
            710 => "an assertion in the kernel failed",
            714 => "an error in the stack of a thread",
            715 => "an illegal instruction or a trap",
            716 => "an access to an address that is not a multiple of its size",
            717 => "an access to an address in the wrong state space",
            718 => "a jump to where there is no code",
            719 => "an exception in the kernel, often a wrong address or a trap",
            800 => "the driver does not permit it",
            801 => "the GPU or its driver does not support it",
            802 => "the system is not ready for the GPU",
            803 => "the driver's library and the driver in the kernel are of different versions",
            804 => "the driver is too old for this CUDA library",
            _ => "an error that the driver has no name for",
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn remedy(self) -> &'static str {
        match self.0 {
            2 => "use smaller buffers, or free some first",
            34 => "take the toolkit's `stubs` folder out of the library path",
            46 => "see with `nvidia-smi` who uses it",
            100 => "see with `nvidia-smi` whether there is one; `CUDA_VISIBLE_DEVICES` may hide it",
            200 => "give PTX text, or a cubin that ptxas wrote",
            209 => "compile for the architecture of this GPU: `--arch`",
            214 | 220 | 802 => "see with `nvidia-smi` what is wrong; the system may need a restart",
            218 => "correct what its compiler names; `pxrw check` explains more",
            221 => "install the whole driver, with its `libnvidia-ptxjitcompiler`",
            222 => "update the driver, or compile with an older CUDA toolkit",
            700 | 714 | 716..=719 => "run it with `--device emulator`, which names the line and the access",
            701 => "use smaller blocks, or bound the registers with `.maxnreg`",
            702 => "use a smaller input; where a display is on the GPU, the system ends launches after some seconds",
            710 => "look at the message that the assertion printed",
            715 => "run it with `--device emulator`, which names the line of a trap",
            803 => "restart the system after an update of the driver",
            804 => "update the driver",
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
    fn from(error: CudaError) -> CudaCode {
        CudaCode(error as u32)
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
        for number in 0..1000 {
            let code = CudaCode(number);
            assert!(!code.what().is_empty() && !code.remedy().is_empty(), "{number}");
        }
    }

    #[test]
    fn faults_are_what_kernels_make() {
        let faults: Vec<u32> = (0..1000).filter(|&number| CudaCode(number).is_fault()).collect();
        assert_eq!(faults, [214, 220, 700, 702, 710, 714, 715, 716, 717, 718, 719]);
    }
}
