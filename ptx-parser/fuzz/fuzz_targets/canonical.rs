//! The canonical form of any bytes, as a PTX text and as the body of a kernel.
#![no_main]

#[path = "../../tests/common/properties/mod.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    properties::canonical(&text);
    properties::canonical(&properties::kernel(&text));
});
