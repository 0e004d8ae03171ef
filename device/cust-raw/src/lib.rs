//! The CUDA driver's functions and types for [`cust`](https://docs.rs/cust/0.3), bound at run time.
//!
//! The published `cust_raw` links against `libcuda`, so that nothing that depends on `cust` builds or starts on a machine
//! without a driver. This crate stands in its place and has the same names, from the bindings of `cudarc`:
//!
//! ```text
//!  device ──> cust ──> cust_raw (here) ──> cudarc::driver::sys ··· dlopen("libcuda.so.1") at the first call ···> driver
//! ```
//!
//! A call without a driver panics. Ask [`is_culib_present`] before the first one; each function is then looked up in the library
//! when it is called for the first time, so that a driver need not have those that nobody calls.

pub use cudarc::driver::sys::*;
