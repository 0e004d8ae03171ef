//! The CUDA compiler's output for a source, in a file beside it: `k.cu.ptx` for `k.cu`. Folders with many large ones have `k.cu.ptx.gz`,
//! which `zcat` shows.
//!
//! The file holds the PTX of one or several builds, each behind a line that begins with `//! `:
//!
//! ```text
//! //! nvcc V13.0.88; source 5e5c…            the compiler, and a hash of the source and of the headers beside it
//! //! build sm_90 -std=c++17                 the architecture and the options; what follows is the PTX
//! //! marked Rolled                          the same source with markers
//! ```
//!
//! The hash says without a compiler that the source has changed since. Paths of the machine are not in the PTX ([`without_paths`]).

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::{env, fs, io};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

use crate::{BLESS, beside};

/// The further ending of such a file.
pub const ENDING: &str = "ptx";

/// The further ending of such a file that is compressed.
pub const PACKED: &str = "ptx.gz";

/// The beginning of lines that are not PTX.
const LINE: &str = "//! ";

/// The bytes of a hash that are written; an accident needs no more.
const HASH_BYTES: usize = 16;

/// One text of such a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The title, such as `build sm_90 -O3`.
    pub title: String,
    /// The text.
    pub text: String,
}

/// The builds of one source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Saved {
    nvcc: String,
    hash: String,
    sections: Vec<Section>,
}

/// Returns the hash of a source and of the headers beside it that it includes, themselves or through others.
///
/// # Errors
/// The source cannot be read.
pub fn hash(source: &Path) -> Result<String, String> {
    let mut hash = Sha256::new();
    let mut seen = BTreeSet::new();
    let mut open = vec![source.to_owned()];
    while let Some(path) = open.pop() {
        let text = match fs::read(&path) {
            Ok(bytes) => bytes,
            // The header of a system, or none at all, which the compiler says.
            Err(_) if path != source => continue,
            Err(error) => return Err(format!("cannot read `{}`: {error}", path.display())),
        };
        hash.update(text.len().to_le_bytes());
        hash.update(&text);
        for header in headers(&String::from_utf8_lossy(&text), &path) {
            if seen.insert(header.clone()) {
                open.push(header);
            }
        }
    }
    Ok(written(hash))
}

/// Returns the hash of a text.
#[must_use]
pub fn hash_of(text: &[u8]) -> String {
    written(Sha256::new().chain_update(text))
}

fn written(hash: Sha256) -> String {
    hash.finalize().iter().take(HASH_BYTES).fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// Returns the files that `#include "…"` names.
fn headers(text: &str, of: &Path) -> Vec<PathBuf> {
    let name = |line: &str| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
        Some(of.with_file_name(rest.strip_prefix('"')?.split('"').next()?))
    };
    text.lines().filter_map(name).collect()
}

/// Returns the texts that were saved for a build of a source: the first one is titled `build …`, others belong to it.
///
/// # Errors
/// There are none, or the source has changed since; the message says what to do.
pub fn read(source: &Path, build: &str) -> Result<Vec<Section>, String> {
    let path = path(source);
    let (shown, hash) = (path.display(), hash(source)?);
    let what_to_do = format!("`{BLESS}=1` with the same command makes it anew, by the CUDA compiler");
    let text = text(&path).map_err(|error| format!("cannot read `{shown}`: {error}\n{what_to_do}"))?;
    let saved = Saved::parse(&text).ok_or_else(|| format!("`{shown}` is not what was saved\n{what_to_do}"))?;
    if saved.hash != hash {
        return Err(format!("`{shown}` is stale: `{}` has changed since\n{what_to_do}", source.display()));
    }
    saved.of(build).ok_or_else(|| format!("`{shown}` has no PTX of the build `{build}`\n{what_to_do}"))
}

/// Returns the compiler that a file was made by.
#[must_use]
pub fn compiler(source: &Path) -> Option<String> {
    Some(Saved::beside(source)?.nvcc)
}

/// Returns the builds that were saved of a source.
#[must_use]
pub fn builds(source: &Path) -> Vec<String> {
    let saved = Saved::beside(source).unwrap_or_default();
    let build = |section: &Section| section.title.strip_prefix("build ").map(str::to_owned);
    saved.sections.iter().filter_map(build).collect()
}

