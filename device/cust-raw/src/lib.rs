//! The CUDA driver's functions and types for [`cust`](https://docs.rs/cust/0.3), bound at run time.
//!
//! The published `cust_raw` links against `libcuda`, so that nothing that depends on `cust` builds or starts on a machine
//! without a driver. This crate stands in its place and has the same names, from the bindings of `cudarc`:
//!
//! ```text
//!  device ──> cust ──> cust_raw (here) ──> cudarc::driver::sys ··· dlopen("libcuda.so.1") at the first call ···> driver
//! ```
//!
//! A call without a driver panics. Ask [`is_culib_present`] before the first one, and [`missing_function`] after it: each function is
//! looked up in the library when it is called for the first time.
//!
//! The bindings declare the error codes as an enum of CUDA 11.4, and a newer driver returns codes that are not in it: for a Rust enum that
//! is undefined behaviour. So [`FUNCTIONS`] are declared here with codes as plain numbers, and take the places of those of the bindings, for
//! `cust` too. `cust` learns that a call succeeded, is not ready, or failed; [`last_error`] has the number. The other functions of the
//! bindings are not to be called.

use std::cell::Cell;
use std::ffi::{c_char, c_int, c_uchar, c_uint, c_void};
use std::sync::OnceLock;

pub use cudarc::driver::sys::*;

thread_local! {
    static LAST_ERROR: Cell<u32> = const { Cell::new(CUresult::CUDA_ERROR_UNKNOWN as u32) };
}

/// Returns the error code of the last call that failed on this thread.
#[must_use]
pub fn last_error() -> u32 {
    LAST_ERROR.get()
}

/// Remembers the code of an error and returns what the bindings can express of it.
fn declared(code: u32) -> CUresult {
    if code == CUresult::CUDA_SUCCESS as u32 {
        return CUresult::CUDA_SUCCESS;
    }
    LAST_ERROR.set(code);
    if code == CUresult::CUDA_ERROR_NOT_READY as u32 {
        return CUresult::CUDA_ERROR_NOT_READY;
    }
    CUresult::CUDA_ERROR_UNKNOWN
}

/// Finds a function of the driver.
///
/// # Safety
/// The function has the type `F`.
unsafe fn find<F: Copy>(name: &str) -> Option<F> {
    // SAFETY: the caller knows the type. The library was opened by whoever asked for it before the first call, or the call panics.
    unsafe { culib().get::<F>(name.as_bytes()) }.ok().map(|function| *function)
}

/// Returns the first of [`FUNCTIONS`] that the driver lacks.
///
/// # Panics
/// If there is no driver.
#[must_use]
pub fn missing_function() -> Option<&'static str> {
    // SAFETY: no function is called; the address of any function is a pointer.
    FUNCTIONS.into_iter().find(|name| unsafe { find::<*const c_void>(name) }.is_none())
}

macro_rules! functions {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {
        /// All driver functions that may be called, sorted by name. The others of the bindings have the enum's problem.
        pub const FUNCTIONS: [&str; [$(stringify!($name)),*].len()] = [$(stringify!($name)),*];

        $(
            #[doc = concat!("Calls `", stringify!($name), "` of the driver.")]
            ///
            /// # Safety
            /// The arguments are as the CUDA driver API's reference demands.
            ///
            /// # Panics
            /// If there is no driver, or if it lacks the function.
            #[allow(non_snake_case, clippy::panic, clippy::too_many_arguments)]
            pub unsafe fn $name($($argument: $type),*) -> CUresult {
                type Function = unsafe extern "C" fn($($type),*) -> u32;
                static FUNCTION: OnceLock<Function> = OnceLock::new();
                // SAFETY: the type is that of the bindings, but for the result: a `CUresult` of C is a number of 32 bits.
                let function = FUNCTION.get_or_init(|| match unsafe { find::<Function>(stringify!($name)) } {
                    Some(function) => function,
                    None => panic!(concat!("the CUDA driver has no function ", stringify!($name))),
                });
                // SAFETY: the caller's arguments are as the reference demands.
                declared(unsafe { function($($argument),*) })
            }
        )*
    };
}

