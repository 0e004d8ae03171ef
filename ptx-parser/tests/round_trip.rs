//! What is read is written back byte for byte.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::path::Path;

use ptx_parser::Module;

#[test]
fn every_sample_prints_as_it_was_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let module = Module::parse(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(module.to_string(), text, "{}", path.display());
        for kernel in module.kernels() {
            kernel.verify().unwrap();
        }
        count += 1;
    }
    assert!(count > 0, "there are samples");
}