/// Saves the texts of a build of a source, in the place of those that there are of that build. Builds of an older source go. `packed` says
/// that the file is compressed.
///
/// # Errors
/// The file cannot be written.
pub fn write(source: &Path, packed: bool, nvcc: &str, build: &str, sections: &[Section]) -> Result<(), String> {
    // Two tests may build the same source.
    static WRITING: Mutex<()> = Mutex::new(());
    let _writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let hash = hash(source)?;
    let mut saved = Saved::beside(source).unwrap_or_default();
    if saved.hash != hash || saved.nvcc != nvcc {
        saved = Saved { nvcc: nvcc.to_owned(), hash, sections: Vec::new() };
    }
    saved.put(build, sections);
    let path = beside(source, if packed { PACKED } else { ENDING });
    let bytes = if packed { compressed(&saved.print()) } else { Ok(saved.print().into_bytes()) };
    let written = bytes.and_then(|bytes| fs::write(&path, bytes));
    written.map_err(|error| format!("cannot write `{}`: {error}", path.display()))
}

/// Returns the file beside a source, compressed or not.
#[must_use]
pub fn path(source: &Path) -> PathBuf {
    let packed = beside(source, PACKED);
    if packed.is_file() { packed } else { beside(source, ENDING) }
}

fn text(path: &Path) -> io::Result<String> {
    if path.extension().is_none_or(|extension| extension != "gz") {
        return fs::read_to_string(path);
    }
    let mut text = String::new();
    GzDecoder::new(fs::File::open(path)?).read_to_string(&mut text)?;
    Ok(text)
}

fn compressed(text: &str) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text.as_bytes())?;
    encoder.finish()
}

impl Saved {
    fn beside(source: &Path) -> Option<Saved> {
        Saved::parse(&text(&path(source)).ok()?)
    }

    fn parse(text: &str) -> Option<Saved> {
        let (first, mut rest) = text.split_once('\n')?;
        let (nvcc, hash) = first.strip_prefix(LINE)?.strip_prefix("nvcc ")?.split_once("; source ")?;
        let mut saved = Saved { nvcc: nvcc.to_owned(), hash: hash.to_owned(), sections: Vec::new() };
        while let Some((title, text)) = rest.strip_prefix(LINE).and_then(|rest| rest.split_once('\n')) {
            let end = if text.starts_with(LINE) { 0 } else { text.find("\n//! ").map_or(text.len(), |at| at + 1) };
            saved.sections.push(Section { title: title.to_owned(), text: text[..end].to_owned() });
            rest = &text[end..];
        }
        rest.is_empty().then_some(saved)
    }

    fn print(&self) -> String {
        let mut text = format!("{LINE}nvcc {}; source {}\n", self.nvcc, self.hash);
        for Section { title, text: ptx } in &self.sections {
            let end = if ptx.is_empty() || ptx.ends_with('\n') { "" } else { "\n" };
            text += &format!("{LINE}{title}\n{ptx}{end}");
        }
        text
    }

    /// Returns the index of a build, and that of the next one.
    fn range(&self, build: &str) -> Option<std::ops::Range<usize>> {
        let begins = |section: &Section| section.title.starts_with("build ");
        let title = format!("build {build}");
        let begin = self.sections.iter().position(|section| section.title == title)?;
        let length = self.sections.iter().skip(begin + 1).take_while(|section| !begins(section)).count();
        Some(begin..begin + 1 + length)
    }

    fn of(&self, build: &str) -> Option<Vec<Section>> {
        self.sections.get(self.range(build)?).map(<[Section]>::to_vec)
    }

    fn put(&mut self, build: &str, sections: &[Section]) {
        if let Some(range) = self.range(build) {
            self.sections.drain(range);
        }
        self.sections.extend_from_slice(sections);
        // In the order of their names, whichever test comes first.
        let mut builds: Vec<Vec<Section>> = Vec::new();
        for section in self.sections.drain(..) {
            match builds.last_mut() {
                Some(last) if !section.title.starts_with("build ") => last.push(section),
                _ => builds.push(vec![section]),
            }
        }
        builds.sort_by_cached_key(|build| build.first().map(|section| section.title.clone()));
        self.sections = builds.concat();
    }
}

