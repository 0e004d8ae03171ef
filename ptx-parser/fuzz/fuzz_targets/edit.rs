//! Edits of a small kernel, which the bytes decide on.
#![no_main]

#[path = "../../tests/common/properties/mod.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    properties::edits::edit(bytes);
});
