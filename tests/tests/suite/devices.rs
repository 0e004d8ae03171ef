//! No code outside of `device` compares devices: what callers decide by is in the device's `Description`, and what is code of one device stands
//! in an exhaustive `match`, which the compiler names when a device is added. The enum has no `==`; this finds the other ways to pick one out.

use std::fs;
use std::path::{Path, PathBuf};

use tests::workspace_sources::sources;

/// The crates that run kernels on devices, and the command line.
const ROOMS: [&str; 2] = ["benchmarks", "."];

/// Constructs that pick out one device, and are silently wrong for one that is added.
const COMPARISONS: [&str; 5] = ["matches!(", "if let ", "let else", "==", "!="];

/// Returns true if a line of code tells one device from the others.
fn tells_apart(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or("");
    let named = ["DeviceName::", "Selection::"].iter().any(|name| code.contains(name));
    let by_word = [".word()", "device.name()"].iter().any(|word| code.contains(word)) && code.contains("==");
    (named && COMPARISONS.iter().any(|word| code.contains(word))) || by_word
}

/// Returns true if a `match` takes all further devices together.
fn has_wildcard(text: &str) -> bool {
    let mut in_match = false;
    text.lines().any(|line| {
        let names_a_device = line.contains("DeviceName::") && line.contains("=>");
        let ends = line.trim_start() == "}";
        in_match = names_a_device || (in_match && !ends);
        in_match && line.trim_start().starts_with("_ ") && line.contains("=>")
    })
}

#[test]
fn devices_are_matched_and_never_compared() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let files: Vec<PathBuf> = ROOMS.iter().flat_map(|room| sources(&root.join(room).join("src")).unwrap()).collect();
    assert!(files.len() > 50, "the sources were not found");
    let mut found = Vec::new();
    let mut matched = 0;
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let code: String =
            text.lines().take_while(|line| !line.contains("#[cfg(test)]")).map(|line| line.to_owned() + "\n").collect();
        let place = file.strip_prefix(&root).unwrap_or(&file).display().to_string();
        matched += code.lines().filter(|line| line.contains("DeviceName::") && line.contains("=>")).count();
        let lines = code.lines().enumerate().filter(|(_, line)| tells_apart(line));
        found.extend(lines.map(|(number, line)| format!("{place}:{}: {}", number + 1, line.trim())));
        found.extend(has_wildcard(&code).then(|| format!("{place}: a `match` on a device has a `_`")));
    }
    assert!(matched > 0, "the scan finds what matches on a device");
    assert_eq!(found, Vec::<String>::new(), "add what is asked to `Description`, or `match` each device by its name");
}

#[test]
fn the_scan_tells_comparisons_from_other_uses() {
    assert!(tells_apart("    if *device == DeviceName::Gpu {"));
    assert!(tells_apart("    let on_gpu = matches!(options.device, DeviceName::Gpu);"));
    assert!(tells_apart("    if let Selection::Gpu(options) = selection {"));
    assert!(tells_apart("    if options.device.name() == \"gpu\" {"));
    assert!(!tells_apart("        DeviceName::Gpu => Own { options },"));
    assert!(!tells_apart("    Selection::Emulator(again).open() // nobody == nobody"));
    assert!(has_wildcard("match device {\n    DeviceName::Gpu => 1,\n    _ => 2,\n}\n"));
    assert!(!has_wildcard("match device {\n    DeviceName::Gpu => 1,\n}\nmatch other {\n    _ => 2,\n}\n"));
}