/// Returns PTX without what depends on the machine: the folder that nvcc was started in, those that it is installed in (`toolkit`; an `assert` in a
/// header has them in a string), and debug information in the form of bytes, which has the former in it and is for debuggers alone. Of the
/// compiler's comment at the top, the lines stay.
#[must_use]
pub fn without_paths(ptx: &str, toolkit: &[&Path]) -> String {
    let here = format!("{}/", env::current_dir().unwrap_or_default().display());
    let toolkit: Vec<String> = toolkit.iter().map(|path| format!("{}/", path.display())).collect();
    let in_toolkit = |name: &str| {
        toolkit.iter().any(|folder| name.starts_with(folder)).then_some(())?;
        Some(format!("/cuda{}", &name[name.rfind("/include/")?..]))
    };
    let file = |line: &str| {
        let (before, name) = line.split_once('"')?;
        let (name, after) = name.split_once('"')?;
        let name = match name.strip_prefix(&here) {
            Some(name) if !toolkit.iter().any(|folder| line.contains(folder)) => name.to_owned(),
            _ => in_toolkit(name)?,
        };
        Some(format!("{before}\"{name}\"{after}"))
    };
    let string = |line: &str| {
        let (name, length, text, after) = string(line)?;
        let now = in_toolkit(&text)?;
        let bytes: Vec<String> = now.bytes().map(|byte| byte.to_string()).collect();
        Some(format!("{name}[{}] = {{{}}}{after}", length + now.len() - text.len(), bytes.join(", ")))
    };
    let mut text = String::with_capacity(ptx.len());
    let (mut skipped, mut begun) = (false, false);
    for line in ptx.split_inclusive('\n') {
        let code = line.trim();
        begun |= !code.is_empty() && !code.starts_with("//");
        if code.starts_with(".section") && code.contains(".debug_") && !code.contains(".debug_str") {
            skipped = true;
        }
        if !begun {
            // Messages name lines of the PTX.
            text.push('\n');
        } else if !skipped {
            let changed = if code.starts_with(".file") { file(line) } else { string(line) };
            text += changed.as_deref().unwrap_or(line);
        }
        skipped &= code != "}";
    }
    text
}

/// Returns what is before the length of a string, the length, the string without the zeros behind it, and what follows the braces.
fn string(line: &str) -> Option<(&str, usize, String, &str)> {
    let (name, rest) = line.split_once('[').filter(|(name, _)| name.contains(".b8 "))?;
    let (length, rest) = rest.split_once("] = {")?;
    let (bytes, after) = rest.split_once('}')?;
    let bytes: Option<Vec<u8>> = bytes.split(", ").map(|byte| byte.parse().ok()).collect();
    Some((name, length.parse().ok()?, String::from_utf8(bytes?).ok()?, after))
}

/// Returns PTX without the lines that name lines of the source, for tests that do not look at them.
#[must_use]
pub fn without_lines(ptx: &str) -> String {
    ptx.split_inclusive('\n').filter(|line| !names_lines(line)).collect()
}

/// Returns what of PTX is the same on every machine with this compiler. Headers of the host's own compiler are in the list of files, whose
/// numbers lines are given by; names that depend on the paths of headers are in debug information as bytes, and with `-G` they decide in which
/// order variables follow each other.
#[must_use]
pub fn without_host(ptx: &str) -> String {
    let mut in_debug = false;
    let is_kept = |line: &&str| {
        let code = line.trim();
        in_debug |= code.starts_with(".section") && code.contains(".debug_");
        let kept = !in_debug && !names_lines(code);
        in_debug &= code != "}";
        kept
    };
    let is_variable = |line: &str| line.starts_with(".global ") || line.starts_with(".const ");
    let mut lines: Vec<&str> = ptx.split_inclusive('\n').filter(is_kept).collect();
    for group in lines.chunk_by_mut(|one, next| is_variable(one) && is_variable(next)) {
        group.sort_unstable();
    }
    lines.concat()
}

