//! No files of a room import each other in a circle of more than three, so that each can be read before those above it.
//!
//! An arrow leads from a file to each file of its room that it names in a `use` or in a path from `crate::` on. Tests inside of files do not count.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use petgraph::algo::kosaraju_scc;
use petgraph::graphmap::DiGraphMap;
use tests::workspace_sources::sources;

/// The rooms; the root is the command line.
const ROOMS: [&str; 11] = [
    "analysis",
    "annotate",
    "benchmarks",
    "ccc",
    "cpu",
    "device",
    "emulator",
    "frontend",
    "ptx-parser",
    "ssde-ptx",
    "toolkit",
];

/// The largest circle that is allowed.
const LARGEST: usize = 3;

/// The code of each file by the path of its module, `a::b` for `a/b.rs` and `a/b/mod.rs`; the empty path for `lib.rs`.
fn modules(root: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for path in sources(root).unwrap() {
        let name = path.strip_prefix(root).unwrap().with_extension("");
        let mut parts: Vec<&str> = name.iter().map(|part| part.to_str().unwrap()).collect();
        if parts.last().is_some_and(|last| matches!(*last, "mod" | "lib" | "main")) {
            parts.pop();
        }
        if parts.contains(&"tests") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let code: Vec<&str> = code.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
        found.insert(parts.join("::"), code.join("\n"));
    }
    found
}

/// The paths that a list in braces stands for: `a::{b, c::{d, e}}`.
fn expanded(path: &str) -> Vec<String> {
    let Some((before, list)) = path.split_once('{') else { return vec![path.trim().to_owned()] };
    let list = list.trim_end().strip_suffix('}').unwrap_or(list);
    let (mut depth, mut start, mut paths) = (0, 0, Vec::new());
    for (at, c) in list.char_indices().chain([(list.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                paths.extend(
                    expanded(list[start..at].trim()).into_iter().map(|rest| format!("{}{rest}", before.trim())),
                );
                start = at + 1;
            }
            _ => {}
        }
    }
    paths
}

/// What a file names of its own crate: paths from the root of the crate on.
fn named(module: &str, code: &str, modules: &BTreeMap<String, String>) -> Vec<String> {
    let mut paths = Vec::new();
    for statement in code.split("use ").skip(1).filter_map(|rest| rest.split_once(';')).map(|(statement, _)| statement)
    {
        for path in expanded(statement) {
            let path = path.split(" as ").next().unwrap_or_default().trim().trim_end_matches("::self");
            let mut parts: Vec<&str> = path.split("::").collect();
            let mut base: Vec<&str> = module.split("::").filter(|part| !part.is_empty()).collect();
            match parts.first() {
                Some(&"crate") => base.clear(),
                Some(&"super") => {
                    while parts.first() == Some(&"super") {
                        parts.remove(0);
                        base.pop();
                    }
                    paths.push([base, parts].concat().join("::"));
                    continue;
                }
                Some(first) => {
                    let child = [base.as_slice(), &[*first]].concat().join("::");
                    if modules.contains_key(&child) {
                        paths.push([base, parts].concat().join("::"));
                    }
                    continue;
                }
                None => continue,
            }
            paths.push(parts[1..].join("::"));
        }
    }
    for (at, _) in code.match_indices("crate::") {
        let inside = code[..at].ends_with("pub(in ") || code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let path = code[at + 7..].split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).next();
        paths.extend(path.filter(|_| !inside).map(|path| path.trim_end_matches(':').to_owned()));
    }
    paths
}

/// The circles of a room, the largest first.
fn circles(folder: &Path) -> Vec<Vec<String>> {
    let files = modules(folder);
    assert!(!files.is_empty(), "{} has sources", folder.display());
    let mut graph: DiGraphMap<&str, ()> = DiGraphMap::new();
    // The root names all of them to hand them on.
    for (module, code) in files.iter().filter(|(module, _)| !module.is_empty()) {
        for path in named(module, code, &files) {
            let parts: Vec<&str> = path.split("::").collect();
            let target = (1..=parts.len()).rev().find_map(|count| files.get_key_value(&parts[..count].join("::")));
            if let Some((target, _)) = target.filter(|(target, _)| *target != module) {
                graph.add_edge(module, target, ());
            }
        }
    }
    let mut circles: Vec<Vec<String>> = kosaraju_scc(&graph)
        .into_iter()
        .filter(|circle| circle.len() > 1)
        .map(|circle| circle.into_iter().map(str::to_owned).collect())
        .collect();
    circles.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    circles
}

#[test]
fn no_files_form_a_large_circle() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut wrong = Vec::new();
    for room in ROOMS.into_iter().chain(["."]) {
        let found: Vec<Vec<String>> =
            circles(&root.join(room).join("src")).into_iter().filter(|circle| circle.len() > LARGEST).collect();
        if !found.is_empty() {
            wrong.push(format!("{room}: {found:?}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new(), "put what both sides need into a file of its own, below them");
}

#[test]
fn a_circle_is_seen() {
    let folder = std::env::temp_dir().join(format!("pxrw-circles-{}", std::process::id()));
    fs::create_dir_all(folder.join("d")).unwrap();
    let files = [
        ("lib.rs", "mod a; mod b; mod c; mod d;"),
        ("a.rs", "use crate::b::B;"),
        ("b.rs", "use super::c::{self, C};\n// use crate::d::D;"),
        ("c.rs", "fn f() -> crate::a::A {}"),
        ("d/mod.rs", "mod e;\nuse e::E;\nuse crate::{a::A, b::{B, C}};"),
        ("d/e.rs", "pub(in crate::d) struct E;\n#[cfg(test)]\nmod tests { use super::super::D; }"),
    ];
    for (name, text) in files {
        fs::write(folder.join(name), text).unwrap();
    }
    let found = circles(&folder);
    fs::remove_dir_all(&folder).unwrap();
    let mut circle = found.first().cloned().unwrap_or_default();
    circle.sort();
    assert_eq!((found.len(), circle), (1, ["a", "b", "c"].map(str::to_owned).to_vec()));
}
