//! Buffers.

use device::{Device, Error};

use crate::fake_driver::in_child;
use crate::{assert_all_given_back, count, gpu, words};

#[test]
fn buffers_are_written_and_read_in_parts() {
    let log = in_child(&[], || {
        let mut device = gpu();
        let (zeros, empty, raw) =
            (device.alloc(8, "zeros").unwrap(), device.alloc(0, "empty").unwrap(), device.reserve(4, "raw").unwrap());
        device.upload(zeros, 3, &[1, 2, 3]).unwrap();
        let mut bytes = [9; 8];
        device.download(zeros, 0, &mut bytes).unwrap();
        assert_eq!(bytes, [0, 0, 0, 1, 2, 3, 0, 0]);
        device.upload(empty, 0, &[]).unwrap();
        device.download(zeros, 8, &mut []).unwrap();
        assert_eq!(words(&device, raw, 1), [0xaaaa_aaaa], "nobody has written there");
        let error = device.upload(zeros, 6, &[1, 2, 3]).unwrap_err();
        assert_eq!(error.to_string(), "bytes 6 to 9 are not within the 8 bytes of buffer `zeros`");
        let error = device.download(zeros, u64::MAX, &mut bytes).unwrap_err();
        assert!(error.to_string().contains("are not within the 8 bytes"), "{error}");
        device.free(raw).unwrap();
        assert!(matches!(device.free(raw), Err(Error::UnknownBuffer)));
        assert!(matches!(device.upload(raw, 0, &[]), Err(Error::UnknownBuffer)));
    });
    if let Some(log) = log {
        assert_all_given_back(&log);
        assert_eq!(count(&log, "upload"), 1, "nothing is copied for nothing, and nothing beyond a buffer:\n{log}");
    }
}

#[test]
fn memory_that_is_not_there_is_refused() {
    in_child(&[], || {
        let mut device = gpu();
        let kept = device.alloc(1000 << 10, "kept").unwrap();
        for bytes in [100 << 10, 1 << 40, u64::MAX] {
            let error = device.alloc(bytes, "huge").unwrap_err();
            let expected =
                format!("no memory for the {bytes} bytes of buffer `huge`; use smaller buffers, or free some first");
            assert_eq!(error.to_string(), expected);
        }
        device.free(kept).unwrap();
        device.alloc(100 << 10, "smaller").unwrap();
    });
}
