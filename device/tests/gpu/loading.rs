//! Code that the driver takes and code that it refuses.

use device::{CudaCode, Device, Error, LaunchConfig, PtxProblem};

use crate::fake_driver::in_child;
use crate::{KERNELS, assert_all_given_back, count, gpu, words};

#[test]
fn the_lines_of_refused_ptx_survive() {
    let log = in_child(&[], || {
        let mut device = gpu();
        let text = format!("{KERNELS}\n// driver_does_not_know\n");
        let error = device.load(&text, "fill").unwrap_err();
        assert_eq!(
            error.to_string(),
            "the GPU's driver does not load the code: the PTX does not compile (CUDA error 218); PTX line 13: Unknown symbol \
             'driver_does_not_know'; correct what its compiler names; `pxrw check` explains more"
        );
        let Error::Refused { problems, code, .. } = error else { panic!("another error") };
        let message = "Unknown symbol 'driver_does_not_know'".to_owned();
        assert_eq!((problems, code), (vec![PtxProblem { line: Some(13), message }], CudaCode(218)));

        let error = device.load(&KERNELS.replace("sm_90", "sm_100"), "fill").unwrap_err().to_string();
        assert!(error.ends_with("it is for sm_100, and this GPU is sm_90: compile it with `--arch sm_90`"), "{error}");
        let error = device.load(KERNELS, "fil").unwrap_err().to_string();
        assert!(error.starts_with("there is no kernel `fil` in the PTX; it has `fill`"), "{error}");
        assert!(device.load("no PTX", "fill").is_err());
    });
    if let Some(log) = log {
        assert_eq!((count(&log, "load module with a log"), count(&log, "load module")), (2, 4), "{log}");
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

#[test]
fn ptx_that_is_too_new_for_the_driver_is_lowered() {
    let log = in_child(&[("FAKE_CUDA_VERSION", "12040")], || {
        let mut device = gpu();
        let fill = device.load(KERNELS, "fill").unwrap();
        device.load(KERNELS, "crash").unwrap();
        let remark = "the driver (CUDA 12.4) reads PTX up to 8.4: `.version 9.0` was lowered to 8.4";
        assert_eq!(device.remarks(), [remark]);
        let out = device.alloc(4, "out").unwrap();
        device.launch(fill, &LaunchConfig::linear(1, 1), &[out.into(), 9_u32.into(), 1_u32.into()]).unwrap();
        assert_eq!(words(&device, out, 1), [9]);
        device.load(&KERNELS.replace("9.0", "8.4"), "fill").unwrap();
        assert_eq!((&device as &dyn Device).remarks().len(), 1);

        let older = "the driver (CUDA 12.4) reads PTX up to 8.4: `.version 9.0` was lowered to 8.4";
        let text = format!("{KERNELS}\n// driver_does_not_know\n");
        let error = device.load(&text, "fill").unwrap_err();
        let expected = format!("PTX line 13: Unknown symbol 'driver_does_not_know'; {older}; correct what");
        assert!(error.to_string().contains(&expected), "{error}");
        assert!(matches!(&error, Error::Refused { remark: Some(remark), .. } if remark == older), "{error:?}");
        assert_eq!(device.remarks().len(), 1, "what does not load needs no remark");
    });
    if let Some(log) = log {
        assert_eq!((count(&log, "load module with a log"), count(&log, "load module")), (1, 6), "{log}");
        assert_all_given_back(&log);
    }
}

#[test]
fn what_only_a_newer_driver_reads_is_refused() {
    in_child(&[("FAKE_CUDA_VERSION", "12080"), ("FAKE_CUDA_REFUSE", "crash:209,fill,hang:222")], || {
        let mut device = gpu();
        // The version is not the reason; nothing is to be lowered.
        let text =
            |kernel: &str| format!(".version 8.7\n.target sm_90\n.address_size 64\n.entry {kernel}() {{ ret; }}\n");
        let error = device.load(&text("hang"), "hang").unwrap_err().to_string();
        assert!(error.contains("newer version than the driver reads (CUDA error 222)"), "{error}");
        assert!(
            error.ends_with("Kernel 'hang' is refused; update the driver, or compile with an older CUDA toolkit"),
            "{error}"
        );
        assert!(matches!(device.load(&text("crash"), "crash"), Err(Error::Refused { code: CudaCode(209), .. })));
        let Err(Error::Refused { code, problems, .. }) = device.load(&text("fill"), "fill") else { panic!("it loads") };
        assert_eq!((code, problems[0].line), (CudaCode(218), Some(4)));
        device.load(&text("other"), "other").unwrap();
        // A cubin has no PTX version.
        let cubin = device.load_cubin(b"\x7fELF .entry hang", &text("hang"), "hang").unwrap_err();
        assert!(matches!(cubin, Error::Refused { code: CudaCode(222), remark: None, .. }), "{cubin}");
    });
}

#[test]
fn hints_for_newer_drivers_are_left_out() {
    in_child(&[("FAKE_CUDA_VERSION", "12020")], || {
        let mut device = gpu();
        let text = |version: &str| {
            let head = format!(".version {version}\n.target sm_90\n.address_size 64\n");
            head + ".entry k() {\n.pragma \"used_bytes_mask 9\";\nret;\n}\n"
        };
        device.load(&text("9.0"), "k").unwrap();
        // This is a mistake in the text, which the driver finds in a version that it reads.
        let Err(Error::Refused { problems, .. }) = device.load(&text("8.2"), "k") else { panic!("it loads") };
        assert_eq!(problems[0].line, Some(5));
    });
}
