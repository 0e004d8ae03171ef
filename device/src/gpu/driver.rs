//! Calls to the driver that `cust` does not make, or of whose answers it tells too little.
//!
//! `cust` knows the error codes of CUDA 11.4, and several of those are one `UnknownError` to it. To start the driver and to load
//! code are the calls that newer codes come from; they are made here, with codes as plain numbers, and so are the few that `cust`
//! has no function for.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

use cust::function::Function;
use cust::sys;

use super::code::CudaCode;

/// All that is called of the driver, here and by `cust`, which panics where one is missing.
const FUNCTIONS: [&str; 31] = [
    "cuCtxSetCurrent",
    "cuDeviceGet",
    "cuDeviceGetAttribute",
    "cuDeviceGetCount",
    "cuDeviceGetName",
    "cuDevicePrimaryCtxRelease_v2",
    "cuDevicePrimaryCtxRetain",
    "cuDeviceTotalMem_v2",
    "cuDriverGetVersion",
    "cuEventCreate",
    "cuEventDestroy_v2",
    "cuEventElapsedTime",
    "cuEventQuery",
    "cuEventRecord",
    "cuEventSynchronize",
    "cuFuncGetAttribute",
    "cuFuncSetAttribute",
    "cuInit",
    "cuLaunchKernel",
    "cuMemAlloc_v2",
    "cuMemFree_v2",
    "cuMemcpyDtoH_v2",
    "cuMemcpyHtoD_v2",
    "cuMemsetD8_v2",
    "cuModuleGetFunction",
    "cuModuleLoadDataEx",
    "cuModuleUnload",
    "cuOccupancyMaxActiveBlocksPerMultiprocessor",
    "cuStreamCreateWithPriority",
    "cuStreamDestroy_v2",
    "cuStreamSynchronize",
];

/// `CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN`
const MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: c_int = 97;
/// `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`
const MAX_DYNAMIC_SHARED_SIZE_BYTES: c_int = 8;
/// `CU_JIT_ERROR_LOG_BUFFER`
const ERROR_LOG_BUFFER: c_uint = 5;
/// `CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES`
const ERROR_LOG_BUFFER_SIZE_BYTES: c_uint = 6;
/// Bytes for the log of the driver's compiler. What does not fit is cut off; the first errors are the ones that matter.
const LOG_BYTES: usize = 1 << 16;

type Init = unsafe extern "C" fn(c_uint) -> u32;
type DeviceGetAttribute = unsafe extern "C" fn(*mut c_int, c_int, sys::CUdevice) -> u32;
type FuncSetAttribute = unsafe extern "C" fn(sys::CUfunction, c_int, c_int) -> u32;
type ModuleUnload = unsafe extern "C" fn(sys::CUmodule) -> u32;
type ModuleLoadDataEx =
    unsafe extern "C" fn(*mut sys::CUmodule, *const c_void, c_uint, *mut c_uint, *mut *mut c_void) -> u32;

/// Whether the driver's library is on this machine. Without it every other call panics.
pub(super) fn is_present() -> bool {
    // SAFETY: the library is opened and closed; what it does then is what every program that uses CUDA has it do.
    unsafe { sys::is_culib_present() }
}

/// The first function that the driver does not have.
pub(super) fn missing() -> Option<&'static str> {
    // SAFETY: no function is called; where they are, is a pointer whatever their types.
    FUNCTIONS.into_iter().find(|name| unsafe { function::<*const c_void>(name) }.is_err())
}

/// A function of the driver.
///
/// # Safety
/// The function has the type `F`.
unsafe fn function<F: Copy>(name: &str) -> Result<F, CudaCode> {
    // SAFETY: the caller knows the type. The library is there: `is_present` was asked before the first call.
    let found = unsafe { sys::culib().get::<F>(name.as_bytes()) };
    found.map(|function| *function).map_err(|_| CudaCode::NOT_FOUND)
}

fn check(answer: u32) -> Result<(), CudaCode> {
    if answer == 0 { Ok(()) } else { Err(CudaCode(answer)) }
}

/// Starts the driver.
pub(super) fn init() -> Result<(), CudaCode> {
    // SAFETY: the type is that of the driver API's reference, and there are no flags.
    check(unsafe { function::<Init>("cuInit")?(0) })
}

/// The most bytes of shared memory that a block can have when its kernel asks for it.
pub(super) fn most_shared_bytes(device: sys::CUdevice) -> Result<u32, CudaCode> {
    let mut bytes = 0;
    // SAFETY: the type is that of the driver API's reference; `bytes` outlives the call.
    let get = unsafe { function::<DeviceGetAttribute>("cuDeviceGetAttribute") }?;
    check(unsafe { get(&mut bytes, MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device) })?;
    Ok(bytes.max(0).cast_unsigned())
}

/// Lets a kernel have so many bytes of dynamic shared memory, beyond the 48 KiB that every kernel may have.
pub(super) fn allow_dynamic_shared(kernel: &Function<'_>, bytes: u32) -> Result<(), CudaCode> {
    let bytes = c_int::try_from(bytes).map_err(|_| CudaCode::INVALID_VALUE)?;
    // SAFETY: the type is that of the driver API's reference; the function belongs to a module that is loaded.
    let set = unsafe { function::<FuncSetAttribute>("cuFuncSetAttribute") }?;
    check(unsafe { set(kernel.to_raw(), MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes) })
}

/// Has what kernels printed written out: the driver gives it to C's standard output, which keeps it back in a buffer of its own.
pub(super) fn flush_output() {
    unsafe extern "C" {
        fn fflush(stream: *mut c_void) -> c_int;
    }
    // SAFETY: this is the C library's function; null stands for all streams. Who cannot write to them hears of it elsewhere.
    let _ = unsafe { fflush(ptr::null_mut()) };
}

/// Loads code, only to hear why it is refused: the driver's code, and the log of its compiler. `None` if it is not refused.
///
/// `image` is PTX or a cubin with a NUL behind it.
pub(super) fn refusal(image: &[u8]) -> Option<(CudaCode, String)> {
    let mut log = vec![0_u8; LOG_BYTES];
    match load_with_log(image, &mut log) {
        Ok(()) => None,
        Err(code) => {
            let end = log.iter().position(|&byte| byte == 0).unwrap_or(log.len());
            Some((code, String::from_utf8_lossy(&log[..end]).into_owned()))
        }
    }
}

/// Loads and unloads code.
fn load_with_log(image: &[u8], log: &mut [u8]) -> Result<(), CudaCode> {
    let mut options = [ERROR_LOG_BUFFER, ERROR_LOG_BUFFER_SIZE_BYTES];
    // The size goes where others have a pointer: options that fit one are passed by value.
    let mut values = [log.as_mut_ptr().cast::<c_void>(), ptr::without_provenance_mut(log.len())];
    let mut module = ptr::null_mut();
    // SAFETY: the types are those of the driver API's reference.
    let (load, unload) =
        unsafe { (function::<ModuleLoadDataEx>("cuModuleLoadDataEx")?, function::<ModuleUnload>("cuModuleUnload")?) };
    // SAFETY: the image ends with a NUL, as the driver wants it; the log is as long as is said; both outlive the call.
    check(unsafe { load(&mut module, image.as_ptr().cast(), 2, options.as_mut_ptr(), values.as_mut_ptr()) })?;
    // SAFETY: the module was loaded a moment ago, and nothing refers to it.
    check(unsafe { unload(module) })
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
        assert_eq!(names, FUNCTIONS);
    }
}
