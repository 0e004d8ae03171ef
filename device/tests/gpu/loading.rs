//! Code that the driver takes and code that it refuses.

use device::{CudaCode, Device, Error, PtxProblem};

use crate::fake_driver::in_child;
use crate::{KERNELS, assert_all_given_back, count, gpu};

#[test]
fn the_lines_of_refused_ptx_survive() {
    let log = in_child(&[], || {
        let mut device = gpu();
        let text = format!("{KERNELS}\n// driver_does_not_know\n");
        let error = device.load(&text, "fill").unwrap_err();
        assert_eq!(
            error.to_string(),
            "the GPU's driver does not load the code: the PTX does not compile (CUDA error 218); PTX line 12: Unknown symbol \
             'driver_does_not_know'; correct what its compiler names; `pxrw check` explains more"
        );
        let Error::Refused { problems, code, .. } = error else { panic!("another error") };
        let message = "Unknown symbol 'driver_does_not_know'".to_owned();
        assert_eq!((problems, code), (vec![PtxProblem { line: Some(12), message }], CudaCode(218)));

        let error = device.load(&KERNELS.replace("sm_90", "sm_100"), "fill").unwrap_err().to_string();
        assert!(error.ends_with("it is for sm_100, and this GPU is sm_90: compile it with `--arch sm_90`"), "{error}");
        let error = device.load(&KERNELS.replace("9.0", "9.9"), "fill").unwrap_err().to_string();
        assert!(error.contains("newer version than the driver reads (CUDA error 222); update the driver"), "{error}");
        let error = device.load(KERNELS, "fil").unwrap_err().to_string();
        assert!(error.starts_with("there is no kernel `fil` in the PTX; it has `fill`"), "{error}");
        assert!(device.load("no PTX", "fill").is_err());
    });
    if let Some(log) = log {
        assert_eq!((count(&log, "load module with a log"), count(&log, "load module")), (3, 6), "{log}");
    }
}

#[test]
fn kernels_of_one_text_share_a_module() {
    let log = in_child(&[], || {
        let mut device = gpu();
        device.load(KERNELS, "fill").unwrap();
        device.load(KERNELS, "crash").unwrap();
        let cubin = b"\x7fELF .entry fill .entry hang";
        device.load_cubin(cubin, KERNELS, "fill").unwrap();
        let error = device.load_cubin(cubin, KERNELS, "crash").unwrap_err().to_string();
        assert!(error.contains("cannot find the kernel in the code: a name that is not there"), "{error}");
    });
    if let Some(log) = log {
        assert_eq!((count(&log, "load module"), count(&log, "unload module")), (2, 2), "{log}");
        assert_all_given_back(&log);
    }
}

#[test]
fn what_is_no_longer_refused_when_it_is_asked_why_is_given_back() {
    let log = in_child(&[], || {
        let mut device = gpu();
        let error = device.load(&format!("{KERNELS}\n// no_memory_at_first\n"), "fill").unwrap_err().to_string();
        assert!(error.contains("the GPU has no memory left (CUDA error 2); use smaller buffers"), "{error}");
    });
    if let Some(log) = log {
        assert_eq!((count(&log, "load module"), count(&log, "unload module")), (2, 1), "{log}");
        assert_all_given_back(&log);
    }
}
