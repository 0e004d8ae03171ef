//! Calls to the driver for which `cust` has no function.

use std::ffi::{c_int, c_void};
use std::ptr;

use cust::function::Function;
use cust::stream::Stream;
use cust::sys::{self, CUdevice_attribute as Attribute, CUjit_option as JitOption};

use super::error_code::CudaCode;
use crate::LaunchConfig;

/// Bytes for the log of the driver's compiler. What does not fit is cut off; the first errors are the ones that matter.
const LOG_BYTES: usize = 1 << 16;

/// Returns whether the driver's library is on this machine. Without it every other call panics.
pub(super) fn is_present() -> bool {
    // SAFETY: the library is opened and closed; what it does then is what every program that uses CUDA has it do.
    unsafe { sys::is_culib_present() }
}

fn check(answer: sys::CUresult) -> Result<(), CudaCode> {
    if answer == sys::CUresult::CUDA_SUCCESS { Ok(()) } else { Err(CudaCode(sys::last_error())) }
}

/// Starts the driver.
pub(super) fn init() -> Result<(), CudaCode> {
    // SAFETY: there are no flags.
    check(unsafe { sys::cuInit(0) })
}

/// Returns the most bytes of shared memory that a block can have when its kernel asks for it.
pub(super) fn most_shared_bytes(device: sys::CUdevice) -> Result<u32, CudaCode> {
    let mut bytes = 0;
    let attribute = Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
    // SAFETY: `bytes` outlives the call.
    check(unsafe { sys::cuDeviceGetAttribute(&mut bytes, attribute, device) })?;
    Ok(bytes.max(0).cast_unsigned())
}

/// Lets a kernel have so many bytes of dynamic shared memory, beyond the 48 KiB that every kernel may have.
pub(super) fn allow_dynamic_shared(kernel: &Function<'_>, bytes: u32) -> Result<(), CudaCode> {
    let bytes = c_int::try_from(bytes).map_err(|_| CudaCode::INVALID_VALUE)?;
    let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    // SAFETY: the function belongs to a module that is loaded.
    check(unsafe { sys::cuFuncSetAttribute(kernel.to_raw(), attribute, bytes) })
}

/// Puts a launch into the stream of which all blocks are resident together.
///
/// # Safety
/// There is a value for each parameter of the kernel, of its size.
pub(super) unsafe fn launch_together(
    kernel: &Function<'_>,
    stream: &Stream,
    config: &LaunchConfig,
    parameters: &mut [*mut c_void],
) -> Result<(), CudaCode> {
    let ([gx, gy, gz], [bx, by, bz], shared) = (config.grid, config.block, config.dynamic_shared);
    let (kernel, stream, parameters) = (kernel.to_raw(), stream.as_inner(), parameters.as_mut_ptr());
    // SAFETY: the function belongs to a module that is loaded, and the stream is there; the rest is the caller's promise.
    check(unsafe { sys::cuLaunchCooperativeKernel(kernel, gx, gy, gz, bx, by, bz, shared, stream, parameters) })
}

/// Has what kernels printed written out: the driver gives it to C's standard output, which keeps it back in a buffer of its own.
pub(super) fn flush_output() {
    unsafe extern "C" {
        fn fflush(stream: *mut c_void) -> c_int;
    }
    // SAFETY: this is the C library's function; null stands for all streams. Who cannot write to them hears of it elsewhere.
    let _ = unsafe { fflush(ptr::null_mut()) };
}

/// Ends the process without the handlers that an orderly end runs: the driver's may wait for a launch that does not end. What was written to Rust's or C's
/// streams must be flushed before.
pub(super) fn exit_now(status: i32) -> ! {
    unsafe extern "C" {
        fn _exit(status: c_int) -> !;
    }
    // SAFETY: this is the C library's function, which only ends the process.
    unsafe { _exit(status) }
}

/// Loads code, only to hear why it is refused: the driver's code, and the log of its compiler. `None` if it is not refused.
///
/// `image` is PTX or a cubin with a NUL behind it.
pub(super) fn refusal(image: &[u8]) -> Option<(CudaCode, String)> {
    let mut log = vec![0_u8; LOG_BYTES];
    match load_with_log(image, &mut log) {
        Ok(()) => None,
        Err(code) => {
            let written = log.split(|&byte| byte == 0).next().unwrap_or_default();
            Some((code, String::from_utf8_lossy(written).into_owned()))
        }
    }
}

/// Loads and unloads code.
fn load_with_log(image: &[u8], log: &mut [u8]) -> Result<(), CudaCode> {
    let mut options = [JitOption::CU_JIT_ERROR_LOG_BUFFER, JitOption::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    // The size goes where others have a pointer: options that fit one are passed by value.
    let mut values = [log.as_mut_ptr().cast::<c_void>(), ptr::without_provenance_mut(log.len())];
    let mut module = ptr::null_mut();
    let image = image.as_ptr().cast();
    // SAFETY: the image ends with a NUL, as the driver wants it; the log is as long as is said; both outlive the call.
    check(unsafe { sys::cuModuleLoadDataEx(&mut module, image, 2, options.as_mut_ptr(), values.as_mut_ptr()) })?;
    // SAFETY: the module was loaded a moment ago, and nothing refers to it.
    check(unsafe { sys::cuModuleUnload(module) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fake driver has what is called and nothing else: what is called beyond that panics in the tests that run on it.
    #[test]
    fn the_functions_are_those_of_the_fake_driver() {
        let source = include_str!("../../tests/fake_driver/cuda.c");
        let definitions = source.lines().filter_map(|line| line.strip_prefix("CUresult cu"));
        let mut names: Vec<String> =
            definitions.filter_map(|line| Some(format!("cu{}", line.split_once('(')?.0))).collect();
        names.sort_unstable();
        assert_eq!(names, sys::FUNCTIONS);
    }
}
