//! Canonical prints: `ptxas` makes the same machine code of them, and they are what they should be.
use std::path::Path;

use ptx_parser::Module;
use tests::saved::toolkit;

/// A section of an ELF file: its name, and its bytes unless it takes none in the file.
type Section = (String, Vec<u8>);

/// The sections of a 64-bit little-endian ELF file (System V ABI, "Sections").
fn sections(elf: &[u8]) -> Vec<Section> {
    let number = |at: usize, bytes: usize| {
        elf[at..at + bytes].iter().rev().fold(0usize, |value, byte| value << 8 | usize::from(*byte))
    };
    let (table, size, count, names) = (number(40, 8), number(58, 2), number(60, 2), number(62, 2));
    let field = |section: usize, at: usize, bytes: usize| number(table + section * size + at, bytes);
    let content = |section: usize| {
        // Sections of this type take no room in the file.
        const NOBITS: usize = 8;
        let (kind, offset, length) = (field(section, 4, 4), field(section, 24, 8), field(section, 32, 8));
        if kind == NOBITS { length.to_le_bytes().to_vec() } else { elf[offset..offset + length].to_vec() }
    };
    let strings = content(names);
    let name = |section: usize| {
        let name = &strings[field(section, 0, 4)..];
        String::from_utf8_lossy(name.split(|byte| *byte == 0).next().unwrap()).into_owned()
    };
    (0..count).map(|section| (name(section), content(section))).collect()
}

/// Whether a section holds the PTX text or numbers of its lines.
fn is_about_the_text(name: &str) -> bool {
    name.contains("nv_debug_ptx_txt") || name.contains("nv_debug_line_sass")
}

#[test]
fn ptxas_makes_the_same_machine_code() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ptx-parser/tests/data");
    let toolkit = toolkit().unwrap();
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "ptx") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let module = Module::parse(&text).unwrap();
        let canonical = module.canonical();
        assert_ne!(text, canonical, "{}", path.display());
        let code = |text: &str| sections(&toolkit.assemble(text, &module.target()[0], "in.ptx").unwrap().bytes);
        let (before, after) = (code(&text), code(&canonical));
        assert!(before.iter().any(|(name, _)| name.starts_with(".text.")), "{}", path.display());
        for ((name, bytes), (other, others)) in before.iter().zip(&after) {
            assert_eq!(name, other, "{}", path.display());
            let same = is_about_the_text(name) || bytes == others;
            assert!(same, "{}: section {name} differs\n{canonical}", path.display());
        }
        assert_eq!(before.len(), after.len());
        count += 1;
    }
    assert!(count >= 9, "{count}");
}