functions! {
    cuCtxSetCurrent(context: CUcontext);
    cuDeviceGet(device: *mut CUdevice, ordinal: c_int);
    cuDeviceGetAttribute(value: *mut c_int, attribute: CUdevice_attribute, device: CUdevice);
    cuDeviceGetCount(count: *mut c_int);
    cuDeviceGetName(name: *mut c_char, length: c_int, device: CUdevice);
    cuDevicePrimaryCtxRelease_v2(device: CUdevice);
    cuDevicePrimaryCtxRetain(context: *mut CUcontext, device: CUdevice);
    cuDeviceTotalMem_v2(bytes: *mut usize, device: CUdevice);
    cuDriverGetVersion(version: *mut c_int);
    cuEventCreate(event: *mut CUevent, flags: c_uint);
    cuEventDestroy_v2(event: CUevent);
    cuEventElapsedTime(milliseconds: *mut f32, start: CUevent, end: CUevent);
    cuEventQuery(event: CUevent);
    cuEventRecord(event: CUevent, stream: CUstream);
    cuEventSynchronize(event: CUevent);
    cuFuncGetAttribute(value: *mut c_int, attribute: CUfunction_attribute, function: CUfunction);
    cuFuncSetAttribute(function: CUfunction, attribute: CUfunction_attribute, value: c_int);
    cuInit(flags: c_uint);
    cuLaunchCooperativeKernel(
        function: CUfunction, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint,
        block_z: c_uint, shared_bytes: c_uint, stream: CUstream, parameters: *mut *mut c_void
    );
    cuLaunchKernel(
        function: CUfunction, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint,
        block_z: c_uint, shared_bytes: c_uint, stream: CUstream, parameters: *mut *mut c_void, extra: *mut *mut c_void
    );
    cuMemAlloc_v2(address: *mut CUdeviceptr, bytes: usize);
    cuMemFree_v2(address: CUdeviceptr);
    cuMemcpyDtoH_v2(to: *mut c_void, from: CUdeviceptr, bytes: usize);
    cuMemcpyHtoD_v2(to: CUdeviceptr, from: *const c_void, bytes: usize);
    cuMemsetD8Async(address: CUdeviceptr, value: c_uchar, bytes: usize, stream: CUstream);
    cuMemsetD8_v2(address: CUdeviceptr, value: c_uchar, bytes: usize);
    cuModuleGetFunction(function: *mut CUfunction, module: CUmodule, name: *const c_char);
    cuModuleLoadDataEx(
        module: *mut CUmodule, image: *const c_void, option_count: c_uint, options: *mut CUjit_option,
        values: *mut *mut c_void
    );
    cuModuleUnload(module: CUmodule);
    cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: *mut c_int, function: CUfunction, threads: c_int, shared_bytes: usize
    );
    cuStreamCreateWithPriority(stream: *mut CUstream, flags: c_uint, priority: c_int);
    cuStreamDestroy_v2(stream: CUstream);
    cuStreamSynchronize(stream: CUstream);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_that_the_bindings_lack_keep_their_numbers() {
        assert_eq!(last_error(), 999);
        for (code, expected) in [
            (735, CUresult::CUDA_ERROR_UNKNOWN),
            (700, CUresult::CUDA_ERROR_UNKNOWN),
            (600, CUresult::CUDA_ERROR_NOT_READY),
        ] {
            assert_eq!((declared(code), last_error()), (expected, code));
        }
        assert_eq!((declared(0), last_error()), (CUresult::CUDA_SUCCESS, 600));
    }

    #[test]
    fn the_functions_are_sorted() {
        assert!(FUNCTIONS.is_sorted());
    }
}
