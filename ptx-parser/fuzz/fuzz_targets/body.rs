//! Any bytes as the body of a kernel, so that instructions are reached at once.
#![no_main]

#[path = "../../tests/common/properties/mod.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    properties::body(&String::from_utf8_lossy(bytes));
});
