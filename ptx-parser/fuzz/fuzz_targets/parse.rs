//! Any bytes as a PTX text.
#![no_main]

#[path = "../../tests/common/properties/mod.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    properties::parse(&String::from_utf8_lossy(bytes));
});