fn names_lines(line: &str) -> bool {
    // `.local` is another directive.
    matches!(line.split_whitespace().next(), Some(".loc" | ".file"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use super::*;

    fn section(title: &str, text: &str) -> Section {
        Section { title: title.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn builds_are_kept_until_the_source_changes() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("k.cu");
        fs::write(&source, "#include \"k.h\"\n").unwrap();
        fs::write(folder.path().join("k.h"), "int a;\n").unwrap();
        let missing = read(&source, "sm_90").unwrap_err();
        assert!(missing.contains("k.cu.ptx") && missing.contains("PXRW_BLESS=1"), "{missing}");
        let first =
            [section("build sm_90", ".version 9.0\n"), section("marked Rolled", "// a\n"), section("marked b", "")];
        let second = [section("build sm_75", "b\n")];
        write(&source, false, "V13", "sm_90", &first).unwrap();
        write(&source, false, "V13", "sm_75", &second).unwrap();
        write(&source, false, "V13", "sm_90", &first).unwrap();
        assert_eq!(read(&source, "sm_90").unwrap(), first);
        assert_eq!(read(&source, "sm_75").unwrap(), second);
        assert_eq!(builds(&source), ["sm_75", "sm_90"]);
        assert_eq!(compiler(&source).unwrap(), "V13");
        assert!(read(&source, "sm_100").unwrap_err().contains("no PTX of the build `sm_100`"));
        fs::write(folder.path().join("k.h"), "int b;\n").unwrap();
        let stale = read(&source, "sm_90").unwrap_err();
        assert!(stale.contains("is stale") && stale.contains("PXRW_BLESS=1"), "{stale}");
        write(&source, false, "V13", "sm_90", &first).unwrap();
        assert_eq!(builds(&source), ["sm_90"]);
        fs::remove_file(path(&source)).unwrap();
        write(&source, true, "V13", "sm_90", &first).unwrap();
        assert_eq!(path(&source), folder.path().join("k.cu.ptx.gz"));
        assert_eq!(read(&source, "sm_90").unwrap(), first);
        assert_eq!(builds(&source), ["sm_90"]);
    }

    #[test]
    fn paths_of_the_machine_are_taken_out() {
        let here = env::current_dir().unwrap();
        let here = here.display();
        let ptx = format!(
            "//\n// Compiler\n\n.version 9.0\n.file 1 \"{here}/k.cu\"\n.file 2 \"/opt/x/bin/..//include/a.h\"\n\
             .section .debug_info\n{{\n.b8 1\n}}\n.section .debug_str\n{{\n}}\n\
             .global .align 1 .b8 $str$1[20] = {{{}}};\n.global .b8 t[3] = {{1, 2}};\n",
            "/opt/x/a/include/b.h".bytes().map(|byte| byte.to_string()).collect::<Vec<_>>().join(", ")
        );
        let expected = ".version 9.0\n.file 1 \"k.cu\"\n.file 2 \"/cuda/include/a.h\"\n.section .debug_str\n{\n}\n\
                        .global .align 1 .b8 $str$1[17] = {47, 99, 117, 100, 97, 47, 105, 110, 99, 108, 117, 100, 101, 47, 98, 46, 104};\n\
                        .global .b8 t[3] = {1, 2};\n";
        assert_eq!(without_paths(&ptx, &[Path::new("/opt/x")]), format!("\n\n\n{expected}"));
        assert_eq!(without_lines(".loc 1 2 3\n\t.local .b8 a;\n"), "\t.local .b8 a;\n");
        assert!(without_lines(expected).starts_with(".version 9.0\n.section .debug_str\n{\n}\n.global"));
    }

    #[test]
    fn what_depends_on_the_host_is_not_compared() {
        let compiled = |file: &str, number: u32, byte: u32, value: u32| {
            format!(
                ".version 9.0\n.loc {number} 7 3\nmov.u32 %r1, {value};\n.file {number} \"{file}\"\n\
                 \t.section .debug_str\n\t{{\n.b8 {byte}\n\t}}\n.global .u32 a;\n"
            )
        };
        let here = without_host(&compiled("/usr/lib/gcc/12/include/stddef.h", 10, 49, 5));
        assert_eq!(here, without_host(&compiled("/usr/include/c++/11/new", 4, 50, 5)));
        assert_eq!(here, ".version 9.0\nmov.u32 %r1, 5;\n.global .u32 a;\n");
        assert_ne!(here, without_host(&compiled("/usr/include/c++/11/new", 4, 50, 6)));
        let (one, other) =
            (".global .u32 a;\n.global .u32 b;\n.func f\n", ".global .u32 b;\n.global .u32 a;\n.func f\n");
        assert_eq!(without_host(one), without_host(other));
        assert_ne!(without_host(one), without_host(".global .u32 a;\n.global .u32 a;\n.func f\n"));
    }
}
